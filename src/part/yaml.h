/* part/yaml.h - access to YAML, an optional part. */
#ifndef HAFT_SRC_YAML_OPEN_H
#define HAFT_SRC_YAML_OPEN_H

#include "yaml/yaml.h"

/* Opens the part and returns its functions; as hf_http_client_open. */
const struct yaml_functions *hf_yaml_open(const char *needed_by, haft_reason *reterr_reason);

/* Appends a YAML document as JSON (yaml_functions.to_json). */
int hf_yaml_to_json_with(const struct yaml_functions *yaml, const char *text, size_t size,
                         haft_arena *arena, haft_buffer *out, haft_reason *reterr_reason);

#endif
