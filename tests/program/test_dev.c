/* test_dev.c - conversations through `haft dev`, with servers that come and go; and what it watches. */
#include "dev_session.h"
#include "dev_watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/test.h"

/* ---- conversations ---- */

/* What left the session: lines that begin with "c " or "s ", by whom they are for; "- " is a request
 * that ended. */
static haft_buffer said;

static void to_client(void *context, const char *text, size_t size)
{
    (void)context;
    haft_buffer_printf(&said, "c %.*s\n", (int)size, text);
}

static void to_server(void *context, const char *text, size_t size)
{
    (void)context;
    haft_buffer_printf(&said, "s %.*s\n", (int)size, text);
}

static void ended(void *context, const struct dev_request *request, enum dev_outcome outcome,
                  const char *text, size_t size)
{
    static const char *const outcomes[] = {"ok", "tool error", "error", "cancelled", "lost"};

    (void)context;
    haft_buffer_printf(&said, "- %s %s %s %.*s\n", request->method, request->name,
                       outcomes[outcome], (int)size, text ? text : "");
}

static void note(void *context, const char *format, ...)
{
    va_list args;
    char text[256];

    (void)context;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    haft_buffer_printf(&said, "! %s\n", text);
}

/* c and s: a line of the client or the server; d: a line of the client while there is no server; l: the
 * server is lost, and another follows (r) or does not (x); n: another is there. */
struct step {
    char kind;
    const char *text, *said;
};

#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-06-18\"}}"
#define GREETING                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"capabilities\":{\"tools\":{},\"prompts\":{}}}}"
#define AGAIN                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":\"haft-dev-own-handshake\",\"method\":\"initialize\",\"params\":{" \
    "\"protocolVersion\":\"2025-06-18\"}}"
#define GREETING_AGAIN                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":\"haft-dev-own-handshake\",\"result\":{\"capabilities\":{"        \
    "\"resources\":{}}}}"
#define INITIALIZED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define CALL(id)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}"
#define RESULT(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define FAILED(id, text)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32603,\"message\":\"" text "\"}}"
#define CHANGED(list) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" list "/list_changed\"}"
#define GREETED                                                                                    \
    {'c', INITIALIZE, "s " INITIALIZE "\n"},                                                       \
        {'s', GREETING, "- initialize  ok \nc " GREETING "\n"},                                    \
    {                                                                                              \
        'c', INITIALIZED, "s " INITIALIZED "\n"                                                    \
    }

/* Calls that are in flight fail once, with the id as it was written, and are not repeated. */
static const struct step in_flight[] = {
    GREETED,
    {'c', CALL("7"), "s " CALL("7") "\n"},
    {'c', CALL("\"\\u0041\""), "s " CALL("\"\\u0041\"") "\n"},
    {'c', CALL("8"), "s " CALL("8") "\n"},
    {'s', RESULT("8"), "- tools/call t ok \nc " RESULT("8") "\n"},
    {'r', "gone",
     "c " FAILED("\"\\u0041\"", "gone") "\n- tools/call t lost gone\nc " FAILED(
         "7", "gone") "\n"
                      "- tools/call t lost gone\n"},
    {'n', NULL, "s " AGAIN "\n"},
    {'s', GREETING_AGAIN,
     "s " INITIALIZED
     "\nc " CHANGED("tools") "\nc " CHANGED("resources") "\nc " CHANGED("prompts") "\n"},
    {'c', CALL("9"), "s " CALL("9") "\n"},
    {'s', RESULT("9"), "- tools/call t ok \nc " RESULT("9") "\n"},
    {0, NULL, NULL},
};

#define LEVEL(id, level)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                              \
    ",\"method\":\"logging/setLevel\",\"params\":{\"level\":\"" level "\"}}"
#define SUBSCRIBE(id, un, uri)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"resources/" un                                \
    "subscribe\",\"params\":{\"uri\":\"" uri "\"}}"
#define ACCEPTED(id, method, name, message)                                                        \
    {'c', message, "s " message "\n"},                                                             \
    {                                                                                              \
        's', RESULT(id), "- " method " " name " ok \nc " RESULT(id) "\n"                           \
    }

/* The latest level and the subscriptions that are left are repeated; what was refused is not. */
static const struct step agreed[] = {
    GREETED,
    ACCEPTED("1", "logging/setLevel", "", LEVEL("1", "debug")),
    ACCEPTED("2", "logging/setLevel", "", LEVEL("2", "error")),
    ACCEPTED("3", "resources/subscribe", "a:1", SUBSCRIBE("3", "", "a:1")),
    ACCEPTED("4", "resources/subscribe", "a:2", SUBSCRIBE("4", "", "a:2")),
    ACCEPTED("5", "resources/subscribe", "a:2", SUBSCRIBE("5", "", "a:2")),
    ACCEPTED("6", "resources/unsubscribe", "a:1", SUBSCRIBE("6", "un", "a:1")),
    {'c', SUBSCRIBE("7", "", "a:3"), "s " SUBSCRIBE("7", "", "a:3") "\n"},
    {'s', FAILED("7", "no"), "- resources/subscribe a:3 error no\nc " FAILED("7", "no") "\n"},
    {'r', "gone", ""},
    {'n', NULL, "s " AGAIN "\n"},
    {'s', GREETING_AGAIN,
     "s " INITIALIZED
     "\ns " LEVEL("\"haft-dev-own-1\"",
                  "error") "\n"
                           "s " SUBSCRIBE("\"haft-dev-own-2\"", "",
                                          "a:2") "\n"
                                                 "c " CHANGED("tools") "\nc " CHANGED(
                                                     "resources") "\nc " CHANGED("prompts") "\n"},
    {'s', RESULT("\"haft-dev-own-1\""), ""},
    {'s', FAILED("\"haft-dev-own-2\"", "no"), ""},
    {0, NULL, NULL},
};

/* A server that is gone for now: requests fail, and nothing is queued. */
static const struct step down[] = {
    GREETED,
    {'c', CALL("1"), "s " CALL("1") "\n"},
    {'x', "crashed", "c " FAILED("1", "crashed") "\n- tools/call t lost crashed\n"},
    {'d', CALL("2"), "c " FAILED("2", "down") "\n- tools/call t lost down\n"},
    {'d', "[" CALL("3") "," CALL("4") "]",
     "c " FAILED("3", "down") "\n- tools/call t lost down\nc " FAILED(
         "4", "down") "\n- tools/call t lost down\n"},
    {'d', INITIALIZED, ""},
    {'d', "nonsense", ""},
    {'d', RESULT("1"), ""},
    {'n', NULL, "s " AGAIN "\n"},
    {'s', FAILED("\"haft-dev-own-handshake\"", "no"), ""},
    {0, NULL, NULL},
};

/* A handshake that was not answered is the client's own, and goes to the next server as it is. */
static const struct step early[] = {
    {'c', INITIALIZE, "s " INITIALIZE "\n"},
    {'r', "gone", ""},
    {'n', NULL, "s " INITIALIZE "\n"},
    {'s', GREETING, "- initialize  ok \nc " GREETING "\n"},
    {0, NULL, NULL},
};

#define LISTEN                                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{" \
    "\"toolsListChanged\":true,\"promptsListChanged\":false}}}"
#define ACKNOWLEDGED                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{" \
    "\"io.modelcontextprotocol/subscriptionId\":\"l\"}}}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

/* Without a handshake: a subscription goes on, and says once that it began. */
static const struct step modern[] = {
    {'c', LISTEN, "s " LISTEN "\n"},
    {'s', ACKNOWLEDGED, "c " ACKNOWLEDGED "\n"},
    {'r', "gone", ""},
    {'n', NULL,
     "s " LISTEN
     "\nc {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{"
     "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"l\"}}}\n"},
    {'s', ACKNOWLEDGED, ""},
    {'c', CANCEL("\"l\""), "- subscriptions/listen  cancelled \ns " CANCEL("\"l\"") "\n"},
    {'r', "gone", ""},
    {'n', NULL, ""},
    {0, NULL, NULL},
};

#define ASK(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"roots/list\"}"
#define CANCELLED(id)                                                                              \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id    \
    ",\"reason\":\"the server ended\"}}"

/* An answer to a question of an older server does not reach the one that asks under the same id. */
static const struct step asking[] = {
    {'s', ASK("1"), "c " ASK("1") "\n"},
    {'s', ASK("2"), "c " ASK("2") "\n"},
    {'c', RESULT("2"), "s " RESULT("2") "\n"},
    {'r', "gone", "c " CANCELLED("1") "\n"},
    {'n', NULL, ""},
    {'s', ASK("1"), "c " ASK("\"haft-dev-1-3\"") "\n"},
    {'c', RESULT("1"), ""},
    {'c', RESULT("\"haft-dev-1-3\""), "s " RESULT("1") "\n"},
    {'s', ASK("2"), "c " ASK("\"haft-dev-1-4\"") "\n"},
    {'s', CANCEL("2"), "c " CANCEL("\"haft-dev-1-4\"") "\n"},
    {0, NULL, NULL},
};

/* What is not understood is passed on, but for output that is no message. */
static const struct step odd[] = {
    {'c', "nonsense", "s nonsense\n"},
    {'c', "{\"id\":{}}", "s {\"id\":{}}\n"},
    {'c', "[" CALL("1") "," INITIALIZED "]", "s [" CALL("1") "," INITIALIZED "]\n"},
    {'s', "[" RESULT("1") "]", "- tools/call t ok \nc [" RESULT("1") "]\n"},
    {'s', "hello", "! the server wrote a line to standard output that is not JSON: hello\n"},
    {'s', RESULT("99"), "c " RESULT("99") "\n"},
    {'s', "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}",
     "c {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}\n"},
    {0, NULL, NULL},
};

static const struct {
    const char *name;
    const struct step *steps;
} conversations[] = {{"in flight", in_flight}, {"agreed", agreed}, {"down", down}, {"early", early},
                     {"modern", modern},       {"asking", asking}, {"odd", odd}};

static void take_step(struct dev_session *session, const struct step *step)
{
    size_t size = step->text ? strlen(step->text) : 0;

    switch (step->kind) {
    case 'c':
        dev_session_client(session, step->text, size, 0, NULL);
        break;
    case 'd':
        dev_session_client(session, step->text, size, 0, "down");
        break;
    case 's':
        dev_session_server(session, step->text, size, 0);
        break;
    case 'n':
        dev_session_replaced(session);
        break;
    default:
        dev_session_lost(session, step->text, step->kind == 'r');
    }
}

static void conversations_go_on(void **state)
{
    const struct dev_output out = {to_client, to_server, ended, note, NULL};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(conversations); i++) {
        struct dev_session session;

        assert_true(dev_session_init(&session, &out));
        for (const struct step *step = conversations[i].steps; step->kind; step++) {
            haft_buffer_init(&said, NULL, 1 << 20);
            take_step(&session, step);
            haft_buffer_add(&said, "", 1);
            if (strcmp(said.data, step->said) != 0)
                fail_msg("%s, step %d, said:\n%sexpected:\n%s", conversations[i].name,
                         (int)(step - conversations[i].steps), said.data, step->said);
            haft_buffer_finish(&said);
        }
        dev_session_finish(&session);
    }
}

/* The lists of what waits have a limit. */
static void requests_are_bounded(void **state)
{
    const struct dev_output out = {to_client, to_server, ended, note, NULL};
    struct dev_session session;
    char line[128];

    (void)state;
    assert_true(dev_session_init(&session, &out));
    for (int i = 0; i <= DEV_MAX_REQUESTS; i++) {
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"x\"}", i);
        haft_buffer_init(&said, NULL, 1 << 20);
        dev_session_client(&session, line, strlen(line), 0, NULL);
        haft_buffer_add(&said, "", 1);
        assert_int_equal(said.data[0], i < DEV_MAX_REQUESTS ? 's' : 'c');
        haft_buffer_finish(&said);
    }
    assert_int_equal(session.n_requests, DEV_MAX_REQUESTS);
    dev_session_finish(&session);
}

/* ---- files ---- */

static const struct {
    const char *name;
    bool directory, skipped;
} names[] = {
    {"main.c", false, false},    {"README", false, false},      {"Makefile", false, false},
    {"main.c~", false, true},    {".main.c.swp", false, true},  {"#main.c#", false, true},
    {"main.o", false, true},     {"libx.so", false, true},      {"libx.so.1", false, true},
    {"server.log", false, true}, {"state.db-wal", false, true}, {"so", false, false},
    {"src", true, false},        {"builder", true, false},      {"build", true, true},
    {"build-arm", true, true},   {".git", true, true},          {"node_modules", true, true},
    {"CMakeFiles", true, true},  {"target", true, true},        {"targets", true, false},
};

static void names_are_skipped(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if ((names[i].directory ? dev_watch_skips_directory(names[i].name)
                                : dev_watch_skips_file(names[i].name)) != names[i].skipped)
            fail_msg("%s", names[i].name);
}

/* What a build writes each time is learned; what a person writes during a build is built. */
static void outputs_are_learned(void **state)
{
    static struct dev_outputs outputs;

    (void)state;
    assert_true(dev_outputs_change(&outputs, "main.c", false));
    assert_false(dev_outputs_change(&outputs, "parser.c", true));
    assert_true(dev_outputs_built(&outputs));
    assert_false(dev_outputs_change(&outputs, "parser.c", true));
    assert_false(dev_outputs_built(&outputs));
    /* It is known now. */
    assert_true(dev_outputs_change(&outputs, "main.c", false));
    assert_false(dev_outputs_change(&outputs, "parser.c", true));
    assert_false(dev_outputs_built(&outputs));
    /* Changed once during a build: by a person. */
    assert_false(dev_outputs_change(&outputs, "main.c", true));
    assert_true(dev_outputs_built(&outputs));
    assert_false(dev_outputs_built(&outputs));
    /* A build that writes another file each time comes to an end. */
    for (int i = 0; i < DEV_MAX_REPEATS; i++) {
        char path[16];

        snprintf(path, sizeof path, "file%d", i);
        assert_false(dev_outputs_change(&outputs, path, true));
        assert_true(dev_outputs_built(&outputs));
    }
    assert_false(dev_outputs_change(&outputs, "last", true));
    assert_false(dev_outputs_built(&outputs));
    dev_outputs_finish(&outputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversations_go_on), cmocka_unit_test(requests_are_bounded),
        cmocka_unit_test(names_are_skipped), cmocka_unit_test(outputs_are_learned)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
