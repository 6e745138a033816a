/* shape.h - what the answers of a server must look like, as data.
 *
 * A server may send any JSON.  What the program reads of it is held against a shape first, so that
 * whoever reads it can rely on the types.  A shape names the members that the program reads, and no
 * others. */
#ifndef HAFT_SHAPE_H
#define HAFT_SHAPE_H

#include "json/json.h"

enum shape_type { SHAPE_OBJECT, SHAPE_ARRAY, SHAPE_STRING, SHAPE_BOOLEAN, SHAPE_INTEGER };

struct shape {
    enum shape_type type;
    const struct shape_member *members; /* of an object; ends with a row without a name; or NULL */
    const struct shape *each;           /* item of an array or value of an object; or NULL */
    const struct shape_case *cases;     /* further members of an object, by its "type"; ends with a
                                           row without one; or NULL */
};

struct shape_member {
    const char *name;
    const struct shape *shape;
    bool required; /* if not, it may be missing or null */
};

struct shape_case {
    const char *type;
    const struct shape_member *members;
};

/* Returns 0, or HAFT_EINVAL with the path ("tools[1].name") and what is wrong there ("must be a
 * string, not null") in *reterr_reason.  `path` is where the value itself is, "" for the whole; the
 * value is NULL when it is missing. */
int shape_check(const struct shape *shape, yyjson_val *value, const char *path,
                haft_reason *reterr_reason);

/* Results, by what was asked. */
extern const struct shape shape_greeting, shape_discovery, shape_tools, shape_prompts,
    shape_resources, shape_templates, shape_call;
/* Any result, and one that asks for something first. */
extern const struct shape shape_result, shape_input_required;
/* The parameters of a question that is a form. */
extern const struct shape shape_form;
extern const struct shape shape_error;

#endif
