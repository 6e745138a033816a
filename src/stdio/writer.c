/* writer.c - a list of chunks into which messages are copied one after the other, so that many
 * small messages are written by one system call and a large one is never moved again.
 *
 * A chunk counts the messages that end in it, so that they can be counted as it is written. */
#include "stdio/writer.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CHUNK = 64 << 10, VECTORS = 32 };

struct chunk {
    struct chunk *next;
    size_t start, end, capacity;
    size_t messages; /* number of messages that end in it */
    char data[];
};

void hf_writer_init(struct writer *writer, const haft_allocator *allocator, int fd,
                    size_t max_bytes, size_t max_messages)
{
    *writer = (struct writer){.fd = fd,
                              .max_bytes = max_bytes,
                              .max_messages = max_messages,
                              .allocator = hf_allocator_or_default(allocator)};
}

static void chunk_free(struct writer *writer, struct chunk *chunk)
{
    if (chunk)
        writer->allocator->release(writer->allocator->context, chunk,
                                   sizeof *chunk + chunk->capacity);
}

void hf_writer_finish(struct writer *writer)
{
    while (writer->first) {
        struct chunk *chunk = writer->first;

        writer->first = chunk->next;
        chunk_free(writer, chunk);
    }
    chunk_free(writer, writer->spare);
    writer->spare = writer->last = NULL;
    writer->bytes = writer->messages = 0;
}

static struct chunk *chunk_new(struct writer *writer, size_t size)
{
    const haft_allocator *allocator = writer->allocator;
    struct chunk *chunk = writer->spare;

    if (chunk && chunk->capacity >= size) {
        writer->spare = NULL;
    } else {
        size_t capacity = size > CHUNK ? size : CHUNK;

        chunk = allocator->alloc(allocator->context, sizeof *chunk + capacity);
        if (!chunk)
            return NULL;
        chunk->capacity = capacity;
    }
    chunk->next = NULL;
    chunk->start = chunk->end = chunk->messages = 0;
    return chunk;
}

static void writer_append(struct chunk *chunk, const char *bytes, size_t size)
{
    memcpy(chunk->data + chunk->end, bytes, size);
    chunk->end += size;
}

int hf_writer_add(struct writer *writer, const char *text, size_t size)
{
    struct chunk *last = writer->last, *next = NULL;
    size_t room = last ? last->capacity - last->end : 0;
    size_t here = room < size ? room : size;

    if (!last || room < size + 1) {
        next = chunk_new(writer, size - here + 1);
        if (!next)
            return HAFT_ENOMEM;
    }
    if (here)
        writer_append(last, text, here);
    if (next) {
        writer_append(next, text + here, size - here);
        if (last)
            last->next = next;
        else
            writer->first = next;
        writer->last = last = next;
    }
    writer_append(last, "\n", 1);
    last->messages++;
    writer->bytes += size + 1;
    writer->messages++;
    return 0;
}

static void chunk_done(struct writer *writer, struct chunk *chunk)
{
    writer->first = chunk->next;
    if (!writer->first)
        writer->last = NULL;
    writer->messages -= chunk->messages;
    if (!writer->spare && chunk->capacity == CHUNK)
        writer->spare = chunk;
    else
        chunk_free(writer, chunk);
}

static void count_off(struct writer *writer, size_t written)
{
    writer->bytes -= written;
    while (written) {
        struct chunk *chunk = writer->first;
        size_t left = chunk->end - chunk->start;

        if (written < left) {
            chunk->start += written;
            return;
        }
        written -= left;
        chunk_done(writer, chunk);
    }
}

int hf_writer_flush(struct writer *writer)
{
    while (writer->first) {
        struct iovec vectors[VECTORS];
        int n = 0;
        ssize_t written;

        for (struct chunk *chunk = writer->first; chunk && n < VECTORS; chunk = chunk->next, n++) {
            vectors[n].iov_base = chunk->data + chunk->start;
            vectors[n].iov_len = chunk->end - chunk->start;
        }
        written = writev(writer->fd, vectors, n);
        if (written >= 0)
            count_off(writer, (size_t)written);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return 0;
        else if (errno == EPIPE)
            return HAFT_ECLOSED;
        else if (errno != EINTR)
            return HAFT_EFAIL;
    }
    return 1;
}

bool hf_writer_is_full(struct writer *writer)
{
    size_t part = writer->full ? 2 : 1;

    writer->full = writer->bytes >= writer->max_bytes / part ||
                   writer->messages >= writer->max_messages / part;
    return writer->full;
}
