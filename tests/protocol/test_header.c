/* test_header.c - headers as pairs: found by any spelling of their name, with and without an index. */
#include "protocol/header.h"

#include "support/test.h"

static const haft_header headers[] = {
    {"host", "localhost"},    {"accept", "a"},     {"x-twice", "1"},
    {"X-Twice", "2"},         {"cookie", ""},      {"accept", "b"},
    {"tsoh", "not the host"}, {"a", "one letter"}, {"x_under", "score"},
};

static void index_headers(unsigned char index[HEADER_SLOTS])
{
    memset(index, 0, HEADER_SLOTS);
    for (size_t i = COUNT_OF(headers); i--;)
        index[header_slot(headers[i].name, strlen(headers[i].name))] = (unsigned char)(i + 1);
}

static void finds_the_first_of_a_name(void **state)
{
    static const struct {
        const char *name, *value; /* NULL: there is none */
        size_t n;
    } rows[] = {
        {"host", "localhost", 1}, {"Host", "localhost", 1},
        {"HOST", "localhost", 1}, {"accept", "a", 2},
        {"x-twice", "1", 2},      {"X-TWICE", "1", 2},
        {"cookie", "", 1},        {"tsoh", "not the host", 1},
        {"a", "one letter", 1},   {"X_Under", "score", 1},
        {"hos", NULL, 0},         {"hosts", NULL, 0},
        {"accepts", NULL, 0},     {"b", NULL, 0},
        {"x-under", NULL, 0},
    };
    unsigned char index[HEADER_SLOTS];

    (void)state;
    index_headers(index);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = 0;
        const char *found = header_find(headers, COUNT_OF(headers), index, rows[i].name, &size);

        if (!found != !rows[i].value || (found && strcmp(found, rows[i].value)))
            fail_msg("%s: %s", rows[i].name, found ? found : "none");
        if (found)
            assert_int_equal(size, strlen(found));
        assert_ptr_equal(found, haft_header_find(headers, COUNT_OF(headers), rows[i].name));
        assert_int_equal(hf_header_count(headers, COUNT_OF(headers), rows[i].name), rows[i].n);
    }
    assert_null(haft_header_find(NULL, 0, "host"));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_first_of_a_name),
                                       cmocka_unit_test(knows_what_can_be_written),
                                       cmocka_unit_test(copies_all_of_them)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
