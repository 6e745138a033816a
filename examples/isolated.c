/* isolated.c - tools in separate processes: a crash affects only its own call.
 *
 *     isolated                          shows what a client gets
 *     isolated --stdio                  serves, as every haft program does
 *     isolated --http 127.0.0.1:8808 */
#include <haft.h>
#include <stdio.h>

HAFT_STRUCT(read_args, HAFT_INTEGER(at, "Where to read: -1 is nowhere", .min = -1, .max = 3));
HAFT_STRUCT(read_value, HAFT_INTEGER(value, "What is there"));

/* An untrusted library: it crashes on invalid input. */
static int read_table(haft_call *call, const read_args *in, read_value *out)
{
    static const int64_t table[] = {2, 3, 5, 7};
    const int64_t *volatile from = in->at < 0 ? NULL : &table[in->at];

    haft_progress(call, 1, 2, "looking");
    out->value = *from; /* NOLINT(clang-analyzer-core.NullDereference): it is there to crash */
    return 0;
}
HAFT_TOOL(read_table, read_args, read_value, "Reads one of four numbers", .isolate = true);

/* A handler that never returns. Nothing in the same process could stop it. */
static int loop_for_ever(haft_call *call)
{
    static volatile bool done;

    while (!done)
        continue;
    return haft_text(call, "Done.");
}
HAFT_TOOL_BARE(loop_for_ever, "Turns round and round", .isolate = true, .timeout_ms = 300);

static int greet(haft_call *call)
{
    return haft_text(call, "Hello, %s!", haft_client_name(call));
}
HAFT_TOOL_BARE(greet, "Greets the client", .isolate = true);

static void show(haft_client *client, const char *tool, const char *arguments)
{
    haft_result result;

    if (!haft_client_call(client, tool, arguments, &result))
        printf("%s %s: %s%s\n", tool, arguments, result.is_error ? "error: " : "", result.text);
}

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("isolated", "1.0.0");
    haft_client *client;

    if (!server || haft_add(server, &read_table_tool) || haft_add(server, &loop_for_ever_tool) ||
        haft_add(server, &greet_tool))
        return 1;
    if (argc > 1)
        return haft_main(server, argc, argv);
    client = haft_client_new(server, NULL);
    if (!client)
        return 1;
    show(client, "read_table", "{\"at\":2}");
    show(client, "read_table", "{\"at\":-1}");
    show(client, "loop_for_ever", "{}");
    show(client, "greet", "{}");
    haft_client_free(client);
    haft_server_free(server);
    return 0;
}
