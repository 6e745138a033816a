/* expect: haft: a tool needs a description: it is all that a model knows of it */
/* A tool without a description. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string, room, "Where it hangs"));

void serve(haft::server &server)
{
    server.tool("dim", [](const lamp &in) { return in.room; });
}
