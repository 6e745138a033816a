/* input.c - collects the input of a route from the sources of its fields.
 *
 * Strings of the path, the query and the headers are converted to the types of their fields,
 * members of the body are used as they are, and the result is one object that is validated like a
 * tool's arguments. Issues start with the source of the value: path.id, query.limit,
 * body.items.0.quantity. */
#include <string.h>

#include "gateway/gateway.h"
#include "schema/walk/repair.h"

static const char *const origin_names[] = {"path", "query", "body", "header"};

static const struct field *field_named(const struct route *route, const char *name, size_t size)
{
    for (size_t i = 0; i < route->n_fields; i++)
        if (route->fields[i].size == size && !memcmp(route->fields[i].name, name, size))
            return &route->fields[i];
    return NULL;
}

static int gateway_input_refuse(haft_gateway_request *req, int status, const char *detail)
{
    return !detail || hf_respond_problem(req, status, detail, NULL) ? HAFT_ENOMEM : HAFT_STOP;
}

/* A value is in another source than that of the field of its name. */
static int refuse_place(haft_gateway_request *req, enum origin place, const struct field *field)
{
    return gateway_input_refuse(
        req, 400,
        haft_arena_printf(req->call->arena, "%s.%s: this field must be in the %s",
                          origin_names[place], field->name, origin_names[field->origin]));
}

/* ---- strings ---- */

struct texts {
    struct text_field *list;
    size_t n;
};

static void input_add_text(struct texts *texts, const char *name, const char *value)
{
    texts->list[texts->n++] = (struct text_field){name, strlen(name), value, strlen(value)};
}

/* Collects the strings of path and headers, and the whole query: the schema decides whether unknown
 * names matter. */
static int input_gather(haft_gateway_request *req, struct texts *texts)
{
    const struct route *route = req->route;

    texts->list = haft_arena_alloc(req->call->arena,
                                   (route->n_fields + req->n_query + 1) * sizeof *texts->list);
    if (!texts->list)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < route->n_fields; i++) {
        const struct field *field = &route->fields[i];
        const char *text = field->origin == ORIGIN_PATH ? haft_path_value(req->call, field->name)
                           : field->origin == ORIGIN_HEADER
                               ? haft_request_header(req->call, field->as)
                               : NULL;

        if (text)
            input_add_text(texts, field->name, text);
    }
    for (size_t i = 0; i < req->n_query; i++) {
        const haft_header *pair = &req->query[i];
        const struct field *field = field_named(route, pair->name, strlen(pair->name));

        if (field && field->origin != ORIGIN_QUERY)
            return refuse_place(req, ORIGIN_QUERY, field);
        input_add_text(texts, pair->name, pair->value);
    }
    return 0;
}

/* Without a schema: the strings of the path, and the first of each name of the query. */
static int read_bare(haft_gateway_request *req, yyjson_val **ret_object)
{
    const struct template *path = &req->route->path_template;
    yyjson_val *object = haft_arena_zalloc(
        req->call->arena, 1 + 2 * (path->n_variables + req->n_query), sizeof *object);
    size_t n = 1;

    if (!object)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < path->n; i++) {
        if (!path->variable[i])
            continue;
        yyjson_set_str(&object[n++], path->segments[i]);
        yyjson_set_str(&object[n++], haft_path_value(req->call, path->segments[i]));
    }
    for (size_t i = 0; i < req->n_query; i++) {
        const haft_header *pair = &req->query[i];

        if (haft_path_value(req->call, pair->name) ||
            haft_query_value(req->call, pair->name) != pair->value)
            continue;
        yyjson_set_str(&object[n++], pair->name);
        yyjson_set_str(&object[n++], pair->value);
    }
    *object = (yyjson_val){.tag = (uint64_t)(n / 2) << YYJSON_TAG_BIT | YYJSON_TYPE_OBJ,
                           .uni.ofs = n * sizeof *object};
    *ret_object = object;
    return 0;
}

/* ---- the body ---- */

static bool is_json_type(const char *type)
{
    size_t size = type ? strcspn(type, "; \t") : 0;
    char lower[64];

    if (!type)
        return true;
    if (size >= sizeof lower)
        return false;
    for (size_t i = 0; i < size; i++)
        lower[i] = ascii_lower(type[i]);
    lower[size] = '\0';
    return !strcmp(lower, "application/json") ||
           (size > 5 && !strcmp(lower + size - 5, "+json") && !strncmp(lower, "application/", 12));
}

/* Reads the body, an object whose members are fields of the body, or unknown. */
static int read_body(haft_gateway_request *req, yyjson_val **ret_body)
{
    haft_call *call = req->call;
    size_t index, max;
    yyjson_val *body, *key, *value;
    haft_reason reason;

    if (!is_json_type(haft_request_header(call, "content-type")))
        return gateway_input_refuse(req, 415,
                                    "The Content-Type of the body must be application/json.");
    body = haft_json_read(req->request.body, req->request.body_size,
                          call->server->options.max_depth, call->arena, &reason);
    if (!body && reason.code == HAFT_ENOMEM)
        return HAFT_ENOMEM;
    if (!body)
        return gateway_input_refuse(req, 400,
                                    haft_arena_printf(call->arena, "body: %s", reason.text));
    if (!yyjson_is_obj(body))
        return gateway_input_refuse(req, 400, "body: Invalid input: expected object");
    yyjson_obj_foreach(body, index, max, key, value) {
        const struct field *field =
            field_named(req->route, yyjson_get_str(key), yyjson_get_len(key));

        if (field && field->origin != ORIGIN_BODY)
            return refuse_place(req, ORIGIN_BODY, field);
    }
    *ret_body = body;
    return 0;
}

/* Joins the members of both, which are consecutive cells in yyjson. */
static yyjson_val *join(haft_arena *arena, yyjson_val *left, yyjson_val *right)
{
    size_t size = left->uni.ofs + right->uni.ofs - sizeof *right;
    yyjson_val *both = haft_arena_alloc(arena, size);

    if (!both)
        return NULL;
    memcpy(both, left, left->uni.ofs);
    memcpy((char *)both + left->uni.ofs, right + 1, right->uni.ofs - sizeof *right);
    both->tag = (uint64_t)(unsafe_yyjson_get_len(left) + unsafe_yyjson_get_len(right))
                    << YYJSON_TAG_BIT |
                YYJSON_TYPE_OBJ;
    both->uni.ofs = size;
    return both;
}

/* ---- everything ---- */

int hf_input_read(haft_gateway_request *req, yyjson_val **ret_arguments)
{
    const haft_schema *input = req->route->item->input;
    haft_arena *arena = req->call->arena;
    struct texts texts = {.n = 0};
    yyjson_val *body;
    int status;

    if (req->input && !req->rewritten) {
        *ret_arguments = req->input;
        return 0;
    }
    status = hf_query_read(req);
    if (status == HAFT_EINVAL)
        return gateway_input_refuse(req, 400, "query: malformed");
    if (status)
        return status;
    if (!input)
        return read_bare(req, ret_arguments);
    status = input_gather(req, &texts);
    if (!status)
        status = hf_schema_from_texts(input, texts.list, texts.n, arena, ret_arguments);
    if (status || !req->route->has_body || !req->request.body_size)
        return status;
    status = read_body(req, &body);
    if (status)
        return status;
    *ret_arguments = join(arena, *ret_arguments, body);
    return *ret_arguments ? 0 : HAFT_ENOMEM;
}

/* ---- issues ---- */

/* The source of an issue's value; NULL if there are several. */
static const char *origin_of(const haft_gateway_request *req, const haft_issue *issue)
{
    const char *key = issue->n_path ? issue->path[0].key : issue->n_keys ? issue->keys[0] : NULL;
    const struct field *field = key ? field_named(req->route, key, strlen(key)) : NULL;

    if (field)
        return origin_names[field->origin];
    if (!key)
        return NULL;
    for (size_t i = 0; i < req->n_query; i++)
        if (!strcmp(req->query[i].name, key))
            return origin_names[ORIGIN_QUERY];
    return origin_names[ORIGIN_BODY];
}

int hf_input_refuse_issues(haft_gateway_request *req, const haft_issues *issues, const char *from)
{
    haft_arena *arena = req->call->arena;
    haft_buffer text;
    int status;

    for (size_t i = 0; i < issues->count; i++) {
        haft_issue *issue = &issues->list[i];
        const char *origin = from ? from : origin_of(req, issue);
        haft_step *path = haft_arena_alloc(arena, (issue->n_path + 1) * sizeof *path);

        if (!path)
            return HAFT_ENOMEM;
        if (!origin)
            continue;
        path[0] = (haft_step){.key = origin};
        if (issue->n_path)
            memcpy(path + 1, issue->path, issue->n_path * sizeof *path);
        issue->path = path;
        issue->n_path++;
    }
    haft_buffer_init(&text, req->call->server->allocator, 1 << 20);
    haft_issues_text(issues, &text);
    haft_buffer_add(&text, "", 1);
    status = text.status ? text.status : hf_respond_problem(req, 400, text.data, issues);
    haft_buffer_finish(&text);
    return status ? status : HAFT_STOP;
}
