/* test_shared.cpp - a header in the fields of C, in C++: the same structs, the same schemas, and tools that take them. */
#include "c_structs.h"

#include <haft.hpp>

#include "c_types.h"
#include "test.hpp"

namespace
{

std::string json_of(const haft_type *type)
{
    haft_schema *schema = nullptr;
    haft::detail::buffer text;

    assert_int_equal(haft_schema_compile(type, nullptr, &schema, nullptr), 0);
    assert_int_equal(haft_schema_emit(schema, nullptr, text.get()), 0);
    haft_schema_free(schema);
    return text.text();
}

template <class T> void equals_c(const char *name)
{
    for (const c_type *one = c_types; one->name; one++) {
        if (std::string(one->name) == name) {
            assert_int_equal(one->type->size, sizeof(T));
            equal_text(haft::schema_of<T>().json(), json_of(one->type));
            equal_text(json_of(&haft::type_of<T>()), json_of(one->type));
            return;
        }
    }
    fail_msg("C has no %s", name);
}

void test_equal()
{
    equals_c<scalars>("scalars");
    equals_c<presences>("presences");
    equals_c<containers>("containers");
    equals_c<drawing>("drawing");
    equals_c<tree>("tree");
    equals_c<relaxed>("relaxed");
    equals_c<extended>("extended");
}

/* ---- tools ---- */

extended around(const extended &in)
{
    extended out = in;

    out.n_shapes = in.n_shapes ? 1 : 0;
    return out;
}

HAFT_STRUCT(pair, HAFT_FIELD(point, from, "A struct of C"), HAFT_FIELD(std::string, name, "A string of C++"));

void test_tools()
{
    haft::server server("test", "1.0.0");
    const char *good =
        R"({"id":"a","shapes":[{"kind":"label","text":"x"},{"kind":"circle","radius":2}],"point":{"x":1,"y":2}})";

    server.tool("around", "Gives it back", around);
    server.tool("tags", "Counts", [](const presences &in) {
        return std::to_string(in.n_tags) + (in.has_maybe ? in.maybe : "-") +
               (in.null_empty ? "null" : in.empty) + std::to_string(in.limit) +
               (in.tint == colour_green ? "green" : "red");
    });
    server.tool("mixed", "Has both", [](const pair &in) {
        return pair{{in.from.y, in.from.x}, in.name + "!"};
    });

    haft::client client(server);
    equal_text(client.call("around", good).structured,
               R"({"id":"a","shapes":[{"kind":"label","text":"x"}],"point":{"x":1,"y":2}})");
    equal_text(client.call("around", R"({"id":"none","shapes":[]})").text,
               "Input validation error: Invalid arguments for tool around: id: must be one");
    equal_text(
        client.call("tags", R"({"here":"h","empty":null,"wire-name":"o","region":"r"})").text,
        "1-null10green");
    equal_text(client.call("mixed", R"({"from":{"x":1,"y":2},"name":"n"})").structured,
               R"({"from":{"x":2,"y":1},"name":"n!"})");
}

} /* namespace */

int main()
{
    const CMUnitTest tests[] = {CPP_TEST(test_equal), CPP_TEST(test_tools)};

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
