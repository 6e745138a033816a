/* support/wire.h - a client at the other end of a session: JSON in, JSON out, no I/O.
 *
 *     struct wire *wire = wire_open(server);
 *     wire_greet(wire, "2025-11-25");
 *     assert_string_equal(wire_call(wire, "tools/list", NULL), "{\"jsonrpc\":\"2.0\",\"id\":1,...");
 *     wire_close(wire);
 */
#ifndef HAFT_TESTS_WIRE_H
#define HAFT_TESTS_WIRE_H

#include <haft/engine.h>

struct wire_message;

struct wire {
    haft_session *session;
    haft_time now;  /* what the session is told; the test moves it */
    bool modern;    /* wire_call describes each request, as 2026-07-28 has it */
    int next_id;    /* of wire_call */
    int error_code; /* of the message that wire_next gave last */
    haft_outgoing_kind kind;
    struct wire_message *first, *taken;
};

/* A session of the server; the test fails without memory. */
struct wire *wire_open(haft_server *server);

/* The same with options of the test's own; `send` and the contexts are the wire's. */
struct wire *wire_open_with(haft_server *server, haft_session_options options);
void wire_close(struct wire *wire);

/* Introduces the client: `initialize` and its notification, or, for a modern revision, nothing but
 * the resolve to describe each request.  The client can be asked anything.  Fails the test when it
 * goes wrong. */
void wire_greet(struct wire *wire, const char *revision);

/* Feeds one message. */
int wire_send(struct wire *wire, const char *json);

/* The next message that the session sent; NULL when there is none.  Valid until the next call. */
const char *wire_next(struct wire *wire);

/* Sends a request with the next id, from 1 on, and returns the next message.  `params` are members
 * without their braces; NULL for none. */
const char *wire_call(struct wire *wire, const char *method, const char *params);

/* What ends a modern result of a server that is called "test", version "1". */
#define WIRE_TAIL                                                                                  \
    "\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{"              \
    "\"name\":\"test\",\"version\":\"1\"}}}}"

/* ---- checks that kinds of offered things share ---- */

/* Makes the server of a test program, with options or NULL. */
typedef haft_server *wire_serve(const haft_server_options *options);

/* A request and the response to it, after its id. */
struct wire_row {
    const char *params, *response;
    const char *modern; /* of a modern server; NULL: the same, a result with more at its end */
};

/* Every row in a session of that revision.  `tail` ends a modern result; NULL for a legacy
 * revision. */
void wire_check_rows(wire_serve *serve, const char *revision, const char *method,
                     const struct wire_row *rows, size_t n, const char *tail);
/* The same in each legacy revision. */
void wire_check_legacy(wire_serve *serve, const char *method, const struct wire_row *rows,
                       size_t n);

/* Each allocation of the request fails once: there is an answer or an error, and the next request
 * of the method, with `good` parameters, is served. */
void wire_check_memory(wire_serve *serve, const char *method, const char *params, const char *good);

#endif
