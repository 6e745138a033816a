/* expect: haft: a tool takes (const In &), (haft::call &, const In &), (haft::call &) or () */
/* The call comes first. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string, room, "Where it hangs"));

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](const lamp &in, haft::call &) { return in.room; });
}
