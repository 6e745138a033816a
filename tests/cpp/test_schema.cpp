/* test_schema.cpp - what is declared in C++ is advertised as what is declared in C. */
#include <haft.hpp>

#include <map>

#include "c_types.h"
#include "test.hpp"

namespace
{

HAFT_ENUM_CLASS(colour, red, green);

HAFT_STRUCT(scalars,
    HAFT_FIELD(bool, flag, "A flag"),
    HAFT_FIELD(std::int64_t, wide, "As wide as it gets"),
    HAFT_FIELD(int, narrow, "Of 32 bits"),
    HAFT_FIELD(std::uint8_t, byte, "Of 8 bits"),
    HAFT_FIELD(unsigned, level, "Percent", .multiple_of = 5, .max = 100),
    HAFT_FIELD(double, ratio, "Between", .below = 1, .above = 0),
    HAFT_FIELD(std::string, name, "A name", .title = "Name", .min = 1, .max = 20, .pattern = "^[a-z]+$"),
    HAFT_FIELD(std::string_view, mail, "An address", .format = HAFT_FORMAT_EMAIL, .examples = "[\"a@b.c\"]"),
    HAFT_FIELD(const char *, key, "A key", .starts = "k", .ends = "y", .includes = "e", .secret = true),
    HAFT_FIELD(colour, tint, "A colour", .deprecated = true),
    HAFT_FIELD(std::vector<unsigned char>, icon, "A picture"),
    HAFT_FIELD(haft::json, more, "Anything"));

HAFT_STRUCT(presences,
    HAFT_FIELD(std::string, here, "Always"),
    HAFT_FIELD(std::optional<std::string>, maybe, "Perhaps"),
    HAFT_FIELD(std::optional<std::int64_t>, count, "Perhaps", .min = 1),
    HAFT_NULLABLE(HAFT_FIELD(std::optional<std::string>, empty, "Or null")),
    HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_FIELD(std::optional<double>, either, "Or null, or absent"))),
    HAFT_DEFAULT(HAFT_FIELD(std::int64_t, limit, "With a default"), 10),
    HAFT_DEFAULT(HAFT_FIELD(std::string, zone, "With a default"), "UTC"),
    HAFT_DEFAULT(HAFT_FIELD(bool, loud, "With a default"), true),
    HAFT_DEFAULT(HAFT_FIELD(double, speed, "With a default"), 1.5),
    HAFT_DEFAULT(HAFT_FIELD(colour, tint, "With a default"), colour::green),
    HAFT_DEFAULT(HAFT_FIELD(std::vector<std::string>, tags, "With a default"), "[\"a\"]"),
    HAFT_NAMED("wire-name", HAFT_FIELD(std::string, other, "By another name")),
    HAFT_HEADER("Region", HAFT_FIELD(std::string, region, "Also a header")));

HAFT_STRUCT(point, HAFT_FIELD(double, x, "East"), HAFT_FIELD(double, y, "North"));
HAFT_STRUCT(containers,
    HAFT_FIELD(std::vector<std::string>, tags, "Some", .min = 1, .max = 4, .unique = true, .items.min = 1,
               .items.description = "One"),
    HAFT_FIELD(std::vector<point>, way, "Points"),
    HAFT_FIELD(std::vector<std::vector<std::int64_t>>, matrix, "Rows", .items.max = 3, .items.items.max = 9),
    HAFT_FIELD((std::map<std::string, double>), prices, "By currency", .max = 3, .keys = "^[A-Z]{3}$",
               .values.min = 0, .values.description = "One"),
    HAFT_FIELD(point, centre, "The middle"),
    HAFT_FIELD(std::optional<std::vector<point>>, more, "Perhaps"));

HAFT_STRUCT(circle, HAFT_FIELD(double, radius, "In metres", .above = 0));
HAFT_STRUCT(label, HAFT_FIELD(std::string, text, "What it says"));
HAFT_STRUCT(drawing, HAFT_FIELD((std::variant<circle, label>), what, "What is drawn", .tag = "kind"));

HAFT_STRUCT(tree,
    HAFT_FIELD(std::string, name, "Its name"),
    HAFT_FIELD(std::vector<tree>, below, "Below it"),
    HAFT_FIELD(std::unique_ptr<tree>, beside, "Beside it"));

/* One that exists already. */
struct relaxed {
    std::string name = "nobody";
};
HAFT_SCHEMA(relaxed, HAFT_MEMBER(name, "Its name"));
HAFT_OPTIONS(relaxed, .title = "Relaxed", .description = "Takes anything",
             .extra = HAFT_EXTRA_IGNORE);

std::string c_schema(const std::string &name, const haft_emit_options *options)
{
    for (const c_type *one = c_types; one->name; one++) {
        haft_schema *schema = nullptr;
        haft::detail::buffer text;

        if (name != one->name)
            continue;
        assert_int_equal(haft_schema_compile(one->type, nullptr, &schema, nullptr), 0);
        assert_int_equal(haft_schema_emit(schema, options, text.get()), 0);
        haft_schema_free(schema);
        return text.text();
    }
    return "there is none in C";
}

template <class T> void equals_c(const char *name)
{
    haft::options<haft_emit_options> draft, defs;

    draft.dialect = HAFT_DRAFT_07;
    draft.with_dialect = true;
    defs.use_defs = true;
    equal_text(haft::schema_of<T>().json(), c_schema(name, nullptr));
    equal_text(haft::schema_of<T>().json(&draft), c_schema(name, &draft));
    if (std::string(name) != "containers" &&
        std::string(name) != "drawing") /* whose lists have names in C */
        equal_text(haft::schema_of<T>().json(&defs), c_schema(name, &defs));
}

void test_equal()
{
    equals_c<scalars>("scalars");
    equals_c<presences>("presences");
    equals_c<containers>("containers");
    equals_c<drawing>("drawing");
    equals_c<tree>("tree");
    equals_c<relaxed>("relaxed");
}

void test_table()
{
    equal_text(haft::schema_of<point>().table(), "FIELD  TYPE    RULES  DESCRIPTION\n"
                                                 "x      number         East\n"
                                                 "y      number         North\n");
}

/* ---- rules that are wrong are found when the schema is made ---- */

HAFT_STRUCT(bad_pattern, HAFT_FIELD(std::string, name, "A name", .pattern = "("));
HAFT_STRUCT(bad_default, HAFT_DEFAULT(HAFT_FIELD(std::vector<int>, list, "A list"), "[1,"));
HAFT_STRUCT(bad_name, HAFT_FIELD(int, a, "One"), HAFT_NAMED("a", HAFT_FIELD(int, b, "Another")));

template <class T> std::string refused()
{
    return text_of<haft::error>([] { haft::schema_of<T> schema; });
}

void test_wrong()
{
    assert_int_equal(refused<bad_pattern>().find("name: "), 0);
    assert_int_equal(refused<bad_default>().find("list: "), 0);
    equal_text(refused<bad_name>(), "a: two fields have this name");
}

/* ---- documents, and ownership ---- */

void test_document()
{
    haft::schema schema(R"({"type": "integer", "minimum": 3})");
    haft::schema moved = std::move(schema);
    auto issues = moved.validate("2");

    assert_true(moved.validate("4").empty());
    assert_int_equal(issues.size(), 1);
    equal_text(issues[0].path, "");
    equal_text(issues[0].message, "Too small: expected number to be >=3");
    assert_int_equal(issues[0].code, HAFT_TOO_SMALL);
    equal_text(moved.json(), R"({"type": "integer", "minimum": 3})");
    equal_text(text_of<haft::error>([] { haft::schema wrong(R"({"type": "text"})"); }).substr(0, 8),
               "#/type: ");
    assert_false(std::is_copy_constructible_v<haft::schema>);
}

/* ---- refinements ---- */

HAFT_STRUCT(span, HAFT_FIELD(int, from, "First"), HAFT_FIELD(int, to, "Last"));

void in_order(haft::refinement &r, const span &value)
{
    if (value.to == 99)
        throw std::runtime_error("not for clients");
    if (value.to < value.from)
        r.issue("to", "must not be before " + std::to_string(value.from));
}
HAFT_REFINE(span, in_order);

HAFT_STRUCT(spans, HAFT_FIELD(std::vector<span>, list, "Some"));

void test_refine()
{
    haft::schema_of<spans> schema;

    assert_int_equal(schema.decode(R"({"list":[{"from":1,"to":2}]})").list[0].to, 2);
    equal_text(text_of<haft::invalid>([&] { schema.decode(R"({"list":[{"from":3,"to":2}]})"); }),
               "list.0.to: must not be before 3");
    equal_text(text_of<haft::invalid>([&] {
                   schema.encode({{{3, 2}}});
               }),
               "list.0.to: must not be before 3");
    equal_text(text_of<haft::invalid>([&] { schema.decode(R"({"list":[{"from":3,"to":99}]})"); }),
               "list.0: The value could not be checked");
}

} /* namespace */

int main()
{
    const CMUnitTest tests[] = {
        CPP_TEST(test_equal),    CPP_TEST(test_table),  CPP_TEST(test_wrong),
        CPP_TEST(test_document), CPP_TEST(test_refine),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
