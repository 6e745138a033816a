/* test_base64.c - RFC 4648, strict: what decodes encodes back to the same text. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

typedef int decoder(const char *text, size_t size, void *ret_bytes, size_t *ret_size);

static void check(decoder *decode, const char *text, const char *bytes, size_t size)
{
    char decoded[64];
    size_t got = 99;
    int status = decode(text, strlen(text), decoded, &got);

    if (!bytes) {
        if (status != HAFT_EINVAL)
            fail_msg("'%s' decoded", text);
        assert_int_equal(got, 99);
        return;
    }
    if (status || got != size || memcmp(decoded, bytes, size))
        fail_msg("'%s' did not decode", text);
}

static void decodes_strictly(void **state)
{
    static const struct {
        const char *text, *bytes; /* NULL: refused */
        size_t size;
    } rows[] = {
        {"", TEXT("")},
        {"Zg==", TEXT("f")},
        {"Zm8=", TEXT("fo")},
        {"Zm9v", TEXT("foo")},
        {"Zm9vYg==", TEXT("foob")},
        {"Zm9vYmFy", TEXT("foobar")},
        {"AAAA", TEXT("\0\0\0")},
        {"+/+/", TEXT("\xfb\xff\xbf")},
        {"/w==", TEXT("\xff")},
        /* without its padding, or with too much */
        {"Zg", NULL, 0},
        {"Zg=", NULL, 0},
        {"Zm8", NULL, 0},
        {"Zm9v====", NULL, 0},
        {"=", NULL, 0},
        {"==", NULL, 0},
        {"====", NULL, 0},
        {"Z===", NULL, 0},
        {"Zg=a", NULL, 0},
        {"Zg==Zg==", NULL, 0},
        {"=Zg=", NULL, 0},
        /* bits left over that are not zero */
        {"Zh==", NULL, 0},
        {"Zm9=", NULL, 0},
        /* not of the alphabet */
        {"Zm 9", NULL, 0},
        {"Zm9v\n", NULL, 0},
        {"\nZm9", NULL, 0},
        {"-_-_", NULL, 0},
        {"Zm9\xc3", NULL, 0},
        {"Zm9*", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(haft_base64_decode, rows[i].text, rows[i].bytes, rows[i].size);
}

static void decodes_base64url_strictly(void **state)
{
    static const struct {
        const char *text, *bytes; /* NULL: refused */
        size_t size;
    } rows[] = {
        {"", TEXT("")},
        {"Zg", TEXT("f")},
        {"Zm8", TEXT("fo")},
        {"Zm9v", TEXT("foo")},
        {"Zm9vYmE", TEXT("fooba")},
        {"-_-_", TEXT("\xfb\xff\xbf")},
        {"_w", TEXT("\xff")},
        {"AAA", TEXT("\0\0")},
        /* padding, white space, the other alphabet */
        {"Zg==", NULL, 0},
        {"Zm8=", NULL, 0},
        {"Zm9v=", NULL, 0},
        {"=", NULL, 0},
        {" Zg", NULL, 0},
        {"Zg ", NULL, 0},
        {"Zm\n8", NULL, 0},
        {"Zm9v\r\n", NULL, 0},
        {"+/+/", NULL, 0},
        {"Zm9\xc3", NULL, 0},
        {"Zm9.", NULL, 0},
        /* one character that is left over */
        {"A", NULL, 0},
        {"Zm9vA", NULL, 0},
        /* bits left over that are not zero */
        {"Zh", NULL, 0},
        {"Zm9", NULL, 0},
        {"_x", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(hf_base64url_decode, rows[i].text, rows[i].bytes, rows[i].size);
}

/* Every byte at every place of "AAAAAAA", whose last place has unused bits. */
static void knows_each_character(void **state)
{
    static const char most[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char url[65], standard[65];

    (void)state;
    snprintf(url, sizeof url, "%s-_", most);
    snprintf(standard, sizeof standard, "%s+/", most);
    for (int byte = 1; byte < 256; byte++) {
        const char *in_url = strchr(url, byte), *in_standard = strchr(standard, byte);

        for (size_t place = 0; place < 7; place++) {
            char text[] = "AAAAAAA=";
            unsigned char bytes[8];
            size_t size = 99;
            bool zero = place < 6 || !in_url || !((in_url - url) & 3);

            text[place] = (char)byte;
            assert_int_equal(hf_base64url_is_all(text, 7), in_url != NULL);
            assert_int_equal(hf_base64url_decode(text, 7, bytes, &size),
                             in_url && zero ? 0 : HAFT_EINVAL);
            assert_int_equal(size, in_url && zero ? 5 : 99);
            if (in_url && zero && place < 4)
                assert_int_equal((bytes[0] << 16 | bytes[1] << 8 | bytes[2]) >> (18 - 6 * place),
                                 in_url - url);
            if (place < 4)
                assert_int_equal(haft_base64_decode(text, 8, bytes, &size),
                                 in_standard ? 0 : HAFT_EINVAL);
        }
    }
    assert_true(hf_base64url_is_all("", 0));
}

static void goes_round(void **state)
{
    unsigned char bytes[256], decoded[256];
    char text[HAFT_BASE64_SIZE(sizeof bytes)];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + 3);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        size_t n = haft_base64_encode(bytes, size, text), got;

        assert_int_equal(n, HAFT_BASE64_SIZE(size));
        assert_int_equal(haft_base64_decode(text, n, decoded, &got), 0);
        assert_int_equal(got, size);
        assert_memory_equal(decoded, bytes, size);
    }
}

static void writes_without_padding(void **state)
{
    unsigned char bytes[64], decoded[BASE64URL_BYTES(HAFT_BASE64_SIZE(sizeof bytes))];
    haft_buffer text;
    size_t got;

    (void)state;
    haft_buffer_init(&text, NULL, 1024);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37 + 5);
    for (size_t size = 1; size <= sizeof bytes; size++) {
        haft_buffer_clear(&text);
        hf_base64url_put(&text, bytes, size);
        assert_true(BASE64URL_BYTES(text.size) >= size);
        assert_int_equal(hf_base64url_decode(text.data, text.size, decoded, &got), 0);
        assert_int_equal(got, size);
        assert_memory_equal(decoded, bytes, size);
    }
    haft_buffer_clear(&text);
    hf_base64url_put(&text, "\xFB\xFF\xFE\x01", 4);
    haft_buffer_add(&text, "", 1);
    assert_string_equal(text.data, "-__-AQ");
    haft_buffer_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_strictly),       cmocka_unit_test(decodes_base64url_strictly),
        cmocka_unit_test(knows_each_character),   cmocka_unit_test(goes_round),
        cmocka_unit_test(writes_without_padding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
