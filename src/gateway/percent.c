/* percent.c - percent-encoding in paths, and form-encoded queries. */
#include <string.h>

#include "base/percent.h"
#include "gateway/gateway.h"

enum { MAX_PAIRS = 256 };

const char *haft_url_encode(haft_call *call, const char *text)
{
    haft_buffer buffer;
    const char *encoded = NULL;

    haft_buffer_init(&buffer, call->server->allocator, call->server->options.max_message);
    hf_percent_encode(&buffer, text, strlen(text));
    if (!buffer.status)
        encoded = haft_arena_copy(call->arena, buffer.data ? buffer.data : "", buffer.size);
    haft_buffer_finish(&buffer);
    return encoded;
}

const char *hf_percent_decoded(haft_arena *arena, const char *path)
{
    int status = 0;
    const char *decoded =
        strchr(path, '%') ? hf_percent_decode(arena, path, strlen(path), false, &status) : path;

    return decoded || status == HAFT_ENOMEM ? decoded : path;
}

/* ---- queries ---- */

static int read_pair(haft_gateway_request *req, const char *text, size_t size)
{
    haft_arena *arena = req->call->arena;
    const char *equals = memchr(text, '=', size);
    size_t name_size = equals ? (size_t)(equals - text) : size;
    const char *value = equals ? equals + 1 : text + size;
    haft_header *pair = &req->query[req->n_query];
    int status;

    pair->name = hf_percent_decode(arena, text, name_size, true, &status);
    if (pair->name)
        pair->value = hf_percent_decode(arena, value, (size_t)(text + size - value), true, &status);
    if (status)
        return status;
    req->n_query++;
    return 0;
}

int hf_query_read(haft_gateway_request *req)
{
    const char *query;
    size_t n = 1;

    if (req->query_read)
        return 0;
    if (hf_values_write_request(req))
        return HAFT_ENOMEM;
    query = req->request.query;
    for (const char *p = query; *p; p++)
        n += *p == '&';
    if (n > MAX_PAIRS)
        return HAFT_EINVAL;
    req->n_query = 0;
    req->query = haft_arena_zalloc(req->call->arena, n, sizeof *req->query);
    if (!req->query)
        return HAFT_ENOMEM;
    while (*query) {
        size_t size = strcspn(query, "&");
        int status = size ? read_pair(req, query, size) : 0;

        if (status)
            return status;
        query += size + (query[size] == '&');
    }
    req->query_read = true;
    return 0;
}
