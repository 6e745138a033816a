/* fuzz_text.c - any bytes through the encodings of base: what is accepted comes back the same. */
#include "base/percent.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void base64_goes_round(const char *text, size_t size)
{
    char *bytes = malloc(size + 1), *again = malloc(HAFT_BASE64_SIZE(size) + 1);
    size_t n;

    if (bytes && again) {
        require(haft_base64_encode(text, size, again) == HAFT_BASE64_SIZE(size));
        if (haft_base64_decode(text, size, bytes, &n) == 0) {
            require(haft_base64_encode(bytes, n, again) == size);
            require(memcmp(again, text, size) == 0);
        }
    }
    free(bytes);
    free(again);
}

static void utf8_goes_round(const char *text, size_t size)
{
    size_t valid = haft_utf8_valid(text, size), n = 0;
    const char *at = text;

    require(valid <= size);
    for (; at < text + valid; n++) {
        const char *start = at;
        char again[4];
        size_t length = hf_utf8_put(hf_utf8_next(&at), again);

        require(length == (size_t)(at - start) && memcmp(again, start, length) == 0);
    }
    require(at == text + valid && n == haft_utf8_length(text, valid));
}

static void json_string_is_escaped(const char *text, size_t size)
{
    haft_buffer buffer;

    haft_buffer_init(&buffer, NULL, 1 << 16);
    haft_buffer_json_string(&buffer, text, size);
    require((buffer.status == HAFT_EUTF8) == (haft_utf8_valid(text, size) != size));
    for (size_t i = 0; i < buffer.size; i++)
        require((unsigned char)buffer.data[i] >= 0x20);
    haft_buffer_finish(&buffer);
}

static void percent_goes_round(const char *text, size_t size)
{
    char *bytes = malloc(size + 1);
    haft_buffer buffer;
    size_t n;

    haft_buffer_init(&buffer, NULL, 3 * size + 1);
    hf_percent_encode(&buffer, text, size);
    if (bytes && buffer.data && !buffer.status) {
        n = hf_percent_decode_bytes(buffer.data, buffer.size, false, buffer.data);
        require(n == size && memcmp(buffer.data, text, n) == 0);
        n = hf_percent_decode_bytes(text, size, size % 2, bytes);
        require(n == PERCENT_INVALID || n <= size);
    }
    haft_buffer_finish(&buffer);
    free(bytes);
}

static void hex_goes_round(const char *text, size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    char *again = malloc(2 * size + 1);

    if (bytes && again) {
        hf_hex_put((const unsigned char *)text, size, again);
        require(hf_hex_read_lower(again, 2 * size, bytes) && memcmp(bytes, text, size) == 0);
        if (hf_hex_read_lower(text, size, bytes)) {
            hf_hex_put(bytes, size / 2, again);
            require(memcmp(again, text, size) == 0);
        }
    }
    free(bytes);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    if (!size)
        text = "";
    base64_goes_round(text, size);
    utf8_goes_round(text, size);
    json_string_is_escaped(text, size);
    percent_goes_round(text, size);
    hex_goes_round(text, size);
    return 0;
}
