/* stdio/writer.h - pending output: complete lines, in order.
 *
 * Nothing here blocks. Data that a descriptor does not accept now is kept; callers check
 * hf_writer_is_full and then stop producing. */
#ifndef HAFT_SRC_WRITER_H
#define HAFT_SRC_WRITER_H

#include "base/base.h"

struct chunk;

struct writer {
    int fd;
    struct chunk *first, *last, *spare;
    size_t bytes, messages;         /* not yet written */
    size_t max_bytes, max_messages; /* above either it is full, until half is left */
    bool full;
    const haft_allocator *allocator;
};

void hf_writer_init(struct writer *writer, const haft_allocator *allocator, int fd,
                    size_t max_bytes, size_t max_messages);
void hf_writer_finish(struct writer *writer);

/* Adds a message and a line end. Returns 0, or HAFT_ENOMEM if nothing was added. */
int hf_writer_add(struct writer *writer, const char *text, size_t size);

/* Writes as much as possible without blocking. Returns 1 if everything was written, 0 if the rest
 * must wait, HAFT_ECLOSED if nobody reads, or HAFT_EFAIL with errno for any other error. */
int hf_writer_flush(struct writer *writer);

/* Whether the limit is reached; false again when half has been written. */
bool hf_writer_is_full(struct writer *writer);

#endif
