/* member.c - the C member of a field.
 *
 * Each kind of field has a default type: int64_t, double, const char *, a pointer to items. An
 * existing struct may have a narrower type; its range is then a rule of the field like any other,
 * checked and emitted. */
#include "schema/fields/fields.h"

#include <float.h>
#include <string.h>

static struct node *member_refuse(struct compile *c)
{
    return hf_fields_fail(c, HAFT_EINVAL, NULL, "invalid storage: not a value of haft_storage");
}

/* ---- integers ---- */

static bool is_width(size_t width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

/* Restricts the rules to the range of an integer type; for eight bytes to that of int64_t, and the
 * walk checks the rest. */
static void narrow_rules(struct haft_integer_rules *rules, bool is_signed, size_t width)
{
    int64_t most = width < 8 ? (INT64_C(1) << (width * 8 - is_signed)) - 1 : INT64_MAX;
    int64_t least = is_signed ? -most - 1 : 0;

    if (rules->min < least)
        rules->min = rules->above >= least ? INT64_MIN : least;
    if (rules->max > most)
        rules->max = rules->below <= most ? INT64_MAX : most;
}

struct node *hf_fields_integer(struct compile *c, const haft_field *field)
{
    struct haft_integer_rules rules = field->rules.integer;
    bool is_signed = field->storage == HAFT_STORAGE_SIGNED;
    enum store store = is_signed ? STORE_SIGNED : STORE_UNSIGNED;
    size_t width = field->width;
    struct node *node;

    if (field->storage == HAFT_STORAGE_KIND || (is_signed && width == sizeof(int64_t))) {
        store = STORE_INTEGER;
        width = sizeof(int64_t);
    } else {
        if ((!is_signed && field->storage != HAFT_STORAGE_UNSIGNED) || !is_width(width))
            return member_refuse(c);
        narrow_rules(&rules, is_signed, width);
    }
    node = hf_fields_node(c, TYPE_INTEGER, store, width);
    if (node)
        hf_fields_add_integer_rules(c, node, &rules);
    return node;
}

/* ---- numbers and strings ---- */

struct node *hf_fields_number(struct compile *c, const haft_field *field)
{
    struct check fits = {.op = CHECK_FLOAT_FORMAT, .text = "float32"};
    bool narrow = field->storage == HAFT_STORAGE_FLOAT;
    struct node *node;

    if (!narrow && field->storage != HAFT_STORAGE_KIND)
        return member_refuse(c);
    node = hf_fields_node(c, TYPE_NUMBER, narrow ? STORE_FLOAT : STORE_NUMBER,
                          narrow ? sizeof(float) : sizeof(double));
    if (!node)
        return NULL;
    if (narrow) {
        yyjson_set_real(&fits.bound, -(double)FLT_MAX);
        yyjson_set_real(&fits.bound2, (double)FLT_MAX);
        hf_fields_check(c, node, &fits);
    }
    hf_fields_add_number_rules(c, node, &field->rules.number);
    return node;
}

struct node *hf_fields_string(struct compile *c, const haft_field *field)
{
    struct haft_string_rules rules = field->rules.string;
    struct node *node;

    if (field->storage == HAFT_STORAGE_KIND) {
        node = hf_fields_node(c, TYPE_STRING, STORE_STRING, sizeof(char *));
    } else {
        if (field->storage != HAFT_STORAGE_TEXT || !field->width)
            return member_refuse(c);
        node = hf_fields_node(c, TYPE_STRING, STORE_TEXT, field->width);
        if (rules.max > field->width - 1)
            rules.max = field->width - 1;
    }
    if (node)
        hf_fields_add_string_rules(c, node, &rules);
    if (node && node->store == STORE_TEXT)
        hf_fields_check_size(c, node, CHECK_MAX_BYTES, field->width - 1);
    return node;
}

/* ---- arrays ---- */

/* The number of items in a fixed array; 0 if it contradicts the declaration. */
static size_t count_items(const haft_field *field)
{
    return field->stride ? field->width / field->stride : 0;
}

struct node *hf_fields_array(struct compile *c, const haft_field *field,
                             struct haft_array_rules *ret_rules)
{
    size_t n = count_items(field);

    *ret_rules = field->rules.array;
    if (field->storage == HAFT_STORAGE_KIND && field->kind == HAFT_KIND_ARRAY)
        return hf_fields_node(c, TYPE_ARRAY, STORE_ARRAY, sizeof(void *));
    if (field->storage != HAFT_STORAGE_INLINE || !n)
        return member_refuse(c);
    if (field->kind == HAFT_KIND_FIXED) {
        if (ret_rules->min || ret_rules->max < SIZE_MAX)
            return hf_fields_fail(c, HAFT_ESCHEMA, NULL,
                                  "HAFT_FIXED has as many items as its array: remove min and max");
        ret_rules->min = n;
    }
    if (ret_rules->max > n)
        ret_rules->max = n;
    return hf_fields_node(c, TYPE_ARRAY, STORE_INLINE, field->width);
}

/* ---- enumerations ---- */

yyjson_val *hf_fields_texts(struct compile *c, const char *const *texts, size_t n)
{
    yyjson_val *array = hf_fields_take(c, n + 1, sizeof *array);

    if (!array)
        return NULL;
    /* A yyjson array is the container followed by its items. */
    array->tag = (uint64_t)n << YYJSON_TAG_BIT | YYJSON_TYPE_ARR;
    array->uni.ofs = (n + 1) * sizeof *array;
    for (size_t i = 0; i < n; i++)
        yyjson_set_str(&array[i + 1], texts[i]);
    return array;
}

/* Rejects duplicate names and numbers, which are possible in hand-written lists. */
static void check_enumerators(struct compile *c, const haft_type *type)
{
    for (size_t i = 0; i < type->n_values; i++) {
        if (!hf_fields_is_text(c, type->values[i]))
            return;
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(type->values[i], type->values[k]))
                hf_fields_fail(c, HAFT_ESCHEMA, type->values[i], "two enumerators have this name");
            if (type->numbers[i] == type->numbers[k])
                hf_fields_fail(c, HAFT_ESCHEMA, type->values[i],
                               "two enumerators have the same number");
        }
    }
}

struct node *hf_fields_enum(struct compile *c, const haft_type *type)
{
    struct node *node = hf_fields_node(c, TYPE_ANY, STORE_ENUM, type->size);

    if (!node)
        return NULL;
    if (type->numbers) {
        if (!is_width(type->size))
            return member_refuse(c);
        check_enumerators(c, type);
        node->numbers = type->numbers;
    }
    node->values = hf_fields_texts(c, type->values, type->n_values);
    return c->status ? NULL : node;
}
