/* test_pattern.c - ECMA-262 patterns: their meaning, what is refused and where, their bounds. */
#include "schema/text/pattern.h"

#include <stdio.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

enum { STEPS = 100000, REFUSED = -1, LIMIT = 16 << 20 };

/* Compiles, matches and frees; REFUSED when it does not compile, with the error. */
static int try(const char *source, size_t size, const char *flags, const char *text,
               size_t text_size, haft_reason *ret_error)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    struct pattern_scratch scratch = {.arena = arena};
    const struct pattern *pattern;
    struct pattern *list = NULL;
    int status;

    assert_non_null(arena);
    status = hf_pattern_compile(arena, &list, source, size, flags, STEPS, &pattern, ret_error);
    if (status) {
        assert_int_equal(status, HAFT_EPATTERN);
        assert_null(list);
        status = REFUSED;
    } else {
        assert_string_equal(pattern->flags, flags);
        assert_memory_equal(pattern->source, source, size);
        status = hf_pattern_match(pattern, &scratch, text, text_size);
    }
    hf_patterns_free(list);
    haft_arena_free(arena);
    return status;
}

static void means_what_ecma_says(void **state)
{
    static const struct {
        const char *source, *flags, *text;
        int match;
    } rows[] = {
        /* anchors */
        {"^abc$", "", "abc", 1},
        {"^abc$", "", "abc\n", 0},
        {"^abc$", "", "abc\nx", 0},
        {"^b$", "m", "a\nb\nc", 1},
        {"^b$", "m",
         "a\rb\xE2\x80\xA8"
         "c",
         1},
        {"^$", "m", "a\n", 1},
        {"b", "", "abc", 1},
        {"", "", "", 1},
        {"", "", "x", 1},
        {"^", "", "", 1},
        {"a|", "", "b", 1},
        /* the dot */
        {"^.$", "", "\n", 0},
        {"^.$", "", "\r", 0},
        {"^.$", "", "\xE2\x80\xA8", 0},
        {"^.$", "", "\xE2\x80\xA9", 0},
        {"^.$", "", "\xC2\x85", 1},
        {"^.$", "", "\xF0\x9F\x98\x80", 1},
        {"^.$", "s", "\n", 1},
        /* sets */
        {"^\\d$", "", "5", 1},
        {"^\\d$", "", "\xDF\x80", 0},
        {"^\\D$", "", "\xDF\x80", 1},
        {"^\\w$", "", "_", 1},
        {"^\\w$", "", "\xC3\xA9", 0},
        {"^\\W$", "", "\xC3\xA9", 1},
        {"^\\W$", "", "a", 0},
        {"^\\w$", "i", "\xC5\xBF", 1},
        {"^\\W$", "i", "\xC5\xBF", 0},
        {"^\\s+$", "", " \t\v\f\r\n\xC2\xA0\xEF\xBB\xBF\xE2\x80\xA8\xE3\x80\x80", 1},
        {"^\\s$", "", "\xC2\x85", 0},
        {"^\\S$", "", "\xEF\xBB\xBF", 0},
        {"^[\\S]$", "", "\xEF\xBB\xBF", 0},
        {"^[^\\S]$", "", "\xEF\xBB\xBF", 1},
        {"^[^\\S\\n]$", "", "\n", 0},
        {"\\bb\\b", "", "a b c", 1},
        {"\\b", "", "\xC3\xA9", 0},
        {"^\\B$", "", "", 1},
        /* characters */
        {"^\\t\\n\\v\\f\\r$", "", "\t\n\v\f\r", 1},
        {"^\\v$", "", "\n", 0},
        {"^\\cC\\cj$", "", "\x03\n", 1},
        {"^\\x41\\u0042\\u{43}$", "", "ABC", 1},
        {"^\\u{1F600}$", "", "\xF0\x9F\x98\x80", 1},
        {"^\\ud83d\\ude00$", "", "\xF0\x9F\x98\x80", 1},
        {"^[\\ud83d\\ude00]$", "", "\xF0\x9F\x98\x80", 1},
        {"\\ud83d", "", "\xF0\x9F\x98\x80", 0},
        {"^\\ud83d*$", "", "", 1},
        {"^[^\\ud800-\\udfff]$", "", "a", 1},
        {"[\\ud800-\\udfff]", "", "a", 0},
        {"^[\\ud000-\\udfff]$", "", "\xED\x80\x80", 1},
        {"^[\\ud800-\\uffff]$", "", "\xEE\x80\x80", 1},
        {"^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", "", "^$\\.*+?()[]{}|/", 1},
        {"^\xF0\x9F\x90\xB2*$", "", "\xF0\x9F\x90\xB2\xF0\x9F\x90\xB2", 1},
        {"^ #$", "", " #", 1},
        /* valid only without u, with one meaning */
        {"^\\-\\@\\_\\ \\\"$", "", "-@_ \"", 1},
        {"^a{$", "", "a{", 1},
        {"^{a}]$", "", "{a}]", 1},
        {"^a{,2}$", "", "a{,2}", 1},
        {"^a{,2}$", "", "aa", 0},
        {"^[\\w-.]+$", "", "a-.", 1},
        {"^[\\w-.]+$", "", "a:", 0},
        {"^[a-\\d]+$", "", "a-5", 1},
        /* classes */
        {"[]", "", "a", 0},
        {"^[]?$", "", "", 1},
        {"^[^]$", "", "\n", 1},
        {"^[^]$", "", "\xF0\x9F\x98\x80", 1},
        {"^[[]$", "", "[", 1},
        {"^[[:alpha:]]$", "", "a]", 1},
        {"^[[:alpha:]]$", "", "z", 0},
        {"^[\\]]$", "", "]", 1},
        {"^[\\b]$", "", "\b", 1},
        {"^[-a]+$", "", "-a", 1},
        {"^[a-]+$", "", "-a", 1},
        {"^[a\\-z]+$", "", "-", 1},
        {"^[a\\-z]+$", "", "b", 0},
        {"^[+--]+$", "", ",", 1},
        {"^[&&~~]+$", "", "&~", 1},
        {"^[a^]+$", "", "^", 1},
        {"^[\\u{1F600}-\\u{1F64F}]$", "", "\xF0\x9F\x98\x81", 1},
        {"^[a-z]$", "i", "K", 1},
        {"^[a-z]$", "i", "\xE2\x84\xAA", 1},
        {"^\xC3\xA9$", "i", "\xC3\x89", 1},
        /* properties */
        {"^\\p{L}\\p{Letter}\\p{Lu}\\p{Uppercase_Letter}$", "",
         "a\xC3\xA9"
         "BC",
         1},
        {"^\\p{digit}+$", "", "4\xE0\xA7\xAA", 1},
        {"^\\P{L}$", "", "1", 1},
        {"^\\p{gc=Nd}\\p{General_Category=Decimal_Number}$", "", "12", 1},
        {"^\\p{Script=Greek}\\p{sc=Grek}\\p{scx=Greek}\\p{Script_Extensions=Grek}$", "",
         "\xCE\xB1\xCE\xB2\xCE\xB3\xCE\xB4", 1},
        {"^\\p{ASCII}\\p{Any}\\p{Assigned}\\p{Alphabetic}$", "",
         "a\xC3\xA9"
         "bc",
         1},
        {"\\P{Any}", "", "a", 0},
        {"\\P{Assigned}", "", "a", 0},
        {"^\\p{LC}\\p{Cased_Letter}$", "", "aB", 1},
        {"^\\p{Emoji}$", "", "\xF0\x9F\x98\x80", 1},
        {"^[\\p{L}\\d]+$", "",
         "\xC3\xA9"
         "9",
         1},
        {"^[^\\p{L}]$", "", "9", 1},
        {"^\\p{Lu}$", "i", "a", 1},
        {"^\\P{Lu}$", "i", "A", 1},
        /* groups, look-around, references */
        {"^(a)\\1$", "", "aa", 1},
        {"^(?:(a)|b)\\1$", "", "b", 1},
        {"^\\1(a)$", "", "a", 1},
        {"^(?:(a)|b)\\1{2}$", "", "b", 1},
        {"^(?<x>a)\\k<x>$", "", "aa", 1},
        {"^\\k<x>(?<x>a)$", "", "a", 1},
        {"^(?<$\xC3\xA9>a)\\k<$\xC3\xA9>$", "", "aa", 1},
        {"^(a)\\k<x>(?<x>b)\\2?1$", "", "ab1", 1},
        {"a(?=b)", "", "ab", 1},
        {"a(?!b)", "", "ab", 0},
        {"(?<=a)b", "", "ab", 1},
        {"(?<!a)b", "", "ab", 0},
        {"^(?:ab){2}$", "", "abab", 1},
        /* quantifiers */
        {"^a{2}$", "", "aa", 1},
        {"^a{2,}$", "", "a", 0},
        {"^a{1,2}?$", "", "aa", 1},
        {"^a+?b*?c??$", "", "aabc", 1},
        {"^a{0}$", "", "", 1},
        {"^a{007}$", "", "aaaaaaa", 1},
        {"^.{0,65535}$", "", "x", 1},
        {"abc", "imsu", "ABC", 1},
        {"[a-z]", "v", "q", 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason error = {0};
        int match = try(rows[i].source, strlen(rows[i].source), rows[i].flags, rows[i].text,
                        strlen(rows[i].text), &error);

        if (match != rows[i].match)
            fail_msg("/%s/%s on \"%s\": %d, %s", rows[i].source, rows[i].flags, rows[i].text, match,
                     error.text);
    }
}

static void takes_nul_as_a_character(void **state)
{
    static const struct {
        const char *source;
        size_t size;
        const char *text;
        size_t text_size;
        int match;
    } rows[] = {
        {TEXT("^\\0$"), TEXT("\0"), 1},  {TEXT("^a\0b$"), TEXT("a\0b"), 1},
        {TEXT("^[\0]$"), TEXT("\0"), 1}, {TEXT("^\\\0$"), TEXT("\0"), 1},
        {TEXT("a\0b"), TEXT("a"), 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason error = {0};

        assert_int_equal(
            try(rows[i].source, rows[i].size, "", rows[i].text, rows[i].text_size, &error),
            rows[i].match);
    }
}

static void refuses_with_the_offset(void **state)
{
    static const struct {
        const char *source, *flags, *text;
    } rows[] = {
        {"(", "", "missing ) at offset 1"},
        {"a)", "", "unmatched ) at offset 1"},
        {"^(abc]", "", "missing ) at offset 6"},
        {"ab[cd", "", "missing ] at offset 2"},
        {"*a", "", "nothing to repeat at offset 0"},
        {"a|*", "", "nothing to repeat at offset 2"},
        {"a**", "", "nothing to repeat at offset 2"},
        {"a++", "", "nothing to repeat at offset 2"},
        {"a{2}+", "", "nothing to repeat at offset 4"},
        {"^*", "", "nothing to repeat at offset 1"},
        {"(?=a)*", "", "nothing to repeat at offset 5"},
        {"(?<!a){2}", "", "nothing to repeat at offset 6"},
        {"\\b+", "", "nothing to repeat at offset 2"},
        {"{2}", "", "nothing to repeat at offset 0"},
        {"(*FAIL)", "", "nothing to repeat at offset 1"},
        {"(*UTF)a", "", "nothing to repeat at offset 1"},
        {"a{2,1}", "", "the repeat counts are out of order at offset 1"},
        {"a{65536}", "", "the repeat count is too large at offset 1"},
        {"a{1,99999999999999999999}", "", "the repeat count is too large at offset 1"},
        {"[z-a]", "", "the range is out of order at offset 1"},
        {"\\a", "", "invalid escape at offset 0"},
        {"x\\e", "", "invalid escape at offset 1"},
        {"\\z", "", "invalid escape at offset 0"},
        {"\\A", "", "invalid escape at offset 0"},
        {"^\\S(|(.|\\n)*\\S)\\Z", "", "invalid escape at offset 15"},
        {"\\Qa\\E", "", "invalid escape at offset 0"},
        {"\\G", "", "invalid escape at offset 0"},
        {"a\\Kb", "", "invalid escape at offset 1"},
        {"\\R", "", "invalid escape at offset 0"},
        {"\\h", "", "invalid escape at offset 0"},
        {"\\X", "", "invalid escape at offset 0"},
        {"[\\B]", "", "invalid escape at offset 1"},
        {"[\\1]", "", "invalid escape at offset 1"},
        {"\\c1", "", "invalid escape at offset 0"},
        {"\\x4", "", "invalid escape at offset 0"},
        {"\\01", "", "invalid escape at offset 0"},
        {"\\u12", "", "invalid \\u escape at offset 0"},
        {"\\u{110000}", "", "invalid \\u escape at offset 0"},
        {"\\u{}", "", "invalid \\u escape at offset 0"},
        {"a\\", "", "\\ at the end of the pattern at offset 1"},
        {"(?i)a", "", "invalid group at offset 0"},
        {"(?i:a)", "", "invalid group at offset 0"},
        {"a(?#x)", "", "invalid group at offset 1"},
        {"(?>a)", "", "invalid group at offset 0"},
        {"(?|a)", "", "invalid group at offset 0"},
        {"(?R)", "", "invalid group at offset 0"},
        {"(?1)", "", "invalid group at offset 0"},
        {"(?&n)", "", "invalid group at offset 0"},
        {"(?P<n>a)", "", "invalid group at offset 0"},
        {"(?(1)a)", "", "invalid group at offset 0"},
        {"(?", "", "invalid group at offset 0"},
        {"(?<1>a)", "", "invalid group name at offset 3"},
        {"(?<n", "", "invalid group name at offset 3"},
        {"(?<n>a)(?<n>b)", "", "duplicate group name at offset 10"},
        {"(a)\\2", "", "reference to an unknown group at offset 3"},
        {"\\k<n>", "", "reference to an unknown group at offset 0"},
        {"(?<n>a)\\k", "", "reference to an unknown group at offset 7"},
        {"\\p{Foo}", "", "invalid property name at offset 0"},
        {"a\\p{Greek}", "", "invalid property name at offset 1"},
        {"\\p{letter}", "", "invalid property name at offset 0"},
        {"\\pL", "", "invalid property name at offset 0"},
        {"\\p{L", "", "invalid property name at offset 0"},
        {"\\p{^L}", "", "invalid property name at offset 0"},
        {"\\p{Script=greek}", "", "invalid property name at offset 0"},
        {"ab\\p{Script=Klingon}", "", "unknown script at offset 2"},
        {"a(?<=b+)c", "", "lookbehind without a fixed length at offset 1"},
        {"[[a-z]--[b]]", "v", "set notation is not supported at offset 1"},
        {"[a&&b]", "v", "set notation is not supported at offset 2"},
        {"a", "g", "invalid flags at offset 0"},
        {"a", "ii", "invalid flags at offset 0"},
        {"a", "uv", "invalid flags at offset 0"},
        {"ab\xFF", "", "the pattern is not valid UTF-8 at offset 2"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason error = {0};
        int match = try(rows[i].source, strlen(rows[i].source), rows[i].flags, "", 0, &error);

        if (match != REFUSED)
            fail_msg("/%s/ was not refused", rows[i].source);
        assert_string_equal(error.text, rows[i].text);
        assert_int_equal(error.code, HAFT_EPATTERN);
    }
}

static void bounds_size_and_nesting(void **state)
{
    static char text[70 * 1024];
    static const struct {
        char fill, close;
        size_t count;
        bool compiles;
    } rows[] = {
        {'a', 0, 20000, true},  {'a', 0, 64 * 1024 + 1, false}, {'(', ')', 200, true},
        {'(', ')', 201, false}, {'(', ')', 30000, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason error = {0};
        size_t size = rows[i].close ? rows[i].count * 2 : rows[i].count;

        memset(text, rows[i].fill, rows[i].count);
        memset(text + rows[i].count, rows[i].close, size - rows[i].count);
        assert_int_equal(try(text, size, "", "", 0, &error) != REFUSED, rows[i].compiles);
    }
}

/* A text that is too long for the stack of compiled code is matched without. */
static void matches_long_texts(void **state)
{
    enum { LONG = 20000 };
    haft_arena *arena = haft_arena_new(NULL, 256 << 20);
    struct pattern_scratch scratch = {.arena = arena};
    const struct pattern *pattern = NULL;
    struct pattern *list = NULL;
    haft_reason error = {0};
    static char text[LONG];

    (void)state;
    for (size_t i = 0; i < LONG; i++)
        text[i] = i % 2 ? 'b' : 'a';
    assert_int_equal(hf_pattern_compile(arena, &list, TEXT("^(?:a|b(?=a|$)|(?:ab)+c)*$"), NULL,
                                        10000000, &pattern, &error),
                     0);
    assert_int_equal(hf_pattern_match(pattern, &scratch, text, LONG), 1);
    hf_patterns_free(list);
    haft_arena_free(arena);
}

static void stops_after_its_steps(void **state)
{
    static const struct {
        const char *source;
        size_t size; /* of a text of a's with one b at the end */
        int match;
    } rows[] = {
        {"^(a+)+$", 40, HAFT_ESTEPS},
        {"^(?:a|a)*$", 40, HAFT_ESTEPS},
        {"^(a*)*$", 40, HAFT_ESTEPS},
        {"^a*b$", 60000, 1},
        {"b", 60000, 1},
        {"^[^b]*$", 60000, 0},
    };
    static char text[60000];

    (void)state;
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason error = {0};

        text[rows[i].size - 1] = 'b';
        assert_int_equal(
            try(rows[i].source, strlen(rows[i].source), "", text, rows[i].size, &error),
            rows[i].match);
        text[rows[i].size - 1] = 'a';
    }
}

static void knows_what_is_valid(void **state)
{
    static const struct {
        const char *source;
        int valid;
    } rows[] = {
        {"^a$", 1},           {"(?<=a+)b", 1},        {"[", 0},
        {"\\Z", 0},           {"\\p{sc=Klingon}", 0}, {"\\p{sc=Latin}", 1},
        {"(?<n>a)\\k<n>", 1}, {"(?i)a", 0},           {"(a{1000}){1000}", 1},
    };
    haft_arena *arena = haft_arena_new(NULL, LIMIT);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(hf_pattern_valid(arena, rows[i].source, strlen(rows[i].source)),
                         rows[i].valid);
        assert_int_equal(haft_arena_used(arena), 0);
    }
    haft_arena_free(arena);
}

/* What a pattern leaves in its arena is its code, not what compiling it took. */
static void keeps_little(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    const struct pattern *pattern;
    struct pattern *list = NULL;
    haft_reason error;

    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(hf_pattern_compile(arena, &list, TEXT("^[a-z]+(?:-[a-z]+)*$"), "", STEPS,
                                            &pattern, &error),
                         0);
    assert_true(haft_arena_used(arena) < 100 * 2048);
    hf_patterns_free(list);
    haft_arena_free(arena);
}

/* After the first match, no match allocates. */
static void reuses_its_scratch(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT), *call = haft_arena_new(NULL, LIMIT);
    struct pattern_scratch scratch = {.arena = call};
    const struct pattern *pattern;
    struct pattern *list = NULL;
    haft_reason error;
    size_t used;

    (void)state;
    assert_int_equal(
        hf_pattern_compile(arena, &list, TEXT("^(\\w+)-\\1$"), "", STEPS, &pattern, &error), 0);
    assert_int_equal(hf_pattern_match(pattern, &scratch, TEXT("ab-ab")), 1);
    used = haft_arena_used(call);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(hf_pattern_match(pattern, &scratch, TEXT("ab-ac")), 0);
    assert_int_equal(haft_arena_used(call), used);
    hf_patterns_free(list);
    haft_arena_free(arena);
    haft_arena_free(call);
}

static void survives_every_failed_allocation(void **state)
{
    static const char *const sources[] = {"^(a+)\\1[\\w-]{2,5}\\p{L}$", "a(?<=b+)", "(", ""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(sources); i++)
        for (size_t nth = 1;; nth++) {
            struct failing memory;
            struct pattern *list = NULL;
            const struct pattern *pattern;
            haft_arena *arena;

            failing_init(&memory, nth);
            arena = haft_arena_new(&memory.allocator, LIMIT);
            if (arena) {
                struct pattern_scratch scratch = {.arena = arena};
                haft_reason error = {0};
                int status = hf_pattern_compile(arena, &list, sources[i], strlen(sources[i]), "",
                                                STEPS, &pattern, &error);

                assert_true(status == 0 || status == HAFT_EPATTERN || memory.failures);
                if (!status)
                    status = hf_pattern_match(pattern, &scratch, TEXT("aaaab-\xC3\xA9"));
                if (status == HAFT_ENOMEM)
                    assert_true(memory.failures > 0);
                status = hf_pattern_valid(arena, sources[i], strlen(sources[i]));
                assert_true(status >= 0 || memory.failures);
            }
            hf_patterns_free(list);
            haft_arena_free(arena);
            failing_check(&memory);
            if (!memory.failures)
                break;
        }
}

/* An arena that is full fails in other places than one whose allocator does. */
static void survives_every_limit(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 24 * 1024; limit += 48) {
        haft_arena *arena = haft_arena_new(NULL, limit);
        struct pattern_scratch scratch = {.arena = arena};
        const struct pattern *pattern;
        struct pattern *list = NULL;
        haft_reason error = {0};
        int status;

        assert_non_null(arena);
        status = hf_pattern_compile(arena, &list, TEXT("^(?:a|(b)\\1)+[^\\d]$"), "", STEPS,
                                    &pattern, &error);
        assert_true(status == 0 || status == HAFT_ENOMEM);
        if (!status) {
            status = hf_pattern_match(pattern, &scratch, TEXT("aabbac"));
            assert_true(status == 1 || status == HAFT_ENOMEM);
        }
        hf_patterns_free(list);
        haft_arena_free(arena);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_what_ecma_says),
        cmocka_unit_test(takes_nul_as_a_character),
        cmocka_unit_test(refuses_with_the_offset),
        cmocka_unit_test(bounds_size_and_nesting),
        cmocka_unit_test(matches_long_texts),
        cmocka_unit_test(stops_after_its_steps),
        cmocka_unit_test(knows_what_is_valid),
        cmocka_unit_test(keeps_little),
        cmocka_unit_test(reuses_its_scratch),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(survives_every_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
