/* request.c - the request of an operation, made from arguments by its plan.
 *
 * What an argument says stays where the plan puts it: values of the path are encoded so that they cannot add segments,
 * segments that mean another folder are refused, and headers have no control characters. */
#include <string.h>

#include "import/plan.h"
#include "protocol/header.h"

enum { REQUEST_OWN_HEADERS = 3 }; /* Accept, Content-Type, Cookie */

/* A request that is being made. */
struct request_maker {
    const struct import_operation *operation;
    const struct import_plan *plan;
    yyjson_val *arguments;
    haft_arena *arena;
    struct import_request *request;
    haft_reason *reason;
};

static int maker_fail(const struct request_maker *maker, int status)
{
    return hf_error_set(maker->reason, status, "", "%s", haft_strerror(status));
}

static int maker_refuse(const struct request_maker *maker, const struct import_parameter *parameter,
                        const char *text)
{
    return hf_error_set(maker->reason, HAFT_EINVAL,
                        parameter->fixed ? parameter->name : parameter->argument, "%s", text);
}

/* The value of a parameter; refuses one that is absent and required. */
static int request_value(const struct request_maker *maker,
                         const struct import_parameter *parameter, yyjson_val **ret_value)
{
    yyjson_val *value = hf_import_value(parameter, maker->arguments);

    if (yyjson_is_null(value) && parameter->place == PARAMETER_PATH)
        return maker_refuse(maker, parameter, "is part of the path and must not be null");
    if (!value && parameter->required)
        return maker_refuse(maker, parameter, "is required");
    *ret_value = value;
    return 0;
}

/* ---- the target ---- */

/* Refuses a segment that would be empty or mean another folder. */
static int path_check_segment(const struct request_maker *maker, const haft_buffer *path, size_t at,
                              const struct import_parameter *parameter)
{
    size_t begin = at, end = at;

    while (begin && path->data[begin - 1] != '/')
        begin--;
    while (end < path->size && path->data[end] != '/')
        end++;
    if (begin == end)
        return maker_refuse(maker, parameter, "is part of the path and must not be empty");
    for (at = begin; at < end; at++)
        if (path->data[at] != '.')
            return 0;
    return maker_refuse(maker, parameter, "is part of the path and must not be only dots");
}

static int request_put_path(const struct request_maker *maker, haft_buffer *path)
{
    const struct import_plan *plan = maker->plan;
    size_t *places = haft_arena_zalloc(maker->arena, plan->n_path + 1, sizeof *places);
    int status = places ? 0 : maker_fail(maker, HAFT_ENOMEM);

    for (size_t i = 0; i < plan->n_path && !status; i++) {
        const struct import_parameter *parameter = plan->path[i].parameter;
        yyjson_val *value = NULL;

        places[i] = path->size;
        if (parameter) {
            status = request_value(maker, parameter, &value);
            if (!status)
                hf_import_put_parameter(path, parameter, value);
        } else {
            haft_buffer_puts(path, plan->path[i].literal);
        }
    }
    if (!status && path->status)
        status = maker_fail(maker, path->status);
    for (size_t i = 0; i < plan->n_path && !status; i++)
        if (plan->path[i].parameter)
            status = path_check_segment(maker, path, places[i], plan->path[i].parameter);
    return status;
}

/* Appends the parameters of a place that are pairs. */
static int request_put_pairs(const struct request_maker *maker, enum parameter_place place,
                             haft_buffer *out)
{
    int status = 0;

    for (size_t i = 0; i < maker->plan->n_parameters && !status; i++) {
        const struct import_parameter *parameter = &maker->plan->parameters[i];
        yyjson_val *value = NULL;

        if (parameter->place != place)
            continue;
        status = request_value(maker, parameter, &value);
        if (!status && value)
            hf_import_put_parameter(out, parameter, value);
    }
    return !status && out->status ? maker_fail(maker, out->status) : status;
}

static int request_put_target(const struct request_maker *maker)
{
    struct import_text path_text, query_text;
    haft_buffer *path = hf_import_text_init(&path_text, maker->arena);
    haft_buffer *query = hf_import_text_init(&query_text, maker->arena);
    int status = request_put_path(maker, path);

    haft_buffer_puts(query, maker->plan->query);
    if (!status)
        status = request_put_pairs(maker, PARAMETER_QUERY, query);
    if (status)
        return status;
    if (query->size) {
        haft_buffer_add(path, "?", 1);
        haft_buffer_add(path, query->data, query->size);
    }
    maker->request->target = hf_import_text_end(path);
    return maker->request->target ? 0 : maker_fail(maker, path->status);
}

/* ---- headers ---- */

static void request_add_header(struct import_request *request, const char *name, const char *value)
{
    request->headers[request->n_headers++] = (haft_header){name, value};
}

static int request_put_header(const struct request_maker *maker,
                              const struct import_parameter *parameter)
{
    struct import_text text;
    haft_buffer *out = hf_import_text_init(&text, maker->arena);
    struct text trimmed;
    yyjson_val *value = NULL;
    const char *line;
    int status = request_value(maker, parameter, &value);

    if (status || !value || yyjson_is_null(value))
        return status;
    hf_import_put_parameter(out, parameter, value);
    if (!hf_import_text_end(out))
        return maker_fail(maker, out->status);
    if (!hf_header_value_is_valid(out->data, out->size))
        return maker_refuse(maker, parameter,
                            "is sent in a header and must not contain control characters");
    trimmed = text_trim(out->data, out->size);
    line = haft_arena_copy(maker->arena, trimmed.data, trimmed.size);
    if (!line)
        return maker_fail(maker, HAFT_ENOMEM);
    request_add_header(maker->request, parameter->name, line);
    return 0;
}

static int request_put_headers(const struct request_maker *maker)
{
    const struct import_plan *plan = maker->plan;
    struct import_request *request = maker->request;
    const struct import_answer *answer = maker->operation->answer;
    struct import_text text;
    haft_buffer *cookies = hf_import_text_init(&text, maker->arena);
    int status = 0;

    request->headers = haft_arena_zalloc(maker->arena, plan->n_parameters + REQUEST_OWN_HEADERS,
                                         sizeof *request->headers);
    if (!request->headers)
        return maker_fail(maker, HAFT_ENOMEM);
    request_add_header(request, "Accept", answer ? answer->accept : "*/*");
    for (size_t i = 0; i < plan->n_parameters && !status; i++)
        if (plan->parameters[i].place == PARAMETER_HEADER)
            status = request_put_header(maker, &plan->parameters[i]);
    if (!status)
        status = request_put_pairs(maker, PARAMETER_COOKIE, cookies);
    if (status || !cookies->size)
        return status;
    if (!hf_import_text_end(cookies))
        return maker_fail(maker, cookies->status);
    request_add_header(request, "Cookie", cookies->data);
    return 0;
}

/* ---- the whole ---- */

static int request_put_body(const struct request_maker *maker)
{
    struct import_text text;
    struct body_writer writer = {.body = maker->plan->body,
                                 .arguments = maker->arguments,
                                 .arena = maker->arena,
                                 .out = hf_import_text_init(&text, maker->arena),
                                 .reason = maker->reason};
    int status = writer.body ? hf_import_write_body(&writer) : 0;

    if (status <= 0)
        return status;
    maker->request->body = hf_import_text_end(writer.out);
    if (!maker->request->body)
        return maker_fail(maker, writer.out->status);
    maker->request->body_size = writer.out->size;
    request_add_header(maker->request, "Content-Type", writer.type);
    return 0;
}

int hf_import_request(const struct import_operation *operation, haft_value *arguments,
                      haft_arena *arena, struct import_request *ret_request,
                      haft_reason *reterr_reason)
{
    struct import_request request = {.method = operation->method};
    const struct request_maker maker = {.operation = operation,
                                        .plan = operation->plan,
                                        .arguments = arguments,
                                        .arena = arena,
                                        .request = &request,
                                        .reason = reterr_reason};
    int status = request_put_target(&maker);

    if (!status)
        status = request_put_headers(&maker);
    if (!status)
        status = request_put_body(&maker);
    if (!status)
        *ret_request = request;
    return status;
}
