/* test_reload_tokens.c - other configurations of a gateway whose policies check access tokens: files
 * with secrets that have changed, and requests that wait for an issuer meanwhile. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "configured.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "support/file.h"

/* As in gateway/gateway.h, whose struct ask_request is not that of ask.h. */
struct generation;
struct generation *hf_generation_hold(haft_gateway *gateway);
void hf_generation_drop(struct generation *generation);

static const void *generation_now(haft_gateway *gateway)
{
    struct generation *generation = hf_generation_hold(gateway);

    hf_generation_drop(generation);
    return generation;
}

/* ---- files ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define NOBODY "# nobody\n"

static void notices_changed_files(void **state)
{
    static const struct {
        const char *options, *before, *after; /* %s is the file */
    } rows[] = {
        {"\"issuers\":[{\"url\":\"https://a.example\"},{\"url\":\"https://b.example\","
         "\"introspection\":\"https://b.example/ask\",\"client_id\":\"me\","
         "\"client_secret_file\":\"%s\"}]",
         "secret", "another secret"},
        {"\"issuers\":[{\"url\":\"https://a.example\"}],\"keys\":\"%s\"", NOBODY, NOBODY NOBODY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char json[2048], options[1024], path[FILE_PATH];
        const void *first;
        haft_gateway *gateway;
        haft_reason reason;

        file_make(path, rows[i].before);
        snprintf(options, sizeof options, rows[i].options, path);
        snprintf(
            json, sizeof json,
            "{\"plugins\":[" SO(
                "passing") "],\"gateway\":{\"policies\":[{\"name\":\"tokens\","
                           "\"policy\":\"oauth\",\"options\":{%s,\"resource\":\"https://x.example\"}}],"
                           "\"endpoints\":[{\"policies\":[\"tokens\"]}]}}",
            options);
        gateway = configured(json);
        first = generation_now(gateway);
        assert_int_equal(take(gateway, json, &reason), 0);
        assert_ptr_equal(generation_now(gateway), first);
        write_file(path, rows[i].after);
        assert_int_equal(take(gateway, json, &reason), 0);
        if (generation_now(gateway) == first)
            fail_msg("row %zu: the file was not read again", i);
        haft_gateway_free(gateway);
        unlink(path);
    }
}

/* ---- pending checks ---- */

/* An issuer that accepts connections and does not answer. */
static int silent_issuer(unsigned *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

enum { WAITERS = 4 };

struct waiter {
    uv_thread_t thread;
    haft_gateway *gateway;
    atomic_int *n_begun;
    int status;
};

static void ask_and_wait(void *context)
{
    static const haft_header header = {"authorization", "Bearer opaque"};
    struct waiter *waiter = context;
    haft_request request = {.method = "GET",
                            .path = "/closed",
                            .query = "",
                            .body = "",
                            .headers = &header,
                            .n_headers = 1};
    haft_gateway_request *req = haft_gateway_request_new(waiter->gateway, &request, ASK_NOW);

    assert_non_null(req);
    atomic_fetch_add(waiter->n_begun, 1);
    haft_gateway_request_run(req);
    waiter->status = haft_gateway_request_response(req)->status;
    haft_gateway_request_free(req);
}

static int ask_now(haft_gateway *gateway)
{
    haft_request request = {.method = "GET", .path = "/closed", .query = "", .body = ""};
    haft_gateway_request *req = haft_gateway_request_new(gateway, &request, ASK_NOW);
    int status;

    haft_gateway_request_run(req);
    status = haft_gateway_request_response(req)->status;
    haft_gateway_request_free(req);
    return status;
}

/* They keep the generation that they began with, and its authenticator, until they are answered. */
static void answers_pending_requests(void **state)
{
    struct waiter waiters[WAITERS];
    atomic_int n_begun = 0;
    char json[2048], path[FILE_PATH];
    unsigned port;
    int issuer = silent_issuer(&port);
    struct pollfd arrives = {.fd = issuer, .events = POLLIN};
    haft_gateway *gateway;
    const void *first;
    haft_reason reason;

    (void)state;
    file_make(path, "secret");
    snprintf(
        json, sizeof json,
        "{\"plugins\":[" SO(
            "routes-1") "],\"gateway\":{\"policies\":[{\"name\":\"tokens\","
                        "\"policy\":\"oauth\",\"options\":{\"issuers\":[{\"url\":\"http://127.0.0.1:%u\","
                        "\"introspection\":\"http://127.0.0.1:%u/ask\",\"client_id\":\"me\","
                        "\"client_secret_file\":\"%s\"}],\"resource\":\"https://x.example\"}}],"
                        "\"routes\":{\"GET /closed\":{\"policies\":[\"tokens\"]}}}}",
        port, port, path);
    gateway = configured(json);
    assert_int_equal(ask_now(gateway), 401);
    for (size_t i = 0; i < WAITERS; i++) {
        waiters[i] = (struct waiter){.gateway = gateway, .n_begun = &n_begun};
        assert_int_equal(uv_thread_create(&waiters[i].thread, ask_and_wait, &waiters[i]), 0);
    }
    assert_int_equal(poll(&arrives, 1, 60000), 1);
    while (atomic_load(&n_begun) < WAITERS)
        poll(NULL, 0, 1);
    first = generation_now(gateway);
    write_file(path, "another secret");
    assert_int_equal(take(gateway, json, &reason), 0);
    assert_ptr_not_equal(generation_now(gateway), first);
    assert_int_equal(ask_now(gateway), 401);
    close(issuer);
    for (size_t i = 0; i < WAITERS; i++) {
        uv_thread_join(&waiters[i].thread);
        assert_int_equal(waiters[i].status, 503);
    }
    assert_int_equal(ask_now(gateway), 401);
    haft_gateway_free(gateway);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notices_changed_files),
        cmocka_unit_test(answers_pending_requests),
    };

    return cmocka_run_group_tests_name("reload_tokens", tests, NULL, NULL);
}
