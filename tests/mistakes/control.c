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

static void in_order(haft_refinement *refinement, const shelf *value)
{
    if (value->has_height && value->height > 3)
        haft_refine_issue(refinement, "height", "too high to reach");
}
HAFT_REFINE(shelf, in_order);

const haft_type *types(int which);
const haft_type *types(int which)
{
    return which ? dim_tool.input : &shelf_type;
}
