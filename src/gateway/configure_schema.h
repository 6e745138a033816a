/* gateway/configure_schema.h - a JSON Schema of the configuration file. */
#ifndef HAFT_SRC_GATEWAY_CONFIGURE_SCHEMA_H
#define HAFT_SRC_GATEWAY_CONFIGURE_SCHEMA_H

#include "gateway/gateway.h"

/* Appends a schema of the whole file: options, plugins, and the section of the gateway.  Returns 0 or an error. */
int hf_configure_put_schema(const haft_gateway *gateway, haft_buffer *out);

#endif
