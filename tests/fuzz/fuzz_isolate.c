/* fuzz_isolate.c - any bytes from the process of a call, in any packets.
 *
 * The first byte says which tool is called and by whom, then each packet is a byte for its size and
 * so many bytes.  Whatever they say, the call is answered with messages that are one line of JSON
 * each, one of them its response. */
#include <haft.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/carry.h"
#include "process/isolate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

HAFT_STRUCT(shape, HAFT_STRING(word, "A word"), HAFT_OPTIONAL(HAFT_INTEGER(n, "A number")));

static int never(haft_call *call)
{
    (void)call;
    abort();
}
HAFT_TOOL_BARE(never, "Runs elsewhere", .isolate = true);

static int never_shaped(haft_call *call, shape *out)
{
    (void)out;
    return never(call);
}
HAFT_TOOL_OUT(never_shaped, shape, "Runs elsewhere", .isolate = true);

/* ---- a process that says what the input has ---- */

struct process {
    struct isolation base;
    const uint8_t *data;
    size_t size;
    size_t responses;
};

static int run(struct isolation *isolation, haft_call *call)
{
    struct process *process = (struct process *)isolation;
    struct packet_reader reader = {.kind = 0};
    int status = 0, kind = 0;

    haft_buffer_init(&reader.body, NULL, 1 << 16);
    while (!status && process->size && kind >= 0) {
        size_t n = process->data[0];

        process->data++;
        process->size--;
        n = n < process->size ? n : process->size;
        kind = hf_packet_take(&reader, process->data, n);
        process->data += n;
        process->size -= n;
        require(kind <= 0 || kind < PACKET_KINDS);
        if (kind == PACKET_NOTICE)
            hf_carry_read_notice(call, reader.body.data, reader.body.size);
        if (kind == PACKET_RESULT) {
            status = hf_carry_read_result(call, reader.body.data, reader.body.size);
            break;
        }
    }
    haft_buffer_finish(&reader.body);
    return kind == PACKET_RESULT ? status : HAFT_ECRASHED;
}

static void renew(struct isolation *isolation)
{
    (void)isolation;
}

/* ---- its client ---- */

static void on_send(void *context, const haft_outgoing *message)
{
    struct process *process = context;
    yyjson_doc *doc = yyjson_read(message->text, message->size, 0);

    process->responses += message->kind == HAFT_OUT_RESPONSE;
    require(doc && !memchr(message->text, '\n', message->size));
    yyjson_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const requests[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"never\","
        "\"_meta\":{\"progressToken\":1}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"never_shaped\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"never\","
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}},"
        "\"io.modelcontextprotocol/logLevel\":\"debug\"}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"never_shaped\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
    };
    static const unsigned char key[32] = {1};
    struct process process = {.base = {run, renew, NULL}};
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .seal_key = key));
    haft_session *session;
    const char *request;

    require(server && !haft_add(server, &never_tool) && !haft_add(server, &never_shaped_tool));
    if (!size) {
        haft_server_free(server);
        return 0;
    }
    request = requests[data[0] % (sizeof requests / sizeof *requests)];
    process.data = data + 1;
    process.size = size - 1;
    atomic_store(&server->isolation.runner, &process.base);
    session = haft_session_new(
        server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = on_send, .context = &process)));
    require(session);
    require(!haft_session_receive(session, request, strlen(request), NULL, 1));
    /* A legacy client that was asked has not answered, and is out of time. */
    haft_session_tick(session, 3600000);
    require(process.responses == 1);
    haft_session_free(session);
    atomic_store(&server->isolation.runner, NULL);
    haft_server_free(server);
    return 0;
}
