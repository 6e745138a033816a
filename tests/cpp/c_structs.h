/* c_structs.h - types in the fields of C, for both languages.  test_schema.cpp declares the likes of them in C++. */
#ifndef HAFT_TESTS_C_STRUCTS_H
#define HAFT_TESTS_C_STRUCTS_H

#include <haft/declare.h>
#include <signal.h>
#include <string.h>

#include "schema/members.h"

#ifdef __cplusplus
extern "C" {
#endif

HAFT_ENUMERATION(colour, red, green);

HAFT_STRUCT(scalars,
    HAFT_BOOLEAN(flag, "A flag"),
    HAFT_INTEGER(wide, "As wide as it gets"),
    HAFT_INTEGER(narrow, "Of 32 bits", .min = INT32_MIN, .max = INT32_MAX),
    HAFT_INTEGER(byte, "Of 8 bits", .min = 0, .max = 255),
    HAFT_INTEGER(level, "Percent", .min = 0, .max = 100, .multiple_of = 5),
    HAFT_NUMBER(ratio, "Between", .above = 0, .below = 1),
    HAFT_STRING(name, "A name", .min = 1, .max = 20, .pattern = "^[a-z]+$", .title = "Name"),
    HAFT_STRING(mail, "An address", .format = HAFT_FORMAT_EMAIL, .examples = "[\"a@b.c\"]"),
    HAFT_STRING(key, "A key", .starts = "k", .ends = "y", .includes = "e", .secret = true),
    HAFT_ENUM(tint, colour, "A colour", .deprecated = true),
    HAFT_BYTES(icon, "A picture"),
    HAFT_JSON(more, "Anything"));

HAFT_STRUCT(presences,
    HAFT_STRING(here, "Always"),
    HAFT_OPTIONAL(HAFT_STRING(maybe, "Perhaps")),
    HAFT_OPTIONAL(HAFT_INTEGER(count, "Perhaps", .min = 1)),
    HAFT_NULLABLE(HAFT_STRING(empty, "Or null")),
    HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_NUMBER(either, "Or null, or absent"))),
    HAFT_DEFAULT(HAFT_INTEGER(limit, "With a default"), 10),
    HAFT_DEFAULT(HAFT_STRING(zone, "With a default"), "UTC"),
    HAFT_DEFAULT(HAFT_BOOLEAN(loud, "With a default"), true),
    HAFT_DEFAULT(HAFT_NUMBER(speed, "With a default"), 1.5),
    HAFT_DEFAULT(HAFT_ENUM(tint, colour, "With a default"), colour_green),
    HAFT_DEFAULT(HAFT_ARRAY(tags, HAFT_STRING(tag, ""), "With a default"), "[\"a\"]"),
    HAFT_NAMED("wire-name", HAFT_STRING(other, "By another name")),
    HAFT_HEADER("Region", HAFT_STRING(region, "Also a header")));

HAFT_STRUCT(point, HAFT_NUMBER(x, "East"), HAFT_NUMBER(y, "North"));
HAFT_LIST(row, HAFT_INTEGER(cell, "", .max = 9), "", .max = 3);
HAFT_STRUCT(containers,
    HAFT_ARRAY(tags, HAFT_STRING(tag, "One", .min = 1), "Some", .min = 1, .max = 4, .unique = true),
    HAFT_ARRAY(way, HAFT_OBJECT(at, point, ""), "Points"),
    HAFT_ARRAY(matrix, HAFT_OBJECT(line, row, ""), "Rows"),
    HAFT_MAP(prices, HAFT_NUMBER(price, "One", .min = 0), "By currency", .max = 3, .keys = "^[A-Z]{3}$"),
    HAFT_OBJECT(centre, point, "The middle"),
    HAFT_OPTIONAL(HAFT_ARRAY(more, HAFT_OBJECT(at, point, ""), "Perhaps")));

HAFT_STRUCT(circle, HAFT_NUMBER(radius, "In metres", .above = 0));
HAFT_STRUCT(label, HAFT_STRING(text, "What it says"));
HAFT_CHOICE(shape, "kind", HAFT_CASE(circle, circle), HAFT_CASE(label, label));
HAFT_STRUCT(drawing, HAFT_UNION(what, shape, "What is drawn"));

HAFT_STRUCT(tree,
    HAFT_STRING(name, "Its name"),
    HAFT_ARRAY(below, HAFT_OBJECT(one, tree, ""), "Below it"),
    HAFT_OPTIONAL(HAFT_POINTER(beside, tree, "Beside it")));

HAFT_STRUCT(relaxed, HAFT_STRING(name, "Its name"));
HAFT_OPTIONS(relaxed, .extra = HAFT_EXTRA_IGNORE, .title = "Relaxed",
             .description = "Takes anything");

HAFT_STRUCT(base, HAFT_STRING(id, "What it is known by"));
HAFT_STRUCT(extended, HAFT_EXTENDS(base), HAFT_ARRAY(shapes, HAFT_UNION(one, shape, ""), "Some"),
    HAFT_OPTIONAL(HAFT_POINTER(point, point, "By the name of its type")));

static inline void has_id(haft_refinement *refinement, const base *value)
{
    if (!strcmp(value->id, "none"))
        haft_refinement_add_issue(refinement, "id", "must be one");
}
HAFT_REFINE(base, has_id);

/* Names that are macros, types without a tag, and members by the names of their types. */
HAFT_ENUMERATION(sig, SIGTERM, SIGINT);

typedef enum { RANGE_NEAR = 3, RANGE_FAR = -9 } range;
HAFT_ENUM_NAMES(range, HAFT_VALUE(RANGE_NEAR, "near"), HAFT_VALUE(RANGE_FAR, "far"));

typedef struct {
    char name[8];
    uint8_t level;
} spot;
HAFT_SCHEMA(spot, HAFT_STRING(name, "Its name"), HAFT_NAMED("SIGTERM", HAFT_INTEGER(level, "How much")));

HAFT_CHOICE(either, "is", HAFT_CASE(spot, spot), HAFT_CASE(point, point));

HAFT_STRUCT(written,
    HAFT_ENUM(sig, sig, "A signal"),
    HAFT_DEFAULT(HAFT_ENUM(range, range, "How far"), RANGE_FAR),
    HAFT_OBJECT(spot, spot, "Where"),
    HAFT_UNION(either, either, "One of them"),
    HAFT_FIXED(point, 2, HAFT_OBJECT(one, point, ""), "From and to"),
    HAFT_OPTIONAL(HAFT_FIXED(pair, 2, HAFT_INTEGER(one, "", .max = 9), "Two numbers")),
    HAFT_MAP(row, HAFT_OBJECT(one, row, ""), "By name"),
    HAFT_ARRAY(ranges, HAFT_ENUM(range, range, ""), "All of them"));

#ifdef __cplusplus
}
#endif
#endif
