/* http/proxy.h - trusted proxies, whose headers name the client. */
#ifndef HAFT_SRC_HTTP_PROXY_H
#define HAFT_SRC_HTTP_PROXY_H

#include <haft/http.h>

#include "base/base.h"

enum {
    ADDRESS_BYTES = 16, /* IPv6; IPv4 addresses are mapped */
    ADDRESS_TEXT = 48   /* including the NUL */
};

struct network {
    unsigned char address[ADDRESS_BYTES];
    unsigned bits;
};

struct proxies {
    const haft_allocator *allocator;
    struct network *list;
    size_t n, room;
    bool unix_sockets; /* peers on Unix sockets are trusted */
};

/* Reads "192.0.2.1", "10.0.0.0/8", "2001:db8::/32" or "unix"; the list ends with NULL, and may be
 * NULL. Returns 0, or HAFT_EINVAL or HAFT_ENOMEM with the reason; on failure there is nothing to
 * free. */
int hf_proxies_init(struct proxies *proxies, const char *const *list,
                    const haft_allocator *allocator, haft_reason *reterr_reason);
void hf_proxies_finish(struct proxies *proxies);

/* Whether the peer is trusted; "" for a peer on a Unix socket. */
bool hf_proxies_trust(const struct proxies *proxies, const char *peer);

/* The client's address for a request of a trusted peer: the last one in Forwarded or
 * X-Forwarded-For that is not a trusted proxy, or the last one that could be parsed. */
void hf_proxies_find_client(const struct proxies *proxies, const char *peer,
                            const haft_header *headers, size_t n, char ret_client[ADDRESS_TEXT]);

#endif
