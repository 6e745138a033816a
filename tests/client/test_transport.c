/* test_transport.c - a transport of the test's own (frames.h) between a session and a client: calls,
 * notifications, questions, a cancelled call, messages that are too long, and peers that leave. */
#define _DEFAULT_SOURCE
#include "client/frames.h"

#include <haft/client.h>
#include <haft/testing.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#include "support/test.h"

enum { FRAME = 1 << 20, UNSENT = 1 << 16, PATIENCE = 60000, LOOK = 5 };

/* ---- what is served ---- */

static atomic_uint n_held, n_cancelled;
static haft_call *held; /* of the server's thread */

static int hold(haft_call *call)
{
    held = call;
    atomic_fetch_add(&n_held, 1);
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Answers later");

static int report(haft_call *call)
{
    haft_progress(call, 1, 2, "half");
    haft_message(call, HAFT_ERROR, NULL, "trouble");
    return haft_text(call, "%s %s", haft_client_name(call), haft_call_revision(call));
}
HAFT_TOOL_BARE(report, "Reports");

HAFT_STRUCT(size_args, HAFT_INTEGER(size, "How much"), HAFT_STRING(padding, "Ballast"));

static int fill(haft_call *call, const size_args *in)
{
    size_t size = (size_t)in->size;
    char *text = haft_call_alloc(call, size + 1);

    if (!text)
        return HAFT_ENOMEM;
    memset(text, 'x', size);
    text[size] = '\0';
    return haft_text_bytes(call, text, size);
}
HAFT_TOOL_IN(fill, size_args, "Says a lot");

HAFT_STRUCT(name_form, HAFT_STRING(name, "Your name"));

static int interview(haft_call *call)
{
    name_form form;
    int answer = haft_elicit(call, "name", "Name?", &name_form_type, &form);

    return answer == HAFT_ACCEPTED ? haft_text(call, "Hello, %s", form.name) : answer;
}
HAFT_TOOL_BARE(interview, "Asks");

/* ---- the server's end, on a thread ---- */

struct peer {
    haft_server *server;
    struct frames frames;
    pthread_t thread;
    atomic_bool leaves;
    unsigned sends_raw; /* this many bytes of a frame that is too long, at the start */
    bool is_silent;     /* takes in nothing */
};

/* A call that nobody waits for is ended by whoever has it. */
static void end_cancelled(void)
{
    if (!held || !haft_call_cancelled(held))
        return;
    atomic_fetch_add(&n_cancelled, 1);
    haft_finish(held, 0);
    held = NULL;
}

static void send_too_much(struct peer *peer)
{
    char *text = malloc(peer->sends_raw);

    assert_non_null(text);
    memset(text, ' ', peer->sends_raw);
    frames_send(&peer->frames, &(haft_outgoing){.text = text, .size = peer->sends_raw});
    free(text);
}

static void *serve(void *context)
{
    struct peer *peer = context;
    haft_transport transport = frames_transport(&peer->frames);
    haft_session *session =
        haft_session_new(peer->server, HAFT_WITH(haft_session_options, .transport = &transport));

    assert_non_null(session);
    peer->frames.receiver = haft_session_receiver(session);
    if (peer->sends_raw)
        send_too_much(peer);
    while (!peer->frames.is_gone && !atomic_load(&peer->leaves)) {
        haft_time now = peer->is_silent ? (usleep(LOOK * 1000), frames_now())
                                        : frames_wait(&peer->frames, LOOK);

        end_cancelled();
        if (!peer->frames.ended)
            haft_session_tick(session, now);
    }
    if (!peer->frames.is_gone) {
        haft_session_free(session);
        end_cancelled();
    }
    assert_true(peer->frames.is_gone);
    frames_finish(&peer->frames);
    return NULL;
}

static void peer_start(struct peer *peer, struct frames *ret_client)
{
    static const haft_tool *const tools[] = {&hold_tool, &report_tool, &fill_tool, &interview_tool};
    static const unsigned char seal_key[32] = "of states, as a test may have it";
    int ends[2];

    atomic_store(&n_held, 0);
    atomic_store(&n_cancelled, 0);
    atomic_store(&peer->leaves, false);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    peer->server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .max_message = FRAME, .seal_key = seal_key));
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(peer->server, tools[i]), 0);
    frames_init(&peer->frames, ends[0], FRAME);
    peer->frames.max_unsent = UNSENT;
    frames_init(ret_client, ends[1], FRAME);
    assert_int_equal(pthread_create(&peer->thread, NULL, serve, peer), 0);
}

/* The client is gone by now; the server sees that, or leaves first. */
static void peer_finish(struct peer *peer, struct frames *client)
{
    frames_finish(client);
    assert_int_equal(pthread_join(peer->thread, NULL), 0);
    assert_int_equal(peer->frames.gone, 1);
    haft_server_free(peer->server);
}

/* ---- the client's ---- */

static char heard[256];

static void hear(void *context, const char *method, haft_value *params)
{
    const char *level = yyjson_get_str(yyjson_obj_get(params, "level"));
    size_t n = strlen(heard);

    (void)context;
    snprintf(heard + n, sizeof heard - n, "%s%s%s;", method, level ? " " : "", level ? level : "");
}

static int answer(void *context, const char *method, haft_value *params, haft_buffer *ret_result)
{
    (void)context;
    (void)params;
    assert_string_equal(method, "elicitation/create");
    haft_buffer_puts(ret_result, "{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}");
    return 0;
}

static haft_client *open_client(struct frames *frames, const char *revision)
{
    haft_transport transport = frames_transport(frames);

    heard[0] = '\0';
    return haft_client_open(&transport,
                            HAFT_WITH(haft_client_options, .revision = revision, .name = "framer",
                                      .log_level = "error", .progress = true, .answer = answer,
                                      .notify = hear),
                            &frames->receiver);
}

static void client_leaves(haft_client *client, const struct frames *frames)
{
    haft_client_free(client);
    assert_int_equal(frames->gone, 1);
}

static void wait_until(const atomic_uint *count)
{
    haft_time end = frames_now() + PATIENCE;

    while (!atomic_load(count) && frames_now() < end)
        usleep(1000);
    assert_true(atomic_load(count));
}

/* ---- the tests ---- */

static void calls_notifies_and_asks_in_every_revision(void **state)
{
    static const struct {
        const char *revision;
        bool asks; /* elicitation came with 2025-06-18 */
    } rows[] = {{"2024-11-05", false},
                {"2025-03-26", false},
                {"2025-06-18", true},
                {"2025-11-25", true},
                {"2026-07-28", true}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct peer peer = {.is_silent = false};
        struct frames frames;
        haft_client *client;
        haft_result result;
        char expected[64];

        peer_start(&peer, &frames);
        client = open_client(&frames, rows[i].revision);
        assert_non_null(client);
        snprintf(expected, sizeof expected, "framer %s", rows[i].revision);
        assert_int_equal(haft_client_call(client, "report", NULL, &result), 0);
        assert_string_equal(result.text, expected);
        assert_string_equal(heard, "notifications/progress;notifications/message error;");
        if (rows[i].asks) {
            assert_int_equal(haft_client_call(client, "interview", NULL, &result), 0);
            assert_string_equal(result.text, "Hello, Ann");
        }
        assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
        assert_int_equal(yyjson_arr_size(result.content), 4);
        assert_int_equal(haft_client_strays(client), 0);
        client_leaves(client, &frames);
        peer_finish(&peer, &frames);
    }
}

/* More than a socket takes at once, in both directions, and many at a time. */
static void messages_of_every_size_pass(void **state)
{
    static const int sizes[] = {0, 1, 4091, 70000, 900000};
    enum { SIZES = COUNT_OF(sizes), PADDING = 300000 };
    struct peer peer = {.is_silent = false};
    struct frames frames;
    haft_client *client;
    haft_result result;
    int64_t ids[SIZES];
    char *arguments = malloc(PADDING + 128);

    (void)state;
    assert_non_null(arguments);
    peer_start(&peer, &frames);
    client = open_client(&frames, NULL);
    for (int i = 0; i < SIZES; i++) {
        int n = snprintf(arguments, 128,
                         "{\"name\":\"fill\",\"arguments\":{\"size\":%d,\"padding\":\"", sizes[i]);

        memset(arguments + n, 'y', PADDING);
        memcpy(arguments + n + PADDING, "\"}}", 4);
        ids[i] = haft_client_send(client, "tools/call", arguments);
        assert_true(ids[i] > 0);
    }
    for (int i = SIZES; i-- > 0;) {
        assert_int_equal(haft_client_wait(client, ids[i], PATIENCE, &result), 0);
        assert_int_equal(strlen(result.text), sizes[i]);
    }
    client_leaves(client, &frames);
    peer_finish(&peer, &frames);
    free(arguments);
}

static void a_cancelled_call_is_told_and_not_answered(void **state)
{
    static const char *const revisions[] = {"2025-11-25", "2026-07-28"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        struct peer peer = {.is_silent = false};
        struct frames frames;
        haft_client *client;
        haft_result result;
        int64_t id;

        peer_start(&peer, &frames);
        client = open_client(&frames, revisions[i]);
        id = haft_client_send(client, "tools/call", "{\"name\":\"hold\"}");
        assert_true(id > 0);
        assert_int_equal(haft_client_wait(client, id, 1, &result), HAFT_PENDING);
        wait_until(&n_held);
        assert_int_equal(haft_client_cancel(client, id), 0);
        wait_until(&n_cancelled);
        assert_int_equal(haft_client_wait(client, id, 1, &result), HAFT_ENOTFOUND);
        assert_int_equal(haft_client_call(client, "report", NULL, &result), 0);
        assert_int_equal(haft_client_strays(client), 0);
        client_leaves(client, &frames);
        peer_finish(&peer, &frames);
    }
}

static void a_request_waits_no_longer_than_it_may(void **state)
{
    struct peer peer = {.is_silent = true};
    struct frames frames;
    haft_transport transport = frames_transport(&frames);
    haft_client_options options = HAFT_INIT(haft_client_options, .timeout_ms = 50);
    haft_client *client;
    haft_result result;

    (void)state;
    peer_start(&peer, &frames);
    client = haft_client_open(&transport, &options, &frames.receiver);
    assert_int_equal(haft_client_call(client, "report", NULL, &result), HAFT_PENDING);
    client_leaves(client, &frames);
    /* A handshake is waited for no longer either; the transport is closed then. */
    options.revision = "2025-11-25";
    frames.gone = 0;
    assert_null(haft_client_open(&transport, &options, &frames.receiver));
    assert_int_equal(frames.gone, 1);
    options.revision = "1999-01-01";
    assert_null(haft_client_open(&transport, &options, &frames.receiver));
    assert_int_equal(frames.gone, 2);
    atomic_store(&peer.leaves, true);
    peer_finish(&peer, &frames);
}

static void requests_fail_once_the_server_is_gone(void **state)
{
    struct peer peer = {.is_silent = false};
    struct frames frames;
    haft_client *client;
    haft_result result;
    int64_t id;

    (void)state;
    peer_start(&peer, &frames);
    client = open_client(&frames, "2025-11-25");
    id = haft_client_send(client, "tools/call", "{\"name\":\"hold\"}");
    wait_until(&n_held);
    atomic_store(&peer.leaves, true);
    assert_int_equal(haft_client_wait(client, id, PATIENCE, &result), HAFT_ECLOSED);
    assert_int_equal(haft_client_wait(client, id, PATIENCE, &result), HAFT_ECLOSED);
    assert_int_equal(haft_client_call(client, "report", NULL, &result), HAFT_ECLOSED);
    assert_int_equal(haft_client_notify(client, "notifications/roots/list_changed", NULL),
                     HAFT_ECLOSED);
    assert_int_equal(atomic_load(&n_cancelled), 1);
    client_leaves(client, &frames);
    peer_finish(&peer, &frames);
}

/* The session ends when its client is gone, and not before its call has come back. */
static void a_session_ends_with_its_client(void **state)
{
    struct peer peer = {.is_silent = false};
    struct frames frames;
    haft_client *client;

    (void)state;
    peer_start(&peer, &frames);
    client = open_client(&frames, NULL);
    assert_true(haft_client_send(client, "tools/call", "{\"name\":\"hold\"}") > 0);
    wait_until(&n_held);
    client_leaves(client, &frames);
    shutdown(frames.fd, SHUT_RDWR);
    wait_until(&n_cancelled);
    peer_finish(&peer, &frames);
}

static void what_is_too_long_is_reported_at_both_ends(void **state)
{
    struct peer peer = {.sends_raw = FRAME + 1};
    struct frames frames;
    haft_client *client;
    haft_result result;
    char *text = malloc(FRAME + 2);
    int status = HAFT_PENDING;
    int64_t id;

    (void)state;
    assert_non_null(text);
    memset(text, ' ', FRAME + 1);
    text[FRAME + 1] = '\0';
    peer_start(&peer, &frames);
    client = open_client(&frames, NULL);
    id = haft_client_send(client, "tools/call", "{\"name\":\"hold\"}");
    /* It takes in nothing either before the client has read that. */
    for (int i = 0; i < PATIENCE / LOOK && status == HAFT_PENDING; i++)
        status = haft_client_wait(client, id, LOOK, &result);
    assert_int_equal(status, HAFT_ETOOBIG);
    assert_int_equal(haft_client_cancel(client, id), HAFT_ENOTFOUND);
    /* The server answers with an error that has no id: a stray. */
    assert_int_equal(haft_client_feed(client, text, FRAME + 1), 0);
    assert_int_equal(haft_client_call(client, "report", NULL, &result), 0);
    assert_int_equal(haft_client_strays(client), 1);
    client_leaves(client, &frames);
    peer_finish(&peer, &frames);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_notifies_and_asks_in_every_revision),
        cmocka_unit_test(messages_of_every_size_pass),
        cmocka_unit_test(a_cancelled_call_is_told_and_not_answered),
        cmocka_unit_test(a_request_waits_no_longer_than_it_may),
        cmocka_unit_test(requests_fail_once_the_server_is_gone),
        cmocka_unit_test(a_session_ends_with_its_client),
        cmocka_unit_test(what_is_too_long_is_reported_at_both_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
