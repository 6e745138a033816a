/* expect: haft: a prompt gives text or nothing */
/* A number as a message. */
#include <haft.hpp>

void serve(haft::server &server)
{
    server.prompt("count", "Counts", [] { return 5; });
}
