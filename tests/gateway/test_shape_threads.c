/* test_shape_threads.c - equal calls of sessions on several threads, whose handlers end on others, while calls are
 * cancelled and time out, sessions end, and the rules change: each call gets its own result, or none, once. */
#define _DEFAULT_SOURCE
#include "shaped.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "engine/call/post.h"

enum {
    SESSIONS = 4,
    BACKENDS = 2,
    ROUNDS = 60,
    TOGETHER = 12, /* calls in a round */
    VALUES = 3,
    TIMEOUT = 20,
    PATIENCE = 60
};

/* ---- the tool, which others answer for ---- */

struct job {
    struct job *next;
    haft_call *call;
    int value;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct job *first, **last;
    bool closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

static atomic_uint n_ran, n_ended, n_cancelled, n_late, n_answers, n_wrong, n_random = 1;

static unsigned pick(unsigned below)
{
    unsigned x = atomic_fetch_add(&n_random, 1) * 2654435761u;

    x ^= x >> 15;
    x *= 2246822519u;
    return (x ^ x >> 13) % below;
}

HAFT_STRUCT(look_args, HAFT_INTEGER(value, "What to look for"));

static int look(haft_call *call, const look_args *in)
{
    struct job *job = haft_call_alloc(call, sizeof *job);

    *job = (struct job){.call = call, .value = (int)in->value};
    atomic_fetch_add(&n_ran, 1);
    pthread_mutex_lock(&queue.lock);
    *queue.last = job;
    queue.last = &job->next;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
    return HAFT_PENDING;
}
HAFT_TOOL_IN(look, look_args, "Looks", .annotations = {.read_only = HAFT_YES}, .quick = true,
             .timeout_ms = TIMEOUT);

static struct job *take_job(void)
{
    struct job *job;

    pthread_mutex_lock(&queue.lock);
    while (!queue.first && !queue.closed)
        pthread_cond_wait(&queue.filled, &queue.lock);
    job = queue.first;
    if (job) {
        queue.first = job->next;
        if (!queue.first)
            queue.last = &queue.first;
    }
    pthread_mutex_unlock(&queue.lock);
    return job;
}

static void *be_a_backend(void *context)
{
    struct job *job;

    (void)context;
    while ((job = take_job())) {
        struct timespec moment = {0, (long)pick(300) * 1000};

        nanosleep(&moment, NULL);
        haft_text(job->call, "{\"v\":\"<%d>\",\"x\":1}", job->value);
        haft_finish(job->call, 0);
    }
    return NULL;
}

static void count(haft_call *call, haft_outcome outcome, void *data)
{
    (void)call;
    (void)data;
    atomic_fetch_add(&n_ended, 1);
    atomic_fetch_add(&n_cancelled, outcome == HAFT_OUTCOME_CANCELLED);
    atomic_fetch_add(&n_late, outcome == HAFT_OUTCOME_TIMED_OUT);
}

/* ---- sessions ---- */

struct peer {
    haft_server *server;
    const char *principal;
    haft_session *session;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    haft_posted *first, **last;
    bool gone;
};

static void post(void *context, haft_posted *posted)
{
    struct peer *peer = context;

    pthread_mutex_lock(&peer->lock);
    posted->next = NULL;
    *peer->last = posted;
    peer->last = &posted->next;
    pthread_cond_signal(&peer->filled);
    pthread_mutex_unlock(&peer->lock);
}

/* Delivers what has come, or comes. */
static void deliver(struct peer *peer)
{
    struct timespec until;
    haft_posted *posted, *next;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&peer->lock);
    while (!peer->first && !pthread_cond_timedwait(&peer->filled, &peer->lock, &until))
        ;
    posted = peer->first;
    peer->first = NULL;
    peer->last = &peer->first;
    pthread_mutex_unlock(&peer->lock);
    if (!posted) {
        fprintf(stderr, "a call was lost\n");
        abort();
    }
    for (; posted; posted = next) {
        next = posted->next;
        haft_session_deliver(peer->session, posted);
    }
}

/* The id of a call says which value it looks for. */
static void hear(void *context, const haft_outgoing *message)
{
    char text[1024], value[16];
    const char *at;
    unsigned id;

    (void)context;
    if (message->kind != HAFT_OUT_RESPONSE)
        return;
    snprintf(text, sizeof text, "%.*s", (int)message->size, message->text);
    at = strstr(text, "\"id\":");
    atomic_fetch_add(&n_answers, 1);
    id = at ? (unsigned)strtoul(at + 5, NULL, 10) : 0;
    snprintf(value, sizeof value, "<%u>", id % VALUES);
    if (!strstr(text, value) && !strstr(text, "timed out"))
        atomic_fetch_add(&n_wrong, 1);
}

static void set_gone(void *context)
{
    ((struct peer *)context)->gone = true;
}

static void say(struct peer *peer, haft_time now, const char *format, unsigned id)
{
    char text[256];

    snprintf(text, sizeof text, format, id, id % VALUES);
    haft_session_receive(peer->session, text, strlen(text), NULL, now);
}

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":\"look\",\"arguments\":{\"value\":%u}}}"
#define CANCEL                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%u}}"

static void open_session(struct peer *peer)
{
    peer->last = &peer->first;
    peer->gone = false;
    peer->session = haft_session_new(
        peer->server, HAFT_WITH(haft_session_options, .principal = peer->principal,
                                .transport = HAFT_WITH(haft_transport, .send = hear,
                                                       .close = set_gone, .context = peer),
                                .loop = HAFT_WITH(haft_loop, .post = post, .context = peer)));
}

static void run_round(struct peer *peer, unsigned round, haft_time *now)
{
    unsigned first = round * TOGETHER;

    open_session(peer);
    for (unsigned i = 0; i < TOGETHER; i++) {
        say(peer, *now, CALL, first + i);
        if (pick(4) == 0)
            say(peer, *now, CANCEL, first + pick(i + 1));
        if (pick(12) == 0 && haft_session_in_flight(peer->session))
            deliver(peer);
    }
    if (round % 5 == 4)
        haft_session_tick(peer->session, *now += TIMEOUT);
    while (round % 3 && haft_session_in_flight(peer->session))
        deliver(peer);
    haft_session_free(peer->session);
    while (!peer->gone)
        deliver(peer);
    *now += pick(3) * 400;
}

static void *be_a_peer(void *context)
{
    haft_time now = 1000;

    for (unsigned round = 0; round < ROUNDS; round++)
        run_round(context, round, &now);
    return NULL;
}

static void answers_each_call_once(void **state)
{
    static const haft_stage counting = HAFT_INIT(haft_stage, .name = "counting", .after = count);
    static const haft_tool *const tools[] = {&look_tool, NULL};
    static const char *const rules[] = {
        "{'tools':'look','coalesce':true,'cache':{'seconds':1,'shared':true},'keep':['/v']}",
        "{'tools':'look','coalesce':true}",
        "{'tools':'look','coalesce':true,'cache':{'seconds':1,'entries':2},'max_bytes':30}",
        "",
    };
    haft_gateway *gateway = shaped(tools, rules[0]);
    struct peer peers[SESSIONS];
    pthread_t backends[BACKENDS];

    (void)state;
    assert_int_equal(haft_stage_add(shaped_server(gateway), &counting), 0);
    queue.last = &queue.first;
    for (int i = 0; i < BACKENDS; i++)
        assert_int_equal(pthread_create(&backends[i], NULL, be_a_backend, NULL), 0);
    for (int i = 0; i < SESSIONS; i++) {
        peers[i] = (struct peer){.server = shaped_server(gateway),
                                 .principal = i % 2 ? "ada" : "bob",
                                 .lock = PTHREAD_MUTEX_INITIALIZER,
                                 .filled = PTHREAD_COND_INITIALIZER};
        assert_int_equal(pthread_create(&peers[i].thread, NULL, be_a_peer, &peers[i]), 0);
    }
    for (unsigned i = 1; atomic_load(&n_ended) < SESSIONS * ROUNDS * TOGETHER * 9 / 10; i++) {
        struct timespec moment = {0, 1000000};
        haft_reason reason;

        assert_int_equal(shape(gateway, rules[i % COUNT_OF(rules)], &reason), 0);
        nanosleep(&moment, NULL);
    }
    for (int i = 0; i < SESSIONS; i++)
        pthread_join(peers[i].thread, NULL);
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < BACKENDS; i++)
        pthread_join(backends[i], NULL);
    print_message("%u calls, %u ran, %u cancelled, %u late, %u answers\n", atomic_load(&n_ended),
                  atomic_load(&n_ran), atomic_load(&n_cancelled), atomic_load(&n_late),
                  atomic_load(&n_answers));
    assert_int_equal(atomic_load(&n_ended), SESSIONS * ROUNDS * TOGETHER);
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_int_equal(atomic_load(&n_answers) + atomic_load(&n_cancelled),
                     SESSIONS * ROUNDS * TOGETHER);
    assert_true(atomic_load(&n_ran) < SESSIONS * ROUNDS * TOGETHER);
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_each_call_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
