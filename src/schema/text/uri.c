/* uri.c - resolution of URI references (RFC 3986, section 5.2).
 *
 * A URI is split into slices of its text and reassembled in one allocation: the result is never
 * longer than both inputs together. */
#include "schema/text/uri.h"

#include <string.h>

#include "base/percent.h"
#include "base/url.h"

static size_t uri_until(const char *text, size_t size, char stop)
{
    const char *found = size ? memchr(text, stop, size) : NULL;

    return found ? (size_t)(found - text) : size;
}

static size_t uri_put(char *out, size_t at, const char *text, size_t size)
{
    if (size)
        memcpy(out + at, text, size);
    return at + size;
}

static bool uri_begins(const char *text, size_t size, const char *prefix)
{
    size_t n = strlen(prefix);

    return size >= n && memcmp(text, prefix, n) == 0;
}

/* Section 5.2.4, in place: text[0, kept) is the output so far. */
static size_t remove_dots(char *text, size_t size)
{
    size_t kept = 0, at = 0;

    while (at < size) {
        const char *rest = text + at;
        size_t left = size - at, n;
        bool up = false;

        if (uri_begins(rest, left, "../")) {
            at += 3;
        } else if (uri_begins(rest, left, "./")) {
            at += 2;
        } else if (uri_begins(rest, left, "/./")) {
            at += 2;
        } else if (left == 2 && uri_begins(rest, left, "/.")) {
            text[++at] = '/';
        } else if (uri_begins(rest, left, "/../")) {
            at += 3;
            up = true;
        } else if (left == 3 && uri_begins(rest, left, "/..")) {
            at += 2;
            text[at] = '/';
            up = true;
        } else if ((left == 1 && rest[0] == '.') || (left == 2 && uri_begins(rest, left, ".."))) {
            at = size;
        } else {
            n = 1 + uri_until(rest + 1, left - 1, '/');
            memmove(text + kept, rest, n);
            kept += n;
            at += n;
        }
        while (up && kept && text[--kept] != '/')
            ;
    }
    return kept;
}

/* Writes the path of a reference without scheme and authority to out[at]. */
static size_t uri_put_path(char *out, size_t at, const struct url *base,
                           const struct url_part *path)
{
    size_t start = at;

    if (path->size && path->text[0] != '/') {
        if (base->authority.text && !base->path.size) {
            out[at++] = '/';
        } else {
            size_t keep = base->path.size;

            while (keep && base->path.text[keep - 1] != '/')
                keep--;
            at = uri_put(out, at, base->path.text, keep);
        }
    }
    at = uri_put(out, at, path->text, path->size);
    return start + remove_dots(out + start, at - start);
}

char *hf_uri_resolve(haft_arena *arena, const char *base_text, const char *reference, size_t size)
{
    struct url base = hf_url_split(base_text, strlen(base_text));
    struct url from = hf_url_split(reference, size), to = from;
    char *out = haft_arena_alloc(arena, strlen(base_text) + size + 8);
    size_t at = 0, path;

    if (!out)
        return NULL;
    if (!from.scheme.text) {
        to.scheme = base.scheme;
        if (!from.authority.text) {
            to.authority = base.authority;
            if (!from.path.size)
                to.path = base.path;
            if (!from.path.size && !from.query.text)
                to.query = base.query;
        }
    }
    if (to.scheme.text) {
        at = uri_put(out, at, to.scheme.text, to.scheme.size);
        out[at++] = ':';
    }
    if (to.authority.text) {
        at = uri_put(out, at, "//", 2);
        at = uri_put(out, at, to.authority.text, to.authority.size);
    }
    path = at;
    if (from.scheme.text || from.authority.text)
        at = uri_put(out, at, to.path.text, to.path.size);
    else if (from.path.size)
        at = uri_put_path(out, at, &base, &from.path);
    else
        at = uri_put(out, at, to.path.text, to.path.size);
    /* A path without authority ("urn:a:b") has no dot segments to remove. */
    if (from.authority.text || (from.scheme.text && to.authority.text))
        at = path + remove_dots(out + path, at - path);
    if (to.query.text) {
        out[at++] = '?';
        at = uri_put(out, at, to.query.text, to.query.size);
    }
    out[at] = '\0';
    return out;
}

char *hf_uri_fragment(haft_arena *arena, const char *reference, size_t size, size_t *ret_size)
{
    struct url_part fragment = hf_url_split(reference, size).fragment;
    char *out = haft_arena_alloc(arena, fragment.size + 1);
    size_t n = 0;

    if (!out)
        return NULL;
    for (size_t i = 0; i < fragment.size; i++) {
        int byte = percent_byte(fragment.text + i, fragment.size - i);

        out[n++] = byte >= 0 ? (char)byte : fragment.text[i];
        i += byte >= 0 ? PERCENT_ESCAPE - 1 : 0;
    }
    out[n] = '\0';
    *ret_size = n;
    return out;
}
