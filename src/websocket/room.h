/* websocket/room.h - a connection, as its two directions share it. */
#ifndef HAFT_SRC_WEBSOCKET_ROOM_H
#define HAFT_SRC_WEBSOCKET_ROOM_H

#include <wslay/wslay.h>

#include "websocket/websocket.h"

enum {
    WEBSOCKET_CONTROL = 125,  /* bytes that a control frame may carry */
    WEBSOCKET_KEPT = 64 << 10 /* a buffer larger than this is freed when it is empty */
};

enum websocket_state {
    STATE_OPEN,
    STATE_CLOSED_HERE, /* our close frame is queued or sent, the peer's is waited for */
    STATE_ENDED
};

/* The message that is being received. */
struct websocket_incoming {
    const char *bytes; /* not read yet */
    size_t size;
    haft_buffer message;
    size_t checked; /* bytes of it that are UTF-8 */
    size_t n_frames;
    uint64_t left; /* of the frame */
    bool in_frame, in_message;
    bool is_text;                             /* the message */
    unsigned char opcode;                     /* of the frame */
    bool is_last;                             /* of the message */
    unsigned char control[WEBSOCKET_CONTROL]; /* of a control frame */
    size_t control_size;
};

struct websocket {
    struct websocket_options options;
    const haft_allocator *allocator;
    struct wslay_frame_context *frames;
    struct websocket_incoming in;
    haft_buffer out;
    size_t taken; /* bytes of `out` that have been sent */
    unsigned char pong[WEBSOCKET_CONTROL];
    size_t pong_size;
    bool pong_waits; /* until less is queued: the latest of several */
    enum websocket_state state;
    int sent_code;
    char sent_reason[WEBSOCKET_REASON + 1];
    haft_time close_by, heard;
    unsigned entered; /* calls that are on the stack */
    bool freed;       /* meanwhile */
};

/* Calls that may call back are in between these; the connection may be gone after the second. */
void hf_websocket_enter(websocket *ws);
void hf_websocket_leave(websocket *ws);

/* ---- receive.c ---- */

ssize_t hf_websocket_on_read(uint8_t *room, size_t size, int flags, void *context);

/* ---- websocket.c ---- */

/* Queues an answer to a ping, or keeps it until less is queued. */
void hf_websocket_pong(websocket *ws, const unsigned char *bytes, size_t size);
/* The connection cannot go on: sends a close frame, and ends. */
void hf_websocket_fail(websocket *ws, int code, const char *reason);
/* The peer has sent a valid close frame; code 0 for none. */
void hf_websocket_closed_by_peer(websocket *ws, int code, const char *reason, size_t size);
/* Whether a close frame may carry the code. */
bool hf_websocket_code_is_valid(int code);

#endif
