/* haft/server.h - a server: what it offers, and to whom it listens.
 *
 * Everything that is offered is checked, compiled and rendered when it is added; what is wrong with
 * it is said then, by name and path, and harms nothing else.  Tools, resources and prompts may be
 * added and removed while the server serves; clients are told. */
#ifndef HAFT_SERVER_H
#define HAFT_SERVER_H

#include <haft/call.h>
#include <haft/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_server haft_server;

/* Gets every line of the server's log; text is one line, without its end.  Control characters and
 * others that people do not see are escaped as in JSON. */
typedef void haft_log_function(void *context, haft_level level, const char *text, size_t size);

/* The same with what the line is about kept apart from it, for whoever writes more than text.
 * Outside of a call there is only the text; what is not known is NULL.  Valid until the function
 * returns. */
typedef struct haft_record {
    haft_level level;
    const char *text;
    size_t size;
    const char *request_id; /* as text */
    const char *tool;       /* or prompt, resource, method */
    const char *client;     /* by its own name */
    const char *principal;
    const char *trace_id; /* 32 hexadecimal digits */
} haft_record;

typedef void haft_record_function(void *context, const haft_record *record);

/* Zero means the stated default. */
typedef struct haft_server_options {
    size_t struct_size; /* its sizeof */
    const char *title, *description, *website;
    const haft_icon *icons;
    size_t n_icons;
    const char *instructions;        /* for the model, about the server as a whole */
    const haft_allocator *allocator; /* malloc */
    void *data;                      /* haft_server_data */
    haft_log_function *log;          /* nowhere; haft_main: warnings and worse to standard error */
    haft_record_function *record;    /* or this */
    void *log_context;               /* of either */
    /* Nanoseconds, to measure calls with: without it they take none.  haft_main has one. */
    uint64_t (*clock)(void);
    /* For the ids of spans: without it they are only made to differ.  haft_main has one. */
    uint64_t (*random)(void);
    unsigned timeout_ms;   /* of a call: 30,000 */
    haft_rate client_rate; /* of each client's calls, of any tool: no limit */
    /* What is to outlive this process, or to be shared with others: where calls are counted for their limits, and
     * where legacy sessions over HTTP are kept.  It must outlive the server.  NULL: this process's memory. */
    haft_store *store;
    size_t page_size;         /* of lists: 0 for all at once */
    size_t max_message;       /* bytes: 4 MiB */
    size_t max_depth;         /* of JSON: 64 */
    size_t max_elements;      /* items and members in arguments: no limit */
    size_t max_in_flight;     /* calls of one connection: 128 */
    size_t max_subscriptions; /* of one connection: 1,024 */
    int64_t ttl_ms;           /* how long a modern client may keep lists: 0 */
    bool cache_public;        /* and may share them */
    const char *extensions;   /* {"com.example/x": {}}: `capabilities.extensions` */
    /* 32 bytes that seal the state of unfinished calls; servers of one name that share them can
     * finish each other's.  haft_main makes them up. */
    const unsigned char *seal_key;
    bool resource_subscriptions; /* offer them */
    bool lenient;                /* tools read texts as what they stand for: haft_tool.lenient */
} haft_server_options;

/* NULL without memory or a name, or with options that clients cannot be told: `extensions` that are
 * no objects, an icon without an address.  Name and version are copied. */
haft_server *haft_server_new(const char *name, const char *version);
haft_server *haft_server_new_with(const char *name, const char *version,
                                  const haft_server_options *options);
void haft_server_free(haft_server *server);

/* As the option of that name, before the server serves. */
void haft_server_set_seal_key(haft_server *server, const unsigned char key[32]);

/* What the latest refusal of a function below was about. */
const haft_reason *haft_server_error(const haft_server *server);

/* ---- tools --------------------------------------------------------------------- */

/* Adds a tool.  The constant must outlive the server.  0, or an error that is logged and kept for
 * haft_server_error; HAFT_EINVAL also for a server that could not be made, NULL. */
int haft_add(haft_server *server, const haft_tool *tool);

/* A handle on an offered thing, by kind and name; all of these announce themselves. */
typedef enum haft_offer {
    HAFT_OFFER_TOOL,
    HAFT_OFFER_RESOURCE,
    HAFT_OFFER_TEMPLATE,
    HAFT_OFFER_PROMPT
} haft_offer;

int haft_offer_enable(haft_server *server, haft_offer kind, const char *name);
int haft_offer_disable(haft_server *server, haft_offer kind, const char *name);
int haft_offer_remove(haft_server *server, haft_offer kind, const char *name);
int haft_offer_rename(haft_server *server, haft_offer kind, const char *name, const char *new_name);

/* Puts another definition in the place of the tool of that name. */
int haft_tool_replace(haft_server *server, const char *name, const haft_tool *tool);

/* Which tools clients see and can call, for whoever runs the server.  Zero hides nothing.  It holds
 * for tools that are added later too; what is hidden is as if it were disabled, and changes are
 * announced. */
typedef struct haft_visibility {
    size_t struct_size; /* its sizeof */
    const char *tools;  /* names that match, "list_*,-*_delete"; NULL for all */
    bool read_only;     /* only tools that declare themselves read-only */
    bool (*hides)(void *context, const char *tool); /* and those that this hides; may be NULL */
    void *context;
} haft_visibility;

int haft_server_set_visibility(haft_server *server, const haft_visibility *visibility);

/* A tool put together at run time; texts are copied.  haft_tool_build adds it and frees the
 * builder, whether it succeeds or not.  Schemas are handed over: the server frees them. */
typedef struct haft_tool_builder haft_tool_builder;
typedef int haft_json_handler(haft_call *call, haft_value *arguments, void *data);

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
/* As the members of haft_tool of those names. */
void haft_tool_cap(haft_tool_builder *builder, unsigned max_running, unsigned max_waiting);
void haft_tool_isolate(haft_tool_builder *builder, size_t memory);
int haft_tool_build(haft_tool_builder *builder, haft_server *server);
/* The same, in the place of the tool of that name: as haft_tool_replace. */
int haft_tool_update(haft_tool_builder *builder, haft_server *server, const char *name);

/* A builder that is filled from a definition as JSON: an object with `name` and, as tools/list has
 * them, `title`, `description`, `inputSchema`, `outputSchema`, `annotations`, `icons` and `_meta`.
 * `annotations.custom.rateLimit`, {"windowMs": 60000, "max": 5}, is the tool's rate and is not
 * listed.  `execution.taskSupport` is not listed either: "required" is refused, since there are no
 * tasks.  Any other member, or one of another type, is refused by its path: logged, kept for
 * haft_server_error, and returned by haft_tool_build.  The handler and what else is wanted are
 * added as to any builder. */
haft_tool_builder *haft_tool_parse(haft_server *server, const char *json, size_t size);

/* ---- resources ------------------------------------------------------------------ */

typedef struct haft_resource {
    size_t struct_size; /* its sizeof */
    const char *uri;    /* or an RFC 6570 template, "users://{id}/profile" */
    const char *name, *title, *description, *mime_type;
    const haft_icon *icons;
    size_t n_icons;
    const char *meta; /* `_meta`: a JSON object */
    int64_t size;     /* in bytes; 0 when it is not known */
    /* Who it is for, how much it matters and how old it is: as for haft_block_annotate, but a priority of
     * 0 is none. */
    const char *audience;
    double priority;
    const char *last_modified;
    /* How long a modern client may keep it, and whether it may share it; 0 and UNSET: as the
     * server's lists; -1: not at all. */
    int64_t ttl_ms;
    haft_hint cache_public;
    /* Answers by haft_embed.  The values of a template's variables are read by haft_variable. */
    int (*read)(haft_call *call, const char *uri);
    /* Fills in values for a template's variable: as for haft_completion_add. */
    int (*complete)(haft_call *call, const char *argument, const char *value);
    void *data;
    bool quick;
} haft_resource;

/* The constants must outlive the server. */
int haft_resource_add(haft_server *server, const haft_resource *resource);
int haft_template_add(haft_server *server, const haft_resource *resource);

/* The value of a template's variable, decoded; NULL when there is none of that name. */
const char *haft_variable(const haft_call *call, const char *name);

/* Tells subscribers that a resource has changed. */
void haft_resource_updated(haft_server *server, const char *uri);

/* ---- prompts ---------------------------------------------------------------------- */

typedef struct haft_prompt {
    size_t struct_size; /* its sizeof */
    const char *name, *title, *description;
    const haft_icon *icons;
    size_t n_icons;
    const char *meta;
    const haft_type *arguments; /* fields of text; NULL for none */
    /* Answers by haft_prompt_say, then haft_text and its friends. */
    int (*get)(haft_call *call, const void *arguments);
    int (*complete)(haft_call *call, const char *argument, const char *value);
    void *data;
    bool quick;
} haft_prompt;

int haft_prompt_add(haft_server *server, const haft_prompt *prompt);

/* Starts a message: the next block belongs to it.  Role is "user" or "assistant". */
int haft_prompt_say(haft_call *call, const char *role);
/* The description of a prompt's result. */
int haft_prompt_description(haft_call *call, const char *text);

/* ---- completion --------------------------------------------------------------------- */

/* Adds a value to a completion; at most 100 are sent, the others are counted. */
int haft_completion_add(haft_call *call, const char *value);
/* What the client has filled in for another argument; NULL when it has not. */
const char *haft_completion_context(const haft_call *call, const char *argument);

/* ---- any method ----------------------------------------------------------------------- */

/* Handles a method of the program's own ("acme/thing").  The handler gets the parameters and
 * answers by haft_json with an object, in which `_meta` joins what haft adds to it and `resultType`
 * is for modern clients alone; it may ask as tools do.  A notification is not answered.  0, or
 * HAFT_ENOMEM; HAFT_EINVAL, with a reason, for a name without a prefix and for a method that the
 * server itself handles. */
int haft_on(haft_server *server, const char *method, haft_json_handler *handler, void *data);

#ifdef __cplusplus
}
#endif
#endif
