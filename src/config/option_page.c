/* option_page.c - the table of options as pages: for a terminal, for the documentation, with
 * values. */
#include "config/program_options.h"

#include <string.h>

enum { FLAG_WIDTH = 28, KEY_WIDTH = 24, VALUE_WIDTH = 24 };

/* ---- sections ---- */

/* The part of a key before its dot; "" for an option that has no key. */
static size_t section_size(const struct option *option)
{
    return option->key ? strcspn(option->key, ".") : 0;
}

static bool begins_section(size_t i)
{
    const struct option *option = &hf_option_table[i], *before = option - 1;
    size_t size = section_size(option);

    return !i || section_size(before) != size ||
           (size && strncmp(before->key, option->key, size) != 0);
}

static const char *section_title(const struct option *option)
{
    size_t size = section_size(option);

    for (size_t i = 0; i < hf_option_section_count; i++)
        if (size == strlen(hf_option_sections[i].name) &&
            !strncmp(hf_option_sections[i].name, option->key, size))
            return hf_option_sections[i].title;
    return "Configuration";
}

/* ---- columns ---- */

/* Pads the text since `start` to a column of that width; wider text still ends with a
 * space. */
static void pad(haft_buffer *buffer, size_t start, size_t width)
{
    size_t size = buffer->size - start;

    do
        haft_buffer_puts(buffer, " ");
    while (++size < width && !buffer->status);
}

static void put_flag(const struct option *option, haft_buffer *buffer)
{
    const char *takes = option->own && !option->flag ? NULL : hf_option_takes(option);

    if (option->bare)
        haft_buffer_printf(buffer, "%s[=%s]", option->flag, takes);
    else
        haft_buffer_printf(buffer, "%s%s%s", hf_option_name(option), takes ? " " : "",
                           takes ? takes : "");
}

static void page_put_row(const struct option *option, haft_buffer *buffer)
{
    size_t start = buffer->size;

    haft_buffer_puts(buffer, "  ");
    put_flag(option, buffer);
    pad(buffer, start, FLAG_WIDTH);
    haft_buffer_puts(buffer, option->help);
    for (size_t i = 0; option->words && option->words[i]; i++)
        haft_buffer_printf(buffer, "%s%s", i ? ", " : ": ", option->words[i]);
    if (option->own)
        hf_option_put_bounds(option, ", from ", ", at least ", buffer);
    if (option->initial)
        haft_buffer_printf(buffer, " (%s)", option->initial);
    if (option->own && option->flag && option->also)
        haft_buffer_printf(buffer, " [%s]", option->also);
    if (option->type == OPTION_SECRET)
        haft_buffer_printf(buffer, "; or the file that %s_FILE names", option->also);
    haft_buffer_puts(buffer, "\n");
}

void hf_option_put_help(const struct program_options *program, haft_buffer *buffer)
{
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];

        if (begins_section(i))
            haft_buffer_printf(buffer, "\n%s:\n", section_title(option));
        if (!hf_program_options_by_flag(program, option->flag, strlen(option->flag)))
            page_put_row(option, buffer);
    }
}

/* ---- of the program ---- */

/* Those that are operands, options or variables, if there are any. */
static void page_put_group(const struct program_options *program, const char *title,
                           const char *name, bool (*is_in)(const struct option *option),
                           haft_buffer *buffer)
{
    bool any = false;

    for (size_t i = 0; i < program->n; i++) {
        if (!is_in(&program->rows[i]))
            continue;
        if (!any)
            haft_buffer_printf(buffer, "%s%s:\n", title, name);
        page_put_row(&program->rows[i], buffer);
        any = true;
    }
    if (any)
        haft_buffer_puts(buffer, "\n");
}

static bool page_is_operand(const struct option *option)
{
    return option->operand;
}

static bool page_is_option(const struct option *option)
{
    return option->flag;
}

static bool page_is_variable(const struct option *option)
{
    return !option->operand && !option->flag;
}

void hf_option_put_program_help(const struct program_options *program, const char *name,
                                haft_buffer *buffer)
{
    if (!program)
        return;
    page_put_group(program, "Operands", "", page_is_operand, buffer);
    page_put_group(program, "Options of ", name, page_is_option, buffer);
    page_put_group(program, "Environment variables of ", name, page_is_variable, buffer);
}

void hf_option_put_operands(const struct program_options *program, haft_buffer *buffer)
{
    for (size_t i = 0; program && i < program->n; i++) {
        const struct option *option = &program->rows[i];

        if (option->operand)
            haft_buffer_printf(buffer, option->required ? " %s%s" : " [%s%s]", option->operand,
                               option->type == OPTION_LIST ? " ..." : "");
    }
}

/* ---- Markdown ---- */

static void page_put_names(const struct option *option, haft_buffer *buffer)
{
    char variable[OPTION_VARIABLE];

    hf_option_variable(option, variable);
    if (option->key)
        haft_buffer_printf(buffer, "| `%s` | `", option->key);
    else
        haft_buffer_puts(buffer, "| | `");
    put_flag(option, buffer);
    haft_buffer_printf(buffer, "` | `%s`", variable);
    if (option->also)
        haft_buffer_printf(buffer, ", `%s`", option->also);
}

/* Stars and underscores mean themselves. */
static void put_plain(const char *text, haft_buffer *buffer)
{
    for (; *text; text++) {
        if (*text == '*' || *text == '_')
            haft_buffer_puts(buffer, "\\");
        haft_buffer_add(buffer, text, 1);
    }
}

void hf_option_put_markdown(haft_buffer *buffer)
{
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];

        if (begins_section(i))
            haft_buffer_printf(buffer,
                               "%s### %s\n\n| key | flag | variable | what | takes | default | "
                               "while serving |\n|---|---|---|---|---|---|---|\n",
                               i ? "\n" : "", section_title(option));
        page_put_names(option, buffer);
        haft_buffer_puts(buffer, " | ");
        put_plain(option->help, buffer);
        haft_buffer_puts(buffer, " | ");
        hf_option_put_expected(option, buffer);
        haft_buffer_puts(buffer, option->type == OPTION_SWITCH ? " | `false` |" : " |");
        if (option->initial)
            haft_buffer_printf(buffer, " `%s` |", option->initial);
        else if (option->type != OPTION_SWITCH)
            haft_buffer_puts(buffer, " |");
        haft_buffer_puts(buffer, option->live ? " yes |\n" : " |\n");
    }
}

/* ---- values ---- */

/* The program's struct has something else where an option without a default is not given. */
static bool has_value(const struct option *option, const struct settings *settings)
{
    return !option->own || option->initial ||
           settings->from[hf_settings_place(settings, option)] != FROM_DEFAULT;
}

/* What a flag that is not given is in the program's struct; read as a byte, which may be anything. */
static bool is_on(const struct option *option, const struct settings *settings)
{
    unsigned char on;

    memcpy(&on, (const char *)settings->program->own->values + option->offset, sizeof on);
    return on == true;
}

void hf_option_put_settings(const struct settings *settings, haft_buffer *buffer)
{
    const struct option *option;

    for (size_t i = 0; (option = hf_settings_option(settings->program, i)); i++) {
        size_t start = buffer->size;

        haft_buffer_puts(buffer, option->key    ? option->key
                                 : option->flag ? option->flag + 2
                                                : hf_option_name(option));
        pad(buffer, start, KEY_WIDTH);
        start = buffer->size;
        if (has_value(option, settings))
            hf_option_put(option, settings, buffer);
        else if (option->type == OPTION_SWITCH)
            haft_buffer_puts(buffer, is_on(option, settings) ? "true" : "false");
        if (buffer->size == start)
            haft_buffer_puts(buffer, "-");
        pad(buffer, start, VALUE_WIDTH);
        haft_buffer_printf(buffer, "%s\n", hf_source_name(settings->from[i]));
    }
}

/* Only what has a value: the default of the others is to have none. */
static bool is_worth_writing(const struct option *option, const struct settings *settings)
{
    return option->key && has_value(option, settings) &&
           (option->type < OPTION_TEXT || hf_option_is_set(option, settings));
}

void hf_option_put_settings_json(const struct settings *settings, haft_buffer *buffer)
{
    const struct option *option, *last = NULL;

    haft_buffer_puts(buffer, "{");
    for (size_t i = 0; (option = hf_settings_option(settings->program, i)); i++) {
        size_t size = section_size(option);

        if (!is_worth_writing(option, settings))
            continue;
        if (last && section_size(last) == size && !strncmp(last->key, option->key, size))
            haft_buffer_puts(buffer, ",\n    ");
        else
            haft_buffer_printf(buffer, "%s  \"%.*s\": {\n    ", last ? "\n  },\n" : "\n", (int)size,
                               option->key);
        haft_buffer_printf(buffer, "\"%s\": ", option->key + size + 1);
        hf_option_put_json(option, settings, buffer);
        last = option;
    }
    haft_buffer_puts(buffer, last ? "\n  }\n}\n" : "}\n");
}
