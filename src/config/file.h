/* config/file.h - the bytes of a file. */
#ifndef HAFT_SRC_CONFIG_FILE_H
#define HAFT_SRC_CONFIG_FILE_H

#include "base/base.h"

/* Appends all of a file.  0, HAFT_ENOMEM, HAFT_ETOOBIG when it is over the buffer's limit, or
 * HAFT_EINVAL with the reason in errno. */
int hf_file_read(const char *path, haft_buffer *buffer);

#endif
