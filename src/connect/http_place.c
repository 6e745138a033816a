/* http_place.c - the URL of a server: its parts, and what belongs to its origin. */
#define _GNU_SOURCE /* memrchr */
#include <string.h>
#include <strings.h>

#include "base/percent.h"
#include "base/sha256.h"
#include "base/url.h"
#include "connect/http.h"

enum { PLACE_URL = 8 << 10 };

static bool place_begins(const char *text, const char *prefix)
{
    return !strncasecmp(text, prefix, strlen(prefix));
}

static int place_refuse(haft_reason *reterr_reason, const char *text)
{
    return hf_error_set(reterr_reason, HAFT_EINVAL, "url", "%s", text);
}

/* The fault in the authority of a URL, without credentials; NULL if there is none. */
static const char *place_authority_fault(struct url_part authority)
{
    const char *text = authority.text, *end = text + authority.size, *port;
    unsigned long number = 0;

    if (!authority.size || *text == ':')
        return "the host is missing";
    if (*text == '[') {
        port = memchr(text, ']', authority.size);
        if (!port)
            return "the ] after the address is missing";
        port++;
    } else {
        port = memchr(text, ':', authority.size);
    }
    if (!port || port == end)
        return NULL;
    if (*port != ':')
        return "the host is not valid";
    for (const char *digit = port + 1; digit < end; digit++) {
        if (*digit < '0' || *digit > '9' || number > 65535)
            return "the port is not a number from 1 to 65535";
        number = number * 10 + (unsigned long)(*digit - '0');
    }
    return (number && number <= 65535) || port + 1 == end
               ? NULL
               : "the port is not a number from 1 to 65535";
}

/* Checks what libcurl would refuse without a reason. */
static int place_check(const char *url, haft_reason *reterr_reason)
{
    struct url parts = hf_url_split(url, strlen(url));
    const char *fault = NULL;

    for (const char *c = url; *c && !fault; c++)
        if ((unsigned char)*c > 0x7F)
            fault = "it is not ASCII; write other characters as %XX, and names of hosts as xn--...";
        else if (*c <= ' ' || *c == 0x7F || *c == '\\')
            fault =
                "it contains a space, a control character or a backslash; write it as %20 and so "
                "on";
    if (!fault)
        fault = place_authority_fault(parts.authority);
    if (!fault && strlen(url) > PLACE_URL)
        fault = "it is too long";
    return fault ? hf_error_set(reterr_reason, HAFT_EINVAL, "url", "invalid URL %.80s: %s", url,
                                fault)
                 : 0;
}

/* "unix:/run/tools.sock:/mcp" */
static int place_read_unix(struct http_place *place, const char *rest, haft_arena *arena,
                           haft_reason *reterr_reason)
{
    const char *colon = strchr(rest, ':');
    const char *path = colon ? colon + 1 : "/mcp";
    size_t size = colon ? (size_t)(colon - rest) : strlen(rest);

    if (!size || *path != '/')
        return place_refuse(reterr_reason,
                            "a Unix socket is given as unix:PATH, or unix:PATH:/PATH-OF-THE-URL");
    place->unix_socket = haft_arena_copy(arena, rest, size);
    place->url = haft_arena_printf(arena, "http://localhost%s", path);
    return place->unix_socket && place->url ? 0 : HAFT_ENOMEM;
}

/* http://USER:PASSWORD@HOST becomes the URL without them, and the header that sends them. */
static int place_take_credentials(struct http_place *place, const char *url, haft_arena *arena,
                                  haft_reason *reterr_reason)
{
    const char *start = strstr(url, "//") + 2;
    const char *at = memrchr(start, '@', strcspn(start, "/?#")); /* a password may have one */
    size_t size = at ? (size_t)(at - start) : 0;
    char *pair, *encoded;

    if (!at) {
        place->url = url;
        return 0;
    }
    pair = haft_arena_copy(arena, start, size);
    encoded = haft_arena_zalloc(arena, 1, HAFT_BASE64_SIZE(size) + 1);
    if (!pair || !encoded)
        return HAFT_ENOMEM;
    size = hf_percent_decode_bytes(start, size, false, pair);
    if (size == PERCENT_INVALID)
        return place_refuse(reterr_reason,
                            "the user name or password in the URL has an invalid % escape");
    haft_base64_encode(pair, size, encoded);
    place->authorization = haft_arena_printf(arena, "Basic %s", encoded);
    place->url = haft_arena_printf(arena, "%.*s%s", (int)(start - url), url, at + 1);
    hf_secret_wipe(pair, strlen(pair));
    hf_secret_wipe(encoded, strlen(encoded));
    return place->authorization && place->url ? 0 : HAFT_ENOMEM;
}

int hf_http_place_read(struct http_place *place, const char *url, haft_arena *arena,
                       haft_reason *reterr_reason)
{
    int status;

    *place = (struct http_place){0};
    if (place_begins(url, "unix:"))
        status = place_read_unix(place, url + strlen("unix:"), arena, reterr_reason);
    else if (place_begins(url, "http://") || place_begins(url, "https://"))
        status = place_take_credentials(place, url, arena, reterr_reason);
    else
        return hf_error_set(reterr_reason, HAFT_EINVAL, "url",
                            "invalid URL %.*s: it must begin with http://, https:// or unix:",
                            (int)strcspn(url, "@?#"), url);
    if (!status)
        status = place_check(place->url, reterr_reason);
    if (!status) {
        place->shown = place->unix_socket
                           ? place->unix_socket
                           : haft_arena_copy(arena, place->url, strcspn(place->url, "?#"));
        status = place->shown ? 0 : HAFT_ENOMEM;
    }
    if (status == HAFT_ENOMEM)
        hf_error_set(reterr_reason, status, "", "out of memory");
    return status;
}

/* ---- references ---- */

static bool place_is_printable(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] <= 0x20 || text[i] > 0x7E)
            return false;
    return true;
}

static bool place_same(struct url_part left, struct url_part right)
{
    return left.text && right.text && left.size == right.size &&
           !strncasecmp(left.text, right.text, left.size);
}

/* The path up to its last slash. */
static size_t place_folder(struct url_part path)
{
    size_t size = path.size;

    while (size && path.text[size - 1] != '/')
        size--;
    return size;
}

bool hf_http_place_resolve(const char *base, const char *reference, size_t size,
                           haft_buffer *ret_url)
{
    struct url from = hf_url_split(base, strlen(base)), to = hf_url_split(reference, size);

    if (!size || size > PLACE_URL || !place_is_printable(reference, size) ||
        (to.scheme.text && !to.authority.text))
        return false;
    if ((to.scheme.text && !place_same(from.scheme, to.scheme)) ||
        (to.authority.text && !place_same(from.authority, to.authority)))
        return false;
    haft_buffer_add(ret_url, from.scheme.text, from.scheme.size);
    haft_buffer_puts(ret_url, "://");
    haft_buffer_add(ret_url, from.authority.text, from.authority.size);
    if (!to.path.size && !to.authority.text)
        haft_buffer_add(ret_url, from.path.text, from.path.size);
    else if (!to.authority.text && to.path.text[0] != '/')
        haft_buffer_add(ret_url, from.path.text, place_folder(from.path));
    haft_buffer_add(ret_url, to.path.text, to.path.size);
    if (to.query.text) {
        haft_buffer_puts(ret_url, "?");
        haft_buffer_add(ret_url, to.query.text, to.query.size);
    }
    return !ret_url->status;
}
