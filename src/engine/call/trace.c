/* trace.c - the trace context of a call (W3C Trace Context).
 *
 * A request has `traceparent` and `tracestate` in its _meta, or else in its headers; the two are
 * never mixed. Malformed values are ignored. */
#include <string.h>

#include "base/hex.h"
#include "engine/call/trace.h"
#include "protocol/header.h"

enum { VERSION = 2, TRACE = 32, SPAN = 16, FLAGS = 2, PARENT = 55, MAX_STATES = 32, PART = 256 };
enum { KNOWN_FLAGS = 3 }; /* sampled, random trace id */

/* ---- traceparent ---- */

/* Whether the text is lower-case hexadecimal and not all zeros. */
static bool is_id(const char *text, size_t size)
{
    bool any = false;

    for (size_t i = 0; i < size; i++) {
        if (hex_lower_digit(text[i]) < 0)
            return false;
        any |= text[i] != '0';
    }
    return any;
}

/* "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; later versions may append more after a
 * dash. */
static bool read_parent(const char *text, size_t size, haft_trace *ret_trace)
{
    const char *trace = text + VERSION + 1, *span = trace + TRACE + 1, *flags = span + SPAN + 1;

    if (size < PARENT || hex_lower_digit(text[0]) < 0 || hex_lower_digit(text[1]) < 0 ||
        !memcmp(text, "ff", VERSION) || trace[-1] != '-' || span[-1] != '-' || flags[-1] != '-' ||
        !is_id(trace, TRACE) || !is_id(span, SPAN) || hex_lower_digit(flags[0]) < 0 ||
        hex_lower_digit(flags[1]) < 0)
        return false;
    if (size > PARENT && (!memcmp(text, "00", VERSION) || text[PARENT] != '-'))
        return false;
    memcpy(ret_trace->trace_id, trace, TRACE);
    memcpy(ret_trace->parent_id, span, SPAN);
    ret_trace->flags = (unsigned char)hex_byte(flags[0], flags[1]);
    return true;
}

/* ---- tracestate ---- */

static bool is_key(const char *text, size_t size)
{
    if (!size || size > PART || !((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9')))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9') ||
              (text[i] && strchr("_-*/@", text[i]))))
            return false;
    return true;
}

static bool is_value(const char *text, size_t size)
{
    if (!size || size > PART || text[size - 1] == ' ')
        return false;
    for (size_t i = 0; i < size; i++)
        if (text[i] < 0x20 || text[i] > 0x7E || text[i] == '=')
            return false;
    return true;
}

/* key=value; empty members between commas are allowed. */
static bool is_member(struct text member)
{
    const char *equals;
    size_t key;

    if (!member.size)
        return true;
    equals = memchr(member.data, '=', member.size);
    key = equals ? (size_t)(equals - member.data) : 0;
    return equals && is_key(member.data, key) && is_value(equals + 1, member.size - key - 1);
}

static bool is_state(const char *text, size_t size)
{
    for (size_t n = 0; n < MAX_STATES; n++) {
        const char *comma = memchr(text, ',', size);
        size_t first = comma ? (size_t)(comma - text) : size;

        if (!is_member(text_trim(text, first)))
            return false;
        if (!comma)
            return true;
        text += first + 1;
        size -= first + 1;
    }
    return false;
}

/* ---- a call ---- */

/* Writes the last digits of a number. */
static void put_hex(char *text, uint64_t value, size_t digits)
{
    char all[HEX_TEXT];

    hf_hex_to_text(value, all);
    memcpy(text, all + HEX_TEXT - digits, digits);
}

/* A span id for this call: from the program's random source or, without one, an id that is merely
 * unlikely to collide. */
static uint64_t new_span(haft_server *server, const haft_trace *trace)
{
    uint64_t number = atomic_fetch_add(&server->n_spans, 1);

    number = server->options.random
                 ? server->options.random()
                 : hf_hash_bytes(trace, TRACE + SPAN + 2) ^ hf_hash_bytes(&number, 8);
    return number ? number : 1;
}

void hf_trace_read(haft_call *call)
{
    yyjson_val *in_meta = yyjson_obj_get(call->request.meta, "traceparent");
    haft_trace read = {0}, *trace;
    struct text parent, state;

    if (in_meta) {
        yyjson_val *rest = yyjson_obj_get(call->request.meta, "tracestate");

        parent = (struct text){yyjson_get_str(in_meta), yyjson_get_len(in_meta)};
        state = (struct text){yyjson_get_str(rest), yyjson_get_len(rest)};
    } else {
        parent = call->request.headers->index_->traceparent;
        state = call->request.headers->index_->tracestate;
    }
    if (!parent.data || !read_parent(parent.data, parent.size, &read))
        return;
    trace = haft_arena_alloc(call->arena, sizeof *trace);
    if (!trace)
        return;
    put_hex(read.span_id, new_span(call->server, &read), SPAN);
    memcpy(read.traceparent, "00-", 3);
    memcpy(read.traceparent + 3, read.trace_id, TRACE);
    read.traceparent[3 + TRACE] = '-';
    memcpy(read.traceparent + 4 + TRACE, read.span_id, SPAN);
    read.traceparent[4 + TRACE + SPAN] = '-';
    put_hex(read.traceparent + 5 + TRACE + SPAN, read.flags & KNOWN_FLAGS, FLAGS);
    if (state.data && is_state(state.data, state.size))
        read.tracestate = haft_arena_copy(call->arena, state.data, state.size);
    if (!read.tracestate)
        read.tracestate = "";
    *trace = read;
    call->request.trace = trace;
}

const haft_trace *haft_call_trace(const haft_call *call)
{
    return call->request.trace;
}
