/* settings.c - the layers of settings, one over the other. */
#include "config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/option.h"
#include "config/program_options.h"

enum {
    SETTINGS_ARENA_LIMIT = 32 << 20,
    COMPLAINTS_LIMIT = 64 << 10,
    MAX_COMPLAINTS = 32,
    SETTINGS_SHOWN = 64 /* bytes of a value that is wrong */
};

const char *hf_source_name(enum source source)
{
    static const char *const names[SOURCES] = {
        [FROM_DEFAULT] = "default",
        [FROM_PROGRAM] = "program",
        [FROM_FILE] = "file",
        [FROM_ENVIRONMENT] = "environment",
        [FROM_COMMAND_LINE] = "command line",
    };

    return names[source];
}

/* ---- complaints ---- */

void hf_complaints_init(struct complaints *complaints, const haft_allocator *allocator)
{
    *complaints = (struct complaints){.max = MAX_COMPLAINTS};
    haft_buffer_init(&complaints->text, allocator, COMPLAINTS_LIMIT);
}

void hf_complaints_finish(struct complaints *complaints)
{
    haft_buffer_finish(&complaints->text);
}

void hf_complaints_add(struct complaints *complaints, const char *format, ...)
{
    char line[1024];
    va_list args;

    if (++complaints->n > complaints->max)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    haft_buffer_puts(&complaints->text, line);
    haft_buffer_puts(&complaints->text, "\n");
}

void hf_complaints_add_value(struct complaints *complaints, const char *place,
                             const struct option *option, const char *given, size_t size)
{
    const char *nearest = option->words ? hf_option_nearest_word(option, given) : NULL;
    bool secret = option->type == OPTION_SECRET;
    haft_buffer expected;
    size_t shown = size > SETTINGS_SHOWN ? haft_utf8_valid(given, SETTINGS_SHOWN) : size;

    haft_buffer_init(&expected, complaints->text.allocator, COMPLAINTS_LIMIT);
    hf_option_put_expected(option, &expected);
    hf_complaints_add(complaints, "%s: expected %.*s%s%.*s%s%s%s%s", place, (int)expected.size,
                      expected.size ? expected.data : "", secret ? "" : ", not ",
                      secret ? 0 : (int)shown, given, !secret && shown < size ? "..." : "",
                      nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    if (expected.status)
        complaints->text.status = expected.status;
    haft_buffer_finish(&expected);
}

/* ---- the program ---- */

int hf_program_settings_init(struct program_settings *program, haft_server *server)
{
    const char **tools = &program->visibility.tools;

    *program = (struct program_settings){.server = server->options,
                                         .visibility = server->catalogue->visibility,
                                         .audit_mode = server->metering.audit_mode,
                                         .allocator = server->allocator,
                                         .n_sections = server->n_sections,
                                         .own = server->program_options};
    memcpy(program->sections, server->sections, sizeof program->sections);
    if (*tools) /* the catalogue's own is freed when the settings are applied */
        *tools = hf_server_copy(server, *tools);
    return server->catalogue->visibility.tools && !*tools ? HAFT_ENOMEM : 0;
}

const struct option *hf_settings_option(const struct program_settings *program, size_t i)
{
    if (i < hf_option_count)
        return &hf_option_table[i];
    i -= hf_option_count;
    return program->own && i < program->own->n ? &program->own->rows[i] : NULL;
}

size_t hf_settings_place(const struct settings *settings, const struct option *option)
{
    return option->own ? hf_option_count + (size_t)(option - settings->program->own->rows)
                       : (size_t)(option - hf_option_table);
}

const char *hf_settings_path(const struct settings *settings)
{
    const struct option *option = hf_option_by_key("http.path");

    return settings->from[hf_settings_place(settings, option)] > FROM_PROGRAM ? settings->http.path
                                                                              : NULL;
}

/* Sets the options without a value to their defaults. */
static int read_defaults(struct settings *settings)
{
    const struct program_options *own = settings->program->own;
    struct settings initial = {.arena = settings->arena, .program = settings->program};
    const struct option *option;
    int status = 0;

    if (own) {
        settings->own = haft_arena_zalloc(settings->arena, 1, own->size);
        initial.own = haft_arena_zalloc(settings->arena, 1, own->size);
        if (!settings->own || !initial.own)
            return HAFT_ENOMEM;
    }
    for (size_t i = 0; !status && (option = hf_settings_option(settings->program, i)); i++) {
        if (option->initial)
            status = hf_option_read(option, option->initial, &initial);
        if (!status && option->initial && !hf_option_is_set(option, settings))
            status = hf_option_read(option, option->initial, settings);
        settings->from[i] =
            hf_option_equal(option, settings, &initial) ? FROM_DEFAULT : FROM_PROGRAM;
    }
    return status;
}

/* ---- the environment and the command line ---- */

const char *hf_settings_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int read_variable(struct settings *settings, const struct option *option,
                         struct complaints *complaints)
{
    char name[OPTION_VARIABLE];
    const char *value, *place = name;
    int status;

    if (option->type == OPTION_SECRET)
        return hf_program_options_read_secret(settings, option, complaints);
    hf_option_variable(option, name);
    value = *name ? hf_settings_variable(name) : NULL;
    if (!value && option->also) {
        place = option->also;
        value = hf_settings_variable(place);
    }
    if (!value)
        return 0;
    status = hf_option_read(option, value, settings);
    if (status == HAFT_EINVAL)
        hf_complaints_add_value(complaints, place, option, value, strlen(value));
    settings->from[hf_settings_place(settings, option)] = FROM_ENVIRONMENT;
    return status == HAFT_ENOMEM ? status : 0;
}

static int read_given(struct settings *settings, const struct given *given,
                      struct complaints *complaints)
{
    const struct option *option = given->option;
    const char *value = given->value ? given->value : "true";
    unsigned char *from = &settings->from[hf_settings_place(settings, option)];
    int status;

    if (option->type == OPTION_LIST) {
        if (*from != FROM_COMMAND_LINE)
            hf_option_clear(option, settings);
        status = hf_option_append(option, value, settings);
    } else {
        status = hf_option_read(option, value, settings);
    }
    if (status == HAFT_EINVAL)
        hf_complaints_add_value(complaints, hf_option_name(option), option, value, strlen(value));
    *from = FROM_COMMAND_LINE;
    return status == HAFT_ENOMEM ? status : 0;
}

/* ---- the sections of others ---- */

static int prepare_sections(struct settings *settings, const struct program_settings *program,
                            struct complaints *complaints)
{
    for (size_t i = 0; i < program->n_sections; i++) {
        const haft_section *section = program->sections[i];
        haft_value *value = yyjson_obj_get(settings->file, section->name);
        haft_reason reason = {0};
        int status = section->prepare(section->context, value, &settings->prepared[i], &reason);

        if (status == HAFT_ENOMEM)
            return status;
        if (status) {
            hf_complaints_add(complaints, "%s%s%s%s%s: %s",
                              settings->config ? settings->config : "",
                              settings->config ? ": " : "", section->name, *reason.path ? "." : "",
                              reason.path, *reason.text ? reason.text : haft_strerror(status));
            return 0; /* those after it may need it */
        }
        settings->n_prepared = i + 1;
    }
    return 0;
}

void hf_settings_commit(struct settings *settings)
{
    for (size_t i = 0; i < settings->n_prepared; i++)
        settings->program->sections[i]->commit(settings->program->sections[i]->context,
                                               settings->prepared[i]);
    settings->n_prepared = 0;
}

/* ---- all of it ---- */

static int read_config(struct settings *settings, const struct given *given, size_t n_given,
                       struct complaints *complaints)
{
    const struct option *config = hf_option_by_flag("--config");
    int status = read_variable(settings, config, complaints);

    for (size_t i = 0; i < n_given && !status; i++)
        if (given[i].option == config)
            status = read_given(settings, &given[i], complaints);
    if (status || !settings->config)
        return status;
    if (!strcmp(settings->config, "-")) {
        hf_complaints_add(complaints,
                          "--config: cannot read the configuration from standard input");
        return 0;
    }
    return hf_settings_read_file(settings, settings->config, complaints);
}

/* All but --config, which comes before the others. */
static bool is_layered(const struct option *option)
{
    return option->key || option->own;
}

static int settings_judge(int status, const struct complaints *complaints)
{
    status = status ? status : complaints->text.status;
    return status ? status : complaints->n ? HAFT_EINVAL : 0;
}

int hf_settings_read(struct settings *settings, const struct program_settings *program,
                     const struct given *given, size_t n_given, struct complaints *complaints)
{
    const struct option *option;
    int status = hf_settings_init(settings, program);

    if (!status)
        status = read_config(settings, given, n_given, complaints);
    for (size_t i = 0; !status && (option = hf_settings_option(program, i)); i++)
        if (is_layered(option))
            status = read_variable(settings, option, complaints);
    for (size_t i = 0; i < n_given && !status; i++)
        if (is_layered(given[i].option))
            status = read_given(settings, &given[i], complaints);
    if (!status)
        hf_program_options_require(settings, complaints);
    return settings_judge(status, complaints);
}

int hf_settings_load(struct settings *settings, const struct program_settings *program,
                     const struct given *given, size_t n_given, struct complaints *complaints)
{
    int status = hf_settings_read(settings, program, given, n_given, complaints);

    /* A file that cannot be read is reported alone: what the sections would miss is in it. */
    if ((!status || status == HAFT_EINVAL) && (!settings->config || settings->file))
        status = prepare_sections(settings, program, complaints);
    return settings_judge(status, complaints);
}

int hf_settings_init(struct settings *settings, const struct program_settings *program)
{
    *settings = (struct settings){.program = program,
                                  .server = program->server,
                                  .http.struct_size = sizeof(haft_http_options),
                                  .stdio.struct_size = sizeof(haft_stdio_options),
                                  .otlp.struct_size = sizeof(haft_otlp_options),
                                  .audit_mode = (int)program->audit_mode,
                                  .tools = program->visibility.tools,
                                  .read_only = program->visibility.read_only};
    settings->arena = haft_arena_new(program->allocator, SETTINGS_ARENA_LIMIT);
    return settings->arena ? read_defaults(settings) : HAFT_ENOMEM;
}

void hf_settings_discard(struct settings *settings)
{
    for (size_t i = 0; i < settings->n_prepared; i++) {
        const haft_section *section = settings->program->sections[i];

        if (section->discard)
            section->discard(section->context, settings->prepared[i]);
    }
    settings->n_prepared = 0;
}

void hf_settings_finish(struct settings *settings)
{
    hf_settings_discard(settings);
    haft_arena_free(settings->arena);
    settings->arena = NULL;
}

int haft_section_add(haft_server *server, const haft_section *section)
{
    const void *view = NULL;
    int status = hf_server_view(server, "haft_section", section, sizeof *section, NULL, &view);
    const char *name;

    if (status)
        return status;
    section = view;
    name = section->name ? section->name : "";
    if (!*name || !section->prepare || !section->commit || hf_option_has_section(name) ||
        (server->program_options && !strcmp(name, PROGRAM_OPTIONS_SECTION)))
        return hf_server_refuse(
            server, HAFT_EINVAL, name,
            "a section needs a unique name and functions for both of its steps");
    if (server->n_sections == SECTIONS_MAX)
        return hf_server_refuse(server, HAFT_ETOOBIG, name,
                                "there are already %d sections, the maximum", SECTIONS_MAX);
    for (size_t i = 0; i < server->n_sections; i++)
        if (!strcmp(server->sections[i]->name, name))
            return hf_server_refuse(server, HAFT_EEXISTS, name,
                                    "a section with this name exists already");
    server->sections[server->n_sections++] = section;
    return 0;
}
