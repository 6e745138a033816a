/* otlp_json.c - writes spans as OTLP JSON, with the attributes of OpenTelemetry's conventions for
 * MCP. */
#include <stdio.h>
#include <string.h>

#include "json/writer.h"
#include "observe/otlp.h"

enum { KIND_SERVER = 2, STATUS_ERROR = 2 };

/* Writes an attribute, unless its value is absent. */
static void put_attribute(struct json_writer *w, const char *key, const char *value)
{
    if (!*value)
        return;
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "key"), key);
    hf_json_begin_object(json_key(w, "value"));
    hf_json_text(json_key(w, "stringValue"), value);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

/* Nanoseconds are a string, because many JSON parsers use doubles. */
static void put_nanoseconds(struct json_writer *w, uint64_t ns)
{
    haft_buffer_printf(hf_json_begin_string(w), "%llu", (unsigned long long)ns);
    hf_json_end_string(w);
}

/* The type of the error, as in the conventions where they define one; NULL if there is none. */
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

static void put_attributes(struct json_writer *w, const struct span *span)
{
    const char *error = error_type(span->outcome);

    hf_json_begin_array(w);
    put_attribute(w, "mcp.method.name", "tools/call");
    put_attribute(w, "gen_ai.operation.name", "execute_tool");
    put_attribute(w, "gen_ai.tool.name", span->tool);
    put_attribute(w, "mcp.protocol.version", span->revision);
    put_attribute(w, "jsonrpc.request.id", span->request_id);
    put_attribute(w, "haft.client.name", span->client);
    put_attribute(w, "haft.outcome", haft_outcome_name(span->outcome));
    if (error)
        put_attribute(w, "error.type", error);
    hf_json_end_array(w);
}

static void put_span(struct json_writer *w, const struct span *span)
{
    bool exists = span->outcome != HAFT_OUTCOME_NOT_FOUND;
    char name[sizeof span->tool + 16];

    /* Names of unknown tools are chosen by clients, so they are omitted to bound the number of span
     * names. */
    snprintf(name, sizeof name, "tools/call%s%s", exists ? " " : "", exists ? span->tool : "");
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "traceId"), span->trace_id);
    hf_json_text(json_key(w, "spanId"), span->span_id);
    if (span->parent_id[0])
        hf_json_text(json_key(w, "parentSpanId"), span->parent_id);
    hf_json_text(json_key(w, "name"), name);
    hf_json_integer(json_key(w, "kind"), KIND_SERVER);
    put_nanoseconds(json_key(w, "startTimeUnixNano"), span->start);
    put_nanoseconds(json_key(w, "endTimeUnixNano"), span->end);
    put_attributes(json_key(w, "attributes"), span);
    hf_json_begin_object(json_key(w, "status"));
    if (error_type(span->outcome))
        hf_json_integer(json_key(w, "code"), STATUS_ERROR);
    hf_json_end_object(w);
    hf_json_end_object(w);
}

static void put_resource(struct json_writer *w, const char *name, const char *version)
{
    hf_json_begin_object(w);
    hf_json_begin_array(json_key(w, "attributes"));
    put_attribute(w, "service.name", name);
    put_attribute(w, "service.version", version);
    put_attribute(w, "telemetry.sdk.name", "haft");
    put_attribute(w, "telemetry.sdk.language", "c");
    put_attribute(w, "telemetry.sdk.version", HAFT_VERSION);
    hf_json_end_array(w);
    hf_json_end_object(w);
}

static void put_scope(struct json_writer *w)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "name"), "haft");
    hf_json_text(json_key(w, "version"), HAFT_VERSION);
    hf_json_end_object(w);
}

void hf_otlp_put_batch(haft_buffer *out, const char *name, const char *version,
                       const struct span *first, size_t n_first, const struct span *rest,
                       size_t n_rest)
{
    struct json_writer w = {.out = out};

    hf_json_begin_object(&w);
    hf_json_begin_array(json_key(&w, "resourceSpans"));
    hf_json_begin_object(&w);
    put_resource(json_key(&w, "resource"), name, version);
    hf_json_begin_array(json_key(&w, "scopeSpans"));
    hf_json_begin_object(&w);
    put_scope(json_key(&w, "scope"));
    hf_json_begin_array(json_key(&w, "spans"));
    for (size_t i = 0; i < n_first + n_rest; i++)
        put_span(&w, i < n_first ? &first[i] : &rest[i - n_first]);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
}
