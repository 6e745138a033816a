/* scan.h - finds the offsets of values in a JSON text, for changing a part of it and keeping the
 * rest byte for byte.
 *
 * The text must have been parsed before: these functions do not validate it. */
#ifndef HAFT_SCAN_H
#define HAFT_SCAN_H

#include "base/base.h"

/* A range of bytes: from `start` up to `end`. */
struct scan_range {
    size_t start, end;
};

struct scan_member {
    struct scan_range key; /* with its quotes */
    struct scan_range value;
};

/* The value that starts at `at`, after white space. */
struct scan_range scan_value(const char *text, size_t size, size_t at);

/* The next member of an object: *at is initially the offset after its {, and is advanced. Returns
 * false after the last. */
bool scan_next_member(const char *text, size_t size, size_t *at, struct scan_member *ret_member);

/* The same for the items of an array. */
bool scan_next_item(const char *text, size_t size, size_t *at, struct scan_range *ret_item);

/* Finds a member of the object that starts at `object`; returns false if there is none. */
bool scan_find(const char *text, size_t size, size_t object, const char *name,
               struct scan_member *ret_member);

/* Appends the text with that range replaced. */
void scan_replace(haft_buffer *out, const char *text, size_t size, struct scan_range part,
                  const char *with, size_t with_size);

#endif
