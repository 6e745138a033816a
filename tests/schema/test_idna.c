/* test_idna.c - labels of international names, by code points: what may stand where, in which
 * direction, and what they are in ASCII. */
#include <string.h>

#include "schema/text/idna.h"
#include "support/test.h"

enum { LONGEST = 12 };

static size_t count_of(const uint32_t *points)
{
    size_t n = 0;

    while (n < LONGEST && points[n])
        n++;
    return n;
}

/* RFC 5891 and the contexts of RFC 5892, appendix A. */
static void labels_are_judged(void **state)
{
    static const struct {
        uint32_t points[LONGEST];
        bool valid;
    } rows[] = {
        {{'a', 'b', 'c'}, true},
        {{'a', '-', 'b'}, true},
        {{0}, false},
        {{'-', 'a'}, false},
        {{'a', '-'}, false},
        {{'a', 'b', '-', '-', 'c'}, false},
        {{'a', '-', '-', 'c'}, true},
        {{'a', '_'}, false},
        {{0x301, 'a'}, false},
        {{'a', 0x301}, true},
        /* a middle dot between two l */
        {{'l', 0xB7, 'l'}, true},
        {{'a', 0xB7, 'l'}, false},
        {{'l', 0xB7, 'a'}, false},
        {{0xB7}, false},
        /* a Greek sign before a Greek letter */
        {{0x375, 0x3B1}, true},
        {{0x375, 'a'}, false},
        {{0x3B1, 0x375}, false},
        /* Hebrew punctuation behind a Hebrew letter */
        {{0x5D0, 0x5F3}, true},
        {{0x5D0, 0x5F4}, true},
        {{'a', 0x5F3}, false},
        {{0x5F4, 0x5D0}, false},
        /* a Katakana dot with Japanese anywhere */
        {{0x30A2, 0x30FB, 0x30A4}, true},
        {{0x30FB, 0x3042}, true},
        {{0x4E00, 0x30FB}, true},
        {{'a', 0x30FB, 'b'}, false},
        {{0x30FB}, false},
        /* Arabic digits of one kind */
        {{0x627, 0x661}, true},
        {{0x627, 0x6F1}, true},
        {{0x627, 0x661, 0x6F1}, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hf_idna_label(rows[i].points, count_of(rows[i].points)) != rows[i].valid)
            fail_msg("label %zu", i);
}

/* U+200C and U+200D behind a virama; the first also between letters that would join. */
static void joiners_need_a_reason(void **state)
{
    static const struct {
        uint32_t points[LONGEST];
        bool valid;
    } rows[] = {
        {{0x915, 0x94D, 0x200D, 0x937}, true},
        {{0x915, 0x200D, 0x937}, false},
        {{0x200D, 0x937}, false},
        {{0x915, 0x94D, 0x200C, 0x937}, true},
        {{0x628, 0x200C, 0x628}, true},
        {{0x628, 0x64E, 0x200C, 0x628}, true},
        {{0x628, 0x200C, 0x64E, 0x628}, true},
        {{0x628, 0x200C, 0x627}, true},
        {{0x627, 0x200C, 0x628}, false},
        {{0x628, 0x200C, 'a'}, false},
        {{'a', 0x200C, 0x628}, false},
        {{0x628, 0x200C}, false},
        {{0x628, 0x200C, 0x64E}, false},
        {{0x200C, 0x628}, false},
        {{0x628, 0x200D, 0x628}, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hf_idna_joins(rows[i].points, count_of(rows[i].points)) != rows[i].valid)
            fail_msg("label %zu", i);
}

/* RFC 5893: what is written from the right keeps to it. */
static void directions_are_kept(void **state)
{
    static const struct {
        uint32_t points[LONGEST];
        bool rtl, fits;
    } rows[] = {
        {{'a', 'b'}, false, true},          {{'a', '1'}, false, true},
        {{'1', 'a'}, false, false},         {{'a', 0x301}, false, true},
        {{'a', '-'}, false, false},         {{0x5D0, 0x5D1}, true, true},
        {{0x5D0, 0x5B0}, true, true},       {{0x5D0, '1'}, true, true},
        {{0x5D0, 0x661}, true, true},       {{0x5D0, '1', 0x661}, true, false},
        {{0x5D0, 'a', 0x5D0}, true, false}, {{0x5D0, '-'}, true, false},
        {{'a', 0x5D0}, true, false},        {{'a', 0x661}, true, false},
        {{0x661, 0x5D0}, true, false},      {{0}, false, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t n = count_of(rows[i].points);

        if (hf_idna_has_rtl(rows[i].points, n) != rows[i].rtl ||
            hf_idna_bidi_rule(rows[i].points, n) != rows[i].fits)
            fail_msg("label %zu", i);
    }
}

/* RFC 3492, with two of its own examples. */
static void punycode_is_read(void **state)
{
    static const struct {
        const char *text;
        uint32_t points[LONGEST]; /* none when it is not valid */
    } rows[] = {
        {"ihqwcrb4cv8a8dqg056pqjye",
         {0x4ED6, 0x4EEC, 0x4E3A, 0x4EC0, 0x4E48, 0x4E0D, 0x8BF4, 0x4E2D, 0x6587}},
        {"d9juau41awczczp", {0x305D, 0x306E, 0x30B9, 0x30D4, 0x30FC, 0x30C9, 0x3067}},
        {"mnchen-3ya", {'m', 0xFC, 'n', 'c', 'h', 'e', 'n'}},
        {"MNCHEN-3YA", {'M', 0xFC, 'N', 'C', 'H', 'E', 'N'}},
        {"abc-", {'a', 'b', 'c'}},
        {"", {0}},
        {"a\xC3-3ya", {0}},
        {"abc-!", {0}},
        {"abc-9", {0}},
        {"99999999", {0}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t points[IDNA_MAX_LABEL] = {0};
        size_t n = count_of(rows[i].points), size = strlen(rows[i].text);

        if (hf_idna_decode(rows[i].text, size, points) != n ||
            memcmp(points, rows[i].points, n * sizeof *points))
            fail_msg("%s", rows[i].text);
        if (n && hf_idna_encoded_size(points, n) != size)
            fail_msg("%s: %zu", rows[i].text, hf_idna_encoded_size(points, n));
    }
}

/* As long as a label may be, and longer. */
static void lengths_are_bounded(void **state)
{
    char text[IDNA_MAX_LABEL + 8];
    uint32_t points[IDNA_MAX_LABEL];

    (void)state;
    memset(text, 'a', sizeof text);
    text[IDNA_MAX_LABEL - 1] = '-';
    assert_int_equal(hf_idna_decode(text, IDNA_MAX_LABEL, points), IDNA_MAX_LABEL - 1);
    memset(text, 'a', sizeof text);
    text[IDNA_MAX_LABEL + 1] = '-';
    assert_int_equal(hf_idna_decode(text, IDNA_MAX_LABEL + 2, points), 0);
    memset(text, 'a', sizeof text);
    assert_int_equal(hf_idna_decode(text, IDNA_MAX_LABEL + 1, points), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_judged),   cmocka_unit_test(joiners_need_a_reason),
        cmocka_unit_test(directions_are_kept), cmocka_unit_test(punycode_is_read),
        cmocka_unit_test(lengths_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
