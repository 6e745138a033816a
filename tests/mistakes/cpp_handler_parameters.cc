/* expect: haft: a tool takes (const In &), (haft::call &, const In &), (haft::call &) or () */
/* Arguments one by one, as in Python. */
#include <haft.hpp>

void serve(haft::server &server)
{
    server.tool("add", "Adds two numbers", [](double a, double b, double c) { return a + b + c; });
}
