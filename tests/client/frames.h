/* client/frames.h - a transport in one file: each message is a frame, four bytes with its size (the
 * most significant first) and its text, on a connected socket that does not block.
 *
 * It knows nothing of sessions and clients.  Whoever owns one of these calls frames_wait again and
 * again: a client does that by itself, the owner of a session in its loop. */
#ifndef HAFT_TESTS_FRAMES_H
#define HAFT_TESTS_FRAMES_H

#include <errno.h>
#include <fcntl.h>
#include <haft/transport.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FRAME_HEAD = 4, FRAME_READ = 4096, FRAMES_LIMIT = 64 << 20 };

struct frames {
    int fd;
    haft_receiver receiver; /* set by the owner before the first frames_wait */
    haft_buffer in, out;
    size_t max_frame;
    size_t max_unsent; /* a server's: over this, nothing is taken in */
    size_t skip;       /* bytes of a frame that is too long */
    bool ended;        /* and the receiver knows it */
    bool broken;       /* nothing can be sent */
    bool is_gone;      /* the session or the client is: the receiver must not be called */
    unsigned gone;     /* how often that was said */
};

static inline void frames_init(struct frames *frames, int fd, size_t max_frame)
{
    *frames = (struct frames){.fd = fd, .max_frame = max_frame};
    fcntl(fd, F_SETFL, O_NONBLOCK);
    haft_buffer_init(&frames->in, NULL, FRAMES_LIMIT);
    haft_buffer_init(&frames->out, NULL, FRAMES_LIMIT);
}

static inline void frames_finish(struct frames *frames)
{
    close(frames->fd);
    haft_buffer_finish(&frames->in);
    haft_buffer_finish(&frames->out);
}

static inline haft_time frames_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (haft_time)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void frames_drop(haft_buffer *buffer, size_t size)
{
    memmove(buffer->data, buffer->data + size, buffer->size - size);
    buffer->size -= size;
}

/* ---- out ---- */

static inline void frames_flush(struct frames *frames)
{
    while (frames->out.size && !frames->broken) {
        ssize_t n = send(frames->fd, frames->out.data, frames->out.size, MSG_NOSIGNAL);

        if (n > 0)
            frames_drop(&frames->out, (size_t)n);
        else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        else if (n < 0 && errno != EINTR)
            frames->broken = true;
    }
}

static inline void frames_send(void *context, const haft_outgoing *message)
{
    struct frames *frames = context;
    size_t size = message->size;
    char head[FRAME_HEAD] = {(char)(size >> 24), (char)(size >> 16), (char)(size >> 8), (char)size};

    haft_buffer_add(&frames->out, head, sizeof head);
    haft_buffer_add(&frames->out, message->text, size);
    frames->broken = frames->broken || frames->out.status;
    frames_flush(frames);
}

/* ---- in ---- */

/* Hands in one frame; false when there is no whole one. */
static inline bool frames_take(struct frames *frames, haft_time now)
{
    const unsigned char *head = (const unsigned char *)frames->in.data;
    size_t size;

    if (frames->skip) {
        size = frames->skip < frames->in.size ? frames->skip : frames->in.size;
        frames->skip -= size;
        frames_drop(&frames->in, size);
    }
    if (frames->is_gone || frames->skip || frames->in.size < FRAME_HEAD)
        return false;
    size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    if (size > frames->max_frame) {
        frames->skip = FRAME_HEAD + size;
        frames->receiver.too_long(frames->receiver.context, size, NULL);
        return true;
    }
    if (frames->in.size < FRAME_HEAD + size)
        return false;
    frames->receiver.message(frames->receiver.context, frames->in.data + FRAME_HEAD, size, NULL,
                             now);
    frames_drop(&frames->in, FRAME_HEAD + size);
    return true;
}

static inline void frames_read(struct frames *frames)
{
    char bytes[FRAME_READ];
    ssize_t n = recv(frames->fd, bytes, sizeof bytes, 0);

    if (n > 0)
        haft_buffer_add(&frames->in, bytes, (size_t)n);
    else if (!n || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        frames->broken = true;
}

/* A client that does not read is not read either.  A client itself always reads, or both would wait
 * for each other. */
static inline haft_time frames_wait(void *context, unsigned milliseconds)
{
    struct frames *frames = context;
    struct pollfd fd = {.fd = frames->fd};

    frames_flush(frames);
    fd.events =
        (short)((!frames->max_unsent || frames->out.size < frames->max_unsent ? POLLIN : 0) |
                (frames->out.size ? POLLOUT : 0));
    if (!frames->broken && poll(&fd, 1, (int)milliseconds) == 1 &&
        fd.revents & (POLLIN | POLLHUP | POLLERR))
        frames_read(frames);
    while (frames_take(frames, frames_now()))
        ;
    frames_flush(frames);
    if (frames->broken && !frames->ended && !frames->is_gone) {
        frames->ended = true;
        frames->receiver.closed(frames->receiver.context, NULL);
    }
    return frames_now();
}

/* ---- what sessions and clients are given ---- */

static inline void frames_close(void *context)
{
    struct frames *frames = context;

    frames->is_gone = true;
    frames->gone++;
}

static inline haft_transport frames_transport(struct frames *frames)
{
    return (haft_transport)HAFT_INIT(haft_transport, .send = frames_send, .wait = frames_wait,
                                     .close = frames_close, .context = frames);
}

#endif
