/* expect: haft: a tool gives a type declared by HAFT_STRUCT, text, a number, a bool, an enum, a list, a map or nothing */
/* A pointer as a result. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string, room, "Where it hangs"));

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](const lamp &in) { return &in; });
}
