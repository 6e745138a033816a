/* percent.c - the characters of addresses (RFC 3986), and queries as forms write them. */
#include <string.h>

#include "gateway/gateway.h"

enum { MAX_PAIRS = 256 };

static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *percent_decode(haft_arena *arena, const char *text, size_t size, bool plus,
                           int *ret_status)
{
    char *decoded = haft_arena_alloc(arena, size + 1), *to = decoded;

    *ret_status = decoded ? HAFT_EINVAL : HAFT_ENOMEM;
    if (!decoded)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        int high, low;

        if (text[i] != '%') {
            *to++ = plus && text[i] == '+' ? ' ' : text[i];
            continue;
        }
        high = i + 2 < size ? hex_of(text[i + 1]) : -1;
        low = high < 0 ? -1 : hex_of(text[i + 2]);
        if (low < 0)
            return NULL;
        *to++ = (char)(high << 4 | low);
        i += 2;
    }
    *to = '\0';
    size = (size_t)(to - decoded);
    if (memchr(decoded, '\0', size) || haft_utf8_valid(decoded, size) != size)
        return NULL;
    *ret_status = 0;
    return decoded;
}

void percent_encode(haft_buffer *buffer, const char *text, size_t size)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        char encoded[3] = {'%', digits[c >> 4], digits[c & 15]};

        if (c && strchr(plain, c))
            haft_buffer_add(buffer, text + i, 1);
        else
            haft_buffer_add(buffer, encoded, 3);
    }
}

const char *haft_encoded(haft_call *call, const char *text)
{
    haft_buffer buffer;
    const char *encoded = NULL;

    haft_buffer_init(&buffer, call->server->allocator, call->server->options.max_message);
    percent_encode(&buffer, text, strlen(text));
    if (!buffer.status)
        encoded = haft_arena_copy(call->arena, buffer.data ? buffer.data : "", buffer.size);
    haft_buffer_finish(&buffer);
    return encoded;
}

/* ---- queries ---- */

static int read_pair(haft_visit *visit, const char *text, size_t size)
{
    haft_arena *arena = visit->call->arena;
    const char *equals = memchr(text, '=', size);
    size_t name_size = equals ? (size_t)(equals - text) : size;
    const char *value = equals ? equals + 1 : text + size;
    struct pair *pair = &visit->query[visit->n_query];
    int status;

    pair->name = percent_decode(arena, text, name_size, true, &status);
    if (pair->name)
        pair->value = percent_decode(arena, value, (size_t)(text + size - value), true, &status);
    if (status)
        return status;
    visit->n_query++;
    return 0;
}

int query_read(haft_visit *visit)
{
    const char *query = visit->request.query;
    size_t n = 1;

    if (visit->query_read)
        return 0;
    for (const char *p = query; *p; p++)
        n += *p == '&';
    if (n > MAX_PAIRS)
        return HAFT_EINVAL;
    visit->n_query = 0;
    visit->query = haft_arena_zalloc(visit->call->arena, n, sizeof *visit->query);
    if (!visit->query)
        return HAFT_ENOMEM;
    while (*query) {
        size_t size = strcspn(query, "&");
        int status = size ? read_pair(visit, query, size) : 0;

        if (status)
            return status;
        query += size + (query[size] == '&');
    }
    visit->query_read = true;
    return 0;
}
