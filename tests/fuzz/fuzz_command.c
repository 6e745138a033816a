/* fuzz_command.c - any arguments in any template of a program.
 *
 * The bytes are a program for a small machine that builds a template, arguments and, on its own, the
 * expected words.  What comes back has exactly these words, each equal to the values that it was made
 * of, or is a refusal where one is due: a value that looks like an option, or has NUL, or an option that could
 * lose its value to the word after it.  If the first byte is
 * even, the rest is the template and the arguments as JSON, on two lines, which must only not crash. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "upstream/command_template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    LIMIT = 64 << 20,
    NAMES = 4,
    ITEMS = 4,
    WORD = 4096,
    RESULT = 256,
    PARTS = 6,
    ELEMENTS = 12
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

struct source {
    const uint8_t *at;
    size_t left;
};

static unsigned take(struct source *source)
{
    if (!source->left)
        return 0;
    source->left--;
    return *source->at++;
}

/* A piece of valid UTF-8, which may contain anything. */
static struct text take_text(struct source *source)
{
    size_t size = take(source) % 12;
    struct text text;

    size = size < source->left ? size : source->left;
    text = (struct text){(const char *)source->at, haft_utf8_valid((const char *)source->at, size)};
    source->at += size;
    source->left -= size;
    return text;
}

/* ---- arguments ---- */

enum kind { ABSENT, TEXT_VALUE, TRUTH, LIST };

struct argument {
    enum kind kind;
    struct text items[ITEMS];
    size_t n;
};

static void make_arguments(struct source *source, struct argument arguments[NAMES],
                           haft_buffer *json)
{
    bool first = true;

    haft_buffer_puts(json, "{");
    for (int i = 0; i < NAMES; i++) {
        struct argument *argument = &arguments[i];

        *argument = (struct argument){.kind = (enum kind)(take(source) % 4)};
        if (argument->kind == ABSENT)
            continue;
        haft_buffer_printf(json, "%s\"%c\":", first ? "" : ",", 'a' + i);
        first = false;
        if (argument->kind == TRUTH) {
            argument->items[argument->n++] = (struct text){"true", 4};
            haft_buffer_puts(json, "true");
            continue;
        }
        argument->n = argument->kind == LIST ? take(source) % (ITEMS + 1) : 1;
        haft_buffer_puts(json, argument->kind == LIST ? "[" : "");
        for (size_t j = 0; j < argument->n; j++) {
            argument->items[j] = take_text(source);
            haft_buffer_puts(json, j ? "," : "");
            haft_buffer_json_string(json, argument->items[j].data, argument->items[j].size);
        }
        haft_buffer_puts(json, argument->kind == LIST ? "]" : "");
    }
    haft_buffer_puts(json, "}");
}

/* ---- a word, and what it becomes ---- */

struct part {
    int name; /* -1 for a literal */
    struct text literal;
};

struct word {
    struct part parts[PARTS];
    size_t n;
    bool guarded;
};

struct expected {
    char words[RESULT][WORD];
    size_t sizes[RESULT], n;
    bool refused;
};

static void make_word(struct source *source, struct word *word, haft_buffer *json)
{
    char text[WORD];
    size_t size = 0;

    word->n = take(source) % PARTS;
    for (size_t i = 0; i < word->n; i++) {
        struct part *part = &word->parts[i];

        part->name = take(source) & 1 ? (int)(take(source) % NAMES) : -1;
        if (part->name >= 0) {
            text[size++] = '{';
            text[size++] = (char)('a' + part->name);
            text[size++] = '}';
            continue;
        }
        part->literal = take_text(source);
        part->literal.size = strnlen(part->literal.data, part->literal.size);
        for (size_t j = 0; j < part->literal.size; j++) {
            char c = part->literal.data[j];

            text[size++] = c;
            if (c == '{' || c == '}')
                text[size++] = c;
        }
    }
    haft_buffer_json_string(json, text, size);
}

static bool is_absent(const struct word *word, const struct argument *arguments)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->parts[i].name >= 0 && !arguments[word->parts[i].name].n)
            return true; /* or an empty list */
    return false;
}

/* The first part that is not an empty literal is a placeholder. */
static bool begins_with_value(const struct word *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->parts[i].name >= 0 || word->parts[i].literal.size)
            return word->parts[i].name >= 0;
    return false;
}

static void expect_one(const struct word *word, const struct argument *arguments, size_t item,
                       struct expected *expected)
{
    char *made = expected->words[expected->n];
    size_t size = 0;

    for (size_t i = 0; i < word->n; i++) {
        const struct part *part = &word->parts[i];
        const struct argument *argument = part->name >= 0 ? &arguments[part->name] : NULL;
        struct text text = !argument                ? part->literal
                           : argument->kind == LIST ? argument->items[item]
                                                    : argument->items[0];

        memcpy(made + size, text.data, text.size);
        size += text.size;
    }
    expected->refused = expected->refused || memchr(made, 0, size) ||
                        (size && *made == '-' && begins_with_value(word) && !word->guarded);
    expected->sizes[expected->n++] = size;
}

static void expect(const struct word *word, const struct argument *arguments,
                   struct expected *expected)
{
    const struct argument *list = NULL;

    for (size_t i = 0; i < word->n; i++)
        if (word->parts[i].name >= 0 && arguments[word->parts[i].name].kind == LIST) {
            expected->refused = expected->refused || list;
            list = &arguments[word->parts[i].name];
        }
    if (expected->refused)
        return;
    for (size_t i = 0; i < (list ? list->n : 1); i++)
        expect_one(word, arguments, i, expected);
}

/* The text of a word without placeholders, with a NUL; empty if it has any. */
static size_t literal_of(const struct word *word, char text[PARTS * 12])
{
    size_t size = 0;

    *text = 0;
    for (size_t i = 0; i < word->n; i++) {
        if (word->parts[i].name >= 0)
            return *text = 0;
        memcpy(text + size, word->parts[i].literal.data, word->parts[i].literal.size);
        size += word->parts[i].literal.size;
        text[size] = 0;
    }
    return size;
}

static bool is_dashes(const struct word *word)
{
    char text[PARTS * 12];

    return literal_of(word, text) == 2 && !strcmp(text, "--");
}

static bool may_take_next(const struct word *word)
{
    char text[PARTS * 12];

    return literal_of(word, text) > 1 && *text == '-' && strcmp(text, "--") != 0 &&
           !(text[1] == '-' && strchr(text, '='));
}

static bool begins_with_dash(const struct word *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->parts[i].name >= 0 || word->parts[i].literal.size)
            return word->parts[i].name < 0 && *word->parts[i].literal.data == '-';
    return false;
}

static bool has_value(const struct word *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->parts[i].name >= 0)
            return true;
    return false;
}

/* ---- templates ---- */

/* What precedes an element. */
struct before {
    bool guarded;      /* by "--" */
    bool hungry, lost; /* the last word may take the next; what could be its value is absent */
    bool option;       /* the template's last word that is never absent may take the next */
    bool over;         /* the template has "--" */
};

/* Whether the template is refused: an argument may always be absent here. */
static bool is_refused(const struct word *words, unsigned group, unsigned count, bool last,
                       struct before *before)
{
    bool vanishes = false, refused;

    for (unsigned j = 0; j < count; j++)
        vanishes = vanishes || has_value(&words[j]);
    before->over = before->over || (!group && is_dashes(words));
    refused = !before->over && before->option && vanishes && !last && !begins_with_dash(words);
    if (!vanishes)
        before->option = !group && may_take_next(words);
    return refused;
}

static void expect_group(struct word *words, unsigned group, unsigned count,
                         const struct argument *arguments, struct before *before,
                         struct expected *expected)
{
    bool absent = false, guarded = before->guarded;

    for (unsigned j = 0; j < count; j++)
        absent = absent || is_absent(&words[j], arguments);
    if (absent) {
        before->lost = before->lost || !begins_with_dash(words);
        return;
    }
    for (unsigned j = 0; !expected->refused && j < count; j++) {
        guarded = guarded || (is_dashes(&words[j]) && !(before->hungry && before->lost));
        words[j].guarded = guarded;
        before->hungry = may_take_next(&words[j]);
        before->lost = false;
        expect(&words[j], arguments, expected);
    }
    if (!group)
        before->guarded = guarded;
}

/* Elements are words, and groups of up to three. */
static void make_template(struct source *source, const struct argument *arguments,
                          haft_buffer *json, struct expected *expected)
{
    unsigned n = take(source) % ELEMENTS;
    struct before before = {.guarded = false};
    bool refused = false;

    haft_buffer_puts(json, "[\"p\"");
    expected->n = 1;
    memcpy(expected->words[0], "p", expected->sizes[0] = 1);
    for (unsigned i = 0; i < n; i++) {
        unsigned group = take(source) % 4; /* 0: a plain word */
        unsigned count = group ? group : 1;
        struct word words[3];

        haft_buffer_puts(json, group ? ",[" : ",");
        for (unsigned j = 0; j < count; j++) {
            haft_buffer_puts(json, j ? "," : "");
            make_word(source, &words[j], json);
        }
        haft_buffer_puts(json, group ? "]" : "");
        refused = is_refused(words, group, count, i + 1 == n, &before) || refused;
        if (!expected->refused)
            expect_group(words, group, count, arguments, &before, expected);
    }
    expected->refused = expected->refused || refused;
    haft_buffer_puts(json, "]");
}

/* ---- the comparison ---- */

static int run(haft_arena *arena, const struct text *template_text, const struct text *arguments,
               const char *const **ret_words, size_t *ret_n)
{
    haft_value *template_value =
        haft_json_read(template_text->data, template_text->size, 0, arena, NULL);
    haft_value *values = haft_json_read(arguments->data, arguments->size, 0, arena, NULL);
    static const char schema[] = "{\"properties\":{\"a\":{},\"b\":{},\"c\":{},\"d\":{}}}";
    haft_value *input = haft_json_read(schema, sizeof schema - 1, 0, arena, NULL);
    struct command_names names = {
        .input = input, .properties = yyjson_obj_get(input, "properties"), .has_output = true};
    struct command_template made;
    haft_reason reason;
    int status;

    if (!template_value || !yyjson_is_obj(values))
        return HAFT_EPARSE;
    status = hf_command_template_read(arena, template_value, &names, &made, &reason);
    return status ? status
                  : hf_command_expand(&made, values, "/out", arena, ret_words, ret_n, &reason);
}

static void compare(haft_arena *arena, struct source source)
{
    static struct expected expected;
    struct argument arguments[NAMES];
    haft_buffer values, text;
    const char *const *words;
    size_t n;
    int status;

    expected.n = 0;
    expected.refused = false;
    haft_buffer_init(&values, NULL, LIMIT);
    haft_buffer_init(&text, NULL, LIMIT);
    make_arguments(&source, arguments, &values);
    make_template(&source, arguments, &text, &expected);
    require(!values.status && !text.status);
    status = run(arena, &(struct text){text.data, text.size},
                 &(struct text){values.data, values.size}, &words, &n);
    require(status == (expected.refused ? HAFT_EINVAL : 0));
    if (!status) {
        require(n == expected.n && !words[n]);
        for (size_t i = 0; i < n; i++)
            require(strlen(words[i]) == expected.sizes[i] &&
                    !memcmp(words[i], expected.words[i], expected.sizes[i]));
    }
    haft_buffer_finish(&values);
    haft_buffer_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data + 1, *end;
    haft_arena *arena;
    const char *const *words;
    size_t n;

    if (!size)
        return 0;
    arena = haft_arena_new(NULL, LIMIT);
    require(arena);
    end = memchr(text, '\n', size - 1);
    if (*data & 1)
        compare(arena, (struct source){data + 1, size - 1});
    else if (end)
        run(arena, &(struct text){text, (size_t)(end - text)},
            &(struct text){end + 1, size - 2 - (size_t)(end - text)}, &words, &n);
    haft_arena_free(arena);
    return 0;
}
