/* reserve.c - enlarges a loop's table. libuv sizes it by the highest watched descriptor, so a
 * descriptor with a high number is watched briefly. */
#include "loop/reserve.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

struct reservation {
    uv_poll_t poll;
    const haft_allocator *allocator;
    int fd;
};

static void reserve_on_closed(uv_handle_t *handle)
{
    struct reservation *reservation = handle->data;
    const haft_allocator *allocator = reservation->allocator;

    close(reservation->fd);
    allocator->release(allocator->context, reservation, sizeof *reservation);
}

static void reserve_on_event(uv_poll_t *poll, int status, int events)
{
    (void)poll;
    (void)status;
    (void)events;
}

/* Returns a descriptor with a number of at least `n`, or as high as possible; -1 if there is none. */
static int high_descriptor(size_t n)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), high;
    struct rlimit limit;

    if (fd < 0)
        return -1;
    n = n < MOST ? n : MOST;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur <= n)
        n = limit.rlim_cur ? (size_t)limit.rlim_cur - 1 : 0;
    high = fcntl(fd, F_DUPFD_CLOEXEC, (int)n);
    close(fd);
    return high;
}

void hf_loop_reserve(uv_loop_t *loop, const haft_allocator *allocator, size_t n)
{
    struct reservation *reservation = allocator->alloc(allocator->context, sizeof *reservation);

    if (!reservation)
        return;
    reservation->allocator = allocator;
    reservation->fd = high_descriptor(n);
    if (reservation->fd < 0)
        goto no_descriptor;
    if (uv_poll_init(loop, &reservation->poll, reservation->fd))
        goto no_poll;
    reservation->poll.data = reservation;
    uv_poll_start(&reservation->poll, UV_READABLE, reserve_on_event);
    uv_close((uv_handle_t *)&reservation->poll, reserve_on_closed);
    return;

no_poll:
    close(reservation->fd);
no_descriptor:
    allocator->release(allocator->context, reservation, sizeof *reservation);
}
