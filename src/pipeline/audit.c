/* audit.c - one line for every call, however it ended. */
#include <string.h>

#include "base/sha256.h"
#include "server/session.h"

enum { LINE_LIMIT = 8192 };

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

/* "2026-11-15T05:25:27.042Z", without the C library's idea of time. */
static void put_time(haft_buffer *line, haft_time ms)
{
    int64_t days = ms / 86400000, rest = ms % 86400000, era, year, month, day;
    int64_t of_era, of_year, shifted;

    /* Days since 1970-01-01 to a date: years are counted from March, in eras of 400. */
    days += 719468;
    era = days / 146097;
    of_era = days - era * 146097;
    year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    of_year = of_era - (365 * year + year / 4 - year / 100);
    shifted = (5 * of_year + 2) / 153;
    day = of_year - (153 * shifted + 2) / 5 + 1;
    month = shifted < 10 ? shifted + 3 : shifted - 9;
    year += era * 400 + (month <= 2);
    haft_buffer_printf(line, "\"%04lld-%02lld-%02lldT%02lld:%02lld:%02lld.%03lldZ\"",
                       (long long)year, (long long)month, (long long)day,
                       (long long)(rest / 3600000), (long long)(rest / 60000 % 60),
                       (long long)(rest / 1000 % 60), (long long)(rest % 1000));
}

/* What was asked can be compared without being told. */
static void put_digest(haft_buffer *line, const haft_call *call)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[SHA256_SIZE];
    char text[SHA256_SIZE * 2];
    struct sha256 hash;
    haft_buffer arguments;

    if (!call->arguments)
        return;
    haft_buffer_init(&arguments, call->server->allocator, call->server->options.max_message * 2);
    haft_json_write(call->arguments, &arguments);
    if (!arguments.status) {
        sha256_init(&hash);
        sha256_add(&hash, arguments.data, arguments.size);
        sha256_finish(&hash, digest);
        for (size_t i = 0; i < sizeof digest; i++) {
            text[i * 2] = digits[digest[i] >> 4];
            text[i * 2 + 1] = digits[digest[i] & 15];
        }
        haft_buffer_puts(line, ",\"arguments\":\"sha256:");
        haft_buffer_add(line, text, sizeof text);
        haft_buffer_add(line, "\"", 1);
    }
    haft_buffer_finish(&arguments);
}

static void after(haft_call *call, haft_outcome outcome, void *data)
{
    struct audit *audit = data;
    const char *asked = yyjson_get_str(rpc_string(call->params, "name"));
    haft_buffer line;

    haft_buffer_init(&line, call->server->allocator, LINE_LIMIT);
    haft_buffer_puts(&line, "{\"time\":");
    put_time(&line, call->session->now);
    if (call->id) {
        haft_buffer_puts(&line, ",\"id\":");
        rpc_put_id(&line, call->id);
    }
    put_member(&line, "client", haft_client_name(call));
    put_member(&line, "principal", call->session->options.principal);
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
    put_digest(&line, call);
    haft_buffer_add(&line, "}", 1);
    if (line.status) {
        /* Something that was sent does not fit: what is known for certain is said all the same. */
        haft_buffer_clear(&line);
        haft_buffer_printf(&line, "{\"outcome\":\"%s\",\"truncated\":true}",
                           haft_outcome_name(outcome));
    }
    if (!line.status)
        audit->write(audit->context, line.data, line.size);
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
