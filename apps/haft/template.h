/* template.h - the files that `haft new` writes, as text with @WORD@ placeholders.
 *
 * They are the files of apps/haft/project, which the build embeds in the program. A folder there is
 * a kind of project; a file outside a folder is for every kind that does not have its own. */
#ifndef HAFT_TEMPLATE_H
#define HAFT_TEMPLATE_H

#include "base/base.h"

struct template
{
    const char *path; /* KIND/NAME, or NAME */
    const char *text;
};
extern const struct template template_rows[]; /* ends with a row without a path */

/* The replacement of a @WORD@. */
struct template_word {
    const char *name; /* without the @ */
    const char *text;
};

/* Appends the text with each @WORD@ replaced; the words end with a row without a name. Unknown
 * words are kept. */
void template_fill(const char *text, const struct template_word *words, haft_buffer *out);

/* The file's name if the row belongs to the kind, else NULL. */
const char *template_name(const struct template *row, const char *kind);

#endif
