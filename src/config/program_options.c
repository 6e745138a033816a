/* program_options.c - the options that a program declares: its table as rows, and what only these
 * have, which is operands, secrets and values that must be given. */
#include "config/program_options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "base/struct.h"
#include "config/file.h"
#include "engine/call/call.h"

enum { SECRET_LIMIT = 64 << 10 };

/* What follows a secret's variable in the name of the one that names its file. */
#define PROGRAM_FILE "_FILE"

/* ---- finding them ---- */

const struct option *hf_program_options_by_key(const struct program_options *own, const char *key)
{
    for (size_t i = 0; own && i < own->n; i++)
        if (own->rows[i].key && !strcmp(own->rows[i].key, key))
            return &own->rows[i];
    return NULL;
}

const struct option *hf_program_options_by_flag(const struct program_options *own, const char *flag,
                                                size_t size)
{
    for (size_t i = 0; own && i < own->n; i++) {
        const char *name = own->rows[i].flag;

        if (name && strlen(name) == size && !strncmp(name, flag, size))
            return &own->rows[i];
    }
    return NULL;
}

const struct option *hf_program_options_operand(const struct program_options *own, size_t i)
{
    const struct option *last = NULL;

    for (size_t k = 0; own && k < own->n; k++) {
        if (!own->rows[k].operand)
            continue;
        last = &own->rows[k];
        if (!i--)
            return last;
    }
    return last && last->type == OPTION_LIST ? last : NULL;
}

/* ---- rows of a table ---- */

static const struct {
    enum option_type type;
    size_t size; /* of the member */
} program_kinds[] = {
    [HAFT_OPTION_KIND_FLAG] = {OPTION_SWITCH, sizeof(bool)},
    [HAFT_OPTION_KIND_INTEGER] = {OPTION_INTEGER, sizeof(int64_t)},
    [HAFT_OPTION_KIND_NUMBER] = {OPTION_REAL, sizeof(double)},
    [HAFT_OPTION_KIND_DURATION] = {OPTION_DURATION, sizeof(int64_t)},
    [HAFT_OPTION_KIND_SIZE] = {OPTION_SIZE, sizeof(int64_t)},
    [HAFT_OPTION_KIND_ENUM] = {OPTION_WORD, sizeof(int)},
    [HAFT_OPTION_KIND_STRING] = {OPTION_TEXT, sizeof(char *)},
    [HAFT_OPTION_KIND_PATH] = {OPTION_FILE, sizeof(char *)},
    [HAFT_OPTION_KIND_ADDRESS] = {OPTION_ADDRESS, sizeof(char *)},
    [HAFT_OPTION_KIND_SECRET] = {OPTION_SECRET, sizeof(char *)},
    [HAFT_OPTION_KIND_LIST] = {OPTION_LIST, sizeof(char **)},
};
enum { PROGRAM_KINDS = sizeof program_kinds / sizeof *program_kinds };

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define PROGRAM_DIGITS "0123456789"

static bool program_consists_of(const char *text, const char *characters)
{
    return *text && strspn(text, characters) == strlen(text);
}

static bool is_flag_name(const char *name)
{
    return !strncmp(name, "--", 2) && name[2] >= 'a' && name[2] <= 'z' &&
           strlen(name) < OPTION_VARIABLE &&
           program_consists_of(name + 2, "abcdefghijklmnopqrstuvwxyz-" PROGRAM_DIGITS);
}

static bool is_operand_name(const char *name)
{
    return *name >= 'A' && *name <= 'Z' && program_consists_of(name, LETTERS "_-" PROGRAM_DIGITS);
}

static bool is_variable_name(const char *name)
{
    return (*name < '0' || *name > '9') && strncmp(name, "HAFT_", 5) != 0 &&
           strlen(name) < OPTION_VARIABLE && program_consists_of(name, LETTERS "_" PROGRAM_DIGITS);
}

/* Without a maximum there is none above a minimum that is positive. */
static bool row_has_maximum(const haft_option *row)
{
    return row->max < 0 || row->max > 0 || row->min < 0;
}

/* Of a number up to 2^53, or infinity. */
static bool has_fraction(double bound)
{
    return !isinf(bound) && ((double)(int64_t)bound < bound || (double)(int64_t)bound > bound);
}

static const char *bounds_fault(const haft_option *row)
{
    bool counts = row->kind == HAFT_OPTION_KIND_SIZE || row->kind == HAFT_OPTION_KIND_DURATION;
    bool whole = row->kind != HAFT_OPTION_KIND_NUMBER;
    const double exact = 9007199254740992; /* 2^53 */

    if (isnan(row->min) || isnan(row->max) || (row_has_maximum(row) && row->min > row->max))
        return "the minimum is greater than the maximum";
    if (counts && row->min < 0)
        return "a size or duration cannot be negative";
    if (whole && (fabs(row->min) > exact || (fabs(row->max) > exact && !isinf(row->max))))
        return "bounds of whole numbers are at most 2^53";
    if (whole && (has_fraction(row->min) || has_fraction(row->max)))
        return "only a HAFT_OPTION_NUMBER has bounds with fractions";
    return NULL;
}

/* Describes what is wrong with a row, without regard to others; NULL if it is right. */
static const char *row_fault(const haft_option *row, size_t size)
{
    bool secret = row->kind == HAFT_OPTION_KIND_SECRET;

    if ((unsigned)row->kind >= (unsigned)PROGRAM_KINDS)
        return "invalid kind";
    if (row->offset > size || size - row->offset < program_kinds[row->kind].size)
        return "the member is not inside the program's struct";
    if (row->name && !is_flag_name(row->name) && !is_operand_name(row->name))
        return "invalid name; write --name for an option, NAME for an operand";
    if (row->variable && !is_variable_name(row->variable))
        return "invalid variable; write it in upper case, without the prefix HAFT_";
    if (!row->name && !row->variable)
        return "an option needs a name or a variable";
    if (secret && (row->name || row->initial))
        return "a secret is set only by its variable; it has no name and no default";
    if (!row->help || !*row->help)
        return "an option needs a description";
    if (row->required && row->initial)
        return "a required option has no default";
    return bounds_fault(row);
}

/* "options.dry_run" of "--dry-run". */
static const char *row_key(haft_arena *arena, const char *flag)
{
    char *key = haft_arena_printf(arena, PROGRAM_OPTIONS_SECTION ".%s", flag + 2);

    for (char *c = key; c && *c; c++)
        if (*c == '-')
            *c = '_';
    return key;
}

static int row_words(struct option *option, const haft_option *row, haft_arena *arena)
{
    haft_type type;
    const char **words;
    int *numbers;

    if (!row->type || !hf_struct_read(&type, sizeof type, row->type) ||
        type.shape != HAFT_SHAPE_ENUM || !type.n_values || type.size != sizeof(int))
        return HAFT_EINVAL;
    words = haft_arena_zalloc(arena, type.n_values + 1, sizeof *words);
    numbers = haft_arena_zalloc(arena, type.n_values, sizeof *numbers);
    if (!words || !numbers)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < type.n_values; i++) {
        words[i] = type.values[i];
        numbers[i] = type.numbers ? (int)type.numbers[i] : (int)i;
    }
    option->words = words;
    option->numbers = numbers;
    return 0;
}

static int row_make(struct option *option, const haft_option *row, haft_arena *arena)
{
    bool flag = row->name && *row->name == '-';

    *option =
        (struct option){.flag = flag ? row->name : NULL,
                        .operand = row->name && !flag ? row->name : NULL,
                        .key = flag ? row_key(arena, row->name) : NULL,
                        .also = row->variable,
                        .offset = row->offset,
                        .size = program_kinds[row->kind].size,
                        .type = program_kinds[row->kind].type,
                        .min = row->min > 0 ? (uint64_t)row->min : 0,
                        .max = row->max > 0 && !isinf(row->max) ? (uint64_t)row->max : INT64_MAX,
                        .least = row->min,
                        .most = row->min > 0 && !row_has_maximum(row) ? INFINITY : row->max,
                        .takes = row->takes,
                        .initial = row->initial,
                        .own = true,
                        .required = row->required,
                        .help = row->help};
    if (flag && !option->key)
        return HAFT_ENOMEM;
    return row->kind == HAFT_OPTION_KIND_ENUM ? row_words(option, row, arena) : 0;
}

/* ---- a table ---- */

struct making {
    haft_server *server;
    struct program_options *own;
    int version;
    program_options_taken *taken;
};

static int program_refuse(const struct making *making, int code, const char *name, const char *why)
{
    hf_server_refuse(making->server, code, name, "%s", why);
    making->own->refusal = making->server->error;
    making->own->n = 0;
    return code;
}

/* Whether haft had it already when the program was compiled: one that came later gives way. */
static bool is_hafts(const struct making *making, const char *flag)
{
    const struct option *option = hf_option_by_flag(flag);

    return (option && making->version >= (option->since ? option->since : PROGRAM_OPTIONS_SINCE)) ||
           making->taken(flag, making->version);
}

static bool program_same(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* Whether the variable of one is that which names the file of the other, a secret. */
static bool is_file_of(const struct option *one, const struct option *secret)
{
    size_t size = secret->also ? strlen(secret->also) : 0;

    return secret->type == OPTION_SECRET && one->also && !strncmp(one->also, secret->also, size) &&
           !strcmp(one->also + size, PROGRAM_FILE);
}

/* Whether a row has the place of one before it. */
static bool is_twice(const struct program_options *own, size_t n)
{
    const struct option *one = &own->rows[n];

    for (size_t i = 0; i < n; i++)
        if (program_same(own->rows[i].flag, one->flag) ||
            program_same(own->rows[i].also, one->also) ||
            program_same(own->rows[i].operand, one->operand) || is_file_of(one, &own->rows[i]) ||
            is_file_of(&own->rows[i], one))
            return true;
    return false;
}

/* A word belongs to one operand only if those before it are there. */
static bool is_out_of_order(const struct program_options *own, size_t n)
{
    const struct option *one = &own->rows[n];

    for (size_t i = 0; one->operand && i < n; i++)
        if (own->rows[i].operand &&
            (own->rows[i].type == OPTION_LIST || (one->required && !own->rows[i].required)))
            return true;
    return false;
}

/* Whether its default is a good value. */
static int check_initial(const struct making *making, const struct option *option)
{
    struct settings scratch = {.arena = making->server->arena};

    if (!option->initial)
        return 0;
    scratch.own = haft_arena_zalloc(scratch.arena, 1, making->own->size);
    return scratch.own ? hf_option_read(option, option->initial, &scratch) : HAFT_ENOMEM;
}

static int program_add_row(const struct making *making, const haft_option *row)
{
    struct program_options *own = making->own;
    struct option *option = &own->rows[own->n];
    const char *name = row->name ? row->name : row->variable ? row->variable : "haft_option";
    const char *fault = row_fault(row, own->size);
    int status;

    if (fault)
        return program_refuse(making, HAFT_EINVAL, name, fault);
    status = row_make(option, row, making->server->arena);
    if (status == HAFT_EINVAL)
        return program_refuse(making, status, name, "its type is not an enum of HAFT_ENUMERATION");
    if (!status && option->flag && is_hafts(making, option->flag))
        return program_refuse(making, HAFT_EEXISTS, name,
                              "haft has an option of this name; choose another");
    if (!status && is_twice(own, own->n))
        return program_refuse(making, HAFT_EEXISTS, name,
                              "another option of the program has this name or variable");
    if (!status && is_out_of_order(own, own->n))
        return program_refuse(
            making, HAFT_EINVAL, name,
            "an operand cannot follow a list, nor a required one an optional one");
    if (!status)
        status = check_initial(making, option);
    if (status)
        return program_refuse(making, status, name,
                              status == HAFT_EINVAL ? "its default is not a valid value"
                                                    : haft_strerror(status));
    own->n++;
    return 0;
}

static int program_add_rows(const struct making *making, const haft_option_table *table)
{
    const char *at = (const char *)table->options;
    haft_option row;
    int status = 0;

    for (size_t i = 0; i < table->n_options && !status; i++) {
        if (!hf_struct_read(&row, sizeof row, at))
            return program_refuse(making, HAFT_EINVAL, "haft_option", STRUCT_UNSIZED);
        status = program_add_row(making, &row);
        at += table->options->struct_size;
    }
    return status;
}

int hf_program_options_make(haft_server *server, const haft_option_table *given, void *values,
                            program_options_taken *taken)
{
    haft_option_table table;
    struct program_options *own = haft_arena_zalloc(server->arena, 1, sizeof *own);
    struct making making = {server, own, 0, taken};

    if (server->program_options)
        return hf_server_refuse(server, HAFT_EEXISTS, "haft_options_add",
                                "the server has options of the program already");
    if (!own)
        return hf_server_refuse(server, HAFT_ENOMEM, "haft_options_add", "out of memory");
    server->program_options = own;
    if (!given || !hf_struct_read(&table, sizeof table, given))
        return program_refuse(&making, HAFT_EINVAL, "haft_option_table", STRUCT_UNSIZED);
    if (!values || table.n_options > SETTINGS_OWN || (table.n_options && !table.options))
        return program_refuse(&making, HAFT_EINVAL, "haft_option_table",
                              "it needs a struct for the values, and at most 64 options");
    for (size_t i = 0; i < server->n_sections; i++)
        if (!strcmp(server->sections[i]->name, PROGRAM_OPTIONS_SECTION))
            return program_refuse(&making, HAFT_EEXISTS, PROGRAM_OPTIONS_SECTION,
                                  "a section with this name exists already");
    making.version = table.version;
    own->size = table.size;
    own->values = values;
    own->rows = haft_arena_zalloc(server->arena, table.n_options + 1, sizeof *own->rows);
    if (!own->rows)
        return program_refuse(&making, HAFT_ENOMEM, "haft_options_add", "out of memory");
    return program_add_rows(&making, &table);
}

/* ---- secrets ---- */

/* Takes the bytes of a file, without the newline that an editor puts at its end, as the value. */
static int secret_take(struct settings *settings, const struct option *option, haft_buffer *text)
{
    while (text->size && (text->data[text->size - 1] == '\n' || text->data[text->size - 1] == '\r'))
        text->size--;
    haft_buffer_add(text, "", 1);
    if (text->status)
        return text->status;
    return strlen(text->data) + 1 == text->size ? hf_option_read(option, text->data, settings)
                                                : HAFT_EINVAL;
}

static int secret_read_file(struct settings *settings, const struct option *option,
                            const char *variable, const char *path, struct complaints *complaints)
{
    const char *why = NULL;
    haft_buffer text;
    int status;

    haft_buffer_init(&text, settings->program->allocator, SECRET_LIMIT);
    status = hf_file_read(path, &text);
    if (status == HAFT_EINVAL)
        why = strerror(errno);
    if (!status)
        status = secret_take(settings, option, &text);
    if (status && status != HAFT_ENOMEM)
        hf_complaints_add(complaints, "%s: %s: %s", variable, path,
                          why ? why : "expected text of 1 to 65535 bytes");
    if (text.data)
        hf_secret_wipe(text.data, text.capacity);
    haft_buffer_finish(&text);
    return status == HAFT_ENOMEM ? status : 0;
}

int hf_program_options_read_secret(struct settings *settings, const struct option *option,
                                   struct complaints *complaints)
{
    char variable[OPTION_VARIABLE + sizeof PROGRAM_FILE];
    const char *value = hf_settings_variable(option->also), *path;
    int status = 0;

    snprintf(variable, sizeof variable, "%s" PROGRAM_FILE, option->also);
    path = hf_settings_variable(variable);
    if (value && path) {
        hf_complaints_add(complaints, "%s and %s exclude each other; set one of them", option->also,
                          variable);
        return 0;
    }
    if (value)
        status = hf_option_read(option, value, settings);
    else if (path)
        status = secret_read_file(settings, option, variable, path, complaints);
    else
        return 0;
    if (status == HAFT_EINVAL)
        hf_complaints_add_value(complaints, option->also, option, "", 0);
    settings->from[hf_settings_place(settings, option)] = FROM_ENVIRONMENT;
    return status == HAFT_ENOMEM ? status : 0;
}

/* ---- all of them ---- */

/* How an operator can give it, as far as there is more than one way. */
static void complain_of_absence(const struct option *option, struct complaints *complaints)
{
    const char *takes = option->flag ? hf_option_takes(option) : NULL;

    hf_complaints_add(complaints, "missing %s%s%s%s%s%s%s", hf_option_name(option),
                      takes ? " " : "", takes ? takes : "",
                      option->also && option->also != hf_option_name(option) ? "; or set " : "",
                      option->also && option->also != hf_option_name(option) ? option->also : "",
                      option->key ? "; or in the configuration file, " : "",
                      option->key ? option->key : "");
}

void hf_program_options_require(const struct settings *settings, struct complaints *complaints)
{
    const struct program_options *own = settings->program->own;

    for (size_t i = 0; own && i < own->n; i++)
        if (own->rows[i].required && settings->from[hf_option_count + i] == FROM_DEFAULT)
            complain_of_absence(&own->rows[i], complaints);
}

static const char *const *copy_list(const char *const *list, haft_arena *arena)
{
    const char **copy;
    size_t n = 0;

    while (list[n])
        n++;
    copy = haft_arena_zalloc(arena, n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        if (!(copy[i] = haft_arena_copy(arena, list[i], strlen(list[i]))))
            return NULL;
    return copy;
}

/* A copy that lives as long as the server, instead of the settings. */
static int program_fill_member(haft_server *server, const struct option *option, const void *from)
{
    void *to = (char *)server->program_options->values + option->offset;
    const void *pointer, *copy;

    if (option->type < OPTION_TEXT) {
        memcpy(to, from, option->size);
        return 0;
    }
    memcpy(&pointer, from, sizeof pointer);
    copy = !pointer                      ? NULL
           : option->type == OPTION_LIST ? (const void *)copy_list(pointer, server->arena)
                                         : haft_arena_copy(server->arena, pointer, strlen(pointer));
    if (pointer && !copy)
        return HAFT_ENOMEM;
    memcpy(to, &copy, sizeof copy);
    return 0;
}

int hf_program_options_fill(haft_server *server, const struct settings *settings)
{
    struct program_options *own = server->program_options;
    int status = 0;

    for (size_t i = 0; own && !own->filled && i < own->n && !status; i++)
        if (own->rows[i].initial || settings->from[hf_option_count + i] != FROM_DEFAULT)
            status = program_fill_member(server, &own->rows[i],
                                         (const char *)settings->own + own->rows[i].offset);
    if (own)
        own->filled = own->filled || !status;
    return status;
}

const void *haft_call_options(const haft_call *call)
{
    const haft_server *server = call->server;

    /* An endpoint has those of the program that serves it. */
    if (!server->program_options && server->keys.family)
        server = server->keys.family;
    return server->program_options ? server->program_options->values : NULL;
}
