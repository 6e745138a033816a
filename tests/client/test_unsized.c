/* test_unsized.c - a struct whose size is not set is refused, in words, by every function that takes one. */
#include <haft/client.h>
#include <haft/http.h>
#include <haft/pipeline.h>
#include <haft/run.h>
#include <haft/schema.h>
#include <haft/store.h>

#include <string.h>

#include "support/test.h"

static int nothing(haft_call *call)
{
    return haft_text(call, "nothing");
}
HAFT_TOOL_BARE(nothing, "Does nothing");

static int read_it(haft_call *call, const char *uri)
{
    (void)uri;
    return haft_text(call, "text");
}

static int say_it(haft_call *call, const void *arguments)
{
    (void)arguments;
    return haft_text(call, "text");
}

static int look(haft_call *call, void *data)
{
    (void)call;
    (void)data;
    return 0;
}

static haft_tool tool;
static const haft_resource resource = {.uri = "a:b", .name = "b", .read = read_it};
static const haft_prompt prompt = {.name = "p", .get = say_it};
static const haft_stage stage = {.name = "s", .before = look};
static const haft_visibility visibility = {.tools = "a"};
static const haft_search search = {.above = 1};
static const haft_transport transport = HAFT_INIT(haft_transport, .send = NULL);
static const haft_session_options session = {.transport = &transport, .revision = "2025-11-25"};
static const haft_client_options client = {.name = "c"};

static void *add_tool(haft_server *server)
{
    tool = nothing_tool;
    tool.struct_size = 0;
    return haft_add(server, &tool) ? NULL : server;
}

static void *add_resource(haft_server *server)
{
    return haft_resource_add(server, &resource) ? NULL : server;
}

static void *add_template(haft_server *server)
{
    return haft_template_add(server, &resource) ? NULL : server;
}

static void *add_prompt(haft_server *server)
{
    return haft_prompt_add(server, &prompt) ? NULL : server;
}

static void *add_stage(haft_server *server)
{
    return haft_stage_add(server, &stage) ? NULL : server;
}

static void *set_visibility(haft_server *server)
{
    return haft_server_set_visibility(server, &visibility) ? NULL : server;
}

static void *set_search(haft_server *server)
{
    return haft_server_set_search(server, &search) ? NULL : server;
}

static void *open_session(haft_server *server)
{
    return haft_session_new(server, &session);
}

static void *open_client(haft_server *server)
{
    return haft_client_new(server, &client);
}

static void refuses(void **state)
{
    static const struct {
        void *(*use)(haft_server *server);
        const char *type;
    } rows[] = {
        {add_tool, "haft_tool"},
        {add_resource, "haft_resource"},
        {add_template, "haft_resource"},
        {add_prompt, "haft_prompt"},
        {add_stage, "haft_stage"},
        {set_visibility, "haft_visibility"},
        {set_search, "haft_search"},
        {open_session, "haft_session_options"},
        {open_client, "haft_client_options"},
    };
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_null(rows[i].use(server));
        assert_int_equal(haft_server_error(server)->code, HAFT_EINVAL);
        assert_string_equal(haft_server_error(server)->path, rows[i].type);
        assert_string_equal(haft_server_error(server)->text,
                            "its struct_size is not set; start it with HAFT_INIT or HAFT_WITH");
    }
    haft_server_free(server);
}

static void refuses_options(void **state)
{
    static const haft_server_options options = {.title = "t"};
    static const haft_schema_options schema_options = {.max_depth = 3};
    static const haft_store_memory_options store_options = {.n_spaces = 0};
    haft_schema *schema;
    haft_reason reason;

    (void)state;
    assert_null(haft_server_new_with("test", "1", &options));
    assert_null(haft_store_memory_new(&store_options));
    assert_int_equal(haft_schema_parse("{}", 2, &schema_options, &schema, &reason), HAFT_EINVAL);
    assert_string_equal(reason.path, "haft_schema_options");
    assert_true(strstr(reason.text, "HAFT_INIT") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
