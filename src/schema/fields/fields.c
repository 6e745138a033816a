/* fields.c - the front end for declared C types: compiles tables of fields into nodes that know
 * their members.
 *
 * Every type is compiled once and then used through shallow copies, one per field, which carry the
 * field's annotations and storage. A type's node is registered before its fields are compiled, so a
 * struct may contain itself. */
#include "schema/fields/fields.h"
#include "schema/walk/finish.h"

#include <stdio.h>
#include <string.h>

#include "base/struct.h"

static const struct member nowhere = {NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER, NO_MEMBER};

/* A type that has been compiled or is being compiled. */
struct known {
    struct known *next;
    const haft_type *type;
    struct node *node;
};

struct node *hf_fields_fail(struct compile *c, int status, const char *path, const char *text)
{
    if (!c->status)
        c->status = hf_error_set(c->error, status, path, "%s", text);
    return NULL;
}

/* Prepends a name to the path of the failure, on the way out of nested fields. */
static void locate(struct compile *c, const char *name)
{
    char path[2 * sizeof c->error->path];

    if (!c->status || !c->error)
        return;
    snprintf(path, sizeof path, "%s%s%s", name, *c->error->path ? "." : "", c->error->path);
    hf_error_set(c->error, c->status, path, "%s", c->error->text);
}

struct node *hf_fields_node(struct compile *c, unsigned types, enum store store, size_t size)
{
    struct node *node = c->status ? NULL : hf_node_new(c->schema);

    if (!node) {
        if (c->schema->n_nodes >= c->schema->max_nodes)
            return hf_fields_fail(c, HAFT_ETOOBIG, NULL, "too many subschemas");
        return hf_fields_fail(c, HAFT_ENOMEM, NULL, "out of memory");
    }
    node->types = (uint8_t)types;
    node->store = (uint8_t)store;
    node->size = size;
    return node;
}

void *hf_fields_take(struct compile *c, size_t count, size_t size)
{
    void *memory = c->status ? NULL : haft_arena_zalloc(c->schema->arena, count, size);

    if (!memory)
        hf_fields_fail(c, HAFT_ENOMEM, NULL, "out of memory");
    return memory;
}

void hf_fields_check(struct compile *c, struct node *node, const struct check *what)
{
    if (!c->status && hf_node_add_check(c->schema, node, what))
        hf_fields_fail(c, HAFT_ENOMEM, NULL, "out of memory");
}

bool hf_fields_is_text(struct compile *c, const char *text)
{
    if (text && haft_utf8_valid(text, strlen(text)) != strlen(text))
        hf_fields_fail(c, HAFT_EUTF8, NULL, "a string is not valid UTF-8");
    return !c->status;
}

yyjson_val *hf_fields_json(struct compile *c, const char *text)
{
    haft_reason error = {0};
    yyjson_val *value = c->status ? NULL : hf_schema_json(c->schema, text, strlen(text), &error);

    if (!value)
        hf_fields_fail(c, error.code, NULL, error.text);
    return value;
}

/* ---- types ---- */

static struct node *compile_field(struct compile *c, const haft_field *field);
static struct node *compile_item(struct compile *c, const haft_field *field);
static struct node *compile_type(struct compile *c, const haft_type *type);

static struct member shifted(const haft_field *field, size_t by)
{
    struct member member = nowhere;

    member.offset = field->offset + by;
    if (field->presence == HAFT_PRESENCE_OPTIONAL && field->kind != HAFT_KIND_POINTER)
        member.has = field->has + by;
    if (field->nullable)
        member.null = field->null + by;
    if (field->kind == HAFT_KIND_BYTES || field->kind == HAFT_KIND_ARRAY ||
        field->kind == HAFT_KIND_MAP)
        member.count = field->count + by;
    if (field->kind == HAFT_KIND_MAP)
        member.keys = field->keys + by;
    return member;
}

/* This terminates, because a struct cannot contain itself. */
static size_t count_fields(const haft_type *type)
{
    size_t n = 0;

    for (size_t i = 0; i < type->n_fields; i++) {
        const haft_field *field = field_given(type, i);

        n += field->kind == HAFT_KIND_EXTENDS ? count_fields(field->type) : 1;
    }
    return n;
}

static void refine_typed(struct haft_refinement *refinement, const yyjson_val *json,
                         const void *value, void *data)
{
    const struct haft_refine_hook *hook = data;

    (void)json;
    if (value)
        hook->call(refinement, value);
}

static void add_refine(struct compile *c, struct node *node, const haft_type *type)
{
    if (!type->refine || !type->refine->call)
        return;
    c->schema->refines = true;
    hf_fields_check(c, node,
                    &(struct check){.op = CHECK_REFINE,
                                    .refine = refine_typed,
                                    .refine_data = (void *)(uintptr_t)type->refine});
}

static bool has_property(const struct object *object, const char *name)
{
    for (size_t i = 0; i < object->n_properties; i++)
        if (!strcmp(object->properties[i].name, name))
            return true;
    return false;
}

/* Adds the fields of a type; those of its base come first, on the same level. */
static void add_fields(struct compile *c, struct node *node, const haft_type *type, size_t by)
{
    struct object *object = node->object;

    for (size_t i = 0; i < type->n_fields && !c->status; i++) {
        const haft_field *field = hf_fields_at(c, type, i);
        struct property *property = &object->properties[object->n_properties];

        if (!field)
            return;
        if (field->kind == HAFT_KIND_EXTENDS) {
            const haft_type *base = hf_fields_type(c, field->type);

            if (!base)
                return;
            if (i || field->offset) {
                hf_fields_fail(c, HAFT_ESCHEMA, type->name, "HAFT_EXTENDS must come first");
                return;
            }
            if (base->shape != HAFT_SHAPE_STRUCT) {
                hf_fields_fail(c, HAFT_ESCHEMA, type->name, "HAFT_EXTENDS takes a HAFT_STRUCT");
                return;
            }
            add_fields(c, node, base, by);
            add_refine(c, node, base);
            continue;
        }
        if (!hf_fields_is_text(c, field->name) || !hf_fields_is_text(c, field->header))
            return;
        if (has_property(object, field->name)) {
            hf_fields_fail(c, HAFT_ESCHEMA, field->name, "two fields have this name");
            return;
        }
        property->name = field->name;
        property->size = strlen(field->name);
        property->header = field->header;
        property->member = shifted(field, by);
        property->presence = field->presence == HAFT_PRESENCE_OPTIONAL  ? PRESENCE_OPTIONAL
                             : field->presence == HAFT_PRESENCE_DEFAULT ? PRESENCE_DEFAULT
                                                                        : PRESENCE_REQUIRED;
        property->node = compile_field(c, field);
        if (field->presence == HAFT_PRESENCE_DEFAULT && !c->status) {
            property->fallback = hf_fields_default(c, field);
            locate(c, field->name);
        }
        object->n_properties++;
    }
}

/* Creates the object node of a struct, with the tag of a choice as its first property. */
static struct node *compile_struct(struct compile *c, const haft_type *type, struct node *node,
                                   const char *tag, const char *case_name)
{
    struct object *object = hf_fields_take(c, 1, sizeof *object);
    size_t n = count_fields(type) + 1;

    if (!object)
        return NULL;
    node->object = object;
    object->properties = hf_fields_take(c, n, sizeof *object->properties);
    object->extra =
        hf_fields_options(type).extra == HAFT_EXTRA_IGNORE ? EXTRA_IGNORE : EXTRA_REJECT;
    if (c->status)
        return NULL;
    if (tag) {
        struct node *constant = hf_fields_node(c, TYPE_ANY, STORE_NONE, 0);

        if (!constant)
            return NULL;
        constant->values = hf_fields_texts(c, &case_name, 1);
        constant->single = true;
        object->properties[object->n_properties++] = (struct property){
            .name = tag, .size = strlen(tag), .node = constant, .member = nowhere};
    }
    add_fields(c, node, type, 0);
    add_refine(c, node, type);
    return c->status ? NULL : node;
}

static struct node *compile_choice(struct compile *c, const haft_type *type, struct node *node)
{
    struct rule *rule = hf_node_add_rule(c->schema, node, RULE_DISCRIMINATED, NULL, type->n_fields);

    if (!rule)
        return hf_fields_fail(c, HAFT_ENOMEM, type->name, "out of memory");
    rule->text = type->tag;
    rule->tags = hf_fields_take(c, type->n_fields, sizeof *rule->tags);
    rule->member = nowhere;
    rule->member.offset = type->n_fields ? field_given(type, 0)->offset : 0;
    for (size_t i = 0; i < type->n_fields && !c->status; i++) {
        const haft_field *one = hf_fields_at(c, type, i);
        const haft_type *its = one ? hf_fields_type(c, one->type) : NULL;
        struct node *option;

        if (!its)
            return NULL;
        if (its->shape != HAFT_SHAPE_STRUCT)
            return hf_fields_fail(c, HAFT_ESCHEMA, one->name, "HAFT_CASE takes a HAFT_STRUCT");
        option = hf_fields_node(c, TYPE_OBJECT, STORE_STRUCT, its->size);
        if (!option || !compile_struct(c, its, option, type->tag, one->name))
            return NULL;
        rule->nodes[i] = option;
        rule->tags[i] = hf_fields_texts(c, &one->name, 1);
    }
    return c->status ? NULL : node;
}

/* A choice without a tag accepts the first case that matches. A case is any field; it has no has_x
 * and no null_x. */
static struct node *compile_untagged(struct compile *c, const haft_type *type, struct node *node)
{
    struct rule *rule = hf_node_add_rule(c->schema, node, RULE_ANY, NULL, type->n_fields);

    if (!rule)
        return hf_fields_fail(c, HAFT_ENOMEM, type->name, "out of memory");
    rule->members = hf_fields_take(c, type->n_fields, sizeof *rule->members);
    for (size_t i = 0; i < type->n_fields && !c->status; i++) {
        const haft_field *one = hf_fields_at(c, type, i);

        if (!one)
            return NULL;
        rule->nodes[i] = compile_item(c, one);
        rule->members[i] = shifted(one, 0);
    }
    return c->status ? NULL : node;
}

static struct node *compile_list(struct compile *c, const haft_type *type, struct node *node)
{
    const haft_field *items = hf_fields_at(c, type, 0);
    struct node *array = items ? compile_field(c, items) : NULL;

    if (!array)
        return NULL;
    node->array = array->array;
    node->checks = array->checks;
    node->n_checks = array->n_checks;
    node->meta = array->meta;
    node->list = true;
    node->inner = shifted(items, 0);
    return node;
}

static struct node *new_type(struct compile *c, const haft_type *type)
{
    switch (type->shape) {
    case HAFT_SHAPE_ENUM:
        return hf_fields_enum(c, type);
    case HAFT_SHAPE_LIST:
        return hf_fields_node(c, TYPE_ARRAY, STORE_ARRAY, type->size);
    case HAFT_SHAPE_CHOICE:
        return hf_fields_node(c, type->tag ? TYPE_OBJECT : TYPE_ANY, STORE_CHOICE, type->size);
    default:
        return hf_fields_node(c, TYPE_OBJECT, STORE_STRUCT, type->size);
    }
}

static void name_type(struct compile *c, struct node *node, const haft_type *type)
{
    struct haft_type_options options = hf_fields_options(type);
    struct meta *meta = hf_node_meta(c->schema, node);

    if (!meta) {
        hf_fields_fail(c, HAFT_ENOMEM, type->name, "out of memory");
        return;
    }
    meta->name = type->name;
    if (options.title)
        meta->title = options.title;
    if (options.description)
        meta->description = options.description;
}

static struct node *compile_type(struct compile *c, const haft_type *given)
{
    const haft_type *type;
    struct known *known;
    struct node *node;

    for (known = c->known; known; known = known->next)
        if (known->type == given)
            return known->node;
    type = hf_fields_type(c, given);
    if (!type)
        return NULL;
    if (c->depth == c->schema->max_depth)
        return hf_fields_fail(c, HAFT_EDEPTH, type->name, "types are nested too deep");
    node = new_type(c, type);
    known = hf_fields_take(c, 1, sizeof *known);
    if (!node || !known)
        return NULL;
    *known = (struct known){c->known, given, node};
    c->known = known;
    c->depth++;
    if (type->shape == HAFT_SHAPE_STRUCT)
        compile_struct(c, type, node, NULL, NULL);
    else if (type->shape == HAFT_SHAPE_CHOICE && type->tag)
        compile_choice(c, type, node);
    else if (type->shape == HAFT_SHAPE_CHOICE)
        compile_untagged(c, type, node);
    else if (type->shape == HAFT_SHAPE_LIST)
        compile_list(c, type, node);
    c->depth--;
    if (!c->status)
        name_type(c, node, type);
    return c->status ? NULL : node;
}

/* ---- fields ---- */

/* Creates a field's use of a declared type. */
static struct node *use_type(struct compile *c, const haft_field *field)
{
    const struct node *type = compile_type(c, field->type);
    struct node *node =
        type ? hf_fields_node(c, type->types, (enum store)type->store, type->size) : NULL;
    struct node *all;
    uint32_t id;

    if (!node)
        return NULL;
    all = node->all;
    id = node->id;
    *node = *type;
    node->all = all;
    node->id = id;
    node->as = type;
    if (field->kind == HAFT_KIND_POINTER) {
        node->store = STORE_POINTER;
        node->size = sizeof(void *);
    }
    return node;
}

static struct node *compile_array(struct compile *c, const haft_field *field)
{
    struct haft_array_rules rules;
    struct node *node = hf_fields_array(c, field, &rules);
    struct array *array = node ? hf_node_array(c->schema, node) : NULL;

    if (!array)
        return hf_fields_fail(c, HAFT_ENOMEM, NULL, "out of memory");
    array->items = compile_item(c, field->item);
    if (rules.min)
        hf_fields_check_size(c, node, CHECK_MIN_ITEMS, rules.min);
    if (rules.max < SIZE_MAX)
        hf_fields_check_size(c, node, CHECK_MAX_ITEMS, rules.max);
    if (rules.unique)
        hf_fields_check_size(c, node, CHECK_UNIQUE, 0);
    return node;
}

static struct node *compile_map(struct compile *c, const haft_field *field)
{
    const struct haft_map_rules *rules = &field->rules.map;
    struct node *node = hf_fields_node(c, TYPE_OBJECT, STORE_MAP, sizeof(void *));
    struct object *object = node ? hf_node_object(c->schema, node) : NULL;
    struct node *names = hf_fields_node(c, TYPE_STRING, STORE_NONE, 0);

    if (!object || !names)
        return hf_fields_fail(c, HAFT_ENOMEM, NULL, "out of memory");
    node->expected = "record";
    names->c_string = true;
    hf_fields_add_pattern(c, names, rules->keys);
    object->record = true;
    object->names = names;
    object->extra = EXTRA_CHECK;
    object->extra_node = compile_item(c, field->item);
    if (rules->min)
        hf_fields_check_size(c, node, CHECK_MIN_PROPERTIES, rules->min);
    if (rules->max < SIZE_MAX)
        hf_fields_check_size(c, node, CHECK_MAX_PROPERTIES, rules->max);
    return node;
}

static struct node *compile_kind(struct compile *c, const haft_field *field)
{
    struct node *node = NULL;

    switch (field->kind) {
    case HAFT_KIND_BOOLEAN:
        return hf_fields_node(c, TYPE_BOOLEAN, STORE_BOOLEAN, sizeof(bool));
    case HAFT_KIND_INTEGER:
        return hf_fields_integer(c, field);
    case HAFT_KIND_NUMBER:
        return hf_fields_number(c, field);
    case HAFT_KIND_STRING:
        return hf_fields_string(c, field);
    case HAFT_KIND_BYTES:
        node = hf_fields_node(c, TYPE_STRING, STORE_BYTES, sizeof(char *));
        if (node)
            hf_fields_add_format(c, node, HAFT_FORMAT_BASE64);
        if (node && !c->status)
            node->checks[0].size = 1;
        return node;
    case HAFT_KIND_JSON:
        return hf_fields_node(c, TYPE_ANY, STORE_JSON, sizeof(void *));
    case HAFT_KIND_ARRAY:
    case HAFT_KIND_FIXED:
        return compile_array(c, field);
    case HAFT_KIND_MAP:
        return compile_map(c, field);
    default:
        return use_type(c, field);
    }
}

static struct node *compile_named(struct compile *c, const haft_field *field)
{
    struct node *node = compile_kind(c, field);

    if (!node)
        return NULL;
    if (!c->status && hf_node_bounds_cross(node))
        return hf_fields_fail(c, HAFT_ESCHEMA, NULL, BOUNDS_CROSS);
    node->nullable = field->nullable;
    hf_fields_add_words(c, node, &field->rules.plain);
    return c->status ? NULL : node;
}

static struct node *compile_field(struct compile *c, const haft_field *field)
{
    struct node *node;

    if (c->status)
        return NULL;
    node = compile_named(c, field);
    if (!node)
        locate(c, field->name);
    return node;
}

/* Items have no has_x and no null_x: null is a NULL pointer, or is not accepted. */
static struct node *compile_item(struct compile *c, const haft_field *field)
{
    bool pointer = (field->kind == HAFT_KIND_STRING && field->storage == HAFT_STORAGE_KIND) ||
                   field->kind == HAFT_KIND_POINTER || field->kind == HAFT_KIND_JSON;

    if (field->presence != HAFT_PRESENCE_REQUIRED)
        return hf_fields_fail(c, HAFT_ESCHEMA, field->name,
                              "an item cannot be optional or have a default");
    if (field->nullable && !pointer)
        return hf_fields_fail(c, HAFT_ESCHEMA, field->name,
                              "a nullable item must be a string, a pointer or JSON");
    return compile_field(c, field);
}

/* Completes uses of recursive types, which were copied before the type was complete. */
static void complete_uses(haft_schema *schema)
{
    for (struct node *node = schema->nodes; node; node = node->all) {
        if (!node->as)
            continue;
        node->object = node->as->object;
        node->array = node->as->array;
        node->list = node->as->list;
        node->inner = node->as->inner;
        node->checks = node->as->checks;
        node->n_checks = node->as->n_checks;
        node->rules = node->as->rules;
        node->n_rules = node->as->n_rules;
    }
}

int haft_schema_compile(const haft_type *type, const haft_schema_options *options,
                        haft_schema **ret_schema, haft_reason *reterr_error)
{
    haft_schema_options own;
    haft_schema *schema;
    struct compile c = {.error = reterr_error};
    struct node *root;
    int status;

    if (reterr_error)
        *reterr_error = (haft_reason){0};
    if (!hf_struct_read(&own, sizeof own, options))
        return hf_error_set(reterr_error, HAFT_EINVAL, "haft_schema_options", STRUCT_UNSIZED);
    c.schema = schema = hf_schema_new(&own);
    if (!schema)
        return hf_error_set(reterr_error, HAFT_ENOMEM, NULL, "out of memory");
    if (!type) {
        haft_schema_free(schema);
        return hf_error_set(reterr_error, HAFT_EINVAL, NULL, "the type is missing");
    }
    root = compile_type(&c, type);
    if (!root) {
        haft_schema_free(schema);
        if (c.status == HAFT_ENOMEM)
            hf_error_set(reterr_error, HAFT_ENOMEM, NULL, "out of memory");
        return c.status;
    }
    schema->typed = true;
    complete_uses(schema);
    status = hf_schema_finish(schema, root, reterr_error);
    if (!status)
        *ret_schema = schema;
    return status;
}
