/* stdio_server.c - the smallest server there is: one tool on standard input and output.
 *
 * Its size, its memory and how soon it answers are what a server costs before it does anything. */
#include <haft.h>

HAFT_STRUCT(add_args, HAFT_NUMBER(a, "The one"), HAFT_NUMBER(b, "The other"));
HAFT_STRUCT(add_sum, HAFT_NUMBER(sum, "Both together"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers", .quick = true);

int main(void)
{
    haft_server *server = haft_server_new("bench", "1.0.0");
    int status = haft_add(server, &add_tool);

    if (!status)
        status = haft_serve_stdio(server, NULL);
    haft_server_free(server);
    return status != 0;
}
