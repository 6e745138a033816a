/* claims.c - what a token says, and whether it is for this server (RFC 7519, RFC 9068, RFC 7662). */
#include "auth/token/jwk.h"

#include "base/url.h"

enum {
    CLAIMS_NAME = 1024 /* bytes of an issuer, a subject or a client */
};

/* Integers up to this are exact in every reader. */
#define CLAIMS_TIME WHOLE_BELOW

int hf_token_string(haft_value *object, const char *name, const char **ret_text)
{
    haft_value *value = yyjson_obj_get(object, name);

    if (!value)
        return 0;
    if (!yyjson_is_str(value) || strlen(yyjson_get_str(value)) != yyjson_get_len(value))
        return HAFT_EINVAL;
    *ret_text = yyjson_get_str(value);
    return 1;
}

int hf_token_time(haft_value *object, const char *name, int64_t *ret_time)
{
    haft_value *value = yyjson_obj_get(object, name);
    double number;

    if (!value)
        return 0;
    if (!yyjson_is_num(value))
        return HAFT_EINVAL;
    number = yyjson_get_num(value);
    if (!(number > -CLAIMS_TIME && number < CLAIMS_TIME))
        return HAFT_EINVAL;
    *ret_time = (int64_t)number + ((double)(int64_t)number < number);
    return 1;
}

/* ---- audiences ---- */

/* Removes the default port of the scheme; false if there is no host, or a user in front of it. */
static bool claims_trim_port(struct url_part scheme, struct url_part *authority)
{
    const char *port = hf_text_is_ignoring_case(scheme.text, scheme.size, "https")  ? ":443"
                       : hf_text_is_ignoring_case(scheme.text, scheme.size, "http") ? ":80"
                                                                                    : NULL;
    size_t size = port ? strlen(port) : 0;

    if (!authority->size || memchr(authority->text, '@', authority->size))
        return false;
    if (size && authority->size > size &&
        !memcmp(authority->text + authority->size - size, port, size))
        authority->size -= size;
    return true;
}

static bool claims_same_ignoring_case(struct url_part left, struct url_part right)
{
    if (left.size != right.size)
        return false;
    for (size_t i = 0; i < left.size; i++)
        if (ascii_lower(left.text[i]) != ascii_lower(right.text[i]))
            return false;
    return true;
}

static bool claims_same(struct url_part left, struct url_part right)
{
    return !left.text == !right.text && left.size == right.size &&
           (!left.size || !memcmp(left.text, right.text, left.size));
}

bool hf_resource_equal(struct text left, struct text right)
{
    struct url l = hf_url_split(left.data, left.size), r = hf_url_split(right.data, right.size);

    if (left.size == right.size && !memcmp(left.data, right.data, left.size))
        return true;
    if (!l.scheme.text || !r.scheme.text || !l.authority.text || !r.authority.text ||
        !claims_same_ignoring_case(l.scheme, r.scheme) ||
        !claims_trim_port(l.scheme, &l.authority) || !claims_trim_port(r.scheme, &r.authority) ||
        !claims_same_ignoring_case(l.authority, r.authority))
        return false;
    if (l.path.size && l.path.text[l.path.size - 1] == '/')
        l.path.size--;
    if (r.path.size && r.path.text[r.path.size - 1] == '/')
        r.path.size--;
    return l.path.size == r.path.size && !memcmp(l.path.text, r.path.text, l.path.size) &&
           claims_same(l.query, r.query) && claims_same(l.fragment, r.fragment);
}

bool hf_audience_equal(const char *left, const char *right)
{
    return hf_resource_equal((struct text){left, strlen(left)},
                             (struct text){right, strlen(right)});
}

static bool claims_is_audience(const char *text, const char *const *audiences)
{
    for (; *audiences; audiences++)
        if (hf_audience_equal(text, *audiences))
            return true;
    return false;
}

static enum token_error claims_check_audience(haft_value *claims, const char *const *audiences)
{
    haft_value *value = yyjson_obj_get(claims, "aud");
    bool found = false;
    size_t i, n;

    if (!value)
        return TOKEN_WRONG_AUDIENCE;
    if (!yyjson_is_str(value) && !yyjson_is_arr(value))
        return TOKEN_BAD_CLAIM;
    n = yyjson_is_arr(value) ? yyjson_arr_size(value) : 1;
    value = yyjson_is_arr(value) ? yyjson_arr_get_first(value) : value;
    for (i = 0; i < n; i++, value = unsafe_yyjson_get_next(value)) {
        const char *text = yyjson_get_str(value);

        if (!text || strlen(text) != yyjson_get_len(value))
            return TOKEN_BAD_CLAIM;
        found = found || claims_is_audience(text, audiences);
    }
    return found ? TOKEN_OK : TOKEN_WRONG_AUDIENCE;
}

/* ---- times, names ---- */

static enum token_error claims_check_times(haft_value *claims, const struct token_rules *rules,
                                           int64_t now, int64_t *ret_expires)
{
    int64_t expires, starts = now, issued = now;

    if (hf_token_time(claims, "exp", &expires) != 1 || hf_token_time(claims, "nbf", &starts) < 0 ||
        hf_token_time(claims, "iat", &issued) < 0)
        return TOKEN_BAD_CLAIM;
    if (now >= expires + rules->skew_s)
        return TOKEN_EXPIRED;
    if (starts > now + rules->skew_s || issued > now + rules->skew_s)
        return TOKEN_NOT_YET;
    *ret_expires = expires;
    return TOKEN_OK;
}

/* A name that goes into the principal, and so into logs: not empty, and without control
 * characters and others that are not visible. The text is valid UTF-8. */
static int claims_name(haft_value *claims, const char *name, const char **ret_text)
{
    int found = hf_token_string(claims, name, ret_text);

    if (found != 1)
        return found;
    for (const char *at = *ret_text; *at;)
        if (hf_character_is_hidden(hf_utf8_next(&at)))
            return HAFT_EINVAL;
    return **ret_text && strlen(*ret_text) <= CLAIMS_NAME ? 1 : HAFT_EINVAL;
}

static enum token_error claims_read_names(haft_value *claims, struct token_claims *names)
{
    int subject = claims_name(claims, "sub", &names->subject);
    int client = claims_name(claims, "client_id", &names->client);

    if (!client)
        client = claims_name(claims, "azp", &names->client); /* OpenID Connect's */
    return subject < 0 || client < 0 || !(subject || client) ? TOKEN_BAD_CLAIM : TOKEN_OK;
}

/* ---- scopes ---- */

/* Appends the scopes of a text. "*" is left out: it stands for all scopes of a server, which no
 * issuer grants. Returns false for a character that is not one of a scope (RFC 6749, section 3.3). */
static bool claims_add_scopes(struct text list, char *scopes, size_t *size)
{
    const char *at = list.data, *end = at + list.size;

    while (at < end) {
        const char *word = at;

        for (; at < end && *at != ' '; at++)
            if (*at < '!' || *at > '~' || *at == '"' || *at == '\\')
                return false;
        if (at > word && !(at == word + 1 && *word == '*')) {
            if (*size)
                scopes[(*size)++] = ' ';
            memcpy(scopes + *size, word, (size_t)(at - word));
            *size += (size_t)(at - word);
        }
        at += at < end;
    }
    return true;
}

/* Reads `scope`, a string, or else `scp`, a string or a list of strings as some issuers have it. */
static enum token_error claims_read_scopes(haft_value *claims, haft_arena *arena,
                                           const char **ret_scopes)
{
    haft_value *scope = yyjson_obj_get(claims, "scope"), *scp = yyjson_obj_get(claims, "scp");
    haft_value *value = scope ? scope : scp, *item;
    bool list = !scope && yyjson_is_arr(value);
    size_t room = 1, size = 0, n = list ? yyjson_arr_size(value) : 1;
    char *scopes;

    if (!value)
        return TOKEN_OK;
    item = list ? yyjson_arr_get_first(value) : value;
    for (size_t i = 0; i < n; i++, item = unsafe_yyjson_get_next(item)) {
        if (!yyjson_is_str(item))
            return TOKEN_BAD_CLAIM;
        room += yyjson_get_len(item) + 1;
    }
    scopes = haft_arena_alloc(arena, room);
    if (!scopes)
        return TOKEN_NO_MEMORY;
    item = list ? yyjson_arr_get_first(value) : value;
    for (size_t i = 0; i < n; i++, item = unsafe_yyjson_get_next(item))
        if (!claims_add_scopes((struct text){yyjson_get_str(item), yyjson_get_len(item)}, scopes,
                               &size))
            return TOKEN_BAD_CLAIM;
    scopes[size] = '\0';
    *ret_scopes = size ? scopes : NULL;
    return TOKEN_OK;
}

/* ---- confirmation ---- */

/* Reads what the token is bound to (RFC 9449, RFC 8705). A token that is bound to something else
 * must not be used as if it were not bound. */
static enum token_error claims_read_binding(haft_value *claims, struct token_claims *binding)
{
    haft_value *cnf = yyjson_obj_get(claims, "cnf");

    if (!cnf)
        return TOKEN_OK;
    if (hf_token_string(cnf, "jkt", &binding->jkt) < 0 ||
        hf_token_string(cnf, "x5t#S256", &binding->x5t) < 0 || (!binding->jkt && !binding->x5t) ||
        (binding->jkt && strlen(binding->jkt) != TOKEN_DIGEST) ||
        (binding->x5t && strlen(binding->x5t) != TOKEN_DIGEST))
        return TOKEN_BAD_CLAIM;
    return TOKEN_OK;
}

enum token_error hf_claims_check(haft_value *claims, const struct token_rules *rules, int64_t now,
                                 haft_arena *arena, struct token_claims *ret_claims)
{
    struct token_claims result = {.issuer = rules->issuer};
    enum token_error error;
    const char *issuer;
    int found;

    if (!yyjson_is_obj(claims))
        return TOKEN_MALFORMED;
    found = hf_token_string(claims, "iss", &issuer);
    if (found < 0)
        return TOKEN_BAD_CLAIM;
    if (found && strcmp(issuer, rules->issuer) != 0)
        return TOKEN_WRONG_ISSUER;
    error = claims_check_audience(claims, rules->audiences);
    if (!error)
        error = claims_check_times(claims, rules, now, &result.expires);
    if (!error)
        error = claims_read_names(claims, &result);
    if (!error)
        error = claims_read_scopes(claims, arena, &result.scopes);
    if (!error)
        error = claims_read_binding(claims, &result);
    if (!error)
        *ret_claims = result;
    return error;
}

/* ---- access tokens ---- */

static bool claims_type_is(const char *type, const char *wanted)
{
    static const char prefix[] = "application/";

    if (hf_text_is_ignoring_case(type, strnlen(type, sizeof prefix - 1), prefix))
        type += sizeof prefix - 1;
    return hf_text_same_ignoring_case(type, wanted);
}

enum token_error hf_jwt_check(const struct jwt *jwt, const struct token_rules *rules, int64_t now,
                              haft_arena *arena, struct token_claims *ret_claims)
{
    bool access = jwt->type && claims_type_is(jwt->type, "at+jwt");
    bool other = rules->any_type && (!jwt->type || claims_type_is(jwt->type, "JWT"));

    if (!access && !other)
        return TOKEN_WRONG_TYPE;
    if (!yyjson_obj_get(jwt->claims, "iss"))
        return TOKEN_WRONG_ISSUER;
    return hf_claims_check(jwt->claims, rules, now, arena, ret_claims);
}
