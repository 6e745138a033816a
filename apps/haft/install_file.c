/* install_file.c - writes the new text to a temporary file, which then replaces the original. */
#include "install_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "install_edit.h"
#include "program.h"

static int install_fail(const char *what, const char *path)
{
    return complain(EXIT_LOCAL, "cannot %s %s: %s", what, path, strerror(errno));
}

/* Reads a whole file; returns -1 with errno. */
static int install_slurp(const char *path, haft_buffer *ret_text, struct stat *ret_status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char piece[16 << 10];
    ssize_t n = 0;
    int error = 0;

    if (fd < 0)
        return -1;
    if (fstat(fd, ret_status))
        error = errno;
    else if (!S_ISREG(ret_status->st_mode))
        error = S_ISDIR(ret_status->st_mode) ? EISDIR : EINVAL;
    while (!error && (n = read(fd, piece, sizeof piece)) > 0)
        haft_buffer_add(ret_text, piece, (size_t)n);
    if (!error && n < 0)
        error = errno;
    if (!error && ret_text->status)
        error = ret_text->status == HAFT_ETOOBIG ? EFBIG : ENOMEM;
    close(fd);
    errno = error;
    return error ? -1 : 0;
}

int install_file_read(struct install_file *file, const char *path)
{
    *file = (struct install_file){.shown = path};
    haft_buffer_init(&file->text, NULL, INSTALL_FILE_LIMIT);
    if (!realpath(path, file->path)) {
        if (errno != ENOENT && errno != ENOTDIR)
            return install_fail("read", path);
        if (!lstat(path, &file->status))
            return complain(EXIT_LOCAL, "%s is a symbolic link to a file that does not exist",
                            path);
        if (strlen(path) >= sizeof file->path - sizeof ".XXXXXX")
            return complain(EXIT_LOCAL, "cannot write %s: %s", path, strerror(ENAMETOOLONG));
        memcpy(file->path, path, strlen(path) + 1);
        return EXIT_DONE;
    }
    file->exists = true;
    return install_slurp(file->path, &file->text, &file->status) ? install_fail("read", path)
                                                                 : EXIT_DONE;
}

void install_file_finish(struct install_file *file)
{
    haft_buffer_finish(&file->text);
}

/* Creates the missing directories of a path. */
static int install_make_directories(const struct install_file *file)
{
    char path[PATH_MAX];

    memcpy(path, file->path, sizeof path);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            return install_fail("create the directory", path);
        *slash = '/';
    }
    return EXIT_DONE;
}

static int install_fill(const struct install_file *file, int fd, const char *text, size_t size)
{
    mode_t mask = umask(0);
    mode_t mode = file->exists ? file->status.st_mode & 07777 : 0666 & ~mask;

    umask(mask);
    /* Keeps the owner of the file, if permitted. */
    if (file->exists && fchown(fd, file->status.st_uid, file->status.st_gid) && errno != EPERM)
        return -1;
    if (fchmod(fd, mode))
        return -1;
    return write_all(fd, text, size) ? -1 : fsync(fd);
}

/* Whether it is unchanged since it was read. */
static bool install_is_unchanged(const struct install_file *file)
{
    struct stat status;
    haft_buffer text;
    bool same;
    int failed;

    haft_buffer_init(&text, NULL, INSTALL_FILE_LIMIT);
    failed = install_slurp(file->path, &text, &status);
    if (failed)
        same = !file->exists && errno == ENOENT;
    else
        same = file->exists && text.size == file->text.size &&
               (!text.size || !memcmp(text.data, file->text.data, text.size));
    haft_buffer_finish(&text);
    return same;
}

int install_file_write(const struct install_file *file, const char *text, size_t size)
{
    char path[PATH_MAX + sizeof ".XXXXXX"];
    int status = file->exists ? EXIT_DONE : install_make_directories(file);
    int fd, failed;

    if (status)
        return status;
    snprintf(path, sizeof path, "%s.XXXXXX", file->path);
    fd = mkstemp(path);
    if (fd < 0)
        return install_fail("write", file->shown);
    failed = install_fill(file, fd, text, size);
    if (failed)
        status = install_fail("write", file->shown);
    if (close(fd) && !status)
        status = install_fail("write", file->shown);
    if (!status && !install_is_unchanged(file))
        status = complain(EXIT_LOCAL, "%s has changed meanwhile; try again", file->shown);
    if (!status && rename(path, file->path))
        status = install_fail("write", file->shown);
    if (status)
        unlink(path);
    return status;
}
