/* test_hex.c - hexadecimal digits. */
#include "base/hex.h"

#include "support/test.h"

static void knows_digits(void **state)
{
    static const char lower[] = "0123456789abcdef", upper[] = "ABCDEF";

    (void)state;
    for (int c = 0; c < 256; c++) {
        const char *in_lower = c ? strchr(lower, c) : NULL, *in_upper = c ? strchr(upper, c) : NULL;
        int small = in_lower ? (int)(in_lower - lower) : -1;
        int any = in_upper ? (int)(in_upper - upper) + 10 : small;

        assert_int_equal(hex_lower_digit((char)c), small);
        assert_int_equal(hex_digit((char)c), any);
        assert_int_equal(hex_byte((char)c, 'f'), any < 0 ? -1 : any * 16 + 15);
        assert_int_equal(hex_byte('1', (char)c), any < 0 ? -1 : 16 + any);
    }
}

static void reads_and_writes_bytes(void **state)
{
    static const struct {
        const char *text;
        bool any, lower;
        unsigned char bytes[4];
    } rows[] = {
        {"", true, true, {0}},
        {"00", true, true, {0}},
        {"00ff7f80", true, true, {0x00, 0xFF, 0x7F, 0x80}},
        {"DEADbeef", true, false, {0xDE, 0xAD, 0xBE, 0xEF}},
        {"0", false, false, {0}},
        {"012", false, false, {0}},
        {"0g", false, false, {0}},
        {"g0", false, false, {0}},
        {"-1", false, false, {0}},
        {" 1", false, false, {0}},
        {"0x", false, false, {0}},
        {"\xC3\xA1", false, false, {0}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = strlen(rows[i].text);
        unsigned char bytes[4] = {0};
        char text[2 * sizeof bytes + 1] = "";

        assert_int_equal(hf_hex_read_lower(rows[i].text, size, bytes), rows[i].lower);
        assert_int_equal(hf_hex_read(rows[i].text, size, bytes), rows[i].any);
        if (!rows[i].any)
            continue;
        assert_memory_equal(bytes, rows[i].bytes, size / 2);
        hf_hex_put(bytes, size / 2, text);
        assert_true(hf_text_same_ignoring_case(text, rows[i].text));
        assert_true(!rows[i].lower || !strcmp(text, rows[i].text));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_digits),
        cmocka_unit_test(reads_and_writes_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
