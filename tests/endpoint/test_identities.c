/* test_identities.c - authenticators of mounts: which one checks what, in which order with rates and
 * `admit`, and whom apps see. */
#define _POSIX_C_SOURCE 200809L
#include "endpoint/mux.h"

#include <pthread.h>

#include "endpoint/asking.h"
#include "endpoint/identifying.h"

/* ---- an app that says whom it sees ---- */

static void *seer_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

/* What it should not see behind an authenticator. */
static const char *says_credentials(const haft_request *request)
{
    static const char *const names[] = {" authorization", " dpop", " x-api-key"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (haft_header_find(request->headers, request->n_headers, names[i] + 1))
            return names[i];
    return haft_header_find(request->headers, request->n_headers, "x-other") ? " other" : "";
}

static void *seer_handle(void *app, const haft_request *request, const haft_responder *to,
                         void *context, haft_time now)
{
    const haft_identity *identity = request->identity;
    char body[256];
    int size =
        snprintf(body, sizeof body, "%s %s %s%s", request->principal ? request->principal : "-",
                 identity ? identity->principal : "-", identity ? identity->scopes : "-",
                 says_credentials(request));

    (void)app;
    (void)now;
    to->respond(context, &(haft_response){.status = 200, .body = body, .size = (size_t)size});
    return NULL;
}

static int seer_data;
static const haft_app seer =
    HAFT_INIT(haft_app, .open = seer_open, .handle = seer_handle, .data = &seer_data);

/* The same with two resources, of which /all/a is the only one if there is one. */
static bool has_two_resources;

static const char *seer_resource(void *app, const char *path, haft_server **ret_server)
{
    (void)app;
    (void)ret_server;
    if (!strncmp(path, "/all/a", 6) || (!*path && !has_two_resources))
        return "/all/a";
    return has_two_resources && !strncmp(path, "/all/b", 6) ? "/all/b" : NULL;
}

static const haft_app parted = HAFT_INIT(haft_app, .open = seer_open, .handle = seer_handle,
                                         .data = &seer_data, .resource = seer_resource);

/* ---- a mux ---- */

struct site {
    struct mux mux;
    haft_server *server;
    haft_loop loop;
    unsigned random;
    atomic_int n_wakes;
    haft_time now;
    char session[64];
};

static void site_wake(void *context)
{
    struct site *site = context;

    atomic_fetch_add(&site->n_wakes, 1);
}

static int site_random(void *context, void *bytes, size_t size)
{
    return next_random(&((struct site *)context)->random, bytes, size);
}

static int site_try(struct site *site, haft_http_options options, const haft_allocator *allocator)
{
    haft_http_loop loop = {.n = 1, .loop = &site->loop};
    haft_reason reason;

    options.path = options.path ? options.path : "/mcp";
    *site = (struct site){.now = START, .random = 1};
    site->loop =
        (haft_loop)HAFT_INIT(haft_loop, .wake = site_wake, .random = site_random, .context = site);
    site->server = make_server(allocator);
    loop.server = site->server;
    if (!site->server)
        return HAFT_ENOMEM;
    if (hf_mux_init(&site->mux, &options, &loop, &reason)) {
        haft_server_free(site->server);
        return HAFT_ENOMEM;
    }
    site->mux.bodies_stay = false; /* they are freed before requests are answered */
    if (hf_limit_new(&options, site->server->allocator, &site->mux.limiter)) {
        hf_mux_finish(&site->mux);
        haft_server_free(site->server);
        return HAFT_ENOMEM;
    }
    return 0;
}

static void site_open(struct site *site, haft_http_options options)
{
    assert_int_equal(site_try(site, options, NULL), 0);
}

static void site_close(struct site *site)
{
    assert_true(hf_mux_idle(&site->mux));
    hf_mux_finish(&site->mux);
    hf_limiter_free(site->mux.limiter);
    haft_server_free(site->server);
}

static struct pending_request site_ask(struct site *site, struct reply *reply, const char *method,
                                       const char *path, const char *peer, const char *headers,
                                       const char *body)
{
    struct bench bench;
    struct header_lines read;
    struct haft_header_index index;
    haft_request request = {.method = method, .path = path, .query = "", .peer = peer};
    char *lines, *text;
    struct pending_request pending;

    snprintf(bench.session, sizeof bench.session, "%s", site->session);
    lines = expand(&bench, headers);
    text = expand(&bench, body);
    request.body = text;
    request.body_size = strlen(text);
    headers_read(&read, lines, &request.headers, &request.n_headers);
    hf_headers_index(request.headers, request.n_headers, &index);
    request.index_ = &index;
    memset(reply, 0, sizeof *reply);
    pending = hf_mux_handle(&site->mux, &request, &responder, reply, site->now);
    note_session(&bench, reply);
    snprintf(site->session, sizeof site->session, "%s", bench.session);
    free(lines);
    free(text);
    return pending;
}

struct visit {
    const char *method, *path, *peer, *headers, *body;
    int status;
    const char *answer, *answer_headers;
};

static void visit(struct site *site, const struct visit *row, size_t i)
{
    static struct reply reply;
    static struct bench nothing;
    char *answer = expand(&nothing, row->answer);
    char *headers = expand(&nothing, row->answer_headers ? row->answer_headers : "*");

    site_ask(site, &reply, row->method, row->path, row->peer, row->headers, row->body);
    if (reply.status != row->status || !matches(answer, reply.body) ||
        !matches(headers, reply.headers))
        fail_msg("row %zu: %s %s: %d %s\n%s", i, row->method, row->path, reply.status,
                 reply.headers, reply.body);
    free(answer);
    free(headers);
}

static void visit_all(struct site *site, const struct visit *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        visit(site, &rows[i], i);
}

#define HOME "127.0.0.1"
#define AWAY "192.0.2.7"
#define RESOURCE "/.well-known/oauth-protected-resource"

/* ---- which authenticator ---- */

static void has_two_authenticators(void **state)
{
    static const struct visit rows[] = {
        {"POST", "/mcp", HOME, JSON, PING, 401, "*", "*realm='one'*"},
        {"POST", "/other", HOME, JSON, PING, 401, "*", "*realm='two'*"},
        {"POST", "/third", HOME, JSON, PING, 401, "*", "*realm='one'*"},
        {"POST", "/mcp", HOME, JSON AS("ann"), PING, 200, PONG, NULL},
        {"POST", "/other", HOME, JSON AS("ann"), PING, 200, PONG, NULL},
        {"GET", "/app/x", HOME, HOST, "", 401, "*", "*realm='two'*"},
        {"GET", "/app/x", HOME, HOST AS("ann"), "", 200, "ann ann read", NULL},
        {"GET", "/app/x", HOME, HOST AS("nonce-ann"), "", 200, "ann ann read", "*DPoP-Nonce: n-1*"},
        {"GET", "/open", HOME, HOST AS("ann"), "", 200, "- - - authorization", NULL},
        {"GET", RESOURCE "/mcp", HOME, HOST, "", 200, "*'one/mcp'*", NULL},
        {"GET", RESOURCE "/other", HOME, HOST, "", 200, "*'two/other'*", NULL},
        {"GET", RESOURCE "/app", HOME, HOST, "", 200, "*'two/app'*", NULL},
        {"GET", RESOURCE "/open", HOME, HOST, "", 404, "*", NULL},
        {"GET", RESOURCE, HOME, HOST, "", 404, "*", NULL},
        /* A session belongs to its endpoint. */
        {"POST", "/mcp", HOME, LEGACY AS("ann"), HELLO, 200, "*", NULL},
        {"POST", "/mcp", HOME, SESSION AS("ann"), PING, 200, PONG, NULL},
        {"POST", "/mcp", HOME, SESSION AS("bob"), PING, 404, "*", NULL},
        {"POST", "/other", HOME, SESSION AS("ann"), PING, 404, "*", NULL},
    };
    struct identifying one = IDENTIFYING("one"), two = IDENTIFYING("two");
    haft_server *other = make_server(NULL), *third = make_server(NULL);
    haft_http_mount mounts[] = {
        HAFT_INIT(haft_http_mount, .path = "/other", .server = other, .authenticator = &two.base),
        HAFT_INIT(haft_http_mount, .path = "/third", .server = third),
        HAFT_INIT(haft_http_mount, .path = "/app", .app = &seer, .authenticator = &two.base),
        HAFT_INIT(haft_http_mount, .path = "/open", .app = &seer),
    };
    const char *path;
    struct site site;

    (void)state;
    site_open(&site,
              (haft_http_options){.authenticator = &one.base, .mounts = mounts, .n_mounts = 4});
    visit_all(&site, rows, COUNT_OF(rows));
    assert_true(hf_mux_authenticates(&site.mux));
    assert_string_equal(hf_mux_unauthenticated(&site.mux, &path), "the app at ");
    assert_string_equal(path, "/open");
    site_close(&site);
    site_open(&site,
              (haft_http_options){
                  .authenticator = &one.base, .mounts = mounts, .n_mounts = 3, .legacy_sse = true});
    assert_null(hf_mux_unauthenticated(&site.mux, &path));
    site_close(&site);
    site_open(&site, (haft_http_options){.authenticator = &one.base});
    visit(&site, &(struct visit){"GET", RESOURCE, HOME, HOST, "", 200, "*'one/mcp'*", NULL}, 0);
    site_close(&site);
    site_open(&site, (haft_http_options){0});
    assert_false(hf_mux_authenticates(&site.mux));
    assert_string_equal(hf_mux_unauthenticated(&site.mux, &path), "endpoint ");
    site_close(&site);
    haft_server_free(other);
    haft_server_free(third);
    identifying_assert_over(&one);
    identifying_assert_over(&two);
}

/* An app with several resources has metadata of each, and the authenticator learns which one a
 * request is for. */
static void parts_an_app_into_resources(void **state)
{
    static const struct visit rows[] = {
        {"GET", RESOURCE "/all/a", HOME, HOST, "", 200, "*'one/all/a'*", NULL},
        {"GET", RESOURCE "/all", HOME, HOST, "", 200, "*'one/all'*", NULL},
        {"GET", RESOURCE "/all/c", HOME, HOST, "", 404, "*", NULL},
    };
    struct identifying one = IDENTIFYING("one");
    haft_http_mount mounts[] = {
        HAFT_INIT(haft_http_mount, .path = "/all", .app = &parted, .authenticator = &one.base)};
    struct site site;

    (void)state;
    for (int two = 0; two < 2; two++) {
        has_two_resources = two;
        site_open(&site, (haft_http_options){.mounts = mounts, .n_mounts = 1});
        visit_all(&site, rows, COUNT_OF(rows));
        visit(&site,
              &(struct visit){"GET", RESOURCE, HOME, HOST, "", 200,
                              two ? "*'one/all'*" : "*'one/all/a'*", NULL},
              3);
        visit(&site,
              &(struct visit){"GET", RESOURCE "/all/b", HOME, HOST, "", two ? 200 : 404, "*", NULL},
              4);
        visit(&site, &(struct visit){"GET", "/all/a/x", HOME, HOST, "", 401, "*", NULL}, 5);
        assert_string_equal(one.path, "/all/a");
        visit(&site, &(struct visit){"GET", "/all/x", HOME, HOST, "", 401, "*", NULL}, 6);
        assert_string_equal(one.path, "/all");
        site_close(&site);
    }
    identifying_assert_over(&one);
}

#define ALL_CREDENTIALS "DPoP: proof\nX-API-Key: key\nx-other: here\nX-Api-Key: again\n"

static void hides_credentials(void **state)
{
    static const struct visit rows[] = {
        {"GET", "/app", HOME, HOST ALL_CREDENTIALS AS("ann"), "", 200, "ann ann read other", NULL},
        {"GET", "/app", HOME, HOST AS("nonce-ann") ALL_CREDENTIALS, "", 200, "ann ann read other",
         NULL},
        {"GET", "/open", HOME, HOST AS("ann"), "", 200, "- - - authorization", NULL},
    };
    static struct reply reply;
    struct identifying one = IDENTIFYING("one");
    haft_http_mount mounts[] = {
        HAFT_INIT(haft_http_mount, .path = "/app", .app = &seer, .authenticator = &one.base),
        HAFT_INIT(haft_http_mount, .path = "/open", .app = &seer)};
    struct site site;

    (void)state;
    site_open(&site, (haft_http_options){.mounts = mounts, .n_mounts = COUNT_OF(mounts)});
    visit_all(&site, rows, COUNT_OF(rows));
    site_ask(&site, &reply, "GET", "/app", HOME, HOST ALL_CREDENTIALS AS("wait-nonce-ann"), "");
    identifying_answer(&one);
    hf_mux_tick(&site.mux, site.now);
    assert_string_equal(reply.body, "ann ann read other");
    site_close(&site);
    identifying_assert_over(&one);
}

/* ---- with `admit` ---- */

static haft_admission *admission;

static int admit(void *context, haft_request *request, const haft_responder *to, void *to_context)
{
    static const haft_identity own = HAFT_INIT(haft_identity, .principal = "own", .scopes = "all");
    const char *path = request->path;

    (void)context;
    assert_string_equal(says_credentials(request), "");
    if (strstr(path, "/stop")) {
        to->respond(to_context, &(haft_response){.status = 418, .body = ""});
        return HAFT_STOP;
    }
    if (strstr(path, "/rename"))
        request->principal = "else";
    if (strstr(path, "/same"))
        request->principal = "ann";
    if (strstr(path, "/own")) {
        request->principal = NULL;
        request->identity = &own;
    }
    if (!strstr(path, "/hold"))
        return 0;
    admission = haft_admission_hold(request);
    return HAFT_PENDING;
}

static void asks_admit_after_the_check(void **state)
{
    static const struct visit rows[] = {
        {"GET", "/app/stop", HOME, HOST, "", 401, "*", NULL},
        {"GET", "/app/stop", HOME, HOST AS("ann"), "", 418, "", NULL},
        {"GET", "/app", HOME, HOST AS("ann"), "", 200, "ann ann read", NULL},
        {"GET", "/app/rename", HOME, HOST AS("ann"), "", 200, "else - -", NULL},
        {"GET", "/app/same", HOME, HOST AS("ann"), "", 200, "ann ann read", NULL},
        {"GET", "/app/own", HOME, HOST AS("ann"), "", 200, "own own all", NULL},
    };
    static const struct {
        const char *token, *principal, *answer;
    } held_rows[] = {{AS("ann"), NULL, "ann ann read"},
                     {AS("ann"), "ann", "ann ann read"},
                     {AS("ann"), "else", "else - -"},
                     {AS("wait-ann"), NULL, "ann ann read"},
                     {AS("wait-nonce-ann"), NULL, "ann ann read"}};
    static struct reply reply;
    struct identifying one = IDENTIFYING("one");
    haft_http_mount mounts[] = {
        HAFT_INIT(haft_http_mount, .path = "/app", .app = &seer, .authenticator = &one.base)};
    struct site site;

    (void)state;
    site_open(&site, (haft_http_options){.admit = admit, .mounts = mounts, .n_mounts = 1});
    visit_all(&site, rows, COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(held_rows); i++) {
        char headers[128];

        snprintf(headers, sizeof headers, HOST "%s", held_rows[i].token);
        site_ask(&site, &reply, "GET", "/app/hold", HOME, headers, "");
        if (one.n_pending) {
            identifying_answer(&one);
            hf_mux_tick(&site.mux, site.now);
        }
        assert_false(reply.over);
        haft_admission_continue(admission, 0, held_rows[i].principal);
        hf_mux_tick(&site.mux, site.now);
        assert_true(reply.over);
        assert_string_equal(reply.body, held_rows[i].answer);
    }
    site_close(&site);
    identifying_assert_over(&one);
}

/* A request that waits keeps all that is known of its client, also when its connection is gone. */
static void keeps_what_is_known_of_a_client(void **state)
{
    char principal[] = "ann", issuer[] = "https://as.example", scopes[] = "read";
    char certificate[] = "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2", peer[] = AWAY;
    haft_identity identity =
        HAFT_INIT(haft_identity, .principal = principal, .issuer = issuer, .scopes = scopes);
    haft_request request = {.method = "GET",
                            .path = "/mcp",
                            .query = "",
                            .peer = peer,
                            .principal = principal,
                            .identity = &identity,
                            .certificate = certificate,
                            .proxied = true};
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    haft_request copy;

    (void)state;
    assert_true(hf_request_copy(arena, &request, &copy));
    memset(principal, '!', sizeof principal);
    memset(issuer, '!', sizeof issuer);
    memset(scopes, '!', sizeof scopes);
    memset(certificate, '!', sizeof certificate);
    memset(peer, '!', sizeof peer);
    memset(&identity, 0, sizeof identity);
    assert_string_equal(copy.principal, "ann");
    assert_string_equal(copy.identity->principal, "ann");
    assert_string_equal(copy.identity->issuer, "https://as.example");
    assert_string_equal(copy.identity->scopes, "read");
    assert_string_equal(copy.certificate, "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2");
    assert_string_equal(copy.peer, AWAY);
    assert_true(copy.proxied);
    haft_arena_free(arena);
}

/* ---- with rates ---- */

static void counts_each_request_once(void **state)
{
    static const struct visit rows[] = {
        /* Those with good credentials are counted by principal, from wherever they come. */
        {"POST", "/mcp", AWAY, JSON AS("ann"), PING, 200, PONG, NULL},
        {"POST", "/mcp", HOME, JSON AS("ann"), PING, 200, PONG, NULL},
        {"POST", "/mcp", AWAY, JSON AS("ann"), PING, 429, "*Too Many*", NULL},
        {"POST", "/mcp", AWAY, JSON AS("bob"), PING, 200, PONG, NULL},
        /* Those with bad ones by address; then nothing of this address is checked. */
        {"POST", "/mcp", AWAY, JSON AS("bad"), PING, 401, "*", NULL},
        {"POST", "/mcp", AWAY, JSON, PING, 401, "*", NULL},
        {"POST", "/mcp", AWAY, JSON AS("bad"), PING, 429, "*Too Many*", "*Retry-After: *"},
        {"POST", "/mcp", AWAY, JSON AS("bob"), PING, 429, "*Too Many*", NULL},
        {"POST", "/mcp", HOME, JSON AS("bob"), PING, 200, PONG, NULL},
    };
    struct identifying one = IDENTIFYING("one");
    struct site site;

    (void)state;
    site_open(&site, (haft_http_options){.authenticator = &one.base, .rate = {.calls = 2}});
    visit_all(&site, rows, COUNT_OF(rows));
    assert_int_equal(one.n_checks, 7);
    site.now += MINUTE + 1;
    visit(&site, &rows[0], 0);
    site_close(&site);
    identifying_assert_over(&one);
}

static void counts_refused_requests_in_the_total(void **state)
{
    static const struct visit rows[] = {
        {"POST", "/mcp", AWAY, JSON AS("bad"), PING, 401, "*", NULL},
        {"POST", "/mcp", HOME, JSON AS("ann"), PING, 200, PONG, NULL},
        {"POST", "/mcp", HOME, JSON AS("bob"), PING, 200, PONG, NULL},
        {"POST", "/mcp", HOME, JSON AS("joe"), PING, 429, "*", NULL},
        {"GET", RESOURCE, HOME, HOST, "", 429, "*", NULL},
    };
    struct identifying one = IDENTIFYING("one");
    struct site site;

    (void)state;
    site_open(&site, (haft_http_options){.authenticator = &one.base, .total_rate = {.calls = 3}});
    visit_all(&site, rows, COUNT_OF(rows));
    assert_int_equal(one.n_checks, 3);
    site_close(&site);
    identifying_assert_over(&one);
}

/* Principals that differ only beyond what fits into a key, as those of one long issuer. */
static void tells_long_principals_apart(void **state)
{
    enum { SHARED = 300 };
    static const struct {
        char end;
        int status;
    } rows[] = {{'a', 200}, {'a', 429}, {'b', 200}, {'b', 429}};
    struct site site;

    (void)state;
    site_open(&site, (haft_http_options){.rate = {.calls = 1}});
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char principal[SHARED + 2] = {0};
        struct haft_header_index index;
        haft_header host = {"host", "localhost"};
        haft_request request = {.method = "GET",
                                .path = "/mcp",
                                .query = "",
                                .headers = &host,
                                .n_headers = 1,
                                .index_ = &index};
        static struct reply reply;

        memset(principal, 'x', SHARED);
        principal[SHARED] = rows[i].end;
        request.principal = principal;
        hf_headers_index(&host, 1, &index);
        reply = (struct reply){.status = 0};
        if (hf_limit_allows(&site.mux, &request, true, &responder, &reply, site.now))
            reply.status = 200;
        if (reply.status != rows[i].status)
            fail_msg("row %zu: %d", i, reply.status);
    }
    site_close(&site);
}

/* ---- from another thread ---- */

static void *answer_all(void *context)
{
    struct identifying *one = context;

    while (identifying_n_pending(one))
        identifying_answer(one);
    return NULL;
}

static void is_answered_on_another_thread(void **state)
{
    enum { REQUESTS = 12 };
    struct reply *replies = calloc(REQUESTS, sizeof *replies);
    struct identifying one = IDENTIFYING("one");
    struct pending_request pending;
    pthread_t thread;
    struct site site;
    int n_over = 0;

    (void)state;
    assert_non_null(replies);
    site_open(&site, (haft_http_options){.authenticator = &one.base});
    for (int i = 0; i < REQUESTS; i++)
        pending = site_ask(&site, &replies[i], "POST", "/mcp", HOME, JSON AS("wait-ann"), PING);
    assert_true(hf_mux_half_closed(pending));
    assert_int_equal(pthread_create(&thread, NULL, answer_all, &one), 0);
    while (n_over < REQUESTS) {
        hf_mux_tick(&site.mux, site.now);
        n_over = 0;
        for (int i = 0; i < REQUESTS; i++)
            n_over += replies[i].over;
    }
    pthread_join(thread, NULL);
    assert_int_equal(site.n_wakes, REQUESTS);
    for (int i = 0; i < REQUESTS; i++)
        assert_int_equal(replies[i].status, 200);
    /* The program ends while some are pending, whose clients leave. */
    for (int i = 0; i < 2; i++)
        pending = site_ask(&site, &replies[i], "POST", "/mcp", HOME, JSON AS("wait-ann"), PING);
    one.refuses_to_cancel = true;
    hf_mux_gone(pending);
    hf_mux_shut_down(&site.mux);
    assert_false(hf_mux_idle(&site.mux));
    answer_all(&one);
    hf_mux_tick(&site.mux, site.now);
    hf_mux_abandon(&site.mux);
    assert_true(replies[0].over && !replies[1].over);
    site_close(&site);
    identifying_assert_over(&one);
    free(replies);
}

static void opens_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct identifying one = IDENTIFYING("one");
        struct failing failing;
        struct site site;

        failing_init(&failing, nth);
        if (!site_try(&site, (haft_http_options){.authenticator = &one.base, .legacy_sse = true},
                      &failing.allocator)) {
            failing.fail_at = 0;
            visit(&site, &(struct visit){"GET", RESOURCE, HOME, HOST, "", 200, "*", NULL}, nth);
            site_close(&site);
        }
        failing_check(&failing);
        identifying_assert_over(&one);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_two_authenticators),
        cmocka_unit_test(parts_an_app_into_resources),
        cmocka_unit_test(hides_credentials),
        cmocka_unit_test(asks_admit_after_the_check),
        cmocka_unit_test(keeps_what_is_known_of_a_client),
        cmocka_unit_test(counts_each_request_once),
        cmocka_unit_test(counts_refused_requests_in_the_total),
        cmocka_unit_test(tells_long_principals_apart),
        cmocka_unit_test(is_answered_on_another_thread),
        cmocka_unit_test(opens_without_memory),
    };

    return cmocka_run_group_tests_name("identities", tests, NULL, NULL);
}
