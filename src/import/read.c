/* read.c - documents as text: JSON, or YAML if the optional part is there. */
#include <string.h>

#include "import/import.h"
#include "json/json.h"
#include "part/yaml.h"

enum { READ_DEPTH = 256 };

/* JSON begins with a brace. */
static bool read_is_json(const char *text, size_t size)
{
    while (size && strchr(" \t\r\n", *text)) {
        text++;
        size--;
    }
    return size && *text == '{';
}

static haft_value *read_yaml(const char *text, size_t size, const char *name, haft_arena *arena,
                             haft_reason *reason)
{
    const struct yaml_functions *yaml = hf_yaml_open(name, reason);
    haft_value *value = NULL;
    haft_buffer json;

    if (!yaml)
        return NULL;
    haft_buffer_init(&json, hf_arena_allocator(arena), IMPORT_DOCUMENT_MAX);
    if (!hf_yaml_to_json_with(yaml, text, size, arena, &json, reason))
        value = haft_json_read(json.data, json.size, READ_DEPTH, arena, reason);
    haft_buffer_finish(&json);
    return value;
}

haft_value *hf_import_read(const char *text, size_t size, const char *name, haft_arena *arena,
                           haft_reason *reterr_reason)
{
    if (size > IMPORT_DOCUMENT_MAX) {
        hf_error_set(reterr_reason, HAFT_ETOOBIG, "", "the document is larger than %d bytes",
                     IMPORT_DOCUMENT_MAX);
        return NULL;
    }
    return read_is_json(text, size) ? haft_json_read(text, size, READ_DEPTH, arena, reterr_reason)
                                    : read_yaml(text, size, name, arena, reterr_reason);
}

int hf_import_compile(const char *schema, size_t size, const haft_allocator *allocator,
                      haft_schema **ret_schema, haft_reason *reterr_reason)
{
    const haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = allocator, .defaults = HAFT_DEFAULTS_ANNOTATE);

    return haft_schema_parse(schema, size, &options, ret_schema, reterr_reason);
}
