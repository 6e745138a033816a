/* client/sse.h - messages out of a stream of server-sent events.
 *
 * The stream may be cut up anywhere on its way.  CR, LF and CR LF end a line; a byte order mark at
 * the very start is passed over; `data` lines of one event are joined by LF.  What a message of the
 * protocol cannot be in (comments, events of another name, events without data) is passed over. */
#ifndef HAFT_SRC_SSE_H
#define HAFT_SRC_SSE_H

#include "base/base.h"

/* Gets the data of an event, which lives for the length of the call. */
typedef void sse_function(void *context, const char *data, size_t size);

struct sse {
    haft_buffer line, data, name, id; /* of the event that is being read */
    bool has_data, has_id;
    haft_buffer last_id; /* of the latest event that had one, whatever else it had; not to be used
                            when it has a status */
    uint64_t retry;      /* milliseconds to wait before the stream is asked for again, */
    bool has_retry;      /* if it has said so */
    bool after_cr;       /* an LF now belongs to the line that has ended */
    bool begun;          /* the first line has been read */
};

/* `limit` is for a line, and for the data of an event. */
void hf_sse_init(struct sse *sse, const haft_allocator *allocator, size_t limit);
void hf_sse_finish(struct sse *sse);

/* Reads on and calls `on_event` for each event that is complete.  0, or HAFT_ETOOBIG or
 * HAFT_ENOMEM, after which nothing more can be read.  An event that the stream's end cuts off is
 * none. */
int hf_sse_feed(struct sse *sse, const char *bytes, size_t size, sse_function *on_event,
                void *context);

#endif
