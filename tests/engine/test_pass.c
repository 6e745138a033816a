/* test_pass.c - answers of another server, passed on as they are. */
#include <haft.h>
#include <string.h>
#include <yyjson.h>

#include "engine/call/pass.h"
#include "support/test.h"

/* Answers with its argument "result", or with the error in "error". */
static int pass_argument(haft_call *call, haft_value *arguments, void *data)
{
    yyjson_val *error = yyjson_obj_get(arguments, "error");

    (void)data;
    if (error)
        return hf_pass_error(call, yyjson_get_int(yyjson_obj_get(error, "code")),
                             yyjson_get_str(yyjson_obj_get(error, "message")),
                             yyjson_obj_get(error, "data"));
    return hf_pass_result(call, yyjson_obj_get(arguments, "result"));
}

static haft_server *pass_server(void)
{
    haft_server *server = haft_server_new("pass", "1");
    haft_tool_builder *builder = haft_tool_new("pass");

    haft_tool_describe(builder, "Passes its argument on");
    haft_tool_handler(builder, pass_argument, NULL);
    assert_int_equal(haft_tool_build(builder, server), 0);
    return server;
}

static void check_result(const char *revision, const char *given, const char *wanted)
{
    haft_server *server = pass_server();
    haft_client *client =
        haft_client_new(server, HAFT_WITH(haft_client_options, .revision = revision));
    haft_buffer arguments, text;
    haft_result result;

    haft_buffer_init(&arguments, NULL, 1 << 20);
    haft_buffer_init(&text, NULL, 1 << 20);
    haft_buffer_printf(&arguments, "{\"result\":%s}", given);
    haft_buffer_add(&arguments, "", 1);
    assert_int_equal(haft_client_call(client, "pass", arguments.data, &result), 0);
    haft_json_write(result.value, &text);
    haft_buffer_add(&text, "", 1);
    assert_string_equal(text.data, wanted);
    haft_buffer_finish(&text);
    haft_buffer_finish(&arguments);
    haft_client_free(client);
    haft_server_free(server);
}

static void test_results(void **state)
{
    static const struct {
        const char *revision, *given, *wanted;
    } rows[] = {
        {"2025-11-25", "{\"content\":[]}", "{\"content\":[]}"},
        {"2025-11-25",
         "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u0001\",\"annotations\":{\"priority\":1}},"
         "{\"type\":\"new\",\"x\":[1,2.5,null]}],\"structuredContent\":{\"n\":1e3},\"isError\":false}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u0001\",\"annotations\":{\"priority\":1}},"
         "{\"type\":\"new\",\"x\":[1,2.5,null]}],\"structuredContent\":{\"n\":1000}}"},
        /* An error keeps everything. */
        {"2025-11-25",
         "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"structuredContent\":{\"why\":1},"
         "\"isError\":true,\"_meta\":{\"a/b\":2}}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"structuredContent\":{\"why\":1},"
         "\"isError\":true,\"_meta\":{\"a/b\":2}}"},
        {"2025-11-25", "{\"content\":[],\"isError\":true}", "{\"content\":[],\"isError\":true}"},
        /* A block's `_meta` comes last. */
        {"2025-11-25", "{\"content\":[{\"_meta\":{\"k\":1},\"type\":\"text\",\"text\":\"t\"}]}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"t\",\"_meta\":{\"k\":1}}]}"},
        /* Blocks that a revision does not have. */
        {"2024-11-05",
         "{\"content\":[{\"type\":\"audio\",\"data\":\"AAAA\",\"mimeType\":\"audio/wav\"},"
         "{\"type\":\"resource_link\",\"uri\":\"a:b\",\"name\":\"n\"}]}",
         "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"audio:0\",\"mimeType\":"
         "\"audio/wav\",\"blob\":\"AAAA\"}},{\"type\":\"text\",\"text\":\"n: a:b\"}]}"},
        {"2025-11-25",
         "{\"content\":[{\"type\":\"audio\",\"data\":\"AAAA\",\"mimeType\":\"audio/wav\"}]}",
         "{\"content\":[{\"type\":\"audio\",\"data\":\"AAAA\",\"mimeType\":\"audio/wav\"}]}"},
        /* Structured content that is not an object: legacy clients get one. */
        {"2025-11-25", "{\"content\":[],\"structuredContent\":[1]}",
         "{\"content\":[],\"structuredContent\":{\"result\":[1]}}"},
        {"2026-07-28",
         "{\"content\":[],\"structuredContent\":[1],\"resultType\":\"complete\",\"_meta\":"
         "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"other\",\"version\":\"2\"},\"c/d\":[]}}",
         "{\"content\":[],\"structuredContent\":[1],\"resultType\":\"complete\",\"_meta\":"
         "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"pass\",\"version\":\"1\"},\"c/d\":[]}}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_result(rows[i].revision, rows[i].given, rows[i].wanted);
}

static void test_errors(void **state)
{
    haft_server *server = pass_server();
    haft_client *client = haft_client_new(server, NULL);
    char text[PASS_MESSAGE + 200];
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_call(client, "pass",
                                      "{\"error\":{\"code\":-32042,\"message\":\"Open this\","
                                      "\"data\":{\"url\":\"x:y\"}}}",
                                      &result),
                     0);
    assert_int_equal(result.error_code, -32042);
    assert_string_equal(result.error_message, "Open this");
    assert_string_equal(yyjson_get_str(yyjson_obj_get(result.error_data, "url")), "x:y");
    /* A long message is cut. */
    memset(text, 'x', sizeof text);
    memcpy(text, "{\"error\":{\"code\":-1,\"message\":\"", 31);
    memcpy(text + sizeof text - 4, "\"}}", 4);
    assert_int_equal(haft_client_call(client, "pass", text, &result), 0);
    assert_int_equal(strlen(result.error_message), PASS_MESSAGE);
    haft_client_free(client);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_results),
                                       cmocka_unit_test(test_errors)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
