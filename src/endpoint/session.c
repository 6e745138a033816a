/* session.c - active sessions of legacy clients: found by unguessable ids, and ended after being
 * idle. State that must outlive this process is in the store (record.c, replay.c). */
#include <limits.h>
#include <string.h>

#include "base/hex.h"
#include "base/list.h"
#include "endpoint/job.h"

enum {
    SESSION_FIRST_SLOTS = 64,
    SPARED_MS = 60 * 1000 /* a session used more recently is not evicted */
};

/* ---- the table ---- */

static struct http_session **slot_of(haft_endpoint *endpoint, const char *id)
{
    return &endpoint->slots[hf_hash_bytes(id, SESSION_ID) & (endpoint->n_slots - 1)];
}

static bool grow(haft_endpoint *endpoint)
{
    const haft_allocator *allocator = endpoint->allocator;
    struct http_session **old = endpoint->slots;
    size_t n_old = endpoint->n_slots, n = n_old ? n_old * 2 : SESSION_FIRST_SLOTS;
    struct http_session **slots = allocator->alloc(allocator->context, n * sizeof *slots);

    if (!slots)
        return n_old > 0;
    memset(slots, 0, n * sizeof *slots);
    endpoint->slots = slots;
    endpoint->n_slots = n;
    for (struct http_session *s = endpoint->oldest; s; s = s->newer) {
        struct http_session **slot = slot_of(endpoint, s->id);

        s->next = *slot;
        *slot = s;
    }
    if (old)
        allocator->release(allocator->context, old, n_old * sizeof *old);
    return true;
}

struct http_session *hf_http_session_find(haft_endpoint *endpoint, const char *id, size_t size)
{
    struct http_session *session;

    if (size != SESSION_ID || !endpoint->n_slots)
        return NULL;
    session = *slot_of(endpoint, id);
    while (session && memcmp(session->id, id, SESSION_ID))
        session = session->next;
    return session;
}

/* ---- order of use ---- */

static void link_newest(struct http_session *session)
{
    haft_endpoint *endpoint = session->endpoint;

    LIST_APPEND(endpoint->oldest, endpoint->newest, session, older, newer);
}

static void unlink_session(struct http_session *session)
{
    haft_endpoint *endpoint = session->endpoint;

    LIST_REMOVE(endpoint->oldest, endpoint->newest, session, older, newer);
}

void hf_http_session_touch(struct http_session *session)
{
    session->used = session->endpoint->now;
    if (session->endpoint->newest == session)
        return;
    unlink_session(session);
    link_newest(session);
}

/* ---- life ---- */

static void free_session(struct http_session *session)
{
    const haft_allocator *allocator = session->endpoint->allocator;

    if (session->principal)
        allocator->release(allocator->context, session->principal, strlen(session->principal) + 1);
    allocator->release(allocator->context, session, sizeof *session);
}

static bool set_principal(struct http_session *session, const char *principal)
{
    const haft_allocator *allocator = session->endpoint->allocator;
    size_t size = principal ? strlen(principal) + 1 : 0;

    if (!principal)
        return true;
    session->principal = allocator->alloc(allocator->context, size);
    if (session->principal)
        memcpy(session->principal, principal, size);
    return session->principal;
}

/* The engine's session has been freed: nothing refers to this one any more. */
static void http_session_on_closed(void *context)
{
    struct http_session *session = context;

    session->endpoint->n_sessions--;
    free_session(session);
}

static bool session_make_id(haft_endpoint *endpoint, char id[SESSION_ID + 1])
{
    unsigned char bytes[SESSION_ID / 2];

    if (!endpoint->loop.random ||
        endpoint->loop.random(endpoint->loop.context, bytes, sizeof bytes))
        return false;
    bytes[0] = (unsigned char)(endpoint->options.replica >> 8);
    bytes[1] = (unsigned char)endpoint->options.replica;
    bytes[2] = (unsigned char)endpoint->options.number;
    hf_hex_put(bytes, sizeof bytes, id);
    id[SESSION_ID] = '\0';
    return true;
}

unsigned hf_http_session_home(const char *id, size_t size)
{
    unsigned char home[SESSION_HOME / 2];

    return id && size == SESSION_ID && hf_hex_read_lower(id, SESSION_HOME, home)
               ? home[sizeof home - 1]
               : UINT_MAX;
}

/* At the maximum number of sessions, the longest idle are evicted: otherwise a client that opens
 * sessions and leaves them would lock out all others until they expire. */
static bool has_room(haft_endpoint *endpoint)
{
    struct http_session *session = endpoint->oldest, *newer;

    for (; endpoint->n_sessions >= endpoint->options.max_sessions && session; session = newer) {
        newer = session->newer;
        if (session->used + SPARED_MS > endpoint->now)
            break;
        if (!session->exchanges && !session->listening)
            hf_http_session_end(session);
    }
    return endpoint->n_sessions < endpoint->options.max_sessions;
}

struct http_session *hf_http_session_make(haft_endpoint *endpoint, const char *id,
                                          const char *principal)
{
    const haft_allocator *allocator = endpoint->allocator;
    haft_transport transport =
        HAFT_INIT(haft_transport, .send = hf_endpoint_send_session,
                  .let_go = hf_endpoint_let_go_session, .close = http_session_on_closed);
    haft_session_options options =
        HAFT_INIT(haft_session_options, .transport = &transport, .loop = &endpoint->loop);
    struct http_session *session;

    if (!has_room(endpoint))
        return NULL;
    if (endpoint->n_sessions >= endpoint->n_slots && !grow(endpoint))
        return NULL;
    session = allocator->alloc(allocator->context, sizeof *session);
    if (!session)
        return NULL;
    memset(session, 0, sizeof *session);
    session->endpoint = endpoint;
    session->next_stream = 1;
    memcpy(session->id, id, SESSION_ID);
    transport.context = session;
    endpoint->n_sessions++;
    if (set_principal(session, principal)) {
        options.principal = session->principal;
        session->engine = haft_session_new(endpoint->server, &options);
    }
    if (!session->engine) {
        endpoint->n_sessions--;
        free_session(session);
        return NULL;
    }
    return session;
}

void hf_http_session_discard(struct http_session *session)
{
    haft_session_free(session->engine);
}

void hf_http_session_add(struct http_session *session)
{
    haft_endpoint *endpoint = session->endpoint;
    struct http_session **slot = slot_of(endpoint, session->id);

    session->next = *slot;
    *slot = session;
    link_newest(session);
    session->used = endpoint->now;
}

struct http_session *hf_http_session_new(haft_endpoint *endpoint, const char *principal)
{
    char id[SESSION_ID + 1];
    struct http_session *session =
        session_make_id(endpoint, id) ? hf_http_session_make(endpoint, id, principal) : NULL;

    if (session)
        hf_http_session_add(session);
    return session;
}

bool hf_http_session_is_of(const struct http_session *session, const char *principal)
{
    const char *own = session->principal;

    return own && principal ? !strcmp(own, principal) : !own && !principal;
}

static void end_exchanges(struct http_session *session)
{
    if (session->listening)
        hf_exchange_end(session->listening);
    while (session->exchanges) {
        haft_exchange *exchange = session->exchanges;

        if (exchange->gone)
            hf_exchange_free(exchange);
        else if (exchange->streaming)
            hf_exchange_end(exchange);
        else
            hf_exchange_refuse(exchange, 404, NULL, RPC_INVALID_REQUEST, "Session not found");
        /* An exchange that is being handled is freed by its handler. */
        if (session->exchanges == exchange)
            hf_exchange_detach(exchange);
    }
}

void hf_http_session_drop(struct http_session *session)
{
    struct http_session **link = slot_of(session->endpoint, session->id);

    if (session->deleted)
        return;
    session->deleted = true;
    while (*link != session)
        link = &(*link)->next;
    *link = session->next;
    unlink_session(session);
    end_exchanges(session);
    hf_jobs_forget_session(session);
    haft_session_free(session->engine);
}

void hf_http_session_end(struct http_session *session)
{
    if (!session->deleted)
        hf_http_session_forget(session);
    hf_http_session_drop(session);
}

void hf_http_sessions_expire(haft_endpoint *endpoint)
{
    struct http_session *session = endpoint->oldest, *newer;

    for (; session; session = newer) {
        newer = session->newer;
        if (session->used + endpoint->options.session_idle_ms > endpoint->now)
            return;
        if (session->exchanges || session->listening) {
            hf_http_session_touch(session);
            hf_http_session_renew(session);
        } else {
            hf_http_session_end(session);
        }
    }
}
