/* test_access_calls.c - who calls, and what is refused: every method, in every revision. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/inner.h"
#include "engine/offer/access.h"
#include "protocol/revision.h"
#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

static char seen[1024]; /* what the latest handler saw of its client */

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void see(const haft_call *call)
{
    const haft_identity *identity = haft_call_identity(call);

    if (!identity) {
        snprintf(seen, sizeof seen, "nobody %d", haft_call_has_scope(call, "x"));
        return;
    }
    assert_ptr_equal(identity->principal, haft_call_principal(call));
    assert_int_equal(identity->struct_size, sizeof *identity);
    snprintf(seen, sizeof seen, "%s|%s|%s|%s|%s|%s|%s|%d|%d%d", or_dash(identity->principal),
             or_dash(identity->method), or_dash(identity->issuer), or_dash(identity->subject),
             or_dash(identity->client), or_dash(identity->scopes), or_dash(identity->claims),
             identity->fixed, haft_call_has_scope(call, "a"), haft_call_has_scope(call, "sub"));
}

static int open_tool(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    see(call);
    return haft_text(call, "ok");
}

HAFT_STRUCT(topic_args, HAFT_STRING(topic, "A topic"));

static int get(haft_call *call, const void *arguments)
{
    (void)arguments;
    see(call);
    haft_prompt_say(call, "user");
    return haft_text(call, "ok");
}

static int read_it(haft_call *call, const char *uri)
{
    see(call);
    return haft_text(call, "%s", uri);
}

static int complete(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    (void)value;
    see(call);
    return haft_completion_add(call, "ok");
}

static const haft_tool tools[] = {
    HAFT_INIT(haft_tool, .name = "open", .description = "T", .call = open_tool,
              .annotations = {.read_only = HAFT_YES}),
    HAFT_INIT(haft_tool, .name = "scoped", .description = "T", .call = open_tool, .scopes = "a b"),
    HAFT_INIT(haft_tool, .name = "secret", .description = "T", .call = open_tool, .scopes = "b"),
};
static const haft_resource resources[] = {
    HAFT_INIT(haft_resource, .uri = "r:open", .name = "R", .read = read_it),
    HAFT_INIT(haft_resource, .uri = "r:scoped", .name = "R", .read = read_it, .scopes = "a b"),
    HAFT_INIT(haft_resource, .uri = "r:secret", .name = "R", .read = read_it),
};
static const haft_resource templates[] = {
    HAFT_INIT(haft_resource, .uri = "t:open/{x}", .name = "T", .read = read_it,
              .complete = complete),
    HAFT_INIT(haft_resource, .uri = "t:scoped/{x}", .name = "T", .read = read_it,
              .complete = complete, .scopes = "a b"),
    HAFT_INIT(haft_resource, .uri = "t:secret/{x}", .name = "T", .read = read_it,
              .complete = complete),
};
static const haft_prompt prompts[] = {
    HAFT_INIT(haft_prompt, .name = "open", .arguments = &topic_args_type, .get = get,
              .complete = complete),
    HAFT_INIT(haft_prompt, .name = "scoped", .arguments = &topic_args_type, .get = get,
              .complete = complete, .scopes = "a b"),
    HAFT_INIT(haft_prompt, .name = "secret", .arguments = &topic_args_type, .get = get,
              .complete = complete),
};

static const char *const rules[] = {"deny tools secret if not scope boss",
                                    "deny resources *secret* if not scope boss",
                                    "deny prompts secret if not scope boss", NULL},
                         *const includes[] = {"all=a b sub", NULL};

static haft_server *serve(void)
{
    haft_server *server = haft_server_new_with(
        "test", "1",
        HAFT_WITH(haft_server_options, .resource_subscriptions = true, .cache_public = true));

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(haft_add(server, &tools[i]), 0);
        assert_int_equal(haft_resource_add(server, &resources[i]), 0);
        assert_int_equal(haft_template_add(server, &templates[i]), 0);
        assert_int_equal(haft_prompt_add(server, &prompts[i]), 0);
    }
    assert_int_equal(haft_server_set_access(
                         server, HAFT_WITH(haft_access, .rules = rules, .includes = includes)),
                     0);
    return server;
}

static struct wire *open_as(haft_server *server, const haft_identity *identity)
{
    return wire_open_with(
        server, (haft_session_options)HAFT_INIT(haft_session_options, .identity = identity));
}

static const char *quoted(char *room, size_t size, const char *text)
{
    snprintf(room, size, "%s", text);
    for (char *at = room; (at = strchr(at, '\'')); at++)
        *at = '"';
    return room;
}

/* ---- refusals ---- */

/* A request about three items, of which the first is open to all, the second requires the scopes a
 * and b, and the third is denied by a rule. */
static const struct refusal_row {
    const char *method, *params; /* %s is the name */
    const char *kind, *forbidden;
    bool legacy_only;
    const char *not_found;
} refusal_rows[] = {
    {"tools/call", "'name':'%s'", "tool", "%s", false, "Tool %s not found"},
    {"resources/read", "'uri':'r:%s'", "resource", "r:%s", false, "Resource not found: r:%s"},
    {"resources/read", "'uri':'t:%s/1'", "resource", "t:%s/{x}", false,
     "Resource not found: t:%s/1"},
    {"resources/subscribe", "'uri':'r:%s'", "resource", "r:%s", true, "Resource not found: r:%s"},
    {"resources/subscribe", "'uri':'t:%s/1'", "resource", "t:%s/{x}", true,
     "Resource not found: t:%s/1"},
    {"prompts/get", "'name':'%s','arguments':{'topic':'x'}", "prompt", "%s", false,
     "Prompt %s not found"},
    {"completion/complete",
     "'ref':{'type':'ref/prompt','name':'%s'},'argument':{'name':'topic','value':''}", "prompt",
     "%s", false, "Prompt %s not found"},
    {"completion/complete",
     "'ref':{'type':'ref/resource','uri':'t:%s/{x}'},'argument':{'name':'x','value':''}",
     "resource", "t:%s/{x}", false, "Resource template t:%s/{x} not found"},
    {"completion/complete",
     "'ref':{'type':'ref/resource','uri':'r:%s'},'argument':{'name':'x','value':''}", "resource",
     "r:%s", false, "Resource template r:%s not found"},
};

static void print(char *room, size_t size, const char *format, const char *name)
{
    const char *at = strstr(format, "%s");

    snprintf(room, size, "%.*s%s%s", at ? (int)(at - format) : (int)strlen(format), format,
             at ? name : "", at ? at + 2 : "");
}

/* Sends the request of a row about an item; returns the response. */
static const char *ask(struct wire *wire, const struct refusal_row *row, const char *name)
{
    char params[256], text[256];

    print(params, sizeof params, row->params, name);
    return wire_call(wire, row->method, quoted(text, sizeof text, params));
}

static void check_forbidden(const struct wire *wire, const struct refusal_row *row,
                            const char *response)
{
    char name[128], wanted[512];

    print(name, sizeof name, row->forbidden, "scoped");
    snprintf(wanted, sizeof wanted,
             "\"error\":{\"code\":-32003,\"message\":\"Forbidden: the %s %s requires the scopes a "
             "b\"}",
             row->kind, name);
    if (!strstr(response, wanted))
        fail_msg("%s: %s", row->method, response);
    assert_int_equal(wire->error_code, -32003);
    assert_int_equal(wire->http_status, 403);
    assert_string_equal(wire->scopes, "a b");
}

static void check_not_found(struct wire *wire, const struct refusal_row *row, const char *name)
{
    const char *response = ask(wire, row, name);
    char wanted[256];

    print(wanted, sizeof wanted, row->not_found, name);
    if (!strstr(response, wanted))
        fail_msg("%s: %s", row->method, response);
    assert_int_not_equal(wire->error_code, 0);
    assert_int_equal(wire->http_status, 200);
    assert_string_equal(wire->scopes, "");
}

static void check_refusals(haft_server *server, const struct refusal_row *row,
                           enum revision revision)
{
    const haft_identity *poor =
        HAFT_WITH(haft_identity, .principal = "p", .scopes = "a", .method = "oauth");
    const haft_identity *fixed =
        HAFT_WITH(haft_identity, .principal = "p", .scopes = "a", .fixed = true);
    const haft_identity *rich = HAFT_WITH(haft_identity, .principal = "p", .scopes = "all boss");
    struct wire *wire = open_as(server, poor);
    static const char *const names[] = {"open", "scoped", "secret"};

    wire_greet(wire, hf_revision_rows[revision].name);
    assert_non_null(strstr(ask(wire, row, "open"), "\"result\""));
    assert_int_equal(wire->error_code, 0);
    *seen = '\0';
    check_forbidden(wire, row, ask(wire, row, "scoped"));
    check_not_found(wire, row, "secret");
    check_not_found(wire, row, "unknown");
    assert_string_equal(seen, ""); /* no handler was called */
    wire_close(wire);

    /* What lists hide from a client does not exist for it. */
    wire = open_as(server, fixed);
    wire_greet(wire, hf_revision_rows[revision].name);
    assert_non_null(strstr(ask(wire, row, "open"), "\"result\""));
    *seen = '\0';
    check_not_found(wire, row, "scoped");
    check_not_found(wire, row, "secret");
    assert_string_equal(seen, "");
    wire_close(wire);

    wire = open_as(server, rich);
    wire_greet(wire, hf_revision_rows[revision].name);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!strstr(ask(wire, row, names[i]), "\"result\""))
            fail_msg("%s %s", row->method, names[i]);
        assert_int_equal(wire->http_status, 200);
    }
    wire_close(wire);

    /* Nothing applies to a client without a principal. */
    wire = wire_open(server);
    wire_greet(wire, hf_revision_rows[revision].name);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_non_null(strstr(ask(wire, row, names[i]), "\"result\""));
    wire_close(wire);

    /* Nothing is known about a principal alone: it has no scopes. */
    wire = wire_open_with(server,
                          (haft_session_options)HAFT_INIT(haft_session_options, .principal = "p"));
    wire_greet(wire, hf_revision_rows[revision].name);
    assert_non_null(strstr(ask(wire, row, "open"), "\"result\""));
    check_forbidden(wire, row, ask(wire, row, "scoped"));
    check_not_found(wire, row, "secret");
    wire_close(wire);
}

static void every_method_refuses(void **state)
{
    haft_server *server = serve();

    (void)state;
    for (enum revision revision = 0; revision < REVISIONS; revision++)
        for (size_t i = 0; i < COUNT_OF(refusal_rows); i++)
            if (!refusal_rows[i].legacy_only || !hf_revision_rows[revision].modern)
                check_refusals(server, &refusal_rows[i], revision);
    haft_server_free(server);
}

static const haft_identity poor_client = HAFT_INIT(haft_identity, .principal = "p", .scopes = "a");
static const haft_identity rich_client =
    HAFT_INIT(haft_identity, .principal = "p", .scopes = "all boss");

/* A subscription of a modern client is reduced to what is there for it. */
static void subscriptions_are_reduced(void **state)
{
    haft_server *server = serve();
    struct wire *wire = open_as(server, &poor_client);

    (void)state;
    dialogue(wire,
             LINES("M 1 subscriptions/listen "
                   "'notifications':{'resourceSubscriptions':['r:secret','r:open','t:secret/1',"
                   "'r:nothing','t:open/2']}",
                   "~ notifications/subscriptions/acknowledged {'notifications':{"
                   "'resourceSubscriptions':['r:open','t:open/2']},*}",
                   "M 2 subscriptions/listen "
                   "'notifications':{'resourceSubscriptions':['r:open','r:scoped']}",
                   "! 2 -32003 Forbidden: the resource r:scoped requires the scopes a b"));
    haft_resource_updated(server, "r:secret");
    haft_resource_updated(server, "r:scoped");
    haft_resource_updated(server, "t:open/2");
    haft_session_tick(wire->session, wire->now);
    assert_non_null(strstr(wire_next(wire), "\"uri\":\"t:open/2\""));
    assert_null(wire_next(wire));
    wire_close(wire);
    wire = open_as(server, &rich_client);
    dialogue(wire, LINES("M 1 subscriptions/listen "
                         "'notifications':{'resourceSubscriptions':['r:secret','r:scoped']}",
                         "~ notifications/subscriptions/acknowledged {'notifications':{"
                         "'resourceSubscriptions':['r:secret','r:scoped']},*}"));
    wire_close(wire);
    haft_server_free(server);
}

/* Subscriptions remain when the rules change; updates of what is hidden then are not sent. */
static void updates_obey_new_rules(void **state)
{
    static const char *const all[] = {"r:open", "r:secret", "t:secret/1", "r:scoped", "t:open/2"};
    static const struct {
        const char *rule, *told; /* first characters of what is announced, in the order of `all` */
    } rows[] = {
        {"allow", "r:open r:secret t:secret/1 r:scoped t:open/2 "},
        {"deny resources *secret*", "r:open r:scoped t:open/2 "},
        {"deny resources if principal p", ""},
        {"deny resources if principal q", "r:open r:secret t:secret/1 r:scoped t:open/2 "},
        {"deny resources t:open/2", "r:open r:secret t:secret/1 r:scoped "},
    };

    (void)state;
    for (int legacy = 0; legacy < 2; legacy++) {
        haft_server *server = serve();
        struct wire *wire = open_as(server, &rich_client);

        if (legacy)
            dialogue(wire, LINES("R 1 resources/subscribe {'uri':'r:open'}", "= 1 {}",
                                 "R 2 resources/subscribe {'uri':'r:secret'}", "= 2 {}",
                                 "R 3 resources/subscribe {'uri':'t:secret/1'}", "= 3 {}",
                                 "R 4 resources/subscribe {'uri':'r:scoped'}", "= 4 {}",
                                 "R 5 resources/subscribe {'uri':'t:open/2'}", "= 5 {}"));
        else
            dialogue(wire, LINES("M 1 subscriptions/listen "
                                 "'notifications':{'resourceSubscriptions':['r:open','r:secret',"
                                 "'t:secret/1','r:scoped','t:open/2']}",
                                 "~ notifications/subscriptions/acknowledged *"));
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const char *const now[] = {rows[i].rule, NULL};
            char told[256] = "";
            const char *text;

            assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = now,
                                                                      .includes = includes)),
                             0);
            for (size_t k = 0; k < COUNT_OF(all); k++)
                haft_resource_updated(server, all[k]);
            haft_session_tick(wire->session, wire->now);
            while ((text = wire_next(wire)))
                if ((text = strstr(text, "\"uri\":\"")))
                    snprintf(told + strlen(told), sizeof told - strlen(told), "%.*s ",
                             (int)strcspn(text + 7, "\""), text + 7);
            if (strcmp(told, rows[i].told) != 0)
                fail_msg("row %zu, legacy %d: %s", i, legacy, told);
        }
        wire_close(wire);
        haft_server_free(server);
    }
}

/* A rule about a URI cannot be passed by escapes. */
static void escapes_do_not_help(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    const char *const deny[] = {"deny resources t:x/secret*", NULL};
    struct wire *wire;

    (void)state;
    assert_int_equal(haft_template_add(server, HAFT_WITH(haft_resource, .uri = "t:x/{y}",
                                                         .name = "T", .read = read_it)),
                     0);
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = deny)), 0);
    wire = open_as(server, &poor_client);
    dialogue(wire, LINES("R 1 resources/read {'uri':'t:x/public'}", "= 1 {*}",
                         "R 2 resources/read {'uri':'t:x/secret1'}",
                         "< {*'id':2,'error':{'code':-32002,*not found: t:x/secret1*",
                         "R 3 resources/read {'uri':'t:x/%73ecret1'}",
                         "< {*'id':3,'error':{'code':-32002,*not found: t:x/%73ecret1*"));
    wire_close(wire);
    haft_server_free(server);
}

/* Nor by segments that a file system ignores. */
static void segments_do_not_help(void **state)
{
    static const struct {
        const char *uri;
        bool permitted;
    } rows[] = {
        {"file:///home/a", true},
        {"file:///etcetera", true},
        {"file:///etc/passwd", false},
        {"file:///./etc/passwd", false},
        {"file:////etc/passwd", false},
        {"file:///x/../etc/passwd", false},
        {"file:///x/y/../../etc/passwd", false},
        {"file:///../../etc/passwd", false},
        {"file:///x/%2e%2E/etc/passwd", false},
        {"file:///x%2f..%2fetc/passwd", false},
        {"file:///home/.././//etc/passwd", false},
        {"file:///etc/.", false},
        {"file:///etc/x/..", false},
        {"file:///etc/../home/a", false}, /* as it is written, it is denied */
        {"file:///home/../home/a", true},
        {"file:///home/..a", true},
    };
    haft_server *server = haft_server_new("test", "1");
    const char *const deny[] = {"deny resources file:///etc/*", NULL};
    struct wire *wire;

    (void)state;
    assert_int_equal(haft_template_add(server, HAFT_WITH(haft_resource, .uri = "file:///{+path}",
                                                         .name = "T", .read = read_it)),
                     0);
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = deny)), 0);
    wire = open_as(server, &poor_client);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char ask[128];

        snprintf(ask, sizeof ask, "R 1 resources/read {'uri':'%s'}", rows[i].uri);
        dialogue(wire, LINES(ask, rows[i].permitted ? "= 1 {*}" : "< {*'error':{'code':-32002,*"));
    }
    wire_close(wire);
    haft_server_free(server);
}

/* Each message of a batch is checked; the batch has one status. */
static void batches_are_checked(void **state)
{
    haft_server *server = serve();
    struct wire *wire = open_as(server, &poor_client);

    (void)state;
    dialogue(wire,
             LINES(GREETING("2025-03-26", "{}"),
                   "> [{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'open'}},"
                   "{'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'scoped'}},"
                   "{'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'secret'}}]",
                   "< [{*'id':1,'result':*},{'jsonrpc':'2.0','id':2,'error':{'code':-32003,*}},"
                   "{'jsonrpc':'2.0','id':3,'error':{'code':-32602,'message':"
                   "'Tool secret not found'}}]"));
    assert_int_equal(wire->http_status, 200);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- large arguments, which are read before the call is known ---- */

HAFT_STRUCT(big_args, HAFT_STRING(text, "A long text"));

static int big(haft_call *call, const big_args *in)
{
    return haft_text(call, "%zu", strlen(in->text));
}
HAFT_TOOL_IN(big, big_args, "Counts", .scopes = "a b");

static void direct_arguments_are_checked(void **state)
{
    static const char *const deny[] = {"deny if subject *", NULL};
    static const struct {
        haft_identity identity;
        const char *response;
    } rows[] = {
        {HAFT_INIT(haft_identity, .principal = "p", .scopes = "a b"), "\"text\":\"4000\""},
        {HAFT_INIT(haft_identity, .principal = "p", .scopes = "a"), "the tool big requires"},
        {HAFT_INIT(haft_identity, .principal = "p", .scopes = "*", .subject = "s"),
         "Tool big not found"},
    };
    haft_server *server = haft_server_new("test", "1");
    static const char start[] = "\"name\":\"big\",\"arguments\":{\"text\":\"";
    size_t before = sizeof start - 1;
    char *params = malloc(5000);

    (void)state;
    memset(params, 'x', 4100);
    memcpy(params, start, before);
    memcpy(params + before + 4000, "\"}", 3);
    assert_int_equal(haft_add(server, &big_tool), 0);
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = deny)), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = open_as(server, &rows[i].identity);
        const char *response;

        wire_greet(wire, "2025-11-25");
        response = wire_call(wire, "tools/call", params);
        if (!strstr(response, rows[i].response))
            fail_msg("row %zu: %s", i, response);
        wire_close(wire);
    }
    free(params);
    haft_server_free(server);
}

/* ---- identities ---- */

#define FULL                                                                                       \
    .principal = "https://i\nsubject", .method = "oauth", .issuer = "https://i",                   \
    .subject = "subject", .client = "client", .scopes = "all", .claims = "{\"x\":1}",              \
    .fixed = true

/* In the order of their precedence: the message's own identity, its principal, the session's. */
static void identities_come_from_somewhere(void **state)
{
    static const haft_identity full = HAFT_INIT(haft_identity, FULL),
                               nameless = HAFT_INIT(haft_identity, .scopes = "a"),
                               old = {.struct_size = offsetof(haft_identity, scopes), FULL};
    static const struct {
        const haft_identity *session;
        const char *session_principal;
        const haft_identity *message;
        const char *message_principal;
        const char *seen;
    } rows[] = {
        {NULL, NULL, NULL, NULL, "nobody 1"},
        {NULL, "p", NULL, NULL, "p|-|-|-|-|-|-|0|00"},
        {NULL, "p", NULL, "q", "q|-|-|-|-|-|-|0|00"},
        {&full, NULL, NULL, NULL,
         "https://i\nsubject|oauth|https://i|subject|client|all|{\"x\":1}|1|11"},
        {&full, "https://i\nsubject", NULL, "q", "q|-|-|-|-|-|-|0|00"},
        {NULL, "p", &full, "https://i\nsubject",
         "https://i\nsubject|oauth|https://i|subject|client|all|{\"x\":1}|1|11"},
        {NULL, NULL, &full, NULL,
         "https://i\nsubject|oauth|https://i|subject|client|all|{\"x\":1}|1|11"},
        {&full, NULL, &nameless, "q", "q|-|-|-|-|a|-|0|10"},
        {NULL, NULL, &nameless, NULL, "|-|-|-|-|a|-|0|10"},
        {&nameless, "p", NULL, NULL, "p|-|-|-|-|a|-|0|10"},
        {&nameless, NULL, NULL, NULL, "|-|-|-|-|a|-|0|10"},
        {NULL, NULL, &old, NULL, "https://i\nsubject|oauth|https://i|subject|client|-|-|0|00"},
    };
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"open\"}}";
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open_with(
            server,
            (haft_session_options)HAFT_INIT(haft_session_options, .identity = rows[i].session,
                                            .principal = rows[i].session_principal));
        haft_headers headers = {.identity = rows[i].message,
                                .principal = rows[i].message_principal};

        assert_int_equal(
            haft_session_receive_http(wire->session, call, strlen(call), &headers, NULL, 0), 1);
        assert_non_null(wire_next(wire));
        if (strcmp(seen, rows[i].seen) != 0)
            fail_msg("row %zu: %s", i, seen);
        wire_close(wire);
    }
    haft_server_free(server);
}

static int call_within(haft_call *call, const void *in, void *out)
{
    haft_call *inner = hf_inner_new(haft_call_server(call), call, 0);

    (void)in;
    (void)out;
    assert_non_null(inner);
    see(inner);
    if (haft_call_principal(call))
        assert_ptr_not_equal(haft_call_principal(call), haft_call_principal(inner));
    hf_inner_free(inner);
    return haft_text(call, "ok");
}

/* A call within a call has the identity of the outer one, in its own memory. */
static void inner_calls_inherit_identities(void **state)
{
    static const haft_tool outer =
        HAFT_INIT(haft_tool, .name = "outer", .description = "T", .call = call_within);
    static const struct {
        haft_session_options options;
        const char *seen;
    } rows[] = {
        {HAFT_INIT(haft_session_options, .principal = NULL), "nobody 1"},
        {HAFT_INIT(haft_session_options, .principal = "p"), "p|-|-|-|-|-|-|0|00"},
        {HAFT_INIT(haft_session_options, .identity = &rich_client), "p|-|-|-|-|all boss|-|0|11"},
    };
    haft_server *server = serve();

    (void)state;
    assert_int_equal(haft_add(server, &outer), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct wire *wire = wire_open_with(server, rows[i].options);

        assert_non_null(wire_call(wire, "tools/call", "\"name\":\"outer\""));
        assert_string_equal(seen, rows[i].seen);
        wire_close(wire);
    }
    haft_server_free(server);
}

static int own_method(haft_call *call, haft_value *params, void *data)
{
    (void)params;
    (void)data;
    see(call);
    return haft_json(call, "{}", 2);
}

/* A method of the program has one, too, also if it is called by a notification. */
static void methods_have_identities(void **state)
{
    static const char *const messages[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"acme/method\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"acme/method\"}",
    };
    haft_server *server = serve();
    struct wire *wire = open_as(server, &poor_client);

    (void)state;
    assert_int_equal(haft_on(server, "acme/method", own_method, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        *seen = '\0';
        assert_int_equal(wire_send(wire, messages[i]), 0);
        assert_string_equal(seen, "p|-|-|-|-|a|-|0|10");
    }
    assert_int_equal(haft_server_set_access(NULL, NULL), HAFT_EINVAL);
    wire_close(wire);
    haft_server_free(server);
}

/* The client in the same process has one, too. */
static void clients_have_identities(void **state)
{
    haft_server *server = serve();
    haft_client *client = haft_client_new(
        server, HAFT_WITH(haft_client_options,
                          .identity = HAFT_WITH(haft_identity, .principal = "p", .scopes = "a")));
    haft_result result;

    (void)state;
    assert_non_null(client);
    assert_int_equal(haft_client_call(client, "open", NULL, &result), 0);
    assert_string_equal(seen, "p|-|-|-|-|a|-|0|10");
    haft_client_free(client);
    haft_server_free(server);
}

/* ---- invalid claims, and memory ---- */

/* Rules that cannot be applied permit nothing. */
static void unreadable_claims_permit_nothing(void **state)
{
    static const char *const deny[] = {"deny if claim x=y", NULL};
    haft_server *server = serve();
    struct wire *wire = open_as(
        server, HAFT_WITH(haft_identity, .principal = "p", .scopes = "*", .claims = "{\"x\":"));

    (void)state;
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = deny)), 0);
    dialogue(wire, LINES("R 1 tools/call {'name':'open'}", "! 1 -32603 Internal error",
                         "R 2 resources/read {'uri':'r:open'}", "! 2 -32603 Internal error",
                         "R 3 resources/read {'uri':'t:open/1'}", "! 3 -32603 Internal error",
                         "R 4 prompts/get {'name':'open','arguments':{'topic':'x'}}",
                         "! 4 -32603 Internal error", "R 5 tools/list", "! 5 -32603 Internal error",
                         "R 6 completion/complete {'ref':{'type':'ref/resource','uri':'t:open/{x}'}"
                         ",'argument':{'name':'x','value':''}}",
                         "! 6 -32603 Internal error", "R 7 resources/subscribe {'uri':'r:open'}",
                         "! 7 -32603 Internal error",
                         "M 8 subscriptions/listen "
                         "'notifications':{'resourceSubscriptions':['r:open']}",
                         "! 8 -32603 Internal error"));
    wire_close(wire);
    haft_server_free(server);
}

/* ---- principals ---- */

/* The lines of the log, each in brackets. */
static void hear(void *context, haft_level level, const char *text, size_t size)
{
    haft_buffer *heard = context;

    (void)level;
    haft_buffer_add(heard, "[", 1);
    haft_buffer_add(heard, text, size);
    haft_buffer_add(heard, "]", 1);
}

/* The principal of a token contains a line end, and may be long: it keys rates all the same. */
static void principals_key_rates(void **state)
{
    static const haft_tool seldom =
        HAFT_INIT(haft_tool, .name = "seldom", .description = "T", .call = open_tool,
                  .rate = {.calls = 1, .per_ms = 60000});
    static char issuer[301], first[310], second[310];
    const char *const principals[] = {"i\na", "i\nb", "i", first, second};
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    memset(issuer, 'i', sizeof issuer - 1);
    snprintf(first, sizeof first, "%s\na", issuer);
    snprintf(second, sizeof second, "%s\nb", issuer);
    assert_int_equal(haft_add(server, &seldom), 0);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < COUNT_OF(principals); i++) {
            struct wire *wire = open_as(
                server, HAFT_WITH(haft_identity, .principal = principals[i], .scopes = "a"));
            const char *response = wire_call(wire, "tools/call", "\"name\":\"seldom\"");

            if (!strstr(response, "Rate limited") != !round)
                fail_msg("round %d, principal %zu: %s", round, i, response);
            wire_close(wire);
        }
    haft_server_free(server);
}

/* A denied item is a line for the operator that names neither more nor less. */
static void denials_are_logged(void **state)
{
    static const char *const deny[] = {"deny tools open", NULL};
    haft_buffer heard;
    haft_server *server;
    struct wire *wire;

    (void)state;
    haft_buffer_init(&heard, NULL, 1 << 16);
    server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .log = hear, .log_context = &heard));
    assert_int_equal(haft_add(server, &tools[0]), 0);
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = deny)), 0);
    wire = open_as(server, &poor_client);
    dialogue(wire, LINES("R 1 tools/call {'name':'open'}", "! 1 -32602 Tool open not found"));
    haft_buffer_add(&heard, "", 1);
    assert_string_equal(heard.data, "[[1] tools/call: an access rule hides open from the client]");
    haft_buffer_finish(&heard);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- changes ---- */

static void rules_change_while_serving(void **state)
{
    static const char *const deny[] = {"deny tools open", NULL};
    haft_server *server = serve();
    struct wire *wire = open_as(server, &poor_client);

    (void)state;
    dialogue(wire,
             LINES(GREETING("2025-11-25", "{}"), "R 1 tools/call {'name':'open'}", "= 1 {*}"));
    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = deny)), 0);
    haft_session_tick(wire->session, wire->now);
    dialogue(wire,
             LINES("~ notifications/tools/list_changed", "~ notifications/resources/list_changed",
                   "~ notifications/prompts/list_changed", "R 2 tools/call {'name':'open'}",
                   "! 2 -32602 Tool open not found",
                   "R 3 prompts/get {'name':'secret',"
                   "'arguments':{'topic':'x'}}",
                   "= 3 {*}"));
    /* Without rules, the scopes remain. */
    assert_int_equal(haft_server_set_access(server, NULL), 0);
    haft_session_tick(wire->session, wire->now);
    dialogue(wire,
             LINES("~ notifications/tools/list_changed", "~ notifications/resources/list_changed",
                   "~ notifications/prompts/list_changed", "R 4 tools/call {'name':'open'}",
                   "= 4 {*}", "R 5 tools/call {'name':'secret'}",
                   "! 5 -32003 Forbidden: the tool secret requires the scope b"));
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_refuses),
        cmocka_unit_test(subscriptions_are_reduced),
        cmocka_unit_test(updates_obey_new_rules),
        cmocka_unit_test(escapes_do_not_help),
        cmocka_unit_test(segments_do_not_help),
        cmocka_unit_test(batches_are_checked),
        cmocka_unit_test(direct_arguments_are_checked),
        cmocka_unit_test(identities_come_from_somewhere),
        cmocka_unit_test(inner_calls_inherit_identities),
        cmocka_unit_test(methods_have_identities),
        cmocka_unit_test(clients_have_identities),
        cmocka_unit_test(unreadable_claims_permit_nothing),
        cmocka_unit_test(principals_key_rates),
        cmocka_unit_test(denials_are_logged),
        cmocka_unit_test(rules_change_while_serving),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
