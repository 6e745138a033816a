/* example - says a message again; the shortest tool there is. */
#include "registry.h"

HAFT_STRUCT(example_args,
    HAFT_STRING(message, "Message to return"));

HAFT_STRUCT(example_result,
    HAFT_STRING(message, "The same message"));

static int example(haft_call *call, const example_args *in, example_result *out)
{
    (void)call;
    out->message = in->message;
    return 0;
}
HAFT_TOOL(example, example_args, example_result, "Return a message, to try the server with",
          .annotations = {.read_only = HAFT_YES, .idempotent = HAFT_YES, .open_world = HAFT_NO});
HOME_EXPORT(example);
