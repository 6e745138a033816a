/* gateway/values.h - the input of a route as values, and the request that it would have come in. */
#ifndef HAFT_SRC_VALUES_H
#define HAFT_SRC_VALUES_H

#include "gateway/gateway.h"

/* Whether the input can be passed as it is: a request that brings the same can be written. */
bool hf_values_fit(const struct route *route, yyjson_val *input);
/* In other memory, with its texts; NULL without that. */
yyjson_val *hf_values_copy(haft_arena *arena, const yyjson_val *input);

/* A string, or what JSON writes for another value; in the call's memory, NULL without that. */
const char *hf_values_text(haft_call *call, yyjson_val *value);
/* "route:/customers/1?full=true". */
const char *hf_values_uri(haft_call *call, const struct route *route, yyjson_val *input);

#endif
