/* test_spool.c - lines on their way to files that take them late, in part or not at all: real FIFOs,
 * and a disk that hangs for as long as a gate is shut. */
#define _DEFAULT_SOURCE
#include "observe/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include "support/child.h"
#include "support/failing.h"
#include "support/gate.h"
#include "support/test.h"

enum { PATIENCE = 60000, LIMIT = 1 << 16, LONG = 8000, FLUSH = 10000 };

/* ---- a spool and its file ---- */

struct bench {
    char directory[32], path[64], moved[64];
    struct spool *spool;
    uv_mutex_t lock;
    uv_cond_t told;
    unsigned events[SPOOL_ENDS + 1];
    size_t lost; /* all of it */
    char why[128];
};

static void note(void *context, enum spool_event event, const char *why, size_t lost)
{
    struct bench *bench = context;

    uv_mutex_lock(&bench->lock);
    bench->events[event]++;
    bench->lost += lost;
    if (why)
        snprintf(bench->why, sizeof bench->why, "%s", why);
    uv_cond_broadcast(&bench->told);
    uv_mutex_unlock(&bench->lock);
}

static void await(struct bench *bench, enum spool_event event, unsigned times)
{
    uv_mutex_lock(&bench->lock);
    while (bench->events[event] < times)
        assert_int_equal(
            uv_cond_timedwait(&bench->told, &bench->lock, PATIENCE * UINT64_C(1000000)), 0);
    assert_int_equal(bench->events[event], times);
    uv_mutex_unlock(&bench->lock);
}

static int open_spool(struct bench *bench, size_t limit, const haft_allocator *allocator)
{
    return hf_spool_open(&bench->spool, &(struct spool_options){.allocator = allocator,
                                                                .path = bench->path,
                                                                .limit = limit,
                                                                .report = note,
                                                                .context = bench});
}

static void begin(struct bench *bench, bool fifo)
{
    *bench = (struct bench){.directory = "/tmp/haft-spool-XXXXXX"};
    assert_non_null(mkdtemp(bench->directory));
    snprintf(bench->path, sizeof bench->path, "%s/file", bench->directory);
    snprintf(bench->moved, sizeof bench->moved, "%s/moved", bench->directory);
    assert_int_equal(uv_mutex_init(&bench->lock) | uv_cond_init(&bench->told), 0);
    if (fifo)
        assert_int_equal(mkfifo(bench->path, 0600), 0);
}

static void start(struct bench *bench, size_t limit)
{
    assert_int_equal(open_spool(bench, limit, NULL), 0);
    assert_int_equal(hf_spool_start(bench->spool), 0);
}

static void end(struct bench *bench)
{
    hf_spool_close(bench->spool, FLUSH);
    unlink(bench->path);
    unlink(bench->moved);
    assert_int_equal(rmdir(bench->directory), 0);
    uv_cond_destroy(&bench->told);
    uv_mutex_destroy(&bench->lock);
}

/* "NUMBER xxx...", of `size` bytes or as short as it can be. */
static void put(struct bench *bench, unsigned number, size_t size)
{
    char line[LONG + 16];
    int n = snprintf(line, sizeof line, "%u ", number);

    if ((size_t)n < size)
        memset(line + n, 'x', size - (size_t)n);
    hf_spool_put(bench->spool, line, (size_t)n < size ? size : (size_t)n);
}

/* ---- who reads it ---- */

struct reader {
    int fd;
    unsigned next;  /* number that the next line may have at least */
    unsigned lines; /* whole ones, */
    size_t n;       /* and bytes of one that is not */
    char line[LONG + 16];
};

static void take(struct reader *reader, char c, size_t size)
{
    char *rest;
    unsigned long number;

    assert_true(reader->n < sizeof reader->line);
    reader->line[reader->n++] = c;
    if (c != '\n')
        return;
    number = strtoul(reader->line, &rest, 10);
    assert_true(number >= reader->next);
    assert_true(*rest == ' ' && (!size || reader->n == size + 1));
    reader->next = (unsigned)number + 1;
    reader->lines++;
    reader->n = 0;
}

static void open_reader(struct reader *reader, const char *path)
{
    *reader = (struct reader){.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    assert_true(reader->fd >= 0);
}

/* Takes what is there, in small pieces; false when there is nothing. */
static bool read_some(struct reader *reader, size_t size)
{
    char block[1000];
    ssize_t n = read(reader->fd, block, sizeof block);

    for (ssize_t i = 0; i < n; i++)
        take(reader, block[i], size);
    return n > 0;
}

static void read_lines(struct reader *reader, unsigned lines, size_t size)
{
    struct pollfd poller = {.fd = reader->fd, .events = POLLIN};
    int64_t late = milliseconds() + PATIENCE;

    while (reader->lines < lines) {
        assert_true(milliseconds() < late);
        if (!read_some(reader, size))
            poll(&poller, 1, 10);
    }
    assert_int_equal(reader->lines, lines);
}

/* Until everything is written again. */
static void read_until_told(struct bench *bench, struct reader *reader, size_t size)
{
    int64_t late = milliseconds() + PATIENCE;
    bool told = false;

    while (!told) {
        assert_true(milliseconds() < late);
        while (read_some(reader, size))
            ;
        uv_mutex_lock(&bench->lock);
        told = bench->events[SPOOL_WRITES] ||
               !uv_cond_timedwait(&bench->told, &bench->lock, UINT64_C(1000000));
        uv_mutex_unlock(&bench->lock);
    }
}

/* The lines of a file, each whole and the numbers from `first` on. */
static void assert_holds(const char *path, unsigned first, unsigned n)
{
    struct reader reader;

    open_reader(&reader, path);
    reader.next = first;
    while (read_some(&reader, 0))
        ;
    close(reader.fd);
    assert_int_equal(reader.lines, n);
    assert_int_equal(reader.n, 0);
    assert_true(!n || reader.next == first + n);
}

/* ---- files ---- */

static void writes_every_line_in_order(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench, false);
    start(&bench, LIMIT);
    for (unsigned i = 0; i < 3000; i++) {
        put(&bench, i, i % 97);
        if (i % 100 == 99) /* before there is more than the queue holds */
            hf_spool_flush(bench.spool, PATIENCE);
    }
    hf_spool_close(bench.spool, FLUSH);
    bench.spool = NULL;
    assert_holds(bench.path, 0, 3000);
    assert_int_equal(bench.lost + bench.events[SPOOL_FAILS] + bench.events[SPOOL_LOSES], 0);
    end(&bench);
}

/* Those that lines are put by while a disk hangs do not wait, and neither does the end. */
static void leaves_a_disk_that_hangs(void **state)
{
    static struct spool *left; /* behind, and so no leak */
    struct bench bench;
    int64_t begun;

    (void)state;
    begin(&bench, false);
    start(&bench, LIMIT);
    left = bench.spool;
    gate_set(true);
    put(&bench, 0, 0);
    gate_wait();
    for (unsigned i = 1; i < 20; i++)
        put(&bench, i, LONG);
    assert_int_equal(bench.events[SPOOL_LOSES], 1);
    begun = milliseconds();
    hf_spool_close(bench.spool, 50);
    assert_true(milliseconds() - begun < PATIENCE / 2);
    assert_int_equal(bench.events[SPOOL_ENDS], 1);
    assert_int_equal(bench.lost, 20);
    bench.spool = NULL;
    gate_set(false);
    (void)left;
    end(&bench);
}

static void begins_a_new_file_where_it_was_told_to(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench, false);
    start(&bench, LIMIT);
    gate_set(true);
    put(&bench, 0, 0);
    gate_wait();
    put(&bench, 1, 0);
    put(&bench, 2, 0);
    assert_int_equal(rename(bench.path, bench.moved), 0);
    hf_spool_reopen(bench.spool);
    put(&bench, 3, 0);
    hf_spool_reopen(bench.spool);
    put(&bench, 4, 0);
    gate_set(false);
    hf_spool_flush(bench.spool, PATIENCE);
    assert_holds(bench.moved, 0, 3);
    assert_holds(bench.path, 3, 2);
    end(&bench);
}

static void keeps_the_file_when_there_is_no_other(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench, false);
    start(&bench, LIMIT);
    put(&bench, 0, 0);
    hf_spool_flush(bench.spool, PATIENCE);
    assert_int_equal(rename(bench.path, bench.moved), 0);
    assert_int_equal(mkdir(bench.path, 0700), 0);
    hf_spool_reopen(bench.spool);
    put(&bench, 1, 0);
    await(&bench, SPOOL_STAYS, 1);
    assert_string_equal(bench.why, strerror(EISDIR));
    hf_spool_flush(bench.spool, PATIENCE);
    assert_holds(bench.moved, 0, 2);
    assert_int_equal(rmdir(bench.path), 0);
    end(&bench);
}

/* ---- FIFOs ---- */

static void waits_for_somebody_who_reads(void **state)
{
    struct bench bench;
    struct reader reader;

    (void)state;
    begin(&bench, true);
    start(&bench, LIMIT);
    put(&bench, 0, 0);
    await(&bench, SPOOL_FAILS, 1);
    assert_string_equal(bench.why, "no process reads it");
    put(&bench, 1, 0);
    open_reader(&reader, bench.path);
    read_lines(&reader, 2, 0);
    await(&bench, SPOOL_WRITES, 1);
    /* And again when that one has gone. */
    close(reader.fd);
    put(&bench, 2, 0);
    await(&bench, SPOOL_FAILS, 2);
    open_reader(&reader, bench.path);
    read_lines(&reader, 1, 0);
    await(&bench, SPOOL_WRITES, 2);
    assert_int_equal(reader.next, 3);
    assert_int_equal(bench.lost, 0);
    close(reader.fd);
    end(&bench);
}

#if !defined F_SETPIPE_SZ
#define F_SETPIPE_SZ 1031
#endif

/* A pipe that holds one page is full: else what it still takes ends a loss that has begun. */
static void fill_pipe(struct bench *bench, const struct reader *reader, size_t size)
{
    int64_t late = milliseconds() + PATIENCE;
    int held = 0;

    for (unsigned k = 0; k * size < 4096; k++)
        put(bench, k, size);
    while (held <= 4096 - 700) {
        assert_true(milliseconds() < late);
        assert_int_equal(ioctl(reader->fd, FIONREAD, &held), 0);
        uv_sleep(1);
    }
}

static void counts_what_a_stalled_reader_loses(void **state)
{
    /* Shorter and longer than what a pipe takes as a whole. */
    static const size_t sizes[] = {700, LONG};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct bench bench;
        struct reader reader;
        unsigned n = 8 * LIMIT / (unsigned)sizes[i];

        begin(&bench, true);
        open_reader(&reader, bench.path);
        assert_true(fcntl(reader.fd, F_SETPIPE_SZ, 4096) >= 0);
        start(&bench, LIMIT);
        fill_pipe(&bench, &reader, sizes[i]);
        for (unsigned k = (unsigned)((4096 + sizes[i] - 1) / sizes[i]); k < n; k++)
            put(&bench, k, sizes[i]);
        await(&bench, SPOOL_LOSES, 1);
        read_until_told(&bench, &reader, sizes[i]);
        await(&bench, SPOOL_WRITES, 1);
        while (read_some(&reader, sizes[i]))
            ;
        assert_true(bench.lost > 0);
        assert_int_equal(reader.lines + bench.lost, n);
        assert_int_equal(reader.n, 0);
        assert_int_equal(bench.events[SPOOL_LOSES], 1);
        close(reader.fd);
        end(&bench);
    }
}

static void gets_past_a_stalled_reader_when_told_to(void **state)
{
    struct bench bench;
    struct reader reader;
    unsigned old;

    (void)state;
    begin(&bench, true);
    open_reader(&reader, bench.path);
    start(&bench, 4 * LIMIT);
    for (unsigned i = 0; i < 20; i++) /* more than a pipe holds, less than the queue */
        put(&bench, i, LONG);
    assert_int_equal(rename(bench.path, bench.moved), 0);
    hf_spool_reopen(bench.spool);
    put(&bench, 20, LONG);
    hf_spool_flush(bench.spool, PATIENCE);
    while (read_some(&reader, LONG))
        ;
    old = reader.lines;
    close(reader.fd);
    assert_true(old > 0 && old < 20);
    assert_holds(bench.path, old, 21 - old);
    end(&bench);
}

static void ends_without_a_reader(void **state)
{
    struct bench bench;
    struct reader reader;

    (void)state;
    for (int stalled = 0; stalled < 2; stalled++) {
        int64_t begun;

        begin(&bench, true);
        if (stalled)
            open_reader(&reader, bench.path);
        start(&bench, 4 * LIMIT);
        for (unsigned i = 0; i < 20; i++)
            put(&bench, i, LONG);
        begun = milliseconds();
        hf_spool_close(bench.spool, 100);
        bench.spool = NULL;
        assert_true(milliseconds() - begun < PATIENCE / 2);
        assert_int_equal(bench.events[SPOOL_ENDS], 1);
        assert_true(stalled ? bench.lost > 0 && bench.lost < 20 : bench.lost == 20);
        if (stalled)
            close(reader.fd);
        end(&bench);
    }
}

/* ---- what cannot be ---- */

static void refuses_what_cannot_be_opened(void **state)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct bench bench;
    int fd;

    (void)state;
    begin(&bench, false);
    assert_int_equal(mkdir(bench.path, 0700), 0);
    assert_int_equal(open_spool(&bench, LIMIT, NULL), -EISDIR);
    assert_int_equal(rmdir(bench.path), 0);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", bench.path);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(open_spool(&bench, LIMIT, NULL), -ENXIO);
    close(fd);
    bench.spool = NULL;
    end(&bench);
}

static void needs_memory_to_open_only(void **state)
{
    struct failing failing;
    struct bench bench;
    int status = -ENOMEM;

    (void)state;
    begin(&bench, false);
    for (size_t nth = 1; status; nth++) {
        failing_init(&failing, nth);
        status = open_spool(&bench, LIMIT, &failing.allocator);
        if (status)
            assert_int_equal(status, -ENOMEM);
        assert_true(nth < 10);
    }
    assert_int_equal(hf_spool_start(bench.spool), 0);
    put(&bench, 0, 0);
    hf_spool_close(bench.spool, FLUSH);
    bench.spool = NULL;
    assert_holds(bench.path, 0, 1);
    end(&bench);
}

/* A line that fills the queue but for its end is lost, and one that is a byte shorter is not. */
static void knows_what_just_fits(void **state)
{
    enum { SMALL = 64 };

    (void)state;
    for (unsigned over = 0; over < 2; over++) {
        struct bench bench;

        begin(&bench, false);
        assert_int_equal(open_spool(&bench, SMALL, NULL), 0);
        put(&bench, 1, SMALL - 1 + over);
        assert_int_equal(bench.events[SPOOL_LOSES], over);
        assert_int_equal(hf_spool_start(bench.spool), 0);
        hf_spool_flush(bench.spool, FLUSH);
        end(&bench);
        assert_int_equal(bench.lost, over);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_just_fits),
        cmocka_unit_test(writes_every_line_in_order),
        cmocka_unit_test(leaves_a_disk_that_hangs),
        cmocka_unit_test(begins_a_new_file_where_it_was_told_to),
        cmocka_unit_test(keeps_the_file_when_there_is_no_other),
        cmocka_unit_test(waits_for_somebody_who_reads),
        cmocka_unit_test(counts_what_a_stalled_reader_loses),
        cmocka_unit_test(gets_past_a_stalled_reader_when_told_to),
        cmocka_unit_test(ends_without_a_reader),
        cmocka_unit_test(refuses_what_cannot_be_opened),
        cmocka_unit_test(needs_memory_to_open_only),
    };

    gate_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
