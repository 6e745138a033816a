/* expect: haft: what a tool takes must be a type declared by HAFT_STRUCT */
/* A tool takes an object, never one bare value. */
#include <haft.hpp>

void serve(haft::server &server)
{
    server.tool("square", "Squares a number", [](double x) { return x * x; });
}
