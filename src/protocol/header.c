/* header.c - HTTP headers as pairs. */
#include "protocol/header.h"

static bool header_is(const haft_header *header, const char *name)
{
    /* Mostly the first letter decides, and capitals are rare. */
    return !((*header->name ^ *name) & ~0x20) &&
           (!strcmp(header->name, name) || hf_text_same_ignoring_case(header->name, name));
}

const char *hf_header_find_from(const haft_header *headers, size_t n, size_t first,
                                const char *name, size_t *ret_size)
{
    for (size_t i = first; i < n; i++)
        if (header_is(&headers[i], name)) {
            *ret_size = strlen(headers[i].value);
            return headers[i].value;
        }
    return NULL;
}

const char *haft_header_find(const haft_header *headers, size_t n, const char *name)
{
    size_t size;

    return hf_header_find_from(headers, n, 0, name, &size);
}

size_t hf_header_count(const haft_header *headers, size_t n, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += header_is(&headers[i], name);
    return count;
}

haft_header *hf_headers_copy(haft_arena *arena, const haft_header *headers, size_t n)
{
    haft_header *copies = haft_arena_zalloc(arena, n + 1, sizeof *copies);

    for (size_t i = 0; copies && i < n; i++) {
        copies[i].name = haft_arena_copy(arena, headers[i].name, strlen(headers[i].name));
        copies[i].value = haft_arena_copy(arena, headers[i].value, strlen(headers[i].value));
        if (!copies[i].name || !copies[i].value)
            return NULL;
    }
    return copies;
}

bool hf_header_name_is_valid(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "!#$%&'*+-.^_`|~";

    return *name && strspn(name, allowed) == strlen(name);
}

/* Whether one of eight bytes is a control character, or could be. */
static bool may_have_control(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;

    return ((word - ones * 0x20) & ~word & high) ||
           (((word ^ ones * 0x7F) - ones) & ~(word ^ ones * 0x7F) & high);
}

bool hf_header_value_is_valid(const char *value, size_t size)
{
    uint64_t word;

    for (; size >= sizeof word; value += sizeof word, size -= sizeof word) {
        memcpy(&word, value, sizeof word);
        if (may_have_control(word))
            break;
    }
    for (; size; value++, size--)
        if (((unsigned char)*value < 0x20 && *value != '\t') || *value == 0x7F)
            return false;
    return true;
}
