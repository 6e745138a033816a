/* file.c - the bytes of a file, whatever it is: a pipe that nobody writes to is empty. */
#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "engine/offer/log.h"

static int file_read_all(int fd, haft_buffer *buffer)
{
    char block[4096];
    ssize_t n = 1;

    while (n && !buffer->status) {
        n = read(fd, block, sizeof block);
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0)
            haft_buffer_add(buffer, block, (size_t)n);
    }
    hf_secret_wipe(block, sizeof block); /* it may be one */
    return n < 0 && !buffer->status ? HAFT_EINVAL : buffer->status;
}

/* Services may read it through their group; other users must not. */
void hf_file_warn_of_mode(haft_server *server, const char *path, int fd, const char *what)
{
    struct stat file;

    if (!fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_mode & (S_IWGRP | S_IRWXO))
        hf_server_log(
            server, HAFT_WARNING,
            "%s: mode %04o lets other users read the %s; run chmod 600 on it, and generate a "
            "new %s if another user may have read this one",
            path, (unsigned)(file.st_mode & 07777), what, what);
}

static int file_open_and_read(const char *path, haft_server *server, haft_buffer *buffer)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status, error;

    if (fd < 0)
        return HAFT_EINVAL;
    status = file_read_all(fd, buffer);
    error = errno;
    if (!status && server)
        hf_file_warn_of_mode(server, path, fd, "secret");
    close(fd);
    errno = error;
    return status;
}

int hf_file_read(const char *path, haft_buffer *buffer)
{
    return file_open_and_read(path, NULL, buffer);
}

int hf_file_read_secret(const char *path, haft_server *server, haft_buffer *buffer)
{
    return file_open_and_read(path, server, buffer);
}
