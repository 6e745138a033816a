/* haft/tool.h - tools: a name, a description, two types, and a handler whose parameters have those
 * types.
 *
 *     static int add(haft_call *call, const add_args *in, add_sum *out) { ... return 0; }
 *     HAFT_TOOL(add, add_args, add_sum, "Adds two numbers", .annotations = {.read_only = HAFT_YES});
 *
 * defines the constant `add_tool`.  A handler of another type does not compile.  The text after the
 * types is the description; any further members of haft_tool may follow it. */
#ifndef HAFT_TOOL_H
#define HAFT_TOOL_H

#include <haft/declare.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One call of a tool, as its handler sees it. haft/call.h has its functions. */
typedef struct haft_call haft_call;

/* What a handler may return instead of 0 (success) or an error. */
enum {
    HAFT_PENDING = 1, /* the answer comes later, with haft_finish */
    HAFT_AGAIN = 2    /* it asked for input (haft_elicit ...) and must be called again */
};

/* A yes or no that may be left open. */
typedef enum haft_hint {
    HAFT_UNSET, /* not stated: the default of the specification or of the server applies */
    HAFT_YES,   /* yes */
    HAFT_NO     /* no */
} haft_hint;

/* The user interface of a tool, and what the app that it is needs: haft/ui.h. */
typedef struct haft_ui haft_ui;
typedef struct haft_ui_page haft_ui_page;

/* Hints about a tool for clients.  A hint that is not set is not sent, and the client assumes the
 * default of the specification. */
typedef struct haft_annotations {
    const char *title;     /* title for a user interface; NULL for none */
    haft_hint read_only;   /* changes nothing */
    haft_hint destructive; /* may delete or overwrite something */
    haft_hint idempotent;  /* repeating the call has no further effect */
    haft_hint open_world;  /* interacts with systems outside this program */
} haft_annotations;

/* An icon for a user interface. */
typedef struct haft_icon {
    const char *src;       /* an https: or data: URL */
    const char *mime_type; /* media type; NULL for none */
    const char *sizes;     /* "48x48"; several are separated by spaces; NULL for none */
    const char *theme;     /* "light" or "dark"; NULL for both */
} haft_icon;

/* A rate limit: at most `calls` calls in `per_ms` milliseconds.  Zero means no limit. */
typedef struct haft_rate {
    unsigned calls;  /* maximum number of calls */
    unsigned per_ms; /* length of the interval in milliseconds */
} haft_rate;

/* Whether calls of a tool become tasks (haft/task.h). */
typedef enum haft_task_mode {
    HAFT_TASK_NONE,     /* never */
    HAFT_TASK_OPTIONAL, /* if the client supports tasks; other clients wait for the result */
    HAFT_TASK_REQUIRED  /* always; clients that do not support tasks get an error */
} haft_task_mode;

/* What happens to a task whose process has ended while its handler ran. */
typedef enum haft_task_crash {
    HAFT_TASK_FAIL,    /* it fails */
    HAFT_TASK_RESTART, /* the handler runs again from the start, with the answers so far */
    HAFT_TASK_RESUME   /* the same, and haft_task_saved returns what it has saved */
} haft_task_crash;

/* A tool.  Zero means the default in each description. */
typedef struct haft_tool {
    size_t struct_size;           /* set by HAFT_INIT or HAFT_WITH */
    const char *name;             /* name, unique in the server */
    const char *description;      /* description for the model */
    const char *title;            /* title for a user interface; NULL for none */
    haft_annotations annotations; /* hints for clients */
    const haft_icon *icons;       /* icons for a user interface */
    size_t n_icons;               /* number of icons */
    const char *meta;             /* `_meta`: a JSON object */

    /* Declared types of the arguments and of the structured content.  NULL: no arguments, or no
     * structured content, unless there is a schema. */
    const haft_type *input, *output;
    /* Schemas made at run time instead of declared types.  They must outlive the server. */
    const haft_schema *input_schema, *output_schema;

    /* The handler.  With declared types, `in` and `out` point to those structs.  With a schema made
     * at run time, `in` is a haft_value * and the handler answers with haft_json.  Returns 0,
     * HAFT_PENDING, HAFT_AGAIN or an error. */
    int (*call)(haft_call *call, const void *in, void *out);
    void *data; /* pointer of the program: haft_tool_data */

    bool quick;          /* never blocks: runs on the thread that reads */
    unsigned timeout_ms; /* time limit of a call; 0: that of the server */
    haft_rate rate;      /* rate limit of each client: none */
    /* Converts "5" to 5, "true" to true and JSON text to an object or array, where a string is not
     * accepted.  UNSET: as the server's option. */
    haft_hint lenient;

    /* Maximum number of calls that run at once, from all clients; 0: no limit.  Up to max_waiting
     * further calls (0: 64) wait for their turn; the next ones are answered "busy". */
    unsigned max_running, max_waiting;

    /* Runs each call in a process of its own, which ends with a crash, the deadline or a
     * cancellation. docs/isolation.md describes what that means for the handler. */
    bool isolate;
    size_t isolate_memory; /* bytes of address space of such a process; 0: as the server */
    const char *scopes;    /* scopes that a call requires, separated by spaces: haft/access.h */

    haft_task_mode task;        /* whether calls become tasks */
    haft_task_crash task_crash; /* what happens to a task whose process has ended */
    unsigned task_timeout_ms; /* time limit of a task, instead of timeout_ms; 0: its time to live */
    int64_t task_ttl_ms;      /* time until a task is deleted; 0: that of the server */
    const haft_ui *ui;        /* user interface: haft/ui.h; NULL for none */
    /* The call becomes a task only when the handler calls haft_task_begin. */
    bool task_late;
} haft_tool;

/* Value of max_waiting: no call waits. */
#define HAFT_NO_WAITING ((unsigned)-1)

/* Defines the tool fn_tool with arguments and structured content.  The handler is int fn(haft_call
 * *, const In *, Out *). */
#define HAFT_TOOL(fn, In, Out, ...)                                                                \
    HAFT_HANDLER_IS_(fn, (haft_call *, const In *, Out *))                                         \
    HAFT_DESCRIBED_("tool " #fn, fn, __VA_ARGS__, 0)                                               \
    HAFT_TRAMPOLINE_(fn, fn(call_, (const In *)in_, (Out *)out_))                                  \
    HAFT_TOOL_TABLE_(fn, fn##_tool, #fn, .input = &In##_type, .output = &Out##_type,               \
                     .description = __VA_ARGS__)

/* Defines the tool fn_tool with arguments.  The handler is int fn(haft_call *, const In *) and
 * answers with haft_text and similar functions. */
#define HAFT_TOOL_IN(fn, In, ...)                                                                  \
    HAFT_HANDLER_IS_(fn, (haft_call *, const In *))                                                \
    HAFT_DESCRIBED_("tool " #fn, fn, __VA_ARGS__, 0)                                               \
    HAFT_TRAMPOLINE_(fn, fn(call_, (const In *)in_))                                               \
    HAFT_TOOL_TABLE_(fn, fn##_tool, #fn, .input = &In##_type, .description = __VA_ARGS__)

/* Defines the tool fn_tool with structured content and without arguments.  The handler is int
 * fn(haft_call *, Out *). */
#define HAFT_TOOL_OUT(fn, Out, ...)                                                                \
    HAFT_HANDLER_IS_(fn, (haft_call *, Out *))                                                     \
    HAFT_DESCRIBED_("tool " #fn, fn, __VA_ARGS__, 0)                                               \
    HAFT_TRAMPOLINE_(fn, fn(call_, (Out *)out_))                                                   \
    HAFT_TOOL_TABLE_(fn, fn##_tool, #fn, .output = &Out##_type, .description = __VA_ARGS__)

/* Defines the tool fn_tool without arguments and structured content.  The handler is int
 * fn(haft_call *) and answers with haft_text and similar functions. */
#define HAFT_TOOL_BARE(fn, ...)                                                                    \
    HAFT_HANDLER_IS_(fn, (haft_call *))                                                            \
    HAFT_DESCRIBED_("tool " #fn, fn, __VA_ARGS__, 0)                                               \
    HAFT_TRAMPOLINE_(fn, fn(call_))                                                                \
    HAFT_TOOL_TABLE_(fn, fn##_tool, #fn, .description = __VA_ARGS__)

/* ---- behind the macros ---- */

#define HAFT_HANDLER_IS_(fn, parameters)                                                           \
    HAFT_C_ALONE_                                                                                  \
    _Static_assert(_Generic(&fn, int(*) parameters : 1, default : 0),                              \
                   "tool " #fn ": the handler must be int " #fn #parameters);

/* The call stays well defined: no function pointer is cast.  A handler may be called `in`. */
#define HAFT_TRAMPOLINE_(fn, expression)                                                           \
    static int fn##_call_(haft_call *call_, const void *in_, void *out_)                           \
    {                                                                                              \
        (void)in_;                                                                                 \
        (void)out_;                                                                                \
        return expression;                                                                         \
    }
/* `text` is the name as it is written, also where it is a macro; so is that of the constant. */
#define HAFT_TOOL_TABLE_(fn, tool, text, ...)                                                      \
    HAFT_OVERRIDES_BEGIN_                                                                          \
    static const haft_tool tool = {                                                                \
        .struct_size = sizeof(haft_tool), .name = text, .call = fn##_call_, __VA_ARGS__};          \
    HAFT_OVERRIDES_END_                                                                            \
    _Static_assert(1, "")

#ifdef __cplusplus
}
#endif
#endif
