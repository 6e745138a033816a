/* option_schema.c - the table of options as a JSON Schema of the configuration file, for editors. */
#include <string.h>

#include "config/option.h"
#include "json/writer.h"

static const char schema_size[] = "^[0-9]+(B|KiB|MiB|GiB)?$", schema_time[] = "^[0-9]+(ms|s|m|h)?$",
                  schema_rate[] = "^[0-9]+(/[0-9]+(ms|s|m|h))?$";

/* A string of a pattern, or a number. */
static void schema_put_either(struct json_writer *w, const char *pattern)
{
    hf_json_begin_array(json_key(w, "type"));
    hf_json_text(w, "string");
    hf_json_text(w, "integer");
    hf_json_end_array(w);
    hf_json_text(json_key(w, "pattern"), pattern);
    hf_json_integer(json_key(w, "minimum"), 0);
}

static void schema_put_numbers(struct json_writer *w, const struct option *option)
{
    bool real = option->type == OPTION_REAL;

    hf_json_text(json_key(w, "type"), real ? "number" : "integer");
    if (option->type == OPTION_NUMBER) {
        hf_json_unsigned(json_key(w, "minimum"), option->min);
        hf_json_unsigned(json_key(w, "maximum"), option->max);
    }
}

static void schema_put_words(struct json_writer *w, const struct option *option)
{
    hf_json_begin_array(json_key(w, "enum"));
    for (size_t i = 0; option->words[i]; i++)
        hf_json_text(w, option->words[i]);
    hf_json_end_array(w);
}

static void schema_put_type(struct json_writer *w, const struct option *option)
{
    switch (option->type) {
    case OPTION_SWITCH:
        hf_json_text(json_key(w, "type"), "boolean");
        return;
    case OPTION_NUMBER:
    case OPTION_INTEGER:
    case OPTION_REAL:
        schema_put_numbers(w, option);
        return;
    case OPTION_SIZE:
        schema_put_either(w, schema_size);
        return;
    case OPTION_DURATION:
        schema_put_either(w, schema_time);
        return;
    case OPTION_RATE:
        schema_put_either(w, schema_rate);
        return;
    case OPTION_WORD:
        schema_put_words(w, option);
        return;
    case OPTION_LIST:
        hf_json_text(json_key(w, "type"), "array");
        hf_json_begin_object(json_key(w, "items"));
        hf_json_text(json_key(w, "type"), "string");
        hf_json_end_object(w);
        return;
    default:
        hf_json_text(json_key(w, "type"), "string");
    }
}

static void schema_put_option(struct json_writer *w, const struct option *option)
{
    const char *name = strchr(option->key, '.') + 1;

    hf_json_name(w, name, strlen(name));
    hf_json_begin_object(w);
    schema_put_type(w, option);
    hf_json_text(json_key(w, "description"), option->help);
    hf_json_end_object(w);
}

/* The options whose keys begin with the section's name and a dot. */
static void schema_put_section(struct json_writer *w, const struct option_section *section)
{
    size_t size = strlen(section->name);

    hf_json_name(w, section->name, size);
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "type"), "object");
    hf_json_text(json_key(w, "description"), section->title);
    hf_json_bool(json_key(w, "additionalProperties"), false);
    hf_json_begin_object(json_key(w, "properties"));
    for (size_t i = 0; i < hf_option_count; i++) {
        const char *key = hf_option_table[i].key;

        if (key && !strncmp(key, section->name, size) && key[size] == '.')
            schema_put_option(w, &hf_option_table[i]);
    }
    hf_json_end_object(w);
    hf_json_end_object(w);
}

void hf_option_put_schema(struct json_writer *w)
{
    for (size_t i = 0; i < hf_option_section_count; i++)
        schema_put_section(w, &hf_option_sections[i]);
}
