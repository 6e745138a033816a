/* remote_link.h - what remote.c and the two wires know of each other.
 *
 * A wire takes letters and tells the remote what it hears, from inside the loop; the remote looks
 * at it when the loop has come back, so that answering a question may take the time of a person.
 * Whatever somebody may be waiting for stops the loop, which else could wait on after it has
 * happened. */
#ifndef HAFT_REMOTE_LINK_H
#define HAFT_REMOTE_LINK_H

#include "protocol/meta.h"
#include "protocol/rpc.h"
#include "remote.h"

enum {
    CLOSE_WAIT = 2000, /* milliseconds for a goodbye */
    PROBE_WAIT =
        5000, /* that a process may leave the first question of the newest revision unanswered */
    CONNECT_WAIT = 10000, /* for a connection */
    LISTEN_WAIT = 1000    /* for a stream to open */
};

/* One message on its way out. */
struct outgoing {
    const char *text;
    size_t size;
    int64_t id; /* of a request; 0 for what has no answer */
    const char *method;
    const char *name;
    const char *const *parameters;
};

struct transport {
    /* Begins to send.  What fails later is told by remote_lost. */
    int (*send)(void *wire, const struct outgoing *outgoing);
    /* Whether all that was sent without an answer has arrived, as far as can be told. */
    bool (*is_flushed)(void *wire);
    /* The answer to the request is not wanted any more. */
    void (*forget)(void *wire, int64_t id);
    /* The revision is settled; an old one has handshake and session. */
    void (*settled)(void *wire);
    /* Starts anew, as if nothing had been said. */
    int (*restart)(void *wire);
    void (*close)(void *wire);
};

struct incoming {
    struct incoming *next;
    size_t size;
    char text[];
};

/* How a request came back. */
enum outcome { WAITING, ANSWERED, REFUSED, LOST };

/* What a wire has said of a request that it cannot bring back. */
struct loss {
    enum outcome outcome; /* WAITING for none */
    int64_t id;           /* 0: it holds for every request to come */
    int code, http_status;
    char why[512];
};

struct remote {
    uv_loop_t loop;
    uv_signal_t interrupt, terminate;
    uv_timer_t timer, pause; /* of a request, and before a stream is taken up again */
    unsigned handles;        /* of the above that are open; the timers are one */
    struct remote_options options;
    const struct transport *transport;
    void *wire;
    haft_arena *arena;
    struct incoming *first, **last;
    enum revision revision;
    yyjson_val *server_info, *capabilities;
    unsigned interrupted;
    bool expired;

    int64_t id; /* of the request that waits, or the last that did */
    enum outcome outcome;
    yyjson_val *result, *error;
    int http_status; /* of a refusal */
    int code;        /* the exit code of a loss or refusal */
    bool session_gone;
    bool unread; /* the process ended without reading the last request */
    struct loss loss;
    char why[512];

    /* A line that is being read from the terminal. */
    uv_tty_t tty;
    haft_buffer typed;
    bool typed_end;
};

int wire_open_process(struct remote *remote, void **ret_wire, const struct transport **ret_class);
int wire_open_http(struct remote *remote, void **ret_wire, const struct transport **ret_class);

/* What the wires tell. */
void remote_incoming(struct remote *remote, const char *text, size_t size);
/* The request cannot be answered any more; id 0 for whichever waits. */
void remote_lost(struct remote *remote, int64_t id, int code, const char *format, ...)
    HAFT_PRINTF_(4, 5);
/* The request was answered with an HTTP status and nothing of the protocol. */
void remote_refused(struct remote *remote, int64_t id, int http_status, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* Within the remote. */
int remote_fail(struct remote *remote, int code, const char *format, ...) HAFT_PRINTF_(3, 4);
/* Holds the answer to the method against a shape: 0, or EXIT_PROTOCOL. */
int remote_check_result(struct remote *remote, const char *method, const struct shape *shape);
int remote_check_error(struct remote *remote, const char *method);
/* One request as it is, in the revision that is spoken now; `wait` in milliseconds. */
int remote_exchange(struct remote *remote, const struct remote_request *request, uint64_t wait);
int remote_send_request(struct remote *remote, const struct remote_request *request);
/* Answers a request of the server; a result that is empty is an error of that code. */
int remote_reply(struct remote *remote, const yyjson_val *id, const haft_buffer *result, int code);
/* Whether it is a question that can be put to the person: a form. */
bool remote_can_ask(const struct remote *remote, const char *method, yyjson_val *params);
/* Looks at what was heard until the request is answered; 0, or an exit code that ends it. */
int remote_take_all(struct remote *remote);
void remote_start_timer(struct remote *remote, uint64_t wait);
int remote_notify(struct remote *remote, const char *method, const char *params);
/* As JSON. */
const char *remote_client_capabilities(const struct remote *remote);
/* The name and version of this program, as the value that is next. */
void remote_put_client_info(struct json_writer *w);
int remote_negotiate(struct remote *remote);

/* Runs the loop until the time is over or `is_done` says so; false when the time was over. */
bool remote_run(struct remote *remote, uint64_t wait, bool (*is_done)(void *context),
                void *context);

#endif
