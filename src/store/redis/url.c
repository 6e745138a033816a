/* url.c - the URL of a server or of its sentinels. */
#include <stdlib.h>

#include "store/redis/room.h"

enum { REDIS_PORT = 6379, SENTINEL_PORT = 26379, MAX_DATABASE = 65535 };

/* Part of a URL. */
struct part {
    const char *at, *end;
};

static int url_error(const struct redis_host *host, haft_reason *reterr_reason, const char *why)
{
    return host->error_set(reterr_reason, HAFT_EINVAL, "url", "invalid URL of Redis: %s", why);
}

static bool part_begins(struct part *part, const char *text)
{
    size_t size = strlen(text);

    if ((size_t)(part->end - part->at) < size || memcmp(part->at, text, size) != 0)
        return false;
    part->at += size;
    return true;
}

/* Cuts off what is before a byte, and the byte; all of it if it does not occur. */
static struct part part_until(struct part *part, char byte, bool *ret_found)
{
    const char *found =
        part->at < part->end ? memchr(part->at, byte, (size_t)(part->end - part->at)) : NULL;
    struct part first = {part->at, found ? found : part->end};

    *ret_found = found;
    part->at = found ? found + 1 : part->end;
    return first;
}

static int url_hex(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit = (char)(digit | 0x20);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Copies text with percent-encoding decoded; false if it is too long or not valid. */
static bool part_copy(struct part part, char *text, size_t room)
{
    size_t n = 0;

    for (; part.at < part.end; part.at++) {
        char byte = *part.at;

        if (byte == '%') {
            int high = part.end - part.at > 2 ? url_hex(part.at[1]) : -1;
            int low = high >= 0 ? url_hex(part.at[2]) : -1;

            if (low < 0)
                return false;
            byte = (char)(high << 4 | low);
            part.at += 2;
        }
        if (!byte || n + 1 >= room)
            return false;
        text[n++] = byte;
    }
    text[n] = '\0';
    return true;
}

static bool part_number(struct part part, unsigned max, unsigned *ret_number)
{
    unsigned long number = 0;

    if (part.at == part.end || part.end - part.at > 5)
        return false;
    for (; part.at < part.end; part.at++) {
        if (*part.at < '0' || *part.at > '9')
            return false;
        number = number * 10 + (unsigned long)(*part.at - '0');
    }
    *ret_number = (unsigned)number;
    return number <= max;
}

/* HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. */
static bool url_address(struct part part, unsigned port, struct redis_address *ret_address)
{
    bool found = false;
    struct part name;

    if (part.at < part.end && *part.at == '[') {
        part.at++;
        name = part_until(&part, ']', &found);
        if (!found || (part.at < part.end && *part.at++ != ':'))
            return false;
        found = part.at < part.end;
    } else {
        name = part_until(&part, ':', &found);
    }
    ret_address->port = port;
    if (found && (!part_number(part, 65535, &ret_address->port) || !ret_address->port))
        return false;
    return name.at < name.end && part_copy(name, ret_address->host, sizeof ret_address->host);
}

static const char *url_user(struct part *rest, struct redis_url *url)
{
    bool found;
    struct part authority = *rest, user = part_until(&authority, '@', &found), name;

    if (!found)
        return NULL;
    *rest = authority;
    name = part_until(&user, ':', &found);
    if (!part_copy(name, url->user, sizeof url->user) ||
        !part_copy(user, url->password, sizeof url->password))
        return "the user or the password is too long or not percent-encoded";
    return NULL;
}

static const char *url_hosts(struct part hosts, bool is_sentinel, struct redis_url *url)
{
    bool more = true;

    while (more) {
        struct part host = is_sentinel ? part_until(&hosts, ',', &more) : (more = false, hosts);

        if (url->n_hosts == REDIS_HOSTS)
            return "it has more than 8 sentinels";
        if (!url_address(host, is_sentinel ? SENTINEL_PORT : REDIS_PORT,
                         &url->hosts[url->n_hosts++]))
            return "a host or a port is not valid; write HOST or HOST:PORT";
    }
    return NULL;
}

static const char *url_network(struct part rest, bool is_sentinel, struct redis_url *url)
{
    bool found;
    struct part hosts, master;
    const char *why = url_user(&rest, url);

    if (why)
        return why;
    hosts = part_until(&rest, '/', &found);
    why = url_hosts(hosts, is_sentinel, url);
    if (why)
        return why;
    if (is_sentinel) {
        master = part_until(&rest, '/', &found);
        if (master.at == master.end || !part_copy(master, url->master, sizeof url->master))
            return "the name of the master is missing; write redis+sentinel://HOST/MASTER";
    }
    if (rest.at < rest.end && !part_number(rest, MAX_DATABASE, &url->database))
        return "the database is not a number";
    return NULL;
}

static const char *url_unix(struct part rest, struct redis_url *url)
{
    bool found;
    struct part path = part_until(&rest, '?', &found);

    url->n_hosts = 1;
    if (path.at == path.end || *path.at != '/' ||
        !part_copy(path, url->hosts[0].host, 108)) /* the size of sockaddr_un */
        return "the path of the socket is missing, relative or too long";
    if (found && (!part_begins(&rest, "db=") || !part_number(rest, MAX_DATABASE, &url->database)))
        return "only ?db=NUMBER may follow the path of a socket";
    return NULL;
}

int hf_redis_url_parse(const char *text, const struct redis_host *host, struct redis_url *ret_url,
                       haft_reason *reterr_reason)
{
    struct part rest = {text, text + strlen(text)};
    const char *why;

    memset(ret_url, 0, sizeof *ret_url);
    if (part_begins(&rest, "redis://"))
        why = url_network(rest, false, ret_url);
    else if (part_begins(&rest, "rediss://"))
        ret_url->tls = true, why = url_network(rest, false, ret_url);
    else if (part_begins(&rest, "redis+sentinel://"))
        why = url_network(rest, true, ret_url);
    else if (part_begins(&rest, "redis+unix://"))
        why = url_unix(rest, ret_url);
    else
        why = "it begins with none of redis://, rediss://, redis+unix:// and redis+sentinel://";
    return why ? url_error(host, reterr_reason, why) : 0;
}
