/* haft/tool.h - a tool: a name, a description, two types and a handler whose parameters are those
 * types.
 *
 *     static int add(haft_call *call, const add_args *in, add_sum *out) { ... return 0; }
 *     HAFT_TOOL(add, add_args, add_sum, "Adds two numbers", .annotations = {.read_only = HAFT_YES});
 *
 * makes the constant `add_tool`.  A handler of another type does not compile.  Text after the types
 * is the description; any further member of haft_tool may follow it. */
#ifndef HAFT_TOOL_H
#define HAFT_TOOL_H

#include <haft/declare.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One call of a tool, as its handler sees it: haft/call.h. */
typedef struct haft_call haft_call;

/* What a handler may return besides 0 and an error. */
enum {
    HAFT_PENDING = 1, /* the answer comes later, by haft_finish */
    HAFT_AGAIN = 2    /* input was asked for (haft_elicit ...): the handler is called again */
};

/* A hint that is not given is left out, and the client assumes the specification's default. */
typedef enum haft_hint { HAFT_UNSET, HAFT_YES, HAFT_NO } haft_hint;

typedef struct haft_annotations {
    const char *title;
    haft_hint read_only;   /* changes nothing */
    haft_hint destructive; /* may destroy, not only add */
    haft_hint idempotent;  /* twice is once */
    haft_hint open_world;  /* reaches beyond this program */
} haft_annotations;

typedef struct haft_icon {
    const char *src; /* an https: or data: address */
    const char *mime_type;
    const char *sizes; /* "48x48", several separated by spaces */
    const char *theme; /* "light" or "dark" */
} haft_icon;

/* At most so many calls in so much time; zero for any number. */
typedef struct haft_rate {
    unsigned calls;
    unsigned per_ms;
} haft_rate;

typedef struct haft_tool {
    size_t struct_size; /* its sizeof */
    const char *name;
    const char *description;
    const char *title;
    haft_annotations annotations;
    const haft_icon *icons;
    size_t n_icons;
    const char *meta; /* `_meta`: a JSON object */

    /* What it takes and gives: declared types, or schemas made at run time (which must outlive the
     * server).  Neither: it takes no arguments, or gives no structured content. */
    const haft_type *input, *output;
    const haft_schema *input_schema, *output_schema;

    /* With declared types, `in` and `out` are those structs.  With a schema made at run time `in`
     * is a haft_value * and the handler answers by haft_json. */
    int (*call)(haft_call *call, const void *in, void *out);
    void *data; /* the handler's own: haft_tool_data */

    bool quick;          /* never blocks: runs on the thread that reads */
    unsigned timeout_ms; /* 0: the server's */
    haft_rate rate;      /* of each client */
    /* Reads "5" as 5, "true" as true and JSON text as an object or array, where no string is
     * accepted; UNSET: as the server says. */
    haft_hint lenient;

    /* How many calls of it may run at once, whoever they come from; 0 for any number.  Further ones
     * wait for their turn, as many as max_waiting says (0: 64), and those after them are answered
     * "busy". */
    unsigned max_running, max_waiting;

    /* Each call runs in a process of its own, which a crash, the deadline or a cancel ends.  What
     * that means for the handler is in docs/isolation.md. */
    bool isolate;
    size_t isolate_memory; /* bytes of address space of such a process; 0: as the server's */
} haft_tool;

/* For max_waiting: no call waits. */
#define HAFT_NO_WAITING ((unsigned)-1)

/* int fn(haft_call *, const In *, Out *) */
#define HAFT_TOOL(fn, In, Out, ...)                                                                \
    HAFT_HANDLER_IS_(fn, (haft_call *, const In *, Out *))                                         \
    HAFT_DESCRIBED_("tool " #fn, fn, __VA_ARGS__, 0)                                               \
    HAFT_TRAMPOLINE_(fn, fn(call_, (const In *)in_, (Out *)out_))                                  \
    HAFT_TOOL_TABLE_(fn, fn##_tool, #fn, .input = &In##_type, .output = &Out##_type,               \
                     .description = __VA_ARGS__)

/* int fn(haft_call *, const In *): it answers by haft_text and its friends. */
#define HAFT_TOOL_IN(fn, In, ...)                                                                  \
    HAFT_HANDLER_IS_(fn, (haft_call *, const In *))                                                \
    HAFT_DESCRIBED_("tool " #fn, fn, __VA_ARGS__, 0)                                               \
    HAFT_TRAMPOLINE_(fn, fn(call_, (const In *)in_))                                               \
    HAFT_TOOL_TABLE_(fn, fn##_tool, #fn, .input = &In##_type, .description = __VA_ARGS__)

/* int fn(haft_call *, Out *): no arguments. */
#define HAFT_TOOL_OUT(fn, Out, ...)                                                                \
    HAFT_HANDLER_IS_(fn, (haft_call *, Out *))                                                     \
    HAFT_DESCRIBED_("tool " #fn, fn, __VA_ARGS__, 0)                                               \
    HAFT_TRAMPOLINE_(fn, fn(call_, (Out *)out_))                                                   \
    HAFT_TOOL_TABLE_(fn, fn##_tool, #fn, .output = &Out##_type, .description = __VA_ARGS__)

/* int fn(haft_call *): neither. */
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
