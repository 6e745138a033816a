/* proxy.c - finds the client behind trusted proxies.
 *
 * Each proxy appends the address of its peer to a header; entries further left came from that peer,
 * which may forge them. So the list is read from the right, as long as the writers are trusted; an
 * entry that cannot be parsed ends it. */
#include "http/proxy.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    PROXY_MAX_HOPS = 32, /* entries that are examined, from the right */
    V4_AT = 12,          /* offset of an IPv4 address in a mapped IPv6 address */
    V4_BITS = 8 * V4_AT
};

/* ---- addresses ---- */

static bool address_read(const char *text, size_t size, unsigned char ret_address[ADDRESS_BYTES])
{
    char copy[ADDRESS_TEXT];

    if (!size || size >= sizeof copy || memchr(text, '%', size) || memchr(text, '\0', size))
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (strchr(copy, ':'))
        return !uv_inet_pton(AF_INET6, copy, ret_address);
    memset(ret_address, 0, V4_AT);
    ret_address[V4_AT - 2] = ret_address[V4_AT - 1] = 0xFF;
    return !uv_inet_pton(AF_INET, copy, ret_address + V4_AT);
}

static bool address_is_v4(const unsigned char address[ADDRESS_BYTES])
{
    static const unsigned char mapped[V4_AT] = {[V4_AT - 2] = 0xFF, [V4_AT - 1] = 0xFF};

    return !memcmp(address, mapped, sizeof mapped);
}

static void address_write(const unsigned char address[ADDRESS_BYTES], char ret_text[ADDRESS_TEXT])
{
    bool v4 = address_is_v4(address);

    if (uv_inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? address + V4_AT : address, ret_text,
                     ADDRESS_TEXT))
        ret_text[0] = '\0';
}

static bool network_has(const struct network *network, const unsigned char address[ADDRESS_BYTES])
{
    unsigned whole = network->bits / 8, rest = network->bits % 8;
    unsigned mask = 0xFF00u >> rest & 0xFF;

    return !memcmp(network->address, address, whole) &&
           (!rest || !((network->address[whole] ^ address[whole]) & mask));
}

/* Reads "10.0.0.0/8", or a single address. */
static bool network_read(const char *text, struct network *ret_network)
{
    size_t size = strcspn(text, "/");
    const char *digits = text[size] ? text + size + 1 : NULL;
    unsigned most, least;

    if (!address_read(text, size, ret_network->address))
        return false;
    least = memchr(text, ':', size) ? 0 : V4_BITS;
    most = 8 * ADDRESS_BYTES - least;
    ret_network->bits = least + most;
    if (!digits)
        return true;
    if (!*digits || strlen(digits) > 3 || strspn(digits, "0123456789") != strlen(digits))
        return false;
    ret_network->bits = least + (unsigned)strtoul(digits, NULL, 10);
    return ret_network->bits <= least + most;
}

/* ---- trusted proxies ---- */

/* Adds an entry of a list; returns false if it is invalid. */
static bool proxies_add(struct proxies *proxies, const char *text, size_t size)
{
    char copy[2 * ADDRESS_TEXT];

    if (size >= sizeof copy)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (!strcmp(copy, "unix")) {
        proxies->unix_sockets = true;
        return true;
    }
    return network_read(copy, &proxies->list[proxies->n]) && ++proxies->n;
}

/* An upper bound of their number: one more than the commas in each text. */
static size_t proxies_count(const char *const *list)
{
    size_t n = 0;

    for (; list && *list; list++) {
        n++;
        for (const char *at = *list; *at; at++)
            n += *at == ',';
    }
    return n;
}

/* Adds the entries of a comma-separated text. */
static bool proxies_read(struct proxies *proxies, const char *text)
{
    for (;;) {
        size_t size;

        text += strspn(text, " ");
        size = strcspn(text, ", ");
        if (!proxies_add(proxies, text, size))
            return false;
        text += size;
        text += strspn(text, " ");
        if (*text != ',')
            return !*text;
        text++;
    }
}

int hf_proxies_init(struct proxies *proxies, const char *const *list,
                    const haft_allocator *allocator, haft_reason *reterr_reason)
{
    *proxies = (struct proxies){.allocator = allocator, .room = proxies_count(list)};
    if (!proxies->room)
        return 0;
    proxies->list = allocator->alloc(allocator->context, proxies->room * sizeof *proxies->list);
    if (!proxies->list)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, NULL, "out of memory");
    for (; *list; list++)
        if (!proxies_read(proxies, *list)) {
            hf_error_set(reterr_reason, HAFT_EINVAL, "http.trusted_proxies",
                         "\"%.60s\" is not an address, a network like 10.0.0.0/8, or unix", *list);
            hf_proxies_finish(proxies);
            return HAFT_EINVAL;
        }
    return 0;
}

void hf_proxies_finish(struct proxies *proxies)
{
    if (proxies->list)
        proxies->allocator->release(proxies->allocator->context, proxies->list,
                                    proxies->room * sizeof *proxies->list);
    *proxies = (struct proxies){.n = 0};
}

static bool proxies_have(const struct proxies *proxies, const unsigned char address[ADDRESS_BYTES])
{
    for (size_t i = 0; i < proxies->n; i++)
        if (network_has(&proxies->list[i], address))
            return true;
    return false;
}

bool hf_proxies_trust(const struct proxies *proxies, const char *peer)
{
    unsigned char address[ADDRESS_BYTES];

    if (!*peer)
        return proxies->unix_sockets;
    return address_read(peer, strlen(peer), address) && proxies_have(proxies, address);
}

/* ---- the headers ---- */

/* The last entries of a header, of all its lines; NULL data for one that says nothing that can be read. */
struct entries {
    struct text list[PROXY_MAX_HOPS]; /* a ring */
    size_t n;
};

static void entries_add(struct entries *entries, struct text entry)
{
    entries->list[entries->n++ % PROXY_MAX_HOPS] = entry;
}

/* The part of a list up to a separator that is not between quotes, or to its end, without the blanks
 * around it; *at is moved behind it.  An open quote goes to the end. */
static struct text entry_next(const char **at, const char *end, char separator)
{
    const char *begin = *at;
    struct text part;
    bool quoted = false;

    for (; *at < end && (quoted || **at != separator); ++*at) {
        if (quoted && **at == '\\' && *at + 1 < end)
            ++*at;
        else if (**at == '"')
            quoted = !quoted;
    }
    part = text_trim(begin, (size_t)(*at - begin));
    if (*at < end)
        ++*at;
    return part;
}

/* A value without its quotes; a value with escapes, or with one quote, is not an address. */
static struct text node_unquote(struct text value)
{
    static const struct text none;

    if (value.size && *value.data != '"')
        return memchr(value.data, '"', value.size) ? none : value;
    if (value.size < 2 || value.data[value.size - 1] != '"')
        return none;
    value = (struct text){value.data + 1, value.size - 2};
    return memchr(value.data, '"', value.size) || memchr(value.data, '\\', value.size) ? none
                                                                                       : value;
}

/* The node of `for` in one element of Forwarded (RFC 7239, section 4). */
static struct text element_node(struct text element)
{
    const char *at = element.data, *end = at + element.size;
    struct text node = {NULL, 0};
    bool found = false;

    while (at < end) {
        struct text pair = entry_next(&at, end, ';');
        const char *equals = pair.size ? memchr(pair.data, '=', pair.size) : NULL;
        size_t name = equals ? (size_t)(equals - pair.data) : pair.size;

        if (!hf_text_is_ignoring_case(pair.data, name, "for"))
            continue;
        if (found || !equals)
            return (struct text){NULL, 0};
        found = true;
        node = node_unquote((struct text){equals + 1, pair.size - name - 1});
    }
    return node;
}

/* Adds the entries of one line, except empty ones. */
static void entries_read(struct entries *entries, const char *value, bool forwarded)
{
    const char *at = value, *end = value + strlen(value);

    while (at < end) {
        struct text part;

        if (forwarded) {
            part = entry_next(&at, end, ',');
        } else {
            size_t size = strcspn(at, ",");

            part = text_trim(at, size);
            at += size + (at[size] == ',');
        }
        if (part.size)
            entries_add(entries, forwarded ? element_node(part) : part);
    }
}

/* After an address: nothing, or a port, which may be an obfuscated name. */
static bool node_is_port(const char *text, size_t size)
{
    size_t digits = 0;

    if (!size)
        return true;
    if (size < 2 || *text != ':' || size > 64)
        return false;
    if (text[1] == '_')
        return true;
    while (1 + digits < size && text[1 + digits] >= '0' && text[1 + digits] <= '9')
        digits++;
    return 1 + digits == size && digits <= 5;
}

/* "192.0.2.7", "192.0.2.7:80", "[2001:db8::7]:80", "[2001:db8::7]" or "2001:db8::7". */
static bool node_read(struct text node, unsigned char ret_address[ADDRESS_BYTES])
{
    const char *end, *colon;
    size_t size;

    if (!node.data || !node.size)
        return false;
    if (*node.data == '[') {
        end = memchr(node.data, ']', node.size);
        if (!end)
            return false;
        size = (size_t)(end - node.data) - 1;
        return memchr(node.data + 1, ':', size) && address_read(node.data + 1, size, ret_address) &&
               node_is_port(end + 1, node.size - size - 2);
    }
    colon = memchr(node.data, ':', node.size);
    size = colon ? (size_t)(colon - node.data) : node.size;
    if (colon && memchr(colon + 1, ':', node.size - size - 1))
        return address_read(node.data, node.size, ret_address);
    return address_read(node.data, size, ret_address) &&
           node_is_port(node.data + size, node.size - size);
}

/* Walks from the right, as far as proxies are trusted. */
static void entries_walk(const struct proxies *proxies, const struct entries *entries,
                         char client[ADDRESS_TEXT])
{
    size_t most = entries->n < PROXY_MAX_HOPS ? entries->n : PROXY_MAX_HOPS;

    for (size_t i = 1; i <= most; i++) {
        unsigned char address[ADDRESS_BYTES];

        if (!node_read(entries->list[(entries->n - i) % PROXY_MAX_HOPS], address))
            return;
        address_write(address, client);
        if (!proxies_have(proxies, address))
            return;
    }
}

/* The client according to one header; returns false if it is absent. */
static bool proxies_find_by(const struct proxies *proxies, const haft_header *headers, size_t n,
                            bool forwarded, char client[ADDRESS_TEXT])
{
    const char *name = forwarded ? "forwarded" : "x-forwarded-for";
    struct entries entries;
    bool found = false;

    entries.n = 0;
    for (size_t i = 0; i < n; i++)
        if (hf_text_same_ignoring_case(headers[i].name, name)) {
            entries_read(&entries, headers[i].value, forwarded);
            found = true;
        }
    entries_walk(proxies, &entries, client);
    return found;
}

void hf_proxies_find_client(const struct proxies *proxies, const char *peer,
                            const haft_header *headers, size_t n, char ret_client[ADDRESS_TEXT])
{
    char forwarded[ADDRESS_TEXT], listed[ADDRESS_TEXT];
    size_t size = strlen(peer) + 1;
    bool has_forwarded, has_listed;

    memcpy(forwarded, peer, size);
    memcpy(listed, peer, size);
    memcpy(ret_client, peer, size);
    has_forwarded = proxies_find_by(proxies, headers, n, true, forwarded);
    has_listed = proxies_find_by(proxies, headers, n, false, listed);
    /* A proxy writes one of the headers, and may pass the other on as the client sent it, so they
     * must agree. */
    if (has_forwarded && has_listed && strcmp(forwarded, listed))
        return;
    memcpy(ret_client, has_forwarded ? forwarded : listed, ADDRESS_TEXT);
}
