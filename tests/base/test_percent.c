/* test_percent.c - percent-encoding. */
#include "base/percent.h"

#include <stdio.h>

#include "support/failing.h"
#include "support/test.h"

#define BYTES(text) text, sizeof text - 1

static void decodes(void **state)
{
    static const struct {
        const char *text, *bytes; /* NULL when it is malformed */
        size_t size;
        bool plus, valid; /* what is decoded is text without a NUL */
    } rows[] = {
        {"", BYTES(""), false, true},
        {"plain", BYTES("plain"), false, true},
        {"a+b", BYTES("a+b"), false, true},
        {"a+b", BYTES("a b"), true, true},
        {"a%2Bb", BYTES("a+b"), true, true},
        {"%41%62%2f", BYTES("Ab/"), false, true},
        {"%25%32%35", BYTES("%25"), false, true}, /* once */
        {"%C3%a9", BYTES("\xC3\xA9"), false, true},
        {"%C3", BYTES("\xC3"), false, false},
        {"\xFF", BYTES("\xFF"), false, false},
        {"a%00b", BYTES("a\0b"), false, false},
        {"%", NULL, 0, false, false},
        {"%4", NULL, 0, false, false},
        {"a%4", NULL, 0, false, false},
        {"%g0", NULL, 0, false, false},
        {"%0g", NULL, 0, false, false},
        {"%%41", NULL, 0, false, false},
        {"% 41", NULL, 0, false, false},
        {"%+1", NULL, 0, true, false},
        {"%u0041", NULL, 0, false, false},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = strlen(rows[i].text);
        char decoded[16];
        const char *text;
        int status;

        /* in place, too */
        memcpy(decoded, rows[i].text, size);
        size = hf_percent_decode_bytes(decoded, size, rows[i].plus, decoded);
        assert_int_equal(size, rows[i].bytes ? rows[i].size : PERCENT_INVALID);
        if (rows[i].bytes)
            assert_memory_equal(decoded, rows[i].bytes, size);
        text = hf_percent_decode(arena, rows[i].text, strlen(rows[i].text), rows[i].plus, &status);
        assert_int_equal(status, rows[i].valid ? 0 : HAFT_EINVAL);
        if (rows[i].valid)
            assert_string_equal(text, rows[i].bytes);
        else
            assert_null(text);
    }
    haft_arena_free(arena);
}

static void reads_one_escape(void **state)
{
    (void)state;
    assert_int_equal(percent_byte("%aF", 3), 0xAF);
    assert_int_equal(percent_byte("%00", 3), 0);
    assert_int_equal(percent_byte("%aF", 2), -1);
    assert_int_equal(percent_byte("%", 0), -1);
    assert_int_equal(percent_byte("a41", 3), -1);
    assert_int_equal(percent_byte("%zz", 3), -1);
}

/* Every byte is encoded or unreserved, and comes back. */
static void encodes(void **state)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

    (void)state;
    for (int c = 0; c < 256; c++) {
        char byte = (char)c, expected[4], again[4];
        haft_buffer buffer;
        bool is_plain = c && strchr(plain, c);

        snprintf(expected, sizeof expected, is_plain ? "%c" : "%%%02X", (unsigned)c);
        haft_buffer_init(&buffer, NULL, 16);
        hf_percent_encode(&buffer, &byte, 1);
        assert_int_equal(buffer.status, 0);
        assert_int_equal(buffer.size, strlen(expected));
        assert_memory_equal(buffer.data, expected, buffer.size);
        assert_int_equal(percent_is_unreserved((unsigned)c), is_plain);
        assert_int_equal(hf_percent_decode_bytes(buffer.data, buffer.size, false, again), 1);
        assert_int_equal(again[0], byte);
        haft_buffer_finish(&buffer);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes),
        cmocka_unit_test(reads_one_escape),
        cmocka_unit_test(encodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
