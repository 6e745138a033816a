/* receive.c - frames that arrive, and the messages that they make.
 *
 * Every frame is judged when it begins: a frame that is not allowed, or too large, is not collected first. */
#include <string.h>

#include "base/base.h"
#include "websocket/room.h"

ssize_t hf_websocket_on_read(uint8_t *room, size_t size, int flags, void *context)
{
    websocket *ws = context;

    (void)flags;
    size = size < ws->in.size ? size : ws->in.size;
    if (!size)
        return -1;
    memcpy(room, ws->in.bytes, size);
    ws->in.bytes += size;
    ws->in.size -= size;
    return (ssize_t)size;
}

/* ---- the beginning of a frame ---- */

static bool receive_refuse(websocket *ws, int code, const char *reason)
{
    hf_websocket_fail(ws, code, reason);
    return false;
}

static bool receive_begin_data(websocket *ws, const struct wslay_frame_iocb *frame)
{
    struct websocket_incoming *in = &ws->in;

    if (in->in_message != (frame->opcode == WSLAY_CONTINUATION_FRAME))
        return receive_refuse(ws, WEBSOCKET_PROTOCOL_ERROR,
                              in->in_message ? "a message began inside another"
                                             : "a continuation frame without a message");
    if (!in->in_message) {
        in->is_text = frame->opcode == WSLAY_TEXT_FRAME;
        in->checked = in->n_frames = 0;
    }
    if (frame->payload_length > ws->options.max_message - in->message.size)
        return receive_refuse(ws, WEBSOCKET_TOO_BIG, "the message exceeds the limit");
    if (in->n_frames == ws->options.max_fragments)
        return receive_refuse(ws, WEBSOCKET_TOO_BIG, "the message has too many fragments");
    in->in_message = true;
    in->n_frames++;
    return true;
}

static bool receive_begin(websocket *ws, const struct wslay_frame_iocb *frame)
{
    struct websocket_incoming *in = &ws->in;

    if (frame->rsv)
        return receive_refuse(ws, WEBSOCKET_PROTOCOL_ERROR, "a reserved bit is set");
    if (!frame->mask != (ws->options.role == WEBSOCKET_CLIENT))
        return receive_refuse(ws, WEBSOCKET_PROTOCOL_ERROR,
                              frame->mask ? "a frame of the server is masked"
                                          : "a frame of the client is not masked");
    in->in_frame = true;
    in->left = frame->payload_length;
    in->opcode = frame->opcode;
    in->is_last = frame->fin;
    in->control_size = 0;
    switch (frame->opcode) {
    case WSLAY_CONTINUATION_FRAME:
    case WSLAY_TEXT_FRAME:
    case WSLAY_BINARY_FRAME:
        return receive_begin_data(ws, frame);
    case WSLAY_CONNECTION_CLOSE:
    case WSLAY_PING:
    case WSLAY_PONG:
        return true;
    default:
        return receive_refuse(ws, WEBSOCKET_PROTOCOL_ERROR, "unknown opcode");
    }
}

/* ---- its bytes ---- */

/* Whether the bytes, fewer than a character has, may be the beginning of one. */
static bool receive_is_part_of_character(const char *bytes, size_t size)
{
    /* The second byte of some characters has a special range, which begins with the first of these,
     * or ends with the second. */
    static const char paddings[] = {'\x80', '\xBF'};
    char whole[4];

    if (size >= sizeof whole)
        return false;
    for (size_t i = 0; i < sizeof paddings; i++) {
        memset(whole, paddings[i], sizeof whole);
        memcpy(whole, bytes, size);
        if (hf_utf8_size(whole, sizeof whole) > size)
            return true;
    }
    return false;
}

/* Checks the new part of a text; a character may still be cut at its end. */
static bool receive_check_text(struct websocket_incoming *in, bool is_whole)
{
    size_t left = in->message.size - in->checked;

    if (!left)
        return true;
    in->checked += haft_utf8_valid(in->message.data + in->checked, left);
    left = in->message.size - in->checked;
    if (!left)
        return true;
    return !is_whole && receive_is_part_of_character(in->message.data + in->checked, left);
}

static bool receive_add(websocket *ws, const struct wslay_frame_iocb *frame)
{
    struct websocket_incoming *in = &ws->in;

    if (wslay_is_ctrl_frame(in->opcode)) {
        memcpy(in->control + in->control_size, frame->data, frame->data_length);
        in->control_size += frame->data_length;
        return true;
    }
    /* Messages are no longer wanted. */
    if (ws->state != STATE_OPEN)
        return true;
    haft_buffer_add(&in->message, frame->data, frame->data_length);
    if (in->message.status)
        return receive_refuse(ws, WEBSOCKET_INTERNAL_ERROR, "out of memory");
    if (in->is_text && !receive_check_text(in, in->is_last && in->left == frame->data_length))
        return receive_refuse(ws, WEBSOCKET_INVALID_TEXT, "a text is not valid UTF-8");
    return true;
}

/* ---- its end ---- */

static void receive_message(websocket *ws)
{
    struct websocket_incoming *in = &ws->in;

    in->in_message = false;
    if (in->message.data)
        in->message.data[in->message.size] = '\0';
    if (ws->state == STATE_OPEN && ws->options.on_message)
        ws->options.on_message(ws->options.context, in->is_text,
                               in->message.data ? in->message.data : "", in->message.size);
    hf_buffer_trim(&in->message, WEBSOCKET_KEPT);
}

static void receive_close(websocket *ws)
{
    const struct websocket_incoming *in = &ws->in;
    const char *reason = (const char *)in->control + 2;
    size_t size = in->control_size;
    int code = size < 2 ? 0 : in->control[0] << 8 | in->control[1];

    if (size == 1 || (size && !hf_websocket_code_is_valid(code)))
        hf_websocket_fail(ws, WEBSOCKET_PROTOCOL_ERROR, "a close frame has an invalid code");
    else if (size && haft_utf8_valid(reason, size - 2) != size - 2)
        hf_websocket_fail(ws, WEBSOCKET_INVALID_TEXT, "a close reason is not valid UTF-8");
    else
        hf_websocket_closed_by_peer(ws, code, reason, size ? size - 2 : 0);
}

static void receive_end(websocket *ws)
{
    struct websocket_incoming *in = &ws->in;

    in->in_frame = false;
    if (in->opcode == WSLAY_CONNECTION_CLOSE)
        receive_close(ws);
    else if (in->opcode == WSLAY_PING)
        hf_websocket_pong(ws, in->control, in->control_size);
    else if (in->opcode == WSLAY_PONG && ws->options.on_pong)
        ws->options.on_pong(ws->options.context, (const char *)in->control, in->control_size);
    else if (in->opcode != WSLAY_PONG && in->is_last)
        receive_message(ws);
}

/* ---- all of it ---- */

static void receive_frame(websocket *ws, const struct wslay_frame_iocb *frame)
{
    struct websocket_incoming *in = &ws->in;

    if (!in->in_frame && !receive_begin(ws, frame))
        return;
    if (!receive_add(ws, frame))
        return;
    in->left -= frame->data_length;
    if (!in->left)
        receive_end(ws);
}

int hf_websocket_receive(websocket *ws, const char *bytes, size_t size, haft_time now)
{
    struct wslay_frame_iocb frame;
    ssize_t n = 0;
    bool ended;

    if (ws->state == STATE_ENDED)
        return HAFT_ECLOSED;
    ws->heard = now;
    ws->in.bytes = bytes;
    ws->in.size = size;
    hf_websocket_enter(ws);
    while (ws->state != STATE_ENDED) {
        n = wslay_frame_recv(ws->frames, &frame);
        if (n < 0)
            break;
        receive_frame(ws, &frame);
    }
    if (n < 0 && n != WSLAY_ERR_WANT_READ)
        hf_websocket_fail(ws, WEBSOCKET_PROTOCOL_ERROR, "invalid frame header");
    ended = ws->state == STATE_ENDED;
    hf_websocket_leave(ws);
    return ended ? HAFT_ECLOSED : 0;
}
