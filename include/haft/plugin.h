/* haft/plugin.h - plugins: shared objects with tools that a server loads and replaces while it
 * serves, and with routes for a gateway.
 *
 *     static int greet(haft_call *call, const greet_args *in) { ... }
 *     HAFT_TOOL_IN(greet, greet_args, "Greets somebody");
 *     HAFT_PLUGIN(&greet_tool);
 *
 * `cc -shared -fPIC $(pkg-config --cflags haft) -o greet.so greet.c` compiles this to a plugin.  A
 * plugin is not linked with libhaft: it uses the functions of the program that loads it, which must
 * export them. */
#ifndef HAFT_PLUGIN_H
#define HAFT_PLUGIN_H

#include <haft/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- in a plugin ---------------------------------------------------------------- */

/* Version of haft_plugin and of the structs that it points to. */
#define HAFT_PLUGIN_ABI 3

struct haft_gateway_part;

enum { HAFT_PLUGIN_SIZES_ = 6 };

/* Description of a plugin.  Lists end with NULL; a list that is NULL is empty. */
typedef struct haft_plugin {
    unsigned abi;                       /* HAFT_PLUGIN_ABI */
    unsigned sizes[HAFT_PLUGIN_SIZES_]; /* sizes of this struct and of those below */
    const char *name, *version;    /* name and version for the log; NULL: the name of the file */
    const haft_tool *const *tools; /* tools (HAFT_TOOLS) */
    /* resources and resource templates (HAFT_RESOURCES) */
    const haft_resource *const *resources, *const *templates;
    const haft_prompt *const *prompts; /* prompts (HAFT_PROMPTS) */
    /* Routes and policies for the gateway that loads the plugin: HAFT_GATEWAY_PART
     * (haft/gateway.h); NULL for none.  They are added, replaced and removed together with the
     * plugin; a program without a gateway refuses such a plugin. */
    const struct haft_gateway_part *gateway;
    /* Called before the other members are read, so it may fill in values that a constant cannot
     * have.  Returns 0, or an error: the plugin is then refused.  It must not add anything to the
     * server itself, which could not be undone.  May be NULL. */
    int (*start)(haft_server *server);
    /* Called before the plugin is unloaded, when no call is in it any more, on any thread, while
     * others serve.  Threads of the plugin must end here.  May be NULL. */
    void (*stop)(void);
} haft_plugin;

/* Lists of addresses of constants for haft_plugin, ending with NULL. */
#define HAFT_TOOLS(...) ((const haft_tool *const[]){__VA_ARGS__, NULL})
#define HAFT_RESOURCES(...) ((const haft_resource *const[]){__VA_ARGS__, NULL})
#define HAFT_PROMPTS(...) ((const haft_prompt *const[]){__VA_ARGS__, NULL})

/* Defines a plugin of tools only: HAFT_PLUGIN(&add_tool, &greet_tool); */
#define HAFT_PLUGIN(...) HAFT_PLUGIN_WITH(.tools = HAFT_TOOLS(__VA_ARGS__))

/* Defines a plugin with members of haft_plugin: HAFT_PLUGIN_WITH(.tools = HAFT_TOOLS(&add_tool),
 * .start = open_it, .stop = close_it); */
#define HAFT_PLUGIN_WITH(...)                                                                      \
    const haft_plugin haft_plugin_definition = {                                                   \
        .abi = HAFT_PLUGIN_ABI, .sizes = HAFT_PLUGIN_LAYOUT_, __VA_ARGS__}

/* ---- in the program -------------------------------------------------------------- */

/* The plugins of a server.  The functions may be called by one thread at a time, while the server
 * serves. */
typedef struct haft_plugins haft_plugins;

/* Creates an empty set of plugins for a server.  Returns NULL if memory runs out. */
haft_plugins *haft_plugins_new(haft_server *server);

/* Loads a plugin; if it is loaded already and its file has changed, the new one replaces it.  New
 * calls use the new plugin; running calls continue in the old one, which is unloaded after the last
 * of them.  Returns 0, or an error, which is logged and stored in *reterr_reason (which may be
 * NULL) with the name of the file; nothing has changed then. */
int haft_plugins_load(haft_plugins *plugins, const char *path, haft_reason *reterr_reason);

/* Makes these files the program's plugins in one step: new and changed ones are loaded, and those
 * that are not named are removed.  Returns as haft_plugins_load. */
int haft_plugins_set(haft_plugins *plugins, const char *const *paths, size_t n,
                     haft_reason *reterr_reason);

/* Returns a section for haft_section_add: "plugins", a list of files in the configuration, in
 * addition to the program's own.  At SIGHUP changed plugins of both are loaded again.  Valid until
 * haft_plugins_free. */
const haft_section *haft_plugins_section(haft_plugins *plugins);

/* Frees the set and unloads the plugins.  Call it after haft_server_free (haft_main frees the
 * server): what the plugins offer stays as long as the server.  Accepts NULL. */
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

/* ---- the symbol of a plugin ---- */

/* What the library looks for in a shared object; HAFT_PLUGIN and HAFT_PLUGIN_WITH define it.  It is
 * declared visible here only, because C++ rejects the attribute on the definition of a constant. */
extern HAFT_SHOWN_ const haft_plugin haft_plugin_definition;

#ifdef __cplusplus
}
#endif
#endif
