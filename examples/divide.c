/* divide.c - a tool that can fail: the model reads why, and tries again.
 *
 * haft_error makes the result an error. Use haft_log for text that only the operator should see. */
#include <haft.h>

HAFT_STRUCT(divide_args,
    HAFT_NUMBER(numerator, "What is divided"),
    HAFT_NUMBER(denominator, "What it is divided by"));

static int divide(haft_call *call, const divide_args *in)
{
    haft_buffer text;
    int status;

    if (in->denominator == 0)
        return haft_error(call, "Error: Division by zero");
    /* The shortest text that reads back as the same number, independent of the locale. */
    haft_buffer_init(&text, NULL, 64);
    haft_buffer_json_number(&text, in->numerator / in->denominator);
    status = text.status ? text.status : haft_text_bytes(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}
HAFT_TOOL_IN(divide, divide_args, "Divides one number by another", .quick = true);

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("divide", "1.0.0");

    if (server)
        haft_add(server, &divide_tool);
    return haft_main(server, argc, argv);
}
