/* emit.c - emits a compiled schema as JSON Schema.
 *
 * The output is generated from the node that also validates, so clients see what is enforced.
 * Recursive types are written once under $defs and referenced. */
#include "schema/emit/emit.h"

#include <stdio.h>
#include <string.h>

#include "base/struct.h"

enum { MAX_EMIT_DEPTH = 512, DEF_NAME = 32 };

static void emit_node(struct emit *e, const struct node *node, const struct property *property);
static void emit_body(struct emit *e, const struct node *node, const struct property *property);

/* ---- members ---- */

static struct json_writer *emit_put_key(struct emit *e, const char *key)
{
    return hf_json_name(&e->json, key, strlen(key));
}

void hf_emit_text(struct emit *e, const char *key, const char *text)
{
    if (text)
        hf_json_text(emit_put_key(e, key), text);
}

void hf_emit_size(struct emit *e, const char *key, size_t size)
{
    hf_json_unsigned(emit_put_key(e, key), size);
}

void hf_emit_json(struct emit *e, const char *key, const yyjson_val *value)
{
    if (value)
        hf_json_value(emit_put_key(e, key), value);
}

void hf_emit_flag(struct emit *e, const char *key, bool value)
{
    hf_json_bool(emit_put_key(e, key), value);
}

static void emit_child(struct emit *e, const char *key, const struct node *node)
{
    if (!node)
        return;
    emit_put_key(e, key);
    emit_node(e, node, NULL);
}

/* ---- types and values ---- */

static void emit_types(struct emit *e, unsigned types)
{
    const char *found[TYPE_NAMES];
    size_t n = hf_type_names(types, found);

    if (n == 1) {
        hf_emit_text(e, "type", found[0]);
        return;
    }
    hf_json_begin_array(json_key(&e->json, "type"));
    for (size_t i = 0; i < n; i++)
        hf_json_text(&e->json, found[i]);
    hf_json_end_array(&e->json);
}

/* The common type of all accepted values; 0 if they differ. */
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

static void emit_values(struct emit *e, const struct node *node)
{
    unsigned type = values_type(node->values);
    bool has_null = false;
    size_t i, n;
    yyjson_val *value;

    if (node->types == TYPE_ANY && type)
        emit_types(e, type | (node->nullable ? TYPE_NULL : 0));
    if (node->single && !node->nullable) {
        hf_emit_json(e, "const", yyjson_arr_get_first(node->values));
        return;
    }
    hf_json_begin_array(json_key(&e->json, "enum"));
    yyjson_arr_foreach(node->values, i, n, value) {
        hf_json_value(&e->json, value);
        has_null |= yyjson_is_null(value);
    }
    if (node->nullable && !has_null)
        hf_json_null(&e->json);
    hf_json_end_array(&e->json);
}

/* ---- objects and arrays ---- */

static void emit_required(struct emit *e, const struct object *object)
{
    bool any = false;

    for (size_t i = 0; i < object->n_properties; i++) {
        if (object->properties[i].presence != PRESENCE_REQUIRED)
            continue;
        if (!any)
            hf_json_begin_array(json_key(&e->json, "required"));
        any = true;
        hf_json_string(&e->json, object->properties[i].name, object->properties[i].size);
    }
    if (any)
        hf_json_end_array(&e->json);
}

static void emit_properties(struct emit *e, const struct object *object)
{
    hf_json_begin_object(json_key(&e->json, "properties"));
    for (size_t i = 0; i < object->n_properties; i++) {
        hf_json_name(&e->json, object->properties[i].name, object->properties[i].size);
        emit_node(e, object->properties[i].node, &object->properties[i]);
    }
    hf_json_end_object(&e->json);
}

/* Keys of a record with numeric keys must match a pattern for numbers. */
static void emit_names(struct emit *e, const struct node *names)
{
    /* Keys are strings anyway: a declared map without a rule for its keys need not say it. */
    if (names && names->c_string && !names->n_checks)
        return;
    if (!names || names->types & TYPE_STRING) {
        emit_child(e, "propertyNames", names);
        return;
    }
    hf_json_begin_object(json_key(&e->json, "propertyNames"));
    hf_json_text(json_key(&e->json, "type"), "string");
    hf_json_text(json_key(&e->json, "pattern"),
                 hf_emits_integer(names) ? "^-?\\d+$" : "^-?\\d+(?:\\.\\d+)?$");
    hf_json_end_object(&e->json);
}

static void emit_object(struct emit *e, const struct object *object)
{
    if (object->n_properties || !object->record)
        emit_properties(e, object);
    emit_required(e, object);
    emit_names(e, object->names);
    if (object->extra == EXTRA_CHECK)
        emit_child(e, "additionalProperties", object->extra_node);
    else
        hf_emit_flag(e, "additionalProperties", object->extra == EXTRA_IGNORE);
}

static void emit_prefix(struct emit *e, const struct array *array)
{
    bool draft07 = e->options.dialect == HAFT_DRAFT_07;
    /* An empty list of schemas is invalid, and not needed. */
    const char *rest = draft07 && array->n_prefix ? "additionalItems" : "items";

    for (size_t i = 0; i < array->n_prefix; i++) {
        if (!i)
            hf_json_begin_array(emit_put_key(e, draft07 ? "items" : "prefixItems"));
        emit_node(e, array->prefix[i], NULL);
    }
    if (array->n_prefix)
        hf_json_end_array(&e->json);
    if (array->items)
        emit_child(e, rest, array->items);
    else
        hf_emit_flag(e, rest, false);
    if (array->n_required)
        hf_emit_size(e, "minItems", array->n_required);
    if (!array->items)
        hf_emit_size(e, "maxItems", array->n_prefix);
}

static void emit_array(struct emit *e, const struct array *array)
{
    if (array->tuple) {
        emit_prefix(e, array);
        return;
    }
    if (array->items)
        emit_child(e, "items", array->items);
    else
        hf_json_empty_object(json_key(&e->json, "items"));
    emit_child(e, "contains", array->contains);
}

/* ---- references ---- */

static const struct node *target_of(const struct node *node)
{
    if (node->as)
        return node->as;
    return node->n_rules == 1 && node->rules[0].op == RULE_REF ? node->rules[0].nodes[0] : node;
}

/* Whether a type is written under $defs and referenced. */
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

/* The type's name, or a number written to `room`. */
static const char *def_name(const struct emit *e, size_t i, char room[DEF_NAME])
{
    if (e->defs[i]->meta && e->defs[i]->meta->name)
        return e->defs[i]->meta->name;
    snprintf(room, DEF_NAME, "schema%zu", i);
    return room;
}

static void emit_ref(struct emit *e, const struct node *target)
{
    const char *place = e->options.dialect == HAFT_DRAFT_07 ? "#/definitions/" : "#/$defs/";
    char room[DEF_NAME];
    haft_buffer *out;

    json_key(&e->json, "$ref");
    if (target == e->schema->root) {
        hf_json_text(&e->json, "#");
        return;
    }
    out = hf_json_begin_string(&e->json);
    haft_buffer_puts(out, place);
    haft_buffer_puts(out, def_name(e, def_of(e, target), room));
    hf_json_end_string(&e->json);
}

/* ---- rules ---- */

/* Whether a node specifies only types. */
static bool is_bare(const struct node *node)
{
    return !node->never && !node->n_checks && !node->object && !node->array && !node->values &&
           !node->n_rules && !node->meta && !node->nullable && !node->as &&
           node->types != TYPE_ANY && !node->recursive;
}

/* Alternatives that are only types are combined into one list of types. */
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

static void emit_null(struct emit *e)
{
    hf_json_begin_object(&e->json);
    hf_json_text(json_key(&e->json, "type"), "null");
    hf_json_end_object(&e->json);
}

static void emit_options(struct emit *e, const char *key, const struct rule *rule, bool nullable)
{
    hf_json_begin_array(emit_put_key(e, key));
    for (size_t i = 0; i < rule->n_nodes; i++)
        emit_node(e, rule->nodes[i], NULL);
    if (nullable)
        emit_null(e);
    hf_json_end_array(&e->json);
}

static void emit_rule(struct emit *e, const struct node *node, const struct rule *rule)
{
    unsigned types = rule->op == RULE_ANY ? folded_types(rule) : 0;

    switch ((enum rule_op)rule->op) {
    case RULE_ANY:
        if (types)
            emit_types(e, types | (node->nullable ? TYPE_NULL : 0));
        else
            emit_options(e, "anyOf", rule, node->nullable);
        break;
    case RULE_ONE:
    case RULE_DISCRIMINATED:
        emit_options(e, "oneOf", rule, node->nullable);
        break;
    case RULE_NOT:
        emit_child(e, "not", rule->nodes[0]);
        break;
    case RULE_IF:
        emit_child(e, "if", rule->nodes[0]);
        emit_child(e, "then", rule->nodes[1]);
        emit_child(e, "else", rule->nodes[2]);
        break;
    case RULE_REF:
    case RULE_DYNAMIC_REF:
        emit_ref(e, rule->nodes[0]);
        break;
    case RULE_ALL:
        break;
    }
}

/* allOf contains rules without their own keyword: intersections, second patterns and divisors. */
static void emit_all(struct emit *e, const struct node *node, size_t parts)
{
    for (size_t i = 0; i < node->n_rules; i++)
        parts += node->rules[i].op == RULE_ALL ? node->rules[i].n_nodes : 0;
    if (!parts)
        return;
    hf_json_begin_array(json_key(&e->json, "allOf"));
    for (size_t i = 0; i < node->n_rules; i++) {
        const struct rule *rule = &node->rules[i];

        for (size_t k = 0; rule->op == RULE_ALL && k < rule->n_nodes; k++)
            emit_node(e, rule->nodes[k], NULL);
    }
    hf_emit_check_parts(e, node);
    hf_json_end_array(&e->json);
}

/* ---- a node ---- */

static void emit_words(struct emit *e, const struct meta *meta, const struct property *property)
{
    size_t i, n;
    yyjson_val *key, *value;

    if (property && property->presence == PRESENCE_DEFAULT)
        hf_emit_json(e, "default", property->fallback);
    if (property)
        hf_emit_text(e, "x-mcp-header", property->header);
    if (!meta)
        return;
    hf_emit_text(e, "title", meta->title);
    hf_emit_text(e, "description", meta->description);
    if (!property || property->presence != PRESENCE_DEFAULT)
        hf_emit_json(e, "default", meta->fallback);
    hf_emit_json(e, "examples", meta->examples);
    if (meta->deprecated)
        hf_emit_flag(e, "deprecated", true);
    if (meta->read_only)
        hf_emit_flag(e, "readOnly", true);
    if (meta->write_only)
        hf_emit_flag(e, "writeOnly", true);
    if (!meta->extra)
        return;
    yyjson_obj_foreach(meta->extra, i, n, key, value)
        hf_emit_json(e, yyjson_get_str(key), value);
}

static void emit_type(struct emit *e, const struct node *node)
{
    unsigned types = node->types;
    bool folds = false;

    for (size_t i = 0; i < node->n_rules; i++)
        folds |= node->rules[i].op <= RULE_DISCRIMINATED && node->rules[i].op >= RULE_ANY;
    if (types == TYPE_ANY)
        return;
    if (hf_emits_integer(node))
        types &= ~(unsigned)TYPE_FRACTION;
    /* The options of a discriminated union specify "object" themselves. */
    if (folds && node->nullable)
        return;
    emit_types(e, types | (node->nullable ? TYPE_NULL : 0));
}

/* Writes the rules of a node, without annotations. */
static void emit_rules(struct emit *e, const struct node *node)
{
    size_t parts;

    if (node->never) {
        hf_json_empty_object(json_key(&e->json, "not"));
        return;
    }
    emit_type(e, node);
    if (node->values)
        emit_values(e, node);
    parts = hf_emit_checks(e, node);
    if (node->array)
        emit_array(e, node->array);
    if (node->object)
        emit_object(e, node->object);
    for (size_t i = 0; i < node->n_rules; i++)
        emit_rule(e, node, &node->rules[i]);
    emit_all(e, node, parts);
}

/* Writes a reference with annotations beside it: valid in 2020-12, ignored by earlier drafts; null
 * needs an alternative. */
static void emit_reference(struct emit *e, const struct node *node, const struct node *target)
{
    bool words = e->options.dialect == HAFT_DRAFT_07;

    if (!node->nullable && !words) {
        emit_ref(e, target);
        return;
    }
    hf_json_begin_array(emit_put_key(e, node->nullable ? "anyOf" : "allOf"));
    hf_json_begin_object(&e->json);
    emit_ref(e, target);
    hf_json_end_object(&e->json);
    if (node->nullable)
        emit_null(e);
    hf_json_end_array(&e->json);
}

/* Whether null must be added as an alternative because the rules cannot include it. */
static bool needs_alternative(const struct node *node)
{
    bool needed = node->never;

    for (size_t i = 0; i < node->n_rules; i++)
        needed |= node->rules[i].op != RULE_ANY && node->rules[i].op != RULE_DISCRIMINATED;
    return node->nullable && needed;
}

static void emit_alternative(struct emit *e, const struct node *node)
{
    struct node plain = *node;

    plain.nullable = false;
    plain.meta = NULL;
    if (node->never) {
        emit_types(e, TYPE_NULL);
        return;
    }
    hf_json_begin_array(json_key(&e->json, "anyOf"));
    emit_node(e, &plain, NULL);
    emit_null(e);
    hf_json_end_array(&e->json);
}

/* Writes a node in full, not by reference. */
static void emit_whole(struct emit *e, const struct node *node)
{
    if (needs_alternative(node))
        emit_alternative(e, node);
    else
        emit_rules(e, node);
}

static void emit_body(struct emit *e, const struct node *node, const struct property *property)
{
    const struct node *target = target_of(node);

    if (is_referred(e, target, node))
        emit_reference(e, node, target);
    else if (node != target && !node->as && !needs_alternative(node))
        emit_body(e, target, NULL);
    else
        emit_whole(e, node);
    emit_words(e, node->meta, property);
}

static void emit_node(struct emit *e, const struct node *node, const struct property *property)
{
    if (e->depth == MAX_EMIT_DEPTH) {
        if (!e->json.out->status)
            e->json.out->status = HAFT_EDEPTH;
        return;
    }
    e->depth++;
    hf_json_begin_object(&e->json);
    emit_body(e, node, property);
    hf_json_end_object(&e->json);
    e->depth--;
}

static void emit_defs(struct emit *e)
{
    if (!e->n_defs)
        return;
    hf_json_begin_object(
        emit_put_key(e, e->options.dialect == HAFT_DRAFT_07 ? "definitions" : "$defs"));
    /* Writing a definition may add others. */
    for (size_t i = 0; i < e->n_defs && !e->json.out->status; i++) {
        char room[DEF_NAME];

        hf_json_begin_object(emit_put_key(e, def_name(e, i, room)));
        emit_whole(e, e->defs[i]);
        emit_words(e, e->defs[i]->meta, NULL);
        hf_json_end_object(&e->json);
    }
    hf_json_end_object(&e->json);
}

static const char *const dialect_uris[] = {
    [HAFT_2020_12] = "https://json-schema.org/draft/2020-12/schema",
    [HAFT_DRAFT_07] = "http://json-schema.org/draft-07/schema#",
};

/* A document is emitted as received; its dialect is its own or the default. */
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
    struct emit e = {.schema = schema, .json = {.out = buffer}};

    if (buffer->status)
        return buffer->status;
    if (!hf_struct_read(&e.options, sizeof e.options, options))
        return HAFT_EINVAL;
    if (schema->document)
        return emit_document(schema, options ? &e.options : NULL, buffer);
    e.defs = allocator->alloc(allocator->context, size);
    if (!e.defs)
        return HAFT_ENOMEM;
    hf_json_begin_object(&e.json);
    if (e.options.with_dialect)
        hf_emit_text(&e, "$schema", dialect_uris[e.options.dialect]);
    emit_whole(&e, schema->root);
    emit_words(&e, schema->root->meta, NULL);
    emit_defs(&e);
    hf_json_end_object(&e.json);
    allocator->release(allocator->context, e.defs, size);
    return buffer->status;
}
