/* expect nothing */
#include <haft.h>

HAFT_ENUMERATION(colour, red, green);

HAFT_STRUCT(lamp, HAFT_STRING(room, "Where it hangs", .min = 1),
            HAFT_OPTIONAL(HAFT_INTEGER(level, "Percent", .min = 0, .max = 100)),
            HAFT_DEFAULT(HAFT_ENUM(tint, colour, "Its colour"), colour_red),
            HAFT_DEFAULT(HAFT_INTEGER(fade, "Milliseconds"), 200),
            HAFT_ARRAY(tags, HAFT_STRING(tag, "One label"), "Labels", .max = 4));

typedef struct shelf {
    const char *label;
    bool has_height;
    double height;
} shelf;

HAFT_SCHEMA(shelf, HAFT_STRING(label, "What it says"),
            HAFT_OPTIONAL(HAFT_NUMBER(height, "Metres", .above = 0)));

static int dim(haft_call *call, const lamp *in, lamp *out)
{
    (void)call;
    *out = *in;
    return 0;
}
HAFT_TOOL(dim, lamp, lamp, "Dims a lamp");

/* Names that the macros have for themselves, too. */
static int call(haft_call *to)
{
    return haft_text(to, "called");
}
HAFT_TOOL_BARE(call, "Calls somebody");

static int in(haft_call *to, const lamp *which)
{
    return haft_text(to, "%s", which->room);
}
HAFT_TOOL_IN(in, lamp, "Comes in");
HAFT_ROUTE_IN(in, "GET", "/in", lamp, "Comes in");

static int out(haft_call *to, lamp *which)
{
    which->room = "outside";
    return haft_text(to, "gone");
}
HAFT_TOOL_OUT(out, lamp, "Goes out");
HAFT_ROUTE_OUT(out, "GET", "/out", lamp, "Goes out");

static void in_order(haft_refinement *refinement, const shelf *value)
{
    if (value->has_height && value->height > 3)
        haft_refinement_add_issue(refinement, "height", "too high to reach");
}
HAFT_REFINE(shelf, in_order);

const haft_type *types(int which);
const haft_type *types(int which)
{
    return which ? dim_tool.input : &shelf_type;
}

const haft_tool *tools(int which);
const haft_tool *tools(int which)
{
    return which == 0 ? &call_tool : which == 1 ? &in_tool : &out_tool;
}

const haft_route *routes(int which);
const haft_route *routes(int which)
{
    return which ? &in_route : &out_route;
}
