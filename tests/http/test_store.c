/* test_store.c - legacy sessions over real HTTP whose store answers from another thread, and dies. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "http/site.h"

#include "engine/offer/server.h"
#include "support/late_store.h"

enum { CLIENTS = 16, DELAY_MS = 3 };

struct stand {
    haft_store *memory;
    struct late_store *late;
    struct site *site;
};

static void stand_open(struct stand *stand)
{
    stand->memory = haft_store_memory_new(NULL);
    stand->late = late_store_new(stand->memory, LATE_DELAYED, DELAY_MS);
    assert_non_null(stand->late);
    stand->site = site_open(
        (haft_http_options)HAFT_INIT(haft_http_options, .store = late_store_of(stand->late)));
}

static void stand_close(struct stand *stand)
{
    site_close(stand->site);
    late_store_free(stand->late);
    haft_store_free(stand->memory);
}

static int ask(const struct stand *stand, const char *method, const char *headers, const char *body)
{
    char request[1024];
    int fd = dial(stand->site),
        size = snprintf(
            request, sizeof request,
            "%s /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            "Content-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n%sContent-Length: %zu\r\n\r\n%s",
            method, headers, strlen(body), body);

    say(fd, request, (size_t)size);
    return fd;
}

static void expect(int fd, const char *status, const char *part, char *ret_text)
{
    static char text[ROOM];
    char *to = ret_text ? ret_text : text;

    assert_true(hear_all(fd, to, ROOM));
    close(fd);
    if (!strstr(to, status) || !strstr(to, part))
        fail_msg("%s and %s are not in %s", status, part, to);
}

#define HELLO                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"

static void begin(const struct stand *stand, char headers[128])
{
    static char text[ROOM];
    const char *id;

    expect(ask(stand, "POST", "", HELLO), "HTTP/1.1 200 ", "serverInfo", text);
    id = strstr(text, "Mcp-Session-Id: ");
    assert_non_null(id);
    snprintf(headers, 128, "%.*s\r\n", (int)strcspn(id, "\r"), id);
}

/* Each has its session, all call at once, and each gets all of its events in order. */
static void sessions_wait_without_threads(void **state)
{
    static char headers[CLIENTS][128], text[ROOM];
    int fds[CLIENTS];
    struct stand stand;

    (void)state;
    stand_open(&stand);
    for (size_t i = 0; i < CLIENTS; i++)
        begin(&stand, headers[i]);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < CLIENTS; i++)
            fds[i] = ask(&stand, "POST", headers[i], CALL(2, "steps", 3));
        for (size_t i = 0; i < CLIENTS; i++) {
            const char *at = text;

            expect(fds[i], "HTTP/1.1 200 ", "\"id\":2", text);
            for (unsigned number = 0; number < 4; number++) {
                char id[32];

                snprintf(id, sizeof id, "id: %d-%u\n", round + 1, number);
                at = strstr(at, id);
                if (!at)
                    fail_msg("%s is not in %s", id, text);
            }
        }
    }
    for (size_t i = 0; i < CLIENTS; i++)
        expect(ask(&stand, "DELETE", headers[i], ""), "HTTP/1.1 200 ", "", NULL);
    for (size_t i = 0; i < CLIENTS; i++)
        expect(ask(&stand, "POST", headers[i], PING(1)), "HTTP/1.1 404 ", "Session not found",
               NULL);
    stand_close(&stand);
}

/* The store dies, and the server ends all the same. */
static void ends_although_the_store_is_dead(void **state)
{
    char headers[128];
    struct stand stand;
    int waiting;

    (void)state;
    stand_open(&stand);
    begin(&stand, headers);
    hf_server_set_timeout(stand.site->server, 200);
    late_store_set(stand.late, LATE_NEVER);
    expect(ask(&stand, "POST", headers, PING(1)), "HTTP/1.1 504 ",
           "The session store did not answer in time", NULL);
    hf_server_set_timeout(stand.site->server, 60000);
    waiting = ask(&stand, "POST", headers, PING(1));
    while (!late_store_waiting(stand.late))
        uv_sleep(1);
    stand.site->hasty = true;
    stand_close(&stand);
    close(waiting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_wait_without_threads),
        cmocka_unit_test(ends_although_the_store_is_dead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
