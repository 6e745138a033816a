/* test_checklist.c - what no other test shows of checklist.txt, one function an item. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tools.h"
#include "support/child.h"
#include "support/dialogue.h"
#include "support/test.h"

/* ---- keys are what they are, byte for byte ---- */

static void keys_match_exactly(void **state)
{
    /* Other letters, letters that fold to these, a NUL behind; alone, and beside the right one.
     * When a member occurs more than once nobody knows what was asked, or by which id: nothing is done, and
     * an id that is one is told so. */
    static const struct {
        const char *members, *answer;
    } rows[] = {
        {"'METHOD':'ping'", "! 1 -32600 Invalid Request: \\'method\\' must be a string"},
        {"'Method':'ping'", "! 1 -32600 Invalid Request: \\'method\\' must be a string"},
        {"'method\\u0000':'ping'", "! 1 -32600 Invalid Request: *"},
        {"'m\\u0000ethod':'ping'", "! 1 -32600 Invalid Request: *"},
        {"'method':'ping','METHOD':'tools/list'", "= 1 {}"},
        {"'METHOD':'tools/list','method':'ping'", "= 1 {}"},
        {"'method':'ping','param\xc5\xbf':{}", "= 1 {}"},
        {"'method':'ping','method':'tools/list'", "! 1 -32600 Invalid Request: a member occurs *"},
        {"'method':'ping','method':'ping'",
         "! 1 -32600 Invalid Request: a member occurs more than once"},
        {"'method':'ping','m\\u0065thod':'ping'", "! 1 -32600 Invalid Request: a member occurs *"},
        {"'method':'ping','id':2", "! - -32600 Invalid Request: a member occurs more than once"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = haft_server_new("test", "1");
        char frame[256];

        snprintf(frame, sizeof frame, "> {'jsonrpc':'2.0','id':1,%s}", rows[i].members);
        dialogue_alone(server, LINES(GREETING("2025-11-25", "{}"), frame, rows[i].answer,
                                     "R 2 ping", "= 2 {}"));
        haft_server_free(server);
    }
}

/* ---- nesting, on a small stack ---- */

enum {
    LEVELS = 1000000,
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || defined __clang__
    STACK = 512 << 10 /* sanitizers need more for themselves */
#else
    STACK = 64 << 10
#endif
};

struct heard {
    int n, error_code;
};

static void hear(void *context, const haft_outgoing *message)
{
    struct heard *heard = context;

    heard->n++;
    heard->error_code = message->error_code;
}

struct nested {
    const char *piece;
    struct heard heard;
};

static void *receive_nested(void *context)
{
    struct nested *nested = context;
    size_t size = strlen(nested->piece), all = size * LEVELS;
    haft_server *server = haft_server_new("test", "1");
    haft_session *session = haft_session_new(
        server, HAFT_WITH(haft_session_options, .transport = HAFT_WITH(haft_transport, .send = hear,
                                                                       .context = &nested->heard)));
    char *text = malloc(all);

    for (size_t i = 0; text && i < LEVELS; i++)
        memcpy(text + i * size, nested->piece, size);
    if (text && session)
        haft_session_receive(session, text, all, NULL, 0);
    free(text);
    haft_session_free(session);
    haft_server_free(server);
    return NULL;
}

static void nesting_needs_little_stack(void **state)
{
    static const char *const pieces[] = {"[", "{\"a\":", "[{\"a\":"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        struct nested nested = {.piece = pieces[i]};
        pthread_attr_t attributes;
        pthread_t thread;

        pthread_attr_init(&attributes);
        assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
        assert_int_equal(pthread_create(&thread, &attributes, receive_nested, &nested), 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&attributes);
        assert_int_equal(nested.heard.n, 1);
        assert_true(nested.heard.error_code == -32700 || nested.heard.error_code == -32600);
    }
}

/* ---- a cancellation and its answer meet ---- */

enum { RACES = 20000, LOTS = 50 };

static int serve(void *context)
{
    haft_server *server = make_server();
    int status = server ? haft_stdio_serve(server, context) : 99;

    haft_server_free(server);
    return status;
}

/* Calls run on other threads while they are cancelled; each is answered once or never, and all that
 * were asked before a ping are over with when it is answered. */
static void a_call_is_answered_once_or_never(void **state)
{
    static unsigned char answers[RACES + 1];
    haft_stdio_options options = HAFT_INIT(haft_stdio_options, .workers = 4);
    struct child child;
    char line[256];
    int id = 0;

    (void)state;
    memset(answers, 0, sizeof answers);
    child_start(&child, serve, &options);
    while (id < RACES) {
        const char *answer;

        for (int i = 0; i < LOTS; i++) {
            id++;
            snprintf(
                line, sizeof line,
                "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":"
                "\"slow\",\"arguments\":{\"n\":0}}}\n",
                id);
            child_puts(&child, line);
            snprintf(line, sizeof line,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                     "{\"requestId\":%d}}\n",
                     id);
            child_puts(&child, line);
        }
        child_puts(&child, "{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}\n");
        while (!strstr(answer = child_line(&child), "\"ping\"")) {
            const char *at = strstr(answer, "\"id\":");
            long which = at ? strtol(at + 5, NULL, 10) : 0;

            if (which < 1 || which > id || answers[which]++)
                fail_msg("answered out of turn: %s", answer);
        }
    }
    child_end(&child);
    child_is_silent(&child);
    assert_int_equal(child_wait(&child), 0);
}

/* ---- a schema that is large, and not deep ---- */

static void many_branches_are_bounded(void **state)
{
    static const struct {
        size_t branches;
        int parsed, validated;
    } rows[] = {{9000, 0, HAFT_EISSUES}, {10001, HAFT_ETOOBIG, 0}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 64 << 20);
        haft_schema *schema = NULL;
        haft_reason reason = {0};
        haft_issues issues;
        haft_buffer text;
        int status;

        haft_buffer_init(&text, NULL, 1 << 20);
        haft_buffer_puts(&text, "{\"anyOf\":[");
        for (size_t n = 0; n < rows[i].branches; n++)
            haft_buffer_printf(&text, "%s{\"const\":%zu}", n ? "," : "", n);
        haft_buffer_puts(&text, "]}");
        assert_int_equal(text.status, 0);
        status = haft_schema_parse(text.data, text.size, NULL, &schema, &reason);
        assert_int_equal(status, rows[i].parsed);
        if (!status) {
            assert_int_equal(haft_schema_validate_text(schema, "\"none\"", 6, arena, &issues),
                             rows[i].validated);
            assert_int_equal(haft_schema_validate_text(schema, "1", 1, arena, &issues), 0);
        }
        haft_schema_free(schema);
        haft_buffer_finish(&text);
        haft_arena_free(arena);
    }
}

/* ---- secrets do not outlive what needed them ---- */

static const unsigned char canary[33] = "canary: it sang, and was not seen";

struct watched {
    haft_allocator allocator;
    size_t released, seen;
};

static void *watch_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void *watch_resize(void *context, void *memory, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    return realloc(memory, size);
}

static void watch_release(void *context, void *memory, size_t size)
{
    struct watched *watched = context;
    const char *bytes = memory;

    for (size_t i = 0; bytes && i + 32 <= size; i++)
        watched->seen += !memcmp(bytes + i, canary, 32);
    watched->released++;
    free(memory);
}

static void a_key_is_wiped(void **state)
{
    struct watched watched = {.released = 0};
    haft_server *server;

    (void)state;
    watched.allocator = (haft_allocator){.alloc = watch_alloc,
                                         .resize = watch_resize,
                                         .release = watch_release,
                                         .context = &watched};
    server = haft_server_new_with(
        "test", "1",
        HAFT_WITH(haft_server_options, .seal_key = canary, .allocator = &watched.allocator));
    assert_non_null(server);
    dialogue_alone(server, LINES("M 1 server/discover", "= 1 {*}"));
    haft_server_free(server);
    assert_true(watched.released > 0);
    assert_int_equal(watched.seen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_match_exactly),
        cmocka_unit_test(nesting_needs_little_stack),
        cmocka_unit_test(a_call_is_answered_once_or_never),
        cmocka_unit_test(many_branches_are_bounded),
        cmocka_unit_test(a_key_is_wiped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
