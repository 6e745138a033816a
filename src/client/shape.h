/* client/shape.h - the expected structure of a server's responses, as data.
 *
 * A server may send any JSON. The parts that the program reads are checked against a shape first,
 * so that later code can rely on the types. A shape lists only the members that the program
 * reads. */
#ifndef HAFT_SRC_CLIENT_SHAPE_H
#define HAFT_SRC_CLIENT_SHAPE_H

#include "json/json.h"

enum shape_type { SHAPE_OBJECT, SHAPE_ARRAY, SHAPE_STRING, SHAPE_BOOLEAN, SHAPE_INTEGER };

struct shape {
    enum shape_type type;
    const struct shape_member *members; /* members of an object; ends with a row without a name; or
                                         * NULL */
    const struct shape *each;           /* shape of an array's items or an object's values; or
                                         * NULL */
    const struct shape_case *cases;     /* further members of an object, by its "type"; ends with a
                                         * row without one; or NULL */
};

struct shape_member {
    const char *name;
    const struct shape *shape;
    bool required; /* if false, it may be missing or null */
};

struct shape_case {
    const char *type;
    const struct shape_member *members;
};

/* Returns 0, or HAFT_EINVAL with the path ("tools[1].name") and the error ("must be a string, not
 * null") in *reterr_reason. `path` is the path of the value itself, "" for the root; the value is
 * NULL if it is missing. */
int hf_shape_check(const struct shape *shape, yyjson_val *value, const char *path,
                   haft_reason *reterr_reason);

/* Results, by method. */
extern const struct shape hf_shape_greeting, hf_shape_discovery, hf_shape_tools, hf_shape_prompts,
    hf_shape_resources, hf_shape_templates, hf_shape_call, hf_shape_read, hf_shape_get,
    hf_shape_completion;
/* Pages of lists without the shape of their entries, and these. */
extern const struct shape hf_shape_tool_page, hf_shape_prompt_page, hf_shape_resource_page,
    hf_shape_template_page, hf_shape_tool, hf_shape_prompt, hf_shape_resource, hf_shape_template;
/* A task. */
extern const struct shape hf_shape_task;
/* Any result, and one that requires input first. */
extern const struct shape hf_shape_result, hf_shape_input_required;
/* The parameters of an elicitation, of a form or of a URL. */
extern const struct shape hf_shape_form, hf_shape_url;
extern const struct shape hf_shape_error;

#endif
