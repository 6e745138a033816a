/* test_announce.c - what is offered changes: each change is told once, to who wants to know. */
#include <stdio.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

static int nothing(haft_call *call)
{
    (void)call;
    return 0;
}
HAFT_TOOL_BARE(nothing, "Does nothing");

static int better(haft_call *call)
{
    return haft_text(call, "better");
}
HAFT_TOOL_BARE(better, "Does it better");

static haft_tool one, two, no_handler, bad_name;
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
static const haft_resource resource =
    HAFT_INIT(haft_resource, .uri = "a:b", .name = "r", .read = read_it);

static int say_it(haft_call *call, const void *arguments)
{
    (void)arguments;
    return haft_text(call, "p");
}
static const haft_prompt prompt = HAFT_INIT(haft_prompt, .name = "p", .get = say_it);

/* A tool that changes the list while it runs. */
static int change(haft_call *call)
{
    haft_server *server = haft_tool_data(call);

    haft_offer_disable(server, HAFT_OFFER_TOOL, "two");
    return haft_text(call, "changed");
}
HAFT_TOOL_BARE(change, "Changes the list");

static haft_server *serve(void)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .resource_subscriptions = true));

    assert_non_null(server);
    one = two = no_handler = bad_name = nothing_tool;
    one.name = "one";
    two.name = "two";
    no_handler.name = "no_handler";
    no_handler.call = NULL;
    bad_name.name = "bad name";
    assert_int_equal(haft_add(server, &one), 0);
    assert_int_equal(haft_add(server, &two), 0);
    assert_int_equal(haft_add(server, &hold_tool), 0);
    assert_int_equal(haft_resource_add(server, &resource), 0);
    assert_int_equal(haft_prompt_add(server, &prompt), 0);
    return server;
}

/* ---- changes ---- */

enum kind { ADD, UPDATE, REBUILD, ENABLE, DISABLE, REMOVE, RENAME };

/* A change, its status and the names afterwards, disabled ones left out. */
static const struct row {
    enum kind kind;
    const char *name, *other;
    int status;
    const char *error, *names;
    bool told;
} rows[] = {
    {DISABLE, "one", NULL, 0, NULL, "two hold", true},
    {DISABLE, "one", NULL, 0, NULL, "two hold", false}, /* it is already */
    {ENABLE, "one", NULL, 0, NULL, "one two hold", true},
    {ENABLE, "one", NULL, 0, NULL, "one two hold", false},
    {ENABLE, "three", NULL, HAFT_ENOTFOUND, "Tool three: not found", "one two hold", false},
    {DISABLE, "three", NULL, HAFT_ENOTFOUND, "Tool three: not found", "one two hold", false},
    {RENAME, "one", "two", HAFT_EEXISTS, "Tool two is already registered", "one two hold", false},
    {RENAME, "one", "uno", 0, NULL, "uno two hold", true},
    {RENAME, "one", "eins", HAFT_ENOTFOUND, "one not found", "uno two hold", false},
    {RENAME, "uno", "u n o", HAFT_EINVAL,
     "a name may contain only letters, digits, '_', '-' and '.'", "uno two hold", false},
    {RENAME, "uno", "", HAFT_EINVAL, "a name must not be empty", "uno two hold", false},
    {RENAME, "uno", "uno", 0, NULL, "uno two hold", true},
    {RENAME, "uno", "one", 0, NULL, "one two hold", true},
    {ADD, "one", NULL, HAFT_EEXISTS, "Tool one is already registered", "one two hold", false},
    {ADD, "bad name", NULL, HAFT_EINVAL,
     "a name may contain only letters, digits, '_', '-' and '.'", "one two hold", false},
    {ADD, "no_handler", NULL, HAFT_EINVAL, "the handler is missing", "one two hold", false},
    {UPDATE, "two", "better", 0, NULL, "one better hold", true},
    {UPDATE, "two", "better", HAFT_ENOTFOUND, "Tool two: not found", "one better hold", false},
    {UPDATE, "one", "better", HAFT_EEXISTS, "Tool better is already registered", "one better hold",
     false},
    {UPDATE, "one", "no_handler", HAFT_EINVAL, "the handler is missing", "one better hold", false},
    {REBUILD, "better", "built", 0, NULL, "one built hold", true},
    {REBUILD, "better", "built", HAFT_ENOTFOUND, "Tool better: not found", "one built hold", false},
    {REBUILD, "one", "built", HAFT_EEXISTS, "Tool built is already registered", "one built hold",
     false},
    {REBUILD, "built", "better", 0, NULL, "one better hold", true},
    {REMOVE, "better", NULL, 0, NULL, "one hold", true},
    {REMOVE, "better", NULL, HAFT_ENOTFOUND, "Tool better: not found", "one hold", false},
    {ADD, "two", NULL, 0, NULL, "one hold two", true},
    {REMOVE, "one", NULL, 0, NULL, "hold two", true},
};

static const haft_tool *tool_named(const char *name)
{
    const haft_tool *const tools[] = {&one, &two, &better_tool, &no_handler, &bad_name};
    size_t i = 0;

    while (strcmp(tools[i]->name, name))
        i++;
    return tools[i];
}

static int handle(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "built");
}

static int rebuild(haft_server *server, const char *name, const char *other)
{
    haft_tool_builder *builder = haft_tool_new(other);

    haft_tool_handler(builder, handle, NULL);
    return haft_tool_update(builder, server, name);
}

static int make(haft_server *server, const struct row *row)
{
    switch (row->kind) {
    case ADD:
        return haft_add(server, tool_named(row->name));
    case UPDATE:
        return haft_tool_replace(server, row->name, tool_named(row->other));
    case REBUILD:
        return rebuild(server, row->name, row->other);
    case ENABLE:
        return haft_offer_enable(server, HAFT_OFFER_TOOL, row->name);
    case DISABLE:
        return haft_offer_disable(server, HAFT_OFFER_TOOL, row->name);
    case REMOVE:
        return haft_offer_remove(server, HAFT_OFFER_TOOL, row->name);
    default:
        return haft_offer_rename(server, HAFT_OFFER_TOOL, row->name, row->other);
    }
}

static void check_names(struct wire *wire, const char *names)
{
    const char *answer = wire_call(wire, "tools/list", NULL);
    char found[128] = "";

    for (const char *at = strstr(answer, "{\"name\":\""); at; at = strstr(at + 1, "{\"name\":\"")) {
        size_t used = strlen(found);

        snprintf(found + used, sizeof found - used, "%s%.*s", used ? " " : "",
                 (int)strcspn(at + 9, "\""), at + 9);
    }
    assert_string_equal(found, names);
}

static void changes(void **state)
{
    haft_server *server = serve();
    struct wire *legacy = wire_open(server), *modern = wire_open(server), *idle = wire_open(server);

    (void)state;
    wire_greet(legacy, "2025-06-18");
    dialogue(modern, LINES("M 1 subscriptions/listen 'notifications':{'toolsListChanged':true}",
                           "~ notifications/subscriptions/acknowledged *"));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(make(server, &rows[i]), rows[i].status);
        if (rows[i].error)
            assert_string_equal(haft_server_error(server)->text, rows[i].error);
        if (rows[i].told) {
            dialogue(legacy, LINES("+ 1", "~ notifications/tools/list_changed", "+ 1"));
            dialogue(modern, LINES("+ 1",
                                   "~ notifications/tools/list_changed {'_meta':{"
                                   "'io.modelcontextprotocol/subscriptionId':1}}",
                                   "+ 1"));
        } else {
            dialogue(legacy, LINES("+ 1"));
            dialogue(modern, LINES("+ 1"));
        }
        dialogue(idle, LINES("+ 1"));
        check_names(legacy, rows[i].names);
    }
    wire_close(legacy);
    wire_close(modern);
    wire_close(idle);
    haft_server_free(server);
}

/* Several changes between two looks are one; a change is told before the answer of the call that
 * made it. */
static void once(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);
    haft_tool changing = change_tool;

    (void)state;
    changing.data = server;
    assert_int_equal(haft_add(server, &changing), 0);
    wire_greet(wire, "2025-11-25");
    for (int i = 0; i < 10; i++) {
        assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "one"), 0);
        assert_int_equal(haft_offer_enable(server, HAFT_OFFER_TOOL, "one"), 0);
    }
    dialogue(wire, LINES("+ 1", "~ notifications/tools/list_changed", "+ 1"));
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_PROMPT, "p"), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_RESOURCE, "a:b"), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "one"), 0);
    dialogue(wire,
             LINES("+ 1", "~ notifications/tools/list_changed",
                   "~ notifications/resources/list_changed", "~ notifications/prompts/list_changed",
                   "+ 1", "R 1 tools/call {'name':'change'}", "~ notifications/tools/list_changed",
                   "= 1 {'content':[{'type':'text','text':'changed'}]}",
                   "R 2 tools/call {'name':'two'}", "! 2 -32602 Tool two disabled"));
    wire_close(wire);
    haft_server_free(server);
}

/* A legacy client hears of what it was told that there is, and one that asks again of the rest. */
static void declared(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire = wire_open(server);

    (void)state;
    assert_int_equal(haft_add(server, &nothing_tool), 0);
    dialogue(wire, LINES(GREETING("2025-11-25", "{}")));
    assert_int_equal(haft_prompt_add(server, &prompt), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "nothing"), 0);
    dialogue(wire, LINES("+ 1", "~ notifications/tools/list_changed", "+ 1",
                         GREETING("2025-11-25", "{}")));
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_PROMPT, "p"), 0);
    dialogue(wire, LINES("+ 1", "~ notifications/prompts/list_changed", "+ 1"));
    wire_close(wire);
    haft_server_free(server);
}

/* A call in flight keeps the tool it found, whatever becomes of it. */
static void finish(void *context, const char *word)
{
    (void)context;
    haft_text(held, "%s", word);
    haft_finish(held, 0);
}

static void removed_in_flight(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);

    (void)state;
    dialogue(wire, LINES("R 1 tools/call {'name':'hold'}"));
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "hold"), 0);
    dialogue_with(wire,
                  LINES("R 2 tools/call {'name':'hold'}", "! 2 -32602 Tool hold not found",
                        "@ kept", "= 1 {'content':[{'type':'text','text':'kept'}]}"),
                  finish, NULL);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- subscriptions/listen ---- */

#define META(id) "'_meta':{'io.modelcontextprotocol/subscriptionId':" id "}"
#define ACK(id, honoured)                                                                          \
    "~ notifications/subscriptions/acknowledged {'notifications':{" honoured "}," META(id) "}"

static haft_server *current;

static void alter(void *context, const char *word)
{
    struct wire *wire = context;

    if (!strcmp(word, "tools"))
        haft_offer_rename(current, HAFT_OFFER_TOOL, "one", "one");
    else if (!strcmp(word, "prompts"))
        haft_offer_rename(current, HAFT_OFFER_PROMPT, "p", "p");
    else if (!strcmp(word, "shut down"))
        haft_session_shut_down(wire->session);
    else
        haft_resource_updated(current, word);
    haft_session_tick(wire->session, wire->now);
}

static void checks_listen(void **state)
{
    struct wire *wire;

    (void)state;
    current = serve();
    wire = wire_open(current);
    dialogue_with(
        wire,
        LINES(
            "M 'sub' subscriptions/listen 'notifications':{'toolsListChanged':true,"
            "'promptsListChanged':false}",
            ACK("'sub'", "'toolsListChanged':true"), "@ prompts", "@ tools",
            "~ notifications/tools/list_changed {" META("'sub'") "}",
            "M 1700000000000 subscriptions/listen 'notifications':{'promptsListChanged':true,"
            "'resourceSubscriptions':['a:b','a:c'],'tasks':[1]}",
            ACK("1700000000000", "'promptsListChanged':true,'resourceSubscriptions':['a:b','a:c']"),
            "@ tools", "~ notifications/tools/list_changed {" META("'sub'") "}", "@ prompts",
            "~ notifications/prompts/list_changed {" META("1700000000000") "}", "@ a:b",
            "~ notifications/resources/updated {'uri':'a:b'," META("1700000000000") "}", "@ a:d",
            /* interleaved with anything else */
            "R 2 ping", "= 2 {}", "M 3 tools/call 'name':'two'", "= 3 {'content':[],$T}",
            /* ended by the client: nothing more, no answer */
            "N notifications/cancelled {'requestId':'1700000000000'}", "@ prompts",
            "~ notifications/prompts/list_changed {" META("1700000000000") "}",
            "N notifications/cancelled {'requestId':1700000000000}", "@ prompts", "@ a:b",
            /* ended by the server: with a result, and on a shared channel with a word about it */
            "M 4 subscriptions/listen 'notifications':{}", ACK("4", ""), "@ shut down",
            "= 4 {'resultType':'complete','_meta':{'io.modelcontextprotocol/subscriptionId':4,"
            "'io.modelcontextprotocol/serverInfo':{'name':'test','version':'1'}}}",
            "~ notifications/cancelled {'requestId':4," META("4") "}",
            "= 'sub' {'resultType':'complete','_meta':{'io.modelcontextprotocol/subscriptionId':"
            "'sub','io.modelcontextprotocol/serverInfo':{'name':'test','version':'1'}}}",
            "~ notifications/cancelled {'requestId':'sub'," META("'sub'") "}", "@ tools",
            "@ shut down"),
        alter, wire);
    wire_close(wire);
    haft_server_free(current);
}

static void listen_badly(void **state)
{
    static const char *const params[] = {
        "'a':1",
        "'notifications':null",
        "'notifications':[]",
        "'notifications':{'toolsListChanged':1}",
        "'notifications':{'resourceSubscriptions':'a:b'}",
        "'notifications':{'resourceSubscriptions':[1]}",
    };
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        char ask[128];

        snprintf(ask, sizeof ask, "M 1 subscriptions/listen %s", params[i]);
        dialogue_alone(
            server, LINES(ask, "! 1 -32602 Invalid params: \\'notifications\\' must be an object "
                               "that names what to listen to"));
    }
    dialogue_alone(server, LINES("R 1 subscriptions/listen {'notifications':{}}",
                                 "! 1 -32601 Method not found"));
    haft_server_free(server);
}

/* What is not offered is not honoured; what has happened before is not told. */
static void listen_offered(void **state)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .max_subscriptions = 2));

    (void)state;
    assert_int_equal(haft_add(server, &nothing_tool), 0);
    dialogue_alone(server,
                   LINES("M 1 subscriptions/listen 'notifications':{'toolsListChanged':true,"
                         "'promptsListChanged':true,'resourcesListChanged':true,"
                         "'resourceSubscriptions':['a:b']}",
                         ACK("1", "'toolsListChanged':true"), "+ 1",
                         "M 2 subscriptions/listen 'notifications':{}", ACK("2", ""),
                         "M 3 subscriptions/listen 'notifications':{}",
                         "! 3 -32602 Too many subscriptions",
                         "N notifications/cancelled {'requestId':1}",
                         "M 3 subscriptions/listen 'notifications':{}", ACK("3", "")));
    haft_server_free(server);
}

/* ---- resources/subscribe ---- */

static void subscribe(void **state)
{
    struct wire *wire;

    (void)state;
    current = serve();
    wire = wire_open(current);
    dialogue_with(
        wire,
        LINES(GREETING("2025-11-25", "{}"), "@ a:b", "R 1 resources/subscribe {'uri':'a:b'}",
              "= 1 {}", "R 2 resources/subscribe {'uri':'a:b'}", "= 2 {}", "@ a:b",
              "~ notifications/resources/updated {'uri':'a:b'}", "@ a:c",
              "R 3 resources/unsubscribe {'uri':'a:c'}", "= 3 {}",
              "R 4 resources/unsubscribe {'uri':'a:b'}", "= 4 {}", "@ a:b",
              "R 5 resources/subscribe", "! 5 -32602 Invalid params: \\'uri\\' must be a string",
              "R 6 resources/subscribe {'uri':'a\\u0000'}",
              "! 6 -32602 Invalid params: \\'uri\\' must be a string",
              "M 7 resources/subscribe 'uri':'a:b'", "! 7 -32601 Method not found",
              "R 8 resources/subscribe {'uri':'a:b'}", "= 8 {}"),
        alter, wire);
    wire_close(wire);
    haft_server_free(current);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes),        cmocka_unit_test(once),
        cmocka_unit_test(declared),       cmocka_unit_test(removed_in_flight),
        cmocka_unit_test(checks_listen),  cmocka_unit_test(listen_badly),
        cmocka_unit_test(listen_offered), cmocka_unit_test(subscribe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
