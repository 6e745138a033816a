/* test_types.cpp - every type that a member may have: what is decoded into it, what it is encoded as, and what is
 * said of what does not fit. */
#include <haft.hpp>

#include <cmath>
#include <map>
#include <unordered_map>

#include "test.hpp"

namespace kinds
{

HAFT_ENUM_CLASS(order, name, price, (newest, "newest-first"));
enum legacy { LEGACY_LOW = -5, LEGACY_HIGH = 90 };
HAFT_ENUM_NAMES(legacy, (LEGACY_LOW, "low"), (LEGACY_HIGH, "high"));

HAFT_STRUCT(leaf, HAFT_FIELD(std::string, name, "A name", .max = 4));
HAFT_STRUCT(other, HAFT_FIELD(int, size, "A size"));

#define ONE(T, ...) HAFT_STRUCT(T, HAFT_FIELD(__VA_ARGS__))

ONE(of_bool, bool, x, "X");
ONE(of_int8, std::int8_t, x, "X");
ONE(of_uint8, std::uint8_t, x, "X");
ONE(of_short, short, x, "X");
ONE(of_ushort, unsigned short, x, "X");
ONE(of_int, int, x, "X");
ONE(of_unsigned, unsigned, x, "X");
ONE(of_long, long, x, "X");
ONE(of_uint64, std::uint64_t, x, "X");
ONE(of_wide_bound, int, x, "X", .max = INT64_MAX, .min = 3);
ONE(of_float, float, x, "X");
ONE(of_double, double, x, "X", .max = 8);
ONE(of_string, std::string, x, "X", .min = 1, .pattern = "^[^ ]*$");
ONE(of_order, order, x, "X");
ONE(of_legacy, legacy, x, "X");
ONE(of_bytes, std::vector<std::byte>, x, "X");
ONE(of_octets, std::vector<unsigned char>, x, "X");
ONE(of_json, haft::json, x, "X");
ONE(of_leaf, leaf, x, "X");
ONE(of_pointer, std::unique_ptr<leaf>, x, "X");
ONE(of_ints, std::vector<int>, x, "X", .max = 3, .items.min = 0);
ONE(of_bools, std::vector<bool>, x, "X");
ONE(of_leaves, std::vector<leaf>, x, "X");
ONE(of_orders, std::vector<order>, x, "X", .unique = true);
ONE(of_rows, std::vector<std::vector<std::string>>, x, "X", .items.min = 1);
ONE(of_cube, std::vector<std::vector<std::vector<int>>>, x, "X");
ONE(of_map, (std::map<std::string, int>), x, "X", .keys = "^[a-z]+$", .values.max = 9);
ONE(of_unordered, (std::unordered_map<std::string, std::string>), x, "X");
ONE(of_lists, (std::map<std::string, std::vector<leaf>>), x, "X");
ONE(of_tagged, (std::variant<leaf, other>), x, "X", .tag = "kind");
ONE(of_many_tagged, (std::vector<std::variant<leaf, other>>), x, "X", .items.tag = "kind");
ONE(of_union, (std::variant<int, std::string, std::vector<leaf>, std::map<std::string, int>>), x,
    "X");
ONE(of_structs, (std::variant<leaf, other>), x, "X");
ONE(of_unions, (std::vector<std::variant<bool, double, std::vector<unsigned char>>>), x, "X");
ONE(of_optional_union, (std::optional<std::variant<bool, std::vector<int>>>), x, "X");
ONE(of_optional, std::optional<int>, x, "X", .max = 5);
ONE(of_optional_list, std::optional<std::vector<leaf>>, x, "X");
ONE(of_optional_map, (std::optional<std::map<std::string, double>>), x, "X");
ONE(of_optional_tagged, (std::optional<std::variant<leaf, other>>), x, "X", .tag = "kind");
HAFT_STRUCT(of_nullable, HAFT_NULLABLE(HAFT_FIELD(std::optional<int>, x, "X")));
HAFT_STRUCT(of_nullish, HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_FIELD(std::optional<leaf>, x, "X"))));
HAFT_STRUCT(of_default, HAFT_DEFAULT(HAFT_FIELD(legacy, x, "X"), LEGACY_HIGH));
HAFT_STRUCT(of_default_list, HAFT_DEFAULT(HAFT_FIELD(std::vector<leaf>, x, "X"), "[{\"name\": \"a\"}]"));

} /* namespace kinds */

namespace
{

using namespace kinds;

/* Decodes and encodes again; the issues of what does not fit. */
template <class T> std::string there_and_back(const char *text)
{
    static const haft::schema_of<T> schema;

    try {
        return schema.encode(schema.decode(text));
    } catch (const haft::invalid &e) {
        return e.what();
    }
}

struct row {
    std::string (*run)(const char *text);
    const char *text;
    const char *expected; /* NULL: as it came */
};

const row rows[] = {
    {there_and_back<of_bool>, R"({"x":true})", nullptr},
    {there_and_back<of_bool>, R"({"x":1})", "x: Invalid input: expected boolean, received number"},
    {there_and_back<of_int8>, R"({"x":-128})", nullptr},
    {there_and_back<of_int8>, R"({"x":-129})", "x: Too small: expected number to be >=-128"},
    {there_and_back<of_uint8>, R"({"x":255})", nullptr},
    {there_and_back<of_uint8>, R"({"x":256})", "x: Too big: expected number to be <=255"},
    {there_and_back<of_uint8>, R"({"x":-1})", "x: Too small: expected number to be >=0"},
    {there_and_back<of_short>, R"({"x":-32768})", nullptr},
    {there_and_back<of_short>, R"({"x":32768})", "x: Too big: expected number to be <=32767"},
    {there_and_back<of_ushort>, R"({"x":65535})", nullptr},
    {there_and_back<of_ushort>, R"({"x":65536})", "x: Too big: expected number to be <=65535"},
    {there_and_back<of_int>, R"({"x":-2147483648})", nullptr},
    {there_and_back<of_int>, R"({"x":2147483648})",
     "x: Too big: expected number to be <=2147483647"},
    {there_and_back<of_int>, R"({"x":1.0})", R"({"x":1})"},
    {there_and_back<of_int>, R"({"x":1.5})", "x: Invalid input: expected int, received number"},
    {there_and_back<of_int>, R"({"x":"1"})", "x: Invalid input: expected number, received string"},
    {there_and_back<of_int>, R"({})", "x: Invalid input: expected number, received undefined"},
    {there_and_back<of_int>, R"({"x":1,"y":2})", R"(Unrecognized key: "y" (accepted: "x"))"},
    {there_and_back<of_unsigned>, R"({"x":4294967295})", nullptr},
    {there_and_back<of_unsigned>, R"({"x":4294967296})",
     "x: Too big: expected number to be <=4294967295"},
    {there_and_back<of_long>, R"({"x":-9223372036854775808})", nullptr},
    {there_and_back<of_uint64>, R"({"x":9223372036854775807})", nullptr},
    {there_and_back<of_uint64>, R"({"x":-1})", "x: Too small: expected number to be >=0"},
    {there_and_back<of_wide_bound>, R"({"x":3})", nullptr},
    {there_and_back<of_wide_bound>, R"({"x":2147483648})",
     "x: Too big: expected number to be <=2147483647"},
    {there_and_back<of_float>, R"({"x":1.5})", nullptr},
    {there_and_back<of_float>, R"({"x":1e39})",
     "x: Too big: expected number to be <=3.4028234663852886e+38"},
    {there_and_back<of_double>, R"({"x":-0.1})", nullptr},
    {there_and_back<of_double>, R"({"x":8.5})", "x: Too big: expected number to be <=8"},
    {there_and_back<of_string>, R"({"x":"h\u00e9 \" \\"})",
     "x: Invalid string: must match pattern /^[^ ]*$/"},
    {there_and_back<of_string>, R"({"x":"\u00e9\"\\\n"})", "{\"x\":\"\u00e9\\\"\\\\\\n\"}"},
    {there_and_back<of_string>, R"({"x":""})",
     "x: Too small: expected string to have >=1 characters"},
    {there_and_back<of_order>, R"({"x":"newest-first"})", nullptr},
    {there_and_back<of_order>, R"({"x":"newest"})",
     R"(x: Invalid option: expected one of "name"|"price"|"newest-first")"},
    {there_and_back<of_legacy>, R"({"x":"low"})", nullptr},
    {there_and_back<of_bytes>, R"({"x":"aGk="})", nullptr},
    {there_and_back<of_bytes>, R"({"x":""})", nullptr},
    {there_and_back<of_octets>, R"({"x":"AP8="})", nullptr},
    {there_and_back<of_octets>, R"({"x":"?"})", "x: Invalid base64-encoded string"},
    {there_and_back<of_json>, R"({"x":{"a":[1,null,"b"]}})", nullptr},
    {there_and_back<of_json>, R"({"x":null})", nullptr},
    {there_and_back<of_leaf>, R"({"x":{"name":"ab"}})", nullptr},
    {there_and_back<of_leaf>, R"({"x":{"name":"abcde"}})",
     "x.name: Too big: expected string to have <=4 characters"},
    {there_and_back<of_pointer>, R"({"x":{"name":"ab"}})", nullptr},
    {there_and_back<of_pointer>, R"({})", nullptr},
    {there_and_back<of_ints>, R"({"x":[]})", nullptr},
    {there_and_back<of_ints>, R"({"x":[1,2,3]})", nullptr},
    {there_and_back<of_ints>, R"({"x":[1,-2]})", "x.1: Too small: expected number to be >=0"},
    {there_and_back<of_ints>, R"({"x":[1,2,3,4]})", "x: Too big: expected array to have <=3 items"},
    {there_and_back<of_bools>, R"({"x":[true,false,true]})", nullptr},
    {there_and_back<of_leaves>, R"({"x":[{"name":"a"},{"name":"b"}]})", nullptr},
    {there_and_back<of_leaves>, R"({"x":[{"name":"a"},{}]})",
     "x.1.name: Invalid input: expected string, received undefined"},
    {there_and_back<of_orders>, R"({"x":["name","price"]})", nullptr},
    {there_and_back<of_rows>, R"({"x":[["a"],["b","c"]]})", nullptr},
    {there_and_back<of_rows>, R"({"x":[["a"],[]]})",
     "x.1: Too small: expected array to have >=1 items"},
    {there_and_back<of_cube>, R"({"x":[[[1],[2,3]],[]]})", nullptr},
    {there_and_back<of_map>, R"({"x":{"a":1,"b":9}})", nullptr},
    {there_and_back<of_map>, R"({"x":{"a":10}})", "x.a: Too big: expected number to be <=9"},
    {there_and_back<of_map>, R"({"x":{"A":1}})", "x.A: Invalid key in record"},
    {there_and_back<of_unordered>, R"({"x":{"a":"b"}})", nullptr},
    {there_and_back<of_lists>, R"({"x":{"a":[{"name":"b"}],"c":[]}})", nullptr},
    {there_and_back<of_tagged>, R"({"x":{"kind":"other","size":4}})", nullptr},
    {there_and_back<of_tagged>, R"({"x":{"kind":"leaf","name":"a"}})", nullptr},
    {there_and_back<of_tagged>, R"({"x":{"kind":"tree"}})",
     "x.kind: Invalid discriminator value. Expected 'leaf' | 'other'"},
    {there_and_back<of_many_tagged>,
     R"({"x":[{"kind":"other","size":4},{"kind":"leaf","name":"a"}]})", nullptr},
    {there_and_back<of_union>, R"({"x":5})", nullptr},
    {there_and_back<of_union>, R"({"x":"five"})", nullptr},
    {there_and_back<of_union>, R"({"x":[{"name":"a"}]})", nullptr},
    {there_and_back<of_union>, R"({"x":{"a":1}})", nullptr},
    {there_and_back<of_union>, R"({"x":true})",
     "x: Invalid input: expected number or string or array or record, received boolean"},
    {there_and_back<of_union>, R"({"x":[{"name":"abcde"}]})",
     "x.0.name: Too big: expected string to have <=4 characters"},
    {there_and_back<of_structs>, R"({"x":{"size":4}})", nullptr},
    {there_and_back<of_structs>, R"({"x":{"name":"a"}})", nullptr},
    {there_and_back<of_unions>, R"({"x":[true,0.5,"aGk=",false]})", nullptr},
    {there_and_back<of_optional_union>, R"({"x":[1,2]})", nullptr},
    {there_and_back<of_optional_union>, R"({})", nullptr},
    {there_and_back<of_optional>, R"({})", nullptr},
    {there_and_back<of_optional>, R"({"x":5})", nullptr},
    {there_and_back<of_optional>, R"({"x":6})", "x: Too big: expected number to be <=5"},
    {there_and_back<of_optional>, R"({"x":null})",
     "x: Invalid input: expected number, received null"},
    {there_and_back<of_optional_list>, R"({"x":[{"name":"a"}]})", nullptr},
    {there_and_back<of_optional_list>, R"({})", nullptr},
    {there_and_back<of_optional_map>, R"({"x":{"a":0.5}})", nullptr},
    {there_and_back<of_optional_map>, R"({})", nullptr},
    {there_and_back<of_optional_tagged>, R"({"x":{"kind":"other","size":4}})", nullptr},
    {there_and_back<of_optional_tagged>, R"({})", nullptr},
    {there_and_back<of_nullable>, R"({"x":null})", nullptr},
    {there_and_back<of_nullable>, R"({"x":3})", nullptr},
    {there_and_back<of_nullable>, R"({})", "x: Invalid input: expected number, received undefined"},
    {there_and_back<of_nullish>, R"({"x":null})", R"({})"},
    {there_and_back<of_nullish>, R"({"x":{"name":"a"}})", nullptr},
    {there_and_back<of_nullish>, R"({})", nullptr},
    {there_and_back<of_default>, R"({})", R"({"x":"high"})"},
    {there_and_back<of_default>, R"({"x":"low"})", nullptr},
    {there_and_back<of_default_list>, R"({})", R"({"x":[{"name":"a"}]})"},
    {there_and_back<of_default_list>, R"({"x":[]})", nullptr},
};

void test_rows()
{
    int failed = 0;

    for (const row &one : rows) {
        std::string got = one.run(one.text), expected = one.expected ? one.expected : one.text;

        if (got != expected) {
            print_error("%s\n  gives    %s\n  expected %s\n", one.text, got.c_str(),
                        expected.c_str());
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

/* What a program may put into a value, and no client can. */
void test_encode()
{
    equal_text(text_of<haft::invalid>([] { haft::schema_of<of_order>().encode({order{77}}); }),
               R"(x: Invalid option: expected one of "name"|"price"|"newest-first")");
    equal_text(text_of<std::invalid_argument>(
                   [] { haft::schema_of<of_string>().encode({std::string("a\0b", 3)}); }),
               "a string contains U+0000");
    equal_text(text_of<haft::invalid>([] { haft::schema_of<of_string>().encode({"\xff"}); }),
               "x: Invalid string: not valid UTF-8");
    equal_text(
        text_of<std::out_of_range>([] { haft::schema_of<of_uint64>().encode({UINT64_MAX}); }),
        "an integer is above 9223372036854775807");
    equal_text(text_of<haft::invalid>([] { haft::schema_of<of_float>().encode({NAN}); }),
               "x: Invalid input: expected number, received NaN");
    equal_text(text_of<std::invalid_argument>([] { haft::schema_of<of_json>().encode({{"{"}}); }),
               "unexpected end of data at byte 1");
    equal_text(text_of<haft::invalid>([] {
                   haft::schema_of<of_orders>().encode({{order::name, order::name}});
               }),
               "x: Invalid input: items must be unique");
    equal_text(haft::schema_of<of_nullish>().encode({leaf{"a"}}), R"({"x":{"name":"a"}})");
}

/* What is decoded is what it says. */
void test_decode()
{
    auto tagged = haft::schema_of<of_tagged>().decode(R"({"x":{"kind":"other","size":4}})");
    auto bytes = haft::schema_of<of_bytes>().decode(R"({"x":"aGk="})");
    auto map = haft::schema_of<of_map>().decode(R"({"x":{"a":1,"b":2}})");
    auto rows_ = haft::schema_of<of_rows>().decode(R"({"x":[["a"],["b","c"]]})");

    assert_int_equal(std::get<other>(tagged.x).size, 4);
    assert_int_equal(bytes.x.size(), 2);
    assert_true(bytes.x[1] == std::byte{'i'});
    assert_int_equal(map.x.at("b"), 2);
    equal_text(rows_.x[1][1], "c");
    assert_int_equal(haft::schema_of<of_legacy>().decode(R"({"x":"high"})").x, 90);
    assert_false(haft::schema_of<of_nullable>().decode(R"({"x":null})").x.has_value());
    assert_int_equal(haft::schema_of<of_nullable>().decode(R"({"x":8})").x.value(), 8);
}

/* Text that is not JSON, and too deep. */
void test_text()
{
    haft::schema_of<of_json> schema;
    std::string deep = R"({"x":)" + std::string(100, '[') + std::string(100, ']') + "}";

    assert_int_equal(text_of<haft::invalid>([&] { schema.decode("{"); }).find("Invalid JSON"), 0);
    try {
        schema.decode(deep);
        fail();
    } catch (const haft::error &e) {
        assert_int_equal(e.code(), HAFT_EDEPTH);
    }
}

} /* namespace */

int main()
{
    const CMUnitTest tests[] = {
        CPP_TEST(test_rows),
        CPP_TEST(test_encode),
        CPP_TEST(test_decode),
        CPP_TEST(test_text),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
