/* fuzz_task.c - tasks: requests of clients about a task, while the store has anything for it.
 *
 * Input: a byte (the revision, and whether the task has run), and lines: a key of the task in the
 * store, its value, a method, and members of the request's parameters. Every request must be
 * answered, or be tasks/result, which waits. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_TEXT = 16 << 10, FUZZ_ID = 40 };

HAFT_STRUCT(form,
    HAFT_STRING(name, "A name"));

static char answer[FUZZ_TEXT];
static unsigned n_answers;

static int ask(haft_call *call)
{
    form who;
    int status = haft_elicit(call, "who", "Who?", &form_type, &who);

    return status == HAFT_ACCEPTED ? haft_text(call, "hello %s", who.name) : status;
}
HAFT_TOOL_BARE(ask, "Asks", .task = HAFT_TASK_OPTIONAL, .task_crash = HAFT_TASK_RESTART);

static void keep(void *context, const haft_outgoing *message)
{
    (void)context;
    n_answers += message->kind == HAFT_OUT_RESPONSE;
    snprintf(answer, sizeof answer, "%.*s", (int)message->size, message->text);
}

static int count(void *context, void *bytes, size_t size)
{
    static unsigned char next;

    (void)context;
    memset(bytes, ++next, size);
    return 0;
}

static const char *const meta =
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":\"1\"},"
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},\"extensions\":{"
    "\"io.modelcontextprotocol/tasks\":{}}}}";

static void request(haft_session *session, const char *method, const char *members, bool legacy)
{
    char text[FUZZ_TEXT * 2];
    int size = snprintf(text, sizeof text,
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":{%s%s%s}}",
                        method, legacy ? "" : meta, !legacy && *members ? "," : "", members);

    if (size > 0 && (size_t)size < sizeof text)
        haft_session_receive(session, text, (size_t)size, NULL, 1000000);
}

static char *line(char **rest)
{
    char *start = *rest, *end = start + strcspn(start, "\n");

    *rest = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

static void put(haft_store *store, const char *id, const char *key, const char *text)
{
    haft_store_op op = {.kind = HAFT_STORE_PUT, .key = HAFT_SLICE(key), .value = HAFT_SLICE(text)};
    haft_store_request put = {
        .space = "task", .group = {id, FUZZ_ID}, .ops = &op, .n_ops = 1, .now = 1000000};

    haft_store_submit(store, &put);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_server *server = haft_server_new("fuzz", "1");
    haft_session *session;
    char text[FUZZ_TEXT], members[FUZZ_TEXT], id[FUZZ_ID + 1] = "", *rest = text, *key, *method;
    bool legacy = size && data[0] & 2;
    const char *at;

    if (!size || size >= sizeof text)
        goto end;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    haft_add(server, &ask_tool);
    haft_server_set_tasks(server, HAFT_WITH(haft_task_options, .store = store, .random = count));
    session =
        haft_session_new(server, HAFT_WITH(haft_session_options,
                                           .transport = HAFT_WITH(haft_transport, .send = keep)));
    if (legacy)
        request(session, "initialize",
                "\"protocolVersion\":\"2025-11-25\",\"clientInfo\":{\"name\":\"c\",\"version\":"
                "\"1\"},\"capabilities\":{\"elicitation\":{}}",
                true);
    request(session, "tools/call", legacy ? "\"name\":\"ask\",\"task\":{}" : "\"name\":\"ask\"",
            legacy);
    at = strstr(answer, "\"taskId\":\"");
    if (!at)
        abort();
    memcpy(id, at + 10, FUZZ_ID);
    if (data[0] & 1)
        haft_server_run_tasks(server, 1000000);
    key = line(&rest);
    put(store, id, key, line(&rest));
    method = line(&rest);
    snprintf(members, sizeof members, "\"taskId\":\"%s\"%s%s", id, *rest ? "," : "", rest);
    request(session, method, members, legacy);
    haft_server_run_tasks(server, 1000500);
    n_answers = 0;
    snprintf(members, sizeof members, "\"taskId\":\"%s\"", id);
    request(session, "tasks/get", members, legacy);
    if (n_answers != 1)
        abort();
    haft_server_run_tasks(server, 1020000);
    haft_session_free(session);
end:
    haft_server_free(server);
    haft_store_free(store);
    return 0;
}
