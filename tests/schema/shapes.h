/* shapes.h - declared types for the tests: every row of the member table of haft/declare.h. */
#ifndef HAFT_TESTS_SHAPES_H
#define HAFT_TESTS_SHAPES_H

#include <haft/declare.h>

HAFT_ENUMERATION(colour, red, green, blue);

HAFT_STRUCT(point,
    HAFT_NUMBER(x, "To the right", .min = -100, .max = 100),
    HAFT_NUMBER(y, "Upwards"));

HAFT_STRUCT(circle,
    HAFT_NUMBER(radius, "In metres", .above = 0));

HAFT_STRUCT(label,
    HAFT_STRING(text, "What it says", .min = 1, .max = 5));

HAFT_CHOICE(figure, "kind",
    HAFT_CASE(circle, circle),
    HAFT_CASE(label, label));

HAFT_LIST(row, HAFT_INTEGER(cell, "A number"), "Some numbers", .max = 3);
HAFT_LIST(grid, HAFT_OBJECT(line, row, "A row"), "Rows of numbers");

HAFT_STRUCT(everything,
    HAFT_BOOLEAN(flag, "Yes or no"),
    HAFT_INTEGER(count, "How many"),
    HAFT_NUMBER(ratio, "How much"),
    HAFT_STRING(name, "What it is called"),
    HAFT_BYTES(blob, "Some bytes"),
    HAFT_ENUM(paint, colour, "Its colour"),
    HAFT_OBJECT(at, point, "Where it is"),
    HAFT_UNION(shape, figure, "What it looks like"),
    HAFT_POINTER(link, point, "Where it points"),
    HAFT_ARRAY(names, HAFT_STRING(one, "A name"), "Other names"),
    HAFT_ARRAY(path, HAFT_OBJECT(step, point, "A step"), "The way there"),
    HAFT_MAP(limits, HAFT_INTEGER(limit, "A limit"), "Limits by name"),
    HAFT_OBJECT(table, grid, "A table"),
    HAFT_JSON(any, "Anything"));

/* The same, each of them optional. */
HAFT_STRUCT(maybe,
    HAFT_OPTIONAL(HAFT_BOOLEAN(flag, "Yes or no")),
    HAFT_OPTIONAL(HAFT_INTEGER(count, "How many")),
    HAFT_OPTIONAL(HAFT_NUMBER(ratio, "How much")),
    HAFT_OPTIONAL(HAFT_STRING(name, "What it is called")),
    HAFT_OPTIONAL(HAFT_BYTES(blob, "Some bytes")),
    HAFT_OPTIONAL(HAFT_ENUM(paint, colour, "Its colour")),
    HAFT_OPTIONAL(HAFT_OBJECT(at, point, "Where it is")),
    HAFT_OPTIONAL(HAFT_UNION(shape, figure, "What it looks like")),
    HAFT_OPTIONAL(HAFT_POINTER(link, point, "Where it points")),
    HAFT_OPTIONAL(HAFT_ARRAY(names, HAFT_STRING(one, "A name"), "Other names")),
    HAFT_OPTIONAL(HAFT_MAP(limits, HAFT_INTEGER(limit, "A limit"), "Limits by name")),
    HAFT_OPTIONAL(HAFT_OBJECT(table, grid, "A table")),
    HAFT_OPTIONAL(HAFT_JSON(any, "Anything")));

/* The same, each of them nullable. */
HAFT_STRUCT(blank,
    HAFT_NULLABLE(HAFT_BOOLEAN(flag, "Yes or no")),
    HAFT_NULLABLE(HAFT_INTEGER(count, "How many")),
    HAFT_NULLABLE(HAFT_NUMBER(ratio, "How much")),
    HAFT_NULLABLE(HAFT_STRING(name, "What it is called")),
    HAFT_NULLABLE(HAFT_BYTES(blob, "Some bytes")),
    HAFT_NULLABLE(HAFT_ENUM(paint, colour, "Its colour")),
    HAFT_NULLABLE(HAFT_OBJECT(at, point, "Where it is")),
    HAFT_NULLABLE(HAFT_UNION(shape, figure, "What it looks like")),
    HAFT_NULLABLE(HAFT_POINTER(link, point, "Where it points")),
    HAFT_NULLABLE(HAFT_ARRAY(names, HAFT_STRING(one, "A name"), "Other names")),
    HAFT_NULLABLE(HAFT_MAP(limits, HAFT_INTEGER(limit, "A limit"), "Limits by name")),
    HAFT_NULLABLE(HAFT_OBJECT(table, grid, "A table")),
    HAFT_NULLABLE(HAFT_JSON(any, "Anything")));

/* The same, each of them with a default. */
HAFT_STRUCT(settled,
    HAFT_DEFAULT(HAFT_BOOLEAN(flag, "Yes or no"), true),
    HAFT_DEFAULT(HAFT_INTEGER(count, "How many", .min = 1), 7),
    HAFT_DEFAULT(HAFT_NUMBER(ratio, "How much"), 0.25),
    HAFT_DEFAULT(HAFT_STRING(name, "What it is called"), "none"),
    HAFT_DEFAULT(HAFT_BYTES(blob, "Some bytes"), "\"aGk=\""),
    HAFT_DEFAULT(HAFT_ENUM(paint, colour, "Its colour"), colour_blue),
    HAFT_DEFAULT(HAFT_OBJECT(at, point, "Where it is"), "{\"x\":1,\"y\":2}"),
    HAFT_DEFAULT(HAFT_UNION(shape, figure, "What it looks like"),
                 "{\"kind\":\"label\",\"text\":\"hi\"}"),
    HAFT_DEFAULT(HAFT_POINTER(link, point, "Where it points"), "{\"x\":3,\"y\":4}"),
    HAFT_DEFAULT(HAFT_ARRAY(names, HAFT_STRING(one, "A name"), "Other names"), "[\"a\",\"b\"]"),
    HAFT_DEFAULT(HAFT_MAP(limits, HAFT_INTEGER(limit, "A limit"), "Limits by name"), "{\"k\":1}"),
    HAFT_DEFAULT(HAFT_OBJECT(table, grid, "A table"), "[[1],[]]"),
    HAFT_DEFAULT(HAFT_JSON(any, "Anything"), "[null]"));

/* A struct that contains itself, by an array and by a pointer. */
HAFT_STRUCT(tree,
    HAFT_STRING(name, "Its name"),
    HAFT_OPTIONAL(HAFT_POINTER(next, tree, "The one after it")),
    HAFT_OPTIONAL(HAFT_ARRAY(children, HAFT_POINTER(child, tree, "One below"), "Those below it")));

/* Two that contain each other. */
HAFT_FORWARD(person);
HAFT_STRUCT(company,
    HAFT_STRING(name, "Its name"),
    HAFT_OPTIONAL(HAFT_POINTER(owner, person, "Whose it is")));
HAFT_STRUCT(person,
    HAFT_STRING(name, "Their name"),
    HAFT_OPTIONAL(HAFT_POINTER(firm, company, "Where they work")));

/* A list and a choice that contain themselves. */
HAFT_FORWARD(nest);
HAFT_LIST(nest, HAFT_POINTER(inner, nest, "A nest inside"), "Nests");

HAFT_FORWARD(expression);
HAFT_STRUCT(literal, HAFT_NUMBER(value, "The number"));
HAFT_STRUCT(sum,
    HAFT_POINTER(left, expression, "What is added to"),
    HAFT_POINTER(right, expression, "What is added"));
HAFT_CHOICE(expression, "op",
    HAFT_CASE(literal, literal),
    HAFT_CASE(sum, sum));

/* Two levels of extension. */
HAFT_STRUCT(being, HAFT_INTEGER(id, "Its number", .min = 1));
HAFT_STRUCT(animal, HAFT_EXTENDS(being), HAFT_STRING(sound, "What it says"));
HAFT_STRUCT(cat, HAFT_EXTENDS(animal), HAFT_DEFAULT(HAFT_BOOLEAN(tame, "Used to people"), true));

/* Each rule of each kind. */
HAFT_STRUCT(ruled,
    HAFT_OPTIONAL(HAFT_INTEGER(whole, "An integer", .min = 2, .max = 10, .multiple_of = 2)),
    HAFT_OPTIONAL(HAFT_INTEGER(between, "Another", .above = 2, .below = 10)),
    HAFT_OPTIONAL(HAFT_NUMBER(real, "A number", .min = 0.5, .max = 2.5, .multiple_of = 0.5)),
    HAFT_OPTIONAL(HAFT_NUMBER(within, "Another", .above = 0, .below = 1)),
    HAFT_OPTIONAL(HAFT_STRING(sized, "A short one", .min = 2, .max = 3)),
    HAFT_OPTIONAL(HAFT_STRING(patterned, "Letters", .pattern = "^[a-z]+$")),
    HAFT_OPTIONAL(HAFT_STRING(mail, "An address", .format = HAFT_FORMAT_EMAIL)),
    HAFT_OPTIONAL(HAFT_STRING(parted, "Parts", .starts = "a", .ends = "z", .includes = "-")),
    HAFT_OPTIONAL(HAFT_ARRAY(list, HAFT_INTEGER(one, "One"), "Some", .min = 1, .max = 2)),
    HAFT_OPTIONAL(HAFT_ARRAY(set, HAFT_INTEGER(one, "One", .max = 9), "Some", .unique = true)),
    HAFT_OPTIONAL(HAFT_MAP(map, HAFT_INTEGER(one, "One"), "Some", .min = 1, .max = 2,
                           .keys = "^[a-z]+$")));

/* A struct with a check across its fields. */
HAFT_STRUCT(range,
    HAFT_INTEGER(low, "From", .min = 0),
    HAFT_INTEGER(high, "To"));

static inline void check_range(haft_refinement *refinement, const range *value)
{
    if (value->low > value->high)
        haft_refinement_add_issue(refinement, "high", "must not be below %d", (int)value->low);
}
HAFT_REFINE(range, check_range);

/* One that lets keys pass, and has words of its own. */
HAFT_STRUCT(open_minded, HAFT_OPTIONAL(HAFT_STRING(name, "Its name")));
HAFT_OPTIONS(open_minded, .extra = HAFT_EXTRA_IGNORE, .title = "Open", .description = "Takes more");

/* Words, names and numbers that must not be changed on the way. */
HAFT_STRUCT(wordy,
    HAFT_STRING(s, "A \"text\"\nof two lines", .title = "T", .examples = "[\"a\"]",
                .deprecated = true),
    HAFT_OPTIONAL(HAFT_HEADER("Region", HAFT_NAMED("a-b", HAFT_STRING(ab, "Named")))),
    HAFT_OPTIONAL(HAFT_INTEGER(i, "Exact", .min = -9223372036854775807,
                               .max = 9223372036854775806)),
    HAFT_OPTIONAL(HAFT_MAP(extra, HAFT_JSON(any, "Anything"), "More")));

/* Types that stand in one another more than once. */
HAFT_STRUCT(journey,
    HAFT_OBJECT(a, point, "First"),
    HAFT_NULLABLE(HAFT_OBJECT(b, point, "Second")),
    HAFT_DEFAULT(HAFT_OBJECT(c, point, "Third"), "{\"x\":1,\"y\":2}"),
    HAFT_ARRAY(more, HAFT_OBJECT(one, point, "One"), "Others"));

HAFT_STRUCT(holder,
    HAFT_OBJECT(t, tree, "A tree"),
    HAFT_NULLABLE(HAFT_POINTER(p, person, "A person")));

#endif
