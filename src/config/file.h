/* config/file.h - the bytes of a file. */
#ifndef HAFT_SRC_CONFIG_FILE_H
#define HAFT_SRC_CONFIG_FILE_H

#include <haft/server.h>

#include "base/base.h"

/* Appends all of a file.  0, HAFT_ENOMEM, HAFT_ETOOBIG when it is over the buffer's limit, or
 * HAFT_EINVAL with the reason in errno. */
int hf_file_read(const char *path, haft_buffer *buffer);
/* The same for a secret; warns on the server's log if other users can read it. */
int hf_file_read_secret(const char *path, haft_server *server, haft_buffer *buffer);

/* Warns if other users can read a file whose content is a `what`, such as "key". */
void hf_file_warn_of_mode(haft_server *server, const char *path, int fd, const char *what);

#endif
