/* test_legacy.c - the revisions before 2026-07-28: which methods, which answers, what they are
 * told. */
#include <stdio.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

static int text(haft_call *call)
{
    return haft_text(call, "t");
}
HAFT_TOOL_BARE(text, "Says t");

static int read_it(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = "t"});
}
static const haft_resource resource =
    HAFT_INIT(haft_resource, .uri = "a:b", .name = "r", .read = read_it);

static int get_it(haft_call *call, const void *arguments)
{
    (void)arguments;
    return haft_text(call, "p");
}
static const haft_prompt prompt = HAFT_INIT(haft_prompt, .name = "p", .get = get_it);

static const haft_icon icon = {.src = "https://example.com/i.png"};

static haft_server *serve(bool subscriptions)
{
    haft_server *server = haft_server_new_with(
        "test", "1",
        HAFT_WITH(haft_server_options, .title = "Test", .description = "For tests",
                  .website = "https://example.com", .icons = &icon, .n_icons = 1,
                  .instructions = "Do.", .extensions = "{\"acme/x\":{}}",
                  .resource_subscriptions = subscriptions));

    assert_non_null(server);
    assert_int_equal(haft_add(server, &text_tool), 0);
    assert_int_equal(haft_resource_add(server, &resource), 0);
    assert_int_equal(haft_prompt_add(server, &prompt), 0);
    return server;
}

static const char *const revisions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

static void introduction(void **state)
{
    haft_server *server = serve(true), *plain = serve(false);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        char ask[128], expect[640];

        snprintf(ask, sizeof ask, "R 1 initialize {'protocolVersion':'%s','capabilities':{}}",
                 revisions[i]);
        snprintf(expect, sizeof expect,
                 "= 1 {'protocolVersion':'%s','capabilities':{'logging':{},'completions':{},"
                 "'tools':{'listChanged':true},'prompts':{'listChanged':true},'resources':{"
                 "'subscribe':true,'listChanged':true}},'serverInfo':{'name':'test','title':'Test',"
                 "'version':'1','description':'For tests','websiteUrl':'https://example.com',"
                 "'icons':[{'src':'https://example.com/i.png'}]},'instructions':'Do.'}",
                 revisions[i]);
        dialogue_alone(server, LINES(ask, expect));
        dialogue_alone(plain, LINES(ask, "= 1 *'resources':{'listChanged':true}}*"));
    }
    haft_server_free(plain);
    haft_server_free(server);
}

/* A request, and its answer in every revision. */
static const struct row {
    const char *ask, *answer;
} rows[] = {
    /* exactly nothing */
    {"R 1 ping", "= 1 {}"},
    {"R 1 ping {'_meta':{'progressToken':1}}", "= 1 {}"},
    {"R 1 logging/setLevel {'level':'info'}", "= 1 {}"},
    {"R 1 resources/subscribe {'uri':'a:b'}", "= 1 {}"},
    {"R 1 resources/unsubscribe {'uri':'a:b'}", "= 1 {}"},
    /* no modern words in a legacy result */
    {"R 1 tools/list", "= 1 {'tools':[{'name':'text','description':'Says t','inputSchema':{"
                       "'type':'object','properties':{}}}]}"},
    {"R 1 tools/call {'name':'text'}", "= 1 {'content':[{'type':'text','text':'t'}]}"},
    {"R 1 resources/list", "= 1 {'resources':[{'uri':'a:b','name':'r'}]}"},
    {"R 1 resources/templates/list", "= 1 {'resourceTemplates':[]}"},
    {"R 1 resources/read {'uri':'a:b'}", "= 1 {'contents':[{'uri':'a:b','text':'t'}]}"},
    {"R 1 prompts/list", "= 1 {'prompts':[{'name':'p'}]}"},
    {"R 1 prompts/get {'name':'p'}",
     "= 1 {'messages':[{'role':'user','content':{'type':'text','text':'p'}}]}"},
    /* one handler, two codes: this is the legacy one */
    {"R 1 resources/read {'uri':'a:c'}",
     "< {'jsonrpc':'2.0','id':1,'error':{'code':-32002,'message':'Resource not found: a:c','data':"
     "{'uri':'a:c'}}}"},
    {"M 1 resources/read 'uri':'a:c'",
     "< {'jsonrpc':'2.0','id':1,'error':{'code':-32602,'message':'Resource not found: a:c','data':"
     "{'uri':'a:c'}}}"},
    /* methods of the client, of other revisions, of nobody */
    {"R 1 server/discover", "! 1 -32601 Method not found"},
    {"R 1 subscriptions/listen {'notifications':{}}", "! 1 -32601 Method not found"},
    {"R 1 sampling/createMessage {}", "! 1 -32601 Method not found"},
    {"R 1 elicitation/create {}", "! 1 -32601 Method not found"},
    {"R 1 roots/list", "! 1 -32601 Method not found"},
    {"R 1 tasks/get {}", "! 1 -32601 Method not found"},
    {"R 1 notifications/initialized", "! 1 -32601 Method not found"},
};

static void methods(void **state)
{
    haft_server *server = serve(true);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        struct wire *wire = wire_open(server);

        wire_greet(wire, revisions[i]);
        for (size_t k = 0; k < COUNT_OF(rows); k++)
            dialogue(wire, LINES(rows[k].ask, rows[k].answer));
        wire_close(wire);
    }
    haft_server_free(server);
}

static void no_subscriptions(void **state)
{
    haft_server *server = serve(false);

    (void)state;
    dialogue_alone(server,
                   LINES("R 1 resources/subscribe {'uri':'a:b'}", "! 1 -32601 Method not found"));
    haft_server_free(server);
}

/* Every session of a server sees the same list. */
static void same_for_all(void **state)
{
    haft_server *server = serve(true);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        struct wire *one = wire_open(server), *two = wire_open(server);
        const char *left, *right;

        wire_greet(one, revisions[i]);
        left = wire_call(one, "tools/list", NULL);
        right = wire_call(two, "tools/list", NULL);
        assert_string_equal(left, right);
        wire_close(one);
        wire_close(two);
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(introduction),
        cmocka_unit_test(methods),
        cmocka_unit_test(no_subscriptions),
        cmocka_unit_test(same_for_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
