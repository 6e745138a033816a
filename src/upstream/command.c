/* command.c - programs as tools: everything that can be wrong in an entry is found here, before
 * anything runs. */
#include "upstream/command.h"

#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "connect/environment.h"
#include "import/import.h"
#include "json/writer.h"

/* ---- what a tool gets ---- */

static int command_refuse_memory(haft_reason *reterr_reason)
{
    return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
}

/* Puts a name in front of the path of a reason. */
static int command_refuse_at(const char *place, int status, const haft_reason *reason,
                             haft_reason *reterr_reason)
{
    haft_reason copy = *reason;
    char path[sizeof copy.path * 2];

    snprintf(path, sizeof path, "%s%s%s", place, *copy.path && *place ? "." : "", copy.path);
    return hf_error_set(reterr_reason, status, path, "%s",
                        copy.code ? copy.text : haft_strerror(status));
}

static bool command_sets(const command_tool_entry *entry, const char *variable)
{
    size_t size = strcspn(variable, "=");

    for (size_t i = 0; entry->has_env && i < entry->n_env; i++)
        if (strlen(entry->env_keys[i]) == size && !memcmp(entry->env_keys[i], variable, size))
            return true;
    return false;
}

/* haft's own environment without secrets, and what the entry adds. */
static int command_make_environment(struct upstream *upstream, struct command_tool *tool,
                                    haft_reason *reterr_reason)
{
    const command_tool_entry *entry = tool->entry;
    char **public = hf_environment_public(upstream->arena, upstream->set->named);
    size_t n = 0, kept = 0;
    const char **list;

    while (public && public[n])
        n++;
    list = public ? haft_arena_zalloc(upstream->arena, n + entry->n_env + 1, sizeof *list) : NULL;
    if (!list)
        return command_refuse_memory(reterr_reason);
    for (size_t i = 0; i < n; i++)
        if (!command_sets(entry, public[i]) &&
            !(list[kept++] = haft_arena_copy(upstream->arena, public[i], strlen(public[i]))))
            return command_refuse_memory(reterr_reason);
    for (size_t i = 0; entry->has_env && i < entry->n_env; i++) {
        const char *name = entry->env_keys[i], *value;
        int status = hf_upstream_secret(upstream, entry->env[i], &value, reterr_reason);

        if (status)
            return status;
        if (!*name || strchr(name, '='))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                                "\"%.60s\" is not the name of a variable", name);
        list[kept] = haft_arena_printf(upstream->arena, "%s=%s", name, value);
        if (!list[kept++])
            return command_refuse_memory(reterr_reason);
    }
    tool->environment = list;
    return 0;
}

static uint64_t command_limit(bool has, int64_t value, uint64_t unit)
{
    return has ? (uint64_t)value * unit : 0;
}

static void command_make_limits(struct command_tool *tool)
{
    const command_limits_entry *limits = &tool->entry->limits;
    const uint64_t mib = 1 << 20;

    if (tool->entry->has_limits)
        tool->limits = (struct supervised_limits){
            .memory = command_limit(limits->has_memory_mb, limits->memory_mb, mib),
            .cpu_seconds = command_limit(limits->has_cpu_seconds, limits->cpu_seconds, 1),
            .open_files = command_limit(limits->has_open_files, limits->open_files, 1),
            .processes = command_limit(limits->has_processes, limits->processes, 1),
            .file_size = command_limit(limits->has_file_mb, limits->file_mb, mib)};
    /* What it may write to its output file is not more than will be read. */
    if (tool->entry->output == command_output_file && !tool->limits.file_size)
        tool->limits.file_size = (uint64_t)tool->entry->max_output;
}

/* Paths of a list, NULL-terminated, with room for one more. */
static const char **command_paths(const struct upstream *upstream, const char **paths, size_t n)
{
    const char **list = haft_arena_zalloc(upstream->arena, n + 2, sizeof *list);

    for (size_t i = 0; list && i < n; i++)
        if (!(list[i] = hf_upstream_path(upstream, paths[i])))
            return NULL;
    return list;
}

/* Opens it once, so that a path that does not exist is found now. */
static int command_make_sandbox(const struct upstream *upstream, struct command_tool *tool,
                                haft_reason *reterr_reason)
{
    const command_sandbox_entry *entry = &tool->entry->sandbox;
    struct sandbox sandbox;
    int status;

    if (!tool->entry->has_sandbox)
        return 0;
    tool->sandbox = (struct sandbox_wish){
        .read = command_paths(upstream, entry->read, entry->has_read ? entry->n_read : 0),
        .write = command_paths(upstream, entry->write, entry->has_write ? entry->n_write : 0),
        .programs = true,
        .connect = entry->network,
        .connect_unix = entry->network,
        .best_effort = entry->best_effort};
    if (!tool->sandbox.read || !tool->sandbox.write)
        return command_refuse_memory(reterr_reason);
    status = hf_sandbox_open(&sandbox, &tool->sandbox, reterr_reason);
    if (!status)
        hf_sandbox_close(&sandbox);
    return status;
}

/* ---- schemas ---- */

/* The schema of a tool without one: a required string for each placeholder. */
static int command_write_input(const struct command_names *names, haft_buffer *text)
{
    struct json_writer w = {.out = text};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), "object");
    hf_json_begin_object(json_key(&w, "properties"));
    for (size_t i = 0; i < names->n_found; i++) {
        hf_json_begin_object(hf_json_name(&w, names->found[i], strlen(names->found[i])));
        hf_json_text(json_key(&w, "type"), "string");
        hf_json_text(json_key(&w, "description"), "Argument of the program");
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    hf_json_begin_array(json_key(&w, "required"));
    for (size_t i = 0; i < names->n_found; i++)
        hf_json_text(&w, names->found[i]);
    hf_json_end_array(&w);
    hf_json_bool(json_key(&w, "additionalProperties"), false);
    hf_json_end_object(&w);
    return text->status;
}

static int command_compile(const struct upstream *upstream, haft_value *document,
                           haft_schema **ret_schema, haft_reason *reterr_reason)
{
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = upstream->set->allocator);

    return haft_schema_parse_json(document, &options, ret_schema, reterr_reason);
}

static int command_compile_input(const struct upstream *upstream, struct command_tool *tool,
                                 const struct command_names *names, haft_reason *reterr_reason)
{
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = upstream->set->allocator);
    haft_buffer text;
    int status;

    if (tool->entry->has_input)
        return command_compile(upstream, tool->entry->input, &tool->input, reterr_reason);
    haft_buffer_init(&text, upstream->set->allocator, COMMAND_BYTES);
    status = command_write_input(names, &text);
    if (!status)
        status = haft_schema_parse(text.data, text.size, &options, &tool->input, reterr_reason);
    haft_buffer_finish(&text);
    return status;
}

/* ---- a tool ---- */

static haft_hint command_hint(bool has, bool value)
{
    return !has ? HAFT_UNSET : value ? HAFT_YES : HAFT_NO;
}

static int command_define(struct upstream *upstream, struct command_tool *tool, const char *name,
                          haft_reason *reterr_reason)
{
    const command_tool_entry *entry = tool->entry;
    const command_hints_entry *hints = &entry->annotations;
    /* A tool with the name of its upstream needs no prefix to tell where it is from. */
    const char *prefix =
        upstream->prefix && strcmp(upstream->prefix, name) ? upstream->prefix : NULL;

    tool->tool =
        (haft_tool){.struct_size = sizeof tool->tool,
                    .name = hf_import_name(upstream->arena, prefix, name),
                    .description = entry->has_description ? entry->description : NULL,
                    .title = entry->has_title ? entry->title : NULL,
                    .input_schema = tool->input,
                    .output_schema = tool->output,
                    .call = hf_command_tool_call,
                    .data = tool,
                    .quick = true,
                    .timeout_ms = entry->has_timeout_ms ? (unsigned)entry->timeout_ms : 0,
                    .max_running = entry->has_max_running ? (unsigned)entry->max_running : 0,
                    .task = upstream_task_mode(entry->has_task, entry->task)};
    tool->tool.task_timeout_ms = tool->tool.timeout_ms;
    if (!tool->tool.name)
        return command_refuse_memory(reterr_reason);
    if (!tool->tool.description)
        tool->tool.description =
            haft_arena_printf(upstream->arena, "Runs the program %s",
                              yyjson_get_str(yyjson_arr_get_first(entry->run)));
    if (entry->has_annotations)
        tool->tool.annotations = (haft_annotations){
            .read_only = command_hint(hints->has_read_only, hints->read_only),
            .destructive = command_hint(hints->has_destructive, hints->destructive),
            .idempotent = command_hint(hints->has_idempotent, hints->idempotent),
            .open_world = command_hint(hints->has_open_world, hints->open_world)};
    return tool->tool.description ? 0 : command_refuse_memory(reterr_reason);
}

static int command_read_templates(struct upstream *upstream, struct command_tool *tool,
                                  struct command_names *names, haft_reason *reterr_reason)
{
    const command_tool_entry *entry = tool->entry;
    haft_reason reason = {.code = 0};
    int status = hf_command_template_read(upstream->arena, entry->run, names, &tool->run, &reason);

    if (status)
        return command_refuse_at("run", status, &reason, reterr_reason);
    if (entry->has_standard_input) {
        status = hf_command_text_read(upstream->arena, entry->standard_input, names,
                                      &tool->input_text, &reason);
        if (status)
            return command_refuse_at("stdin", status, &reason, reterr_reason);
    }
    for (size_t i = 0; entry->has_allow_dash && names->properties && i < entry->n_allow_dash; i++)
        if (!yyjson_obj_get(names->properties, entry->allow_dash[i]))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "allow_dash",
                                "\"%.60s\" is not a property of \"input\"", entry->allow_dash[i]);
    if (names->has_output && !tool->run.uses_output)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "run",
                            "no word has {output}, the file that the result is read from");
    return 0;
}

/* A program with a slash in its name is relative to the configuration's directory. */
static int command_make_program(const struct upstream *upstream, const struct command_tool *tool,
                                haft_reason *reterr_reason)
{
    struct command_part *part = tool->run.groups[0].words[0].parts;
    const char *name = haft_arena_copy(upstream->arena, part->text, part->size), *path = name;

    if (name && strchr(name, '/'))
        path = hf_upstream_path(upstream, name);
    if (!path)
        return command_refuse_memory(reterr_reason);
    part->text = path;
    part->size = strlen(path);
    return 0;
}

/* One step of making a tool, and the member of the entry that it reads. */
static int command_make_steps(struct upstream *upstream, struct command_tool *tool,
                              haft_reason *reterr_reason)
{
    const command_tool_entry *entry = tool->entry;
    haft_reason reason = {.code = 0};
    int status = command_make_environment(upstream, tool, &reason);

    if (status)
        return command_refuse_at("env", status, &reason, reterr_reason);
    status = command_make_sandbox(upstream, tool, &reason);
    if (status)
        return command_refuse_at("sandbox", status, &reason, reterr_reason);
    if (entry->has_output_schema) {
        status = entry->output == command_output_json
                     ? command_compile(upstream, entry->output_schema, &tool->output, &reason)
                     : hf_error_set(&reason, HAFT_EINVAL, "", "only for output \"json\"");
        if (status)
            return command_refuse_at("output_schema", status, &reason, reterr_reason);
    }
    if (entry->has_progress && entry->progress.has_pattern) {
        status = hf_command_pattern_new(upstream->arena, entry->progress.pattern, &tool->progress,
                                        &reason);
        if (status)
            return command_refuse_at("progress.pattern", status, &reason, reterr_reason);
    }
    command_make_limits(tool);
    tool->directory = entry->has_directory ? hf_upstream_path(upstream, entry->directory) : NULL;
    return entry->has_directory && !tool->directory ? command_refuse_memory(reterr_reason) : 0;
}

static int command_make_tool(struct upstream *upstream, struct command_tool *tool, const char *name,
                             haft_reason *reterr_reason)
{
    const command_tool_entry *entry = tool->entry;
    haft_value *properties = entry->has_input ? yyjson_obj_get(entry->input, "properties") : NULL;
    struct command_names names = {.input = entry->has_input ? entry->input : NULL,
                                  .properties = properties,
                                  .has_output = entry->output == command_output_file,
                                  .allow_dash = entry->has_allow_dash ? entry->allow_dash : NULL,
                                  .n_allow_dash = entry->has_allow_dash ? entry->n_allow_dash : 0};
    haft_reason reason = {.code = 0};
    int status = command_read_templates(upstream, tool, &names, reterr_reason);

    tool->name = name;
    if (!status)
        status = command_make_program(upstream, tool, reterr_reason);
    if (status)
        return status;
    status = command_compile_input(upstream, tool, &names, &reason);
    if (status)
        return command_refuse_at("input", status, &reason, reterr_reason);
    status = command_make_steps(upstream, tool, reterr_reason);
    return status ? status : command_define(upstream, tool, name, reterr_reason);
}

/* ---- the upstream ---- */

/* A tool of several has what all of them share from the entry around it. */
static void command_inherit(command_tool_entry *tool, const command_tool_entry *around)
{
    if (!tool->has_env && around->has_env) {
        tool->has_env = true;
        tool->n_env = around->n_env;
        tool->env = around->env;
        tool->env_keys = around->env_keys;
    }
    if (!tool->has_directory && around->has_directory) {
        tool->has_directory = true;
        tool->directory = around->directory;
    }
    if (!tool->has_limits && around->has_limits) {
        tool->has_limits = true;
        tool->limits = around->limits;
    }
    if (!tool->has_sandbox && around->has_sandbox) {
        tool->has_sandbox = true;
        tool->sandbox = around->sandbox;
    }
    if (!tool->has_timeout_ms && around->has_timeout_ms) {
        tool->has_timeout_ms = true;
        tool->timeout_ms = around->timeout_ms;
    }
}

static int command_make_several(struct upstream *upstream, struct command *command,
                                command_entry *entry, haft_reason *reterr_reason)
{
    for (size_t i = 0; i < entry->n_tools; i++) {
        struct command_tool *tool = &command->tools[command->n_tools];
        haft_reason reason = {.code = 0};
        char place[100];
        int status;

        tool->command = command;
        tool->entry = &entry->tools[i];
        snprintf(place, sizeof place, "tools.%.80s", entry->tools_keys[i]);
        if (!entry->tools[i].has_run)
            return hf_error_set(reterr_reason, HAFT_EINVAL, place, "expected \"run\"");
        command_inherit(&entry->tools[i], &entry->base);
        command->n_tools++;
        status = command_make_tool(upstream, tool, entry->tools_keys[i], &reason);
        if (status)
            return command_refuse_at(place, status, &reason, reterr_reason);
    }
    return 0;
}

static int command_make(struct upstream *upstream, const void *options, haft_reason *reterr_reason)
{
    command_entry *entry = (command_entry *)(uintptr_t)options; /* in the upstream's arena */
    size_t n = entry->has_tools ? entry->n_tools : 1;
    struct command *command = haft_arena_zalloc(upstream->arena, 1, sizeof *command);

    if (!command)
        return command_refuse_memory(reterr_reason);
    upstream->data = command;
    command->upstream = upstream;
    command->scratch = haft_arena_alloc(upstream->arena, COMMAND_SCRATCH);
    command->tools = haft_arena_zalloc(upstream->arena, n, sizeof *command->tools);
    if (!command->tools || !command->scratch)
        return command_refuse_memory(reterr_reason);
    if (entry->has_tools == entry->base.has_run)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "expected either \"run\" or \"tools\"");
    if (entry->has_tools)
        return command_make_several(upstream, command, entry, reterr_reason);
    command->tools[0].command = command;
    command->tools[0].entry = &entry->base;
    command->n_tools = 1;
    return command_make_tool(upstream, &command->tools[0], upstream->name, reterr_reason);
}

static int command_items(struct upstream *upstream, haft_server *server,
                         struct upstream_items *items, haft_reason *reterr_reason)
{
    const struct command *command = upstream->data;
    int status = 0;

    for (size_t i = 0; !status && i < command->n_tools; i++) {
        const struct command_tool *tool = &command->tools[i];
        struct item *item;

        if (!hf_upstream_offers(upstream, tool->name))
            continue;
        status = hf_tool_item(server, &tool->tool, &upstream->module, &item);
        if (status)
            return hf_error_set(reterr_reason, status, haft_server_error(server)->path, "%s",
                                haft_server_error(server)->text);
        status = hf_upstream_items_add(items, item);
    }
    return status;
}

static void command_stop(struct upstream *upstream)
{
    hf_command_stop(upstream->data);
}

static void command_release(struct upstream *upstream)
{
    struct command *command = upstream->data;

    for (size_t i = 0; command && command->tools && i < command->n_tools; i++) {
        haft_schema_free(command->tools[i].input);
        haft_schema_free(command->tools[i].output);
        hf_command_pattern_free(command->tools[i].progress);
    }
}

const struct upstream_kind hf_upstream_command = {.name = "command",
                                                  .options = &command_entry_type,
                                                  .make = command_make,
                                                  .stop = command_stop,
                                                  .items = command_items,
                                                  .release = command_release};
