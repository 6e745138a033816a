/* credentials.c - the credentials in a request: exactly one, and only in headers.
 *
 * A request with two could be understood differently by two readers; a token in a URL ends up in
 * logs. */
#include "auth/server/server.h"

#include "base/percent.h"
#include "protocol/header.h"

/* The headers that matter, of which none may be repeated, as NAME_KEY needs them. */
#define CREDENTIALS_HEADERS_READ(X)                                                                \
    X(authorization, 'a', "authorization")                                                         \
    X(key, 'x', "x-api-key")                                                                       \
    X(proof, 'd', "dpop")

struct credentials_headers {
    const char *authorization, *key, *proof;
    bool repeated;
};

static void credentials_note(struct credentials_headers *found, const char **place,
                             const char *value)
{
    found->repeated |= *place != NULL;
    *place = value;
}

/* Whether one of them begins with this letter: few others do. */
static bool credentials_may_be(char first)
{
#define CREDENTIALS_LETTER(member, first, text) | UINT32_C(1) << ((first)&31)
    static const uint32_t letters = 0 CREDENTIALS_HEADERS_READ(CREDENTIALS_LETTER);
#undef CREDENTIALS_LETTER

    return letters >> (first & 31) & 1;
}

static void credentials_look(const haft_request *request, struct credentials_headers *found)
{
    for (size_t i = 0; i < request->n_headers; i++) {
        const char *name = request->headers[i].name, *value = request->headers[i].value;
        size_t size;

        if (!credentials_may_be(*name))
            continue;
        size = strlen(name);
        switch (NAME_KEY(*name | 0x20, size)) {
#define CREDENTIALS_CASE(member, first, text)                                                      \
    case NAME_KEY(first, sizeof text - 1):                                                         \
        if (hf_text_is_ignoring_case(name, size, text))                                            \
            credentials_note(found, &found->member, value);                                        \
        break;
            CREDENTIALS_HEADERS_READ(CREDENTIALS_CASE)
#undef CREDENTIALS_CASE
        default:
            break;
        }
    }
}

/* The certificate that a trusted proxy names. A header that is repeated is not believed. */
static struct text credentials_certificate(const struct authenticator *authenticator,
                                           const haft_request *request)
{
    bool again = false;
    struct text found = {NULL, 0};

    if (request->proxied && authenticator->options.certificate_header)
        found = hf_header_get(request->headers, request->n_headers,
                              authenticator->options.certificate_header, &again);
    return again ? (struct text){NULL, 0} : found;
}

/* Whether a query has the parameter access_token, also if a part of its name is encoded. */
static bool credentials_query_has_token(const char *query)
{
    static const char name[] = "access_token";

    while (query && *query) {
        size_t size = strcspn(query, "&;"), i = 0, at = 0;

        while (at < size && query[at] != '=' && i < sizeof name - 1) {
            char c = query[at];
            int byte = percent_byte(query + at, size - at);

            if ((byte >= 0 ? (char)byte : c) != name[i])
                break;
            at += byte >= 0 ? PERCENT_ESCAPE : 1;
            i++;
        }
        if (i == sizeof name - 1 && (at == size || query[at] == '='))
            return true;
        query += size + (query[size] != '\0');
    }
    return false;
}

bool hf_credentials_is_token(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] <= ' ' || text.data[i] >= 0x7F || text.data[i] == ',' ||
            text.data[i] == '"')
            return false;
    return text.size;
}

static const char *credentials_read(const char *header, struct presented *presented)
{
    struct text all = text_trim(header, strlen(header)), scheme = all;
    const char *blank = memchr(all.data, ' ', all.size);

    if (blank)
        scheme.size = (size_t)(blank - all.data);
    /* Most clients write them like this, which is compared fastest. */
    if (hf_text_is_ignoring_case(scheme.data, scheme.size, "Bearer"))
        presented->kind = CREDENTIAL_BEARER;
    else if (hf_text_is_ignoring_case(scheme.data, scheme.size, "DPoP"))
        presented->kind = CREDENTIAL_DPOP;
    else
        return NULL; /* an unknown scheme: as without credentials */
    presented->secret = text_trim(all.data + scheme.size, all.size - scheme.size);
    return presented->secret.size ? NULL : CREDENTIALS_MALFORMED;
}

const char *hf_credentials_find(const struct authenticator *authenticator,
                                const haft_request *request, const char *path,
                                struct presented *ret_presented)
{
    struct credentials_headers found = {.authorization = NULL};
    const char *wrong = NULL;

    *ret_presented = (struct presented){.method = request->method,
                                        .target = request->target ? request->target : request->path,
                                        .path = path,
                                        .certificate = request->certificate};
    ret_presented->forwarded = credentials_certificate(authenticator, request);
    credentials_look(request, &found);
    if (request->query && *request->query && credentials_query_has_token(request->query))
        return "The access token must be in the Authorization header, not in the URL";
    if (found.repeated)
        return "A header with credentials is repeated";
    if (found.authorization)
        wrong = credentials_read(found.authorization, ret_presented);
    if (wrong)
        return wrong;
    if (found.proof)
        ret_presented->proof = text_trim(found.proof, strlen(found.proof));
    if (!found.key || !authenticator->options.key_file)
        return NULL;
    if (ret_presented->kind != CREDENTIAL_NONE)
        return "The request has more than one credential";
    ret_presented->kind = CREDENTIAL_KEY;
    ret_presented->secret = text_trim(found.key, strlen(found.key));
    return ret_presented->secret.size ? NULL : "The X-API-Key header is empty";
}
