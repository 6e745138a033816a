/* test_audit_run.c - many calls over several sessions and threads, ended in every way at random:
 * each has one line in the audit, and the metrics say the same as the lines. */
#define _DEFAULT_SOURCE
#include <haft.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "engine/session/session.h"
#include "support/test.h"

enum { CALLS = SANITIZED ? 2500 : 25000 };
enum { PEERS = 4, WORKERS = 3, MAX_OPEN = 64, TIMEOUT = 8 };

/* ---- a queue between threads ---- */

struct queue {
    uv_mutex_t lock;
    uv_cond_t filled;
    haft_posted *first, **last;
    bool closed;
};

static void queue_init(struct queue *queue)
{
    *queue = (struct queue){.first = NULL};
    queue->last = &queue->first;
    assert_int_equal(uv_mutex_init(&queue->lock), 0);
    assert_int_equal(uv_cond_init(&queue->filled), 0);
}

static void queue_finish(struct queue *queue)
{
    uv_cond_destroy(&queue->filled);
    uv_mutex_destroy(&queue->lock);
}

static void queue_put(struct queue *queue, haft_posted *posted)
{
    uv_mutex_lock(&queue->lock);
    posted->next = NULL;
    *queue->last = posted;
    queue->last = &posted->next;
    uv_cond_signal(&queue->filled);
    uv_mutex_unlock(&queue->lock);
}

static void queue_close(struct queue *queue)
{
    uv_mutex_lock(&queue->lock);
    queue->closed = true;
    uv_cond_broadcast(&queue->filled);
    uv_mutex_unlock(&queue->lock);
}

/* The oldest; NULL when there is none and it is closed, or, unless it waits, when there is none. */
static haft_posted *queue_take(struct queue *queue, bool wait)
{
    haft_posted *posted;

    uv_mutex_lock(&queue->lock);
    while (wait && !queue->first && !queue->closed)
        uv_cond_wait(&queue->filled, &queue->lock);
    posted = queue->first;
    if (posted) {
        queue->first = posted->next;
        if (!queue->first)
            queue->last = &queue->first;
    }
    uv_mutex_unlock(&queue->lock);
    return posted;
}

/* Waits a moment for something to come. */
static void queue_watch(struct queue *queue)
{
    uv_mutex_lock(&queue->lock);
    if (!queue->first)
        uv_cond_timedwait(&queue->filled, &queue->lock, 1000000);
    uv_mutex_unlock(&queue->lock);
}

/* ---- the tools ---- */

HAFT_STRUCT(work_args, HAFT_INTEGER(how, "How it ends", .min = 0, .max = 3));

static int work(haft_call *call, const work_args *in)
{
    switch (in->how) {
    case 0:
        return haft_text(call, "done");
    case 1:
        return haft_error(call, "no");
    case 2:
        return HAFT_EINVAL;
    default:
        return HAFT_PENDING;
    }
}
HAFT_TOOL_IN(work, work_args, "Ends as it is told", .timeout_ms = TIMEOUT);

static int fast(haft_call *call, const work_args *in)
{
    return work(call, in->how == 3 ? &(work_args){0} : in);
}
HAFT_TOOL_IN(fast, work_args, "The same, at once", .quick = true);

static int limited(haft_call *call, const work_args *in)
{
    return fast(call, in);
}
HAFT_TOOL_IN(limited, work_args, "Not often", .quick = true, .rate = {.calls = 5, .per_ms = 200});

static int hidden(haft_call *call, const work_args *in)
{
    return fast(call, in);
}
HAFT_TOOL_IN(hidden, work_args, "Not now");

/* In a process of its own, which mostly does not live to the end of it. */
static int crash(haft_call *call, const work_args *in)
{
    if (in->how)
        raise(SIGKILL);
    return haft_text(call, "done");
}
HAFT_TOOL_IN(crash, work_args, "Falls over", .isolate = true, .timeout_ms = 3600000);

static const char *const tools[] = {"work", "fast", "limited", "hidden", "nope", "crash"};
enum { CRASH = 5, CRASH_ODDS = 128 };

/* ---- the audit ---- */

struct run {
    haft_server *server;
    struct queue jobs;
    atomic_uint counts[COUNT_OF(tools)][HAFT_OUTCOME_COUNT_];
    atomic_uint strangers; /* lines that make no sense */
    struct peer {
        struct run *run;
        uv_thread_t handle, thread; /* the same, for those who made it and for itself */
        struct queue mail;
        haft_session *session;
        bool gone;
        uint64_t random;
        haft_time now;
        unsigned sent[COUNT_OF(tools)], n_sent, n_lines;
        unsigned char lines[CALLS + 1]; /* by id */
    } peers[PEERS];
};

/* The member's value in the line, without quotes; NULL when it is not there. */
static const char *member(const char *line, const char *key, char out[64])
{
    char name[32];
    const char *found;

    snprintf(name, sizeof name, "\"%s\":", key);
    found = strstr(line, name);
    if (!found)
        return NULL;
    found += strlen(name);
    found += *found == '"';
    snprintf(out, 64, "%.*s", (int)strcspn(found, ",}\""), found);
    return out;
}

static size_t index_of(const char *text, const char *const *texts, size_t n)
{
    size_t i = 0;

    while (i < n && (!text || strcmp(texts[i], text)))
        i++;
    return i;
}

/* On the thread of the peer whose call it was. */
static void audit(void *context, const char *line, size_t size)
{
    struct run *run = context;
    char text[1024], id[64], client[64], tool[64], outcome[64];
    const char *outcomes[HAFT_OUTCOME_COUNT_];
    size_t at, ended;
    struct peer *peer;

    snprintf(text, sizeof text, "%.*s", (int)size, line);
    for (int i = 0; i < HAFT_OUTCOME_COUNT_; i++)
        outcomes[i] = haft_outcome_name((haft_outcome)i);
    at = index_of(member(text, "tool", tool), tools, COUNT_OF(tools));
    ended = index_of(member(text, "outcome", outcome), outcomes, HAFT_OUTCOME_COUNT_);
    if (at == COUNT_OF(tools) || ended == HAFT_OUTCOME_COUNT_ || !member(text, "id", id) ||
        !member(text, "client", client) || strtoul(id, NULL, 10) > CALLS ||
        strtoul(client, NULL, 10) >= PEERS) {
        atomic_fetch_add(&run->strangers, 1);
        return;
    }
    atomic_fetch_add(&run->counts[at][ended], 1);
    peer = &run->peers[strtoul(client, NULL, 10)];
    peer->n_lines++;
    peer->lines[strtoul(id, NULL, 10)]++;
}

/* ---- threads that run handlers, and end what is pending ---- */

/* Runs a handler and brings it back.  True when it is pending: then it lives until it is finished,
 * whatever the client does. */
static bool run_job(struct run *run, haft_posted *job)
{
    haft_call *call = job->call;
    struct peer *peer = &run->peers[strtoul(haft_client_name(call), NULL, 10)];
    bool pending = false;

    if (!haft_call_cancelled(call)) {
        haft_call_run(call);
        pending = call->status == HAFT_PENDING;
    }
    queue_put(&peer->mail, job);
    return pending;
}

/* Of calls that are pending, one is held back until others have passed, so that it is late. */
static void serve(void *context)
{
    struct run *run = context;
    haft_call *held = NULL, *call;
    haft_posted *job;
    unsigned passed = 0;

    while ((job = queue_take(&run->jobs, !held)) || held) {
        if (!job)
            queue_watch(&run->jobs);
        if (held && (!job || ++passed > MAX_OPEN)) {
            haft_finish(held, 0);
            held = NULL;
        }
        call = job ? job->call : NULL;
        if (!job || !run_job(run, job))
            continue;
        if (held) {
            haft_finish(call, 0);
        } else {
            held = call;
            passed = 0;
        }
    }
}

static int take_job(void *context, haft_call *call)
{
    struct peer *peer = context;

    call->posts.errand = (haft_posted){.call = call, .ran = true};
    queue_put(&peer->run->jobs, &call->posts.errand);
    return 0;
}

/* ---- a client ---- */

static unsigned pick(struct peer *peer, unsigned below)
{
    peer->random ^= peer->random << 13;
    peer->random ^= peer->random >> 7;
    peer->random ^= peer->random << 17;
    return (unsigned)(peer->random >> 33) % below;
}

static void take_message(void *context, const haft_outgoing *message)
{
    (void)context;
    (void)message;
}

static void post(void *context, haft_posted *posted)
{
    struct peer *peer = context;
    uv_thread_t self = uv_thread_self();

    if (uv_thread_equal(&self, &peer->thread))
        haft_session_deliver(peer->session, posted);
    else
        queue_put(&peer->mail, posted);
}

static void gone(void *context)
{
    struct peer *peer = context;

    peer->gone = true;
}

static void drain(struct peer *peer)
{
    haft_posted *posted;

    while ((posted = queue_take(&peer->mail, false))) {
        if (posted->ran)
            haft_call_done(posted->call);
        else
            haft_session_deliver(session_of(posted->call), posted);
    }
}

static void say(struct peer *peer, const char *text)
{
    haft_session_receive(peer->session, text, strlen(text), NULL, peer->now);
}

static void call_one(struct peer *peer)
{
    static const unsigned odds[] = {0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 4};
    size_t tool = pick(peer, CRASH_ODDS) ? odds[pick(peer, COUNT_OF(odds))] : CRASH;
    char text[256];

    peer->sent[tool]++;
    peer->n_sent++;
    /* 4 is no way to end: the arguments are refused. */
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"arguments\":{\"how\":%u}}}",
             peer->n_sent, tools[tool], pick(peer, 5));
    say(peer, text);
    if (pick(peer, 4))
        return;
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
             "{\"requestId\":%u}}",
             peer->n_sent - pick(peer, peer->n_sent < 8 ? peer->n_sent : 8));
    say(peer, text);
}

static void be_a_client(void *context)
{
    struct peer *peer = context;
    char hello[256];

    peer->thread = uv_thread_self();
    peer->session = haft_session_new(
        peer->run->server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = take_message, .close = gone,
                                         .context = peer),
                  .loop = HAFT_WITH(haft_loop, .run = take_job, .post = post, .context = peer)));
    snprintf(hello, sizeof hello,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":"
             "\"%zu\",\"version\":\"1\"}}}",
             (size_t)(peer - peer->run->peers));
    say(peer, hello);
    while (peer->n_sent < CALLS) {
        call_one(peer);
        while (haft_session_in_flight(peer->session) > MAX_OPEN) {
            queue_watch(&peer->mail);
            drain(peer);
        }
        if (!pick(peer, 3))
            drain(peer);
        peer->now += pick(peer, 4) == 0;
        if (!pick(peer, 2))
            haft_session_tick(peer->session, peer->now);
    }
    /* Some are in flight still: they are cancelled by the end of the session. */
    haft_session_free(peer->session);
    while (!peer->gone) {
        queue_watch(&peer->mail);
        drain(peer);
    }
}

/* ---- the run ---- */

/* The count of the metrics, where tools that do not exist are counted together. */
static unsigned measured(const char *metrics, const char *tool, const char *outcome)
{
    char name[64], ended[64];

    snprintf(name, sizeof name, "=\"%s\"", !strcmp(tool, "nope") ? "_other" : tool);
    snprintf(ended, sizeof ended, "=\"%s\"", outcome);
    for (const char *line = metrics; line; line = strchr(line, '\n')) {
        char text[256];

        line += *line == '\n';
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        if (!strncmp(text, "mcp_server_calls_total{", 23) && strstr(text, name) &&
            strstr(text, ended))
            return (unsigned)strtoul(strchr(text, '}') + 1, NULL, 10);
    }
    return 0;
}

static void check_metrics(struct run *run)
{
    haft_buffer metrics;
    unsigned all[HAFT_OUTCOME_COUNT_] = {0};

    haft_buffer_init(&metrics, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(run->server, &metrics), 0);
    haft_buffer_add(&metrics, "", 1);
    for (size_t tool = 0; tool < COUNT_OF(tools); tool++) {
        for (int i = 0; i < HAFT_OUTCOME_COUNT_; i++) {
            const char *outcome = haft_outcome_name((haft_outcome)i);
            unsigned n = atomic_load(&run->counts[tool][i]);

            assert_int_equal(measured(metrics.data, tools[tool], outcome), n);
            all[i] += n;
        }
    }
    haft_buffer_finish(&metrics);
    for (int i = 0; i < HAFT_OUTCOME_COUNT_; i++)
        print_message("%s %u\n", haft_outcome_name((haft_outcome)i), all[i]);
    /* Or it was no run of all kinds. */
    assert_true(all[HAFT_OUTCOME_OK] && all[HAFT_OUTCOME_ERROR] && all[HAFT_OUTCOME_INVALID] &&
                all[HAFT_OUTCOME_NOT_FOUND] && all[HAFT_OUTCOME_DISABLED] &&
                all[HAFT_OUTCOME_RATE_LIMITED] && all[HAFT_OUTCOME_TIMED_OUT] &&
                all[HAFT_OUTCOME_CANCELLED] && all[HAFT_OUTCOME_FAILED] &&
                atomic_load(&run->counts[CRASH][HAFT_OUTCOME_FAILED]));
}

static void check_lines(const struct run *run)
{
    unsigned sent[COUNT_OF(tools)] = {0};

    assert_int_equal(atomic_load(&run->strangers), 0);
    for (size_t i = 0; i < PEERS; i++) {
        const struct peer *peer = &run->peers[i];

        assert_int_equal(peer->n_lines, CALLS);
        for (unsigned id = 1; id <= CALLS; id++)
            assert_int_equal(peer->lines[id], 1);
        for (size_t tool = 0; tool < COUNT_OF(tools); tool++)
            sent[tool] += peer->sent[tool];
    }
    for (size_t tool = 0; tool < COUNT_OF(tools); tool++) {
        unsigned n = 0;

        for (int i = 0; i < HAFT_OUTCOME_COUNT_; i++)
            n += atomic_load(&run->counts[tool][i]);
        assert_int_equal(n, sent[tool]);
    }
}

static void every_call_has_one_line(void **state)
{
    static struct run run;
    uv_thread_t workers[WORKERS];

    (void)state;
    run.server = haft_server_new("busy", "1.0.0");
    assert_int_equal(haft_add(run.server, &work_tool), 0);
    assert_int_equal(haft_add(run.server, &fast_tool), 0);
    assert_int_equal(haft_add(run.server, &limited_tool), 0);
    assert_int_equal(haft_add(run.server, &hidden_tool), 0);
    assert_int_equal(haft_add(run.server, &crash_tool), 0);
    assert_int_equal(haft_offer_disable(run.server, HAFT_OFFER_TOOL, "hidden"), 0);
    assert_int_equal(haft_audit_add(run.server, audit, &run), 0);
    assert_int_equal(haft_metrics_enable(run.server), 0);
    assert_int_equal(haft_server_isolate(run.server), 0);
    queue_init(&run.jobs);
    for (size_t i = 0; i < WORKERS; i++)
        assert_int_equal(uv_thread_create(&workers[i], serve, &run), 0);
    for (size_t i = 0; i < PEERS; i++) {
        struct peer *peer = &run.peers[i];

        peer->run = &run;
        peer->random = 88172645463325252u + i;
        peer->now = 1000000;
        queue_init(&peer->mail);
        assert_int_equal(uv_thread_create(&peer->handle, be_a_client, peer), 0);
    }
    for (size_t i = 0; i < PEERS; i++)
        uv_thread_join(&run.peers[i].handle);
    queue_close(&run.jobs);
    for (size_t i = 0; i < WORKERS; i++)
        uv_thread_join(&workers[i]);
    check_lines(&run);
    check_metrics(&run);
    for (size_t i = 0; i < PEERS; i++)
        queue_finish(&run.peers[i].mail);
    queue_finish(&run.jobs);
    haft_server_free(run.server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_has_one_line)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
