/* single_use.c - proofs of possession that servers with one store accept once among them.
 *
 * A proof has passed every other check, and this process has not seen it, when the store is asked. The
 * store remembers a hash of the proof for as long as the proof could be valid. */
#include "auth/server/check.h"

enum { SINGLE_USE_MS = (2 * POSSESSION_WINDOW_S + 60) * 1000 };

/* A check that waits for the store. */
struct single_use {
    haft_store_request request; /* must be first */
    haft_store_op op;
    struct authenticator *authenticator; /* a reference */
    struct authentication *authentication;
    struct known *known; /* a reference */
    struct possession possession;
    size_t size;
    char path[]; /* of the endpoint */
};

static void single_use_free(struct single_use *use)
{
    struct authenticator *authenticator = use->authenticator;
    const haft_allocator *memory = authenticator->memory;

    hf_known_drop(use->known);
    memory->release(memory->context, use, use->size);
    authenticator->base.class->drop(&authenticator->base);
}

/* Ends the check. Returns its status. */
static int single_use_decide(const struct single_use *use, int status)
{
    struct authenticator *authenticator = use->authenticator;
    struct presented presented = {.kind = CREDENTIAL_DPOP, .path = use->path};
    struct check check = {.authenticator = authenticator,
                          .presented = &presented,
                          .authentication = use->authentication};

    use->authentication->own = NULL;
    use->authentication->kind = CHECK_NOTHING;
    if (!hf_authenticator_accepts(authenticator, status))
        return status ? hf_check_unsure(&check) : hf_check_used(&check, &use->possession);
    atomic_fetch_add(&use->known->references, 1);
    return hf_check_admit(&check, use->known, &use->possession);
}

static void single_use_on_answer(haft_store_request *request)
{
    struct single_use *use = (struct single_use *)request;
    struct authentication *authentication = use->authentication;
    int status = single_use_decide(use, request->status);

    single_use_free(use);
    authentication->status = status;
    authentication->done(authentication);
}

int hf_single_use_ask(struct check *check, struct known *known, const struct possession *possession)
{
    struct authenticator *authenticator = check->authenticator;
    const haft_allocator *memory = authenticator->memory;
    size_t path = strlen(check->presented->path) + 1, size = sizeof(struct single_use) + path;
    struct single_use *use = memory->alloc(memory->context, size);
    int status;

    if (!use) {
        hf_known_drop(known);
        return HAFT_ENOMEM;
    }
    *use = (struct single_use){.authenticator = authenticator,
                               .authentication = check->authentication,
                               .known = known,
                               .possession = *possession,
                               .size = size};
    memcpy(use->path, check->presented->path, path);
    authenticator->base.class->hold(&authenticator->base);
    use->op = (haft_store_op){.kind = HAFT_STORE_PUT,
                              .key = HAFT_SLICE("dpop"),
                              .value = HAFT_SLICE("1"),
                              .if_version = true,
                              .expires_ms = SINGLE_USE_MS};
    use->request = (haft_store_request){.space = "replay",
                                        .group = HAFT_SLICE(use->possession.name),
                                        .ops = &use->op,
                                        .n_ops = 1,
                                        .now = authenticator_now(authenticator, false),
                                        .done = single_use_on_answer};
    /* The answer may come before this returns, and release the authenticator. */
    authenticator->base.class->hold(&authenticator->base);
    check->authentication->own = use;
    check->authentication->kind = CHECK_STORE;
    status = haft_store_submit(authenticator->options.store, &use->request);
    if (status == HAFT_PENDING && check->pending)
        hf_waiting_free(check->pending);
    authenticator->base.class->drop(&authenticator->base);
    if (status == HAFT_PENDING)
        return status;
    status = single_use_decide(use, status ? status : use->request.status);
    single_use_free(use);
    return status;
}

bool hf_single_use_cancel(struct authenticator *authenticator, void *own)
{
    struct single_use *use = own;

    if (!haft_store_cancel(authenticator->options.store, &use->request))
        return false;
    single_use_free(use);
    return true;
}
