/* metadata.c - the documents of discovery. A member of the wrong type makes the whole document
 * invalid: a client that guesses can be led elsewhere. */
#include "auth/client/metadata.h"

#include "auth/scope.h"
#include "auth/web_url.h"
#include "json/json.h"

static const struct {
    const char *name;
    unsigned method;
} metadata_methods[] = {
    {"none", AUTH_METHOD_NONE},
    {"client_secret_basic", AUTH_METHOD_BASIC},
    {"client_secret_post", AUTH_METHOD_POST},
    {"private_key_jwt", AUTH_METHOD_KEY},
};

enum { METADATA_METHODS = sizeof metadata_methods / sizeof *metadata_methods };

unsigned hf_auth_method_read(const char *name)
{
    for (size_t i = 0; i < METADATA_METHODS; i++)
        if (!strcmp(name, metadata_methods[i].name))
            return metadata_methods[i].method;
    return 0;
}

const char *hf_auth_method_name(unsigned method)
{
    for (size_t i = 0; i < METADATA_METHODS; i++)
        if (method == metadata_methods[i].method)
            return metadata_methods[i].name;
    return NULL;
}

yyjson_val *hf_metadata_parse(const char *text, size_t size, const char *what, haft_arena *arena,
                              haft_reason *reterr_reason)
{
    haft_reason reason = {0};
    yyjson_val *value = haft_json_read(text, size, METADATA_DEPTH, arena, &reason);

    if (value && yyjson_is_obj(value))
        return value;
    if (!value && reason.code == HAFT_ENOMEM)
        hf_error_set(reterr_reason, HAFT_ENOMEM, what, "%s", haft_strerror(HAFT_ENOMEM));
    else
        hf_error_set(reterr_reason, HAFT_EPROTOCOL, what, "the %s is not a valid JSON object",
                     what);
    return NULL;
}

static int metadata_refuse(haft_reason *reason, const char *name, const char *text)
{
    return hf_error_set(reason, HAFT_EPROTOCOL, name, "the member `%s` %s", name, text);
}

static bool metadata_is_plain(yyjson_val *value, size_t limit)
{
    const char *text = yyjson_get_str(value);
    size_t size = yyjson_get_len(value);

    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7F)
            return false;
    return size <= limit;
}

int hf_metadata_string(yyjson_val *object, const char *name, size_t limit, const char **ret_text,
                       haft_reason *reterr_reason)
{
    yyjson_val *value = yyjson_obj_get(object, name);

    if (value && !yyjson_is_null(value)) {
        if (!yyjson_is_str(value) || !metadata_is_plain(value, limit))
            return metadata_refuse(reterr_reason, name, "is not a valid string");
        *ret_text = yyjson_get_str(value);
    } else {
        *ret_text = NULL;
    }
    return 0;
}

/* An array of strings, or NULL if it is absent. */
static int metadata_list(yyjson_val *object, const char *name, yyjson_val **ret_array,
                         haft_reason *reterr_reason)
{
    yyjson_val *array = yyjson_obj_get(object, name), *item;
    size_t i, max;

    *ret_array = NULL;
    if (!array || yyjson_is_null(array))
        return 0;
    if (!yyjson_is_arr(array))
        return metadata_refuse(reterr_reason, name, "is not an array of strings");
    yyjson_arr_foreach(array, i, max, item)
        if (!yyjson_is_str(item) || !metadata_is_plain(item, WEB_URL_LIMIT))
            return metadata_refuse(reterr_reason, name, "is not an array of strings");
    *ret_array = array;
    return 0;
}

static int metadata_scopes(yyjson_val *object, haft_arena *arena, const char **ret_scopes,
                           haft_reason *reterr_reason)
{
    static const char name[] = "scopes_supported";
    const char *scopes = NULL;
    yyjson_val *array, *item;
    size_t i, max, total = 0;
    int status = metadata_list(object, name, &array, reterr_reason);

    if (status || !array) {
        *ret_scopes = NULL;
        return status;
    }
    yyjson_arr_foreach(array, i, max, item) {
        total += yyjson_get_len(item) + 1;
        if (total > SCOPE_LIMIT / 2)
            return metadata_refuse(reterr_reason, name, "is too long");
        scopes = hf_scope_union(arena, scopes, yyjson_get_str(item));
        if (!scopes)
            return hf_error_set(reterr_reason, HAFT_ENOMEM, name, "%s", haft_strerror(HAFT_ENOMEM));
    }
    *ret_scopes = scopes;
    return 0;
}

int hf_resource_metadata_read(const char *text, size_t size, haft_arena *arena,
                              struct resource_metadata *ret_resource, haft_reason *reterr_reason)
{
    static const char servers[] = "authorization_servers";
    yyjson_val *object = hf_metadata_parse(text, size, "protected resource metadata", arena,
                                           reterr_reason),
               *array, *item;
    struct resource_metadata resource = {.n_servers = 0};
    size_t i, max;
    int status;

    if (!object)
        return reterr_reason->code;
    status =
        hf_metadata_string(object, "resource", WEB_URL_LIMIT, &resource.resource, reterr_reason);
    if (!status)
        status = metadata_list(object, servers, &array, reterr_reason);
    if (!status)
        status = metadata_scopes(object, arena, &resource.scopes, reterr_reason);
    if (status)
        return status;
    if (!resource.resource)
        return metadata_refuse(reterr_reason, "resource", "is missing");
    if (!array || !yyjson_arr_size(array))
        return metadata_refuse(reterr_reason, servers, "is missing or empty");
    yyjson_arr_foreach(array, i, max, item)
        if (resource.n_servers < METADATA_SERVERS)
            resource.servers[resource.n_servers++] = yyjson_get_str(item);
    *ret_resource = resource;
    return 0;
}

static int metadata_read_methods(yyjson_val *object, struct issuer_metadata *issuer,
                                 haft_reason *reterr_reason)
{
    yyjson_val *array, *item;
    size_t i, max;
    int status =
        metadata_list(object, "token_endpoint_auth_methods_supported", &array, reterr_reason);

    if (status)
        return status;
    issuer->methods_given = array;
    issuer->methods = array ? 0 : AUTH_METHOD_BASIC;
    yyjson_arr_foreach(array, i, max, item)
        issuer->methods |= hf_auth_method_read(yyjson_get_str(item));
    status = metadata_list(object, "code_challenge_methods_supported", &array, reterr_reason);
    if (status)
        return status;
    yyjson_arr_foreach(array, i, max, item)
        issuer->s256 |= !strcmp(yyjson_get_str(item), "S256");
    return 0;
}

static int metadata_flag(yyjson_val *object, const char *name, bool *ret_flag,
                         haft_reason *reterr_reason)
{
    yyjson_val *value = yyjson_obj_get(object, name);

    if (value && !yyjson_is_bool(value) && !yyjson_is_null(value))
        return metadata_refuse(reterr_reason, name, "is not a boolean");
    *ret_flag = yyjson_is_true(value);
    return 0;
}

int hf_issuer_metadata_read(const char *text, size_t size, haft_arena *arena,
                            struct issuer_metadata *ret_issuer, haft_reason *reterr_reason)
{
    yyjson_val *object =
        hf_metadata_parse(text, size, "authorization server metadata", arena, reterr_reason);
    struct issuer_metadata issuer = {.issuer = NULL};
    const struct {
        const char *name, **place;
    } strings[] = {{"issuer", &issuer.issuer},
                   {"authorization_endpoint", &issuer.authorization},
                   {"token_endpoint", &issuer.token},
                   {"registration_endpoint", &issuer.registration},
                   {"revocation_endpoint", &issuer.revocation},
                   {"introspection_endpoint", &issuer.introspection},
                   {"jwks_uri", &issuer.jwks}};
    int status = 0;

    if (!object)
        return reterr_reason->code;
    for (size_t i = 0; i < sizeof strings / sizeof *strings && !status; i++)
        status = hf_metadata_string(object, strings[i].name, WEB_URL_LIMIT, strings[i].place,
                                    reterr_reason);
    if (!status)
        status = metadata_scopes(object, arena, &issuer.scopes, reterr_reason);
    if (!status)
        status = metadata_read_methods(object, &issuer, reterr_reason);
    if (!status)
        status = metadata_flag(object, "client_id_metadata_document_supported",
                               &issuer.metadata_url, reterr_reason);
    if (!status)
        status = metadata_flag(object, "authorization_response_iss_parameter_supported",
                               &issuer.iss_parameter, reterr_reason);
    if (!status && !issuer.issuer)
        status = metadata_refuse(reterr_reason, "issuer", "is missing");
    if (!status)
        *ret_issuer = issuer;
    return status;
}

/* ---- where it is ---- */

static const char metadata_oauth_path[] = "/.well-known/oauth-authorization-server";
static const char metadata_openid_path[] = "/.well-known/openid-configuration";

int hf_issuer_metadata_urls(haft_arena *arena, const char *issuer,
                            const char *ret_urls[METADATA_WAYS], size_t *ret_n)
{
    char origin[WEB_URL_LIMIT];
    struct web_url url;
    haft_buffer buffer;
    int path;
    size_t n = 0;

    if (hf_web_url_read(issuer, &url) || url.query.text || url.has_fragment)
        return HAFT_EINVAL;
    haft_buffer_init(&buffer, hf_arena_allocator(arena), sizeof origin - 1);
    hf_web_url_put_origin(&url, &buffer);
    if (!buffer.status)
        memcpy(origin, buffer.data, buffer.size);
    origin[buffer.status ? 0 : buffer.size] = '\0';
    haft_buffer_finish(&buffer);
    if (!*origin)
        return HAFT_ENOMEM;
    path = (int)url.path.size - (url.path.size && url.path.text[url.path.size - 1] == '/');
    ret_urls[n++] =
        haft_arena_printf(arena, "%s%s%.*s", origin, metadata_oauth_path, path, url.path.text);
    ret_urls[n++] =
        haft_arena_printf(arena, "%s%s%.*s", origin, metadata_openid_path, path, url.path.text);
    if (path)
        ret_urls[n++] =
            haft_arena_printf(arena, "%s%.*s%s", origin, path, url.path.text, metadata_openid_path);
    for (size_t i = 0; i < n; i++)
        if (!ret_urls[i])
            return HAFT_ENOMEM;
    *ret_n = n;
    return 0;
}
