/* fault/shim.h - calls that fail on purpose, in one process and those that it forks.
 *
 * shim.c defines the C library's allocation functions and system calls in the program itself, so
 * that the program, libhaft and libuv all call those.  They pass on what they are asked, but for
 * the one call that the order says: the nth of a kind, counted over all threads from the moment it
 * was given.
 *
 * The order lies in memory that is shared with the process that gives it. */
#ifndef HAFT_TESTS_FAULT_SHIM_H
#define HAFT_TESTS_FAULT_SHIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can be made to fail, and what it is called. */
#define SHIM_CALLS(X)                                                                              \
    X(CALL_ALLOCATE, "allocate")                                                                   \
    X(CALL_READ, "read")                                                                           \
    X(CALL_WRITE, "write")                                                                         \
    X(CALL_SENDMSG, "sendmsg")                                                                     \
    X(CALL_ACCEPT, "accept4")                                                                      \
    X(CALL_OPEN, "open")                                                                           \
    X(CALL_CLOSE, "close")                                                                         \
    X(CALL_DESCRIPTOR, "descriptor")                                                               \
    X(CALL_BIND, "bind")                                                                           \
    X(CALL_LISTEN, "listen")                                                                       \
    X(CALL_OPTION, "setsockopt")                                                                   \
    X(CALL_NAME, "getsockname")                                                                    \
    X(CALL_EPOLL_CTL, "epoll_ctl")                                                                 \
    X(CALL_EPOLL_WAIT, "epoll_wait")                                                               \
    X(CALL_POLL, "poll")                                                                           \
    X(CALL_FORK, "fork")                                                                           \
    X(CALL_THREAD, "pthread_create")                                                               \
    X(CALL_RANDOM, "getrandom")                                                                    \
    X(CALL_CONFINE, "confine")

enum shim_call {
#define SHIM_CALL_(id, name) id,
    SHIM_CALLS(SHIM_CALL_)
#undef SHIM_CALL_
        CALLS
};

/* Not an error, but less than was asked for: one byte. */
enum { SHORT_COUNT = -1 };

enum { SHIM_STACK = 24 };

struct order {
    atomic_bool armed;
    enum shim_call call;
    int error; /* errno, or SHORT_COUNT */
    size_t nth;
    bool forever; /* all after it fail too */
    atomic_size_t calls, fired;
    atomic_int depth; /* of the stack that the first was called with */
    void *stack[SHIM_STACK];
};

/* From now on this process and its children obey; `armed`, at once. */
void shim_obey(struct order *order, bool armed);

const char *shim_call_name(enum shim_call call);

#endif
