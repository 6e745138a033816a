/* spool.c - see spool.h.
 *
 * The queue is a ring of bytes with complete lines. Lines are appended at the end; the thread reads
 * from the front without the lock, because used space is not written. A regular file gets all
 * queued data in one write; anything else gets one line per write, which a pipe accepts as a whole
 * if possible. */
#include "observe/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

#include "base/base.h"

enum {
    SPOOL_RETRY_MS = 100, /* interval between attempts to write */
    SPOOL_GRACE_MS = 250  /* time for the thread to notice the end */
};

struct spool {
    struct spool_options options;
    uv_thread_t thread;
    int fd;       /* -1: a FIFO without a reader; owned by the thread, once it runs */
    bool is_file; /* a regular file */
    bool torn;    /* the file ends with a partial line */
    size_t sent;  /* bytes of the first line that were written */

    uv_mutex_t lock; /* for the members below */
    uv_cond_t work, done;
    char *ring;
    size_t first, n;
    size_t n_before; /* with `reopen`: bytes that still go to the old file */
    size_t lost;     /* lines lost since the last report */
    uint64_t cut;    /* deadline of the shutdown, by uv_hrtime */
    bool reopen, failing, losing;
    bool started, closing, over;
    bool reporting; /* a report is in progress */
    bool orphaned;  /* the thread has been abandoned */
};

/* ---- the queue ---- */

static size_t at(const struct spool *spool, size_t offset)
{
    size_t place = spool->first + offset;

    return place < spool->options.limit ? place : place - spool->options.limit;
}

/* The size of the first line, with its end. */
static size_t line_size(const struct spool *spool)
{
    size_t direct = spool->options.limit - spool->first;
    const char *end;

    direct = direct < spool->n ? direct : spool->n;
    end = memchr(spool->ring + spool->first, '\n', direct);
    if (end)
        return (size_t)(end - spool->ring) - spool->first + 1;
    end = memchr(spool->ring, '\n', spool->n - direct);
    return direct + (size_t)(end - spool->ring) + 1;
}

static void drop(struct spool *spool, size_t size)
{
    spool->first = at(spool, size);
    spool->n -= size;
    spool->n_before -= size < spool->n_before ? size : spool->n_before;
    if (spool->n)
        return;
    spool->first = 0; /* so that memory is touched only when needed */
    uv_cond_broadcast(&spool->done);
}

static size_t count_lines(const struct spool *spool)
{
    size_t lines = 0;

    for (size_t i = 0; i < spool->n; i++)
        lines += spool->ring[at(spool, i)] == '\n';
    return lines;
}

/* Counts all lines as lost at the end, which is reported separately. */
static void lose_all(struct spool *spool)
{
    spool->lost += count_lines(spool);
    spool->failing = spool->losing = false;
    spool->sent = 0;
    drop(spool, spool->n);
}

static void copy_in(struct spool *spool, const char *bytes, size_t size)
{
    size_t place = at(spool, spool->n), direct = spool->options.limit - place;

    direct = direct < size ? direct : size;
    memcpy(spool->ring + place, bytes, direct);
    memcpy(spool->ring, bytes + direct, size - direct);
    spool->n += size;
}

void hf_spool_put(struct spool *spool, const char *line, size_t size)
{
    bool begins = false;

    uv_mutex_lock(&spool->lock);
    if (size < spool->options.limit - spool->n) {
        if (!spool->n)
            uv_cond_signal(&spool->work);
        copy_in(spool, line, size);
        copy_in(spool, "\n", 1);
    } else {
        spool->lost++;
        begins = !spool->losing;
        spool->losing = true;
    }
    uv_mutex_unlock(&spool->lock);
    if (begins)
        spool->options.report(spool->options.context, SPOOL_LOSES, NULL, 0);
}

/* ---- the thread; its functions hold the lock, and release it while they wait ---- */

static void spool_tell(struct spool *spool, enum spool_event event, const char *why, size_t lost)
{
    if (spool->orphaned)
        return;
    spool->reporting = true;
    uv_mutex_unlock(&spool->lock);
    spool->options.report(spool->options.context, event, why, lost);
    uv_mutex_lock(&spool->lock);
    spool->reporting = false;
    uv_cond_broadcast(&spool->done);
}

static int spool_open_file(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
}

static void take_file(struct spool *spool, int fd)
{
    struct stat about;

    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = fd;
    spool->is_file = !fstat(fd, &about) && S_ISREG(about.st_mode);
    spool->torn = false;
    spool->sent = 0;
}

/* Returns true if there is a new file. */
static bool open_again(struct spool *spool, int *ret_error)
{
    int fd;

    uv_mutex_unlock(&spool->lock);
    fd = spool_open_file(spool->options.path);
    *ret_error = fd < 0 ? errno : 0;
    if (fd >= 0)
        take_file(spool, fd);
    uv_mutex_lock(&spool->lock);
    return fd >= 0;
}

/* Opening a FIFO for writing fails without a reader. */
static bool is_unread(const char *path, int error)
{
    struct stat about;

    return error == ENXIO && !stat(path, &about) && S_ISFIFO(about.st_mode);
}

static const char *spool_why_not(const struct spool *spool, int error)
{
    return error == EPIPE || is_unread(spool->options.path, error) ? "no process reads it"
                                                                   : strerror(error);
}

/* Keeps data that cannot be written for later, except at the end. */
static void spool_fail(struct spool *spool, int error)
{
    uint64_t until = uv_hrtime() + SPOOL_RETRY_MS * UINT64_C(1000000), now;

    spool->torn = spool->torn || spool->sent;
    spool->sent = 0;
    if (!spool->failing) {
        spool->failing = true;
        spool_tell(spool, SPOOL_FAILS, spool_why_not(spool, error), 0);
    }
    uv_cond_broadcast(&spool->done);
    while (!spool->closing && !spool->reopen && (now = uv_hrtime()) < until)
        uv_cond_timedwait(&spool->work, &spool->lock, until - now);
    if (spool->closing)
        lose_all(spool);
    spool->n_before = 0;
}

/* Waits while the file is full, as a pipe can be. */
static void wait_for_room(struct spool *spool)
{
    struct pollfd poller = {.fd = spool->fd, .events = POLLOUT};

    if (spool->closing && uv_hrtime() >= spool->cut) {
        lose_all(spool);
    } else if (spool->reopen) {
        spool->n_before = 0;
    } else {
        uv_mutex_unlock(&spool->lock);
        poll(&poller, 1, SPOOL_RETRY_MS);
        uv_mutex_lock(&spool->lock);
    }
}

/* Writes `size` bytes from the front, without those already written; returns like writev. */
static ssize_t write_front(const struct spool *spool, size_t size)
{
    size_t place = at(spool, spool->sent), left = size - spool->sent;
    size_t direct = spool->options.limit - place;
    struct iovec parts[3] = {{(void *)(uintptr_t) "\n", spool->torn ? 1 : 0},
                             {spool->ring + place, direct < left ? direct : left},
                             {spool->ring, direct < left ? left - direct : 0}};
    ssize_t n;

    do
        n = writev(spool->fd, parts, 3);
    while (n < 0 && errno == EINTR);
    if (!n)
        errno = EIO;
    return n;
}

static void count_written(struct spool *spool, size_t written, size_t size)
{
    if (written && spool->torn) {
        spool->torn = false;
        written--;
    }
    written += spool->sent;
    spool->sent = 0;
    if (written == size) {
        drop(spool, size);
        return;
    }
    while (written && written >= line_size(spool)) {
        written -= line_size(spool);
        drop(spool, line_size(spool));
    }
    spool->sent = written;
}

static void write_some(struct spool *spool)
{
    size_t size = !spool->is_file ? line_size(spool) : spool->reopen ? spool->n_before : spool->n;
    ssize_t n;
    int error;

    uv_mutex_unlock(&spool->lock);
    n = write_front(spool, size);
    error = errno;
    uv_mutex_lock(&spool->lock);
    if (n > 0)
        count_written(spool, (size_t)n, size);
    else if (error == EAGAIN)
        wait_for_room(spool);
    else
        spool_fail(spool, error);
}

/* Everything is written: earlier problems are over. */
static void spool_rest(struct spool *spool)
{
    size_t lost = spool->lost;

    if (spool->failing || spool->losing) {
        spool->failing = spool->losing = false;
        spool->lost = 0;
        spool_tell(spool, SPOOL_WRITES, NULL, lost);
    } else {
        uv_cond_wait(&spool->work, &spool->lock);
    }
}

static void move_on(struct spool *spool)
{
    int error;

    spool->reopen = false;
    if (!open_again(spool, &error) && spool->fd >= 0)
        spool_tell(spool, SPOOL_STAYS, spool_why_not(spool, error), 0);
}

static void turn(struct spool *spool)
{
    int error = 0;

    if (spool->reopen && !spool->n_before)
        move_on(spool);
    else if (!spool->n)
        spool_rest(spool);
    else if (spool->fd < 0 && !open_again(spool, &error))
        spool_fail(spool, error);
    else
        write_some(spool);
}

static void spool_run(void *context)
{
    struct spool *spool = context;

    uv_mutex_lock(&spool->lock);
    while (!spool->closing || spool->n || spool->failing || spool->losing)
        turn(spool);
    spool->over = true;
    uv_cond_broadcast(&spool->done);
    uv_mutex_unlock(&spool->lock);
}

/* ---- lifetime ---- */

static struct spool *spool_make(const struct spool_options *options)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    size_t path = strlen(options->path) + 1;
    struct spool *spool = allocator->alloc(allocator->context, sizeof *spool + path);

    if (!spool)
        return NULL;
    *spool = (struct spool){.options = *options, .fd = -1};
    spool->options.allocator = allocator;
    spool->options.path = memcpy(spool + 1, options->path, path);
    spool->ring = allocator->alloc(allocator->context, options->limit);
    if (!spool->ring)
        goto no_ring;
    if (uv_mutex_init(&spool->lock))
        goto no_lock;
    if (uv_cond_init(&spool->work))
        goto no_work;
    if (uv_cond_init(&spool->done))
        goto no_done;
    return spool;

no_done:
    uv_cond_destroy(&spool->work);
no_work:
    uv_mutex_destroy(&spool->lock);
no_lock:
    allocator->release(allocator->context, spool->ring, options->limit);
no_ring:
    allocator->release(allocator->context, spool, sizeof *spool + path);
    return NULL;
}

static void spool_release(struct spool *spool)
{
    const haft_allocator *allocator = spool->options.allocator;

    if (spool->fd >= 0)
        close(spool->fd);
    uv_cond_destroy(&spool->done);
    uv_cond_destroy(&spool->work);
    uv_mutex_destroy(&spool->lock);
    allocator->release(allocator->context, spool->ring, spool->options.limit);
    allocator->release(allocator->context, spool, sizeof *spool + strlen(spool->options.path) + 1);
}

int hf_spool_open(struct spool **ret_spool, const struct spool_options *options)
{
    struct spool *spool = spool_make(options);
    int fd, error;

    if (!spool)
        return -ENOMEM;
    fd = spool_open_file(options->path);
    error = fd < 0 ? errno : 0;
    if (error && !is_unread(options->path, error)) {
        spool_release(spool);
        return -error;
    }
    if (fd >= 0)
        take_file(spool, fd);
    *ret_spool = spool;
    return 0;
}

/* The thread blocks all signals: those that the program handles, and those that a write can
 * cause. */
int hf_spool_start(struct spool *spool)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    spool->started = !uv_thread_create(&spool->thread, spool_run, spool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return spool->started ? 0 : HAFT_EBUSY;
}

void hf_spool_reopen(struct spool *spool)
{
    uv_mutex_lock(&spool->lock);
    if (!spool->reopen)
        spool->n_before = spool->n;
    spool->reopen = true;
    uv_cond_signal(&spool->work);
    uv_mutex_unlock(&spool->lock);
}

void hf_spool_flush(struct spool *spool, unsigned ms)
{
    uint64_t by = uv_hrtime() + ms * UINT64_C(1000000), now;

    uv_mutex_lock(&spool->lock);
    while (spool->started && spool->n && !spool->failing && (now = uv_hrtime()) < by)
        uv_cond_timedwait(&spool->done, &spool->lock, by - now);
    uv_mutex_unlock(&spool->lock);
}

/* Returns true if the thread has ended; otherwise it is abandoned, and queued lines are counted as
 * lost. */
static bool wait_for_end(struct spool *spool)
{
    uint64_t by = spool->cut + SPOOL_GRACE_MS * UINT64_C(1000000), now;

    while (!spool->over && ((now = uv_hrtime()) < by || spool->reporting))
        uv_cond_timedwait(&spool->done, &spool->lock, now < by ? by - now : 1000000);
    spool->orphaned = !spool->over;
    return spool->over;
}

void hf_spool_close(struct spool *spool, unsigned ms)
{
    size_t lost;
    bool over;

    if (!spool)
        return;
    uv_mutex_lock(&spool->lock);
    spool->closing = true;
    spool->cut = uv_hrtime() + ms * UINT64_C(1000000);
    uv_cond_signal(&spool->work);
    over = !spool->started || wait_for_end(spool);
    lost = spool->lost + count_lines(spool);
    uv_mutex_unlock(&spool->lock);
    if (lost)
        spool->options.report(spool->options.context, SPOOL_ENDS, NULL, lost);
    if (!over) {
        pthread_detach(spool->thread);
        return;
    }
    if (spool->started)
        uv_thread_join(&spool->thread);
    spool_release(spool);
}
