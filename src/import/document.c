/* document.c - imports a document: operations in, tools and refusals out.
 *
 * Nothing but a failed allocation, a document of another kind or a change of an operation that does not exist
 * ends an import.  Everything else costs the one operation that has it. */
#include <string.h>

#include "import/found.h"

enum { IMPORT_MEMORY = 512 << 20 };

static int document_out_of_memory(haft_reason *reason)
{
    return hf_error_set(reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
}

/* ---- versions ---- */

static const struct {
    const char *key, *prefix;
    enum import_version version;
} document_versions[] = {
    {"swagger", "2.0", IMPORT_2_0},
    {"openapi", "3.0", IMPORT_3_0},
    {"openapi", "3.1", IMPORT_3_1},
};

/* The text of a version; YAML may contain a number. */
static const char *document_version_text(haft_arena *arena, yyjson_val *version)
{
    char number[NUMBER_TEXT];

    if (yyjson_is_str(version))
        return yyjson_get_str(version);
    hf_number_to_text(hf_json_double(version), number);
    return haft_arena_printf(arena, "%s%s", number, strchr(number, '.') ? "" : ".0");
}

static int document_read_version(struct import_document *document, haft_reason *reason)
{
    yyjson_val *swagger = yyjson_obj_get(document->root, "swagger");
    yyjson_val *version = swagger ? swagger : yyjson_obj_get(document->root, "openapi");
    const char *text;

    if (!yyjson_is_str(version) && !yyjson_is_num(version))
        return hf_error_set(reason, HAFT_EINVAL, "",
                            "not an OpenAPI document: the member openapi or swagger is missing");
    text = document_version_text(document->import->arena, version);
    if (!text)
        return document_out_of_memory(reason);
    for (size_t i = 0; i < sizeof document_versions / sizeof *document_versions; i++) {
        const char *prefix = document_versions[i].prefix;
        size_t size = strlen(prefix);

        if (!strncmp(text, prefix, size) && (!text[size] || text[size] == '.') &&
            yyjson_obj_get(document->root, document_versions[i].key) == version) {
            document->version = document_versions[i].version;
            document->import->version = text;
            return 0;
        }
    }
    return hf_error_set(reason, HAFT_EINVAL, "",
                        "OpenAPI version %.32s is not supported; supported are 2.0, 3.0 and 3.1",
                        text);
}

static int document_read_head(struct import_document *document, haft_reason *reason)
{
    yyjson_val *paths = yyjson_obj_get(document->root, "paths");
    int status = document_read_version(document, reason);

    if (status)
        return status;
    if (paths && !yyjson_is_obj(paths))
        return hf_error_set(reason, HAFT_EINVAL, "paths", "the member paths is not an object");
    document->import->title =
        yyjson_get_str(yyjson_obj_get(yyjson_obj_get(document->root, "info"), "title"));
    document->import->server = hf_import_document_server(document, &status);
    return status ? document_out_of_memory(reason) : 0;
}

/* ---- operations ---- */

static int document_refuse(struct import *import, const struct import_found *found,
                           const char *reason, bool selected)
{
    const char *text = haft_arena_copy(import->arena, reason, strlen(reason));

    if (!text)
        return HAFT_ENOMEM;
    import->refusals[import->n_refusals++] = (struct import_refusal){
        .place = found->place, .id = found->id, .reason = text, .selected = selected};
    return 0;
}

static int document_add(const struct import_document *document, const struct import_found *found)
{
    struct import *import = document->import;
    const struct import_options *options = document->options;
    size_t most = options->max_operations ? options->max_operations : IMPORT_OPERATIONS;
    struct import_operation *target = &import->operations[import->n_operations];
    const char *why = found->failure;
    haft_reason reason;
    int status = 0;

    if (why)
        return document_refuse(import, found, why, true);
    why = hf_import_left_out(document, found, &status);
    if (why || status)
        return status ? status : document_refuse(import, found, why, false);
    if (import->n_operations == most)
        return document_refuse(import, found, "over the limit of operations", true);
    status = hf_import_convert(document, found, target, &reason);
    if (!status) {
        import->n_operations++;
        return 0;
    }
    memset(target, 0, sizeof *target);
    return status == HAFT_ENOMEM || reason.code == HAFT_ENOMEM
               ? HAFT_ENOMEM
               : document_refuse(import, found, reason.text, true);
}

static int document_add_all(struct import_document *document, haft_reason *reason)
{
    struct import *import = document->import;
    struct import_found *found;
    struct import_schemes schemes;
    size_t n;
    int status = hf_import_schemes(document, &schemes);

    if (status)
        return document_out_of_memory(reason);
    document->schemes = &schemes;
    status = hf_import_find(document, &found, &n, reason);
    if (status)
        return status;
    import->n_found = n;
    import->operations = haft_arena_zalloc(import->arena, n + 1, sizeof *import->operations);
    import->refusals = haft_arena_zalloc(import->arena, n + 1, sizeof *import->refusals);
    if (!import->operations || !import->refusals)
        return document_out_of_memory(reason);
    for (size_t i = 0; i < n && !status; i++)
        status = document_add(document, &found[i]);
    return status ? document_out_of_memory(reason) : 0;
}

/* ---- the interface ---- */

static struct import *document_new_import(const haft_allocator *allocator)
{
    haft_arena *arena = haft_arena_new(allocator, IMPORT_MEMORY);
    struct import *import = arena ? haft_arena_zalloc(arena, 1, sizeof *import) : NULL;

    if (import)
        import->arena = arena;
    else
        haft_arena_free(arena);
    return import;
}

int hf_import_document(haft_value *document, const struct import_options *options,
                       struct import **ret_import, haft_reason *reterr_reason)
{
    static const struct import_options none;
    struct import_document whole = {.options = options ? options : &none, .root = document};
    int status;

    if (!yyjson_is_obj(document))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "not an OpenAPI document: it is not an object");
    whole.import = document_new_import(whole.options->allocator);
    if (!whole.import)
        return document_out_of_memory(reterr_reason);
    whole.cache = hf_import_cache_new(whole.import, whole.options->allocator);
    status = whole.cache ? document_read_head(&whole, reterr_reason)
                         : document_out_of_memory(reterr_reason);
    if (!status)
        status = document_add_all(&whole, reterr_reason);
    hf_import_cache_finish(whole.cache);
    if (status)
        hf_import_free(whole.import);
    else
        *ret_import = whole.import;
    return status;
}

void hf_import_free(struct import *import)
{
    if (import)
        haft_arena_free(import->arena);
}
