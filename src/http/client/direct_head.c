/* direct_head.c - writes the head of a request, with the headers that libcurl would write, in its order.
 *
 * Everything that comes from the caller has been checked, so that nothing in it ends a line. */
#include <string.h>
#include <strings.h>

#include "http/client/room.h"

enum { HEAD_LENGTH = sizeof "Content-Length: 18446744073709551615\r\n" - 1 };

static bool head_is(const char *name, const char *lower)
{
    return (*name | 0x20) == *lower && !strcasecmp(name, lower);
}

static char *head_put(char *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    return at + size;
}

/* An empty value has no blank before it, nor is it one. */
static char *head_put_field(char *at, const char *name, const char *value)
{
    bool blank = hf_http_check_is_blank(value);

    at = stpcpy(at, name);
    at = head_put(at, ": ", blank ? 1 : 2);
    at = blank ? at : stpcpy(at, value);
    return head_put(at, "\r\n", 2);
}

static char *head_put_length(char *at, size_t length)
{
    char digits[HEAD_LENGTH];
    size_t first = sizeof digits;

    do
        digits[--first] = (char)('0' + length % 10);
    while (length /= 10);
    at = stpcpy(at, "Content-Length: ");
    at = head_put(at, digits + first, sizeof digits - first);
    return head_put(at, "\r\n", 2);
}

static bool head_reserve(http_request *request, size_t size)
{
    const haft_allocator *allocator = request->client->allocator;
    struct http_exchange *exchange = &request->exchange;

    if (size <= exchange->head_room)
        return true;
    if (exchange->head)
        allocator->release(allocator->context, exchange->head, exchange->head_room);
    exchange->head_room = 0;
    exchange->head = allocator->alloc(allocator->context, size);
    exchange->head_room = exchange->head ? size : 0;
    return exchange->head;
}

bool hf_http_head_write(http_request *request, const struct http_request_options *options,
                        const char *path, const char *query)
{
    static const char version[] = " HTTP/1.1\r\n", accept[] = "Accept: */*\r\n",
                      agent[] = "User-Agent";
    struct http_exchange *exchange = &request->exchange;
    const char *host = exchange->place->origin + sizeof "http://" - 1;
    const char *name = request->client->options.user_agent;
    bool has_accept = false, has_agent = !*name;
    size_t size = strlen(options->method) + 1 + strlen(path) + (query ? strlen(query) + 1 : 0) +
                  sizeof version + sizeof "Host: \r\n" + strlen(host) + sizeof accept +
                  sizeof agent + 4 + strlen(name) + HEAD_LENGTH + 2;
    char *at;

    for (size_t i = 0; i < options->n_headers; i++) {
        const struct http_field *field = &options->headers[i];

        size += strlen(field->name) + strlen(field->value) + 4;
        has_accept = has_accept || head_is(field->name, "accept");
        has_agent = has_agent || head_is(field->name, "user-agent");
    }
    if (!head_reserve(request, size))
        return false;
    at = stpcpy(exchange->head, options->method);
    at = head_put(at, " ", 1);
    at = stpcpy(at, path);
    if (query)
        at = stpcpy(head_put(at, "?", 1), query);
    at = head_put(at, version, sizeof version - 1);
    at = head_put_field(at, "Host", host);
    if (!has_accept)
        at = head_put(at, accept, sizeof accept - 1);
    if (!has_agent)
        at = head_put_field(at, agent, name);
    for (size_t i = 0; i < options->n_headers; i++)
        at = head_put_field(at, options->headers[i].name, options->headers[i].value);
    if (options->body_size || hf_http_setup_method_sends(options->method))
        at = head_put_length(at, options->body_size);
    at = head_put(at, "\r\n", 2);
    exchange->head_size = (size_t)(at - exchange->head);
    return true;
}
