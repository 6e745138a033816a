/* test_authenticator_keys.c - keys of issuers: what an issuer may do wrong, outages, rotation, clocks,
 * threads and memory. */
#define _GNU_SOURCE
#include "auth/issuer.h"
#include "auth/shared_failing.h"

static const char discovery[] = "/.well-known/oauth-authorization-server";
static const char json[] = "200 OK\r\nContent-Type: application/json";

static void wait_for(atomic_int *count, int n)
{
    for (int ms = 0; atomic_load(count) < n; ms++) {
        assert_true(ms < LONG_MS);
        poll(NULL, 0, 1);
    }
}

/* Whether the log has a line with the text; a line may come a moment after the answer. */
static bool logged(struct subject *subject, const char *text)
{
    bool found = false;

    for (int ms = 0; !found && ms < LONG_MS; ms++) {
        pthread_mutex_lock(&subject->lock);
        found = strstr(subject->log, text);
        pthread_mutex_unlock(&subject->lock);
        if (!found)
            poll(NULL, 0, 1);
    }
    return found;
}

/* None of these issuers is believed, and none of their faults is a refusal of the token. */
static void survives_faults(void **state)
{
    static const struct {
        const char *path, *status, *body, *log;
    } rows[] = {
        {discovery, "404 Not Found", "", "has no metadata: it answered 404"},
        {discovery, "500 Oops", "", "it answered 500"},
        {discovery, json, "<html>", "not a valid JSON object"},
        {discovery, "200 OK\r\nContent-Type: text/html", "{'issuer':'@','jwks_uri':'@/jwks'}",
         "not application/json"},
        {discovery, json, "{'issuer':'@/','jwks_uri':'@/jwks'}", "names another issuer"},
        {discovery, json, "{'issuer':'@','jwks_uri':'http://10.0.0.1/jwks'}", "not https"},
        {discovery, json, "{'issuer':'@','jwks_uri':'file:///jwks'}", "not https"},
        {discovery, json, "{'issuer':'@','jwks_uri':7}", "jwks_uri"},
        {discovery, json, "{'issuer':'@'}", "has no jwks_uri"},
        {discovery, "302 Found\r\nLocation: /jwks", "", "cannot fetch its keys"},
        {"/jwks", "404 Not Found", "", "it answered 404"},
        {"/jwks", "500 Oops", "", "it answered 500"},
        {"/jwks", "302 Found\r\nLocation: /other", "", "cannot fetch its keys"},
        {"/jwks", json, "<html>", "cannot fetch its keys"},
        {"/jwks", json, "{'keys':[]}", "cannot fetch its keys"},
        {"/jwks", json, "{'keys':[{'kty':'oct','k':'AAAA'}]}", "cannot fetch its keys"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
        haft_header header = {"Authorization", value};
        haft_request request = {
            .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
        struct subject subject;
        struct visitor visitor;
        int requests;

        subject_open(&subject);
        subject.issuer.changed = rows[i].path;
        subject.issuer.status = rows[i].status;
        subject.issuer.body = rows[i].body;
        token_make(&subject.issuer, 0, "", token);
        snprintf(value, sizeof value, "Bearer %s", token);
        assert_int_equal(visit(&visitor, &subject, &request), HAFT_STOP);
        assert_int_equal(visitor.authentication.refusal.status, 503);
        assert_string_equal(visitor_header(&visitor, "Retry-After"), "5");
        assert_string_equal(visitor_header(&visitor, "WWW-Authenticate"), "");
        assert_non_null(strstr(visitor.authentication.refusal.body, "temporarily_unavailable"));
        visitor_release(&visitor);
        if (!logged(&subject, rows[i].log))
            fail_msg("row %zu: %s", i, subject.log);
        assert_null(strstr(subject.log, token));
        /* For a while nobody waits for it, and nobody asks it. */
        requests = atomic_load(&subject.issuer.rogue->requests);
        assert_int_equal(visit_with(&subject, "Bearer", token), 503);
        assert_int_equal(atomic_load(&subject.issuer.rogue->requests), requests);
        /* It recovers. */
        subject.issuer.changed = NULL;
        subject_pass(&subject, 6);
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
        subject_close(&subject);
    }
}

static void finds_metadata(void **state)
{
    static const char *const places[] = {discovery, "/.well-known/openid-configuration"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        char token[ISSUER_TEXT];
        struct subject subject;

        subject_open(&subject);
        subject.issuer.missing = i ? discovery : NULL;
        subject.issuer.changed = places[i];
        subject.issuer.status = json;
        subject.issuer.body = "{'issuer':'@','jwks_uri':'@/jwks'}";
        token_make(&subject.issuer, 0, "", token);
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
        subject_close(&subject);
    }
}

static void needs_no_metadata(void **state)
{
    char token[ISSUER_TEXT], uri[128];
    struct fake_issuer issuer;
    struct subject subject = {.log = ""};
    haft_issuer trusted = HAFT_INIT(haft_issuer, .jwks_uri = uri);

    (void)state;
    issuer_open(&issuer);
    subject.issuer = issuer;
    subject.issuer.rogue->context = &subject.issuer;
    pthread_mutex_init(&subject.lock, NULL);
    atomic_store(&subject.wall, START * 1000);
    snprintf(uri, sizeof uri, "%s/jwks", issuer.rogue->url);
    trusted.url = issuer.rogue->url;
    subject.authenticator = hf_authenticator_create(
        HAFT_WITH(haft_authenticator_options, .resource = "https://tools.example/mcp",
                  .issuers = &trusted, .n_issuers = 1),
        hf_allocator_or_default(NULL), NULL);
    hf_authenticator_set_clock(subject.authenticator, (struct auth_clock){subject_now, &subject});
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    assert_int_equal(atomic_load(&subject.issuer.metadata), 0);
    subject_close(&subject);
}

/* An issuer that does not answer: the request does not wait for longer than five seconds. */
static void waits_in_bounds(void **state)
{
    char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
    haft_header header = {"Authorization", value};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    struct subject subject;
    struct visitor visitor;

    (void)state;
    subject_open(&subject);
    atomic_store(&subject.issuer.holds, true);
    token_make(&subject.issuer, 0, "", token);
    snprintf(value, sizeof value, "Bearer %s", token);
    assert_int_equal(visitor_begin(&visitor, &subject, &request), HAFT_PENDING);
    subject_pass(&subject, 4);
    wait_for(&subject.issuer.metadata, 1);
    poll(NULL, 0, 120); /* more than the thread's tick: it would have ended the wait */
    assert_int_equal(atomic_load(&visitor.dones), 0);
    subject_pass(&subject, 1);
    assert_int_equal(visitor_wait(&visitor), HAFT_STOP);
    assert_int_equal(visitor.authentication.refusal.status, 503);
    assert_false(
        subject.authenticator->class->cancel(subject.authenticator, &visitor.authentication));
    visitor_release(&visitor);
    atomic_store(&subject.issuer.holds, false);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    subject_close(&subject);
}

static void keeps_keys_over_outages(void **state)
{
    char token[ISSUER_TEXT];
    struct subject subject;

    (void)state;
    subject_open(&subject);
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    atomic_store(&subject.issuer.down, true);
    subject_pass(&subject, 400); /* no longer fresh */
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    assert_true(logged(&subject, "the earlier keys remain in use"));
    subject_pass(&subject, 86400 - 200); /* 24 hours less 100 s after they were fresh */
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    subject_pass(&subject, 200);
    assert_int_equal(visit_with(&subject, "Bearer", token), 503);
    atomic_store(&subject.issuer.down, false);
    subject_pass(&subject, 31);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    subject_close(&subject);
}

/* How long keys are fresh: four fifths of it pass without a fetch, and then one happens while nobody
 * waits. */
static void fetches_before_expiry(void **state)
{
    static const struct {
        const char *headers;
        int seconds;
    } rows[] = {
        {"200 OK\r\nContent-Type: application/json", 300},
        {"200 OK\r\nCache-Control: max-age=1", 300},
        {"200 OK\r\nCache-Control: public, Max-Age=600", 600},
        {"200 OK\r\nCache-Control: max-age=600, no-store", 300},
        {"200 OK\r\nCache-Control: max-age=99999999999999999999", 3600},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
        haft_header header = {"Authorization", value};
        haft_request request = {
            .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
        struct subject subject;
        struct visitor visitor;

        subject_open(&subject);
        subject.issuer.headers = rows[i].headers;
        token_make(&subject.issuer, 0, "", token);
        snprintf(value, sizeof value, "Bearer %s", token);
        assert_int_equal(visit(&visitor, &subject, &request), 0);
        visitor_release(&visitor);
        subject_pass(&subject, rows[i].seconds / 5 * 4 - 1);
        assert_int_equal(visitor_begin(&visitor, &subject, &request), 0);
        visitor_release(&visitor);
        assert_int_equal(atomic_load(&subject.issuer.jwks), 1);
        subject_pass(&subject, rows[i].seconds / 5 - 1 > 61 ? 61 : rows[i].seconds / 5 - 1);
        /* The cache has forgotten the token, or not; a new one asks for keys. */
        token_make(&subject.issuer, 0, ",'n':2", token);
        snprintf(value, sizeof value, "Bearer %s", token);
        assert_int_equal(visitor_begin(&visitor, &subject, &request), 0);
        visitor_release(&visitor);
        wait_for(&subject.issuer.jwks, 2);
        assert_int_equal(atomic_load(&subject.issuer.metadata), 1);
        subject_close(&subject);
    }
}

/* ---- rotation ---- */

enum { FLIGHT = 1000 };

static void rotates(void **state)
{
    char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
    haft_header header = {"Authorization", value};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    static struct visitor visitors[FLIGHT];
    struct subject subject;

    (void)state;
    subject_open_with(&subject, (haft_authenticator_options){.max_cached = SIZE_MAX},
                      (haft_issuer){.url = NULL}, NULL);
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    atomic_store(&subject.issuer.published, 2);
    atomic_store(&subject.issuer.holds, true);
    token_make(&subject.issuer, 1, "", token);
    snprintf(value, sizeof value, "Bearer %s", token);
    for (int i = 0; i < FLIGHT; i++)
        assert_int_equal(visitor_begin(&visitors[i], &subject, &request), HAFT_PENDING);
    atomic_store(&subject.issuer.holds, false);
    for (int i = 0; i < FLIGHT; i++) {
        assert_int_equal(visitor_wait(&visitors[i]), 0);
        visitor_release(&visitors[i]);
    }
    assert_int_equal(atomic_load(&subject.issuer.jwks), 2);
    /* The key that is gone is refused. */
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    subject_close(&subject);
}

/* A fetch that began before the rotation does not use up the token's chance. */
static void rotates_during_fetch(void **state)
{
    char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
    haft_header header = {"Authorization", value};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    struct subject subject;
    struct visitor visitor;

    (void)state;
    subject_open(&subject);
    atomic_store(&subject.issuer.holds, true);
    token_make(&subject.issuer, 1, "", token);
    snprintf(value, sizeof value, "Bearer %s", token);
    assert_int_equal(visitor_begin(&visitor, &subject, &request), HAFT_PENDING);
    wait_for(&subject.issuer.metadata, 1);
    atomic_store(&subject.issuer.holds, false);
    /* The first answer has only k0. */
    wait_for(&subject.issuer.jwks, 1);
    atomic_store(&subject.issuer.published, 3);
    assert_int_equal(visitor_wait(&visitor), 0);
    visitor_release(&visitor);
    subject_close(&subject);
}

/* An issuer that publishes no key, or none that can be used, withdraws those that it had; a reload
 * makes the server see it at once. */
static void withdraws_keys(void **state)
{
    static const char *const empty[] = {"{'keys':[]}", "{'keys':[{'kty':'oct','k':'AAAA'}]}"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(empty); i++) {
        char token[ISSUER_TEXT];
        struct subject subject;

        subject_open(&subject);
        token_make(&subject.issuer, 0, "", token);
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
        subject.issuer.changed = "/jwks";
        subject.issuer.status = json;
        subject.issuer.body = empty[i];
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
        assert_int_equal(haft_authenticator_reload(subject.authenticator, NULL), 0);
        assert_true(logged(&subject, "the earlier keys are no longer used"));
        assert_int_equal(visit_with(&subject, "Bearer", token), 401);
        /* And publishes others. */
        subject.issuer.changed = NULL;
        subject_pass(&subject, 61);
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
        subject_close(&subject);
    }
}

/* Keys that are fetched when a reload comes are fetched once more, and used meanwhile. */
static void fetches_at_reload(void **state)
{
    char token[ISSUER_TEXT], other[ISSUER_TEXT];
    struct subject subject;

    (void)state;
    subject_open(&subject);
    /* Nothing is fetched for nobody. */
    assert_int_equal(haft_authenticator_reload(subject.authenticator, NULL), 0);
    token_make(&subject.issuer, 0, "", token);
    token_make(&subject.issuer, 0, ",'n':2", other);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    assert_int_equal(atomic_load(&subject.issuer.jwks), 1);
    atomic_store(&subject.issuer.holds, true);
    assert_int_equal(haft_authenticator_reload(subject.authenticator, NULL), 0);
    wait_for(&subject.issuer.jwks, 2);
    assert_int_equal(haft_authenticator_reload(subject.authenticator, NULL), 0);
    assert_int_equal(visit_with(&subject, "Bearer", other), 200);
    atomic_store(&subject.issuer.published, 1 << 1);
    atomic_store(&subject.issuer.holds, false);
    wait_for(&subject.issuer.jwks, 3);
    /* Tokens that were verified meanwhile are forgotten with their keys. */
    for (int ms = 0; visit_with(&subject, "Bearer", other) == 200; ms++) {
        assert_true(ms < LONG_MS);
        poll(NULL, 0, 1);
    }
    assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    subject_close(&subject);
}

static void bounds_unknown_keys(void **state)
{
    char token[ISSUER_TEXT];
    struct subject subject;

    (void)state;
    subject_open(&subject);
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    token_make(&subject.issuer, 2, "", token);
    for (int second = 0; second < 130; second++) {
        for (int i = 0; i < 10; i++)
            assert_int_equal(visit_with(&subject, "Bearer", token), 401);
        subject_pass(&subject, 1);
    }
    /* At the start, and after 0, 60 and 120 seconds. */
    assert_int_equal(atomic_load(&subject.issuer.jwks), 4);
    subject_close(&subject);
}

/* A forged key does not use up the fetch that a new key needs; many of them are bounded. */
static void spares_fetches_for_new_keys(void **state)
{
    char token[ISSUER_TEXT], header[64], claims[512];
    struct subject subject;

    (void)state;
    subject_open(&subject);
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    snprintf(claims, sizeof claims,
             "{'iss':'@','aud':'https://tools.example/mcp','sub':'alice','client_id':'c1',"
             "'iat':%lld,'exp':%lld,'jti':'j'}",
             (long long)START, (long long)START + 8640000);
    token_sign(subject.issuer.keys[2], "{'alg':'ES256','typ':'at+jwt','kid':'forged'}", claims,
               subject.issuer.rogue->url, token);
    for (int i = 0; i < 10; i++)
        assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    assert_int_equal(atomic_load(&subject.issuer.jwks), 2);
    atomic_store(&subject.issuer.published, 3);
    token_make(&subject.issuer, 1, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    for (int i = 0; i < 20; i++) {
        snprintf(header, sizeof header, "{'alg':'ES256','typ':'at+jwt','kid':'x%d'}", i);
        token_sign(subject.issuer.keys[2], header, claims, subject.issuer.rogue->url, token);
        assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    }
    /* The first one, and four. */
    assert_int_equal(atomic_load(&subject.issuer.jwks), 5);
    subject_close(&subject);
}

/* Before the body of a request: what is known is decided, and nothing waits. */
static void foresees_refusals(void **state)
{
    char token[ISSUER_TEXT], good[ISSUER_TEXT + 16], unknown[ISSUER_TEXT + 16],
        forged[ISSUER_TEXT + 16];
    struct subject subject;

    (void)state;
    subject_open(&subject);
    token_make(&subject.issuer, 0, "", token);
    snprintf(good, sizeof good, "Bearer %s", token);
    snprintf(forged, sizeof forged, "Bearer %sAAAA", token);
    token_make(&subject.issuer, 2, "", token);
    snprintf(unknown, sizeof unknown, "Bearer %s", token);
    assert_int_equal(foreseen_with(&subject, NULL, NULL), 401);
    assert_int_equal(foreseen_with(&subject, "Bearer", NULL), 400);
    assert_int_equal(foreseen_with(&subject, "Bearer a.b.c", NULL), 401);
    assert_int_equal(atomic_load(&subject.issuer.metadata), 0);
    /* Nobody knows, but the keys are fetched meanwhile. */
    assert_int_equal(foreseen_with(&subject, unknown, NULL), 0);
    wait_for(&subject.issuer.jwks, 1);
    assert_int_equal(visit_with(&subject, "Bearer", good + 7), 200);
    assert_int_equal(foreseen_with(&subject, good, NULL), 0);
    assert_int_equal(foreseen_with(&subject, forged, NULL), 401);
    assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    assert_int_equal(foreseen_with(&subject, unknown, NULL), 401);
    subject_close(&subject);
}

/* ---- clocks ---- */

static void expires_in_time(void **state)
{
    static const size_t cached[] = {0, SIZE_MAX};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cached); i++) {
        char token[ISSUER_TEXT], claims[256];
        struct subject subject;

        subject_open_with(&subject,
                          (haft_authenticator_options){.max_cached = cached[i], .cache_ms = 600000},
                          (haft_issuer){.url = NULL}, NULL);
        snprintf(claims, sizeof claims,
                 "{'iss':'@','aud':'https://tools.example/mcp','sub':'s','exp':%lld}",
                 (long long)START + 10);
        token_sign(subject.issuer.keys[0], "{'alg':'ES256','typ':'at+jwt','kid':'k0'}", claims,
                   subject.issuer.rogue->url, token);
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
        subject_pass(&subject, 69);
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
        subject_pass(&subject, 1);
        assert_int_equal(visit_with(&subject, "Bearer", token), 401);
        subject_close(&subject);
    }
}

static void survives_clock_changes(void **state)
{
    char token[ISSUER_TEXT];
    struct subject subject;

    (void)state;
    subject_open(&subject);
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    atomic_fetch_sub(&subject.wall, 3600000);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    /* The cache goes by a clock that is not set back. */
    atomic_fetch_add(&subject.steady, 60000);
    assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    atomic_fetch_add(&subject.wall, 3600000);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    subject_close(&subject);
}

/* ---- the end ---- */

static void cancels(void **state)
{
    char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
    haft_header header = {"Authorization", value};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    struct visitor gone, left;
    struct subject subject;

    (void)state;
    subject_open(&subject);
    atomic_store(&subject.issuer.holds, true);
    token_make(&subject.issuer, 0, "", token);
    snprintf(value, sizeof value, "Bearer %s", token);
    assert_int_equal(visitor_begin(&gone, &subject, &request), HAFT_PENDING);
    assert_int_equal(visitor_begin(&left, &subject, &request), HAFT_PENDING);
    assert_true(subject.authenticator->class->cancel(subject.authenticator, &gone.authentication));
    subject.authenticator->class->hold(subject.authenticator);
    haft_authenticator_free(subject.authenticator);
    assert_int_equal(atomic_load(&left.dones), 0);
    subject_close(&subject);
    assert_int_equal(atomic_load(&gone.dones), 0);
    assert_int_equal(atomic_load(&left.dones), 1);
    assert_int_equal(left.status, HAFT_ECLOSED);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 200, TOKENS = 8 };

struct crowd {
    struct subject *subject;
    char tokens[TOKENS][ISSUER_TEXT];
    atomic_int failed;
};

static void *crowd_run(void *context)
{
    struct crowd *crowd = context;

    for (int i = 0; i < ROUNDS; i++) {
        if (visit_with(crowd->subject, "Bearer", crowd->tokens[i % TOKENS]) != 200)
            atomic_fetch_add(&crowd->failed, 1);
        if (i % 50 == 49)
            subject_pass(crowd->subject, 61);
    }
    return NULL;
}

static void serves_threads(void **state)
{
    static struct crowd crowd;
    pthread_t threads[THREADS];
    struct subject subject;

    (void)state;
    subject_open_with(&subject, (haft_authenticator_options){.max_cached = 4},
                      (haft_issuer){.url = NULL}, NULL);
    atomic_store(&subject.issuer.published, 7);
    crowd.subject = &subject;
    atomic_store(&crowd.failed, 0);
    for (unsigned i = 0; i < TOKENS; i++) {
        char more[32];

        snprintf(more, sizeof more, ",'n':%u", i);
        token_make(&subject.issuer, i % ISSUER_KEYS, more, crowd.tokens[i]);
    }
    /* The threads let time pass: none of them may have to wait for keys meanwhile. */
    subject.issuer.headers = "200 OK\r\nCache-Control: max-age=3600";
    assert_int_equal(visit_with(&subject, "Bearer", crowd.tokens[0]), 200);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, crowd_run, &crowd), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&crowd.failed), 0);
    subject_close(&subject);
}

/* ---- memory ---- */

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct shared_failing shared;
        struct subject subject;
        size_t failures;

        shared_failing_open(&shared, nth);
        subject_open_with(&subject, (haft_authenticator_options){.scopes = "a"},
                          (haft_issuer){.url = NULL}, &shared.allocator);
        if (subject.authenticator) {
            char token[ISSUER_TEXT];
            int first, second, third;

            token_make(&subject.issuer, 0, "", token);
            first = visit_with(&subject, "Bearer", token);
            subject_pass(&subject, 6);
            second = visit_with(&subject, "Bearer", token);
            third = visit_with(&subject, "Bearer", "wrong");
            assert_true(first == 200 || first == 503 || first == HAFT_ENOMEM);
            assert_true(second == 200 || second == 503 || second == HAFT_ENOMEM);
            assert_true(third == 401 || third == HAFT_ENOMEM);
            assert_true(first == 200 || second == 200);
        }
        subject_close(&subject);
        failures = shared_failing_close(&shared);
        if (!failures)
            break;
    }
}

/* What is known costs no memory. */
static void allocates_nothing_for_known_tokens(void **state)
{
    struct shared_failing shared;
    char token[ISSUER_TEXT];
    struct subject subject;
    size_t calls;

    (void)state;
    shared_failing_open(&shared, 0);
    subject_open_with(&subject, (haft_authenticator_options){.scopes = "a"},
                      (haft_issuer){.url = NULL}, &shared.allocator);
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    calls = shared_failing_calls(&shared);
    for (int i = 0; i < 8; i++)
        assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    assert_int_equal(shared_failing_calls(&shared), calls);
    subject_close(&subject);
    shared_failing_close(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_faults),
        cmocka_unit_test(finds_metadata),
        cmocka_unit_test(needs_no_metadata),
        cmocka_unit_test(waits_in_bounds),
        cmocka_unit_test(keeps_keys_over_outages),
        cmocka_unit_test(fetches_before_expiry),
        cmocka_unit_test(rotates),
        cmocka_unit_test(rotates_during_fetch),
        cmocka_unit_test(withdraws_keys),
        cmocka_unit_test(fetches_at_reload),
        cmocka_unit_test(bounds_unknown_keys),
        cmocka_unit_test(spares_fetches_for_new_keys),
        cmocka_unit_test(foresees_refusals),
        cmocka_unit_test(expires_in_time),
        cmocka_unit_test(survives_clock_changes),
        cmocka_unit_test(cancels),
        cmocka_unit_test(serves_threads),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(allocates_nothing_for_known_tokens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
