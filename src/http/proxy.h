/* http/proxy.h - proxies that are believed when they say whom they ask for. */
#ifndef HAFT_SRC_HTTP_PROXY_H
#define HAFT_SRC_HTTP_PROXY_H

#include <haft/http.h>

#include "base/base.h"

enum {
    ADDRESS_BYTES = 16, /* of IPv6; one of IPv4 is mapped into it */
    ADDRESS_TEXT = 48   /* with its NUL */
};

struct network {
    unsigned char address[ADDRESS_BYTES];
    unsigned bits;
};

struct proxies {
    const haft_allocator *allocator;
    struct network *list;
    size_t n, room;
    bool unix_sockets; /* whoever comes over one is believed */
};

/* Reads "192.0.2.1", "10.0.0.0/8", "2001:db8::/32" or "unix"; the list ends with NULL, and may be NULL.
 * 0, or HAFT_EINVAL or HAFT_ENOMEM with the reason; there is nothing to free then. */
int hf_proxies_init(struct proxies *proxies, const char *const *list,
                    const haft_allocator *allocator, haft_reason *reterr_reason);
void hf_proxies_finish(struct proxies *proxies);

/* Whether the peer is one of them; "" for one that came over a Unix socket. */
bool hf_proxies_trust(const struct proxies *proxies, const char *peer);

/* The client's address, of a request that a trusted peer has sent: the last one in Forwarded or
 * X-Forwarded-For that is not a trusted proxy's, or the last one that could be read. */
void hf_proxies_find_client(const struct proxies *proxies, const char *peer,
                            const haft_header *headers, size_t n, char ret_client[ADDRESS_TEXT]);

#endif
