/* plan.c - the plan of an operation: its path, its arguments and their names, its constants. */
#include "import/plan.h"

#include <string.h>

#include "base/percent.h"

enum { PLAN_MAX_PARAMETERS = 1000 };

/* A plan that is being made. */
struct plan_builder {
    struct import_shaper *shaper;
    const struct import_document *document;
    struct import_operation *target;
    haft_arena *arena;
    struct import_plan *plan;
    size_t room;         /* of its parameters */
    yyjson_val **bodies; /* parameters of 2.0 that are a body or fields of a form */
    size_t n_bodies;
    haft_reason *reason;
};

static int plan_no_memory(const struct plan_builder *builder)
{
    return hf_error_set(builder->reason, HAFT_ENOMEM, "", "out of memory");
}

/* ---- parameters ---- */

static bool definition_is_same(yyjson_val *left, yyjson_val *right)
{
    return yyjson_equals(yyjson_obj_get(left, "name"), yyjson_obj_get(right, "name")) &&
           yyjson_equals(yyjson_obj_get(left, "in"), yyjson_obj_get(right, "in"));
}

/* Adds a parameter, or replaces one of the path item. */
static int plan_add(struct plan_builder *builder, yyjson_val *definition)
{
    struct import_parameter *list = builder->plan->parameters, parameter = {0};
    yyjson_val *in = yyjson_obj_get(definition, "in");
    size_t at = 0;
    int status;

    if (builder->document->version == IMPORT_2_0 &&
        (yyjson_equals_str(in, "body") || yyjson_equals_str(in, "formData"))) {
        while (at < builder->n_bodies && !definition_is_same(builder->bodies[at], definition))
            at++;
        builder->bodies[at] = definition;
        builder->n_bodies += at == builder->n_bodies;
        return 0;
    }
    status = hf_import_read_parameter(builder->document, definition, &parameter, builder->reason);
    if (status)
        return status;
    while (at < builder->plan->n_parameters && !definition_is_same(list[at].definition, definition))
        at++;
    list[at] = parameter;
    builder->plan->n_parameters += at == builder->plan->n_parameters;
    return 0;
}

static int plan_add_all(struct plan_builder *builder, yyjson_val *parameters)
{
    yyjson_val *value, *definition;
    size_t i, max;
    int status;

    yyjson_arr_foreach(parameters, i, max, value) {
        definition = hf_import_resolve(builder->document, value, builder->reason);
        if (!definition)
            return builder->reason->code;
        status = plan_add(builder, definition);
        if (status)
            return status;
    }
    return 0;
}

static int plan_read_parameters(struct plan_builder *builder, yyjson_val *item,
                                yyjson_val *operation)
{
    yyjson_val *shared = yyjson_obj_get(item, "parameters");
    yyjson_val *own = yyjson_obj_get(operation, "parameters");
    size_t n = yyjson_arr_size(shared) + yyjson_arr_size(own), kept = 0;
    struct import_plan *plan = builder->plan;
    int status;

    for (const char *at = builder->target->path; *at; at++)
        n += *at == '{'; /* the document may have forgotten them */
    if (n > PLAN_MAX_PARAMETERS)
        return hf_error_set(builder->reason, HAFT_EINVAL, "", "more than %d parameters",
                            PLAN_MAX_PARAMETERS);
    builder->room = n;
    plan->parameters = haft_arena_zalloc(builder->arena, n + 1, sizeof *plan->parameters);
    builder->bodies = haft_arena_zalloc(builder->arena, n + 1, sizeof *builder->bodies);
    if (!plan->parameters || !builder->bodies)
        return plan_no_memory(builder);
    status = plan_add_all(builder, shared);
    if (!status)
        status = plan_add_all(builder, own);
    if (status)
        return status;
    for (size_t i = 0; i < plan->n_parameters; i++)
        if (plan->parameters[i].place != PARAMETER_IGNORED)
            plan->parameters[kept++] = plan->parameters[i];
    plan->n_parameters = kept;
    return 0;
}

/* ---- the path ---- */

/* Appends a literal with what cannot be in a URL encoded, and escapes of what can be there decoded: "%2E" is a dot
 * for those who look for segments of dots. */
static void path_put_literal(haft_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int byte = percent_byte(text + i, size - i);

        if (byte >= 0 && percent_is_unreserved((uint32_t)byte)) {
            haft_buffer_add(out, &(char){(char)byte}, 1);
            i += PERCENT_ESCAPE - 1;
        } else if (byte >= 0 || strchr("/:@!$&'()*+,;=?", text[i])) {
            haft_buffer_add(out, text + i, 1);
        } else {
            hf_percent_encode(out, text + i, 1);
        }
    }
}

static const char *path_literal(struct plan_builder *builder, const char *text, size_t size)
{
    struct import_text literal;
    haft_buffer *out = hf_import_text_init(&literal, builder->arena);

    path_put_literal(out, text, size);
    return hf_import_text_end(out);
}

/* The parameter that a template names; one that the document has not declared is a string. */
static struct import_parameter *path_parameter(struct plan_builder *builder, const char *name,
                                               size_t size)
{
    struct import_plan *plan = builder->plan;
    struct import_parameter *parameter = plan->parameters;

    for (; parameter < plan->parameters + plan->n_parameters; parameter++)
        if (parameter->place == PARAMETER_PATH && strlen(parameter->name) == size &&
            !memcmp(parameter->name, name, size))
            return parameter;
    name = haft_arena_copy(builder->arena, name, size);
    if (!name)
        return NULL;
    *parameter = (struct import_parameter){
        .name = name, .place = PARAMETER_PATH, .required = true, .separator = ","};
    plan->n_parameters++;
    return parameter;
}

/* Whether segments that mean another folder are in a path: "..", also encoded. */
static int path_check(struct plan_builder *builder)
{
    struct import_text text;
    haft_buffer *path = hf_import_text_init(&text, builder->arena);
    size_t size;
    bool leaves = false;

    for (size_t i = 0; i < builder->plan->n_path; i++)
        haft_buffer_puts(path,
                         builder->plan->path[i].literal ? builder->plan->path[i].literal : "x");
    if (!hf_import_text_end(path))
        return plan_no_memory(builder);
    size = hf_percent_decode_bytes(path->data, path->size, false, path->data);
    path->data[size] = '\0';
    for (const char *at = path->data; *at && !leaves; at += strcspn(at, "/\\")) {
        size_t dots = strspn(++at, ".");

        leaves = dots && dots == strcspn(at, "/\\");
    }
    if (leaves || strlen(path->data) != size || !strncmp(path->data, "//", 2) ||
        strchr(path->data, '\\'))
        return hf_error_set(builder->reason, HAFT_EINVAL, "", "invalid path");
    return 0;
}

static int plan_read_path(struct plan_builder *builder)
{
    const char *at = builder->target->path, *end = at + strcspn(at, "#?");
    struct import_plan *plan = builder->plan;
    struct import_piece *pieces =
        haft_arena_zalloc(builder->arena, 2 * builder->room + 2, sizeof *pieces);

    if (!pieces)
        return plan_no_memory(builder);
    if (*at != '/')
        return hf_error_set(builder->reason, HAFT_EINVAL, "", "the path does not begin with /");
    plan->path = pieces;
    while (at < end) {
        const char *open = memchr(at, '{', (size_t)(end - at)), *close;

        if (open != at) {
            size_t size = (size_t)((open ? open : end) - at);

            pieces[plan->n_path].literal = path_literal(builder, at, size);
            if (!pieces[plan->n_path++].literal)
                return plan_no_memory(builder);
            at += size;
            continue;
        }
        close = memchr(at, '}', (size_t)(end - at));
        if (!close || close == at + 1)
            return hf_error_set(builder->reason, HAFT_EINVAL, "", "invalid path template");
        pieces[plan->n_path].parameter = path_parameter(builder, at + 1, (size_t)(close - at - 1));
        if (!pieces[plan->n_path++].parameter)
            return plan_no_memory(builder);
        at = close + 1;
    }
    if (strpbrk(end, "{}"))
        return hf_error_set(builder->reason, HAFT_EINVAL, "",
                            "the query of a path cannot have parameters");
    plan->query = *end == '?' ? path_literal(builder, end + 1, strcspn(end + 1, "#")) : "";
    return plan->query ? path_check(builder) : plan_no_memory(builder);
}

/* Parameters of the path that its template does not have are not arguments. */
static void plan_drop_unused(struct plan_builder *builder)
{
    struct import_plan *plan = builder->plan;

    for (size_t i = 0; i < plan->n_parameters; i++) {
        struct import_parameter *parameter = &plan->parameters[i];
        bool used = parameter->place != PARAMETER_PATH;

        for (size_t j = 0; j < plan->n_path && !used; j++)
            used = plan->path[j].parameter == parameter;
        if (!used)
            parameter->place = PARAMETER_IGNORED;
    }
}

/* ---- constants ---- */

/* The path as the document has it. */
static const char *plan_own_path(const struct plan_builder *builder)
{
    const char *base = hf_import_string(yyjson_obj_get(builder->document->root, "basePath"));
    const char *path = builder->target->path;
    size_t size = base ? strlen(base) : 0;

    while (size && base[size - 1] == '/')
        size--;
    return builder->document->version == IMPORT_2_0 && size && !strncmp(path, base, size) &&
                   path[size] == '/'
               ? path + size
               : path;
}

static bool plan_is_meant(const struct plan_builder *builder, const char *operation)
{
    const struct import_operation *target = builder->target;
    size_t size = strlen(target->method);

    if (target->id && !strcmp(operation, target->id))
        return true;
    return !strncmp(operation, target->method, size) && operation[size] == ' ' &&
           (!strcmp(operation + size + 1, target->path) ||
            !strcmp(operation + size + 1, plan_own_path(builder)));
}

/* The n-th thing that can be an argument; NULL after the last. */
static struct import_parameter *plan_argument(struct import_plan *plan, size_t n)
{
    struct import_body *body = plan->body;

    if (n < plan->n_parameters)
        return &plan->parameters[n];
    n -= plan->n_parameters;
    if (!body)
        return NULL;
    if (!body->lifted)
        return n ? NULL : &body->whole;
    return n < body->n_fields ? &body->fields[n] : NULL;
}

static struct import_parameter *plan_find(struct import_plan *plan, const char *name)
{
    struct import_parameter *found = NULL, *parameter;

    for (size_t i = 0; (parameter = plan_argument(plan, i)); i++) {
        if (parameter->place == PARAMETER_IGNORED)
            continue;
        if (!strcmp(parameter->argument, name))
            return parameter;
        if (!found && parameter->name && !strcmp(parameter->name, name))
            found = parameter;
    }
    return found;
}

static int plan_fix(struct plan_builder *builder, yyjson_val *constants)
{
    static const char *const none[] = {NULL};
    yyjson_val *key, *value;
    size_t i, max;

    constants = hf_import_without(builder->arena, constants, none);
    if (!constants)
        return plan_no_memory(builder);
    yyjson_obj_foreach(import_object(constants), i, max, key, value) {
        struct import_parameter *parameter = plan_find(builder->plan, yyjson_get_str(key));

        if (!parameter)
            return hf_error_set(builder->reason, HAFT_EINVAL, "",
                                "the configuration sets \"%.80s\", which is not an argument",
                                yyjson_get_str(key));
        parameter->fixed = value;
    }
    return 0;
}

static int plan_fix_all(struct plan_builder *builder)
{
    const struct import_options *options = builder->document->options;
    int status = 0;

    for (size_t i = 0; options && !status && i < options->n_changes; i++)
        if (options->changes[i].arguments && options->changes[i].operation &&
            plan_is_meant(builder, options->changes[i].operation))
            status = plan_fix(builder, options->changes[i].arguments);
    return status;
}

/* ---- the input schema ---- */

static int plan_shape_argument(struct plan_builder *builder, struct import_parameter *parameter,
                               bool required, yyjson_mut_val *properties,
                               yyjson_mut_val *required_names)
{
    struct import_shaper *shaper = builder->shaper;
    bool whole = builder->plan->body && parameter == &builder->plan->body->whole;
    yyjson_mut_val *shape = whole ? hf_import_body_shape(shaper, builder->plan->body)
                                  : hf_import_argument_shape(shaper, parameter);
    yyjson_mut_val *key = yyjson_mut_strcpy(shaper->out, parameter->argument);
    int status = 0;
    yyjson_val *schema = hf_import_peek(builder->document, parameter->schema, &status);

    if (!shape) {
        *builder->reason = shaper->reason;
        return shaper->reason.code ? shaper->reason.code : plan_no_memory(builder);
    }
    if (status || !key || !yyjson_mut_obj_add(properties, key, shape))
        return plan_no_memory(builder);
    if (required)
        parameter->fallback = yyjson_obj_get(schema, "default");
    if (required && !parameter->fallback &&
        !yyjson_mut_arr_add_strcpy(shaper->out, required_names, parameter->argument))
        return plan_no_memory(builder);
    return 0;
}

static int plan_shape(struct plan_builder *builder, yyjson_mut_val *input)
{
    yyjson_mut_doc *out = builder->shaper->out;
    yyjson_mut_val *properties = yyjson_mut_obj_get(input, "properties");
    yyjson_mut_val *required = yyjson_mut_arr(out);
    struct import_parameter *parameter;
    int status = 0;

    if (!properties)
        properties = yyjson_mut_obj_add_obj(out, input, "properties");
    if (!properties || !required)
        return plan_no_memory(builder);
    for (size_t i = 0; !status && (parameter = plan_argument(builder->plan, i)); i++)
        if (parameter->place != PARAMETER_IGNORED && !parameter->fixed)
            status =
                plan_shape_argument(builder, parameter, parameter->required, properties, required);
    if (!status && yyjson_mut_arr_size(required) &&
        !yyjson_mut_obj_add_val(out, input, "required", required))
        status = plan_no_memory(builder);
    return status;
}

int hf_import_make_plan(struct import_shaper *shaper, struct import_operation *target,
                        yyjson_val *item, yyjson_val *operation, yyjson_mut_val *input,
                        haft_reason *reterr_reason)
{
    struct plan_builder builder = {.shaper = shaper,
                                   .document = shaper->document,
                                   .target = target,
                                   .arena = shaper->document->import->arena,
                                   .reason = reterr_reason};
    int status;

    builder.plan = haft_arena_zalloc(builder.arena, 1, sizeof *builder.plan);
    if (!builder.plan)
        return plan_no_memory(&builder);
    status = plan_read_parameters(&builder, item, operation);
    if (!status)
        status = plan_read_path(&builder);
    if (status)
        return status;
    plan_drop_unused(&builder);
    status = hf_import_read_body(builder.document, target->method, operation, builder.bodies,
                                 builder.n_bodies, &builder.plan->body, reterr_reason);
    if (status)
        return status;
    if (hf_import_name_arguments(builder.plan, builder.n_bodies, builder.arena))
        return plan_no_memory(&builder);
    status = plan_fix_all(&builder);
    if (!status)
        status = plan_shape(&builder, input);
    if (!status)
        target->plan = builder.plan;
    return status;
}
