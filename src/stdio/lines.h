/* stdio/lines.h - splits a byte stream into messages, one per line.
 *
 * Bytes are read directly into the memory that hf_lines_room returns. LF or CR LF end a line; blank
 * lines and a byte order mark at the start are skipped. */
#ifndef HAFT_SRC_LINES_H
#define HAFT_SRC_LINES_H

#include "base/base.h"

struct lines {
    char *data;
    size_t start, end, capacity; /* unread data is from start to end */
    size_t searched;             /* there is no line end before this */
    size_t limit;                /* maximum length of a line */
    size_t lost;                 /* bytes of the too long line so far */
    bool skipping, reported;     /* to the end of that line; it has been reported */
    bool begun;                  /* the first line has been read */
    bool brimful;                /* the latest read filled the buffer */
    const haft_allocator *allocator;
};

void hf_lines_init(struct lines *lines, const haft_allocator *allocator, size_t limit);
void hf_lines_finish(struct lines *lines);

/* Returns where to read to; *ret_size is never 0. NULL without any memory. */
char *hf_lines_room(struct lines *lines, size_t *ret_size);
/* Tells that `size` bytes were read there. */
void hf_lines_filled(struct lines *lines, size_t size);
/* The number of unread bytes. */
size_t hf_lines_left(const struct lines *lines);

/* Returns 1 with the next line, which is valid until more is read; 0 if there is no complete one;
 * or HAFT_ETOOBIG, once per line over the limit, with its size so far in *ret_size. `last`: the
 * input has ended, so the remainder is a line. */
int hf_lines_next(struct lines *lines, bool last, const char **ret_line, size_t *ret_size);

#endif
