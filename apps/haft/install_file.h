/* install_file.h - a file that is replaced as a whole, or not at all. */
#ifndef HAFT_INSTALL_FILE_H
#define HAFT_INSTALL_FILE_H

#include <limits.h>
#include <sys/stat.h>

#include "base/base.h"

struct install_file {
    const char *shown;   /* the path as people know it */
    char path[PATH_MAX]; /* what the symbolic links of that lead to */
    bool exists;
    struct stat status; /* if it exists */
    haft_buffer text;   /* empty if it does not */
};

/* Reads the file, which may be missing.  0, or an exit code with the reason said; install_file_finish
 * is right in both cases. */
int install_file_read(struct install_file *file, const char *path);
void install_file_finish(struct install_file *file);

/* Writes the text in its place, with the same mode and owner, and makes the directories that are
 * missing.  A file that has changed since it was read is left alone.  0, or an exit code. */
int install_file_write(const struct install_file *file, const char *text, size_t size);

#endif
