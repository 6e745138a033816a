/* replay.c - events for legacy clients that reconnect after losing a stream.
 *
 * The events of all streams of a session are one log in the store: "STREAM-NUMBER", a line end, and
 * the message. An event is stored before it is sent, in the order of the session's messages. */
#include <string.h>

#include "endpoint/job.h"

enum { EVENT_BYTES = 1 << 20 /* stored for a session */ };

static const char space_events[] = "events", key_log[] = "log";

/* ---- event ids ---- */

/* "stream-number" */
static bool event_read_id(const char *text, size_t size, uint64_t *ret_stream, uint64_t *ret_number)
{
    uint64_t *parts[2] = {ret_stream, ret_number};
    size_t i = 0;

    for (int part = 0; part < 2; part++) {
        size_t start = i;

        *parts[part] = 0;
        for (; i < size && text[i] >= '0' && text[i] <= '9' && i - start < 18; i++)
            *parts[part] = *parts[part] * 10 + (uint64_t)(text[i] - '0');
        if (i == start)
            return false;
        if (!part && (i == size || text[i++] != '-'))
            return false;
    }
    return i == size;
}

/* Removes the id from the start of a record. */
static bool event_split(haft_slice *record, uint64_t *ret_stream, uint64_t *ret_number)
{
    const char *end = memchr(record->data, '\n', record->size);

    if (!end || !event_read_id(record->data, (size_t)(end - record->data), ret_stream, ret_number))
        return false;
    record->size -= (size_t)(end + 1 - record->data);
    record->data = end + 1;
    return true;
}

/* ---- storing ---- */

static int keep_prepare(struct store_job *job)
{
    haft_buffer *text = &job->endpoint->record;
    haft_store_op *op;

    if (!job->session)
        return HAFT_ENOTFOUND;
    if (!job->event.message.text)
        return HAFT_ENOMEM;
    haft_buffer_clear(text);
    haft_buffer_printf(text, "%llu-%llu\n", (unsigned long long)job->event.stream,
                       (unsigned long long)job->event.number);
    haft_buffer_add(text, job->event.message.text, job->event.message.size);
    op = hf_job_op(job, space_events, HAFT_STORE_APPEND, key_log);
    op->value = (haft_slice){text->data, text->size};
    op->max_records = job->endpoint->options.max_events;
    op->max_bytes = text->size > EVENT_BYTES ? text->size : EVENT_BYTES;
    op->expires_ms = hf_endpoint_lifetime(job->endpoint);
    return text->status;
}

static void event_send(haft_exchange *exchange, uint64_t number, const haft_outgoing *message,
                       bool ends)
{
    bool sent =
        message->text && hf_exchange_write_event(exchange, number, message->text, message->size);

    if (ends || (sent && exchange->ending && !exchange->n_jobs))
        hf_exchange_end(exchange);
    else if (!sent)
        hf_exchange_break_off(exchange);
}

/* An event that cannot be stored is sent anyway. */
static bool keep_finish(struct store_job *job, int status)
{
    haft_exchange *exchange = hf_job_take_exchange(job);

    if (status != HAFT_ENOTFOUND)
        hf_endpoint_note_store(job->endpoint, status);
    if (status > 0 && job->session)
        job->session->events_used = job->endpoint->now;
    if (exchange)
        event_send(exchange, job->event.number, &job->event.message, job->event.ends);
    return false;
}

static const struct job_type keep_type = {keep_prepare, keep_finish};

void hf_http_session_keep(struct http_session *session, haft_exchange *exchange, uint64_t stream,
                          uint64_t number, const haft_outgoing *message, bool ends)
{
    struct store_job *job = hf_job_new(session->endpoint, &keep_type, session, exchange);

    if (!job) {
        /* Not before events that are still waiting. */
        if (exchange && exchange->n_jobs)
            event_send(exchange, number, &(haft_outgoing){0}, ends);
        else if (exchange)
            event_send(exchange, number, message, ends);
        return;
    }
    job->event.stream = stream;
    job->event.number = number;
    job->event.message = *message;
    job->event.ends = ends;
    if (hf_job_run(job) == HAFT_PENDING)
        hf_job_keep_message(job);
}

/* ---- replaying ---- */

/* The unanswered request of a stream; NULL if there is none. */
static haft_exchange *exchange_of(const struct http_session *session, uint64_t stream)
{
    haft_exchange *exchange = session->exchanges;

    while (exchange && exchange->stream != stream)
        exchange = exchange->next;
    return exchange;
}

static int replay_prepare(struct store_job *job)
{
    haft_store_op *op;

    if (!job->session)
        return HAFT_ENOTFOUND;
    op = hf_job_op(job, space_events, HAFT_STORE_RANGE, key_log);
    op->max_records = job->endpoint->options.max_events;
    op->max_bytes = SIZE_MAX / 2;
    return hf_job_reads(job) ? 0 : HAFT_ENOMEM;
}

/* Whether this version of the library can read all events. Others are left alone, and the client
 * begins a new session: nothing is left out of a stream silently. */
static bool replay_can_read(const struct store_job *job)
{
    const haft_store_op *op = &job->ops[0];
    uint64_t stream, number;

    for (size_t i = 0; i < op->n_records; i++) {
        haft_slice text = op->ret_records[i].value;

        if (!event_split(&text, &stream, &number))
            return false;
    }
    return true;
}

/* Returns false if the connection ended early, so that the client reconnects for the rest. */
static bool replay_events(const struct store_job *job, haft_exchange *exchange)
{
    const haft_store_op *op = &job->ops[0];
    uint64_t stream, number;

    for (size_t i = 0; i < op->n_records; i++) {
        haft_slice text = op->ret_records[i].value;

        if (!event_split(&text, &stream, &number) || stream != job->event.stream ||
            number <= job->event.number)
            continue;
        if (!hf_exchange_write_event(exchange, number, text.data, text.size)) {
            hf_exchange_end(exchange);
            return false;
        }
        exchange->number = number;
    }
    return true;
}

/* The new connection replaces the old one, which may be dead. The connection continues to use the
 * exchange that it came with, as an alias. */
static void replay_join(haft_exchange *exchange, haft_exchange *open)
{
    hf_exchange_hang_up(open);
    open->responder = exchange->responder;
    open->context = exchange->context;
    open->gone = false;
    open->alias = exchange;
    exchange->of = open;
    exchange->gone = true;
    exchange->stream = 0;
}

static bool replay_finish(struct store_job *job, int status)
{
    haft_exchange *exchange = hf_job_take_exchange(job), *open;
    struct http_session *session = job->session;

    if (status != HAFT_ENOTFOUND)
        hf_endpoint_note_store(job->endpoint, status);
    if (!exchange)
        return false;
    if (status < 0 || !session || exchange->gone) {
        hf_exchange_refuse_store(exchange, status < 0 ? status : HAFT_ENOTFOUND);
        return false;
    }
    if (!replay_can_read(job)) {
        hf_exchange_refuse(exchange, 404, NULL, RPC_INVALID_REQUEST,
                           "The events of the session are of another version");
        return false;
    }
    open = exchange_of(session, job->event.stream);
    exchange->stream = job->event.stream;
    exchange->number = job->event.number;
    hf_exchange_stream(exchange);
    if (exchange->gone) {
        hf_exchange_free(exchange);
        return false;
    }
    exchange->resumable = true;
    if (!replay_events(job, exchange))
        return false;
    if (open) {
        replay_join(exchange, open);
    } else if (job->event.stream == session->listen_stream) {
        if (session->listening)
            hf_exchange_end(session->listening);
        if (exchange->number < session->listen_number)
            exchange->number = session->listen_number;
        hf_exchange_listen(exchange, session);
    } else {
        hf_exchange_end(exchange);
    }
    return false;
}

static const struct job_type replay_type = {replay_prepare, replay_finish};

void hf_http_session_resume(struct http_session *session, haft_exchange *exchange, const char *last,
                            size_t size)
{
    uint64_t stream = 0, number = 0;
    const haft_exchange *open = NULL;
    struct store_job *job;
    bool known = false;

    if (event_read_id(last, size, &stream, &number) && stream && stream < session->next_stream) {
        open = exchange_of(session, stream);
        known = !open || open->streaming;
    }
    /* A request that may still be answered with JSON has no stream to resume: the id was
     * guessed. */
    if (!known) {
        hf_exchange_refuse(exchange, 400, NULL, RPC_INVALID_REQUEST, "Unknown Last-Event-ID");
        return;
    }
    job = hf_job_new(session->endpoint, &replay_type, session, exchange);
    if (!job) {
        hf_exchange_refuse_store(exchange, HAFT_ENOMEM);
        return;
    }
    job->event.stream = stream;
    job->event.number = number;
    hf_job_run(job);
}

/* ---- in the background ---- */

static int renew_events_prepare(struct store_job *job)
{
    hf_job_op(job, space_events, HAFT_STORE_EXPIRE, key_log)->expires_ms =
        hf_endpoint_lifetime(job->endpoint);
    return 0;
}

static int forget_events_prepare(struct store_job *job)
{
    hf_job_op(job, space_events, HAFT_STORE_DELETE, key_log);
    return 0;
}

static bool events_finish(struct store_job *job, int status)
{
    if (status < 0)
        hf_endpoint_note_store(job->endpoint, status);
    return false;
}

static const struct job_type renew_events_type = {renew_events_prepare, events_finish};
static const struct job_type forget_events_type = {forget_events_prepare, events_finish};

static void events_run(struct http_session *session, const struct job_type *type)
{
    struct store_job *job =
        session->events_used ? hf_job_new(session->endpoint, type, NULL, NULL) : NULL;

    if (!job)
        return;
    memcpy(job->id, session->id, sizeof job->id);
    session->events_used = session->endpoint->now;
    hf_job_run(job);
}

void hf_http_session_renew_events(struct http_session *session)
{
    if (hf_endpoint_lifetime(session->endpoint))
        events_run(session, &renew_events_type);
}

void hf_http_session_forget_events(struct http_session *session)
{
    events_run(session, &forget_events_type);
}
