/* gateway/values.h - the input of a route as values, and the corresponding request. */
#ifndef HAFT_SRC_VALUES_H
#define HAFT_SRC_VALUES_H

#include "gateway/gateway.h"

/* Whether the input can be passed as values: an equivalent request exists. */
bool hf_values_fit(const struct route *route, yyjson_val *input);
/* Copies the input and its strings; NULL without memory. */
yyjson_val *hf_values_copy(haft_arena *arena, const yyjson_val *input);

/* A string, or another value as JSON, in the call's memory; NULL without memory. */
const char *hf_values_text(haft_call *call, yyjson_val *value);
/* "route:/customers/1?full=true". */
const char *hf_values_uri(haft_call *call, const struct route *route, yyjson_val *input);

#endif
