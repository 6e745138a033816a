/* command_expand.c - argument vectors from templates and arguments.
 *
 * Each word is built in a buffer and copied once.  A word that begins with a - that is not in the
 * template is refused, because a program would take it for an option. */
#include <string.h>
#include <yyjson.h>

#include "upstream/command_template.h"

struct expand {
    haft_arena *arena;
    haft_value *arguments;
    const char *output;
    haft_reason *reason;
    haft_buffer word;
    const char **words;
    size_t n, bytes;
    const struct command_word *last; /* that words were made of */
    bool lost;                       /* after it, what could be its value has vanished */
    bool guarded;                    /* "--" precedes: no word can be an option */
};

/* The argument; NULL if it is absent or null. */
static haft_value *expand_argument(const struct expand *expand, const char *name)
{
    haft_value *value = yyjson_obj_get(expand->arguments, name);

    return yyjson_is_null(value) ? NULL : value;
}

static void expand_put_value(haft_buffer *word, haft_value *value)
{
    if (yyjson_is_str(value))
        haft_buffer_add(word, yyjson_get_str(value), yyjson_get_len(value));
    else
        haft_json_write(value, word);
}

/* Appends a part; `item` stands for an argument that is a list. */
static void expand_put_part(struct expand *expand, const struct command_part *part,
                            haft_value *item)
{
    haft_value *value;

    switch (part->kind) {
    case COMMAND_LITERAL:
        haft_buffer_add(&expand->word, part->text, part->size);
        return;
    case COMMAND_OUTPUT_FILE:
        haft_buffer_puts(&expand->word, expand->output ? expand->output : "");
        return;
    case COMMAND_ALL_ARGUMENTS:
        if (expand->arguments)
            haft_json_write(expand->arguments, &expand->word);
        else
            haft_buffer_puts(&expand->word, "{}");
        return;
    default:
        value = expand_argument(expand, part->text);
        expand_put_value(&expand->word, item && yyjson_is_arr(value) ? item : value);
    }
}

/* The argument that a word begins with; NULL if it begins with something else.  Any of the arguments
 * at its beginning may be empty, so that the first character is that of the next: all must permit it
 * to be -. */
static const char *expand_first_argument(const struct command_word *word, bool *ret_may_dash)
{
    *ret_may_dash = true;
    for (size_t i = 0; i < word->n && word->parts[i].kind == COMMAND_ARGUMENT; i++)
        *ret_may_dash = *ret_may_dash && word->parts[i].may_dash;
    return word->n && word->parts[0].kind == COMMAND_ARGUMENT ? word->parts[0].text : NULL;
}

static int expand_check(const struct expand *expand, const struct command_word *word)
{
    const haft_buffer *made = &expand->word;
    bool may_dash;
    const char *name = expand_first_argument(word, &may_dash);

    if (made->size && memchr(made->data, 0, made->size))
        return hf_error_set(expand->reason, HAFT_EINVAL, name ? name : "",
                            "an argument of a program cannot contain NUL");
    if (made->size && made->data[0] == '-' && name && !may_dash && !expand->guarded)
        return hf_error_set(expand->reason, HAFT_EINVAL, name,
                            "must not begin with \"-\", which would make it an option");
    return 0;
}

static int expand_refuse_size(const struct expand *expand)
{
    return hf_error_set(expand->reason, HAFT_ETOOBIG, "",
                        "the arguments of the program are over %d words or %d bytes", COMMAND_WORDS,
                        COMMAND_BYTES);
}

/* Makes one argument of a word. */
static int expand_add(struct expand *expand, const struct command_word *word, haft_value *item)
{
    int status;

    haft_buffer_clear(&expand->word);
    for (size_t i = 0; i < word->n; i++)
        expand_put_part(expand, &word->parts[i], item);
    if (expand->word.status)
        return expand->word.status == HAFT_ETOOBIG ? expand_refuse_size(expand)
                                                   : expand->word.status;
    status = expand_check(expand, word);
    if (status)
        return status;
    expand->bytes += expand->word.size + 1;
    if (expand->n == COMMAND_WORDS || expand->bytes > COMMAND_BYTES)
        return expand_refuse_size(expand);
    expand->words[expand->n] = haft_arena_copy(
        expand->arena, expand->word.data ? expand->word.data : "", expand->word.size);
    return expand->words[expand->n++] ? 0 : HAFT_ENOMEM;
}

/* The list among the arguments of a word, of which there is at most one; HAFT_EINVAL for more. */
static int expand_find_list(const struct expand *expand, const struct command_word *word,
                            haft_value **ret_list)
{
    *ret_list = NULL;
    for (size_t i = 0; i < word->n; i++) {
        haft_value *value = word->parts[i].kind == COMMAND_ARGUMENT
                                ? expand_argument(expand, word->parts[i].text)
                                : NULL;

        if (!yyjson_is_arr(value))
            continue;
        if (*ret_list)
            return hf_error_set(expand->reason, HAFT_EINVAL, word->parts[i].text,
                                "two lists in one argument of a program");
        *ret_list = value;
    }
    return 0;
}

static int expand_word(struct expand *expand, const struct command_word *word)
{
    haft_value *list, *item;
    size_t i, n;
    int status = expand_find_list(expand, word, &list);

    /* If an option has lost its value, it takes the "--". */
    if (hf_command_is_dashes(word) &&
        !(expand->lost && expand->last && hf_command_is_option(expand->last)))
        expand->guarded = true;
    expand->last = word;
    expand->lost = false;
    if (status || !list)
        return status ? status : expand_add(expand, word, NULL);
    yyjson_arr_foreach(list, i, n, item) {
        status = expand_add(expand, word, item);
        if (status)
            return status;
    }
    return 0;
}

static bool expand_is_absent(const struct expand *expand, const struct command_word *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->parts[i].kind == COMMAND_ARGUMENT &&
            !expand_argument(expand, word->parts[i].text))
            return true;
    return false;
}

static bool expand_is_empty(const struct expand *expand, const struct command_word *word)
{
    for (size_t i = 0; i < word->n; i++) {
        haft_value *value = word->parts[i].kind == COMMAND_ARGUMENT
                                ? expand_argument(expand, word->parts[i].text)
                                : NULL;

        if (yyjson_is_arr(value) && !yyjson_arr_size(value))
            return true;
    }
    return false;
}

/* Whether a group vanishes. */
static bool expand_vanishes(const struct expand *expand, const struct command_group *group)
{
    haft_value *condition = group->condition ? expand_argument(expand, group->condition) : NULL;

    if (group->condition && (!condition || yyjson_is_false(condition)))
        return true;
    for (size_t i = 0; i < group->n; i++)
        if (expand_is_absent(expand, &group->words[i]) || expand_is_empty(expand, &group->words[i]))
            return true;
    return false;
}

static int expand_groups(struct expand *expand, const struct command_template *template)
{
    int status = 0;

    for (size_t i = 0; !status && i < template->n; i++) {
        const struct command_group *group = &template->groups[i];
        bool guarded = expand->guarded;

        if (expand_vanishes(expand, group)) {
            expand->lost = expand->lost || hf_command_is_value(group);
            continue;
        }
        for (size_t j = 0; !status && j < group->n; j++)
            status = expand_word(expand, &group->words[j]);
        if (!group->is_word) /* a "--" in it is for it alone */
            expand->guarded = guarded;
    }
    return status;
}

int hf_command_expand(const struct command_template *template, haft_value *arguments,
                      const char *output, haft_arena *arena, const char *const **ret_words,
                      size_t *ret_n, haft_reason *reterr_reason)
{
    struct expand expand = {.arena = arena,
                            .arguments = arguments,
                            .output = output,
                            .reason = reterr_reason,
                            .words = haft_arena_alloc(arena, (COMMAND_WORDS + 1) * sizeof(char *))};
    int status;

    if (!expand.words)
        return HAFT_ENOMEM;
    haft_buffer_init(&expand.word, hf_arena_allocator(arena), COMMAND_WORD);
    status = expand_groups(&expand, template);
    haft_buffer_finish(&expand.word);
    if (status)
        return status;
    expand.words[expand.n] = NULL;
    *ret_words = expand.words;
    *ret_n = expand.n;
    return 0;
}

int hf_command_expand_text(const struct command_word *word, haft_value *arguments,
                           haft_arena *arena, struct text *ret_text, haft_reason *reterr_reason)
{
    struct expand expand = {.arena = arena, .arguments = arguments, .reason = reterr_reason};
    int status;

    *ret_text = (struct text){"", 0};
    if (expand_is_absent(&expand, word))
        return 0;
    haft_buffer_init(&expand.word, hf_arena_allocator(arena), COMMAND_STDIN);
    for (size_t i = 0; i < word->n; i++)
        expand_put_part(&expand, &word->parts[i], NULL);
    status = expand.word.status;
    if (!status && expand.word.size) {
        *ret_text = (struct text){haft_arena_copy(arena, expand.word.data, expand.word.size),
                                  expand.word.size};
        status = ret_text->data ? 0 : HAFT_ENOMEM;
    }
    haft_buffer_finish(&expand.word);
    return status;
}
