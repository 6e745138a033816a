/* web_url.c - URLs of servers. The strict reading refuses what two parsers could read differently. */
#include "auth/web_url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { WEB_URL_HTTP = 80, WEB_URL_HTTPS = 443, WEB_URL_PORTS = 65535 };

static bool web_url_is_plain(const char *text)
{
    size_t i;

    for (i = 0; text[i]; i++)
        if (text[i] <= ' ' || text[i] >= 0x7F || strchr("\\\"<>^`{|}", text[i]))
            return false;
    return i <= WEB_URL_LIMIT;
}

static bool web_url_part_is(struct url_part part, const char *text)
{
    return hf_text_is_ignoring_case(part.text, part.size, text);
}

/* Reads the port after the host; no text is the default. */
static bool web_url_read_port(const char *text, size_t size, struct web_url *url)
{
    unsigned port = 0;

    url->port = url->tls ? WEB_URL_HTTPS : WEB_URL_HTTP;
    if (!size)
        return true;
    if (*text != ':' || size < 2)
        return false;
    for (size_t i = 1; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || port > WEB_URL_PORTS)
            return false;
        port = port * 10 + (unsigned)(text[i] - '0');
    }
    url->port = port;
    return port <= WEB_URL_PORTS;
}

static bool web_url_read_authority(struct url_part authority, struct web_url *url)
{
    const char *text = authority.text, *end;
    size_t size = authority.size, used;

    if (!text || !size || memchr(text, '@', size))
        return false;
    if (*text == '[') {
        end = memchr(text, ']', size);
        if (!end || end == text + 1)
            return false;
        url->host = (struct url_part){text + 1, (size_t)(end - text) - 1};
        used = url->host.size + 2;
        for (size_t i = 0; i < url->host.size; i++)
            if (!strchr("0123456789abcdefABCDEF:.", url->host.text[i]))
                return false;
    } else {
        end = memchr(text, ':', size);
        used = end ? (size_t)(end - text) : size;
        url->host = (struct url_part){text, used};
        for (size_t i = 0; i < used; i++)
            if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789.-_", ascii_lower(text[i])))
                return false;
    }
    return used && web_url_read_port(text + used, size - used, url);
}

/* 127.0.0.0/8, ::1 or localhost; other addresses that reach this machine may reach others as well. */
static bool web_url_is_loopback(struct url_part host)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char four[sizeof(struct in_addr)];
    struct in6_addr six;

    if (web_url_part_is(host, "localhost"))
        return true;
    if (host.size >= sizeof text)
        return false;
    memcpy(text, host.text, host.size);
    text[host.size] = '\0';
    if (inet_pton(AF_INET, text, four) == 1)
        return four[0] == 127;
    return inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

int hf_web_url_read(const char *text, struct web_url *ret_url)
{
    struct web_url url = {.port = 0};
    struct url parts;

    if (!text || !web_url_is_plain(text))
        return HAFT_EINVAL;
    parts = hf_url_split(text, strlen(text));
    if (!parts.scheme.text)
        return HAFT_EINVAL;
    url.tls = web_url_part_is(parts.scheme, "https");
    if (!url.tls && !web_url_part_is(parts.scheme, "http"))
        return HAFT_EINVAL;
    if (!web_url_read_authority(parts.authority, &url))
        return HAFT_EINVAL;
    url.path = parts.path;
    url.query = parts.query;
    url.has_fragment = parts.fragment.text;
    url.loopback = web_url_is_loopback(url.host);
    *ret_url = url;
    return 0;
}

bool hf_web_url_same_origin(const struct web_url *left, const struct web_url *right)
{
    if (left->tls != right->tls || left->port != right->port || left->host.size != right->host.size)
        return false;
    for (size_t i = 0; i < left->host.size; i++)
        if (ascii_lower(left->host.text[i]) != ascii_lower(right->host.text[i]))
            return false;
    return true;
}

/* Whether a path has a segment "." or "..", also encoded: a server could read it as another path. */
static bool web_url_has_dots(struct url_part path)
{
    for (size_t i = 0; i + 1 < path.size; i++) {
        size_t at = i + 1, dots = 0;

        if (path.text[i] != '/')
            continue;
        for (; at < path.size && path.text[at] != '/'; dots++) {
            if (path.text[at] == '.')
                at++;
            else if (path.size - at >= 3 && hf_text_is_ignoring_case(path.text + at, 3, "%2e"))
                at += 3;
            else
                break;
        }
        if (dots && (at == path.size || path.text[at] == '/'))
            return true;
    }
    return false;
}

bool hf_web_url_is_within(const struct web_url *url, const struct web_url *resource)
{
    size_t size = resource->path.size;

    if (resource->has_fragment || !hf_web_url_same_origin(url, resource))
        return false;
    if (web_url_has_dots(url->path) || web_url_has_dots(resource->path))
        return false;
    if (resource->query.text &&
        (!url->query.text || url->query.size != resource->query.size ||
         memcmp(url->query.text, resource->query.text, url->query.size) != 0))
        return false;
    while (size && resource->path.text[size - 1] == '/')
        size--;
    return url->path.size >= size && !memcmp(url->path.text, resource->path.text, size) &&
           (url->path.size == size || url->path.text[size] == '/');
}

bool hf_web_url_may_follow(const struct web_url *url, const struct web_url *server)
{
    return url->tls || (url->loopback && server->loopback);
}

void hf_web_url_put_origin(const struct web_url *url, haft_buffer *buffer)
{
    bool six = memchr(url->host.text, ':', url->host.size);

    haft_buffer_printf(buffer, "http%s://%s", url->tls ? "s" : "", six ? "[" : "");
    for (size_t i = 0; i < url->host.size; i++) {
        char c = ascii_lower(url->host.text[i]);

        haft_buffer_add(buffer, &c, 1);
    }
    if (six)
        haft_buffer_add(buffer, "]", 1);
    if (url->port != (url->tls ? WEB_URL_HTTPS : WEB_URL_HTTP))
        haft_buffer_printf(buffer, ":%u", url->port);
}

/* ---- networks ---- */

static enum network network_of_four(uint32_t address)
{
    static const struct {
        uint32_t address, mask;
        enum network network;
    } known[] = {
        {0x7F000000, 0xFF000000, NETWORK_LOOPBACK}, /* 127.0.0.0/8 */
        {0x00000000, 0xFF000000, NETWORK_LOOPBACK}, /* 0.0.0.0/8, which reaches this machine */
        {0xA9FE0000, 0xFFFF0000, NETWORK_LINK},     /* 169.254.0.0/16 */
        {0x0A000000, 0xFF000000, NETWORK_PRIVATE},  /* 10.0.0.0/8 */
        {0xAC100000, 0xFFF00000, NETWORK_PRIVATE},  /* 172.16.0.0/12 */
        {0xC0A80000, 0xFFFF0000, NETWORK_PRIVATE},  /* 192.168.0.0/16 */
        {0x64400000, 0xFFC00000, NETWORK_PRIVATE},  /* 100.64.0.0/10 */
        {0xC6120000, 0xFFFE0000, NETWORK_PRIVATE},  /* 198.18.0.0/15 */
        {0xC0000000, 0xFFFFFF00, NETWORK_PRIVATE},  /* 192.0.0.0/24, of protocols */
        {0xC0000200, 0xFFFFFF00, NETWORK_PRIVATE},  /* 192.0.2.0/24, of documentation */
        {0xC6336400, 0xFFFFFF00, NETWORK_PRIVATE},  /* 198.51.100.0/24 */
        {0xCB007100, 0xFFFFFF00, NETWORK_PRIVATE},  /* 203.0.113.0/24 */
        {0xE0000000, 0xE0000000, NETWORK_LINK},     /* multicast and above */
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((address & known[i].mask) == known[i].address)
            return known[i].network;
    return NETWORK_PUBLIC;
}

static uint32_t network_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static enum network network_of_six(const unsigned char *bytes)
{
    static const unsigned char none[16], loopback[16] = {[15] = 1};
    static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    static const unsigned char translated[12] = {0x00, 0x64, 0xFF, 0x9B};       /* RFC 6052 */
    static const unsigned char local[6] = {0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01}; /* RFC 8215 */
    static const unsigned char teredo[4] = {0x20, 0x01};
    static const unsigned char documentation[4] = {0x20, 0x01, 0x0D, 0xB8};
    static const unsigned char discard[8] = {0x01};            /* 100::/64, RFC 6666 */
    static const unsigned char isatap[3] = {0x00, 0x5E, 0xFE}; /* RFC 5214, after a byte of flags */

    if (!memcmp(bytes, mapped, sizeof mapped) || !memcmp(bytes, translated, sizeof translated))
        return network_of_four(network_word(bytes + 12));
    if (!memcmp(bytes, loopback, sizeof loopback) || !memcmp(bytes, none, sizeof none))
        return NETWORK_LOOPBACK;
    if (bytes[0] == 0xFF || (bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80))
        return NETWORK_LINK;
    if ((bytes[0] & 0xFE) == 0xFC || (bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0xC0))
        return NETWORK_PRIVATE;
    if (!memcmp(bytes, local,
                sizeof local)) /* of which length the prefix is, only its network knows */
        return NETWORK_PRIVATE;
    if (!memcmp(bytes, none, 12)) /* IPv4-compatible, obsolete */
        return network_of_four(network_word(bytes + 12));
    if (!memcmp(bytes, teredo, sizeof teredo)) /* the address is inverted */
        return network_of_four(~network_word(bytes + 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x02) /* 6to4 */
        return network_of_four(network_word(bytes + 2));
    if (!memcmp(bytes, documentation, sizeof documentation) ||
        !memcmp(bytes, discard, sizeof discard))
        return NETWORK_PRIVATE;
    if (!memcmp(bytes + 9, isatap, sizeof isatap) && !(bytes[8] & 0xFD))
        return network_of_four(network_word(bytes + 12));
    return NETWORK_PUBLIC;
}

enum network hf_network_of(const struct sockaddr *address)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;

    if (address->sa_family == AF_INET) {
        memcpy(&four, address, sizeof four);
        return network_of_four(ntohl(four.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6) {
        memcpy(&six, address, sizeof six);
        return network_of_six(six.sin6_addr.s6_addr);
    }
    return NETWORK_LOOPBACK;
}
