/* haft/plugin.h - tools in a shared object, which come and go while the server serves, and routes
 * for a gateway.
 *
 *     static int greet(haft_call *call, const greet_args *in) { ... }
 *     HAFT_TOOL_IN(greet, greet_args, "Greets somebody");
 *     HAFT_PLUGIN(&greet_tool);
 *
 * makes, with `cc -shared -fPIC $(pkg-config --cflags haft) -o greet.so greet.c`, a plugin.  It is
 * linked with nothing: what it calls of haft is found in the program that loads it, which has to
 * show it. */
#ifndef HAFT_PLUGIN_H
#define HAFT_PLUGIN_H

#include <haft/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- in a plugin ---------------------------------------------------------------- */

/* The version of the structure below, and of what it points to. */
#define HAFT_PLUGIN_ABI 3

struct haft_gateway_part;

enum { HAFT_PLUGIN_SIZES_ = 6 };

/* What a shared object says it is.  The lists end with NULL; NULL for none. */
typedef struct haft_plugin {
    unsigned abi;                       /* HAFT_PLUGIN_ABI, */
    unsigned sizes[HAFT_PLUGIN_SIZES_]; /* of this struct and of those below */
    const char *name, *version;         /* for the log; the file's name when there is none */
    const haft_tool *const *tools;
    const haft_resource *const *resources, *const *templates;
    const haft_prompt *const *prompts;
    /* Routes and policies for the gateway that loads the plugin: HAFT_GATEWAY_PART (haft/gateway.h);
     * NULL for none.  They stay as long as the gateway does: such a plugin is loaded at start-up
     * and can be neither replaced nor removed later, and a program that is not a gateway refuses
     * it. */
    const struct haft_gateway_part *gateway;
    /* Called before anything above is looked at, so it may fill in what no constant can hold.  0,
     * or an error: the plugin is refused.  What is offered is in the lists: what `start` added to
     * the server could not be taken back. */
    int (*start)(haft_server *server);
    /* Called when no call is in the plugin any more and none can come, before it is unloaded; on
     * any thread, while others serve.  Threads that the plugin has started must end here. */
    void (*stop)(void);
} haft_plugin;

#define HAFT_TOOLS(...) ((const haft_tool *const[]){__VA_ARGS__, NULL})
#define HAFT_RESOURCES(...) ((const haft_resource *const[]){__VA_ARGS__, NULL})
#define HAFT_PROMPTS(...) ((const haft_prompt *const[]){__VA_ARGS__, NULL})

/* HAFT_PLUGIN(&add_tool, &greet_tool); */
#define HAFT_PLUGIN(...) HAFT_PLUGIN_WITH(.tools = HAFT_TOOLS(__VA_ARGS__))

/* HAFT_PLUGIN_WITH(.tools = HAFT_TOOLS(&add_tool), .start = open_it, .stop = close_it); */
#define HAFT_PLUGIN_WITH(...)                                                                      \
    const haft_plugin haft_plugin_definition = {                                                   \
        .abi = HAFT_PLUGIN_ABI, .sizes = HAFT_PLUGIN_LAYOUT_, __VA_ARGS__}

/* ---- in the program -------------------------------------------------------------- */

/* The plugins of a server.  All functions are for one thread at a time; calls go on meanwhile. */
typedef struct haft_plugins haft_plugins;

/* NULL without memory. */
haft_plugins *haft_plugins_new(haft_server *server);

/* Loads a plugin; or, when it is loaded and its file has changed since, the new one in its place.
 * What a tool is called with afterwards is the new one; calls that run go on in the old one, which
 * is unloaded after the last.  0; or an error, logged and in *reterr_reason (which may be NULL)
 * with the file and why, and nothing has changed. */
int haft_plugins_load(haft_plugins *plugins, const char *path, haft_reason *reterr_reason);

/* Makes these the program's plugins: those that are new or have changed are loaded, those that are
 * not named are removed, all in one step.  0, or an error as above. */
int haft_plugins_set(haft_plugins *plugins, const char *const *paths, size_t n,
                     haft_reason *reterr_reason);

/* For haft_section_add: "plugins", a list of files in the configuration.  They are there besides the
 * program's own, and at SIGHUP those of both that have changed are loaded anew.  Valid until
 * haft_plugins_free. */
const haft_section *haft_plugins_section(haft_plugins *plugins);

/* Lets go of the plugins, after the server has been freed; haft_main does that.  (While it is
 * there, what it offers stays.)  NULL is fine. */
void haft_plugins_free(haft_plugins *plugins);

/* ---- behind the macros ---- */

#if defined __GNUC__
#define HAFT_SHOWN_ __attribute__((visibility("default")))
#else
#define HAFT_SHOWN_
#endif

#define HAFT_PLUGIN_LAYOUT_                                                                        \
    {                                                                                              \
        (unsigned)sizeof(haft_plugin), (unsigned)sizeof(haft_tool),                                \
            (unsigned)sizeof(haft_resource), (unsigned)sizeof(haft_prompt),                        \
            (unsigned)sizeof(haft_type), (unsigned)sizeof(haft_field)                              \
    }

/* Here alone is it said that it is shown: C++ takes that for a constant's definition no more. */
extern HAFT_SHOWN_ const haft_plugin haft_plugin_definition;

#ifdef __cplusplus
}
#endif
#endif
