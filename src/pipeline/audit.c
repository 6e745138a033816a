/* audit.c - one line for every call, however it ended. */
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "schema/redact.h"
#include "server/session.h"

enum { LINE_LIMIT = 8192, ARGUMENTS_LIMIT = 4096, LEAST = 128 };

struct audit {
    haft_audit_function *write;
    void *context;
    haft_stage stage;
};

static void put_member(haft_buffer *line, const char *key, const char *text)
{
    if (text && *text)
        put_text_member(line, key, text);
}

/* What was asked can be compared without being told. */
static void put_digest(haft_buffer *line, const haft_buffer *arguments)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[SHA256_SIZE];
    char text[SHA256_SIZE * 2];
    struct sha256 hash;

    sha256_init(&hash);
    sha256_add(&hash, arguments->data, arguments->size);
    sha256_finish(&hash, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        text[i * 2] = digits[digest[i] >> 4];
        text[i * 2 + 1] = digits[digest[i] & 15];
    }
    haft_buffer_puts(line, ",\"arguments\":\"sha256:");
    haft_buffer_add(line, text, sizeof text);
    haft_buffer_add(line, "\"", 1);
}

/* A secret can be guessed and the guess compared, so that a digest is of the redacted arguments too. */
static void put_arguments(haft_buffer *line, const haft_call *call)
{
    haft_buffer text;

    if (!call->arguments)
        return;
    haft_buffer_init(&text, call->server->allocator, call->server->options.max_message * 2);
    schema_put_redacted(call->item ? call->item->input : NULL, call->arguments, &text);
    if (!text.status && call->server->audit_mode == HAFT_AUDIT_ARGUMENTS &&
        text.size <= ARGUMENTS_LIMIT) {
        haft_buffer_puts(line, ",\"arguments\":");
        haft_buffer_add(line, text.data, text.size);
    } else if (!text.status) {
        put_digest(line, &text);
    }
    haft_buffer_finish(&text);
}

static void after(haft_call *call, haft_outcome outcome, void *data)
{
    struct audit *audit = data;
    const char *asked = yyjson_get_str(rpc_string(call->params, "name"));
    char time[TIME_TEXT], least[LEAST];
    haft_buffer line;
    int n;

    time_to_text(call->session->now, time);
    haft_buffer_init(&line, call->server->allocator, LINE_LIMIT);
    haft_buffer_printf(&line, "{\"time\":\"%s\"", time);
    if (call->id) {
        haft_buffer_puts(&line, ",\"id\":");
        rpc_put_id(&line, call->id);
    }
    put_member(&line, "client", haft_client_name(call));
    put_member(&line, "principal", call->principal);
    put_member(&line, "revision", haft_revision(call));
    put_member(&line, "tool", call->item ? call->item->name : asked);
    put_member(&line, "outcome", haft_outcome_name(outcome));
    haft_buffer_puts(&line, ",\"ms\":");
    haft_buffer_json_number(&line, (double)call_nanoseconds(call) / 1e6);
    /* A call that timed out may be writing still. */
    if (outcome != HAFT_OUTCOME_TIMED_OUT)
        haft_buffer_printf(&line, ",\"bytes\":%zu", call->content.size + call->structured.size);
    if (call->trace) {
        put_member(&line, "trace", call->trace->trace_id);
        put_member(&line, "span", call->trace->span_id);
    }
    put_arguments(&line, call);
    haft_buffer_add(&line, "}", 1);
    if (line.status) {
        /* It is too long, or there is no memory: what is known for certain is said all the same. */
        n = snprintf(least, sizeof least, "{\"time\":\"%s\",\"outcome\":\"%s\",\"truncated\":true}",
                     time, haft_outcome_name(outcome));
        audit->write(audit->context, least, (size_t)n);
    } else {
        audit->write(audit->context, line.data, line.size);
    }
    haft_buffer_finish(&line);
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
