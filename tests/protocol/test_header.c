/* test_header.c - headers as pairs: found by any spelling of their name, one or those of the index. */
#include "protocol/header.h"

#include <stdio.h>

#include "support/test.h"

static const haft_header headers[] = {
    {"host", "localhost"},    {"accept", "a"},     {"x-twice", "1"},
    {"X-Twice", "2"},         {"cookie", ""},      {"accept", "b"},
    {"tsoh", "not the host"}, {"a", "one letter"}, {"x_under", "score"},
};

static void finds_the_first_of_a_name(void **state)
{
    static const struct {
        const char *name, *value; /* NULL: there is none */
        bool again;
    } rows[] = {
        {"host", "localhost", false}, {"Host", "localhost", false},
        {"HOST", "localhost", false}, {"accept", "a", true},
        {"x-twice", "1", true},       {"X-TWICE", "1", true},
        {"cookie", "", false},        {"tsoh", "not the host", false},
        {"a", "one letter", false},   {"X_Under", "score", false},
        {"hos", NULL, false},         {"hosts", NULL, false},
        {"accepts", NULL, false},     {"b", NULL, false},
        {"x-under", NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *found = haft_header_find(headers, COUNT_OF(headers), rows[i].name);
        bool again;
        struct text got = hf_header_get(headers, COUNT_OF(headers), rows[i].name, &again);

        if (!found != !rows[i].value || (found && strcmp(found, rows[i].value)))
            fail_msg("%s: %s", rows[i].name, found ? found : "none");
        assert_ptr_equal(got.data, found);
        assert_int_equal(got.size, found ? strlen(found) : 0);
        assert_int_equal(again, rows[i].again);
    }
    assert_null(haft_header_find(NULL, 0, "host"));
}

static void is_value(struct text value, const char *wanted)
{
    assert_int_equal(!value.data, !wanted);
    assert_int_equal(value.size, wanted ? strlen(wanted) : 0);
    if (wanted)
        assert_memory_equal(value.data, wanted, value.size);
}

/* Each by its own name, in capitals too, and by none of those that look like it. */
static void indexes_what_is_read(void **state)
{
    static const char *const names[] = {
#define HEADER_NAME_(member, first, name, count) name,
        HEADERS_READ(HEADER_NAME_)
#undef HEADER_NAME_
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char loud[32], other[32], longer[32];
        const haft_header list[] = {
            {other, "0"}, {longer, "1"}, {"", "2"}, {loud, "\t 3 \t"}, {names[i], "4"}};
        struct haft_header_index index;
        const struct text *value = (const struct text *)(const void *)&index;

        snprintf(loud, sizeof loud, "%s", names[i]);
        loud[0] = (char)(loud[0] - 'a' + 'A');
        snprintf(other, sizeof other, "%s", names[i]);
        other[strlen(other) - 1] ^= 1;
        snprintf(longer, sizeof longer, "%sx", names[i]);
        hf_headers_index(list, COUNT_OF(list), &index);
        for (size_t k = 0; k < COUNT_OF(names); k++)
            is_value(value[k], k == i ? "3" : NULL);
    }
}

static void indexes_any_list(void **state)
{
    struct haft_header_index index;

    (void)state;
    hf_headers_index(headers, COUNT_OF(headers), &index);
    is_value(index.host, "localhost");
    is_value(index.accept, "a");
    is_value(index.origin, NULL);
    hf_headers_index(NULL, 0, &index);
    is_value(index.host, NULL);
    hf_headers_index(HEADER("origin", " "), 1, &index);
    is_value(index.origin, "");
}

static void knows_what_can_be_written(void **state)
{
    static const struct {
        const char *text;
        bool is_name, is_value;
    } rows[] = {
        {"a", true, true},
        {"X-A_b.c", true, true},
        {"", false, true},
        {"a b", false, true},
        {"a:b", false, true},
        {"tab\tbed", false, true},
        {"eight by\tte", false, true},
        {"caf\xC3\xA9 au lait", false, true},
        {"a\nb", false, false},
        {"a\rb", false, false},
        {"12345678\n", false, false},
        {"\n12345678", false, false},
        {"1234567\r", false, false},
        {"123456789 12345\n", false, false},
        {"1234567\177", false, false},
        {"\001", false, false},
        {"12345678\t2345678\n", false, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (hf_header_name_is_valid(rows[i].text) != rows[i].is_name ||
            hf_header_value_is_valid(rows[i].text, strlen(rows[i].text)) != rows[i].is_value)
            fail_msg("row %zu", i);
    }
}

static void copies_all_of_them(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    haft_header *copies = hf_headers_copy(arena, headers, COUNT_OF(headers));

    (void)state;
    assert_non_null(copies);
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        assert_true(copies[i].name != headers[i].name && copies[i].value != headers[i].value);
        assert_string_equal(copies[i].name, headers[i].name);
        assert_string_equal(copies[i].value, headers[i].value);
    }
    assert_non_null(hf_headers_copy(arena, NULL, 0));
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_of_a_name), cmocka_unit_test(indexes_what_is_read),
        cmocka_unit_test(indexes_any_list), cmocka_unit_test(knows_what_can_be_written),
        cmocka_unit_test(copies_all_of_them)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
