/* expect: haft: a tool is a function, a lambda or an object with one operator(); a generic lambda has no types for a schema */
/* A lambda whose parameter is auto. */
#include <haft.hpp>

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](const auto &in) { return in; });
}
