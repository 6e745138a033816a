/* fuzz_websocket.c - any bytes as frames, to either role: however they are cut, the same comes out of
 * them, nothing is over its limit, and what is sent in answer is understood by the other role. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "websocket/websocket.h"

enum { MAX_MESSAGE = 512, MAX_FRAGMENTS = 8, MAX_QUEUED = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

struct heard {
    haft_buffer text;
    websocket *ws;
    bool answers, ended;
};

static void on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct heard *heard = context;

    require(!heard->ended && size <= MAX_MESSAGE && !bytes[size]);
    require(!is_text || haft_utf8_valid(bytes, size) == size);
    haft_buffer_printf(&heard->text, "%d %zu:", is_text, size);
    haft_buffer_add(&heard->text, bytes, size);
    if (heard->answers)
        hf_websocket_send(heard->ws, is_text, bytes, size);
}

static void on_pong(void *context, const char *bytes, size_t size)
{
    struct heard *heard = context;

    require(!heard->ended && size <= 125);
    haft_buffer_puts(&heard->text, "pong:");
    haft_buffer_add(&heard->text, bytes, size);
}

static void on_end(void *context, const struct websocket_end *end)
{
    struct heard *heard = context;

    require(!heard->ended);
    require(haft_utf8_valid(end->reason, strlen(end->reason)) == strlen(end->reason));
    heard->ended = true;
    haft_buffer_printf(&heard->text, "end %d %d %d:%s", end->code, end->by_peer, end->clean,
                       end->reason);
}

static int fixed_random(void *context, void *ret_bytes, size_t size)
{
    (void)context;
    memset(ret_bytes, 0x5A, size);
    return 0;
}

static void heard_open(struct heard *heard, enum websocket_role role)
{
    memset(heard, 0, sizeof *heard);
    haft_buffer_init(&heard->text, NULL, 1 << 20);
    heard->ws = hf_websocket_new(&(struct websocket_options){.role = role,
                                                             .max_message = MAX_MESSAGE,
                                                             .max_fragments = MAX_FRAGMENTS,
                                                             .max_queued = MAX_QUEUED,
                                                             .random = fixed_random,
                                                             .on_message = on_message,
                                                             .on_pong = on_pong,
                                                             .on_end = on_end,
                                                             .context = heard});
    require(heard->ws != NULL);
}

static void heard_close(struct heard *heard)
{
    hf_websocket_free(heard->ws);
    haft_buffer_finish(&heard->text);
}

/* Whether the last event is a close frame of the peer's that was answered. */
static bool ended_by_peer(haft_buffer *text)
{
    const char *last = NULL;

    haft_buffer_add(text, "", 1);
    for (size_t i = 0; i + 4 < text->size; i++)
        if (!memcmp(text->data + i, "end ", 4))
            last = text->data + i;
    return last && !strncmp(last + strcspn(last + 4, " ") + 4, " 1 1", 4);
}

/* What it has sent goes to the other role, which must not object. */
static void check_output(struct heard *heard, enum websocket_role role)
{
    struct heard other;
    const char *bytes;
    size_t size;

    heard_open(&other, role == WEBSOCKET_SERVER ? WEBSOCKET_CLIENT : WEBSOCKET_SERVER);
    while (bytes = hf_websocket_output(heard->ws, &size), size) {
        require(size <= MAX_QUEUED + (66 << 10));
        hf_websocket_receive(other.ws, bytes, size, 1);
        hf_websocket_sent(heard->ws, size);
    }
    /* It objects to nothing: if it has ended, then by a close frame. */
    require(!other.ended || (ended_by_peer(&other.text) && !hf_websocket_is_open(heard->ws)));
    heard_close(&other);
}

static void run(const char *bytes, size_t size, enum websocket_role role, size_t step)
{
    struct heard whole, pieces;
    int status = 0;

    heard_open(&whole, role);
    heard_open(&pieces, role);
    whole.answers = true;
    hf_websocket_receive(whole.ws, bytes, size, 1);
    for (size_t at = 0, n; !status && at < size; at += n) {
        n = step < size - at ? step : size - at;
        status = hf_websocket_receive(pieces.ws, bytes + at, n, 1);
    }
    require(whole.text.size == pieces.text.size && whole.ended == pieces.ended);
    require(!whole.text.size || !memcmp(whole.text.data, pieces.text.data, whole.text.size));
    check_output(&whole, role);
    heard_close(&whole);
    heard_close(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t step;

    if (!size)
        return 0;
    step = data[0] % 9 + 1u;
    run((const char *)data + 1, size - 1, WEBSOCKET_SERVER, step);
    run((const char *)data + 1, size - 1, WEBSOCKET_CLIENT, step);
    return 0;
}
