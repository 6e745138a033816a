/* house.c - a home with a server and clients in one process.
 *
 * Sessions and clients are on the test's thread; handlers run on threads of their own, because they wait.
 * What threads have for the test's thread goes through one queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

#include "demo/demo.h"
#include "engine/offer/platform.h"
#include "hass/client.h"
#include "hass/demo_link.h"
#include "home/fault_link.h"
#include "home/tools.h"
#include "registry.h"
#include "support/test.h"

enum { PATIENCE_MS = 20000, PEERS = 8 };

/* 2026-06-01T12:00:00Z, a Monday. */
#define HOUSE_TIME INT64_C(1780315200000000)

struct note {
    struct note *next;
    size_t size;
    char text[];
};
struct notes {
    struct note *first, **end;
};

/* A session and the client at its other end. */
struct peer {
    struct house *house;
    haft_session *session;
    haft_client *client;
    haft_receiver receiver; /* of the client */
    struct notes to_session, to_client;
};

/* What another thread has left. */
struct left {
    struct left *next;
    struct peer *peer;
    haft_call *call; /* that has been run, by this thread; */
    pthread_t thread;
    haft_posted *posted; /* or work */
};

struct house {
    struct demo *demo;
    int64_t time; /* of the demo home, under the lock */
    struct fault_link fault;
    struct hass *hass;
    haft_server *server;
    struct peer peers[PEERS];
    size_t n_peers;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct left *left, **left_end;
    unsigned running; /* calls on threads */
    bool frozen;      /* the server's time stands still */
    char *asked;
};

/* ---- notes ---- */

static void notes_add(struct notes *notes, const char *text, size_t size)
{
    struct note *note = malloc(sizeof *note + size);

    assert_non_null(note);
    note->next = NULL;
    note->size = size;
    memcpy(note->text, text, size);
    *notes->end = note;
    notes->end = &note->next;
}

static struct note *notes_take(struct notes *notes)
{
    struct note *note = notes->first;

    if (!note)
        return NULL;
    notes->first = note->next;
    if (!notes->first)
        notes->end = &notes->first;
    return note;
}

static void notes_finish(struct notes *notes)
{
    struct note *note;

    while ((note = notes_take(notes)))
        free(note);
}

/* ---- time ---- */

static haft_time house_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (haft_time)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Time stands still for the server where a deadline is tested: what is left of it is then always the same,
 * and the handler is who notices that it is over. */
static haft_time house_server_now(const struct house *house)
{
    return house->frozen ? 1 : house_now();
}

static int64_t demo_now(void *context)
{
    struct house *house = context;
    int64_t time;

    pthread_mutex_lock(&house->lock);
    time = house->time;
    pthread_mutex_unlock(&house->lock);
    return time;
}

void house_advance(struct house *house, unsigned milliseconds)
{
    pthread_mutex_lock(&house->lock);
    house->time += (int64_t)milliseconds * 1000;
    pthread_mutex_unlock(&house->lock);
    demo_tick(house->demo);
}

/* ---- the loop ---- */

static void house_leave(struct house *house, struct left what)
{
    struct left *left = malloc(sizeof *left);

    if (!left)
        abort();
    *left = what;
    pthread_mutex_lock(&house->lock);
    *house->left_end = left;
    house->left_end = &left->next;
    pthread_cond_signal(&house->moved);
    pthread_mutex_unlock(&house->lock);
}

struct run {
    struct peer *peer;
    haft_call *call;
};

static void *house_handle(void *context)
{
    struct run run = *(struct run *)context;

    free(context);
    haft_call_run(run.call);
    house_leave(run.peer->house,
                (struct left){.peer = run.peer, .call = run.call, .thread = pthread_self()});
    return NULL;
}

static int house_run(void *context, haft_call *call)
{
    struct peer *peer = context;
    struct run *run = malloc(sizeof *run);
    pthread_t thread;

    assert_non_null(run);
    *run = (struct run){peer, call};
    assert_int_equal(pthread_create(&thread, NULL, house_handle, run), 0);
    peer->house->running++;
    return 0;
}

static void house_post(void *context, haft_posted *posted)
{
    struct peer *peer = context;

    if (pthread_equal(pthread_self(), peer->house->thread))
        haft_session_deliver(peer->session, posted);
    else
        house_leave(peer->house, (struct left){.peer = peer, .posted = posted});
}

static struct left *house_take_left(struct house *house)
{
    struct left *left;

    pthread_mutex_lock(&house->lock);
    left = house->left;
    if (left) {
        house->left = left->next;
        if (!house->left)
            house->left_end = &house->left;
    }
    pthread_mutex_unlock(&house->lock);
    return left;
}

/* Does what there is to do.  True if there was something. */
static bool house_work(struct house *house)
{
    bool any = false;
    struct left *left;
    struct note *note;

    while ((left = house_take_left(house))) {
        any = true;
        if (left->posted) {
            haft_session_deliver(left->peer->session, left->posted);
        } else {
            pthread_join(left->thread, NULL);
            house->running--;
            haft_call_done(left->call);
        }
        free(left);
    }
    for (size_t i = 0; i < house->n_peers; i++) {
        struct peer *peer = &house->peers[i];

        while ((note = notes_take(&peer->to_session))) {
            any = true;
            haft_session_receive(peer->session, note->text, note->size, NULL,
                                 house_server_now(house));
            free(note);
        }
        while (peer->receiver.message && (note = notes_take(&peer->to_client))) {
            any = true;
            peer->receiver.message(peer->receiver.context, note->text, note->size, NULL,
                                   house_now());
            free(note);
        }
    }
    return any;
}

/* Waits for another thread. */
static void house_wait(struct house *house, unsigned milliseconds)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(milliseconds < 20 ? milliseconds : 20) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&house->lock);
    if (!house->left)
        pthread_cond_timedwait(&house->moved, &house->lock, &until);
    pthread_mutex_unlock(&house->lock);
}

/* ---- transports ---- */

static void peer_send(void *context, const haft_outgoing *message)
{
    notes_add(&((struct peer *)context)->to_session, message->text, message->size);
}

static void peer_answer(void *context, const haft_outgoing *message)
{
    notes_add(&((struct peer *)context)->to_client, message->text, message->size);
}

static haft_time peer_wait(void *context, unsigned milliseconds)
{
    struct house *house = ((struct peer *)context)->house;

    while (house_work(house))
        ;
    if (milliseconds)
        house_wait(house, milliseconds);
    for (size_t i = 0; i < house->n_peers; i++)
        haft_session_tick(house->peers[i].session, house_server_now(house));
    return house_now();
}

haft_client *house_join(struct house *house, const struct house_options *options)
{
    struct peer *peer = &house->peers[house->n_peers];
    haft_transport down = HAFT_INIT(haft_transport, .send = peer_answer, .context = peer);
    haft_transport up =
        HAFT_INIT(haft_transport, .send = peer_send, .wait = peer_wait, .context = peer);
    haft_loop loop = HAFT_INIT(haft_loop, .run = house_run, .post = house_post, .context = peer);
    haft_client *client;

    assert_true(house->n_peers < PEERS);
    *peer = (struct peer){.house = house};
    peer->to_session.end = &peer->to_session.first;
    peer->to_client.end = &peer->to_client.first;
    peer->session =
        haft_session_new(house->server, HAFT_WITH(haft_session_options, .transport = &down,
                                                  .loop = &loop, .principal = options->principal));
    assert_non_null(peer->session);
    house->n_peers++;
    client = haft_client_open(&up,
                              HAFT_WITH(haft_client_options, .revision = options->revision,
                                        .answer = options->answer, .notify = options->notify,
                                        .context = options->context, .progress = options->progress,
                                        .timeout_ms = PATIENCE_MS),
                              &peer->receiver);
    assert_non_null(client);
    peer->client = client;
    return client;
}

/* ---- a house ---- */

static int64_t house_wall(void)
{
    return HOUSE_TIME / 1000;
}

/* Times that suit a test: no read waits for a connection that does not come, except where waiting is what
 * is tested. */
static struct hass_times house_times(enum situation situation)
{
    struct hass_times times = hass_usual_times;

    times.patience = situation >= DEADLINE ? PATIENCE_MS : 20;
    times.retry = 1;
    times.no_news = 5;
    times.read_back = 500;
    times.now = house_wall;
    return times;
}

const char *house_audio_dir;

struct house *house_open(const struct house_options *options)
{
    static const unsigned char seal_key[32] = "of a house in a test, 32 bytes.";
    struct house *house = calloc(1, sizeof *house);
    struct hass_times times = house_times(options->situation);
    struct home_options home = {.entities = options->entities,
                                .speech = true,
                                .render_template = true,
                                .timeout_ms = options->timeout_ms,
                                .audio_dir =
                                    options->audio_dir ? options->audio_dir : house_audio_dir};
    haft_reason reason = {.code = 0};

    assert_non_null(house);
    house->thread = pthread_self();
    house->time = HOUSE_TIME;
    house->frozen = options->situation == DEADLINE;
    house->left_end = &house->left;
    assert_int_equal(pthread_mutex_init(&house->lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&house->moved, NULL), 0);
    house->demo = demo_new(&(struct demo_options){
        .now = demo_now, .now_context = house, .seed = 1, .extra = options->extra});
    assert_non_null(house->demo);
    house->hass = hass_new_timed(
        &home,
        fault_link_init(&house->fault, demo_link_new(house->demo), options->situation, options->at),
        &times, &reason);
    assert_non_null(house->hass);
    house->server = haft_server_new_with(
        "home", "1.0.0",
        HAFT_WITH(haft_server_options, .data = home_hass_data(house->hass), .seal_key = seal_key,
                  .timeout_ms = options->timeout_ms, .resource_subscriptions = options->resources,
                  .log = options->log, .log_context = options->log_context));
    assert_non_null(house->server);
    assert_int_equal(home_add(house->server, &home), 0);
    assert_int_equal(hf_platform_start(house->server), 0); /* for isolated tools */
    house_join(house, options);
    return house;
}

void house_close(struct house *house)
{
    haft_time end = house_now() + PATIENCE_MS;

    while ((house_work(house) || house->running) && house_now() < end)
        house_wait(house, 10);
    assert_int_equal(house->running, 0);
    for (size_t i = 0; i < house->n_peers; i++) {
        struct peer *peer = &house->peers[i];

        haft_client_free(peer->client);
        haft_session_free(peer->session);
        notes_finish(&peer->to_client);
        notes_finish(&peer->to_session);
    }
    haft_server_free(house->server);
    hass_free(house->hass);
    demo_free(house->demo);
    pthread_cond_destroy(&house->moved);
    pthread_mutex_destroy(&house->lock);
    free(house->asked);
    free(house);
}

void house_post_state(struct house *house, const char *entity_id, const char *json)
{
    char path[300], *body = strdup(json);
    struct demo_response response = {.status = 0};

    assert_non_null(body);
    for (char *at = body; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    snprintf(path, sizeof path, "/api/states/%s", entity_id);
    haft_buffer_init(&response.body, NULL, 1 << 20);
    demo_handle(house->demo,
                &(struct demo_request){.method = "POST",
                                       .path = path,
                                       .query = "",
                                       .token = "demo",
                                       .body = body,
                                       .size = strlen(body)},
                &response);
    haft_buffer_finish(&response.body);
    free(body);
    assert_true(response.status == 200 || response.status == 201);
}

haft_client *house_client(struct house *house)
{
    return house->peers[0].client;
}

haft_server *house_server(struct house *house)
{
    return house->server;
}

struct hass *house_hass(struct house *house)
{
    return house->hass;
}

void house_wait_swallowed(struct house *house, unsigned n)
{
    haft_time end = house_now() + PATIENCE_MS;
    unsigned swallowed;

    do {
        peer_wait(&house->peers[0], 5);
        pthread_mutex_lock(&house->fault.lock);
        swallowed = house->fault.swallowed;
        pthread_mutex_unlock(&house->fault.lock);
    } while (swallowed < n && house_now() < end);
    assert_true(swallowed >= n);
}

const char *house_asked(struct house *house)
{
    free(house->asked);
    pthread_mutex_lock(&house->fault.lock);
    house->asked = strdup(house->fault.asked ? house->fault.asked : "");
    pthread_mutex_unlock(&house->fault.lock);
    assert_non_null(house->asked);
    return house->asked;
}

unsigned house_running(struct house *house)
{
    peer_wait(&house->peers[0], 5);
    return house->running;
}

haft_result house_call(struct house *house, const char *tool, const char *arguments)
{
    haft_result result;
    char *text = strdup(arguments ? arguments : "{}");

    assert_non_null(text);
    for (char *at = text; *at; at++)
        if (*at == '\'')
            *at = '"';
    assert_int_equal(haft_client_call(house_client(house), tool, text, &result), 0);
    free(text);
    return result;
}
