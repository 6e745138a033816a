/* demo/jinja.h - a part of Jinja: what templates of a home mostly use.
 *
 * Expressions with literals, arithmetic, comparisons, `in`, `and`, `or`, `not`, `if`/`else`, attributes, items, filters
 * and the functions states, is_state, state_attr, is_state_attr, has_value, now, min, max, range, float, int; statements
 * if, for, set.  What it does not know is an error, as in Home Assistant. */
#ifndef HOME_DEMO_JINJA_H
#define HOME_DEMO_JINJA_H

#include "demo/model.h"

struct demo_jinja {
    struct demo *demo;
    const char *trigger;   /* JSON of the variable `trigger`; NULL for none */
    haft_value *variables; /* further variables, an object; NULL for none */
    const char *error;     /* what is wrong, when rendering returned NULL */
    haft_buffer *entities; /* ids that were read, a line each; NULL if not needed */
    bool all;              /* all states were read */
    bool time;             /* the time was */
};

/* The result in the scratch arena; NULL with the error, "" of it without memory. */
char *demo_jinja_render(struct demo_jinja *jinja, const char *text);

#endif
