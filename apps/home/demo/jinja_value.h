/* demo/jinja_value.h - values of templates, and what evaluates them. */
#ifndef HOME_DEMO_JINJA_VALUE_H
#define HOME_DEMO_JINJA_VALUE_H

#include "demo/jinja.h"

enum jinja_kind {
    JINJA_UNDEFINED,
    JINJA_NONE,
    JINJA_BOOL,
    JINJA_INT,
    JINJA_FLOAT,
    JINJA_TEXT,
    JINJA_JSON,  /* an array or an object */
    JINJA_STATES /* the name `states`, or a domain of it */
};

struct jinja_value {
    enum jinja_kind kind;
    double number;    /* of a bool 0 or 1 */
    const char *text; /* of an undefined value its name, of states the domain or NULL */
    haft_value *json;
};

/* A variable that a template set, or a loop. */
struct jinja_variable {
    const char *name;
    struct jinja_value value;
    struct jinja_variable *next;
};

enum { JINJA_ARGUMENTS = 6, JINJA_DEPTH = 40, JINJA_STEPS = 200000, JINJA_OUTPUT = 262144 };

struct jinja_arguments {
    struct jinja_value at[JINJA_ARGUMENTS];
    const char *names[JINJA_ARGUMENTS]; /* of keyword arguments; NULL otherwise */
    size_t n;
};

struct jinja_run {
    struct demo_jinja *jinja;
    struct demo *demo;
    const char *at, *end; /* of the expression that is read */
    struct jinja_variable *variables;
    haft_buffer out;
    unsigned depth, steps;
    bool quiet; /* the value is not needed: nothing is looked up, nothing fails */
};

/* Sets the first error. */
void demo_jinja_fail(struct jinja_run *run, const char *format, ...) HAFT_PRINTF_(2, 3);
static inline bool jinja_has_failed(const struct jinja_run *run)
{
    return run->jinja->error;
}

/* Evaluates the expression between `at` and `end`, which it must fill. */
struct jinja_value demo_jinja_evaluate(struct jinja_run *run);
/* The same, up to a word that ends it ("in"): used by statements. */
struct jinja_value demo_jinja_expression(struct jinja_run *run);
void demo_jinja_skip_space(struct jinja_run *run);
/* Takes a name; an empty text if there is none. */
const char *demo_jinja_name(struct jinja_run *run);
bool demo_jinja_take(struct jinja_run *run, const char *sign);

struct jinja_value demo_jinja_call(struct jinja_run *run, const char *name,
                                   const struct jinja_arguments *arguments);
struct jinja_value demo_jinja_filter(struct jinja_run *run, const char *name,
                                     struct jinja_value value,
                                     const struct jinja_arguments *arguments);
struct jinja_value demo_jinja_variable(struct jinja_run *run, const char *name);
struct jinja_value demo_jinja_member(struct jinja_run *run, struct jinja_value of,
                                     const char *name);

struct jinja_value demo_jinja_of_json(haft_value *json);
/* Everything as an array; NULL if it is not one. */
haft_value *demo_jinja_list(struct jinja_run *run, struct jinja_value value);
/* As Python prints it; "" without memory. */
const char *demo_jinja_text(struct jinja_run *run, struct jinja_value value);
bool demo_jinja_is_true(struct jinja_value value);
int demo_jinja_compare(struct jinja_run *run, struct jinja_value left, struct jinja_value right,
                       bool *ret_comparable);
bool demo_jinja_is_number(struct jinja_value value);
/* A number, or a text that is one. */
bool demo_jinja_read_number(struct jinja_value value, double *ret_number);

/* A function or a filter; of a filter the value is the first argument. */
typedef struct jinja_value jinja_function(struct jinja_run *run, const struct jinja_arguments *of);
jinja_function demo_filter_upper, demo_filter_lower, demo_filter_title, demo_filter_capitalize,
    demo_filter_trim, demo_filter_replace, demo_filter_string, demo_filter_default, demo_filter_iif,
    demo_filter_length, demo_filter_join, demo_filter_list, demo_filter_first, demo_filter_last,
    demo_filter_map, demo_filter_selectattr, demo_filter_rejectattr, demo_filter_to_json;
/* An argument by its place, or by its name; undefined if it is not there. */
struct jinja_value demo_jinja_argument(const struct jinja_arguments *of, size_t at,
                                       const char *name);
const char *demo_jinja_text_argument(struct jinja_run *run, const struct jinja_arguments *of,
                                     size_t at);

static inline struct jinja_value jinja_text(const char *text)
{
    return (struct jinja_value){.kind = text ? JINJA_TEXT : JINJA_NONE, .text = text};
}
static inline struct jinja_value jinja_bool(bool value)
{
    return (struct jinja_value){.kind = JINJA_BOOL, .number = value};
}
static inline struct jinja_value jinja_float(double value)
{
    return (struct jinja_value){.kind = JINJA_FLOAT, .number = value};
}
static inline struct jinja_value jinja_int(double value)
{
    return (struct jinja_value){.kind = JINJA_INT, .number = value};
}
static inline struct jinja_value jinja_none(void)
{
    return (struct jinja_value){.kind = JINJA_NONE};
}
static inline struct jinja_value jinja_undefined(const char *name)
{
    return (struct jinja_value){.kind = JINJA_UNDEFINED, .text = name};
}

#endif
