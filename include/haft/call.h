/* haft/call.h - what a handler can do: answer, inspect its request, report progress, ask for input.
 *
 * A haft_call lives until its handler has finished.  Memory that is allocated from it lives as
 * long; a handler frees nothing.  All functions may be called from the thread that runs the
 * handler. haft_call_cancelled, haft_progress, haft_message, haft_log and haft_finish may be called
 * from any thread. */
#ifndef HAFT_CALL_H
#define HAFT_CALL_H

#include <haft/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- answering ------------------------------------------------------------- */

/* Append a block to the result: formatted text, text of a given size, an image or an audio clip.
 * Each returns 0, or an error that the handler can return.  Everything is copied.  A handler that
 * reads a resource can use haft_text and haft_text_bytes for its contents, or haft_embed; the
 * others fail with HAFT_EINVAL. */
int haft_text(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);
int haft_text_bytes(haft_call *call, const char *text, size_t size);
int haft_image(haft_call *call, const char *mime_type, const void *bytes, size_t size);
int haft_audio(haft_call *call, const char *mime_type, const void *bytes, size_t size);

/* A link to a resource.  Its URI must have a scheme ("log:today"). */
typedef struct haft_link {
    const char *uri;  /* address of the resource */
    const char *name; /* NULL: the last part of the URI */
    /* title, description and media type; each may be NULL */
    const char *title, *description, *mime_type;
    int64_t size;           /* size in bytes; 0 if it is not known */
    const haft_icon *icons; /* icons for a user interface */
    size_t n_icons;         /* number of icons */
} haft_link;

/* The contents of a resource, either text or bytes.  Its URI must have a scheme. */
typedef struct haft_contents {
    const char *uri, *mime_type; /* address and media type of the resource */
    const char *text;            /* UTF-8 text; NULL if it has bytes */
    const void *bytes;           /* binary contents; NULL if it has text */
    size_t size; /* size of the bytes; size of the text, where 0 means up to its NUL */
} haft_contents;

/* Append a link to a resource, or the contents of a resource, to the result.  Each returns 0, or an
 * error that the handler can return: HAFT_EINVAL if the URI has no scheme.  Everything is
 * copied. */
int haft_resource_link(haft_call *call, const haft_link *link);
int haft_embed(haft_call *call, const haft_contents *contents);

/* Annotates the latest block. audience is "user", "assistant" or "user assistant"; priority is from
 * 0 to 1, or negative for none; last_modified is ISO 8601 with an offset, such as
 * "2026-01-31T12:00:00Z", or NULL.  Returns 0, HAFT_ENOMEM, or HAFT_EINVAL if one of them is
 * invalid. */
int haft_block_annotate(haft_call *call, const char *audience, double priority,
                        const char *last_modified);

/* Sets `_meta` of the latest block, a JSON object.  It can be set once.  Returns 0 or an error. */
int haft_block_meta(haft_call *call, const char *json);

/* Sets the structured content of the result, as JSON text; without other blocks it also becomes a
 * text block.  The engine validates it against the tool's output schema before it sends the
 * result.  Returns 0 or an error.  The text is copied. */
int haft_json(haft_call *call, const char *json, size_t size);

/* Marks the result as an error, with a text that the model may read.  Write details that the model
 * must not read with haft_log.  Returns 0 or an error. */
int haft_error(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);

/* Ends the call with an error of the protocol (JSON-RPC) instead of a result, with that code and
 * text: a task becomes "failed".  Models do not see such errors; use haft_error for those that they
 * can correct.  Returns HAFT_EFAIL, or HAFT_ENOMEM, for the handler to return. */
int haft_protocol_error(haft_call *call, int code, const char *format, ...) HAFT_PRINTF_(3, 4);

/* Sets a member of the result's `_meta`, as JSON text; a later value for the same key replaces the
 * earlier one.  A key has letters, digits, '-', '_' and '.', with an optional prefix like
 * "com.example/".  Returns 0, HAFT_ENOMEM, or HAFT_EINVAL for another key, for invalid JSON, and
 * for "io.modelcontextprotocol/serverInfo", which the server writes itself. */
int haft_result_meta(haft_call *call, const char *key, const char *json);

/* Ends a call whose handler returned HAFT_PENDING.  `status` is what the handler would have
 * returned.  The call must not be used afterwards.  May be called from any thread. */
void haft_finish(haft_call *call, int status);

/* ---- inspecting the request --------------------------------------------------------- */

/* Return facts about the call.  The pointers live as long as the call; those of the data are the
 * ones in haft_tool and haft_server_options. */
const char *haft_request_id(const haft_call *call); /* as text; U+0000 is written \\u0000 */
const char *haft_call_name(const haft_call *call);  /* tool, prompt or URI of a resource */
void *haft_tool_data(const haft_call *call);   /* `data` of the tool, resource, prompt or method */
void *haft_server_data(const haft_call *call); /* haft_server_set_data, or `data` of its options */

/* Return and set a pointer that the program keeps with this call; NULL until it is set.
 * haft_call_set (haft/pipeline.h) keeps several. */
void *haft_call_user_data(const haft_call *call);
void haft_call_set_user_data(haft_call *call, void *data);

/* Return facts about the client.  The strings live as long as the call. */
const char *haft_client_name(const haft_call *call);    /* "" if it is not known */
const char *haft_client_version(const haft_call *call); /* "" if it is not known */
const char *haft_call_revision(const haft_call *call); /* protocol revision, such as "2026-07-28" */
const char *haft_call_principal(const haft_call *call); /* identity; NULL if not known */

/* Returns whether the client has declared a capability, such as "sampling", "elicitation.url",
 * "roots" or "extensions.io.modelcontextprotocol/ui". */
bool haft_client_can(const haft_call *call, const char *capability);

/* Return the request's `_meta` and its arguments; NULL if it has none.  The arguments are those of
 * the request, or the converted ones of a lenient tool.  Large arguments may have been decoded
 * without becoming JSON; haft_call_arguments then creates the JSON, and returns NULL if memory runs
 * out.  The values live as long as the call. */
haft_value *haft_request_meta(const haft_call *call);
haft_value *haft_call_arguments(const haft_call *call);

/* The position of a call in a trace (W3C Trace Context).  Requests that a handler sends should have
 * the headers `traceparent` and, unless it is empty, `tracestate`. */
typedef struct haft_trace {
    char trace_id[33];      /* 32 hexadecimal digits */
    char parent_id[17];     /* span of the client, 16 hexadecimal digits */
    char span_id[17];       /* span of this call, 16 hexadecimal digits */
    char traceparent[56];   /* header for requests of the handler: "00-TRACE-SPAN-FLAGS" */
    unsigned char flags;    /* flags of the request; 1: the trace is recorded */
    const char *tracestate; /* header for requests of the handler; "" if the request has none */
} haft_trace;

/* Returns the trace context that the request has in `_meta` or, without that, in a header; NULL if
 * it has none or it is malformed.  It lives as long as the call. */
const haft_trace *haft_call_trace(const haft_call *call);

/* Allocate memory that lives as long as the call: bytes, formatted text, or from its arena.  Each
 * returns NULL if memory runs out. */
void *haft_call_alloc(haft_call *call, size_t size);
char *haft_call_printf(haft_call *call, const char *format, ...) HAFT_PRINTF_(2, 3);
haft_arena *haft_call_arena(haft_call *call);

/* Returns true once nobody waits for the answer: the handler should stop.  May be called from any
 * thread. */
bool haft_call_cancelled(const haft_call *call);

/* Called when a call is cancelled: haft_call_on_cancel. */
typedef void haft_cancel_function(haft_call *call, void *context);

/* Has a function called once, as soon as haft_call_cancelled is true: the client has cancelled the
 * call or left, its time is over, or the server shuts down.  Use it to wake a handler that waits, so
 * that it need not check from time to time.
 *
 * The function is called on another thread, usually that of the client's session; if the call is
 * cancelled already, on this one, before haft_call_on_cancel returns.  It must return soon, and must
 * not use the call except for haft_call_cancelled and haft_log.  A later function takes the place of
 * an earlier one; NULL removes it.
 *
 * The function is neither running nor called any more when haft_call_on_cancel with NULL returns, when
 * haft_finish or haft_continue returns, and when a handler that does not return HAFT_PENDING has
 * returned: `context` may be on the handler's stack if it removes the function before it returns. In
 * an isolated tool it is never called, because haft kills the process. */
void haft_call_on_cancel(haft_call *call, haft_cancel_function *function, void *context);

/* Returns the milliseconds until the deadline as of the latest tick: 0 if it has passed, -1 if
 * there is none. */
int64_t haft_call_time_left(const haft_call *call);

/* ---- reporting --------------------------------------------------------------- */

/* Sends progress to the client if it asked for progress. total is 0 if it is not known; format may
 * be NULL.  A value below the previous one is not sent.  May be called from any thread. */
void haft_progress(haft_call *call, double done, double total, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* Severity of a log message, from lowest to highest (RFC 5424). */
typedef enum haft_level {
    HAFT_DEBUG,    /* details for developers */
    HAFT_INFO,     /* normal operation */
    HAFT_NOTICE,   /* normal but significant */
    HAFT_WARNING,  /* something may be wrong */
    HAFT_ERROR,    /* an operation failed */
    HAFT_CRITICAL, /* a component failed */
    HAFT_ALERT,    /* somebody must act at once */
    HAFT_EMERGENCY /* the system is unusable */
} haft_level;

/* Sends a log message to the client if it wants messages of that level.  `logger` names the source
 * and may be NULL.  May be called from any thread. */
void haft_message(haft_call *call, haft_level level, const char *logger, const char *format, ...)
    HAFT_PRINTF_(4, 5);

/* Writes a line to the server's own log, with what is known about the call (haft_record).  May be
 * called from any thread. */
void haft_log(haft_call *call, haft_level level, const char *format, ...) HAFT_PRINTF_(3, 4);

/* Lets the HTTP connection end while the handler continues; a client of an older revision
 * reconnects for the result.  Has no effect elsewhere. */
void haft_call_close_stream(haft_call *call);

/* ---- asking for input ------------------------------------------------------------------- */

/* How a person answered a question of the handler.
 *
 * A handler can ask the client, or its user, for input during a call.  The same code works with
 * every revision: the first time a handler asks, there is no answer yet and the function returns
 * HAFT_AGAIN; the handler must also return HAFT_AGAIN.  When the answer has arrived, the handler is
 * called again from the start, with the same arguments, and the function returns the answer.  A
 * question is identified by `key`.  A handler may ask several questions before it returns HAFT_AGAIN
 * once.
 *
 * A negative result is an error that the handler should return, such as HAFT_ECAPABILITY if the
 * client has not declared that it can be asked. */
typedef enum haft_answer {
    HAFT_DECLINED = 10,  /* the person refused */
    HAFT_DISMISSED = 11, /* the person closed the question */
    HAFT_ACCEPTED = 12   /* the person answered */
} haft_answer;

/* Asks for a form with the fields of a declared type, which must be flat.  Returns a haft_answer,
 * HAFT_AGAIN or an error.  *ret_content is an object of that type, filled in if the answer is
 * HAFT_ACCEPTED; what it points to lives as long as the call. */
int haft_elicit(haft_call *call, const char *key, const char *message, const haft_type *form,
                void *ret_content);

/* Asks for a form with a JSON Schema of the program's own: {"type": "object", "properties": ...} of
 * strings, numbers, booleans and selections, as the protocol defines forms.  Returns a haft_answer,
 * HAFT_AGAIN or an error; HAFT_ESCHEMA for another schema, with the reason in the log.
 * *ret_content is the accepted content, which matches the schema. */
int haft_elicit_json(haft_call *call, const char *key, const char *message, const char *schema,
                     haft_value **ret_content);

/* Asks the user to open a URL.  Returns a haft_answer, HAFT_AGAIN or an error; HAFT_EINVAL if the
 * URL is not absolute. */
int haft_elicit_url(haft_call *call, const char *key, const char *message, const char *url);

/* Asks the client's model for a completion.  `request` has the parameters of sampling/createMessage
 * as JSON ("messages", "maxTokens", ...).  Returns 0 with the client's result in *ret_result,
 * HAFT_AGAIN, or an error. */
int haft_sample(haft_call *call, const char *key, const char *request, haft_value **ret_result);

/* Asks for the client's roots.  Returns 0 with an array of objects with `uri` and `name` in
 * *ret_roots, HAFT_AGAIN, or an error. */
int haft_roots(haft_call *call, const char *key, haft_value **ret_roots);

/* Return and set text that the handler gets back when it is called again; NULL until it is set.
 * The text is copied. haft_call_set_state returns 0 or an error. */
const char *haft_call_state(const haft_call *call);
int haft_call_set_state(haft_call *call, const char *text);

#ifdef __cplusplus
}
#endif
#endif
