/* test_hold_run.c - a thousand calls at once that are all held by a stage and by a rate store, which
 * answer after a moment from threads of their own, while calls are cancelled, time out, and lose
 * their sessions at any moment. */
#define _DEFAULT_SOURCE
#include <haft.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/session/session.h"
#include "support/test.h"

enum { CALLS = 1000, BACKENDS = 3, TIMEOUT = 20, PATIENCE = 60 };

/* ---- queues between threads ---- */

struct job {
    struct job *next;
    haft_call *call;
    int kind; /* of what: */
    haft_store_request *request;
};
enum { JOB_STAGE, JOB_RATE };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct job *first, **last;
    bool closed;
};

/* What the session's thread is to deliver. */
struct mail {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    haft_posted *first, **last;
    pthread_t thread;
};

static struct queue queue;
static struct mail mail;

static void queue_put(haft_call *call, int kind, haft_store_request *request)
{
    struct job *job = haft_call_alloc(call, sizeof *job);

    *job = (struct job){.call = call, .kind = kind, .request = request};
    pthread_mutex_lock(&queue.lock);
    *queue.last = job;
    queue.last = &job->next;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

static struct job *queue_take(void)
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

static void queue_init(void)
{
    queue = (struct queue){.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};
    queue.last = &queue.first;
    mail = (struct mail){.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};
    mail.last = &mail.first;
    mail.thread = pthread_self();
}

static void queue_close(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

/* ---- what holds calls ---- */

static atomic_uint n_random = 1;

static unsigned pick(unsigned below)
{
    unsigned x = atomic_fetch_add(&n_random, 1) * 2654435761u;

    x ^= x >> 15;
    x *= 2246822519u;
    return (x ^ x >> 13) % below;
}

static void answer_rate(haft_store_request *request, bool allowed)
{
    request->status = request->ops[0].status = allowed;
    request->ops[0].ret_wait_ms = 10;
    request->done(request);
}

/* Answers after up to two milliseconds. */
static void *be_a_backend(void *context)
{
    struct job *job;

    (void)context;
    while ((job = queue_take())) {
        haft_call *call = job->call;
        struct timespec moment = {0, (long)pick(2000) * 1000};

        if (pick(8) == 0)
            nanosleep(&moment, NULL);
        if (job->kind == JOB_RATE)
            answer_rate(job->request, pick(50) != 0);
        else if (pick(20) == 0)
            haft_continue(call, haft_refuse(call, "no"));
        else if (haft_call_set(call, "seen", call))
            haft_continue(call, HAFT_ENOMEM);
        else
            haft_continue(call, 0);
    }
    return NULL;
}

static int hold(haft_call *call, void *data)
{
    (void)data;
    queue_put(call, JOB_STAGE, NULL);
    return HAFT_PENDING;
}

static int ask(haft_store *store, haft_store_request *request)
{
    (void)store;
    queue_put(request->context, JOB_RATE, request);
    return HAFT_PENDING;
}

static const haft_store_methods methods =
    HAFT_INIT(haft_store_methods, .name = "test", .submit = ask);
static haft_store store = {&methods};

static unsigned outcomes[HAFT_OUTCOME_COUNT_];

static void count(haft_call *call, haft_outcome outcome, void *data)
{
    (void)call;
    (void)data;
    outcomes[outcome]++;
}

static const haft_stage slow =
    HAFT_INIT(haft_stage, .name = "slow", .before = hold, .ready = hold, .after = count);

static int nod(haft_call *call)
{
    return haft_call_get(call, "seen") ? haft_text(call, "ok") : HAFT_EINVAL;
}
HAFT_TOOL_BARE(nod, "Nods", .timeout_ms = TIMEOUT, .rate = {.calls = 5, .per_ms = 1000});

/* ---- the session ---- */

static unsigned n_answers;
static atomic_uint n_illegal;

static void take_message(void *context, const haft_outgoing *message)
{
    (void)context;
    n_answers += message->kind == HAFT_OUT_RESPONSE;
}

static void post(void *context, haft_posted *posted)
{
    (void)context;
    if (pthread_equal(pthread_self(), mail.thread)) {
        haft_session_deliver(session_of(posted->call), posted);
        return;
    }
    pthread_mutex_lock(&mail.lock);
    posted->next = NULL;
    *mail.last = posted;
    mail.last = &posted->next;
    pthread_cond_signal(&mail.filled);
    pthread_mutex_unlock(&mail.lock);
}

/* Delivers what has come, waiting for it for a moment.  False when nothing came. */
static bool deliver(void)
{
    struct timespec until;
    haft_posted *posted, *next;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&mail.lock);
    while (!mail.first && !pthread_cond_timedwait(&mail.filled, &mail.lock, &until))
        ;
    posted = mail.first;
    mail.first = NULL;
    mail.last = &mail.first;
    pthread_mutex_unlock(&mail.lock);
    if (!posted)
        return false;
    for (; posted; posted = next) {
        next = posted->next;
        haft_session_deliver(session_of(posted->call), posted);
    }
    return true;
}

static void set_gone(void *context)
{
    *(bool *)context = true;
}

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    (void)size;
    if (strstr(text, "illegal move"))
        atomic_fetch_add(&n_illegal, 1);
}

static haft_server *serve(void)
{
    haft_server *server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .log = on_log, .store = &store,
                                       .max_in_flight = CALLS, .timeout_ms = TIMEOUT));

    assert_int_equal(haft_add(server, &nod_tool), 0);
    assert_int_equal(haft_stage_add(server, &slow), 0);
    memset(outcomes, 0, sizeof outcomes);
    n_answers = 0;
    n_illegal = 0;
    return server;
}

static void say(haft_session *session, haft_time now, const char *format, unsigned id)
{
    char text[192];

    snprintf(text, sizeof text, format, id);
    assert_int_equal(haft_session_receive(session, text, strlen(text), NULL, now), 0);
}

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":\"nod\"}}"
#define CANCEL                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%u}}"

static unsigned n_ended(void)
{
    unsigned n = 0;

    for (size_t i = 0; i < HAFT_OUTCOME_COUNT_; i++)
        n += outcomes[i];
    return n;
}

/* What happens to the session while its calls are held. */
static const struct row {
    const char *name;
    unsigned cancel; /* one in so many calls is cancelled; 0 for none */
    bool late;       /* the deadline passes */
    bool ends;       /* the session ends */
} rows[] = {
    {"all is well", 0, false, false},     {"some are cancelled", 3, false, false},
    {"all are late", 0, true, false},     {"all of that", 3, true, false},
    {"the session ends", 0, false, true}, {"cancelled, late, and it ends", 3, true, true},
};

static void run_row(const struct row *row)
{
    haft_server *server = serve();
    pthread_t backends[BACKENDS];
    bool gone = false;
    haft_session *session = haft_session_new(
        server, HAFT_WITH(haft_session_options,
                          .transport = HAFT_WITH(haft_transport, .send = take_message,
                                                 .close = set_gone, .context = &gone),
                          .loop = HAFT_WITH(haft_loop, .post = post, .context = &gone)));
    haft_time now = 1000;

    queue_init();
    for (unsigned i = 0; i < CALLS; i++)
        say(session, now, CALL, i + 1);
    assert_int_equal(haft_session_in_flight(session), CALLS);
    for (int i = 0; i < BACKENDS; i++)
        assert_int_equal(pthread_create(&backends[i], NULL, be_a_backend, NULL), 0);
    for (unsigned i = 0; row->cancel && i < CALLS; i += row->cancel) {
        if (i % 16 == 0)
            assert_true(haft_session_in_flight(session) == 0 || deliver());
        say(session, now, CANCEL, i + 1);
    }
    if (row->late) {
        assert_true(haft_session_in_flight(session) == 0 || deliver());
        haft_session_tick(session, now + TIMEOUT);
    }
    if (row->ends) {
        assert_true(haft_session_in_flight(session) == 0 || deliver());
        haft_session_free(session);
        while (!gone)
            assert_true(deliver());
    } else {
        while (haft_session_in_flight(session))
            assert_true(deliver());
        haft_session_free(session);
    }
    assert_true(gone);
    queue_close();
    for (int i = 0; i < BACKENDS; i++)
        pthread_join(backends[i], NULL);
    assert_int_equal(n_ended(), CALLS);
    assert_int_equal(n_illegal, 0);
    assert_int_equal(outcomes[HAFT_OUTCOME_FAILED] + outcomes[HAFT_OUTCOME_INTERNAL], 0);
    assert_int_equal(n_answers + outcomes[HAFT_OUTCOME_CANCELLED], CALLS);
    if (!row->cancel && !row->ends)
        assert_int_equal(n_answers, CALLS);
    haft_server_free(server);
}

static void a_thousand_calls_are_held(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print_message("%s\n", rows[i].name);
        run_row(&rows[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_calls_are_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
