/* install_file.h - atomic replacement of a file. */
#ifndef HAFT_INSTALL_FILE_H
#define HAFT_INSTALL_FILE_H

#include <limits.h>
#include <sys/stat.h>

#include "base/base.h"

struct install_file {
    const char *shown;   /* the path for messages */
    char path[PATH_MAX]; /* the path with symbolic links resolved */
    bool exists;
    struct stat status; /* if it exists */
    haft_buffer text;   /* empty if it does not */
};

/* Reads the file, which may be missing. Returns 0, or an exit code after reporting the error;
 * install_file_finish is required in both cases. */
int install_file_read(struct install_file *file, const char *path);
void install_file_finish(struct install_file *file);

/* Replaces the file, with the same mode and owner, and creates missing directories. A file that has
 * changed since it was read is left alone. Returns 0 or an exit code. */
int install_file_write(const struct install_file *file, const char *text, size_t size);

#endif
