/* expect: haft: a tool takes its arguments by const reference or by value */
/* Arguments that could be changed. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string, room, "Where it hangs"));

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](lamp &in) { return in.room; });
}
