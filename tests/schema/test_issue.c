/* test_issue.c - issues as data: every code with the members it brings along. */
#include "reading.h"
#include "shapes.h"

static void codes_have_names(void **state)
{
    static const char *const names[] = {
        "invalid_type",   "invalid_value",     "too_small",     "too_big",     "not_multiple_of",
        "invalid_format", "unrecognized_keys", "invalid_union", "invalid_key", "invalid_element",
        "custom",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_string_equal(haft_issue_code_name((haft_issue_code)i), names[i]);
    assert_string_equal(haft_issue_code_name((haft_issue_code)99), "unknown");
}

static void members_are_zods(void **state)
{
    static const struct reading_row rows[] = {
        {&ruled_type, "{\"whole\":\"a\"}",
         "[{\"expected\":\"number\",\"code\":\"invalid_type\",\"path\":[\"whole\"],"
         "\"message\":\"Invalid input: expected number, received string\"}]"},
        {&ruled_type, "{\"whole\":3}",
         "[{\"origin\":\"number\",\"code\":\"not_multiple_of\",\"divisor\":2,"
         "\"path\":[\"whole\"],\"message\":\"Invalid number: must be a multiple of 2\"}]"},
        {&ruled_type, "{\"real\":0}",
         "[{\"origin\":\"number\",\"code\":\"too_small\",\"minimum\":0.5,\"inclusive\":true,"
         "\"path\":[\"real\"],\"message\":\"Too small: expected number to be >=0.5\"}]"},
        {&ruled_type, "{\"within\":1}",
         "[{\"origin\":\"number\",\"code\":\"too_big\",\"maximum\":1,\"inclusive\":false,"
         "\"path\":[\"within\"],\"message\":\"Too big: expected number to be <1\"}]"},
        {&ruled_type, "{\"list\":[]}",
         "[{\"origin\":\"array\",\"code\":\"too_small\",\"minimum\":1,\"inclusive\":true,"
         "\"path\":[\"list\"],\"message\":\"Too small: expected array to have >=1 items\"}]"},
        {&ruled_type, "{\"patterned\":\"\\\"\"}",
         "[{\"origin\":\"string\",\"format\":\"regex\",\"code\":\"invalid_format\","
         "\"pattern\":\"/^[a-z]+$/\",\"path\":[\"patterned\"],"
         "\"message\":\"Invalid string: must match pattern /^[a-z]+$/\"}]"},
        {&ruled_type, "{\"parted\":\"a-\"}",
         "[{\"origin\":\"string\",\"format\":\"ends_with\",\"code\":\"invalid_format\","
         "\"suffix\":\"z\",\"path\":[\"parted\"],"
         "\"message\":\"Invalid string: must end with \\\"z\\\"\"}]"},
        {&ruled_type, "{\"parted\":\"-z\"}",
         "[{\"origin\":\"string\",\"format\":\"starts_with\",\"code\":\"invalid_format\","
         "\"prefix\":\"a\",\"path\":[\"parted\"],"
         "\"message\":\"Invalid string: must start with \\\"a\\\"\"}]"},
        {&ruled_type, "{\"parted\":\"az\"}",
         "[{\"origin\":\"string\",\"format\":\"includes\",\"code\":\"invalid_format\","
         "\"includes\":\"-\",\"path\":[\"parted\"],"
         "\"message\":\"Invalid string: must include \\\"-\\\"\"}]"},
        {&ruled_type, "{\"map\":{\"A\":1}}",
         "[{\"origin\":\"record\",\"code\":\"invalid_key\",\"issues\":[{\"origin\":\"string\","
         "\"format\":\"regex\",\"code\":\"invalid_format\",\"pattern\":\"/^[a-z]+$/\","
         "\"path\":[],\"message\":\"Invalid string: must match pattern /^[a-z]+$/\"}],"
         "\"path\":[\"map\",\"A\"],\"message\":\"Invalid key in record\"}]"},
        {&maybe_type, "{\"table\":[[],[1,null]]}",
         "[{\"expected\":\"number\",\"code\":\"invalid_type\",\"path\":[\"table\",1,1],"
         "\"message\":\"Invalid input: expected number, received null\"}]"},
        {&colour_type, "\"pink\"",
         "[{\"code\":\"invalid_value\",\"values\":[\"red\",\"green\",\"blue\"],\"path\":[],"
         "\"message\":\"Invalid option: expected one of \\\"red\\\"|\\\"green\\\"|\\\"blue\\\"\"}"
         "]"},
        {&figure_type, "{\"kind\":\"x\"}",
         "[{\"code\":\"invalid_union\",\"note\":\"No matching discriminator\","
         "\"discriminator\":\"kind\",\"errors\":[],\"options\":[\"circle\",\"label\"],"
         "\"path\":[\"kind\"],"
         "\"message\":\"Invalid discriminator value. Expected 'circle' | 'label'\"}]"},
        {&range_type, "{\"low\":1,\"high\":2,\"hi\":3}",
         "[{\"code\":\"unrecognized_keys\",\"keys\":[\"hi\"],\"accepted\":[\"low\",\"high\"],"
         "\"path\":[],\"message\":\"Unrecognized key: \\\"hi\\\" (accepted: \\\"low\\\", "
         "\\\"high\\\")\"}]"},
        {&range_type, "{\"low\":2,\"high\":1}",
         "[{\"code\":\"custom\",\"path\":[\"high\"],\"message\":\"must not be below 2\"}]"},
        {&range_type, "{\"low\":",
         "[{\"format\":\"json_string\",\"code\":\"invalid_format\",\"path\":[],"
         "\"message\":\"Invalid JSON string: unexpected end of data at byte 7\"}]"},
    };
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct reading r;

        reading_open(&r, rows[i].type, NULL);
        decoded(&r, rows[i].json, strlen(rows[i].json));
        haft_buffer_clear(&r.text);
        haft_issues_json(&r.issues, &r.text);
        if (strcmp(reading_text(&r), rows[i].expected)) {
            print_message("%s\n  expected %s\n  found    %s\n", rows[i].json, rows[i].expected,
                          r.text.data);
            wrong++;
        }
        reading_close(&r);
    }
    assert_int_equal(wrong, 0);
}

static void paths_are_dotted(void **state)
{
    static const haft_step steps[] = {{"items", 0}, {NULL, 12}, {"a.b", 0}, {"", 0}};
    static const struct {
        size_t n;
        const char *expected;
    } rows[] = {{0, ""}, {1, "items"}, {2, "items.12"}, {3, "items.12.a.b"}, {4, "items.12.a.b."}};
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 100);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const haft_issue issue = {.path = steps, .n_path = rows[i].n};

        haft_buffer_clear(&buffer);
        haft_issue_path(&issue, &buffer);
        haft_buffer_add(&buffer, "", 1);
        assert_string_equal(buffer.data, rows[i].expected);
    }
    haft_buffer_finish(&buffer);
}

static void text_joins_and_counts(void **state)
{
    static const haft_step step = {"a", 0};
    haft_issue list[] = {
        {.message = "first", .path = &step, .n_path = 1},
        {.message = "second"},
    };
    static const struct {
        size_t count, total;
        const char *expected;
    } rows[] = {
        {0, 0, ""},
        {1, 1, "a: first"},
        {2, 2, "a: first, second"},
        {2, 40, "a: first, second, and 38 more"},
    };
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 100);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const haft_issues issues = {list, rows[i].count, rows[i].total};

        haft_buffer_clear(&buffer);
        haft_issues_text(&issues, &buffer);
        haft_buffer_add(&buffer, "", 1);
        assert_string_equal(buffer.data, rows[i].expected);
    }
    haft_buffer_finish(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_names),
        cmocka_unit_test(members_are_zods),
        cmocka_unit_test(paths_are_dotted),
        cmocka_unit_test(text_joins_and_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
