/* Audit lines: what is written of what came from outside, and what the digest tells apart. */
#include <haft.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

static int nod(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "ok");
}

static char line[9000];
static size_t n_lines;

static void on_line(void *context, const char *text, size_t size)
{
    (void)context;
    assert_true(size < sizeof line);
    memcpy(line, text, size);
    line[size] = '\0';
    n_lines++;
}

static haft_server *make(const unsigned char *key)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .seal_key = key));
    haft_tool_builder *builder = haft_tool_new("nod");

    haft_tool_handler(builder, nod, NULL);
    assert_int_equal(haft_tool_build(builder, server), 0);
    assert_int_equal(haft_audit_add(server, on_line, NULL), 0);
    return server;
}

static void call(struct wire *wire, const char *id, const char *tool, const char *arguments)
{
    static char message[40000];

    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"arguments\":%s}}",
             id, tool, arguments);
    wire_send(wire, message);
    while (wire_next(wire))
        ;
}

#define SHORT "\"principal\":\"i\\np\",\"revision\":\"2025-11-25\","
#define CUT ",\"truncated\":true}"

static void what_came_from_outside_is_quoted(void **state)
{
    static char longest[9000], longest_id[9000], hello[10000];
    const struct {
        const char *client, *id, *tool, *expected;
    } rows[] = {
        {"c", "7", "nod",
         "{\"time\":\"1970-01-01T00:00:*Z\",\"id\":7,\"client\":\"c\",\"principal\":\"i\\np\","
         "\"revision\":\"2025-11-25\",\"tool\":\"nod\",\"outcome\":\"ok\",\"ms\":0,\"bytes\":27,"
         "\"arguments\":\"siphash:*\"}"},
        {"a \\\"b\\\" \\u00e9\\n", "-12345678901", "nod",
         "*,\"id\":-12345678901,\"client\":\"a \\\"b\\\" \xc3\xa9\\n\",\"principal\":*"},
        {"\\\\", "\"x\\\"y\"", "nod", "*,\"id\":\"x\\\"y\",\"client\":\"\\\\\",\"principal\":*"},
        {"", "\"\"", "no\\\"pe",
         "*Z\",\"id\":\"\",\"principal\":\"i\\np\",*\"tool\":\"no\\\"pe\","
         "\"outcome\":\"not_found\",\"ms\":0,\"bytes\":0}"},
        /* who called what is there however long the rest is */
        {"c", "1", longest, "*Z\"," SHORT "\"outcome\":\"not_found\",\"ms\":0,\"bytes\":0" CUT},
        {longest, "1", "nod",
         "*Z\"," SHORT "\"tool\":\"nod\",\"outcome\":\"ok\",\"ms\":0,\"bytes\":27" CUT},
        {"c", longest_id, "nod",
         "*Z\"," SHORT "\"tool\":\"nod\",\"outcome\":\"ok\",\"ms\":0,\"bytes\":27" CUT},
        {longest, longest_id, longest,
         "*Z\"," SHORT "\"outcome\":\"not_found\",\"ms\":0,\"bytes\":0" CUT},
    };

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    memset(longest_id, 'x', sizeof longest_id - 1);
    longest_id[0] = longest_id[sizeof longest_id - 2] = '"';
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = make(NULL);
        struct wire *wire = wire_open_with(
            server, (haft_session_options)HAFT_INIT(haft_session_options, .principal = "i\np"));
        const char *at = line, *expected = rows[i].expected;

        snprintf(hello, sizeof hello,
                 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                 "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
                 "\"name\":\"%s\",\"version\":\"1\"}}}",
                 rows[i].client);
        wire_send(wire, hello);
        call(wire, rows[i].id, rows[i].tool, "{}");
        /* The parts between the stars, one after the other. */
        while (*expected) {
            size_t size = strcspn(expected, "*");
            char part[512];

            snprintf(part, sizeof part, "%.*s", (int)size, expected);
            at = strstr(at, part);
            if (!at)
                fail_msg("%s\n is not in\n%.600s", part, line);
            at += size;
            expected += size + (expected[size] == '*');
        }
        wire_close(wire);
        haft_server_free(server);
    }
}

/* As long as a line may be, and not a byte longer. */
static void a_line_is_whole_or_short(void **state)
{
    static char name[9000];
    haft_server *server = make(NULL);
    struct wire *wire = wire_open(server);
    size_t longest = 0, n_short = 0;

    (void)state;
    wire_greet(wire, "2025-11-25");
    for (size_t size = 7900; size < 8200; size++) {
        memset(name, 'x', size);
        call(wire, "1", name, "{}");
        if (strstr(line, "\"truncated\":true}")) {
            n_short++;
            continue;
        }
        assert_int_equal(n_short, 0);
        assert_int_equal(strspn(strstr(line, "xx"), "x"), size);
        assert_non_null(strstr(line, "\"bytes\":0}"));
        longest = strlen(line);
    }
    assert_int_equal(longest, 8191);
    assert_true(n_short > 0);
    wire_close(wire);
    haft_server_free(server);
}

/* The digest of these arguments, by a server with that key. */
static void digest(const unsigned char *key, const char *arguments, char ret_digest[17])
{
    haft_server *server = make(key);
    struct wire *wire = wire_open(server);
    const char *at;

    wire_greet(wire, "2025-11-25");
    call(wire, "1", "nod", arguments);
    at = strstr(line, "siphash:");
    assert_non_null(at);
    snprintf(ret_digest, 17, "%s", at + 8);
    wire_close(wire);
    haft_server_free(server);
}

static void equal_arguments_have_equal_digests(void **state)
{
    static const char *const arguments[] = {
        "{}",
        "{\"a\":1}",
        "{\"a\":\"1\"}",
        "{\"a\":-1}",
        "{\"a\":1.5}",
        "{\"a\":true}",
        "{\"a\":null}",
        "{\"a\":[1]}",
        "{\"a\":[1,2]}",
        "{\"a\":[[1],2]}",
        "{\"a\":[[1,2]]}",
        "{\"b\":1}",
        "{\"a\":1,\"b\":1}",
        "{\"a\":\"bbbbbbbb\"}",
        "{\"a\":\"bbbbbbb\"}",
        "{\"a\":\"bbbbbbbbb\"}",
        "{\"a\":72057594037927936}",
        "{\"a\":0}",
        "{\"a\":\"\"}",
    };
    static const unsigned char one[32] = {1}, other[32] = {2};
    char digests[COUNT_OF(arguments)][17], again[17];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(arguments); i++) {
        digest(one, arguments[i], digests[i]);
        digest(one, arguments[i], again);
        assert_string_equal(digests[i], again);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(digests[i], digests[k]);
        digest(other, arguments[i], again);
        assert_string_not_equal(digests[i], again);
    }
}

/* What was written down before is compared with what is written now. */
static void a_digest_stays_as_it_is(void **state)
{
    static const struct {
        const char *arguments, *digest;
    } rows[] = {
        {"{}", "f0df95fd5d101494"},
        {"{\"a\":2,\"b\":40}", "c7eb56bb94692933"},
        {"{\"name\":\"1234567\",\"long\":\"12345678\"}", "5bc38a833dad8bbe"},
        {"{\"a\":[-1,1.5,true,null,{\"b\":72057594037927936}]}", "55f9fef0a9f6f648"},
    };
    static const unsigned char key[32] = {1};
    char text[17];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        digest(key, rows[i].arguments, text);
        assert_string_equal(text, rows[i].digest);
    }
}

/* ---- as many lines as calls ---- */

static haft_call *kept[2];
static size_t n_kept;

static int keep(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    assert_true(n_kept < COUNT_OF(kept));
    kept[n_kept++] = call;
    return HAFT_PENDING;
}

/* What a connection has no room for is a call, too; what is no tool's is none. */
static void refused_calls_have_lines(void **state)
{
    static const struct {
        const char *method, *params;
        size_t lines;
        const char *says;
    } rows[] = {
        {"tools/call", "{\"name\":\"keep\",\"arguments\":{\"a\":1}}", 1,
         "\"tool\":\"keep\",\"outcome\":\"internal\",\"ms\":0,\"bytes\":0,\"arguments\":\"siphash:"},
        {"tools/call", "{\"name\":\"keep\",\"arguments\":5}", 1,
         "\"tool\":\"keep\",\"outcome\":\"internal\",\"ms\":0,\"bytes\":0}"},
        {"tools/call", "{\"name\":\"nobody\"}", 1, "\"tool\":\"nobody\",\"outcome\":\"internal\""},
        {"tools/list", "{}", 0, ""},
        {"nothing/like/it", "{}", 0, ""},
    };
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .max_in_flight = COUNT_OF(kept)));
    haft_tool_builder *builder = haft_tool_new("keep");
    struct wire *wire;

    (void)state;
    haft_tool_handler(builder, keep, NULL);
    haft_tool_quick(builder);
    assert_int_equal(haft_tool_build(builder, server), 0);
    assert_int_equal(haft_audit_add(server, on_line, NULL), 0);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    n_kept = 0;
    call(wire, "1", "keep", "{}");
    call(wire, "2", "keep", "{}");
    assert_int_equal(n_kept, COUNT_OF(kept));
    n_lines = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char message[512];
        const char *answer;

        line[0] = '\0';
        n_lines = 0;
        snprintf(message, sizeof message,
                 "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"%s\",\"params\":%s}", rows[i].method,
                 rows[i].params);
        wire_send(wire, message);
        answer = wire_next(wire);
        assert_non_null(answer);
        assert_non_null(strstr(answer, "-32603,\"message\":\"Too many calls are in flight\""));
        assert_int_equal(n_lines, rows[i].lines);
        if (!strstr(line, rows[i].says))
            fail_msg("row %zu: %s", i, line);
    }
    n_lines = 0;
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        haft_finish(kept[i], haft_text(kept[i], "done"));
    while (wire_next(wire))
        ;
    assert_int_equal(n_lines, COUNT_OF(kept));
    wire_close(wire);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_from_outside_is_quoted),
        cmocka_unit_test(a_line_is_whole_or_short),
        cmocka_unit_test(equal_arguments_have_equal_digests),
        cmocka_unit_test(a_digest_stays_as_it_is),
        cmocka_unit_test(refused_calls_have_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
