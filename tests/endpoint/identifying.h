/* identifying.h - an authenticator under the test's control, and what it was asked.
 *
 * The token is the answer: "Bearer ann" identifies ann, "Bearer wait-ann" does so when the test says
 * so. Other words are those of the table in identify. */
#ifndef HAFT_TESTS_IDENTIFYING_H
#define HAFT_TESTS_IDENTIFYING_H

#include <haft/access.h>
#include <haft/pipeline.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/authenticator.h"
#include "support/test.h"

enum { PENDING_MOST = 16 };

struct identifying {
    haft_authenticator base; /* must be first */
    const char *name;        /* of its realm */
    atomic_int references, n_checks, n_released, n_cancelled;
    bool refuses_to_cancel, has_no_metadata;
    atomic_flag lock; /* of what is pending */
    struct authentication *pending[PENDING_MOST];
    size_t n_pending;
    int64_t expires;          /* end of every "until-ann" */
    unsigned version;         /* of the keys "key-ann" */
    const char *withdrawn;    /* the owner of one that has ended; NULL for none */
    char path[64];            /* of the latest check */
    char scopes[64], who[64]; /* of the latest challenge or description */
};

/* What belongs to one check. */
struct identified {
    haft_identity identity;
    char principal[64], challenge[128];
    haft_header headers[2];
};

static void identifying_lock(struct identifying *one)
{
    while (atomic_flag_test_and_set(&one->lock))
        ;
}

HAFT_MAYBE_UNUSED_ static size_t identifying_n_pending(struct identifying *one)
{
    size_t n;

    identifying_lock(one);
    n = one->n_pending;
    atomic_flag_clear(&one->lock);
    return n;
}

static int identify(struct identifying *one, const char *token, struct authentication *result)
{
    struct identified *own = result->own;
    bool renews = !strncmp(token, "nonce-", 6);

    if (!strcmp(token, "broken"))
        return HAFT_ECLOSED;
    if (!strcmp(token, "hungry"))
        return HAFT_ENOMEM;
    if (!strcmp(token, "nobody"))
        return 0;
    if (renews)
        result->renewal = (haft_header){"DPoP-Nonce", "n-1"};
    if (!strcmp(token, "") || !strcmp(token, "bad") || !strcmp(token, "nonce-bad")) {
        snprintf(own->challenge, sizeof own->challenge, "Bearer realm=\"%s\"%s", one->name,
                 *token ? ", error=\"invalid_token\"" : "");
        own->headers[0] = (haft_header){"WWW-Authenticate", own->challenge};
        own->headers[1] = (haft_header){"Content-Type", "application/json"};
        result->refusal = (haft_response){.status = 401,
                                          .headers = own->headers,
                                          .n_headers = 2,
                                          .body = "{\"error\":\"invalid_token\"}",
                                          .size = 25};
        result->reason = *token ? "bad_signature" : "no_credentials";
        return HAFT_STOP;
    }
    snprintf(own->principal, sizeof own->principal, "%s", token + (renews ? 6 : 0));
    own->identity = (haft_identity)HAFT_INIT(haft_identity, .principal = own->principal,
                                             .method = "oauth", .scopes = "read");
    if (!strncmp(token, "until-", 6))
        own->identity.expires = one->expires;
    if (!strncmp(token, "key-", 4))
        own->identity.method = "api-key";
    result->identity = &own->identity;
    return 0;
}

static int identifying_check(haft_authenticator *base, const haft_request *request,
                             const char *path, struct authentication *result)
{
    struct identifying *one = (struct identifying *)base;
    const char *value = haft_header_find(request->headers, request->n_headers, "authorization");
    const char *token = value && !strncmp(value, "Bearer ", 7) ? value + 7 : "";

    atomic_fetch_add(&one->n_checks, 1);
    snprintf(one->path, sizeof one->path, "%s", path);
    result->own = calloc(1, sizeof(struct identified));
    assert_non_null(result->own);
    if (strncmp(token, "wait-", 5))
        return identify(one, token, result);
    snprintf(((struct identified *)result->own)->principal, 64, "%s", token + 5);
    assert_true(one->n_pending < PENDING_MOST);
    identifying_lock(one);
    one->pending[one->n_pending++] = result;
    atomic_flag_clear(&one->lock);
    return HAFT_PENDING;
}

static int identifying_foresee(haft_authenticator *base, const haft_request *request,
                               const char *path, struct authentication *result)
{
    const char *value = haft_header_find(request->headers, request->n_headers, "authorization");

    if (value && !strncmp(value, "Bearer wait-", 12)) {
        result->own = calloc(1, sizeof(struct identified));
        assert_non_null(result->own);
        atomic_fetch_add(&((struct identifying *)base)->n_checks, 1);
        return 0;
    }
    return identifying_check(base, request, path, result) == HAFT_STOP ? HAFT_STOP : 0;
}

/* Answers the oldest pending check. */
HAFT_MAYBE_UNUSED_ static void identifying_answer(struct identifying *one)
{
    struct authentication *result;
    char token[64];

    assert_true(identifying_n_pending(one) > 0);
    identifying_lock(one);
    result = one->pending[0];
    memmove(one->pending, one->pending + 1, --one->n_pending * sizeof *one->pending);
    atomic_flag_clear(&one->lock);
    snprintf(token, sizeof token, "%s", ((struct identified *)result->own)->principal);
    result->status = identify(one, token, result);
    result->done(result);
}

static bool identifying_cancel(haft_authenticator *base, struct authentication *result)
{
    struct identifying *one = (struct identifying *)base;
    bool cancelled;
    size_t i = 0;

    identifying_lock(one);
    while (i < one->n_pending && one->pending[i] != result)
        i++;
    cancelled = !one->refuses_to_cancel && i < one->n_pending;
    if (cancelled)
        memmove(one->pending + i, one->pending + i + 1,
                (--one->n_pending - i) * sizeof *one->pending);
    atomic_flag_clear(&one->lock);
    if (cancelled)
        free(result->own);
    atomic_fetch_add(&one->n_cancelled, cancelled);
    return cancelled;
}

static void identifying_release(haft_authenticator *base, struct authentication *result)
{
    struct identifying *one = (struct identifying *)base;

    /* Whoever uses it afterwards gets caught. */
    memset(result->own, '!', sizeof(struct identified));
    free(result->own);
    result->own = NULL;
    atomic_fetch_add(&one->n_released, 1);
}

static int identifying_describe(haft_authenticator *base, const char *path, const char *name,
                                const char *scopes, haft_buffer *document)
{
    struct identifying *one = (struct identifying *)base;

    if (one->has_no_metadata)
        return HAFT_ENOTFOUND;
    haft_buffer_printf(document, "{\"resource\":\"%s%s\",\"scopes\":\"%s\",\"name\":\"%s\"}",
                       one->name, path, scopes ? scopes : "", name ? name : "");
    return document->status;
}

static int identifying_challenge(haft_authenticator *base, const char *path, const char *scopes,
                                 haft_buffer *value)
{
    struct identifying *one = (struct identifying *)base;

    haft_buffer_printf(value, "Bearer realm=\"%s%s\", scope=\"%s\"", one->name, path, scopes);
    return value->status;
}

static void identifying_hold(haft_authenticator *base)
{
    atomic_fetch_add(&((struct identifying *)base)->references, 1);
}

static void identifying_drop(haft_authenticator *base)
{
    assert_true(atomic_fetch_sub(&((struct identifying *)base)->references, 1) > 0);
}

static unsigned identifying_version(haft_authenticator *base)
{
    return ((struct identifying *)base)->version + 1;
}

static bool identifying_knows(haft_authenticator *base, uint64_t owner)
{
    const struct identifying *one = (struct identifying *)base;

    return !one->withdrawn ||
           owner != authenticator_owner(HAFT_WITH(haft_identity, .principal = one->withdrawn,
                                                  .method = "api-key", .scopes = "read"));
}

static const struct authenticator_class identifying_class = {.check = identifying_check,
                                                             .cancel = identifying_cancel,
                                                             .release = identifying_release,
                                                             .describe = identifying_describe,
                                                             .challenge = identifying_challenge,
                                                             .version = identifying_version,
                                                             .knows = identifying_knows,
                                                             .hold = identifying_hold,
                                                             .drop = identifying_drop,
                                                             .foresee = identifying_foresee};

#define IDENTIFYING(realm)                                                                         \
    {                                                                                              \
        .base = {&identifying_class}, .name = (realm)                                              \
    }

/* Everything has been given back. */
HAFT_MAYBE_UNUSED_ static void identifying_assert_over(const struct identifying *one)
{
    assert_int_equal(one->references, 0);
    assert_int_equal(one->n_pending, 0);
    assert_int_equal(one->n_released + one->n_cancelled, one->n_checks);
}

#define AS(who) "authorization: Bearer " who "\n"

#endif
