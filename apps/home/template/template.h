/* template/template.h - templates in the language of Handlebars.
 *
 * {{path}}, {{{path}}}, {{&path}}, {{#if}} {{else}} {{#unless}} {{#each}} {{#with}} {{#path}}, helpers with
 * arguments and sub-expressions, @index @key @first @last @root, `this`, `../`, block parameters, comments
 * and whitespace control work as in Handlebars 4, escaping for HTML included.  Partials, decorators and raw
 * blocks are errors.  A template can only read what it is given, and its steps, nesting and output are
 * limited. */
#ifndef HOME_TEMPLATE_H
#define HOME_TEMPLATE_H

#include <haft.h>

enum template_kind {
    TEMPLATE_UNDEFINED,
    TEMPLATE_NULL,
    TEMPLATE_BOOLEAN,
    TEMPLATE_NUMBER,
    TEMPLATE_TEXT,
    TEMPLATE_JSON /* an array or an object */
};

struct template_value {
    enum template_kind kind;
    bool boolean;
    double number;
    const char *text;
    size_t size;
    haft_value *json;
};

/* A helper of the program's own: {{state "light.kitchen"}}. */
struct template_helper {
    const char *name;
    size_t least, most; /* arguments */
    struct template_value (*call)(void *context, const struct template_value *arguments, size_t n);
};

struct template_options {
    const struct template_helper *helpers; /* ends with a row without a name; NULL for none */
    void *context;                         /* first argument of their calls */
    size_t max_output;                     /* bytes: 256 KiB */
    size_t max_steps;                      /* nodes that are rendered: 100,000 */
    bool (*stop)(void *context);           /* asked now and then whether to give up; NULL: never */
};

/* The value of a JSON value; NULL is undefined. */
struct template_value template_value_of(haft_value *json);
bool template_is_true(const struct template_value *value);

/* Renders a template over `root`, an object.  Returns 0; HAFT_EINVAL for a template that is wrong,
 * HAFT_ETOOBIG, HAFT_EDEPTH or HAFT_ESTEPS for one that exceeds a limit, HAFT_ECLOSED if it was to stop, or
 * HAFT_ENOMEM, with the reason, which names the line. */
int template_render(const char *text, size_t size, haft_value *root,
                    const struct template_options *options, haft_arena *arena, haft_buffer *out,
                    haft_reason *reterr_reason);

#endif
