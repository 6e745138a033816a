/* install_edit.h - edits one entry of a client's configuration in the text of its file.
 *
 * Everything else stays byte for byte; the entry is laid out like the file. */
#ifndef HAFT_INSTALL_EDIT_H
#define HAFT_INSTALL_EDIT_H

#include "base/base.h"

enum { INSTALL_FILE_LIMIT = 16 << 20 };

/* A server entry. */
struct install_entry {
    const char *section; /* section of the file: "mcpServers" */
    const char *name;
    const char *type;    /* member "type"; NULL if there is none */
    const char *url;     /* URL of an HTTP server; otherwise NULL, with */
    const char *command; /* the program that starts it */
    char *const *args;   /* its arguments, NULL-terminated */
};

/* Each appends the new text of the file to `out` and returns 1; or returns 0 if nothing changes,
 * HAFT_ENOMEM, HAFT_EPARSE if the text is not valid JSON, or HAFT_EINVAL if a member is not an
 * object, with the error in *reterr_reason. */
int install_set(const char *text, size_t size, const struct install_entry *entry, haft_buffer *out,
                haft_reason *reterr_reason);
int install_remove(const char *text, size_t size, const struct install_entry *entry,
                   haft_buffer *out, haft_reason *reterr_reason);

/* Whether the text, which one of the above has accepted, has an entry of that name. */
bool install_has(const char *text, size_t size, const struct install_entry *entry);

/* Appends the difference, as lines marked with "-" and "+", with up to three lines of context. */
void install_diff(const char *old_text, size_t old_size, const char *text, size_t size,
                  haft_buffer *out);

#endif
