/* test_mcp.c - entries of MCP upstreams, and the items of their lists. */
#define _GNU_SOURCE /* setenv, uv.h */
#include "upstream/mcp.h"

#include <stdlib.h>

#include "client/client.h"
#include "support/failing.h"
#include "upstream/definition.h"

/* ---- entries ---- */

static void entries_are_checked(void **state)
{
    static const struct {
        const char *json, *path, *text;
    } rows[] = {
        {"{}", "", "expected either command or url"},
        {"{\"command\":[\"a\"],\"url\":\"http://a/\"}", "", "expected either command or url"},
        {"{\"command\":[\"\"]}", "command", "the name of the program is empty"},
        {"{\"command\":[]}", "command", NULL},
        {"{\"command\":\"a b\"}", "command", NULL},
        {"{\"url\":\"ftp://a/\"}", "url", "expected http://, https:// or unix:"},
        {"{\"url\":\"http://a/\",\"auth\":{}}", "auth", "expected one of bearer, basic and oauth"},
        {"{\"url\":\"http://a/\",\"auth\":{\"bearer\":\"a\",\"basic\":{\"user\":\"u\",\"password\":"
         "\"p\"}}}",
         "auth", "expected one of bearer, basic and oauth"},
        {"{\"url\":\"http://a/\",\"auth\":{\"bearer\":\"a\\nb\"}}", "auth.bearer",
         "the token is not valid in a header"},
        {"{\"url\":\"http://a/\",\"auth\":{\"bearer\":\"@/nonexistent/token\"}}", "",
         "cannot read /nonexistent/token: No such file or directory"},
        {"{\"url\":\"http://a/\",\"auth\":{\"oauth\":{\"client_id\":\"i\",\"client_secret\":\"s\"}}}",
         "auth.oauth.issuer", "expected the authorization server that the credentials are for"},
        {"{\"url\":\"https://a/\",\"ca_file\":\"/nonexistent/ca\"}", "ca_file",
         "cannot read /nonexistent/ca: No such file or directory"},
        {"{\"url\":\"https://a/\",\"key_file\":\"/nonexistent/key\"}", "key_file",
         "cannot read /nonexistent/key: No such file or directory"},
        {"{\"command\":[\"a\"],\"revision\":\"2020-01-01\"}", "revision",
         "haft does not speak this revision"},
        {"{\"command\":[\"a\"],\"trust\":\"last\"}", "trust", NULL},
        {"{\"command\":[\"a\"],\"max_in_flight\":0}", "max_in_flight", NULL},
        {"{\"command\":[\"a\"],\"restart\":{\"min\":1}}", "restart", NULL},
        {"{\"command\":[\"a\"],\"pin\":\"/nonexistent/pin\",\"trust\":\"strict\"}", "pin",
         "cannot read /nonexistent/pin: No such file or directory"},
    };
    struct definition definition;

    (void)state;
    definition_init(&definition);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {.code = 0};

        print_message("%s\n", rows[i].json);
        assert_null(definition_make(&definition, rows[i].json, &reason));
        assert_string_equal(reason.path, rows[i].path);
        if (rows[i].text)
            assert_string_equal(reason.text, rows[i].text);
    }
    definition_finish(&definition);
}

/* What the target of a definition has. */
static void entries_become_targets(void **state)
{
    struct definition definition;
    haft_reason reason = {.code = 0};
    struct upstream *upstream;
    const struct mcp *mcp;
    size_t n = 0, found = 0;

    (void)state;
    setenv("FAR_MODE", "of the gateway", 1);
    setenv("FAR_TOKEN", "secret", 1);
    definition_init(&definition);
    upstream = definition_make(
        &definition, "{\"command\":[\"a\",\"b c\"],\"env\":{\"FAR_MODE\":\"own\"}}", &reason);
    assert_non_null(upstream);
    mcp = mcp_of(upstream);
    assert_string_equal(mcp->target.command[1], "b c");
    assert_null(mcp->target.command[2]);
    for (; mcp->target.environment[n]; n++) {
        found += !strcmp(mcp->target.environment[n], "FAR_MODE=own");
        assert_true(strncmp(mcp->target.environment[n], "FAR_MODE=of", 11) != 0);
        assert_true(strncmp(mcp->target.environment[n], "FAR_TOKEN=", 10) != 0);
    }
    assert_int_equal(found, 1);
    hf_module_drop(&upstream->module);
    upstream = definition_make(
        &definition,
        "{\"url\":\"http://a/\",\"headers\":{\"x-a\":\"1\"},\"auth\":{\"basic\":{\"user\":\"u\","
        "\"password\":\"p\"}}}",
        &reason);
    assert_non_null(upstream);
    mcp = mcp_of(upstream);
    assert_int_equal(mcp->target.n_headers, 2);
    assert_string_equal(mcp->target.headers[1].name, "Authorization");
    assert_string_equal(mcp->target.headers[1].value, "Basic dTpw");
    hf_module_drop(&upstream->module);
    definition_finish(&definition);
}

/* ---- items ---- */

/* An upstream without a connection. */
struct mcp_stand {
    struct definition definition;
    struct upstream *upstream;
    struct mcp *mcp;
    haft_reason reason;
};

#define OBJECT_SCHEMA "\"inputSchema\":{\"type\":\"object\"}"

static const char *const listed[] = {
    [HAFT_OFFER_TOOL] =
        "[{\"name\":\"plain\",\"description\":\"Plain\"," OBJECT_SCHEMA
        ",\"annotations\":{\"readOnlyHint\":true},\"icons\":[{\"src\":\"a:b\"}],\"_meta\":{\"k\":1},"
        "\"future\":2},"
        "{\"name\":\"plain\",\"description\":\"Twice\"," OBJECT_SCHEMA "},"
        "{\"name\":\"list\",\"description\":\"List\"," OBJECT_SCHEMA
        ",\"outputSchema\":{\"type\":\"array\"}},"
        "{\"name\":\"odd\",\"description\":\"Odd\",\"inputSchema\":{\"type\":\"object\",\"$ref\":"
        "\"https://example.com/x\"}},"
        "{\"name\":\"drop_all\",\"description\":\"Hidden\"," OBJECT_SCHEMA "},"
        "{\"name\":\"a.b/c\",\"description\":\"Cleaned\"," OBJECT_SCHEMA "}]",
    [HAFT_OFFER_RESOURCE] =
        "[{\"uri\":\"ui://a/b\",\"name\":\"b\",\"mimeType\":\"text/html\"},{\"uri\":\"no uri\","
        "\"name\":\"c\"}]",
    [HAFT_OFFER_TEMPLATE] = "[{\"uriTemplate\":\"a://{id}\",\"name\":\"t\"},{\"uriTemplate\":"
                            "\"a://{\",\"name\":\"t\"}]",
    [HAFT_OFFER_PROMPT] = "[{\"name\":\"p\",\"arguments\":[{\"name\":\"x\",\"required\":true}]}]",
};

/* Gives an upstream lists as if it had sent them. */
static int give_lists(struct upstream *upstream)
{
    haft_arena *arena = haft_arena_new(upstream->set->allocator, 1 << 20);
    struct mcp_lists *lists = arena ? haft_arena_zalloc(arena, 1, sizeof *lists) : NULL;

    for (int i = 0; lists && i < MCP_KINDS; i++) {
        lists->kinds[i] = haft_json_read(listed[i], strlen(listed[i]), 0, arena, NULL);
        if (!lists->kinds[i])
            lists = NULL;
    }
    if (!lists) {
        haft_arena_free(arena);
        return HAFT_ENOMEM;
    }
    lists->arena = arena;
    mcp_of(upstream)->lists = lists;
    return 0;
}

static const char item_options[] =
    "{\"command\":[\"a\"],\"rename\":{\"odd\":\"even\"},\"describe\":{\"plain\":\"Described\"}}";

static void stand_open(struct mcp_stand *stand)
{
    *stand = (struct mcp_stand){.upstream = NULL};
    definition_init(&stand->definition);
    stand->upstream = definition_make(&stand->definition, item_options, &stand->reason);
    assert_non_null(stand->upstream);
    stand->mcp = mcp_of(stand->upstream);
}

static void stand_close(struct mcp_stand *stand)
{
    hf_module_drop(&stand->upstream->module);
    definition_finish(&stand->definition);
}

static void drop_items(struct upstream_items *items)
{
    for (size_t i = 0; i < items->n; i++)
        hf_item_drop(items->list[i]);
}

static void lists_become_items(void **state)
{
    static const struct {
        const char *name, *legacy, *modern;
        bool checked;
    } wanted[] = {
        {"far__plain",
         ",\"description\":\"Described\"," OBJECT_SCHEMA
         ",\"annotations\":{\"readOnlyHint\":true},\"icons\":[{\"src\":\"a:b\"}],\"_meta\":{\"k\":1}}",
         NULL, true},
        {"far__list", ",\"description\":\"List\"," OBJECT_SCHEMA "}",
         ",\"description\":\"List\"," OBJECT_SCHEMA ",\"outputSchema\":{\"type\":\"array\"}}",
         true},
        {"far__even",
         ",\"description\":\"Odd\",\"inputSchema\":{\"type\":\"object\",\"$ref\":"
         "\"https://example.com/x\"}}",
         NULL, false},
        {"far__a_b_c", ",\"description\":\"Cleaned\"," OBJECT_SCHEMA "}", NULL, true},
        {"ui://a/b", ",\"name\":\"b\",\"mimeType\":\"text/html\"}", NULL, false},
        {"a://{id}", ",\"name\":\"t\"}", NULL, false},
        {"far__p", ",\"arguments\":[{\"name\":\"x\",\"required\":true}]}", NULL, false},
    };
    struct upstream_items items = {.arena = haft_arena_new(NULL, 1 << 20)};
    struct mcp_stand stand;

    (void)state;
    stand_open(&stand);
    stand.upstream->tools = "*,-drop_*";
    assert_int_equal(give_lists(stand.upstream), 0);
    assert_int_equal(hf_mcp_items(stand.upstream, stand.definition.server, &items, &stand.reason),
                     0);
    for (size_t i = 0; i < items.n && i < COUNT_OF(wanted); i++) {
        const struct item *item = items.list[i];
        const char *modern = wanted[i].modern ? wanted[i].modern : wanted[i].legacy;

        assert_string_equal(item->name, wanted[i].name);
        assert_string_equal(item->rest[LEGACY].data, wanted[i].legacy);
        assert_string_equal(item->rest[MODERN].data, modern);
        assert_int_equal(item->input != NULL, wanted[i].checked);
    }
    assert_int_equal(items.n, COUNT_OF(wanted));
    assert_int_equal(items.list[0]->tool->annotations.read_only, HAFT_YES);
    assert_non_null(
        strstr(stand.definition.log, "the tool \"plain\" is not offered: another one has"));
    assert_non_null(strstr(stand.definition.log, "arguments of far__even are not checked"));
    assert_non_null(strstr(stand.definition.log, "the resource \"no uri\" is not offered"));
    drop_items(&items);
    haft_arena_free(items.arena);
    stand_close(&stand);
}

/* The item of a tool with this name at the upstream. */
static struct item *tool_of(struct mcp_stand *stand, const char *name)
{
    struct upstream_items items = {.arena = haft_arena_new(NULL, 1 << 20)};
    struct mcp *mcp = stand->mcp;
    struct item *item;

    haft_buffer_clear(&mcp->fetch.json[HAFT_OFFER_TOOL]);
    haft_buffer_printf(&mcp->fetch.json[HAFT_OFFER_TOOL], "[{\"name\":\"%s\"," OBJECT_SCHEMA "}]",
                       name);
    hf_mcp_lists_free(mcp->lists);
    mcp->lists = hf_mcp_lists_new(mcp, &stand->reason);
    assert_non_null(mcp->lists);
    assert_int_equal(
        hf_mcp_items(stand->upstream, stand->definition.server, &items, &stand->reason), 0);
    assert_int_equal(items.n, 1);
    item = items.list[0];
    haft_arena_free(items.arena);
    return item;
}

/* Names that clients cannot tell apart are different at the upstream. */
static void items_know_their_names(void **state)
{
    static const struct {
        const char *left, *right;
        bool same;
    } rows[] = {{"get.forecast", "get.forecast", true},
                {"get.forecast", "get/forecast", false},
                {"get_forecast", "get/forecast", false}};
    struct mcp_stand stand;

    (void)state;
    stand_open(&stand);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct item *left = tool_of(&stand, rows[i].left);
        struct item *right = tool_of(&stand, rows[i].right);

        assert_string_equal(left->name, "far__get_forecast");
        assert_string_equal(right->name, "far__get_forecast");
        assert_int_equal(stand.upstream->kind->same(left, right), rows[i].same);
        hf_item_drop(left);
        hf_item_drop(right);
    }
    stand_close(&stand);
}

/* A list may be as deep as a message of the client. */
static void deep_lists_are_read(void **state)
{
    static const struct {
        int depth;
        bool is_read;
    } rows[] = {{10, true}, {100, true}, {JSON_MAX_DEPTH, true}, {JSON_MAX_DEPTH + 1, false}};
    struct mcp_stand stand;

    (void)state;
    stand_open(&stand);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_buffer *json = &stand.mcp->fetch.json[HAFT_OFFER_TOOL];
        struct mcp_lists *lists;

        haft_buffer_clear(json);
        for (int k = 0; k < rows[i].depth; k++)
            haft_buffer_puts(json, "[");
        for (int k = 0; k < rows[i].depth; k++)
            haft_buffer_puts(json, "]");
        lists = hf_mcp_lists_new(stand.mcp, &stand.reason);
        assert_int_equal(lists != NULL, rows[i].is_read);
        if (!lists)
            assert_int_equal(stand.reason.code, HAFT_EDEPTH);
        hf_mcp_lists_free(lists);
    }
    stand_close(&stand);
}

/* ---- parked calls ---- */

static void send_nothing(void *context, const haft_outgoing *message)
{
    (void)context;
    (void)message;
}

/* Ends a call that nobody comes back for, like that of a real one. */
static void parked_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct mcp_call *one = context;

    (void)client;
    (void)result;
    assert_int_equal(status, HAFT_ECANCELLED);
    assert_true(one->abandoned);
    one->id = 0;
    hf_mcp_call_unlink(one);
    hf_mcp_call_drop(one);
}

/* A parked call is dropped once, whether its upstream can be told or not. */
static void parked_calls_are_left(void **state)
{
    static const size_t rows[] = {1 << 20, 8}; /* limits of a message */
    struct mcp_stand stand;
    struct mcp *mcp;

    (void)state;
    stand_open(&stand);
    mcp = stand.mcp;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct mcp_call one = {.mcp = mcp, .link = &mcp->main, .parked = true};
        haft_receiver receiver;
        haft_client *client =
            haft_client_open(HAFT_WITH(haft_transport, .send = send_nothing),
                             HAFT_WITH(haft_client_options, .revision = "2026-07-28"), &receiver);

        assert_non_null(client);
        atomic_init(&one.refs, 2); /* its own, and that of this test */
        mcp->main.client = client;
        mcp->main.first = mcp->main.last = mcp->parked = &one;
        mcp->n_parked = 1;
        one.id = haft_client_begin(
            client, HAFT_WITH(haft_client_exchange, .method = "resources/read",
                              .params = "{\"uri\":\"a:b\"}", .done = parked_done, .context = &one));
        assert_true(one.id > 0);
        haft_buffer_finish(&client->out);
        client->out.limit = rows[i];
        hf_mcp_parked_leave(&one);
        assert_int_equal(atomic_load(&one.refs), 1);
        assert_null(mcp->parked);
        assert_null(mcp->main.first);
        mcp->main.client = NULL;
        haft_client_free(client);
    }
    stand_close(&stand);
}

/* ---- memory ---- */

static int make_items(struct definition *definition, const haft_allocator *allocator)
{
    haft_reason reason = {.code = 0};
    struct upstream_items items = {.arena = NULL};
    struct upstream *upstream;
    int status;

    definition->set.allocator = allocator;
    upstream = definition_make(definition, item_options, &reason);
    if (!upstream)
        return reason.code;
    items.arena = haft_arena_new(allocator, 1 << 20);
    status = items.arena ? give_lists(upstream) : HAFT_ENOMEM;
    if (!status)
        status = hf_mcp_items(upstream, definition->server, &items, &reason);
    drop_items(&items);
    haft_arena_free(items.arena);
    hf_module_drop(&upstream->module);
    return status;
}

static void memory_may_run_out(void **state)
{
    struct definition definition;

    (void)state;
    definition_init(&definition);
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        int status;

        failing_init(&failing, nth);
        status = make_items(&definition, &failing.allocator);
        failing_check(&failing);
        assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
        if (!failing.failures)
            break;
    }
    definition_finish(&definition);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_checked),   cmocka_unit_test(entries_become_targets),
        cmocka_unit_test(lists_become_items),    cmocka_unit_test(items_know_their_names),
        cmocka_unit_test(parked_calls_are_left), cmocka_unit_test(deep_lists_are_read),
        cmocka_unit_test(memory_may_run_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
