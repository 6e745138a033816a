/* schema/document/dialect.h - the editions of JSON Schema, their vocabularies and their metaschemas.
 *
 * A dialect is a draft and the set of vocabularies that apply.  The five drafts' own dialects are
 * built in; a metaschema of the caller's makes further ones by its `$vocabulary`. */
#ifndef HAFT_SRC_DIALECT_H
#define HAFT_SRC_DIALECT_H

#include <yyjson.h>

#include "base/base.h"

/* As bits, so that a keyword can say in which it exists. */
enum draft { DRAFT_4 = 1, DRAFT_6 = 2, DRAFT_7 = 4, DRAFT_2019 = 8, DRAFT_2020 = 16 };

enum vocabulary {
    VOCABULARY_CORE = 1,
    VOCABULARY_APPLICATOR = 2,
    VOCABULARY_UNEVALUATED = 4,
    VOCABULARY_VALIDATION = 8,
    VOCABULARY_METADATA = 16,
    VOCABULARY_FORMAT = 32,
    VOCABULARY_CONTENT = 64,
    VOCABULARY_ALL = 127
};

struct dialect {
    const char *uri;       /* without a fragment */
    unsigned draft;        /* enum draft */
    int number;            /* 4, 6, 7, 2019 or 2020 */
    unsigned vocabularies; /* enum vocabulary bits */
    bool asserts_formats;  /* its vocabulary says that `format` decides */
};

/* The built-in dialect of an address, with http or https and with or without an empty fragment;
 * NULL for any other. */
const struct dialect *hf_dialect_named(const char *uri, size_t size);

/* Reads a metaschema's `$vocabulary` into a dialect of the draft.  An unknown vocabulary that is
 * required is HAFT_EDIALECT with its address in *reterr_vocabulary. */
int hf_dialect_set_vocabularies(struct dialect *dialect, yyjson_val *vocabulary,
                                const char **reterr_vocabulary);

/* The text of a built-in metaschema, in which ' stands for "; NULL when the address is of none. */
const char *hf_metaschema_named(const char *uri);

/* Its rows, in two files for their size. */
struct metaschema {
    const char *uri, *text;
};
extern const struct metaschema hf_metaschemas_draft[], hf_metaschemas_vocabulary[];

#endif
