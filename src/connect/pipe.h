/* connect/pipe.h - messages on two descriptors, one a line.
 *
 * uv_poll_t and our own reads and writes, not uv_stream_t: a write to a peer that is gone must not
 * raise SIGPIPE, and the program's signals and loop are not ours to change. */
#ifndef HAFT_SRC_CONNECT_PIPE_H
#define HAFT_SRC_CONNECT_PIPE_H

#include "connect/link.h"
#include "stdio/lines.h"
#include "stdio/writer.h"

struct connect_pipe;

/* One direction: a descriptor, and the handle that waits for it. */
struct connect_end {
    int fd; /* -1: closed */
    bool watched;
    uv_poll_t poll;
};

struct connect_pipe {
    struct connect_link *link;
    struct connect_end in, out;
    struct lines lines;
    struct writer writer;
    uv_prepare_t turn; /* active: something was written in this turn of the loop */
    bool has_turn;
    bool used;    /* something was sent */
    bool broken;  /* the peer does not read any more, */
    bool stalled; /* although it could */
    void *owner;  /* for the callbacks */
    /* A line, HAFT_ETOOBIG with its size, or no memory. */
    void (*on_line)(struct connect_pipe *pipe, int status, const char *line, size_t size);
    void (*on_end)(struct connect_pipe *pipe);    /* of the input; nothing follows */
    void (*on_broken)(struct connect_pipe *pipe); /* may be NULL */
    void (*on_closed)(struct connect_pipe *pipe); /* a handle has closed; may be NULL */
};

/* Takes over the descriptors; out may be -1. Returns 0 or an error of libuv. Either way the pipe must
 * be closed. */
int hf_connect_pipe_open(struct connect_pipe *pipe, struct connect_link *link, int in, int out);

/* Adds a message and a line end, and writes what it can. On the caller's loop, the first message of a
 * turn is written at once and the others together before the loop waits. Returns 0, HAFT_ENOMEM, or
 * HAFT_ECLOSED if nobody reads, or has not read for too long. */
int hf_connect_pipe_send(struct connect_pipe *pipe, const char *text, size_t size);

/* Closes one direction, or both. The handles close when the loop runs next; hf_connect_pipe_finish
 * then frees the buffers. */
void hf_connect_pipe_close_out(struct connect_pipe *pipe);
void hf_connect_pipe_close(struct connect_pipe *pipe);
bool hf_connect_pipe_is_closed(const struct connect_pipe *pipe);
void hf_connect_pipe_finish(struct connect_pipe *pipe);

/* Whether the peer has not read everything that was sent, or nothing was. */
bool hf_connect_pipe_is_unread(const struct connect_pipe *pipe);

#endif
