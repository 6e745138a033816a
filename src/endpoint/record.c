/* record.c - legacy sessions in the store: the record from which another process can take over a
 * session.
 *
 * A session is active in one process. Its record contains its owner and the client's state; its
 * version changes with every takeover, so a process that has lost the session notices with the next
 * request, and writes nothing. */
#include <stdio.h>
#include <string.h>

#include "endpoint/job.h"
#include "endpoint/request.h"
#include "engine/session/remember.h"
#include "stage/store_state.h"

enum { FORMAT = 1, ATTEMPTS = 3 };

static const char space_sessions[] = "session", key_record[] = "record";

/* Longer than the idle time of a session, so that the process that has it ends it first. */
int64_t hf_endpoint_lifetime(const haft_endpoint *endpoint)
{
    return endpoint->options.store ? 2 * (int64_t)endpoint->options.session_idle_ms : 0;
}

/* ---- the record ---- */

static const haft_buffer *record_write(const struct http_session *session)
{
    haft_endpoint *endpoint = session->endpoint;
    haft_buffer *out = &endpoint->record;
    struct json_writer w = {.out = out};

    haft_buffer_clear(out);
    hf_json_begin_object(&w);
    hf_json_integer(json_key(&w, "format"), FORMAT);
    hf_json_unsigned(json_key(&w, "epoch"), session->epoch);
    hf_json_unsigned(json_key(&w, "listen"), session->listen_stream);
    hf_json_text(json_key(&w, "server"), endpoint->server->name);
    hf_json_text(json_key(&w, "path"), endpoint->options.path);
    json_text_member(&w, "principal", session->principal);
    hf_session_put_memory(session->engine, hf_json_slot(json_key(&w, "client")));
    hf_json_end_object(&w);
    return out;
}

static bool record_is(yyjson_val *record, const char *key, const char *text)
{
    yyjson_val *value = yyjson_obj_get(record, key);

    return text ? yyjson_equals_str(value, text) : !value;
}

/* Creates the session of a record. Returns 0 with *ret_session, HAFT_ENOTFOUND for a record of
 * another endpoint or principal, or an error. */
static int record_read(struct store_job *job, haft_slice text, struct http_session **ret_session)
{
    haft_endpoint *endpoint = job->endpoint;
    yyjson_val *record = NULL;
    struct http_session *session;
    const char *reason;
    size_t offset;
    int status = hf_json_parse(text.data, text.size, job->arena, &record, &offset, &reason);

    if (status)
        return status;
    if (yyjson_get_int(yyjson_obj_get(record, "format")) != FORMAT ||
        !record_is(record, "server", endpoint->server->name) ||
        !record_is(record, "path", endpoint->options.path) ||
        !record_is(record, "principal", job->asked->principal))
        return HAFT_ENOTFOUND;
    session = hf_http_session_make(endpoint, job->id, job->asked->principal);
    if (!session)
        return HAFT_ETOOBIG;
    status = hf_session_restore_memory(session->engine, rpc_object(record, "client"));
    if (status) {
        hf_http_session_discard(session);
        return status;
    }
    /* Numbers of streams and events start above all earlier ones. */
    session->epoch = (unsigned)yyjson_get_uint(yyjson_obj_get(record, "epoch")) + 1;
    session->next_stream = ((uint64_t)session->epoch << 32) + 1;
    session->listen_stream = yyjson_get_uint(yyjson_obj_get(record, "listen"));
    session->listen_number = (uint64_t)session->epoch << 32;
    session->events_used = endpoint->now;
    *ret_session = session;
    return 0;
}

/* The operation that writes the session's record if it still has `version`. */
static int record_prepare_put(struct store_job *job, const struct http_session *session,
                              uint64_t version)
{
    const haft_buffer *text = record_write(session);
    haft_store_op *op = hf_job_op(job, space_sessions, HAFT_STORE_PUT, key_record);

    op->value = (haft_slice){text->data, text->size};
    op->if_version = true;
    op->version = version;
    op->expires_ms = hf_endpoint_lifetime(job->endpoint);
    job->changes = hf_session_changes(session->engine);
    return text->status;
}

static void record_is_written(const struct store_job *job, struct http_session *session)
{
    session->version = job->ops[0].ret_version;
    session->saved = job->changes;
}

/* The operation that renews the record, unless the session has been lost. */
static int record_prepare_renew(struct store_job *job)
{
    haft_store_op *op;

    if (!job->session)
        return HAFT_ENOTFOUND;
    op = hf_job_op(job, space_sessions, HAFT_STORE_EXPIRE, key_record);
    op->if_version = true;
    op->version = job->session->version;
    op->expires_ms = hf_endpoint_lifetime(job->endpoint);
    return 0;
}

/* ---- a request that names a session ---- */

enum { CHECK_RENEW, CHECK_FIND, CHECK_TAKE_OVER };

/* Decides where to look: here, or in the store. */
static void check_begin(struct store_job *job)
{
    job->session = hf_http_session_find(job->endpoint, job->id, SESSION_ID);
    job->step = job->session ? CHECK_RENEW : CHECK_FIND;
}

static int check_prepare(struct store_job *job)
{
    if (job->step == CHECK_RENEW)
        return record_prepare_renew(job);
    if (job->step == CHECK_TAKE_OVER)
        return record_prepare_put(job, job->restored, job->version);
    hf_job_op(job, space_sessions, HAFT_STORE_GET, key_record);
    return hf_job_reads(job) ? 0 : HAFT_ENOMEM;
}

/* The request continues, with or without a session. */
static bool check_go_on(struct store_job *job)
{
    haft_exchange *exchange = hf_job_take_exchange(job);

    exchange->checked = true;
    if (job->later && exchange->gone)
        hf_exchange_free(exchange);
    else if (job->later)
        hf_endpoint_route_again(exchange, job->asked);
    return false;
}

static bool check_refuse(struct store_job *job, int status)
{
    hf_endpoint_note_store(job->endpoint, status);
    hf_exchange_refuse_store(hf_job_take_exchange(job), status);
    return false;
}

/* Whether a session goes on in this process alone, because a store that others share fails. They
 * cannot take the session over meanwhile. */
static bool record_goes_on(const struct store_job *job, int status)
{
    return job->session && job->endpoint->options.store && hf_store_is_away(status) &&
           status != HAFT_ENOTFOUND && status != HAFT_ETOOBIG && status != JOB_LATE;
}

static bool check_renewed(struct store_job *job, int status)
{
    struct http_session *session = job->session;

    if (record_goes_on(job, status)) {
        hf_endpoint_note_store(job->endpoint, status);
        hf_store_count(job->endpoint->server, STORE_SESSIONS, false);
        return check_go_on(job);
    }
    if (status < 0 && status != HAFT_ENOTFOUND)
        return check_refuse(job, status);
    if (status > 0 && session) {
        if (session->events_used + hf_endpoint_lifetime(job->endpoint) / 4 < job->endpoint->now)
            hf_http_session_renew_events(session);
        return check_go_on(job);
    }
    /* Another process has taken it over or ended it. */
    if (session)
        hf_http_session_drop(session);
    job->session = NULL;
    if (!job->endpoint->options.store)
        return check_go_on(job);
    job->step = CHECK_FIND;
    return true;
}

static bool check_found(struct store_job *job, int status)
{
    const haft_store_op *op = &job->ops[0];

    if (status < 0)
        return check_refuse(job, status);
    hf_endpoint_note_store(job->endpoint, 0);
    /* Another request may have restored it meanwhile. */
    check_begin(job);
    if (job->session)
        return true;
    if (!op->status)
        return check_go_on(job);
    status = record_read(job, op->ret_value, &job->restored);
    if (status == HAFT_ENOTFOUND)
        return check_go_on(job);
    if (status == HAFT_ENOMEM || status == HAFT_ETOOBIG) {
        hf_exchange_refuse_store(hf_job_take_exchange(job), status);
        return false;
    }
    if (status) {
        hf_server_log(job->endpoint->server, HAFT_ERROR, "cannot read the record of a session: %s",
                      haft_strerror(status));
        return check_go_on(job);
    }
    job->version = op->ret_version;
    job->step = CHECK_TAKE_OVER;
    return true;
}

static bool check_taken_over(struct store_job *job, int status)
{
    struct http_session *session = job->restored;

    job->restored = NULL;
    if (status > 0 && !hf_http_session_find(job->endpoint, job->id, SESSION_ID)) {
        record_is_written(job, session);
        hf_http_session_add(session);
        return check_go_on(job);
    }
    hf_http_session_discard(session);
    if (status < 0)
        return check_refuse(job, status);
    if (++job->attempts == ATTEMPTS)
        return check_refuse(job, HAFT_EBUSY);
    check_begin(job);
    return true;
}

static bool check_finish(struct store_job *job, int status)
{
    if (!job->exchange) {
        if (job->restored)
            hf_http_session_discard(job->restored);
        job->restored = NULL;
        return false;
    }
    return job->step == CHECK_RENEW  ? check_renewed(job, status)
           : job->step == CHECK_FIND ? check_found(job, status)
                                     : check_taken_over(job, status);
}

static const struct job_type check_type = {check_prepare, check_finish};

bool hf_http_session_ready(haft_exchange *exchange, const haft_request *request, const char *id,
                           size_t size)
{
    haft_endpoint *endpoint = exchange->endpoint;
    const struct http_session *session = hf_http_session_find(endpoint, id, size);
    struct store_job *job;

    if (exchange->checked || size != SESSION_ID ||
        (session ? session->sse || !session->version ||
                       !hf_http_session_is_of(session, request->principal)
                 : !endpoint->options.store))
        return true;
    job = hf_job_new(endpoint, &check_type, NULL, exchange);
    if (!job) {
        hf_exchange_refuse_store(exchange, HAFT_ENOMEM);
        return false;
    }
    memcpy(job->id, id, SESSION_ID);
    job->asked = request;
    check_begin(job);
    if (hf_job_run(job) != HAFT_PENDING)
        return exchange->checked;
    if (!hf_job_keep_request(job))
        hf_exchange_refuse_store(exchange, HAFT_ENOMEM);
    return false;
}

/* ---- writing ---- */

static int save_prepare(struct store_job *job)
{
    return job->session ? record_prepare_put(job, job->session, job->session->version)
                        : HAFT_ENOTFOUND;
}

/* Whether the waiting exchange can continue; otherwise it has been answered. */
static bool save_has_worked(struct store_job *job, haft_exchange *exchange, int status)
{
    struct http_session *session = job->session;
    bool creates = exchange && exchange->creates;

    if (status > 0 && session) {
        hf_endpoint_note_store(job->endpoint, 0);
        record_is_written(job, session);
        return exchange;
    }
    if (status < 0 && status != HAFT_ENOTFOUND)
        hf_endpoint_note_store(job->endpoint, status);
    if (record_goes_on(job, status)) { /* the next response saves it */
        hf_store_count(job->endpoint->server, STORE_SESSIONS, false);
        return exchange;
    }
    if (exchange)
        exchange->creates = false;
    if (exchange && exchange->streaming)
        hf_exchange_end(exchange);
    else if (exchange && status == HAFT_ETOOBIG && !creates)
        hf_exchange_refuse(exchange, 503, HEADER("Retry-After", "10"), RPC_INTERNAL_ERROR,
                           "The session store is full");
    else if (exchange && status < 0 && status != HAFT_ENOTFOUND)
        hf_exchange_refuse_store(exchange, status);
    else if (exchange)
        hf_exchange_refuse(exchange, 404, NULL, RPC_INVALID_REQUEST, "Session not found");
    if (session && (!status || creates))
        hf_http_session_drop(session);
    return false;
}

static bool save_and_answer_finish(struct store_job *job, int status)
{
    haft_exchange *exchange = hf_job_take_exchange(job);

    if (!save_has_worked(job, exchange, status))
        return false;
    if (job->event.message.text)
        hf_exchange_answer(exchange, &job->event.message);
    else
        hf_exchange_refuse_store(exchange, HAFT_ENOMEM);
    return false;
}

static bool save_and_listen_finish(struct store_job *job, int status)
{
    haft_exchange *exchange = hf_job_take_exchange(job);

    if (!save_has_worked(job, exchange, status) || exchange->streaming)
        return false;
    hf_exchange_stream(exchange);
    if (exchange->gone)
        hf_exchange_free(exchange);
    return false;
}

static const struct job_type save_and_answer_type = {save_prepare, save_and_answer_finish};
static const struct job_type save_and_listen_type = {save_prepare, save_and_listen_finish};

void hf_http_session_save_and_answer(haft_exchange *exchange, const haft_outgoing *message)
{
    struct http_session *session = exchange->session;
    struct store_job *job = hf_job_new(session->endpoint, &save_and_answer_type, session, exchange);

    if (!job) {
        bool creates = exchange->creates;

        exchange->creates = false;
        hf_exchange_refuse_store(exchange, HAFT_ENOMEM);
        if (creates)
            hf_http_session_drop(session);
        return;
    }
    job->event.message = *message;
    if (hf_job_run(job) == HAFT_PENDING)
        hf_job_keep_message(job);
}

void hf_http_session_save_and_listen(haft_exchange *exchange)
{
    struct http_session *session = exchange->session;
    struct store_job *job = hf_job_new(session->endpoint, &save_and_listen_type, session, exchange);

    if (job)
        hf_job_run(job);
    else
        hf_exchange_refuse_store(exchange, HAFT_ENOMEM);
}

/* ---- in the background ---- */

static bool renew_finish(struct store_job *job, int status)
{
    if (status < 0 && status != HAFT_ENOTFOUND)
        hf_endpoint_note_store(job->endpoint, status);
    else if (!status && job->session)
        hf_http_session_drop(job->session);
    return false;
}

static const struct job_type renew_type = {record_prepare_renew, renew_finish};

void hf_http_session_renew(struct http_session *session)
{
    struct store_job *job =
        session->version ? hf_job_new(session->endpoint, &renew_type, session, NULL) : NULL;

    hf_http_session_renew_events(session);
    if (job)
        hf_job_run(job);
}

/* ---- removal ---- */

static int delete_prepare(struct store_job *job)
{
    haft_store_op *op = hf_job_op(job, space_sessions, HAFT_STORE_DELETE, key_record);

    op->if_version = job->version;
    op->version = job->version;
    return 0;
}

static bool forget_finish(struct store_job *job, int status)
{
    if (status < 0)
        hf_endpoint_note_store(job->endpoint, status);
    return false;
}

static const struct job_type forget_type = {delete_prepare, forget_finish};

/* If this fails, the record expires. */
void hf_http_session_forget(struct http_session *session)
{
    struct store_job *job =
        session->version ? hf_job_new(session->endpoint, &forget_type, NULL, NULL) : NULL;

    hf_http_session_forget_events(session);
    if (!job)
        return;
    memcpy(job->id, session->id, sizeof job->id);
    job->version = session->version;
    hf_job_run(job);
}

static bool delete_finish(struct store_job *job, int status)
{
    haft_exchange *exchange = hf_job_take_exchange(job);

    if (status < 0) {
        hf_endpoint_note_store(job->endpoint, status);
        if (exchange)
            hf_exchange_refuse_store(exchange, status);
        return false;
    }
    if (job->session) {
        hf_http_session_forget_events(job->session);
        hf_http_session_drop(job->session);
    }
    if (exchange)
        hf_exchange_respond(exchange, 200, NULL, NULL, 0);
    return false;
}

static const struct job_type delete_type = {delete_prepare, delete_finish};

/* A client that knows the id may end it, regardless of the version. */
void hf_http_session_delete(struct http_session *session, haft_exchange *exchange)
{
    struct store_job *job = hf_job_new(session->endpoint, &delete_type, session, exchange);

    if (job)
        hf_job_run(job);
    else
        hf_exchange_refuse_store(exchange, HAFT_ENOMEM);
}
