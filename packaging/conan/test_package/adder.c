/* adder.c - a server of one tool, to try the package with. */
#include <haft.h>

HAFT_STRUCT(add_args, HAFT_NUMBER(a, "First number"), HAFT_NUMBER(b, "Second number"));
HAFT_STRUCT(add_sum, HAFT_NUMBER(sum, "Sum"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers");

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("adder", "1.0.0");

    haft_add(server, &add_tool);
    return haft_main(server, argc, argv);
}
