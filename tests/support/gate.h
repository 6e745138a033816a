/* support/gate.h - simulates a hanging disk: while the gate is shut, callers of writev block.
 *
 * Include it in one file of a program: it replaces the C library's function. */
#ifndef HAFT_TESTS_GATE_H
#define HAFT_TESTS_GATE_H

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

#include "support/test.h"

#define GATE_PATIENCE_NS (60 * UINT64_C(1000000000))

static struct {
    uv_mutex_t lock;
    uv_cond_t moved;
    bool shut;
    unsigned waiting;
} gate;

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    uv_mutex_lock(&gate.lock);
    gate.waiting++;
    uv_cond_broadcast(&gate.moved);
    while (gate.shut)
        uv_cond_wait(&gate.moved, &gate.lock);
    gate.waiting--;
    uv_mutex_unlock(&gate.lock);
    return syscall(SYS_writev, fd, parts, n);
}

static inline void gate_init(void)
{
    if (uv_mutex_init(&gate.lock) || uv_cond_init(&gate.moved))
        fail_msg("no gate");
}

static inline void gate_set(bool shut)
{
    uv_mutex_lock(&gate.lock);
    gate.shut = shut;
    uv_cond_broadcast(&gate.moved);
    uv_mutex_unlock(&gate.lock);
}

/* Waits until a thread blocks there. */
static inline void gate_wait(void)
{
    uv_mutex_lock(&gate.lock);
    while (!gate.waiting)
        assert_int_equal(uv_cond_timedwait(&gate.moved, &gate.lock, GATE_PATIENCE_NS), 0);
    uv_mutex_unlock(&gate.lock);
}

#endif
