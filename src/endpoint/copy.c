/* copy.c - a request that outlives its connection. */
#include <string.h>

#include "endpoint/guard.h"

/* Also of NULL, which is then its own copy. */
static bool request_copy_text(haft_arena *arena, const char **text)
{
    const char *from = *text;

    *text = from ? haft_arena_copy(arena, from, strlen(from)) : NULL;
    return *text || !from;
}

bool hf_request_copy(haft_arena *arena, const haft_request *from, haft_request *ret_copy)
{
    haft_request copy = *from;

    copy.headers = hf_headers_copy(arena, from->headers, from->n_headers);
    copy.body = haft_arena_copy(arena, from->body ? from->body : "", from->body_size);
    if (from->index_) {
        copy.index_ =
            (const unsigned char *)haft_arena_copy(arena, (const char *)from->index_, HEADER_SLOTS);
        if (!copy.index_)
            return false;
    }
    if (!copy.headers || !copy.body || !request_copy_text(arena, &copy.method) ||
        !request_copy_text(arena, &copy.path) || !request_copy_text(arena, &copy.target) ||
        !request_copy_text(arena, &copy.query) || !request_copy_text(arena, &copy.peer) ||
        !request_copy_text(arena, &copy.principal))
        return false;
    *ret_copy = copy;
    return true;
}
