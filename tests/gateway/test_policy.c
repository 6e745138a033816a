/* test_policy.c - the built-in policies, users' own, and configuration that is refused with a
 * reason. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "support/file.h"

/* "open sesame" and "let me in". */
static const char key_file[] =
    "# who may come in\n"
    "41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb  ann\n\n"
    "\t992db5e2595725ef68eb5066e014da8c7f6baca0afa96f1021b56b66782133f2 bob the builder \r\n"
    /* 1024 and 1025 times k */
    "fb236ae29378d0cf16cdc6b4b5b9f82d6642514a61b60542efd33641eab2662d long\n"
    "011cc8dcade24f43d2d7f95605d8481da1d0b86475def49be02bfc20cee86e65 longer\n";

/* RFC 7914's vector for PBKDF2 with HMAC-SHA-256, cut to one block: passwd, salt, 1. */
static const char people_file[] =
    "ann:1:73616c74:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"
    "bob:80000:4e61436c:4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\n";

static char keys_path[FILE_PATH], people_path[FILE_PATH];

static int hello(haft_call *call)
{
    const char *header = haft_request_header(call, "x-in"),
               *cookie = haft_request_header(call, "cookie");

    return haft_response_set_header(call, "Server", "mine") ||
           haft_text(call, "%s %s %s",
                     haft_call_principal(call) ? haft_call_principal(call) : "nobody",
                     header ? header : "-", cookie ? cookie : "-");
}

static haft_gateway *make(const char *kind, const char *options)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));

    assert_non_null(gateway);
    if (haft_policy_make(gateway, "p", kind, options))
        fail_msg("%s: %s", kind, haft_gateway_error(gateway)->text);
    return gateway;
}

static int hello_odd(haft_call *call)
{
    return hello(call);
}

HAFT_ROUTE_BARE(hello, "POST", "/hello", "Says hello", .policies = "p", .quick = true);

struct row {
    const char *kind, *options;
    struct ask_request question;
    const char *answer; /* how it begins */
    const char *header, *value;
};

#define FROM(...)                                                                                  \
    {                                                                                              \
        .method = "POST", .target = "/hello", __VA_ARGS__                                          \
    }
#define PLAIN "200 text/plain; charset=utf-8 "

static void check(const struct row *row)
{
    haft_gateway *gateway = make(row->kind, row->options);
    const char *got;

    assert_int_equal(haft_route_add(gateway, &hello_route), 0);
    got = ask_with(gateway, &row->question);
    if (strncmp(got, row->answer, strlen(row->answer)))
        fail_msg("%s %s: %s, and not %s", row->kind, row->options, got, row->answer);
    if (row->header)
        assert_string_equal(ask_for(gateway, &row->question, row->header), row->value);
    haft_gateway_free(gateway);
}

static void built_in(void **state)
{
    char keys[128], people[128];
    const struct row rows[] = {
        {"api-key", keys, FROM(.headers = "authorization: Bearer open sesame\n"), PLAIN "ann", NULL,
         NULL},
        {"api-key", keys, FROM(.headers = "x-api-key: let me in\n"), PLAIN "bob the builder", NULL,
         NULL},
        {"api-key", keys, FROM(.headers = "authorization: Bearer let me in \n"), "401 ", NULL,
         NULL},
        {"api-key", keys, FROM(.headers = "authorization: bEARER open sesame\n"), PLAIN "ann", NULL,
         NULL},
        {"api-key", keys, FROM(.headers = "authorization: Bearers open sesame\n"), "401 ", NULL,
         NULL},
        {"basic-auth", people, FROM(.headers = "authorization: basic YW5uOnBhc3N3ZA==\n"),
         PLAIN "ann", NULL, NULL},
        /* what stands behind a NUL is not left out: ann:passwd, NUL, x */
        {"basic-auth", people, FROM(.headers = "authorization: Basic YW5uOnBhc3N3ZAB4\n"), "401 ",
         NULL, NULL},
        {"basic-auth", people, FROM(.headers = "authorization: Basic\n"), "401 ", NULL, NULL},
        {"basic-auth", people, FROM(.headers = "authorization: B\n"), "401 ", NULL, NULL},
        {"api-key", keys, FROM(.headers = "authorization: Basic open sesame\n"), "401 ", NULL,
         NULL},
        {"api-key", keys, FROM(.headers = "authorization: Bearer \n"), "401 ", NULL, NULL},
        {"api-key", keys, FROM(.headers = NULL), "401 application/problem+json", "www-authenticate",
         "Bearer realm=\"gateway\""},
        {"basic-auth", people, FROM(.headers = "authorization: Basic YW5uOnBhc3N3ZA==\n"),
         PLAIN "ann", NULL, NULL},
        {"basic-auth", people, FROM(.headers = "authorization: Basic Ym9iOlBhc3N3b3Jk\n"),
         PLAIN "bob", NULL, NULL},
        {"basic-auth", people, FROM(.headers = "authorization: Basic YW5uOndyb25n\n"), "401 ", NULL,
         NULL},
        {"basic-auth", people, FROM(.headers = "authorization: Basic Y2FybDpwYXNzd2Q=\n"), "401 ",
         NULL, NULL},
        /* "ann", and "a\0nn:x" */
        {"basic-auth", people, FROM(.headers = "authorization: Basic YW5u\n"), "401 ", NULL, NULL},
        {"basic-auth", people, FROM(.headers = "authorization: Basic YQBubjp4\n"), "401 ", NULL,
         NULL},
        {"basic-auth", people, FROM(.headers = "authorization: Bearer YW5uOnBhc3N3ZA==\n"), "401 ",
         NULL, NULL},
        {"basic-auth", people, FROM(.headers = NULL), "401 ", NULL, NULL},
        {"basic-auth", people, FROM(.headers = "authorization: Basic !\n"), "401 ",
         "WWW-Authenticate", "Basic realm=\"shop\""},
        {"size-limit", "{\"bytes\":3}", FROM(.body = "abc"), PLAIN, NULL, NULL},
        {"size-limit", "{\"bytes\":3}", FROM(.body = "abcd"), "413 ", NULL, NULL},
        {"set-headers", "{\"request\":{\"X-In\":\"set\"},\"response\":{\"X-Out\":\"o\"}}",
         FROM(.headers = "x-in: came\n"), PLAIN "nobody set", "x-out", "o"},
        {"remove-headers", "{\"request\":[\"Cookie\"],\"response\":[\"server\"]}",
         FROM(.headers = "cookie: c\nx-in: i\n"), PLAIN "nobody i -", "server", ""},
        {"mock", "{}", FROM(.headers = NULL), "200 ", NULL, NULL},
        {"mock", "{\"status\":201,\"json\":{\"a\":[1]},\"headers\":{\"Location\":\"/1\"}}",
         FROM(.headers = NULL), "201 application/json {\"a\":[1]}", "location", "/1"},
        {"mock", "{\"text\":\"soon\"}", FROM(.headers = NULL), PLAIN "soon", NULL, NULL},
        {"validate", "{\"body\":{\"type\":\"object\",\"required\":[\"a\"]}}",
         FROM(.body = "{\"a\":1}"), PLAIN, NULL, NULL},
        {"validate", "{\"body\":{\"type\":\"object\",\"required\":[\"a\"]}}", FROM(.body = "{}"),
         "400 application/problem+json {\"type\":\"about:blank\",\"title\":\"Bad "
         "Request\",\"status\":400,\"detail\":\"body.a: ",
         NULL, NULL},
        {"validate", "{\"body\":true}", FROM(.body = "{"), "400 ", NULL, NULL},
        {"cors", "{\"origins\":[\"https://a.example\"]}",
         FROM(.headers = "origin: https://a.example\n"), PLAIN, "access-control-allow-origin",
         "https://a.example"},
        {"cors", "{\"origins\":[\"https://a.example\"]}",
         FROM(.headers = "origin: https://b.example\n"), PLAIN, "access-control-allow-origin", ""},
        {"cors", "{\"origins\":[\"*\"]}", FROM(.headers = "origin: https://b.example\n"), PLAIN,
         "access-control-allow-origin", "*"},
        {"cors", "{\"origins\":[\"https://a.example\"],\"credentials\":true}",
         FROM(.headers = "origin: https://a.example\n"), PLAIN, "access-control-allow-credentials",
         "true"},
        {"cors", "{\"origins\":[\"https://a.example\"],\"expose\":\"x-out\"}",
         FROM(.headers = "origin: https://a.example\n"), PLAIN, "access-control-expose-headers",
         "x-out"},
        {"cors", "{\"origins\":[\"*\"]}", FROM(.headers = NULL), PLAIN,
         "access-control-allow-origin", ""},
        /* without a word about what is to be asked it is no question of a browser's */
        {"cors",
         "{\"origins\":[\"*\"]}",
         {.method = "OPTIONS", .target = "/hello", .headers = "origin: https://b.example\n"},
         "204 ",
         "access-control-allow-origin",
         ""},
        {"cors",
         "{\"origins\":[\"https://a.example\"]}",
         {.method = "OPTIONS",
          .target = "/hello",
          .headers = "origin: https://b.example\naccess-control-request-method: POST\n"},
         "204 ",
         "access-control-allow-methods",
         ""},
        {"set-headers", "{\"request\":{\"X-In\":\"set\"}}", FROM(.headers = NULL),
         PLAIN "nobody set", NULL, NULL},
        {"remove-headers", "{}", FROM(.headers = "cookie: c\n"), PLAIN "nobody - c", "server",
         "mine"},
        {"cors",
         "{\"origins\":[\"*\"],\"max_age\":5}",
         {.method = "OPTIONS",
          .target = "/hello",
          .headers = "origin: https://b.example\naccess-control-request-method: POST\n"},
         "204 ",
         "access-control-max-age",
         "5"},
        {"cors",
         "{\"origins\":[\"*\"]}",
         {.method = "OPTIONS",
          .target = "/hello",
          .headers = "origin: https://b.example\naccess-control-request-method: PUT\n"},
         "204 ",
         "access-control-allow-methods",
         ""},
        {"sleep", "{\"ms\":1}", FROM(.headers = NULL), PLAIN, NULL, NULL},
    };

    (void)state;
    snprintf(keys, sizeof keys, "{\"file\":\"%s\"}", keys_path);
    snprintf(people, sizeof people, "{\"file\":\"%s\",\"realm\":\"shop\"}", people_path);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(&rows[i]);
}

static void rates(void **state)
{
    static const struct {
        const char *options;
        const char *principal[4], *peer[4];
        const char *answers; /* a digit each: 2 for 200, 4 for 429 */
    } rows[] = {
        {"{\"calls\":2}", {"a", "a", "a", "b"}, {NULL}, "2242"},
        {"{\"calls\":1}", {NULL}, {"1.1.1.1", "1.1.1.1", "2.2.2.2", "2.2.2.2"}, "2424"},
        {"{\"calls\":1}", {NULL}, {"2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "::1"}, "2422"},
        {"{\"calls\":1,\"by\":\"all\"}", {"a", "b", "c", "d"}, {NULL}, "2444"},
        /* somebody who is called like an address is somebody else */
        {"{\"calls\":1}",
         {"a1.1.1.1", NULL, NULL, "a1.1.1.1"},
         {NULL, "1.1.1.1", "1.1.1.1"},
         "2244"},
        {"{\"calls\":1,\"by\":\"route\"}", {"a", "b", "a", "b"}, {NULL}, "2244"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = make("rate-limit", rows[i].options);

        assert_int_equal(haft_route_add(gateway, &hello_route), 0);
        for (size_t j = 0; j < 4; j++) {
            struct ask_request question =
                FROM(.principal = rows[i].principal[j], .peer = rows[i].peer[j]);

            assert_int_equal(ask_with(gateway, &question)[0], rows[i].answers[j]);
        }
        haft_gateway_free(gateway);
    }
}

static int hello_options(haft_call *call)
{
    return hello(call);
}
HAFT_ROUTE_BARE(hello_options, "OPTIONS", "/hello", "Says hello", .policies = "p", .quick = true);

/* Each route has its own count, and a wait is rounded up to a second. */
static void counts_by_route(void **state)
{
    static const struct ask_request post = FROM(.principal = "a"), options = {.method = "OPTIONS",
                                                                              .target = "/hello",
                                                                              .principal = "a"};

    (void)state;
    for (int by_route = 0; by_route < 2; by_route++) {
        haft_gateway *gateway =
            make("rate-limit", by_route ? "{\"calls\":1,\"seconds\":0.9,\"by\":\"route\"}"
                                        : "{\"calls\":1,\"seconds\":0.9}");

        assert_int_equal(haft_route_add(gateway, &hello_route), 0);
        assert_int_equal(haft_route_add(gateway, &hello_options_route), 0);
        assert_int_equal(ask_with(gateway, &post)[0], '2');
        assert_string_equal(ask_for(gateway, &post, "retry-after"), "1");
        assert_int_equal(ask_with(gateway, &options)[0], by_route ? '2' : '4');
        haft_gateway_free(gateway);
    }
}

/* OPTIONS that is not a browser's question goes to its route. */
static void leaves_other_options_alone(void **state)
{
    static const struct ask_request plain = {
        .method = "OPTIONS", .target = "/hello", .headers = "origin: https://b.example\n"};
    haft_gateway *gateway = make("cors", "{\"origins\":[\"*\"]}");

    (void)state;
    assert_int_equal(haft_route_add(gateway, &hello_options_route), 0);
    assert_int_equal(strncmp(ask_with(gateway, &plain), PLAIN, strlen(PLAIN)), 0);
    haft_gateway_free(gateway);
}

/* A file whose digests are cut is not taken for one with keys. */
static void refuses_short_digests(void **state)
{
    haft_gateway *gateway = haft_gateway_new(NULL);
    char path[FILE_PATH], options[128];

    (void)state;
    file_make(path, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dac ann\n");
    snprintf(options, sizeof options, "{\"file\":\"%s\"}", path);
    assert_int_equal(haft_policy_make(gateway, "p", "api-key", options), HAFT_EINVAL);
    haft_gateway_free(gateway);
    unlink(path);
}

/* A key is hashed as a whole, but not one that nobody would have. */
static void refuses_keys_that_are_too_long(void **state)
{
    char keys[128], headers[1100], key[1026];
    haft_gateway *gateway;

    (void)state;
    snprintf(keys, sizeof keys, "{\"file\":\"%s\"}", keys_path);
    gateway = make("api-key", keys);
    assert_int_equal(haft_route_add(gateway, &hello_route), 0);
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    for (int over = 0; over < 2; over++) {
        snprintf(headers, sizeof headers, "x-api-key: %s\n", key + !over);
        assert_int_equal(ask_with(gateway, &(struct ask_request)FROM(.headers = headers))[0],
                         over ? '4' : '2');
    }
    haft_gateway_free(gateway);
}

/* A policy that may wait keeps its route off the thread that reads. */
static void quick(void **state)
{
    static const char *const kinds[][2] = {{"mock", "{}"}, {"sleep", "{\"ms\":1}"}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        haft_gateway *gateway = make(kinds[i][0], kinds[i][1]);
        char text[ASK_ROOM];
        haft_gateway_request *req;

        assert_int_equal(haft_route_add(gateway, &hello_route), 0);
        req = ask_begin(gateway, &(struct ask_request)FROM(.body = ""), text);
        assert_int_equal(haft_gateway_request_quick(req), i == 0);
        haft_gateway_request_free(req);
        haft_gateway_free(gateway);
    }
}

/* ---- a program's own ---- */

HAFT_STRUCT(shout_options, HAFT_STRING(word, "What to say"));

static int shout(haft_call *call, void *data)
{
    const shout_options *options = data;

    return haft_respond(call, 200, "text/plain", options->word, strlen(options->word)) ? HAFT_ENOMEM
                                                                                       : HAFT_STOP;
}

static int make_shout(haft_gateway *gateway, const void *options, haft_arena *arena,
                      haft_policy *ret_policy, haft_reason *reterr_reason)
{
    const shout_options *given = options;

    (void)gateway;
    (void)arena;
    if (!*given->word) {
        snprintf(reterr_reason->text, sizeof reterr_reason->text, "there is nothing to shout");
        return HAFT_EINVAL;
    }
    *ret_policy =
        (haft_policy)HAFT_INIT(haft_policy, .inbound = shout, .data = (void *)(uintptr_t)options);
    return 0;
}
static const haft_policy_kind shout_kind = HAFT_INIT(
    haft_policy_kind, .name = "shout", .options = &shout_options_type, .make = make_shout);

static int broken_in(haft_call *call, void *data)
{
    (void)call;
    return *(int *)data;
}
static int stop_without_answer = HAFT_STOP, fails = HAFT_EINVAL;
static const haft_policy mute =
    HAFT_INIT(haft_policy, .name = "mute", .inbound = broken_in, .data = &stop_without_answer);
static const haft_policy broken =
    HAFT_INIT(haft_policy, .name = "broken", .outbound = broken_in, .data = &fails);

/* A kind that has nothing to say about options, and what is not a policy at all. */
static int make_mute(haft_gateway *gateway, const void *options, haft_arena *arena,
                     haft_policy *ret_policy, haft_reason *reterr_reason)
{
    (void)gateway;
    (void)arena;
    (void)reterr_reason;
    *ret_policy = mute;
    return options ? HAFT_EINVAL : 0;
}

static int make_nothing(haft_gateway *gateway, const void *options, haft_arena *arena,
                        haft_policy *ret_policy, haft_reason *reterr_reason)
{
    (void)gateway;
    (void)options;
    (void)arena;
    (void)ret_policy;
    (void)reterr_reason;
    return HAFT_EBUSY;
}

static void refused(void **state)
{
    static const haft_policy_kind plain = HAFT_INIT(haft_policy_kind, .name = "plain",
                                                    .make = make_mute),
                                  hopeless = HAFT_INIT(haft_policy_kind, .name = "hopeless",
                                                       .make = make_nothing),
                                  nameless = HAFT_INIT(haft_policy_kind, .make = make_mute),
                                  idle = HAFT_INIT(haft_policy_kind, .name = "idle");
    static const haft_policy no_name = HAFT_INIT(haft_policy, .inbound = broken_in),
                             empty = HAFT_INIT(haft_policy, .name = "", .inbound = broken_in),
                             nothing = HAFT_INIT(haft_policy, .name = "nothing"),
                             late = HAFT_INIT(haft_policy, .name = "late", .outbound = broken_in,
                                              .preflight = true);
    const struct {
        const haft_policy_kind *kind; /* added; or */
        const haft_policy *policy;    /* added; or made: */
        const char *name, *made, *options;
        int code;
        const char *text;
    } rows[] = {
        {&plain, NULL, NULL, NULL, NULL, 0, ""},
        {&hopeless, NULL, NULL, NULL, NULL, 0, ""},
        {&nameless, NULL, NULL, NULL, NULL, HAFT_EINVAL,
         "a kind of policy needs a name and a make function"},
        {&idle, NULL, NULL, NULL, NULL, HAFT_EINVAL,
         "a kind of policy needs a name and a make function"},
        {NULL, &no_name, NULL, NULL, NULL, HAFT_EINVAL,
         "a policy needs a name without commas and spaces"},
        {NULL, &empty, NULL, NULL, NULL, HAFT_EINVAL,
         "a policy needs a name without commas and spaces"},
        {NULL, &nothing, NULL, NULL, NULL, HAFT_EINVAL,
         "a policy needs inbound or outbound, and preflight needs inbound"},
        {NULL, &late, NULL, NULL, NULL, HAFT_EINVAL,
         "a policy needs inbound or outbound, and preflight needs inbound"},
        {NULL, NULL, "a", "plain", NULL, 0, ""},
        {NULL, NULL, "b", "plain", "{}", 0, ""},
        {NULL, NULL, "c", "plain", "[]", HAFT_EINVAL, "plain takes no options"},
        {NULL, NULL, "c", "plain", "{\"a\":1}", HAFT_EINVAL, "plain takes no options"},
        {NULL, NULL, "c", "hopeless", NULL, HAFT_EBUSY, "busy"},
        {NULL, NULL, "a", "plain", NULL, HAFT_EEXISTS, "a policy with this name exists already"},
        {NULL, NULL, "m", "mock", NULL, 0, ""},
    };
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int status = rows[i].kind     ? haft_policy_kind_add(gateway, rows[i].kind)
                     : rows[i].policy ? haft_policy_add(gateway, rows[i].policy)
                     : i % 2
                         ? haft_policy_make(gateway, rows[i].name, rows[i].made, rows[i].options)
                         : haft_policy_make_for(gateway, HAFT_EDGE, rows[i].name, rows[i].made,
                                                rows[i].options);

        assert_int_equal(status, rows[i].code);
        if (status)
            assert_string_equal(haft_gateway_error(gateway)->text, rows[i].text);
    }
    haft_gateway_free(gateway);
}

/* A policy may put another body in the place of the one that came, and a positive status is a
 * mistake of its author's. */
static int rewrite(haft_call *call, void *data)
{
    return haft_request_set_body(call, data, strlen(data));
}
static char other_body[] = "{\"n\":7}";
static const haft_policy rewriter =
    HAFT_INIT(haft_policy, .name = "rewriter", .inbound = rewrite, .data = other_body);
static int odd_status = 77;
static const haft_policy odd =
    HAFT_INIT(haft_policy, .name = "odd", .inbound = broken_in, .data = &odd_status);

HAFT_STRUCT(n_args, HAFT_INTEGER(n, "A number"));

static int show_n(haft_call *call, const n_args *in)
{
    return haft_text(call, "%d", (int)in->n);
}
HAFT_ROUTE_IN(show_n, "POST", "/n", n_args, "Shows a number", .policies = "rewriter");
HAFT_ROUTE_BARE(hello_odd, "POST", "/odd", "Is never reached", .policies = "odd");

static void rewritten(void **state)
{
    haft_gateway *gateway = haft_gateway_new(NULL);

    (void)state;
    assert_int_equal(haft_policy_add(gateway, &rewriter), 0);
    assert_int_equal(haft_policy_add(gateway, &odd), 0);
    assert_int_equal(haft_route_add(gateway, &show_n_route), 0);
    assert_int_equal(haft_route_add(gateway, &hello_odd_route), 0);
    assert_string_equal(ask(gateway, "POST", "/n", "{\"n\":1}"), PLAIN "7");
    assert_int_equal(strncmp(ask(gateway, "POST", "/odd", NULL), "500 ", 4), 0);
    haft_gateway_free(gateway);
}

static void own(void **state)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .policies = "p"));
    haft_route route = hello_route;

    (void)state;
    assert_int_equal(haft_policy_kind_add(gateway, &shout_kind), 0);
    assert_int_equal(haft_policy_kind_add(gateway, &shout_kind), HAFT_EEXISTS);
    assert_int_equal(haft_policy_make(gateway, "p", "shout", "{\"word\":\"HO\"}"), 0);
    assert_int_equal(haft_policy_add(gateway, &mute), 0);
    assert_int_equal(haft_policy_add(gateway, &broken), 0);
    route.policies = NULL;
    assert_int_equal(haft_route_add(gateway, &route), 0);
    assert_string_equal(ask(gateway, "POST", "/hello", NULL), "200 text/plain HO");
    haft_gateway_free(gateway);

    gateway = haft_gateway_new(NULL);
    assert_int_equal(haft_policy_add(gateway, &mute), 0);
    assert_int_equal(haft_policy_add(gateway, &broken), 0);
    route.policies = "mute";
    assert_int_equal(haft_route_add(gateway, &route), 0);
    route.id = "b", route.path = "/b", route.policies = "broken";
    assert_int_equal(haft_route_add(gateway, &route), 0);
    assert_int_equal(strncmp(ask(gateway, "POST", "/hello", NULL), "500 ", 4), 0);
    assert_int_equal(strncmp(ask(gateway, "POST", "/b", NULL), "500 ", 4), 0);
    haft_gateway_free(gateway);
}

/* ---- configuration ---- */

static void configuration(void **state)
{
    static const struct {
        const char *json;
        int code;
        const char *path, *text; /* how it begins */
    } rows[] = {
        {"[]", 0, "", ""},
        {"[{\"name\":\"a\",\"policy\":\"mock\"},{\"name\":\"b\",\"policy\":\"sleep\",\"scope\":\"edge\","
         "\"options\":{\"ms\":1}}]",
         0, "", ""},
        {"[{\"name\":\"a\",\"policy\":\"mock\",\"scope\":\"invoke\"}]", 0, "", ""},
        {"[{\"name\":\"a\",\"policy\":\"basic-auth\",\"options\":{\"file\":\"/nowhere/people\"}}]",
         HAFT_ENOTFOUND, "a", "cannot open /nowhere/people"},
        {"{}", HAFT_EISSUES, "policies", ""},
        {"[", HAFT_EPARSE, "policies", ""},
        {"[{\"name\":\"a\"}]", HAFT_EISSUES, "policies", "0.policy: Invalid input"},
        {"[{\"name\":\"a\",\"policy\":\"mock\",\"scope\":\"inside\"}]", HAFT_EISSUES, "policies",
         "0.scope: Invalid option"},
        {"[{\"name\":\"a\",\"policy\":\"mok\"}]", HAFT_ENOTFOUND, "a",
         "unknown kind of policy mok; the kinds are sleep, mock"},
        {"[{\"name\":\"a\",\"policy\":\"mock\"},{\"name\":\"a\",\"policy\":\"mock\"}]",
         HAFT_EEXISTS, "a", "a policy with this name exists already"},
        {"[{\"name\":\"a b\",\"policy\":\"mock\"}]", HAFT_EINVAL, "a b", "a policy needs a name"},
        {"[{\"name\":\"a\",\"policy\":\"rate-limit\"}]", HAFT_EISSUES, "a",
         "options: calls: Invalid input"},
        {"[{\"name\":\"a\",\"policy\":\"rate-limit\",\"options\":{\"calls\":1,\"per\":2}}]",
         HAFT_EISSUES, "a", "options: Unrecognized key"},
        {"[{\"name\":\"a\",\"policy\":\"api-key\",\"options\":{\"file\":\"/nowhere/keys\"}}]",
         HAFT_ENOTFOUND, "a", "cannot open /nowhere/keys"},
        {"[{\"name\":\"a\",\"policy\":\"api-key\",\"options\":{\"file\":\"/dev/zero\"}}]",
         HAFT_ETOOBIG, "a", "cannot read /dev/zero"},
        {"[{\"name\":\"a\",\"policy\":\"validate\",\"options\":{\"body\":{\"type\":7}}}]",
         HAFT_ESCHEMA, "a", ""},
        {"[{\"name\":\"a\",\"policy\":\"cors\",\"options\":{\"origins\":[\"*\"],\"credentials\":true}}]",
         HAFT_EINVAL, "a", "credentials cannot be allowed for any origin (*)"},
        {"[{\"name\":\"a\",\"policy\":\"mock\",\"options\":{\"json\":1,\"text\":\"\"}}]",
         HAFT_EINVAL, "a", "the body must be either JSON or text, not both"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway =
            haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));
        int status = haft_policies_json(gateway, rows[i].json, strlen(rows[i].json));
        const haft_reason *reason = haft_gateway_error(gateway);

        if (status != rows[i].code || strcmp(reason->path, rows[i].path) ||
            strncmp(reason->text, rows[i].text, strlen(rows[i].text)))
            fail_msg("%s: %d %s: %s", rows[i].json, status, reason->path, reason->text);
        haft_gateway_free(gateway);
    }
}

static void bad_files(void **state)
{
    static const char *const rows[][2] = {
        {"api-key", "abc ann\n"},
        {"api-key", "27ecd0a598e76f8a2fd264d427df0a119903e8eae384e478902541756f089dd1\n"},
        {"api-key", "27ECD0A598E76F8A2FD264D427DF0A119903E8EAE384E478902541756F089DD1 ann\n"},
        {"api-key", "g7ecd0a598e76f8a2fd264d427df0a119903e8eae384e478902541756f089dd1 ann\n"},
        {"api-key", "2-ecd0a598e76f8a2fd264d427df0a119903e8eae384e478902541756f089dd1 ann\n"},
        {"basic-auth", "ann:secret\n"},
        {"basic-auth", ":1:73:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth",
         "ann:one:73:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth",
         "ann:-1:73:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth", "ann:1::55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth",
         "ann:1:7g:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth", "ann:1:73:55ac\n"},
        {"basic-auth",
         "ann:1:73:55AC046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth",
         "ann:1000001:73:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth",
         "ann:0:73:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth",
         "ann:99999999:73:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
        {"basic-auth",
         "ann:1:7:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway =
            haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));
        char path[FILE_PATH], options[128];

        file_make(path, rows[i][1]);
        snprintf(options, sizeof options, "{\"file\":\"%s\"}", path);
        assert_int_equal(haft_policy_make(gateway, "p", rows[i][0], options), HAFT_EINVAL);
        assert_non_null(strstr(haft_gateway_error(gateway)->text, "line 1: "));
        unlink(path);
        haft_gateway_free(gateway);
    }
}

/* Opening one would wait for somebody who writes. */
static void refuses_to_wait_for_a_fifo(void **state)
{
    static const char *const kinds[] = {"api-key", "basic-auth"};
    char path[FILE_PATH], options[128];

    (void)state;
    file_make(path, "");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(options, sizeof options, "{\"file\":\"%s\"}", path);
    alarm(20);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        haft_gateway *gateway =
            haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));

        assert_int_equal(haft_policy_make(gateway, "p", kinds[i], options), HAFT_EINVAL);
        assert_non_null(strstr(haft_gateway_error(gateway)->text, " is a FIFO, not a file"));
        haft_gateway_free(gateway);
    }
    alarm(0);
    unlink(path);
}

static int set_up(void **state)
{
    (void)state;
    file_make(keys_path, key_file);
    file_make(people_path, people_file);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    return unlink(keys_path) || unlink(people_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in),
        cmocka_unit_test(rates),
        cmocka_unit_test(counts_by_route),
        cmocka_unit_test(leaves_other_options_alone),
        cmocka_unit_test(refuses_short_digests),
        cmocka_unit_test(refuses_keys_that_are_too_long),
        cmocka_unit_test(quick),
        cmocka_unit_test(own),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(refuses_to_wait_for_a_fifo),
        cmocka_unit_test(configuration),
        cmocka_unit_test(refused),
        cmocka_unit_test(rewritten),
    };

    return cmocka_run_group_tests(tests, set_up, clean_up);
}
