/* scan.h - where things are in a JSON text, for those who change a part of it and keep the rest byte
 * for byte.
 *
 * The text has been parsed before: nothing here checks that it is valid JSON. */
#ifndef HAFT_SCAN_H
#define HAFT_SCAN_H

#include "base/base.h"

/* Bytes of a text: from `start` up to `end`. */
struct scan_range {
    size_t start, end;
};

struct scan_member {
    struct scan_range key; /* with its quotes */
    struct scan_range value;
};

/* The value that begins at or after `at`, behind white space. */
struct scan_range scan_value(const char *text, size_t size, size_t at);

/* The next member of an object: *at is the offset after its { first, and is moved on.  False after
 * the last. */
bool scan_next_member(const char *text, size_t size, size_t *at, struct scan_member *ret_member);

/* The same for the items of an array. */
bool scan_next_item(const char *text, size_t size, size_t *at, struct scan_range *ret_item);

/* The member of that name of the object that begins at `object`; false when there is none. */
bool scan_find(const char *text, size_t size, size_t object, const char *name,
               struct scan_member *ret_member);

/* Appends the text with that part replaced. */
void scan_replace(haft_buffer *out, const char *text, size_t size, struct scan_range part,
                  const char *with, size_t with_size);

#endif
