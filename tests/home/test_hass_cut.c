/* test_hass_cut.c - a connection to Home Assistant that is cut anywhere.
 *
 * After each cut the client connects again and its cache is what Home Assistant says; a service that was being
 * called is reported as perhaps carried out, and is never called twice. */
#include <haft/part.h>

#include "demo/demo.h"
#include "home/wire_home.h"
#include "websocket/websocket.h"

static const char cut_lost[] = "lost before it answered; it may have carried the command out";

/* ---- over the network ---- */

/* Compares the cache with what Home Assistant answers by REST. */
static int cut_compare(haft_call *call, void *context)
{
    struct hass_states states;
    struct hass_answer answer;
    haft_value *list, *item;
    size_t i, max;
    int status = hass_states(call, &states);

    (void)context;
    if (!status)
        status = hass_request(call, "GET", "/api/states", NULL, NULL, &answer);
    if (!status)
        status = hass_json(call, &answer, &list);
    if (status)
        return status;
    assert_int_equal(yyjson_arr_size(list), states.n);
    yyjson_arr_foreach(list, i, max, item) {
        const char *id = yyjson_get_str(yyjson_obj_get(item, "entity_id"));
        size_t k = 0;

        while (k < states.n && strcmp(states.at[k].entity_id, id) != 0)
            k++;
        assert_true(k < states.n);
        assert_string_equal(states.at[k].state, yyjson_get_str(yyjson_obj_get(item, "state")));
    }
    return 0;
}

/* One life with a cut.  Returns whether there was one. */
static bool cut_once(struct wire_test *test, const char *what, size_t where)
{
    const char *error;
    bool cut;

    wire_begin(test, WIRE_TOKEN);
    error = fake_run(test->hass, 10000, wire_use, NULL);
    if (*error && !strstr(error, cut_lost))
        fail_msg("%s, byte %zu: %s", what, where, error);
    if (test->wire.n_on > 1 || test->wire.n_off > 1)
        fail_msg("%s, byte %zu: a service was called twice", what, where);
    error = fake_run(test->hass, 10000, cut_compare, NULL);
    if (*error)
        fail_msg("%s, byte %zu: %s", what, where, error);
    cut = test->wire.n_sockets > 1;
    wire_finish(test);
    return cut;
}

/* Before, at and after the end of each frame from Home Assistant, and at places of the answer to the handshake. */
static void test_every_frame(void **state)
{
    struct wire_test whole = {.rogue = NULL};
    unsigned cuts = 0;

    (void)state;
    assert_false(cut_once(&whole, "no cut", 0));
    assert_true(whole.wire.n_ends > 15 && whole.wire.n_ends < WIRE_FRAMES);
    for (size_t at = 1; at < 130; at += 16) {
        struct wire_test test = {.wire = {.cut_sent = at}};

        assert_true(cut_once(&test, "handshake", at));
    }
    for (size_t i = 0; i < whole.wire.n_ends; i++)
        for (size_t k = 0; k < 3; k++) {
            struct wire_test test = {.wire = {.cut_sent = whole.wire.ends[i] + k - 1}};

            cuts += cut_once(&test, "sent", test.wire.cut_sent);
        }
    assert_true(cuts >= 2 * whole.wire.n_ends);
}

/* While Home Assistant reads. */
static void test_every_message(void **state)
{
    size_t at = 1;

    (void)state;
    for (;; at += 61) { /* shorter than any message with its frame */
        struct wire_test test = {.wire = {.cut_received = at}};

        if (!cut_once(&test, "received", at))
            break;
        assert_true(at < 10000);
    }
    assert_true(at > 1000);
}

/* ---- in memory, at every byte ---- */

/* Messages go through WebSocket frames, one pair of ends for each direction. */
struct cut_pipe {
    websocket *from, *to;
    char *text; /* that arrived */
    size_t size;
};

struct cut_link {
    struct hass_link inner;
    struct cut_pipe up, down;
    size_t passed, cut_after; /* bytes, of both directions and all connections */
    void (*message)(void *who, const char *text, size_t size);
    void (*closed)(void *who, const char *reason);
    void *who;
};

static int cut_random(void *context, void *ret_bytes, size_t size)
{
    (void)context;
    memset(ret_bytes, 0x5a, size);
    return 0;
}

static void cut_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct cut_pipe *pipe = context;

    assert_true(is_text);
    assert_null(pipe->text);
    pipe->text = malloc(size + 1);
    assert_non_null(pipe->text);
    memcpy(pipe->text, bytes, size + 1);
    pipe->size = size;
}

static void cut_pipe_finish(struct cut_pipe *pipe)
{
    hf_websocket_free(pipe->from);
    hf_websocket_free(pipe->to);
    *pipe = (struct cut_pipe){.from = NULL};
}

static void cut_pipe_init(struct cut_pipe *pipe, enum websocket_role from)
{
    struct websocket_options options = {
        .role = from, .random = cut_random, .on_message = cut_on_message, .context = pipe};

    cut_pipe_finish(pipe);
    pipe->from = hf_websocket_new(&options);
    options.role = from == WEBSOCKET_CLIENT ? WEBSOCKET_SERVER : WEBSOCKET_CLIENT;
    pipe->to = hf_websocket_new(&options);
    assert_true(pipe->from && pipe->to);
}

/* Carries a message over.  Returns it, to be freed, or NULL after a cut. */
static char *cut_carry(struct cut_link *link, struct cut_pipe *pipe, const char *text, size_t *size,
                       bool *ret_cut)
{
    const char *bytes;
    size_t n;
    char *arrived;

    assert_int_equal(hf_websocket_send(pipe->from, true, text, *size), 0);
    bytes = hf_websocket_output(pipe->from, &n);
    *ret_cut = link->passed < link->cut_after && link->passed + n >= link->cut_after;
    if (*ret_cut)
        n = link->cut_after - link->passed;
    link->passed += n;
    hf_websocket_receive(pipe->to, bytes, n, 0);
    hf_websocket_sent(pipe->from, n);
    arrived = pipe->text;
    *size = pipe->size;
    pipe->text = NULL;
    return arrived;
}

static void cut_on_inner(void *who, const char *text, size_t size)
{
    struct cut_link *link = who;
    bool cut;
    char *arrived = cut_carry(link, &link->down, text, &size, &cut);

    if (arrived)
        link->message(link->who, arrived, size);
    free(arrived);
    if (cut)
        link->inner.close(link->inner.context);
}

static void cut_on_closed(void *who, const char *reason)
{
    struct cut_link *link = who;

    link->closed(link->who, reason);
}

static int cut_open(void *context, void (*message)(void *who, const char *text, size_t size),
                    void (*closed)(void *who, const char *reason), void *who)
{
    struct cut_link *link = context;

    cut_pipe_init(&link->up, WEBSOCKET_CLIENT);
    cut_pipe_init(&link->down, WEBSOCKET_SERVER);
    link->message = message;
    link->closed = closed;
    link->who = who;
    return link->inner.open(link->inner.context, cut_on_inner, cut_on_closed, link);
}

static void cut_send(void *context, const char *text, size_t size)
{
    struct cut_link *link = context;
    struct fake_home *fake = link->inner.context;
    bool cut, is_open;
    char *arrived;

    uv_mutex_lock(&fake->lock);
    is_open = fake->is_open;
    uv_mutex_unlock(&fake->lock);
    if (!is_open)
        return;
    arrived = cut_carry(link, &link->up, text, &size, &cut);
    if (arrived)
        link->inner.send(link->inner.context, arrived, size);
    free(arrived);
    if (cut)
        link->inner.close(link->inner.context);
}

static void cut_close(void *context)
{
    struct cut_link *link = context;

    link->inner.close(link->inner.context);
}

static void *cut_request(void *context, const struct link_request *request,
                         void (*done)(void *who, const struct link_response *response), void *who)
{
    struct cut_link *link = context;

    return link->inner.request(link->inner.context, request, done, who);
}

static void cut_cancel(void *context, void *handle)
{
    struct cut_link *link = context;

    link->inner.cancel(link->inner.context, handle);
}

static void cut_free(void *context)
{
    struct cut_link *link = context;

    cut_pipe_finish(&link->up);
    cut_pipe_finish(&link->down);
    link->inner.free(link->inner.context);
}

/* A light goes on and off. */
static int cut_use(haft_call *call, void *context)
{
    entity light;
    int status = hass_require(call, "light.kitchen", "light", &light);

    (void)context;
    if (!status)
        status = hass_act(call, &light, "turn_on", NULL, &light);
    return status ? status : hass_act(call, &light, "turn_off", NULL, &light);
}

static int cut_look(haft_call *call, void *context)
{
    struct hass_states states;
    int status = hass_states(call, &states);

    (void)context;
    if (status)
        return status;
    assert_int_equal(states.n, 1);
    assert_string_equal(states.at[0].state, "off");
    return 0;
}

/* How often the socket was opened, once that is `wanted` times, or after ten seconds. */
static unsigned cut_opened(struct fake_home *fake, unsigned wanted)
{
    unsigned opened = 0;

    for (unsigned i = 0; i < 10000; i++) {
        uv_mutex_lock(&fake->lock);
        opened = fake->n_opened;
        uv_mutex_unlock(&fake->lock);
        if (opened >= wanted)
            break;
        uv_sleep(1);
    }
    return opened;
}

/* One life; *ret_passed is the number of bytes.  Returns how often the socket was opened. */
static unsigned cut_in_memory(size_t cut_after, size_t *ret_passed)
{
    struct home_options options = {.url = "http://home.test:8123/"};
    struct hass_times times = fake_times;
    struct cut_link link = {.cut_after = cut_after};
    struct fake_home fake;
    struct hass *hass;
    haft_reason reason;
    const char *error;
    unsigned opened;

    fake_init(&fake);
    fake.states = "[{'entity_id':'light.kitchen','state':'off','attributes':{},'last_changed':"
                  "'2026-11-16T08:00:00+00:00','context':{'id':'c1'}}]";
    for (size_t i = 0; i < HASS_REGISTRY_COUNT; i++)
        fake.lists[i] = "[]";
    link.inner = fake_link(&fake);
    times.retry = times.max_retry = 1;
    hass = hass_new_timed(&options,
                          (struct hass_link){.request = cut_request,
                                             .cancel = cut_cancel,
                                             .open = cut_open,
                                             .send = cut_send,
                                             .close = cut_close,
                                             .free = cut_free,
                                             .context = &link,
                                             .token = "t"},
                          &times, &reason);
    assert_non_null(hass);
    error = fake_run(hass, 10000, cut_use, NULL);
    if (*error && !strstr(error, cut_lost))
        fail_msg("byte %zu: %s", cut_after, error);
    if (fake_count(&fake, "turn_on") > 1 || fake_count(&fake, "turn_off") > 1)
        fail_msg("byte %zu: a service was called twice", cut_after);
    opened = cut_opened(&fake, cut_after ? 2 : 1);
    error = fake_run(hass, 10000, cut_look, NULL);
    if (*error)
        fail_msg("byte %zu: %s", cut_after, error);
    *ret_passed = link.passed;
    hass_free(hass);
    fake_finish(&fake);
    return opened;
}

static void test_every_byte(void **state)
{
    size_t whole, passed;

    (void)state;
    assert_int_equal(cut_in_memory(0, &whole), 1);
    assert_true(whole > 2000);
    for (size_t at = 1; at <= whole; at++) {
        unsigned opened = cut_in_memory(at, &passed);

        if (opened != 2)
            fail_msg("byte %zu of %zu: the client connected %u times (%zu bytes)", at, whole,
                     opened, passed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_frame),
        cmocka_unit_test(test_every_message),
        cmocka_unit_test(test_every_byte),
    };

    haft_part_register(&haft_http_client_part);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
