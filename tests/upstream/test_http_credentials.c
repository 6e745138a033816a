/* test_http_credentials.c - credentials and headers of requests to an HTTP upstream. */
#define _GNU_SOURCE
#include "sender.h"

#define SECRET "s3cr3t-Value"

static void serve_ok(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

/* The text may be NULL. */
static bool saw(struct rogue *rogue, const char *text)
{
    return !text || rogue_saw(rogue, text);
}

static void credentials_are_sent(void **state)
{
    static const struct {
        const char *options, *target, *seen, *not_seen;
    } rows[] = {
        {"", NULL, "GET /x HTTP/1.1\r\n", "Authorization"},
        {"\"auth\":{\"bearer\":\"" SECRET "\"}", NULL, "Authorization: Bearer " SECRET "\r\n",
         NULL},
        {"\"auth\":{\"basic\":{\"username\":\"Aladdin\",\"password\":\"open sesame\"}}", NULL,
         "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n", NULL},
        {"\"auth\":{\"api_key\":{\"value\":\"" SECRET "\"}}", NULL, "X-API-Key: " SECRET "\r\n",
         NULL},
        {"\"auth\":{\"api_key\":{\"name\":\"X-Key\",\"value\":\"" SECRET "\"}}", NULL,
         "X-Key: " SECRET "\r\n", "X-API-Key"},
        {"\"auth\":{\"api_key\":{\"in\":\"query\",\"name\":\"k\",\"value\":\"a b&c\"}}", NULL,
         "GET /x?k=a%20b%26c HTTP/1.1\r\n", NULL},
        {"\"auth\":{\"api_key\":{\"in\":\"query\",\"name\":\"k\",\"value\":\"" SECRET "\"}}",
         "/x?a=1", "GET /x?a=1&k=" SECRET " HTTP/1.1\r\n", NULL},
        {"\"auth\":{\"api_key\":{\"in\":\"cookie\",\"name\":\"sid\",\"value\":\"" SECRET "\"}}",
         NULL, "Cookie: sid=" SECRET "\r\n", NULL},
        {"\"headers\":{\"set\":{\"X-One\":\"1\"}}", NULL, "X-One: 1\r\n", NULL},
        {"\"headers\":{\"set\":{\"x-own\":\"new\"}}", NULL, "x-own: new\r\n", "X-Own: own"},
        {"\"headers\":{\"remove\":[\"x-OWN\"]}", NULL, NULL, "X-Own"},
    };
    static const haft_header own = {"X-Own", "own"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(serve_ok, NULL);
        struct sender sender;
        struct sent sent;
        char room[2048];

        sender_init(&sender, options_of(room, rogue, rows[i].options));
        send_one(&sender, &sent,
                 (struct http_message){.target = rows[i].target, .headers = &own, .n_headers = 1});
        assert_int_equal(sent.status, 200);
        if (!saw(rogue, rows[i].seen) || (rows[i].not_seen && saw(rogue, rows[i].not_seen)))
            fail_msg("%s: the server saw %s", rows[i].options, rogue->seen);
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

/* Its context is the status line; the body is the request, and the password behind it.  Link is the first
 * line of the request. */
static void serve_echo(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd)) {
        char body[2048], head[512];

        snprintf(body, sizeof body, "%.1500s open sesame, open sesame", rogue->seen);
        snprintf(head, sizeof head,
                 "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nLink: <%.*s>\r\n"
                 "Content-Length: %zu\r\n\r\n",
                 (const char *)rogue->context, (int)strcspn(rogue->seen, "\r"), rogue->seen,
                 strlen(body));
        rogue_puts(fd, head);
        rogue_puts(fd, body);
    }
}

static void answers_do_not_repeat_credentials(void **state)
{
    static const struct {
        const char *options, *status;
        const char *has, *lacks; /* the body */
        const char *header;      /* in the headers; NULL for any */
    } rows[] = {
        {"\"auth\":{\"bearer\":\"" SECRET "\"}", "500 No", "Bearer ************\r\n", SECRET, NULL},
        {"\"auth\":{\"bearer\":\"" SECRET "\"}", "401 No", "Bearer ************\r\n", SECRET, NULL},
        {"\"auth\":{\"basic\":{\"username\":\"Aladdin\",\"password\":\"open sesame\"}}", "404 No",
         " ***********, ***********", "QWxhZGRpbjpvcGVuIHNlc2FtZQ", NULL},
        {"\"auth\":{\"api_key\":{\"value\":\"" SECRET "\"}}", "400 No", "X-API-Key: ****", SECRET,
         NULL},
        {"\"auth\":{\"api_key\":{\"in\":\"query\",\"name\":\"k\",\"value\":\"" SECRET "\"}}",
         "400 No", "GET /x?k=************ HTTP", SECRET, NULL},
        {"\"auth\":{\"api_key\":{\"in\":\"cookie\",\"name\":\"k\",\"value\":\"" SECRET "\"}}",
         "400 No", "k=************", SECRET, NULL},
        /* a short one may be any word; a success is the API's own */
        {"\"auth\":{\"api_key\":{\"value\":\"open\"}}", "400 No", "open sesame", "*sesame", NULL},
        {"\"auth\":{\"bearer\":\"" SECRET "\"}", "200 OK", "Bearer " SECRET, "***", NULL},
        /* redirects that are not followed, and headers of every status */
        {"\"auth\":{\"api_key\":{\"in\":\"query\",\"name\":\"k\",\"value\":\"" SECRET "\"}}",
         "301 No", "GET /x?k=************ HTTP", SECRET, "GET /x?k=************ HTTP"},
        {"\"auth\":{\"api_key\":{\"in\":\"query\",\"name\":\"k\",\"value\":\"" SECRET "\"}}",
         "200 OK", "GET /x?k=" SECRET, "***", "GET /x?k=************ HTTP"},
        /* percent-encoded */
        {"\"auth\":{\"api_key\":{\"in\":\"query\",\"name\":\"k\",\"value\":\"a%2 /b&c=\"}}",
         "400 No", "GET /x?k=******************* HTTP", "a%252", "k=******************* HTTP"},
        /* headers of the configuration */
        {"\"headers\":{\"set\":{\"X-Key\":\"" SECRET "\"}}", "400 No", "X-Key: ************\r\n",
         SECRET, NULL},
        {"\"headers\":{\"set\":{\"authorization\":\"Token " SECRET "\"}}", "400 No",
         "Token ************\r\n", SECRET, NULL},
        {"\"headers\":{\"set\":{\"Accept\":\"text/plain\"}}", "400 No", "Accept: text/plain", "***",
         "text/plain"},
        {"\"headers\":{\"set\":{\"X-Format\":\"text/plain\"}}", "400 No", "X-Format: ****", "plain",
         "Content-Type: text/plain"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(serve_echo, rows[i].status);
        struct sender sender;
        struct sent sent;
        char room[2048];

        snprintf(room, sizeof room, "{\"url\":\"%s\",\"retries\":{\"max\":0},%s}", rogue->url,
                 rows[i].options);
        sender_init(&sender, room);
        send_one(&sender, &sent, (struct http_message){.method = NULL});
        assert_int_equal(sent.status, strtol(rows[i].status, NULL, 10));
        if (!strstr(sent.body, rows[i].has) || strstr(sent.body, rows[i].lacks))
            fail_msg("%s: %s", rows[i].options, sent.body);
        if (rows[i].header && !strcasestr(sent.headers, rows[i].header))
            fail_msg("%s: %s", rows[i].options, sent.headers);
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

static void cookies_are_joined(void **state)
{
    static const haft_header own[] = {{"Cookie", "a=1"}, {"cookie", "b=2"}};
    struct rogue *rogue = rogue_open(serve_ok, NULL);
    struct sender sender;
    struct sent sent;
    char room[2048];

    (void)state;
    sender_init(&sender, options_of(room, rogue,
                                    "\"auth\":{\"api_key\":{\"in\":\"cookie\",\"name\":\"sid\","
                                    "\"value\":\"v\"}}"));
    send_one(&sender, &sent, (struct http_message){.headers = own, .n_headers = 2});
    assert_true(rogue_saw(rogue, "Cookie: a=1; b=2; sid=v\r\n"));
    sender_finish(&sender);
    rogue_close(rogue);
}

static void traces_are_passed_on(void **state)
{
    struct rogue *rogue = rogue_open(serve_ok, NULL);
    struct sender sender;
    struct sent sent;
    char room[2048];

    (void)state;
    sender_init(&sender, options_of(room, rogue, ""));
    send_one(&sender, &sent,
             (struct http_message){.traceparent = "00-1-2-01", .tracestate = "a=b"});
    assert_true(rogue_saw(rogue, "traceparent: 00-1-2-01\r\n"));
    assert_true(rogue_saw(rogue, "tracestate: a=b\r\n"));
    sender_finish(&sender);
    rogue_close(rogue);
}

static void only_named_headers_are_forwarded(void **state)
{
    static const haft_header client[] = {{"Accept-Language", "de"},
                                         {"Authorization", "Bearer x"},
                                         {"cookie", "c"},
                                         {"X-Tenant", "7"},
                                         {"Host", "h"},
                                         {"X-Other", "o"}};
    struct sender sender;
    haft_header list[COUNT_OF(client)];

    (void)state;
    sender_init(&sender, "{\"url\":\"http://127.0.0.1:1\",\"headers\":{\"forward\":"
                         "[\"accept-language\",\"x-tenant\"]}}");
    assert_int_equal(
        hf_http_headers_forward(sender.upstream, client, COUNT_OF(client), sender.arena, list), 2);
    assert_string_equal(list[0].value, "de");
    assert_string_equal(list[1].value, "7");
    sender_finish(&sender);
}

/* A redirect to a host that the configuration does not name. */
static void other_hosts_get_nothing(void **state)
{
    static const haft_header own = {"X-Own", "own"};
    struct http_target target = {.url = "https://a.example"};
    struct sender sender;
    struct http_outgoing outgoing;
    struct http_sending sending = {.target = &target,
                                   .message = {.method = "GET",
                                               .target = "/x",
                                               .headers = &own,
                                               .n_headers = 1,
                                               .traceparent = "00-1-2-01"}};

    (void)state;
    sender_init(&sender, "{\"url\":\"https://a.example\",\"auth\":{\"bearer\":\"" SECRET "\","
                         "\"api_key\":{\"in\":\"query\",\"name\":\"k\",\"value\":\"" SECRET "\"}},"
                         "\"headers\":{\"set\":{\"X-Set\":\"" SECRET "\"}}}");
    sending.upstream = sender.upstream;
    sending.arena = sender.arena;
    assert_int_equal(hf_http_outgoing_make(&sending, &outgoing), 0);
    assert_string_equal(outgoing.url, "https://a.example/x?k=" SECRET);
    assert_int_equal(outgoing.n_fields, 4);
    sending.elsewhere = "https://b.example/y";
    sending.elsewhere_guarded = true;
    assert_int_equal(hf_http_outgoing_make(&sending, &outgoing), 0);
    assert_string_equal(outgoing.url, "https://b.example/y");
    assert_int_equal(outgoing.n_fields, 0);
    sender_finish(&sender);
}

/* Wrong options are refused, with a place, and without the secret. */
static void wrong_options(void **state)
{
    static const struct {
        const char *options, *path, *text;
    } rows[] = {
        {"{}", "url", "is missing"},
        {"{\"url\":\"ftp://x\"}", "url", "http or https"},
        {"{\"url\":\"https://user:" SECRET "@x\"}", "url", "without user"},
        {"{\"url\":\"https://x?a=b\"}", "url", "without user, query"},
        {"{\"url\":\"https://x\",\"targets\":[{\"url\":\"https://y\"}]}", "targets", "either"},
        {"{\"targets\":[{\"url\":\"https://y\"},{\"url\":\"y\"}]}", "targets.1.url", "http"},
        {"{\"url\":\"https://x\",\"auth\":{\"bearer\":\"" SECRET "\\n\"}}", "auth",
         "bearer: contains"},
        {"{\"url\":\"https://x\",\"auth\":{\"bearer\":\"" SECRET "\",\"basic\":{\"username\":\"u\","
         "\"password\":\"" SECRET "\"}}}",
         "auth", "only one"},
        {"{\"url\":\"https://x\",\"auth\":{\"basic\":{\"username\":\"u:v\",\"password\":\"" SECRET
         "\"}}}",
         "auth", "colon"},
        {"{\"url\":\"https://x\",\"auth\":{\"oauth\":{\"client_id\":\"a\",\"client_secret\":\"" SECRET
         "\"}}}",
         "auth", "oauth.token_url"},
        {"{\"url\":\"https://x\",\"auth\":{\"api_key\":{\"in\":\"cookie\",\"name\":\"c\",\"value\":\"" SECRET
         ";\"}}}",
         "auth", "cookie"},
        {"{\"url\":\"https://x\",\"auth\":{\"bearer\":\"@/nonexistent/" SECRET "\"}}", "auth",
         "cannot read"},
        {"{\"url\":\"https://x\",\"headers\":{\"set\":{\"Host\":\"h\"}}}", "headers.set", "Host"},
        {"{\"url\":\"https://x\",\"headers\":{\"set\":{\"X\":\"a\\nb\"}}}", "headers.set", "X"},
        {"{\"url\":\"https://x\",\"headers\":{\"forward\":[\"Authorization\"]}}", "headers.forward",
         "never passed on"},
        {"{\"url\":\"https://x\",\"headers\":{\"forward\":[\"cookie\"]}}", "headers.forward",
         "never passed on"},
        {"{\"url\":\"https://x\",\"headers\":{\"forward\":[\"X Y\"]}}", "headers.forward",
         "X Y: not the name of a header"},
        {"{\"url\":\"https://x\",\"tls\":{\"certificate\":\"c.pem\"}}", "tls", "both"},
        {"{\"url\":\"https://x\",\"tls\":{\"ca_file\":\"/nonexistent/ca\"}}", "tls.ca_file",
         "cannot read /nonexistent/ca: No such file or directory"},
        {"{\"url\":\"https://x\",\"tls\":{\"certificate\":\"/dev/null\",\"key\":\"/nonexistent/k\"}}",
         "tls.key", "cannot read /nonexistent/k"},
        {"{\"url\":\"https://x\",\"retries\":{\"max\":11}}", "retries.max", ""},
        {"{\"url\":\"https://x\",\"nonsense\":1}", "", "nonsense"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sender sender;
        int status = sender_try(&sender, NULL, rows[i].options);

        if (!status || strcmp(sender.reason.path, rows[i].path) != 0 ||
            !strstr(sender.reason.text, rows[i].text))
            fail_msg("%s: %d, %s: %s", rows[i].options, status, sender.reason.path,
                     sender.reason.text);
        if (!strstr(rows[i].text, "cannot read"))
            assert_null(strstr(sender.reason.text, SECRET));
        assert_false(sender_logged(&sender, SECRET));
        sender_finish(&sender);
    }
}

/* ---- OAuth client credentials ---- */

/* A token endpoint at /token, and an API. */
struct issuer {
    const char *answer; /* of the token endpoint */
    atomic_int tokens, calls;
    int valid; /* number of the first token that the API accepts */
};

static void serve_issuer(struct rogue *rogue, int fd, int number)
{
    struct issuer *issuer = (struct issuer *)(uintptr_t)rogue->context;
    char body[512], head[512], token[64];

    (void)number;
    while (rogue_read(rogue, fd)) {
        if (rogue_saw(rogue, "POST /token ")) {
            int n = atomic_fetch_add(&issuer->tokens, 1) + 1;

            snprintf(body, sizeof body, issuer->answer, n);
            snprintf(head, sizeof head,
                     "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n",
                     strstr(body, "error") ? "401 Unauthorized" : "200 OK", strlen(body));
        } else {
            atomic_fetch_add(&issuer->calls, 1);
            *body = '\0';
            snprintf(token, sizeof token, "Authorization: Bearer token-%d\r\n", issuer->valid);
            snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n",
                     rogue_saw(rogue, token) ? "200 OK" : "401 Unauthorized");
        }
        rogue_puts(fd, head);
        rogue_puts(fd, body);
    }
}

static const char bearer[] =
    "{\"access_token\":\"token-%d\",\"token_type\":\"Bearer\",\"expires_in\":3600}";

static const char *oauth_options(char room[2048], const struct rogue *rogue, const char *more)
{
    char auth[1024];

    snprintf(auth, sizeof auth,
             "\"auth\":{\"oauth\":{\"token_url\":\"%s/token\",\"client_id\":\"me\","
             "\"client_secret\":\"" SECRET "\",\"scopes\":\"a b\"%s}}",
             rogue->url, more);
    return options_of(room, rogue, auth);
}

static void tokens_are_fetched_and_kept(void **state)
{
    struct issuer issuer = {.answer = bearer, .valid = 1};
    struct rogue *rogue = rogue_open(serve_issuer, &issuer);
    struct sender sender;
    struct sent sent[8];
    char room[2048];

    (void)state;
    sender_init(&sender, oauth_options(room, rogue, ""));
    for (size_t i = 0; i < COUNT_OF(sent); i++)
        send_start(&sender, &sent[i], (struct http_message){.method = "POST"});
    for (size_t i = 0; i < COUNT_OF(sent); i++) {
        send_wait(&sent[i]);
        assert_int_equal(sent[i].status, 200);
    }
    assert_int_equal(atomic_load(&issuer.tokens), 1);
    assert_int_equal(atomic_load(&issuer.calls), 8);
    sender_finish(&sender);
    rogue_close(rogue);
}

static void token_requests(void **state)
{
    static const struct {
        const char *more, *seen;
    } rows[] = {
        {"", "Authorization: Basic bWU6czNjcjN0LVZhbHVl\r\n"},
        {"", "grant_type=client_credentials&scope=a+b"},
        {",\"method\":\"post\"", "&client_id=me&client_secret=" SECRET},
        {",\"audience\":\"x y\",\"resource\":\"https://r\"",
         "&audience=x+y&resource=https%3A%2F%2Fr"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct issuer issuer = {.answer =
                                    "{\"error\":\"invalid_client\",\"error_description\":\"%d\"}"};
        struct rogue *rogue = rogue_open(serve_issuer, &issuer);
        struct sender sender;
        struct sent sent;
        char room[2048];

        sender_init(&sender, oauth_options(room, rogue, rows[i].more));
        send_one(&sender, &sent, (struct http_message){.method = "GET"});
        assert_int_equal(sent.fault, HTTP_FAULT_CREDENTIALS);
        assert_non_null(strstr(sent.text, "invalid_client (status 401)"));
        assert_true(rogue_saw(rogue, rows[i].seen));
        assert_false(sender_logged(&sender, SECRET));
        assert_null(strstr(sent.text, SECRET));
        /* The next call does not ask at once again. */
        send_one(&sender, &sent, (struct http_message){.method = "GET"});
        assert_int_equal(sent.fault, HTTP_FAULT_CREDENTIALS);
        assert_int_equal(atomic_load(&issuer.tokens), 1);
        assert_int_equal(atomic_load(&issuer.calls), 0);
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

/* An API that redirects /slow, and refuses the first token for other targets while /slow waits. */
struct turnstile {
    atomic_int tokens, accepted;
    atomic_bool slow_arrived, redirected;
};

static void turnstile_await(struct rogue *rogue, const atomic_bool *event)
{
    while (!atomic_load(event) && !atomic_load(&rogue->ends))
        sched_yield();
}

static void turnstile_redirect(struct rogue *rogue, struct turnstile *turnstile, int fd)
{
    atomic_store(&turnstile->slow_arrived, true);
    while (atomic_load(&turnstile->tokens) < 2 && !atomic_load(&rogue->ends))
        sched_yield();
    rogue_puts(fd, "HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n");
    atomic_store(&turnstile->redirected, true);
}

static void turnstile_issue(struct rogue *rogue, struct turnstile *turnstile, int fd)
{
    int n = atomic_fetch_add(&turnstile->tokens, 1) + 1;
    char body[128], head[128];

    if (n == 2)
        turnstile_await(rogue, &turnstile->redirected);
    snprintf(body, sizeof body, bearer, n);
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", strlen(body));
    rogue_puts(fd, head);
    rogue_puts(fd, body);
}

static void serve_turnstile(struct rogue *rogue, int fd, int number)
{
    struct turnstile *turnstile = (struct turnstile *)(uintptr_t)rogue->context;

    (void)number;
    while (rogue_read(rogue, fd)) {
        bool first = rogue_saw(rogue, "Authorization: Bearer token-1\r\n");

        if (rogue_saw(rogue, "POST /token ")) {
            turnstile_issue(rogue, turnstile, fd);
            continue;
        }
        if (rogue_saw(rogue, "GET /slow ")) {
            turnstile_redirect(rogue, turnstile, fd);
            continue;
        }
        atomic_fetch_add(&turnstile->accepted,
                         rogue_saw(rogue, "Authorization: Bearer token-2\r\n"));
        rogue_puts(fd, first ? "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
                             : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
}

/* A redirect is followed while another call's 401 has dropped the token that both sent. */
static void redirects_wait_for_tokens(void **state)
{
    struct turnstile turnstile = {.tokens = 0};
    struct rogue *rogue = rogue_open(serve_turnstile, &turnstile);
    struct sender sender;
    struct sent slow, refused;
    char room[2048];

    (void)state;
    oauth_options(room, rogue, "");
    snprintf(room + strlen(room) - 1, 64, ",\"redirects\":{}}");
    sender_init(&sender, room);
    send_start(&sender, &slow, (struct http_message){.target = "/slow"});
    turnstile_await(rogue, &turnstile.slow_arrived);
    send_one(&sender, &refused, (struct http_message){.target = "/x"});
    send_wait(&slow);
    assert_int_equal(refused.status, 200);
    assert_int_equal(slow.status, 200);
    assert_int_equal(atomic_load(&turnstile.accepted), 2);
    assert_int_equal(atomic_load(&turnstile.tokens), 2);
    sender_finish(&sender);
    rogue_close(rogue);
}

static void requests_without_a_token_are_refused(void **state)
{
    struct http_target target = {.url = "https://a.example"};
    struct http_token token = {.header = NULL};
    struct http_credential credential = {.kind = HTTP_CREDENTIAL_OAUTH, .token = &token};
    const struct http_credential *list = &credential;
    struct sender sender;
    struct http_outgoing outgoing;
    struct http_sending sending = {
        .target = &target,
        .message = {.method = "GET", .target = "/x", .credentials = &list, .n_credentials = 1}};

    (void)state;
    sender_init(&sender, "{\"url\":\"https://a.example\"}");
    sending.upstream = sender.upstream;
    sending.arena = sender.arena;
    assert_int_equal(hf_http_outgoing_make(&sending, &outgoing), HAFT_EDENIED);
    token.header = "Bearer x";
    assert_int_equal(hf_http_outgoing_make(&sending, &outgoing), 0);
    sender_finish(&sender);
}

/* A token that the API no longer accepts is replaced, once. */
static void refused_tokens_are_renewed(void **state)
{
    static const struct {
        int valid, status, tokens, calls;
    } rows[] = {{1, 200, 1, 1}, {2, 200, 2, 2}, {3, 401, 2, 2}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct issuer issuer = {.answer = bearer, .valid = rows[i].valid};
        struct rogue *rogue = rogue_open(serve_issuer, &issuer);
        struct sender sender;
        struct sent sent;
        char room[2048];

        sender_init(&sender, oauth_options(room, rogue, ""));
        send_one(&sender, &sent,
                 (struct http_message){.method = "POST", .body = "b", .body_size = 1});
        assert_int_equal(sent.status, rows[i].status);
        assert_int_equal(atomic_load(&issuer.tokens), rows[i].tokens);
        assert_int_equal(atomic_load(&issuer.calls), rows[i].calls);
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

static void unusable_token_answers(void **state)
{
    static const char *const answers[] = {
        "{}%d", "{\"access_token\":\"t%d\"}",
        "{\"access_token\":\"t%d\",\"token_type\":\"mac\",\"expires_in\":10}", "%d", ""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        struct issuer issuer = {.answer = answers[i]};
        struct rogue *rogue = rogue_open(serve_issuer, &issuer);
        struct sender sender;
        struct sent sent;
        char room[2048];

        sender_init(&sender, oauth_options(room, rogue, ""));
        send_one(&sender, &sent, (struct http_message){.method = "GET"});
        assert_int_equal(sent.fault, HTTP_FAULT_CREDENTIALS);
        assert_int_equal(atomic_load(&issuer.calls), 0);
        sender_finish(&sender);
        rogue_close(rogue);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(credentials_are_sent),
        cmocka_unit_test(answers_do_not_repeat_credentials),
        cmocka_unit_test(cookies_are_joined),
        cmocka_unit_test(traces_are_passed_on),
        cmocka_unit_test(only_named_headers_are_forwarded),
        cmocka_unit_test(other_hosts_get_nothing),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(tokens_are_fetched_and_kept),
        cmocka_unit_test(token_requests),
        cmocka_unit_test(redirects_wait_for_tokens),
        cmocka_unit_test(requests_without_a_token_are_refused),
        cmocka_unit_test(refused_tokens_are_renewed),
        cmocka_unit_test(unusable_token_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
