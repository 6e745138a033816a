/* sse_stats - the clients, streams and bytes of this server, from its metrics. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tools/common.h"

enum { STATS_MOST = 8 << 20 };

HAFT_STRUCT(sse_stats_result,
    HAFT_INTEGER(sessions, NULL),
    HAFT_INTEGER(streams, NULL),
    HAFT_INTEGER(calls, NULL),
    HAFT_INTEGER(received_bytes, NULL),
    HAFT_INTEGER(sent_bytes, NULL),
    HAFT_OPTIONAL(HAFT_STRING(last_seen, NULL)));

/* The value of a metric without labels; 0 if it is not there. */
static double stats_value(const char *text, const char *name)
{
    size_t size = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, size) && line[size] == ' ')
            return strtod(line + size, NULL);
    }
    return 0;
}

static int sse_stats(haft_call *call, sse_stats_result *out)
{
    haft_buffer text;
    char when[TIME_TEXT];
    double seen;
    int status;

    haft_buffer_init(&text, NULL, STATS_MOST);
    status = haft_metrics_write(haft_call_server(call), &text);
    haft_buffer_add(&text, "", 1);
    if (!status)
        status = text.status;
    if (status) {
        haft_buffer_finish(&text);
        return status == HAFT_ENOTFOUND
                   ? home_fail(call, "This server does not count: its metrics are not enabled.")
                   : status;
    }
    out->sessions = (int64_t)stats_value(text.data, "mcp_server_sessions");
    out->streams = (int64_t)stats_value(text.data, "mcp_server_streams");
    out->calls = (int64_t)stats_value(text.data, "mcp_server_calls_in_flight");
    out->received_bytes = (int64_t)stats_value(text.data, "mcp_server_received_bytes_total");
    out->sent_bytes = (int64_t)stats_value(text.data, "mcp_server_sent_bytes_total");
    seen = stats_value(text.data, "mcp_server_last_message_timestamp_seconds");
    haft_buffer_finish(&text);
    if (seen > 0) {
        size_t size = hf_time_to_text((int64_t)(seen * 1000), when);

        out->last_seen = haft_call_printf(call, "%.*s", (int)size, when);
        out->has_last_seen = out->last_seen;
    }
    return 0;
}
HAFT_TOOL_OUT(sse_stats, sse_stats_result, "Count the clients, streams and bytes of this server.",
              HOME_READS_HERE);
HOME_EXPORT(sse_stats);
