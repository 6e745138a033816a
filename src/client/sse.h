/* client/sse.h - extracts messages from a stream of server-sent events.
 *
 * The stream may arrive in arbitrary pieces. CR, LF and CR LF end a line; a byte order mark at the
 * start is skipped; the `data` lines of an event are joined by LF. Comments, events without data and
 * events of another name, except that of `also`, are skipped. */
#ifndef HAFT_SRC_SSE_H
#define HAFT_SRC_SSE_H

#include "base/base.h"

/* Called with the data of an event, which is valid during the call. */
typedef void sse_function(void *context, const char *data, size_t size);

struct sse {
    haft_buffer line, data, name, id; /* current event */
    bool has_data, has_id;
    haft_buffer last_id; /* latest id, of any event; must not be used if it has a status */
    uint64_t retry;      /* milliseconds to wait before reconnecting, */
    bool has_retry;      /* if the stream has set it */
    bool after_cr;       /* an LF now belongs to the preceding CR */
    bool begun;          /* the first line has been read */
    const char *also;    /* name of other events that are passed on, besides messages; or NULL */
};

/* `limit` applies to a line, and to the data of an event. */
void hf_sse_init(struct sse *sse, const haft_allocator *allocator, size_t limit);
void hf_sse_finish(struct sse *sse);

/* Parses more of the stream and calls `on_event` for each complete event. Returns 0, or
 * HAFT_ETOOBIG or HAFT_ENOMEM, after which nothing more can be read. An event cut off by the end of
 * the stream is discarded. */
int hf_sse_feed(struct sse *sse, const char *bytes, size_t size, sse_function *on_event,
                void *context);

#endif
