/* home/wire_home.h - the demo home behind real sockets, with a server that is made by hand, so that it can cut the
 * connection anywhere; and a client of it. */
#ifndef HAFT_TESTS_WIRE_HOME_H
#define HAFT_TESTS_WIRE_HOME_H

#include "home/fake_home.h"
#include "http_client/rogue.h"

#define WIRE_TOKEN "t0ken-of-the-wire"
enum { WIRE_FRAMES = 256 };

struct wire {
    struct demo *demo;
    _Atomic(unsigned) n_messages, n_sockets, n_services;
    _Atomic(unsigned) n_on, n_off; /* of these services */
    unsigned cut_at;   /* the connection is cut by this message of a client, counted from 1 */
    bool cuts_answers; /* in the middle of the frame that answers it */
    bool refuses;      /* to become a WebSocket */

    /* Bytes of WebSockets, with the answers to their handshakes, that were sent and received on all connections,
     * and the number of bytes that a connection is cut after; 0: never. */
    size_t n_sent, n_received;
    size_t cut_sent, cut_received;
    size_t ends[WIRE_FRAMES]; /* where frames that are sent end */
    size_t n_ends;
};

struct wire_test {
    struct wire wire;
    struct rogue *rogue;
    struct hass *hass;
};

void wire_begin(struct wire_test *test, const char *token);
void wire_finish(struct wire_test *test);

/* Handlers: a light goes on and off, and a request is answered; all states are read. */
int wire_use(haft_call *call, void *context);
int wire_read(haft_call *call, void *context);

#endif
