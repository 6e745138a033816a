/* test_http_tools.c - tools of an HTTP upstream: what is offered, what is refused, and memory that runs
 * out while they are made. */
#define _GNU_SOURCE
#include <yyjson.h>

#include "import/import.h"
#include "sender.h"
#include "upstream/openapi.h"

static const char two_tools[] =
    "{\"url\":\"http://127.0.0.1:1\",\"tools\":{"
    "\"get\":{\"description\":\"Gets\",\"path\":\"/a/{id}\",\"output\":{\"type\":\"object\"},\"input\":{\"type\":\"object\","
    "\"$defs\":{\"word\":{\"type\":\"string\"}},\"properties\":{\"id\":{\"$ref\":\"#/$defs/word\"},"
    "\"q\":{\"type\":\"integer\",\"default\":5},\"h\":{\"type\":\"string\"}},\"required\":[\"id\"]},"
    "\"places\":{\"h\":\"header\"}},"
    "\"put\":{\"description\":\"Puts\",\"method\":\"PUT\",\"path\":\"/a/{id}\",\"title\":\"Put it\",\"read_only\":true,"
    "\"input\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},\"n\":{\"type\":\"number\"}},"
    "\"required\":[\"id\",\"n\"]}},"
    "\"again\":{\"description\":\"Gets too\",\"path\":\"/a/{id}\",\"input\":{\"type\":\"object\","
    "\"properties\":{\"id\":{\"type\":\"string\"}}}},"
    "\"bare\":{\"description\":\"Has no arguments\",\"method\":\"POST\",\"path\":\"/b\"}}}";

static const char document[] =
    "{\"url\":\"http://127.0.0.1:1\",\"read_only\":true,\"security\":{\"key\":{\"api_key\":{\"value\":\"v\"}},"
    "\"flow\":{\"oauth\":{\"client_id\":\"i\",\"client_secret\":\"s\"}}},"
    "\"select\":[{\"path\":\"/hidden*\",\"exclude\":true}],"
    "\"changes\":{\"one\":{\"name\":\"first\",\"description\":\"Changed\",\"arguments\":{\"fixed\":1}}},"
    "\"openapi\":{\"openapi\":\"3.0.3\",\"info\":{\"title\":\"t\",\"version\":\"1\"},"
    "\"components\":{\"securitySchemes\":{\"key\":{\"type\":\"apiKey\",\"in\":\"query\",\"name\":\"k\"},"
    "\"flow\":{\"type\":\"oauth2\",\"flows\":{\"clientCredentials\":{\"tokenUrl\":\"https://issuer.example/token\","
    "\"scopes\":{}}}},\"other\":{\"type\":\"http\",\"scheme\":\"basic\"}}},\"paths\":{"
    "\"/one\":{\"get\":{\"operationId\":\"one\",\"security\":[{\"other\":[]},{\"key\":[],\"flow\":[]}],"
    "\"parameters\":[{\"name\":\"fixed\",\"in\":\"query\",\"schema\":{\"type\":\"integer\"}}],"
    "\"responses\":{\"200\":{\"description\":\"\",\"content\":{\"application/json\":{\"schema\":{\"type\":\"array\","
    "\"items\":{\"type\":\"string\"}}}}}}},"
    "\"delete\":{\"operationId\":\"gone\",\"responses\":{}}},"
    "\"/two\":{\"get\":{\"operationId\":\"two\",\"security\":[{\"other\":[]}],\"responses\":{}}},"
    "\"/hidden/x\":{\"get\":{\"operationId\":\"three\",\"responses\":{}}},"
    "\"/bad\":{\"get\":{\"operationId\":\"bad\",\"parameters\":[{\"$ref\":\"other.json\"}],\"responses\":{}}}}}}";

/* Appends "name " of each item. */
static int items_of(struct sender *sender, haft_server *server, char *names)
{
    struct upstream_items items = {.arena = haft_arena_new(NULL, 1 << 20)};
    haft_reason reason;
    int status = hf_upstream_http.items(sender->upstream, server, &items, &reason);

    for (size_t i = 0; i < items.n; i++) {
        sprintf(names + strlen(names), "%s ", items.list[i]->name);
        hf_item_drop(items.list[i]);
    }
    haft_arena_free(items.arena);
    return status;
}

static const struct http_tool *tool_named(const struct sender *sender, const char *name)
{
    const struct http_upstream *http = sender->upstream->data;

    for (size_t i = 0; i < http->n_tools; i++)
        if (!strcmp(http->tools[i].tool.name, name))
            return &http->tools[i];
    fail_msg("there is no tool %s", name);
    return NULL;
}

static void tools_of_the_configuration(void **state)
{
    char names[256] = "";
    struct sender sender;
    const haft_tool *tool;

    (void)state;
    sender_init(&sender, two_tools);
    assert_int_equal(items_of(&sender, sender.server, names), 0);
    assert_string_equal(names, "api__get api__put api__again api__bare ");
    tool = &tool_named(&sender, "api__put")->tool;
    assert_string_equal(tool->title, "Put it");
    assert_int_equal(tool->annotations.read_only, HAFT_YES);
    assert_true(tool->quick);
    sender_finish(&sender);
}

#define CUT "list_all_of_the_very_many_things_of_the_customer"
#define LONG CUT "_of_the_shop"
static const char long_names[] = "{\"url\":\"http://127.0.0.1:1\",\"tools\":{"
                                 "\"a\":{\"description\":\"A\",\"path\":\"/a\"},"
                                 "\"" LONG "_secret\":{\"description\":\"B\",\"path\":\"/b\"},"
                                 "\"" LONG "_public\":{\"description\":\"C\",\"path\":\"/c\"}}}";

/* Patterns are about whole names, and about those that clients see. */
static void patterns_are_about_whole_names(void **state)
{
    static const struct {
        const char *tools, *names;
    } rows[] = {
        {NULL, "api__a api__" CUT "_45663d api__" CUT "_030178 "},
        {"-*_secret", "api__a api__" CUT "_030178 "},
        {"*,-*_45663d", "api__a api__" CUT "_030178 "},
        {"*_secret", "api__" CUT "_45663d "},
        {"*_45663d", "api__" CUT "_45663d "},
        {"a,list_*,-*_public", "api__a api__" CUT "_45663d "},
    };
    struct sender sender;

    (void)state;
    sender_init(&sender, long_names);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char names[512] = "";

        sender.upstream->tools = rows[i].tools;
        assert_int_equal(items_of(&sender, sender.server, names), 0);
        assert_string_equal(names, rows[i].names);
    }
    sender_finish(&sender);
}

/* The request that a tool makes of arguments. */
static void requests_of_the_configuration(void **state)
{
    static const struct {
        const char *tool, *arguments, *method, *target, *body, *header;
    } rows[] = {
        {"api__get", "{\"id\":\"x\"}", "GET", "/a/x", NULL, NULL},
        {"api__get", "{\"id\":\"x y\",\"q\":7}", "GET", "/a/x%20y?q=7", NULL, NULL},
        {"api__get", "{\"id\":\"x\",\"h\":\"v\"}", "GET", "/a/x", NULL, "v"},
        {"api__put", "{\"id\":\"x\",\"n\":1.5}", "PUT", "/a/x", "{\"n\":1.5}", NULL},
        {"api__bare", "{}", "POST", "/b", NULL, NULL},
        {"api__again", "{\"id\":\"..\"}", NULL, NULL, NULL, NULL},
    };
    struct sender sender;

    (void)state;
    sender_init(&sender, two_tools);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct http_tool *tool = tool_named(&sender, rows[i].tool);
        haft_value *arguments = haft_json_read(rows[i].arguments, strlen(rows[i].arguments), 0,
                                               sender.arena, &sender.reason);
        struct import_request request;
        int status =
            hf_import_request(tool->operation, arguments, sender.arena, &request, &sender.reason);

        assert_int_equal(!status, rows[i].method != NULL);
        if (status)
            continue;
        assert_string_equal(request.method, rows[i].method);
        assert_string_equal(request.target, rows[i].target);
        assert_int_equal(request.body != NULL, rows[i].body != NULL);
        if (rows[i].body) {
            assert_int_equal(request.body_size, strlen(rows[i].body));
            assert_memory_equal(request.body, rows[i].body, request.body_size);
        }
        if (rows[i].header)
            assert_string_equal(haft_header_find(request.headers, request.n_headers, "h"),
                                rows[i].header);
    }
    sender_finish(&sender);
}

static void tools_of_a_document(void **state)
{
    char names[256] = "";
    const struct http_tool *tool;
    struct sender sender;

    (void)state;
    sender_init(&sender, document);
    assert_int_equal(items_of(&sender, sender.server, names), 0);
    assert_string_equal(names, "api__first api__two ");
    tool = tool_named(&sender, "api__first");
    assert_string_equal(tool->tool.description, "Changed");
    assert_int_equal(tool->n_credentials, 2);
    assert_true(tool->credentials[0]->kind == HTTP_CREDENTIAL_QUERY ||
                tool->credentials[1]->kind == HTTP_CREDENTIAL_QUERY);
    assert_int_equal(tool_named(&sender, "api__two")->n_credentials, 0);
    assert_true(sender_logged(&sender, "GET /bad is left out: external reference other.json"));
    assert_true(sender_logged(&sender, "1 operations require credentials that are not configured, "
                                       "such as other"));
    assert_false(sender_logged(&sender, "hidden"));
    sender_finish(&sender);
}

static void wrong_tools(void **state)
{
    static const struct {
        const char *options, *path, *text;
    } rows[] = {
        {"{\"url\":\"https://x\",\"openapi\":5}", "openapi", "name of a file"},
        {"{\"url\":\"https://x\",\"openapi\":{}}", "openapi", ""},
        {"{\"url\":\"https://x\",\"openapi\":\"/nonexistent.json\"}", "openapi", "cannot read"},
        {"{\"url\":\"https://x\",\"tools\":{\"t\":{\"description\":\"d\",\"path\":\"/a\",\"input\":{\"type\":\"string\"}}}}",
         "tools", "t: input: must be a schema of an object"},
        {"{\"url\":\"https://x\",\"tools\":{\"t\":{\"description\":\"d\",\"path\":\"/a/{b}\"}}}",
         "tools", "t: path: {b} is not an argument"},
        {"{\"url\":\"https://x\",\"tools\":{\"t\":{\"description\":\"d\",\"path\":\"/a\",\"places\":{\"b\":\"header\"}}}}",
         "tools", "t: places: b is not an argument of the tool"},
        {"{\"openapi\":{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"t\",\"version\":\"1\"},\"paths\":{},"
         "\"servers\":[{\"url\":\"https://example.com\"}]},\"proxy\":\"http://127.0.0.1:1\"}",
         "url", "proxy"},
        {"{\"url\":\"https://x\",\"security\":{\"k\":{\"bearer\":\"b\"}},\"openapi\":{\"openapi\":\"3.1.0\",\"info\":"
         "{\"title\":\"t\",\"version\":\"1\"},\"components\":{\"securitySchemes\":{\"k\":{\"type\":\"apiKey\",\"in\":\"header\","
         "\"name\":\"K\"}}},\"paths\":{\"/a\":{\"get\":{\"security\":[{\"k\":[]}],\"responses\":{}}}}}}",
         "security", "k: these credentials are not of the kind"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sender sender;
        int status = sender_try(&sender, NULL, rows[i].options);

        if (!status || strcmp(sender.reason.path, rows[i].path) != 0 ||
            !strstr(sender.reason.text, rows[i].text))
            fail_msg("%s: %d, %s: %s", rows[i].options, status, sender.reason.path,
                     sender.reason.text);
        sender_finish(&sender);
    }
}

static void memory_runs_out(void **state)
{
    static const char *const options[] = {two_tools, document};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        size_t made = 0;

        for (size_t nth = 1;; nth++) {
            struct failing failing;
            struct sender sender;

            failing_init(&failing, nth);
            if (!sender_try(&sender, &failing.allocator, options[i])) {
                char names[256] = "";

                assert_int_equal(items_of(&sender, sender.server, names), 0);
                made++;
            } else if (sender.reason.code != HAFT_ENOMEM) {
                fail_msg("allocation %zu: %s", nth, sender.reason.text);
            }
            sender_finish(&sender);
            failing_check(&failing);
            if (!failing.failures)
                break;
        }
        assert_true(made > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_of_the_configuration),
        cmocka_unit_test(patterns_are_about_whole_names),
        cmocka_unit_test(requests_of_the_configuration),
        cmocka_unit_test(tools_of_a_document),
        cmocka_unit_test(wrong_tools),
        cmocka_unit_test(memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
