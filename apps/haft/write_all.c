/* write_all.c - writes until everything is written. */
#include <errno.h>
#include <unistd.h>

#include "program.h"

int write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text += n;
        size -= (size_t)n;
    }
    return 0;
}
