/* fuzz_handshake.c - any bytes as the answer to a WebSocket handshake: however they are cut, it is
 * judged in the same way, and nothing behind its head is used up; and any headers as a request. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "websocket/handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

struct verdict {
    struct websocket_handshake handshake;
    int result;
    size_t used;
};

static void judge(const char *bytes, size_t size, size_t step, struct verdict *verdict)
{
    struct websocket_request request = {.host = "localhost", .target = "/"};
    haft_buffer out;

    haft_buffer_init(&out, NULL, 4096);
    memcpy(request.nonce, "the sample nonce", WEBSOCKET_NONCE);
    require(!hf_websocket_handshake_begin(&verdict->handshake, &request, &out, NULL));
    haft_buffer_finish(&out);
    verdict->result = 0;
    verdict->used = 0;
    for (size_t at = 0, n; !verdict->result && at < size; at += n) {
        size_t used = 0;

        n = step && step < size - at ? step : size - at;
        verdict->result = hf_websocket_handshake_receive(&verdict->handshake, bytes + at, n, &used);
        require(used <= n);
        if (verdict->result == 1)
            verdict->used = at + used;
    }
    require(verdict->result == 1 || verdict->result == 0 ||
            (verdict->result == HAFT_ECLOSED && verdict->handshake.why));
    require(verdict->result != 1 || verdict->handshake.status == 101);
    require(verdict->handshake.excerpt_size <= WEBSOCKET_EXCERPT &&
            !verdict->handshake.excerpt[verdict->handshake.excerpt_size]);
}

/* The bytes as lines of headers, each cut at its first colon. */
static void judge_request(char *text, size_t size)
{
    haft_header headers[16];
    haft_request request = {.method = "GET", .path = "/", .headers = headers};
    char accept[WEBSOCKET_ACCEPT + 1] = "";
    const char *why = NULL;
    int status;

    for (char *line = text, *end = text + size; line < end && request.n_headers < 16;) {
        char *next = memchr(line, '\n', (size_t)(end - line)), *colon;

        next = next ? next : end;
        *next = '\0';
        colon = strchr(line, ':');
        if (colon) {
            *colon = '\0';
            headers[request.n_headers++] = (haft_header){line, colon + 1};
        }
        line = next + 1;
    }
    status = hf_websocket_accept(&request, accept, &why);
    require(status ? (status == 400 || status == 426) && why : strlen(accept) == WEBSOCKET_ACCEPT);
    require(status || hf_websocket_is_asked(&request));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct verdict whole, pieces;
    char *text;

    if (!size)
        return 0;
    judge((const char *)data + 1, size - 1, 0, &whole);
    judge((const char *)data + 1, size - 1, data[0] % 9 + 1u, &pieces);
    require(whole.result == pieces.result && whole.used == pieces.used);
    require(whole.handshake.status == pieces.handshake.status);
    require(!whole.handshake.why || !strcmp(whole.handshake.why, pieces.handshake.why));
    require(whole.handshake.excerpt_size == pieces.handshake.excerpt_size);
    text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    judge_request(text, size);
    free(text);
    return 0;
}
