/* pipeline.c - calls of `add` through the engine, for which bench/pipeline counts instructions.
 *
 *     pipeline none|idle|full CALLS */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

HAFT_STRUCT(add_args, HAFT_NUMBER(a, "A number"), HAFT_NUMBER(b, "Another"));
HAFT_STRUCT(add_sum, HAFT_NUMBER(sum, "Their sum"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers", .quick = true,
          .annotations = {.read_only = HAFT_YES});

static const haft_tool limited_tool = HAFT_INIT(
    haft_tool, .name = "add", .description = "Adds two numbers", .call = add_call_,
    .input = &add_args_type, .output = &add_sum_type, .quick = true,
    .annotations = {.read_only = HAFT_YES}, .rate = {.calls = 1000000, .per_ms = 3600000});

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static size_t n_answers, answer_size, n_lines;

static void count_answer(void *context, const haft_outgoing *message)
{
    (void)context;
    /* Checks the first response; the others must have the same size. */
    if (!answer_size && strstr(message->text, "\"structuredContent\":{\"sum\":42}"))
        answer_size = message->size;
    n_answers += answer_size && message->size == answer_size;
}

static const haft_transport counter = HAFT_INIT(haft_transport, .send = count_answer);

static void count_line(void *context, const char *line, size_t size)
{
    (void)context;
    (void)line;
    n_lines += size > 0;
}

static haft_server *make(const char *mode)
{
    bool idle = !strcmp(mode, "idle"), full = !strcmp(mode, "full");
    haft_server *server =
        haft_server_new_with("bench", "1.0.0", HAFT_WITH(haft_server_options, .clock = now_ns));

    if (!server || haft_add(server, idle ? &limited_tool : &add_tool))
        return NULL;
    if (idle && haft_server_set_visibility(
                    server, HAFT_WITH(haft_visibility, .tools = "a*", .read_only = true)))
        return NULL;
    if (full && (haft_audit_add(server, count_line, NULL) || haft_metrics_enable(server)))
        return NULL;
    return server;
}

int main(int argc, char **argv)
{
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}";
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\","
        "\"arguments\":{\"a\":2,\"b\":40}}}";
    size_t calls = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    haft_server *server = calls ? make(argv[1]) : NULL;
    haft_session *session;

    if (!server)
        return 2;
    session = haft_session_new(server, HAFT_WITH(haft_session_options, .transport = &counter));
    if (!session)
        return 2;
    haft_session_receive(session, hello, sizeof hello - 1, NULL, 1000);
    for (size_t i = 0; i < calls; i++)
        haft_session_receive(session, call, sizeof call - 1, NULL, 1000 + (haft_time)i);
    haft_session_free(session);
    haft_server_free(server);
    /* Fails if calls are missing, because the measurement would be meaningless. */
    return n_answers == calls && n_lines == (strcmp(argv[1], "full") ? 0 : calls) ? 0 : 1;
}
