/* expect: route dim: the handler must be int dim(haft_call \*, const lamp \*, light \*) */
/* The handler takes other types than the route says. */
#include <haft.h>

HAFT_STRUCT(lamp, HAFT_STRING(room, "Where it hangs"));
HAFT_STRUCT(light, HAFT_INTEGER(level, "Percent"));

static int dim(haft_call *call, const light *in, lamp *out)
{
    (void)call;
    (void)in;
    (void)out;
    return 0;
}
HAFT_ROUTE(dim, "PUT", "/lamps/{room}", lamp, light, "Dims a lamp");

const haft_route *route(void);
const haft_route *route(void)
{
    return &dim_route;
}
