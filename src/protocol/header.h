/* protocol/header.h - HTTP headers as pairs of a name and a value: finding one, copying them, and
 * whether one can be written. */
#ifndef HAFT_SRC_HEADER_H
#define HAFT_SRC_HEADER_H

#include <haft/engine.h>
#include <string.h>

#include "base/base.h"

/* An index is a slot for each of so many hashes of names: the number of the first header with it,
 * counted from 1; 0 for none. */
enum { HEADER_SLOTS = 64 };

/* One header, where a list of one is wanted. */
#define HEADER(name, value) (&(const haft_header){name, value})

/* The same for capitals and small letters; those that are common have different ones. */
static inline size_t header_slot(const char *name, size_t size)
{
    size_t first = (unsigned char)name[0] | 0x20, last = (unsigned char)name[size - 1] | 0x20;

    return (size + first * last) % HEADER_SLOTS;
}

/* The same as haft_header_find, from the header of that number on; and how long the value is. */
const char *hf_header_find_from(const haft_header *headers, size_t n, size_t first,
                                const char *name, size_t *ret_size);

/* The same by an index, which may be NULL; the name is not empty. */
static inline const char *header_find(const haft_header *headers, size_t n,
                                      const unsigned char *index, const char *name,
                                      size_t *ret_size)
{
    size_t first = index ? index[header_slot(name, strlen(name))] : 1;

    return first ? hf_header_find_from(headers, n, first - 1, name, ret_size) : NULL;
}

/* How many there are of that name. */
size_t hf_header_count(const haft_header *headers, size_t n, const char *name);

/* Copies of all of them; NULL without memory, never for none. */
haft_header *hf_headers_copy(haft_arena *arena, const haft_header *headers, size_t n);

/* Whether it may be written: a line end in it would be a second header to whoever reads it. */
bool hf_header_name_is_valid(const char *name);
bool hf_header_value_is_valid(const char *value, size_t size);

#endif
