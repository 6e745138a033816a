/* expect: haft: this type is not declared: HAFT_STRUCT or HAFT_SCHEMA must name it */
/* A member of a struct that is not declared. */
#include <haft.hpp>

struct point {
    double x, y;
};
HAFT_STRUCT(lamp, HAFT_FIELD(point, place, "Where it hangs"));

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", [](const lamp &) {});
}
