/* expect: haft: the alternatives of a tagged std::variant must be declared types */
/* A tag in a number. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD((std::variant<int, std::string>), level, "Percent, or a word", .tag = "kind"));

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](const lamp &) {});
}
