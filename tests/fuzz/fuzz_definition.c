/* fuzz_definition.c - any bytes as the definition of a tool: it is refused with a reason, or it is
 * listed, and what is listed is a definition of which the same is listed. */
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

/* The one tool of the server, as it is listed. */
static void list(haft_server *server, haft_buffer *ret_text)
{
    haft_client *client = haft_connect(server, NULL);
    haft_result result;

    require(client && !haft_client_list(client, HAFT_OFFER_TOOL, &result) && !result.is_error);
    require(yyjson_arr_size(result.content) == 1);
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
        list(server, ret_listed);
    haft_server_free(server);
    return !status;
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
    return 0;
}
