/* gateway/proxy.h - routes that an HTTP upstream answers. */
#ifndef HAFT_SRC_GATEWAY_PROXY_H
#define HAFT_SRC_GATEWAY_PROXY_H

#include "gateway/gateway.h"

struct upstream;

/* The data of such a route. */
struct proxy_route {
    struct upstream *upstream; /* of the kind http; held by the generation of the route */
    const char
        *path; /* path at the upstream, with the route's variables; NULL: that of the request */
};

/* Checks the path: it begins with a slash, and each {variable} is one of the route's path.  Returns 0, or HAFT_EINVAL
 * with the reason. */
int hf_proxy_check(const char *route_path, const char *path, haft_reason *reterr_reason);

/* Answers a request with the upstream's response.  The handler of a quick route: haft_route.handler, whose
 * data is a struct proxy_route. */
int hf_proxy_handle(haft_call *call, haft_value *input, void *data);

#endif
