/* test_authenticator_asking.c - tokens that are not JWTs: what issuers say about them. */
#define _GNU_SOURCE
#include "auth/issuer.h"
#include "auth/shared_failing.h"

#include "base/percent.h"

#define ACTIVE                                                                                     \
    "{'active':true,'iss':'@','aud':'https://tools.example/mcp','sub':'bob','client_id':'c2',"     \
    "'scope':'a','exp':1800000600"

static void asking_open(struct subject *subject, haft_authenticator_options options)
{
    subject_open_with(
        subject, options,
        (haft_issuer){.introspection = "", .client_id = "me:1", .client_secret = "se cret"}, NULL);
    subject->issuer.answer = ACTIVE "}";
}

static void answers(void **state)
{
    static const struct {
        const char *answer;
        int status, questions; /* for two requests */
        const char *log;
    } rows[] = {
        {ACTIVE "}", 200, 1, ""},
        {"{'active':true,'aud':'https://tools.example/mcp','sub':'bob','exp':1800000600}", 200, 1,
         ""},
        {"{'active':false}", 401, 1, ""},
        {"{'active':false,'aud':'https://tools.example/mcp','sub':'bob','exp':1800000600}", 401, 1,
         ""},
        {"{'active':true,'aud':'https://other.example/mcp','sub':'bob','exp':1800000600}", 401, 1,
         ""},
        {"{'active':true,'sub':'bob','exp':1800000600}", 401, 1, ""},
        {"{'active':true,'aud':'https://tools.example/mcp','sub':'bob','exp':1800000600,"
         "'token_type':'refresh_token'}",
         401, 1, ""},
        {"{'active':true,'aud':'https://tools.example/mcp','sub':'bob','exp':1800000600,"
         "'token_type':7}",
         401, 1, ""},
        {"{'active':true,'aud':'https://tools.example/mcp','sub':'bob','exp':1800000600,"
         "'token_type':'bEARER'}",
         200, 1, ""},
        {"{'active':true,'iss':'@/x','aud':'https://tools.example/mcp','sub':'b','exp':1800000600}",
         401, 1, ""},
        {"{'active':true,'aud':'https://tools.example/mcp','sub':'bob','exp':1799999000}", 401, 1,
         ""},
        {"{'active':true,'aud':'https://tools.example/mcp','sub':'a\\u202eb','exp':1800000600}",
         401, 1, ""},
        {"{'active':'true'}", 503, 2, "the answer is not valid"},
        {"{}", 503, 2, "the answer is not valid"},
        {"[]", 503, 2, "the answer is not valid"},
        {"<html>", 503, 2, "the answer is not valid"},
        {"{'active':true,'active':true}", 503, 2, "the answer is not valid"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct subject subject;

        asking_open(&subject, (haft_authenticator_options){.struct_size = 0});
        subject.issuer.answer = rows[i].answer;
        for (int k = 0; k < 2; k++) {
            int status = visit_with(&subject, "Bearer", "opaque+/token");

            if (status != rows[i].status)
                fail_msg("row %zu: %d, %s", i, status, subject.log);
        }
        assert_int_equal(atomic_load(&subject.issuer.questions), rows[i].questions);
        assert_non_null(strstr(subject.log, rows[i].log));
        assert_null(strstr(subject.log, "opaque"));
        assert_null(strstr(subject.log, "cret"));
        assert_string_equal(subject.issuer.form,
                            "token=opaque%2B%2Ftoken&token_type_hint=access_token");
        /* me%3A1:se+cret */
        assert_string_equal(subject.issuer.basic, "Basic bWUlM0ExOnNlK2NyZXQ=");
        subject_close(&subject);
    }
}

static void identifies(void **state)
{
    haft_header header = {"Authorization", "Bearer opaque"};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    struct subject subject;
    struct visitor visitor;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.max_cached = SIZE_MAX});
    assert_int_equal(visit(&visitor, &subject, &request), 0);
    assert_string_equal(visitor.authentication.identity->subject, "bob");
    assert_string_equal(visitor.authentication.identity->client, "c2");
    assert_string_equal(visitor.authentication.identity->scopes, "a");
    assert_string_equal(visitor.authentication.identity->issuer, subject.issuer.rogue->url);
    assert_non_null(strstr(visitor.authentication.identity->claims, "\"active\":true"));
    visitor_release(&visitor);
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    assert_int_equal(atomic_load(&subject.issuer.questions), 2);
    subject_close(&subject);
}

static void remembers_for_a_while(void **state)
{
    struct subject subject;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.cache_ms = 30000});
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    subject.issuer.answer = "{'active':false}";
    subject_pass(&subject, 29);
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    subject_pass(&subject, 1);
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 401);
    subject.issuer.answer = ACTIVE "}";
    subject_pass(&subject, 4);
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 401);
    subject_pass(&subject, 1);
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    assert_int_equal(atomic_load(&subject.issuer.questions), 3);
    subject_close(&subject);
}

/* Anyone can send tokens that are refused; that makes no room for them among verified ones. */
static void forgets_refusals_first(void **state)
{
    struct subject subject;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.max_cached = 1});
    assert_int_equal(visit_with(&subject, "Bearer", "good"), 200);
    subject.issuer.answer = "{'active':false}";
    assert_int_equal(visit_with(&subject, "Bearer", "bad"), 401);
    assert_int_equal(visit_with(&subject, "Bearer", "worse"), 401);
    assert_int_equal(visit_with(&subject, "Bearer", "good"), 200);
    assert_int_equal(atomic_load(&subject.issuer.questions), 3);
    subject_close(&subject);
}

static void survives_outages(void **state)
{
    static const struct {
        const char *changed, *status, *body, *log;
    } rows[] = {
        {"/ask", "401 Unauthorized", "", "introspection failed: it answered 401"},
        {"/ask", "500 Oops", "", "it answered 500"},
        {"/ask", "302 Found\r\nLocation: /other", "", "introspection failed"},
        {"/.well-known/oauth-authorization-server", "200 OK\r\nContent-Type: application/json",
         "{'issuer':'@','jwks_uri':'@/jwks'}", "has no introspection_endpoint"},
        {"/.well-known/oauth-authorization-server", "200 OK\r\nContent-Type: application/json",
         "{'issuer':'@','introspection_endpoint':'http://10.0.0.1/'}", "not https"},
        {"/.well-known/oauth-authorization-server", "500 Oops", "", "introspection"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_header header = {"Authorization", "Bearer opaque"};
        haft_request request = {
            .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
        struct subject subject;
        struct visitor visitor;

        asking_open(&subject, (haft_authenticator_options){.struct_size = 0});
        subject.issuer.changed = rows[i].changed;
        subject.issuer.status = rows[i].status;
        subject.issuer.body = rows[i].body;
        assert_int_equal(visit(&visitor, &subject, &request), HAFT_STOP);
        assert_int_equal(visitor.authentication.refusal.status, 503);
        assert_string_equal(visitor_header(&visitor, "Retry-After"), "5");
        visitor_release(&visitor);
        if (!strstr(subject.log, rows[i].log))
            fail_msg("row %zu: %s", i, subject.log);
        subject_close(&subject);
    }
}

/* Nobody can fill the log with tokens while an issuer is down. */
static void logs_once_a_minute(void **state)
{
    struct subject subject;
    size_t n = 0;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.struct_size = 0});
    subject.issuer.changed = "/ask";
    subject.issuer.status = "500 Oops";
    subject.issuer.body = "";
    for (int i = 0; i < 20; i++) {
        char token[16];

        snprintf(token, sizeof token, "opaque%d", i);
        assert_int_equal(visit_with(&subject, "Bearer", token), 503);
    }
    subject_pass(&subject, 60);
    assert_int_equal(visit_with(&subject, "Bearer", "last"), 503);
    pthread_mutex_lock(&subject.lock);
    for (const char *at = subject.log; (at = strstr(at, "introspection failed")); at++)
        n++;
    assert_int_equal(n, 2);
    assert_non_null(strstr(subject.log, "it answered 500 (and 19 times before)"));
    pthread_mutex_unlock(&subject.lock);
    subject_close(&subject);
}

/* What the metadata said applies until it is replaced; a fetch that failed is repeated soon. */
static void asks_after_failures(void **state)
{
    char token[ISSUER_TEXT];
    struct subject subject;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.max_cached = SIZE_MAX});
    subject.issuer.headers = "200 OK\r\nCache-Control: max-age=86400";
    subject.issuer.status = "500 Oops";
    subject.issuer.body = "";
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    token_make(&subject.issuer, 2, "", token); /* its key is not known */
    subject.issuer.changed = "/jwks";
    assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    subject_pass(&subject, 62);
    subject.issuer.changed = "/.well-known/oauth-authorization-server";
    assert_int_equal(visit_with(&subject, "Bearer", token), 401);
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    subject.issuer.changed = NULL;
    subject_pass(&subject, 31);
    token_make(&subject.issuer, 0, "", token);
    assert_int_equal(visit_with(&subject, "Bearer", token), 200);
    for (int i = 0; i < 1000 && atomic_load(&subject.issuer.metadata) < 3; i++)
        usleep(10000);
    assert_int_equal(atomic_load(&subject.issuer.metadata), 3);
    subject_close(&subject);
}

/* An issuer that has no keys can still be asked. */
static void needs_no_keys(void **state)
{
    struct subject subject;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.struct_size = 0});
    subject.issuer.changed = "/.well-known/oauth-authorization-server";
    subject.issuer.status = "200 OK\r\nContent-Type: application/json";
    subject.issuer.body = "{'issuer':'@','introspection_endpoint':'@/ask'}";
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    subject_close(&subject);
}

enum { CROWD = 500 };

static void shares_questions(void **state)
{
    haft_header header = {"Authorization", "Bearer opaque"};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    static struct visitor visitors[CROWD];
    struct subject subject;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.max_cached = SIZE_MAX});
    atomic_store(&subject.issuer.holds, true);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(visitor_begin(&visitors[i], &subject, &request), HAFT_PENDING);
    assert_true(
        subject.authenticator->class->cancel(subject.authenticator, &visitors[7].authentication));
    atomic_store(&subject.issuer.holds, false);
    for (int i = 0; i < CROWD; i++) {
        if (i == 7)
            continue;
        assert_int_equal(visitor_wait(&visitors[i]), 0);
        visitor_release(&visitors[i]);
    }
    assert_int_equal(atomic_load(&visitors[7].dones), 0);
    assert_int_equal(atomic_load(&subject.issuer.questions), 1);
    subject_close(&subject);
}

/* Tokens that nobody has issued are a way to make the server wait: there is a bound. */
static void bounds_questions(void **state)
{
    enum { MANY = 300, AT_ONCE = 256 };
    static struct visitor visitors[MANY];
    struct subject subject;
    int pending = 0;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.struct_size = 0});
    atomic_store(&subject.issuer.holds, true);
    for (int i = 0; i < MANY; i++) {
        char value[32];
        haft_header header = {"Authorization", value};
        haft_request request = {
            .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
        int status;

        snprintf(value, sizeof value, "Bearer opaque%d", i);
        status = visitor_begin(&visitors[i], &subject, &request);
        pending += status == HAFT_PENDING;
        if (status != HAFT_PENDING) {
            assert_int_equal(visitors[i].authentication.refusal.status, 503);
            visitor_release(&visitors[i]);
            visitors[i].subject = NULL;
        }
    }
    assert_int_equal(pending, AT_ONCE);
    atomic_store(&subject.issuer.holds, false);
    for (int i = 0; i < MANY; i++) {
        if (!visitors[i].subject)
            continue;
        visitor_wait(&visitors[i]);
        visitor_release(&visitors[i]);
    }
    subject_close(&subject);
}

/* With a key instead of a secret. */
static void signs_questions(void **state)
{
    static const char type[] =
        "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        "&client_assertion=";
    char pem[CRYPTO_PEM];
    struct subject subject;
    crypto_key *key;

    (void)state;
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", NULL);
    key = crypto->make(NULL);
    assert_int_equal(crypto->write(key, pem), 0);
    crypto->destroy(key);
    subject_open_with(&subject, (haft_authenticator_options){.struct_size = 0},
                      (haft_issuer){.introspection = "", .client_id = "me", .client_key = pem},
                      NULL);
    subject.issuer.answer = ACTIVE "}";
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    assert_string_equal(subject.issuer.basic, "");
    assert_non_null(
        strstr(subject.issuer.form, "token=opaque&token_type_hint=access_token&client_id=me"));
    assert_non_null(strstr(subject.issuer.form, type));
    assert_true(hf_jwt_is_like(strstr(subject.issuer.form, type) + sizeof type - 1,
                               strlen(strstr(subject.issuer.form, type) + sizeof type - 1)));
    subject_close(&subject);
}

static void ends_while_asking(void **state)
{
    haft_header header = {"Authorization", "Bearer opaque"};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    struct subject subject;
    struct visitor visitor;

    (void)state;
    asking_open(&subject, (haft_authenticator_options){.struct_size = 0});
    atomic_store(&subject.issuer.holds, true);
    assert_int_equal(visitor_begin(&visitor, &subject, &request), HAFT_PENDING);
    subject_close(&subject);
    assert_int_equal(visitor.status, HAFT_ECLOSED);
}

/* ---- memory ---- */

static bool is_hungry(int status)
{
    return status == 503 || status == HAFT_ENOMEM;
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct shared_failing shared;
        struct subject subject;

        shared_failing_open(&shared, nth);
        subject_open_with(
            &subject, (haft_authenticator_options){.scopes = "a"},
            (haft_issuer){.introspection = "", .client_id = "me", .client_secret = "secret"},
            &shared.allocator);
        subject.issuer.answer = ACTIVE "}";
        if (subject.authenticator) {
            int first = visit_with(&subject, "Bearer", "opaque"), second;

            subject_pass(&subject, 6);
            second = visit_with(&subject, "Bearer", "opaque");
            assert_true(first == 200 || is_hungry(first));
            assert_true(second == 200 || is_hungry(second));
            assert_true(first == 200 || second == 200);
        }
        subject_close(&subject);
        if (!shared_failing_close(&shared))
            break;
    }
}

/* What an issuer has said costs no memory again. */
static void allocates_nothing_for_known_tokens(void **state)
{
    struct shared_failing shared;
    struct subject subject;
    size_t calls;

    (void)state;
    shared_failing_open(&shared, 0);
    subject_open_with(
        &subject, (haft_authenticator_options){.scopes = "a"},
        (haft_issuer){.introspection = "", .client_id = "me", .client_secret = "secret"},
        &shared.allocator);
    subject.issuer.answer = ACTIVE "}";
    assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    /* The thread frees its question after it has answered. */
    calls = shared_failing_calls(&shared);
    for (int i = 0; i < 8; i++)
        assert_int_equal(visit_with(&subject, "Bearer", "opaque"), 200);
    assert_int_equal(shared_failing_calls(&shared), calls);
    subject_close(&subject);
    shared_failing_close(&shared);
}

/* ---- the last user is the thread ---- */

static void free_when_done(struct authentication *authentication)
{
    struct visitor *visitor = (struct visitor *)authentication;

    visitor_release(visitor);
    haft_authenticator_free(visitor->subject->authenticator);
    visitor->subject->authenticator = NULL;
    visitor_done(authentication);
}

/* As an abandoned request of a gateway does that was the last one of its configuration. */
static void is_freed_by_its_thread(void **state)
{
    haft_header header = {"Authorization", "Bearer opaque"};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    struct shared_failing shared;
    struct subject subject;
    struct visitor visitor = {.authentication = {.done = free_when_done}, .subject = &subject};

    (void)state;
    shared_failing_open(&shared, 0);
    subject_open_with(
        &subject, (haft_authenticator_options){.struct_size = 0},
        (haft_issuer){.introspection = "", .client_id = "me", .client_secret = "secret"},
        &shared.allocator);
    subject.issuer.answer = ACTIVE "}";
    assert_int_equal(subject.authenticator->class->check(subject.authenticator, &request, "/mcp",
                                                         &visitor.authentication),
                     HAFT_PENDING);
    assert_int_equal(visitor_wait(&visitor), 0);
    for (int ms = 0; shared_failing_live(&shared); ms++) {
        assert_true(ms < LONG_MS);
        poll(NULL, 0, 1);
    }
    subject_close(&subject);
    shared_failing_close(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(identifies),
        cmocka_unit_test(remembers_for_a_while),
        cmocka_unit_test(forgets_refusals_first),
        cmocka_unit_test(survives_outages),
        cmocka_unit_test(logs_once_a_minute),
        cmocka_unit_test(asks_after_failures),
        cmocka_unit_test(needs_no_keys),
        cmocka_unit_test(shares_questions),
        cmocka_unit_test(bounds_questions),
        cmocka_unit_test(signs_questions),
        cmocka_unit_test(ends_while_asking),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(allocates_nothing_for_known_tokens),
        cmocka_unit_test(is_freed_by_its_thread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
