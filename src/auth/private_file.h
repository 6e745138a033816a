/* auth/private_file.h - files with secrets, which programs change at the same time: each change reads
 * the file under a lock and replaces it as a whole, so that nobody loses the change of another, and a
 * crash or a full disk leaves the old file. */
#ifndef HAFT_SRC_PRIVATE_FILE_H
#define HAFT_SRC_PRIVATE_FILE_H

#include <sys/stat.h>

#include "base/base.h"

/* Sets the reason from errno; returns its code. */
int hf_private_file_fail(haft_reason *reason, const char *path);

/* Locks the file `path`.lock, which is never replaced, for at most `ms` milliseconds; closing
 * *ret_fd unlocks it.  Returns 0, HAFT_EBUSY if another process has it, or another error, with the
 * reason. */
int hf_private_file_lock(const char *path, unsigned ms, int *ret_fd, haft_reason *reterr_reason);

/* Appends the whole of an open file.  Returns 0, or an error with the reason. */
int hf_private_file_slurp(int fd, const char *path, haft_buffer *text, haft_reason *reterr_reason);

/* Writes a new file and puts it in the place of the old one.  It has the mode 0600, or the owner and
 * the mode of `like`, which may be NULL.  Returns 0, or an error with the reason: the old file is
 * unchanged then. */
int hf_private_file_replace(const char *path, const struct stat *like, const haft_buffer *text,
                            haft_reason *reterr_reason);

#endif
