/* test_memory.c - a connection whose memory runs out, and one that needs none any more. */
#include <wslay/wslay.h>

#include "support/failing.h"
#include "websocket/peer.h"

static bool wslay_starves;
int __real_wslay_frame_context_init(struct wslay_frame_context **context,
                                    const struct wslay_frame_callbacks *callbacks, void *data);
int __wrap_wslay_frame_context_init(struct wslay_frame_context **context,
                                    const struct wslay_frame_callbacks *callbacks, void *data);

int __wrap_wslay_frame_context_init(struct wslay_frame_context **context,
                                    const struct wslay_frame_callbacks *callbacks, void *data)
{
    return wslay_starves ? -1 : __real_wslay_frame_context_init(context, callbacks, data);
}

static void survives_without_wslay(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_SERVER);
    struct failing failing;

    (void)state;
    failing_init(&failing, 0);
    options.allocator = &failing.allocator;
    wslay_starves = true;
    assert_null(hf_websocket_new(&options));
    wslay_starves = false;
    failing_check(&failing);
}

/* Everything that asks for memory: a long message each way, a ping, and the end. */
static void talk(const haft_allocator *allocator, enum websocket_role role, const char *bytes,
                 size_t size)
{
    static char long_text[5000];
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, role);
    size_t queued, before;
    int status;

    memset(long_text, 'x', sizeof long_text);
    options.allocator = allocator;
    log.ws = hf_websocket_new(&options);
    if (!log.ws)
        return;
    hf_websocket_output(log.ws, &before);
    status = hf_websocket_send(log.ws, true, long_text, sizeof long_text);
    hf_websocket_output(log.ws, &queued);
    /* All of a frame, or nothing. */
    assert_true(status ? status == HAFT_ENOMEM && queued == before : queued > sizeof long_text);
    if (hf_websocket_receive(log.ws, bytes, size, 0))
        assert_true(strstr(log.text, "end 1011 out of memory") ||
                    strstr(log.text, "end 1006 out of memory") ||
                    strstr(log.text, "end 1000 by peer"));
    hf_websocket_free(log.ws);
}

static void survives_without_memory(void **state)
{
    static char payload[70000];
    static const enum websocket_role both[] = {WEBSOCKET_SERVER, WEBSOCKET_CLIENT};
    const struct frame frames[] = {{0x01, payload, sizeof payload, 0},
                                   {0x89, "p", 1, 0},
                                   {0x80, payload, 100, 0},
                                   {0x88, "\x03\xE8", 2, 0}};

    (void)state;
    memset(payload, 'a', sizeof payload);
    for (size_t r = 0; r < COUNT_OF(both); r++) {
        char *bytes = NULL;
        size_t size = 0, nth;

        for (size_t i = 0; i < COUNT_OF(frames); i++)
            frame_put(&bytes, &size, both[r], &frames[i]);
        for (nth = 1;; nth++) {
            struct failing failing;

            failing_init(&failing, nth);
            failing.keep_failing = nth % 2;
            talk(&failing.allocator, both[r], bytes, size);
            failing_check(&failing);
            if (!failing.failures)
                break;
        }
        assert_true(nth > 5);
        free(bytes);
    }
}

/* Without random bytes there is no mask, and nothing may be sent without one. */
static int no_random(void *context, void *ret_bytes, size_t size)
{
    (void)context, (void)ret_bytes, (void)size;
    return -1;
}

static void sends_nothing_without_a_mask(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);
    size_t size;

    (void)state;
    options.random = no_random;
    log.ws = hf_websocket_new(&options);
    assert_int_equal(hf_websocket_send(log.ws, true, "a", 1), HAFT_EBUSY);
    assert_int_equal(hf_websocket_receive(log.ws, "\xC1\x01x", 3, 0), HAFT_ECLOSED);
    assert_string_equal(log.text, "end 1006 a reserved bit is set");
    hf_websocket_output(log.ws, &size);
    assert_int_equal(size, 0);
    hf_websocket_free(log.ws);
    log = (struct logged){.size = 0};
    log.ws = hf_websocket_new(&options);
    assert_int_equal(hf_websocket_close(log.ws, 1000, "", 10), 0);
    assert_true(hf_websocket_tick(log.ws, 10) == INT64_MAX);
    assert_string_equal(log.text, "end 1000");
    hf_websocket_free(log.ws);
}

/* After the first messages none of this size asks for memory, in either direction. */
static void needs_no_memory_after_a_while(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_SERVER);
    struct failing failing;
    char *bytes = NULL, payload[2000];
    size_t size = 0, calls = 0, pending;

    (void)state;
    failing_init(&failing, 0);
    options.allocator = &failing.allocator;
    options.on_message = NULL;
    memset(payload, 'x', sizeof payload);
    frame_put(&bytes, &size, WEBSOCKET_SERVER, &(struct frame){0x81, payload, sizeof payload, 0});
    log.ws = hf_websocket_new(&options);
    for (size_t i = 0; i < 100; i++) {
        calls = i == 1 ? failing.calls : calls;
        assert_int_equal(hf_websocket_receive(log.ws, bytes, size, 0), 0);
        assert_int_equal(hf_websocket_send(log.ws, true, payload, sizeof payload), 0);
        hf_websocket_output(log.ws, &pending);
        hf_websocket_sent(log.ws, pending);
    }
    assert_int_equal(failing.calls, calls);
    hf_websocket_free(log.ws);
    failing_check(&failing);
    free(bytes);
}

/* What one long message took is given back. */
static void gives_back_long_messages(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_SERVER);
    struct failing failing;
    char *bytes = NULL, *payload = calloc(1, 1 << 20);
    size_t size = 0, before, pending;

    (void)state;
    failing_init(&failing, 0);
    options.allocator = &failing.allocator;
    frame_put(&bytes, &size, WEBSOCKET_SERVER, &(struct frame){0x82, payload, 1 << 20, 0});
    log.ws = hf_websocket_new(&options);
    before = failing.live_bytes;
    assert_int_equal(hf_websocket_receive(log.ws, bytes, size, 0), 0);
    assert_int_equal(hf_websocket_send(log.ws, false, payload, 1 << 20), 0);
    hf_websocket_output(log.ws, &pending);
    hf_websocket_sent(log.ws, pending);
    assert_int_equal(failing.live_bytes, before);
    assert_string_equal(log.text, "binary(1048576) ");
    hf_websocket_free(log.ws);
    failing_check(&failing);
    free(bytes);
    free(payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_without_wslay),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(sends_nothing_without_a_mask),
        cmocka_unit_test(needs_no_memory_after_a_while),
        cmocka_unit_test(gives_back_long_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
