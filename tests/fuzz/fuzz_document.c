/* fuzz_document.c - any bytes as a JSON Schema document: what compiles can be checked against,
 * and what does not says why. */
#include <haft/schema.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DOCUMENT "{\"$defs\":{\"b\":{\"$id\":\"x:b\",\"$dynamicAnchor\":\"d\"}}}"
#define META "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{}}"

static const haft_document documents[] = {
    {"x:a", DOCUMENT, sizeof DOCUMENT - 1},
    {"x:meta", META, sizeof META - 1},
};

static void check(const haft_schema *schema, const char *text, size_t size)
{
    static const char *const values[] = {"null", "1.5", "\"a\"", "[1,[2]]", "{\"a\":{\"b\":[]}}"};
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    haft_issues issues = {0};
    haft_value *value;

    if (!arena)
        return;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        size_t n = 0;

        while (values[i][n])
            n++;
        haft_schema_decode_text(schema, values[i], n, arena, &value, &issues);
        haft_arena_reset(arena);
    }
    /* The document is a value like any other. */
    haft_schema_decode_text(schema, text, size, arena, &value, &issues);
    haft_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size ? (const char *)data : "";
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .max_steps = 10000, .max_memory = 16 << 20,
                  .documents = documents, .n_documents = sizeof documents / sizeof *documents);
    haft_schema *schema = NULL;
    haft_reason error = {0};
    int status = haft_schema_parse(text, size, &options, &schema, &error);

    if (status && (error.code != status || !error.text[0]))
        abort();
    if (!status)
        check(schema, text, size);
    haft_schema_free(schema);
    return 0;
}
