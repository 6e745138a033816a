/* fuzz_direct.c - any lines, to two sessions: one reads what it can straight from the text
 * (src/engine/session/direct.c), the other reads all of it the long way.  They say the same. */
#include <haft/engine.h>
#include <stdlib.h>
#include <string.h>

#include "engine/offer/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

HAFT_LIST(row, HAFT_INTEGER(cell, "A cell"), "A row");
HAFT_STRUCT(part, HAFT_STRING(id, "Which", .format = HAFT_FORMAT_UUID),
            HAFT_INTEGER(n, "How many", .min = -3, .max = 99),
            HAFT_OPTIONAL(HAFT_STRING(note, "A word", .min = 1, .max = 9)));
HAFT_STRUCT(args, HAFT_STRING(name, "A name"), HAFT_OPTIONAL(HAFT_BOOLEAN(flag, "A flag")),
            HAFT_OPTIONAL(HAFT_NUMBER(ratio, "A number")),
            HAFT_OPTIONAL(HAFT_STRING(day, "A day", .format = HAFT_FORMAT_DATE)),
            HAFT_OPTIONAL(HAFT_BYTES(blob, "Not from text")),
            HAFT_OPTIONAL(HAFT_ARRAY(grid, HAFT_OBJECT(row, row, "A row"), "A grid", .max = 3)),
            HAFT_OPTIONAL(HAFT_ARRAY(items, HAFT_OBJECT(item, part, "An item"), "Items")));

/* What it was given is what it gives. */
static int echo(haft_call *call, const args *in, args *out)
{
    (void)call;
    *out = *in;
    return 0;
}
HAFT_TOOL(echo, args, args, "Echoes");

static int spell(haft_call *call, const args *in)
{
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, 1 << 20);
    haft_json_write(haft_call_arguments(call), &text);
    haft_buffer_add(&text, "", 1);
    status = text.status ? text.status : haft_text(call, "%s %s", in->name, text.data);
    haft_buffer_finish(&text);
    return status;
}
HAFT_TOOL_IN(spell, args, "Tells its arguments");

static void keep(void *context, const haft_outgoing *message)
{
    haft_buffer_add(context, message->text, message->size);
    haft_buffer_add(context, "\n", 1);
}

/* The servers are made once: they are not what is under test here. */
static haft_server *server_that(bool goes_direct)
{
    static haft_server *servers[2];
    haft_server *server = servers[goes_direct];

    if (!server) {
        server = haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .max_depth = 4));
        require(!haft_add(server, &echo_tool) && !haft_add(server, &spell_tool));
        server->limits.direct_from = goes_direct ? 0 : SIZE_MAX;
        servers[goes_direct] = server;
    }
    /* Though somebody has asked. */
    for (size_t i = 0; i < server->catalogue->lists[HAFT_OFFER_TOOL].n; i++)
        atomic_store(server->catalogue->lists[HAFT_OFFER_TOOL].entries[i].item->direct, true);
    return server;
}

/* All that is said to the lines. */
static void talk(const char *text, size_t size, bool direct, haft_buffer *said)
{
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"f\",\"version\":\"1\"}}}";
    haft_session *session = haft_session_new(
        server_that(direct),
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = keep, .context = said)));

    require(!haft_session_receive(session, hello, strlen(hello), NULL, 1));
    while (size) {
        const char *end = memchr(text, '\n', size);
        size_t line = end ? (size_t)(end - text) : size;

        require(!haft_session_receive(session, text, line, NULL, 1));
        text += end ? line + 1 : line;
        size -= end ? line + 1 : line;
    }
    haft_session_free(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_buffer said[2];

    for (int i = 0; i < 2; i++) {
        haft_buffer_init(&said[i], NULL, 64 << 20);
        talk(size ? (const char *)data : "", size, i, &said[i]);
        require(!said[i].status);
    }
    require(said[0].size == said[1].size && !memcmp(said[0].data, said[1].data, said[0].size));
    haft_buffer_finish(&said[1]);
    haft_buffer_finish(&said[0]);
    return 0;
}
