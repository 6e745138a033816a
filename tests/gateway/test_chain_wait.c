/* test_chain_wait.c - admit, a limit of HTTP, a policy, a stage and a tool's rate, each of which answers after 50 ms from
 * another thread: a thousand calls at once take as long as one, and fail in time when the store dies. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <sys/resource.h>

#include "http/site.h"

#include <haft/gateway.h>

#include "engine/offer/server.h"
#include "support/late_store.h"

enum {
    CALLS = 1000,
    WORKERS = 4,
    DELAY_MS = 50,
    WAITS = 5, /* of each call */
    ATTEMPTS = 12,
    /* Calls that held a worker each would take 250 times as long as one. */
    FACTOR = SANITIZED ? 40 : 3
};

/* ---- whoever answers later ---- */

struct delayed {
    void *item;
    void (*go_on)(void *item);
    uint64_t due; /* in milliseconds */
};

/* As many as there can be, in the order in which they come. */
static struct {
    uv_mutex_t lock;
    uv_cond_t changed;
    uv_thread_t thread;
    struct delayed queue[4 * CALLS];
    size_t first, n;
    bool ends;
} backlog;

static uint64_t now_ms(void)
{
    return uv_hrtime() / 1000000;
}

static void later_run(void *context)
{
    (void)context;
    uv_mutex_lock(&backlog.lock);
    while (!backlog.ends) {
        struct delayed *one = &backlog.queue[backlog.first % COUNT_OF(backlog.queue)], due;

        if (!backlog.n) {
            uv_cond_wait(&backlog.changed, &backlog.lock);
        } else if (one->due > now_ms()) {
            uv_cond_timedwait(&backlog.changed, &backlog.lock, (one->due - now_ms()) * 1000000);
        } else {
            due = *one;
            backlog.first++;
            backlog.n--;
            uv_mutex_unlock(&backlog.lock);
            due.go_on(due.item);
            uv_mutex_lock(&backlog.lock);
        }
    }
    uv_mutex_unlock(&backlog.lock);
}

static int go_on_later(void *item, void (*go_on)(void *item))
{
    uv_mutex_lock(&backlog.lock);
    assert_true(backlog.n < COUNT_OF(backlog.queue));
    backlog.queue[(backlog.first + backlog.n++) % COUNT_OF(backlog.queue)] =
        (struct delayed){item, go_on, now_ms() + DELAY_MS};
    uv_cond_signal(&backlog.changed);
    uv_mutex_unlock(&backlog.lock);
    return HAFT_PENDING;
}

static void later_open(void)
{
    uv_mutex_init(&backlog.lock);
    uv_cond_init(&backlog.changed);
    uv_thread_create(&backlog.thread, later_run, NULL);
}

static void later_close(void)
{
    uv_mutex_lock(&backlog.lock);
    backlog.ends = true;
    uv_cond_signal(&backlog.changed);
    uv_mutex_unlock(&backlog.lock);
    uv_thread_join(&backlog.thread);
}

/* ---- the chain ---- */

static void admit_as_ann(void *admission)
{
    haft_admission_continue(admission, 0, "ann");
}

static int admit(void *context, haft_request *request, const haft_responder *responder,
                 void *responder_context)
{
    haft_admission *admission = haft_admission_hold(request);

    (void)context;
    (void)responder;
    (void)responder_context;
    return admission ? go_on_later(admission, admit_as_ann) : HAFT_ENOMEM;
}

static void call_go_on(void *call)
{
    haft_continue(call, 0);
}

static int wait_a_while(haft_call *call, void *data)
{
    (void)data;
    return go_on_later(call, call_go_on);
}

static const haft_policy slow_policy =
    HAFT_INIT(haft_policy, .name = "slow", .inbound = wait_a_while);
static const haft_stage slow_stage = HAFT_INIT(haft_stage, .name = "slow", .before = wait_a_while);

static int whoami(haft_call *call)
{
    return haft_text(call, "it is %s", haft_call_principal(call));
}
HAFT_TOOL_BARE(whoami, "Says who calls", .rate = {.calls = 1000000, .per_ms = 60000});

struct stand {
    haft_store *memory;
    struct late_store *late;
    haft_gateway *gateway;
    haft_app app;
    haft_http_mount mount;
    struct site *site;
};

static void stand_open(struct stand *stand, unsigned timeout_ms)
{
    static const haft_tool *const tools[] = {&whoami_tool, NULL};
    haft_server *mcp;

    stand->memory = haft_store_memory_new(NULL);
    stand->late = late_store_new(stand->memory, LATE_DELAYED, DELAY_MS);
    assert_non_null(stand->late);
    stand->gateway = haft_gateway_new(NULL);
    assert_int_equal(haft_policy_add(stand->gateway, &slow_policy), 0);
    mcp = haft_mcp_add(
        stand->gateway,
        HAFT_WITH(haft_mcp_options, .tools = tools, .policies = "slow",
                  .server = HAFT_WITH(haft_server_options, .store = late_store_of(stand->late),
                                      .timeout_ms = timeout_ms)));
    assert_non_null(mcp);
    assert_int_equal(haft_stage_add(mcp, &slow_stage), 0);
    hf_server_set_timeout(haft_gateway_server(stand->gateway), timeout_ms);
    stand->app = *haft_gateway_app(stand->gateway);
    stand->mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/", .app = &stand->app);
    stand->site = site_open((haft_http_options)HAFT_INIT(
        haft_http_options, .path = "", .mounts = &stand->mount, .n_mounts = 1, .workers = WORKERS,
        .rate = {.calls = 1000000}, .admit = admit));
    stand->site->server->options.store = late_store_of(stand->late);
    hf_server_set_timeout(stand->site->server, timeout_ms);
}

static void stand_close(struct stand *stand)
{
    site_close(stand->site);
    haft_gateway_free(stand->gateway);
    late_store_free(stand->late);
    haft_store_free(stand->memory);
}

static void ask(int fd)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"whoami\"}}";
    char request[512];
    int size = snprintf(request, sizeof request,
                        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        sizeof body - 1, body);

    say(fd, request, (size_t)size);
}

/* How many the process has. */
static size_t count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t n = 0;

    assert_non_null(tasks);
    while (readdir(tasks))
        n++;
    closedir(tasks);
    return n;
}

/* How many calls there can be at once: each is two descriptors. */
static size_t allowed_calls(void)
{
    struct rlimit files;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    return files.rlim_cur < 2 * CALLS + 100 ? 400 : CALLS;
}

struct crowd {
    int fds[CALLS];
    size_t n;
};

static void crowd_dial(struct crowd *crowd, const struct stand *stand, size_t n)
{
    crowd->n = n;
    for (size_t i = 0; i < n; i++)
        crowd->fds[i] = dial(stand->site);
}

/* All of them; how long it took. */
static uint64_t crowd_call(struct crowd *crowd)
{
    static char text[ROOM];
    uint64_t start = now_ms();

    for (size_t i = 0; i < crowd->n; i++)
        ask(crowd->fds[i]);
    for (size_t i = 0; i < crowd->n; i++) {
        assert_true(hear_all(crowd->fds[i], text, sizeof text));
        close(crowd->fds[i]);
        if (!strstr(text, "HTTP/1.1 200 ") || !strstr(text, "it is ann"))
            fail_msg("call %zu: %s", i, text);
    }
    return now_ms() - start;
}

/* ---- cases ---- */

static void watch_threads(void *context)
{
    size_t *most = context;

    for (int i = 0; i < 20; i++) {
        size_t n = count_threads();

        *most = n > *most ? n : *most;
        uv_sleep(DELAY_MS / 5);
    }
}

/* Whoever else works on this machine may make one attempt late, but not all of them. */
static void many_take_as_long_as_one(void **state)
{
    static struct crowd crowd;
    size_t n = allowed_calls(), before, most = 0;
    uint64_t one = 0, all = 0;
    struct stand stand;
    uv_thread_t watch;
    int attempt = 0;

    (void)state;
    stand_open(&stand, 60000);
    do {
        crowd_dial(&crowd, &stand, 1);
        one = crowd_call(&crowd);
        assert_true(one >= WAITS * DELAY_MS - WAITS);
        before = count_threads() + 1;
        crowd_dial(&crowd, &stand, n);
        most = 0;
        assert_int_equal(uv_thread_create(&watch, watch_threads, &most), 0);
        all = crowd_call(&crowd);
        uv_thread_join(&watch);
        /* Those of libuv's own and the pool are there by the second attempt at the latest. */
        assert_true(most <= before + 2 * WORKERS);
    } while (all > FACTOR * one && ++attempt < ATTEMPTS);
    if (all > FACTOR * one)
        fail_msg("one call took %llu ms, %zu took %llu ms", (unsigned long long)one, n,
                 (unsigned long long)all);
    print_message("one call: %llu ms; %zu calls: %llu ms\n", (unsigned long long)one, n,
                  (unsigned long long)all);
    assert_int_equal(late_store_waiting(stand.late), 0);
    stand_close(&stand);
}

/* The store dies while some have been counted by HTTP, and some by their tool. */
static void a_dead_store_fails_calls_in_time(void **state)
{
    enum { TIMEOUT = 1000, EACH = 50 };
    static char text[ROOM];
    static struct crowd crowds[3];
    size_t limited = 0, late = 0;
    struct stand stand;
    uint64_t start;

    (void)state;
    stand_open(&stand, TIMEOUT);
    start = now_ms();
    for (size_t i = 0; i < COUNT_OF(crowds); i++) {
        size_t before = late_store_requests(stand.late);

        crowd_dial(&crowds[i], &stand, EACH);
        for (size_t k = 0; k < EACH; k++)
            ask(crowds[i].fds[k]);
        /* Until all of these have got as far as the store; of the earlier ones, some have got on. */
        while (late_store_requests(stand.late) < before + EACH && now_ms() - start < PATIENCE_MS)
            uv_sleep(1);
    }
    late_store_set(stand.late, LATE_NEVER);
    for (size_t i = 0; i < COUNT_OF(crowds); i++)
        for (size_t k = 0; k < EACH; k++) {
            assert_true(hear_all(crowds[i].fds[k], text, sizeof text));
            close(crowds[i].fds[k]);
            if (strstr(text, "HTTP/1.1 504 ") &&
                strstr(text, "The rate limit cannot be checked: the store did not answer in time"))
                limited++;
            else if (strstr(text, "HTTP/1.1 200 ") && strstr(text, "timed out after 1 s"))
                late++;
            else if (!strstr(text, "it is ann"))
                fail_msg("crowd %zu, call %zu: %s", i, k, text);
        }
    assert_true(limited > 0);
    assert_true(limited + late >= EACH);
    /* Calls of tools stay the store's until it answers; those that were to be counted have been taken back. */
    late_store_release(stand.late, HAFT_EFAIL);
    stand_close(&stand);
}

/* The server ends while calls wait for a store that is dead. */
static void ends_with_a_dead_store(void **state)
{
    static struct crowd crowd;
    struct stand stand;
    uint64_t start = now_ms();

    (void)state;
    stand_open(&stand, 60000);
    late_store_set(stand.late, LATE_NEVER);
    crowd_dial(&crowd, &stand, 20);
    for (size_t i = 0; i < crowd.n; i++)
        ask(crowd.fds[i]);
    while (late_store_waiting(stand.late) < crowd.n && now_ms() - start < PATIENCE_MS)
        uv_sleep(1);
    assert_int_equal(late_store_waiting(stand.late), crowd.n);
    stand.site->hasty = true;
    stand_close(&stand);
    for (size_t i = 0; i < crowd.n; i++)
        close(crowd.fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_take_as_long_as_one),
        cmocka_unit_test(a_dead_store_fails_calls_in_time),
        cmocka_unit_test(ends_with_a_dead_store),
    };
    int status;

    later_open();
    status = cmocka_run_group_tests(tests, NULL, NULL);
    later_close();
    return status;
}
