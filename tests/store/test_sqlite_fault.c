/* The store on SQLite when the disk fails, when it is full, and when memory runs out. */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "store/sqlite_case.h"
#include "store/sqlite_shim.h"
#include "support/failing.h"

/* ---- every access to the disk fails once, or from then on ---- */

enum { PUTS = 6 };

/* Whether a put was acknowledged as durable. */
static void use_the_disk(bool ret_durable[PUTS])
{
    haft_reason reason = {0};
    haft_store *store = haft_sqlite_store_new(
        sqlite_path("store.db"), HAFT_WITH(haft_sqlite_options, .log = sqlite_on_log), &reason);

    if (!store) {
        assert_true(reason.code < 0 && *reason.text);
        return;
    }
    for (int i = 0; i < PUTS; i++) {
        haft_store_op put = PUT("k", "value"), get = GET("k");
        char group[16];
        int status;

        snprintf(group, sizeof group, "g%d", i);
        status = sqlite_one(store, group, 1000, &put, true, &ret_durable[i]);
        assert_true(status == 1 || status < 0);
        assert_true(status == 1 || !ret_durable[i]);
        status = sqlite_one(store, group, 1000, &get, false, NULL);
        assert_true(status < 0 || status == 1 || !ret_durable[i]);
    }
    haft_store_free(store);
}

static int fail_in_turn(bool for_ever)
{
    int nth = 1;

    for (;; nth++) {
        bool durable[PUTS] = {false};
        haft_store *store;
        int failures;

        sqlite_empty();
        shim_set(nth, for_ever);
        use_the_disk(durable);
        failures = shim.failures;
        shim_set(0, false);
        store = sqlite_open("store.db"); /* which is not damaged */
        for (int i = 0; i < PUTS; i++) {
            char group[16];

            snprintf(group, sizeof group, "g%d", i);
            if (durable[i] && !store_has(store, "s", group, 1000))
                fail_msg("failure %d: %s is lost", nth, group);
        }
        haft_store_free(store);
        if (!failures)
            return nth;
        if (nth > 1000)
            fail_msg("it never ends");
    }
}

static void survives_failures(void **state)
{
    (void)state;
    assert_true(fail_in_turn(false) > 40);
    assert_true(fail_in_turn(true) > 40);
}

/* ---- a full disk ---- */

/* Reading works while it is full, and writing when there is space again. */
static void fill(void (*set_full)(bool full))
{
    static const haft_store_space space = {.name = "s", .max_bytes = 1 << 30};
    haft_store *store =
        sqlite_open_with("store.db", HAFT_WITH(haft_sqlite_options, .spaces = &space, .n_spaces = 1,
                                               .log = sqlite_on_log));
    int status = 0;
    char group[16];

    assert_int_equal(store_put(store, "s", "first", 100, 1, 0), 0);
    set_full(true);
    for (int i = 0; i < 1000 && !status; i++) {
        snprintf(group, sizeof group, "g%d", i);
        status = store_put(store, "s", group, 50000, 1, 0);
    }
    assert_int_equal(status, HAFT_EFAIL);
    assert_non_null(strstr(sqlite_lines, "the disk is full; reading still works"));
    assert_true(store_has(store, "s", "first", 1));
    assert_false(store_has(store, "s", group, 1));
    set_full(false);
    assert_int_equal(store_put(store, "s", "last", 50000, 1, 0), 0);
    assert_non_null(strstr(sqlite_lines, "requests succeed again"));
    haft_store_free(store);
    store = sqlite_open("store.db");
    assert_true(store_has(store, "s", "first", 1) && store_has(store, "s", "last", 1));
    haft_store_free(store);
}

static void shim_set_full(bool full)
{
    shim.is_full = full;
}

static void a_full_disk_is_survived(void **state)
{
    (void)state;
    sqlite_empty();
    shim_set(0, false);
    fill(shim_set_full);
}

static sem_t held, go_on;
static atomic_int answered;

static void on_hold(haft_store_request *request)
{
    (void)request;
    sem_post(&held);
    sem_wait(&go_on);
}

static void on_answer(haft_store_request *request)
{
    (void)request;
    answered++;
}

enum { REQUESTS = 100 };

static haft_store_op put_ops[REQUESTS + 1];
static haft_store_request requests[REQUESTS + 1];
static char groups[REQUESTS + 1][16];

/* Submits requests, which wait until go_on because of the first one; number `large` has `size` bytes. */
static haft_store *submit_together(int n, int large, size_t size, bool durable)
{
    static char bytes[400000];
    haft_store *store;

    sqlite_empty();
    shim_set(0, false);
    sem_init(&held, 0, 0);
    sem_init(&go_on, 0, 0);
    answered = 0;
    store = sqlite_open("store.db");
    for (int i = 0; i <= n; i++) {
        snprintf(groups[i], sizeof groups[i], "g%d", i);
        put_ops[i] = (haft_store_op){
            .kind = HAFT_STORE_PUT, .key = S("k"), .value = {bytes, i == large ? size : 100}};
        requests[i] = (haft_store_request){.space = "s",
                                           .group = HAFT_SLICE(groups[i]),
                                           .ops = &put_ops[i],
                                           .n_ops = 1,
                                           .now = 1,
                                           .durable = durable,
                                           .done = i ? on_answer : on_hold};
        assert_int_equal(haft_store_submit(store, &requests[i]), HAFT_PENDING);
        if (!i)
            sem_wait(&held);
    }
    return store;
}

/* If the disk is full for one request of a commit, the others do not fail with it. */
static void small_requests_still_fit(void **state)
{
    haft_store *store = submit_together(5, 3, 400000, false);

    (void)state;
    shim.max_size = 300000;
    sem_post(&go_on);
    haft_store_free(store);
    shim.max_size = 0;
    assert_int_equal(answered, 5);
    for (int i = 0; i <= 5; i++)
        assert_int_equal(requests[i].status, i == 3 ? HAFT_EFAIL : 1);
    store = sqlite_open("store.db");
    for (int i = 0; i <= 5; i++)
        assert_int_equal(store_has(store, "s", groups[i], 1), i != 3);
    haft_store_free(store);
}

/* Durable requests that wait together wait for the disk once; others do not wait for it. */
static void commits_together(void **state)
{
    (void)state;
    for (int durable = 0; durable < 2; durable++) {
        haft_store *store = submit_together(REQUESTS, 0, 100, durable);
        int before = shim.syncs;

        sem_post(&go_on);
        while (answered < REQUESTS)
            sqlite_sleep(1);
        assert_int_equal(shim.syncs - before, durable);
        haft_store_free(store);
        for (int i = 1; i <= REQUESTS; i++)
            assert_true(requests[i].status == 1 && requests[i].is_durable == durable);
    }
}

/* Space for as long as it exists. */
static void ballast_set_full(bool full)
{
    if (!full)
        unlink(sqlite_path("ballast"));
}

static void fill_small_disk(void)
{
    char *bytes = calloc(1, 400000);
    FILE *file = fopen(sqlite_path("ballast"), "w");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, 400000, file), 400000);
    fclose(file);
    free(bytes);
    fill(ballast_set_full);
}

/* The same with a real file system, where one may be mounted; otherwise the case above stands for it. */
static void a_small_disk_is_survived(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    sqlite_empty();
    pid = fork();
    if (!pid) {
        if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
            _exit(0);
        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
            mount("none", sqlite_dir, "tmpfs", 0, "size=1m"))
            _exit(0);
        fill_small_disk();
        _exit(0); /* a failed assertion ends with another status */
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- no memory ---- */

static void use_everything(const haft_allocator *allocator)
{
    static const haft_store_space space = {.name = "x", .max_entries = 100};
    haft_store *store = haft_sqlite_store_new(
        sqlite_path("store.db"),
        HAFT_WITH(haft_sqlite_options, .allocator = allocator, .spaces = &space, .n_spaces = 1),
        NULL);
    haft_arena *arena = haft_arena_new(allocator, 1 << 20);
    haft_store_op ops[] = {PUT("a", "1"), TAKE("t", 20, 10), APPEND("l", "r"), GET("g"),
                           RANGE("m", 0)};
    haft_store_op look[] = {GET("a"), RANGE("l", 0)};
    haft_store_request write = {
        .space = "x", .group = S("g"), .ops = ops, .n_ops = COUNT_OF(ops), .arena = arena};
    haft_store_request read = {
        .space = "x", .group = S("g"), .ops = look, .n_ops = COUNT_OF(look), .arena = arena};
    haft_store_scan scan = {.space = "x", .prefix = S(""), .arena = arena};

    for (int i = 0; store && arena && i < 4; i++) {
        uint64_t before =
            look[1].status == 1 ? look[1].ret_records[look[1].n_records - 1].sequence : 0;
        int status = store_submit(store, &write);

        assert_true(status == 0 || status == HAFT_ENOMEM);
        if (store_submit(store, &read))
            break;
        /* all of it, or nothing */
        if (look[1].status == 1)
            assert_int_equal(look[1].ret_records[look[1].n_records - 1].sequence,
                             before + (status == 0));
        status = store_scan(store, &scan);
        assert_true(status == 0 || status == HAFT_ENOMEM);
    }
    haft_arena_free(arena);
    haft_store_free(store);
}

static void loses_nothing_without_memory(void **state)
{
    size_t nth = 1;

    (void)state;
    for (;; nth++) {
        struct failing failing;

        sqlite_empty();
        failing_init(&failing, nth);
        use_everything(&failing.allocator);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    assert_true(nth > 10);
}

static int set_up(void **state)
{
    shim_install();
    return sqlite_set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_failures),        cmocka_unit_test(a_full_disk_is_survived),
        cmocka_unit_test(small_requests_still_fit), cmocka_unit_test(commits_together),
        cmocka_unit_test(a_small_disk_is_survived), cmocka_unit_test(loses_nothing_without_memory),
    };

    return cmocka_run_group_tests(tests, set_up, sqlite_tear_down);
}
