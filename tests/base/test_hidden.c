/* test_hidden.c - characters that people do not see or a terminal obeys, and how they are escaped. */
#include "base/base.h"

#include <string.h>

#include "support/test.h"

/* Both ends of every range, and their neighbours. */
static void tells_hidden_from_seen(void **state)
{
    static const struct {
        uint32_t before, first, last, after; /* 0: there is no such neighbour to try */
    } rows[] = {
        {0, 0x00, 0x1F, ' '},             /* controls */
        {'~', 0x7F, 0x9F, 0xA0},          /* and those of C1 */
        {0xAC, 0xAD, 0xAD, 0xAE},         /* soft hyphen */
        {0x34E, 0x34F, 0x34F, 0x350},     /* grapheme joiner */
        {0x61B, 0x61C, 0x61C, 0x61D},     /* Arabic letter mark */
        {0x115E, 0x115F, 0x1160, 0x1161}, /* fillers */
        {0x17B3, 0x17B4, 0x17B5, 0x17B6},
        {0x180A, 0x180B, 0x180F, 0x1810},
        {0x200A, 0x200B, 0x200F, 0x2010}, /* zero width, joiners, directions */
        {0x2027, 0x2028, 0x202E, 0x202F}, /* separators, embeddings, overrides */
        {0x205F, 0x2060, 0x206F, 0x2070}, /* isolates among them */
        {0x3163, 0x3164, 0x3164, 0x3165},
        {0xFE0F, 0xFEFF, 0xFEFF, 0xFF00}, /* byte order mark; emoji have U+FE0F */
        {0xFF9F, 0xFFA0, 0xFFA0, 0xFFA1},
        {0xFFEF, 0xFFF0, 0xFFFB, 0xFFFC},
        {0x1BC9F, 0x1BCA0, 0x1BCA3, 0x1BCA4},
        {0x1D172, 0x1D173, 0x1D17A, 0x1D17B},
        {0xDFFFF, 0xE0000, 0xE0FFF, 0xE1000}, /* tags, further variation selectors */
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_false(rows[i].before && hf_character_is_hidden(rows[i].before));
        for (uint32_t c = rows[i].first; c <= rows[i].last; c++)
            assert_true(hf_character_is_hidden(c));
        assert_false(hf_character_is_hidden(rows[i].after));
    }
}

static void escapes_what_is_hidden(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        bool json;
        size_t room;
        const char *expected;
        bool cut;
    } rows[] = {
        {TEXT(""), false, 8, "", false},
        {TEXT("plain \xc3\xa9 \xf0\x9f\x98\x80"), false, 64, "plain \xc3\xa9 \xf0\x9f\x98\x80",
         false},
        {TEXT("a\b\f\n\r\t\x1b\0\x7f"), false, 64, "a\\b\\f\\n\\r\\t\\u001b\\u0000\\u007f", false},
        {TEXT("\xc2\x85\xc2\x9b\xc2\xa0"), false, 64, "\\u0085\\u009b\xc2\xa0", false},
        {TEXT("\xe2\x80\xae\xd8\x9c\xef\xbb\xbf"), false, 64, "\\u202e\\u061c\\ufeff", false},
        {TEXT("\xf3\xa0\x81\x81"), true, 64, "\\udb40\\udc41", false},
        {TEXT("\"\\"), false, 64, "\"\\", false},
        {TEXT("\"\\"), true, 64, "\\\"\\\\", false},
        {TEXT("\xff"
              "a\xe2\x80"),
         false, 64,
         "\xef\xbf\xbd"
         "a\xef\xbf\xbd\xef\xbf\xbd",
         false},
        /* A character is written whole or not at all. */
        {TEXT("abc"), false, 2, "ab", true},
        {TEXT("abc"), false, 3, "abc", false},
        {TEXT("a\x1b"), false, 6, "a", true},
        {TEXT("a\xf3\xa0\x81\x81"), false, 12, "a", true},
        {TEXT("a\xc3\xa9"), false, 2, "a", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char out[64];
        bool cut = !rows[i].cut;
        size_t n =
            hf_text_escape(rows[i].text, rows[i].size, rows[i].json, out, rows[i].room, &cut);

        assert_int_equal(n, strlen(rows[i].expected));
        assert_memory_equal(out, rows[i].expected, n);
        assert_int_equal(cut, rows[i].cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_hidden_from_seen),
                                       cmocka_unit_test(escapes_what_is_hidden)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
