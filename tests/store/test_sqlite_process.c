/* Several processes on one file, and processes that are killed: no update is lost, and everything that was
 * acknowledged as durable is there.
 *
 * The program starts itself as the other processes: sqlite_process MODE DIRECTORY NUMBER. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "store/sqlite_case.h"

enum { INCREMENTS = 150, LEASES = 100, ROUNDS = 8, IN_FLIGHT = 8, SAID = 20 };

/* ---- the other processes ---- */

static haft_store *child_open(void)
{
    return sqlite_open_with("store.db", NULL);
}

/* Adds 1 to a number until it has done so often enough. */
static int child_increment(void)
{
    haft_store *store = child_open();

    for (int done = 0; done < INCREMENTS;) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 16);
        haft_store_op op = GET("n");
        haft_store_request request = {
            .space = "s", .group = S("g"), .ops = &op, .n_ops = 1, .now = 1, .arena = arena};
        char text[32];

        if (!store_submit(store, &request)) {
            snprintf(text, sizeof text, "%d", op.status ? atoi(op.ret_value.data) + 1 : 1);
            op = (haft_store_op){.kind = HAFT_STORE_PUT,
                                 .key = S("n"),
                                 .value = HAFT_SLICE(text),
                                 .if_version = true,
                                 .version = op.ret_version};
            done += !store_submit(store, &request) && request.status == 1;
        }
        haft_arena_free(arena);
    }
    haft_store_free(store);
    return 0;
}

/* Takes a lease by its version, and works while it has it: both in one request. */
static int child_lease(int fd)
{
    haft_store *store = child_open();
    uint64_t version = 0;
    int worked = 0;

    for (int i = 0; i < LEASES; i++) {
        haft_store_op ops[] = {
            PUT_IF("lease", "me", version),
            {.kind = HAFT_STORE_APPEND, .key = S("work"), .value = S("w"), .max_records = 10000}};
        haft_store_op look = GET("lease");
        haft_store_request request = {
            .space = "s", .group = S("g"), .ops = ops, .n_ops = 2, .now = 1};

        if (!store_submit(store, &request) && request.status == 1) {
            version = ops[0].ret_version;
            worked++;
        } else if (sqlite_one(store, "g", 1, &look, false, NULL) == 1) {
            version = look.ret_version;
        }
    }
    haft_store_free(store);
    return write(fd, &worked, sizeof worked) == sizeof worked ? 0 : 1;
}

static int said_fd;

struct put {
    haft_store *store;
    haft_store_op op;
    haft_store_request request;
    char group[32];
    int number;
};

static atomic_int next_number;

static void put_next(struct put *put);

/* Acknowledges a number only if it is durable. */
static void on_put(haft_store_request *request)
{
    struct put *put = request->context;

    if (request->status != 1 || !request->is_durable)
        _exit(3);
    if (write(said_fd, &put->number, sizeof put->number) != sizeof put->number)
        _exit(4);
    put_next(put);
}

static void put_next(struct put *put)
{
    put->number = atomic_fetch_add(&next_number, 1);
    snprintf(put->group, sizeof put->group, "g%d", put->number);
    put->op = (haft_store_op)PUT("k", "some bytes that must not be lost");
    put->request = (haft_store_request){.space = "s",
                                        .group = HAFT_SLICE(put->group),
                                        .ops = &put->op,
                                        .n_ops = 1,
                                        .now = 1,
                                        .durable = true,
                                        .done = on_put,
                                        .context = put};
    if (haft_store_submit(put->store, &put->request) != HAFT_PENDING)
        _exit(5);
}

/* Writes until it is killed. */
static int child_write(int fd, int first)
{
    static const haft_store_space space = {.name = "s", .max_entries = 1000000};
    static struct put puts[IN_FLIGHT];
    haft_store *store = sqlite_open_with(
        "store.db", HAFT_WITH(haft_sqlite_options, .spaces = &space, .n_spaces = 1));

    said_fd = fd;
    next_number = first;
    for (int i = 0; i < IN_FLIGHT; i++) {
        puts[i].store = store;
        put_next(&puts[i]);
    }
    sqlite_sleep(20000);
    return 6;
}

static int child_say(void)
{
    haft_store *store = child_open();

    for (int i = 0; i < SAID; i++) {
        haft_store_op op = {.kind = HAFT_STORE_PUBLISH, .key = S("c"), .value = S("v")};

        if (sqlite_one(store, "g", 1, &op, false, NULL) != 1)
            return 1;
    }
    haft_store_free(store);
    return 0;
}

static int child_main(const char *mode, int number)
{
    haft_part_register(&haft_sqlite_part);
    if (!strcmp(mode, "increment"))
        return child_increment();
    if (!strcmp(mode, "lease"))
        return child_lease(1);
    if (!strcmp(mode, "say"))
        return child_say();
    return child_write(1, number);
}

/* ---- starting and ending them ---- */

/* Starts a process; *ret_fd reads what it writes. */
static pid_t start(const char *mode, int number, int *ret_fd)
{
    char text[32];
    int ends[2];
    pid_t pid;

    snprintf(text, sizeof text, "%d", number);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid = fork();
    if (!pid) {
        dup2(ends[1], 1);
        execl("/proc/self/exe", "sqlite_process", mode, sqlite_dir, text, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *ret_fd = ends[0];
    return pid;
}

static int end(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* ---- the tests ---- */

static void loses_no_update(void **state)
{
    haft_store *store;
    haft_store_op get = GET("n");
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    haft_store_request request = {
        .space = "s", .group = S("g"), .ops = &get, .n_ops = 1, .now = 1, .arena = arena};
    pid_t pids[2];
    int fds[2];

    (void)state;
    sqlite_empty();
    for (int i = 0; i < 2; i++)
        pids[i] = start("increment", 0, &fds[i]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(end(pids[i]), 0);
        close(fds[i]);
    }
    store = sqlite_open("store.db");
    assert_int_equal(store_submit(store, &request), 0);
    assert_int_equal(atoi(get.ret_value.data), 2 * INCREMENTS);
    haft_store_free(store);
    haft_arena_free(arena);
}

static void leases_exclude_each_other(void **state)
{
    haft_store *store;
    haft_store_op range = {.kind = HAFT_STORE_RANGE, .key = S("work"), .max_records = 10000};
    pid_t pids[3];
    int fds[3], worked = 0, total = 0;

    (void)state;
    sqlite_empty();
    for (int i = 0; i < 3; i++)
        pids[i] = start("lease", 0, &fds[i]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(read(fds[i], &worked, sizeof worked), sizeof worked);
        total += worked;
        assert_int_equal(end(pids[i]), 0);
        close(fds[i]);
    }
    store = sqlite_open("store.db");
    assert_int_equal(sqlite_one(store, "g", 1, &range, false, NULL), 1);
    assert_int_equal(range.n_records, total);
    assert_true(total > 0);
    haft_store_free(store);
}

/* Reads the numbers that a process has acknowledged. */
static int read_said(int fd, int *said, int n, int max)
{
    while (n < max && read(fd, &said[n], sizeof *said) == sizeof *said)
        n++;
    return n;
}

static void check_integrity(void)
{
    sqlite3 *db;
    sqlite3_stmt *row;

    assert_int_equal(sqlite3_open(sqlite_path("store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(row, 0), "ok");
    sqlite3_finalize(row);
    /* the counts of the namespace are those of its entries */
    assert_int_equal(
        sqlite3_prepare_v2(
            db,
            "SELECT count(*) FROM space WHERE entries <> (SELECT count(*) FROM entry) OR "
            "bytes <> (SELECT total(size) FROM entry)",
            -1, &row, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(row, 0), 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
}

static void keeps_what_it_has_acknowledged(void **state)
{
    enum { MAX = 200000 };
    int *said = malloc(MAX * sizeof *said), n = 0;
    unsigned random = 20261118;
    haft_store *store;

    (void)state;
    sqlite_empty();
    for (int round = 0; round < ROUNDS; round++) {
        int fd, before = n;
        pid_t pid = start("write", round * 100000, &fd);

        n = read_said(fd, said, n, n + 1); /* it has begun */
        random = random * 1664525 + 1013904223;
        sqlite_sleep((int)(random >> 16) % 60);
        kill(pid, SIGKILL);
        n = read_said(fd, said, n, MAX);
        assert_int_equal(end(pid), -SIGKILL);
        close(fd);
        assert_true(n > before);
        check_integrity();
    }
    store = sqlite_open("store.db");
    for (int i = 0; i < n; i++) {
        char group[32];

        snprintf(group, sizeof group, "g%d", said[i]);
        if (!store_has(store, "s", group, 1))
            fail_msg("%d was acknowledged and is lost", said[i]);
    }
    haft_store_free(store);
    free(said);
}

struct listener {
    haft_store_subscriber subscriber;
    atomic_int n, gaps;
};

static void hear(haft_store_subscriber *subscriber, haft_slice channel, haft_slice value)
{
    struct listener *listener = subscriber->context;

    (void)channel;
    (void)value;
    listener->n++;
}

static void hears_another_process(void **state)
{
    struct listener one = {.subscriber = {.space = "s", .channel = S("c"), .message = hear}};
    haft_store *store;
    int fd;
    pid_t pid;

    (void)state;
    sqlite_empty();
    store = sqlite_open("store.db");
    one.subscriber.context = &one;
    haft_store_subscribe(store, &one.subscriber);
    pid = start("say", 0, &fd);
    assert_int_equal(end(pid), 0);
    for (int i = 0; i < 200 && one.n < SAID; i++)
        sqlite_sleep(20);
    assert_int_equal(one.n, SAID);
    haft_store_unsubscribe(store, &one.subscriber);
    haft_store_free(store);
    close(fd);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loses_no_update),
        cmocka_unit_test(leases_exclude_each_other),
        cmocka_unit_test(keeps_what_it_has_acknowledged),
        cmocka_unit_test(hears_another_process),
    };

    if (argc == 4) {
        snprintf(sqlite_dir, sizeof sqlite_dir, "%s", argv[2]);
        return child_main(argv[1], atoi(argv[3]));
    }
    return cmocka_run_group_tests(tests, sqlite_set_up, sqlite_tear_down);
}
