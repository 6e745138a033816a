/* test_buffer.c - growing text: its limit, its sticky error, the JSON tokens. */
#include "base/base.h"

#include <math.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

static void appends_up_to_its_limit(void **state)
{
    static const struct {
        size_t limit, size, fit; /* appends of the size that fit */
    } rows[] = {
        {0, 1, 0},      {1, 1, 1},      {10, 3, 3},          {10, 10, 1},   {10, 11, 0},
        {255, 5, 51},   {256, 256, 1},  {256, 257, 0},       {257, 1, 257}, {300, 100, 3},
        {1000, 999, 1}, {5000, 7, 714}, {100000, 1000, 100},
    };
    static const char bytes[1000];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failing memory;
        haft_buffer buffer;
        size_t n = 0;

        failing_init(&memory, 0);
        haft_buffer_init(&buffer, &memory.allocator, rows[i].limit);
        for (; n <= rows[i].fit; n++) {
            haft_buffer_add(&buffer, bytes, rows[i].size);
            if (buffer.status)
                break;
        }
        if (n != rows[i].fit)
            fail_msg("limit %zu, size %zu: %zu fitted", rows[i].limit, rows[i].size, n);
        assert_int_equal(buffer.status, HAFT_ETOOBIG);
        assert_int_equal(buffer.size, rows[i].fit * rows[i].size);
        assert_true(memory.peak_bytes <= rows[i].limit * 2 + 1 || memory.calls > 1);
        haft_buffer_finish(&buffer);
        failing_check(&memory);
    }
}

static void printf_may_fill_it_to_the_brim(void **state)
{
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 10);
    haft_buffer_printf(&buffer, "%s-%04d", "abcde", 42);
    assert_int_equal(buffer.status, 0);
    assert_int_equal(buffer.size, 10);
    assert_memory_equal(buffer.data, "abcde-0042", 10);
    haft_buffer_printf(&buffer, "%s", "");
    assert_int_equal(buffer.status, 0);
    haft_buffer_printf(&buffer, "%c", 'x');
    assert_int_equal(buffer.status, HAFT_ETOOBIG);
    haft_buffer_finish(&buffer);
}

static void the_first_error_stays(void **state)
{
    haft_buffer buffer;

    (void)state;
    haft_buffer_init(&buffer, NULL, 8);
    haft_buffer_puts(&buffer, "1234");
    haft_buffer_json_string(&buffer, TEXT("\xff"));
    assert_int_equal(buffer.status, HAFT_EUTF8);
    haft_buffer_puts(&buffer, "far too long for it");
    haft_buffer_puts(&buffer, "5");
    haft_buffer_printf(&buffer, "%d", 5);
    haft_buffer_json_integer(&buffer, 5);
    haft_buffer_json_number(&buffer, 5);
    haft_buffer_json_string(&buffer, "", 0);
    assert_int_equal(buffer.status, HAFT_EUTF8);
    assert_int_equal(buffer.size, 4);
    haft_buffer_clear(&buffer);
    assert_int_equal(buffer.status, 0);
    haft_buffer_puts(&buffer, "56");
    assert_int_equal(buffer.size, 2);
    haft_buffer_finish(&buffer);
    assert_null(buffer.data);
    haft_buffer_finish(&buffer);
}

static void writes_json_strings(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        const char *json; /* NULL: it is not valid UTF-8 */
    } rows[] = {
        {TEXT(""), "\"\""},
        {NULL, 0, "\"\""},
        {TEXT("plain"), "\"plain\""},
        {TEXT("say \"hi\""), "\"say \\\"hi\\\"\""},
        {TEXT("a\\b/c"), "\"a\\\\b/c\""},
        {TEXT("\b\t\n\f\r"), "\"\\b\\t\\n\\f\\r\""},
        {TEXT("\0"), "\"\\u0000\""},
        {TEXT("a\0b"), "\"a\\u0000b\""},
        {TEXT("\x01\x07\x0b\x0e\x1f"), "\"\\u0001\\u0007\\u000b\\u000e\\u001f\""},
        {TEXT("\x7f"), "\"\x7f\""},
        {TEXT("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\""},
        {TEXT("\xe2\x80\xa8"), "\"\\u2028\""},
        {TEXT("a\xc2\x85\xc2\x84\xe2\x80\xa9"), "\"a\\u0085\xc2\x84\\u2029\""},
        {TEXT("a\xe2\x80\xa9z\xe2\x80\xa7\xe2\x82\xac"), "\"a\\u2029z\xe2\x80\xa7\xe2\x82\xac\""},
        {TEXT("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\""},
        {TEXT("\x80"), NULL},
        {TEXT("abc\xc3"), NULL},
        {TEXT("\xc0\xaf"), NULL},
        {TEXT("\xed\xa0\x80"), NULL},
        {TEXT("\xf4\x90\x80\x80"), NULL},
        {TEXT("valid \xff not"), NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_buffer buffer;

        haft_buffer_init(&buffer, NULL, 100);
        haft_buffer_json_string(&buffer, rows[i].text, rows[i].size);
        if (rows[i].json) {
            assert_int_equal(buffer.status, 0);
            assert_int_equal(buffer.size, strlen(rows[i].json));
            assert_memory_equal(buffer.data, rows[i].json, buffer.size);
            assert_int_equal(hf_json_string_size(rows[i].text, rows[i].size), buffer.size);
        } else {
            assert_int_equal(buffer.status, HAFT_EUTF8);
            assert_int_equal(buffer.size, 0);
        }
        haft_buffer_finish(&buffer);
    }
}

/* Wherever in a word the character stands that is written otherwise. */
static void measures_json_strings(void **state)
{
    static const char *const parts[] = {"\"",       "\\",           "\n",
                                        "\x01",     "\x7f",         "\xc2\x85",
                                        "\xc2\x84", "\xe2\x80\xa8", "\xf0\x9f\x98\x80"};
    haft_buffer text, json;

    (void)state;
    haft_buffer_init(&text, NULL, 100);
    haft_buffer_init(&json, NULL, 1000);
    for (size_t i = 0; i < COUNT_OF(parts) * 20 * 10; i++) {
        haft_buffer_clear(&text);
        haft_buffer_clear(&json);
        haft_buffer_add(&text, "abcdefghijklmnopqrst", i / 10 % 20);
        haft_buffer_puts(&text, parts[i / 200]);
        haft_buffer_add(&text, "0123456789", i % 10);
        haft_buffer_puts(&text, parts[i / 200]);
        haft_buffer_json_string(&json, text.data, text.size);
        assert_int_equal(hf_json_string_size(text.data, text.size), json.size);
    }
    haft_buffer_finish(&text);
    haft_buffer_finish(&json);
}

static void writes_json_numbers(void **state)
{
    haft_buffer buffer;
    static const char expected[] =
        "0,-9223372036854775808,9223372036854775807;0,-2.5,1e+21,null,null,null";

    (void)state;
    haft_buffer_init(&buffer, NULL, 1000);
    haft_buffer_json_integer(&buffer, 0);
    haft_buffer_puts(&buffer, ",");
    haft_buffer_json_integer(&buffer, INT64_MIN);
    haft_buffer_puts(&buffer, ",");
    haft_buffer_json_integer(&buffer, INT64_MAX);
    haft_buffer_puts(&buffer, ";");
    haft_buffer_json_number(&buffer, -0.0);
    haft_buffer_puts(&buffer, ",");
    haft_buffer_json_number(&buffer, -2.5);
    haft_buffer_puts(&buffer, ",");
    haft_buffer_json_number(&buffer, 1e21);
    haft_buffer_puts(&buffer, ",");
    haft_buffer_json_number(&buffer, (double)NAN);
    haft_buffer_puts(&buffer, ",");
    haft_buffer_json_number(&buffer, (double)INFINITY);
    haft_buffer_puts(&buffer, ",");
    haft_buffer_json_number(&buffer, (double)-INFINITY);
    assert_int_equal(buffer.size, sizeof expected - 1);
    assert_memory_equal(buffer.data, expected, buffer.size);
    haft_buffer_finish(&buffer);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing memory;
        haft_buffer buffer;

        failing_init(&memory, nth);
        haft_buffer_init(&buffer, &memory.allocator, 1 << 20);
        for (int i = 0; i < 200; i++) {
            haft_buffer_json_string(&buffer, TEXT("some \"text\" with\nescapes"));
            haft_buffer_printf(&buffer, "%100d", i);
        }
        assert_int_equal(buffer.status, memory.failures ? HAFT_ENOMEM : 0);
        haft_buffer_finish(&buffer);
        failing_check(&memory);
        if (!memory.failures)
            break;
        assert_true(nth < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_up_to_its_limit),
        cmocka_unit_test(printf_may_fill_it_to_the_brim),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(writes_json_strings),
        cmocka_unit_test(measures_json_strings),
        cmocka_unit_test(writes_json_numbers),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
