/* rules.c - constraints of a field besides its type: bounds and patterns become checks of its node,
 * annotations its meta; and its default. */
#include "schema/fields/fields.h"

#include <math.h>
#include <string.h>

void hf_fields_check_size(struct compile *c, struct node *node, enum check_op op, size_t size)
{
    hf_fields_check(c, node, &(struct check){.op = (uint8_t)op, .size = size});
}

/* ---- scalars ---- */

void hf_fields_add_integer_rules(struct compile *c, struct node *node,
                                 const struct haft_integer_rules *rules)
{
    const struct {
        bool named;
        struct check check;
        int64_t bound;
    } table[] = {
        {rules->min > INT64_MIN, {.op = CHECK_MIN}, rules->min},
        {rules->above > INT64_MIN, {.op = CHECK_MIN, .exclusive = true}, rules->above},
        {rules->max < INT64_MAX, {.op = CHECK_MAX}, rules->max},
        {rules->below < INT64_MAX, {.op = CHECK_MAX, .exclusive = true}, rules->below},
        {rules->multiple_of != 0, {.op = CHECK_MULTIPLE_OF}, rules->multiple_of},
    };

    if (rules->multiple_of < 0)
        hf_fields_fail(c, HAFT_ESCHEMA, NULL, "multiple_of must be greater than 0");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct check one = table[i].check;

        yyjson_set_sint(&one.bound, table[i].bound);
        if (table[i].named)
            hf_fields_check(c, node, &one);
    }
}

void hf_fields_add_number_rules(struct compile *c, struct node *node,
                                const struct haft_number_rules *rules)
{
    const struct {
        bool named;
        struct check check;
        double bound;
    } table[] = {
        {rules->min > -DBL_MAX, {.op = CHECK_MIN}, rules->min},
        {rules->above > -DBL_MAX, {.op = CHECK_MIN, .exclusive = true}, rules->above},
        {rules->max < DBL_MAX, {.op = CHECK_MAX}, rules->max},
        {rules->below < DBL_MAX, {.op = CHECK_MAX, .exclusive = true}, rules->below},
        {rules->multiple_of < 0 || rules->multiple_of > 0,
         {.op = CHECK_MULTIPLE_OF},
         rules->multiple_of},
    };

    if (rules->multiple_of < 0)
        hf_fields_fail(c, HAFT_ESCHEMA, NULL, "multiple_of must be greater than 0");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct check one = table[i].check;

        if (isnan(table[i].bound) || (table[i].named && isinf(table[i].bound)))
            hf_fields_fail(c, HAFT_ESCHEMA, NULL, "a bound or a divisor must be a finite number");
        yyjson_set_real(&one.bound, table[i].bound);
        if (table[i].named)
            hf_fields_check(c, node, &one);
    }
}

static void add_text_rule(struct compile *c, struct node *node, enum check_op op, const char *text)
{
    if (text && hf_fields_is_text(c, text))
        hf_fields_check(
            c, node, &(struct check){.op = (uint8_t)op, .text = text, .text_size = strlen(text)});
}

void hf_fields_add_pattern(struct compile *c, struct node *node, const char *pattern)
{
    if (pattern && hf_fields_is_text(c, pattern))
        c->status = hf_node_add_pattern(c->schema, node, pattern, strlen(pattern), "", c->error);
}

void hf_fields_add_format(struct compile *c, struct node *node, haft_format format)
{
    const struct format *row = hf_format_of(format);

    if (row && !c->status)
        c->status = hf_node_add_format(c->schema, node, row, c->error);
}

void hf_fields_add_string_rules(struct compile *c, struct node *node,
                                const struct haft_string_rules *rules)
{
    node->c_string = true;
    if (rules->min)
        hf_fields_check_size(c, node, CHECK_MIN_LENGTH, rules->min);
    if (rules->max < SIZE_MAX)
        hf_fields_check_size(c, node, CHECK_MAX_LENGTH, rules->max);
    hf_fields_add_pattern(c, node, rules->pattern);
    hf_fields_add_format(c, node, rules->format);
    add_text_rule(c, node, CHECK_STARTS, rules->starts);
    add_text_rule(c, node, CHECK_ENDS, rules->ends);
    add_text_rule(c, node, CHECK_INCLUDES, rules->includes);
}

/* ---- annotations ---- */

void hf_fields_add_words(struct compile *c, struct node *node, const struct haft_plain_rules *words)
{
    struct meta *meta = hf_fields_take(c, 1, sizeof *meta);

    if (!meta || !hf_fields_is_text(c, words->description) || !hf_fields_is_text(c, words->title))
        return;
    if (node->meta)
        *meta = *node->meta;
    node->meta = meta;
    if (words->description && *words->description)
        meta->description = words->description;
    if (words->title)
        meta->title = words->title;
    meta->deprecated |= words->deprecated;
    meta->write_only |= words->secret;
    node->secret |= words->secret;
    if (words->examples) {
        meta->examples = hf_fields_json(c, words->examples);
        if (meta->examples && !yyjson_is_arr(meta->examples))
            hf_fields_fail(c, HAFT_ESCHEMA, NULL, "examples must be a JSON array");
    }
}

/* ---- defaults ---- */

/* Sets the value to the name of the default enumerator. */
static void set_enumerator(struct compile *c, yyjson_val *value, const haft_field *field)
{
    const haft_type *type = hf_fields_type(c, field->type);
    size_t at = (size_t)field->fallback.integer;

    if (!type)
        return;
    if (type->numbers)
        for (at = 0; at < type->n_values && type->numbers[at] != field->fallback.integer;)
            at++;
    if (at < type->n_values)
        yyjson_set_str(value, type->values[at]);
    else
        hf_fields_fail(c, HAFT_ESCHEMA, NULL, "the default is not one of the enumerators");
}

yyjson_val *hf_fields_default(struct compile *c, const haft_field *field)
{
    const char *text = field->fallback.text;
    yyjson_val *value;

    switch (field->kind) {
    case HAFT_KIND_BYTES:
    case HAFT_KIND_OBJECT:
    case HAFT_KIND_UNION:
    case HAFT_KIND_POINTER:
    case HAFT_KIND_ARRAY:
    case HAFT_KIND_FIXED:
    case HAFT_KIND_MAP:
    case HAFT_KIND_JSON:
        return hf_fields_json(c, text);
    default:
        break;
    }
    value = hf_fields_take(c, 1, sizeof *value);
    if (!value)
        return NULL;
    if (field->kind == HAFT_KIND_BOOLEAN)
        yyjson_set_bool(value, field->fallback.boolean);
    else if (field->kind == HAFT_KIND_INTEGER)
        yyjson_set_sint(value, field->fallback.integer);
    else if (field->kind == HAFT_KIND_NUMBER)
        yyjson_set_real(value, field->fallback.number);
    else if (field->kind == HAFT_KIND_STRING && hf_fields_is_text(c, text))
        yyjson_set_str(value, text);
    else if (field->kind == HAFT_KIND_STRING)
        return NULL;
    else
        set_enumerator(c, value, field);
    return value;
}
