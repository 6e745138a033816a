/* http_credential.c - credentials from the configuration, for requests to an HTTP upstream. */
#define _GNU_SOURCE /* memmem */
#include <strings.h>

#include "auth/client/token_answer.h"
#include "auth/wiping.h"
#include "base/percent.h"
#include "import/import.h"
#include "protocol/header.h"
#include "upstream/http.h"

enum {
    CREDENTIAL_MEMBERS = 4,
    CREDENTIAL_MASKED = 6 /* bytes from which a secret is masked: a shorter one may be any word */
};

static int credential_refuse(const char *path, const char *text, haft_reason *reterr_reason)
{
    return hf_error_set(reterr_reason, HAFT_EINVAL, path, "%s", text);
}

/* Reads a secret, which must be valid in a header. */
static int credential_secret(const struct http_upstream *http, const char *path,
                             const char *written, const char **ret_secret,
                             haft_reason *reterr_reason)
{
    int status = hf_upstream_secret(http->upstream, written, ret_secret, reterr_reason);

    if (status)
        return status;
    if (!hf_header_value_is_valid(*ret_secret, strlen(*ret_secret)))
        return credential_refuse(path, "contains characters that are not allowed in a header",
                                 reterr_reason);
    return 0;
}

static struct http_credential *credential_new(const struct http_upstream *http,
                                              enum http_credential_kind kind, const char *name,
                                              const char *value)
{
    struct http_credential *credential =
        haft_arena_zalloc(http->upstream->arena, 1, sizeof *credential);

    if (credential)
        *credential = (struct http_credential){.kind = kind, .name = name, .value = value};
    return value ? credential : NULL;
}

/* ---- one for each kind; each returns 0 or an error with the reason ---- */

typedef int credential_maker(struct http_upstream *http, const http_auth_entry *auth,
                             const struct import_scheme *scheme,
                             struct http_credential **ret_credential, haft_reason *reterr_reason);

static int credential_bearer(struct http_upstream *http, const http_auth_entry *auth,
                             const struct import_scheme *scheme,
                             struct http_credential **ret_credential, haft_reason *reterr_reason)
{
    const char *secret;
    int status = credential_secret(http, "bearer", auth->bearer, &secret, reterr_reason);

    (void)scheme;
    if (status)
        return status;
    *ret_credential = credential_new(http, HTTP_CREDENTIAL_HEADER, "Authorization",
                                     haft_arena_printf(http->upstream->arena, "Bearer %s", secret));
    return *ret_credential ? 0 : HAFT_ENOMEM;
}

static int credential_basic(struct http_upstream *http, const http_auth_entry *auth,
                            const struct import_scheme *scheme,
                            struct http_credential **ret_credential, haft_reason *reterr_reason)
{
    haft_arena *arena = http->upstream->arena;
    const char *secret, *pair;
    char *value;
    size_t size;
    int status = hf_upstream_secret(http->upstream, auth->basic.password, &secret, reterr_reason);

    (void)scheme;
    if (status)
        return status;
    if (strchr(auth->basic.username, ':'))
        return credential_refuse("basic.username", "must not contain a colon", reterr_reason);
    pair = haft_arena_printf(arena, "%s:%s", auth->basic.username, secret);
    size = pair ? strlen(pair) : 0;
    value = pair ? haft_arena_alloc(arena, sizeof "Basic " + HAFT_BASE64_SIZE(size)) : NULL;
    if (!value)
        return HAFT_ENOMEM;
    memcpy(value, "Basic ", 6);
    value[6 + haft_base64_encode(pair, size, value + 6)] = '\0';
    *ret_credential = credential_new(http, HTTP_CREDENTIAL_HEADER, "Authorization", value);
    if (!*ret_credential)
        return HAFT_ENOMEM;
    (*ret_credential)->password = secret;
    return 0;
}

static enum http_credential_kind credential_place(const http_key_entry *key,
                                                  const struct import_scheme *scheme)
{
    http_key_place place = key->has_place ? key->place : http_key_place_header;

    if (scheme && !key->has_place)
        place = scheme->kind == IMPORT_QUERY    ? http_key_place_query
                : scheme->kind == IMPORT_COOKIE ? http_key_place_cookie
                                                : http_key_place_header;
    return place == http_key_place_query    ? HTTP_CREDENTIAL_QUERY
           : place == http_key_place_cookie ? HTTP_CREDENTIAL_COOKIE
                                            : HTTP_CREDENTIAL_HEADER;
}

static int credential_key(struct http_upstream *http, const http_auth_entry *auth,
                          const struct import_scheme *scheme,
                          struct http_credential **ret_credential, haft_reason *reterr_reason)
{
    const http_key_entry *key = &auth->api_key;
    const char *secret, *name = key->has_name                 ? key->name
                                : scheme && scheme->parameter ? scheme->parameter
                                                              : "X-API-Key";
    int status = credential_secret(http, "api_key.value", key->value, &secret, reterr_reason);

    if (status)
        return status;
    if (!hf_header_name_is_valid(name))
        return credential_refuse("api_key.name", "is not a valid name", reterr_reason);
    if (credential_place(key, scheme) == HTTP_CREDENTIAL_COOKIE && strpbrk(secret, ";, \"\\"))
        return credential_refuse(
            "api_key.value", "contains characters that are not allowed in a cookie", reterr_reason);
    *ret_credential = credential_new(http, credential_place(key, scheme), name, secret);
    return *ret_credential ? 0 : HAFT_ENOMEM;
}

static int credential_oauth(struct http_upstream *http, const http_auth_entry *auth,
                            const struct import_scheme *scheme,
                            struct http_credential **ret_credential, haft_reason *reterr_reason)
{
    const http_oauth_entry *options = &auth->oauth;
    struct http_token *token = haft_arena_zalloc(http->upstream->arena, 1, sizeof *token);
    struct web_url url;
    int status;

    if (!token)
        return HAFT_ENOMEM;
    token->options = options;
    token->http = http;
    token->guarded = !options->has_token_url;
    token->url = options->has_token_url ? options->token_url : scheme ? scheme->token_url : NULL;
    if (!token->url || hf_web_url_read(token->url, &url))
        return credential_refuse("oauth.token_url", "must be an http or https URL", reterr_reason);
    if (token->guarded && !url.tls)
        return credential_refuse("oauth.token_url",
                                 "is missing, and that of the OpenAPI document is not https",
                                 reterr_reason);
    status =
        hf_upstream_secret(http->upstream, options->client_secret, &token->secret, reterr_reason);
    if (status)
        return status;
    haft_buffer_init(&token->form, &hf_wiping_allocator, TOKEN_ANSWER_LIMIT);
    haft_buffer_init(&token->answer, &hf_wiping_allocator, TOKEN_ANSWER_LIMIT);
    *ret_credential = credential_new(http, HTTP_CREDENTIAL_OAUTH, "Authorization", "");
    if (!*ret_credential)
        return HAFT_ENOMEM;
    (*ret_credential)->token = token;
    token->next = http->tokens;
    http->tokens = token;
    return 0;
}

/* ---- those of every request ---- */

static int credential_add(struct http_upstream *http, bool has, credential_maker *make,
                          haft_reason *reterr_reason)
{
    haft_reason reason = {0};
    int status = has ? make(http, &http->options->auth, NULL,
                            &http->credentials[http->n_credentials], &reason)
                     : 0;

    if (status && reason.code)
        hf_error_set(reterr_reason, status, "auth", "%s%s%s", reason.path, *reason.path ? ": " : "",
                     reason.text);
    http->n_credentials += has && !status;
    return status;
}

int hf_http_credentials_make(struct http_upstream *http, haft_reason *reterr_reason)
{
    const http_auth_entry *auth = &http->options->auth;
    int status;

    http->credentials =
        haft_arena_zalloc(http->upstream->arena, CREDENTIAL_MEMBERS, sizeof *http->credentials);
    if (!http->credentials)
        return HAFT_ENOMEM;
    if (!http->options->has_auth)
        return 0;
    if (auth->has_bearer + auth->has_basic + auth->has_oauth > 1)
        return credential_refuse("auth", "only one of bearer, basic and oauth can be sent",
                                 reterr_reason);
    status = credential_add(http, auth->has_bearer, credential_bearer, reterr_reason);
    if (!status)
        status = credential_add(http, auth->has_basic, credential_basic, reterr_reason);
    if (!status)
        status = credential_add(http, auth->has_api_key, credential_key, reterr_reason);
    if (!status)
        status = credential_add(http, auth->has_oauth, credential_oauth, reterr_reason);
    return status;
}

/* ---- those of a document's security schemes ---- */

static credential_maker *credential_maker_for(const http_auth_entry *auth,
                                              enum import_scheme_kind kind)
{
    switch (kind) {
    case IMPORT_HEADER:
    case IMPORT_QUERY:
    case IMPORT_COOKIE:
        return auth->has_api_key ? credential_key : NULL;
    case IMPORT_BASIC:
        return auth->has_basic ? credential_basic : NULL;
    case IMPORT_BEARER:
        return auth->has_bearer ? credential_bearer : auth->has_oauth ? credential_oauth : NULL;
    default:
        return NULL;
    }
}

int hf_http_credential_of(struct http_upstream *http, const struct import_scheme *scheme,
                          struct http_credential **ret_credential, haft_reason *reterr_reason)
{
    const http_entry *options = http->options;
    haft_reason reason = {0};

    *ret_credential = NULL;
    for (size_t i = 0; options->has_security && i < options->n_security; i++) {
        const http_auth_entry *auth = &options->security[i];
        credential_maker *make;
        int status;

        if (strcmp(options->security_keys[i], scheme->name) != 0)
            continue;
        make = credential_maker_for(auth, scheme->kind);
        if (!make)
            return hf_error_set(reterr_reason, HAFT_EINVAL, "security",
                                "%.100s: these credentials are not of the kind that the document "
                                "asks for",
                                scheme->name);
        status = make(http, auth, scheme, ret_credential, &reason);
        if (status && reason.code)
            hf_error_set(reterr_reason, status, "security", "%.100s: %s%s%s", scheme->name,
                         reason.path, *reason.path ? ": " : "", reason.text);
        return status;
    }
    return 0;
}

/* ---- answers that repeat them ---- */

/* Header fields that a configuration sets for the format of answers; their values are not secret, and
 * answers have them for other reasons. */
static const char *const credential_public[] = {
    "Accept",        "Accept-Charset", "Accept-Encoding", "Accept-Language",
    "Cache-Control", "Content-Type",   "User-Agent",
};

static bool credential_is_public(const char *name)
{
    for (size_t i = 0; i < sizeof credential_public / sizeof *credential_public; i++)
        if (!strcasecmp(name, credential_public[i]))
            return true;
    return false;
}

/* The size of the secret at the text with any of its characters percent-encoded; 0 if it is not there. */
static size_t credential_encoded(const char *secret, const char *text, size_t size)
{
    size_t at = 0;

    for (; *secret; secret++) {
        bool escaped = percent_byte(text + at, size - at) == (unsigned char)*secret;

        if (at == size || (!escaped && text[at] != *secret && !(text[at] == '+' && *secret == ' ')))
            return 0;
        at += escaped ? PERCENT_ESCAPE : 1;
    }
    return at;
}

static void credential_mask_text(const char *secret, char *text, size_t size)
{
    size_t n = strlen(secret), encoded;
    char *found, *from = text, *end = text + size;

    if (n < CREDENTIAL_MASKED)
        return;
    while ((found = memmem(from, (size_t)(end - from), secret, n))) {
        memset(found, '*', n);
        from = found + n;
    }
    for (; text < end; text += encoded ? encoded : 1) {
        encoded = credential_encoded(secret, text, (size_t)(end - text));
        memset(text, '*', encoded);
    }
}

/* The scheme of Authorization is not secret, and an answer may have the rest alone. */
static void credential_mask_field(const char *name, const char *value, char *text, size_t size)
{
    const char *space = !strcasecmp(name, "Authorization") ? strchr(value, ' ') : NULL;

    credential_mask_text(space ? space + 1 : value, text, size);
}

void hf_http_credential_mask(const struct http_credential *credential, char *text, size_t size)
{
    const char *value = credential->token ? credential->token->header : credential->value;

    if (!value)
        return;
    credential_mask_field(credential->name, value, text, size);
    if (credential->password)
        credential_mask_text(credential->password, text, size);
}

void hf_http_headers_mask(const http_headers_entry *headers, char *text, size_t size)
{
    for (size_t i = 0; headers->has_set && i < headers->n_set; i++)
        if (!credential_is_public(headers->set_keys[i]))
            credential_mask_field(headers->set_keys[i], headers->set[i], text, size);
}
