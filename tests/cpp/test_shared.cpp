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
    equals_c<written>("written");
    equals_c<member_all>("member_all");
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

/* Structs and enums that existed already, with members that are narrower than those of HAFT_STRUCT. */
void test_members()
{
    haft::server server("test", "1.0.0");
    const char *all =
        R"({"i8":-128,"u8":255,"i16":-2,"u16":2,"i32":-3,"u32":3,"i64":-4,"u64":4,"s":-5,"i":5,"u":6,)"
        R"("l":-7,"ull":7,"size":8,"ratio":0.5,"wide":0.2,"yes":true,"name":"lamp","note":"elsewhere",)"
        R"("at":{"x":1.5,"y":-2},"fixed":[1,-2,3],"some":[254,255],"far":[-32768,0],"words":["ab","cde"],)"
        R"("spots":[{"x":1,"y":2},{"x":3,"y":4}],"region":"us-west-2","level":"high","limit":9,"tag":null})";
    const char *names =
        R"({"sig":"SIGINT","range":"near","spot":{"name":"here","SIGTERM":200},)"
        R"("either":{"is":"point","x":1,"y":2},"point":[{"x":1,"y":2},{"x":3,"y":4}],"pair":[8,9],)"
        R"("row":{"a":[1,2]},"ranges":["far","near"]})";

    server.tool("all", "Gives it back", [](const member_all &in) {
        assert_int_equal(in.i8, -128);
        assert_int_equal(in.u8, 255);
        assert_string_equal(in.name, "lamp");
        assert_string_equal(in.words[1], "cde");
        assert_int_equal(in.some[1], 255);
        assert_int_equal(in.far[0], -32768);
        assert_true(in.region == MEMBER_WEST && in.level == 200 && in.null_tag);
        return in;
    });
    server.tool("written", "Gives it back", [](const written &in) {
        assert_true(in.sig == sig_SIGINT && in.ranges[0] == RANGE_FAR);
        assert_int_equal(in.spot.level, 200);
        assert_int_equal(in.pair[1], 9);
        return in;
    });

    haft::client client(server);
    equal_text(client.call("all", all).structured, all);
    equal_text(client.call("written", names).structured, names);
    equal_text(
        client
            .call("written",
                  R"({"sig":"15","spot":{"name":"12345678","SIGTERM":256},)"
                  R"("either":{"is":"point","x":1,"y":2},"point":[],"row":{},"ranges":[]})")
            .text,
        "Input validation error: Invalid arguments for tool written: sig: Invalid option: expected one of "
        R"("SIGTERM"|"SIGINT", spot.name: Too big: expected string to have <=7 characters, spot.SIGTERM: )"
        "Too big: expected number to be <=255, point: Too small: expected array to have >=2 items");
}

} /* namespace */

int main()
{
    const CMUnitTest tests[] = {CPP_TEST(test_equal), CPP_TEST(test_tools), CPP_TEST(test_members)};

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
