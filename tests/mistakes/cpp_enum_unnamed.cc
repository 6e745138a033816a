/* expect: haft: this enum has no names: HAFT_ENUM_CLASS or HAFT_ENUM_NAMES must give them */
/* An enum without names for the wire. */
#include <haft.hpp>

enum class colour { red, green };
HAFT_STRUCT(lamp, HAFT_FIELD(colour, tint, "Its colour"));

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](const lamp &) {});
}
