/* test_message.c - what a message is, by its text alone. */
#include "protocol/message.h"

#include <stdio.h>
#include <string.h>

#include "protocol/meta.h"
#include "support/test.h"

enum { DEPTH = 3 };

#define META(members) "\"params\":{\"_meta\":{" members "}}"
#define REQUEST(members) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"," members "}"

static void read(struct message *message, haft_arena *arena, const char *text)
{
    yyjson_val *root;
    const char *reason;
    size_t offset;

    assert_int_equal(hf_json_parse(text, strlen(text), arena, &root, &offset, &reason), 0);
    *message = (struct message){0};
    assert_int_equal(hf_message_read(message, root, DEPTH, arena), 0);
    assert_ptr_equal(message->root, root);
}

static void has_a_kind(void **state)
{
    static const struct {
        const char *text;
        haft_incoming_kind kind;
        const char *why;
    } rows[] = {
        {REQUEST("\"params\":{}"), HAFT_INCOMING_REQUEST, NULL},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", HAFT_INCOMING_NOTIFICATION, NULL},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", HAFT_INCOMING_RESPONSE, NULL},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", HAFT_INCOMING_RESPONSE, NULL},
        {"7", HAFT_INCOMING_INVALID, "a message must be an object"},
        {REQUEST("\"params\":{\"x\":[[[]]]}"), HAFT_INCOMING_REQUEST, NULL},
        {REQUEST("\"params\":{\"x\":[[[[]]]]}"), HAFT_INCOMING_INVALID, "nested too deeply"},
        {REQUEST("\"params\":{\"x\":{\"a\":1,\"a\":2}}"), HAFT_INCOMING_INVALID,
         "a member occurs more than once"},
        {REQUEST("\"other\":{\"a\":1,\"a\":2}"), HAFT_INCOMING_INVALID,
         "a member occurs more than once"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1,\"a\":2}}", HAFT_INCOMING_INVALID,
         "a member occurs more than once"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct message message;

        read(&message, arena, rows[i].text);
        assert_int_equal(message.kind, rows[i].kind);
        if (rows[i].why)
            assert_string_equal(message.rpc.why, rows[i].why);
        /* What is invalid is not looked into. */
        assert_true(message.kind != HAFT_INCOMING_INVALID || !message.meta);
        haft_arena_free(arena);
    }
}

static void has_an_envelope(void **state)
{
    static const struct {
        const char *key;
        size_t offset;
    } rows[] = {
        {META_VERSION, offsetof(struct envelope, version)},
        {META_CLIENT_INFO, offsetof(struct envelope, client_info)},
        {META_CLIENT_CAPABILITIES, offsetof(struct envelope, client_capabilities)},
        {META_LOG_LEVEL, offsetof(struct envelope, log_level)},
        {META_PROGRESS, offsetof(struct envelope, progress_token)},
        {META_TRACEPARENT, offsetof(struct envelope, traceparent)},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct message message;
        yyjson_val *members[sizeof(struct envelope) / sizeof(yyjson_val *)];
        char key[64];

        read(&message, arena,
             haft_arena_printf(arena, REQUEST(META("\"x\":0,\"%s\":7,\"y\":[1]")), rows[i].key));
        assert_non_null(message.meta);
        memcpy(members, &message.envelope, sizeof members);
        for (size_t k = 0; k < COUNT_OF(members); k++)
            if (k == rows[i].offset / sizeof *members)
                assert_int_equal(yyjson_get_int(members[k]), 7);
            else
                assert_null(members[k]);
        /* As long, and another. */
        snprintf(key, sizeof key, "%s", rows[i].key);
        key[strlen(key) - 1] = '_';
        read(&message, arena, haft_arena_printf(arena, REQUEST(META("\"%s\":7")), key));
        memcpy(members, &message.envelope, sizeof members);
        for (size_t k = 0; k < COUNT_OF(members); k++)
            assert_null(members[k]);
        haft_arena_free(arena);
    }
}

static void has_params(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct message message;

    (void)state;
    read(&message, arena,
         REQUEST("\"params\":{\"inputResponses\":5,\"requestState\":4,\"arguments\":3,\"mame\":2,"
                 "\"name\":1,\"_meta\":[]}"));
    assert_int_equal(yyjson_get_int(message.name), 1);
    assert_int_equal(yyjson_get_int(message.arguments), 3);
    assert_int_equal(yyjson_get_int(message.request_state), 4);
    assert_int_equal(yyjson_get_int(message.input_responses), 5);
    assert_null(message.meta);
    assert_true(hf_message_is(&message, "a"));
    assert_false(hf_message_is(&message, "b"));
    assert_false(hf_message_is(&message, "ab"));
    read(&message, arena, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_false(hf_message_is(&message, ""));
    haft_arena_free(arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_a_kind),
        cmocka_unit_test(has_an_envelope),
        cmocka_unit_test(has_params),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
