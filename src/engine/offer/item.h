/* engine/offer/item.h - an offered item: a tool, resource or prompt (item.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_ITEM_H
#define HAFT_SRC_ENGINE_OFFER_ITEM_H

#include "engine/offer/module.h"
#include "schema/model/node.h"

enum { OFFER_LISTS = 4, LEGACY = 0, MODERN = 1 };
enum { MAX_HEADER_DEPTH = 16 }; /* nesting of an argument that is also a header */

struct uri_template;

/* Limits on running and waiting calls of a tool, and the waiting calls; under the server's lock. */
struct cap {
    unsigned max_running, max_waiting, running, n_waiting;
    haft_call *first, *last; /* waiting calls */
};

/* The place of an item in the list of those that processes are forked for. */
struct isolated {
    haft_server *in; /* NULL if it is not listed */
    struct item *next;
};

/* How a tool is called. */
struct item_calls {
    haft_hint lenient; /* UNSET: as configured for the server */
    unsigned timeout_ms;
};

/* An offered item. Its strings and compiled schemas live in its arena. */
struct item {
    atomic_uint refs;
    haft_arena *arena;
    struct item *base;     /* the item that this one offers under another name; holds a reference */
    struct module *module; /* module that defines it; NULL for the program */
    const char *name;      /* lookup key: name of a tool or prompt, URI of a resource */
    size_t name_size;
    const char *scopes;  /* scopes that its use requires; NULL for none */
    const char *app;     /* of a tool: URI of its app; NULL for none */
    struct text quoted;  /* the name as JSON */
    struct text rest[2]; /* its listing after the name, for legacy and for modern clients */

    const haft_tool *tool;
    const haft_resource *resource;
    const haft_prompt *prompt;
    const struct uri_template *uri_template;
    const haft_schema *input, *output; /* compiled; NULL if there is none */
    haft_schema *owned[2];             /* those of them to free */
    bool wraps; /* the output is not an object: legacy clients get {"result": ...} */
    int (*call)(haft_call *call, const void *in, void *out);
    haft_json_handler *handler; /* handler of a tool built at run time */
    void *data;
    bool quick;
    struct item_calls calls;
    /* Whether arguments are decoded from text (direct.c), until a call needs them as JSON. NULL
     * if that is not possible. */
    atomic_bool *direct;
    _Atomic(void *) counts; /* owned by src/stage: counters of its calls */
    unsigned isolate;       /* unique number if its calls run in processes; otherwise 0 */
    struct isolated isolated;
    struct cap *cap;   /* NULL for none */
    const void *given; /* a plugin's definition, as passed by the plugin */
    bool leaving;      /* hf_catalogue_swap removes it; set by the caller of that */
};

/* Creates an item with its own arena; NULL without memory. */
struct item *hf_item_new(haft_server *server, struct module *module);
/* The same with a name; reports the error if memory runs out. */
struct item *hf_item_new_named(haft_server *server, const char *name, struct module *module);
/* Renders the listing after the item's name, the same for every client. */
int hf_item_render(haft_server *server, struct item *item,
                   void (*put_rest)(haft_buffer *buffer, const struct item *item));
/* Writes the listing of a tool after its name, without its output schema. */
void hf_tool_put_bare(haft_buffer *buffer, const struct item *item);
bool hf_item_set_name(struct item *item, const char *name);
void hf_item_drop(struct item *item);
haft_offer hf_item_kind(const struct item *item);

/* Registers an isolated tool for processes forked from now on, until it is freed. Processes are
 * forked before the tool is offered, and may get calls of a tool that is no longer offered. */
void hf_item_list_isolated(haft_server *server, struct item *item);
/* Finds an isolated tool by number; NULL if there is none. */
struct item *hf_item_isolated(haft_server *server, uint64_t number);

/* Creates the item of a definition: validates, compiles and renders it, but does not offer it yet
 * (tool.c, resource.c, prompt.c). Returns 0, or an error that has been reported. */
int hf_tool_item(haft_server *server, const haft_tool *tool, struct module *module,
                 struct item **ret_item);
int hf_resource_item(haft_server *server, haft_offer kind, const haft_resource *resource,
                     struct module *module, struct item **ret_item);
int hf_prompt_item(haft_server *server, const haft_prompt *prompt, struct module *module,
                   struct item **ret_item);

#endif
