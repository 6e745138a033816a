/* header.c - HTTP headers as pairs. */
#include "protocol/header.h"

static bool header_is(const haft_header *header, const char *name)
{
    /* Mostly the first letter decides, and capitals are rare. */
    return !((*header->name ^ *name) & ~0x20) &&
           (!strcmp(header->name, name) || hf_text_same_ignoring_case(header->name, name));
}

const char *haft_header_find(const haft_header *headers, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (header_is(&headers[i], name))
            return headers[i].value;
    return NULL;
}

struct text hf_header_get(const haft_header *headers, size_t n, const char *name, bool *ret_again)
{
    struct text value = {NULL, 0};

    *ret_again = false;
    for (size_t i = 0; i < n && !*ret_again; i++) {
        if (!header_is(&headers[i], name))
            continue;
        *ret_again = value.data;
        if (!value.data)
            value = text_trim(headers[i].value, strlen(headers[i].value));
    }
    return value;
}

void hf_headers_index(const haft_header *headers, size_t n, struct haft_header_index *ret_index)
{
    *ret_index = (struct haft_header_index){0};
    for (size_t i = 0; i < n; i++) {
        const char *name = headers[i].name;
        size_t size = strlen(name);
        struct text *value = NULL;

        switch (NAME_KEY(*name | 0x20, size)) {
#define HEADER_CASE(member, first, text, count)                                                    \
    case NAME_KEY(first, sizeof text - 1):                                                         \
        /* Capitals are rare. */                                                                   \
        if (!memcmp(name, text, sizeof text - 1) || hf_text_is_ignoring_case(name, size, text))    \
            value = &ret_index->member;                                                            \
        break;
            HEADERS_READ(HEADER_CASE)
#undef HEADER_CASE
        }
        if (value && !value->data)
            *value = text_trim(headers[i].value, strlen(headers[i].value));
    }
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

bool hf_header_value_is_valid(const char *value, size_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;
    uint64_t word, deletes;

    /* Eight bytes at a time, as long as none of them could be a control character. */
    for (; size >= sizeof word; value += sizeof word, size -= sizeof word) {
        memcpy(&word, value, sizeof word);
        deletes = word ^ ones * 0x7F;
        if (((word - ones * 0x20) & ~word & high) || ((deletes - ones) & ~deletes & high))
            break;
    }
    for (; size; value++, size--)
        if (((unsigned char)*value < 0x20 && *value != '\t') || *value == 0x7F)
            return false;
    return true;
}
