/* entry.c - the forms of a server: their default values, and whether a content matches.
 *
 * The schema of a form is the server's: it is compiled with limits, and a form whose schema cannot
 * be compiled cannot be accepted. */
#include "client/client.h"

#include <string.h>

enum { ENTRY_SUBSCHEMAS = 1000, ENTRY_MEMORY = 4 << 20, ENTRY_STEPS = 100000, ENTRY_DEPTH = 16 };

int hf_entry_check(yyjson_val *schema, yyjson_val *content, haft_arena *arena,
                   const haft_allocator *allocator, haft_reason *reterr_reason)
{
    haft_schema *compiled = NULL;
    haft_issues issues = {.count = 0};
    int status;

    if (!yyjson_is_obj(content))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "it is not a JSON object");
    status = haft_schema_parse_json(schema,
                                    HAFT_WITH(haft_schema_options, .allocator = allocator,
                                              .max_subschemas = ENTRY_SUBSCHEMAS,
                                              .max_memory = ENTRY_MEMORY, .max_steps = ENTRY_STEPS,
                                              .max_issues = 1, .defaults = HAFT_DEFAULTS_ANNOTATE),
                                    &compiled, reterr_reason);
    if (status)
        return status == HAFT_ENOMEM ? status : HAFT_EINVAL;
    status = haft_schema_validate(compiled, content, arena, &issues);
    if (status == HAFT_EISSUES && issues.count) {
        haft_buffer path;

        haft_buffer_init(&path, allocator, sizeof reterr_reason->path);
        haft_issue_path(issues.list, &path);
        hf_error_set(reterr_reason, HAFT_EINVAL, "", "%.*s%s%s", (int)path.size,
                     path.size ? path.data : "", path.size ? ": " : "", issues.list->message);
        haft_buffer_finish(&path);
    } else if (status) {
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
    }
    haft_schema_free(compiled);
    return status && status != HAFT_ENOMEM ? HAFT_EINVAL : status;
}

/* ---- default values ---- */

/* A text of a format, or of at least the minimum length. */
static void entry_put_text(struct json_writer *w, yyjson_val *schema)
{
    static const struct {
        const char *format, *text;
    } rows[] = {{"email", "user@example.com"},
                {"uri", "https://example.com/"},
                {"date", "1970-01-01"},
                {"date-time", "1970-01-01T00:00:00Z"}};
    yyjson_val *format = yyjson_obj_get(schema, "format");
    uint64_t size = yyjson_get_uint(yyjson_obj_get(schema, "minLength"));
    haft_buffer *out;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (yyjson_equals_str(format, rows[i].format)) {
            hf_json_text(w, rows[i].text);
            return;
        }
    out = hf_json_begin_string(w);
    while (size-- && !out->status)
        haft_buffer_add(out, "x", 1);
    hf_json_end_string(w);
}

/* The smallest number that the schema permits, or 0 if that is permitted. */
static void entry_put_number(struct json_writer *w, yyjson_val *schema)
{
    yyjson_val *minimum = yyjson_obj_get(schema, "minimum");
    yyjson_val *maximum = yyjson_obj_get(schema, "maximum");

    if (yyjson_is_num(minimum) && yyjson_get_num(minimum) > 0)
        hf_json_value(w, minimum);
    else if (yyjson_is_num(maximum) && yyjson_get_num(maximum) < 0)
        hf_json_value(w, maximum);
    else
        hf_json_integer(w, 0);
}

/* The first of the values that a schema lists; NULL if it does not. */
static yyjson_val *entry_first_choice(yyjson_val *schema)
{
    static const char *const unions[] = {"oneOf", "anyOf"};
    yyjson_val *choice = yyjson_arr_get_first(yyjson_obj_get(schema, "enum"));

    for (size_t i = 0; !choice && i < 2; i++)
        choice = yyjson_obj_get(yyjson_arr_get_first(yyjson_obj_get(schema, unions[i])), "const");
    return choice ? choice : yyjson_obj_get(schema, "const");
}

static void entry_put_array(struct json_writer *w, yyjson_val *schema)
{
    yyjson_val *items = yyjson_obj_get(schema, "items");
    uint64_t n = yyjson_get_uint(yyjson_obj_get(schema, "minItems"));
    yyjson_val *values = yyjson_obj_get(items, "enum");
    yyjson_val *options = yyjson_obj_get(items, "anyOf");
    size_t i, count;
    yyjson_val *one;

    if (!yyjson_is_arr(options))
        options = yyjson_obj_get(items, "oneOf");
    hf_json_begin_array(w);
    yyjson_arr_foreach(values, i, count, one)
        if (i < n)
            hf_json_value(w, one);
    if (!yyjson_is_arr(values))
        yyjson_arr_foreach(options, i, count, one)
            if (i < n && yyjson_obj_get(one, "const"))
                hf_json_value(w, yyjson_obj_get(one, "const"));
    hf_json_end_array(w);
}

/* The first value that a schema permits. */
static void entry_put_first(struct json_writer *w, yyjson_val *schema)
{
    yyjson_val *type = yyjson_obj_get(schema, "type"), *choice = entry_first_choice(schema);

    if (choice)
        hf_json_value(w, choice);
    else if (yyjson_equals_str(type, "boolean"))
        hf_json_bool(w, false);
    else if (yyjson_equals_str(type, "integer") || yyjson_equals_str(type, "number"))
        entry_put_number(w, schema);
    else if (yyjson_equals_str(type, "array"))
        entry_put_array(w, schema);
    else
        entry_put_text(w, schema);
}

static bool entry_requires(yyjson_val *schema, yyjson_val *key)
{
    size_t i, n;
    yyjson_val *one;

    yyjson_arr_foreach(yyjson_obj_get(schema, "required"), i, n, one)
        if (yyjson_equals_strn(one, yyjson_get_str(key), yyjson_get_len(key)))
            return true;
    return false;
}

int hf_entry_defaults(yyjson_val *schema, haft_buffer *out)
{
    struct json_writer w = {.out = out};
    yyjson_obj_iter properties = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    yyjson_val *key;

    if (yyjson_obj_size(yyjson_obj_get(schema, "properties")) > ENTRY_SUBSCHEMAS ||
        yyjson_arr_size(yyjson_obj_get(schema, "required")) > ENTRY_SUBSCHEMAS)
        return HAFT_ETOOBIG; /* it could not be compiled either */
    hf_json_begin_object(&w);
    while ((key = yyjson_obj_iter_next(&properties))) {
        yyjson_val *property = yyjson_obj_iter_get_val(key);
        yyjson_val *value = yyjson_obj_get(property, "default");

        if (!value && !entry_requires(schema, key))
            continue;
        hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key));
        if (value)
            hf_json_value(&w, value);
        else
            entry_put_first(&w, property);
    }
    hf_json_end_object(&w);
    return out->status;
}
