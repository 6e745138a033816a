/* test_names.c - names go on the wire as they are written, also those that are macros. */
#include <haft.h>
#include <signal.h>
#include <stdio.h>

#include "reading.h"

/* What the headers of systems have: a number, another name, a member of a member, itself, a function. */
#define WNAMES_NUMBER 15
#define open open64
#define seconds time.sec
#define level level
#define major(x) ((x) >> 8)

HAFT_ENUMERATION(names_signal, SIGTERM, WNAMES_NUMBER, open, stdin, major, int);

struct names_clock {
    struct {
        int64_t sec;
    } time;
    int64_t level;
    int64_t major;
};
typedef struct names_clock names_clock;

HAFT_SCHEMA(names_clock,
    HAFT_INTEGER(seconds, "Since midnight"),
    HAFT_INTEGER(level, "Of the battery"),
    HAFT_INTEGER(major, "Version"));

HAFT_STRUCT(names_member,
    HAFT_ENUM(which, names_signal, "What is sent"),
    HAFT_ARRAY(level, HAFT_ENUM(major, names_signal, "One of them"), "All of them"));

HAFT_CHOICE(names_choice, "kind",
    HAFT_CASE(level, names_member),
    HAFT_CASE(major, names_member));

static int open(haft_call *call)
{
    return haft_text(call, "opened");
}
HAFT_TOOL_BARE(open, "Opens it");

static void enumerators_are_as_written(void **state)
{
    static const char *const expected[] = {"SIGTERM", "WNAMES_NUMBER", "open",
                                           "stdin",   "major",         "int"};

    (void)state;
    assert_int_equal(names_signal_type.n_values, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(names_signal_type.values[i], expected[i]);
    assert_int_equal(names_signal_SIGTERM, 0);
    assert_int_equal(names_signal_open, 2);
    assert_int_equal(names_signal_int, 5);
}

static void values_travel_by_them(void **state)
{
    static const char json[] = "{\"which\":\"SIGTERM\",\"level\":[\"open\",\"major\"]}";
    struct reading r;
    const names_member *value = (const names_member *)(const void *)r.value;

    (void)state;
    reading_open(&r, &names_member_type, NULL);
    assert_string_equal(decoded(&r, json, sizeof json - 1), json);
    assert_int_equal(value->which, names_signal_SIGTERM);
    assert_int_equal(value->level[1], names_signal_major);
    assert_string_equal(decoded(&r, "{\"which\":\"15\",\"level\":[]}", 25),
                        "!which: Invalid option: expected one of "
                        "\"SIGTERM\"|\"WNAMES_NUMBER\"|\"open\"|\"stdin\"|\"major\"|\"int\"");
    reading_close(&r);
}

static void members_are_as_written(void **state)
{
    static const char json[] = "{\"seconds\":1,\"level\":2,\"major\":3}";
    struct reading r;
    const names_clock *value = (const names_clock *)(const void *)r.value;

    (void)state;
    reading_open(&r, &names_clock_type, NULL);
    assert_string_equal(decoded(&r, json, sizeof json - 1), json);
    assert_int_equal(value->seconds, 1);
    assert_int_equal(value->level, 2);
    reading_close(&r);
}

static void cases_are_as_written(void **state)
{
    (void)state;
    assert_string_equal(names_choice_type.fields[names_choice_level].name, "level");
    assert_string_equal(names_choice_type.fields[names_choice_major].name, "major");
}

static void tools_are_as_written(void **state)
{
    (void)state;
    assert_string_equal(open_tool.name, "open");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumerators_are_as_written), cmocka_unit_test(values_travel_by_them),
        cmocka_unit_test(members_are_as_written),     cmocka_unit_test(cases_are_as_written),
        cmocka_unit_test(tools_are_as_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
