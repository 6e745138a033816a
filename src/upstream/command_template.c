/* command_template.c - reads argument vectors with placeholders. */
#include "upstream/command_template.h"

#include <stdio.h>
#include <string.h>
#include <yyjson.h>

struct template_reader {
    haft_arena *arena;
    struct command_names *names;
    haft_reason *reason;
    char place[32]; /* path of the word */
    size_t n_words;
    bool uses_output;
};

static int template_refuse(const struct template_reader *reader, const char *format,
                           const char *word)
{
    return hf_error_set(reader->reason, HAFT_EINVAL, reader->place, format, word);
}

/* ---- placeholders ---- */

static bool template_knows(const struct command_names *names, const char *name)
{
    return yyjson_obj_get(names->properties, name);
}

static int template_refuse_name(const struct template_reader *reader, const char *name)
{
    struct nearest search = hf_nearest_begin(name);
    yyjson_val *key, *value;
    size_t i, n;

    yyjson_obj_foreach(reader->names->properties, i, n, key, value) {
        (void)value;
        hf_nearest_offer(&search, yyjson_get_str(key));
    }
    return hf_error_set(reader->reason, HAFT_EINVAL, reader->place,
                        "\"{%s}\" is not a property of \"input\"%s%s%s", name,
                        search.name ? "; did you mean \"" : "", search.name ? search.name : "",
                        search.name ? "\"?" : "");
}

/* Remembers a name of a template that has no input schema. */
static int template_note(const struct template_reader *reader, const char *name)
{
    struct command_names *names = reader->names;

    for (size_t i = 0; i < names->n_found; i++)
        if (!strcmp(names->found[i], name))
            return 0;
    if (names->n_found == sizeof names->found / sizeof *names->found)
        return template_refuse(reader, "too many placeholders%s", "");
    names->found[names->n_found++] = name;
    return 0;
}

static int template_check_name(const struct template_reader *reader, const char *name)
{
    if (!*name)
        return template_refuse(reader, "expected a name between { and }; write {{ for a brace%s",
                               "");
    if (!reader->names->properties)
        return template_note(reader, name);
    return template_knows(reader->names, name) ? 0 : template_refuse_name(reader, name);
}

static bool template_may_dash(const struct command_names *names, const char *name)
{
    for (size_t i = 0; i < names->n_allow_dash; i++)
        if (!strcmp(names->allow_dash[i], name))
            return true;
    return false;
}

static int template_set_placeholder(struct template_reader *reader, struct command_part *part)
{
    if (!strcmp(part->text, "*")) {
        part->kind = COMMAND_ALL_ARGUMENTS;
        return 0;
    }
    if (reader->names->has_output && !strcmp(part->text, "output")) {
        part->kind = COMMAND_OUTPUT_FILE;
        reader->uses_output = true;
        return 0;
    }
    part->kind = COMMAND_ARGUMENT;
    part->may_dash = template_may_dash(reader->names, part->text);
    return template_check_name(reader, part->text);
}

/* ---- words ---- */

/* Appends a character to the literal at the end of the word. */
static void template_add_literal(struct command_word *word, char *room, char c)
{
    struct command_part *part = word->n ? &word->parts[word->n - 1] : NULL;

    if (!part || part->kind != COMMAND_LITERAL) {
        part = &word->parts[word->n++];
        *part = (struct command_part){.kind = COMMAND_LITERAL, .text = room};
    }
    *room = c;
    part->size++;
}

/* Reads "{name}" at the text.  Returns the size, or an error. */
static int template_read_placeholder(struct template_reader *reader, const char *text,
                                     struct command_word *word)
{
    const char *end = strchr(text, '}');
    struct command_part *part = &word->parts[word->n];
    int status;

    if (!end)
        return template_refuse(reader, "\"%.80s\" has no }; write {{ for a brace", text);
    *part = (struct command_part){
        .text = haft_arena_copy(reader->arena, text + 1, (size_t)(end - text - 1)),
        .size = (size_t)(end - text - 1)};
    if (!part->text)
        return HAFT_ENOMEM;
    if (strchr(part->text, '{'))
        return template_refuse(reader, "\"%.80s\" has a { within braces", text);
    status = template_set_placeholder(reader, part);
    word->n++;
    return status ? status : (int)(end - text + 1);
}

static int template_read_word(struct template_reader *reader, const char *text,
                              struct command_word *word)
{
    size_t size = strlen(text);
    char *room = haft_arena_alloc(reader->arena, size + 1);

    *word = (struct command_word){
        .parts = haft_arena_zalloc(reader->arena, size + 1, sizeof *word->parts)};
    if (!word->parts || !room)
        return HAFT_ENOMEM;
    if (size > COMMAND_WORD)
        return hf_error_set(reader->reason, HAFT_ETOOBIG, reader->place, "the word is too long");
    while (*text) {
        int n = 1;

        if (*text == '{' && text[1] != '{') {
            n = template_read_placeholder(reader, text, word);
            if (n < 0)
                return n;
        } else if (*text == '}' && text[1] != '}') {
            return template_refuse(reader, "\"%.80s\" has no {; write }} for a brace", text);
        } else {
            template_add_literal(word, room, *text);
            n = *text == '{' || *text == '}' ? 2 : 1;
        }
        text += n;
        room++;
    }
    return 0;
}

static bool template_begins_with_dash(const struct command_word *word)
{
    return word->n && word->parts[0].kind == COMMAND_LITERAL && word->parts[0].text[0] == '-';
}

bool hf_command_is_dashes(const struct command_word *word)
{
    return word->n == 1 && template_begins_with_dash(word) && word->parts[0].size == 2 &&
           word->parts[0].text[1] == '-';
}

bool hf_command_is_option(const struct command_word *word)
{
    const struct command_part *part = word->parts;

    return word->n == 1 && template_begins_with_dash(word) && part->size > 1 &&
           !hf_command_is_dashes(word) &&
           !(part->text[1] == '-' && memchr(part->text, '=', part->size));
}

bool hf_command_is_value(const struct command_group *group)
{
    return group->n && !template_begins_with_dash(&group->words[0]);
}

/* ---- programs that run an argument as a program ---- */

/* An option of these takes the text of a program: a value in it could be anything. */
static const struct template_interpreter {
    const char *name, *letters;
    const char *options; /* long ones, with spaces; NULL for none */
    bool wraps;          /* it runs another program, whose name follows its options */
} template_interpreters[] = {
    {"sh", "c", NULL, false},
    {"bash", "c", NULL, false},
    {"dash", "c", NULL, false},
    {"zsh", "c", NULL, false},
    {"ksh", "c", NULL, false},
    {"ash", "c", NULL, false},
    {"fish", "cC", "command init-command", false},
    {"python", "c", NULL, false},
    {"perl", "eE", NULL, false},
    {"ruby", "e", NULL, false},
    {"node", "ep", "eval print", false},
    {"nodejs", "ep", "eval print", false},
    {"php", "r", "run", false},
    {"lua", "e", NULL, false},
    {"env", "S", "split-string", true},
    {"busybox", "", NULL, true},
    {"nice", "", NULL, true},
    {"nohup", "", NULL, true},
    {"setsid", "", NULL, true},
    {"stdbuf", "", NULL, true},
    {"timeout", "", NULL, true},
};

/* State of the search in the words so far. */
struct template_scan {
    const struct template_interpreter *interpreter; /* NULL before the first word */
    const struct command_part *program;             /* its name */
    bool text;                                      /* the next word is the text of a program */
};

/* Whether a name is that of a program, perhaps with a version: python3.12. */
static bool template_is_program(struct text name, const char *program)
{
    size_t size = strlen(program);

    if (name.size < size || memcmp(name.data, program, size) != 0)
        return false;
    for (; size < name.size; size++)
        if (!strchr("0123456789.-", name.data[size]))
            return false;
    return true;
}

static const struct template_interpreter *template_interpreter_of(const struct command_part *part)
{
    struct text name = {part->text, part->size};

    for (size_t i = 0; i < part->size; i++)
        if (part->text[i] == '/')
            name = (struct text){part->text + i + 1, part->size - i - 1};
    for (size_t i = 0; i < sizeof template_interpreters / sizeof *template_interpreters; i++)
        if (template_is_program(name, template_interpreters[i].name))
            return &template_interpreters[i];
    return NULL;
}

/* Whether a list of words with spaces has this one. */
static bool template_lists(const char *list, struct text word)
{
    while (list && *list) {
        size_t size = strcspn(list, " ");

        if (size == word.size && !memcmp(list, word.data, size))
            return true;
        list += size + strspn(list + size, " ");
    }
    return false;
}

/* Whether a literal is an option that takes the text of a program: "-c", "-ec", "--eval", "--eval=...". */
static bool template_takes_text(const struct command_part *part,
                                const struct template_interpreter *interpreter)
{
    const char *equals = memchr(part->text, '=', part->size);

    if (part->kind != COMMAND_LITERAL || part->size < 2 || part->text[0] != '-')
        return false;
    if (part->text[1] == '-')
        return template_lists(interpreter->options,
                              (struct text){part->text + 2, equals
                                                                ? (size_t)(equals - part->text) - 2
                                                                : part->size - 2});
    for (size_t i = 1; i < part->size; i++)
        if (strchr(interpreter->letters, part->text[i]))
            return true;
    return false;
}

/* Whether a literal that a placeholder follows is such an option, and the text begins in the same word. */
static bool template_begins_text(const struct command_part *part,
                                 const struct template_interpreter *interpreter)
{
    return template_takes_text(part, interpreter) &&
           (part->text[1] == '-' || strchr(interpreter->letters, part->text[1]) ||
            strchr(interpreter->letters, part->text[part->size - 1]));
}

static bool template_has_placeholder(const struct command_word *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->parts[i].kind == COMMAND_ARGUMENT || word->parts[i].kind == COMMAND_ALL_ARGUMENTS)
            return true;
    return false;
}

/* Whether a word after a program that runs another one may be its name: not an option, a variable or a
 * number. */
static bool template_may_be_program(const struct command_word *word)
{
    const struct command_part *part = word->parts;

    return word->n == 1 && part->kind == COMMAND_LITERAL && !strchr("-0123456789", part->text[0]) &&
           !memchr(part->text, '=', part->size);
}

/* Returns false if the word is the text of a program and has a placeholder. */
static bool template_scan_word(struct template_scan *scan, const struct command_word *word)
{
    const struct template_interpreter *interpreter = scan->interpreter;

    if (interpreter && template_has_placeholder(word) &&
        (scan->text || template_begins_text(word->parts, interpreter)))
        return false;
    scan->text = interpreter && word->n == 1 && template_takes_text(word->parts, interpreter);
    if (!interpreter || (interpreter->wraps && template_may_be_program(word))) {
        scan->program = word->parts;
        scan->interpreter = template_interpreter_of(word->parts);
    }
    return true;
}

static int template_check_interpreter(const struct template_reader *reader,
                                      const struct command_template *template)
{
    struct template_scan scan = {.interpreter = NULL};

    for (size_t i = 0; i < template->n; i++)
        for (size_t j = 0; j < template->groups[i].n; j++) {
            if (!template_scan_word(&scan, &template->groups[i].words[j]))
                return hf_error_set(
                    reader->reason, HAFT_EINVAL, "",
                    "a placeholder in the text of a program for %.*s would let a caller "
                    "run anything; pass it as a further argument",
                    (int)(scan.program->size < 40 ? scan.program->size : 40), scan.program->text);
            if (!scan.interpreter)
                return 0;
        }
    return 0;
}

/* ---- groups ---- */

static int template_read_words(struct template_reader *reader, haft_value *list, const char *place,
                               struct command_group *group)
{
    yyjson_val *item;
    size_t i, n;

    group->words =
        haft_arena_zalloc(reader->arena, yyjson_arr_size(list) + 1, sizeof *group->words);
    if (!group->words)
        return HAFT_ENOMEM;
    yyjson_arr_foreach(list, i, n, item) {
        struct command_word *word = &group->words[group->n++];
        int status;

        snprintf(reader->place, sizeof reader->place, "%s.%zu", place, i);
        if (!yyjson_is_str(item))
            return template_refuse(reader, "expected a word%s", "");
        if (++reader->n_words > COMMAND_WORDS)
            return template_refuse(reader, "too many words%s", "");
        status = template_read_word(reader, yyjson_get_str(item), word);
        if (status)
            return status;
    }
    return 0;
}

static int template_read_condition(struct template_reader *reader, haft_value *value,
                                   struct command_group *group)
{
    haft_value *condition = yyjson_obj_get(value, "if"), *words = yyjson_obj_get(value, "words");
    char place[24];

    if (!yyjson_is_str(condition) || !yyjson_is_arr(words) || yyjson_obj_size(value) != 2)
        return template_refuse(
            reader, "expected an object with \"if\", an argument, and \"words\", a list%s", "");
    group->condition = yyjson_get_str(condition);
    if (!reader->names->properties)
        return template_refuse(reader, "a condition needs an \"input\" schema%s", "");
    if (!template_knows(reader->names, group->condition))
        return template_refuse_name(reader, group->condition);
    snprintf(place, sizeof place, "%.12s.words", reader->place);
    return template_read_words(reader, words, place, group);
}

static int template_read_group(struct template_reader *reader, haft_value *value, size_t index,
                               struct command_group *group)
{
    char place[16];

    snprintf(reader->place, sizeof reader->place, "%zu", index);
    if (yyjson_is_arr(value)) {
        snprintf(place, sizeof place, "%zu", index % COMMAND_WORDS);
        return template_read_words(reader, value, place, group);
    }
    if (yyjson_is_obj(value))
        return template_read_condition(reader, value, group);
    if (!yyjson_is_str(value))
        return template_refuse(reader, "expected a word, a list of words, or a condition%s", "");
    if (++reader->n_words > COMMAND_WORDS)
        return template_refuse(reader, "too many words%s", "");
    group->words = haft_arena_zalloc(reader->arena, 1, sizeof *group->words);
    if (!group->words)
        return HAFT_ENOMEM;
    group->n = 1;
    group->is_word = true;
    return template_read_word(reader, yyjson_get_str(value), group->words);
}

/* ---- options whose values may be absent ---- */

static bool template_is_scalar(haft_value *value)
{
    return value && !yyjson_is_null(value) && !yyjson_is_arr(value);
}

/* Whether every value that a schema permits becomes at least one word. */
static bool template_has_value(haft_value *schema)
{
    haft_value *type = yyjson_obj_get(schema, "type"), *all = yyjson_obj_get(schema, "enum");
    yyjson_val *one;
    size_t i, n;

    if (yyjson_equals_str(type, "array"))
        return yyjson_get_num(yyjson_obj_get(schema, "minItems")) >= 1;
    if (yyjson_is_str(type))
        return !yyjson_equals_str(type, "null");
    yyjson_arr_foreach(all, i, n, one)
        if (!template_is_scalar(one))
            return false;
    return yyjson_arr_size(all) || template_is_scalar(yyjson_obj_get(schema, "const"));
}

static bool template_requires(haft_value *input, const char *name, haft_value *schema)
{
    yyjson_val *one;
    size_t i, n;

    yyjson_arr_foreach(yyjson_obj_get(input, "required"), i, n, one)
        if (yyjson_equals_str(one, name))
            return true;
    return yyjson_obj_get(schema, "default");
}

/* Whether an argument may be absent, null or an empty list. */
static bool template_may_vanish(haft_value *input, const char *name)
{
    haft_value *schema = yyjson_obj_get(yyjson_obj_get(input, "properties"), name);

    return input && (!template_requires(input, name, schema) || !template_has_value(schema));
}

static bool template_group_may_vanish(const struct template_reader *reader,
                                      const struct command_group *group)
{
    if (group->condition)
        return true;
    for (size_t i = 0; i < group->n; i++)
        for (size_t j = 0; j < group->words[i].n; j++)
            if (group->words[i].parts[j].kind == COMMAND_ARGUMENT &&
                template_may_vanish(reader->names->input, group->words[i].parts[j].text))
                return true;
    return false;
}

/* An option takes the next word if its value is absent, even "--": then a value after that could be an
 * option, or would be that of the wrong option. */
static int template_check_options(const struct template_reader *reader,
                                  const struct command_template *template)
{
    const struct command_word *option = NULL;

    for (size_t i = 1; i < template->n; i++) {
        const struct command_group *group = &template->groups[i];
        bool may_vanish = template_group_may_vanish(reader, group);
        char place[24];

        if (group->is_word && hf_command_is_dashes(group->words))
            return 0;
        snprintf(place, sizeof place, "%zu", i);
        if (option && may_vanish && i + 1 < template->n && hf_command_is_value(group))
            return hf_error_set(reader->reason, HAFT_EINVAL, place,
                                "may be absent, so that \"%.*s\" would take the word after it; "
                                "write both as one list, or only the option as a list if it has "
                                "no value",
                                (int)option->parts[0].size, option->parts[0].text);
        if (!may_vanish)
            option = group->is_word && hf_command_is_option(group->words) ? group->words : NULL;
    }
    return 0;
}

static bool template_names_program(haft_value *run)
{
    const char *program = yyjson_get_str(yyjson_arr_get_first(run));

    return program && *program && !strpbrk(program, "{}");
}

int hf_command_template_read(haft_arena *arena, haft_value *run, struct command_names *names,
                             struct command_template *ret_template, haft_reason *reterr_reason)
{
    struct template_reader reader = {.arena = arena, .names = names, .reason = reterr_reason};
    yyjson_val *item;
    size_t i, n;
    int status = 0;

    *ret_template = (struct command_template){.groups = NULL};
    if (!yyjson_is_arr(run) || !template_names_program(run))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "expected a list that begins with the name of a program");
    if (yyjson_arr_size(run) > COMMAND_WORDS)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "too many words");
    ret_template->groups =
        haft_arena_zalloc(arena, yyjson_arr_size(run), sizeof *ret_template->groups);
    if (!ret_template->groups)
        return HAFT_ENOMEM;
    yyjson_arr_foreach(run, i, n, item) {
        status = template_read_group(&reader, item, i, &ret_template->groups[ret_template->n++]);
        if (status)
            return status;
    }
    ret_template->uses_output = reader.uses_output;
    status = template_check_interpreter(&reader, ret_template);
    return status ? status : template_check_options(&reader, ret_template);
}

int hf_command_text_read(haft_arena *arena, const char *text, struct command_names *names,
                         struct command_word *ret_word, haft_reason *reterr_reason)
{
    struct template_reader reader = {.arena = arena, .names = names, .reason = reterr_reason};

    return template_read_word(&reader, text, ret_word);
}
