/* fuzz_import.c - any bytes as an OpenAPI document: what comes out are tools that can be offered, and refusals with a
 * reason; requests made of them do not fail for want of care.  The first byte chooses options. */
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Reasons for which a schema that is well formed may still be refused: a circle without an end, and limits. */
static bool may_be_refused(int status, const haft_reason *reason)
{
    return status == HAFT_EDEPTH || status == HAFT_ETOOBIG || status == HAFT_ENOMEM ||
           (status == HAFT_ESCHEMA &&
            (strstr(reason->text, "itself") || strstr(reason->text, "limit")));
}

static void check_schema(const char *text, size_t size, haft_arena *arena)
{
    haft_reason reason = {0};
    haft_value *root = haft_json_read(text, size, 512, arena, &reason);
    haft_schema *schema = NULL;
    int status;

    require(root && yyjson_equals_str(yyjson_obj_get(root, "type"), "object"));
    require(!yyjson_obj_get(root, "$ref") && !yyjson_obj_get(root, "anyOf") &&
            !yyjson_obj_get(root, "oneOf"));
    status = hf_import_compile(text, size, NULL, &schema, &reason);
    require(!status || may_be_refused(status, &reason));
    haft_schema_free(schema);
}

static void check_operation(const struct import_operation *one, haft_arena *arena)
{
    static const char arguments[] =
        "{\"id\":\"a/b\",\"q\":[1,{\"a\":null}],\"body\":{\"a\":[true]},\"x\":-0.5}";
    struct import_request request;
    haft_reason reason = {0};
    haft_value *value;

    require(strlen(one->name) <= IMPORT_NAME_MAX && *one->name && *one->description);
    require(one->name[strspn(one->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-")] == '\0');
    check_schema(one->input, one->input_size, arena);
    if (one->output)
        check_schema(one->output, one->output_size, arena);
    value = haft_json_read(arguments, sizeof arguments - 1, 0, arena, &reason);
    require(value);
    if (!hf_import_request(one, value, arena, &request, &reason))
        require(*request.target == '/' && !strpbrk(request.target, " \r\n#"));
}

static void check_import(const struct import *import, haft_arena *arena)
{
    require(import->n_found == import->n_operations + import->n_refusals);
    for (size_t i = 0; i < import->n_operations; i++) {
        check_operation(&import->operations[i], arena);
        for (size_t j = 0; j < i; j++)
            require(strcmp(import->operations[i].name, import->operations[j].name) != 0);
    }
    for (size_t i = 0; i < import->n_refusals; i++)
        require(import->refusals[i].place && *import->refusals[i].reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct import_rule rules[] = {{.tag = "a*", .method = "g?t"}, {.path = "*x*"}};
    haft_arena *arena = haft_arena_new(NULL, 256 << 20);
    struct import_options options = {.max_operations = 50};
    struct import *import = NULL;
    haft_reason reason = {0};
    haft_value *document;

    if (!arena || !size) {
        haft_arena_free(arena);
        return 0;
    }
    options.prefix = *data & 1 ? "a prefix" : NULL;
    options.n_rules = *data >> 1 & 3;
    options.rules = rules;
    options.read_only = *data & 8;
    if (options.n_rules > sizeof rules / sizeof *rules)
        options.n_rules = 0;
    document = haft_json_read((const char *)data + 1, size - 1, 256, arena, &reason);
    if (document && !hf_import_document(document, &options, &import, &reason))
        check_import(import, arena);
    else
        require(*reason.text);
    hf_import_free(import);
    haft_arena_free(arena);
    return 0;
}
