/* stdio/lines.h - messages out of a stream of bytes: one a line.
 *
 * Bytes are read straight into the room that hf_lines_room gives, however they were cut up on their
 * way.  LF ends a line and CR LF too; blank lines and a byte order mark at the very start are
 * passed over. */
#ifndef HAFT_SRC_LINES_H
#define HAFT_SRC_LINES_H

#include "base/base.h"

struct lines {
    char *data;
    size_t start, end, capacity; /* what has not been taken yet is from start to end */
    size_t searched;             /* no line end before this */
    size_t limit;                /* of a line without its end */
    size_t lost;                 /* bytes of the line that is too long, so far */
    bool skipping, reported;     /* to the end of that line; it has been reported */
    bool begun;                  /* the first line has been taken */
    bool brimful;                /* the latest read left no room */
    const haft_allocator *allocator;
};

void hf_lines_init(struct lines *lines, const haft_allocator *allocator, size_t limit);
void hf_lines_finish(struct lines *lines);

/* Where to read to; *ret_size is never 0.  NULL without any memory at all. */
char *hf_lines_room(struct lines *lines, size_t *ret_size);
/* So many bytes were read there. */
void hf_lines_filled(struct lines *lines, size_t size);
/* How many have not been taken yet. */
size_t hf_lines_left(const struct lines *lines);

/* The next line, which lives until more is read: 1; 0 when there is no whole one; HAFT_ETOOBIG,
 * once for each line that is over the limit, with its size as far as it is known in *ret_size.
 * `last`: nothing more will come, so what is left is a line. */
int hf_lines_next(struct lines *lines, bool last, const char **ret_line, size_t *ret_size);

#endif
