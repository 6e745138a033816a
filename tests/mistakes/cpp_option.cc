/* expect: haft: what follows a tool's function are options: haft::read_only(), haft::title(...) */
/* An option without its parentheses is a function. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string, room, "Where it hangs"));

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](const lamp &in) { return in.room; }, haft::quick);
}
