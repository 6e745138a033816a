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

/* The same with options of the test's own; `send` and `context` are the wire's. */
struct wire *wire_open_with(haft_server *server, haft_session_options options);
void wire_close(struct wire *wire);

/* Introduces the client: `initialize` and its notification, or, for a modern revision, nothing but the
 * resolve to describe each request.  The client can be asked anything.  Fails the test when it goes wrong. */
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

#endif
