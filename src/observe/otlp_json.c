/* otlp_json.c - spans in OTLP's JSON, with the attributes that OpenTelemetry's conventions for MCP
 * name. */
#include <stdio.h>
#include <string.h>

#include "observe/otlp.h"

enum { KIND_SERVER = 2 };

/* The first of a list has no comma before it; an attribute without a value is left out. */
static void put_attribute(haft_buffer *out, const char *key, const char *value, bool first)
{
    if (!*value)
        return;
    haft_buffer_printf(out, "%s{\"key\":\"%s\",\"value\":{\"stringValue\":", first ? "" : ",", key);
    haft_buffer_json_string(out, value, strlen(value));
    haft_buffer_puts(out, "}}");
}

/* What went wrong, in the conventions' words where they have one; NULL when nothing did. */
static const char *error_type(haft_outcome outcome)
{
    switch (outcome) {
    case HAFT_OUTCOME_OK:
    case HAFT_OUTCOME_INPUT:
        return NULL;
    case HAFT_OUTCOME_ERROR:
        return "tool_error";
    default:
        return haft_outcome_name(outcome);
    }
}

static void put_span(haft_buffer *out, const struct span *span)
{
    bool exists = span->outcome != HAFT_OUTCOME_NOT_FOUND;
    const char *error = error_type(span->outcome);
    char name[sizeof span->tool + 16];

    /* A tool that does not exist has any name, and those are too many to be told apart. */
    snprintf(name, sizeof name, "tools/call%s%s", exists ? " " : "", exists ? span->tool : "");
    haft_buffer_printf(out, "{\"traceId\":\"%s\",\"spanId\":\"%s\",", span->trace_id,
                       span->span_id);
    if (span->parent_id[0])
        haft_buffer_printf(out, "\"parentSpanId\":\"%s\",", span->parent_id);
    haft_buffer_puts(out, "\"name\":");
    haft_buffer_json_string(out, name, strlen(name));
    haft_buffer_printf(out,
                       ",\"kind\":%d,\"startTimeUnixNano\":\"%llu\",\"endTimeUnixNano\":\"%llu\","
                       "\"attributes\":[",
                       KIND_SERVER, (unsigned long long)span->start, (unsigned long long)span->end);
    put_attribute(out, "mcp.method.name", "tools/call", true);
    put_attribute(out, "gen_ai.operation.name", "execute_tool", false);
    put_attribute(out, "gen_ai.tool.name", span->tool, false);
    put_attribute(out, "mcp.protocol.version", span->revision, false);
    put_attribute(out, "jsonrpc.request.id", span->request_id, false);
    put_attribute(out, "haft.client.name", span->client, false);
    put_attribute(out, "haft.outcome", haft_outcome_name(span->outcome), false);
    if (error)
        put_attribute(out, "error.type", error, false);
    haft_buffer_printf(out, "],\"status\":{%s}}", error ? "\"code\":2" : "");
}

void hf_otlp_put_batch(haft_buffer *out, const char *name, const char *version,
                       const struct span *first, size_t n_first, const struct span *rest,
                       size_t n_rest)
{
    haft_buffer_puts(out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    put_attribute(out, "service.name", name, true);
    put_attribute(out, "service.version", version, false);
    put_attribute(out, "telemetry.sdk.name", "haft", false);
    put_attribute(out, "telemetry.sdk.language", "c", false);
    put_attribute(out, "telemetry.sdk.version", HAFT_VERSION, false);
    haft_buffer_puts(out,
                     "]},\"scopeSpans\":[{\"scope\":{\"name\":\"haft\",\"version\":\"" HAFT_VERSION
                     "\"},\"spans\":[");
    for (size_t i = 0; i < n_first + n_rest; i++) {
        haft_buffer_puts(out, i ? "," : "");
        put_span(out, i < n_first ? &first[i] : &rest[i - n_first]);
    }
    haft_buffer_puts(out, "]}]}]}");
}
