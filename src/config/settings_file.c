/* settings_file.c - the configuration file: an object of sections, each an object of options.
 *
 * All errors in a file are reported at once, with file and key. */
#include "config/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/file.h"
#include "config/option.h"
#include "config/program_options.h"

enum { SETTINGS_FILE_LIMIT = 1 << 20, KEY_LIMIT = 256, SETTINGS_FILE_PLACE = 512 };

struct settings_file_reading {
    struct settings *settings;
    const char *name; /* of the file */
    struct complaints *complaints;
};

static void settings_file_refuse_key(const struct settings_file_reading *reading, const char *key)
{
    const struct program_settings *program = reading->settings->program;
    const char *nearest = hf_option_nearest_key(reading->settings, key);
    struct nearest search = hf_nearest_begin(key);

    for (size_t i = 0; i < program->n_sections; i++)
        hf_nearest_offer(&search, program->sections[i]->name);
    if (search.name)
        nearest = search.name;
    hf_complaints_add(reading->complaints, "%s: %s: unknown key%s%s%s", reading->name, key,
                      nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int refuse_value(const struct settings_file_reading *reading, const struct option *option,
                        yyjson_val *value)
{
    char place[SETTINGS_FILE_PLACE];
    haft_buffer text;
    bool word = option->words && yyjson_is_str(value);
    int status;

    snprintf(place, sizeof place, "%s: %s", reading->name, option->key);
    haft_buffer_init(&text, reading->complaints->text.allocator, SETTINGS_FILE_LIMIT * 8);
    if (word)
        haft_buffer_puts(&text, yyjson_get_str(value));
    else
        haft_json_write(value, &text);
    haft_buffer_add(&text, "", 1);
    status = text.status;
    if (!status)
        hf_complaints_add_value(reading->complaints, place, option, text.data, text.size - 1);
    haft_buffer_finish(&text);
    return status;
}

static int read_member(const struct settings_file_reading *reading, const char *key,
                       yyjson_val *value)
{
    const struct settings *settings = reading->settings;
    const struct option *option = hf_option_by_key(key);
    int status;

    if (!option)
        option = hf_program_options_by_key(settings->program->own, key);
    if (!option) {
        settings_file_refuse_key(reading, key);
        return 0;
    }
    status = hf_option_read_json(option, value, reading->settings);
    reading->settings->from[hf_settings_place(settings, option)] = FROM_FILE;
    return status == HAFT_EINVAL ? refuse_value(reading, option, value) : status;
}

static int settings_file_read_section(const struct settings_file_reading *reading,
                                      const char *section, yyjson_val *members)
{
    size_t i, n;
    yyjson_val *name, *value;
    int status = 0;

    if (!hf_option_has_section(section) &&
        !(reading->settings->program->own && !strcmp(section, PROGRAM_OPTIONS_SECTION))) {
        settings_file_refuse_key(reading, section);
        return 0;
    }
    if (!yyjson_is_obj(members)) {
        hf_complaints_add(reading->complaints, "%s: %s: expected an object", reading->name,
                          section);
        return 0;
    }
    yyjson_obj_foreach(members, i, n, name, value) {
        char key[KEY_LIMIT];

        snprintf(key, sizeof key, "%s.%s", section, yyjson_get_str(name));
        if (!status)
            status = read_member(reading, key, value);
    }
    return status;
}

static bool is_anothers(const struct program_settings *program, const char *name)
{
    for (size_t i = 0; i < program->n_sections; i++)
        if (!strcmp(program->sections[i]->name, name))
            return true;
    return false;
}

/* Reports invalid JSON with the line number, for editors. */
static void refuse_text(const struct settings_file_reading *reading, const char *text, size_t size,
                        const haft_reason *reason)
{
    yyjson_val *value;
    const char *why;
    size_t offset, line = 1;
    int status;

    if (!size) {
        hf_complaints_add(reading->complaints, "%s: the file is empty; write {} to change nothing",
                          reading->name);
        return;
    }
    status = hf_json_parse(text, size, reading->settings->arena, &value, &offset, &why);
    if (status != HAFT_EPARSE && status != HAFT_EUTF8) {
        hf_complaints_add(reading->complaints, "%s: %s", reading->name, reason->text);
        return;
    }
    for (size_t i = 0; i < offset && i < size; i++)
        line += text[i] == '\n';
    hf_complaints_add(reading->complaints, "%s: line %zu: %s", reading->name, line, why);
}

int hf_settings_read_text(struct settings *settings, const char *name, const char *text,
                          size_t size, struct complaints *complaints)
{
    struct settings_file_reading reading = {settings, name, complaints};
    haft_reason reason = {0};
    haft_value *file = haft_json_read(text, size, 0, settings->arena, &reason);
    size_t i, n;
    yyjson_val *key, *value;
    int status = 0;

    if (!file && reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    if (!file) {
        refuse_text(&reading, text, size, &reason);
        return 0;
    }
    if (!yyjson_is_obj(file)) {
        hf_complaints_add(complaints, "%s: expected an object", name);
        return 0;
    }
    settings->file = file;
    yyjson_obj_foreach(file, i, n, key, value) {
        if (yyjson_equals_str(key, "$schema")) /* for editors */
            continue;
        if (!status && !is_anothers(settings->program, yyjson_get_str(key)))
            status = settings_file_read_section(&reading, yyjson_get_str(key), value);
    }
    return status;
}

int hf_settings_read_file(struct settings *settings, const char *path,
                          struct complaints *complaints)
{
    haft_buffer text;
    int status;

    haft_buffer_init(&text, settings->program->allocator, SETTINGS_FILE_LIMIT);
    status = hf_file_read(path, &text);
    if (status == HAFT_EINVAL)
        hf_complaints_add(complaints, "%s: %s", path, strerror(errno));
    if (status == HAFT_ETOOBIG)
        hf_complaints_add(complaints, "%s: the configuration exceeds the limit of %d bytes", path,
                          SETTINGS_FILE_LIMIT);
    if (!status)
        status = hf_settings_read_text(settings, path, text.size ? text.data : "", text.size,
                                       complaints);
    haft_buffer_finish(&text);
    return status == HAFT_ENOMEM ? status : 0;
}
