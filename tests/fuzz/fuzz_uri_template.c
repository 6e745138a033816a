/* fuzz_uri_template.c - any template on any address.
 *
 * A line end parts the template from the address.  Whatever the bytes are, an answer comes back,
 * the same one twice, and what is set is text: UTF-8 without a NUL, no more of it than the address
 * has, and without a slash that was hidden in a variable which cannot hold one. */
#include "engine/offer/uri_template.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 16 << 20 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_pairs(const struct uri_template *made, const struct text *pairs, size_t n,
                        size_t address_size)
{
    for (size_t i = 0; i < n; i++) {
        const struct text *name = &pairs[i * 2], *value = &pairs[i * 2 + 1];

        require(strlen(name->data) == name->size && name->size);
        require(strlen(value->data) == value->size && value->size <= address_size);
        require(haft_utf8_valid(value->data, value->size) == value->size);
        require(hf_uri_template_has(made, name->data));
    }
}

/* A template of plain {variables} only finds no slash in any of them. */
static bool is_plain(const char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++)
        if (text[i] == '{' && memchr("+#.;?&/", text[i + 1], 7))
            return false;
    return true;
}

static void match(haft_arena *arena, const struct uri_template *made, bool plain, const char *text,
                  size_t size)
{
    const struct text *pairs = NULL, *again = NULL;
    struct address address;
    size_t n = 0, n_again = 0;
    int status = hf_address_read(arena, text, size, &address);

    if (status) {
        require(status == HAFT_EINVAL || status == HAFT_ETOOBIG || status == HAFT_ENOMEM);
        return;
    }
    status = hf_uri_template_match(made, &address, arena, &pairs, &n);
    require(status == 1 || status == 0 || status == HAFT_ENOMEM);
    if (status != 1)
        return;
    check_pairs(made, pairs, n, size);
    for (size_t i = 0; plain && i < n; i++)
        require(!strchr(pairs[i * 2 + 1].data, '/'));
    status = hf_uri_template_match(made, &address, arena, &again, &n_again);
    require(status == HAFT_ENOMEM || (status == 1 && n == n_again));
    for (size_t i = 0; status == 1 && i < n * 2; i++)
        require(!strcmp(pairs[i].data, again[i].data));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    const char *text = (const char *)data;
    const char *end = size ? memchr(text, '\n', size) : NULL;
    const struct uri_template *made = NULL;
    haft_reason error = {0};
    int status;

    if (!arena || !end) {
        haft_arena_free(arena);
        return 0;
    }
    status = hf_uri_template_compile(arena, text, (size_t)(end - text), &made, &error);
    if (status)
        require(status == error.code && *error.text);
    else
        match(arena, made, is_plain(text, (size_t)(end - text)), end + 1,
              (size_t)(text + size - end - 1));
    haft_arena_free(arena);
    return 0;
}
