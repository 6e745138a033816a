/* gateway/invoke.h - what an endpoint does for the invokes of its tools. */
#ifndef HAFT_SRC_INVOKE_H
#define HAFT_SRC_INVOKE_H

#include "gateway/gateway.h"

/* A stage's `before`, with the gateway as its data: keeps the headers that invokes take along. */
int hf_invoke_keep_headers(haft_call *call, void *data);

/* haft_invoke of a route with its input as values, an object. */
int hf_invoke_route(haft_call *call, struct generation *generation, const struct route *route,
                    yyjson_val *input, haft_response *ret_response);

#endif
