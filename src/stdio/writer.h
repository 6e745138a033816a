/* stdio/writer.h - what is to be written and has not been: whole lines, in the order they
 * came.
 *
 * Nothing here waits.  What a descriptor does not take now is kept; whoever adds looks at
 * hf_writer_is_full and stops making more. */
#ifndef HAFT_SRC_WRITER_H
#define HAFT_SRC_WRITER_H

#include "base/base.h"

struct chunk;

struct writer {
    int fd;
    struct chunk *first, *last, *spare;
    size_t bytes, messages;         /* that have not been written */
    size_t max_bytes, max_messages; /* over either it is full, until half is left */
    bool full;
    const haft_allocator *allocator;
};

void hf_writer_init(struct writer *writer, const haft_allocator *allocator, int fd,
                    size_t max_bytes, size_t max_messages);
void hf_writer_finish(struct writer *writer);

/* Adds a message and a line end.  0, or HAFT_ENOMEM: nothing of it was added. */
int hf_writer_add(struct writer *writer, const char *text, size_t size);

/* Writes what can be written now.  1 when everything has been, 0 when the rest must wait,
 * HAFT_ECLOSED when nobody reads any more. */
int hf_writer_flush(struct writer *writer);

/* Whether as much waits as may: false again when half of it has gone. */
bool hf_writer_is_full(struct writer *writer);

#endif
