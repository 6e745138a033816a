/* known.c - verified tokens: what they say about the client, without the tokens themselves. */
#include "auth/server/server.h"
#include "engine/offer/access.h"

static size_t known_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *known_put(char **at, const char *text, size_t size)
{
    char *copy = *at;

    if (!text)
        return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *at += size + 1;
    return copy;
}

static const char *known_put_text(char **at, const char *text)
{
    return known_put(at, text, text ? strlen(text) : 0);
}

/* The issuer and, behind a line end, the subject: neither can contain one. */
static const char *known_put_principal(char **at, const struct token_claims *claims,
                                       const char *subject)
{
    const char *principal = known_put_text(at, claims->issuer);

    (*at)[-1] = '\n';
    known_put_text(at, subject);
    return principal;
}

/* When the token will no longer be accepted. */
static int64_t known_end(const struct authenticator *authenticator,
                         const struct token_claims *claims)
{
    int64_t skew = authenticator->options.skew_s;

    return claims->expires < INT64_MAX / 1000 - skew ? (claims->expires + skew) * 1000 : 0;
}

bool hf_known_scopes_suffice(const struct authenticator *authenticator, const char *granted)
{
    return hf_access_meets(authenticator->access, granted, authenticator->options.scopes);
}

struct known *hf_known_new(const struct authenticator *authenticator,
                           const struct token_claims *claims, const char *text, size_t size)
{
    const haft_allocator *allocator = authenticator->memory;
    const char *subject = claims->subject ? claims->subject : claims->client;
    size_t all = sizeof(struct known) + 2 * known_size(claims->issuer) + known_size(subject) +
                 known_size(claims->subject) + known_size(claims->client) +
                 known_size(claims->scopes) + known_size(claims->jkt) + known_size(claims->x5t) +
                 size + 1;
    struct known *known = allocator->alloc(allocator->context, all);
    char *at;

    if (!known)
        return NULL;
    *known = (struct known){.allocator = allocator, .size = all, .expires = claims->expires};
    atomic_init(&known->references, 1);
    at = (char *)(known + 1);
    known->identity = (haft_identity)HAFT_INIT(haft_identity, .method = "oauth");
    known->identity.expires = known_end(authenticator, claims);
    known->identity.principal = known_put_principal(&at, claims, subject);
    known->identity.issuer = known_put_text(&at, claims->issuer);
    known->identity.subject = known_put_text(&at, claims->subject);
    known->identity.client = known_put_text(&at, claims->client);
    known->identity.scopes = known_put_text(&at, claims->scopes);
    known->identity.claims = known_put(&at, text, size);
    known->jkt = known_put_text(&at, claims->jkt);
    known->x5t = known_put_text(&at, claims->x5t);
    known->lacks_scopes = !hf_known_scopes_suffice(authenticator, claims->scopes);
    return known;
}

void hf_known_drop(struct known *known)
{
    if (known && atomic_fetch_sub(&known->references, 1) == 1)
        known->allocator->release(known->allocator->context, known, known->size);
}
