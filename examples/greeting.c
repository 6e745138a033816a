/* greeting.c - the smallest server: one tool, two arguments, one of them optional.
 *
 * An optional argument that was not given leaves has_<name> false. */
#include <haft.h>

HAFT_STRUCT(greet_args,
    HAFT_STRING(name, "Name of the person to greet"),
    HAFT_OPTIONAL(HAFT_STRING(title, "Optional title (Mr, Ms, Dr, etc.)")));

static int greet(haft_call *call, const greet_args *in)
{
    bool titled = in->has_title && *in->title;

    return haft_text(call, "Hello, %s%s%s! Nice to meet you.", titled ? in->title : "",
                     titled ? " " : "", in->name);
}
HAFT_TOOL_IN(greet, greet_args, "Greets a person by name", .title = "Greeting Tool");

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("greeting-server", "1.0.0");

    if (server)
        haft_add(server, &greet_tool);
    return haft_main(server, argc, argv);
}
