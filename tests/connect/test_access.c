/* test_access.c - authorizers: the headers of requests, challenges, waits, and where a token goes. */
#define _GNU_SOURCE
#include <haft/authorize.h>

#include "auth/authorizer.h"
#include "connect/site.h"
#include "connect/tap.h"

#define ANSWER "{\"id\":1,\"result\":{}}"
#define OKAY                                                                                       \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n" ANSWER
#define DENIED(line)                                                                               \
    "HTTP/1.1 " line "\r\nWWW-Authenticate: Bearer realm=x\r\nContent-Length: 0\r\n\r\n"

/* ---- an authorizer that does as it is told ---- */

struct scripted {
    haft_authorizer base;
    uv_loop_t *loop;
    int before[4], after[4]; /* what `headers` and `challenged` return, one after another */
    int done;                /* the status of waits */
    unsigned n_before, n_after, attached, detached, cancelled;
    struct authorizer_wait *wait;
    bool holds; /* waits never end */
    uv_timer_t timer;
    char seen[200]; /* of the latest challenge */
};

static void scripted_on_timer(uv_timer_t *timer)
{
    struct scripted *own = timer->data;
    struct authorizer_wait *wait = own->wait;
    haft_reason reason = {.code = HAFT_EDENIED, .text = "the login was refused"};

    own->wait = NULL;
    wait->done(wait, own->done, own->done ? &reason : NULL);
}

static int scripted_wait(struct scripted *own, int status, struct authorizer_wait *wait)
{
    if (status != HAFT_PENDING)
        return status;
    assert_null(own->wait);
    own->wait = wait;
    if (!own->holds)
        uv_timer_start(&own->timer, scripted_on_timer, 20, 0);
    return status;
}

static int scripted_attach(haft_authorizer *authorizer, const struct authorizer_loop *loop,
                           haft_reason *reterr_reason)
{
    struct scripted *own = (struct scripted *)authorizer;

    (void)reterr_reason;
    own->attached++;
    own->loop = loop->uv;
    uv_timer_init(loop->uv, &own->timer);
    own->timer.data = own;
    return 0;
}

static void scripted_detach(haft_authorizer *authorizer)
{
    struct scripted *own = (struct scripted *)authorizer;

    assert_null(own->wait);
    own->detached++;
    uv_close((uv_handle_t *)&own->timer, NULL);
}

static int scripted_headers(haft_authorizer *authorizer, const char *method, const char *server,
                            const char *url, haft_arena *arena,
                            struct http_field ret_fields[AUTHORIZER_FIELDS], size_t *ret_n,
                            struct authorizer_wait *wait)
{
    struct scripted *own = (struct scripted *)authorizer;
    int status = own->before[own->n_before < 3 ? own->n_before : 3];

    (void)server, (void)method;
    assert_true(strstr(url, "/mcp"));
    *ret_n = 0;
    own->n_before++;
    if (!status)
        ret_fields[(*ret_n)++] =
            (struct http_field){"Authorization", haft_arena_printf(arena, "t%u", own->n_before)};
    return scripted_wait(own, status, wait);
}

static int scripted_challenged(haft_authorizer *authorizer,
                               const struct authorizer_challenge *challenge,
                               struct authorizer_wait *wait, haft_reason *reterr_reason)
{
    struct scripted *own = (struct scripted *)authorizer;
    int status = own->after[own->n_after < 3 ? own->n_after : 3];
    const char *asked = "";

    for (size_t i = 0; i < challenge->n_fields; i++)
        if (!strcasecmp(challenge->fields[i].name, "WWW-Authenticate"))
            asked = challenge->fields[i].value;
    snprintf(own->seen, sizeof own->seen, "%d %s %s %s", challenge->status, challenge->operation,
             challenge->sent ? challenge->sent : "-", asked);
    own->n_after++;
    if (status < 0)
        hf_error_set(reterr_reason, status, "", "no way");
    return scripted_wait(own, status, wait);
}

static void scripted_cancel(haft_authorizer *authorizer, struct authorizer_wait *wait)
{
    struct scripted *own = (struct scripted *)authorizer;

    assert_ptr_equal(own->wait, wait);
    own->wait = NULL;
    own->cancelled++;
    uv_timer_stop(&own->timer);
}

static const struct authorizer_class scripted_class = {.attach = scripted_attach,
                                                       .detach = scripted_detach,
                                                       .headers = scripted_headers,
                                                       .challenged = scripted_challenged,
                                                       .cancel = scripted_cancel};

static const struct access_case {
    const char *name;
    struct scripted script;
    struct site_answer answers[3];
    const char *log, *record, *seen;
} access_cases[] = {
    {"a token",
     {.done = 0},
     {{.text = OKAY}},
     "message " ANSWER "\n",
     "POST /mcp Authorization=t1\n",
     ""},
    {"a token that is renewed first",
     {.before = {HAFT_PENDING}},
     {{.text = OKAY}},
     "held 1 1\nheld 1 0\nmessage " ANSWER "\n",
     "POST /mcp Authorization=t2\n",
     ""},
    {"a token that cannot be renewed",
     {.before = {HAFT_PENDING}, .done = HAFT_EDENIED},
     {{.text = OKAY}},
     "held 1 1\nheld 1 0\nfailed 1: -23/0 the login was refused\n",
     "",
     ""},
    {"no memory for a header",
     {.before = {HAFT_ENOMEM}},
     {{.text = OKAY}},
     "failed 1: -19/0 out of memory\n",
     "",
     ""},
    {"a challenge",
     {.done = 0},
     {{.text = DENIED("401 Unauthorized"), .times = 1}, {.text = OKAY}},
     "message " ANSWER "\n",
     "POST /mcp Authorization=t1\nPOST /mcp Authorization=t2\n",
     "401 tools/call t1 Bearer realm=x"},
    {"a challenge that takes time",
     {.after = {HAFT_PENDING}},
     {{.text = DENIED("403 Forbidden"), .times = 1}, {.text = OKAY}},
     "held 1 1\nheld 1 0\nmessage " ANSWER "\n",
     "POST /mcp Authorization=t1\nPOST /mcp Authorization=t2\n",
     "403 tools/call t1 Bearer realm=x"},
    {"a challenge that is refused",
     {.after = {HAFT_EDENIED}},
     {{.text = DENIED("401 Unauthorized")}},
     "failed 1: -23/401 no way\n",
     "POST /mcp Authorization=t1\n",
     "401 tools/call t1 Bearer realm=x"},
    {"a login that is refused",
     {.after = {HAFT_PENDING}, .done = HAFT_EDENIED},
     {{.text = DENIED("401 Unauthorized")}},
     "held 1 1\nheld 1 0\nfailed 1: -23/401 the login was refused\n",
     "POST /mcp Authorization=t1\n",
     "401 tools/call t1 Bearer realm=x"},
    {"a server that is never content",
     {.done = 0},
     {{.text = DENIED("401 Unauthorized")}},
     "failed 1: -23/401 the server keeps asking for access\n",
     "POST /mcp Authorization=t1\nPOST /mcp Authorization=t2\nPOST /mcp Authorization=t3\n"
     "POST /mcp Authorization=t4\nPOST /mcp Authorization=t5\nPOST /mcp Authorization=t6\n"
     "POST /mcp Authorization=t7\nPOST /mcp Authorization=t8\nPOST /mcp Authorization=t9\n",
     "401 tools/call t8 Bearer realm=x"},
};

static void open_with(struct tap *tap, const char *url, haft_authorizer *authorizer)
{
    haft_reason reason = {0};

    haft_part_register(&haft_http_client_part);
    if (!tap_open(tap, HAFT_WITH(haft_target, .url = url, .proxy = "", .authorizer = authorizer),
                  NULL, &reason))
        fail_msg("%s", reason.text);
}

static void test_access(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(access_cases); i++) {
        const struct access_case *row = &access_cases[i];
        struct scripted script = row->script;
        struct site site;
        struct tap tap;
        char url[100];

        script.base.class = &scripted_class;
        site_open(&site, row->answers);
        snprintf(url, sizeof url, "%s/mcp", site.rogue->url);
        open_with(&tap, url, &script.base);
        tap_send(&tap, "tools/call", 1, "{\"id\":1}");
        tap_run(&tap, tap_lines(row->log), TAP_MS);
        tap_run(&tap, tap_lines(row->log) + 1, 10); /* nothing follows */
        if (strcmp(tap.log, row->log))
            fail_msg("%s: %s\nexpected: %s", row->name, tap.log, row->log);
        tap_close(&tap);
        if (strcmp(site.record, row->record) || strcmp(script.seen, row->seen))
            fail_msg("%s: %s%s", row->name, site.record, script.seen);
        assert_int_equal(script.attached, 1);
        assert_int_equal(script.detached, 1);
        site_close(&site);
    }
}

/* A request that waits for access is let go, or its client is freed. */
static void test_cancel(void **state)
{
    static const struct site_answer answers[] = {{.text = OKAY}, {0}};

    (void)state;
    for (int frees = 0; frees < 2; frees++) {
        struct scripted script = {.base.class = &scripted_class, .before = {HAFT_PENDING}};
        struct site site;
        struct tap tap;
        char url[100];

        script.holds = true;
        site_open(&site, answers);
        snprintf(url, sizeof url, "%s/mcp", site.rogue->url);
        open_with(&tap, url, &script.base);
        tap_send(&tap, "tools/call", 1, "{\"id\":1}");
        tap_run(&tap, 1, TAP_MS);
        assert_string_equal(tap.log, "held 1 1\n");
        if (!frees)
            tap.transport.let_go(tap.transport.context, tap_tag(1), true);
        tap_close(&tap);
        assert_int_equal(script.cancelled, 1);
        assert_string_equal(site.record, "");
        site_close(&site);
    }
}

/* ---- the fixed token ---- */

static const struct bearer_case {
    const char *first, *url;
    bool sent;
} bearer_cases[] = {
    {NULL, "https://example.com/mcp", true},
    {NULL, "https://example.com:444", true},
    {NULL, "http://127.0.0.1:80/mcp", true},
    {NULL, "http://127.9.8.7/mcp", true},
    {NULL, "http://[::1]:8808/mcp", true},
    {NULL, "http://localhost/mcp", true},
    {NULL, "http://LOCALHOST:1", true},
    {NULL, "http://example.com/mcp", false},
    {NULL, "http://localhost.example.com/mcp", false},
    {NULL, "http://127.0.0.1.example.com/mcp", false},
    {NULL, "http://[::2]/mcp", false},
    {NULL, "http://127.0.0.1:80@example.com/mcp", false},
    {NULL, "http://localhost:x@example.com/mcp", false},
    {NULL, "http://localhost/a@b", true},
    {NULL, "ftp://127.0.0.1/mcp", false},
    {NULL, "nonsense", false},
    {NULL, "", false},
    {"https://example.com/mcp", "https://example.com/other", true},
    {"https://example.com/mcp", "https://EXAMPLE.com", true},
    {"https://example.com/mcp", "https://example.com:8443/mcp", false},
    {"https://example.com/mcp", "https://example.org/mcp", false},
    {"https://example.com/mcp", "http://example.com/mcp", false},
    {"http://127.0.0.1:1/", "http://127.0.0.1:2/", false},
};

static size_t bearer_put(haft_authorizer *authorizer, const char *url)
{
    struct http_field fields[AUTHORIZER_FIELDS];
    haft_arena *arena = haft_arena_new(NULL, 1000);
    size_t n = 9;

    assert_int_equal(
        authorizer->class->headers(authorizer, "POST", url, url, arena, fields, &n, NULL), 0);
    if (n) {
        assert_string_equal(fields[0].name, "Authorization");
        assert_string_equal(fields[0].value, "Bearer s3cret");
    }
    haft_arena_free(arena);
    return n;
}

static void test_bearer(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bearer_cases); i++) {
        const struct bearer_case *row = &bearer_cases[i];
        haft_authorizer *authorizer = haft_bearer_new("s3cret");

        if (row->first)
            assert_int_equal(bearer_put(authorizer, row->first), 1);
        if (haft_authorizer_has_token(authorizer, row->url) != row->sent ||
            bearer_put(authorizer, row->url) != row->sent)
            fail_msg("%s after %s", row->url, row->first ? row->first : "nothing");
        haft_authorizer_free(authorizer);
    }
    assert_null(haft_bearer_new(NULL));
    assert_null(haft_bearer_new(""));
    assert_null(haft_bearer_new("a b"));
    assert_null(haft_bearer_new("a\r\nX: y"));
    haft_authorizer_free(NULL);
}

static void test_bearer_refused(void **state)
{
    static const struct site_answer answers[] = {{.text = DENIED("401 Unauthorized")}, {0}};
    haft_authorizer *authorizer = haft_bearer_new("s3cret");
    struct site site;
    struct tap tap;
    char url[100];

    (void)state;
    site_open(&site, answers);
    snprintf(url, sizeof url, "%s/mcp", site.rogue->url);
    open_with(&tap, url, authorizer);
    tap_send(&tap, "tools/call", 1, "{\"id\":1}");
    tap_run(&tap, 1, TAP_MS);
    assert_string_equal(
        tap.log, "failed 1: -23/401 the server answered 401: it does not accept the token\n");
    tap_close(&tap);
    assert_string_equal(site.record, "POST /mcp Authorization=Bearer s3cret\n");
    site_close(&site);
    haft_authorizer_free(authorizer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_bearer),
        cmocka_unit_test(test_bearer_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
