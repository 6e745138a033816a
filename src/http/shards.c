/* http_lanes.c - several loops behind one address.
 *
 * The kernel deals out connections without knowing whose sessions they will name.  A session's id
 * begins with the number of its lane, so a request for one that lives elsewhere is seen as such
 * without a table, and its connection moves there: the socket and what has been read of it, never a
 * call or an answer. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "http/http.h"

int lanes_init(struct lanes *lanes, unsigned n)
{
    memset(lanes, 0, sizeof *lanes);
    lanes->n = n;
    return uv_mutex_init(&lanes->lock) ? HAFT_ENOMEM : 0;
}

void lanes_finish(struct lanes *lanes)
{
    limiter_free(lanes->limiter);
    uv_mutex_destroy(&lanes->lock);
}

bool lanes_wants(struct connection *c, const haft_request *request)
{
    const struct lanes *lanes = c->http->lanes;
    unsigned home;

    if (!lanes)
        return false;
    home = endpoint_home(request);
    if (home >= lanes->n || home == c->http->lane)
        return false;
    c->moving = home + 1;
    return true;
}

/* Its place is taken by a copy that belongs to no loop yet. */
static struct connection *pack(struct connection *c, int fd)
{
    haft_http *http = c->http;
    struct connection *parcel = http->allocator->alloc(http->allocator->context, sizeof *parcel);

    if (!parcel)
        return NULL;
    *parcel = *c;
    parcel->next = parcel->previous = parcel->next_due = NULL;
    parcel->due = parcel->continues_later = false;
    parcel->moving = 0;
    parcel->fd = fd;
    haft_buffer_init(&c->head, http->allocator, c->head.limit);
    haft_buffer_init(&c->fields, http->allocator, c->fields.limit);
    haft_buffer_init(&c->body, http->allocator, c->body.limit);
    haft_buffer_init(&c->waiting, http->allocator, c->waiting.limit);
    c->n_fields = 0;
    return parcel;
}

/* False when there is nobody any more. */
static bool shards_post(struct lanes *lanes, unsigned home, struct connection *parcel)
{
    haft_http *to;

    uv_mutex_lock(&lanes->lock);
    to = lanes->at[home];
    if (to) {
        parcel->next = to->arrived;
        to->arrived = parcel;
        loop_wake(&to->loop);
    }
    uv_mutex_unlock(&lanes->lock);
    return to;
}

void lanes_move(struct connection *c)
{
    unsigned home = c->moving - 1;
    struct connection *parcel;
    uv_os_fd_t fd;
    int copy;

    /* Earlier answers go out first; connection_resume comes back here. */
    if (!c->moving || connection_unsent(c))
        return;
    c->moving = 0;
    copy = uv_fileno(&c->io.handle, &fd) ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    parcel = copy < 0 ? NULL : pack(c, copy);
    if (!parcel) {
        if (copy >= 0)
            close(copy);
        connection_refuse(c, 503, "Out of memory");
        return;
    }
    if (!shards_post(c->http->lanes, home, parcel)) {
        close(copy);
        connection_free(parcel);
        connection_refuse(c, 503, "The server is shutting down");
        return;
    }
    connection_abort(c);
}

void lanes_receive(haft_http *http)
{
    struct connection *c, *next;

    if (!http->lanes)
        return;
    uv_mutex_lock(&http->lanes->lock);
    c = http->arrived;
    http->arrived = NULL;
    uv_mutex_unlock(&http->lanes->lock);
    for (; c; c = next) {
        next = c->next;
        c->http = http;
        http_remember(http, c);
        if (http_open(c, c->fd)) {
            close(c->fd);
            connection_abort(c);
        } else {
            connection_continue(c);
        }
    }
}

void lanes_leave(haft_http *http)
{
    if (!http->lanes)
        return;
    uv_mutex_lock(&http->lanes->lock);
    http->lanes->at[http->lane] = NULL;
    uv_mutex_unlock(&http->lanes->lock);
}
