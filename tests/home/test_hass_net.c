/* The link over the network: requests, their ends, the URL and the token. */
#include "hass/net_link.h"
#include "home/fake_home.h"
#include "http_client/rogue.h"
#include "support/child.h"

#define TOKEN "s3cret-t0ken-never-shown"

/* ---- one request ---- */

struct net_done {
    uv_sem_t sem;
    int status;
    bool maybe_done;
    char text[512], type[64], body[256];
    size_t size;
};

static void net_on_done(void *who, const struct link_response *response)
{
    struct net_done *done = who;

    done->status = response->status;
    done->maybe_done = response->maybe_done;
    done->size = response->size;
    snprintf(done->text, sizeof done->text, "%s", response->text ? response->text : "");
    snprintf(done->type, sizeof done->type, "%s", response->type ? response->type : "");
    snprintf(done->body, sizeof done->body, "%s", response->body ? response->body : "");
    assert_null(strstr(done->text, TOKEN));
    uv_sem_post(&done->sem);
}

static struct hass_link net_open(const char *url)
{
    struct hass_link link;
    haft_reason reason;
    int status =
        net_link_new(&(struct net_link_options){.url = url, .token = TOKEN}, &link, &reason);

    if (status)
        fail_msg("%s: %s", url, reason.text);
    return link;
}

static struct net_done net_ask(struct hass_link *link, struct link_request request)
{
    struct net_done done = {.status = -1};

    if (!request.within_ms)
        request.within_ms = 10000;
    assert_int_equal(uv_sem_init(&done.sem, 0), 0);
    link->request(link->context, &request, net_on_done, &done);
    uv_sem_wait(&done.sem);
    uv_sem_destroy(&done.sem);
    return done;
}

/* ---- servers ---- */

static void net_serve(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd) && rogue_puts(fd, rogue->context))
        ;
}

static void net_serve_nothing(struct rogue *rogue, int fd, int number)
{
    (void)number;
    rogue_read(rogue, fd);
}

static void net_serve_silence(struct rogue *rogue, int fd, int number)
{
    (void)number;
    if (rogue_read(rogue, fd))
        rogue_hold(rogue, fd);
}

static void net_serve_much(struct rogue *rogue, int fd, int number)
{
    static const char block[65536];

    (void)number;
    if (!rogue_read(rogue, fd))
        return;
    rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 33554432\r\n\r\n");
    for (int i = 0; i < 512; i++)
        if (!rogue_write(fd, block, sizeof block))
            return;
}

#define ANSWER(status, type, size, body)                                                           \
    "HTTP/1.1 " status " X\r\nContent-Type: " type "\r\nContent-Length: " size "\r\n\r\n" body

static void test_requests(void **state)
{
    static const struct {
        void (*serve)(struct rogue *rogue, int fd, int number);
        const char *answer, *method, *body;
        int64_t within_ms;
        int status;
        const char *expect; /* the body; of no answer, part of the text */
        bool maybe_done;
    } rows[] = {
        {net_serve, ANSWER("200", "application/json", "7", "{\"a\":1}"), "GET", NULL, 0, 200,
         "{\"a\":1}", false},
        {net_serve, ANSWER("200", "text/plain", "0", ""), "GET", NULL, 0, 200, "", false},
        {net_serve, ANSWER("400", "text/plain", "16", "400: Bad Request"), "POST", "{\"x\":2}", 0,
         400, "400: Bad Request", false},
        {net_serve, ANSWER("401", "text/plain", "17", "401: Unauthorized"), "GET", NULL, 0, 401,
         "401: Unauthorized", false},
        {net_serve, "HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "GET", NULL, 0,
         302, "", false},
        {net_serve, "nonsense\r\n\r\n", "GET", NULL, 0, 0, "", true},
        {net_serve_nothing, "", "POST", "{}", 0, 0, "closed", true},
        {net_serve_silence, "", "POST", "{}", 100, 0, "timed out", true},
        {net_serve_much, "", "GET", NULL, 0, 0, "limit", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *rogue = rogue_open(rows[i].serve, rows[i].answer);
        struct hass_link link = net_open(rogue->url);
        struct net_done done =
            net_ask(&link, (struct link_request){.method = rows[i].method,
                                                 .path = "/api/x?y=%20z",
                                                 .body = rows[i].body,
                                                 .traceparent = "00-1-2-01",
                                                 .within_ms = rows[i].within_ms});

        if (done.status != rows[i].status || done.maybe_done != rows[i].maybe_done ||
            !strstr(done.status ? done.body : done.text, rows[i].expect))
            fail_msg("row %zu: %d %d %s %s", i, done.status, done.maybe_done, done.text, done.body);
        pthread_mutex_lock(&rogue->lock);
        assert_non_null(strstr(rogue->seen, " /api/x?y=%20z HTTP/1.1\r\n"));
        assert_non_null(strstr(rogue->seen, "\r\nAuthorization: Bearer " TOKEN "\r\n"));
        assert_non_null(strstr(rogue->seen, "\r\ntraceparent: 00-1-2-01\r\n"));
        assert_true(!rows[i].body ==
                    !strstr(rogue->seen, "\r\nContent-Type: application/json\r\n"));
        assert_true(!rows[i].body || strstr(rogue->seen, rows[i].body));
        pthread_mutex_unlock(&rogue->lock);
        link.free(link.context);
        rogue_close(rogue);
    }
}

static void test_kept_alive(void **state)
{
    struct rogue *rogue = rogue_open(net_serve, ANSWER("200", "text/plain", "2", "ok"));
    struct hass_link link = net_open(rogue->url);

    (void)state;
    for (int i = 0; i < 20; i++)
        assert_int_equal(
            net_ask(&link, (struct link_request){.method = "GET", .path = "/api/"}).status, 200);
    assert_int_equal(rogue->connections, 1);
    link.free(link.context);
    rogue_close(rogue);
}

static void test_cancel(void **state)
{
    struct rogue *rogue = rogue_open(net_serve_silence, "");
    struct hass_link link = net_open(rogue->url);
    struct link_request request = {.method = "GET", .path = "/api/", .within_ms = 60000};
    struct net_done done = {.status = -1};
    void *handle;

    (void)state;
    assert_int_equal(uv_sem_init(&done.sem, 0), 0);
    handle = link.request(link.context, &request, net_on_done, &done);
    assert_non_null(handle);
    while (!atomic_load(&rogue->requests))
        sleep_ms(1);
    link.cancel(link.context, handle);
    uv_sem_wait(&done.sem);
    assert_int_equal(done.status, 0);
    link.cancel(link.context, handle); /* means nothing any more */
    /* One that is in flight when the link ends is answered, too. */
    link.request(link.context, &request, net_on_done, &done);
    link.free(link.context);
    uv_sem_wait(&done.sem);
    assert_int_equal(done.status, 0);
    uv_sem_destroy(&done.sem);
    rogue_close(rogue);
}

/* ---- the socket ---- */

/* Memory that runs out for one thread. */
static uv_thread_t net_starved;
static _Atomic(bool) net_starves;

static void *net_alloc(void *context, size_t size)
{
    uv_thread_t self = uv_thread_self();

    (void)context;
    return net_starves && uv_thread_equal(&self, &net_starved) ? NULL : malloc(size);
}

static void *net_resize(void *context, void *memory, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    return realloc(memory, size);
}

static void net_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static void net_on_message(void *who, const char *text, size_t size)
{
    (void)who;
    (void)text;
    (void)size;
}

static void net_on_closed(void *who, const char *reason)
{
    (void)reason;
    uv_sem_post(who);
}

/* A message that cannot be kept, and a close, end the connection also when there is no memory. */
static void test_close_without_memory(void **state)
{
    static const haft_allocator allocator = {net_alloc, net_resize, net_release, NULL};
    struct rogue *rogue = rogue_open(net_serve_silence, "");
    uv_sem_t closed;

    (void)state;
    net_starved = uv_thread_self();
    assert_int_equal(uv_sem_init(&closed, 0), 0);
    for (int sends = 0; sends < 2; sends++) {
        struct net_link_options options = {
            .url = rogue->url, .token = TOKEN, .allocator = &allocator};
        struct hass_link link;
        haft_reason reason;
        int64_t end;

        assert_int_equal(net_link_new(&options, &link, &reason), 0);
        for (int turn = 0; turn < 2; turn++) {
            assert_int_equal(link.open(link.context, net_on_message, net_on_closed, &closed), 0);
            net_starves = true;
            if (sends)
                link.send(link.context, "x", 1);
            else
                link.close(link.context);
            net_starves = false;
            end = milliseconds() + 10000;
            while (uv_sem_trywait(&closed)) {
                if (milliseconds() > end)
                    fail_msg("it was not closed");
                sleep_ms(1);
            }
        }
        link.free(link.context);
    }
    uv_sem_destroy(&closed);
    rogue_close(rogue);
}

/* ---- the URL ---- */

static void test_urls(void **state)
{
    static const struct {
        const char *rest, *path;
    } good[] = {
        {"", "GET /api/config "},          {"/", "GET /api/config "},
        {"///", "GET /api/config "},       {"/api", "GET /api/config "},
        {"/api/", "GET /api/config "},     {"/home", "GET /home/api/config "},
        {"/a/b/", "GET /a/b/api/config "}, {"/a/api/", "GET /a/api/config "},
    };
    static const char *const bad[][2] = {
        {"", "must begin with http:// or https://"},
        {"home:8123", "must begin with http:// or https://"},
        {"ftp://home", "must begin with http:// or https://"},
        {"http:/home", "has no host"},
        {"http:///x", "has no host"},
        {"http://me:secret@home", "must not contain a user or password"},
        {"http://home/?a", "must not contain a query or fragment"},
        {"http://home/#a", "must not contain a query or fragment"},
        {"http://home:99999", "has an invalid port"},
        {"http://home:0", "has an invalid port"},
        {"http://home:", "has an invalid port"},
        {"http://home:8x", "has an invalid port"},
        {"http://[::1]:65536", "has an invalid port"},
        {"http://home:123456", "has an invalid port"},
    };
    struct rogue *rogue = rogue_open(net_serve, ANSWER("200", "text/plain", "2", "ok"));
    struct hass_link link;
    haft_reason reason;
    char url[128];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        snprintf(url, sizeof url, "%s%s", rogue->url, good[i].rest);
        link = net_open(url);
        assert_int_equal(
            net_ask(&link, (struct link_request){.method = "GET", .path = "/api/config"}).status,
            200);
        pthread_mutex_lock(&rogue->lock);
        if (strncmp(rogue->seen, good[i].path, strlen(good[i].path)) != 0)
            fail_msg("%s: %.40s", good[i].rest, rogue->seen);
        pthread_mutex_unlock(&rogue->lock);
        link.free(link.context);
    }
    rogue_close(rogue);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(net_link_new(&(struct net_link_options){.url = bad[i][0]}, &link, &reason),
                         HAFT_EINVAL);
        if (!strstr(reason.text, bad[i][1]) || strstr(reason.text, "secret"))
            fail_msg("%s: %s", bad[i][0], reason.text);
    }
    link = net_open("http://127.0.0.1:1");
    assert_int_equal(net_ask(&link, (struct link_request){.method = "GET", .path = "/api/"}).status,
                     0);
    link.free(link.context);
}

/* ---- the token ---- */

static void test_token_file(void **state)
{
    static const struct {
        const char *text;
        const char *token; /* NULL: an error */
    } rows[] = {
        {"abc", "abc"},       {" \n abc.d-e_f \r\n\n", "abc.d-e_f"},
        {"abc\n", "abc"},     {"", NULL},
        {" \n", NULL},        {"abc def", NULL},
        {"abc\ndef\n", NULL}, {"abc\x01", NULL},
        {"\xc3\xa4", NULL},
    };
    char path[] = "/tmp/haft-token-XXXXXX", token[NET_TOKEN_MAX], *big;
    haft_reason reason;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int status;

        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, rows[i].text, strlen(rows[i].text), 0), strlen(rows[i].text));
        status = net_token_read(path, token, &reason);
        assert_int_equal(!status, rows[i].token != NULL);
        if (status) {
            assert_non_null(strstr(reason.text, path));
            assert_null(strstr(reason.text, "abc"));
        } else {
            assert_string_equal(token, rows[i].token);
        }
    }
    big = calloc(1, NET_TOKEN_MAX);
    assert_non_null(big);
    memset(big, 'a', NET_TOKEN_MAX);
    assert_int_equal(pwrite(fd, big, NET_TOKEN_MAX, 0), NET_TOKEN_MAX);
    assert_int_not_equal(net_token_read(path, token, &reason), 0);
    free(big);
    close(fd);
    unlink(path);
    assert_int_not_equal(net_token_read(path, token, &reason), 0);
    assert_non_null(strstr(reason.text, "cannot open"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests), cmocka_unit_test(test_kept_alive),
        cmocka_unit_test(test_cancel),   cmocka_unit_test(test_close_without_memory),
        cmocka_unit_test(test_urls),     cmocka_unit_test(test_token_file),
    };

    haft_part_register(&haft_http_client_part);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
