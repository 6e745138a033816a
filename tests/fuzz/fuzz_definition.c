/* fuzz_definition.c - any bytes as the definition of a tool: it is refused with a reason, or it is
 * listed, and what is listed is a definition of which the same is listed.  And as the schema of its
 * arguments or result: the list is one line, in which arguments are an object. */
#include <haft.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static int answer(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "here");
}

/* A message is one line, for whoever reads lines. */
static void watch(void *context, bool sent, const char *text, size_t size)
{
    (void)context;
    (void)sent;
    require(!memchr(text, '\n', size) && !memchr(text, '\r', size));
    for (size_t i = 0; i + 2 < size; i++)
        require(memcmp(text + i, "\xC2\x85", 2) && memcmp(text + i, "\xE2\x80\xA8", 3) &&
                memcmp(text + i, "\xE2\x80\xA9", 3));
}

/* The one tool of the server, as it is listed. */
static void list(haft_server *server, const char *revision, haft_buffer *ret_text)
{
    haft_client *client = haft_client_new(
        server, HAFT_WITH(haft_client_options, .revision = revision, .watch = watch));
    yyjson_val *input, *output;
    haft_result result;

    require(client && !haft_client_list(client, HAFT_OFFER_TOOL, &result) && !result.is_error);
    require(yyjson_arr_size(result.content) == 1);
    input = yyjson_obj_get(yyjson_arr_get_first(result.content), "inputSchema");
    output = yyjson_obj_get(yyjson_arr_get_first(result.content), "outputSchema");
    require(yyjson_equals_str(yyjson_obj_get(input, "type"), "object"));
    require(yyjson_is_obj(yyjson_obj_get(input, "properties")));
    require(!output || (revision ? yyjson_equals_str(yyjson_obj_get(output, "type"), "object")
                                 : yyjson_is_obj(output)));
    haft_json_write(yyjson_arr_get_first(result.content), ret_text);
    require(!ret_text->status);
    haft_client_free(client);
}

/* Whether it is one, with what is listed of it. */
static bool define(const char *text, size_t size, haft_buffer *ret_listed)
{
    haft_server *server = haft_server_new("fuzz", "1");
    haft_tool_builder *builder = server ? haft_tool_parse(server, text, size) : NULL;
    int status;

    require(builder);
    haft_tool_handler(builder, answer, NULL);
    status = haft_tool_build(builder, server);
    if (status)
        require(haft_server_error(server)->code == status && *haft_server_error(server)->text);
    else
        list(server, NULL, ret_listed);
    haft_server_free(server);
    return !status;
}

static void use_schema(const char *text, size_t size,
                       void (*give)(haft_tool_builder *builder, haft_schema *schema))
{
    haft_server *server = haft_server_new("fuzz", "1");
    haft_tool_builder *builder = haft_tool_new("t");
    haft_schema *schema = NULL;
    haft_buffer listed;

    require(server && builder);
    haft_tool_handler(builder, answer, NULL);
    if (!haft_schema_parse(text, size, NULL, &schema, NULL))
        give(builder, schema);
    haft_buffer_init(&listed, NULL, 1 << 22);
    if (!haft_tool_build(builder, server)) {
        list(server, NULL, &listed);
        haft_buffer_clear(&listed);
        list(server, "2025-11-25", &listed);
    }
    haft_buffer_finish(&listed);
    haft_server_free(server);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_buffer first, second;

    haft_buffer_init(&first, NULL, 1 << 22);
    haft_buffer_init(&second, NULL, 1 << 22);
    if (define(size ? (const char *)data : "", size, &first)) {
        require(define(first.data, first.size, &second));
        require(first.size == second.size && !memcmp(first.data, second.data, first.size));
    }
    haft_buffer_finish(&first);
    haft_buffer_finish(&second);
    use_schema(size ? (const char *)data : "", size, haft_tool_input);
    use_schema(size ? (const char *)data : "", size, haft_tool_output);
    return 0;
}
