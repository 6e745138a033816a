/* test_engine_fault.c - every allocation of the engine fails once, in every kind of request.
 * Whoever asked is answered, unless the message could not even be read; the session goes on;
 * nothing is left behind. */
#include <haft/engine.h>
#include <haft/pipeline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

enum { TOO_MANY = 2000, ROOM = 1 << 16 };

/* ---- what is served ---- */

HAFT_STRUCT(args, HAFT_STRING(name, "A name", .min = 1),
            HAFT_OPTIONAL(HAFT_INTEGER(n, "A number", .secret = true)));
HAFT_STRUCT(outcome, HAFT_ARRAY(names, HAFT_STRING(name, "A name"), "Names"));
HAFT_STRUCT(form, HAFT_STRING(word, "A word"));

static int work(haft_call *call, const args *in, outcome *out)
{
    const char **names = haft_call_alloc(call, sizeof *names);

    if (!names)
        return HAFT_ENOMEM;
    haft_progress(call, 1, 2, "half of %s", in->name);
    haft_message(call, HAFT_INFO, "l", "working on %s", in->name);
    names[0] = in->name;
    out->n_names = 1;
    out->names = names;
    return haft_result_meta(call, "a/b", "{\"c\": 1}");
}
HAFT_TOOL(work, args, outcome, "Works", .lenient = HAFT_YES);

static int blocks(haft_call *call)
{
    int status = haft_text(call, "%s", haft_request_id(call));

    status = status ? status : haft_block_annotate(call, "user", 0.5, NULL);
    status = status ? status : haft_block_meta(call, "{\"a\": 1}");
    status = status ? status : haft_image(call, "image/png", "abc", 3);
    status = status ? status : haft_embed(call, &(haft_contents){.uri = "a:b", .text = "t"});
    status = status ? status : haft_resource_link(call, &(haft_link){.uri = "a:b", .name = "n"});
    return status ? status : haft_resource_link(call, &(haft_link){.uri = "a:b/c"});
}
HAFT_TOOL_BARE(blocks, "Blocks");

static int edit(haft_call *call, void *data)
{
    (void)data;
    return haft_call_set_arguments(call, "{\"a\": [1]}", 10);
}

static void look(haft_call *call, haft_outcome how, void *data)
{
    (void)how;
    (void)data;
    haft_result_content(call);
}
static const haft_stage editing =
    HAFT_INIT(haft_stage, .name = "edit", .tools = "blocks", .before = edit, .after = look);

static int ask(haft_call *call)
{
    haft_value *roots;
    form word;
    int a = haft_elicit(call, "a", "Word?", &form_type, &word), b = haft_roots(call, "b", &roots);

    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    if (a == HAFT_AGAIN || b == HAFT_AGAIN)
        return HAFT_AGAIN;
    return haft_text(call, "asked");
}
HAFT_TOOL_BARE(ask, "Asks");

static haft_call *held;

static int hold(haft_call *call)
{
    held = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Answers later");

static int read_it(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = "t"});
}
static int complete_it(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    return haft_completion_add(call, value);
}
static const haft_resource one =
    HAFT_INIT(haft_resource, .uri = "a:b", .name = "r", .priority = 0.5,
              .last_modified = "2026-01-01T00:00:00Z", .read = read_it);
static const haft_resource many = HAFT_INIT(haft_resource, .uri = "a:x/{id}", .name = "t",
                                            .read = read_it, .complete = complete_it);

static int say_it(haft_call *call, const void *arguments)
{
    return haft_text(call, "%s", ((const form *)arguments)->word);
}
static const haft_prompt prompt =
    HAFT_INIT(haft_prompt, .name = "p", .arguments = &form_type, .get = say_it);

static int custom(haft_call *call, haft_value *params, void *data)
{
    (void)params;
    (void)data;
    return haft_json(call, "{\"a\":1}", 7);
}

/* ---- the peer ---- */

struct peer {
    struct failing failing;
    haft_server *server;
    haft_session *session;
    haft_time now;
    size_t responses, notifications, requests, lines;
    char last[ROOM];  /* the latest response */
    int64_t question; /* the id of the latest */
};

static void receive(void *context, const haft_outgoing *message)
{
    struct peer *peer = context;

    assert_true(message->size < ROOM);
    switch (message->kind) {
    case HAFT_OUT_RESPONSE:
        peer->responses++;
        memcpy(peer->last, message->text, message->size);
        peer->last[message->size] = '\0';
        break;
    case HAFT_OUT_REQUEST:
        peer->requests++;
        peer->question = strtol(message->text + strlen("{\"jsonrpc\":\"2.0\",\"id\":"), NULL, 10);
        break;
    default:
        peer->notifications++;
    }
}

static int feed(struct peer *peer, const char *text)
{
    return haft_session_receive(peer->session, text, strlen(text), peer, peer->now);
}

/* A request, which is answered unless it could not be read. */
static int request(struct peer *peer, const char *text)
{
    size_t before = peer->responses;
    int status = feed(peer, text);

    assert_true(status == 0 || status == HAFT_ENOMEM);
    assert_int_equal(peer->responses, before + (status == 0));
    return status;
}

#define MODERN                                                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},\"roots\":{}},"            \
    "\"io.modelcontextprotocol/logLevel\":\"debug\",\"progressToken\":1}"
#define R(id, method, params)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define M(id, method, params)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":{" params "," MODERN \
    "}}"
#define INITIALIZE(version)                                                                        \
    R(0, "initialize",                                                                             \
      "\"protocolVersion\":\"" version "\",\"capabilities\":{\"elicitation\":{},"                  \
      "\"roots\":{}},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}")

/* ---- scenarios ---- */

static void initialize(struct peer *peer)
{
    request(peer, INITIALIZE("2025-11-25"));
    feed(peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static void lists(struct peer *peer)
{
    request(peer, R(1, "tools/list", ""));
    request(peer, M(2, "tools/list", "\"cursor\":\"x\""));
    request(peer, M(3, "resources/list", "\"a\":1"));
    request(peer, M(4, "server/discover", "\"a\":1"));
}

static void calls(struct peer *peer)
{
    size_t called = 0;

    called += !request(peer, R(1, "tools/call",
                               "\"name\":\"work\",\"arguments\":{\"name\":\"x\"},"
                               "\"_meta\":{\"progressToken\":\"t\"}"));
    called +=
        !request(peer, M(2, "tools/call", "\"name\":\"work\",\"arguments\":{\"name\":\"x\"}"));
    called += !request(peer, R(3, "tools/call", "\"name\":\"blocks\""));
    request(peer, R(4, "acme/custom", ""));
    request(peer, R(5, "ping", ""));
    called += !request(
        peer, R(6, "tools/call", "\"name\":\"work\",\"arguments\":{\"name\":\"x\",\"n\":\"5\"}"));
    /* The audit misses none for want of memory. */
    assert_int_equal(peer->lines, called);
}

static void bad_calls(struct peer *peer)
{
    request(peer, R(1, "tools/call", "\"name\":\"nope\""));
    request(peer, R(2, "tools/call",
                    "\"name\":\"work\",\"arguments\":{\"name\":\"\",\"n\":1.5,\"x\":1}"));
    request(peer, M(3, "tools/call", "\"name\":\"work\""));
    request(peer, R(4, "no/such", ""));
    request(peer, "{\"jsonrpc\":\"2.0\",\"id\":5}");
    request(peer, "{nope");
    request(peer, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
                  "\"io.modelcontextprotocol/protocolVersion\":\"x\","
                  "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
}

static void others(struct peer *peer)
{
    request(peer, R(1, "resources/read", "\"uri\":\"a:b\""));
    request(peer, R(2, "resources/read", "\"uri\":\"a:x/y\""));
    request(peer, R(3, "resources/read", "\"uri\":\"a:z\""));
    request(peer, R(4, "prompts/get", "\"name\":\"p\",\"arguments\":{\"word\":\"w\"}"));
    request(peer, R(5, "prompts/get", "\"name\":\"p\""));
    request(peer, R(6, "completion/complete",
                    "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"a:x/{id}\"},"
                    "\"argument\":{\"name\":\"id\",\"value\":\"v\"}"));
    request(peer, R(7, "resources/subscribe", "\"uri\":\"a:b\""));
    haft_resource_updated(peer->server, "a:b");
    haft_session_tick(peer->session, peer->now);
    request(peer, R(8, "resources/unsubscribe", "\"uri\":\"a:b\""));
}

/* Answers every question until the call is answered. */
static void legacy_input(struct peer *peer)
{
    size_t before = peer->responses;
    int status;

    initialize(peer);
    before = peer->responses;
    status = feed(peer, R(1, "tools/call", "\"name\":\"ask\""));
    for (int64_t id = 1; !status && id <= peer->question && peer->responses == before; id++) {
        char answer[160];
        int tries = 0;

        snprintf(answer, sizeof answer,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"action\":\"accept\",\"content\":{"
                 "\"word\":\"w\"},\"roots\":[]}}",
                 (int)id);
        while (feed(peer, answer) && ++tries < 3)
            ;
    }
    /* Asked, but never heard of again, or not asked at all: then it is over. */
    if (!status && peer->responses == before) {
        haft_session_tick(peer->session, peer->now += 600000);
        assert_int_equal(peer->responses, before + 1);
    }
}

static void modern_input(struct peer *peer)
{
    char retry[ROOM];
    const char *state;

    if (request(peer, M(1, "tools/call", "\"name\":\"ask\"")))
        return;
    state = strstr(peer->last, "\"requestState\":\"");
    if (!state)
        return;
    snprintf(retry, sizeof retry,
             R(2, "tools/call",
               "\"name\":\"ask\",\"inputResponses\":{\"a\":{\"action\":\"accept\",\"content\":{"
               "\"word\":\"w\"}},\"b\":{\"roots\":[]}},\"requestState\":\"%.*s\"," MODERN),
             (int)strcspn(state + 16, "\""), state + 16);
    request(peer, retry);
}

static void listens(struct peer *peer)
{
    size_t before = peer->responses, told = peer->notifications;
    int status = feed(peer, M(1, "subscriptions/listen",
                              "\"notifications\":{\"toolsListChanged\":true,"
                              "\"resourceSubscriptions\":[\"a:b\"]}"));

    /* Acknowledged, or refused. */
    assert_true(status || peer->responses + peer->notifications == before + told + 1);
    haft_offer_disable(peer->server, HAFT_OFFER_TOOL, "work");
    haft_offer_enable(peer->server, HAFT_OFFER_TOOL, "work");
    haft_resource_updated(peer->server, "a:b");
    haft_session_tick(peer->session, peer->now);
    haft_session_shut_down(peer->session);
    assert_true(status || peer->responses == before + 1);
}

static void later(struct peer *peer)
{
    size_t before = peer->responses;

    held = NULL;
    feed(peer, R(1, "tools/call", "\"name\":\"hold\",\"_meta\":{\"progressToken\":1}"));
    if (held) {
        haft_progress(held, 1, 0, NULL);
        haft_text(held, "done");
        haft_finish(held, 0);
        assert_int_equal(peer->responses, before + 1);
    }
    held = NULL;
    before = peer->responses;
    feed(peer, M(2, "tools/call", "\"name\":\"hold\""));
    if (held) {
        haft_session_tick(peer->session, peer->now += 30000);
        assert_int_equal(peer->responses, before + 1);
        haft_finish(held, 0);
        assert_int_equal(peer->responses, before + 1);
    }
    held = NULL;
    before = peer->responses;
    feed(peer, R(3, "tools/call", "\"name\":\"hold\""));
    feed(peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
               "\"requestId\":3}}");
    if (held)
        haft_finish(held, 0);
}

static void arrays(struct peer *peer)
{
    request(peer, INITIALIZE("2025-03-26"));
    feed(peer, "[" R(1, "ping", "") "," R(2, "tools/list", "") ",{\"jsonrpc\":\"2.0\",\"id\":3}]");
}

/* Another tool in the place of one that is there, put together at run time. */
static int rebuild(haft_server *server)
{
    static const char json[] =
        "{\"name\":\"holds\",\"description\":\"D\",\"inputSchema\":{\"type\":"
        "\"object\"},\"outputSchema\":{\"anyOf\":[true]}}";
    haft_tool_builder *builder = haft_tool_parse(server, json, sizeof json - 1);

    haft_tool_icons(builder, &(haft_icon){.src = "a:b", .sizes = "any"}, 1);
    haft_tool_handler(builder, custom, NULL);
    return haft_tool_update(builder, server, "hold");
}

static void changes(struct peer *peer)
{
    haft_tool renamed = blocks_tool;
    int status = rebuild(peer->server);

    assert_true(!status || status == HAFT_ENOMEM);

    initialize(peer);
    status = haft_offer_rename(peer->server, HAFT_OFFER_TOOL, "blocks", "bricks");
    assert_true(!status || status == HAFT_ENOMEM);
    if (!status) {
        renamed.name = "bricks";
        status = haft_tool_replace(peer->server, "bricks", &renamed);
        assert_true(!status || status == HAFT_ENOMEM);
        status = haft_offer_remove(peer->server, HAFT_OFFER_TOOL, "bricks");
        assert_true(!status || status == HAFT_ENOMEM);
    }
    haft_session_tick(peer->session, peer->now);
}

static void session_ends(struct peer *peer)
{
    feed(peer, INITIALIZE("2025-03-26"));
    feed(peer, "[" R(1, "tools/call", "\"name\":\"ask\"") "," R(2, "ping", "") "]");
    feed(peer, M(3, "subscriptions/listen", "\"notifications\":{}"));
}

static const struct scenario {
    const char *name;
    void (*run)(struct peer *peer);
} scenarios[] = {
    {"initialize", initialize},
    {"lists", lists},
    {"calls", calls},
    {"bad calls", bad_calls},
    {"others", others},
    {"legacy input", legacy_input},
    {"modern input", modern_input},
    {"listens", listens},
    {"later", later},
    {"arrays", arrays},
    {"changes", changes},
    {"session ends", session_ends},
};

/* ---- running ---- */

/* A line is whole, or says that it is not. */
static void audit(void *context, const char *line, size_t size)
{
    struct peer *peer = context;

    assert_true(size && line[0] == '{' && line[size - 1] == '}');
    peer->lines++;
}

static void peer_open(struct peer *peer)
{
    static const unsigned char key[32] = "k";
    static const haft_tool *const tools[] = {&work_tool, &blocks_tool, &ask_tool, &hold_tool};

    failing_init(&peer->failing, 0);
    peer->now = 1000;
    peer->server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .allocator = &peer->failing.allocator,
                                       .seal_key = key, .resource_subscriptions = true));
    assert_non_null(peer->server);
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(peer->server, tools[i]), 0);
    assert_int_equal(haft_stage_add(peer->server, &editing), 0);
    assert_int_equal(haft_resource_add(peer->server, &one), 0);
    assert_int_equal(haft_template_add(peer->server, &many), 0);
    assert_int_equal(haft_prompt_add(peer->server, &prompt), 0);
    assert_int_equal(haft_on(peer->server, "acme/custom", custom, NULL), 0);
    assert_int_equal(haft_audit_add(peer->server, audit, peer), 0);
    haft_audit_set_mode(peer->server, HAFT_AUDIT_ARGUMENTS);
    peer->session = haft_session_new(
        peer->server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = receive, .context = peer)));
    assert_non_null(peer->session);
}

/* False when no allocation was left to fail. */
static bool run(const struct scenario *scenario, size_t nth)
{
    struct peer *peer = calloc(1, sizeof *peer);
    size_t failures;

    assert_non_null(peer);
    peer_open(peer);
    peer->failing.fail_at = peer->failing.calls + nth;
    scenario->run(peer);
    failures = peer->failing.failures;
    peer->failing.fail_at = 0;
    assert_int_equal(request(peer, R(1000, "ping", "")), 0);
    assert_string_equal(peer->last, "{\"jsonrpc\":\"2.0\",\"id\":1000,\"result\":{}}");
    assert_int_equal(request(peer, R(1001, "tools/list", "")), 0);
    assert_non_null(strstr(peer->last, "\"result\":{\"tools\":["));
    haft_session_free(peer->session);
    haft_server_free(peer->server);
    failing_check(&peer->failing);
    free(peer);
    return failures;
}

static void checks_scenarios(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(scenarios); i++) {
        size_t nth = 1;

        while (nth < TOO_MANY && run(&scenarios[i], nth))
            nth++;
        print_message("%s: %zu allocations\n", scenarios[i].name, nth - 1);
        assert_in_range(nth, 2, TOO_MANY - 1);
    }
}

/* Memory for a request and none for any answer to it: whoever asked hears of it, by the id unless
 * that is longer than any that is used. */
static void last_word(void **state)
{
    static const char *const ids[] = {"7",          "-7",         "\"seven\"", "\"\"",
                                      "\"a\\\"b\"", "\"a\\\\b\"", "\"a\\nb\"", NULL};
    char long_id[1100];

    (void)state;
    memset(long_id, '7', sizeof long_id);
    memcpy(long_id + sizeof long_id - 2, "\"", 2);
    long_id[0] = '"';
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        struct peer *peer = calloc(1, sizeof *peer);
        char text[2048], expected[256];

        assert_non_null(peer);
        peer_open(peer);
        /* So that there is memory for as much. */
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{"
                 "\"padding\":%s}}",
                 long_id);
        assert_int_equal(haft_session_receive(peer->session, text, strlen(text), NULL, peer->now),
                         0);
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}",
                 ids[i] ? ids[i] : long_id);
        snprintf(expected, sizeof expected,
                 "{\"jsonrpc\":\"2.0\",%s%s%s\"error\":{\"code\":-32603,\"message\":"
                 "\"Internal error\"}}",
                 ids[i] ? "\"id\":" : "", ids[i] ? ids[i] : "", ids[i] ? "," : "");
        peer->failing.fail_at = peer->failing.calls + 1;
        peer->failing.keep_failing = true;
        haft_session_receive(peer->session, text, strlen(text), NULL, peer->now);
        peer->failing.fail_at = 0;
        assert_true(peer->failing.failures > 0);
        assert_string_equal(peer->last, expected);
        haft_session_free(peer->session);
        haft_server_free(peer->server);
        failing_check(&peer->failing);
        free(peer);
    }
}

/* Making a server and adding to it: it is refused, and what was there before still is. */
static void making(void **state)
{
    (void)state;
    for (size_t nth = 1; nth < TOO_MANY; nth++) {
        struct failing failing;
        haft_server *server;
        haft_session *session;
        int status = 0;

        failing_init(&failing, nth);
        server =
            haft_server_new_with("test", "1",
                                 HAFT_WITH(haft_server_options, .allocator = &failing.allocator,
                                           .extensions = "{\"a\": {}}"));
        if (server) {
            status = haft_add(server, &work_tool);
            assert_true(!status || status == HAFT_ENOMEM);
            status = haft_template_add(server, &many);
            assert_true(!status || status == HAFT_ENOMEM);
            status = haft_prompt_add(server, &prompt);
            assert_true(!status || status == HAFT_ENOMEM);
            status = haft_on(server, "a/b", custom, NULL);
            assert_true(!status || status == HAFT_ENOMEM);
            session = haft_session_new(
                server, HAFT_WITH(haft_session_options,
                                  .transport = HAFT_WITH(haft_transport, .send = receive)));
            haft_session_free(session);
        }
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            return;
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_scenarios),
        cmocka_unit_test(making),
        cmocka_unit_test(last_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
