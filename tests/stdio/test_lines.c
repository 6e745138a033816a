/* test_lines.c - lines out of bytes, however the bytes are cut up. */
#include "stdio/lines.h"

#include <string.h>

#include "support/failing.h"
#include "support/test.h"

/* The lines of a stream as one text: each followed by '|', a line that is too long as "#|". */
static void collect(struct lines *lines, bool last, haft_buffer *seen)
{
    const char *line;
    size_t size;
    int status;

    while ((status = hf_lines_next(lines, last, &line, &size))) {
        if (status > 0)
            haft_buffer_add(seen, line, size);
        else
            haft_buffer_add(seen, "#", 1);
        haft_buffer_add(seen, "|", 1);
    }
}

static void feed(struct lines *lines, const char *bytes, size_t size, haft_buffer *seen)
{
    while (size) {
        size_t room, n;
        char *data = hf_lines_room(lines, &room);

        assert_non_null(data);
        n = room < size ? room : size;
        memcpy(data, bytes, n);
        hf_lines_filled(lines, n);
        bytes += n;
        size -= n;
        collect(lines, false, seen);
    }
}

/* At every offset, in two parts; then byte by byte. */
static void finds_lines_wherever_they_are_cut(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *lines;
    } rows[] = {
        {TEXT(""), ""},
        {TEXT("a\n"), "a|"},
        {TEXT("a\nbb\nccc\n"), "a|bb|ccc|"},
        {TEXT("a\r\nbb\r\n"), "a|bb|"},
        {TEXT("a\nno end"), "a|no end|"},
        {TEXT("a\nno end\r"), "a|no end|"},
        {TEXT("\n\n \t\r\n\r\na\n\n"), "a|"},
        {TEXT("\xEF\xBB\xBF"
              "a\nb\n"),
         "a|b|"},
        {TEXT("\xEF\xBB\xBF\na\n"), "a|"},
        {TEXT("a\n\xEF\xBB\xBF"
              "b\n"),
         "a|\xEF\xBB\xBF"
         "b|"},
        {TEXT("a\rb\n"), "a\rb|"},
        {TEXT("\xff\xfe\n"), "\xff\xfe|"},
        {TEXT("0123456789\n"), "0123456789|"},
        {TEXT("0123456789\r\n"), "0123456789|"},
        {TEXT("01234567890\nb\n"), "#|b|"},
        {TEXT("0123456789012345678901234567890123456789\nb\n"), "#|b|"},
        {TEXT("0123456789012345678901234567890123456789"), "#|"},
        {TEXT("\n0123456789012345\n0123456789012345\nb"), "#|#|b|"},
        {TEXT("\xEF\xBB\xBF"
              "0123456789\nb"),
         "0123456789|b|"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t cut = 0; cut <= rows[i].size + 1; cut++) {
            size_t first = cut <= rows[i].size ? cut : 1;
            struct failing memory;
            struct lines lines;
            haft_buffer seen;

            failing_init(&memory, 0);
            haft_buffer_init(&seen, NULL, 1 << 20);
            hf_lines_init(&lines, &memory.allocator, 10);
            if (first > rows[i].size)
                first = rows[i].size;
            feed(&lines, rows[i].bytes, first, &seen);
            for (size_t at = first; at < rows[i].size;) {
                size_t n = cut <= rows[i].size ? rows[i].size - at : 1;

                feed(&lines, rows[i].bytes + at, n, &seen);
                at += n;
            }
            collect(&lines, true, &seen);
            haft_buffer_add(&seen, "", 1);
            assert_string_equal(seen.data, rows[i].lines);
            haft_buffer_finish(&seen);
            hf_lines_finish(&lines);
            failing_check(&memory);
        }
    }
}

/* The limit may be the largest number. */
static void a_line_may_have_any_length(void **state)
{
    struct lines lines;
    haft_buffer seen;

    (void)state;
    haft_buffer_init(&seen, NULL, 1 << 20);
    hf_lines_init(&lines, NULL, SIZE_MAX);
    feed(&lines, TEXT("0123456789"), &seen);
    feed(&lines, TEXT("\nb\n"), &seen);
    haft_buffer_add(&seen, "", 1);
    assert_string_equal(seen.data, "0123456789|b|");
    haft_buffer_finish(&seen);
    hf_lines_finish(&lines);
}

static void a_long_line_grows_the_buffer_which_shrinks_again(void **state)
{
    enum { LONG = 4 << 20 };
    static char bytes[LONG + 1];
    struct failing memory;
    struct lines lines;
    haft_buffer seen;
    size_t room;

    (void)state;
    failing_init(&memory, 0);
    haft_buffer_init(&seen, NULL, LONG * 2);
    hf_lines_init(&lines, &memory.allocator, LONG);
    memset(bytes, 'x', LONG);
    bytes[LONG] = '\n';
    feed(&lines, bytes, sizeof bytes, &seen);
    assert_int_equal(seen.size, LONG + 1);
    assert_true(memory.live_bytes >= LONG);
    hf_lines_room(&lines, &room);
    assert_true(memory.live_bytes <= 64 << 10);
    haft_buffer_finish(&seen);
    hf_lines_finish(&lines);
    failing_check(&memory);
}

/* Without memory for a line it is as good as too long, and the next one is read. */
static void without_memory_a_line_is_given_up(void **state)
{
    enum { LONG = 200 << 10 };
    static char bytes[LONG + 3];

    (void)state;
    memset(bytes, 'x', LONG);
    memcpy(bytes + LONG, "\nb\n", 3);
    for (size_t nth = 2; nth <= 3; nth++) {
        struct failing memory;
        struct lines lines;
        haft_buffer seen;

        failing_init(&memory, nth);
        memory.keep_failing = true;
        haft_buffer_init(&seen, NULL, 1 << 20);
        hf_lines_init(&lines, &memory.allocator, 1 << 20);
        feed(&lines, bytes, sizeof bytes, &seen);
        haft_buffer_add(&seen, "", 1);
        assert_string_equal(seen.data, "#|b|");
        haft_buffer_finish(&seen);
        hf_lines_finish(&lines);
        failing_check(&memory);
    }
}

/* A line that has grown too long is said to be, whether or not it ever ends. */
static void waits_for_no_end(void **state)
{
    enum { LIMIT = 100 };
    struct lines lines;
    haft_buffer seen;
    char text[LIMIT + 5];

    (void)state;
    memset(text, 'x', sizeof text);
    haft_buffer_init(&seen, NULL, 1 << 10);
    hf_lines_init(&lines, NULL, LIMIT);
    feed(&lines, text, LIMIT + 4, &seen);
    assert_int_equal(seen.size, 0);
    feed(&lines, text, 1, &seen);
    assert_int_equal(seen.size, 2);
    assert_memory_equal(seen.data, "#|", 2);
    assert_int_equal(hf_lines_left(&lines), 0);
    hf_lines_finish(&lines);
    haft_buffer_finish(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_no_end),
        cmocka_unit_test(finds_lines_wherever_they_are_cut),
        cmocka_unit_test(a_line_may_have_any_length),
        cmocka_unit_test(a_long_line_grows_the_buffer_which_shrinks_again),
        cmocka_unit_test(without_memory_a_line_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
