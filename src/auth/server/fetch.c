/* fetch.c - the thread of an authenticator, and its requests to issuers.
 *
 * It is started when the first check needs it. It has its own loop, so that a check that waits takes
 * no time from other requests, and so that an authenticator can serve several loops. */
#include "auth/server/server.h"

#include <pthread.h>

#include "part/http_client.h"

enum { AUTH_FETCH_MS = 10000, AUTH_FETCH_CONNECT_MS = 5000, AUTH_THREAD_TICK_MS = 50 };

/* ---- requests ---- */

/* Seconds of max-age in a Cache-Control header; 0 for no-store and no-cache; -1 if it does not
 * say. */
static int64_t auth_fetch_max_age(const char *value)
{
    int64_t age = -1;

    while (*value) {
        size_t size = strcspn(value, ",");
        struct text word = text_trim(value, size);

        if (hf_text_is_ignoring_case(word.data, word.size, "no-store") ||
            hf_text_is_ignoring_case(word.data, word.size, "no-cache"))
            return 0;
        if (word.size > 8 && hf_text_is_ignoring_case(word.data, 8, "max-age=")) {
            age = 0;
            for (size_t i = 8;
                 i < word.size && word.data[i] >= '0' && word.data[i] <= '9' && age < INT32_MAX;
                 i++)
                age = age * 10 + (word.data[i] - '0');
        }
        value += size + (value[size] != '\0');
    }
    return age;
}

static bool auth_fetch_is_json(const char *type)
{
    size_t size = strcspn(type, "; \t");

    return hf_text_is_ignoring_case(type, size, "application/json") ||
           (size > 5 && hf_text_is_ignoring_case(type + size - 5, 5, "+json"));
}

static void auth_fetch_on_head(void *context, const struct http_head *head)
{
    struct auth_fetch *fetch = context;

    fetch->status = head->status;
    for (size_t i = 0; i < head->n_fields; i++)
        if (hf_text_same_ignoring_case(head->fields[i].name, "cache-control"))
            fetch->max_age = auth_fetch_max_age(head->fields[i].value);
        else if (hf_text_same_ignoring_case(head->fields[i].name, "content-type"))
            fetch->is_json = auth_fetch_is_json(head->fields[i].value);
}

static void auth_fetch_on_body(void *context, const char *bytes, size_t size)
{
    haft_buffer_add(&((struct auth_fetch *)context)->answer, bytes, size);
}

static void auth_fetch_on_end(void *context, const struct http_end *end)
{
    struct auth_fetch *fetch = context;

    fetch->running = false;
    if (atomic_load(&fetch->authenticator->thread.closing))
        return;
    fetch->done(fetch, end->error             ? end->text
                       : fetch->answer.status ? haft_strerror(fetch->answer.status)
                                              : NULL);
}

http_client *hf_auth_fetch_client(struct issuer *issuer)
{
    struct authenticator *authenticator = issuer->authenticator;
    struct http_client_options options = {.allocator = authenticator->memory,
                                          .ca_file = issuer->options.ca_file};
    haft_reason reason = {0};

    if (!issuer->client)
        issuer->client =
            hf_http_client_new(authenticator->http, &authenticator->thread.loop, &options, &reason);
    if (!issuer->client)
        hf_authenticator_log(authenticator, HAFT_ERROR, "cannot ask the issuer %s: %s",
                             issuer->options.url, reason.text);
    return issuer->client;
}

int hf_auth_fetch_start(struct auth_fetch *fetch, const struct http_request_options *options)
{
    struct http_request_options all = *options;
    haft_reason reason = {0};

    if (!fetch->client)
        return HAFT_ENOMEM;
    haft_buffer_clear(&fetch->answer);
    fetch->status = 0;
    fetch->max_age = -1;
    fetch->is_json = false;
    all.max_answer = TOKEN_KEYS_LIMIT;
    all.connect_ms = all.tls_ms = AUTH_FETCH_CONNECT_MS;
    all.answer_ms = all.idle_ms = all.total_ms = AUTH_FETCH_MS;
    all.decode = true;
    all.on_head = auth_fetch_on_head;
    all.on_body = auth_fetch_on_body;
    all.on_end = auth_fetch_on_end;
    all.context = fetch;
    if (!fetch->authenticator->http->start(fetch->client, &all, &reason))
        return reason.code;
    fetch->running = true;
    return 0;
}

/* ---- the thread ---- */

static void auth_thread_go_on(struct authenticator *authenticator);

static void auth_thread_on_timer(uv_timer_t *timer)
{
    auth_thread_go_on(timer->data);
}

static void auth_thread_finish(struct authenticator *authenticator)
{
    struct auth_thread *thread = &authenticator->thread;

    for (size_t i = 0; i < authenticator->options.n_issuers; i++) {
        authenticator->http->destroy(authenticator->issuers[i].client);
        authenticator->issuers[i].client = NULL;
    }
    hf_check_expire(authenticator, true);
    while (authenticator->questions)
        hf_question_free(authenticator, authenticator->questions);
    uv_close((uv_handle_t *)&thread->wake, NULL);
    uv_close((uv_handle_t *)&thread->timer, NULL);
}

/* When to look again: soon while checks wait, otherwise when keys are due. -1 for never. */
static int64_t auth_thread_next(struct authenticator *authenticator)
{
    int64_t next = -1, now = authenticator_now(authenticator, false);
    bool waiting;

    uv_mutex_lock(&authenticator->lock);
    waiting = authenticator->waiting;
    uv_mutex_unlock(&authenticator->lock);
    if (waiting)
        return AUTH_THREAD_TICK_MS;
    for (size_t i = 0; i < authenticator->options.n_issuers; i++) {
        int64_t at = hf_issuer_next(&authenticator->issuers[i]);

        if (at >= 0 && (next < 0 || at - now < next))
            next = at > now ? at - now : 1;
    }
    return next;
}

static void auth_thread_go_on(struct authenticator *authenticator)
{
    struct auth_thread *thread = &authenticator->thread;
    int64_t next;

    if (uv_is_closing((uv_handle_t *)&thread->wake))
        return;
    if (atomic_load(&thread->closing)) {
        auth_thread_finish(authenticator);
        return;
    }
    for (size_t i = 0; i < authenticator->options.n_issuers; i++)
        hf_issuer_go_on(&authenticator->issuers[i]);
    hf_questions_go_on(authenticator);
    hf_check_expire(authenticator, false);
    next = auth_thread_next(authenticator);
    if (next < 0)
        uv_timer_stop(&thread->timer);
    else
        uv_timer_start(&thread->timer, auth_thread_on_timer, (uint64_t)next, 0);
}

static void auth_thread_on_wake(uv_async_t *wake)
{
    auth_thread_go_on(wake->data);
}

static void auth_thread_run(void *context)
{
    struct authenticator *authenticator = context;

    auth_thread_go_on(authenticator);
    uv_run(&authenticator->thread.loop, UV_RUN_DEFAULT);
    if (!authenticator->thread.is_orphan)
        return;
    pthread_detach(pthread_self());
    uv_loop_close(&authenticator->thread.loop);
    hf_authenticator_destroy(authenticator);
}

static int auth_thread_start(struct authenticator *authenticator)
{
    struct auth_thread *thread = &authenticator->thread;

    if (uv_loop_init(&thread->loop))
        return HAFT_ENOMEM;
    if (uv_async_init(&thread->loop, &thread->wake, auth_thread_on_wake)) {
        uv_loop_close(&thread->loop);
        return HAFT_ENOMEM;
    }
    uv_timer_init(&thread->loop, &thread->timer);
    thread->wake.data = thread->timer.data = authenticator;
    if (!uv_thread_create(&thread->thread, auth_thread_run, authenticator))
        return 0;
    uv_close((uv_handle_t *)&thread->wake, NULL);
    uv_close((uv_handle_t *)&thread->timer, NULL);
    uv_run(&thread->loop, UV_RUN_DEFAULT);
    uv_loop_close(&thread->loop);
    return HAFT_EBUSY;
}

int hf_auth_thread_wake(struct authenticator *authenticator)
{
    struct auth_thread *thread = &authenticator->thread;
    int status;

    if (thread->started) {
        uv_async_send(&thread->wake);
        return 0;
    }
    status = auth_thread_start(authenticator);
    thread->started = !status;
    if (status)
        hf_authenticator_log(authenticator, HAFT_ERROR,
                             "cannot start the thread that asks issuers: %s",
                             haft_strerror(status));
    return status;
}

bool hf_auth_thread_close(struct authenticator *authenticator)
{
    struct auth_thread *thread = &authenticator->thread;
    uv_thread_t self = uv_thread_self();

    if (!thread->started)
        return true;
    thread->is_orphan = uv_thread_equal(&self, &thread->thread);
    atomic_store(&thread->closing, true);
    uv_async_send(&thread->wake);
    if (thread->is_orphan)
        return false;
    uv_thread_join(&thread->thread);
    uv_loop_close(&thread->loop);
    return true;
}
