/* protocol/header.h - HTTP headers as pairs of a name and a value: finding those that matter, copying
 * them, and whether one can be written. */
#ifndef HAFT_SRC_HEADER_H
#define HAFT_SRC_HEADER_H

#include <haft/engine.h>
#include <string.h>

#include "base/base.h"

/* One header, where a list of one is wanted. */
#define HEADER(name, value) (&(const haft_header){name, value})

/* The headers of requests that haft reads itself, each with its first letter; no two have that and
 * their size in common. */
#define HEADERS_READ(X)                                                                            \
    X(accept, 'a', "accept")                                                                       \
    X(content_type, 'c', "content-type")                                                           \
    X(host, 'h', "host")                                                                           \
    X(last_event_id, 'l', "last-event-id")                                                         \
    X(mcp_method, 'm', "mcp-method")                                                               \
    X(mcp_name, 'm', "mcp-name")                                                                   \
    X(mcp_protocol_version, 'm', "mcp-protocol-version")                                           \
    X(mcp_session_id, 'm', "mcp-session-id")                                                       \
    X(origin, 'o', "origin")                                                                       \
    X(traceparent, 't', "traceparent")                                                             \
    X(tracestate, 't', "tracestate")

/* Their values, of several the first, without the blanks around it; NULL data for one that is absent.
 * They are those of the list it was made of, and last as long. */
struct haft_header_index {
#define HEADER_VALUE_(member, first, name) struct text member;
    HEADERS_READ(HEADER_VALUE_)
#undef HEADER_VALUE_
};

void hf_headers_index(const haft_header *headers, size_t n, struct haft_header_index *ret_index);

/* The same as haft_header_find, without the blanks around it; NULL data for none.  `ret_again`: there
 * is another of that name. */
struct text hf_header_get(const haft_header *headers, size_t n, const char *name, bool *ret_again);

/* Copies of all of them; NULL without memory, never for none. */
haft_header *hf_headers_copy(haft_arena *arena, const haft_header *headers, size_t n);

/* Whether it may be written: a line end in it would be a second header to whoever reads it. */
bool hf_header_name_is_valid(const char *name);
bool hf_header_value_is_valid(const char *value, size_t size);

#endif
