/* websocket/link.h - what a connection on a loop has in either role: pings when nothing arrives, and how
 * it ended. */
#ifndef HAFT_SRC_WEBSOCKET_LINK_H
#define HAFT_SRC_WEBSOCKET_LINK_H

#include "websocket/websocket.h"

enum {
    LINK_PIECE = 64 << 10,  /* bytes that are handed on at once */
    LINK_AHEAD = 256 << 10, /* bytes that the transport may have unsent */
    LINK_PING_MS = 30000,
    LINK_PONG_MS = 10000,
    LINK_REASON = 512 /* bytes that are kept of the reason of an end, a transport's for instance */
};

struct websocket_link {
    websocket *ws;
    unsigned ping_ms, pong_ms;
    haft_time heard, pinged;
    bool waits; /* for an answer to a ping */
    bool ended;
    struct websocket_end end;
    char reason[LINK_REASON];
};

/* Sets the times, with defaults for 0.  UINT_MAX: never pings. */
void hf_websocket_link_init(struct websocket_link *link, unsigned ping_ms, unsigned pong_ms,
                            haft_time now);
/* Something was heard. */
void hf_websocket_link_hear(struct websocket_link *link, haft_time now);
/* Pings, or gives up.  Returns when to call again. */
haft_time hf_websocket_link_tick(struct websocket_link *link, haft_time now);
/* Keeps how it ended: for on_end of a connection whose owner is in the middle of something. */
void hf_websocket_link_keep_end(struct websocket_link *link, const struct websocket_end *end);
/* Copies UTF-8 into so much room, NUL included; a text that does not fit is cut between characters. */
void hf_websocket_link_copy(char *ret_text, size_t room, const char *text);

#endif
