/* emit.c - a compiled schema as JSON Schema.
 *
 * Everything is written from the node that also decides, so a client is told what is enforced.
 * What contains itself is written once under $defs and referred to. */
#include "schema/emit/emit.h"

#include <string.h>

#include "json/json.h"
#include "base/struct.h"

enum { MAX_EMIT_DEPTH = 512 };

static void emit_node(struct emit *e, const struct node *node, const struct property *property);
static void emit_body(struct object_writer *object, const struct node *node,
                      const struct property *property);

/* ---- members ---- */

static void emit_put_key(struct object_writer *object, const char *key)
{
    if (object->any)
        haft_buffer_add(object->e->buffer, ",", 1);
    object->any = true;
    haft_buffer_json_string(object->e->buffer, key, strlen(key));
    haft_buffer_add(object->e->buffer, ":", 1);
}

void hf_emit_text(struct object_writer *object, const char *key, const char *text)
{
    if (!text)
        return;
    emit_put_key(object, key);
    haft_buffer_json_string(object->e->buffer, text, strlen(text));
}

void hf_emit_size(struct object_writer *object, const char *key, size_t size)
{
    emit_put_key(object, key);
    haft_buffer_printf(object->e->buffer, "%zu", size);
}

void hf_emit_json(struct object_writer *object, const char *key, const yyjson_val *value)
{
    if (!value)
        return;
    emit_put_key(object, key);
    haft_json_write(value, object->e->buffer);
}

void hf_emit_flag(struct object_writer *object, const char *key, bool value)
{
    emit_put_key(object, key);
    haft_buffer_puts(object->e->buffer, value ? "true" : "false");
}

static void emit_child(struct object_writer *object, const char *key, const struct node *node)
{
    if (!node)
        return;
    emit_put_key(object, key);
    emit_node(object->e, node, NULL);
}

/* ---- types and values ---- */

static void emit_types(struct object_writer *object, unsigned types)
{
    const char *found[TYPE_NAMES];
    size_t n = hf_type_names(types, found);

    if (n == 1) {
        hf_emit_text(object, "type", found[0]);
        return;
    }
    emit_put_key(object, "type");
    haft_buffer_add(object->e->buffer, "[", 1);
    for (size_t i = 0; i < n; i++)
        haft_buffer_printf(object->e->buffer, "%s\"%s\"", i ? "," : "", found[i]);
    haft_buffer_add(object->e->buffer, "]", 1);
}

/* The type that all accepted values have; 0 when they differ. */
static unsigned values_type(yyjson_val *values)
{
    unsigned types = 0;
    size_t i, n;
    yyjson_val *value;

    yyjson_arr_foreach(values, i, n, value) {
        unsigned type = yyjson_is_str(value)    ? TYPE_STRING
                        : yyjson_is_num(value)  ? TYPE_NUMBER
                        : yyjson_is_bool(value) ? TYPE_BOOLEAN
                        : yyjson_is_null(value) ? TYPE_NULL
                                                : 0;

        if (!type || (types && type != types))
            return 0;
        types = type;
    }
    return types;
}

static void emit_values(struct object_writer *object, const struct node *node)
{
    haft_buffer *buffer = object->e->buffer;
    unsigned type = values_type(node->values);
    bool has_null = false;
    size_t i, n;
    yyjson_val *value;

    if (node->types == TYPE_ANY && type)
        emit_types(object, type | (node->nullable ? TYPE_NULL : 0));
    if (node->single && !node->nullable) {
        hf_emit_json(object, "const", yyjson_arr_get_first(node->values));
        return;
    }
    emit_put_key(object, "enum");
    haft_buffer_add(buffer, "[", 1);
    yyjson_arr_foreach(node->values, i, n, value) {
        if (i)
            haft_buffer_add(buffer, ",", 1);
        haft_json_write(value, buffer);
        has_null |= yyjson_is_null(value);
    }
    if (node->nullable && !has_null)
        haft_buffer_puts(buffer, n ? ",null" : "null");
    haft_buffer_add(buffer, "]", 1);
}

/* ---- objects and arrays ---- */

static void emit_required(struct object_writer *writer, const struct object *object)
{
    haft_buffer *buffer = writer->e->buffer;
    size_t n = 0;

    for (size_t i = 0; i < object->n_properties; i++) {
        if (object->properties[i].presence != PRESENCE_REQUIRED)
            continue;
        if (!n)
            emit_put_key(writer, "required");
        haft_buffer_add(buffer, n++ ? "," : "[", 1);
        haft_buffer_json_string(buffer, object->properties[i].name, object->properties[i].size);
    }
    if (n)
        haft_buffer_add(buffer, "]", 1);
}

static void emit_properties(struct object_writer *writer, const struct object *object)
{
    haft_buffer *buffer = writer->e->buffer;

    emit_put_key(writer, "properties");
    haft_buffer_add(buffer, "{", 1);
    for (size_t i = 0; i < object->n_properties; i++) {
        if (i)
            haft_buffer_add(buffer, ",", 1);
        haft_buffer_json_string(buffer, object->properties[i].name, object->properties[i].size);
        haft_buffer_add(buffer, ":", 1);
        emit_node(writer->e, object->properties[i].node, &object->properties[i]);
    }
    haft_buffer_add(buffer, "}", 1);
}

/* A record by numbers has keys that read as numbers. */
static void emit_names(struct object_writer *writer, const struct node *names)
{
    if (!names || names->types & TYPE_STRING) {
        emit_child(writer, "propertyNames", names);
        return;
    }
    emit_put_key(writer, "propertyNames");
    haft_buffer_printf(writer->e->buffer, "{\"type\":\"string\",\"pattern\":\"^-?\\\\d+%s$\"}",
                       hf_emits_integer(names) ? "" : "(?:\\\\.\\\\d+)?");
}

static void emit_object(struct object_writer *writer, const struct object *object)
{
    if (object->n_properties || !object->record)
        emit_properties(writer, object);
    emit_required(writer, object);
    emit_names(writer, object->names);
    if (object->extra == EXTRA_CHECK)
        emit_child(writer, "additionalProperties", object->extra_node);
    else
        hf_emit_flag(writer, "additionalProperties", object->extra == EXTRA_IGNORE);
}

static void emit_prefix(struct object_writer *writer, const struct array *array)
{
    bool draft07 = writer->e->options.dialect == HAFT_DRAFT_07;
    /* A list of no schemas is not valid, and not needed. */
    const char *rest = draft07 && array->n_prefix ? "additionalItems" : "items";

    for (size_t i = 0; i < array->n_prefix; i++) {
        if (!i)
            emit_put_key(writer, draft07 ? "items" : "prefixItems");
        haft_buffer_add(writer->e->buffer, i ? "," : "[", 1);
        emit_node(writer->e, array->prefix[i], NULL);
    }
    if (array->n_prefix)
        haft_buffer_add(writer->e->buffer, "]", 1);
    if (array->items)
        emit_child(writer, rest, array->items);
    else
        hf_emit_flag(writer, rest, false);
    if (array->n_required)
        hf_emit_size(writer, "minItems", array->n_required);
    if (!array->items)
        hf_emit_size(writer, "maxItems", array->n_prefix);
}

static void emit_array(struct object_writer *writer, const struct array *array)
{
    if (array->tuple) {
        emit_prefix(writer, array);
        return;
    }
    if (array->items) {
        emit_child(writer, "items", array->items);
    } else {
        emit_put_key(writer, "items");
        haft_buffer_puts(writer->e->buffer, "{}");
    }
    emit_child(writer, "contains", array->contains);
}

/* ---- references ---- */

static const struct node *target_of(const struct node *node)
{
    if (node->as)
        return node->as;
    return node->n_rules == 1 && node->rules[0].op == RULE_REF ? node->rules[0].nodes[0] : node;
}

/* A type that is written once and referred to. */
static bool is_referred(const struct emit *e, const struct node *target, const struct node *node)
{
    if (target->recursive)
        return true;
    return e->options.use_defs && node != target && target->meta && target->meta->name &&
           target->object;
}

static size_t def_of(struct emit *e, const struct node *target)
{
    for (size_t i = 0; i < e->n_defs; i++)
        if (e->defs[i] == target)
            return i;
    e->defs[e->n_defs] = target;
    return e->n_defs++;
}

static void put_def_name(const struct emit *e, size_t i)
{
    if (e->defs[i]->meta && e->defs[i]->meta->name)
        haft_buffer_puts(e->buffer, e->defs[i]->meta->name);
    else
        haft_buffer_printf(e->buffer, "schema%zu", i);
}

static void emit_ref(struct object_writer *object, const struct node *target)
{
    emit_put_key(object, "$ref");
    if (target == object->e->schema->root) {
        haft_buffer_puts(object->e->buffer, "\"#\"");
        return;
    }
    haft_buffer_puts(object->e->buffer, object->e->options.dialect == HAFT_DRAFT_07
                                            ? "\"#/definitions/"
                                            : "\"#/$defs/");
    put_def_name(object->e, def_of(object->e, target));
    haft_buffer_add(object->e->buffer, "\"", 1);
}

/* ---- rules ---- */

/* A node that says nothing but which types pass. */
static bool is_bare(const struct node *node)
{
    return !node->never && !node->n_checks && !node->object && !node->array && !node->values &&
           !node->n_rules && !node->meta && !node->nullable && !node->as &&
           node->types != TYPE_ANY && !node->recursive;
}

/* Alternatives that are bare types are one list of types. */
static unsigned folded_types(const struct rule *rule)
{
    unsigned types = 0;

    for (size_t i = 0; i < rule->n_nodes; i++) {
        if (!is_bare(rule->nodes[i]))
            return 0;
        types |= rule->nodes[i]->types;
    }
    return types;
}

static void emit_options(struct object_writer *object, const char *key, const struct rule *rule,
                         bool nullable)
{
    haft_buffer *buffer = object->e->buffer;

    emit_put_key(object, key);
    haft_buffer_add(buffer, "[", 1);
    for (size_t i = 0; i < rule->n_nodes; i++) {
        if (i)
            haft_buffer_add(buffer, ",", 1);
        emit_node(object->e, rule->nodes[i], NULL);
    }
    if (nullable)
        haft_buffer_puts(buffer, ",{\"type\":\"null\"}");
    haft_buffer_add(buffer, "]", 1);
}

static void emit_rule(struct object_writer *object, const struct node *node,
                      const struct rule *rule)
{
    unsigned types = rule->op == RULE_ANY ? folded_types(rule) : 0;

    switch ((enum rule_op)rule->op) {
    case RULE_ANY:
        if (types)
            emit_types(object, types | (node->nullable ? TYPE_NULL : 0));
        else
            emit_options(object, "anyOf", rule, node->nullable);
        break;
    case RULE_ONE:
    case RULE_DISCRIMINATED:
        emit_options(object, "oneOf", rule, node->nullable);
        break;
    case RULE_NOT:
        emit_child(object, "not", rule->nodes[0]);
        break;
    case RULE_IF:
        emit_child(object, "if", rule->nodes[0]);
        emit_child(object, "then", rule->nodes[1]);
        emit_child(object, "else", rule->nodes[2]);
        break;
    case RULE_REF:
    case RULE_DYNAMIC_REF:
        emit_ref(object, rule->nodes[0]);
        break;
    case RULE_ALL:
        break;
    }
}

/* allOf holds what has no keyword of its own: intersections, second patterns and divisors. */
static void emit_all(struct object_writer *object, const struct node *node, size_t parts)
{
    haft_buffer *buffer = object->e->buffer;
    bool comma = false;

    for (size_t i = 0; i < node->n_rules; i++)
        parts += node->rules[i].op == RULE_ALL ? node->rules[i].n_nodes : 0;
    if (!parts)
        return;
    emit_put_key(object, "allOf");
    haft_buffer_add(buffer, "[", 1);
    for (size_t i = 0; i < node->n_rules; i++) {
        const struct rule *rule = &node->rules[i];

        for (size_t k = 0; rule->op == RULE_ALL && k < rule->n_nodes; k++) {
            if (comma)
                haft_buffer_add(buffer, ",", 1);
            comma = true;
            emit_node(object->e, rule->nodes[k], NULL);
        }
    }
    hf_emit_check_parts(object->e, node, &comma);
    haft_buffer_add(buffer, "]", 1);
}

/* ---- a node ---- */

static void emit_words(struct object_writer *object, const struct meta *meta,
                       const struct property *property)
{
    size_t i, n;
    yyjson_val *key, *value;

    if (property && property->presence == PRESENCE_DEFAULT)
        hf_emit_json(object, "default", property->fallback);
    if (property)
        hf_emit_text(object, "x-mcp-header", property->header);
    if (!meta)
        return;
    hf_emit_text(object, "title", meta->title);
    hf_emit_text(object, "description", meta->description);
    if (!property || property->presence != PRESENCE_DEFAULT)
        hf_emit_json(object, "default", meta->fallback);
    hf_emit_json(object, "examples", meta->examples);
    if (meta->deprecated)
        hf_emit_flag(object, "deprecated", true);
    if (meta->read_only)
        hf_emit_flag(object, "readOnly", true);
    if (meta->write_only)
        hf_emit_flag(object, "writeOnly", true);
    if (!meta->extra)
        return;
    yyjson_obj_foreach(meta->extra, i, n, key, value)
        hf_emit_json(object, yyjson_get_str(key), value);
}

static void emit_type(struct object_writer *object, const struct node *node)
{
    unsigned types = node->types;
    bool folds = false;

    for (size_t i = 0; i < node->n_rules; i++)
        folds |= node->rules[i].op <= RULE_DISCRIMINATED && node->rules[i].op >= RULE_ANY;
    if (types == TYPE_ANY)
        return;
    if (hf_emits_integer(node))
        types &= ~(unsigned)TYPE_FRACTION;
    /* A discriminated union says that it is an object in each of its options. */
    if (folds && node->nullable)
        return;
    emit_types(object, types | (node->nullable ? TYPE_NULL : 0));
}

/* The rules of a node, without its words. */
static void emit_rules(struct object_writer *object, const struct node *node)
{
    size_t parts;

    if (node->never) {
        emit_put_key(object, "not");
        haft_buffer_puts(object->e->buffer, "{}");
        return;
    }
    emit_type(object, node);
    if (node->values)
        emit_values(object, node);
    parts = hf_emit_checks(object, node);
    if (node->array)
        emit_array(object, node->array);
    if (node->object)
        emit_object(object, node->object);
    for (size_t i = 0; i < node->n_rules; i++)
        emit_rule(object, node, &node->rules[i]);
    emit_all(object, node, parts);
}

/* A reference beside words: fine in 2020-12, ignored before it, and null needs an alternative. */
static void emit_reference(struct object_writer *object, const struct node *node,
                           const struct node *target)
{
    struct object_writer inner = {object->e, false};
    bool words = object->e->options.dialect == HAFT_DRAFT_07;

    if (!node->nullable && !words) {
        emit_ref(object, target);
        return;
    }
    emit_put_key(object, node->nullable ? "anyOf" : "allOf");
    haft_buffer_puts(object->e->buffer, "[{");
    emit_ref(&inner, target);
    haft_buffer_puts(object->e->buffer, node->nullable ? "},{\"type\":\"null\"}]" : "}]");
}

/* Whether null passes beside rules that have no place for it in themselves. */
static bool needs_alternative(const struct node *node)
{
    bool needed = node->never;

    for (size_t i = 0; i < node->n_rules; i++)
        needed |= node->rules[i].op != RULE_ANY && node->rules[i].op != RULE_DISCRIMINATED;
    return node->nullable && needed;
}

static void emit_alternative(struct object_writer *object, const struct node *node)
{
    struct node plain = *node;

    plain.nullable = false;
    plain.meta = NULL;
    if (node->never) {
        emit_types(object, TYPE_NULL);
        return;
    }
    emit_put_key(object, "anyOf");
    haft_buffer_add(object->e->buffer, "[", 1);
    emit_node(object->e, &plain, NULL);
    haft_buffer_puts(object->e->buffer, ",{\"type\":\"null\"}]");
}

/* A node where it is defined: never by reference. */
static void emit_whole(struct object_writer *object, const struct node *node)
{
    if (needs_alternative(node))
        emit_alternative(object, node);
    else
        emit_rules(object, node);
}

static void emit_body(struct object_writer *object, const struct node *node,
                      const struct property *property)
{
    const struct node *target = target_of(node);

    if (is_referred(object->e, target, node))
        emit_reference(object, node, target);
    else if (node != target && !node->as && !needs_alternative(node))
        emit_body(object, target, NULL);
    else
        emit_whole(object, node);
    emit_words(object, node->meta, property);
}

static void emit_node(struct emit *e, const struct node *node, const struct property *property)
{
    struct object_writer object = {e, false};

    if (e->depth == MAX_EMIT_DEPTH) {
        if (!e->buffer->status)
            e->buffer->status = HAFT_EDEPTH;
        return;
    }
    e->depth++;
    haft_buffer_add(e->buffer, "{", 1);
    emit_body(&object, node, property);
    haft_buffer_add(e->buffer, "}", 1);
    e->depth--;
}

static void emit_defs(struct object_writer *object)
{
    struct emit *e = object->e;

    if (!e->n_defs)
        return;
    emit_put_key(object, e->options.dialect == HAFT_DRAFT_07 ? "definitions" : "$defs");
    haft_buffer_add(e->buffer, "{", 1);
    /* Writing one may meet others. */
    for (size_t i = 0; i < e->n_defs && !e->buffer->status; i++) {
        struct object_writer def = {e, false};

        haft_buffer_puts(e->buffer, i ? ",\"" : "\"");
        put_def_name(e, i);
        haft_buffer_puts(e->buffer, "\":{");
        emit_whole(&def, e->defs[i]);
        emit_words(&def, e->defs[i]->meta, NULL);
        haft_buffer_add(e->buffer, "}", 1);
    }
    haft_buffer_add(e->buffer, "}", 1);
}

static const char *const dialect_uris[] = {
    [HAFT_2020_12] = "https://json-schema.org/draft/2020-12/schema",
    [HAFT_DRAFT_07] = "http://json-schema.org/draft-07/schema#",
};

/* A document is given out as it came; it says itself, or by its default, which dialect it is in. */
static int emit_document(const haft_schema *schema, const haft_emit_options *options,
                         haft_buffer *buffer)
{
    if (options && schema->draft != (options->dialect == HAFT_DRAFT_07 ? 7 : 2020))
        return HAFT_EDIALECT;
    haft_buffer_add(buffer, schema->document, schema->document_size);
    return buffer->status;
}

int haft_schema_emit(const haft_schema *schema, const haft_emit_options *options,
                     haft_buffer *buffer)
{
    const haft_allocator *allocator = hf_arena_allocator(schema->arena);
    size_t size = schema->n_nodes * sizeof(struct node *);
    struct emit e = {.schema = schema, .buffer = buffer};
    struct object_writer object = {&e, false};

    if (buffer->status)
        return buffer->status;
    if (!hf_struct_read(&e.options, sizeof e.options, options))
        return HAFT_EINVAL;
    if (schema->document)
        return emit_document(schema, options ? &e.options : NULL, buffer);
    e.defs = allocator->alloc(allocator->context, size);
    if (!e.defs)
        return HAFT_ENOMEM;
    haft_buffer_add(buffer, "{", 1);
    if (e.options.with_dialect)
        hf_emit_text(&object, "$schema", dialect_uris[e.options.dialect]);
    emit_whole(&object, schema->root);
    emit_words(&object, schema->root->meta, NULL);
    emit_defs(&object);
    haft_buffer_add(buffer, "}", 1);
    allocator->release(allocator->context, e.defs, size);
    return buffer->status;
}
