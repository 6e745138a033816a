/* config/option.h - what an operator can say about a server: one table, and its readings.
 *
 * A row is an option: how the command line, the environment and the configuration file call it,
 * what it takes, and where its value lies in the settings.  Reading and printing go by the row, so
 * a new option is a member of the settings, a row, and a line where it is applied. */
#ifndef HAFT_SRC_OPTION_H
#define HAFT_SRC_OPTION_H

#include "json/json.h"
#include "config/settings.h"

enum option_type {
    OPTION_SWITCH,   /* bool */
    OPTION_NUMBER,   /* unsigned, size_t or int64_t, as are the next two */
    OPTION_SIZE,     /* bytes, "64KiB" */
    OPTION_DURATION, /* milliseconds, "30s" */
    OPTION_INTEGER,  /* int64_t, with a sign */
    OPTION_REAL,     /* double */
    OPTION_RATE,     /* haft_rate, "60/1m" */
    OPTION_WORD,     /* int: one of some words, by its place or its number */
    OPTION_TEXT,     /* const char *, as are the next four */
    OPTION_FILE,
    OPTION_PATH,    /* "/mcp" */
    OPTION_ADDRESS, /* "HOST:PORT", "PORT", "unix:PATH" */
    OPTION_SECRET,  /* never shown */
    OPTION_LIST,    /* const char *const *, ends with NULL */
    OPTION_TYPES
};

struct option {
    const char *key; /* in the configuration file, "limits.workers"; NULL when it cannot be there */
    const char *flag;    /* "--workers"; the environment variable is HAFT_WORKERS */
    const char *also;    /* another environment variable, or NULL */
    size_t offset, size; /* of its member of struct settings */
    enum option_type type;
    uint64_t min, max;        /* of numbers, sizes and durations */
    double least, most;       /* of integers and reals; both 0: any */
    const char *const *words; /* ends with NULL */
    const int *numbers;       /* of the words; NULL: their places */
    const char *takes;        /* what --help calls its value; NULL: as its type has it */
    const char *initial;      /* default; NULL for none */
    const char *bare; /* its value when the flag is given without one; then only = gives another */
    bool live;        /* can change while serving */
    bool own;         /* of the program: a row of struct program_options */
    bool required;    /* it must be given */
    int since;        /* HAFT_VERSION_NUMBER that it came with; 0: before programs had their own */
    const char *operand; /* what it is called as an operand, "FILE"; it has no flag then */
    char separator;      /* of a list in one text; 0: a comma */
    const char *help;
};

/* ---- the table (option.c) ---- */

extern const struct option hf_option_table[];
extern const size_t hf_option_count;

/* What keys begin with, and how pages call it. */
struct option_section {
    const char *name, *title;
};
extern const struct option_section hf_option_sections[];
extern const size_t hf_option_section_count;

/* By what it is called; NULL when there is none. */
const struct option *hf_option_by_flag(const char *flag);
const struct option *hf_option_by_key(const char *key);

bool hf_option_has_section(const char *section);

/* The key or section nearest to an unknown one; NULL if nothing is near. */
const char *hf_option_nearest_key(const struct settings *settings, const char *key);
/* The word of a row nearest to an unknown one. */
const char *hf_option_nearest_word(const struct option *option, const char *word);

/* What messages call it: its flag, what it is as an operand, or its variable. */
const char *hf_option_name(const struct option *option);

/* Its environment variable: HAFT_ and the flag in capitals; "" for an option of the program, which has
 * none but `also`. */
enum { OPTION_VARIABLE = 48, OPTION_LIST_LIMIT = 64 };
void hf_option_variable(const struct option *option, char ret_name[OPTION_VARIABLE]);

/* ---- values (option_value.c) ---- */

/* Parses a value and stores it; strings are copied into the settings' arena.  A list is one string, with
 * commas or its separator between the items, and replaces the list before it.  Returns 0, HAFT_EINVAL if the
 * value is invalid, or HAFT_ENOMEM. */
int hf_option_read(const struct option *option, const char *text, struct settings *settings);
int hf_option_read_json(const struct option *option, yyjson_val *value, struct settings *settings);
/* Puts one more at the end of a list. */
int hf_option_append(const struct option *option, const char *text, struct settings *settings);
void hf_option_clear(const struct option *option, struct settings *settings);

/* Whether it has a value other than nothing and zero. */
bool hf_option_is_set(const struct option *option, const struct settings *settings);
bool hf_option_equal(const struct option *option, const struct settings *a,
                     const struct settings *b);

/* Appends the value as hf_option_read takes it, or as the configuration file does. */
void hf_option_put(const struct option *option, const struct settings *settings,
                   haft_buffer *buffer);
void hf_option_put_json(const struct option *option, const struct settings *settings,
                        haft_buffer *buffer);

/* Appends what would be a good value: "a whole number from 1 to 1024". */
void hf_option_put_expected(const struct option *option, haft_buffer *buffer);
/* Appends the bounds, if there are any: "1 to 1024" after `both`, or "1" after `least` alone. Returns
 * whether there are. */
bool hf_option_put_bounds(const struct option *option, const char *both, const char *least,
                          haft_buffer *buffer);

/* What --help calls the value; NULL when there is none to give. */
const char *hf_option_takes(const struct option *option);

/* ---- pages (option_page.c) ---- */

/* The rows for --help, under the sections they belong to; without those whose names the program has
 * taken, which may be NULL. */
void hf_option_put_help(const struct program_options *program, haft_buffer *buffer);
/* The rows of the program, under separate headings, and its operands as in a usage line. */
void hf_option_put_program_help(const struct program_options *program, const char *name,
                                haft_buffer *buffer);
void hf_option_put_operands(const struct program_options *program, haft_buffer *buffer);
/* The same as tables of Markdown. */
void hf_option_put_markdown(haft_buffer *buffer);
/* Every value and where it comes from, for people; or all of them as a configuration file. */
void hf_option_put_settings(const struct settings *settings, haft_buffer *buffer);
void hf_option_put_settings_json(const struct settings *settings, haft_buffer *buffer);

/* ---- a JSON Schema (option_schema.c) ---- */

struct json_writer;

/* Writes a member for each section: an object whose properties are the section's options. */
void hf_option_put_schema(struct json_writer *w);

#endif
