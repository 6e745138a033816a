/* protocol/header.h - HTTP headers as pairs of a name and a value: finding those that matter, copying
 * them, and whether one can be written. */
#ifndef HAFT_SRC_HEADER_H
#define HAFT_SRC_HEADER_H

#include <haft/engine.h>
#include <string.h>

#include "base/base.h"

/* One header, where a list of one is wanted. */
#define HEADER(name, value) (&(const haft_header){name, value})

/* Whether the server refuses a request in which a header occurs twice: two readers of such a request
 * could each believe another value. */
enum header_count { HEADER_REPEATS, HEADER_ONCE };

/* The headers of requests that haft reads itself: their members in the index, and their names as
 * NAME_KEY needs them. */
#define HEADERS_READ(X)                                                                            \
    X(accept, 'a', "accept", HEADER_REPEATS)                                                       \
    X(content_type, 'c', "content-type", HEADER_ONCE)                                              \
    X(host, 'h', "host", HEADER_ONCE)                                                              \
    X(last_event_id, 'l', "last-event-id", HEADER_ONCE)                                            \
    X(mcp_method, 'm', "mcp-method", HEADER_ONCE)                                                  \
    X(mcp_name, 'm', "mcp-name", HEADER_ONCE)                                                      \
    X(mcp_protocol_version, 'm', "mcp-protocol-version", HEADER_ONCE)                              \
    X(mcp_session_id, 'm', "mcp-session-id", HEADER_ONCE)                                          \
    X(origin, 'o', "origin", HEADER_ONCE)                                                          \
    X(traceparent, 't', "traceparent", HEADER_REPEATS)                                             \
    X(tracestate, 't', "tracestate", HEADER_REPEATS)

/* Their values, of several the first, without the blanks around it; NULL data for one that is absent.
 * They are those of the list it was made of, and last as long. */
struct haft_header_index {
#define HEADER_VALUE_(member, first, name, count) struct text member;
    HEADERS_READ(HEADER_VALUE_)
#undef HEADER_VALUE_
};

void hf_headers_index(const haft_header *headers, size_t n, struct haft_header_index *ret_index);

/* The same as haft_header_find, without the blanks around it; NULL data for none.  `ret_again`: there
 * is another of that name. */
struct text hf_header_get(const haft_header *headers, size_t n, const char *name, bool *ret_again);

/* Copies of all of them; NULL without memory, never for none. */
haft_header *hf_headers_copy(haft_arena *arena, const haft_header *headers, size_t n);

/* Whether it may be written: a reader would take text after a line end for a second header. */
bool hf_header_name_is_valid(const char *name);
bool hf_header_value_is_valid(const char *value, size_t size);

#endif
