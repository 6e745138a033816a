/* zod_driver.c - the builder, driven from outside: a request a line, an answer a line.
 *
 *     {"op": "schema", "id": 1, "def": ["object", {"a": ["string", ["minLength", 2]]}, ["loose"]]}
 *     {"op": "emit", "id": 1, "dialect": "2020-12"}
 *     {"op": "validate", "id": 1, "value": {"a": "x"}}
 *
 * A description is an array: a kind, what the kind needs (the table says how much), then modifiers,
 * each an array of its own.  tests/e2e/zod-language.mjs reads the same descriptions and makes Zod
 * schemas, so the two can be compared. */
#define _POSIX_C_SOURCE 200809L

#include <haft/build.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

enum { MAX_SCHEMAS = 1024, MAX_PARTS = 12, MAX_NAMES = 8, MAX_NESTING = 40, MAX_OUTPUT = 64 << 20 };

/* What one description is read with. */
struct reader {
    haft_builder *builder;
    haft_arena *arena; /* for texts on their way to the builder */
    const char *names[MAX_NAMES];
    haft_def *lazies[MAX_NAMES];
    size_t n_names, depth;
    const char *problem; /* with the description itself; NULL for none */
};

static haft_def *read_def(struct reader *reader, yyjson_val *def);

static haft_def *refuse(struct reader *reader, const char *problem)
{
    if (!reader->problem)
        reader->problem = problem;
    return NULL;
}

/* A value as JSON text. */
static const char *hf_text_of(struct reader *reader, yyjson_val *value)
{
    haft_buffer buffer;
    char *text = NULL;

    haft_buffer_init(&buffer, NULL, MAX_OUTPUT);
    haft_json_write(value, &buffer);
    if (!buffer.status)
        text = haft_arena_copy(reader->arena, buffer.data, buffer.size);
    haft_buffer_finish(&buffer);
    return text;
}

static haft_format hf_format_named(const char *name)
{
    static const char *const names[] = {
#define NAME(name, zod, json, noun) [HAFT_FORMAT_##name] = #name,
        HAFT_FORMATS(NAME)
#undef NAME
    };

    for (int i = 1; name && i < HAFT_FORMAT_COUNT_; i++)
        if (!strcmp(names[i], name))
            return (haft_format)i;
    return HAFT_FORMAT_NONE;
}

/* ---- parts ---- */

struct parts {
    haft_def *defs[MAX_PARTS];
    const char *names[MAX_PARTS];
    size_t n;
};

/* The values of an object or an array of descriptions; false when there are too many. */
static bool read_parts(struct reader *reader, yyjson_val *value, struct parts *parts)
{
    size_t i, n;
    yyjson_val *key, *item;

    *parts = (struct parts){.n = yyjson_get_len(value)};
    if (parts->n > MAX_PARTS || !yyjson_is_ctn(value)) {
        refuse(reader, "wrong parts");
        return false;
    }
    if (yyjson_is_obj(value)) {
        yyjson_obj_foreach(value, i, n, key, item) {
            parts->names[i] = yyjson_get_str(key);
            parts->defs[i] = read_def(reader, item);
        }
    } else {
        yyjson_arr_foreach(value, i, n, item)
            parts->defs[i] = read_def(reader, item);
    }
    return true;
}

static bool read_names(struct reader *reader, yyjson_val *value, struct parts *parts)
{
    size_t i, n;
    yyjson_val *item;

    *parts = (struct parts){.n = yyjson_arr_size(value)};
    if (parts->n > MAX_PARTS) {
        refuse(reader, "too many names");
        return false;
    }
    yyjson_arr_foreach(value, i, n, item)
        parts->names[i] = yyjson_get_str(item);
    return true;
}

/* Twelve and a NULL: what is not there ends the list. */
#define DEFS(p)                                                                                    \
    p.defs[0], p.defs[1], p.defs[2], p.defs[3], p.defs[4], p.defs[5], p.defs[6], p.defs[7],        \
        p.defs[8], p.defs[9], p.defs[10], p.defs[11], NULL
#define NAMES(p)                                                                                   \
    p.names[0], p.names[1], p.names[2], p.names[3], p.names[4], p.names[5], p.names[6],            \
        p.names[7], p.names[8], p.names[9], p.names[10], p.names[11], NULL
#define PAIRS(p)                                                                                   \
    p.names[0], p.defs[0], p.names[1], p.defs[1], p.names[2], p.defs[2], p.names[3], p.defs[3],    \
        p.names[4], p.defs[4], p.names[5], p.defs[5], p.names[6], p.defs[6], p.names[7],           \
        p.defs[7], p.names[8], p.defs[8], p.names[9], p.defs[9], p.names[10], p.defs[10],          \
        p.names[11], p.defs[11], NULL

/* ---- kinds ---- */

static haft_def *make_format(struct reader *reader, yyjson_val *const *args)
{
    return haft_def_formatted(reader->builder, hf_format_named(yyjson_get_str(args[0])));
}

static haft_def *make_literal(struct reader *reader, yyjson_val *const *args)
{
    return haft_def_literal(reader->builder, hf_text_of(reader, args[0]));
}

static haft_def *make_literals(struct reader *reader, yyjson_val *const *args)
{
    return haft_def_literals(reader->builder, hf_text_of(reader, args[0]));
}

static haft_def *make_enum(struct reader *reader, yyjson_val *const *args)
{
    struct parts p;

    return read_names(reader, args[0], &p) ? haft_def_enum(reader->builder, NAMES(p)) : NULL;
}

static haft_def *make_array(struct reader *reader, yyjson_val *const *args)
{
    return haft_def_array(reader->builder, read_def(reader, args[0]));
}

static haft_def *make_tuple(struct reader *reader, yyjson_val *const *args)
{
    haft_def *rest = yyjson_is_null(args[1]) ? NULL : read_def(reader, args[1]);
    struct parts p;

    return read_parts(reader, args[0], &p) ? haft_def_tuple(reader->builder, rest, DEFS(p)) : NULL;
}

static haft_def *make_record(struct reader *reader, yyjson_val *const *args)
{
    haft_def *key = read_def(reader, args[0]);

    return haft_def_record(reader->builder, key, read_def(reader, args[1]));
}

static haft_def *make_partial_record(struct reader *reader, yyjson_val *const *args)
{
    haft_def *key = read_def(reader, args[0]);

    return haft_def_partial_record(reader->builder, key, read_def(reader, args[1]));
}

static haft_def *make_object(struct reader *reader, yyjson_val *const *args)
{
    struct parts p;

    return read_parts(reader, args[0], &p) ? haft_def_object(reader->builder, PAIRS(p)) : NULL;
}

static haft_def *make_union(struct reader *reader, yyjson_val *const *args)
{
    struct parts p;

    return read_parts(reader, args[0], &p) ? haft_def_union(reader->builder, DEFS(p)) : NULL;
}

static haft_def *make_xor(struct reader *reader, yyjson_val *const *args)
{
    struct parts p;

    return read_parts(reader, args[0], &p) ? haft_def_xor(reader->builder, DEFS(p)) : NULL;
}

static haft_def *make_discriminated(struct reader *reader, yyjson_val *const *args)
{
    struct parts p;

    if (!read_parts(reader, args[1], &p))
        return NULL;
    return haft_def_discriminated(reader->builder, yyjson_get_str(args[0]), DEFS(p));
}

static haft_def *make_intersection(struct reader *reader, yyjson_val *const *args)
{
    haft_def *left = read_def(reader, args[0]);

    return haft_def_intersection(left, read_def(reader, args[1]));
}

static haft_def *make_lazy(struct reader *reader, yyjson_val *const *args)
{
    for (size_t i = 0; i < reader->n_names; i++)
        if (yyjson_equals_str(args[0], reader->names[i]))
            return reader->lazies[i];
    return refuse(reader, "no such name");
}

/* Names that descriptions may refer to before they are given. */
static haft_def *make_define(struct reader *reader, yyjson_val *const *args)
{
    size_t i, n;
    yyjson_val *key, *item;

    if (yyjson_obj_size(args[0]) > MAX_NAMES || reader->n_names)
        return refuse(reader, "too many names");
    yyjson_obj_foreach(args[0], i, n, key, item) {
        reader->names[i] = yyjson_get_str(key);
        reader->lazies[i] = haft_def_lazy(reader->builder);
    }
    reader->n_names = n;
    yyjson_obj_foreach(args[0], i, n, key, item)
        haft_def_resolve(reader->lazies[i], read_def(reader, item));
    return read_def(reader, args[1]);
}

static const struct {
    const char *name;
    haft_def *(*simple)(haft_builder *builder);
    haft_def *(*make)(struct reader *reader, yyjson_val *const *args);
    size_t n_args;
} kinds[] = {
    {"string", haft_def_string, NULL, 0},
    {"number", haft_def_number, NULL, 0},
    {"int", haft_def_int, NULL, 0},
    {"int32", haft_def_int32, NULL, 0},
    {"uint32", haft_def_uint32, NULL, 0},
    {"int64", haft_def_int64, NULL, 0},
    {"uint64", haft_def_uint64, NULL, 0},
    {"float32", haft_def_float32, NULL, 0},
    {"float64", haft_def_float64, NULL, 0},
    {"boolean", haft_def_boolean, NULL, 0},
    {"null", haft_def_null, NULL, 0},
    {"any", haft_def_any, NULL, 0},
    {"never", haft_def_never, NULL, 0},
    {"formatted", NULL, make_format, 1},
    {"literal", NULL, make_literal, 1},
    {"literals", NULL, make_literals, 1},
    {"enum", NULL, make_enum, 1},
    {"array", NULL, make_array, 1},
    {"tuple", NULL, make_tuple, 2},
    {"record", NULL, make_record, 2},
    {"partialRecord", NULL, make_partial_record, 2},
    {"object", NULL, make_object, 1},
    {"union", NULL, make_union, 1},
    {"xor", NULL, make_xor, 1},
    {"discriminated", NULL, make_discriminated, 2},
    {"intersection", NULL, make_intersection, 2},
    {"lazy", NULL, make_lazy, 1},
    {"define", NULL, make_define, 2},
};

/* ---- checks of the user's, by name ---- */

static bool is_not_blank(const haft_value *value, void *data)
{
    yyjson_val *text = (yyjson_val *)(uintptr_t)value;

    (void)data;
    return strspn(yyjson_get_str(text), " ") < yyjson_get_len(text);
}

static bool is_even(const haft_value *value, void *data)
{
    yyjson_val *number = (yyjson_val *)(uintptr_t)value;

    (void)data;
    return fmod(yyjson_get_num(number), 2) == 0;
}

static bool is_short(const haft_value *value, void *data)
{
    (void)data;
    return yyjson_get_len((yyjson_val *)(uintptr_t)value) <= 2;
}

static bool is_same(const haft_value *value, void *data)
{
    yyjson_val *object = (yyjson_val *)(uintptr_t)value;
    const char *a = yyjson_get_str(yyjson_obj_get(object, "a"));
    const char *b = yyjson_get_str(yyjson_obj_get(object, "b"));

    (void)data;
    return a && b && !strcmp(a, b);
}

static bool is_not_null(const haft_value *value, void *data)
{
    (void)data;
    return !yyjson_is_null((yyjson_val *)(uintptr_t)value);
}

static const struct {
    const char *name;
    bool (*check)(const haft_value *value, void *data);
} predicates[] = {{"notBlank", is_not_blank},
                  {"even", is_even},
                  {"short", is_short},
                  {"same", is_same},
                  {"notNull", is_not_null}};

static haft_def *refine(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++)
        if (yyjson_equals_str(args[0], predicates[i].name))
            return haft_def_refine(def, predicates[i].check, NULL, yyjson_get_str(args[1]));
    return refuse(reader, "no such predicate");
}

/* Two issues, one of them below the value, unless it is empty. */
static void complain(haft_refinement *refinement, const haft_value *value, void *data)
{
    (void)data;
    if (!yyjson_get_len((yyjson_val *)(uintptr_t)value))
        return;
    haft_refinement_add_issue(refinement, "", "the first of %d", 2);
    haft_refinement_add_issue(refinement, "deep.0.key", "the second");
}

/* ---- modifiers ---- */

typedef haft_def *modify(struct reader *reader, haft_def *def, yyjson_val *const *args);

#define SIZE(function)                                                                             \
    static haft_def *with_##function(struct reader *reader, haft_def *def,                         \
                                     yyjson_val *const *args)                                      \
    {                                                                                              \
        (void)reader;                                                                              \
        return haft_def_##function(def, (size_t)yyjson_get_uint(args[0]));                         \
    }
#define NUMBER(function)                                                                           \
    static haft_def *with_##function(struct reader *reader, haft_def *def,                         \
                                     yyjson_val *const *args)                                      \
    {                                                                                              \
        (void)reader;                                                                              \
        return haft_def_##function(def, yyjson_get_num(args[0]));                                  \
    }
#define TEXT(function)                                                                             \
    static haft_def *with_##function(struct reader *reader, haft_def *def,                         \
                                     yyjson_val *const *args)                                      \
    {                                                                                              \
        (void)reader;                                                                              \
        return haft_def_##function(def, yyjson_get_str(args[0]));                                  \
    }
#define JSON(function)                                                                             \
    static haft_def *with_##function(struct reader *reader, haft_def *def,                         \
                                     yyjson_val *const *args)                                      \
    {                                                                                              \
        return haft_def_##function(def, hf_text_of(reader, args[0]));                              \
    }
#define PLAIN(function)                                                                            \
    static haft_def *with_##function(struct reader *reader, haft_def *def,                         \
                                     yyjson_val *const *args)                                      \
    {                                                                                              \
        (void)reader;                                                                              \
        (void)args;                                                                                \
        return haft_def_##function(def);                                                           \
    }

SIZE(min_length)
SIZE(max_length)
SIZE(length)
SIZE(min_items)
SIZE(max_items)
SIZE(items)
NUMBER(at_least)
NUMBER(at_most)
NUMBER(above)
NUMBER(below)
NUMBER(multiple_of)
TEXT(starts_with)
TEXT(ends_with)
TEXT(describe)
TEXT(title)
TEXT(message)
JSON(default)
JSON(examples)
PLAIN(unique)
PLAIN(strict)
PLAIN(loose)
PLAIN(partial)
PLAIN(required)
PLAIN(keyof)
PLAIN(optional)
PLAIN(nullable)
PLAIN(nullish)
PLAIN(deprecated)
PLAIN(read_only)

static haft_def *with_pattern(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    (void)reader;
    return haft_def_pattern(def, yyjson_get_str(args[0]), yyjson_get_str(args[1]));
}

static haft_def *with_includes(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    (void)reader;
    return haft_def_includes(def, yyjson_get_str(args[0]), (size_t)yyjson_get_uint(args[1]));
}

static haft_def *with_format(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    (void)reader;
    return haft_def_format(def, hf_format_named(yyjson_get_str(args[0])));
}

static haft_def *with_least_int64(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    (void)reader;
    return haft_def_at_least_int64(def, yyjson_get_sint(args[0]));
}

static haft_def *with_most_int64(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    (void)reader;
    return haft_def_at_most_int64(def, yyjson_get_sint(args[0]));
}

static haft_def *with_catchall(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    return haft_def_catchall(def, read_def(reader, args[0]));
}

static haft_def *with_extend(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    struct parts p;

    return read_parts(reader, args[0], &p) ? haft_def_extend(def, PAIRS(p)) : NULL;
}

static haft_def *with_merge(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    return haft_def_merge(def, read_def(reader, args[0]));
}

static haft_def *with_pick(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    struct parts p;

    return read_names(reader, args[0], &p) ? haft_def_pick(def, NAMES(p)) : NULL;
}

static haft_def *with_omit(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    struct parts p;

    return read_names(reader, args[0], &p) ? haft_def_omit(def, NAMES(p)) : NULL;
}

static haft_def *with_meta(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    return haft_def_meta(def, yyjson_get_str(args[0]), hf_text_of(reader, args[1]));
}

static haft_def *with_complaint(struct reader *reader, haft_def *def, yyjson_val *const *args)
{
    (void)reader;
    (void)args;
    return haft_def_super_refine(def, complain, NULL);
}

static const struct {
    const char *name;
    modify *modify;
} modifiers[] = {
    {"minLength", with_min_length},
    {"maxLength", with_max_length},
    {"length", with_length},
    {"pattern", with_pattern},
    {"startsWith", with_starts_with},
    {"endsWith", with_ends_with},
    {"includes", with_includes},
    {"format", with_format},
    {"gte", with_at_least},
    {"lte", with_at_most},
    {"gt", with_above},
    {"lt", with_below},
    {"gteInt64", with_least_int64},
    {"lteInt64", with_most_int64},
    {"multipleOf", with_multiple_of},
    {"minItems", with_min_items},
    {"maxItems", with_max_items},
    {"items", with_items},
    {"unique", with_unique},
    {"strict", with_strict},
    {"loose", with_loose},
    {"catchall", with_catchall},
    {"extend", with_extend},
    {"merge", with_merge},
    {"pick", with_pick},
    {"omit", with_omit},
    {"partial", with_partial},
    {"required", with_required},
    {"keyof", with_keyof},
    {"optional", with_optional},
    {"nullable", with_nullable},
    {"nullish", with_nullish},
    {"default", with_default},
    {"describe", with_describe},
    {"title", with_title},
    {"examples", with_examples},
    {"deprecated", with_deprecated},
    {"readOnly", with_read_only},
    {"meta", with_meta},
    {"message", with_message},
    {"refine", refine},
    {"complain", with_complaint},
};

/* ---- descriptions ---- */

static haft_def *apply(struct reader *reader, haft_def *def, yyjson_val *modifier)
{
    yyjson_val *args[2] = {yyjson_arr_get(modifier, 1), yyjson_arr_get(modifier, 2)};

    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (yyjson_equals_str(yyjson_arr_get_first(modifier), modifiers[i].name))
            return modifiers[i].modify(reader, def, args);
    return refuse(reader, "no such modifier");
}

static haft_def *read_def(struct reader *reader, yyjson_val *def)
{
    yyjson_val *kind = yyjson_arr_get_first(def);
    haft_def *made = NULL;
    size_t k = 0, n_kinds = sizeof kinds / sizeof *kinds;

    while (k < n_kinds && !yyjson_equals_str(kind, kinds[k].name))
        k++;
    if (k == n_kinds || reader->depth == MAX_NESTING)
        return refuse(reader, "no such kind, or too deep");
    reader->depth++;
    if (kinds[k].simple) {
        made = kinds[k].simple(reader->builder);
    } else {
        yyjson_val *args[2] = {yyjson_arr_get(def, 1), yyjson_arr_get(def, 2)};

        made = kinds[k].make(reader, args);
    }
    for (size_t i = 1 + kinds[k].n_args; i < yyjson_arr_size(def); i++)
        made = apply(reader, made, yyjson_arr_get(def, i));
    reader->depth--;
    return made;
}

/* ---- requests ---- */

struct driver {
    haft_schema *schemas[MAX_SCHEMAS];
    haft_arena *arena;
    haft_buffer output;
};

static haft_schema **slot(struct driver *driver, yyjson_val *request)
{
    uint64_t id = yyjson_get_uint(yyjson_obj_get(request, "id"));

    return id < MAX_SCHEMAS ? &driver->schemas[id] : NULL;
}

static void answer_error(struct driver *driver, const char *path, const char *text)
{
    haft_buffer_puts(&driver->output, "{\"ok\":false,\"path\":");
    haft_buffer_json_string(&driver->output, path, strlen(path));
    haft_buffer_puts(&driver->output, ",\"error\":");
    haft_buffer_json_string(&driver->output, text, strlen(text));
    haft_buffer_puts(&driver->output, "}");
}

static void answer_schema(struct driver *driver, yyjson_val *request)
{
    static const haft_schema_options options = HAFT_INIT(haft_schema_options, .max_issues = 100000);
    struct reader reader = {.builder = haft_builder_new(&options), .arena = driver->arena};
    haft_schema **schema = slot(driver, request);
    haft_def *root = read_def(&reader, yyjson_obj_get(request, "def"));
    haft_reason error = {0};
    haft_schema *built = NULL;
    int status = haft_schema_build(reader.builder, root, &built, &error);

    if (reader.problem || !schema || status) {
        if (!status)
            haft_schema_free(built);
        answer_error(driver, error.path, reader.problem ? reader.problem : error.text);
        return;
    }
    haft_schema_free(*schema);
    *schema = built;
    haft_buffer_puts(&driver->output, "{\"ok\":true}");
}

static void answer_emit(struct driver *driver, yyjson_val *request)
{
    haft_schema **schema = slot(driver, request);
    haft_emit_options options =
        HAFT_INIT(haft_emit_options,
                  .dialect = yyjson_equals_str(yyjson_obj_get(request, "dialect"), "draft-07")
                                 ? HAFT_DRAFT_07
                                 : HAFT_2020_12);
    int status;

    if (!schema || !*schema) {
        answer_error(driver, "", "no such schema");
        return;
    }
    haft_buffer_puts(&driver->output, "{\"ok\":true,\"schema\":");
    status = haft_schema_emit(*schema, &options, &driver->output);
    haft_buffer_puts(&driver->output, "}");
    if (status) {
        haft_buffer_clear(&driver->output);
        answer_error(driver, "", haft_strerror(status));
    }
}

static void answer_validate(struct driver *driver, yyjson_val *request)
{
    haft_schema **schema = slot(driver, request);
    haft_issues issues = {0};
    int status;

    if (!schema || !*schema) {
        answer_error(driver, "", "no such schema");
        return;
    }
    status =
        haft_schema_validate(*schema, yyjson_obj_get(request, "value"), driver->arena, &issues);
    if (status && status != HAFT_EISSUES) {
        answer_error(driver, "", haft_strerror(status));
        return;
    }
    haft_buffer_puts(&driver->output,
                     status ? "{\"ok\":false,\"issues\":" : "{\"ok\":true,\"issues\":");
    haft_issues_json(&issues, &driver->output);
    haft_buffer_puts(&driver->output, "}");
}

static void answer(struct driver *driver, yyjson_val *request)
{
    static const struct {
        const char *op;
        void (*answer)(struct driver *driver, yyjson_val *request);
    } ops[] = {{"schema", answer_schema}, {"emit", answer_emit}, {"validate", answer_validate}};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (yyjson_equals_str(yyjson_obj_get(request, "op"), ops[i].op)) {
            ops[i].answer(driver, request);
            return;
        }
    }
    answer_error(driver, "", "no such request");
}

int main(void)
{
    static struct driver driver;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    int status = EXIT_SUCCESS;

    driver.arena = haft_arena_new(NULL, MAX_OUTPUT);
    haft_buffer_init(&driver.output, NULL, MAX_OUTPUT);
    while (driver.arena && (size = getline(&line, &capacity, stdin)) > 0) {
        yyjson_doc *doc = yyjson_read(line, (size_t)size, 0);

        haft_buffer_clear(&driver.output);
        haft_arena_reset(driver.arena);
        answer(&driver, yyjson_doc_get_root(doc));
        yyjson_doc_free(doc);
        haft_buffer_puts(&driver.output, "\n");
        if (driver.output.status) {
            fprintf(stderr, "zod-driver: %s\n", haft_strerror(driver.output.status));
            status = EXIT_FAILURE;
            break;
        }
        fwrite(driver.output.data, 1, driver.output.size, stdout);
        fflush(stdout);
    }
    free(line);
    for (size_t i = 0; i < MAX_SCHEMAS; i++)
        haft_schema_free(driver.schemas[i]);
    haft_buffer_finish(&driver.output);
    haft_arena_free(driver.arena);
    return status;
}
