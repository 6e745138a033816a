/* session.c - sessions: incoming messages, and outgoing ones, which are sent in order without a lock.
 *
 * Messages are queued with the lock held.  One thread at a time sends those of a session, with the lock released
 * meanwhile; a thread that finds another one sending leaves its messages to it. */
#include "demo/service.h"
#include "demo/session.h"

enum { SESSION_AUTH_SECONDS = 10 };

/* ---- the queue ---- */

static void session_drop_queue(struct demo_session *session)
{
    struct demo_message *message;

    while ((message = session->first)) {
        session->first = message->next;
        demo_release(session->demo, message, sizeof *message + message->size);
    }
    session->last = NULL;
    session->n_pending = session->pending_bytes = 0;
}

void demo_end(struct demo_session *session)
{
    session->phase = DEMO_PHASE_OVER;
    session->ending = true;
}

void demo_queue(struct demo_session *session, haft_buffer *buffer)
{
    struct demo_message *message = NULL;

    if (session->ending || session->closed) {
        haft_buffer_finish(buffer);
        return;
    }
    if (!buffer->status && session->n_pending < DEMO_MAX_PENDING &&
        session->pending_bytes < DEMO_MAX_PENDING_BYTES)
        message = demo_alloc(session->demo, sizeof *message + buffer->size);
    if (!message) {
        session_drop_queue(session);
        demo_end(session);
    } else {
        *message = (struct demo_message){.size = buffer->size};
        memcpy(message + 1, buffer->data, buffer->size);
        if (session->last)
            session->last->next = message;
        else
            session->first = message;
        session->last = message;
        session->n_pending++;
        session->pending_bytes += buffer->size;
    }
    haft_buffer_finish(buffer);
}

static struct demo_message *session_pop(struct demo_session *session)
{
    struct demo_message *message = session->first;

    session->first = message->next;
    if (!session->first)
        session->last = NULL;
    session->n_pending--;
    session->pending_bytes -= message->size;
    return message;
}

/* Makes one message of all that wait; leaves them as they are without memory. */
static void session_coalesce(struct demo_session *session)
{
    size_t size = session->pending_bytes + session->n_pending + 1;
    struct demo_message *all = demo_alloc(session->demo, sizeof *all + size), *message;
    char *at;

    if (!all)
        return;
    *all = (struct demo_message){.size = size};
    at = (char *)(all + 1);
    *at++ = '[';
    while (session->first) {
        message = session_pop(session);
        memcpy(at, message + 1, message->size);
        at += message->size;
        *at++ = session->first ? ',' : ']';
        demo_release(session->demo, message, sizeof *message + message->size);
    }
    session->first = session->last = all;
    session->n_pending = 1;
    session->pending_bytes = size;
}

static void session_unsubscribe_all(struct demo_session *session)
{
    while (session->subscriptions)
        demo_unsubscribe(session, session->subscriptions->id);
}

static void session_free(struct demo_session *session)
{
    session_drop_queue(session);
    session_unsubscribe_all(session);
    demo_release(session->demo, session, sizeof *session);
}

/* Sends what waits; the lock is held before and after. */
static void session_flush(struct demo_session *session)
{
    struct demo *demo = session->demo;
    struct demo_message *message;

    session->sending = true;
    session->sender = pthread_self();
    while (session->first && !session->closed) {
        if (session->coalesce && session->n_pending > 1)
            session_coalesce(session);
        message = session_pop(session);
        pthread_mutex_unlock(&demo->lock);
        session->send(session->who, (char *)(message + 1), message->size);
        pthread_mutex_lock(&demo->lock);
        demo_release(demo, message, sizeof *message + message->size);
    }
    if (session->ending && !session->ended && !session->closed) {
        session->ended = true;
        pthread_mutex_unlock(&demo->lock);
        session->end(session->who);
        pthread_mutex_lock(&demo->lock);
    }
    session->sending = false;
    pthread_cond_broadcast(&demo->idle);
    if (session->orphan)
        session_free(session);
}

static struct demo_session *session_that_waits(const struct demo *demo)
{
    for (struct demo_session *session = demo->sessions; session; session = session->next)
        if (!session->sending && (session->first || (session->ending && !session->ended)))
            return session;
    return NULL;
}

void demo_flush(struct demo *demo)
{
    struct demo_session *session;

    while ((session = session_that_waits(demo)))
        session_flush(session);
}

/* ---- subscriptions ---- */

int demo_subscribe(struct demo_session *session, int64_t id, enum demo_subscription_kind kind,
                   const char *what)
{
    struct demo_subscription *new;

    if (session->n_subscriptions >= DEMO_MAX_SUBSCRIPTIONS)
        return HAFT_EBUSY;
    new = demo_alloc(session->demo, sizeof *new);
    if (!new)
        return HAFT_ENOMEM;
    *new = (struct demo_subscription){.id = id, .kind = kind};
    if (what && !(new->what = demo_dup(session->demo, what))) {
        demo_release(session->demo, new, sizeof *new);
        return HAFT_ENOMEM;
    }
    *session->subscriptions_end = new;
    session->subscriptions_end = &new->next;
    session->n_subscriptions++;
    return 0;
}

bool demo_unsubscribe(struct demo_session *session, int64_t id)
{
    for (struct demo_subscription **at = &session->subscriptions; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct demo_subscription *gone = *at;

            *at = gone->next;
            if (!*at)
                session->subscriptions_end = at;
            session->n_subscriptions--;
            demo_holds_drop(session->demo,
                            &(struct demo_waiter){.session = session, .subscription = id});
            demo_drop(session->demo, gone->what);
            demo_drop(session->demo, gone->last);
            demo_release(session->demo, gone, sizeof *gone);
            return true;
        }
    return false;
}

void demo_send_event(struct demo_session *session, int64_t id, const char *json)
{
    haft_buffer out = demo_buffer(session->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "id"), id);
    hf_json_text(json_key(&w, "type"), "event");
    hf_json_raw(json_key(&w, "event"), json, strlen(json));
    hf_json_end_object(&w);
    demo_queue(session, &out);
}

/* ---- authentication ---- */

static void session_say(struct demo_session *session, const char *type, const char *message)
{
    haft_buffer out = demo_buffer(session->demo);
    struct json_writer w = {.out = &out};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), type);
    if (message)
        hf_json_text(json_key(&w, "message"), message);
    else
        hf_json_text(json_key(&w, "ha_version"), DEMO_VERSION);
    hf_json_end_object(&w);
    demo_queue(session, &out);
}

static void session_refuse(struct demo_session *session, const char *message)
{
    if (message)
        session_say(session, "auth_invalid", message);
    demo_end(session);
}

static void session_authenticate(struct demo_session *session, haft_value *message)
{
    static const struct demo_field fields[] = {
        {.name = "access_token", .kind = FIELD_TEXT},
        {.name = "api_password", .kind = FIELD_TEXT},
        {.name = "type", .kind = FIELD_CHOICE, .required = true, .choices = "auth"},
    };
    struct demo *demo = session->demo;
    const char *token = demo_text(message, "access_token");
    const char *wrong = demo_validate(demo, fields, 3, message, NULL, false, true);

    if (wrong)
        session_refuse(session,
                       demo_complain(demo, "Auth message incorrectly formatted: %s", wrong));
    else if (!token || strcmp(token, demo->token) != 0)
        session_refuse(session, "Invalid access token or password");
    else {
        session->phase = DEMO_PHASE_COMMANDS;
        session_say(session, "auth_ok", NULL);
    }
}

/* ---- what comes in ---- */

static void session_take(struct demo_session *session, haft_value *message)
{
    yyjson_arr_iter iter;
    yyjson_val *item;

    if (session->phase == DEMO_PHASE_AUTH) {
        session_authenticate(session, message);
    } else if (yyjson_is_arr(message)) {
        yyjson_arr_iter_init(message, &iter);
        while (session->phase == DEMO_PHASE_COMMANDS && (item = yyjson_arr_iter_next(&iter)))
            demo_command(session, item);
    } else if (session->phase == DEMO_PHASE_COMMANDS) {
        demo_command(session, message);
    }
}

void demo_session_receive(struct demo_session *session, const char *text, size_t size)
{
    struct demo *demo = session->demo;
    haft_value *message;

    demo_enter(demo);
    message = haft_json_read(text, size, 0, demo->scratch, NULL);
    if (message)
        session_take(session, message);
    else /* Home Assistant closes the connection without a message */
        demo_end(session);
    demo_leave(demo);
}

struct demo_session *demo_session_open(struct demo *demo,
                                       void (*send)(void *who, const char *text, size_t size),
                                       void (*end)(void *who), void *who)
{
    struct demo_session *session;

    demo_enter(demo);
    session = demo_alloc(demo, sizeof *session);
    if (session) {
        *session = (struct demo_session){
            .demo = demo, .next = demo->sessions, .send = send, .end = end, .who = who};
        session->subscriptions_end = &session->subscriptions;
        session->due = demo->now + SESSION_AUTH_SECONDS * (int64_t)DEMO_SECOND;
        demo->sessions = session;
        session_say(session, "auth_required", NULL);
    }
    demo_leave(demo);
    return session;
}

int64_t demo_sessions_tick(struct demo *demo)
{
    int64_t next = 0;

    for (struct demo_session *session = demo->sessions; session; session = session->next) {
        bool waits = session->phase == DEMO_PHASE_AUTH,
             streams = session->phase == DEMO_PHASE_STREAM;

        if ((waits || streams) && demo->now >= session->due) {
            if (waits) /* Home Assistant closes the connection without a message */
                demo_end(session);
            else
                demo_stream_ping(session);
        }
        waits = session->phase == DEMO_PHASE_AUTH;
        if ((waits || streams) && (!next || session->due < next))
            next = session->due;
    }
    return next;
}

void demo_session_close(struct demo_session *session)
{
    struct demo *demo;
    struct demo_session **at;

    if (!session)
        return;
    demo = session->demo;
    pthread_mutex_lock(&demo->lock);
    session->closed = true;
    for (at = &demo->sessions; *at != session; at = &(*at)->next)
        ;
    *at = session->next;
    if (session->sending && pthread_equal(session->sender, pthread_self())) {
        session->orphan = true; /* it is being told something right now */
    } else {
        while (session->sending)
            pthread_cond_wait(&demo->idle, &demo->lock);
        session_free(session);
    }
    pthread_mutex_unlock(&demo->lock);
}
