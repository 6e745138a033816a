/* haft/call.h - what a handler can do: answer, look around, report, ask.
 *
 * A haft_call lives until its handler has finished.  What is allocated from it lives as long; a
 * handler frees nothing.  Everything here may be called from the thread that runs the handler;
 * haft_call_cancelled, haft_progress, haft_message, haft_log and haft_finish from any thread. */
#ifndef HAFT_CALL_H
#define HAFT_CALL_H

#include <haft/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- answering ------------------------------------------------------------- */

/* Each appends a block to the result and returns 0, or an error that the handler can return.
 * Reading a resource gives contents: haft_embed, or haft_text for the resource itself; not the
 * others. */
int haft_text(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);
int haft_text_bytes(haft_call *call, const char *text, size_t size);
int haft_image(haft_call *call, const char *mime_type, const void *bytes, size_t size);
int haft_audio(haft_call *call, const char *mime_type, const void *bytes, size_t size);

/* A link to a resource, or the resource itself.  A URI has a scheme ("log:today"); HAFT_EINVAL
 * otherwise. */
typedef struct haft_link {
    const char *uri;
    const char *name; /* NULL: the last part of the URI */
    const char *title, *description, *mime_type;
    int64_t size; /* in bytes; 0 when it is not known */
    const haft_icon *icons;
    size_t n_icons;
} haft_link;

typedef struct haft_contents {
    const char *uri, *mime_type;
    const char *text;  /* either this, */
    const void *bytes; /* or these */
    size_t size;       /* of bytes; of text when it is not 0 */
} haft_contents;

int haft_resource_link(haft_call *call, const haft_link *link);
int haft_embed(haft_call *call, const haft_contents *contents);

/* Who the latest block is for and how much it matters: audience is "user", "assistant" or "user
 * assistant"; priority from 0 to 1, below 0 for none; last_modified ISO 8601 with an offset, as in
 * "2026-01-31T12:00:00Z", or NULL.  HAFT_EINVAL when one of them is not so. */
int haft_block_annotate(haft_call *call, const char *audience, double priority,
                        const char *last_modified);

/* `_meta` of the latest block, once: a JSON object. */
int haft_block_meta(haft_call *call, const char *json);

/* JSON text as structured content, and as a text block unless there are blocks already.  It is
 * checked against the tool's output schema before it leaves. */
int haft_json(haft_call *call, const char *json, size_t size);

/* Marks the result as an error that the model may read, with this text.  Detail that it must not
 * read goes to haft_log. */
int haft_error(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);

/* A member of the result's `_meta`, as JSON; of two with one key, the later one counts.
 * HAFT_EINVAL for the key that the server itself writes, "io.modelcontextprotocol/serverInfo", and
 * for what is no key: letters, digits, '-', '_' and '.', after a prefix like "com.example/" or
 * none. */
int haft_result_meta(haft_call *call, const char *key, const char *json);

/* Ends a call whose handler returned HAFT_PENDING, from any thread: `status` as the handler would
 * have returned it.  The call is gone afterwards. */
void haft_finish(haft_call *call, int status);

/* ---- looking around --------------------------------------------------------- */

const char *haft_request_id(const haft_call *call); /* as text; U+0000 is written as \\u0000 */
const char *haft_call_name(const haft_call *call);  /* of the tool, prompt or resource */
void *haft_tool_data(const haft_call *call);
void *haft_server_data(const haft_call *call);

/* Something of the program's own for this call. */
void *haft_call_user_data(const haft_call *call);
void haft_call_set_user_data(haft_call *call, void *data);

const char *haft_client_name(const haft_call *call);    /* "" when it did not say */
const char *haft_client_version(const haft_call *call); /* "" */
const char *haft_call_revision(const haft_call *call);  /* "2026-07-28" */
const char *haft_call_principal(const haft_call *call); /* who it is; NULL when not known */

/* Whether the client declared a capability: "sampling", "elicitation.url", "roots",
 * "extensions.io.modelcontextprotocol/ui". */
bool haft_client_can(const haft_call *call, const char *capability);

/* The request's `_meta` and its arguments; NULL when there are none.  The arguments are as they
 * came, or, once a lenient tool has repaired them, as the handler gets them.  Large ones may have
 * been decoded without becoming JSON: then they do so here, and NULL says that there is no memory
 * for it. */
haft_value *haft_request_meta(const haft_call *call);
haft_value *haft_call_arguments(const haft_call *call);

/* Where the call stands in a trace (W3C Trace Context), when its request said so in `_meta` or,
 * without that, in a header; NULL when it did not, or not well.  Requests that a handler makes
 * carry `traceparent` and, unless it is empty, `tracestate` on. */
typedef struct haft_trace {
    char trace_id[33];    /* hexadecimal digits */
    char parent_id[17];   /* the client's span */
    char span_id[17];     /* this call's own */
    char traceparent[56]; /* of what comes of this call: "00-TRACE-SPAN-FLAGS" */
    unsigned char flags;  /* as they came; 1: the trace is being recorded */
    const char *tracestate;
} haft_trace;

const haft_trace *haft_call_trace(const haft_call *call);

/* Memory that lives as long as the call; NULL when there is none. */
void *haft_call_alloc(haft_call *call, size_t size);
char *haft_call_printf(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);
haft_arena *haft_call_arena(haft_call *call);

/* True once nobody waits for the answer: stop what can be stopped. */
bool haft_call_cancelled(const haft_call *call);

/* Milliseconds until the deadline as of the latest tick, 0 when it has passed, -1 when there is
 * none. */
int64_t haft_call_time_left(const haft_call *call);

/* ---- reporting --------------------------------------------------------------- */

/* Progress to the client, when it asked for it; else nothing.  Total 0 when it is not known; format
 * may be NULL.  What would go backwards is not sent. */
void haft_progress(haft_call *call, double done, double total, const char *format, ...)
    HAFT_PRINTF_(4, 5);

typedef enum haft_level {
    HAFT_DEBUG,
    HAFT_INFO,
    HAFT_NOTICE,
    HAFT_WARNING,
    HAFT_ERROR,
    HAFT_CRITICAL,
    HAFT_ALERT,
    HAFT_EMERGENCY
} haft_level;

/* A log message to the client, if it wants that level.  `logger` may be NULL. */
void haft_message(haft_call *call, haft_level level, const char *logger, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* A line to the server's own log, with what is known of the call: haft_record. */
void haft_log(haft_call *call, haft_level level, const char *format, ...) HAFT_PRINTF_(3, 4);

/* Lets a connection go while the work goes on: a legacy client over HTTP comes back for the result.
 * Everywhere else nothing happens. */
void haft_call_close_stream(haft_call *call);

/* ---- asking ------------------------------------------------------------------- */

/* The client, or the person behind it, can be asked for input in the middle of a call.  The same
 * code serves every revision: the first time a question is put there is no answer yet, the function
 * returns HAFT_AGAIN, and so must the handler.  When the answer has come the handler is called
 * again from the start, with the same arguments, and the function returns it.  Questions are told
 * apart by `key`.  Several may be put before the handler returns HAFT_AGAIN once.
 *
 * A negative result is an error that the handler returns: HAFT_ECAPABILITY when the client has not
 * declared that it can be asked. */
typedef enum haft_answer {
    HAFT_DECLINED = 10,  /* the person said no */
    HAFT_DISMISSED = 11, /* the person closed the question */
    HAFT_ACCEPTED = 12
} haft_answer;

/* A form for a declared type of flat fields; *ret_content is filled in when it is accepted. */
int haft_elicit(haft_call *call, const char *key, const char *message, const haft_type *form,
                void *ret_content);

/* The same with a JSON Schema of the program's own; *ret_content is the accepted content, which
 * fits it.  The schema is {"type": "object", "properties": ...} of strings, numbers, booleans and
 * selections, as the protocol has forms: else HAFT_ESCHEMA, with why in the log. */
int haft_elicit_json(haft_call *call, const char *key, const char *message, const char *schema,
                     haft_value **ret_content);

/* An address to open: an absolute URL, else HAFT_EINVAL. */
int haft_elicit_url(haft_call *call, const char *key, const char *message, const char *url);

/* A model's answer.  `request` is the parameters of sampling/createMessage as JSON ("messages",
 * "maxTokens", ...); *ret_result the client's result.  0, HAFT_AGAIN, or an error. */
int haft_sample(haft_call *call, const char *key, const char *request, haft_value **ret_result);

/* The client's roots: an array of {uri, name}. */
int haft_roots(haft_call *call, const char *key, haft_value **ret_roots);

/* Text of the handler's own that it finds again when it is called again; NULL when there is none
 * yet. */
const char *haft_call_state(const haft_call *call);
int haft_call_set_state(haft_call *call, const char *text);

#ifdef __cplusplus
}
#endif
#endif
