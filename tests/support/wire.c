/* wire.c - a client for tests; see wire.h.
 *
 * Messages of the session are copied and queued, with any allocator of the server. */
#include "support/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

struct wire_message {
    struct wire_message *next;
    haft_outgoing_kind kind;
    int error_code, http_status;
    char scopes[64];
    char text[];
};

static void receive(void *context, const haft_outgoing *message)
{
    struct wire *wire = context;
    struct wire_message *copy = malloc(sizeof *copy + message->size + 1), **link = &wire->first;

    assert_non_null(copy);
    *copy =
        (struct wire_message){NULL, message->kind, message->error_code, message->http_status, ""};
    snprintf(copy->scopes, sizeof copy->scopes, "%s", message->scopes ? message->scopes : "");
    memcpy(copy->text, message->text, message->size);
    copy->text[message->size] = '\0';
    while (*link)
        link = &(*link)->next;
    *link = copy;
}

struct wire *wire_open_with(haft_server *server, haft_session_options options)
{
    struct wire *wire = calloc(1, sizeof *wire);
    haft_transport transport = {.struct_size = sizeof(haft_transport)};
    haft_loop loop = {.struct_size = sizeof(haft_loop)};

    assert_non_null(wire);
    if (options.transport)
        transport = *options.transport;
    if (options.loop)
        loop = *options.loop;
    transport.send = receive;
    transport.context = loop.context = wire;
    options.transport = &transport;
    options.loop = &loop;
    wire->now = 1000;
    wire->session = haft_session_new(server, &options);
    assert_non_null(wire->session);
    return wire;
}

struct wire *wire_open(haft_server *server)
{
    return wire_open_with(server,
                          (haft_session_options){.struct_size = sizeof(haft_session_options)});
}

void wire_close(struct wire *wire)
{
    haft_session_free(wire->session);
    while (wire_next(wire))
        ;
    free(wire->taken);
    free(wire);
}

int wire_send(struct wire *wire, const char *json)
{
    return haft_session_receive(wire->session, json, strlen(json), NULL, wire->now);
}

const char *wire_next(struct wire *wire)
{
    free(wire->taken);
    wire->taken = wire->first;
    if (!wire->first)
        return NULL;
    wire->first = wire->first->next;
    wire->error_code = wire->taken->error_code;
    wire->http_status = wire->taken->http_status;
    memcpy(wire->scopes, wire->taken->scopes, sizeof wire->scopes);
    wire->kind = wire->taken->kind;
    return wire->taken->text;
}

void wire_greet(struct wire *wire, const char *revision)
{
    char text[512];

    wire->modern = strcmp(revision, "2026-07-28") >= 0;
    if (wire->modern)
        return;
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"%s\",\"clientInfo\":{\"name\":\"wire\",\"version\":\"1\"},"
             "\"capabilities\":{\"sampling\":{},\"elicitation\":{},\"roots\":{}}}}",
             revision);
    assert_int_equal(wire_send(wire, text), 0);
    assert_non_null(wire_next(wire));
    assert_int_equal(wire->error_code, 0);
    assert_int_equal(
        wire_send(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"), 0);
    assert_null(wire_next(wire));
}

const char *wire_call(struct wire *wire, const char *method, const char *params)
{
    static const char meta[] =
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"sampling\":{},\"elicitation\":{},"
        "\"roots\":{}},\"io.modelcontextprotocol/clientInfo\":{\"name\":\"wire\","
        "\"version\":\"1\"}}";
    size_t size = strlen(method) + (params ? strlen(params) : 0) + sizeof meta + 128;
    char *text = malloc(size);

    assert_non_null(text);
    snprintf(text, size, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s%s%s}}",
             ++wire->next_id, method, wire->modern ? meta : "", wire->modern && params ? "," : "",
             params ? params : "");
    wire_send(wire, text);
    free(text);
    return wire_next(wire);
}
