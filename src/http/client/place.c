/* place.c - where direct connections lead: what a URL says, taken apart once.
 *
 * libcurl parses every URL, so that there is one interpretation of it.  Most requests to a place have the same
 * URL, so the place remembers the first with its parts. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "http/client/room.h"

/* Older versions of libcurl return an empty query without being asked to. */
#ifdef CURLU_GET_EMPTY
enum { PLACE_EMPTY = CURLU_GET_EMPTY };
#else
enum { PLACE_EMPTY = 0 };
#endif

/* The parts of a URL, in libcurl's memory. */
struct place_parts {
    char *host, *port, *path, *query, *zone;
};

static bool place_same_socket(const struct http_place *place, const char *unix_socket)
{
    return place->unix_socket && unix_socket ? !strcmp(place->unix_socket, unix_socket)
                                             : !place->unix_socket && !unix_socket;
}

struct http_place *hf_http_place_known(const http_client *client,
                                       const struct http_request_options *options)
{
    for (struct http_place *place = client->pool.places; place; place = place->next)
        if (!strcmp(place->url, options->url) && place_same_socket(place, options->unix_socket))
            return place;
    return NULL;
}

/* ---- parsing ---- */

static void place_parts_free(struct place_parts *parts)
{
    curl_free(parts->host);
    curl_free(parts->port);
    curl_free(parts->path);
    curl_free(parts->query);
    curl_free(parts->zone);
}

/* Whether a host is what libcurl makes of it: decoded once, and not to be decoded or translated again. */
static bool place_is_plain(const char *host)
{
    for (; *host; host++)
        if (*host <= ' ' || *host > '~' || *host == '%')
            return false;
    return true;
}

/* Some parts need not be there.  An address with a zone is libcurl's, and so is a host that is not plain. */
static int place_get_parts(CURLU *parsed, struct place_parts *ret_parts)
{
    CURLUcode code = curl_url_get(parsed, CURLUPART_HOST, &ret_parts->host, 0);

    if (!code)
        code = curl_url_get(parsed, CURLUPART_PORT, &ret_parts->port, CURLU_DEFAULT_PORT);
    if (!code)
        code = curl_url_get(parsed, CURLUPART_PATH, &ret_parts->path, 0);
    if (!code) {
        code = curl_url_get(parsed, CURLUPART_QUERY, &ret_parts->query, PLACE_EMPTY);
        code = code == CURLUE_NO_QUERY ? CURLUE_OK : code;
    }
    if (!code && (!place_is_plain(ret_parts->host) ||
                  !curl_url_get(parsed, CURLUPART_ZONEID, &ret_parts->zone, 0)))
        return HAFT_EINVAL;
    return code == CURLUE_OUT_OF_MEMORY ? HAFT_ENOMEM : code ? HAFT_EINVAL : 0;
}

static int place_parse(const char *url, struct place_parts *ret_parts)
{
    CURLU *parsed = curl_url();
    CURLUcode code;
    int status;

    if (!parsed)
        return HAFT_ENOMEM;
    code = curl_url_set(parsed, CURLUPART_URL, url, CURLU_DISALLOW_USER | CURLU_PATH_AS_IS);
    status = code == CURLUE_OUT_OF_MEMORY ? HAFT_ENOMEM : code ? HAFT_EINVAL : 0;
    if (!status)
        status = place_get_parts(parsed, ret_parts);
    curl_url_cleanup(parsed);
    return status;
}

/* ---- places ---- */

static const char *place_copy(char **at, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = *at;

    if (!text)
        return NULL;
    memcpy(copy, text, size);
    *at += size;
    return copy;
}

static struct http_place *place_new(http_client *client, const char *origin,
                                    const struct http_request_options *options,
                                    const struct place_parts *parts)
{
    const haft_allocator *allocator = client->allocator;
    const char *const texts[] = {origin, options->url, parts->path, parts->query,
                                 options->unix_socket};
    size_t size = sizeof(struct http_place);
    struct http_place *place;
    char *at;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        size += texts[i] ? strlen(texts[i]) + 1 : 0;
    place = allocator->alloc(allocator->context, size);
    if (!place)
        return NULL;
    *place =
        (struct http_place){.size = size, .next = client->pool.places, .at = &client->pool.places};
    at = (char *)(place + 1);
    place->origin = place_copy(&at, origin);
    place->url = place_copy(&at, options->url);
    place->path = place_copy(&at, parts->path);
    place->query = place_copy(&at, parts->query);
    place->unix_socket = place_copy(&at, options->unix_socket);
    if (place->next)
        place->next->at = &place->next;
    client->pool.places = place;
    return place;
}

static struct http_place *place_find(http_client *client,
                                     const struct http_request_options *options,
                                     const struct place_parts *parts)
{
    char origin[512];
    bool standard = !strcmp(parts->port, "80");
    int size = snprintf(origin, sizeof origin, "http://%s%s%s", parts->host, standard ? "" : ":",
                        standard ? "" : parts->port);

    if (size < 0 || (size_t)size >= sizeof origin)
        return NULL;
    for (struct http_place *place = client->pool.places; place; place = place->next)
        if (!strcasecmp(place->origin, origin) && place_same_socket(place, options->unix_socket))
            return place;
    return place_new(client, origin, options, parts);
}

int hf_http_place_enter(http_request *request, const struct http_request_options *options)
{
    http_client *client = request->client;
    struct http_place *place = hf_http_place_known(client, options);
    struct place_parts parts = {0};
    int status = 0;

    if (place) {
        request->exchange.place = place;
        place->users++;
        return hf_http_head_write(request, options, place->path, place->query) ? 0 : HAFT_ENOMEM;
    }
    status = place_parse(options->url, &parts);
    if (!status && !(place = place_find(client, options, &parts)))
        status = HAFT_ENOMEM;
    if (!status) {
        request->exchange.place = place;
        place->users++;
        if (!hf_http_head_write(request, options, parts.path, parts.query))
            status = HAFT_ENOMEM;
    }
    place_parts_free(&parts);
    return status;
}

void hf_http_place_release(http_client *client, struct http_place *place)
{
    const haft_allocator *allocator = client->allocator;

    if (place->users || place->connections)
        return;
    *place->at = place->next;
    if (place->next)
        place->next->at = place->at;
    allocator->release(allocator->context, place, place->size);
}

void hf_http_place_leave(http_request *request)
{
    struct http_place *place = request->exchange.place;

    if (!place)
        return;
    request->exchange.place = NULL;
    place->users--;
    hf_http_place_release(request->client, place);
}
