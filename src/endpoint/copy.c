/* copy.c - copies of requests: with a header index, or independent of their connection. */
#include <string.h>

#include "endpoint/guard.h"
#include "engine/call/identity.h"

const haft_request *hf_request_index(const haft_request *request, haft_request *ret_request,
                                     struct haft_header_index *ret_index)
{
    hf_headers_index(request->headers, request->n_headers, ret_index);
    *ret_request = *request;
    ret_request->index_ = ret_index;
    return ret_request;
}

/* Copies NULL as NULL. */
static bool request_copy_text(haft_arena *arena, const char **text)
{
    const char *from = *text;

    *text = from ? haft_arena_copy(arena, from, strlen(from)) : NULL;
    return *text || !from;
}

/* Replaces an identity, which may be NULL, by a copy. */
static bool request_copy_identity(haft_arena *arena, const haft_identity **identity)
{
    haft_identity *copy = *identity ? haft_arena_alloc(arena, sizeof *copy) : NULL;

    if (!*identity)
        return true;
    if (!copy || !hf_identity_copy(copy, *identity, arena))
        return false;
    *identity = copy;
    return true;
}

bool hf_request_copy(haft_arena *arena, const haft_request *from, haft_request *ret_copy)
{
    struct haft_header_index *index = haft_arena_alloc(arena, sizeof *index);
    haft_request copy = *from;

    copy.headers = hf_headers_copy(arena, from->headers, from->n_headers);
    copy.body = haft_arena_copy(arena, from->body ? from->body : "", from->body_size);
    if (!index || !copy.headers || !copy.body || !request_copy_text(arena, &copy.method) ||
        !request_copy_text(arena, &copy.path) || !request_copy_text(arena, &copy.target) ||
        !request_copy_text(arena, &copy.query) || !request_copy_text(arena, &copy.peer) ||
        !request_copy_text(arena, &copy.principal) ||
        !request_copy_text(arena, &copy.certificate) ||
        !request_copy_identity(arena, &copy.identity))
        return false;
    hf_headers_index(copy.headers, copy.n_headers, index);
    copy.index_ = index;
    *ret_copy = copy;
    return true;
}
