/* The store on SQLite: what every store does, what survives, the queue, the clock, expiry, and messages. */
#include <semaphore.h>
#include <stdatomic.h>

#include "store/sqlite_case.h"

/* ---- what every store does ---- */

static void does_what_it_is_asked(void **state)
{
    haft_store *store = sqlite_make(NULL, 0);

    (void)state;
    store_case_script(store);
    haft_store_free(store);
    assert_string_equal(sqlite_lines, "");
}

static void stays_within_its_limits(void **state)
{
    (void)state;
    store_case_limits(sqlite_make);
    store_case_edges(sqlite_make);
}

static void walks_by_steps(void **state)
{
    (void)state;
    store_case_scan(sqlite_make);
}

static void tells_subscribers(void **state)
{
    (void)state;
    store_case_channels(sqlite_make);
}

static void is_exact_with_threads(void **state)
{
    (void)state;
    store_case_threads(sqlite_make, 600);
}

/* Large windows are counted in slices, exactly as in memory. */
static void counts_as_memory_does(void **state)
{
    static const haft_rate rates[] = {{3, 50}, {20000, 1000}, {10001, 7}, {0, 5}};
    haft_store *store = sqlite_make(NULL, 0), *memory = haft_store_memory_new(NULL);
    uint32_t random = 7;
    int64_t now = 1000;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        for (int n = 0; n < 300; n++) {
            haft_store_op one = {.kind = HAFT_STORE_TAKE, .key = S("t"), .rate = rates[i]};
            haft_store_op other = one;

            random = random * 1664525 + 1013904223;
            now += random >> 28;
            assert_int_equal(sqlite_one(store, "g", now, &one, false, NULL),
                             sqlite_one(memory, "g", now, &other, false, NULL));
            assert_int_equal(one.ret_wait_ms, other.ret_wait_ms);
        }
    haft_store_free(store);
    haft_store_free(memory);
}

/* ---- what survives ---- */

static void survives_a_restart(void **state)
{
    haft_store *store = sqlite_make(NULL, 0);
    haft_store_op put = PUT("a", "kept"), append = APPEND("l", "one"), take = TAKE("t", 1, 1000000);
    haft_store_op get = GET("a"), range = RANGE("l", 0), old = PUT_IF("a", "x", 99);
    struct stat about;
    bool durable = false;
    uint64_t version;

    (void)state;
    assert_int_equal(sqlite_one(store, "g", 1000, &put, true, &durable), 1);
    assert_true(durable);
    version = put.ret_version;
    assert_int_equal(sqlite_one(store, "g", 1000, &append, false, &durable), 1);
    assert_false(durable);
    assert_int_equal(sqlite_one(store, "g", 1000, &take, false, NULL), 1);
    assert_int_equal(sqlite_one(store, "g", 1000, &old, true, &durable), 0);
    assert_false(durable);
    haft_store_free(store);
    assert_int_equal(stat(sqlite_path("store.db"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);

    store = sqlite_open("store.db");
    assert_int_equal(sqlite_one(store, "g", 2000, &get, false, NULL), 1);
    assert_int_equal(get.ret_version, version);
    assert_int_equal(sqlite_one(store, "g", 2000, &range, false, NULL), 1);
    assert_int_equal(range.n_records, 1);
    assert_int_equal(sqlite_one(store, "g", 2000, &take, false, NULL), 0);
    assert_int_equal(take.ret_wait_ms, 999000);
    haft_store_free(store);
}

/* A version is not used again, although the entry is removed and the store opened again. */
static void never_repeats_a_version(void **state)
{
    haft_store *store = sqlite_make(NULL, 0);
    uint64_t last = 0;

    (void)state;
    for (int i = 0; i < 5; i++) {
        haft_store_op put = PUT("a", "x"), gone = DELETE("a");

        assert_int_equal(sqlite_one(store, "g", 1000, &put, false, NULL), 1);
        assert_true(put.ret_version > last);
        last = put.ret_version;
        assert_int_equal(sqlite_one(store, "g", 1000, &gone, false, NULL), 1);
        haft_store_free(store);
        store = sqlite_open("store.db");
    }
    haft_store_free(store);
}

/* ---- the clock ---- */

static int get_at(haft_store *store, const char *key, int64_t now)
{
    haft_store_op get = {.kind = HAFT_STORE_GET, .key = HAFT_SLICE(key)};

    return sqlite_one(store, "g", now, &get, false, NULL);
}

static void time_never_goes_back(void **state)
{
    enum { DAY = 86400000 };
    haft_store *store = sqlite_make(NULL, 0);
    haft_store_op ends = PUT_FOR("ends", "x", 1000), stays = PUT_FOR("stays", "x", 2 * DAY);
    haft_store_op later = PUT_FOR("later", "x", 5000);

    (void)state;
    assert_int_equal(sqlite_one(store, "g", 10 * DAY, &ends, false, NULL), 1);
    assert_int_equal(sqlite_one(store, "g", 10 * DAY + 1000, &stays, false, NULL), 1);
    assert_int_equal(get_at(store, "ends", 10 * DAY + 1000), 0);
    haft_store_free(store);

    /* the clock of the next process is a day late: nothing comes back, nothing is lost */
    store = sqlite_open("store.db");
    assert_int_equal(get_at(store, "ends", 9 * DAY), 0);
    assert_int_equal(get_at(store, "stays", 9 * DAY), 1);
    /* and time goes on */
    assert_int_equal(sqlite_one(store, "g", 9 * DAY, &later, false, NULL), 1);
    assert_int_equal(get_at(store, "later", 9 * DAY + 4999), 1);
    assert_int_equal(get_at(store, "later", 9 * DAY + 5000), 0);
    /* small differences mean nothing */
    assert_int_equal(sqlite_one(store, "g", 9 * DAY + 6000, &later, false, NULL), 1);
    assert_int_equal(get_at(store, "later", 9 * DAY + 1000), 1);
    assert_int_equal(get_at(store, "later", 9 * DAY + 10999), 1);
    assert_int_equal(get_at(store, "later", 9 * DAY + 11000), 0);
    assert_int_equal(get_at(store, "stays", 9 * DAY + 2 * DAY), 0);
    haft_store_free(store);
}

static int64_t number_of(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *row;
    int64_t n;

    assert_int_equal(sqlite3_open(sqlite_path("store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    n = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return n;
}

static int64_t rows_in(const char *table)
{
    char sql[64];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    return number_of(sql);
}

/* The clock in the file is less than a second late, and never behind a call that was counted. */
static void keeps_the_clock(void **state)
{
    static const char clock[] = "SELECT clock FROM state";
    haft_store *store = sqlite_make(NULL, 0);
    haft_store_op put = PUT("k", "v"), take = TAKE("t", 5, 1000);

    (void)state;
    assert_int_equal(sqlite_one(store, "g", 10000, &put, false, NULL), 1);
    assert_int_equal(number_of(clock), 10000);
    assert_int_equal(sqlite_one(store, "g", 10999, &put, false, NULL), 1);
    assert_int_equal(number_of(clock), 10000);
    assert_int_equal(sqlite_one(store, "g", 11000, &put, false, NULL), 1);
    assert_int_equal(number_of(clock), 11000);
    assert_int_equal(sqlite_one(store, "g", 11005, &take, false, NULL), 1);
    assert_int_equal(number_of(clock), 11005);
    haft_store_free(store);
}

/* A process that starts after the clock was set forward does not expire what others hold; after a restart of the
 * machine nobody holds anything. */
static void goes_on_after(int64_t lead)
{
    static const char *const restart = "UPDATE state SET message = message + 1 WHERE id = 2";
    haft_store *first = sqlite_make(NULL, 0), *second;
    haft_store_op lease = PUT_FOR("lease", "x", 15000);

    assert_int_equal(sqlite_one(first, "g", 1000000, &lease, false, NULL), 1);
    second = sqlite_open("store.db");
    assert_int_equal(get_at(second, "lease", 1000000 + lead), 1);
    assert_int_equal(sqlite_one(second, "h", 1000000 + lead + 14000, &lease, false, NULL), 1);
    assert_int_equal(get_at(first, "lease", 1014000), 1);
    assert_int_equal(get_at(second, "lease", 1000000 + lead + 16000), 0);
    haft_store_free(second);
    sqlite_run("store.db", restart);
    second = sqlite_open("store.db");
    assert_int_equal(get_at(second, "lease", 1000000 + lead), 0);
    haft_store_free(second);
    haft_store_free(first);
}

static void goes_on_with_others(void **state)
{
    (void)state;
    goes_on_after(6 * 3600000);
    goes_on_after(20000); /* little more than a lease */
}

/* A request whose last value has no room leaves nothing, and one that just fits is applied, also because it deletes
 * something first: so a task that ends has room for its result. */
static void applies_all_or_nothing(void **state)
{
    static const haft_store_space small = {.name = "s", .max_entries = 3};
    haft_store *store = sqlite_make(&small, 1);
    haft_store_op two[] = {PUT("a", "1"), PUT("b", "2")};
    haft_store_op more[] = {PUT("a", "3"), PUT("c", "4"), PUT("d", "5")};
    haft_store_op instead[] = {{.kind = HAFT_STORE_DELETE, .key = HAFT_SLICE("a")}, PUT("d", "5")};
    haft_store_request request = {.space = "s", .group = HAFT_SLICE("g"), .now = 1000};

    (void)state;
    request.ops = two;
    request.n_ops = 2;
    assert_int_equal(store_submit(store, &request), 0);
    request.ops = more;
    request.n_ops = 3;
    assert_int_equal(store_submit(store, &request), HAFT_ETOOBIG);
    assert_int_equal(number_of("SELECT count(*) FROM entry WHERE value = CAST('1' AS BLOB)"), 1);
    assert_int_equal(rows_in("entry"), 2);
    request.n_ops = 2;
    assert_int_equal(store_submit(store, &request), 0);
    assert_int_equal(rows_in("entry"), 3);
    assert_int_equal(number_of("SELECT entries FROM space WHERE name = CAST('s' AS BLOB)"), 3);
    request.ops = instead;
    assert_int_equal(store_submit(store, &request), 0);
    assert_int_equal(rows_in("entry"), 3);
    haft_store_free(store);
}

/* Entries that have expired are removed although nobody asks for them, with all that belongs to them. */
static void removes_what_has_expired(void **state)
{
    haft_store *store = sqlite_make(NULL, 0);
    char group[32];

    (void)state;
    for (int i = 0; i < 300; i++) {
        haft_store_op ops[] = {APPEND("l", "r"), TAKE("t", 5, 100), PUT_FOR("v", "x", 100)};
        haft_store_request request = {.space = "s", .ops = ops, .n_ops = 3, .now = 1000};

        ops[0].expires_ms = 100;
        snprintf(group, sizeof group, "group %d", i);
        request.group = HAFT_SLICE(group);
        assert_int_equal(store_submit(store, &request), 0);
    }
    assert_int_equal(rows_in("entry"), 900);
    get_at(store, "nothing", 5000); /* reading is enough */
    for (int i = 0; i < 200 && rows_in("entry"); i++)
        sqlite_sleep(20);
    assert_int_equal(rows_in("entry"), 0);
    assert_int_equal(rows_in("record"), 0);
    assert_int_equal(rows_in("call"), 0);
    haft_store_free(store);
}

/* ---- the queue ---- */

struct pile {
    haft_store_op op;
    haft_store_request request;
};

static atomic_int answered, answered_well;

static void on_answer(haft_store_request *request)
{
    answered_well += request->status == 1;
    answered++;
}

static int pile_submit(haft_store *store, struct pile *pile, int i)
{
    char group[32];

    snprintf(group, sizeof group, "pile %d", i);
    pile->op = (haft_store_op)PUT("k", "v");
    pile->request = (haft_store_request){.is_followed = pile->request.is_followed,
                                         .space = "s",
                                         .group = HAFT_SLICE(group),
                                         .ops = &pile->op,
                                         .n_ops = 1,
                                         .now = 1000,
                                         .durable = true,
                                         .done = on_answer};
    return haft_store_submit(store, &pile->request);
}

static sem_t held, go_on;

static void on_hold(haft_store_request *request)
{
    (void)request;
    sem_post(&held);
    sem_wait(&go_on);
}

/* Keeps the store's thread in a `done`, so that everything after waits. */
static void hold(haft_store *store, struct pile *first)
{
    sem_init(&held, 0, 0);
    sem_init(&go_on, 0, 0);
    first->op = (haft_store_op)PUT("first", "v");
    first->request = (haft_store_request){
        .space = "s", .group = S("g"), .ops = &first->op, .n_ops = 1, .now = 1000, .done = on_hold};
    assert_int_equal(haft_store_submit(store, &first->request), HAFT_PENDING);
    sem_wait(&held);
}

static void bounds_its_queue(void **state)
{
    haft_store *store;
    struct pile first, piles[20] = {0};
    haft_store_op none = PUT("k", "v");
    haft_store_request without_done = {
        .space = "s", .group = S("g"), .ops = &none, .n_ops = 1, .now = 1};

    (void)state;
    sqlite_empty();
    store = sqlite_open_with("store.db", HAFT_WITH(haft_sqlite_options, .max_queue = 10));
    assert_int_equal(haft_store_submit(store, &without_done), HAFT_EINVAL);
    answered = answered_well = 0;
    hold(store, &first);
    for (int i = 0; i < 20; i++)
        assert_int_equal(pile_submit(store, &piles[i], i), i < 10 ? HAFT_PENDING : HAFT_EBUSY);
    /* what has been cancelled is neither answered nor applied */
    assert_true(haft_store_cancel(store, &piles[9].request));
    assert_false(haft_store_cancel(store, &piles[9].request));
    assert_true(haft_store_cancel(store, &piles[0].request));
    assert_true(haft_store_cancel(store, &piles[4].request));
    assert_int_equal(pile_submit(store, &piles[10], 10), HAFT_PENDING);
    sem_post(&go_on);
    haft_store_free(store); /* after everything else has been answered */
    assert_int_equal(answered, 8);
    assert_int_equal(answered_well, 8);
    for (int i = 0; i < 11; i++)
        if (piles[i].request.status == 1)
            assert_true(piles[i].request.is_durable);
    assert_int_equal(rows_in("entry"), 9);
}

static void await_answers(int n)
{
    for (int i = 0; i < 1000 && answered < n; i++)
        sqlite_sleep(10);
    assert_int_equal(answered, n);
    assert_int_equal(answered_well, n);
}

/* A request that another one follows is answered with it, and also if that one is refused. */
static void begins_with_what_follows(void **state)
{
    (void)state;
    for (unsigned room = 1; room <= 2; room++) {
        haft_store *store;
        struct pile piles[3] = {0};
        int second;

        sqlite_empty();
        store = sqlite_open_with("store.db", HAFT_WITH(haft_sqlite_options, .max_queue = room));
        answered = answered_well = 0;
        assert_int_equal(pile_submit(store, &piles[0], 0), HAFT_PENDING);
        await_answers(1);
        sqlite_sleep(20); /* the store's thread waits again, mostly */
        piles[1].request.is_followed = true;
        assert_int_equal(pile_submit(store, &piles[1], 1), HAFT_PENDING);
        second = pile_submit(store, &piles[2], 2);
        assert_true(second == HAFT_PENDING || (room == 1 && second == HAFT_EBUSY));
        await_answers(second == HAFT_PENDING ? 3 : 2);
        haft_store_free(store);
    }
}

/* A condition that fails in a commit of many undoes only its own request. */
static void commits_together_and_fails_alone(void **state)
{
    haft_store *store = sqlite_make(NULL, 0);
    struct pile first, piles[100];

    (void)state;
    answered = answered_well = 0;
    hold(store, &first);
    for (int i = 0; i < 100; i++) {
        struct pile *pile = &piles[i];

        pile->op = (haft_store_op)PUT_IF("k", "v", 0);
        pile->request =
            (haft_store_request){.space = "s",
                                 .group = i % 2 ? (haft_slice)S("a") : (haft_slice)S("b"),
                                 .ops = &pile->op,
                                 .n_ops = 1,
                                 .now = 1000,
                                 .done = on_answer};
        assert_int_equal(haft_store_submit(store, &pile->request), HAFT_PENDING);
    }
    sem_post(&go_on);
    haft_store_free(store);
    assert_int_equal(answered, 100);
    assert_int_equal(answered_well, 2);
}

/* ---- messages of other processes; a second store on the file is as another process ---- */

struct listener {
    haft_store_subscriber subscriber;
    atomic_int n, gaps;
    char last[64];
};

static void hear(haft_store_subscriber *subscriber, haft_slice channel, haft_slice value)
{
    struct listener *listener = subscriber->context;

    snprintf(listener->last, sizeof listener->last, "%.*s=%.*s", (int)channel.size, channel.data,
             (int)(value.size < 20 ? value.size : 20), value.data);
    listener->n++;
}

static void miss(haft_store_subscriber *subscriber)
{
    struct listener *listener = subscriber->context;

    listener->gaps++;
}

static void publish(haft_store *store, const char *text, size_t size)
{
    haft_store_op op = {.kind = HAFT_STORE_PUBLISH, .key = S("c"), .value = {text, size}};

    assert_int_equal(sqlite_one(store, "g", 1000, &op, false, NULL), 1);
}

static void hears_other_processes(void **state)
{
    haft_store *store = sqlite_make(NULL, 0), *other = sqlite_open("store.db");
    struct listener one = {
        .subscriber = {.space = "s", .channel = S("c"), .message = hear, .gap = miss}};
    struct listener deaf = {.subscriber = {.space = "x", .channel = S("c"), .message = hear}};
    char *large = calloc(1, 100000);

    (void)state;
    one.subscriber.context = &one;
    deaf.subscriber.context = &deaf;
    publish(other, "early", 5);
    sqlite_sleep(20);
    publish(store, "own", 3); /* nobody listens; the store has seen the earlier one */
    assert_int_equal(haft_store_subscribe(store, &one.subscriber), 0);
    assert_int_equal(haft_store_subscribe(store, &deaf.subscriber), 0);
    publish(other, "hello", 5);
    for (int i = 0; i < 200 && one.n < 1; i++)
        sqlite_sleep(20);
    assert_int_equal(one.n, 1);
    assert_string_equal(one.last, "c=hello");
    publish(store, "mine", 4);
    assert_int_equal(one.n, 2); /* at once, */
    sqlite_sleep(500);
    assert_int_equal(one.n, 2); /* and not again */
    assert_int_equal(one.gaps, 0);
    publish(other, large, 100000); /* too large for the file */
    for (int i = 0; i < 200 && one.gaps < 1; i++)
        sqlite_sleep(20);
    assert_int_equal(one.gaps, 1);
    haft_store_unsubscribe(store, &one.subscriber);
    publish(other, "after", 5);
    assert_int_equal(deaf.n, 0);
    haft_store_unsubscribe(store, &deaf.subscriber);
    free(large);
    haft_store_free(other);
    haft_store_free(store);
}

/* More messages than are kept are a gap. */
static void reports_lost_messages(void **state)
{
    haft_store *other = NULL, *store;
    struct listener one = {
        .subscriber = {.space = "s", .channel = S(""), .message = hear, .gap = miss}};

    (void)state;
    sqlite_empty();
    store = sqlite_open_with("store.db", HAFT_WITH(haft_sqlite_options, .poll_ms = 60000));
    one.subscriber.context = &one;
    haft_store_subscribe(store, &one.subscriber);
    sqlite_sleep(50);
    other = sqlite_open("store.db");
    for (int i = 0; i < 40; i++) {
        haft_store_op ops[30];
        haft_store_request request = {.space = "s", .group = S("g"), .ops = ops, .n_ops = 30};

        for (int n = 0; n < 30; n++)
            ops[n] = (haft_store_op){.kind = HAFT_STORE_PUBLISH, .key = S("c"), .value = S("v")};
        assert_int_equal(store_submit(other, &request), 0);
    }
    assert_true(rows_in("message") <= 1000);
    haft_store_unsubscribe(store, &one.subscriber);
    haft_store_free(store);
    assert_int_equal(one.gaps, 0); /* it has not looked */

    store = sqlite_open_with("store.db", HAFT_WITH(haft_sqlite_options, .poll_ms = 10));
    haft_store_subscribe(store, &one.subscriber);
    sqlite_run("store.db", "UPDATE state SET message = message + 2000");
    for (int i = 0; i < 200 && one.gaps < 1; i++)
        sqlite_sleep(20);
    assert_int_equal(one.gaps, 1);
    haft_store_unsubscribe(store, &one.subscriber);
    haft_store_free(other);
    haft_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_what_it_is_asked),
        cmocka_unit_test(stays_within_its_limits),
        cmocka_unit_test(walks_by_steps),
        cmocka_unit_test(tells_subscribers),
        cmocka_unit_test(is_exact_with_threads),
        cmocka_unit_test(counts_as_memory_does),
        cmocka_unit_test(survives_a_restart),
        cmocka_unit_test(never_repeats_a_version),
        cmocka_unit_test(time_never_goes_back),
        cmocka_unit_test(keeps_the_clock),
        cmocka_unit_test(goes_on_with_others),
        cmocka_unit_test(applies_all_or_nothing),
        cmocka_unit_test(removes_what_has_expired),
        cmocka_unit_test(bounds_its_queue),
        cmocka_unit_test(begins_with_what_follows),
        cmocka_unit_test(commits_together_and_fails_alone),
        cmocka_unit_test(hears_other_processes),
        cmocka_unit_test(reports_lost_messages),
    };

    return cmocka_run_group_tests(tests, sqlite_set_up, sqlite_tear_down);
}
