/* test_passwords.c - what a password costs, whoever's it is; which are remembered, and whose are not
 * even looked at. */
#define _POSIX_C_SOURCE 200809L
#include <haft/gateway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "derivation.h"
#include "support/file.h"
#include "support/headers.h"
#include "support/test.h"

/* Passwords: passwd; Password; 1024 and 65 times x. */
static const char people[] =
    "ann:1:73616c74:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"
    "bob:8000:4e61436c:7f256b9dadf7544d75a9c56b6293c7744f5de67c8f45547526eaac5917f2dcb4\n"
    "eve:20:73616c74:d088f777430aef0be5a3184effd95584785898a331d984d1898e9be1ef2d3edb\n"
    "dan:20:73616c74:b70b232b81c017793c40b707304ea6d5c19bbeacf08eeadec2072209eada49f3\n";

enum { LONGEST = 1024, HEADER = 4096, ITERATIONS = 8000 /* of the slowest */ };

static char path[FILE_PATH], x[LONGEST + 2] /* of that letter */;

/* So many times x, without the NUL's being a letter. */
#define XS(n) (x + LONGEST + 1 - (n))

static int closed(haft_call *call)
{
    return haft_text(call, "%s", haft_call_principal(call));
}
HAFT_ROUTE_BARE(closed, "GET", "/closed", "Is for some", .policies = "people");

/* Asks with the credentials that it was asked with. */
static int around(haft_call *call)
{
    haft_header line = {"authorization", haft_request_header(call, "authorization")};
    haft_response response;
    int status = haft_invoke(call, "GET", "/closed",
                             &(haft_invoke_options){.headers = &line, .n_headers = 1}, &response);

    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_BARE(around, "GET", "/around", "Asks for somebody");

static haft_gateway *make(const char *options)
{
    haft_gateway *gateway = haft_gateway_new(NULL);
    char text[256];

    assert_non_null(gateway);
    snprintf(text, sizeof text, "{\"file\":\"%s\"%s}", path, options);
    if (haft_policy_make(gateway, "people", "basic-auth", text))
        fail_msg("%s: %s", text, haft_gateway_error(gateway)->text);
    assert_int_equal(haft_route_add(gateway, &closed_route), 0);
    assert_int_equal(haft_route_add(gateway, &around_route), 0);
    return gateway;
}

struct attempt {
    int at; /* seconds */
    const char *peer, *name, *password;
    int status;
    unsigned begun; /* derivations */
};

static void put_credentials(char *header, const char *name, const char *password)
{
    char plain[2 * LONGEST + 8], encoded[HAFT_BASE64_SIZE(sizeof plain) + 1];

    snprintf(plain, sizeof plain, "%s:%s", name, password);
    encoded[haft_base64_encode(plain, strlen(plain), encoded)] = '\0';
    snprintf(header, HEADER, "authorization: Basic %s\n", encoded);
}

static haft_gateway_request *begin(haft_gateway *gateway, const char *target,
                                   const struct attempt *attempt, char *header)
{
    haft_request request = {
        .method = "GET", .path = target, .query = "", .body = "", .peer = attempt->peer};
    static _Thread_local struct header_lines lines;
    haft_gateway_request *req;

    put_credentials(header, attempt->name, attempt->password);
    headers_read(&lines, header, &request.headers, &request.n_headers);
    req = haft_gateway_request_new(gateway, &request, 1000000 + attempt->at * 1000);
    assert_non_null(req);
    return req;
}

/* Makes the attempt; the header "retry-after" of its response, "" for none. */
static const char *attempt_at(haft_gateway *gateway, const char *target,
                              const struct attempt *attempt)
{
    static char retry[32];
    char header[HEADER];
    haft_gateway_request *req = begin(gateway, target, attempt, header);
    const haft_response *response;
    const char *value;

    derivations_reset();
    haft_gateway_request_run(req);
    response = haft_gateway_request_response(req);
    if (response->status != attempt->status || atomic_load(&derivations.begun) != attempt->begun)
        fail_msg("%d s, %.10s %.10s: %d after %u derivations, and not %d after %u", attempt->at,
                 attempt->name, attempt->password, response->status,
                 atomic_load(&derivations.begun), attempt->status, attempt->begun);
    if (response->status == 200)
        assert_string_equal(response->body, attempt->name);
    value = haft_response_header(response, "retry-after");
    snprintf(retry, sizeof retry, "%s", value ? value : "");
    haft_gateway_request_free(req);
    return retry;
}

/* ---- the same work for everybody ---- */

static void works_as_much_for_everybody(void **state)
{
    static const struct attempt rows[] = {
        {0, NULL, "ann", "wrong", 401, 1},  {0, NULL, "bob", "wrong", 401, 1},
        {0, NULL, "dan", XS(66), 401, 1},   {0, NULL, "carl", "passwd", 401, 1},
        {0, NULL, "", "", 401, 1},          {0, NULL, XS(LONGEST), "passwd", 401, 1},
        {0, NULL, "an", "passwd", 401, 1},  {0, NULL, "annn", "passwd", 401, 1},
        {0, NULL, "carl", XS(900), 401, 1},
    };
    haft_gateway *gateway = make(",\"failures\":0");
    unsigned comparisons = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        attempt_at(gateway, "/closed", &rows[i]);
        assert_int_equal(atomic_load(&derivations.iterations), ITERATIONS - 1);
        if (!i)
            comparisons = atomic_load(&derivations.comparisons);
        assert_int_equal(atomic_load(&derivations.comparisons), comparisons);
    }
    /* somebody whose password takes one iteration, and is right */
    attempt_at(gateway, "/closed", &(struct attempt){0, NULL, "ann", "passwd", 200, 1});
    assert_int_equal(atomic_load(&derivations.iterations), ITERATIONS - 1);
    haft_gateway_free(gateway);
}

/* ---- sequences ---- */

static void check_sequence(const char *options, const struct attempt *attempts, size_t n)
{
    haft_gateway *gateway = make(options);

    for (size_t i = 0; i < n; i++)
        attempt_at(gateway, "/closed", &attempts[i]);
    haft_gateway_free(gateway);
}

static void refuses_what_is_too_long_unseen(void **state)
{
    static const struct attempt rows[] = {
        {0, NULL, "eve", XS(LONGEST), 200, 1},
        {0, NULL, "eve", XS(LONGEST + 1), 401, 0},
        {0, NULL, XS(LONGEST), "passwd", 401, 1},
        {0, NULL, XS(LONGEST + 1), "passwd", 401, 0},
        {0, NULL, "dan", XS(65), 200, 1},
        {0, NULL, XS(LONGEST), XS(LONGEST), 401, 1},
        {0, NULL, XS(LONGEST + 1), XS(LONGEST + 1), 401, 0},
    };

    (void)state;
    check_sequence("", rows, COUNT_OF(rows));
}

static void remembers_for_a_while(void **state)
{
    static const struct attempt by_default[] = {
        {0, NULL, "ann", "passwd", 200, 1},   {0, NULL, "ann", "passwd", 200, 0},
        {0, NULL, "bob", "passwd", 401, 1},   {0, NULL, "annp", "asswd", 401, 1},
        {1, NULL, "ann", "passwd1", 401, 1},  {299, NULL, "ann", "passwd", 200, 0},
        {300, NULL, "ann", "passwd", 200, 1}, {301, NULL, "ann", "passwd", 200, 0},
    };
    static const struct attempt never[] = {
        {0, NULL, "ann", "passwd", 200, 1},
        {0, NULL, "ann", "passwd", 200, 1},
    };

    (void)state;
    check_sequence("", by_default, COUNT_OF(by_default));
    /* a policy that is made again, as another configuration does, has forgotten */
    check_sequence("", by_default, 1);
    check_sequence(",\"remember\":0", never, COUNT_OF(never));
}

#define A "192.0.2.1"
#define B "192.0.2.2"

static void counts_failures_of_an_address(void **state)
{
    static const struct attempt rows[] = {
        {0, A, "ann", "wrong", 401, 1},
        {1, A, "carl", "wrong", 401, 1},
        {2, A, "ann", "wrong", 429, 0},
        /* right, but nobody knows */
        {2, A, "ann", "passwd", 429, 0},
        {2, B, "ann", "passwd", 200, 1},
        /* now it is known */
        {2, A, "ann", "passwd", 200, 0},
        {2, A, "bob", "Password", 429, 0},
        {59, A, "ann", "wrong", 429, 0},
        {60, A, "ann", "wrong", 401, 1},
        {60, A, "ann", "wrong", 429, 0},
        /* a network of IPv6 is one address */
        {60, "2001:db8::1", "ann", "wrong", 401, 1},
        {60, "2001:db8::2", "ann", "wrong", 401, 1},
        {60, "2001:db8::3", "ann", "wrong", 429, 0},
        {60, "2001:db8:0:1::1", "ann", "wrong", 401, 1},
        /* what is too long is not looked at, and not counted */
        {61, B, XS(LONGEST + 1), "wrong", 401, 0},
        {61, B, XS(LONGEST + 1), "wrong", 401, 0},
        {61, B, "ann", "wrong", 401, 1},
    };
    /* what is right is no failure */
    static const struct attempt right[] = {
        {0, A, "ann", "passwd", 200, 1},
        {0, A, "ann", "passwd", 200, 1},
        {0, A, "ann", "wrong", 401, 1},
        {0, A, "ann", "passwd", 429, 0},
    };
    static const struct attempt unlimited[] = {
        {0, A, "ann", "wrong", 401, 1},
        {0, A, "ann", "wrong", 401, 1},
    };
    haft_gateway *gateway = make(",\"failures\":1,\"seconds\":60");

    (void)state;
    check_sequence(",\"failures\":2,\"seconds\":60", rows, COUNT_OF(rows));
    check_sequence(",\"failures\":1,\"remember\":0", right, COUNT_OF(right));
    check_sequence(",\"failures\":0", unlimited, COUNT_OF(unlimited));
    attempt_at(gateway, "/closed", &rows[0]);
    assert_string_equal(attempt_at(gateway, "/closed", &rows[2]), "58");
    haft_gateway_free(gateway);
}

/* Ten failures a minute, unless something else is said. */
static void allows_ten_failures(void **state)
{
    struct attempt attempt = {0, A, "ann", "wrong", 401, 1};
    haft_gateway *gateway = make("");

    (void)state;
    for (int i = 0; i < 10; i++)
        attempt_at(gateway, "/closed", &attempt);
    attempt.status = 429;
    attempt.begun = 0;
    assert_string_equal(attempt_at(gateway, "/closed", &attempt), "60");
    haft_gateway_free(gateway);
}

/* ---- from within ---- */

/* A call from a handler waits for its answer where it is, and fails for the address that asked. */
static void works_for_invokes(void **state)
{
    static const struct attempt rows[] = {
        {0, A, "ann", "passwd", 200, 1}, {0, A, "ann", "passwd", 200, 0},
        {0, A, "ann", "wrong", 401, 1},  {0, A, "bob", "wrong", 429, 0},
        {0, B, "bob", "wrong", 401, 1},
    };
    haft_gateway *gateway = make(",\"failures\":1");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        attempt_at(gateway, "/around", &rows[i]);
    haft_gateway_free(gateway);
}

/* ---- stopping ---- */

static void run(void *req)
{
    haft_gateway_request_run(req);
}

/* One that is cancelled, or whose time is over, makes no further step. */
static void stops_when_nobody_waits(void **state)
{
    static const struct attempt attempt = {0, A, "ann", "wrong", 0, 0};
    static const char *const targets[] = {"/closed", "/around"};
    haft_gateway *gateway = make(",\"failures\":1");

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char header[HEADER];
        haft_gateway_request *req = begin(gateway, targets[i / 2], &attempt, header);
        uv_thread_t thread;
        unsigned made;

        derivations_reset();
        atomic_store(&derivations.held, true);
        assert_int_equal(uv_thread_create(&thread, run, req), 0);
        derivations_await(&derivations.steps, 1);
        made = atomic_load(&derivations.iterations);
        if (i % 2)
            haft_gateway_request_cancel(req);
        else
            assert_false(haft_gateway_request_tick(req, 1000000 + 31000));
        atomic_store(&derivations.held, false);
        uv_thread_join(&thread);
        assert_int_equal(atomic_load(&derivations.iterations), made);
        assert_int_equal(haft_gateway_request_response(req)->status, i % 2 ? 499 : 504);
        haft_gateway_request_free(req);
    }
    /* and it was nobody's failure */
    attempt_at(gateway, "/closed", &(struct attempt){0, A, "ann", "passwd", 200, 1});
    haft_gateway_free(gateway);
}

/* ---- files ---- */

static void refuses_files(void **state)
{
    static const char *const lines[] = {
        "ann:1:73616c74\n",
        "ann:0:73616c74:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n",
        "ann:1000001:73616c74:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n",
        "ann:1::55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n",
        ":1:73616c74:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n",
    };
    char text[2 * LONGEST], options[128], file[FILE_PATH];

    (void)state;
    for (size_t i = 0; i <= COUNT_OF(lines); i++) {
        haft_gateway *gateway = haft_gateway_new(NULL);

        /* the last is somebody with a name that cannot be sent */
        snprintf(text, sizeof text, "%s%s", i < COUNT_OF(lines) ? lines[i] : XS(LONGEST - 2),
                 i < COUNT_OF(lines) ? "" : people);
        file_make(file, text);
        snprintf(options, sizeof options, "{\"file\":\"%s\"}", file);
        assert_int_equal(haft_policy_make(gateway, "people", "basic-auth", options), HAFT_EINVAL);
        assert_non_null(strstr(haft_gateway_error(gateway)->text,
                               "line 1: expected name:iterations:salt:hash"));
        unlink(file);
        haft_gateway_free(gateway);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works_as_much_for_everybody),
        cmocka_unit_test(refuses_what_is_too_long_unseen),
        cmocka_unit_test(remembers_for_a_while),
        cmocka_unit_test(counts_failures_of_an_address),
        cmocka_unit_test(allows_ten_failures),
        cmocka_unit_test(works_for_invokes),
        cmocka_unit_test(stops_when_nobody_waits),
        cmocka_unit_test(refuses_files),
    };
    int failed;

    memset(x, 'x', sizeof x - 1);
    file_make(path, people);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
