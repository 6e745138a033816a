/* audit.c - one line for every call, however it ended.
 *
 * Because every call writes one, a line is built in place, without allocating, and without
 * formatting text that is known to need no quoting. */
#include <string.h>

#include "base/siphash.h"
#include "schema/emit/redact.h"
#include "engine/call/call.h"

/* The parts of a line that haft generates are shorter than OWN together, and the buffer has OWN
 * bytes beyond the limit, so these are written without a check. Text from clients is cut at the
 * limit. */
enum { AUDIT_LINE_LIMIT = 8191, OWN = 512, ARGUMENTS_LIMIT = 4096 };

struct audit {
    haft_audit_function *write;
    void *context;
    haft_stage stage;
};

/* Each function takes the position to write to, and returns the end. A line that ends beyond the
 * limit did not fit. */
static inline char *audit_put(char *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    return at + size;
}

#define put_literal(at, text) audit_put(at, text, sizeof text - 1)

/* Writes text of any length, cut at the limit. */
static inline char *put_long(char *at, char *limit, const char *text, size_t size)
{
    if (at >= limit)
        return at;
    return (size_t)(limit - at) < size ? limit : audit_put(at, text, size);
}

/* Write untrusted text in quotes: any text, and a fast path for usual text. */
APART static char *put_escaped(char *at, char *limit, const char *text, size_t size)
{
    haft_buffer quoted = {
        .data = at, .capacity = (size_t)(limit - at) + 1, .limit = (size_t)(limit - at)};

    haft_buffer_json_string(&quoted, text, size);
    return quoted.status ? limit : at + quoted.size;
}

/* The text may contain NUL, and ends in one. */
static char *audit_put_text(char *at, char *limit, const char *text, size_t size)
{
    const char *from = text;
    char *to = at;

    if (at >= limit)
        return at;
    *to++ = '"';
    /* Most characters need no escape. */
    while (to < limit && *from >= 0x20 && *from < 0x7f && *from != '"' && *from != '\\')
        *to++ = *from++;
    if (from < text + size)
        return put_escaped(at, limit, text, size);
    *to = '"';
    return to + 1;
}

/* Writes nothing if the text is empty or NULL. */
#define put_member(at, limit, key, text, size)                                                     \
    ((size) ? audit_put_text(put_literal(at, key), limit, text, size) : (at))

static char *put_number(char *at, int64_t number)
{
    if (number < 0 || number > 9)
        return at + hf_integer_to_text(number, at);
    *at = (char)('0' + number);
    return at + 1;
}

/* Writes three digits. */
static inline char *put_thousandths(char *at, unsigned n)
{
    unsigned tens = n / 10, hundreds = tens / 10;

    at[0] = (char)('0' + hundreds);
    at[1] = (char)('0' + (tens - hundreds * 10));
    at[2] = (char)('0' + (n - tens * 10));
    return at + 3;
}

/* Writes milliseconds with up to three decimals, without trailing zeros. */
static char *put_milliseconds(char *at, uint64_t ns)
{
    uint64_t us = ns / 1000;
    unsigned rest = (unsigned)(us % 1000);

    at = put_number(at, (int64_t)(us / 1000));
    if (!rest)
        return at;
    *at++ = '.';
    at = put_thousandths(at, rest);
    return rest % 10 ? at : rest % 100 ? at - 1 : at - 2;
}

static char *put_id(char *at, char *limit, yyjson_val *id)
{
    at = put_literal(at, JSON_KEY("id"));
    if (yyjson_is_str(id))
        return audit_put_text(at, limit, yyjson_get_str(id), yyjson_get_len(id));
    return at + hf_rpc_id_to_text(id, at, RPC_ID_NUMBER);
}

/* Writes the time of the session's latest tick; all but the milliseconds is cached for a second. */
static char *put_time(char *at, struct owner *owner)
{
    int64_t second = owner->now / 1000;

    if (owner->second != second || !owner->time[0]) {
        hf_time_to_text(owner->now, owner->time);
        owner->second = second;
    }
    at = put_literal(at, "{" JSON_FIRST_KEY("time") "\"");
    memcpy(at, owner->time, sizeof owner->time);
    at = put_thousandths(at + sizeof "2026-11-15T05:25:27." - 1,
                         (unsigned)(owner->now - second * 1000));
    return put_literal(at, "Z\"");
}

static char *put_outcome(char *at, haft_outcome outcome)
{
    static const struct text texts[] = {
#define HAFT_OUTCOME_(name, text)                                                                  \
    {JSON_KEY("outcome") "\"" text "\"", sizeof JSON_KEY("outcome") "\"" text "\"" - 1},
        HAFT_OUTCOMES(HAFT_OUTCOME_)
#undef HAFT_OUTCOME_
    };

    return audit_put(at, texts[outcome].data, texts[outcome].size);
}

/* ---- arguments ---- */

/* Short strings and numbers are hashed as one word. The highest byte distinguishes them from the
 * tags of other values, whose sizes are never that large. */
enum { SHORT_TEXT = 7, WORD_TEXT = 0xE0, WORD_NUMBER = 0xF0 };

/* Hashes every value in order, each with its type and size, so that different arguments have
 * different inputs. */
static uint64_t digest(const unsigned char key[16], yyjson_val *arguments)
{
    yyjson_val *end = unsafe_yyjson_get_next(arguments);
    struct siphash hash;

    siphash_init(&hash, key);
    for (yyjson_val *at = arguments; at < end; at++) {
        size_t size = unsafe_yyjson_get_len(at);
        uint64_t word = at->tag;

        if (unsafe_yyjson_is_str(at) && size <= SHORT_TEXT) {
            word = (uint64_t)(WORD_TEXT + size) << 56;
            for (size_t i = 0; i < size; i++)
                word |= (uint64_t)(unsigned char)at->uni.str[i] << (i * 8);
        } else if (unsafe_yyjson_is_uint(at) && at->uni.u64 < UINT64_C(1) << 56) {
            word = (uint64_t)WORD_NUMBER << 56 | at->uni.u64;
        }
        siphash_word(&hash, word);
        if (word != at->tag)
            continue;
        if (unsafe_yyjson_is_str(at)) {
            /* A copy, so that the compiler can keep the original in registers. */
            struct siphash state = hash;

            hf_siphash_bytes(&state, at->uni.str, size);
            hash = state;
        } else if (unsafe_yyjson_is_num(at)) {
            siphash_word(&hash, at->uni.u64);
        }
    }
    return siphash_finish(&hash);
}

static char *put_digest(char *at, uint64_t value)
{
    at = put_literal(at, JSON_KEY("arguments") "\"siphash:");
    hf_hex_to_text(value, at);
    return put_literal(at + HEX_TEXT, "\"");
}

/* Writes the arguments with "***" in place of secrets; nothing without memory. */
static char *put_redacted(char *at, char *limit, const haft_call *call, yyjson_val *arguments)
{
    struct siphash hash;
    haft_buffer text;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message * 2);
    hf_schema_put_redacted(call->item ? call->item->input : NULL, arguments, &text);
    if (!text.status && call->server->metering.audit_mode == HAFT_AUDIT_ARGUMENTS &&
        text.size <= ARGUMENTS_LIMIT) {
        at = put_long(put_literal(at, JSON_KEY("arguments")), limit, text.data, text.size);
    } else if (!text.status) {
        siphash_init(&hash, call->server->keys.digest);
        hf_siphash_bytes(&hash, text.data, text.size);
        at = put_digest(at, siphash_finish(&hash));
    }
    haft_buffer_finish(&text);
    return at;
}

/* A digest permits comparing arguments without revealing them. A holder of the key could guess
 * secrets, so the digest is of the redacted arguments. */
static char *audit_put_arguments(char *at, char *limit, const haft_call *call,
                                 yyjson_val *arguments)
{
    const haft_schema *input = call->item ? call->item->input : NULL;

    if (call->server->metering.audit_mode == HAFT_AUDIT_ARGUMENTS || (input && input->secrets))
        return put_redacted(at, limit, call, arguments);
    return put_digest(at, digest(call->server->keys.digest, arguments));
}

/* ---- a line ---- */

/* The quoted name of a client that has identified itself is cached. */
static char *audit_put_client(char *at, char *limit, const haft_call *call)
{
    const struct text *quoted = &call->client.quoted;

    if (!quoted->data)
        return put_member(at, limit, JSON_KEY("client"), call->client.name, call->client.name_size);
    at = put_literal(at, JSON_KEY("client"));
    return put_long(at, limit, quoted->data, quoted->size);
}

static char *put_tool(char *at, char *limit, const haft_call *call)
{
    yyjson_val *name = call->item ? NULL : rpc_string(call->request.params, "name");

    if (!call->item)
        return put_member(at, limit, JSON_KEY("tool"), yyjson_get_str(name), yyjson_get_len(name));
    at = put_literal(at, JSON_KEY("tool"));
    return put_long(at, limit, call->item->quoted.data, call->item->quoted.size);
}

static char *audit_put_trace(char *at, const haft_trace *trace)
{
    at = put_literal(at, JSON_KEY("trace") "\"");
    at = audit_put(at, trace->trace_id, sizeof trace->trace_id - 1);
    at = put_literal(at, "\"" JSON_KEY("span") "\"");
    at = audit_put(at, trace->span_id, sizeof trace->span_id - 1);
    return put_literal(at, "\"");
}

/* Writes all but the end of a line. Without `all` it omits what a client can make longer. */
static char *put_call(char *at, char *limit, haft_call *call, haft_outcome outcome, bool all)
{
    yyjson_val *arguments = all ? hf_call_arguments(call) : NULL;

    at = put_time(at, call->owner);
    if (all && call->request.id)
        at = put_id(at, limit, call->request.id);
    if (all)
        at = audit_put_client(at, limit, call);
    if (call->request.principal)
        at = put_member(at, limit, JSON_KEY("principal"), call->request.principal,
                        strlen(call->request.principal));
    at = put_literal(at, JSON_KEY("revision") "\"");
    at = audit_put(at, hf_revision_rows[call->revision].name, REVISION_NAME);
    at = put_literal(at, "\"");
    if (all || call->item)
        at = put_tool(at, limit, call);
    at = put_outcome(at, outcome);
    if (call->inner.task)
        at = put_member(at, limit, JSON_KEY("task"), call->inner.task->id,
                        strlen(call->inner.task->id));
    at = put_milliseconds(put_literal(at, JSON_KEY("ms")), call->time.elapsed);
    /* The handler of a call that timed out may still be writing. */
    if (outcome != HAFT_OUTCOME_TIMED_OUT)
        at = put_number(put_literal(at, JSON_KEY("bytes")),
                        (int64_t)(hf_content_size(call) + call->structured.size));
    if (call->request.trace)
        at = audit_put_trace(at, call->request.trace);
    if (arguments)
        at = audit_put_arguments(at, limit, call, arguments);
    return at;
}

static void audit_after(haft_call *call, haft_outcome outcome, void *data)
{
    struct audit *audit = data;
    char room[AUDIT_LINE_LIMIT + OWN] UNSET;
    char *limit = room + AUDIT_LINE_LIMIT;
    char *end = put_literal(put_call(room, limit, call, outcome, true), "}");

    /* If the client's data does not fit, the principal and the tool are still written; otherwise a
     * client could hide its calls with a long name. */
    if (end > limit)
        end =
            put_literal(put_call(room, limit, call, outcome, false), JSON_KEY("truncated") "true}");
    if (end > limit)
        end = put_literal(put_outcome(put_time(room, call->owner), outcome),
                          JSON_KEY("truncated") "true}");
    audit->write(audit->context, room, (size_t)(end - room));
}

int haft_audit_add(haft_server *server, haft_audit_function *write, void *context)
{
    struct audit *audit = hf_server_zalloc(server, sizeof *audit);

    if (!audit)
        return hf_server_refuse(server, HAFT_ENOMEM, "audit", "out of memory");
    audit->write = write;
    audit->context = context;
    audit->stage =
        (haft_stage)HAFT_INIT(haft_stage, .name = "audit", .after = audit_after, .data = audit);
    return haft_stage_add(server, &audit->stage);
}

void haft_audit_set_mode(haft_server *server, haft_audit_mode mode)
{
    server->metering.audit_mode = mode;
}
