/* audit.c - one line for every call, however it ended.
 *
 * It is written for every call, so it is put together in place: no memory is asked for, and nothing
 * is formatted that is known to need no quotes. */
#include <string.h>

#include "base/siphash.h"
#include "schema/redact.h"
#include "server/session.h"

enum { LINE_LIMIT = 8192, ARGUMENTS_LIMIT = 4096 };

struct audit {
    haft_audit_function *write;
    void *context;
    haft_stage stage;
};

/* Where the line has got to.  What does not fit ends it. */
struct line {
    char *at, *end;
    bool full;
};

static inline void put(struct line *line, const char *text, size_t size)
{
    if ((size_t)(line->end - line->at) < size) {
        line->full = true;
        line->end = line->at;
        return;
    }
    memcpy(line->at, text, size);
    line->at += size;
}

#define put_literal(line, text) put(line, text, sizeof text - 1)

/* Text that came from outside, after its key. */
static void put_text(struct line *line, const char *key, size_t key_size, const char *text)
{
    haft_buffer quoted;
    char *at;

    put(line, key, key_size);
    /* Most of it needs no escape. */
    for (at = line->at;
         at < line->end - 2 && *text >= 0x20 && *text < 0x7f && *text != '"' && *text != '\\';)
        *++at = *text++;
    if (!*text) {
        *line->at = '"';
        *++at = '"';
        line->at = at + 1;
        return;
    }
    text -= at - line->at;
    quoted = (haft_buffer){.data = line->at,
                           .capacity = (size_t)(line->end - line->at) + 1,
                           .limit = (size_t)(line->end - line->at)};
    haft_buffer_json_string(&quoted, text, strlen(text));
    line->at += quoted.size;
    line->full |= quoted.status != 0;
}

/* Nothing when there is none. */
#define PUT_MEMBER(line, key, text)                                                                \
    do {                                                                                           \
        if ((text) && *(text))                                                                     \
            put_text(line, key, sizeof key - 1, text);                                             \
    } while (0)

static void put_number(struct line *line, int64_t number)
{
    char text[32];

    if (number >= 0 && number < 10) {
        text[0] = (char)('0' + number);
        put(line, text, 1);
        return;
    }
    put(line, text, integer_to_text(number, text));
}

/* To the microsecond, without zeros at the end. */
static void put_milliseconds(struct line *line, uint64_t ns)
{
    unsigned us = (unsigned)(ns / 1000 % 1000);
    char text[] = {'.', (char)('0' + us / 100), (char)('0' + us / 10 % 10), (char)('0' + us % 10)};

    put_number(line, (int64_t)(ns / 1000000));
    if (us)
        put(line, text, us % 10 ? 4 : us % 100 ? 3 : 2);
}

static void put_id(struct line *line, yyjson_val *id)
{
    static const char id_key[] = ",\"id\":";

    if (yyjson_is_str(id)) {
        put_text(line, id_key, sizeof id_key - 1, yyjson_get_str(id));
    } else {
        put(line, id_key, sizeof id_key - 1);
        put_number(line, (int64_t)yyjson_get_sint(id));
    }
}

/* When the session was last told the time; the part before the milliseconds is kept for a second. */
static void put_time(struct line *line, haft_session *session)
{
    unsigned ms = (unsigned)(session->now % 1000);
    char rest[] = {(char)('0' + ms / 100), (char)('0' + ms / 10 % 10), (char)('0' + ms % 10), 'Z',
                   '"'};

    if (session->second != session->now / 1000 || !session->time[0]) {
        time_to_text(session->now, session->time);
        session->second = session->now / 1000;
    }
    put_literal(line, "{\"time\":\"");
    put(line, session->time, sizeof "2026-11-15T05:25:27." - 1);
    put(line, rest, sizeof rest);
}

/* Short texts and numbers go into a word of their own; the highest byte tells them from the tags of
 * other values, whose sizes are never so large. */
enum { SHORT_TEXT = 7, WORD_TEXT = 0xE0, WORD_NUMBER = 0xF0 };

/* Every value in its order, each with its kind and size: no two arguments look alike. */
static void hash_arguments(struct siphash *hash, yyjson_val *arguments)
{
    yyjson_val *end = unsafe_yyjson_get_next(arguments);

    for (yyjson_val *at = arguments; at < end; at++) {
        size_t size = unsafe_yyjson_get_len(at);

        if (unsafe_yyjson_is_str(at) && size <= SHORT_TEXT) {
            uint64_t word = (uint64_t)(WORD_TEXT + size) << 56;

            for (size_t i = 0; i < size; i++)
                word |= (uint64_t)(unsigned char)at->uni.str[i] << (i * 8);
            siphash_word(hash, word);
        } else if (unsafe_yyjson_is_uint(at) && at->uni.u64 < UINT64_C(1) << 56) {
            siphash_word(hash, (uint64_t)WORD_NUMBER << 56 | at->uni.u64);
        } else {
            siphash_word(hash, at->tag);
            if (unsafe_yyjson_is_str(at))
                siphash_bytes(hash, at->uni.str, size);
            else if (unsafe_yyjson_is_num(at))
                siphash_word(hash, at->uni.u64);
        }
    }
}

static void put_digest(struct line *line, struct siphash *hash)
{
    uint64_t digest = siphash_finish(hash);
    char text[16 + 1];

    for (size_t i = 16; i-- > 0; digest >>= 4)
        text[i] = "0123456789abcdef"[digest & 15];
    text[16] = '"';
    put_literal(line, ",\"arguments\":\"siphash:");
    put(line, text, sizeof text);
}

/* With "***" in the place of what is secret; nothing without memory for that. */
static void put_redacted(struct line *line, const haft_call *call, struct siphash *hash)
{
    haft_buffer text;

    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message * 2);
    schema_put_redacted(call->item ? call->item->input : NULL, call->arguments, &text);
    if (!text.status && call->server->audit_mode == HAFT_AUDIT_ARGUMENTS &&
        text.size <= ARGUMENTS_LIMIT) {
        put_literal(line, ",\"arguments\":");
        put(line, text.data, text.size);
    } else if (!text.status) {
        siphash_bytes(hash, text.data, text.size);
        put_digest(line, hash);
    }
    haft_buffer_finish(&text);
}

/* What was asked can be compared without being told.  Whoever has the key can try out what a secret
 * may be, so that a digest is of the redacted arguments too. */
static void put_arguments(struct line *line, const haft_call *call)
{
    const haft_schema *input = call->item ? call->item->input : NULL;
    struct siphash hash;

    siphash_init(&hash, call->server->digest_key);
    if (call->server->audit_mode == HAFT_AUDIT_ARGUMENTS || (input && input->secrets)) {
        put_redacted(line, call, &hash);
    } else {
        hash_arguments(&hash, call->arguments);
        put_digest(line, &hash);
    }
}

static void put_trace(struct line *line, const haft_trace *trace)
{
    put_literal(line, ",\"trace\":\"");
    put(line, trace->trace_id, sizeof trace->trace_id - 1);
    put_literal(line, "\",\"span\":\"");
    put(line, trace->span_id, sizeof trace->span_id - 1);
    put_literal(line, "\"");
}

static void put_call(struct line *line, const haft_call *call, haft_outcome outcome)
{
    const char *revision = haft_revision(call), *ended = haft_outcome_name(outcome);

    put_time(line, call->session);
    if (call->id)
        put_id(line, call->id);
    PUT_MEMBER(line, ",\"client\":", call->client_name);
    PUT_MEMBER(line, ",\"principal\":", call->principal);
    put_literal(line, ",\"revision\":\"");
    put(line, revision, strlen(revision));
    put_literal(line, "\"");
    if (call->item) {
        /* A tool's name is made of letters that need no escape. */
        put_literal(line, ",\"tool\":\"");
        put(line, call->item->name, call->item->name_size);
        put_literal(line, "\"");
    } else {
        PUT_MEMBER(line, ",\"tool\":", call_tool(call));
    }
    put_literal(line, ",\"outcome\":\"");
    put(line, ended, strlen(ended));
    put_literal(line, "\",\"ms\":");
    put_milliseconds(line, call_nanoseconds(call));
    /* A call that timed out may be writing still. */
    if (outcome != HAFT_OUTCOME_TIMED_OUT) {
        put_literal(line, ",\"bytes\":");
        put_number(line, (int64_t)(call->content.size + call->structured.size));
    }
    if (call->trace)
        put_trace(line, call->trace);
    if (call->arguments)
        put_arguments(line, call);
    put_literal(line, "}");
}

static void after(haft_call *call, haft_outcome outcome, void *data)
{
    struct audit *audit = data;
    char room[LINE_LIMIT] UNSET;
    struct line line = {room, room + sizeof room - 1, false};

    put_call(&line, call, outcome);
    if (line.full) {
        /* Something that was sent does not fit: what is known for certain is said all the same. */
        line = (struct line){room, room + sizeof room - 1, false};
        put_time(&line, call->session);
        put_literal(&line, ",\"outcome\":\"");
        put(&line, haft_outcome_name(outcome), strlen(haft_outcome_name(outcome)));
        put_literal(&line, "\",\"truncated\":true}");
    }
    audit->write(audit->context, room, (size_t)(line.at - room));
}

int haft_audit(haft_server *server, haft_audit_function *write, void *context)
{
    struct audit *audit = haft_arena_zalloc(server->arena, 1, sizeof *audit);

    if (!audit)
        return server_refuse(server, HAFT_ENOMEM, "audit", "out of memory");
    audit->write = write;
    audit->context = context;
    audit->stage = (haft_stage){.name = "audit", .after = after, .data = audit};
    return haft_use(server, &audit->stage);
}

void haft_audit_set(haft_server *server, haft_audit_mode mode)
{
    server->audit_mode = mode;
}
