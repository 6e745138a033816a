/* test_invoke.c - routes that call routes: the order of policies, what a child inherits, where it
 * ends, and many at once. */
#define _POSIX_C_SOURCE 200809L

#include <stdatomic.h>
#include <stdlib.h>
#include <uv.h>
#include <yyjson.h>

#include "ask.h"

/* ---- what the policies did, one after the other ---- */

static char heard[1024];

static void hear(const char *who, const char *what)
{
    size_t size = strlen(heard);

    snprintf(heard + size, sizeof heard - size, "%s%s:%s", size ? " " : "", who, what);
}

static int on_in(haft_call *call, void *data)
{
    (void)call;
    hear(data, "in");
    return 0;
}

static int on_out(haft_call *call, void *data)
{
    (void)call;
    hear(data, "out");
    return 0;
}

static int on_stop(haft_call *call, void *data)
{
    hear(data, "stop");
    return haft_problem(call, 403, "No.") ? HAFT_ENOMEM : HAFT_STOP;
}

#define TRACE(word, where)                                                                         \
    static const haft_policy word = HAFT_INIT(haft_policy, .name = #word, .scope = where,          \
                                              .inbound = on_in, .outbound = on_out, .data = #word)
TRACE(one, HAFT_BOTH);
TRACE(two, HAFT_BOTH);
TRACE(three, HAFT_BOTH);
TRACE(edge, HAFT_EDGE);
TRACE(inner, HAFT_INVOKE);
static const haft_policy stop =
    HAFT_INIT(haft_policy, .name = "stop", .inbound = on_stop, .outbound = on_out, .data = "stop");

/* ---- routes ---- */

HAFT_STRUCT(target, HAFT_STRING(to, "What to invoke"));

static int relay(haft_call *call, const target *in)
{
    haft_response response;
    int status;

    hear("relay", "begins");
    status = haft_invoke(call, "GET", in->to, NULL, &response);
    hear("relay", "ends");
    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_IN(relay, "GET", "/relay", target, "Invokes", .policies = "one, two, edge, inner");

static int leaf(haft_call *call)
{
    hear("leaf", "runs");
    return haft_text(call, "leaf");
}
HAFT_ROUTE_BARE(leaf, "GET", "/leaf", "Is invoked", .policies = "edge three inner");

static int barred(haft_call *call)
{
    hear("barred", "runs");
    return haft_text(call, "barred");
}
HAFT_ROUTE_BARE(barred, "GET", "/barred", "Is never reached", .policies = "one, stop, two");

static int cycle(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/cycle", NULL, &response);

    hear("cycle", haft_call_parent(call) ? "child" : "root");
    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_BARE(cycle, "GET", "/cycle", "Invokes itself");

/* What it has been given, after as many levels as it is asked for. */
HAFT_STRUCT(level, HAFT_INTEGER(levels, "How many more", .min = 0));

static int who(haft_call *call, const level *in)
{
    haft_response response;
    const char *auth, *trace, *own;

    if (in->levels) {
        int status =
            haft_invoke(call, "GET", haft_call_printf(call, "/who?levels=%d", (int)in->levels - 1),
                        &(haft_invoke_options){.headers = &(haft_header){"X-Own", "1"},
                                               .n_headers = in->levels == 1},
                        &response);

        return status ? status : haft_respond_with(call, &response);
    }
    auth = haft_request_header(call, "Authorization");
    trace = haft_request_header(call, "traceparent");
    own = haft_request_header(call, "x-own");
    return haft_text(call, "%s left %lld auth %s trace %s own %s",
                     haft_call_principal(call) ? haft_call_principal(call) : "nobody",
                     (long long)haft_call_time_left(call), auth ? auth : "none",
                     trace ? trace : "none", own ? own : "none");
}
HAFT_ROUTE_IN(who, "GET", "/who", level, "Tells who asks", .timeout_ms = 5000);

static haft_gateway *make(const haft_gateway_options *options)
{
    static const haft_policy *const policies[] = {&one, &two, &three, &edge, &inner, &stop};
    static const haft_route *const routes[] = {&relay_route, &leaf_route, &barred_route,
                                               &cycle_route, &who_route};
    haft_gateway *gateway = haft_gateway_new(options);

    assert_non_null(gateway);
    for (size_t i = 0; i < COUNT_OF(policies); i++)
        assert_int_equal(haft_policy_add(gateway, policies[i]), 0);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        assert_int_equal(haft_route_add(gateway, routes[i]), 0);
    heard[0] = '\0';
    return gateway;
}

/* ---- order ---- */

static void order(void **state)
{
    static const struct {
        const char *target, *answer, *heard;
    } rows[] = {
        {"/relay?to=/leaf", "200 text/plain; charset=utf-8 leaf",
         "one:in two:in edge:in relay:begins three:in inner:in leaf:runs inner:out three:out "
         "relay:ends edge:out two:out one:out"},
        {"/leaf", "200 text/plain; charset=utf-8 leaf",
         "edge:in three:in leaf:runs three:out edge:out"},
        {"/barred",
         "403 application/problem+json "
         "{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,\"detail\":\"No.\"}",
         "one:in stop:stop one:out"},
        {"/relay?to=/relay%3Fto%3D/leaf", "200 text/plain; charset=utf-8 leaf",
         "one:in two:in edge:in relay:begins one:in two:in inner:in relay:begins three:in inner:in "
         "leaf:runs inner:out three:out relay:ends inner:out two:out one:out relay:ends edge:out "
         "two:out one:out"},
        {"/relay?to=/none",
         "404 application/problem+json {\"type\":\"about:blank\",\"title\":\"Not Found\","
         "\"status\":404,\"detail\":\"No route matches /none.\"}",
         "one:in two:in edge:in relay:begins relay:ends edge:out two:out one:out"},
    };
    haft_gateway *gateway = make(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        heard[0] = '\0';
        assert_string_equal(ask(gateway, "GET", rows[i].target, NULL), rows[i].answer);
        assert_string_equal(heard, rows[i].heard);
    }
    /* What is behind a number sign is the reader's, and not part of what is asked for. */
    assert_int_equal(strncmp(ask(gateway, "GET", "/relay?to=/leaf%23part", NULL), "200", 3), 0);
    haft_gateway_free(gateway);
}

/* A limit at the edge counts what came from outside, once, whatever it leads to. */
static void counted_once(void **state)
{
    haft_gateway *gateway = make(NULL);
    haft_route outer = relay_route, target_route = leaf_route;

    (void)state;
    assert_int_equal(
        haft_policy_make_for(gateway, HAFT_EDGE, "at-edge", "rate-limit", "{\"calls\":3}"), 0);
    assert_int_equal(haft_policy_make(gateway, "everywhere", "rate-limit", "{\"calls\":3}"), 0);
    outer.id = "outer", outer.path = "/outer", outer.policies = "at-edge";
    target_route.id = "limited", target_route.path = "/limited", target_route.policies = "at-edge";
    assert_int_equal(haft_route_add(gateway, &outer), 0);
    assert_int_equal(haft_route_add(gateway, &target_route), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(strncmp(ask(gateway, "GET", "/outer?to=/limited", NULL), "200", 3), 0);
    assert_int_equal(strncmp(ask(gateway, "GET", "/outer?to=/limited", NULL), "429", 3), 0);
    haft_gateway_free(gateway);

    /* One that is everywhere counts twice. */
    gateway = make(NULL);
    assert_int_equal(haft_policy_make(gateway, "everywhere", "rate-limit", "{\"calls\":3}"), 0);
    outer.policies = target_route.policies = "everywhere";
    assert_int_equal(haft_route_add(gateway, &outer), 0);
    assert_int_equal(haft_route_add(gateway, &target_route), 0);
    assert_int_equal(strncmp(ask(gateway, "GET", "/outer?to=/limited", NULL), "200", 3), 0);
    assert_int_equal(strncmp(ask(gateway, "GET", "/outer?to=/limited", NULL), "429", 3), 0);
    haft_gateway_free(gateway);
}

/* ---- what a child inherits ---- */

static void inherited(void **state)
{
    static const char *const forward[] = {"authorization", "x-own", NULL};
    const struct {
        haft_gateway_options options;
        const char *target, *answer;
    } rows[] = {
        {{0}, "/who?levels=0", "ann left 5000 auth Bearer k trace t-1 own none"},
        {{0}, "/who?levels=3", "ann left 5000 auth none trace t-1 own 1"},
        {{.forward = forward}, "/who?levels=3", "ann left 5000 auth Bearer k trace none own 1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway_options options = rows[i].options;
        haft_gateway *gateway = make((options.struct_size = sizeof options, &options));
        const char *got = ask_with(
            gateway, &(struct ask_request){.method = "GET",
                                           .target = rows[i].target,
                                           .headers = "authorization: Bearer k\ntraceparent: t-1\n",
                                           .principal = "ann"});

        assert_string_equal(strstr(got, "8 ") + 2, rows[i].answer);
        haft_gateway_free(gateway);
    }
}

/* A child never has more time than its parent, and none when that has run out. */
static int slow(haft_call *call)
{
    haft_gateway_request *const *req = haft_server_data(call);
    haft_response response;
    int64_t before = haft_call_time_left(call);
    int status;

    haft_gateway_request_tick(*req, ASK_NOW + 1500);
    status = haft_invoke(call, "GET", "/who?levels=0", NULL, &response);
    if (status)
        return status;
    if (before == 2000 && strstr(response.body, "left 500 "))
        haft_gateway_request_tick(*req, ASK_NOW + 2000);
    status = haft_invoke(call, "GET", "/leaf", NULL, &response);
    hear("slow", haft_status_text(response.status));
    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_BARE(slow, "GET", "/slow", "Takes its time", .timeout_ms = 2000);

static void deadline(void **state)
{
    haft_gateway_request *req = NULL;
    haft_gateway *gateway = make(
        HAFT_WITH(haft_gateway_options, .server = HAFT_WITH(haft_server_options, .data = &req)));
    char text[ASK_ROOM];

    (void)state;
    assert_int_equal(haft_route_add(gateway, &slow_route), 0);
    req = ask_begin(gateway, &(struct ask_request){.method = "GET", .target = "/slow"}, text);
    haft_gateway_request_run(req);
    assert_int_equal(haft_gateway_request_response(req)->status, 504);
    assert_string_equal(heard, "slow:Gateway Timeout");
    haft_gateway_request_free(req);
    haft_gateway_free(gateway);
}

/* ---- where it ends ---- */

static void cycles(void **state)
{
    haft_gateway *gateway = make(NULL);

    (void)state;
    assert_string_equal(
        ask(gateway, "GET", "/cycle", NULL),
        "508 application/problem+json {\"type\":\"about:blank\",\"title\":\"Loop "
        "Detected\",\"status\":508,\"detail\":\"Calls nest deeper than 8: /cycle was called by cycle.\"}");
    assert_string_equal(heard, "cycle:child cycle:child cycle:child cycle:child cycle:child "
                               "cycle:child cycle:child cycle:child cycle:root");
    haft_gateway_free(gateway);
}

static int greedy(haft_call *call)
{
    haft_response response = {.status = 0};
    int ok = 0, refused = 0;

    for (int i = 0; i < 70; i++) {
        if (haft_invoke(call, "GET", "/leaf", NULL, &response))
            return HAFT_ENOMEM;
        ok += response.status == 200;
        refused += response.status == 429;
    }
    return haft_text(call, "%d %d", ok, refused);
}
HAFT_ROUTE_BARE(greedy, "GET", "/greedy", "Invokes too often");

/* What cannot be asked is refused before anybody is. */
static int wrong(haft_call *call)
{
    haft_response response;
    haft_invocation bad = {.method = "GET"};

    return haft_text(call, "%d %d %d %d", haft_invoke(call, NULL, "/leaf", NULL, &response),
                     haft_invoke(call, "GET", NULL, NULL, &response),
                     haft_invoke_all(call, NULL, 0), haft_invoke_all(call, &bad, 1));
}
HAFT_ROUTE_BARE(wrong, "GET", "/wrong", "Invokes nothing");

static void refused(void **state)
{
    haft_gateway *gateway = make(HAFT_WITH(haft_gateway_options, .max_depth = 2, .max_invokes = 3));

    (void)state;
    assert_int_equal(haft_route_add(gateway, &wrong_route), 0);
    assert_int_equal(haft_route_add(gateway, &greedy_route), 0);
    assert_string_equal(ask(gateway, "GET", "/wrong", NULL),
                        "200 text/plain; charset=utf-8 -2 -2 0 -2");
    assert_string_equal(ask(gateway, "GET", "/greedy", NULL), "200 text/plain; charset=utf-8 3 67");
    assert_string_equal(heard + strlen(heard) - strlen("leaf:runs inner:out three:out"),
                        "leaf:runs inner:out three:out");
    heard[0] = '\0';
    assert_int_equal(strncmp(ask(gateway, "GET", "/cycle", NULL), "508 ", 4), 0);
    assert_string_equal(heard, "cycle:child cycle:child cycle:root");
    haft_gateway_free(gateway);
}

static void too_many(void **state)
{
    haft_gateway *gateway = make(NULL);

    (void)state;
    assert_int_equal(haft_route_add(gateway, &greedy_route), 0);
    assert_string_equal(ask(gateway, "GET", "/greedy", NULL), "200 text/plain; charset=utf-8 64 6");
    haft_gateway_free(gateway);
}

/* ---- many at once ---- */

static atomic_uint n_ran, n_failed, n_seen_cancel;

HAFT_STRUCT(job, HAFT_INTEGER(n, "Which"), HAFT_INTEGER(seed, "Of the run"));
HAFT_STRUCT(done, HAFT_INTEGER(n, "Which"));

static int work(haft_call *call, const job *in, done *out)
{
    atomic_fetch_add(&n_ran, 1);
    out->n = in->n;
    if ((in->n * 7 + in->seed * 13) % 11)
        return 0;
    atomic_fetch_add(&n_failed, 1);
    return haft_problem(call, 409, "%d", (int)in->n);
}
HAFT_ROUTE(work, "GET", "/work/{n}", job, done, "Works, or fails");

enum { FAN = 16 };

static int fan(haft_call *call, const job *in)
{
    haft_invocation all[FAN];
    int ok = 0, failed = 0;

    for (int i = 0; i < FAN; i++)
        all[i] = (haft_invocation){
            .method = "GET",
            .target = haft_call_printf(call, "/work/%d?seed=%d", i, (int)in->seed)};
    if (haft_invoke_all(call, all, FAN))
        return HAFT_ENOMEM;
    for (int i = 0; i < FAN; i++) {
        const haft_response *response = &all[i].response;
        haft_value *json = haft_response_json(call, response);

        if (haft_response_ok(response))
            ok += yyjson_get_int(yyjson_obj_get(json, "n")) == i;
        else if (response->status == 409)
            failed += atoi(yyjson_get_str(yyjson_obj_get(json, "detail"))) == i;
    }
    return haft_text(call, "%d %d", ok + failed, failed);
}
HAFT_ROUTE_IN(fan, "GET", "/fan/{n}", job, "Invokes sixteen at once");

static void run_fans(haft_gateway *gateway, int from, int to)
{
    for (int i = from; i < to; i++) {
        char text[ASK_ROOM], path[64], query[32];
        haft_request request = {.method = "GET", .path = path, .query = query, .body = ""};
        haft_gateway_request *req;
        int failed = 0;

        snprintf(path, sizeof path, "/fan/%d", i);
        snprintf(query, sizeof query, "seed=%d", i);
        req = haft_gateway_request_new(gateway, &request, ASK_NOW);
        assert_non_null(req);
        haft_gateway_request_run(req);
        for (int n = 0; n < FAN; n++)
            failed += (n * 7 + i * 13) % 11 == 0;
        snprintf(text, sizeof text, "%d %d", FAN, failed);
        assert_string_equal(haft_gateway_request_response(req)->body, text);
        haft_gateway_request_free(req);
    }
}

struct share {
    haft_gateway *gateway;
    int from, to;
};

static void run_share(void *context)
{
    struct share *share = context;

    run_fans(share->gateway, share->from, share->to);
}

/* From several threads, with fewer hands than there is work. */
static void fans(void **state)
{
    enum { THREADS = 4, FANS = 10000 };
    struct share shares[THREADS];
    uv_thread_t threads[THREADS];
    haft_gateway *gateway = make(NULL);

    (void)state;
    assert_int_equal(haft_route_add(gateway, &work_route), 0);
    assert_int_equal(haft_route_add(gateway, &fan_route), 0);
    atomic_store(&n_ran, 0);
    for (int i = 0; i < THREADS; i++) {
        shares[i] = (struct share){gateway, i * FANS / THREADS, (i + 1) * FANS / THREADS};
        assert_int_equal(uv_thread_create(&threads[i], run_share, &shares[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        uv_thread_join(&threads[i]);
    assert_int_equal(atomic_load(&n_ran), FANS * FAN);
    assert_true(atomic_load(&n_failed) > FANS);
    haft_gateway_free(gateway);
}

/* Fans of fans: every hand may be waiting for others, and still it ends. */
static int fan_of_fans(haft_call *call)
{
    haft_invocation all[3];
    int ok = 0;

    for (int i = 0; i < 3; i++)
        all[i] = (haft_invocation){.method = "GET",
                                   .target = haft_call_printf(call, "/fan/%d?seed=%d", i, i)};
    if (haft_invoke_all(call, all, 3))
        return HAFT_ENOMEM;
    for (int i = 0; i < 3; i++)
        ok += !strncmp(all[i].response.body, "16 ", 3);
    return haft_text(call, "%d", ok);
}
HAFT_ROUTE_BARE(fan_of_fans, "GET", "/fans", "Invokes what invokes sixteen at once");

static int refuse_to_run(void *context, void (*task)(void *argument), void *argument)
{
    (void)context;
    (void)task;
    (void)argument;
    return HAFT_EBUSY;
}

static void hands(void **state)
{
    static const haft_executor nobody = {refuse_to_run, NULL};
    static const haft_gateway_options rows[] = {
        HAFT_INIT(haft_gateway_options, .workers = 1),
        HAFT_INIT(haft_gateway_options, .workers = 2),
        HAFT_INIT(haft_gateway_options, .one_thread = true),
        HAFT_INIT(haft_gateway_options, .executor = &nobody)};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = make(&rows[i]);

        assert_int_equal(haft_route_add(gateway, &work_route), 0);
        assert_int_equal(haft_route_add(gateway, &fan_route), 0);
        assert_int_equal(haft_route_add(gateway, &fan_of_fans_route), 0);
        for (int n = 0; n < 20; n++)
            assert_string_equal(ask(gateway, "GET", "/fans", NULL),
                                "200 text/plain; charset=utf-8 3");
        haft_gateway_free(gateway);
    }
}

/* ---- cancelling ---- */

static atomic_uint n_waiting;

/* Waits until it is told that nobody wants it any more. */
static int wait_for_cancel(haft_call *call)
{
    atomic_fetch_add(&n_waiting, 1);
    while (!haft_call_cancelled(call))
        uv_sleep(1);
    atomic_fetch_add(&n_seen_cancel, 1);
    return haft_text(call, "cancelled");
}
HAFT_ROUTE_BARE(wait_for_cancel, "GET", "/wait", "Waits");

static int wait_three(haft_call *call)
{
    haft_invocation all[3] = {{.method = "GET", .target = "/wait"},
                              {.method = "GET", .target = "/wait"},
                              {.method = "GET", .target = "/wait"}};
    haft_response late;

    if (haft_invoke_all(call, all, 3) || haft_invoke(call, "GET", "/leaf", NULL, &late))
        return HAFT_ENOMEM;
    hear("late", haft_status_text(late.status));
    return haft_text(call, "done");
}
HAFT_ROUTE_BARE(wait_three, "GET", "/three", "Waits thrice");

static void run_visit(void *context)
{
    haft_gateway_request_run(context);
}

static void cancelled(void **state)
{
    haft_gateway *gateway = make(NULL);
    char text[ASK_ROOM];
    uv_thread_t thread;
    haft_gateway_request *req;

    (void)state;
    assert_int_equal(haft_route_add(gateway, &wait_for_cancel_route), 0);
    assert_int_equal(haft_route_add(gateway, &wait_three_route), 0);
    req = ask_begin(gateway, &(struct ask_request){.method = "GET", .target = "/three"}, text);
    assert_int_equal(uv_thread_create(&thread, run_visit, req), 0);
    while (atomic_load(&n_waiting) < 3)
        uv_sleep(1);
    haft_gateway_request_cancel(req);
    uv_thread_join(&thread);
    assert_int_equal(atomic_load(&n_seen_cancel), 3);
    assert_string_equal(heard, "late:Client Closed Request");
    haft_gateway_request_free(req);
    haft_gateway_free(gateway);
}

/* ---- a handler that finishes elsewhere ---- */

static uv_thread_t finisher;

static void finish(void *context)
{
    haft_call *call = context;

    uv_sleep(5);
    haft_text(call, "later");
    haft_finish(call, 0);
}

static int later(haft_call *call)
{
    return uv_thread_create(&finisher, finish, call) ? HAFT_EBUSY : HAFT_PENDING;
}
HAFT_ROUTE_BARE(later, "GET", "/later", "Answers later");

static void pending(void **state)
{
    haft_gateway *gateway = make(NULL);

    (void)state;
    assert_int_equal(haft_route_add(gateway, &later_route), 0);
    assert_string_equal(ask(gateway, "GET", "/later", NULL), "200 text/plain; charset=utf-8 later");
    uv_thread_join(&finisher);
    assert_string_equal(ask(gateway, "GET", "/relay?to=/later", NULL),
                        "200 text/plain; charset=utf-8 later");
    uv_thread_join(&finisher);
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),    cmocka_unit_test(counted_once), cmocka_unit_test(inherited),
        cmocka_unit_test(deadline), cmocka_unit_test(cycles),       cmocka_unit_test(too_many),
        cmocka_unit_test(fans),     cmocka_unit_test(hands),        cmocka_unit_test(cancelled),
        cmocka_unit_test(pending),  cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
