/* operation.c - one operation of a document as a tool: descriptions, annotations and schemas. */
#include <string.h>

#include "import/found.h"

enum { OPERATION_TITLE = 100, OPERATION_DESCRIPTION = 2048 };

/* ---- descriptions ---- */

/* A text of the operation, cleaned; "" if there is none, NULL without memory. */
static const char *operation_text(haft_arena *arena, yyjson_val *operation, const char *key,
                                  size_t most)
{
    yyjson_val *value = yyjson_obj_get(operation, key);
    size_t size = yyjson_get_len(value);
    const char *text;

    if (!yyjson_is_str(value))
        return "";
    text = hf_import_clean(arena, yyjson_get_str(value), &size, most);
    if (!text)
        return NULL;
    while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
        size--;
    return haft_arena_copy(arena, text, size);
}

static bool operation_begins_with(const char *text, const char *start)
{
    size_t size = strlen(start);

    return !strncmp(text, start, size - (size && start[size - 1] == '.'));
}

/* The summary and the description, unless one says it all. */
static const char *operation_describe(haft_arena *arena, const struct import_found *found,
                                      const char *summary, const char *description)
{
    bool deprecated = yyjson_is_true(yyjson_obj_get(found->operation, "deprecated"));
    bool both = *summary && *description && !operation_begins_with(description, summary);
    const char *whole;
    size_t size;

    if (!*summary && !*description)
        summary = found->place;
    whole =
        haft_arena_printf(arena, "%s%s%s%s", deprecated ? "Deprecated. " : "",
                          both || !*description ? summary : "", both ? "\n\n" : "", description);
    if (!whole)
        return NULL;
    size = strlen(whole);
    return hf_import_clean(arena, whole, &size, OPERATION_DESCRIPTION);
}

static int operation_set_texts(haft_arena *arena, const struct import_found *found,
                               struct import_operation *target)
{
    const struct import_change *change = found->change;
    const char *summary = operation_text(arena, found->operation, "summary", OPERATION_DESCRIPTION);
    const char *description =
        operation_text(arena, found->operation, "description", OPERATION_DESCRIPTION);

    if (!summary || !description)
        return HAFT_ENOMEM;
    if (*summary && strlen(summary) <= OPERATION_TITLE)
        target->title = summary;
    target->description = operation_describe(arena, found, summary, description);
    if (!target->description)
        return HAFT_ENOMEM;
    if (change && change->title)
        target->title = change->title;
    if (change && change->description)
        target->description = change->description;
    return 0;
}

/* ---- annotations ---- */

static const struct {
    const char *method;
    haft_hint read_only, destructive, idempotent;
} operation_methods[] = {
    {"GET", HAFT_YES, HAFT_NO, HAFT_YES},     {"HEAD", HAFT_YES, HAFT_NO, HAFT_YES},
    {"OPTIONS", HAFT_YES, HAFT_NO, HAFT_YES}, {"TRACE", HAFT_YES, HAFT_NO, HAFT_YES},
    {"PUT", HAFT_NO, HAFT_YES, HAFT_YES},     {"DELETE", HAFT_NO, HAFT_YES, HAFT_YES},
    {"PATCH", HAFT_NO, HAFT_YES, HAFT_UNSET}, {"POST", HAFT_NO, HAFT_UNSET, HAFT_UNSET},
};

static void operation_set_annotations(const struct import_found *found,
                                      struct import_operation *target)
{
    haft_annotations *to = &target->annotations;
    const haft_annotations *from = found->change ? &found->change->annotations : NULL;

    to->open_world = HAFT_YES;
    for (size_t i = 0; i < sizeof operation_methods / sizeof *operation_methods; i++)
        if (!strcmp(found->method, operation_methods[i].method)) {
            to->read_only = operation_methods[i].read_only;
            to->destructive = operation_methods[i].destructive;
            to->idempotent = operation_methods[i].idempotent;
        }
    if (!from)
        return;
    to->title = from->title;
    to->read_only = from->read_only ? from->read_only : to->read_only;
    to->destructive = from->destructive ? from->destructive : to->destructive;
    to->idempotent = from->idempotent ? from->idempotent : to->idempotent;
    to->open_world = from->open_world ? from->open_world : to->open_world;
}

/* ---- address ---- */

static int operation_set_address(const struct import_document *document,
                                 const struct import_found *found, struct import_operation *target)
{
    yyjson_val *servers = yyjson_obj_get(found->operation, "servers");
    const char *base = hf_import_base_path(document);
    size_t size = strlen(base);
    int status;

    size -= size && base[size - 1] == '/';
    target->path =
        haft_arena_printf(document->import->arena, "%.*s%s", (int)size, base, found->path);
    if (!target->path)
        return HAFT_ENOMEM;
    if (!servers)
        servers = yyjson_obj_get(found->item, "servers");
    target->server = hf_import_server(document, servers, &status);
    return status;
}

/* ---- schemas ---- */

/* Adds "$defs", and writes the schema into the import's arena. */
static int operation_write(struct import_shaper *shaper, yyjson_mut_val *schema,
                           const char **ret_text, size_t *ret_size)
{
    const struct import_document *document = shaper->document;
    const yyjson_alc alc = hf_json_arena(document->cache->work);
    const char *text;
    size_t size = 0;

    if (shaper->definitions &&
        !yyjson_mut_obj_add_val(shaper->out, schema, "$defs", shaper->definitions))
        return HAFT_ENOMEM;
    text = yyjson_mut_val_write_opts(schema, 0, &alc, &size, NULL);
    *ret_text = text ? haft_arena_copy(document->import->arena, text, size) : NULL;
    *ret_size = size;
    return *ret_text ? 0 : HAFT_ENOMEM;
}

static yyjson_mut_val *operation_new_object(yyjson_mut_doc *out)
{
    yyjson_mut_val *object = yyjson_mut_obj(out);

    return object && yyjson_mut_obj_add_str(out, object, "type", "object") ? object : NULL;
}

static int operation_make_input(struct import_shaper *shaper, const struct import_found *found,
                                struct import_operation *target, haft_reason *reason)
{
    yyjson_mut_val *input = operation_new_object(shaper->out);
    int status = HAFT_ENOMEM;

    if (input &&
        yyjson_mut_obj_add_val(shaper->out, input, "properties", yyjson_mut_obj(shaper->out)))
        status = hf_import_make_plan(shaper, target, found->item, found->operation, input, reason);
    if (!status && !yyjson_mut_arr_size(yyjson_mut_obj_get(input, "required")))
        yyjson_mut_obj_remove_key(input, "required");
    /* A misspelt argument is better refused than left out of the request. */
    if (!status && !yyjson_mut_obj_add_bool(shaper->out, input, "additionalProperties", false))
        status = HAFT_ENOMEM;
    return status ? status : operation_write(shaper, input, &target->input, &target->input_size);
}

/* Whether a converted schema can be the root of an output: an object in any case, and without alternatives,
 * which some clients do not accept there. */
static bool operation_is_root(yyjson_mut_val *schema)
{
    return yyjson_mut_equals_str(yyjson_mut_obj_get(schema, "type"), "object") &&
           !yyjson_mut_obj_get(schema, "anyOf") && !yyjson_mut_obj_get(schema, "oneOf") &&
           !yyjson_mut_obj_get(schema, "$ref");
}

static yyjson_mut_val *operation_wrap(yyjson_mut_doc *out, yyjson_mut_val *schema)
{
    yyjson_mut_val *root = operation_new_object(out), *properties = yyjson_mut_obj(out);
    yyjson_mut_val *required = yyjson_mut_arr(out);

    if (!root || !properties || !required ||
        !yyjson_mut_obj_add_val(out, properties, "result", schema) ||
        !yyjson_mut_arr_add_str(out, required, "result") ||
        !yyjson_mut_obj_add_val(out, root, "properties", properties) ||
        !yyjson_mut_obj_add_val(out, root, "required", required))
        return NULL;
    return root;
}

static int operation_put_output(struct import_shaper *shaper, yyjson_val *schema,
                                struct import_operation *target, haft_reason *reason)
{
    yyjson_val *whole = hf_import_resolve(shaper->document, schema, reason);
    yyjson_mut_val *root;

    if (!whole)
        return reason->code;
    root = hf_import_shape(shaper, target->wrapped ? schema : whole);
    if (!root) {
        *reason = shaper->reason;
        return reason->code;
    }
    if (!target->wrapped && !yyjson_mut_obj_get(root, "type") &&
        (yyjson_mut_obj_get(root, "properties") || yyjson_mut_obj_get(root, "allOf")) &&
        !yyjson_mut_obj_add_str(shaper->out, root, "type", "object"))
        return HAFT_ENOMEM;
    if (target->wrapped || !operation_is_root(root)) {
        target->wrapped = true;
        root = operation_wrap(shaper->out, root);
    }
    return root ? operation_write(shaper, root, &target->output, &target->output_size)
                : HAFT_ENOMEM;
}

/* An output schema that is too large is left out: the tool is of use without it. */
static int operation_make_output(struct import_shaper *shaper, const struct import_found *found,
                                 struct import_operation *target, haft_reason *reason)
{
    yyjson_val *schema = NULL;
    int status = hf_import_make_answer(shaper->document, target, found->operation, &schema, reason);

    if (!status && schema)
        status = operation_put_output(shaper, schema, target, reason);
    if (status == HAFT_ETOOBIG) {
        target->note = "without the schema of its result, which is too large";
        target->wrapped = false;
        status = 0;
    }
    return status;
}

static int operation_make_schemas(const struct import_document *document,
                                  const struct import_found *found, struct import_operation *target,
                                  haft_reason *reason)
{
    const yyjson_alc alc = hf_json_arena(document->cache->work);
    yyjson_mut_doc *out = yyjson_mut_doc_new(&alc);
    struct import_shaper input = {.document = document, .use = IMPORT_INPUT, .out = out};
    struct import_shaper output = {.document = document, .use = IMPORT_OUTPUT, .out = out};
    int status;

    if (!out)
        return HAFT_ENOMEM;
    status = operation_make_input(&input, found, target, reason);
    return status ? status : operation_make_output(&output, found, target, reason);
}

int hf_import_convert(const struct import_document *document, const struct import_found *found,
                      struct import_operation *target, haft_reason *reterr_reason)
{
    arena_mark mark = hf_arena_save(document->cache->work);
    int status;

    *reterr_reason = (haft_reason){0};
    target->id = found->id;
    target->method = found->method;
    target->name = found->name;
    target->own_name = found->own_name;
    operation_set_annotations(found, target);
    target->task = found->change ? found->change->task : HAFT_TASK_NONE;
    status = operation_set_texts(document->import->arena, found, target);
    if (!status)
        status = operation_set_address(document, found, target);
    if (!status)
        status = hf_import_requirements(document, found->operation, target);
    if (!status)
        status = operation_make_schemas(document, found, target, reterr_reason);
    hf_arena_rewind(document->cache->work, mark);
    return status;
}
