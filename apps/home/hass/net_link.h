/* hass/net_link.h - a Home Assistant over the network, as a link of its client. */
#ifndef HOME_NET_LINK_H
#define HOME_NET_LINK_H

#include "hass/link.h"

struct net_link_options {
    const char *url;     /* http(s)://HOST[:PORT][/PREFIX][/] */
    const char *token;   /* NULL for none */
    const char *ca_file; /* trusted instead of those of the system; NULL for none */
    const haft_allocator *allocator;
};

/* Whether the URL of a Home Assistant can be used.  Returns 0, or HAFT_EINVAL with the reason. */
int net_link_check(const char *url, haft_reason *reterr_reason);

/* Makes a link; nothing is connected yet.  Returns 0, or an error with the reason: a URL that cannot be
 * used, or a build without the HTTP client.  Everything is copied. */
int net_link_new(const struct net_link_options *options, struct hass_link *ret_link,
                 haft_reason *reterr_reason);

/* Reads a token from a file, without the white space around it, into ret_token.  Returns 0, or an error with
 * the reason, which names the file. */
enum { NET_TOKEN_MAX = 4096 };
int net_token_read(const char *path, char ret_token[NET_TOKEN_MAX], haft_reason *reterr_reason);

#endif
