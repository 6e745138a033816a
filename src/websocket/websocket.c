/* websocket.c - a connection's life, and what it sends.
 *
 * A frame is queued whole or not at all: room is made before wslay writes it. */
#include "websocket/websocket.h"

#include <string.h>

#include "base/base.h"
#include "websocket/room.h"

enum {
    WEBSOCKET_DEFAULT_MAX = 16 << 20,
    WEBSOCKET_DEFAULT_FRAMES = 16384,
    WEBSOCKET_DEFAULT_CLOSE_MS = 5000,
    WEBSOCKET_HEADER = 14,        /* bytes of a frame's, at most */
    WEBSOCKET_PONGS = 64 << 10,   /* queued bytes above which only the latest ping is answered */
    WEBSOCKET_CONTROL_ROOM = 1024 /* of the queue, for control frames when it is full */
};

/* ---- frames ---- */

static ssize_t websocket_on_send(const uint8_t *bytes, size_t size, int flags, void *context)
{
    websocket *ws = context;

    (void)flags;
    haft_buffer_add(&ws->out, bytes, size);
    return ws->out.status ? -1 : (ssize_t)size;
}

static int websocket_on_mask(uint8_t *room, size_t size, void *context)
{
    websocket *ws = context;

    return ws->options.random(ws->options.context, room, size) ? -1 : 0;
}

static size_t websocket_pending(const websocket *ws)
{
    return ws->out.size - ws->taken;
}

/* Moves what is left to the front when that is less than what is gone. */
static void websocket_compact(websocket *ws)
{
    size_t left = websocket_pending(ws);

    if (!ws->taken || left > ws->taken)
        return;
    memmove(ws->out.data, ws->out.data + ws->taken, left);
    ws->out.size = left;
    ws->taken = 0;
}

static int websocket_put(websocket *ws, unsigned char opcode, const void *bytes, size_t size)
{
    struct wslay_frame_iocb frame = {.fin = 1,
                                     .opcode = opcode,
                                     .mask = ws->options.role == WEBSOCKET_CLIENT,
                                     .payload_length = size,
                                     .data = bytes,
                                     .data_length = size};
    int status;

    websocket_compact(ws);
    if (!hf_buffer_reserve(&ws->out, size + WEBSOCKET_HEADER)) {
        status = ws->out.status;
        ws->out.status = 0;
        return status;
    }
    /* With room for it, only the mask can fail, and nothing has been written then. */
    return wslay_frame_send(ws->frames, &frame) < 0 ? HAFT_EBUSY : 0;
}

/* ---- the end ---- */

static void websocket_end(websocket *ws, const struct websocket_end *end)
{
    if (ws->state == STATE_ENDED)
        return;
    ws->state = STATE_ENDED;
    if (ws->options.on_end && !ws->freed)
        ws->options.on_end(ws->options.context, end);
}

bool hf_websocket_code_is_valid(int code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != WEBSOCKET_NO_CODE &&
            code != WEBSOCKET_ABNORMAL) ||
           (code >= 3000 && code <= 4999);
}

/* Keeps the start of a reason that fits, in whole characters. */
static void websocket_keep_reason(websocket *ws, int code, const char *reason, size_t size)
{
    size = size < WEBSOCKET_REASON ? size : WEBSOCKET_REASON;
    size = code ? haft_utf8_valid(reason, size) : 0;
    memcpy(ws->sent_reason, reason, size);
    ws->sent_reason[size] = '\0';
    ws->sent_code = code;
}

static int websocket_put_close(websocket *ws, int code, const char *reason, size_t size)
{
    unsigned char bytes[WEBSOCKET_CONTROL] = {(unsigned char)(code >> 8), (unsigned char)code};

    websocket_keep_reason(ws, code, reason, size);
    size = strlen(ws->sent_reason);
    memcpy(bytes + 2, ws->sent_reason, size);
    ws->pong_waits = false;
    return websocket_put(ws, WSLAY_CONNECTION_CLOSE, bytes, code ? size + 2 : 0);
}

void hf_websocket_fail(websocket *ws, int code, const char *reason)
{
    struct websocket_end end = {.code = code, .reason = reason};

    if (ws->state == STATE_OPEN && websocket_put_close(ws, code, reason, strlen(reason)))
        end.code = WEBSOCKET_ABNORMAL;
    websocket_end(ws, &end);
}

void hf_websocket_closed_by_peer(websocket *ws, int code, const char *reason, size_t size)
{
    char text[WEBSOCKET_REASON + 1];
    struct websocket_end end = {.code = code ? code : WEBSOCKET_NO_CODE,
                                .reason = text,
                                .by_peer = ws->state == STATE_OPEN,
                                .clean = true};

    memcpy(text, reason, size);
    text[size] = '\0';
    if (ws->state == STATE_OPEN) {
        /* The peer's own code, as is usual. */
        end.clean = !websocket_put_close(ws, code, "", 0);
    } else {
        end.code = ws->sent_code ? ws->sent_code : WEBSOCKET_NO_CODE;
        end.reason = ws->sent_reason;
    }
    websocket_end(ws, &end);
}

void hf_websocket_lost(websocket *ws, const char *reason)
{
    hf_websocket_enter(ws);
    websocket_end(
        ws, &(struct websocket_end){.code = WEBSOCKET_ABNORMAL, .reason = reason, .by_peer = true});
    hf_websocket_leave(ws);
}

haft_time hf_websocket_tick(websocket *ws, haft_time now)
{
    if (ws->state != STATE_CLOSED_HERE)
        return INT64_MAX;
    if (now < ws->close_by)
        return ws->close_by;
    hf_websocket_enter(ws);
    websocket_end(ws,
                  &(struct websocket_end){.code = ws->sent_code ? ws->sent_code : WEBSOCKET_NO_CODE,
                                          .reason = ws->sent_reason});
    hf_websocket_leave(ws);
    return INT64_MAX;
}

int hf_websocket_close(websocket *ws, int code, const char *reason, haft_time now)
{
    int status;

    reason = reason ? reason : "";
    if (ws->state != STATE_OPEN)
        return HAFT_ECLOSED;
    if ((code && !hf_websocket_code_is_valid(code)) ||
        haft_utf8_valid(reason, strlen(reason)) != strlen(reason))
        return HAFT_EINVAL;
    status = websocket_put_close(ws, code, reason, strlen(reason));
    ws->state = STATE_CLOSED_HERE;
    /* A peer that cannot be told is not waited for. */
    ws->close_by = status ? now : now + ws->options.close_ms;
    return 0;
}

/* ---- sending ---- */

static int websocket_queue(websocket *ws, unsigned char opcode, const char *bytes, size_t size)
{
    size_t pending = websocket_pending(ws), most = ws->options.max_queued;

    if (ws->state != STATE_OPEN)
        return HAFT_ECLOSED;
    if (pending > most || size > most - pending)
        return HAFT_ETOOBIG;
    return websocket_put(ws, opcode, bytes, size);
}

int hf_websocket_send(websocket *ws, bool is_text, const char *bytes, size_t size)
{
    if (is_text && haft_utf8_valid(bytes, size) != size)
        return HAFT_EUTF8;
    return websocket_queue(ws, is_text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, bytes, size);
}

int hf_websocket_ping(websocket *ws, const char *bytes, size_t size)
{
    return size > WEBSOCKET_CONTROL ? HAFT_ETOOBIG : websocket_queue(ws, WSLAY_PING, bytes, size);
}

/* A peer that pings and does not read gets one answer when it reads (RFC 6455, 5.5.3). */
static void websocket_answer_ping(websocket *ws)
{
    if (!ws->pong_waits || ws->state != STATE_OPEN || websocket_pending(ws) > WEBSOCKET_PONGS)
        return;
    ws->pong_waits = websocket_put(ws, WSLAY_PONG, ws->pong, ws->pong_size) != 0;
}

void hf_websocket_pong(websocket *ws, const unsigned char *bytes, size_t size)
{
    memcpy(ws->pong, bytes, size);
    ws->pong_size = size;
    ws->pong_waits = true;
    websocket_answer_ping(ws);
}

const char *hf_websocket_output(const websocket *ws, size_t *ret_size)
{
    *ret_size = websocket_pending(ws);
    return *ret_size ? ws->out.data + ws->taken : "";
}

void hf_websocket_sent(websocket *ws, size_t size)
{
    ws->taken += size;
    if (ws->taken == ws->out.size) {
        hf_buffer_trim(&ws->out, WEBSOCKET_KEPT);
        ws->taken = 0;
    }
    websocket_answer_ping(ws);
}

/* ---- life ---- */

static void websocket_release(websocket *ws)
{
    wslay_frame_context_free(ws->frames);
    haft_buffer_finish(&ws->in.message);
    haft_buffer_finish(&ws->out);
    ws->allocator->release(ws->allocator->context, ws, sizeof *ws);
}

void hf_websocket_enter(websocket *ws)
{
    ws->entered++;
}

void hf_websocket_leave(websocket *ws)
{
    if (!--ws->entered && ws->freed)
        websocket_release(ws);
}

static size_t websocket_or(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

websocket *hf_websocket_new(const struct websocket_options *options)
{
    static const struct wslay_frame_callbacks callbacks = {websocket_on_send, hf_websocket_on_read,
                                                           websocket_on_mask};
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    websocket *ws;

    if (options->role == WEBSOCKET_CLIENT && !options->random)
        return NULL;
    ws = allocator->alloc(allocator->context, sizeof *ws);
    if (!ws)
        return NULL;
    memset(ws, 0, sizeof *ws);
    ws->allocator = allocator;
    ws->options = *options;
    ws->options.max_message = websocket_or(options->max_message, WEBSOCKET_DEFAULT_MAX);
    ws->options.max_fragments = websocket_or(options->max_fragments, WEBSOCKET_DEFAULT_FRAMES);
    ws->options.max_queued = websocket_or(options->max_queued, WEBSOCKET_DEFAULT_MAX);
    if (ws->options.max_queued > SIZE_MAX / 4)
        ws->options.max_queued = SIZE_MAX / 4;
    ws->options.close_ms =
        options->close_ms ? options->close_ms : (unsigned)WEBSOCKET_DEFAULT_CLOSE_MS;
    haft_buffer_init(&ws->in.message, allocator, ws->options.max_message);
    /* Sent bytes take up to as much room as the remaining ones. */
    haft_buffer_init(&ws->out, allocator,
                     2 * (ws->options.max_queued + WEBSOCKET_CONTROL_ROOM + WEBSOCKET_PONGS));
    if (wslay_frame_context_init(&ws->frames, &callbacks, ws)) {
        allocator->release(allocator->context, ws, sizeof *ws);
        return NULL;
    }
    return ws;
}

void hf_websocket_free(websocket *ws)
{
    if (!ws)
        return;
    ws->freed = true;
    ws->state = STATE_ENDED;
    if (!ws->entered)
        websocket_release(ws);
}

bool hf_websocket_is_open(const websocket *ws)
{
    return ws->state == STATE_OPEN;
}

bool hf_websocket_has_ended(const websocket *ws)
{
    return ws->state == STATE_ENDED;
}

haft_time hf_websocket_heard(const websocket *ws)
{
    return ws->heard;
}
