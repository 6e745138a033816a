/* security.c - security schemes and the requirements of operations.
 *
 * They say how credentials are presented.  The credentials themselves come from the configuration only. */
#include <string.h>

#include "import/found.h"

static const char *security_text(yyjson_val *object, const char *key)
{
    return yyjson_get_str(yyjson_obj_get(object, key));
}

static bool security_is(yyjson_val *object, const char *key, const char *wanted)
{
    const char *text = security_text(object, key);

    return text && hf_text_same_ignoring_case(text, wanted);
}

/* The token URL of the flow for programs without a user. */
static const char *security_token_url(yyjson_val *scheme)
{
    yyjson_val *flow = yyjson_obj_get(yyjson_obj_get(scheme, "flows"), "clientCredentials");

    if (flow)
        return security_text(flow, "tokenUrl");
    return security_is(scheme, "flow", "application") ? security_text(scheme, "tokenUrl") : NULL;
}

static void security_read_key(yyjson_val *from, struct import_scheme *scheme)
{
    scheme->parameter = security_text(from, "name");
    if (!scheme->parameter || !*scheme->parameter)
        return;
    scheme->kind = security_is(from, "in", "header")   ? IMPORT_HEADER
                   : security_is(from, "in", "query")  ? IMPORT_QUERY
                   : security_is(from, "in", "cookie") ? IMPORT_COOKIE
                                                       : IMPORT_UNUSABLE;
}

static void security_read(yyjson_val *from, struct import_scheme *scheme)
{
    bool http = security_is(from, "type", "http");

    scheme->kind = IMPORT_UNUSABLE;
    if (security_is(from, "type", "apiKey"))
        security_read_key(from, scheme);
    else if (security_is(from, "type", "basic") || (http && security_is(from, "scheme", "basic")))
        scheme->kind = IMPORT_BASIC;
    else if (security_is(from, "type", "oauth2") || security_is(from, "type", "openIdConnect") ||
             (http && security_is(from, "scheme", "bearer")))
        scheme->kind = IMPORT_BEARER;
    if (security_is(from, "type", "oauth2"))
        scheme->token_url = security_token_url(from);
}

int hf_import_schemes(const struct import_document *document, struct import_schemes *ret_schemes)
{
    yyjson_val *all =
        document->version == IMPORT_2_0
            ? yyjson_obj_get(document->root, "securityDefinitions")
            : yyjson_obj_get(yyjson_obj_get(document->root, "components"), "securitySchemes");
    yyjson_obj_iter iter = yyjson_obj_iter_with(all);
    struct import_schemes schemes = {0};
    yyjson_val *key;

    if (yyjson_obj_size(all)) {
        schemes.items =
            haft_arena_zalloc(document->import->arena, yyjson_obj_size(all), sizeof *schemes.items);
        if (!schemes.items)
            return HAFT_ENOMEM;
    }
    while ((key = yyjson_obj_iter_next(&iter))) {
        struct import_scheme *scheme = &schemes.items[schemes.n++];
        haft_reason reason;
        yyjson_val *from = hf_import_resolve(document, yyjson_obj_iter_get_val(key), &reason);

        if (!from && reason.code == HAFT_ENOMEM)
            return HAFT_ENOMEM;
        scheme->name = yyjson_get_str(key);
        security_read(from, scheme);
    }
    *ret_schemes = schemes;
    return 0;
}

/* A scheme that is required but not defined cannot be used. */
static const struct import_scheme *security_find(const struct import_document *document,
                                                 const char *name)
{
    const struct import_schemes *schemes = document->schemes;
    struct import_scheme *missing;

    for (size_t i = 0; i < schemes->n; i++)
        if (!strcmp(schemes->items[i].name, name))
            return &schemes->items[i];
    missing = haft_arena_zalloc(document->import->arena, 1, sizeof *missing);
    if (missing)
        *missing = (struct import_scheme){.name = name, .kind = IMPORT_UNUSABLE};
    return missing;
}

static int security_read_requirement(const struct import_document *document, yyjson_val *from,
                                     struct import_requirement *requirement)
{
    yyjson_obj_iter all = yyjson_obj_iter_with(from);
    const struct import_scheme **schemes;
    yyjson_val *key;
    size_t n = 0;

    if (!yyjson_obj_size(from))
        return 0;
    schemes = haft_arena_zalloc(document->import->arena, yyjson_obj_size(from),
                                sizeof(struct import_scheme *));
    if (!schemes)
        return HAFT_ENOMEM;
    while ((key = yyjson_obj_iter_next(&all))) {
        schemes[n] = security_find(document, yyjson_get_str(key));
        if (!schemes[n++])
            return HAFT_ENOMEM;
    }
    *requirement = (struct import_requirement){schemes, n};
    return 0;
}

int hf_import_requirements(const struct import_document *document, yyjson_val *operation,
                           struct import_operation *target)
{
    yyjson_val *own = yyjson_obj_get(operation, "security"), *item;
    yyjson_val *list = own ? own : yyjson_obj_get(document->root, "security");
    yyjson_arr_iter all = yyjson_arr_iter_with(list);
    struct import_requirement *requirements;
    size_t n = 0;

    if (!yyjson_arr_size(list))
        return 0;
    requirements =
        haft_arena_zalloc(document->import->arena, yyjson_arr_size(list), sizeof *requirements);
    if (!requirements)
        return HAFT_ENOMEM;
    while ((item = yyjson_arr_iter_next(&all)))
        if (security_read_requirement(document, item, &requirements[n++]))
            return HAFT_ENOMEM;
    target->requirements = requirements;
    target->n_requirements = n;
    return 0;
}
