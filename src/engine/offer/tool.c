/* tool.c - adding tools: definitions are compiled, checked and rendered once, here. */
#include <string.h>

#include "base/struct.h"
#include "engine/offer/event.h"
#include "engine/offer/lint.h"
#include "engine/offer/scope.h"
#include "engine/offer/server.h"
#include "engine/offer/tool_builder.h"
#include "engine/offer/ui.h"
#include "engine/offer/wrap.h"

enum { MAX_RATE = 1000000 };

enum { DEFAULT_WAITING = 64 };

/* ---- rendering ---- */

#define put_hint(w, name, hint)                                                                    \
    ((hint) == HAFT_UNSET ? (void)0 : hf_json_bool(json_key(w, name), (hint) == HAFT_YES))

static void put_annotations(struct json_writer *w, const haft_annotations *annotations)
{
    if (!annotations->title && !annotations->read_only && !annotations->destructive &&
        !annotations->idempotent && !annotations->open_world)
        return;
    hf_json_begin_object(json_key(w, "annotations"));
    json_text_member(w, "title", annotations->title);
    put_hint(w, "readOnlyHint", annotations->read_only);
    put_hint(w, "destructiveHint", annotations->destructive);
    put_hint(w, "idempotentHint", annotations->idempotent);
    put_hint(w, "openWorldHint", annotations->open_world);
    hf_json_end_object(w);
}

static void tool_put_schema(struct json_writer *w, const struct item *item,
                            const haft_schema *schema, enum listed_as as)
{
    haft_buffer *out = hf_json_slot(w);
    int status = hf_put_listed(out, schema, as, hf_arena_allocator(item->arena));

    if (status && !out->status)
        out->status = status;
}

/* An output that is not an object is wrapped for legacy clients, which support only objects. */
static void put_output(struct json_writer *w, const struct item *item, int era)
{
    enum listed_as as = !item->wraps ? AS_OBJECT : era == LEGACY ? AS_RESULT : AS_IT_IS;

    if (item->output)
        tool_put_schema(json_key(w, "outputSchema"), item, item->output, as);
}

/* Writes the members after a tool's name. */
static void tool_put_rest(haft_buffer *buffer, const struct item *item, int era, bool output)
{
    struct json_writer w = json_members(buffer, true);
    const haft_tool *tool = item->tool;

    json_text_member(&w, "title", tool->title);
    json_text_member(&w, "description", tool->description);
    json_key(&w, "inputSchema");
    if (item->input) {
        tool_put_schema(&w, item, item->input, AS_ARGUMENTS);
    } else {
        hf_json_begin_object(&w);
        hf_json_text(json_key(&w, "type"), "object");
        hf_json_empty_object(json_key(&w, "properties"));
        hf_json_end_object(&w);
    }
    put_annotations(&w, &tool->annotations);
    hf_put_icons(&w, tool->icons, tool->n_icons);
    hf_put_json_member(&w, "_meta", tool->meta);
    if (output)
        put_output(&w, item, era);
    hf_json_end_object(&w);
}

void hf_tool_put_bare(haft_buffer *buffer, const struct item *item)
{
    tool_put_rest(buffer, item, MODERN, false);
}

/* The two eras differ only if the output is wrapped. */
static int tool_render(haft_server *server, struct item *item)
{
    for (int era = LEGACY; era <= MODERN; era++) {
        haft_buffer buffer;

        if (era != LEGACY && !item->wraps) {
            item->rest[era] = item->rest[LEGACY];
            continue;
        }
        haft_buffer_init(&buffer, server->allocator, server->options.max_message);
        tool_put_rest(&buffer, item, era, true);
        if (buffer.status) {
            int status = buffer.status;

            haft_buffer_finish(&buffer);
            return hf_server_refuse(server, status, item->name, "cannot be listed: %s",
                                    haft_strerror(status));
        }
        item->rest[era] = hf_text_of(item->arena, &buffer);
        if (!item->rest[era].data)
            return hf_server_refuse(server, HAFT_ENOMEM, item->name, "out of memory");
    }
    return 0;
}

/* ---- creating an item ---- */

static int compile(haft_server *server, struct item *item, const haft_type *type,
                   const haft_schema *given, int which, const haft_schema **ret_schema)
{
    haft_schema_options options = HAFT_INIT(haft_schema_options, .allocator = server->allocator,
                                            .max_depth = server->options.max_depth);
    haft_reason reason;
    int status;

    *ret_schema = given;
    if (!type)
        return 0;
    status = haft_schema_compile(type, &options, &item->owned[which], &reason);
    if (status)
        return hf_server_refuse(server, status, item->name, "%s: %s: %s",
                                which ? "output" : "input", reason.path, reason.text);
    *ret_schema = item->owned[which];
    return 0;
}

/* Arguments that are compared with headers, or sent to another process, are needed as JSON
 * anyway. */
static int set_direct(haft_server *server, struct item *item)
{
    if (!item->tool->input || !item->input->reads || item->isolate || item->input->headers)
        return 0;
    item->direct = haft_arena_alloc(item->arena, sizeof *item->direct);
    if (!item->direct)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "out of memory");
    atomic_init(item->direct, true);
    return 0;
}

/* Whether the root must be an object. */
static bool is_object(const haft_schema *schema)
{
    const struct node *root = schema->root;

    while (root->n_rules == 1 && root->rules[0].op == RULE_REF && root->types == TYPE_ANY)
        root = root->rules[0].nodes[0];
    return root->types == TYPE_OBJECT;
}

/* Applies the settings for running calls. */
static int arrange(haft_server *server, struct item *item, const haft_tool *tool)
{
    item->quick = tool->quick;
    item->calls.timeout_ms = tool->timeout_ms;
    if (tool->isolate && tool->quick)
        return hf_server_refuse(server, HAFT_EINVAL, tool->name,
                                "a tool cannot be both quick and isolated");
    if (tool->isolate)
        item->isolate = atomic_fetch_add(&server->isolation.n, 1) + 1;
    if (!tool->max_running)
        return 0;
    item->cap = haft_arena_zalloc(item->arena, 1, sizeof *item->cap);
    if (!item->cap)
        return hf_server_refuse(server, HAFT_ENOMEM, tool->name, "out of memory");
    item->cap->max_running = tool->max_running;
    item->cap->max_waiting = tool->max_waiting == HAFT_NO_WAITING ? 0
                             : tool->max_waiting                  ? tool->max_waiting
                                                                  : DEFAULT_WAITING;
    return 0;
}

/* First step: checks that it has a name and a handler. */
static int accept(haft_server *server, struct item *item, const haft_tool *tool)
{
    int status = hf_lint_name(server, HAFT_OFFER_TOOL, tool->name);

    if (status)
        return status;
    item->tool = tool;
    item->call = tool->call;
    item->data = tool->data;
    item->calls.lenient = tool->lenient;
    if (!hf_item_set_name(item, tool->name))
        return hf_server_refuse(server, HAFT_ENOMEM, tool->name, "out of memory");
    if (!tool->call && !item->handler)
        return hf_server_refuse(server, HAFT_EINVAL, tool->name, "the handler is missing");
    status = hf_item_set_scopes(server, item, tool->scopes);
    if (status)
        return status;
    if (tool->rate.calls && (!tool->rate.per_ms || tool->rate.calls > MAX_RATE))
        return hf_server_refuse(server, HAFT_EINVAL, tool->name,
                                "a rate must be 1 to %d calls per interval", MAX_RATE);
    if ((unsigned)tool->task > HAFT_TASK_REQUIRED ||
        (unsigned)tool->task_crash > HAFT_TASK_RESUME || tool->task_ttl_ms < 0)
        return hf_server_refuse(server, HAFT_EINVAL, tool->name,
                                "the settings for tasks are invalid");
    return arrange(server, item, tool);
}

/* Second step: compiles the schemas and renders the listing. */
static int compile_all(haft_server *server, struct item *item, const haft_tool *tool)
{
    int status = compile(server, item, tool->input, tool->input_schema, 0, &item->input);
    if (!status)
        status = compile(server, item, tool->output, tool->output_schema, 1, &item->output);
    if (!status)
        status = hf_check_json_object(server, tool->name, "_meta", tool->meta, item->arena);
    if (!status)
        status = hf_check_icons(server, tool->name, tool->icons, tool->n_icons);
    if (!status && tool->ui)
        status = hf_ui_fill_tool(server, item);
    if (!status)
        status = hf_lint_tool(server, item);
    if (!status)
        status = set_direct(server, item);
    if (status)
        return status;
    item->wraps = item->output && !is_object(item->output);
    return tool_render(server, item);
}

static int tool_fill(haft_server *server, struct item *item, const haft_tool *tool)
{
    int status = accept(server, item, tool);

    hf_event_of_tool(server, HAFT_EVENT_ACCEPTED, tool->name, status);
    if (status)
        return status;
    status = compile_all(server, item, tool);
    if (!status && item->isolate)
        hf_item_list_isolated(server, item);
    hf_event_of_tool(server, HAFT_EVENT_COMPILED, tool->name, status);
    return status;
}

/* Stores the item. The process that isolated handlers are forked from must know it before it can be
 * called. */
static int store(haft_server *server, struct item *item, const char *instead)
{
    struct isolation *isolation = item->isolate ? atomic_load(&server->isolation.runner) : NULL;

    if (isolation)
        isolation->renew(isolation);
    return hf_offer_list_put(server, HAFT_OFFER_TOOL, item, instead);
}

int hf_tool_item(haft_server *server, const haft_tool *tool, struct module *module,
                 struct item **ret_item)
{
    struct item *item = hf_item_new(server, module);
    const void *view = NULL;
    int status;

    if (!item)
        return hf_server_refuse(server, HAFT_ENOMEM, "", "out of memory");
    status = hf_server_view(server, "haft_tool", tool, sizeof *tool, item->arena, &view);
    if (!status)
        status = tool_fill(server, item, view);
    if (status)
        hf_item_drop(item);
    else
        *ret_item = item;
    return status;
}

static int tool_put(haft_server *server, const haft_tool *tool, const char *instead)
{
    struct item *item = NULL;
    int status;

    if (!server) /* creation failed: haft_main reports it */
        return HAFT_EINVAL;
    if (!tool)
        return hf_server_refuse(server, HAFT_EINVAL, "", "the tool is missing");
    status = hf_tool_item(server, tool, NULL, &item);
    if (item && item->tool->ui && (status = hf_ui_find_resource(server, item)) != 0) {
        hf_item_drop(item);
        return status;
    }
    return item ? store(server, item, instead) : status;
}

int haft_add(haft_server *server, const haft_tool *tool)
{
    return tool_put(server, tool, NULL);
}

int haft_tool_replace(haft_server *server, const char *name, const haft_tool *tool)
{
    return tool_put(server, tool, name);
}

/* ---- tools built at run time ---- */

enum { BUILDER_LIMIT = 16 << 20 };

haft_tool_builder *hf_builder_new(const haft_allocator *allocator)
{
    haft_arena *arena = haft_arena_new(allocator, BUILDER_LIMIT);
    haft_tool_builder *builder = arena ? haft_arena_zalloc(arena, 1, sizeof *builder) : NULL;
    haft_tool *tool = builder ? haft_arena_zalloc(arena, 1, sizeof *tool) : NULL;

    if (!tool) {
        haft_arena_free(arena);
        return NULL;
    }
    builder->arena = arena;
    builder->tool = tool;
    tool->struct_size = sizeof *tool;
    return builder;
}

haft_tool_builder *haft_tool_new(const char *name)
{
    haft_tool_builder *builder = hf_builder_new(NULL);

    if (!builder)
        return NULL;
    name = name ? name : "";
    builder->tool->name = haft_arena_copy(builder->arena, name, strlen(name));
    if (!builder->tool->name)
        builder->status = HAFT_ENOMEM;
    return builder;
}

static const char *tool_keep(haft_tool_builder *builder, const char *text)
{
    const char *copy = text ? haft_arena_copy(builder->arena, text, strlen(text)) : NULL;

    if (text && !copy)
        builder->status = HAFT_ENOMEM;
    return copy;
}

void haft_tool_describe(haft_tool_builder *builder, const char *text)
{
    if (builder)
        builder->tool->description = tool_keep(builder, text);
}

void haft_tool_title(haft_tool_builder *builder, const char *text)
{
    if (builder)
        builder->tool->title = tool_keep(builder, text);
}

void haft_tool_annotate(haft_tool_builder *builder, haft_annotations annotations)
{
    if (!builder)
        return;
    builder->tool->annotations = annotations;
    builder->tool->annotations.title = tool_keep(builder, annotations.title);
}

void haft_tool_meta(haft_tool_builder *builder, const char *json)
{
    if (builder)
        builder->tool->meta = tool_keep(builder, json);
}

void haft_tool_icons(haft_tool_builder *builder, const haft_icon *icons, size_t n)
{
    haft_icon *copies = builder ? haft_arena_zalloc(builder->arena, n + 1, sizeof *copies) : NULL;

    if (!builder)
        return;
    if (!copies) {
        builder->status = HAFT_ENOMEM;
        return;
    }
    for (size_t i = 0; i < n; i++)
        copies[i] =
            (haft_icon){tool_keep(builder, icons[i].src), tool_keep(builder, icons[i].mime_type),
                        tool_keep(builder, icons[i].sizes), tool_keep(builder, icons[i].theme)};
    builder->tool->icons = copies;
    builder->tool->n_icons = n;
}

void haft_tool_input(haft_tool_builder *builder, haft_schema *schema)
{
    if (!builder) {
        haft_schema_free(schema);
        return;
    }
    haft_schema_free(builder->input);
    builder->input = schema;
}

void haft_tool_output(haft_tool_builder *builder, haft_schema *schema)
{
    if (!builder) {
        haft_schema_free(schema);
        return;
    }
    haft_schema_free(builder->output);
    builder->output = schema;
}

void haft_tool_handler(haft_tool_builder *builder, haft_json_handler *handler, void *data)
{
    if (!builder)
        return;
    builder->handler = handler;
    builder->tool->data = data;
}

void haft_tool_timeout(haft_tool_builder *builder, unsigned milliseconds)
{
    if (builder)
        builder->tool->timeout_ms = milliseconds;
}

void haft_tool_rate(haft_tool_builder *builder, haft_rate rate)
{
    if (builder)
        builder->tool->rate = rate;
}

void haft_tool_quick(haft_tool_builder *builder)
{
    if (builder)
        builder->tool->quick = true;
}

void haft_tool_lenient(haft_tool_builder *builder, haft_hint lenient)
{
    if (builder)
        builder->tool->lenient = lenient;
}

void haft_tool_cap(haft_tool_builder *builder, unsigned max_running, unsigned max_waiting)
{
    if (!builder)
        return;
    builder->tool->max_running = max_running;
    builder->tool->max_waiting = max_waiting;
}

void haft_tool_scopes(haft_tool_builder *builder, const char *scopes)
{
    if (builder)
        builder->tool->scopes = tool_keep(builder, scopes);
}

void haft_tool_ui(haft_tool_builder *builder, const haft_ui *ui)
{
    haft_ui *copy = builder ? haft_arena_zalloc(builder->arena, 1, sizeof *copy) : NULL;

    if (!builder)
        return;
    builder->tool->ui = ui ? copy : NULL;
    if (!copy)
        builder->status = HAFT_ENOMEM;
    else if (ui && hf_struct_read(copy, sizeof *copy, ui)) {
        copy->resource = tool_keep(builder, copy->resource);
        copy->visibility = tool_keep(builder, copy->visibility);
    } /* otherwise its size is 0, and haft_tool_build refuses it */
}

void haft_tool_task(haft_tool_builder *builder, haft_task_mode mode, haft_task_crash crash)
{
    if (!builder)
        return;
    builder->tool->task = mode;
    builder->tool->task_crash = crash;
}

void haft_tool_task_times(haft_tool_builder *builder, unsigned timeout_ms, int64_t ttl_ms)
{
    if (!builder)
        return;
    builder->tool->task_timeout_ms = timeout_ms;
    builder->tool->task_ttl_ms = ttl_ms;
}

void haft_tool_isolate(haft_tool_builder *builder, size_t memory)
{
    if (!builder)
        return;
    builder->tool->isolate = true;
    builder->tool->isolate_memory = memory;
}

static int build(haft_tool_builder *builder, haft_server *server, const char *instead)
{
    struct item *item;
    int status;

    if (!builder)
        return hf_server_refuse(server, HAFT_ENOMEM, "", "out of memory");
    status = builder->status;
    item = status ? NULL : haft_arena_zalloc(builder->arena, 1, sizeof *item);
    if (!item) {
        haft_schema_free(builder->input);
        haft_schema_free(builder->output);
        haft_arena_free(builder->arena);
        return status && status != HAFT_ENOMEM
                   ? status
                   : hf_server_refuse(server, HAFT_ENOMEM, "", "out of memory");
    }
    item->arena = builder->arena;
    atomic_init(&item->refs, 1);
    item->handler = builder->handler;
    item->owned[0] = builder->input;
    item->owned[1] = builder->output;
    builder->tool->input_schema = builder->input;
    builder->tool->output_schema = builder->output;
    status = tool_fill(server, item, builder->tool);
    if (!status && item->tool->ui)
        status = hf_ui_find_resource(server, item);
    if (status) {
        hf_item_drop(item);
        return status;
    }
    return store(server, item, instead);
}

int haft_tool_build(haft_tool_builder *builder, haft_server *server)
{
    return build(builder, server, NULL);
}

int haft_tool_update(haft_tool_builder *builder, haft_server *server, const char *name)
{
    return build(builder, server, name);
}
