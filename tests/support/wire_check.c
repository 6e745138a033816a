/* wire_check.c - common checks for tools, prompts, resources and completion. */
#include <stdio.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"
#include "support/wire.h"

static void put_expected(char *text, size_t size, size_t id, const struct wire_row *row,
                         const char *tail)
{
    bool result = !strncmp(row->response, "\"result\"", 8);
    const char *whole = tail && row->modern ? row->modern : row->response;
    bool more = tail && result && !row->modern;

    snprintf(text, size, "{\"jsonrpc\":\"2.0\",\"id\":%zu,%.*s%s", id,
             (int)strlen(whole) - (more ? 2 : 0), whole, more ? tail : "");
}

void wire_check_rows(wire_serve *serve, const char *revision, const char *method,
                     const struct wire_row *rows, size_t n, const char *tail)
{
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);

    wire_greet(wire, revision);
    for (size_t i = 0; i < n; i++) {
        const char *answer = wire_call(wire, method, rows[i].params);
        char expected[2048];

        put_expected(expected, sizeof expected, i + 1, &rows[i], tail);
        assert_string_equal(answer, expected);
        assert_null(wire_next(wire));
    }
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
}

void wire_check_legacy(wire_serve *serve, const char *method, const struct wire_row *rows, size_t n)
{
    static const char *const revisions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

    for (size_t i = 0; i < COUNT_OF(revisions); i++)
        wire_check_rows(serve, revisions[i], method, rows, n, NULL);
}

/* Returns whether an allocation failed. */
static bool fail_nth(wire_serve *serve, const char *method, const char *params, const char *good,
                     size_t nth)
{
    struct failing failing;
    haft_server *server;
    struct wire *wire;
    char request[512];
    size_t failures;
    int status;

    failing_init(&failing, 0);
    server = serve(HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
    wire = wire_open(server);
    failing.fail_at = failing.calls + nth;
    snprintf(request, sizeof request,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}", method, params);
    status = wire_send(wire, request);
    failures = failing.failures;
    failing.fail_at = 0;
    assert_true(status == HAFT_ENOMEM || wire_next(wire));
    assert_non_null(wire_call(wire, method, good));
    assert_int_equal(wire->error_code, 0);
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
    failing_check(&failing);
    return failures;
}

void wire_check_memory(wire_serve *serve, const char *method, const char *params, const char *good)
{
    for (size_t nth = 1; fail_nth(serve, method, params, good, nth); nth++)
        ;
}
