/* part.c - YAML as an optional part: its only exported symbol. */
#include <haft/part.h>

#include "yaml/yaml.h"

static const struct yaml_functions part_functions = {.to_json = hf_yaml_to_json};

const haft_part haft_yaml_part = {
    .magic = HAFT_PART_MAGIC,
    .abi = HAFT_PART_ABI,
    .name = "yaml",
    .version = HAFT_VERSION,
    .functions = &part_functions,
};
