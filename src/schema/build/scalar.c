/* scalar.c - definitions of strings, numbers and single values, and their rules.
 *
 * Every rule is a check appended to a copy of the node. A rule for another type would never run, so
 * it is rejected here. */
#include "schema/build/build.h"

#include <math.h>
#include <string.h>

static const double MAX_SAFE_INTEGER = 9007199254740991.0;

/* ---- types ---- */

static haft_def *typed(haft_builder *builder, unsigned types)
{
    haft_def *def = hf_def_new(builder);

    if (def)
        def->node->types = (uint8_t)types;
    return def;
}

haft_def *haft_def_string(haft_builder *builder)
{
    return typed(builder, TYPE_STRING);
}

haft_def *haft_def_number(haft_builder *builder)
{
    return typed(builder, TYPE_NUMBER);
}

haft_def *haft_def_boolean(haft_builder *builder)
{
    return typed(builder, TYPE_BOOLEAN);
}

haft_def *haft_def_null(haft_builder *builder)
{
    return typed(builder, TYPE_NULL);
}

haft_def *haft_def_any(haft_builder *builder)
{
    return typed(builder, TYPE_ANY);
}

haft_def *haft_def_never(haft_builder *builder)
{
    haft_def *def = hf_def_new(builder);

    if (def)
        def->node->never = true;
    return def;
}

/* ---- appending a check ---- */

/* A copy of the definition for adding a rule; NULL if the definition does not have one of the
 * types. */
static haft_def *ruled(const haft_def *def, unsigned types, const char *rule, const char *whose)
{
    if (!def || def->builder->error.code)
        return NULL;
    if (def->node->types != types || def->node->never || def->node->values || def->node->n_rules)
        return hf_build_fail(def->builder, HAFT_ESCHEMA, rule, "%s applies to %s, but this is %s",
                             rule, whose, hf_node_kind(def->node));
    return hf_def_copy(def);
}

/* A custom message of a type also applies to its checks, unless they have their own. */
static haft_def *checked(haft_def *def, struct check *check)
{
    if (!def)
        return NULL;
    check->message = def->node->message;
    if (hf_node_add_check(def->builder->schema, def->node, check))
        return hf_build_no_memory(def->builder);
    return def;
}

static haft_def *string_size(const haft_def *def, const char *rule, enum check_op op, size_t size)
{
    struct check check = {.op = (uint8_t)op, .size = size};

    return checked(ruled(def, TYPE_STRING, rule, "strings"), &check);
}

static haft_def *string_text(const haft_def *def, const char *rule, enum check_op op,
                             const char *text, size_t from)
{
    haft_def *copy = ruled(def, TYPE_STRING, rule, "strings");
    struct check check = {.op = (uint8_t)op, .size = from};

    if (!copy)
        return NULL;
    check.text = hf_build_text(def->builder, text, rule);
    if (!check.text)
        return NULL;
    check.text_size = strlen(text);
    return checked(copy, &check);
}

static haft_def *number_bound(const haft_def *def, const char *rule, struct check *check)
{
    return checked(ruled(def, TYPE_NUMBER, rule, "numbers"), check);
}

/* Converts a double to a JSON number: to an integer if it is one and doubles represent it
 * exactly. */
static void scalar_set_number(yyjson_val *value, double number)
{
    if (number_whole(number) == number && fabs(number) <= MAX_SAFE_INTEGER && number >= 0)
        unsafe_yyjson_set_uint(value, (uint64_t)number);
    else if (number_whole(number) == number && fabs(number) <= MAX_SAFE_INTEGER)
        unsafe_yyjson_set_sint(value, (int64_t)number);
    else
        unsafe_yyjson_set_real(value, number);
}

static haft_def *double_bound(const haft_def *def, const char *rule, enum check_op op, double bound,
                              bool exclusive)
{
    struct check check = {.op = (uint8_t)op, .exclusive = exclusive};

    if (def && !isfinite(bound))
        return hf_build_fail(def->builder, HAFT_EINVAL, rule, "%s is not a finite number", rule);
    scalar_set_number(&check.bound, bound);
    return number_bound(def, rule, &check);
}

static haft_def *int64_bound(const haft_def *def, const char *rule, enum check_op op, int64_t bound)
{
    struct check check = {.op = (uint8_t)op};

    if (bound < 0)
        unsafe_yyjson_set_sint(&check.bound, bound);
    else
        unsafe_yyjson_set_uint(&check.bound, (uint64_t)bound);
    return number_bound(def, rule, &check);
}

/* ---- rules of strings ---- */

haft_def *haft_def_min_length(haft_def *def, size_t length)
{
    return string_size(def, "min_length", CHECK_MIN_LENGTH, length);
}

haft_def *haft_def_max_length(haft_def *def, size_t length)
{
    return string_size(def, "max_length", CHECK_MAX_LENGTH, length);
}

haft_def *haft_def_length(haft_def *def, size_t length)
{
    return string_size(def, "length", CHECK_LENGTH, length);
}

haft_def *haft_def_starts_with(haft_def *def, const char *text)
{
    return string_text(def, "starts_with", CHECK_STARTS, text, 0);
}

haft_def *haft_def_ends_with(haft_def *def, const char *text)
{
    return string_text(def, "ends_with", CHECK_ENDS, text, 0);
}

haft_def *haft_def_includes(haft_def *def, const char *text, size_t from)
{
    return string_text(def, "includes", CHECK_INCLUDES, text, from);
}

/* Handles the result of hf_node_add_pattern or hf_node_add_format. */
static haft_def *appended(haft_def *def, int status, const char *rule, const haft_reason *error)
{
    if (status == HAFT_ENOMEM)
        return hf_build_no_memory(def->builder);
    if (status)
        return hf_build_fail(def->builder, status, rule, "%s", error->text);
    def->node->checks[def->node->n_checks - 1].message = def->node->message;
    return def;
}

haft_def *haft_def_pattern(haft_def *def, const char *pattern, const char *flags)
{
    haft_def *copy = ruled(def, TYPE_STRING, "pattern", "strings");
    haft_reason error = {0};

    if (!copy || !hf_build_text(def->builder, pattern, "pattern"))
        return NULL;
    return appended(copy,
                    hf_node_add_pattern(def->builder->schema, copy->node, pattern, strlen(pattern),
                                        flags ? flags : "", &error),
                    "pattern", &error);
}

haft_def *haft_def_format(haft_def *def, haft_format format)
{
    haft_def *copy = ruled(def, TYPE_STRING, "format", "strings");
    haft_reason error = {0};

    if (!copy)
        return NULL;
    if (format <= HAFT_FORMAT_NONE || format >= HAFT_FORMAT_COUNT_)
        return hf_build_fail(def->builder, HAFT_EINVAL, "format", "unknown format");
    return appended(
        copy, hf_node_add_format(def->builder->schema, copy->node, hf_format_of(format), &error),
        "format", &error);
}

haft_def *haft_def_formatted(haft_builder *builder, haft_format format)
{
    haft_def *def = haft_def_format(haft_def_string(builder), format);

    if (def)
        def->native = true;
    return def;
}

/* ---- rules of numbers ---- */

haft_def *haft_def_at_least(haft_def *def, double bound)
{
    return double_bound(def, "at_least", CHECK_MIN, bound, false);
}

haft_def *haft_def_at_most(haft_def *def, double bound)
{
    return double_bound(def, "at_most", CHECK_MAX, bound, false);
}

haft_def *haft_def_above(haft_def *def, double bound)
{
    return double_bound(def, "above", CHECK_MIN, bound, true);
}

haft_def *haft_def_below(haft_def *def, double bound)
{
    return double_bound(def, "below", CHECK_MAX, bound, true);
}

haft_def *haft_def_at_least_int64(haft_def *def, int64_t bound)
{
    return int64_bound(def, "at_least_int64", CHECK_MIN, bound);
}

haft_def *haft_def_at_most_int64(haft_def *def, int64_t bound)
{
    return int64_bound(def, "at_most_int64", CHECK_MAX, bound);
}

haft_def *haft_def_multiple_of(haft_def *def, double divisor)
{
    if (def && !(divisor > 0))
        return hf_build_fail(def->builder, HAFT_EINVAL, "multiple_of",
                             "multiple_of must be greater than 0");
    return double_bound(def, "multiple_of", CHECK_MULTIPLE_OF, divisor, false);
}

/* A number of a named width: its range is the first check and part of the type. */
static haft_def *sized(haft_builder *builder, enum check_op op, const char *name, yyjson_val low,
                       yyjson_val high)
{
    haft_def *def = typed(builder, TYPE_NUMBER);
    struct check check = {
        .op = (uint8_t)op, .text = name, .text_size = strlen(name), .bound = low, .bound2 = high};

    if (def)
        def->native = true;
    return checked(def, &check);
}

static haft_def *sized_integer(haft_builder *builder, const char *name, int64_t low, uint64_t high)
{
    yyjson_val bounds[2] = {{0}};

    if (low < 0)
        unsafe_yyjson_set_sint(&bounds[0], low);
    else
        unsafe_yyjson_set_uint(&bounds[0], (uint64_t)low);
    unsafe_yyjson_set_uint(&bounds[1], high);
    return sized(builder, CHECK_INT_FORMAT, name, bounds[0], bounds[1]);
}

static haft_def *sized_float(haft_builder *builder, const char *name, double most)
{
    yyjson_val bounds[2] = {{0}};

    unsafe_yyjson_set_real(&bounds[0], -most);
    unsafe_yyjson_set_real(&bounds[1], most);
    return sized(builder, CHECK_FLOAT_FORMAT, name, bounds[0], bounds[1]);
}

haft_def *haft_def_int(haft_builder *builder)
{
    return sized_integer(builder, "safeint", -9007199254740991, 9007199254740991);
}

haft_def *haft_def_int32(haft_builder *builder)
{
    return sized_integer(builder, "int32", INT32_MIN, INT32_MAX);
}

haft_def *haft_def_uint32(haft_builder *builder)
{
    return sized_integer(builder, "uint32", 0, UINT32_MAX);
}

haft_def *haft_def_int64(haft_builder *builder)
{
    return sized_integer(builder, "int64", INT64_MIN, INT64_MAX);
}

haft_def *haft_def_uint64(haft_builder *builder)
{
    return sized_integer(builder, "uint64", 0, UINT64_MAX);
}

haft_def *haft_def_float32(haft_builder *builder)
{
    return sized_float(builder, "float32", 3.4028234663852886e38);
}

haft_def *haft_def_float64(haft_builder *builder)
{
    return sized_float(builder, "float64", 1.7976931348623157e308);
}

/* ---- accepted values ---- */

static haft_def *valued(haft_builder *builder, yyjson_val *const *items, size_t n, bool single)
{
    haft_def *def = hf_def_new(builder);

    if (!def)
        return NULL;
    if (!n)
        return hf_build_fail(builder, HAFT_ESCHEMA, "values", "the list of values is empty");
    def->node->values = hf_values_array(builder, items, n);
    def->node->single = single;
    return def->node->values ? def : NULL;
}

haft_def *haft_def_literal(haft_builder *builder, const char *json)
{
    yyjson_val *value =
        builder && !builder->error.code ? hf_build_json(builder, json, "literal") : NULL;

    return value ? valued(builder, &value, 1, true) : NULL;
}

haft_def *haft_def_literals(haft_builder *builder, const char *json_array)
{
    yyjson_val *array =
        builder && !builder->error.code ? hf_build_json(builder, json_array, "literals") : NULL;
    yyjson_val **items, *item;
    size_t i, n;

    if (!array)
        return NULL;
    if (!yyjson_is_arr(array))
        return hf_build_fail(builder, HAFT_EINVAL, "literals", "the values are not a JSON array");
    items = hf_build_room(builder, yyjson_arr_size(array), sizeof(yyjson_val *));
    if (!items)
        return NULL;
    yyjson_arr_foreach(array, i, n, item)
        items[i] = item;
    return valued(builder, items, n, n == 1);
}

haft_def *haft_def_enum(haft_builder *builder, const char *first, ...)
{
    struct value_list list = {0};
    haft_def *def = NULL;
    va_list names;

    if (!builder || builder->error.code)
        return NULL;
    va_start(names, first);
    for (const char *name = first; name; name = va_arg(names, const char *)) {
        yyjson_val *value = hf_build_room(builder, 1, sizeof *value);
        const char *text = value ? hf_build_text(builder, name, "enum") : NULL;

        if (!text)
            goto done;
        unsafe_yyjson_set_strn(value, text, strlen(text));
        if (!hf_values_add(builder, &list, value))
            goto done;
    }
    def = valued(builder, list.items, list.n, false);
done:
    va_end(names);
    return def;
}
