/* test_once.c - the state of an unfinished call is used once, at whichever replica. */
#include <stdio.h>
#include <string.h>

#include "stage/store_state.h"
#include "support/late_store.h"
#include "support/test.h"
#include "support/wire.h"

static int runs; /* of the handler, with an answer */

static int deploy(haft_call *call)
{
    haft_value *content;
    int answer = haft_elicit_json(call, "sure", "Sure?", "{\"type\":\"object\",\"properties\":{}}",
                                  &content);

    if (answer < HAFT_DECLINED)
        return answer;
    runs++;
    return haft_text(call, "deployed");
}
HAFT_TOOL_BARE(deploy, "Deploys");

static uint64_t count_up(void)
{
    static uint64_t n;

    return ++n;
}

static haft_server *serve(haft_store *store, haft_store_away policy)
{
    static const unsigned char key[32] = "key";
    haft_server *server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .seal_key = key, .store = store,
                                       .store_replay = policy, .random = count_up));

    assert_int_equal(haft_add(server, &deploy_tool), 0);
    assert_int_equal(haft_single_use_enable(server), 0);
    assert_int_equal(haft_single_use_enable(server), 0); /* again: nothing */
    return server;
}

static struct wire *once_connect(haft_server *server)
{
    struct wire *wire = wire_open(server);

    wire_greet(wire, "2026-07-28");
    return wire;
}

static const char *call(struct wire *wire, const char *state)
{
    char params[2048];

    snprintf(params, sizeof params, "\"name\":\"deploy\",\"inputResponses\":{%s}%s%s%s",
             state ? "\"sure\":{\"action\":\"decline\"}" : "", state ? ",\"requestState\":\"" : "",
             state ? state : "", state ? "\"" : "");
    return wire_call(wire, "tools/call", params);
}

static void get_state(struct wire *wire, char ret_state[1024])
{
    const char *at = strstr(call(wire, NULL), "\"requestState\":\"");

    assert_non_null(at);
    snprintf(ret_state, 1024, "%.*s", (int)strcspn(at + 16, "\""), at + 16);
}

/* ---- */

static void once_in_a_process(void **state)
{
    haft_server *server = serve(NULL, HAFT_AWAY_DEFAULT);
    struct wire *wire = once_connect(server);
    char first[1024], second[1024];

    (void)state;
    runs = 0;
    get_state(wire, first);
    get_state(wire, second); /* of the same request, at the same time */
    assert_string_not_equal(first, second);
    assert_non_null(strstr(call(wire, first), "deployed"));
    assert_non_null(strstr(call(wire, first), "has been used already"));
    assert_non_null(strstr(call(wire, second), "deployed"));
    assert_non_null(strstr(call(wire, "made up"), "Invalid or expired requestState"));
    assert_int_equal(runs, 2);
    wire_close(wire);
    haft_server_free(server);
}

static void once_among_replicas(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_server *a = serve(store, HAFT_AWAY_DEFAULT), *b = serve(store, HAFT_AWAY_DEFAULT);
    struct wire *at_a = once_connect(a), *at_b = once_connect(b);
    char text[1024];

    (void)state;
    get_state(at_a, text);
    assert_non_null(strstr(call(at_b, text), "deployed"));
    assert_non_null(strstr(call(at_a, text), "has been used already"));
    assert_non_null(strstr(call(at_b, text), "has been used already"));
    wire_close(at_a);
    wire_close(at_b);
    haft_server_free(a);
    haft_server_free(b);
    haft_store_free(store);
}

/* ---- a store that does not answer ---- */

static void policies(void **state)
{
    static const struct {
        haft_store_away policy;
        const char *first, *second;
    } rows[] = {
        {HAFT_AWAY_DEFAULT, "\"isError\":true", "\"isError\":true"},
        {HAFT_AWAY_CLOSED, "\"isError\":true", "\"isError\":true"},
        {HAFT_AWAY_LOCAL, "deployed", "has been used already"},
        {HAFT_AWAY_OPEN, "deployed", "deployed"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *memory = haft_store_memory_new(NULL);
        struct late_store *late = late_store_new(memory, LATE_FAILS, 0);
        haft_server *server = serve(late_store_of(late), rows[i].policy);
        struct wire *wire = once_connect(server);
        const char *answer;
        char text[1024];

        get_state(wire, text);
        answer = call(wire, text);
        if (!strstr(answer, rows[i].first))
            fail_msg("row %zu: %s", i, answer);
        assert_true(hf_store_is_degraded(server));
        answer = call(wire, text);
        if (!strstr(answer, rows[i].second))
            fail_msg("row %zu, again: %s", i, answer);
        late_store_set(late, LATE_AT_ONCE);
        get_state(wire, text);
        assert_non_null(strstr(call(wire, text), "deployed"));
        assert_false(hf_store_is_degraded(server));
        wire_close(wire);
        haft_server_free(server);
        late_store_free(late);
        haft_store_free(memory);
    }
}

/* It answers from its own thread. */
static void waits_for_the_store(void **state)
{
    haft_store *memory = haft_store_memory_new(NULL);
    struct late_store *late = late_store_new(memory, LATE_AT_ONCE, 0);
    haft_server *server = serve(late_store_of(late), HAFT_AWAY_DEFAULT);
    struct wire *wire = once_connect(server);
    char text[1024], params[2048];
    const char *answer;

    (void)state;
    get_state(wire, text);
    late_store_set(late, LATE_HELD);
    for (int i = 0; i < 2; i++) {
        snprintf(params, sizeof params,
                 "\"name\":\"deploy\",\"inputResponses\":{\"sure\":{\"action\":\"decline\"}},"
                 "\"requestState\":\"%s\"",
                 text);
        assert_null(wire_call(wire, "tools/call", params));
        assert_int_equal(late_store_release(late, 0), 1);
        haft_session_tick(wire->session, wire->now);
        answer = wire_next(wire);
        assert_non_null(answer);
        assert_non_null(strstr(answer, i ? "has been used already" : "deployed"));
    }
    wire_close(wire);
    haft_server_free(server);
    late_store_free(late);
    haft_store_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once_in_a_process),
        cmocka_unit_test(once_among_replicas),
        cmocka_unit_test(policies),
        cmocka_unit_test(waits_for_the_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
