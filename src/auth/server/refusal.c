/* refusal.c - refusals of requests, and what they tell clients (RFC 6750, RFC 9449, RFC 9728).
 *
 * The strings are constants of this library and options of the operator: a refusal repeats nothing
 * of its request. */
#include "auth/scope.h"
#include "auth/server/server.h"
#include "json/writer.h"

enum { REFUSAL_ARENA = 64 << 10, REFUSAL_HEADERS = 5, REFUSAL_TEXT = 16 << 10 };

/* Appends `name="value"`, without the characters that a quoted string could not contain as they
 * are. */
static void refusal_put(haft_buffer *out, bool *first, const char *name, const char *value)
{
    haft_buffer_printf(out, "%s%s=\"", *first ? " " : ", ", name);
    for (; *value; value++)
        if (*value >= ' ' && *value < 0x7F && *value != '"' && *value != '\\')
            haft_buffer_add(out, value, 1);
    haft_buffer_add(out, "\"", 1);
    *first = false;
}

static void refusal_put_url(const struct authenticator *authenticator, const char *path,
                            haft_buffer *out, bool *first)
{
    haft_buffer_printf(out, "%sresource_metadata=\"", *first ? " " : ", ");
    hf_document_put_url(authenticator, path, out);
    haft_buffer_add(out, "\"", 1);
    *first = false;
}

/* The value of WWW-Authenticate. */
static void refusal_put_challenge(const struct authenticator *authenticator, const char *path,
                                  const struct refusal *refusal, haft_buffer *out)
{
    bool oauth = authenticator->options.n_issuers, first = true;
    bool dpop = oauth && (refusal->dpop || authenticator->options.dpop == HAFT_DPOP_REQUIRED);
    const char *scopes = refusal->scopes && *refusal->scopes ? refusal->scopes : NULL;

    haft_buffer_puts(out, dpop ? "DPoP" : "Bearer");
    if (!oauth)
        refusal_put(out, &first, "realm", "haft");
    if (dpop)
        refusal_put(out, &first, "algs", TOKEN_ALGORITHMS);
    if (refusal->error)
        refusal_put(out, &first, "error", refusal->error);
    if (refusal->error && refusal->text)
        refusal_put(out, &first, "error_description", refusal->text);
    if (oauth)
        refusal_put_url(authenticator, path, out, &first);
    if (scopes)
        refusal_put(out, &first, "scope", scopes);
}

int hf_refusal_challenge(haft_authenticator *base, const char *path, const char *scopes,
                         haft_buffer *value)
{
    const struct authenticator *authenticator = (const struct authenticator *)base;
    struct refusal refusal = {.status = 403, .error = "insufficient_scope"};
    haft_arena *arena = haft_arena_new(authenticator->memory, REFUSAL_ARENA);

    refusal.scopes = arena ? hf_scope_union(arena, authenticator->options.scopes, scopes) : NULL;
    if (refusal.scopes)
        refusal_put_challenge(authenticator, path, &refusal, value);
    else if (!value->status)
        value->status = HAFT_ENOMEM;
    haft_arena_free(arena);
    return value->status;
}

/* ---- the response ---- */

static const char *refusal_copy(haft_arena *arena, haft_buffer *buffer)
{
    const char *text = buffer->status ? NULL : haft_arena_copy(arena, buffer->data, buffer->size);

    haft_buffer_clear(buffer);
    return text;
}

static bool refusal_add(haft_response *response, haft_header *headers, const char *name,
                        const char *value)
{
    headers[response->n_headers++] = (haft_header){name, value};
    return value;
}

static const char *refusal_body(const struct refusal *refusal, haft_arena *arena,
                                haft_buffer *buffer)
{
    struct json_writer w = {.out = buffer};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "error"), refusal->error           ? refusal->error
                                        : refusal->status == 503 ? "temporarily_unavailable"
                                                                 : "unauthorized");
    json_text_member(&w, "error_description", refusal->text);
    hf_json_end_object(&w);
    return refusal_copy(arena, buffer);
}

static bool refusal_fill(const struct authenticator *authenticator, const char *path,
                         const struct refusal *refusal, haft_arena *arena, haft_response *response)
{
    haft_header *headers = haft_arena_zalloc(arena, REFUSAL_HEADERS, sizeof *headers);
    haft_buffer buffer;
    bool whole = headers;

    haft_buffer_init(&buffer, authenticator->memory, REFUSAL_TEXT);
    *response = (haft_response){.status = refusal->status, .headers = headers};
    if (whole) {
        whole = refusal_add(response, headers, "Content-Type", "application/json");
        whole &= refusal_add(response, headers, "Cache-Control", "no-store");
    }
    if (whole && (refusal->status == 401 || refusal->status == 403)) {
        refusal_put_challenge(authenticator, path, refusal, &buffer);
        whole = refusal_add(response, headers, "WWW-Authenticate", refusal_copy(arena, &buffer));
    }
    if (whole && refusal->nonce)
        whole = refusal_add(response, headers, "DPoP-Nonce",
                            haft_arena_copy(arena, refusal->nonce, strlen(refusal->nonce)));
    if (whole && refusal->retry_s)
        whole = refusal_add(response, headers, "Retry-After",
                            haft_arena_printf(arena, "%u", refusal->retry_s));
    response->body = whole ? refusal_body(refusal, arena, &buffer) : NULL;
    response->size = response->body ? strlen(response->body) : 0;
    haft_buffer_finish(&buffer);
    return response->body;
}

static const char *refusal_reason(const struct refusal *refusal)
{
    if (refusal->reason || refusal->error)
        return refusal->reason ? refusal->reason : refusal->error;
    return refusal->status == 503 ? "unavailable" : "no_credentials";
}

int hf_refusal_make(const struct authenticator *authenticator, const char *path,
                    const struct refusal *refusal, struct authentication *authentication)
{
    haft_arena *arena = haft_arena_new(authenticator->memory, REFUSAL_ARENA);

    if (!arena || !refusal_fill(authenticator, path, refusal, arena, &authentication->refusal)) {
        haft_arena_free(arena);
        return HAFT_ENOMEM;
    }
    if (refusal->text)
        hf_authenticator_log(authenticator, HAFT_DEBUG, "refused a request to %s: %s", path,
                             refusal->text);
    authentication->own = arena;
    authentication->kind = CHECK_ARENA;
    authentication->reason = refusal_reason(refusal);
    return HAFT_STOP;
}
