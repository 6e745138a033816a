/* test_embedded.c - haft_stdio_serve inside a program: on its own descriptors, in its own
 * process, giving everything back. */
#define _DEFAULT_SOURCE
#include <sys/socket.h>

#include "support/tools.h"
#include "support/failing.h"
#include "support/test.h"

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"ping\"}\n"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}\n"

static void count(void *context, haft_level level, const char *text, size_t size)
{
    size_t *lines = context;

    assert_true(level >= HAFT_WARNING);
    assert_int_equal(strlen(text), size);
    ++*lines;
}

/* One socket is both ends; what is written to it before it serves is answered, and 0 and 1 stay. */
static void serves_a_socket(void **state)
{
    static const struct {
        const char *in, *out;
        size_t logged;
    } rows[] = {
        {"", "", 0},
        {PING(1) PING(2), PONG(1) PONG(2), 0},
        {"{\"jsonrpc\":\"2.0\",\"method\":7}\n" PING(1), PONG(1), 1},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\","
         "\"arguments\":{\"n\":3}}}\n",
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"slept "
         "3\"}]}}\n",
         0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = make_server();
        char seen[512] = "";
        size_t logged = 0;
        int fds[2];

        assert_non_null(server);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        assert_int_equal(write(fds[0], rows[i].in, strlen(rows[i].in)), strlen(rows[i].in));
        shutdown(fds[0], SHUT_WR);
        assert_int_equal(
            haft_stdio_serve(server, HAFT_WITH(haft_stdio_options, .in = fds[1], .out = fds[1],
                                               .grace_ms = 5000, .log = count,
                                               .log_context = &logged, .own_signals = true)),
            0);
        if (*rows[i].out)
            assert_true(read(fds[0], seen, sizeof seen - 1) > 0);
        assert_string_equal(seen, rows[i].out);
        assert_int_equal(logged, rows[i].logged);
        haft_server_free(server);
        close(fds[0]);
        close(fds[1]);
    }
}

/* Wherever memory fails, it ends, and everything is given back. */
static void survives_every_failing_allocation(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        int fds[2];

        failing_init(&failing, nth);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        assert_true(write(fds[0], TEXT(PING(1) PING(2) "nonsense\n")) > 0);
        shutdown(fds[0], SHUT_WR);
        server = haft_server_new_with(
            "test", "1.0.0", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        if (server) {
            haft_add(server, &echo_tool);
            haft_stdio_serve(server, HAFT_WITH(haft_stdio_options, .in = fds[1], .out = fds[1],
                                               .own_signals = true));
        }
        haft_server_free(server);
        close(fds[0]);
        close(fds[1]);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

static void what_cannot_begin_says_so(void **state)
{
    haft_server *server = make_server();

    (void)state;
    assert_int_equal(haft_stdio_serve(server, HAFT_WITH(haft_stdio_options, .in = 999, .out = 999)),
                     HAFT_ECLOSED);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_a_socket),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(what_cannot_begin_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
