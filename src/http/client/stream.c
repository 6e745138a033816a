/* stream.c - connections without HTTP on them: bytes both ways, for protocols that begin with it.
 *
 * libcurl connects, through proxies and TLS, as for a request, and stops there (CURLOPT_CONNECT_ONLY).  Its
 * handle stays with the multi handle, which owns the connection, and bytes go by curl_easy_send and
 * curl_easy_recv when libuv says that the socket is ready.
 *
 * TLS wants what it could not send again from the same place, and may hold bytes that the socket no
 * longer has.  So what is being sent does not move (new bytes are queued beside it), and a reader that
 * stops before the bytes do comes back by itself. */
#include <string.h>

#include "http/client/room.h"

enum {
    STREAM_PIECE = 64 << 10, /* of what is sent, at once */
    STREAM_READ = 16 << 10,  /* maximum of a TLS record */
    STREAM_READS = 16,       /* in one go, before others have their turn */
    STREAM_KEPT = 64 << 10,  /* larger buffers are freed when they are empty */
    STREAM_UNSENT = 16 << 20
};

struct stream_bytes {
    char *bytes;
    size_t size, room;
};

struct http_stream {
    http_client *client;
    http_request *request; /* NULL: it is over */
    struct http_stream_options options;
    uv_poll_t poll;
    bool polls; /* the handle is open */
    bool open, paused;
    bool blocked; /* bytes have waited since on_writable */
    int events;
    struct stream_bytes sending, queued;
    size_t sent;      /* of `sending` */
    CURLcode failure; /* to be told by on_end */
};

/* ---- memory ---- */

static void stream_bytes_free(const http_client *client, struct stream_bytes *bytes)
{
    if (bytes->bytes)
        client->allocator->release(client->allocator->context, bytes->bytes, bytes->room);
    *bytes = (struct stream_bytes){.bytes = NULL};
}

static int stream_bytes_add(const http_client *client, struct stream_bytes *to, const char *bytes,
                            size_t size)
{
    const haft_allocator *allocator = client->allocator;
    size_t room = to->room;
    char *longer;

    while (room - to->size < size)
        room = room ? room * 2 : STREAM_READ;
    if (room != to->room) {
        longer = allocator->resize(allocator->context, to->bytes, to->room, room);
        if (!longer)
            return HAFT_ENOMEM;
        to->bytes = longer;
        to->room = room;
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return 0;
}

static void stream_release(http_stream *stream)
{
    const haft_allocator *allocator = stream->client->allocator;

    stream_bytes_free(stream->client, &stream->sending);
    stream_bytes_free(stream->client, &stream->queued);
    allocator->release(allocator->context, stream, sizeof *stream);
}

static void stream_on_poll_closed(uv_handle_t *handle)
{
    http_stream *stream = handle->data;
    http_client *client = stream->client;

    stream_release(stream);
    hf_http_client_handle_closed(client);
}

/* ---- waiting ---- */

static void stream_on_ready(uv_poll_t *poll, int status, int events);

size_t hf_http_stream_unsent(const http_stream *stream)
{
    return stream->sending.size - stream->sent + stream->queued.size;
}

static void stream_watch(http_stream *stream)
{
    int events =
        (stream->paused ? 0 : UV_READABLE) | (hf_http_stream_unsent(stream) ? UV_WRITABLE : 0);
    int failed = 0;

    if (!stream->request || events == stream->events)
        return;
    if (events)
        failed = stream->client->uv->poll_start(&stream->poll, events, stream_on_ready);
    else
        stream->client->uv->poll_stop(&stream->poll);
    stream->events = failed ? 0 : events;
    if (failed) {
        stream->failure = CURLE_OUT_OF_MEMORY;
        hf_http_client_do_soon(stream->request);
    }
}

/* ---- bytes ---- */

/* The next bytes to send, if there are any. */
static bool stream_next(http_stream *stream)
{
    struct stream_bytes empty = stream->sending;

    if (stream->sent < stream->sending.size)
        return true;
    stream->sent = empty.size = 0;
    if (empty.room > STREAM_KEPT)
        stream_bytes_free(stream->client, &empty);
    stream->sending = stream->queued;
    stream->queued = empty;
    return stream->sending.size > 0;
}

/* Sends what the socket takes. */
static CURLcode stream_flush(http_stream *stream)
{
    CURLcode code = CURLE_OK;

    while (!code && stream_next(stream)) {
        size_t left = stream->sending.size - stream->sent, n = 0;

        left = left < STREAM_PIECE ? left : STREAM_PIECE;
        code =
            curl_easy_send(stream->request->easy, stream->sending.bytes + stream->sent, left, &n);
        stream->sent += code ? 0 : n;
    }
    stream->blocked = stream->blocked || code == CURLE_AGAIN;
    return code == CURLE_AGAIN ? CURLE_OK : code;
}

/* Reads what there is.  The end of it is *ret_ended. */
static CURLcode stream_read(http_stream *stream, bool *ret_ended)
{
    char room[STREAM_READ];
    CURLcode code = CURLE_OK;
    size_t n = 1;

    for (int i = 0; i < STREAM_READS && !stream->paused; i++) {
        code = curl_easy_recv(stream->request->easy, room, sizeof room, &n);
        *ret_ended = !code && !n;
        if (code || !n)
            break;
        stream->options.on_bytes(stream->options.context, room, n);
        if (!stream->request)
            return CURLE_OK;
    }
    if (code == CURLE_AGAIN)
        return CURLE_OK;
    if (!code && n && !stream->paused)
        hf_http_client_do_soon(stream->request);
    return code;
}

static void stream_fail(http_stream *stream, CURLcode code)
{
    http_request *request = stream->request;

    hf_http_request_finish(request, hf_http_error_of(request, code));
}

/* Reads and writes.  A callback may end the stream, or the client: neither is freed before it is
 * settled. */
static void stream_go_on(http_stream *stream)
{
    http_client *client = stream->client;
    bool ended = false;
    CURLcode code;

    client->depth++;
    code = stream->failure ? stream->failure : stream_read(stream, &ended);
    if (stream->request && !code)
        code = stream_flush(stream);
    if (stream->request && !code && !ended && stream->blocked && !hf_http_stream_unsent(stream)) {
        stream->blocked = false;
        if (stream->options.on_writable)
            stream->options.on_writable(stream->options.context);
    }
    if (stream->request && code)
        stream_fail(stream, code);
    else if (stream->request && ended)
        hf_http_request_finish(stream->request, HTTP_OK);
    if (stream->request)
        stream_watch(stream);
    client->depth--;
}

static void stream_on_ready(uv_poll_t *poll, int status, int events)
{
    http_stream *stream = poll->data;
    http_client *client = stream->client;

    (void)events;
    /* An error is found by reading; libuv has stopped at it. */
    if (status < 0)
        stream->events = 0;
    if (stream->request)
        stream_go_on(stream);
    hf_http_client_settle(client);
}

void hf_http_stream_continue(http_stream *stream)
{
    if (stream->open)
        stream_go_on(stream);
}

/* ---- the beginning and the end ---- */

void hf_http_stream_connected(http_stream *stream)
{
    http_client *client = stream->client;
    http_request *request = stream->request;
    curl_socket_t socket = CURL_SOCKET_BAD;

    hf_http_request_enter(request, PHASE_STREAM);
    if (curl_easy_getinfo(request->easy, CURLINFO_ACTIVESOCKET, &socket) ||
        socket == CURL_SOCKET_BAD || client->uv->poll_init(client->loop, &stream->poll, socket)) {
        hf_http_request_finish(request, HTTP_NO_MEMORY);
        return;
    }
    client->handles++;
    stream->poll.data = stream;
    stream->polls = stream->open = true;
    stream_watch(stream);
    /* The server may have begun to speak, and TLS may have its bytes. */
    hf_http_client_do_soon(stream->request);
    if (stream->options.on_open)
        stream->options.on_open(stream->options.context);
}

/* Before libcurl closes the socket. */
void hf_http_stream_stop(http_stream *stream)
{
    stream->open = false;
    if (stream->polls)
        stream->client->uv->close((uv_handle_t *)&stream->poll, stream_on_poll_closed);
}

static void stream_on_end(void *context, const struct http_end *end)
{
    http_stream *stream = context;

    stream->request = NULL;
    if (stream->options.on_end)
        stream->options.on_end(stream->options.context, end);
    if (!stream->polls)
        stream_release(stream);
}

http_stream *hf_http_stream_open(http_client *client, const struct http_stream_options *options,
                                 haft_reason *reterr_reason)
{
    const haft_allocator *allocator = client->allocator;
    http_stream *stream = allocator->alloc(allocator->context, sizeof *stream);

    if (!stream) {
        hf_http_client_refuse(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    memset(stream, 0, sizeof *stream);
    stream->client = client;
    stream->options = *options;
    if (!stream->options.max_unsent)
        stream->options.max_unsent = STREAM_UNSENT;
    stream->request = hf_http_request_start_libcurl(
        client,
        &(struct http_request_options){.url = options->url,
                                       .unix_socket = options->unix_socket,
                                       .connect_ms = options->connect_ms,
                                       .tls_ms = options->tls_ms,
                                       .total_ms = UINT32_MAX,
                                       .on_end = stream_on_end,
                                       .context = stream},
        reterr_reason);
    if (!stream->request) {
        stream_release(stream);
        return NULL;
    }
    if (!hf_http_setup_connect_only(stream->request->easy)) {
        stream->options.on_end = NULL;
        hf_http_request_finish(stream->request, HTTP_NO_MEMORY);
        hf_http_client_refuse(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        return NULL;
    }
    stream->request->stream = stream;
    return stream;
}

/* ---- what its owner asks for ---- */

int hf_http_stream_send(http_stream *stream, const char *bytes, size_t size)
{
    size_t unsent = hf_http_stream_unsent(stream);
    int status;

    if (!stream->open)
        return stream->request ? HAFT_EBUSY : HAFT_ECLOSED;
    if (size > stream->options.max_unsent || unsent > stream->options.max_unsent - size)
        return HAFT_ETOOBIG;
    status = stream_bytes_add(stream->client, &stream->queued, bytes, size);
    if (status)
        return status;
    /* libcurl is not entered from its own callbacks. */
    if (stream->client->depth) {
        stream->blocked = true;
        hf_http_client_do_soon(stream->request);
        return 0;
    }
    stream->client->depth++;
    stream->failure = stream->failure ? stream->failure : stream_flush(stream);
    stream->client->depth--;
    if (stream->failure)
        hf_http_client_do_soon(stream->request);
    stream_watch(stream);
    return 0;
}

void hf_http_stream_pause(http_stream *stream)
{
    stream->paused = true;
    if (stream->open)
        stream_watch(stream);
}

void hf_http_stream_resume(http_stream *stream)
{
    stream->paused = false;
    if (!stream->open)
        return;
    stream_watch(stream);
    hf_http_client_do_soon(stream->request);
}

void hf_http_stream_close(http_stream *stream)
{
    if (stream->request)
        hf_http_request_cancel(stream->request);
}
