/* credentials.c - checks the credentials of requests before anything else is done with them.
 *
 * Most checks answer at once, and cost no memory. One that does not makes its request wait like one
 * that `admit` holds (admission.c). The authenticator may answer on any thread, even before `check`
 * has returned, so answered checks are collected in a separate list.
 *
 * A request continues without its credentials: nobody behind the check needs them, and what does not
 * have them cannot log them or pass them on. */
#include <string.h>

#include "endpoint/mux.h"
#include "stage/metrics.h"

enum {
    CREDENTIALS_HEADERS = 12,
    CREDENTIALS_WAITING = 64 << 20 /* bodies of requests that wait at once, unless it is only one */
};

struct credentials {
    struct authentication base; /* must be first */
    struct mux *mux;
    haft_authenticator *authenticator;
    struct admission *admission; /* that waits; NULL if none does */
    struct credentials *next;    /* among the spare or the answered ones */
    haft_header *headers;        /* of the request without its credentials; kept for reuse */
    size_t room;
    size_t size; /* of the body of a request that waits */
};

const char *const hf_credential_headers[] = {"authorization", "dpop", "x-api-key", NULL};

/* ---- life ---- */

static void on_credentials_checked(struct authentication *authentication)
{
    struct credentials *check = (struct credentials *)authentication, *first;
    struct mux *mux = check->mux;
    const haft_loop *loop = mux->loop.loop;

    atomic_fetch_add(&mux->n_continuing, 1);
    first = atomic_load(&mux->checked_credentials);
    do
        check->next = first;
    while (!atomic_compare_exchange_weak(&mux->checked_credentials, &first, check));
    if (loop && loop->wake)
        loop->wake(loop->context);
    atomic_fetch_sub(&mux->n_continuing, 1);
}

static struct credentials *credentials_new(struct mux *mux, haft_authenticator *authenticator)
{
    struct credentials *check = mux->spare_credentials;

    if (check) {
        mux->spare_credentials = check->next;
    } else {
        check = mux->allocator->alloc(mux->allocator->context, sizeof *check);
        if (!check)
            return NULL;
        *check = (struct credentials){.room = 0};
    }
    *check = (struct credentials){.base = {.done = on_credentials_checked},
                                  .mux = mux,
                                  .authenticator = authenticator,
                                  .headers = check->headers,
                                  .room = check->room};
    return check;
}

/* It no longer waits. */
static void credentials_discount(struct credentials *check)
{
    check->mux->n_checks--;
    check->mux->checks_size -= check->size;
}

static void credentials_reuse(struct credentials *check)
{
    check->next = check->mux->spare_credentials;
    check->mux->spare_credentials = check;
}

static void credentials_release(struct credentials *check)
{
    check->authenticator->class->release(check->authenticator, &check->base);
    credentials_reuse(check);
}

/* Frees its headers. */
static void credentials_empty(struct credentials *check)
{
    const haft_allocator *allocator = check->mux->allocator;

    if (check->headers)
        allocator->release(allocator->context, check->headers,
                           check->room * sizeof *check->headers);
    check->headers = NULL;
    check->room = 0;
}

void hf_credentials_finish(struct mux *mux)
{
    while (mux->spare_credentials) {
        struct credentials *check = mux->spare_credentials;

        mux->spare_credentials = check->next;
        credentials_empty(check);
        mux->allocator->release(mux->allocator->context, check, sizeof *check);
    }
}

/* Withdraws a pending check. Returns false if it has been answered, or will be. */
static bool credentials_cancel(void *context)
{
    struct credentials *check = context;

    if (!check->authenticator->class->cancel(check->authenticator, &check->base))
        return false;
    credentials_discount(check);
    credentials_reuse(check);
    return true;
}

/* ---- results ---- */

static const struct pending_request nobody;

static bool credentials_is_rpc(const struct mount *by)
{
    return by->app == &hf_endpoint_app;
}

static struct pending_request credentials_lacks_memory(struct mux *mux,
                                                       const haft_responder *responder,
                                                       void *context)
{
    hf_guard_refuse(&mux->guard, responder, context, 503, HEADER("Retry-After", "1"), NULL,
                    RPC_INTERNAL_ERROR, "Out of memory");
    return nobody;
}

static struct pending_request credentials_are_many(struct mux *mux, const haft_responder *responder,
                                                   void *context)
{
    hf_guard_refuse(&mux->guard, responder, context, 503, HEADER("Retry-After", "5"), NULL,
                    RPC_INTERNAL_ERROR,
                    "Too many requests wait for the check of their credentials");
    return nobody;
}

/* The authenticator failed, or identified nobody: nothing may pass. */
static void credentials_fail(struct mux *mux, int status, const haft_responder *responder,
                             void *context)
{
    hf_server_log(mux->guard.server, HAFT_ERROR, "cannot check the credentials of a request: %s",
                  status < 0 ? haft_strerror(status) : "the authenticator returned no identity");
    hf_guard_refuse(&mux->guard, responder, context, 500, NULL, NULL, RPC_INTERNAL_ERROR,
                    "Internal Server Error");
}

/* Sends the authenticator's refusal, with the headers of every response to the mount. */
static void credentials_refuse(const struct credentials *check, const struct mount *by,
                               const haft_responder *responder, void *context)
{
    const haft_response *refusal = &check->base.refusal;
    const haft_header *renewal = &check->base.renewal;
    size_t n = refusal->n_headers < CREDENTIALS_HEADERS ? refusal->n_headers : CREDENTIALS_HEADERS;
    haft_header headers[CREDENTIALS_HEADERS + 1 + DOOR_CORS];
    haft_response response = *refusal;

    if (n)
        memcpy(headers, refusal->headers, n * sizeof *headers);
    if (renewal->name && !haft_header_find(headers, n, renewal->name))
        headers[n++] = *renewal;
    if (credentials_is_rpc(by))
        n += hf_guard_put_cors(&check->mux->guard, headers + n);
    response.headers = headers;
    response.n_headers = n;
    responder->respond(context, &response);
}

static bool credentials_identifies(const struct credentials *check)
{
    const haft_identity *identity = check->base.identity;

    return !check->base.status && identity && identity->principal && *identity->principal;
}

/* The request continues as a copy, which remembers the header for its response. */
static struct pending_request credentials_renew(struct credentials *check, const struct mount *by,
                                                const haft_request *request,
                                                const haft_responder *responder, void *context,
                                                haft_time now)
{
    struct admitting admitting = {.request = *request,
                                  .mux = check->mux,
                                  .by = by,
                                  .responder = responder,
                                  .context = context,
                                  .now = now,
                                  .stage = ADMISSION_RENEWAL};

    if (!haft_admission_hold(&admitting.request))
        return credentials_lacks_memory(check->mux, responder, context);
    return hf_admission_renew(admitting.admission, &check->base.renewal, now);
}

struct pending_request hf_credentials_conclude(struct credentials *check, const struct mount *by,
                                               const haft_request *request,
                                               const haft_responder *responder, void *context,
                                               haft_time now)
{
    struct mux *mux = check->mux;
    haft_request own = *request;

    own.identity = NULL;
    own.principal = NULL;
    if (credentials_identifies(check)) {
        own.identity = check->base.identity;
        own.principal = own.identity->principal;
        return check->base.renewal.name
                   ? credentials_renew(check, by, &own, responder, context, now)
                   : hf_mux_admit(mux, by, &own, responder, context, now);
    }
    if (mux->limiter &&
        !hf_limit_allows(mux, &own, credentials_is_rpc(by), responder, context, now))
        return nobody;
    if (check->base.status == HAFT_STOP && check->base.refusal.status) {
        hf_metrics_count_refusal(mux->guard.server, check->base.reason);
        credentials_refuse(check, by, responder, context);
    } else if (check->base.status == HAFT_ENOMEM)
        credentials_lacks_memory(mux, responder, context);
    else
        credentials_fail(mux, check->base.status, responder, context);
    return nobody;
}

/* ---- requests ---- */

static bool credentials_has_room(struct credentials *check, size_t n)
{
    const haft_allocator *allocator = check->mux->allocator;

    if (n <= check->room)
        return true;
    credentials_empty(check);
    check->headers = allocator->alloc(allocator->context, n * sizeof *check->headers);
    check->room = check->headers ? n : 0;
    return check->headers;
}

static bool credentials_is_header(const haft_header *header)
{
    /* The first letter tells almost all of them apart, without a call. */
    for (const char *const *name = hf_credential_headers; *name; name++)
        if (!((*header->name ^ **name) & ~0x20) && haft_header_find(header, 1, *name))
            return true;
    return false;
}

/* Removes the credentials from a request, which lives no longer than the check. The header index
 * does not contain them. Returns false without memory. */
static bool credentials_hide(struct credentials *check, haft_request *request)
{
    size_t n = 0;

    if (!credentials_has_room(check, request->n_headers))
        return false;
    for (size_t i = 0; i < request->n_headers; i++)
        if (!credentials_is_header(&request->headers[i]))
            check->headers[n++] = request->headers[i];
    request->headers = check->headers;
    request->n_headers = n;
    return true;
}

/* The check answers later: the request waits. */
static struct pending_request credentials_wait(struct credentials *check, const struct mount *by,
                                               const haft_request *request,
                                               const haft_responder *responder, void *context,
                                               haft_time now)
{
    struct mux *mux = check->mux;
    struct admitting admitting = {.request = *request,
                                  .mux = mux,
                                  .by = by,
                                  .responder = responder,
                                  .context = context,
                                  .now = now,
                                  .stage = ADMISSION_CHECK,
                                  .cancel = credentials_cancel,
                                  .cancel_context = check};

    bool fits = !mux->checks_size || request->body_size + mux->checks_size <= CREDENTIALS_WAITING;

    mux->n_checks++;
    if (!fits) {
        credentials_cancel(check);
        return credentials_are_many(mux, responder, context);
    }
    check->size = request->body_size;
    mux->checks_size += check->size;
    if (credentials_hide(check, &admitting.request) && haft_admission_hold(&admitting.request)) {
        check->admission = admitting.admission;
        return (struct pending_request){&hf_admission_row, admitting.admission};
    }
    credentials_cancel(check);
    return credentials_lacks_memory(mux, responder, context);
}

/* Whether its address has exceeded its limit; it has then been answered. */
static bool credentials_exceeds(struct mux *mux, const struct mount *by,
                                const haft_request *request, const haft_responder *responder,
                                void *context, haft_time now)
{
    return mux->limiter &&
           !hf_limit_lets_check(mux, request, credentials_is_rpc(by), responder, context, now);
}

struct pending_request hf_mux_check(struct mux *mux, const struct mount *by,
                                    const haft_request *request, const haft_responder *responder,
                                    void *context, haft_time now)
{
    haft_request own = *request;
    struct pending_request pending;
    struct credentials *check;
    haft_server *server;
    int status;

    if (credentials_exceeds(mux, by, request, responder, context, now))
        return nobody;
    check = credentials_new(mux, by->authenticator);
    if (!check)
        return credentials_lacks_memory(mux, responder, context);
    status = by->authenticator->class->check(
        by->authenticator, request, hf_mount_resource(by, request->path, &server), &check->base);
    if (status == HAFT_PENDING)
        return credentials_wait(check, by, &own, responder, context, now);
    check->base.status = status || credentials_hide(check, &own) ? status : HAFT_ENOMEM;
    pending = hf_credentials_conclude(check, by, &own, responder, context, now);
    credentials_release(check);
    return pending;
}

bool hf_credentials_foresee(struct mux *mux, const struct mount *by, const haft_request *request,
                            const haft_responder *responder, void *context, haft_time now)
{
    struct credentials *check;
    haft_server *server;
    bool refused;

    if (credentials_exceeds(mux, by, request, responder, context, now))
        return true;
    check = credentials_new(mux, by->authenticator);
    if (!check)
        return false;
    check->base.status = by->authenticator->class->foresee(
        by->authenticator, request, hf_mount_resource(by, request->path, &server), &check->base);
    refused = check->base.status == HAFT_STOP;
    if (refused)
        hf_credentials_conclude(check, by, request, responder, context, now);
    credentials_release(check);
    return refused;
}

void hf_credentials_is_late(struct mux *mux, const haft_responder *responder, void *context)
{
    hf_guard_refuse(&mux->guard, responder, context, 504, NULL, NULL, RPC_INTERNAL_ERROR,
                    "The credentials could not be checked in time");
}

void hf_credentials_tick(struct mux *mux, haft_time now)
{
    struct credentials *check = atomic_exchange(&mux->checked_credentials, NULL), *next;

    for (; check; check = next) {
        next = check->next;
        credentials_discount(check);
        if (check->admission)
            hf_admission_checked(check->admission, now);
        credentials_release(check);
    }
}
