/* fuzz_text.c - any bytes through the encodings of base: what is accepted comes back the same. */
#include "base/base.h"

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
        size_t length = utf8_put(utf8_next(&at), again);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    if (!size)
        text = "";
    base64_goes_round(text, size);
    utf8_goes_round(text, size);
    json_string_is_escaped(text, size);
    return 0;
}
