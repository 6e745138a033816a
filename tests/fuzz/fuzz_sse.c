/* fuzz_sse.c - any stream of events: however it is cut up, the same messages come out. */
#include "client/sse.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void on_event(void *context, const char *data, size_t size)
{
    haft_buffer *heard = context;

    require(size && size <= LIMIT);
    haft_buffer_add(heard, data, size);
    buffer_literal(heard, "\0");
}

/* Pieces of `step` bytes; 0 for the whole at once. */
static int read_by(const char *text, size_t size, size_t step, haft_buffer *heard)
{
    struct sse sse;
    int status = 0;

    hf_sse_init(&sse, NULL, LIMIT);
    for (size_t at = 0, n; !status && at < size; at += n) {
        n = step && step < size - at ? step : size - at;
        status = hf_sse_feed(&sse, text + at, n, on_event, heard);
    }
    hf_sse_finish(&sse);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_buffer whole, pieces;
    size_t step = size ? data[0] % 7 + 1u : 1;
    int status;

    haft_buffer_init(&whole, NULL, 1 << 20);
    haft_buffer_init(&pieces, NULL, 1 << 20);
    status = read_by((const char *)data, size, 0, &whole);
    require(status == read_by((const char *)data, size, step, &pieces));
    require(whole.size == pieces.size);
    require(!whole.size || !memcmp(whole.data, pieces.data, whole.size));
    haft_buffer_finish(&whole);
    haft_buffer_finish(&pieces);
    return 0;
}
