/* fuzz_trace.c - any bytes as traceparent, and after a line end as tracestate, in headers and in
 * _meta: what is taken is what came, what is passed on is taken by the next, and both places are
 * read alike. */
#include <haft.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/inner.h"
#include "engine/call/trace.h"
#include "protocol/header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct value {
    const char *bytes;
    size_t size;
};

struct sent {
    struct value parent, state;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool are_digits(const char *text, size_t size)
{
    return strspn(text, "0123456789abcdef") >= size;
}

/* What is taken is what came, and what is passed on is as the specification has it. */
static void check(const haft_trace *trace, const struct sent *sent)
{
    require(sent->parent.size >= 55 && strlen(trace->traceparent) == 55);
    require(!memcmp(trace->trace_id, sent->parent.bytes + 3, 32) && strlen(trace->trace_id) == 32);
    require(!memcmp(trace->parent_id, sent->parent.bytes + 36, 16) &&
            strlen(trace->parent_id) == 16);
    require(!memcmp(trace->traceparent, "00-", 3) &&
            !memcmp(trace->traceparent + 3, trace->trace_id, 32) && trace->traceparent[35] == '-' &&
            !memcmp(trace->traceparent + 36, trace->span_id, 16) && trace->traceparent[52] == '-' &&
            are_digits(trace->traceparent + 53, 2));
    require(strlen(trace->span_id) == 16 && are_digits(trace->span_id, 16) &&
            strspn(trace->span_id, "0") < 16);
    if (*trace->tracestate)
        require(strlen(trace->tracestate) == sent->state.size &&
                !memcmp(trace->tracestate, sent->state.bytes, sent->state.size));
    for (const char *at = trace->tracestate; *at; at++)
        require((*at >= ' ' && *at <= '~') || *at == '\t');
}

static void copy(haft_call *call, haft_trace *ret_trace, haft_arena *arena)
{
    *ret_trace = *call->request.trace;
    ret_trace->tracestate = haft_arena_copy(arena, call->request.trace->tracestate,
                                            strlen(call->request.trace->tracestate));
    require(ret_trace->tracestate);
}

/* Whether there is a trace, read from headers. */
static bool by_headers(haft_server *server, const struct sent *sent, haft_trace *ret_trace,
                       haft_arena *arena)
{
    haft_header list[2];
    struct haft_header_index index;
    haft_headers headers = {.list = list, .index_ = &index};
    haft_call *call = hf_inner_new(server, NULL, 1);
    bool any;

    require(call);
    list[headers.n++] = (haft_header){
        "traceparent", haft_arena_copy(call->arena, sent->parent.bytes, sent->parent.size)};
    if (sent->state.bytes)
        list[headers.n++] = (haft_header){
            "tracestate", haft_arena_copy(call->arena, sent->state.bytes, sent->state.size)};
    hf_headers_index(list, headers.n, &index);
    call->request.headers = &headers;
    hf_trace_read(call);
    call->request.headers = NULL;
    any = call->request.trace;
    if (any) {
        check(call->request.trace, sent);
        copy(call, ret_trace, arena);
    }
    hf_inner_free(call);
    return any;
}

/* The same by _meta, whose texts are UTF-8. */
static bool by_meta(haft_server *server, const struct sent *sent, haft_trace *ret_trace,
                    haft_arena *arena)
{
    haft_call *call = hf_inner_new(server, NULL, 1);
    haft_buffer json;
    bool any;

    require(call);
    haft_buffer_init(&json, NULL, 1 << 20);
    haft_buffer_puts(&json, "{\"traceparent\":");
    haft_buffer_json_string(&json, sent->parent.bytes, sent->parent.size);
    if (sent->state.bytes) {
        haft_buffer_puts(&json, ",\"tracestate\":");
        haft_buffer_json_string(&json, sent->state.bytes, sent->state.size);
    }
    haft_buffer_puts(&json, "}");
    require(!json.status);
    call->request.meta = haft_json_read(json.data, json.size, 0, arena, NULL);
    require(call->request.meta);
    hf_trace_read(call);
    any = call->request.trace;
    if (any)
        copy(call, ret_trace, arena);
    hf_inner_free(call);
    haft_buffer_finish(&json);
    return any;
}

static void trim(struct value *value)
{
    struct text text = text_trim(value->bytes, value->size);

    *value = (struct value){text.data, text.size};
}

static bool is_text(struct value text)
{
    return haft_utf8_valid(text.bytes ? text.bytes : "", text.size) == text.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = size ? (const char *)data : "", *end = memchr(bytes, '\n', size);
    struct sent sent = {{bytes, end ? (size_t)(end - bytes) : size},
                        {end ? end + 1 : NULL, end ? size - (size_t)(end + 1 - bytes) : 0}};
    haft_server *server = haft_server_new("fuzz", "1");
    haft_arena *arena = haft_arena_new(NULL, 1 << 22);
    haft_trace first, second;
    bool any;

    if (memchr(bytes, 0, size)) /* no header has that in it */
        goto out;
    require(server && arena);
    /* A header's value has no blanks around it. */
    trim(&sent.parent);
    trim(&sent.state);
    any = by_headers(server, &sent, &first, arena);
    if (any) {
        struct sent next = {{first.traceparent, strlen(first.traceparent)},
                            {first.tracestate, strlen(first.tracestate)}};

        require(by_headers(server, &next, &second, arena));
        require(!strcmp(first.trace_id, second.trace_id) &&
                !strcmp(first.span_id, second.parent_id) &&
                !strcmp(first.tracestate, second.tracestate));
    }
    if (is_text(sent.parent) && is_text(sent.state)) {
        require(by_meta(server, &sent, &second, arena) == any);
        if (any)
            require(!strcmp(first.trace_id, second.trace_id) &&
                    !strcmp(first.parent_id, second.parent_id) && first.flags == second.flags &&
                    !strcmp(first.tracestate, second.tracestate));
    }

out:
    haft_arena_free(arena);
    haft_server_free(server);
    return 0;
}
