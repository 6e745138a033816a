/* expect: haft: a resource is read by (), (std::string_view), (haft::call &) or both with the call first */
/* A reader that takes something else. */
#include <haft.hpp>

void serve(haft::server &server)
{
    server.resource("log:today", "log", "The log", "text/plain", [](int line) { return std::to_string(line); });
}
