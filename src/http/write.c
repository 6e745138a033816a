/* write.c - writes to a socket, in pieces.
 *
 * A small response is one write. A longer one, or data that the socket does not accept, is copied
 * and written in pieces, one per turn of the loop, so that other clients are served in between. A
 * connection that fails here is marked and closed later by the loop, since the caller may be using
 * it. */
#include <string.h>

#include "http/http.h"
#include "http/secure.h"
#include "protocol/http_status.h"

enum {
    JOINED = 2048,      /* small parts: copying them is faster than a gathering write */
    WRITE_BLOCK = 4096, /* minimum size of a block, so that small parts share one */
    GATHERED = 4,       /* blocks per write: as many as libuv handles without allocating */
    FLOOD = 8 << 20     /* maximum lag of a stream's reader in one turn */
};

/* Data to be written. */
struct block {
    struct block *next;
    size_t start, end, room;
    bool plain; /* to be encrypted */
    char bytes[];
};

static void doom(struct connection *c)
{
    c->doomed = true;
    hf_http_later(c);
}

/* ---- the queue ---- */

static void drop_block(struct connection *c)
{
    const haft_allocator *allocator = c->http->allocator;
    struct block *block = c->first_block;

    c->first_block = block->next;
    if (!c->first_block)
        c->last_block = NULL;
    allocator->release(allocator->context, block, sizeof *block + block->room);
}

void hf_connection_drop_unsent(struct connection *c)
{
    while (c->first_block)
        drop_block(c);
    c->unsent = c->handed = 0;
}

/* Makes room for `size` bytes after the queued ones; NULL without memory. */
static char *add_room(struct connection *c, size_t size, bool plain)
{
    const haft_allocator *allocator = c->http->allocator;
    struct block *block = c->last_block;

    if (!block || block->plain != plain || block->room - block->end < size) {
        size_t room = size > WRITE_BLOCK ? size : WRITE_BLOCK;

        block = allocator->alloc(allocator->context, sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct block){.room = room, .plain = plain};
        if (c->last_block)
            c->last_block->next = block;
        else
            c->first_block = block;
        c->last_block = block;
    }
    block->end += size;
    c->unsent += size;
    return block->bytes + block->end - size;
}

/* Removes written bytes from the queue. */
static void take_off(struct connection *c, size_t size)
{
    c->unsent -= size;
    while (size) {
        struct block *block = c->first_block;
        size_t n = block->end - block->start;

        if (size < n) {
            block->start += size;
            return;
        }
        size -= n;
        drop_block(c);
    }
}

/* ---- encrypting ---- */

/* Encrypts data to the buffer of the loop. */
static bool seal_now(struct connection *c, const uv_buf_t *bufs, unsigned n, uv_buf_t *ret_sealed)
{
    struct secure *secure = c->http->secure;
    struct tls_output sealed = {.to = secure->sealed, .room = sizeof secure->sealed};
    int status = hf_secure_seal(c, bufs, n, &sealed);

    *ret_sealed = uv_buf_init(sealed.to, (unsigned)sealed.size);
    return !status;
}

/* Replaces the first piece of the queue, which is not encrypted, with its records. */
static bool seal_front(struct connection *c)
{
    const haft_allocator *allocator = c->http->allocator;
    struct block *block, *sealed;
    uv_buf_t bufs[GATHERED], all;
    size_t size = 0;
    unsigned n = 0;

    for (block = c->first_block; block && block->plain && n < GATHERED && size < PIECE;
         block = block->next) {
        size_t part = block->end - block->start;

        part = part < PIECE - size ? part : PIECE - size;
        bufs[n++] = uv_buf_init(block->bytes + block->start, (unsigned)part);
        size += part;
    }
    if (!seal_now(c, bufs, n, &all))
        return false;
    sealed = allocator->alloc(allocator->context, sizeof *sealed + all.len);
    if (!sealed)
        return false;
    *sealed = (struct block){.end = all.len, .room = all.len};
    memcpy(sealed->bytes, all.base, all.len);
    take_off(c, size);
    sealed->next = c->first_block;
    c->first_block = sealed;
    if (!c->last_block)
        c->last_block = sealed;
    c->unsent += all.len;
    return true;
}

/* ---- writing ---- */

static void write_on_written(uv_write_t *request, int status);

void hf_connection_write_piece(struct connection *c)
{
    uv_buf_t bufs[GATHERED];
    unsigned n = 0;

    if (!c->unsent || c->handed || uv_is_closing(&c->io.handle))
        return;
    if (c->first_block->plain && !seal_front(c)) {
        doom(c);
        return;
    }
    for (struct block *block = c->first_block;
         block && !block->plain && n < GATHERED && c->handed < PIECE; block = block->next) {
        size_t size = block->end - block->start;

        size = size < PIECE - c->handed ? size : PIECE - c->handed;
        bufs[n++] = uv_buf_init(block->bytes + block->start, (unsigned)size);
        c->handed += size;
    }
    c->to_socket.write.data = c;
    if (uv_write(&c->to_socket.write, &c->io.stream, bufs, n, write_on_written)) {
        c->handed = 0;
        doom(c);
    }
}

static void write_on_written(uv_write_t *request, int status)
{
    struct connection *c = request->data;
    size_t size = c->handed;

    c->handed = 0;
    if (uv_is_closing(&c->io.handle))
        return;
    if (status < 0) {
        hf_connection_abort(c);
        return;
    }
    take_off(c, size);
    if (c->unsent)
        hf_turn_continue(c);
    else if (c->stage == STAGE_CLOSING)
        hf_connection_finish(c);
    else
        hf_http_later(c);
}

/* Copies the data after `skip` bytes, to be written when the socket accepts it. */
static void queue(struct connection *c, const uv_buf_t *bufs, unsigned n, size_t size, size_t skip,
                  bool plain)
{
    char *to = add_room(c, size - skip, plain);

    if (!to) {
        doom(c);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        size_t from = skip < bufs[i].len ? skip : bufs[i].len;

        skip -= from;
        memcpy(to, bufs[i].base + from, bufs[i].len - from);
        to += bufs[i].len - from;
    }
    if (!c->continues_later)
        hf_connection_write_piece(c);
}

/* uv_try_write for small parts. */
static int write_joined(struct connection *c, const uv_buf_t *bufs, unsigned n)
{
    char joined[JOINED];
    uv_buf_t all = uv_buf_init(joined, 0);

    for (unsigned i = 0; i < n; i++) {
        memcpy(joined + all.len, bufs[i].base, bufs[i].len);
        all.len += bufs[i].len;
    }
    return uv_try_write(&c->io.stream, &all, 1);
}

/* Whether the reader of its stream is too slow. A single long message, and data not yet offered to
 * the socket, do not count. */
static bool is_deaf(const struct connection *c, size_t behind)
{
    return !c->doomed && behind > c->http->options.max_unsent &&
           (uv_stream_get_write_queue_size(&c->io.stream) || behind > FLOOD);
}

void hf_connection_put(struct connection *c, const uv_buf_t *bufs, unsigned n)
{
    size_t size = 0, done = 0, behind = c->unsent;
    bool plain = c->tls;
    uv_buf_t sealed;
    int written;

    if (c->stage == STAGE_CLOSING || c->doomed)
        return;
    for (unsigned i = 0; i < n; i++)
        size += bufs[i].len;
    hf_turn_spend(c, size);
    if (!behind && plain && size <= PIECE) {
        if (!seal_now(c, bufs, n, &sealed)) {
            doom(c);
            return;
        }
        bufs = &sealed;
        size = sealed.len;
        n = 1;
        plain = false;
    }
    if (!behind && !plain && size <= (c->tls ? SECURE_SEALED : PIECE)) {
        written = n > 1 && size <= JOINED ? write_joined(c, bufs, n)
                                          : uv_try_write(&c->io.stream, bufs, n);
        if (written < 0 && written != UV_EAGAIN) {
            doom(c);
            return;
        }
        done = written > 0 ? (size_t)written : 0;
    }
    if (done < size)
        queue(c, bufs, n, size, done, plain);
    if (c->streaming && is_deaf(c, behind)) {
        hf_server_log(c->http->server, HAFT_WARNING, "closing a stream: its client does not read");
        doom(c);
    }
}

/* Queues records before the data that is not encrypted yet. */
static bool insert_sealed(struct connection *c, const char *bytes, size_t size)
{
    const haft_allocator *allocator = c->http->allocator;
    struct block **link = &c->first_block,
                 *block = allocator->alloc(allocator->context, sizeof *block + size);

    if (!block)
        return false;
    while (*link && !(*link)->plain)
        link = &(*link)->next;
    *block = (struct block){.next = *link, .end = size, .room = size};
    memcpy(block->bytes, bytes, size);
    *link = block;
    if (!block->next)
        c->last_block = block;
    c->unsent += size;
    return true;
}

void hf_connection_put_sealed(struct connection *c, const char *bytes, size_t size)
{
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)size);
    int written = c->unsent ? 0 : uv_try_write(&c->io.stream, &buf, 1);
    size_t done = written > 0 ? (size_t)written : 0;

    if (c->doomed || done == size)
        return;
    if ((written != UV_EAGAIN && written < 0) || !insert_sealed(c, bytes + done, size - done))
        doom(c);
    else if (!c->continues_later)
        hf_connection_write_piece(c);
}

/* ---- responses ---- */

/* A response head, written as far as there is room; its size is correct in any case. */
struct head {
    char *to;
    size_t size, room;
};

/* A header that contains a line break is omitted. */
static void head_add_headers(struct head *head, const haft_header *headers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t name = strlen(headers[i].name), value = strlen(headers[i].value);
        char *to;

        if (!hf_header_value_is_valid(headers[i].value, value))
            continue;
        head->size += name + value + 4;
        if (head->size > head->room)
            continue;
        to = head->to + head->size - (name + value + 4);
        memcpy(to, headers[i].name, name);
        memcpy(to + name, ": ", 2);
        memcpy(to + name + 2, headers[i].value, value);
        memcpy(to + name + 2 + value, "\r\n", 2);
    }
}

void hf_connection_put_response(struct connection *c, const haft_response *response,
                                const haft_header *more, size_t n_more, const char *tail,
                                size_t tail_size, size_t size)
{
    const haft_allocator *allocator = c->http->allocator;
    char room[JOINED];
    struct head head = {.to = room, .room = sizeof room};
    uv_buf_t bufs[2];

    for (;;) {
        head.size = hf_http_status_put_line(response->status, head.to);
        head_add_headers(&head, more, n_more);
        head_add_headers(&head, response->headers, response->n_headers);
        head.size += tail_size;
        if (head.size <= head.room)
            break;
        head = (struct head){.room = head.size};
        head.to = allocator->alloc(allocator->context, head.room);
        if (!head.to) {
            doom(c);
            return;
        }
    }
    memcpy(head.to + head.size - tail_size, tail, tail_size);
    if (size && head.to == room && size <= sizeof room - head.size) {
        memcpy(room + head.size, response->body, size);
        head.size += size;
        size = 0;
    }
    bufs[0] = uv_buf_init(head.to, (unsigned)head.size);
    bufs[1] = uv_buf_init((char *)(uintptr_t)response->body, (unsigned)size);
    hf_connection_put(c, bufs, size ? 2 : 1);
    if (head.to != room)
        allocator->release(allocator->context, head.to, head.room);
}
