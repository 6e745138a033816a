/* install_edit.h - one entry of a client's configuration, in the text of its file.
 *
 * What is not the entry stays byte for byte; the entry is laid out as the file is. */
#ifndef HAFT_INSTALL_EDIT_H
#define HAFT_INSTALL_EDIT_H

#include "base/base.h"

enum { INSTALL_FILE_LIMIT = 16 << 20 };

/* A server, as clients write it down. */
struct install_entry {
    const char *section; /* of the file: "mcpServers" */
    const char *name;
    const char *type;    /* member "type"; NULL for none */
    const char *url;     /* of a server over HTTP; else NULL and */
    const char *command; /* the program that starts it */
    char *const *args;   /* its arguments, ending with NULL */
};

/* Each appends the new text of the file to `out` and returns 1; or returns 0 when nothing is to be
 * changed, HAFT_ENOMEM, HAFT_EPARSE when the text is not valid JSON, and HAFT_EINVAL when a member is
 * not an object, with what is wrong in *reterr_reason. */
int install_set(const char *text, size_t size, const struct install_entry *entry, haft_buffer *out,
                haft_reason *reterr_reason);
int install_remove(const char *text, size_t size, const struct install_entry *entry,
                   haft_buffer *out, haft_reason *reterr_reason);

/* Whether the text has an entry of that name; of a text that one of the above has accepted. */
bool install_has(const char *text, size_t size, const struct install_entry *entry);

/* Appends what differs, as lines behind "-" and "+", with up to three lines around it. */
void install_diff(const char *old_text, size_t old_size, const char *text, size_t size,
                  haft_buffer *out);

#endif
