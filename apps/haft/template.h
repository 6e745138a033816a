/* template.h - the files that `haft new` writes, as text with @WORDS@ to replace.
 *
 * They are the files of apps/haft/project, which the build puts into the program.  A folder there is a
 * kind of project; a file outside a folder is for every kind that has none of its own. */
#ifndef HAFT_TEMPLATE_H
#define HAFT_TEMPLATE_H

#include "base/base.h"

struct template
{
    const char *path; /* KIND/NAME, or NAME */
    const char *text;
};
extern const struct template template_rows[]; /* ends with a row without a path */

/* What a @WORD@ stands for. */
struct template_word {
    const char *name; /* without the @ */
    const char *text;
};

/* Appends the text with each @WORD@ replaced; the words end with a row without a name.  A word that
 * is not among them stays as it is. */
void template_fill(const char *text, const struct template_word *words, haft_buffer *out);

/* The name of the file when the row is one of that kind's, else NULL. */
const char *template_name(const struct template *row, const char *kind);

#endif
