/* admission.c - requests that wait: for `admit`, for the check of their credentials, for a rate limit.
 *
 * The request is copied, because its connection may close while it waits. The thread that decides
 * adds it to a list that the loop's thread processes. The object that handles the request later is
 * hidden behind the admission, so that the connection deals with only one object. */
#include <string.h>

#include "endpoint/mux.h"

enum { ADMISSION_ARENA = 256 << 20 };

struct admission {
    haft_admission base; /* must be first: others hold a pointer to it */
    struct mux *mux;
    struct admission *next, *previous; /* list of unfinished admissions */
    struct admission *next_continued;  /* decided, not yet processed by the loop */
    haft_arena *arena;
    const struct mount *by;
    const haft_responder *responder; /* NULL if the client has disconnected */
    void *context;
    haft_time deadline;
    int status;                     /* argument of the continue function */
    haft_response answer;           /* its own response; status 0 if there is none */
    struct pending_request pending; /* the pending request, once admitted */
    bool decided;                   /* the loop has processed the decision */
    enum admission_stage stage;     /* what it waits for */
    haft_header renewal;            /* a header for its response; NULL name for none */
    bool (*cancel)(void *context);
    void *cancel_context;
    bool inside; /* it is being handed over */
    bool answered;
};

static const haft_responder admission_responder;

/* ---- life ---- */

void hf_admission_free(struct admission *admission)
{
    struct mux *mux = admission->mux;

    if (admission->next)
        admission->next->previous = admission->previous;
    if (admission->previous)
        admission->previous->next = admission->next;
    else
        mux->admissions = admission->next;
    haft_arena_free(admission->arena);
}

/* While credentials are checked, nobody reads the body, which need not be copied if it stays where it
 * is: it is read only if the client is still there. */
static bool admission_copy(struct admission *admission, const struct admitting *admitting)
{
    haft_request head = admitting->request;
    bool stays = admitting->stage == ADMISSION_CHECK && admitting->mux->bodies_stay;

    if (stays)
        head.body_size = 0;
    if (!hf_request_copy(admission->arena, &head, &admission->base.request))
        return false;
    if (stays) {
        admission->base.request.body = admitting->request.body;
        admission->base.request.body_size = admitting->request.body_size;
    }
    return true;
}

haft_admission *haft_admission_hold(const haft_request *request)
{
    const struct admitting *admitting = (const struct admitting *)request;
    struct mux *mux = admitting->mux;
    haft_arena *arena = haft_arena_new(mux->allocator, ADMISSION_ARENA);
    struct admission *admission = arena ? haft_arena_zalloc(arena, 1, sizeof *admission) : NULL;

    if (!admission) {
        haft_arena_free(arena);
        return NULL;
    }
    admission->arena = arena;
    if (admitting->admission || !admission_copy(admission, admitting)) {
        haft_arena_free(arena);
        return NULL;
    }
    admission->mux = mux;
    admission->by = admitting->by;
    admission->stage = admitting->stage;
    admission->cancel = admitting->cancel;
    admission->cancel_context = admitting->cancel_context;
    admission->responder = admitting->responder;
    admission->context = admitting->context;
    admission->deadline =
        admitting->now + (haft_time)atomic_load(&mux->guard.server->limits.timeout_ms);
    /* A request that has waited before keeps its deadline. */
    if (admitting->responder == &admission_responder)
        admission->deadline = ((const struct admission *)admitting->context)->deadline;
    admission->next = mux->admissions;
    if (mux->admissions)
        mux->admissions->previous = admission;
    mux->admissions = admission;
    ((struct admitting *)(uintptr_t)admitting)->admission = admission;
    return &admission->base;
}

/* ---- from any thread ---- */

/* The loop may free it as soon as it is in the list, and does not end before the wake-up has
 * arrived. */
static void admission_continue(struct admission *admission, int status)
{
    struct mux *mux = admission->mux;
    struct admission *first = atomic_load(&mux->continued);

    admission->status = status;
    atomic_fetch_add(&mux->n_continuing, 1);
    do
        admission->next_continued = first;
    while (!atomic_compare_exchange_weak(&mux->continued, &first, admission));
    mux->loop.loop->wake(mux->loop.loop->context);
    atomic_fetch_sub(&mux->n_continuing, 1);
}

void haft_admission_continue(haft_admission *given, int status, const char *principal)
{
    struct admission *admission = (struct admission *)given;

    if (!status && principal) {
        given->request.principal = haft_arena_copy(admission->arena, principal, strlen(principal));
        if (!given->request.principal)
            status = HAFT_ENOMEM;
    }
    admission_continue(admission, status);
}

void haft_admission_answer(haft_admission *given, const haft_response *response)
{
    struct admission *admission = (struct admission *)given;
    haft_arena *arena = admission->arena;
    haft_response *answer = &admission->answer;

    *answer = *response;
    answer->headers = hf_headers_copy(arena, response->headers, response->n_headers);
    answer->body = haft_arena_copy(arena, response->body ? response->body : "", response->size);
    admission_continue(admission, answer->headers && answer->body ? HAFT_STOP : HAFT_ENOMEM);
}

/* ---- the response of the handling object ---- */

static void admission_over(struct admission *admission)
{
    admission->answered = true;
    admission->responder = NULL;
    if (!admission->inside)
        hf_admission_free(admission);
}

/* The response with the header that belongs to it; without memory, without it. */
static haft_response admission_renewed(struct admission *admission, const haft_response *response)
{
    haft_response renewed = *response;
    haft_header *headers;

    if (!admission->renewal.name)
        return renewed;
    headers = haft_arena_alloc(admission->arena, (response->n_headers + 1) * sizeof *headers);
    if (!headers)
        return renewed;
    if (response->n_headers)
        memcpy(headers, response->headers, response->n_headers * sizeof *headers);
    headers[renewed.n_headers++] = admission->renewal;
    renewed.headers = headers;
    return renewed;
}

static void admission_respond(void *context, const haft_response *response)
{
    struct admission *admission = context;
    haft_response renewed = admission_renewed(admission, response);

    if (admission->responder)
        admission->responder->respond(admission->context, &renewed);
    admission_over(admission);
}

static void admission_stream(void *context, const haft_response *head)
{
    struct admission *admission = context;
    haft_response renewed = admission_renewed(admission, head);

    if (admission->responder)
        admission->responder->stream(admission->context, &renewed);
}

static void admission_write(void *context, const char *bytes, size_t size)
{
    struct admission *admission = context;

    if (admission->responder)
        admission->responder->write(admission->context, bytes, size);
}

static void admission_end(void *context)
{
    struct admission *admission = context;

    if (admission->responder)
        admission->responder->end(admission->context);
    admission_over(admission);
}

static const haft_responder admission_responder = {admission_respond, admission_stream,
                                                   admission_write, admission_end};

/* ---- on the loop's thread ---- */

/* Hands it to what follows the stage that it waited for. */
static struct pending_request admission_go_on(struct admission *admission, haft_time now)
{
    haft_request *request = &admission->base.request;
    const haft_responder *responder = &admission_responder;

    switch (admission->stage) {
    case ADMISSION_CHECK:
        return hf_credentials_conclude(admission->cancel_context, admission->by, request, responder,
                                       admission, now);
    case ADMISSION_RENEWAL:
        return hf_mux_admit(admission->mux, admission->by, request, responder, admission, now);
    case ADMISSION_COUNT:
        return hf_mux_serve(admission->by, request, responder, admission, now);
    case ADMISSION_ADMIT:
        break;
    }
    return hf_mux_enter(admission->mux, admission->by, request, responder, admission, now);
}

/* Returns false if it has been answered, and freed. */
static bool admission_enter(struct admission *admission, haft_time now)
{
    admission->decided = true;
    admission->inside = true;
    admission->pending = admission_go_on(admission, now);
    admission->inside = false;
    if (!admission->answered)
        return true;
    hf_admission_free(admission);
    return false;
}

struct pending_request hf_admission_renew(struct admission *admission, const haft_header *renewal,
                                          haft_time now)
{
    const char *name = haft_arena_copy(admission->arena, renewal->name, strlen(renewal->name));
    const char *value = haft_arena_copy(admission->arena, renewal->value, strlen(renewal->value));

    if (name && value)
        admission->renewal = (haft_header){name, value};
    return admission_enter(admission, now) ? (struct pending_request){&hf_admission_row, admission}
                                           : (struct pending_request){0};
}

void hf_admission_checked(struct admission *admission, haft_time now)
{
    if (admission->responder)
        admission_enter(admission, now);
    else
        hf_admission_free(admission);
}

static void admission_decide(struct admission *admission, haft_time now)
{
    struct mux *mux = admission->mux;

    admission->decided = true;
    if (!admission->responder) {
        hf_admission_free(admission);
    } else if (!admission->status) {
        admission_enter(admission, now);
    } else if (admission->status == HAFT_STOP && admission->answer.status) {
        admission_respond(admission, &admission->answer);
    } else {
        hf_mux_fail_admit(mux, admission->status, &admission_responder, admission);
    }
}

/* The client has disconnected: end it, unless it is about to be continued. */
static void admission_cancel(struct admission *admission)
{
    if (!admission->decided && admission->cancel && admission->cancel(admission->cancel_context))
        hf_admission_free(admission);
}

/* Returns the next admission past its deadline; NULL if there is none. */
static struct admission *admission_late(const struct mux *mux, haft_time now)
{
    struct admission *one = mux->admissions;

    while (one && (one->decided || !one->responder || now < one->deadline))
        one = one->next;
    return one;
}

/* Answering one may end another that it waited in before, so the search starts again. */
static void admissions_answer_late(struct mux *mux, haft_time now)
{
    struct admission *one;

    while ((one = admission_late(mux, now))) {
        const haft_responder *responder = one->responder;

        one->responder = NULL;
        if (one->stage == ADMISSION_COUNT)
            hf_limit_is_late(mux, responder, one->context);
        else if (one->stage == ADMISSION_CHECK)
            hf_credentials_is_late(mux, responder, one->context);
        else
            responder->respond(one->context, &(haft_response){.status = 504, .body = ""});
        admission_cancel(one);
    }
}

void hf_admissions_tick(struct mux *mux, haft_time now)
{
    struct admission *continued = atomic_exchange(&mux->continued, NULL), *next;

    hf_credentials_tick(mux, now);
    for (; continued; continued = next) {
        next = continued->next_continued;
        admission_decide(continued, now);
    }
    admissions_answer_late(mux, now);
}

void hf_admissions_abandon(struct mux *mux)
{
    struct admission *next;

    for (struct admission *one = mux->admissions; one; one = next) {
        next = one->next;
        if (!one->responder)
            admission_cancel(one);
    }
}

static void admission_gone(void *app, void *exchange)
{
    struct admission *admission = exchange;

    (void)app;
    admission->responder = NULL;
    if (!admission->pending.by) {
        admission_cancel(admission);
        return;
    }
    hf_mux_gone(admission->pending);
    hf_admission_free(admission);
}

/* Before admission nothing has started; the client may still expect a response. */
static bool admission_half_closed(const void *app, const void *exchange)
{
    const struct admission *admission = exchange;

    (void)app;
    return !admission->pending.by || hf_mux_half_closed(admission->pending);
}

static const haft_app admission_app =
    HAFT_INIT(haft_app, .gone = admission_gone, .half_closed = admission_half_closed);
const struct mount hf_admission_row = {.path = "", .app = &admission_app};
