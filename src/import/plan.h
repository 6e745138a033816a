/* import/plan.h - how arguments of an operation become a request: what its files share.
 *
 * A plan is data.  Reading a document (plan.c, parameter.c, body.c) decides places, names and encodings
 * once; making a request (request.c, parameter_write.c, body_write.c, multipart.c) only follows it. */
#ifndef HAFT_SRC_IMPORT_PLAN_H
#define HAFT_SRC_IMPORT_PLAN_H

#include "import/document.h"
#include "json/json.h"

enum parameter_place {
    PARAMETER_PATH,
    PARAMETER_QUERY,
    PARAMETER_HEADER,
    PARAMETER_COOKIE,
    PARAMETER_FIELD, /* of a form */
    PARAMETER_BODY,  /* the whole body, or a member of a JSON body */
    PARAMETER_IGNORED
};

/* How arrays and objects are written; the others differ only in separators. */
enum parameter_style {
    PARAMETER_SIMPLE, /* "a,b" */
    PARAMETER_LABEL,  /* ".a.b" */
    PARAMETER_MATRIX, /* ";name=a,b" */
    PARAMETER_FORM,   /* "name=a,b", also delimited by spaces, tabs or pipes */
    PARAMETER_DEEP,   /* "name[key]=a" */
    PARAMETER_JSON,   /* one JSON text, or a string as it is if it need not be JSON */
};

/* A parameter, or a field of a body. */
struct import_parameter {
    const char *argument; /* that it is called by */
    const char *name;     /* in the request */
    enum parameter_place place;
    enum parameter_style style;
    const char *separator; /* of items that are not exploded, as it is sent */
    bool explode;
    bool reserved; /* reserved characters are sent as they are */
    bool empty;    /* may be sent without a value */
    bool required;
    bool file;            /* bytes: the argument is base64, or a file with its type and name */
    bool list;            /* an array of files */
    bool objects_as_json; /* objects are written as JSON, whatever the style */
    const char *type;     /* media type of a part of a multipart body; NULL for the default */
    yyjson_val *fixed;    /* value of the configuration; NULL if it is an argument */
    yyjson_val *fallback; /* default of a required one; NULL if there is none */

    /* while the plan is made */
    yyjson_val *definition; /* parameter of the document; NULL for fields */
    yyjson_val *schema;     /* NULL if there is none */
};

enum body_kind { BODY_JSON, BODY_FORM, BODY_MULTIPART, BODY_TEXT, BODY_BYTES };

struct import_body {
    enum body_kind kind;
    const char *type; /* Content-Type; of a multipart body without the boundary */
    bool required;
    bool plain;  /* an object without rules beyond its members, which are the fields */
    bool lifted; /* the fields are arguments; otherwise they only say how members are sent */
    struct import_parameter *fields;
    size_t n_fields, fields_room;
    struct import_parameter whole; /* the argument of a body that is not lifted */
    const char *description;
};

/* A part of a path: a literal, encoded, or a parameter. */
struct import_piece {
    const char *literal;
    const struct import_parameter *parameter;
};

struct import_plan {
    const struct import_piece *path;
    size_t n_path;
    const char *query; /* of the path template, without "?"; "" if there is none */
    struct import_parameter *parameters;
    size_t n_parameters;
    struct import_body *body; /* NULL if there is none */
};

/* What a response means. */
struct import_answer {
    const char *accept; /* the header of that name */
};

/* ---- memory ---- */

/* A buffer whose memory is the arena's: it is not finished, and lives as long as the arena. */
struct import_text {
    haft_buffer buffer;
    haft_allocator allocator; /* used by address, so that the struct must not move */
};
enum { IMPORT_TEXT_LIMIT = 1 << 30 };
haft_buffer *hf_import_text_init(struct import_text *text, haft_arena *arena);
/* Ends it with a NUL.  NULL if it failed. */
const char *hf_import_text_end(haft_buffer *text);

/* The string of a value, or NULL if it is not a string or contains a NUL. */
const char *hf_import_string(yyjson_val *value);
/* The value if it is an object, else an empty one: yyjson_obj_foreach accepts only objects. */
static inline yyjson_val *import_object(yyjson_val *value)
{
    static yyjson_val empty = {.tag = YYJSON_TYPE_OBJ, .uni.ofs = sizeof empty};

    return yyjson_is_obj(value) ? value : &empty;
}

/* A copy that lives in the arena, without the members that are named; NULL without memory. */
yyjson_val *hf_import_without(haft_arena *arena, yyjson_val *object, const char *const names[]);

/* ---- reading (parameter.c, body.c) ---- */

/* Reads a parameter object into *ret_parameter: PARAMETER_IGNORED if it is not sent. */
int hf_import_read_parameter(const struct import_document *document, yyjson_val *definition,
                             struct import_parameter *ret_parameter, haft_reason *reterr_reason);
/* Reads the style of a parameter, or of a field's encoding, which decides the defaults by its place. */
void hf_import_read_style(yyjson_val *definition, struct import_parameter *parameter);
/* Returns what a value refers to, or NULL if that cannot be followed; its conversion reports why.  Sets *status to
 * HAFT_ENOMEM only if memory ran out. */
yyjson_val *hf_import_peek(const struct import_document *document, yyjson_val *value, int *status);
/* Whether a schema is that of bytes, or of an array of such; sets *status as hf_import_peek does. */
bool hf_import_is_file(const struct import_document *document, yyjson_val *schema, bool *ret_list,
                       int *status);
/* Converts the schema of an argument, with its description.  NULL on failure, with shaper->reason. */
yyjson_mut_val *hf_import_argument_shape(struct import_shaper *shaper,
                                         const struct import_parameter *parameter);
/* Whether a media type is JSON. */
bool hf_import_type_is_json(const char *type, size_t size);
/* Whether a media type is another kind of text. */
bool hf_import_type_is_text(const char *type);

/* Reads the body of an operation; *ret_body is NULL if it has none.  Parameters of 2.0 that are a body or
 * fields of a form are passed, resolved. */
int hf_import_read_body(const struct import_document *document, const char *method,
                        yyjson_val *operation, yyjson_val *const parameters[], size_t n,
                        struct import_body **ret_body, haft_reason *reterr_reason);
/* Converts the schema of a body that is one argument. */
yyjson_mut_val *hf_import_body_shape(struct import_shaper *shaper, const struct import_body *body);

/* Names the arguments of a plan, and decides whether the members of its body are arguments (parameter_name.c).
 * `n_bodies` is the number of parameters of 2.0 that are its body.  Returns 0 or HAFT_ENOMEM. */
int hf_import_name_arguments(struct import_plan *plan, size_t n_bodies, haft_arena *arena);

/* ---- writing (parameter_write.c, body_write.c, multipart.c) ---- */

/* The value that is sent for a parameter: NULL for none. */
yyjson_val *hf_import_value(const struct import_parameter *parameter, yyjson_val *arguments);

/* Appends a value in the parameter's style.  Pairs of the query and of forms are preceded by "&", and cookies by
 * "; ", unless the buffer is empty. */
void hf_import_put_parameter(haft_buffer *out, const struct import_parameter *parameter,
                             yyjson_val *value);

/* A body that is being written. */
struct body_writer {
    const struct import_body *body;
    yyjson_val *arguments;
    haft_arena *arena;
    haft_buffer *out;
    const char *type; /* Content-Type: set by the writer */
    haft_reason *reason;
};

/* Writes the body.  Returns 1, 0 if there is none, HAFT_ENOMEM, or HAFT_EINVAL with the reason. */
int hf_import_write_body(struct body_writer *writer);
int hf_import_write_multipart(struct body_writer *writer);

/* The next field with a value, beginning with *at = 0; false at the end.  *ret_name is the name that it is sent
 * by. */
bool hf_import_next_field(const struct body_writer *writer, size_t *at,
                          const struct import_parameter **ret_field, const char **ret_name,
                          yyjson_val **ret_value);

/* The bytes of a file argument: base64, or an object with `data`, `type` and `name`. */
struct import_file {
    const char *bytes;
    size_t size;
    const char *type, *name; /* NULL if they are not given */
};
int hf_import_read_file(const char *argument, yyjson_val *value, haft_arena *arena,
                        struct import_file *ret_file, haft_reason *reterr_reason);

#endif
