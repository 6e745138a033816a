/* test_soak.c - a hundred thousand calls of both eras on one session, ended in any order,
 * cancelled, reported on, while the list changes: no answer is lost, none comes twice, and memory
 * stays where it is. */
#include <haft/engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

enum { CALLS = 100000, IDS = CALLS + 1, MOST_HELD = 100, WARM_UP = 20000 };

/* ---- chance, the same each time ---- */

static uint32_t seed;

static uint32_t chance(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

/* ---- what is served ---- */

HAFT_STRUCT(soak_args, HAFT_STRING(text, "A text"),
            HAFT_ARRAY(numbers, HAFT_INTEGER(n, "One"), "Some"));
HAFT_STRUCT(soak_out, HAFT_INTEGER(sum, "All of them"), HAFT_STRING(text, "The text"));

static haft_call *held[MOST_HELD];
static size_t n_held;

static int work(haft_call *call, const soak_args *in, soak_out *out)
{
    for (size_t i = 0; i < in->n_numbers; i++)
        out->sum += in->numbers[i];
    out->text = in->text;
    haft_progress(call, 1, 3, "%s", in->text);
    if (chance(3) && n_held < MOST_HELD) {
        held[n_held++] = call;
        return HAFT_PENDING;
    }
    haft_progress(call, 2, 3, NULL);
    return chance(10) ? 0 : haft_error(call, "no luck with %s", in->text);
}
HAFT_TOOL(work, soak_args, soak_out, "Works");

static int extra(haft_call *call)
{
    return haft_text(call, "extra");
}
HAFT_TOOL_BARE(extra, "Comes and goes");

/* ---- the peer ---- */

struct peer {
    unsigned char answers[IDS]; /* to the request of each id */
    unsigned char cancelled[IDS];
    size_t n_answers, n_notifications;
    double progress[IDS];
};

static long number_after(const char *text, size_t size, const char *key)
{
    const char *at = text;
    size_t n = strlen(key);

    for (; (size_t)(at - text) + n < size; at++)
        if (!memcmp(at, key, n))
            return strtol(at + n, NULL, 10);
    return -1;
}

static void receive(void *context, const haft_outgoing *message)
{
    struct peer *peer = context;
    char text[512];
    size_t size = message->size < sizeof text - 1 ? message->size : sizeof text - 1;
    long id;

    memcpy(text, message->text, size);
    text[size] = '\0';
    if (message->kind == HAFT_OUT_RESPONSE) {
        id = number_after(text, size, "\"id\":");
        assert_in_range(id, 1, CALLS);
        assert_int_equal(++peer->answers[id], 1);
        assert_false(peer->cancelled[id]);
        peer->n_answers++;
        return;
    }
    peer->n_notifications++;
    id = number_after(text, size, "\"progressToken\":");
    if (id > 0) {
        double progress = (double)number_after(text, size, "\"progress\":");

        assert_false(peer->answers[id]);
        assert_false(peer->cancelled[id]);
        assert_true(progress > peer->progress[id]);
        peer->progress[id] = progress;
    }
}

static void finish_any(void)
{
    size_t i = chance((uint32_t)n_held);
    haft_call *call = held[i];

    held[i] = held[--n_held];
    haft_progress(call, 2 + chance(2), 3, NULL);
    haft_finish(call, chance(20) ? 0 : HAFT_EINVAL);
}

static void ask(haft_session *session, int id, haft_time now)
{
    static const char meta[] = "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                               "\"io.modelcontextprotocol/clientCapabilities\":{},";
    static const char *const forms[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"work\","
        "\"arguments\":{\"text\":\"some text\",\"numbers\":[1,2,3,4,5,6,7,8]},\"_meta\":{%s"
        "\"progressToken\":%d}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"work\","
        "\"arguments\":{\"text\":5},\"_meta\":{%s\"progressToken\":%d}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\",\"params\":{\"_meta\":{%s"
        "\"progressToken\":%d}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"no/such\",\"params\":{\"_meta\":{%s"
        "\"progressToken\":%d}}}",
    };
    uint32_t kind = chance(16);
    char text[512];
    int size = snprintf(text, sizeof text, forms[kind < 13 ? 0 : kind - 12], id,
                        chance(2) ? meta : "", id);

    assert_int_equal(haft_session_receive(session, text, (size_t)size, NULL, now), 0);
}

static void cancel(haft_session *session, struct peer *peer, int id, haft_time now)
{
    char text[128];
    int size = snprintf(text, sizeof text,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                        "\"requestId\":%d}}",
                        id);

    if (!peer->answers[id])
        peer->cancelled[id] = 1;
    assert_int_equal(haft_session_receive(session, text, (size_t)size, NULL, now), 0);
}

static void change_list(haft_server *server)
{
    static bool there;

    assert_int_equal(there ? haft_offer_remove(server, HAFT_OFFER_TOOL, "extra")
                           : haft_add(server, &extra_tool),
                     0);
    there = !there;
}

static void soak(void **state)
{
    struct peer *peer = calloc(1, sizeof *peer);
    struct failing memory;
    haft_server *server;
    haft_session *session;
    haft_time now = 1000;
    size_t unanswered = 0, warm = 0;

    (void)state;
    seed = 20260728;
    n_held = 0;
    failing_init(&memory, 0);
    assert_non_null(peer);
    server = haft_server_new_with("test", "1",
                                  HAFT_WITH(haft_server_options, .allocator = &memory.allocator));
    assert_int_equal(haft_add(server, &work_tool), 0);
    session = haft_session_new(
        server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = receive, .context = peer)));
    for (int id = 1; id <= CALLS; id++) {
        ask(session, id, now);
        while (n_held && (n_held >= MOST_HELD - 1 || !chance(3)))
            finish_any();
        if (!chance(6))
            cancel(session, peer, id - (int)chance(id < MOST_HELD ? (uint32_t)id : MOST_HELD), now);
        if (!chance(500))
            change_list(server);
        if (!chance(5))
            haft_session_tick(session, now += chance(40));
        /* What is held at any moment differs; without it, memory is where it was. */
        if (id == WARM_UP || id == CALLS) {
            while (n_held)
                finish_any();
            haft_session_tick(session, now);
            if (id == WARM_UP)
                warm = memory.live_bytes;
        }
    }
    assert_int_equal(haft_session_in_flight(session), 0);
    for (int id = 1; id <= CALLS; id++)
        unanswered += !peer->answers[id] && !peer->cancelled[id];
    assert_int_equal(unanswered, 0);
    assert_true(peer->n_answers < CALLS - CALLS / 100);
    assert_true(peer->n_notifications > CALLS / 2);
    print_message("%zu answers, %zu notifications, %zu bytes after %d calls, %zu after %d\n",
                  peer->n_answers, peer->n_notifications, warm, WARM_UP, memory.live_bytes, CALLS);
    /* One tool more or less may be in the list. */
    assert_true(memory.live_bytes < warm + 8192);
    haft_session_free(session);
    haft_server_free(server);
    failing_check(&memory);
    free(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(soak)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
