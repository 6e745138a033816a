/* gateway/invoke.h - support for invokes by the tools of an endpoint. */
#ifndef HAFT_SRC_INVOKE_H
#define HAFT_SRC_INVOKE_H

#include "gateway/gateway.h"

/* The `before` callback of a stage, with the gateway as its data: keeps the headers that invokes
 * forward. */
int hf_invoke_keep_headers(haft_call *call, void *data);

/* haft_invoke for a route, with its input as an object of values. */
int hf_invoke_route(haft_call *call, struct generation *generation, const struct route *route,
                    yyjson_val *input, haft_response *ret_response);

#endif
