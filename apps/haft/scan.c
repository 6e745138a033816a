/* scan.c - scans the bytes of JSON: skips strings, counts brackets. */
#include "scan.h"

#include <yyjson.h>

enum { SCAN_KEY_POOL = 4096 };

static size_t scan_space(const char *text, size_t size, size_t at)
{
    while (at < size && memchr(" \t\r\n", text[at], 4))
        at++;
    return at;
}

/* The offset after the string that starts at `at`. */
static size_t scan_string_end(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < size ? at + 1 : size;
}

static size_t scan_value_end(const char *text, size_t size, size_t at)
{
    size_t depth = 0;

    while (at < size) {
        char c = text[at];

        if (c == '"') {
            at = scan_string_end(text, size, at);
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']') {
            depth--;
            at++;
        } else if (depth) {
            at++;
        } else {
            while (at < size && !memchr(",]} \t\r\n", text[at], 7))
                at++;
        }
        if (!depth)
            return at;
    }
    return size;
}

struct scan_range scan_value(const char *text, size_t size, size_t at)
{
    size_t start = scan_space(text, size, at);

    return (struct scan_range){start, scan_value_end(text, size, start)};
}

/* The start of the next member or item; returns false at the end. */
static bool scan_begin_next(const char *text, size_t size, size_t *at)
{
    *at = scan_space(text, size, *at);
    if (*at < size && text[*at] == ',')
        *at = scan_space(text, size, *at + 1);
    return *at < size && text[*at] != '}' && text[*at] != ']';
}

bool scan_next_item(const char *text, size_t size, size_t *at, struct scan_range *ret_item)
{
    if (!scan_begin_next(text, size, at))
        return false;
    *ret_item = scan_value(text, size, *at);
    *at = ret_item->end;
    return true;
}

bool scan_next_member(const char *text, size_t size, size_t *at, struct scan_member *ret_member)
{
    size_t colon;

    if (!scan_begin_next(text, size, at))
        return false;
    ret_member->key = (struct scan_range){*at, scan_string_end(text, size, *at)};
    colon = scan_space(text, size, ret_member->key.end);
    ret_member->value = scan_value(text, size, colon + 1);
    *at = ret_member->value.end;
    return true;
}

/* Whether a key, with its quotes and possibly with escapes, equals the name. */
static bool scan_key_is(const char *key, size_t size, const char *name)
{
    char pool[SCAN_KEY_POOL], copy[SCAN_KEY_POOL / 4];
    size_t wanted = strlen(name);
    yyjson_alc allocator;
    yyjson_val *root;

    if (!memchr(key, '\\', size))
        return size == wanted + 2 && !memcmp(key + 1, name, wanted);
    if (size > sizeof copy || !yyjson_alc_pool_init(&allocator, pool, sizeof pool))
        return false;
    memcpy(copy, key, size);
    root = yyjson_doc_get_root(yyjson_read_opts(copy, size, 0, &allocator, NULL));
    return yyjson_equals_strn(root, name, wanted);
}

bool scan_find(const char *text, size_t size, size_t object, const char *name,
               struct scan_member *ret_member)
{
    size_t at = object + 1;
    struct scan_member member;

    while (scan_next_member(text, size, &at, &member))
        if (scan_key_is(text + member.key.start, member.key.end - member.key.start, name)) {
            *ret_member = member;
            return true;
        }
    return false;
}

void scan_replace(haft_buffer *out, const char *text, size_t size, struct scan_range part,
                  const char *with, size_t with_size)
{
    haft_buffer_add(out, text, part.start);
    haft_buffer_add(out, with, with_size);
    haft_buffer_add(out, text + part.end, size - part.end);
}
