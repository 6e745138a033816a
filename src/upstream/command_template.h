/* upstream/command_template.h - argument vectors with placeholders.
 *
 * A template is a list of groups of words; a word is made of literals and placeholders.  There is no
 * shell: a word of the template is one argument of the program, or none, or, for a list, one for each
 * of its items.  A value never becomes several arguments, and never an option, unless the
 * template says so.  Everything here is without I/O. */
#ifndef HAFT_SRC_UPSTREAM_COMMAND_TEMPLATE_H
#define HAFT_SRC_UPSTREAM_COMMAND_TEMPLATE_H

#include <haft/json.h>

#include "base/base.h"

enum {
    COMMAND_WORDS = 2048,      /* of a template, and of what it becomes */
    COMMAND_WORD = 64 << 10,   /* bytes of a word */
    COMMAND_BYTES = 100 << 10, /* bytes of all words */
    COMMAND_STDIN = 16 << 20   /* bytes of standard input */
};

enum command_part_kind {
    COMMAND_LITERAL,
    COMMAND_ARGUMENT,      /* {name} */
    COMMAND_ALL_ARGUMENTS, /* {*}: all arguments as JSON */
    COMMAND_OUTPUT_FILE    /* {output}: name of the file that the result is read from */
};

struct command_part {
    enum command_part_kind kind;
    const char *text; /* literal, or name of the argument */
    size_t size;
    bool may_dash; /* its value may begin with - */
};

struct command_word {
    struct command_part *parts;
    size_t n;
};

/* Words that stand together: they vanish if an argument that they name is absent, null or an empty list. */
struct command_group {
    struct command_word *words;
    size_t n;
    bool is_word; /* a word on its own */
    const char
        *condition; /* argument without which, or with false in it, they vanish; NULL for none */
};

struct command_template {
    struct command_group *groups;
    size_t n;
    bool uses_output; /* {output} occurs */
};

/* Whether a word is exactly "--". */
bool hf_command_is_dashes(const struct command_word *word);
/* Whether a word is an option that may take the next word as its value: "-o" and "--output", but not
 * "--output=x". */
bool hf_command_is_option(const struct command_word *word);
/* Whether a group could be the value of an option before it: it does not begin with -. */
bool hf_command_is_value(const struct command_group *group);

/* What a template may refer to. */
struct command_names {
    haft_value *input;      /* schema; NULL: each name is a required string */
    haft_value *properties; /* of the input schema; NULL: any name */
    bool has_output;        /* {output} is the file */
    const char *const *allow_dash;
    size_t n_allow_dash;
    /* Names that occur, in order, if `properties` is NULL. */
    const char *found[64];
    size_t n_found;
};

/* Reads the value of "run".  Everything is in the arena.  Returns 0, or an error with the reason, whose path
 * is relative to "run". */
int hf_command_template_read(haft_arena *arena, haft_value *run, struct command_names *names,
                             struct command_template *ret_template, haft_reason *reterr_reason);
/* Reads a single text, such as that of standard input. */
int hf_command_text_read(haft_arena *arena, const char *text, struct command_names *names,
                         struct command_word *ret_word, haft_reason *reterr_reason);

/* Makes the arguments, NULL-terminated, in the arena.  `output` is the name of the output file, or
 * NULL.  Returns 0; HAFT_EINVAL with the reason, whose path is the argument, for a value that cannot be
 * one argument or looks like an option; HAFT_ETOOBIG; HAFT_ENOMEM. */
int hf_command_expand(const struct command_template *template, haft_value *arguments,
                      const char *output, haft_arena *arena, const char *const **ret_words,
                      size_t *ret_n, haft_reason *reterr_reason);
/* Makes a text, which may contain NUL; empty if an argument that it names is absent. */
int hf_command_expand_text(const struct command_word *word, haft_value *arguments,
                           haft_arena *arena, struct text *ret_text, haft_reason *reterr_reason);

#endif
