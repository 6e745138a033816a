/* target.c - parses the target of a request, in the forms of RFC 9112, section 3.2.
 *
 * An absolute target names the host; its authority replaces the Host header, so that all later code
 * sees one host and a path. */
#include <string.h>

#include "base/percent.h"
#include "base/url.h"
#include "http/http.h"

/* Decodes the path in place, once, and keeps the original after the headers. Returns false if it is
 * malformed or contains a NUL, or without memory. */
static bool decode_path(struct connection *c)
{
    size_t size = strlen(c->head.data + c->path) + 1;
    char *path;

    c->target = c->head.size;
    for (size_t done = 0, n; done < size; done += n) {
        char piece[256];

        n = size - done < sizeof piece ? size - done : sizeof piece;
        memcpy(piece, c->head.data + c->path + done, n);
        haft_buffer_add(&c->head, piece, n);
        if (c->head.status)
            return false;
    }
    path = c->head.data + c->path;
    size = hf_percent_decode_bytes(path, size - 1, false, path);
    if (size == PERCENT_INVALID || memchr(path, '\0', size))
        return false;
    path[size] = '\0';
    return true;
}

static bool target_is_web(const struct url *url)
{
    const struct url_part *scheme = &url->scheme;

    return url->authority.size && (hf_text_is_ignoring_case(scheme->text, scheme->size, "http") ||
                                   hf_text_is_ignoring_case(scheme->text, scheme->size, "https"));
}

/* Splits an absolute target into its authority, which becomes the host, and its path. Returns false
 * if it is not an HTTP URL, has no host, or contains a user name. */
static bool target_read_absolute(struct connection *c)
{
    char *target = c->head.data;
    struct url url = hf_url_split(target, strlen(target));
    size_t size = url.authority.size;

    if (!url.scheme.text || !target_is_web(&url) || memchr(url.authority.text, '@', size))
        return false;
    c->path = (size_t)(url.authority.text - target) + size;
    /* The authority moves to the start, over the scheme, which leaves room for the slash of an
     * empty path. */
    memmove(target, url.authority.text, size);
    target[size] = '\0';
    if (target[c->path] != '/')
        target[--c->path] = '/';
    hf_connection_set_host(c, 0);
    return true;
}

_Static_assert(sizeof(haft_header) <= sizeof(struct field), "it takes the field's place");

bool hf_connection_read_target(struct connection *c)
{
    const char *target = c->head.data;
    haft_header *headers;
    bool is_valid;

    c->path = 0;
    is_valid = c->parser.method != HTTP_CONNECT &&
               (target[0] == '/' || (c->parser.method == HTTP_OPTIONS && !strcmp(target, "*")) ||
                target_read_absolute(c));
    if (is_valid) {
        char *path = c->head.data + c->path, *query = strchr(path, '?');

        if (query)
            *query++ = '\0';
        c->query = query ? (size_t)(query - c->head.data) : 0;
        c->target = c->path;
        is_valid = !strchr(path, '%') || decode_path(c);
    }
    if (c->head.status || c->fields.status || !hf_http_take_notes(c)) {
        hf_connection_refuse(c, 503, "Out of memory");
        return false;
    }
    if (!is_valid) {
        hf_connection_refuse(c, 400, "Bad Request: the path is malformed");
        return false;
    }
    headers = (haft_header *)(void *)c->fields.data;
    for (size_t i = 0; i < c->n_fields; i++) {
        const struct field field = ((const struct field *)(void *)headers)[i];

        headers[i] = (haft_header){c->head.data + field.name, c->head.data + field.value};
    }
    return true;
}
