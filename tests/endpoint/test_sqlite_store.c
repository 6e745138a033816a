/* test_sqlite_store.c - legacy sessions and their events in a SQLite file: answers come from another thread, and a
 * session goes on after a restart. */
#define _POSIX_C_SOURCE 200809L
#include <haft/part.h>
#include <haft/sqlite.h>
#include <time.h>
#include <unistd.h>

#include "endpoint/job.h"

#include "endpoint/asking.h" /* whose macros have names that are also in there */

#define SET_LEVEL                                                                                  \
    "{'jsonrpc':'2.0','id':2,'method':'logging/setLevel','params':{'level':'warning'}}"
#define DONE2 "{'jsonrpc':'2.0','id':2,'result':{}}"

static char file_name[64];

static int make_directory(void **state)
{
    (void)state;
    haft_part_register(&haft_sqlite_part);
    snprintf(file_name, sizeof file_name, "/tmp/haft-session-XXXXXX");
    if (!mkdtemp(file_name))
        return -1;
    snprintf(file_name + strlen(file_name), sizeof file_name - strlen(file_name), "/s.db");
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(file_name);
    *strrchr(file_name, '/') = '\0';
    return rmdir(file_name);
}

static haft_store *file_open(void)
{
    haft_reason reason = {0};
    haft_store *store = haft_sqlite_store_new(file_name, NULL, &reason);

    if (!store)
        fail_msg("%s", reason.text);
    return store;
}

/* Lets the store answer until there is a reply as the row says, for five seconds at most. */
static void check_soon(struct bench *bench, struct reply *reply, const struct row *row)
{
    static const struct timespec pause = {0, 1000000};
    char *body = expand(bench, row->answer);
    bool streams = row->status % 2000 >= STREAMS, over = row->status < OPEN;

    ask_into(bench, reply, row->method, row->path, row->headers, row->body);
    for (int i = 0; i < 5000; i++) {
        haft_endpoint_tick(bench->endpoint, bench->now);
        if (reply->over == over && (over || reply->streams) && matches(body, reply->body))
            break;
        nanosleep(&pause, NULL);
    }
    note_session(bench, reply);
    if (reply->status != row->status % 1000 || reply->streams != streams || reply->over != over ||
        !matches(body, reply->body))
        fail_msg("%s %s: %d %s", row->method, row->body, reply->status, reply->body);
    free(body);
}

/* The store's thread may still be in the endpoint when the last answer has arrived. */
static void close_when_idle(struct bench *bench)
{
    static const struct timespec pause = {0, 1000000};

    hf_endpoint_abandon(bench->endpoint);
    for (int i = 0; i < 5000 && !haft_endpoint_idle(bench->endpoint); i++) {
        haft_endpoint_tick(bench->endpoint, bench->now);
        nanosleep(&pause, NULL);
    }
    assert_true(haft_endpoint_idle(bench->endpoint));
    bench_close(bench);
}

static void keeps_sessions(void **state)
{
    static const struct row rows[] = {
        {"POST", "/mcp", LEGACY, HELLO, 200, "*", NULL},
        {"POST", "/mcp", SESSION, PING, 200, PONG, NULL},
        {"POST", "/mcp", SESSION, SET_LEVEL, 200, DONE2, NULL},
        {"POST", "/mcp", SESSION, "{'jsonrpc':'2.0','method':'notifications/initialized'}", 202, "",
         NULL},
        {"POST", "/mcp", SESSION, CALL(3, "say", ",'arguments':{'text':'hi'}"), 200, "*hi*", NULL},
        {"POST", "/mcp", SESSION, CALL(4, "count", TOKEN), 200 + STREAMS,
         "id: 4-0\n*id: 4-1\n*'one'*id: 4-2\n*'two'*id: 4-3\n*counted*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 4-1\n", "", 200 + STREAMS,
         "id: 4-2\n*'two'*id: 4-3\n*counted*", NULL},
        {"GET", "/mcp", SESSION "last-event-id: 9-9\n", "", 400, "*Last-Event-ID*", NULL},
    };
    static const struct row after[] = {
        {"GET", "/mcp", SESSION "last-event-id: 4-1\n", "", 200 + STREAMS,
         "id: 4-2\n*'two'*id: 4-3\n*counted*", NULL},
        {"POST", "/mcp", SESSION, PING, 200, PONG, NULL},
        {"DELETE", "/mcp", SESSION, "", 200, "", NULL},
        {"POST", "/mcp", SESSION, PING, 404, "*Session not found*", NULL},
    };
    haft_store *store = file_open();
    struct bench *bench =
        bench_open(NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .store = store));
    struct reply reply;
    char id[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_soon(bench, &reply, &rows[i]);
    snprintf(id, sizeof id, "%s", bench->session);
    close_when_idle(bench);
    haft_store_free(store);

    store = file_open();
    bench =
        bench_open(NULL, (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .store = store));
    snprintf(bench->session, sizeof bench->session, "%s", id);
    for (size_t i = 0; i < COUNT_OF(after); i++)
        check_soon(bench, &reply, &after[i]);
    close_when_idle(bench);
    haft_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_sessions),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
