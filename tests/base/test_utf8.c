/* test_utf8.c - which bytes are UTF-8, and how many characters they are. */
#include "base/base.h"

#include <string.h>

#include "support/test.h"

static void tells_valid_from_not(void **state)
{
    static const struct {
        const char *text;
        size_t size, valid; /* how much of it is */
    } rows[] = {
        {TEXT(""), 0},
        {TEXT("a\0b"), 3},
        {TEXT("\x7f"), 1},
        {TEXT("\xc2\x80"), 2},
        {TEXT("\xdf\xbf"), 2},
        {TEXT("\xe0\xa0\x80"), 3},
        {TEXT("\xed\x9f\xbf"), 3},
        {TEXT("\xee\x80\x80"), 3},
        {TEXT("\xef\xbf\xbf"), 3},
        {TEXT("\xf0\x90\x80\x80"), 4},
        {TEXT("\xf4\x8f\xbf\xbf"), 4},
        /* alone or cut short */
        {TEXT("\x80"), 0},
        {TEXT("a\xbf"), 1},
        {TEXT("\xc2"), 0},
        {TEXT("\xe0\xa0"), 0},
        {TEXT("\xf0\x90\x80"), 0},
        {TEXT("\xc2 "), 0},
        {TEXT("\xe1\x80 "), 0},
        {TEXT("\xf1\x80\x80 "), 0},
        /* overlong */
        {TEXT("\xc0\x80"), 0},
        {TEXT("\xc1\xbf"), 0},
        {TEXT("\xe0\x9f\xbf"), 0},
        {TEXT("\xf0\x8f\xbf\xbf"), 0},
        /* surrogates, and past the end */
        {TEXT("\xed\xa0\x80"), 0},
        {TEXT("\xed\xbf\xbf"), 0},
        {TEXT("\xf4\x90\x80\x80"), 0},
        {TEXT("\xf5\x80\x80\x80"), 0},
        {TEXT("\xfe"), 0},
        {TEXT("\xff"), 0},
        /* across the words that are looked at as one */
        {TEXT("12345678\xc3\xa4"
              "12345678"),
         18},
        {TEXT("1234567\xc3\xa4"
              "12345678\xff"),
         17},
        {TEXT("1234567812345678\x80"), 16},
        {TEXT("1234567\x80"
              "8"),
         7},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (haft_utf8_valid(rows[i].text, rows[i].size) != rows[i].valid)
            fail_msg("row %zu: %zu", i, haft_utf8_valid(rows[i].text, rows[i].size));
}

static void counts_code_points(void **state)
{
    (void)state;
    assert_int_equal(haft_utf8_length(TEXT("")), 0);
    assert_int_equal(haft_utf8_length(TEXT("abc")), 3);
    assert_int_equal(haft_utf8_length(TEXT("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80")), 3);
}

/* Every code point there is: written, found valid, read back. */
static void every_code_point_goes_round(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char text[4];
        const char *end = text;
        size_t size = hf_utf8_put(c, text);
        bool surrogate = c >= 0xD800 && c <= 0xDFFF;

        assert_int_equal(haft_utf8_valid(text, size), surrogate ? 0 : size);
        assert_int_equal(hf_utf8_next(&end), c);
        assert_int_equal(end - text, size);
    }
}

/* Every sequence of three bytes: valid exactly when it decodes to something that encodes to it. */
static void every_three_bytes_are_judged_right(void **state)
{
    (void)state;
    for (uint32_t bytes = 0; bytes < 0x1000000; bytes += bytes < 0xC00000 ? 251 : 1) {
        char text[3] = {(char)(bytes >> 16), (char)(bytes >> 8 & 0xFF), (char)(bytes & 0xFF)};
        const char *at = text;
        char again[4];
        unsigned lead = bytes >> 16;
        size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : 3, valid;

        if (lead >= 0xF0 || (lead >= 0x80 && lead < 0xC0))
            continue;
        valid = haft_utf8_valid(text, size);
        if (valid == size) {
            uint32_t c = hf_utf8_next(&at);

            assert_int_equal(hf_utf8_put(c, again), size);
            assert_memory_equal(again, text, size);
            assert_false(c >= 0xD800 && c <= 0xDFFF);
        } else {
            assert_int_equal(valid, 0);
        }
    }
}

static void compares_ignoring_case(void **state)
{
    static const struct {
        const char *text, *wanted;
        size_t size;
        bool same;
    } rows[] = {
        {"host", "host", 4, true},  {"HoSt", "host", 4, true},   {"host", "HOST", 4, true},
        {"hosts", "host", 4, true}, {"hosts", "host", 5, false}, {"hos", "host", 3, false},
        {"", "", 0, true},          {"", "a", 0, false},         {"h_st", "h\177st", 4, false}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hf_text_is_ignoring_case(rows[i].text, rows[i].size, rows[i].wanted) != rows[i].same)
            fail_msg("row %zu", i);
}

static void trims_blanks(void **state)
{
    static const struct {
        const char *text, *trimmed;
    } rows[] = {{"a", "a"},         {" a", "a"}, {"a\t", "a"}, {" \t a b \t", "a b"},
                {"\na\r", "\na\r"}, {"", ""},    {" \t ", ""}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct text text = text_trim(rows[i].text, strlen(rows[i].text));

        if (text.size != strlen(rows[i].trimmed) || memcmp(text.data, rows[i].trimmed, text.size))
            fail_msg("row %zu", i);
    }
    assert_null(text_trim(NULL, 0).data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_ignoring_case),
        cmocka_unit_test(trims_blanks),
        cmocka_unit_test(tells_valid_from_not),
        cmocka_unit_test(counts_code_points),
        cmocka_unit_test(every_code_point_goes_round),
        cmocka_unit_test(every_three_bytes_are_judged_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
