/* shards.c - several loops that serve one address.
 *
 * The kernel distributes connections without knowing which sessions their requests will name. A
 * session id starts with the number of its shard, so a request for a session on another shard is
 * recognized without a table, and its connection moves there: the socket and the data read from it,
 * never a call or a response. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "http/http.h"
#include "http/secure.h"

int hf_shards_init(struct shards *shards, unsigned n)
{
    memset(shards, 0, sizeof *shards);
    shards->n = n;
    return uv_mutex_init(&shards->lock) ? HAFT_ENOMEM : 0;
}

void hf_shards_finish(struct shards *shards)
{
    hf_limiter_free(shards->limiter);
    hf_secure_source_free(shards->secure);
    uv_mutex_destroy(&shards->lock);
}

bool hf_shards_wants(struct connection *c, const haft_request *request)
{
    const struct shards *shards = c->http->shards;
    unsigned home = hf_endpoint_home(request);

    if (home >= shards->n || home == c->http->shard)
        return false;
    c->moving = home + 1;
    return true;
}

/* Copies the connection without a loop, for the transfer. */
static struct connection *pack(struct connection *c, int fd)
{
    haft_http *http = c->http;
    struct connection *handover =
        http->allocator->alloc(http->allocator->context, sizeof *handover);

    if (!handover)
        return NULL;
    *handover = *c;
    handover->next = handover->previous = handover->next_due = NULL;
    handover->due = handover->continues_later = false;
    handover->moving = 0;
    handover->fd = fd;
    haft_buffer_init(&c->head, http->allocator, c->head.limit);
    haft_buffer_init(&c->fields, http->allocator, c->fields.limit);
    haft_buffer_init(&c->body, http->allocator, c->body.limit);
    haft_buffer_init(&c->waiting, http->allocator, c->waiting.limit);
    c->notes = NULL;
    c->tls = NULL;
    c->n_fields = 0;
    return handover;
}

/* Returns false if the target has closed. */
static bool shards_post(struct shards *shards, unsigned home, struct connection *handover)
{
    haft_http *to;

    uv_mutex_lock(&shards->lock);
    to = shards->at[home];
    if (to) {
        handover->next = to->arrived;
        to->arrived = handover;
        hf_loop_wake(&to->loop);
    }
    uv_mutex_unlock(&shards->lock);
    return to;
}

void hf_shards_move(struct connection *c)
{
    unsigned home = c->moving - 1;
    struct connection *handover;
    uv_os_fd_t fd;
    int copy;

    /* Earlier responses are written first; hf_connection_resume returns here. */
    if (c->unsent)
        return;
    c->moving = 0;
    copy = uv_fileno(&c->io.handle, &fd) ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    handover = copy < 0 ? NULL : pack(c, copy);
    if (!handover) {
        if (copy >= 0)
            close(copy);
        hf_connection_refuse(c, 503, "Out of memory");
        return;
    }
    if (!shards_post(c->http->shards, home, handover)) {
        close(copy);
        c->tls = handover->tls;
        handover->tls = NULL;
        hf_connection_free(handover);
        hf_connection_refuse(c, 503, "The server is shutting down");
        return;
    }
    hf_connection_abort(c);
}

void hf_shards_receive(haft_http *http)
{
    struct connection *c, *next;

    if (!http->shards)
        return;
    uv_mutex_lock(&http->shards->lock);
    c = http->arrived;
    http->arrived = NULL;
    uv_mutex_unlock(&http->shards->lock);
    for (; c; c = next) {
        next = c->next;
        c->http = http;
        hf_http_remember(http, c);
        if (hf_http_open(c, c->fd)) {
            close(c->fd);
            hf_connection_abort(c);
        } else {
            hf_connection_continue(c);
        }
    }
}

void hf_shards_leave(haft_http *http)
{
    if (!http->shards)
        return;
    uv_mutex_lock(&http->shards->lock);
    http->shards->at[http->shard] = NULL;
    uv_mutex_unlock(&http->shards->lock);
}
