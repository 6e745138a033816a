/* remote_resume.c - a stream that ends before the answer has come is taken up again.
 *
 * A server of 2025-03-26 or later may let a connection go while it works.  Whoever has seen the
 * name of an event can ask for what came after it, no sooner than the server says, until the time
 * for the request is over. */
#include <stdlib.h>
#include <string.h>

#include "remote_http.h"

enum { USUAL_PAUSE = 1000, SHORTEST_PAUSE = 100 };

static void on_pause(uv_timer_t *timer)
{
    struct http *http = timer->data;
    const struct remote *remote = http->remote;

    if (remote->outcome == WAITING && remote->id == http->lost_id &&
        http_begin(http, RESUMING, NULL))
        remote_lost(http->remote, http->lost_id, EXIT_LOCAL, "out of memory");
}

bool resume_later(struct exchange *exchange)
{
    struct http *http = exchange->http;
    struct remote *remote = http->remote;
    const haft_buffer *last = &exchange->sse.last_id;
    uint64_t pause = exchange->sse.has_retry ? exchange->sse.retry
                     : http->pause           ? http->pause
                                             : USUAL_PAUSE;
    char *copy;

    if (!exchange->is_stream || exchange->failure || !last->size || last->status ||
        hf_revision_rows[remote->revision].modern || exchange->id != remote->id)
        return false;
    copy = calloc(1, last->size + 1);
    if (!copy)
        return false;
    memcpy(copy, last->data, last->size);
    free(http->last_event);
    http->last_event = copy;
    http->lost_id = exchange->id;
    http->pause = pause;
    remote->pause.data = http;
    uv_update_time(&remote->loop);
    uv_timer_start(&remote->pause, on_pause, pause > SHORTEST_PAUSE ? pause : SHORTEST_PAUSE, 0);
    return true;
}
