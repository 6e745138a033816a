/* definition.c - reads a tool's definition from JSON in the form of tools/list.
 *
 * Each object has a table of its members. Unknown members and invalid values are rejected with
 * their path, so that a misspelt name is not silently ignored. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/offer/server.h"
#include "engine/offer/tool_builder.h"

enum { DOCUMENT_LIMIT = 16 << 20, PATH = 128, NEAR = 2 };

struct definition_reading {
    haft_server *server;
    haft_tool_builder *builder;
    haft_arena *arena; /* arena of the document */
    const char *name;  /* name of the tool; "" while unknown */
    char path[PATH];   /* path of the current member */
};

/* Reads a member into `into`, whose type the table determines. */
typedef int member_function(struct definition_reading *reading, yyjson_val *value, void *into);

struct definition_row {
    const char *name;
    member_function *read;
    size_t offset; /* offset of the destination */
    bool required;
};

static int definition_refuse(struct definition_reading *reading, const char *text)
{
    return hf_server_refuse(reading->server, HAFT_EINVAL, reading->path, "%s%s%s%s",
                            *reading->name ? "tool " : "", reading->name,
                            *reading->name ? ": " : "", text);
}

/* ---- objects ---- */

static const struct definition_row *row_named(const struct definition_row *members, size_t n,
                                              yyjson_val *key)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(members[i].name) == yyjson_get_len(key) &&
            !memcmp(members[i].name, yyjson_get_str(key), yyjson_get_len(key)))
            return &members[i];
    return NULL;
}

static int refuse_unknown(struct definition_reading *reading, const struct definition_row *members,
                          size_t n, const char *key)
{
    struct nearest search = {.given = key, .edits = NEAR + 1};
    char text[PATH] = "unknown member";

    for (size_t i = 0; i < n; i++)
        hf_nearest_offer(&search, members[i].name);
    if (search.name)
        snprintf(text, sizeof text, "unknown member; did you mean \"%s\"?", search.name);
    return definition_refuse(reading, text);
}

/* Appends a step to the path; returns its previous length. */
static size_t definition_enter(struct definition_reading *reading, const char *step)
{
    size_t size = strlen(reading->path);

    snprintf(reading->path + size, sizeof reading->path - size, "%s%s", size ? "." : "", step);
    reading->path[haft_utf8_valid(reading->path, strlen(reading->path))] = '\0';
    return size;
}

static int read_members(struct definition_reading *reading, yyjson_val *object,
                        const struct definition_row *members, size_t n, void *into)
{
    size_t i, count, before;
    yyjson_val *key, *value;
    int status = 0;

    if (!yyjson_is_obj(object))
        return definition_refuse(reading, "must be an object");
    yyjson_obj_foreach(object, i, count, key, value) {
        const struct definition_row *member = row_named(members, n, key);

        before = definition_enter(reading, yyjson_get_str(key));
        status = member ? member->read(reading, value, (char *)into + member->offset)
                        : refuse_unknown(reading, members, n, yyjson_get_str(key));
        if (status)
            return status;
        reading->path[before] = '\0';
    }
    for (i = 0; i < n; i++) {
        if (!members[i].required || yyjson_obj_get(object, members[i].name))
            continue;
        definition_enter(reading, members[i].name);
        return definition_refuse(reading, "is missing");
    }
    return 0;
}

#define READ_MEMBERS(reading, object, members, into)                                               \
    read_members(reading, object, members, sizeof(members) / sizeof *(members), into)

/* ---- values ---- */

static int read_text(struct definition_reading *reading, yyjson_val *value, void *into)
{
    const char **text = into;

    if (!yyjson_is_str(value))
        return definition_refuse(reading, "must be a string");
    if (strlen(yyjson_get_str(value)) != yyjson_get_len(value))
        return definition_refuse(reading, "must not contain U+0000");
    *text = haft_arena_copy(reading->builder->arena, yyjson_get_str(value), yyjson_get_len(value));
    return *text ? 0 : HAFT_ENOMEM;
}

static int read_hint(struct definition_reading *reading, yyjson_val *value, void *into)
{
    if (!yyjson_is_bool(value))
        return definition_refuse(reading, "must be true or false");
    *(haft_hint *)into = yyjson_get_bool(value) ? HAFT_YES : HAFT_NO;
    return 0;
}

static int definition_read_count(struct definition_reading *reading, yyjson_val *value, void *into)
{
    if (!yyjson_is_uint(value) || !yyjson_get_uint(value) || yyjson_get_uint(value) > UINT_MAX)
        return definition_refuse(reading, "must be a positive integer");
    *(unsigned *)into = (unsigned)yyjson_get_uint(value);
    return 0;
}

/* Reads an object that is kept as text. */
static int read_json(struct definition_reading *reading, yyjson_val *value, void *into)
{
    haft_buffer text;

    if (!yyjson_is_obj(value))
        return definition_refuse(reading, "must be an object");
    haft_buffer_init(&text, reading->server->allocator, DOCUMENT_LIMIT);
    haft_json_write(value, &text);
    *(const char **)into = hf_text_of(reading->builder->arena, &text).data;
    return *(const char **)into ? 0 : HAFT_ENOMEM;
}

/* ---- schemas ---- */

static int read_schema(struct definition_reading *reading, yyjson_val *value,
                       haft_schema **ret_schema)
{
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = reading->server->allocator,
                  .max_depth = reading->server->options.max_depth);
    haft_reason reason;
    int status = haft_schema_parse_json(value, &options, ret_schema, &reason);

    if (!status)
        return 0;
    return hf_server_refuse(reading->server, status, reading->path, "tool %s: %s%s%s",
                            reading->name, reason.path, *reason.path ? ": " : "", reason.text);
}

static int read_input(struct definition_reading *reading, yyjson_val *value, void *into)
{
    (void)into;
    if (!yyjson_equals_str(yyjson_obj_get(value, "type"), "object")) {
        definition_enter(reading, "type");
        return definition_refuse(reading, "must be \"object\"");
    }
    return read_schema(reading, value, &reading->builder->input);
}

static int read_output(struct definition_reading *reading, yyjson_val *value, void *into)
{
    (void)into;
    return read_schema(reading, value, &reading->builder->output);
}

/* ---- annotations ---- */

static int read_rate(struct definition_reading *reading, yyjson_val *value, void *into)
{
    static const struct definition_row members[] = {
        {"windowMs", definition_read_count, offsetof(haft_rate, per_ms), true},
        {"max", definition_read_count, offsetof(haft_rate, calls), true},
    };

    (void)into;
    return READ_MEMBERS(reading, value, members, &reading->builder->tool->rate);
}

static int read_custom(struct definition_reading *reading, yyjson_val *value, void *into)
{
    static const struct definition_row members[] = {{"rateLimit", read_rate, 0, false}};

    return READ_MEMBERS(reading, value, members, into);
}

static int read_annotations(struct definition_reading *reading, yyjson_val *value, void *into)
{
    static const struct definition_row members[] = {
        {"title", read_text, offsetof(haft_annotations, title), false},
        {"readOnlyHint", read_hint, offsetof(haft_annotations, read_only), false},
        {"destructiveHint", read_hint, offsetof(haft_annotations, destructive), false},
        {"idempotentHint", read_hint, offsetof(haft_annotations, idempotent), false},
        {"openWorldHint", read_hint, offsetof(haft_annotations, open_world), false},
        {"custom", read_custom, 0, false},
    };

    return READ_MEMBERS(reading, value, members, into);
}

/* ---- tasks ---- */

static int read_task_support(struct definition_reading *reading, yyjson_val *value, void *into)
{
    static const char *const modes[] = {"forbidden", "optional", "required"};

    (void)into;
    for (int i = HAFT_TASK_NONE; i <= HAFT_TASK_REQUIRED; i++) {
        if (!yyjson_equals_str(value, modes[i]))
            continue;
        reading->builder->tool->task = (haft_task_mode)i;
        return 0;
    }
    return definition_refuse(reading, "must be \"forbidden\", \"optional\" or \"required\"");
}

static int read_execution(struct definition_reading *reading, yyjson_val *value, void *into)
{
    static const struct definition_row members[] = {{"taskSupport", read_task_support, 0, false}};

    return READ_MEMBERS(reading, value, members, into);
}

/* ---- icons ---- */

/* ["48x48", "any"] becomes "48x48 any". */
static int read_sizes(struct definition_reading *reading, yyjson_val *value, void *into)
{
    haft_buffer text;
    yyjson_val *size;
    size_t i, n;
    bool right = yyjson_is_arr(value);

    haft_buffer_init(&text, reading->server->allocator, DOCUMENT_LIMIT);
    yyjson_arr_foreach(value, i, n, size) {
        right &= yyjson_is_str(size) && yyjson_get_len(size) &&
                 !memchr(yyjson_get_str(size), ' ', yyjson_get_len(size)) &&
                 !memchr(yyjson_get_str(size), '\0', yyjson_get_len(size));
        haft_buffer_puts(&text, i ? " " : "");
        if (right)
            haft_buffer_add(&text, yyjson_get_str(size), yyjson_get_len(size));
    }
    *(const char **)into = hf_text_of(reading->builder->arena, &text).data;
    if (!right)
        return definition_refuse(reading, "must be an array of strings such as \"48x48\"");
    return *(const char **)into ? 0 : HAFT_ENOMEM;
}

static int read_icons(struct definition_reading *reading, yyjson_val *value, void *into)
{
    static const struct definition_row members[] = {
        {"src", read_text, offsetof(haft_icon, src), true},
        {"mimeType", read_text, offsetof(haft_icon, mime_type), false},
        {"sizes", read_sizes, offsetof(haft_icon, sizes), false},
        {"theme", read_text, offsetof(haft_icon, theme), false},
    };
    haft_tool *tool = reading->builder->tool;
    haft_icon *icons;
    yyjson_val *icon;
    size_t i, n;

    (void)into;
    if (!yyjson_is_arr(value))
        return definition_refuse(reading, "must be an array");
    icons = haft_arena_zalloc(reading->builder->arena, yyjson_arr_size(value) + 1, sizeof *icons);
    if (!icons)
        return HAFT_ENOMEM;
    yyjson_arr_foreach(value, i, n, icon) {
        char index[24];
        size_t before;
        int status;

        snprintf(index, sizeof index, "%zu", i);
        before = definition_enter(reading, index);
        status = READ_MEMBERS(reading, icon, members, &icons[i]);
        if (status)
            return status;
        reading->path[before] = '\0';
    }
    tool->icons = icons;
    tool->n_icons = yyjson_arr_size(value);
    return 0;
}

/* ---- the definition ---- */

static int read_definition(struct definition_reading *reading, const char *json, size_t size)
{
    static const struct definition_row members[] = {
        {"name", read_text, offsetof(haft_tool, name), true},
        {"title", read_text, offsetof(haft_tool, title), false},
        {"description", read_text, offsetof(haft_tool, description), false},
        {"inputSchema", read_input, 0, false},
        {"outputSchema", read_output, 0, false},
        {"annotations", read_annotations, offsetof(haft_tool, annotations), false},
        {"icons", read_icons, 0, false},
        {"execution", read_execution, 0, false},
        {"_meta", read_json, offsetof(haft_tool, meta), false},
    };
    haft_reason reason;
    yyjson_val *root = haft_json_read(json, size, 0, reading->arena, &reason);
    const char *name;

    if (!root)
        return hf_server_refuse(reading->server, reason.code, reason.path, "%s", reason.text);
    name = yyjson_get_str(yyjson_obj_get(root, "name"));
    reading->name = name ? name : "";
    return READ_MEMBERS(reading, root, members, reading->builder->tool);
}

haft_tool_builder *haft_tool_parse(haft_server *server, const char *json, size_t size)
{
    struct definition_reading reading = {.server = server, .name = ""};

    reading.builder = hf_builder_new(server->allocator);
    if (!reading.builder)
        return NULL;
    reading.arena = haft_arena_new(server->allocator, DOCUMENT_LIMIT);
    reading.builder->status = reading.arena ? read_definition(&reading, json, size) : HAFT_ENOMEM;
    haft_arena_free(reading.arena);
    return reading.builder;
}
