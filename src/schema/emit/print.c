/* print.c - a schema as a table for people: one row a field, nested ones indented.
 *
 *     FIELD          TYPE             RULES                DESCRIPTION
 *     query          string           1..80                Substring to match
 *     limit?         integer          <= 50                How many to return */
#include <string.h>

#include "json/json.h"
#include "schema/emit/emit.h"

enum { MAX_PRINT_DEPTH = 16, PRINT_COLUMNS = 4, MAX_CELL = 1 << 12 };

struct print_row {
    struct print_row *next;
    const char *cells[PRINT_COLUMNS];
};

struct print {
    haft_arena *arena;
    struct print_row *first, **last;
    int status;
};

static const char *const headings[PRINT_COLUMNS] = {"FIELD", "TYPE", "RULES", "DESCRIPTION"};

static const char *text(struct print *p, const char *made)
{
    if (!made && !p->status)
        p->status = HAFT_ENOMEM;
    return made ? made : "";
}

static void print_add_row(struct print *p, const char *name, const char *type, const char *rules,
                          const char *description)
{
    struct print_row *row = haft_arena_alloc(p->arena, sizeof *row);

    if (!row) {
        p->status = HAFT_ENOMEM;
        return;
    }
    *row = (struct print_row){NULL, {name, type, rules, description ? description : ""}};
    *p->last = row;
    p->last = &row->next;
}

static const char *print_join(struct print *p, const char *left, const char *between,
                              const char *right)
{
    if (!*right)
        return left;
    if (!*left)
        return right;
    return text(p, haft_arena_printf(p->arena, "%s%s%s", left, between, right));
}

/* A value as JSON, truncated if it is too long for a table. */
static const char *json_text(struct print *p, const yyjson_val *value)
{
    const char *made = "...";
    haft_buffer json;

    haft_buffer_init(&json, hf_arena_allocator(p->arena), MAX_CELL);
    haft_json_write(value, &json);
    if (json.status != HAFT_ETOOBIG)
        made = text(p, json.status ? NULL : haft_arena_copy(p->arena, json.data, json.size));
    haft_buffer_finish(&json);
    return made;
}

/* ---- types ---- */

static const char *print_type_text(struct print *p, const struct node *node, size_t depth);

static const char *options_text(struct print *p, const struct rule *rule, size_t depth)
{
    const char *all = "";

    if (rule->op == RULE_DISCRIMINATED)
        return text(p, haft_arena_printf(p->arena, "object by %s", rule->text));
    for (size_t i = 0; i < rule->n_nodes; i++)
        all = print_join(p, all, rule->op == RULE_ALL ? " & " : " | ",
                         print_type_text(p, rule->nodes[i], depth + 1));
    return all;
}

static const char *print_values_text(struct print *p, const struct node *node)
{
    const char *all = "";
    size_t i, n;
    yyjson_val *value;

    yyjson_arr_foreach(node->values, i, n, value)
        all = print_join(p, all, " | ", json_text(p, value));
    return all;
}

static const char *plain_type(struct print *p, const struct node *node, size_t depth)
{
    const char *names[TYPE_NAMES], *all = "";
    unsigned left = node->types;
    size_t n;

    if (left == TYPE_ANY)
        return "any";
    if (hf_emits_integer(node))
        left &= ~(unsigned)TYPE_FRACTION;
    if (left == TYPE_ARRAY && node->array && node->array->items)
        return print_join(p, "array of ", "", print_type_text(p, node->array->items, depth + 1));
    if (left == TYPE_OBJECT && node->object && node->object->extra == EXTRA_CHECK &&
        !node->object->n_properties)
        return print_join(p, "map of ", "",
                          print_type_text(p, node->object->extra_node, depth + 1));
    n = hf_type_names(left, names);
    for (size_t i = 0; i < n; i++)
        all = print_join(p, all, " | ", names[i]);
    return all;
}

static const char *print_type_text(struct print *p, const struct node *node, size_t depth)
{
    const char *type = "";

    if (depth > MAX_PRINT_DEPTH)
        return "...";
    if (node->never)
        return "never";
    if (node->as && node->as->recursive && node->as->meta && node->as->meta->name)
        type = node->as->meta->name;
    else if (node->values)
        type = print_values_text(p, node);
    else if (node->n_rules && node->rules[0].op != RULE_NOT && node->rules[0].op != RULE_IF)
        type = node->rules[0].op >= RULE_REF && node->rules[0].nodes[0]->recursive
                   ? "(itself)"
                   : options_text(p, &node->rules[0], depth);
    else
        type = plain_type(p, node, depth);
    return node->nullable ? print_join(p, type, " | ", "null") : type;
}

/* ---- rules ---- */

static const char *size_rule(struct print *p, const struct check *check)
{
    switch ((enum check_op)check->op) {
    case CHECK_MIN_LENGTH:
    case CHECK_MIN_ITEMS:
    case CHECK_MIN_PROPERTIES:
        return text(p, haft_arena_printf(p->arena, "size >= %zu", check->size));
    case CHECK_MAX_LENGTH:
    case CHECK_MAX_ITEMS:
    case CHECK_MAX_PROPERTIES:
        return text(p, haft_arena_printf(p->arena, "size <= %zu", check->size));
    case CHECK_MAX_BYTES:
        return text(p, haft_arena_printf(p->arena, "bytes <= %zu", check->size));
    default:
        return text(p, haft_arena_printf(p->arena, "size = %zu", check->size));
    }
}

static const char *bound_rule(struct print *p, const struct check *check)
{
    static const char *const signs[2][2] = {{">=", ">"}, {"<=", "<"}};
    const char *number = json_text(p, &check->bound);

    if (check->op == CHECK_MULTIPLE_OF)
        return text(p, haft_arena_printf(p->arena, "multiple of %s", number));
    return text(p, haft_arena_printf(p->arena, "%s %s",
                                     signs[check->op == CHECK_MAX][check->exclusive], number));
}

static const char *rule_text(struct print *p, const struct check *check)
{
    switch ((enum check_op)check->op) {
    case CHECK_PATTERN:
        return text(p, haft_arena_printf(p->arena, "/%s/%s", check->pattern->source,
                                         check->pattern->flags));
    case CHECK_FORMAT:
        return check->format->name;
    case CHECK_STARTS:
        return text(p, haft_arena_printf(p->arena, "starts \"%s\"", check->text));
    case CHECK_ENDS:
        return text(p, haft_arena_printf(p->arena, "ends \"%s\"", check->text));
    case CHECK_INCLUDES:
        return text(p, haft_arena_printf(p->arena, "has \"%s\"", check->text));
    case CHECK_INT_FORMAT:
    case CHECK_FLOAT_FORMAT:
    case CHECK_CONTENT:
        return check->text ? check->text : "JSON";
    case CHECK_MIN:
    case CHECK_MAX:
    case CHECK_MULTIPLE_OF:
        return bound_rule(p, check);
    case CHECK_UNIQUE:
        return "unique";
    case CHECK_REFINE:
        return "refined";
    default:
        return size_rule(p, check);
    }
}

static const char *rules_text(struct print *p, const struct node *node,
                              const struct property *property)
{
    const char *all = "";

    for (size_t i = 0; i < node->n_checks; i++)
        all = print_join(p, all, ", ", rule_text(p, &node->checks[i]));
    if (property && property->presence == PRESENCE_DEFAULT)
        all = print_join(p, all, ", ",
                         print_join(p, "default ", "", json_text(p, property->fallback)));
    return all;
}

/* ---- rows ---- */

static void add_members(struct print *p, const struct node *node, const char *indent, size_t depth);

static void add_property(struct print *p, const struct property *property, const char *indent,
                         size_t depth)
{
    const struct node *node = property->node;
    const struct meta *meta = node->meta;

    print_add_row(p,
                  text(p, haft_arena_printf(p->arena, "%s%s%s", indent, property->name,
                                            property->presence == PRESENCE_OPTIONAL ? "?" : "")),
                  print_type_text(p, node, 0), rules_text(p, node, property),
                  meta ? meta->description : NULL);
    if (!(node->as && node->as->recursive))
        add_members(p, node, text(p, haft_arena_printf(p->arena, "%s  ", indent)), depth + 1);
}

/* Adds rows for nested fields: an object's properties, an array's items, the options of a tagged
 * union. */
static void add_members(struct print *p, const struct node *node, const char *indent, size_t depth)
{
    if (depth > MAX_PRINT_DEPTH || p->status)
        return;
    if (node->object)
        for (size_t i = 0; i < node->object->n_properties; i++)
            add_property(p, &node->object->properties[i], indent, depth);
    if (node->array && node->array->items && !node->array->items->recursive &&
        !(node->array->items->as && node->array->items->as->recursive))
        add_members(p, node->array->items, indent, depth + 1);
    for (size_t i = 0; i < node->n_rules; i++) {
        const struct rule *rule = &node->rules[i];

        for (size_t k = 0; rule->op == RULE_DISCRIMINATED && k < rule->n_nodes; k++)
            add_members(p, rule->nodes[k], indent, depth + 1);
    }
}

/* Writes a cell on one line, even if a description contains line breaks. */
static void print_put_cell(haft_buffer *buffer, const char *cell)
{
    for (; *cell; cell++)
        haft_buffer_add(buffer, (unsigned char)*cell < ' ' ? " " : cell, 1);
}

static void write_rows(const struct print *p, haft_buffer *buffer)
{
    size_t widths[PRINT_COLUMNS] = {0};

    for (const struct print_row *row = p->first; row; row = row->next)
        for (size_t i = 0; i + 1 < PRINT_COLUMNS; i++) {
            size_t width = haft_utf8_length(row->cells[i], strlen(row->cells[i]));

            if (width > widths[i])
                widths[i] = width;
        }
    for (const struct print_row *row = p->first; row; row = row->next) {
        size_t due = 0; /* pending spaces, written only if text follows */

        for (size_t i = 0; i < PRINT_COLUMNS; i++) {
            size_t width = haft_utf8_length(row->cells[i], strlen(row->cells[i]));

            for (; *row->cells[i] && due; due--)
                haft_buffer_add(buffer, " ", 1);
            print_put_cell(buffer, row->cells[i]);
            due += i + 1 < PRINT_COLUMNS ? widths[i] - width + 2 : 0;
        }
        haft_buffer_add(buffer, "\n", 1);
    }
}

int haft_schema_print(const haft_schema *schema, haft_buffer *buffer)
{
    struct print p = {.last = &p.first};

    if (buffer->status)
        return buffer->status;
    p.arena = haft_arena_new(hf_arena_allocator(schema->arena), 16 << 20);
    if (!p.arena)
        return HAFT_ENOMEM;
    print_add_row(&p, headings[0], headings[1], headings[2], headings[3]);
    if (!schema->root->object || !schema->root->object->n_properties)
        print_add_row(&p, "(value)", print_type_text(&p, schema->root, 0),
                      rules_text(&p, schema->root, NULL),
                      schema->root->meta ? schema->root->meta->description : NULL);
    add_members(&p, schema->root, "", 0);
    if (!p.status)
        write_rows(&p, buffer);
    haft_arena_free(p.arena);
    return p.status ? p.status : buffer->status;
}
