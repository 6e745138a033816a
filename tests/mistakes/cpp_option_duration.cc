/* expect: haft: a duration option is in std::chrono::milliseconds or finer, or counts in double */
/* Seconds cannot hold 1500ms. */
#include <haft.hpp>

void serve(haft::server &server, std::chrono::seconds &patience)
{
    server.option("--patience", patience, "time limit");
}
