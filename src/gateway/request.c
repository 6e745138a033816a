/* request.c - what a policy or a handler sees of a request, and may change of it. */
#include <string.h>

#include "gateway/gateway.h"

const haft_request *haft_request_of(const haft_call *call)
{
    return call->inner.visit ? &call->inner.visit->request : NULL;
}

/* Asks whoever brought the request; names are asked for in lower case. */
static const char *ask(haft_visit *visit, const char *name)
{
    const haft_headers *headers = &visit->request.headers;
    char lower[128];
    size_t size = 0;
    const char *value;

    for (; name[size]; size++) {
        if (size + 1 == sizeof lower)
            return NULL;
        lower[size] = ascii_lower(name[size]);
    }
    lower[size] = '\0';
    value = headers->get ? headers->get(headers->context, lower, &size) : NULL;
    if (value) {
        value = haft_arena_copy(visit->call->arena, value, size);
        visit->starved = visit->starved || !value;
        return value;
    }
    return visit->content_type && !strcmp(lower, "content-type") ? visit->content_type : NULL;
}

const char *haft_request_header(const haft_call *call, const char *name)
{
    haft_visit *visit = call->inner.visit;

    if (!visit)
        return NULL;
    for (const struct line *line = visit->changes; line; line = line->next)
        if (text_same_ignoring_case(line->name, name))
            return line->value;
    return ask(visit, name);
}

static char *keep(haft_call *call, const char *text)
{
    return haft_arena_copy(call->arena, text, strlen(text));
}

int haft_request_set_header(haft_call *call, const char *name, const char *value)
{
    haft_visit *visit = call->inner.visit;
    struct line *line;

    if (!visit)
        return HAFT_EINVAL;
    line = haft_arena_zalloc(call->arena, 1, sizeof *line);
    if (!line)
        return HAFT_ENOMEM;
    line->name = keep(call, name);
    line->value = value ? keep(call, value) : NULL;
    if (!line->name || (value && !line->value))
        return HAFT_ENOMEM;
    line->next = visit->changes;
    visit->changes = line;
    return 0;
}

int haft_request_set_body(haft_call *call, const char *body, size_t size)
{
    haft_visit *visit = call->inner.visit;
    char *copy;

    if (!visit)
        return HAFT_EINVAL;
    copy = haft_arena_copy(call->arena, body, size);
    if (!copy)
        return HAFT_ENOMEM;
    visit->request.body = copy;
    visit->request.body_size = size;
    return 0;
}

const char *haft_path_value(const haft_call *call, const char *name)
{
    const haft_visit *visit = call->inner.visit;
    const struct template *path = visit && visit->route ? &visit->route->path_template : NULL;
    size_t value = 0;

    for (size_t i = 0; path && i < path->n; i++) {
        if (!path->variable[i])
            continue;
        if (!strcmp(path->segments[i], name))
            return visit->match.values[value];
        value++;
    }
    return NULL;
}

const char *haft_query_value(haft_call *call, const char *name)
{
    haft_visit *visit = call->inner.visit;
    int status = visit ? query_read(visit) : HAFT_EINVAL;

    if (status == HAFT_ENOMEM)
        visit->starved = true;
    if (status)
        return NULL;
    for (size_t i = 0; i < visit->n_query; i++)
        if (!strcmp(visit->query[i].name, name))
            return visit->query[i].value;
    return NULL;
}

int haft_call_set_principal(haft_call *call, const char *principal)
{
    const char *copy = keep(call, principal);

    if (!copy)
        return HAFT_ENOMEM;
    call->request.principal = copy;
    return 0;
}

bool haft_call_authenticated(const haft_call *call)
{
    const haft_visit *visit = call->inner.visit;
    const struct authenticated *one = visit && !visit->edge ? visit->authenticated : NULL;

    if (!one || !visit->policies || visit->n_passed >= visit->policies->n)
        return false;
    while (one && one->by != visit->policies->list[visit->n_passed])
        one = one->next;
    return one != NULL;
}

const haft_call *haft_call_parent(const haft_call *call)
{
    return call->inner.parent;
}
