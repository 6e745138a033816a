/* build.c - the builder: creates definitions, keeps the first failure, and turns a root definition
 * into a schema. */
#include "schema/build/build.h"
#include "schema/walk/finish.h"

#include <string.h>

enum { CHECK_MEMORY = 64 << 20 }; /* limit for checking a default */

haft_builder *haft_builder_new(const haft_schema_options *options)
{
    haft_schema *schema = hf_schema_new(options);
    haft_builder *builder;

    if (!schema)
        return NULL;
    builder = haft_arena_zalloc(schema->arena, 1, sizeof *builder);
    if (!builder) {
        haft_schema_free(schema);
        return NULL;
    }
    builder->schema = schema;
    return builder;
}

void haft_builder_free(haft_builder *builder)
{
    if (builder)
        haft_schema_free(builder->schema);
}

/* ---- failures ---- */

void *hf_build_fail(haft_builder *builder, int code, const char *path, const char *format, ...)
{
    va_list args;

    if (builder->error.code)
        return NULL;
    va_start(args, format);
    hf_error_vset(&builder->error, code, path, format, args);
    va_end(args);
    return NULL;
}

void *hf_build_no_memory(haft_builder *builder)
{
    return hf_build_fail(builder, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
}

bool hf_build_accepts(haft_builder *builder, const haft_def *part, const char *path)
{
    if (!builder || builder->error.code)
        return false;
    if (!part)
        hf_build_fail(builder, HAFT_EINVAL, path, "the definition is missing");
    else if (part->builder != builder)
        hf_build_fail(builder, HAFT_EINVAL, path, "the definition belongs to another builder");
    return !builder->error.code;
}

const char *hf_node_kind(const struct node *node)
{
    static const struct {
        unsigned types;
        const char *name;
    } kinds[] = {
        {TYPE_STRING, "a string"}, {TYPE_NUMBER, "a number"}, {TYPE_BOOLEAN, "a boolean"},
        {TYPE_NULL, "null"},       {TYPE_ARRAY, "an array"},  {TYPE_OBJECT, "an object"},
    };

    if (node->never)
        return "never";
    if (node->values)
        return node->single ? "a literal" : "an enum";
    if (node->n_rules)
        return node->rules[0].op == RULE_REF   ? "a lazy definition"
               : node->rules[0].op == RULE_ALL ? "an intersection"
                                               : "a union";
    if (node->object && node->object->record)
        return "a record";
    if (node->array && node->array->tuple)
        return "a tuple";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (node->types == kinds[i].types)
            return kinds[i].name;
    return "anything";
}

/* ---- memory ---- */

void *hf_build_room(haft_builder *builder, size_t count, size_t size)
{
    void *room = haft_arena_zalloc(builder->schema->arena, count ? count : 1, size);

    return room ? room : hf_build_no_memory(builder);
}

const char *hf_build_text(haft_builder *builder, const char *text, const char *path)
{
    size_t size = text ? strlen(text) : 0;
    char *copy;

    if (!text)
        return hf_build_fail(builder, HAFT_EINVAL, path, "the string is missing");
    if (haft_utf8_valid(text, size) != size)
        return hf_build_fail(builder, HAFT_EUTF8, path, "%s", haft_strerror(HAFT_EUTF8));
    copy = haft_arena_copy(builder->schema->arena, text, size);
    return copy ? copy : hf_build_no_memory(builder);
}

yyjson_val *hf_build_json(haft_builder *builder, const char *json, const char *path)
{
    haft_reason error = {0};
    yyjson_val *value;

    if (!json)
        return hf_build_fail(builder, HAFT_EINVAL, path, "the JSON text is missing");
    value = hf_schema_json(builder->schema, json, strlen(json), &error);
    return value ? value : hf_build_fail(builder, error.code, path, "%s", error.text);
}

struct node *hf_build_node(haft_builder *builder)
{
    struct node *node = hf_build_room(builder, 1, sizeof *node);

    if (node) {
        node->types = TYPE_ANY;
        node->id = NO_ID;
    }
    return node;
}

haft_def *hf_def_new(haft_builder *builder)
{
    haft_def *def;

    if (!builder || builder->error.code)
        return NULL;
    def = hf_build_room(builder, 1, sizeof *def);
    if (!def)
        return NULL;
    def->builder = builder;
    def->node = hf_build_node(builder);
    return def->node ? def : NULL;
}

haft_def *hf_def_again(const haft_def *def)
{
    haft_def *again;

    if (!def || def->builder->error.code)
        return NULL;
    again = hf_build_room(def->builder, 1, sizeof *again);
    if (again)
        *again = *def;
    return again;
}

haft_def *hf_def_copy(const haft_def *def)
{
    haft_def *copy = hf_def_again(def);

    if (!copy)
        return NULL;
    copy->node = hf_build_node(def->builder);
    if (!copy->node)
        return NULL;
    *copy->node = *def->node;
    return copy;
}

/* ---- building ---- */

/* Checks that defaults match their own definitions; hf_schema_finish has checked those of
 * properties. */
static int check_fallbacks(haft_schema *schema, haft_reason *reterr_error)
{
    haft_arena *arena = NULL;
    int status = 0;

    for (struct node *node = schema->nodes; node && !status; node = node->all) {
        haft_schema part = *schema;
        haft_issues issues = {0};

        if (!node->meta || !node->meta->fallback)
            continue;
        if (!arena)
            arena = haft_arena_new(hf_arena_allocator(schema->arena), CHECK_MEMORY);
        part.root = node;
        status =
            arena ? haft_schema_validate(&part, node->meta->fallback, arena, &issues) : HAFT_ENOMEM;
        if (status == HAFT_EISSUES)
            status = hf_error_set(reterr_error, HAFT_ESCHEMA, "default",
                                  "the default does not match the definition: %s",
                                  issues.count ? issues.list[0].message : "");
        else if (status)
            hf_error_set(reterr_error, status, "default", "%s", haft_strerror(status));
    }
    haft_arena_free(arena);
    return status;
}

int haft_schema_build(haft_builder *builder, haft_def *root, haft_schema **ret_schema,
                      haft_reason *reterr_error)
{
    haft_schema *schema;
    struct node *node;
    int status;

    if (!builder)
        return hf_error_set(reterr_error, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
    schema = builder->schema;
    node = hf_build_accepts(builder, root, "") ? hf_build_root(root) : NULL;
    if (!node || hf_build_reach(builder, node)) {
        status = builder->error.code;
        if (reterr_error)
            *reterr_error = builder->error;
        haft_schema_free(schema);
        return status;
    }
    status = hf_schema_finish(schema, node, reterr_error);
    if (status)
        return status;
    status = check_fallbacks(schema, reterr_error);
    if (status) {
        haft_schema_free(schema);
        return status;
    }
    *ret_schema = schema;
    return 0;
}
