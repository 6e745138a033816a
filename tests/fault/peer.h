/* fault/peer.h - a server in a process that obeys an order, and a client that is hard to fool.
 *
 * Every function that talks to the server returns what came of it.  Nothing waits for ever: a
 * server that says nothing for so long and keeps the connection open hangs, and that is wrong. */
#ifndef HAFT_TESTS_FAULT_PEER_H
#define HAFT_TESTS_FAULT_PEER_H

#include <sys/types.h>

#include <haft/base.h>

#include "fault/shim.h"

enum {
    WRONG = -1,  /* no answer, or one that is none */
    REFUSED = 0, /* a clear error, or the connection was closed */
    RIGHT = 1
};

enum { HEARD = 1 << 20 };

enum era { LEGACY, MODERN, BATCHES, NO_ERA };

struct peer {
    struct order *order;
    int patience_ms; /* a server that says nothing for so long hangs */
    int give_up_ms;  /* 0, or after so long the client gives up by itself, which is no fault */
    bool http, verbose;
    enum era era;
    const char *site;             /* which of them, see site_run */
    const char *const *arguments; /* more of the command line; ends with NULL */
    const char *address;          /* where HTTP is served */
    const char *path;             /* what requests are sent to */
    const char *credentials;      /* a header of requests, with its line end; "" for none */
    char place[32];               /* a directory for files; see props.h */
    bool in_place;                /* the server runs there, else where the driver does */
    pid_t pid;
    int in, out; /* of a server on stdio */
    int fd,
        stream; /* of one that serves HTTP: the connection, and one that is listened on; -1: none */
    int log;    /* what it wrote to standard error */
    int port;
    int status; /* as waitpid has it, once it has ended */
    bool ended;
    char session[80]; /* the id of the legacy session; "" for none */
    char why[256];    /* what is wrong */
    char said[4096];  /* the beginning of what it wrote to standard error, once it has ended */
    char heard[HEARD], streamed[HEARD];
    size_t heard_size, streamed_size;
};

/* Starts the server; `armed`, with the order in force from the first moment.  RIGHT when it is
 * ready, REFUSED when it ended with a message and a status that says so. */
int peer_start(struct peer *peer, bool armed);

/* Ends it, as a client or an operator does. */
int peer_stop(struct peer *peer);
/* Only waits for that. */
int peer_wait(struct peer *peer);

/* Sends a request, and compares its answer: RIGHT when `expected` stands in it. */
int peer_ask(struct peer *peer, const char *message, const char *expected);
/* Sends a notification or an answer, which is not answered. */
int peer_tell(struct peer *peer, const char *message);
/* Waits until `expected` has come: on stdio in anything that is said, over HTTP on the stream. */
int peer_expect(struct peer *peer, const char *expected);

/* HTTP: sends a request with the headers of the era and leaves its answer to peer_expect, as a
 * stream. */
int peer_stream(struct peer *peer, const char *method, const char *headers, const char *message);
/* HTTP: bytes as they are, and the answer to them. */
int peer_raw(struct peer *peer, const char *bytes, const char *expected);
/* Lets the connections go. */
void peer_hang_up(struct peer *peer);

/* Says hello in the peer's era, so that the server is ready for anything. */
int peer_greet(struct peer *peer);

/* That the server is as it was: on new connections, with nothing failing. */
int peer_check(struct peer *peer);

/* Remembers what is wrong; the first time counts. */
void peer_say_why(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For those who are part of it: time, and a descriptor that is -1 afterwards. */
int64_t peer_now(void);
void peer_pause(int ms);
void peer_let_go(int *fd);

/* HTTP: a request for a path, with no protocol above it. */
int peer_get(struct peer *peer, const char *path, const char *expected);

/* The server's side; site.c.  argv[0] says which: "plain", "isolated" with a tool in a process of
 * its own, "gateway" with routes, "plugins" with those that its settings name.  The allocator is
 * the server's, but for the gateway's; NULL for malloc. */
int site_run(int argc, char **argv, const haft_allocator *allocator);

#endif
