/* shim.c - the functions that can fail; see shim.h.
 *
 * What a call may fail with depends on its descriptor: a pipe or an eventfd that libuv made for
 * itself is only ever interrupted, because the kernel gives no other error there and libuv ends the
 * process on one.  libuv does so in three more places, which nobody above it can help, and which
 * are left alone for that: its realloc (of the table of what it watches) while a server begins, the
 * first pipe of a process (for signals), and epoll_ctl but for where it asks whether a descriptor
 * can be watched at all. */
#define _GNU_SOURCE
#include "fault/shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

static struct order *current;   /* NULL: everything is passed on */
static _Thread_local bool live; /* the thread has got as far as its own code, or is the first */
static _Thread_local bool inside;

const char *shim_call_name(enum shim_call call)
{
    static const char *const names[] = {
#define SHIM_CALL_(id, name) [id] = name,
        SHIM_CALLS(SHIM_CALL_)
#undef SHIM_CALL_
    };

    return names[call];
}

/* ---- the functions behind these ---- */

/* A sanitizer has its own, which look at what they are given and go on to the C library's. */
#define BEHIND(name) extern __typeof__(name) __interceptor_##name __attribute__((weak))
#define REAL(name)                                                                                 \
    (*(__typeof__(name) *)real(#name, (uintptr_t)__interceptor_##name, &behind_##name))
#define FIND(name)                                                                                 \
    BEHIND(name);                                                                                  \
    static _Atomic uintptr_t behind_##name

static uintptr_t real(const char *name, uintptr_t interceptor, _Atomic uintptr_t *kept)
{
    uintptr_t found = interceptor ? interceptor : atomic_load(kept);

    if (!found) {
        found = (uintptr_t)dlsym(RTLD_NEXT, name);
        atomic_store(kept, found);
    }
    return found;
}

extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
extern __typeof__(malloc) __libc_malloc __attribute__((weak));
extern __typeof__(calloc) __libc_calloc __attribute__((weak));
extern __typeof__(realloc) __libc_realloc __attribute__((weak));
BEHIND(malloc);
BEHIND(calloc);
BEHIND(realloc);

/* ---- the order ---- */

static void remember(struct order *order)
{
    int saved = errno, depth;

    inside = true;
    depth = backtrace(order->stack, SHIM_STACK);
    atomic_store(&order->depth, depth);
    inside = false;
    errno = saved;
}

/* Counts a call that could fail; whether it does. */
static bool fails(enum shim_call call)
{
    struct order *order = current;
    size_t n;

    if (!order || inside || !live || !atomic_load(&order->armed) || order->call != call)
        return false;
    n = atomic_fetch_add(&order->calls, 1) + 1;
    if (n < order->nth || (n > order->nth && !order->forever))
        return false;
    if (!atomic_fetch_add(&order->fired, 1))
        remember(order);
    if (order->error > 0)
        errno = order->error;
    return true;
}

static bool is_ordered(enum shim_call call)
{
    return current && !inside && atomic_load(&current->armed) && current->call == call;
}

/* Whether the ordered error can come of this descriptor. */
static bool can_come(int fd)
{
    struct stat stat;
    int flags;

    if (current->error == EINTR)
        return true;
    if (fstat(fd, &stat))
        return false;
    switch (current->error) {
    case EAGAIN:
        flags = fcntl(fd, F_GETFL);
        return S_ISSOCK(stat.st_mode) && flags >= 0 && flags & O_NONBLOCK;
    case ECONNRESET:
    case EPIPE:
        return S_ISSOCK(stat.st_mode);
    case ENOSPC:
        return S_ISREG(stat.st_mode);
    default:
        return S_ISSOCK(stat.st_mode) || S_ISREG(stat.st_mode);
    }
}

/* 0 to go on, 1 to go on with one byte, -1 when it fails. */
static int transfer(enum shim_call call, int fd)
{
    if (!is_ordered(call) || !can_come(fd) || !fails(call))
        return 0;
    return current->error == SHORT_COUNT ? 1 : -1;
}

static void *resize_untouched(void *memory, size_t size)
{
    return __interceptor_realloc ? __interceptor_realloc(memory, size)
                                 : __libc_realloc(memory, size);
}

void shim_obey(struct order *order, bool armed)
{
    void *warm[2];

    if (armed)
        uv_replace_allocator(malloc, resize_untouched, calloc, free);

    /* The first one loads a library, which must not happen in the middle of something, and keeps
     * it. */
    if (__lsan_disable)
        __lsan_disable();
    backtrace(warm, 2);
    if (__lsan_enable)
        __lsan_enable();
    live = true;
    current = order;
    atomic_store(&order->armed, armed);
}

/* ---- memory ---- */

void *malloc(size_t size)
{
    if (fails(CALL_ALLOCATE))
        return NULL;
    return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    if (fails(CALL_ALLOCATE))
        return NULL;
    return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    if (size && fails(CALL_ALLOCATE))
        return NULL;
    return __interceptor_realloc ? __interceptor_realloc(memory, size)
                                 : __libc_realloc(memory, size);
}

/* ---- bytes in and out ---- */

FIND(read);
ssize_t read(int fd, void *bytes, size_t size)
{
    int how = transfer(CALL_READ, fd);

    return how < 0 ? -1 : REAL(read)(fd, bytes, how && size ? 1 : size);
}

FIND(write);
ssize_t write(int fd, const void *bytes, size_t size)
{
    int how = transfer(CALL_WRITE, fd);

    return how < 0 ? -1 : REAL(write)(fd, bytes, how && size ? 1 : size);
}

/* One byte of the first part that has any. */
static struct iovec one_byte(const struct iovec *parts, int n)
{
    int i = 0;

    while (i + 1 < n && !parts[i].iov_len)
        i++;
    return (struct iovec){parts[i].iov_base, parts[i].iov_len ? 1 : 0};
}

FIND(writev);
ssize_t writev(int fd, const struct iovec *parts, int n)
{
    int how = transfer(CALL_WRITE, fd);
    struct iovec one;

    if (how <= 0)
        return how < 0 ? -1 : REAL(writev)(fd, parts, n);
    one = one_byte(parts, n);
    return REAL(writev)(fd, &one, 1);
}

FIND(readv);
ssize_t readv(int fd, const struct iovec *parts, int n)
{
    int how = transfer(CALL_READ, fd);
    struct iovec one;

    if (how <= 0)
        return how < 0 ? -1 : REAL(readv)(fd, parts, n);
    one = one_byte(parts, n);
    return REAL(readv)(fd, &one, 1);
}

/* A message with a descriptor, or of a socket that keeps messages whole, is never cut. */
FIND(sendmsg);
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return transfer(CALL_SENDMSG, fd) < 0 ? -1 : REAL(sendmsg)(fd, message, flags);
}

FIND(recvmsg);
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    return transfer(CALL_READ, fd) < 0 ? -1 : REAL(recvmsg)(fd, message, flags);
}

FIND(send);
ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    return transfer(CALL_SENDMSG, fd) < 0 ? -1 : REAL(send)(fd, bytes, size, flags);
}

FIND(recv);
ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    return transfer(CALL_READ, fd) < 0 ? -1 : REAL(recv)(fd, bytes, size, flags);
}

/* ---- descriptors ---- */

FIND(accept4);
int accept4(int fd, __SOCKADDR_ARG address, socklen_t *size, int flags)
{
    return fails(CALL_ACCEPT) ? -1 : REAL(accept4)(fd, address, size, flags);
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0;
}

FIND(open);
int open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    return fails(CALL_OPEN) ? -1 : REAL(open)(path, flags, mode);
}

FIND(open64);
int open64(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    return fails(CALL_OPEN) ? -1 : REAL(open64)(path, flags, mode);
}

FIND(openat);
int openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    return fails(CALL_OPEN) ? -1 : REAL(openat)(directory, path, flags, mode);
}

FIND(fopen);
FILE *fopen(const char *path, const char *mode)
{
    return fails(CALL_OPEN) ? NULL : REAL(fopen)(path, mode);
}

FIND(close);
int close(int fd)
{
    /* Closed it is, as Linux does it. */
    if (fails(CALL_CLOSE)) {
        REAL(close)(fd);
        errno = current->error;
        return -1;
    }
    return REAL(close)(fd);
}

FIND(pipe2);
int pipe2(int ends[2], int flags)
{
    static atomic_bool used;
    bool first = !atomic_exchange(&used, true);

    return !first && fails(CALL_DESCRIPTOR) ? -1 : REAL(pipe2)(ends, flags);
}

FIND(socket);
int socket(int domain, int type, int protocol)
{
    return fails(CALL_DESCRIPTOR) ? -1 : REAL(socket)(domain, type, protocol);
}

FIND(socketpair);
int socketpair(int domain, int type, int protocol, int ends[2])
{
    return fails(CALL_DESCRIPTOR) ? -1 : REAL(socketpair)(domain, type, protocol, ends);
}

FIND(eventfd);
int eventfd(unsigned value, int flags)
{
    return fails(CALL_DESCRIPTOR) ? -1 : REAL(eventfd)(value, flags);
}

FIND(signalfd);
int signalfd(int fd, const sigset_t *set, int flags)
{
    return fd < 0 && fails(CALL_DESCRIPTOR) ? -1 : REAL(signalfd)(fd, set, flags);
}

FIND(epoll_create1);
int epoll_create1(int flags)
{
    return fails(CALL_DESCRIPTOR) ? -1 : REAL(epoll_create1)(flags);
}

FIND(fcntl);
int fcntl(int fd, int command, ...)
{
    va_list arguments;
    uintptr_t value;

    va_start(arguments, command);
    value = va_arg(arguments, uintptr_t);
    va_end(arguments);
    if ((command == F_DUPFD_CLOEXEC || command == F_DUPFD) && fails(CALL_DESCRIPTOR))
        return -1;
    return REAL(fcntl)(fd, command, value);
}

FIND(fcntl64);
int fcntl64(int fd, int command, ...)
{
    va_list arguments;
    uintptr_t value;

    va_start(arguments, command);
    value = va_arg(arguments, uintptr_t);
    va_end(arguments);
    if ((command == F_DUPFD_CLOEXEC || command == F_DUPFD) && fails(CALL_DESCRIPTOR))
        return -1;
    return REAL(fcntl64)(fd, command, value);
}

/* ---- sockets ---- */

FIND(bind);
int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
    return fails(CALL_BIND) ? -1 : REAL(bind)(fd, address, size);
}

FIND(listen);
int listen(int fd, int backlog)
{
    return fails(CALL_LISTEN) ? -1 : REAL(listen)(fd, backlog);
}

FIND(setsockopt);
int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    return fails(CALL_OPTION) ? -1 : REAL(setsockopt)(fd, level, name, value, size);
}

FIND(getsockname);
int getsockname(int fd, __SOCKADDR_ARG address, socklen_t *size)
{
    return fails(CALL_NAME) ? -1 : REAL(getsockname)(fd, address, size);
}

FIND(getpeername);
int getpeername(int fd, __SOCKADDR_ARG address, socklen_t *size)
{
    return fails(CALL_NAME) ? -1 : REAL(getpeername)(fd, address, size);
}

/* ---- waiting ---- */

FIND(epoll_ctl);
int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    bool asks = operation == EPOLL_CTL_ADD && event && event->data.fd == -1;

    return asks && fails(CALL_EPOLL_CTL) ? -1 : REAL(epoll_ctl)(epoll, operation, fd, event);
}

FIND(epoll_wait);
int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout)
{
    return fails(CALL_EPOLL_WAIT) ? -1 : REAL(epoll_wait)(epoll, events, n, timeout);
}

FIND(epoll_pwait);
int epoll_pwait(int epoll, struct epoll_event *events, int n, int timeout, const sigset_t *mask)
{
    return fails(CALL_EPOLL_WAIT) ? -1 : REAL(epoll_pwait)(epoll, events, n, timeout, mask);
}

FIND(poll);
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    return fails(CALL_POLL) ? -1 : REAL(poll)(fds, n, timeout);
}

/* ---- processes and threads ---- */

FIND(fork);
pid_t fork(void)
{
    return fails(CALL_FORK) ? -1 : REAL(fork)();
}

struct start {
    void *(*run)(void *);
    void *context;
};

/* libuv calls pthread_create with a function that returns nothing, cast to one that returns a
 * pointer.  The sanitizer of clang 17 and later reports such a call. */
__attribute__((no_sanitize("undefined"))) static void *begin(void *context)
{
    struct start start = *(struct start *)context;

    free(context);
    live = true;
    return start.run(start.context);
}

/* What a sanitizer does in a new thread before anything else is not what is tried here. */
FIND(pthread_create);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
    struct start *start;
    int status;

    if (fails(CALL_THREAD))
        return current->error;
    inside = true;
    start = malloc(sizeof *start);
    *start = (struct start){run, context};
    status = REAL(pthread_create)(thread, attributes, begin, start);
    inside = false;
    if (status)
        free(start);
    return status;
}

FIND(prctl);
int prctl(int option, ...)
{
    unsigned long a[4];
    va_list arguments;

    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option == PR_SET_NO_NEW_PRIVS && fails(CALL_CONFINE))
        return -1;
    return REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

FIND(getrandom);
ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    return fails(CALL_RANDOM) ? -1 : REAL(getrandom)(bytes, size, flags);
}

/* Landlock and the filter of system calls, of which the C library knows nothing. */
static bool confines(long number)
{
    return number == SYS_landlock_create_ruleset || number == SYS_landlock_add_rule ||
           number == SYS_landlock_restrict_self || number == SYS_seccomp;
}

/* Who looks for leaks attaches to the process, which a filter forbids. */
static atomic_bool filtered;

int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return atomic_load(&filtered);
}

/* libuv asks the kernel itself.  How many arguments there are depends on the number: what is read
 * past them is somebody's memory, and is not looked at by the kernel. */
FIND(syscall);
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
    long a[6];
    va_list arguments;

    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_getrandom && fails(CALL_RANDOM))
        return -1;
    if (confines(number) && fails(CALL_CONFINE))
        return -1;
    if (number == SYS_seccomp)
        atomic_store(&filtered, true);
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
