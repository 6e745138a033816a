/* test_chain_wait.c - admit, a limit of HTTP, a policy, a stage and a tool's rate, each of which answers later, from
 * another thread: a thousand calls wait in each of them at once, and fail in time when the store dies. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <sys/resource.h>

#include "http/site.h"

#include <haft/gateway.h>

#include "engine/offer/server.h"
#include "support/late_store.h"

enum { CALLS = 1000, WORKERS = 4 };

/* ---- calls that the test lets go on ---- */

struct waiting_call {
    void *item;
    void (*go_on)(void *item);
};

static struct {
    uv_mutex_t lock;
    struct waiting_call calls[CALLS];
    size_t n;
} held;

static int go_on_later(void *item, void (*go_on)(void *item))
{
    uv_mutex_lock(&held.lock);
    assert_true(held.n < COUNT_OF(held.calls));
    held.calls[held.n++] = (struct waiting_call){item, go_on};
    uv_mutex_unlock(&held.lock);
    return HAFT_PENDING;
}

static size_t held_count(void)
{
    size_t n;

    uv_mutex_lock(&held.lock);
    n = held.n;
    uv_mutex_unlock(&held.lock);
    return n;
}

/* Without the lock, because a call may wait again at once. */
static void held_release(void)
{
    static struct waiting_call calls[CALLS];
    size_t n;

    uv_mutex_lock(&held.lock);
    n = held.n;
    held.n = 0;
    memcpy(calls, held.calls, n * sizeof *calls);
    uv_mutex_unlock(&held.lock);
    for (size_t i = 0; i < n; i++)
        calls[i].go_on(calls[i].item);
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
    stand->late = late_store_new(stand->memory, LATE_HELD, 0);
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

/* Sends `n` calls. */
static void crowd_call(struct crowd *crowd, const struct stand *stand, size_t n)
{
    crowd->n = n;
    for (size_t i = 0; i < n; i++)
        crowd->fds[i] = dial(stand->site);
    for (size_t i = 0; i < n; i++)
        ask(crowd->fds[i]);
}

/* Their responses; each must contain both texts. */
static void crowd_expect(struct crowd *crowd, const char *status, const char *expected)
{
    static char text[ROOM];

    for (size_t i = 0; i < crowd->n; i++) {
        assert_true(hear_all(crowd->fds[i], text, sizeof text));
        close(crowd->fds[i]);
        if (!strstr(text, status) || !strstr(text, expected))
            fail_msg("call %zu: %s", i, text);
    }
}

/* Returns when `held_calls` wait for the test, and `stored` for the store. */
static void await_calls(const struct stand *stand, size_t held_calls, size_t stored)
{
    uint64_t start = uv_hrtime();

    while ((held_count() != held_calls || late_store_waiting(stand->late) != stored) &&
           uv_hrtime() - start < PATIENCE_MS * UINT64_C(1000000))
        uv_sleep(1);
    assert_int_equal(held_count(), held_calls);
    assert_int_equal(late_store_waiting(stand->late), stored);
}

/* The waits of a call, in order, and whether it is the store that it waits for. */
enum { WAIT_ADMIT, WAIT_HTTP_RATE, WAIT_POLICY, WAIT_TOOL_RATE, WAIT_STAGE, WAITS };

static const bool waits_for_store[WAITS] = {[WAIT_HTTP_RATE] = true, [WAIT_TOOL_RATE] = true};

/* Takes `n` calls to the wait `last`, through the earlier ones: all must wait before one goes on. */
static void bring_to(const struct stand *stand, size_t n, size_t last)
{
    for (size_t i = 0; i < last; i++)
        if (waits_for_store[i]) {
            await_calls(stand, 0, n);
            late_store_release(stand->late, 0);
        } else {
            await_calls(stand, n, 0);
            held_release();
        }
    await_calls(stand, waits_for_store[last] ? 0 : n, waits_for_store[last] ? n : 0);
}

/* ---- cases ---- */

/* With a worker for each, they would need as many threads; with few that they hold, they would never all wait. */
static void many_wait_at_once(void **state)
{
    static struct crowd crowd;
    size_t n = allowed_calls(), before;
    struct stand stand;

    (void)state;
    stand_open(&stand, 10 * PATIENCE_MS);
    crowd_call(&crowd, &stand, 1);
    bring_to(&stand, 1, WAIT_STAGE);
    held_release();
    crowd_expect(&crowd, "HTTP/1.1 200 ", "it is ann");
    before = count_threads();
    crowd_call(&crowd, &stand, n);
    bring_to(&stand, n, WAIT_STAGE);
    /* Those of libuv and of the pool may have started only now. */
    assert_true(count_threads() <= before + 2 * WORKERS);
    held_release();
    crowd_expect(&crowd, "HTTP/1.1 200 ", "it is ann");
    await_calls(&stand, 0, 0);
    stand_close(&stand);
}

/* The store dies when some calls have come to the rate of their tool, and others to that of HTTP. */
static void a_dead_store_fails_calls_in_time(void **state)
{
    enum { EACH = 50 };
    static struct crowd called, arrived;
    struct stand stand;

    (void)state;
    stand_open(&stand, 3000);
    crowd_call(&called, &stand, EACH);
    bring_to(&stand, EACH, WAIT_TOOL_RATE);
    crowd_call(&arrived, &stand, EACH);
    await_calls(&stand, EACH, EACH);
    held_release();
    await_calls(&stand, 0, 2 * EACH);
    late_store_set(stand.late, LATE_NEVER);
    crowd_expect(&called, "HTTP/1.1 200 ", "timed out after 3 s");
    crowd_expect(&arrived, "HTTP/1.1 504 ",
                 "The rate limit cannot be checked: the store did not answer in time");
    /* Calls of tools stay the store's until it answers; those that were to be counted have been taken back. */
    assert_int_equal(late_store_release(stand.late, HAFT_EFAIL), EACH);
    stand_close(&stand);
}

/* The server ends while calls wait for a store that is dead. */
static void ends_with_a_dead_store(void **state)
{
    enum { EACH = 20 };
    static struct crowd crowd;
    struct stand stand;

    (void)state;
    stand_open(&stand, 10 * PATIENCE_MS);
    late_store_set(stand.late, LATE_NEVER);
    crowd_call(&crowd, &stand, EACH);
    bring_to(&stand, EACH, WAIT_HTTP_RATE);
    stand.site->hasty = true;
    stand_close(&stand);
    for (size_t i = 0; i < crowd.n; i++)
        close(crowd.fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_wait_at_once),
        cmocka_unit_test(a_dead_store_fails_calls_in_time),
        cmocka_unit_test(ends_with_a_dead_store),
    };
    int status;

    uv_mutex_init(&held.lock);
    status = cmocka_run_group_tests(tests, NULL, NULL);
    uv_mutex_destroy(&held.lock);
    return status;
}
