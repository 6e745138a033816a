/* tests/websocket/peer.h - the other side of a connection, made by hand, and a log of what happens. */
#ifndef HAFT_TESTS_WEBSOCKET_PEER_H
#define HAFT_TESTS_WEBSOCKET_PEER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "websocket/websocket.h"

/* ---- frames ---- */

enum {
    WRONG_MASK = 1, /* masked where it must not be, or the other way around */
    LONG_SIZE = 2,  /* the size in eight bytes, however small it is */
    MEDIUM_SIZE = 4 /* in two bytes */
};

struct frame {
    unsigned char first; /* FIN, reserved bits and opcode */
    const char *payload;
    size_t size;
    unsigned flags;
};

/* The size in as many bytes as it takes, or as `flags` say. */
static inline size_t frame_put_size(unsigned char *at, size_t size, unsigned flags)
{
    size_t n = flags & LONG_SIZE                       ? 8
               : flags & MEDIUM_SIZE                   ? 2
               : size < 126                            ? 0
               : size < (size_t)UINT16_MAX + (size_t)1 ? 2
                                                       : 8;

    if (!n) {
        *at = (unsigned char)size;
        return 1;
    }
    *at = n == 2 ? 126 : 127;
    for (size_t i = 0; i < n; i++)
        at[n - i] = (unsigned char)((uint64_t)size >> 8 * i);
    return n + 1;
}

/* Appends what the peer of this role sends; the bytes are the caller's to free. */
static inline void frame_put(char **bytes, size_t *size, enum websocket_role role,
                             const struct frame *frame)
{
    static const unsigned char mask[4] = {0x37, 0xfa, 0x21, 0x3d};
    bool masked = (role == WEBSOCKET_SERVER) != ((frame->flags & WRONG_MASK) != 0);
    unsigned char *at;

    *bytes = realloc(*bytes, *size + frame->size + 14);
    assert_non_null(*bytes);
    at = (unsigned char *)*bytes + *size;
    *at++ = frame->first;
    *at = 0;
    at += frame_put_size(at, frame->size, frame->flags);
    if (masked) {
        ((unsigned char *)*bytes)[*size + 1] |= 0x80;
        memcpy(at, mask, 4);
        at += 4;
    }
    for (size_t i = 0; i < frame->size; i++)
        at[i] = (unsigned char)frame->payload[i] ^ (masked ? mask[i % 4] : 0);
    *size = (size_t)(at - (unsigned char *)*bytes) + frame->size;
}

/* ---- a connection whose events are written down ---- */

struct logged {
    websocket *ws;
    char text[512];
    size_t size;
    unsigned char random;
    bool answers; /* every message is sent back */
    bool frees;   /* the connection at the first message */
    bool closes;
};

static inline void log_add(struct logged *log, const char *what, const char *bytes, size_t size)
{
    int n;

    if (size > 40)
        n = snprintf(log->text + log->size, sizeof log->text - log->size, "%s(%zu) ", what, size);
    else
        n = snprintf(log->text + log->size, sizeof log->text - log->size, "%s:%.*s ", what,
                     (int)size, bytes);
    log->size += (size_t)n;
    assert_true(log->size < sizeof log->text);
}

static inline int log_random(void *context, void *ret_bytes, size_t size)
{
    struct logged *log = context;

    for (size_t i = 0; i < size; i++)
        ((unsigned char *)ret_bytes)[i] = log->random = (unsigned char)(log->random * 5 + 17);
    return 0;
}

static inline void log_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct logged *log = context;

    assert_int_equal(bytes[size], 0);
    log_add(log, is_text ? "text" : "binary", bytes, size);
    if (log->answers)
        assert_int_equal(hf_websocket_send(log->ws, is_text, bytes, size), 0);
    if (log->closes)
        assert_int_equal(hf_websocket_close(log->ws, 4001, "enough", 1000), 0);
    if (log->frees)
        hf_websocket_free(log->ws);
    if (log->frees)
        log->ws = NULL;
}

static inline void log_on_pong(void *context, const char *bytes, size_t size)
{
    log_add(context, "pong", bytes, size);
}

static inline void log_on_end(void *context, const struct websocket_end *end)
{
    char text[256];

    snprintf(text, sizeof text, "end %d%s%s%s%s", end->code, end->by_peer ? " by peer" : "",
             end->clean ? " clean" : "", *end->reason ? " " : "", end->reason);
    assert_true(strlen(text) < 200);
    snprintf(((struct logged *)context)->text + ((struct logged *)context)->size,
             sizeof((struct logged *)context)->text - ((struct logged *)context)->size, "%s", text);
    ((struct logged *)context)->size += strlen(text);
}

static inline struct websocket_options log_options(struct logged *log, enum websocket_role role)
{
    return (struct websocket_options){.role = role,
                                      .random = log_random,
                                      .on_message = log_on_message,
                                      .on_pong = log_on_pong,
                                      .on_end = log_on_end,
                                      .context = log};
}

/* ---- what a connection sends, as text ---- */

/* Takes its output and writes the frames as "text:hello ", or "close 1002:reason ". */
static inline void output_describe(websocket *ws, enum websocket_role role, char *text, size_t room)
{
    size_t size, n = 0;
    const unsigned char *at = (const unsigned char *)hf_websocket_output(ws, &size);
    const unsigned char *end = at + size;

    *text = '\0';
    while (at < end) {
        static const char *const names[16] = {
            "more", "text", "binary", [8] = "close", [9] = "ping", [10] = "pong"};
        unsigned opcode = *at & 15, length = at[1] & 127;
        char payload[130] = "";
        size_t skip = 0;

        assert_int_equal(at[0] & 0xF0, 0x80);
        assert_true(length < 126 && names[opcode]);
        assert_int_equal(at[1] & 0x80, role == WEBSOCKET_CLIENT ? 0x80 : 0);
        at += 2;
        for (unsigned i = 0; i < length; i++)
            payload[i] = (char)(role == WEBSOCKET_CLIENT ? at[4 + i] ^ at[i % 4] : at[i]);
        at += length + (role == WEBSOCKET_CLIENT ? 4 : 0);
        n += (size_t)snprintf(text + n, room - n, "%s", names[opcode]);
        if (opcode == 8 && length) {
            n += (size_t)snprintf(text + n, room - n, " %d",
                                  (unsigned char)payload[0] << 8 | (unsigned char)payload[1]);
            skip = 2;
        }
        n += (size_t)snprintf(text + n, room - n, ":%.*s ", (int)(length - skip), payload + skip);
        assert_true(n < room);
    }
    hf_websocket_sent(ws, size);
}

#endif
