/* demo/demo.h - a Home Assistant with a home in it, without sockets.
 *
 * Requests and messages in, answers and messages out: the REST and WebSocket API of Home Assistant 2026.8
 * over one model of a house.  It refuses what Home Assistant refuses, with the same messages.  Nothing in
 * it is random and nothing reads a clock: time and seed are given, so that tests are exact.
 *
 * All functions may be called from any thread. */
#ifndef HOME_DEMO_H
#define HOME_DEMO_H

#include <haft.h>

struct demo;
struct demo_session;

struct demo_options {
    const haft_allocator *allocator; /* NULL: malloc */
    int64_t (*now)(void *context);   /* microseconds since 1970; NULL: the system's clock */
    void *now_context;
    uint64_t seed;     /* of ids and histories */
    const char *token; /* that clients must have; NULL: "demo" */
    size_t extra;      /* further sensors, sensor.extra_0001 ..., for tests of size */
};

struct demo *demo_new(const struct demo_options *options);
void demo_free(struct demo *demo); /* no session is open; NULL is fine */

/* ---- REST ---- */

struct demo_request {
    const char *method, *path, *query; /* path decoded; query as it came, "" for none */
    const char *token;                 /* of Authorization: Bearer; NULL for none */
    const char *body;
    size_t size;
};
struct demo_response {
    int status;
    const char *type;     /* content type; a constant */
    const char *location; /* header of 201, a part of the request's path; NULL for none */
    haft_buffer body;     /* the caller has initialized it, and finishes it */
    bool streams;         /* the body is what demo_stream_open sends */
};
void demo_handle(struct demo *demo, const struct demo_request *request, struct demo_response *ret);

/* ---- WebSocket ---- */

/* Opens a session: auth_required is sent at once.  `send` is called with each message, in order, never
 * while the demo holds a lock, on whatever thread caused it; `end` when the session must be closed
 * (after auth_invalid, and without an auth message for ten seconds).  A session that is closed sends nothing any more once demo_session_close has
 * returned. */
struct demo_session *demo_session_open(struct demo *demo,
                                       void (*send)(void *who, const char *text, size_t size),
                                       void (*end)(void *who), void *who);
void demo_session_receive(struct demo_session *session, const char *text, size_t size);
void demo_session_close(struct demo_session *session);

/* The same for GET /api/stream, after demo_handle has said that it streams: `send` gets pieces of the body.
 * NULL without memory. */
struct demo_session *demo_stream_open(struct demo *demo, const char *query,
                                      void (*send)(void *who, const char *text, size_t size),
                                      void (*end)(void *who), void *who);

/* ---- time ---- */

/* Has done what was due by now (a cover that moves, a light's transition, the sun).  Returns the
 * microseconds until the next such thing; -1 for none. */
int64_t demo_tick(struct demo *demo);

#endif
