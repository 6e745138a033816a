/* connection.c - the WebSocket of the Home Assistant client: opening it, filling the cache by it,
 * keeping it alive, and opening it again.
 *
 * The keeper decides what is due; what Home Assistant says only changes what the keeper sees. */
#include <stdio.h>

#include "hass/client.h"
#include "hass/events.h"
#include "hass/message.h"

const struct hass_times hass_usual_times = {
    .idle = 30000,
    .pong = 5000,
    .handshake = 30000,
    .retry = 1000,
    .max_retry = 60000,
    .refused = 30000,
    .patience = 2000,
    .read_back = 2000,
    .no_news = 100,
};
enum { MISSED_PINGS = 3 };

/* ---- sending ---- */

/* Puts a message into the outbox; false without memory. */
static bool connection_put(struct hass *hass, const haft_buffer *text)
{
    struct hass_outbox *outbox = &hass->outbox;
    struct hass_outgoing *out = NULL;

    if (!text->status)
        out = hass_alloc(hass->allocator, sizeof *out + text->size);
    if (!out)
        return false;
    out->next = NULL;
    out->size = text->size;
    memcpy(out->text, text->data, text->size);
    *outbox->end = out;
    outbox->end = &out->next;
    outbox->posted++;
    return true;
}

/* Begins a message with the next id, and posts it. */
static void connection_begin(const struct hass *hass, struct json_writer *w, const char *type)
{
    haft_buffer_init(w->out, hass->allocator, 16 << 20);
    hf_json_begin_object(w);
    hf_json_unsigned(json_key(w, "id"), hass->conn.next_id + 1);
    hf_json_text(json_key(w, "type"), type);
}

static uint64_t connection_post(struct hass *hass, struct json_writer *w)
{
    bool posted;

    hf_json_end_object(w);
    posted = connection_put(hass, w->out);
    haft_buffer_finish(w->out);
    return posted ? ++hass->conn.next_id : 0;
}

uint64_t hass_post(struct hass *hass, const char *type, yyjson_val *fields)
{
    yyjson_val *key, *value;
    haft_buffer text;
    struct json_writer w = {.out = &text};
    size_t i, max;

    connection_begin(hass, &w, type);
    if (fields)
        yyjson_obj_foreach(fields, i, max, key, value)
            hf_json_value(hf_json_name(&w, yyjson_get_str(key), yyjson_get_len(key)), value);
    return connection_post(hass, &w);
}

uint64_t hass_post_number(struct hass *hass, const char *type, uint64_t subscription)
{
    haft_buffer text;
    struct json_writer w = {.out = &text};

    connection_begin(hass, &w, type);
    hf_json_unsigned(json_key(&w, "subscription"), subscription);
    return connection_post(hass, &w);
}

static bool connection_post_auth(struct hass *hass)
{
    const char *token = hass->link.token ? hass->link.token : "";
    haft_buffer text;
    struct json_writer w = {.out = &text};
    bool posted;

    haft_buffer_init(&text, hass->allocator, 1 << 16);
    hf_buffer_reserve(&text, 6 * strlen(token) + 64); /* so that no part of it stays behind */
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "type"), "auth");
    hf_json_text(json_key(&w, "access_token"), token);
    hf_json_end_object(&w);
    posted = connection_put(hass, &text);
    if (text.data)
        hf_secret_wipe(text.data, text.size);
    haft_buffer_finish(&text);
    return posted;
}

/* With the lock held: takes the first message out; NULL if there is none. */
static struct hass_outgoing *connection_take(struct hass *hass)
{
    struct hass_outbox *outbox = &hass->outbox;
    struct hass_outgoing *out = outbox->first;

    if (!out)
        return NULL;
    outbox->first = out->next;
    if (!outbox->first)
        outbox->end = &outbox->first;
    outbox->taken++;
    return out;
}

static void connection_release(const struct hass *hass, struct hass_outgoing *out)
{
    hass_release_secret(hass->allocator, out, sizeof *out + out->size); /* it may be the token */
}

/* Messages that others post meanwhile are the keeper's, so that a call does not exceed its deadline. */
void hass_drain(struct hass *hass)
{
    struct hass_outbox *outbox = &hass->outbox;
    struct hass_outgoing *out;
    uint64_t last;

    uv_mutex_lock(&hass->lock);
    if (outbox->draining || hass->conn.opening) { /* that thread, or the keeper, will send it */
        uv_mutex_unlock(&hass->lock);
        return;
    }
    outbox->draining = true;
    last = outbox->posted;
    while (outbox->taken < last && (out = connection_take(hass))) {
        uv_mutex_unlock(&hass->lock);
        hass->link.send(hass->link.context, out->text, out->size);
        connection_release(hass, out);
        uv_mutex_lock(&hass->lock);
    }
    outbox->draining = false;
    uv_cond_signal(&hass->keep);
    uv_mutex_unlock(&hass->lock);
}

static void connection_empty_outbox(struct hass *hass)
{
    struct hass_outgoing *out;

    while ((out = connection_take(hass)))
        connection_release(hass, out);
}

/* ---- the end of a connection ---- */

void hass_conn_close(struct hass *hass, const char *reason)
{
    if (hass->conn.close)
        return;
    snprintf(hass->conn.reason, sizeof hass->conn.reason, "%s", reason);
    hass->conn.close = true;
    uv_cond_signal(&hass->keep);
}

static uint64_t connection_pause(const struct hass *hass)
{
    unsigned doubled = hass->conn.failures > 1 ? hass->conn.failures - 1 : 0;
    uint64_t ms = (uint64_t)hass->times.retry << (doubled > 16 ? 16 : doubled),
             max = hass->times.max_retry;

    ms = ms < max ? ms : max;
    return hass_ms((unsigned)(ms - ms / 10 + hf_hash_word(uv_hrtime()) % (ms / 5 + 1)));
}

static void connection_down(struct hass *hass, const char *reason)
{
    struct hass_connection *conn = &hass->conn;

    if (!conn->close)
        snprintf(conn->reason, sizeof conn->reason, "%s",
                 reason && *reason ? reason : "the connection was closed");
    connection_empty_outbox(hass);
    for (struct command *command = hass->commands; command; command = command->next)
        command->state = COMMAND_LOST;
    hass->commands = NULL;
    conn->phase = PHASE_DOWN;
    conn->socket = conn->close = conn->closing = false;
    conn->failures++;
    conn->ended_at = uv_hrtime();
    conn->retry_at = conn->ended_at + connection_pause(hass);
    conn->wanted = conn->wanted && !conn->refused;
    memset(conn->jobs, 0, sizeof conn->jobs);
    hass_events_lost(hass);
    uv_cond_broadcast(&hass->moved);
    uv_cond_broadcast(&hass->changed);
    uv_cond_signal(&hass->keep);
}

void hass_on_closed(void *who, const char *reason)
{
    struct hass *hass = who;

    uv_mutex_lock(&hass->lock);
    connection_down(hass, reason);
    uv_mutex_unlock(&hass->lock);
}

void hass_want(struct hass *hass)
{
    struct hass_connection *conn = &hass->conn;
    uint64_t now = uv_hrtime();

    if (conn->phase != PHASE_DOWN)
        return;
    if (conn->refused) {
        if (now < conn->ended_at + hass_ms(hass->times.refused))
            return;
        conn->refused = false;
        conn->retry_at = now;
    } else if (conn->ended_at && conn->retry_at > conn->ended_at + hass_ms(hass->times.retry)) {
        conn->retry_at = conn->ended_at + hass_ms(hass->times.retry);
    }
    conn->wanted = true;
    uv_cond_signal(&hass->keep);
}

/* ---- the phases ---- */

bool hass_conn_authenticate(struct hass *hass)
{
    if (hass->conn.phase != PHASE_OPENING)
        return true;
    hass->conn.phase = PHASE_AUTH;
    return connection_post_auth(hass);
}

/* Commands after authentication, in this order: events first, so that none is missed. */
static const struct {
    const char *type, *fields;
} connection_jobs[JOB_COUNT] = {
    [JOB_FEATURES] = {"supported_features", "{\"features\":{\"coalesce_messages\":1}}"},
    [JOB_WATCH_STATES] = {"subscribe_events", "{\"event_type\":\"state_changed\"}"},
    [JOB_WATCH_LISTS +
        HASS_FLOORS] = {"subscribe_events", "{\"event_type\":\"floor_registry_updated\"}"},
    [JOB_WATCH_LISTS +
        HASS_AREAS] = {"subscribe_events", "{\"event_type\":\"area_registry_updated\"}"},
    [JOB_WATCH_LISTS +
        HASS_LABELS] = {"subscribe_events", "{\"event_type\":\"label_registry_updated\"}"},
    [JOB_WATCH_LISTS +
        HASS_DEVICES] = {"subscribe_events", "{\"event_type\":\"device_registry_updated\"}"},
    [JOB_WATCH_LISTS +
        HASS_ENTITIES] = {"subscribe_events", "{\"event_type\":\"entity_registry_updated\"}"},
    [JOB_LISTS + HASS_FLOORS] = {"config/floor_registry/list", "{}"},
    [JOB_LISTS + HASS_AREAS] = {"config/area_registry/list", "{}"},
    [JOB_LISTS + HASS_LABELS] = {"config/label_registry/list", "{}"},
    [JOB_LISTS + HASS_DEVICES] = {"config/device_registry/list", "{}"},
    [JOB_LISTS + HASS_ENTITIES] = {"config/entity_registry/list", "{}"},
    [JOB_STATES] = {"get_states", "{}"},
};

bool hass_conn_start_job(struct hass *hass, unsigned job)
{
    const char *fields = connection_jobs[job].fields;
    yyjson_val *value;
    const char *why;
    size_t at;

    hass->conn.jobs[job] = hf_json_parse(fields, strlen(fields), hass->message, &value, &at, &why)
                               ? 0
                               : hass_post(hass, connection_jobs[job].type, value);
    return hass->conn.jobs[job] != 0;
}

bool hass_conn_synchronize(struct hass *hass)
{
    bool posted = true;

    if (hass->conn.phase != PHASE_AUTH)
        return true;
    hass->conn.phase = PHASE_SYNC;
    hass->conn.next_id = 0;
    hass->conn.stale = 0;
    hass->conn.missing = (UINT32_C(1) << JOB_COUNT) - 1;
    for (unsigned job = 0; job < JOB_COUNT; job++)
        posted = hass_conn_start_job(hass, job) && posted;
    return hass_events_renew(hass) && posted;
}

void hass_conn_job_done(struct hass *hass, unsigned job)
{
    hass->conn.missing &= ~(UINT32_C(1) << job);
    if (hass->conn.missing || hass->conn.phase != PHASE_SYNC)
        return;
    hass->conn.phase = PHASE_READY;
    hass->conn.failures = 0;
    uv_cond_broadcast(&hass->moved);
}

/* ---- the keeper ---- */

static void connection_ping(struct hass *hass, uint64_t now)
{
    struct hass_connection *conn = &hass->conn;

    if (conn->ping_at && ++conn->missed >= MISSED_PINGS) {
        hass_conn_close(hass, "it did not answer three pings");
        return;
    }
    hass_post(hass, "ping", NULL);
    conn->ping_at = now + hass_ms(hass->times.pong);
}

/* Does what can be done with the lock held, and returns when it must be called again. */
static uint64_t connection_tick(struct hass *hass, uint64_t now)
{
    struct hass_connection *conn = &hass->conn;
    uint64_t next = now + hass_ms(60000);

    if (conn->phase == PHASE_DOWN)
        return conn->wanted ? conn->retry_at : next;
    if (conn->phase != PHASE_READY) {
        if (now >= conn->phase_ends)
            hass_conn_close(hass, "it did not answer in time");
        return conn->phase_ends;
    }
    if (conn->ping_at ? now >= conn->ping_at : now >= conn->heard_at + hass_ms(hass->times.idle))
        connection_ping(hass, now);
    return conn->ping_at ? conn->ping_at : conn->heard_at + hass_ms(hass->times.idle);
}

static void connection_open(struct hass *hass, uint64_t now)
{
    struct hass_connection *conn = &hass->conn;
    int status;

    conn->phase = PHASE_OPENING;
    conn->socket = conn->opening = true;
    conn->close = conn->closing = false;
    conn->phase_ends = now + hass_ms(hass->times.handshake);
    conn->heard_at = now;
    conn->ping_at = conn->missed = 0;
    uv_mutex_unlock(&hass->lock);
    status = hass->link.open(hass->link.context, hass_on_message, hass_on_closed, hass);
    uv_mutex_lock(&hass->lock);
    conn->opening = false;
    if (status)
        connection_down(hass, haft_strerror(status));
}

/* Does one thing that needs the link, without the lock, which the caller holds.  Returns whether there was one. */
static bool connection_act(struct hass *hass, uint64_t now)
{
    struct hass_connection *conn = &hass->conn;

    if (conn->socket && conn->close && !conn->closing) {
        conn->closing = true;
        uv_mutex_unlock(&hass->lock);
        hass->link.close(hass->link.context);
        uv_mutex_lock(&hass->lock);
        return true;
    }
    if (hass->outbox.first && !hass->outbox.draining) {
        uv_mutex_unlock(&hass->lock);
        hass_drain(hass);
        uv_mutex_lock(&hass->lock);
        return true;
    }
    if (conn->phase == PHASE_DOWN && conn->wanted && !conn->socket && !hass->outbox.draining &&
        !hass->stopping && now >= conn->retry_at) {
        connection_open(hass, now);
        return true;
    }
    return false;
}

void hass_keep_connected(void *context)
{
    struct hass *hass = context;

    uv_mutex_lock(&hass->lock);
    while (!hass->stopping || hass->conn.socket) {
        uint64_t now = uv_hrtime(), next;

        if (hass->stopping)
            hass_conn_close(hass, "the server ends");
        if (connection_act(hass, now))
            continue;
        next = connection_tick(hass, now);
        /* A thread that drains the outbox needs the lock, and signals `keep` when it is done. */
        if ((hass->outbox.first && !hass->outbox.draining) ||
            (hass->conn.close && hass->conn.socket && !hass->conn.closing))
            continue;
        uv_cond_timedwait(&hass->keep, &hass->lock, next > now ? next - now : 1000000);
    }
    uv_mutex_unlock(&hass->lock);
}
