/* support/patient_read.h - reads from a socket with a time limit.
 *
 * Such a read is not restarted by the kernel when libuv's io_uring interrupts the thread. */
#ifndef HAFT_TESTS_PATIENT_READ_H
#define HAFT_TESTS_PATIENT_READ_H

#include <errno.h>
#include <unistd.h>

static inline ssize_t patient_read(int fd, char *bytes, size_t size)
{
    ssize_t n;

    do
        n = read(fd, bytes, size);
    while (n < 0 && errno == EINTR);
    return n;
}

#endif
