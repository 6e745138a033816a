/* auth/web_url.h - URLs of servers: their parts, whether they belong together, and which of them
 * a client may be made to ask. */
#ifndef HAFT_SRC_WEB_URL_H
#define HAFT_SRC_WEB_URL_H

#include "base/base.h"
#include "base/url.h"

struct sockaddr;

struct web_url {
    struct url_part host; /* without brackets */
    struct url_part path, query;
    unsigned port; /* also if it is the default */
    bool tls, has_fragment;
    bool loopback; /* the host is a loopback address, or localhost */
};

enum { WEB_URL_LIMIT = 2048 };

/* Splits an absolute http or https URL of printable ASCII without user and password. Returns 0 or
 * HAFT_EINVAL. The parts are slices of the text. */
int hf_web_url_read(const char *text, struct web_url *ret_url);

bool hf_web_url_same_origin(const struct web_url *left, const struct web_url *right);

/* Whether a URL is the resource or below it, by path segments, on the same origin. */
bool hf_web_url_is_within(const struct web_url *url, const struct web_url *resource);

/* Whether a document may send the client of this server to the URL: https; or http, if both are on
 * loopback. */
bool hf_web_url_may_follow(const struct web_url *url, const struct web_url *server);

/* Appends scheme, host and port, in lower case and without the default port. */
void hf_web_url_put_origin(const struct web_url *url, haft_buffer *buffer);

/* Networks, from the one that anyone reaches to the one that only this machine reaches. */
enum network {
    NETWORK_PUBLIC,
    NETWORK_PRIVATE, /* RFC 1918, unique local, shared */
    NETWORK_LINK,    /* link-local, where clouds have their metadata services */
    NETWORK_LOOPBACK
};

enum network hf_network_of(const struct sockaddr *address);

#endif
