/* target.c - what a request asks for: its target, in the forms of RFC 9112, section 3.2.
 *
 * An absolute target names the host that is asked; its authority takes the place of the Host header,
 * so that everything behind this file sees one host and a path. */
#include <string.h>

#include "base/percent.h"
#include "base/url.h"
#include "http/http.h"

/* Decodes the path in place, once; -1 when it is not well written or has a NUL. */
static int decode_path(char *path)
{
    size_t size = hf_percent_decode_bytes(path, strlen(path), false, path);

    if (size == PERCENT_INVALID || memchr(path, '\0', size))
        return -1;
    path[size] = '\0';
    return 0;
}

/* Keeps the path as it came behind the head, when decoding would change it. */
static void keep_path(struct connection *c)
{
    size_t size = strlen(c->head.data + c->path) + 1;

    c->target = c->path;
    if (!strchr(c->head.data + c->path, '%'))
        return;
    c->target = c->head.size;
    for (size_t done = 0, n; done < size; done += n) {
        char piece[256];

        n = size - done < sizeof piece ? size - done : sizeof piece;
        memcpy(piece, c->head.data + c->path + done, n);
        haft_buffer_add(&c->head, piece, n);
        if (c->head.status)
            return;
    }
}

static bool target_is_web(const struct url *url)
{
    const struct url_part *scheme = &url->scheme;

    return url->authority.size && (hf_text_is_ignoring_case(scheme->text, scheme->size, "http") ||
                                   hf_text_is_ignoring_case(scheme->text, scheme->size, "https"));
}

/* Parts an absolute target into its authority, which becomes the host, and its path.  False when it
 * is not one of HTTP's, has no host, or names a user. */
static bool target_read_absolute(struct connection *c)
{
    char *target = c->head.data;
    struct url url = hf_url_split(target, strlen(target));
    size_t size = url.authority.size;

    if (!url.scheme.text || !target_is_web(&url) || memchr(url.authority.text, '@', size))
        return false;
    c->path = (size_t)(url.authority.text - target) + size;
    /* The authority moves to the front, over the scheme; so there is room for the slash that an
     * empty path is. */
    memmove(target, url.authority.text, size);
    target[size] = '\0';
    if (target[c->path] != '/')
        target[--c->path] = '/';
    hf_connection_set_host(c, 0, size);
    return true;
}

/* Finds where the path begins; false for what is no target of its method. */
static bool target_read_form(struct connection *c)
{
    const char *target = c->head.data;

    c->path = 0;
    if (c->parser.method == HTTP_CONNECT)
        return false;
    return target[0] == '/' || (c->parser.method == HTTP_OPTIONS && !strcmp(target, "*")) ||
           target_read_absolute(c);
}

bool hf_connection_read_target(struct connection *c)
{
    bool well_written = target_read_form(c);
    char *query;

    if (well_written) {
        query = strchr(c->head.data + c->path, '?');
        if (query)
            *query = '\0';
        c->query = query ? (size_t)(query + 1 - c->head.data) : 0;
        keep_path(c);
    }
    if (c->head.status || c->fields.status) {
        hf_connection_refuse(c, 503, "Out of memory");
        return false;
    }
    if (well_written && !decode_path(c->head.data + c->path)) {
        hf_connection_settle_headers(c);
        return true;
    }
    hf_connection_refuse(c, 400, "Bad Request: the path is not well written");
    return false;
}
