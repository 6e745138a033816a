/* file.c - the bytes of a file, whatever it is: a pipe that nobody writes to is empty. */
#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int file_read_all(int fd, haft_buffer *buffer)
{
    char block[4096];
    ssize_t n;

    while ((n = read(fd, block, sizeof block)) != 0) {
        if (n < 0 && errno != EINTR)
            return HAFT_EINVAL;
        if (n > 0)
            haft_buffer_add(buffer, block, (size_t)n);
        if (buffer->status)
            return buffer->status;
    }
    return 0;
}

int hf_file_read(const char *path, haft_buffer *buffer)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status, error;

    if (fd < 0)
        return HAFT_EINVAL;
    status = file_read_all(fd, buffer);
    error = errno;
    close(fd);
    errno = error;
    return status;
}
