/* support/wire.h - a client connected to a session: JSON in, JSON out, no I/O.
 *
 *     struct wire *wire = wire_open(server);
 *     wire_greet(wire, "2025-11-25");
 *     assert_string_equal(wire_call(wire, "tools/list", NULL), "{\"jsonrpc\":\"2.0\",\"id\":1,...");
 *     wire_close(wire); */
#ifndef HAFT_TESTS_WIRE_H
#define HAFT_TESTS_WIRE_H

#include <haft/engine.h>

struct wire_message;

struct wire {
    haft_session *session;
    haft_time now;   /* simulated time of the session, set by the test */
    bool modern;     /* wire_call adds the _meta of 2026-07-28 to each request */
    int next_id;     /* next id for wire_call */
    int error_code;  /* error code of the latest message from wire_next, */
    int http_status; /* its status over HTTP, */
    char scopes[64]; /* and the scopes that it requires; "" for none */
    haft_outgoing_kind kind;
    struct wire_message *first, *taken;
};

/* Opens a session of the server; fails the test without memory. */
struct wire *wire_open(haft_server *server);

/* The same with options of the test; `send` and the contexts are the wire's. */
struct wire *wire_open_with(haft_server *server, haft_session_options options);
void wire_close(struct wire *wire);

/* Performs the handshake: `initialize` and its notification or, for a modern revision, only the
 * setting to add _meta to each request. The client has all capabilities. Fails the test on an
 * error. */
void wire_greet(struct wire *wire, const char *revision);

/* Passes one message to the session. */
int wire_send(struct wire *wire, const char *json);

/* The next message of the session; NULL if there is none. Valid until the next call. */
const char *wire_next(struct wire *wire);

/* Sends a request with the next id, from 1, and returns the next message. `params` are members
 * without braces, or NULL. */
const char *wire_call(struct wire *wire, const char *method, const char *params);

/* The end of a modern result of a server called "test", version "1". */
#define WIRE_TAIL                                                                                  \
    "\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{"              \
    "\"name\":\"test\",\"version\":\"1\"}}}}"

/* ---- checks for all kinds of items ---- */

/* Creates the server of a test program, with options or NULL. */
typedef haft_server *wire_serve(const haft_server_options *options);

/* A request and its response, after the id. */
struct wire_row {
    const char *params, *response;
    const char *modern; /* from a modern server; NULL: the same, with the modern end */
};

/* Checks every row in a session of that revision. `tail` is the end of a modern result; NULL for a
 * legacy revision. */
void wire_check_rows(wire_serve *serve, const char *revision, const char *method,
                     const struct wire_row *rows, size_t n, const char *tail);
/* The same in each legacy revision. */
void wire_check_legacy(wire_serve *serve, const char *method, const struct wire_row *rows,
                       size_t n);

/* Fails each allocation of the request once: there must be a result or an error, and the next
 * request of the method, with `good` parameters, must be served. */
void wire_check_memory(wire_serve *serve, const char *method, const char *params, const char *good);

#endif
