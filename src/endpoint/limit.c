/* endpoint_limit.c - how often clients may ask, whatever they ask for.
 *
 * A client is its principal where that is known, else its address.  Its own limit is looked at
 * before the one of all together, so that somebody who asks too often does not use up what others
 * are allowed. */
#include <stdio.h>
#include <string.h>

#include "stage/rate.h"
#include "endpoint/mux.h"

enum {
    MAX_KEYS = 10000,
    KEY = 256,
    MINUTE = 60000,
    TOO_MANY = -32000, /* of those that JSON-RPC leaves to servers */
    MAX_PEEK = 64 << 10,
    MAX_ID = 256
};

int limit_new(const haft_http_options *options, const haft_allocator *allocator,
              struct limiter **ret_limiter)
{
    *ret_limiter = NULL;
    if (!options->rate.calls && !options->total_rate.calls)
        return 0;
    *ret_limiter = limiter_new(allocator, MAX_KEYS);
    return *ret_limiter ? 0 : HAFT_ENOMEM;
}

/* ---- the id of a message that is not going to be read ---- */

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Behind the string whose first quote is at `at`. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

static const char *skip_scalar(const char *at, const char *end)
{
    if (at < end && *at == '"')
        return skip_string(at, end);
    while (at < end && !strchr(",}] \t\r\n", *at))
        at++;
    return at;
}

/* The value of the member "id" of an object: its text, of *ret_size bytes; NULL when none is found
 * soon. */
static const char *find_id(const char *text, size_t size, size_t *ret_size)
{
    const char *end = text + (size < MAX_PEEK ? size : MAX_PEEK), *at = skip_space(text, end);
    unsigned depth = 0;

    if (at == end || *at != '{')
        return NULL;
    while (at < end) {
        const char *key = at, *behind;

        if (*at != '"') {
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
            at++;
            if (!depth)
                return NULL;
            continue;
        }
        behind = skip_string(at, end);
        at = skip_space(behind, end);
        if (depth != 1 || at == end || *at != ':' || behind - key != 4 || memcmp(key, "\"id\"", 4))
            continue;
        key = skip_space(at + 1, end);
        *ret_size = (size_t)(skip_scalar(key, end) - key);
        return key;
    }
    return NULL;
}

static yyjson_doc *read_id(const haft_http_request *request, void *room, size_t room_size)
{
    size_t size = 0;
    const char *text = find_id(request->body, request->body_size, &size);
    char copy[MAX_ID];
    yyjson_alc alc;

    if (!text || !size || size > sizeof copy || !yyjson_alc_pool_init(&alc, room, room_size))
        return NULL;
    memcpy(copy, text, size);
    return yyjson_read_opts(copy, size, 0, &alc, NULL);
}

/* ---- refusing ---- */

static void refuse(struct front *front, const haft_http_request *request, bool is_rpc, int64_t wait,
                   const haft_responder *responder, void *context)
{
    static const char plain[] = "Too Many Requests\n";
    long long seconds = (long long)(wait + 999) / 1000;
    char extra[64], text[96];
    char room[4096];
    yyjson_doc *doc;
    yyjson_val *id;

    snprintf(extra, sizeof extra, "Retry-After: %lld\r\n", seconds);
    if (!is_rpc) {
        door_respond(&front->door, responder, context, 429, extra, "text/plain", plain,
                     sizeof plain - 1);
        return;
    }
    snprintf(text, sizeof text, "Too Many Requests: try again in %lld s", seconds);
    doc = read_id(request, room, sizeof room);
    id = yyjson_doc_get_root(doc);
    door_refuse(&front->door, responder, context, 429, extra,
                yyjson_is_str(id) || yyjson_is_int(id) ? id : NULL, TOO_MANY, text);
    yyjson_doc_free(doc);
}

/* ---- counting ---- */

static size_t fitting(int n, size_t room)
{
    return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* Whose request it is. */
static size_t put_client(const haft_http_request *request, char *key, size_t room)
{
    char address[ADDRESS_KEY];

    if (request->principal)
        return fitting(snprintf(key, room, "http:p%s", request->principal), room);
    address_put_key(request->peer, address, sizeof address);
    return fitting(snprintf(key, room, "http:%s", address), room);
}

static int count(struct front *front, haft_rate rate, const char *key, size_t size, haft_time now,
                 int64_t *ret_wait)
{
    rate.per_ms = rate.per_ms ? rate.per_ms : MINUTE;
    return rate_take(front->door.server, front->limiter, key, size, rate, now, ret_wait);
}

bool limit_allows(struct front *front, const haft_http_request *request, bool is_rpc,
                  const haft_responder *responder, void *context, haft_time now)
{
    char key[KEY];
    size_t size = put_client(request, key, sizeof key);
    int64_t wait = 0;
    int allowed;

    /* Those who share a store share the time of day. */
    if (front->clock && !front->door.server->options.rate_store)
        now = front->clock();
    allowed = count(front, front->rate, key, size, now, &wait);
    if (allowed > 0)
        allowed = count(front, front->total_rate, "http:all", 8, now, &wait);
    if (!allowed)
        refuse(front, request, is_rpc, wait, responder, context);
    else if (allowed < 0)
        door_refuse(&front->door, responder, context, 503, "Retry-After: 1\r\n", NULL,
                    RPC_INTERNAL_ERROR, "Requests cannot be counted");
    return allowed > 0;
}
