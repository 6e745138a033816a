/* fuzz_schema.c - any bytes as a schema, any bytes as a value, with a NUL between them.
 *
 * What is made of a schema that compiles must hold together: issues come with their status, JSON
 * that is written can be read, and one value is judged the same twice. */
#include <haft/schema.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

/* What was written is JSON, unless there was no room for it. */
static void check_json(const haft_buffer *json, haft_arena *arena)
{
    if (!json->status)
        require(haft_json_read(json->data, json->size, 512, arena, NULL) != NULL);
}

static void check_value(const haft_schema *schema, const char *text, size_t size, haft_arena *arena,
                        haft_buffer *out)
{
    haft_issues issues = {0}, again = {0};
    int status = haft_schema_validate_text(schema, text, size, arena, &issues);

    if (status == HAFT_EISSUES)
        require(issues.count && issues.total >= issues.count);
    else
        require(status ? issues.count <= 1 : !issues.total);
    if (status == HAFT_ENOMEM)
        return;
    haft_buffer_clear(out);
    haft_issues_json(&issues, out);
    check_json(out, arena);
    haft_buffer_clear(out);
    haft_issues_text(&issues, out);
    require(haft_schema_validate_text(schema, text, size, arena, &again) == status ||
            haft_arena_used(arena) > 1 << 20);
}

static void check_schema(const haft_schema *schema, haft_arena *arena, haft_buffer *out)
{
    haft_schema_emit(schema, NULL, out);
    check_json(out, arena);
    haft_buffer_clear(out);
    haft_schema_print(schema, out);
    require(out->status || haft_utf8_valid(out->data, out->size) == out->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size ? memchr(text, 0, size) : NULL;
    size_t first = end ? (size_t)(end - text) : size;
    const haft_schema_options options =
        HAFT_INIT(haft_schema_options, .max_depth = 32, .max_steps = 20000, .max_subschemas = 500,
                  .max_memory = 8 << 20, .max_issues = 4, .pattern_steps = 1000);
    haft_schema *schema = NULL;
    haft_arena *arena = haft_arena_new(NULL, 4 << 20);
    haft_buffer out;

    haft_buffer_init(&out, NULL, 1 << 20);
    if (arena && !haft_schema_parse(text, first, &options, &schema, NULL)) {
        check_schema(schema, arena, &out);
        haft_arena_reset(arena);
        check_value(schema, end ? end + 1 : "", end ? size - first - 1 : 0, arena, &out);
    }
    haft_schema_free(schema);
    haft_buffer_finish(&out);
    haft_arena_free(arena);
    return 0;
}
