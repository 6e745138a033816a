/* haft/server.h - a server and what it offers: tools, resources, prompts, completion and methods.
 *
 * Everything is checked, compiled and rendered when it is added.  Errors are reported then, with
 * name and path, and affect nothing else.  Tools, resources and prompts may be added and removed
 * while the server serves; clients are notified.
 *
 * Unless a comment says otherwise, the functions that take a server may be called from any thread,
 * and those that take a call from the thread that runs the handler. */
#ifndef HAFT_SERVER_H
#define HAFT_SERVER_H

#include <haft/call.h>
#include <haft/store.h>
#include <haft/ui.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A server. */
typedef struct haft_server haft_server;

/* Receives every line of the server's log, without a line end.  Control characters and other
 * invisible characters are escaped as in JSON.  May be called by several threads at once. */
typedef void haft_log_function(void *context, haft_level level, const char *text, size_t size);

/* A line of the log with the facts that it is about, for structured logs.  Outside a call there is
 * only the text; facts that are not known are NULL.  Valid until the function returns. */
typedef struct haft_record {
    haft_level level;       /* severity */
    const char *text;       /* line of text */
    size_t size;            /* bytes of text */
    const char *request_id; /* id of the request, as text */
    const char *tool;       /* name of the tool, prompt, resource or method */
    const char *client;     /* name that the client gives itself */
    const char *principal;  /* authenticated identity of the client */
    const char *trace_id;   /* id of the trace, 32 hexadecimal digits */
} haft_record;

/* Receives the lines of the log as records.  May be called by several threads at once. */
typedef void haft_record_function(void *context, const haft_record *record);

/* Options of a server.  Zero means the default in each description. */
typedef struct haft_server_options {
    size_t struct_size;                        /* set by HAFT_INIT or HAFT_WITH */
    const char *title, *description, *website; /* for clients to display; each may be NULL */
    const haft_icon *icons;                    /* icons for a user interface */
    size_t n_icons;                            /* number of icons */
    const char *instructions;                  /* for the model, about the server as a whole */
    const haft_allocator *allocator;           /* malloc */
    void *data;             /* pointer of the program: haft_server_data, haft_server_set_data */
    haft_log_function *log; /* none; haft_main: warnings and above to standard error */
    haft_record_function *record; /* instead of log */
    void *log_context;            /* first argument of log and record */
    /* Returns nanoseconds, to measure calls; without it durations are 0. haft_main provides one. */
    uint64_t (*clock)(void);
    /* Returns random bits, for ids of spans; without it they only differ. haft_main provides
     * one. */
    uint64_t (*random)(void);
    unsigned timeout_ms;   /* time limit of a call: 30,000 */
    haft_rate client_rate; /* rate limit of each client, for calls of any tool: none */
    /* State that outlives the process or is shared with others: counts of rate limits, legacy
     * sessions over HTTP, and what may be used once.  Servers of the same name on one store tell each
     * other over HTTP which lists and resources have changed.  It must outlive the server.  NULL:
     * memory of this process. */
    haft_store *store;
    size_t page_size;         /* items per page of a list; 0: all */
    size_t max_message;       /* maximum size of a message in bytes: 4 MiB */
    size_t max_depth;         /* maximum nesting of JSON: 64 */
    size_t max_elements;      /* items and members in arguments: no limit */
    size_t max_in_flight;     /* calls of one connection: 128 */
    size_t max_subscriptions; /* subscriptions of one connection: 1,024 */
    int64_t ttl_ms;           /* how long a 2026-07-28 client may cache lists: 0 */
    bool cache_public;        /* whether it may share them with other users */
    const char *extensions;   /* `capabilities.extensions`: {"com.example/x": {}} */
    /* 32 bytes that seal the state of unfinished calls.  Servers with the same name and key can
     * finish each other's calls. haft_main makes one up. */
    const unsigned char *seal_key;
    bool resource_subscriptions; /* offer subscriptions to resources */
    bool lenient; /* tools convert strings to the expected types: haft_tool.lenient */
    /* Number of processes that share the store: 1.  While it does not answer, each of them allows its
     * part of the rate limits. */
    unsigned replicas;
    haft_store_away store_rate; /* rate limits while the store does not answer: HAFT_AWAY_LOCAL */
    /* Credentials and states that may be used once, while the store does not answer:
     * HAFT_AWAY_CLOSED, or HAFT_AWAY_OPEN.  HAFT_AWAY_LOCAL: each process remembers its own. */
    haft_store_away store_replay;
    /* 32 bytes of another seal key, whose states are accepted too, while replicas change from one key
     * to the other; NULL for none. */
    const unsigned char *other_seal_key;
} haft_server_options;

/* Creates a server, and frees one with everything that it owns.  Name and version are copied;
 * options may be NULL.  Returns NULL if memory runs out, the name is missing, or the options are
 * invalid: `extensions` that are not objects, an icon without an address. haft_server_free accepts
 * NULL; no session of the server may exist. */
haft_server *haft_server_new(const char *name, const char *version);
haft_server *haft_server_new_with(const char *name, const char *version,
                                  const haft_server_options *options);
void haft_server_free(haft_server *server);

/* Set the options of these names, also while the server serves; from any thread.  The key is copied.
 * The other key may be NULL: no other states are accepted then. */
void haft_server_set_seal_key(haft_server *server, const unsigned char key[32]);
void haft_server_set_other_seal_key(haft_server *server, const unsigned char *key);

/* Sets the pointer of the program that haft_server_data returns in a handler, instead of `data` of the
 * options; for a program whose data need the server.  Call it before the server serves. */
void haft_server_set_data(haft_server *server, void *data);

/* Returns the reason of the latest refusal by a function of this header. */
const haft_reason *haft_server_error(const haft_server *server);

/* Returns the server of a call, for functions that need one: haft_resource_updated in a handler. */
haft_server *haft_call_server(const haft_call *call);

/* ---- tools --------------------------------------------------------------------- */

/* Adds a tool.  The constant must outlive the server.  Returns 0, or an error, which is logged and
 * kept for haft_server_error; HAFT_EINVAL also if server is NULL. */
int haft_add(haft_server *server, const haft_tool *tool);

/* Kinds of things that a server offers. */
typedef enum haft_offer {
    HAFT_OFFER_TOOL,     /* a tool, by name */
    HAFT_OFFER_RESOURCE, /* a resource, by URI */
    HAFT_OFFER_TEMPLATE, /* a resource template, by URI template */
    HAFT_OFFER_PROMPT    /* a prompt, by name */
} haft_offer;

/* Change something that the server offers, and notify clients.  A disabled tool is not listed and
 * cannot be called.  Only tools and prompts can be renamed.  Each returns 0; HAFT_ENOTFOUND if
 * nothing has that name; HAFT_EEXISTS if the new name is in use; HAFT_EINVAL if it is invalid; or
 * HAFT_ENOMEM. */
int haft_offer_enable(haft_server *server, haft_offer kind, const char *name);
int haft_offer_disable(haft_server *server, haft_offer kind, const char *name);
int haft_offer_remove(haft_server *server, haft_offer kind, const char *name);
int haft_offer_rename(haft_server *server, haft_offer kind, const char *name, const char *new_name);

/* Replaces the tool of that name with another definition, which must outlive the server.  Returns
 * as haft_add, or HAFT_ENOTFOUND. */
int haft_tool_replace(haft_server *server, const char *name, const haft_tool *tool);

/* Selects the tools that clients can see and call, for the operator of a server.  Zero hides
 * nothing. */
typedef struct haft_visibility {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *tools;  /* patterns of names, "list_*,-*_delete"; NULL for all */
    bool read_only;     /* only tools that declare themselves read-only */
    /* returns whether to hide a tool; may be NULL */
    bool (*hides)(void *context, const char *tool);
    void *context; /* first argument of hides */
} haft_visibility;

/* Sets which tools clients can see and call, also of those that are added later.  A hidden tool
 * behaves like a disabled one; clients are notified of changes.  Returns 0 or an error. */
int haft_server_set_visibility(haft_server *server, const haft_visibility *visibility);

/* When and how clients search for tools, instead of reading a list of all of them. */
typedef struct haft_search {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    unsigned above; /* number of tools that a client may see, above which it searches; 0: always */
    const char *pinned; /* patterns of names of tools that stay in the list; NULL for none */
    unsigned results;   /* maximum number of tools that a search returns: 1 to 100; 0 for 10 */
} haft_search;

/* Makes clients that may see many tools search for them: their lists contain find_tools,
 * describe_tool and call_tool, besides the pinned tools.  All tools can still be called by their
 * names.  A call of call_tool is a call of the tool that it names: its scopes, limits, stages, audit
 * and metrics apply.  The settings are copied; NULL removes the three tools.  Returns 0, HAFT_EINVAL,
 * HAFT_EEXISTS if another tool has one of their names, or HAFT_ENOMEM.  One thread at a time may call
 * it, also while the server is serving. */
int haft_server_set_search(haft_server *server, const haft_search *search);

/* A tool that is built at run time.  Strings are copied. */
typedef struct haft_tool_builder haft_tool_builder;

/* A handler that gets its arguments as JSON.  It returns as `call` of a haft_tool. */
typedef int haft_json_handler(haft_call *call, haft_value *arguments, void *data);

/* Build a tool at run time: create a builder, set the members of haft_tool, and add it with
 * haft_tool_build. haft_tool_new returns NULL if memory runs out, and every function accepts NULL.
 * Schemas are handed over: the server frees them.  `json` is the `_meta` object. */
haft_tool_builder *haft_tool_new(const char *name);
void haft_tool_describe(haft_tool_builder *builder, const char *text);
void haft_tool_title(haft_tool_builder *builder, const char *text);
void haft_tool_annotate(haft_tool_builder *builder, haft_annotations annotations);
void haft_tool_icons(haft_tool_builder *builder, const haft_icon *icons, size_t n);
void haft_tool_meta(haft_tool_builder *builder, const char *json);
void haft_tool_input(haft_tool_builder *builder, haft_schema *schema);
void haft_tool_output(haft_tool_builder *builder, haft_schema *schema);
void haft_tool_handler(haft_tool_builder *builder, haft_json_handler *handler, void *data);
void haft_tool_timeout(haft_tool_builder *builder, unsigned milliseconds);
void haft_tool_rate(haft_tool_builder *builder, haft_rate rate);
void haft_tool_quick(haft_tool_builder *builder);
void haft_tool_lenient(haft_tool_builder *builder, haft_hint lenient);
/* Set max_running and max_waiting, or isolate and isolate_memory, of a tool that is being built. */
void haft_tool_cap(haft_tool_builder *builder, unsigned max_running, unsigned max_waiting);
void haft_tool_isolate(haft_tool_builder *builder, size_t memory);
/* Sets the scopes that calls of a tool that is being built require: haft/access.h. */
void haft_tool_scopes(haft_tool_builder *builder, const char *scopes);
/* Sets the user interface of a tool that is being built (haft/ui.h), which is copied; NULL removes it. */
void haft_tool_ui(haft_tool_builder *builder, const haft_ui *ui);

/* Makes calls of a tool that is being built tasks, and sets what happens to a task whose process has
 * ended (haft/task.h). */
void haft_tool_task(haft_tool_builder *builder, haft_task_mode mode, haft_task_crash crash);
/* Sets the time limit of such a task and the time until it is deleted; 0: the defaults. */
void haft_tool_task_times(haft_tool_builder *builder, unsigned timeout_ms, int64_t ttl_ms);

/* Adds the tool to the server and frees the builder, on success and on failure.  Returns as
 * haft_add; an error of the builder is also returned here. */
int haft_tool_build(haft_tool_builder *builder, haft_server *server);
/* Replaces the tool of that name with the built one and frees the builder, on success and on
 * failure.  Returns as haft_tool_replace. */
int haft_tool_update(haft_tool_builder *builder, haft_server *server, const char *name);

/* Creates a builder from a definition in JSON: an object with `name` and the members that
 * tools/list has: `title`, `description`, `inputSchema`, `outputSchema`, `annotations`, `icons` and
 * `_meta`.  `annotations.custom.rateLimit`, {"windowMs": 60000, "max": 5}, is the tool's rate and
 * is not listed.  `execution.taskSupport` sets haft_tool.task.  Other members, and members of another type, are refused with their path: the error
 * is logged, kept for haft_server_error, and returned by haft_tool_build.  Add the handler and
 * other settings as with any builder. */
haft_tool_builder *haft_tool_parse(haft_server *server, const char *json, size_t size);

/* ---- resources ------------------------------------------------------------------ */

/* A resource, or a template of resources.  Zero means the default in each description. */
typedef struct haft_resource {
    size_t struct_size; /* set by HAFT_INIT or HAFT_WITH */
    const char *uri;    /* URI, or an RFC 6570 template such as "users://{id}/profile" */
    const char *name, *title, *description, *mime_type; /* for clients; only the name is required */
    const haft_icon *icons;                             /* icons for a user interface */
    size_t n_icons;                                     /* number of icons */
    const char *meta;                                   /* `_meta`: a JSON object */
    int64_t size;                                       /* size in bytes; 0 if it is not known */
    const char *audience;      /* "user", "assistant" or "user assistant"; NULL for none */
    double priority;           /* importance from 0 to 1; 0 for none */
    const char *last_modified; /* ISO 8601 with an offset; NULL for none */
    int64_t ttl_ms; /* how long a 2026-07-28 client may cache it; 0: as lists; -1: not at all */
    haft_hint cache_public; /* whether it may share it with other users; UNSET: as lists */
    /* Answers with haft_embed or haft_text. haft_variable returns the values of a template's
     * variables.  Returns as `call` of a haft_tool.  HAFT_ENOTFOUND is answered with the error for
     * an unknown resource, and HAFT_EINVAL after haft_error with "invalid params"; the text of
     * haft_error is the message. */
    int (*read)(haft_call *call, const char *uri);
    /* Suggests values for a variable of a template, with haft_completion_add.  May be NULL. */
    int (*complete)(haft_call *call, const char *argument, const char *value);
    void *data; /* pointer of the program: haft_tool_data */
    bool quick; /* never blocks: runs on the thread that reads */
    const haft_ui_page
        *page;          /* it is an app, a user interface of tools: haft/ui.h; NULL if it is not */
    const char *scopes; /* scopes that reading it requires, as in haft_tool */
} haft_resource;

/* Add a resource, or a template of resources.  The constants must outlive the server.  Each returns
 * as haft_add. */
int haft_resource_add(haft_server *server, const haft_resource *resource);
int haft_template_add(haft_server *server, const haft_resource *resource);

/* Returns the value of a template's variable, decoded; NULL if the template does not have it.  The
 * string lives as long as the call. */
const char *haft_variable(const haft_call *call, const char *name);

/* Notifies subscribers that a resource has changed. */
void haft_resource_updated(haft_server *server, const char *uri);

/* ---- prompts ---------------------------------------------------------------------- */

/* A prompt.  Zero means the default in each description. */
typedef struct haft_prompt {
    size_t struct_size;                     /* set by HAFT_INIT or HAFT_WITH */
    const char *name, *title, *description; /* for clients; only the name is required */
    const haft_icon *icons;                 /* icons for a user interface */
    size_t n_icons;                         /* number of icons */
    const char *meta;                       /* `_meta`: a JSON object */
    const haft_type *arguments; /* declared type with string fields; NULL for no arguments */
    /* Answers with haft_prompt_say, followed by haft_text and similar functions.  `arguments` is an
     * object of the declared type.  Returns as `call` of a haft_tool.  HAFT_EINVAL or
     * HAFT_ENOTFOUND after haft_error is answered with "invalid params" and that text. */
    int (*get)(haft_call *call, const void *arguments);
    /* suggests values for an argument; may be NULL */
    int (*complete)(haft_call *call, const char *argument, const char *value);
    void *data;         /* pointer of the program: haft_tool_data */
    bool quick;         /* never blocks: runs on the thread that reads */
    const char *scopes; /* scopes that getting it requires, as in haft_tool */
} haft_prompt;

/* Adds a prompt.  The constant must outlive the server.  Returns as haft_add. */
int haft_prompt_add(haft_server *server, const haft_prompt *prompt);

/* Starts a message of a prompt: the next block belongs to it.  The role is "user" or "assistant".
 * Returns 0 or an error. */
int haft_prompt_say(haft_call *call, const char *role);
/* Sets the description in the result of a prompt.  The text is copied.  Returns 0 or an error. */
int haft_prompt_description(haft_call *call, const char *text);

/* ---- completion --------------------------------------------------------------------- */

/* Adds a suggested value to a completion.  At most 100 are sent; the others are only counted.
 * Returns 0 or an error. */
int haft_completion_add(haft_call *call, const char *value);
/* Returns the value that the client has filled in for another argument; NULL if it has not. */
const char *haft_completion_context(const haft_call *call, const char *argument);

/* ---- methods of the program ----------------------------------------------------------------------- */

/* Handles a method of the program's own ("acme/thing").  The handler gets the parameters and
 * answers with haft_json and an object; its `_meta` is merged with what haft adds, and its
 * `resultType` is sent only to 2026-07-28 clients.  The handler may ask for input as tools do.
 * HAFT_EINVAL or HAFT_ENOTFOUND after haft_error is answered with "invalid params" and that text.
 * Notifications are not answered.  Returns 0, HAFT_ENOMEM, or HAFT_EINVAL, with a reason, for a
 * name without a prefix and for a method that the server itself handles. */
int haft_on(haft_server *server, const char *method, haft_json_handler *handler, void *data);

#ifdef __cplusplus
}
#endif
#endif
