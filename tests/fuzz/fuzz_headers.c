/* fuzz_headers.c - what a modern request names, and what its headers say it names: it is answered
 * only when the two are the same after base64 between =?base64? and ?= has been taken off.  The
 * input is the value of Mcp-Name, a line end, that of Mcp-Param-Region, a line end, and the name in
 * the body. */
#define _POSIX_C_SOURCE 200809L
#include <haft/engine.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

HAFT_STRUCT(place_args, HAFT_HEADER("Region", HAFT_STRING(region, "Where")));

static int place(haft_call *call, const place_args *in)
{
    return haft_text(call, "%s", in->region);
}
HAFT_TOOL_IN(place, place_args, "Says where", .quick = true);

static int read_it(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = "t"});
}
static const haft_resource any =
    HAFT_INIT(haft_resource, .uri = "{+all}", .name = "any", .read = read_it);

struct line {
    const char *text;
    size_t size;
};

struct sent {
    const char *method;
    struct line name, region;
    int errors, results;
};

static void receive(void *context, const haft_outgoing *out)
{
    struct sent *sent = context;

    require(out->kind == HAFT_OUT_RESPONSE);
    sent->errors += out->error_code != 0;
    sent->results += out->error_code == 0;
}

/* The value as whoever reads the header has it; false when it is no value. */
static bool plain(struct line value, char *room, size_t *ret_size)
{
    static const char before[] = "=?base64?";

    while (value.size && (*value.text == ' ' || *value.text == '\t'))
        value = (struct line){value.text + 1, value.size - 1};
    while (value.size && strchr(" \t", value.text[value.size - 1]) && value.text[value.size - 1])
        value.size--;
    if (value.size < 11 || memcmp(value.text, before, 9) ||
        memcmp(value.text + value.size - 2, "?=", 2)) {
        memcpy(room, value.text, value.size);
        *ret_size = value.size;
        return true;
    }
    return !haft_base64_decode(value.text + 9, value.size - 11, room, ret_size);
}

static void ask(haft_session *session, struct sent *sent, struct line name, struct line region)
{
    haft_header list[] = {{"mcp-protocol-version", "2026-07-28"},
                          {"mcp-method", sent->method},
                          {"mcp-name", NULL},
                          {"mcp-param-region", NULL}};
    haft_headers headers = {.list = list, .n = 4};
    haft_incoming *message;
    haft_buffer body;

    haft_buffer_init(&body, NULL, 1 << 20);
    haft_buffer_printf(&body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{\"%s\":",
                       sent->method, strcmp(sent->method, "tools/call") ? "uri" : "name");
    haft_buffer_json_string(&body, name.text, name.size);
    haft_buffer_puts(&body, ",\"arguments\":{\"region\":");
    haft_buffer_json_string(&body, region.text, region.size);
    haft_buffer_puts(&body,
                     "},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                     "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    message = haft_incoming_read(session, body.data, body.size, session, 1);
    require(message != NULL);
    list[2].value = strndup(sent->name.text, sent->name.size);
    list[3].value = strndup(sent->region.text, sent->region.size);
    require(list[2].value && list[3].value);
    haft_incoming_process(message, session, &headers);
    free((char *)(uintptr_t)list[2].value);
    free((char *)(uintptr_t)list[3].value);
    require(sent->errors + sent->results == 1);
    haft_buffer_finish(&body);
}

/* A result only for what was named the same in both places. */
static void check(const struct sent *sent, struct line header, struct line body)
{
    char *room = malloc(header.size + 1);
    size_t size = 0;

    if (room && sent->results)
        require(plain(header, room, &size) && size == body.size && !memcmp(room, body.text, size));
    free(room);
}

static struct line take(const char **text, size_t *size)
{
    const char *end = *size ? memchr(*text, '\n', *size) : NULL;
    struct line line = {*text, end ? (size_t)(end - *text) : *size};

    *text += line.size + (end != NULL);
    *size -= line.size + (end != NULL);
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static haft_server *server;
    const char *text = size ? (const char *)data : "";
    struct line name = take(&text, &size), region = take(&text, &size), body = {text, size};
    struct sent read = {"resources/read", name, region, 0, 0};
    struct sent call = {"tools/call", {"place", 5}, region, 0, 0};
    haft_session *sessions[2];

    /* No header has a NUL in it. */
    if (haft_utf8_valid(body.text, body.size) != body.size || memchr(name.text, 0, name.size) ||
        memchr(region.text, 0, region.size))
        return 0;
    if (!server) {
        server = haft_server_new("test", "1");
        require(server && !haft_add(server, &place_tool) && !haft_template_add(server, &any));
    }
    sessions[0] = haft_session_new(
        server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = receive, .context = &read)));
    sessions[1] = haft_session_new(
        server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = receive, .context = &call)));
    require(sessions[0] && sessions[1]);
    ask(sessions[0], &read, body, region);
    check(&read, name, body);
    ask(sessions[1], &call, (struct line){"place", 5}, body);
    check(&call, region, body);
    haft_session_free(sessions[0]);
    haft_session_free(sessions[1]);
    return 0;
}
