/* copy.c - a request that outlives its connection's turn: whoever waits keeps a copy. */
#include <string.h>

#include "endpoint/guard.h"

struct header_copy {
    const char *name, *value;
    size_t name_size, value_size;
};

struct header_copies {
    size_t n;
    struct header_copy *list;
};

static const char *copy_header(const void *context, const char *name, size_t *ret_size)
{
    const struct header_copies *headers = context;

    for (size_t i = 0; i < headers->n; i++) {
        const struct header_copy *header = &headers->list[i];

        if (text_is_ignoring_case(header->name, header->name_size, name)) {
            *ret_size = header->value_size;
            return header->value;
        }
    }
    return NULL;
}

static bool copy_header_at(const void *context, size_t index, const char **ret_name,
                           size_t *ret_name_size, const char **ret_value, size_t *ret_value_size)
{
    const struct header_copies *headers = context;
    const struct header_copy *header = headers->list + index;

    if (index >= headers->n)
        return false;
    *ret_name = header->name;
    *ret_name_size = header->name_size;
    *ret_value = header->value;
    *ret_value_size = header->value_size;
    return true;
}

static const struct header_copies *copy_headers(const haft_headers *from, haft_arena *arena)
{
    struct header_copies *to = haft_arena_zalloc(arena, 1, sizeof *to);
    struct header_copy one;
    size_t n = 0;

    while (from->at &&
           from->at(from->context, n, &one.name, &one.name_size, &one.value, &one.value_size))
        n++;
    if (to)
        to->list = haft_arena_zalloc(arena, n + 1, sizeof *to->list);
    if (!to || !to->list)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        from->at(from->context, i, &one.name, &one.name_size, &one.value, &one.value_size);
        one.name = haft_arena_copy(arena, one.name, one.name_size);
        one.value = haft_arena_copy(arena, one.value, one.value_size);
        if (!one.name || !one.value)
            return NULL;
        to->list[to->n++] = one;
    }
    return to;
}

/* NULL stays NULL.  False without memory. */
static bool copy_text(haft_arena *arena, const char **text)
{
    if (!*text)
        return true;
    *text = haft_arena_copy(arena, *text, strlen(*text));
    return *text;
}

bool request_copy(haft_arena *arena, const haft_http_request *from, haft_http_request *to)
{
    const struct header_copies *headers = copy_headers(&from->headers, arena);

    *to = *from;
    to->headers = (haft_headers){.get = copy_header, .context = headers, .at = copy_header_at};
    to->body = haft_arena_copy(arena, from->body ? from->body : "", from->body_size);
    return headers && to->body && copy_text(arena, &to->method) && copy_text(arena, &to->path) &&
           copy_text(arena, &to->query) && copy_text(arena, &to->target) &&
           copy_text(arena, &to->peer) && copy_text(arena, &to->principal);
}
