/* import/name.h - names within a document (name.c). */
#ifndef HAFT_SRC_IMPORT_NAME_H
#define HAFT_SRC_IMPORT_NAME_H

#include "import/import.h"

/* hf_import_name, with digits of a hash in any case if `apart` is not NULL: a text that tells it from
 * another of that name. */
const char *hf_import_name_apart(haft_arena *arena, const char *prefix, const char *name,
                                 const char *apart);

/* A name with only the characters that names of tools have; NULL without memory. */
const char *hf_import_name_clean(haft_arena *arena, const char *name);

/* Whether anything of a name would remain: one letter or digit of ASCII. */
bool hf_import_name_has_words(const char *name);

#endif
