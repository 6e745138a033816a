/* waiting.c - checks that wait for an issuer: copies of what they need of their requests, in a list. */
#include "auth/server/check.h"
#include "base/list.h"
#include "base/sha256.h"

static char *waiting_put(char **at, const char *text, size_t size)
{
    char *copy = *at;

    memcpy(copy, text, size);
    copy[size] = '\0';
    *at += size + 1;
    return copy;
}

static size_t waiting_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* A copy of everything that the check needs, in one allocation. */
static struct pending *waiting_copy(struct check *check)
{
    const haft_allocator *memory = check->authenticator->memory;
    const struct presented *from = check->presented;
    size_t size = sizeof(struct pending) + from->secret.size + 1 + from->proof.size + 1 +
                  from->forwarded.size + 1 + waiting_size(from->method) +
                  waiting_size(from->target) + waiting_size(from->path) +
                  waiting_size(from->certificate);
    struct pending *pending = memory->alloc(memory->context, size);
    struct presented *to;
    char *at;

    if (!pending)
        return NULL;
    *pending = (struct pending){.authenticator = check->authenticator,
                                .authentication = check->authentication,
                                .size = size,
                                .presented = *from};
    to = &pending->presented;
    at = (char *)(pending + 1);
    to->secret.data = waiting_put(&at, from->secret.data, from->secret.size);
    if (from->proof.data)
        to->proof.data = waiting_put(&at, from->proof.data, from->proof.size);
    if (from->forwarded.data)
        to->forwarded.data = waiting_put(&at, from->forwarded.data, from->forwarded.size);
    to->method = waiting_put(&at, from->method, strlen(from->method));
    to->target = waiting_put(&at, from->target, strlen(from->target));
    to->path = waiting_put(&at, from->path, strlen(from->path));
    if (from->certificate)
        to->certificate = waiting_put(&at, from->certificate, strlen(from->certificate));
    pending->deadline = authenticator_now(check->authenticator, false) + AUTHENTICATOR_WAIT_MS;
    return pending;
}

void hf_waiting_free(struct pending *pending)
{
    const haft_allocator *memory = pending->authenticator->memory;
    size_t size = pending->size;

    hf_secret_wipe(pending, size);
    memory->release(memory->context, pending, size);
}

int hf_waiting_prepare(struct check *check)
{
    if (check->early)
        return HAFT_PENDING;
    if (!check->pending)
        check->pending = waiting_copy(check);
    if (!check->pending)
        return HAFT_ENOMEM;
    check->pending->question = NULL;
    check->pending->issuer = NULL;
    return 0;
}

/* Under the lock: lets the check wait. Returns HAFT_PENDING, or HAFT_EBUSY. */
static int waiting_enlist(struct check *check)
{
    struct authenticator *authenticator = check->authenticator;
    struct pending *pending = check->pending;

    if (authenticator->n_waiting >= AUTHENTICATOR_WAITING || hf_auth_thread_wake(authenticator))
        return HAFT_EBUSY;
    LIST_APPEND(authenticator->waiting, authenticator->last_waiting, pending, previous, next);
    authenticator->n_waiting++;
    check->authentication->own = pending;
    check->authentication->kind = CHECK_PENDING;
    return HAFT_PENDING;
}

int hf_waiting_for_keys(struct check *check, struct issuer *issuer, unsigned generation)
{
    int status = hf_waiting_prepare(check);

    if (status)
        return status;
    uv_mutex_lock(&check->authenticator->lock);
    if (issuer->generation == generation) {
        check->pending->issuer = issuer;
        status = waiting_enlist(check);
    } else {
        check->pending->waited = true;
    }
    uv_mutex_unlock(&check->authenticator->lock);
    return status;
}

int hf_waiting_for_answer(struct check *check)
{
    struct question *question;
    int status = hf_waiting_prepare(check);

    if (status)
        return status;
    uv_mutex_lock(&check->authenticator->lock);
    question = hf_question_find(check->authenticator, &check->pending->presented, check->digest);
    check->pending->question = question;
    status = question ? waiting_enlist(check) : HAFT_EBUSY;
    uv_mutex_unlock(&check->authenticator->lock);
    return status;
}

/* ---- the end ---- */

void hf_waiting_done(struct pending *pending, int status)
{
    struct authentication *authentication = pending->authentication;

    hf_waiting_free(pending);
    authentication->status = status;
    authentication->done(authentication);
}

struct check hf_waiting_resume(struct pending *pending)
{
    pending->authentication->own = NULL;
    pending->authentication->kind = CHECK_NOTHING;
    return (struct check){.authenticator = pending->authenticator,
                          .presented = &pending->presented,
                          .authentication = pending->authentication,
                          .pending = pending};
}

struct pending *hf_waiting_take(struct authenticator *authenticator,
                                bool (*wanted)(const struct pending *pending, const void *what),
                                const void *what)
{
    struct pending *first = NULL, *last = NULL, *next;

    uv_mutex_lock(&authenticator->lock);
    for (struct pending *each = authenticator->waiting; each; each = next) {
        next = each->next;
        if (!wanted(each, what))
            continue;
        LIST_REMOVE(authenticator->waiting, authenticator->last_waiting, each, previous, next);
        LIST_APPEND(first, last, each, previous, next);
        authenticator->n_waiting--;
    }
    uv_mutex_unlock(&authenticator->lock);
    return first;
}

bool hf_check_cancel(haft_authenticator *base, struct authentication *authentication)
{
    struct authenticator *authenticator = (struct authenticator *)base;
    struct pending *pending;

    if (authentication->kind == CHECK_STORE)
        return hf_single_use_cancel(authenticator, authentication->own);
    uv_mutex_lock(&authenticator->lock);
    pending = authenticator->waiting;
    while (pending && pending->authentication != authentication)
        pending = pending->next;
    if (pending) {
        LIST_REMOVE(authenticator->waiting, authenticator->last_waiting, pending, previous, next);
        authenticator->n_waiting--;
    }
    uv_mutex_unlock(&authenticator->lock);
    if (pending)
        hf_waiting_free(pending);
    return pending;
}
