/* engine/offer/item.h - one offered thing, as it was added (item.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_ITEM_H
#define HAFT_SRC_ENGINE_OFFER_ITEM_H

#include "engine/offer/module.h"
#include "schema/model/node.h"

enum { OFFER_LISTS = 4, LEGACY = 0, MODERN = 1 };
enum { MAX_HEADER_DEPTH = 16 }; /* of an argument that is also a header */

struct uri_template;

/* How many calls of a tool may run, and those that wait; under the server's lock. */
struct cap {
    unsigned max_running, max_waiting, running, n_waiting;
    haft_call *first, *last; /* in line */
};

/* One offered thing, as it was added.  Its texts, and what it compiled, live in its arena. */
struct item {
    atomic_uint refs;
    haft_arena *arena;
    struct item *base;     /* it is this one under another name, and holds it */
    struct module *module; /* what it was defined in; NULL for the program */
    const char *name; /* what it is found by: a tool's or prompt's name, a resource's address */
    size_t name_size;
    struct text quoted;  /* the name as JSON */
    struct text rest[2]; /* as it is listed after its name, for legacy and for modern clients */

    const haft_tool *tool;
    const haft_resource *resource;
    const haft_prompt *prompt;
    const struct uri_template *uri_template;
    const haft_schema *input, *output; /* compiled; NULL for none */
    haft_schema *owned[2];             /* of those, the ones to free */
    bool wraps; /* the output is no object: legacy clients get {"result": ...} */
    int (*call)(haft_call *call, const void *in, void *out);
    haft_json_handler *handler; /* of a tool put together at run time */
    void *data;
    bool quick;
    haft_hint lenient; /* UNSET: as the server is */
    /* Whether arguments are read from text (direct.c): until somebody asks for them as JSON.  NULL
     * when they cannot be. */
    atomic_bool *direct;
    unsigned timeout_ms;
    _Atomic(void *) counts; /* of src/stage: where its calls are counted */
    unsigned isolate; /* a number of its own when its calls run in processes; 0 when they do not */
    /* The server that lists it for those processes; NULL when none does. */
    haft_server *isolated_in;
    struct item *isolated_next;
    struct cap *cap;   /* NULL for none */
    const void *given; /* the definition of a plugin's, as the plugin has it */
    bool leaving;      /* hf_catalogue_swap is to take it out; for whoever calls that */
};

/* An item with an arena of its own; NULL without memory. */
struct item *hf_item_new(haft_server *server, struct module *module);
/* The same with a name; without memory it has been refused. */
struct item *hf_item_new_named(haft_server *server, const char *name, struct module *module);
/* Renders what is listed after the item's name, the same for every client. */
int hf_item_render(haft_server *server, struct item *item,
                   void (*put_rest)(haft_buffer *buffer, const struct item *item));
bool hf_item_set_name(struct item *item, const char *name);
void hf_item_drop(struct item *item);
haft_offer hf_item_kind(const struct item *item);

/* Lists an isolated tool for the processes that are forked from now on, until it is gone.  They are
 * forked before it is offered, and may be asked for one that is offered no longer. */
void hf_item_list_isolated(haft_server *server, struct item *item);
/* The one of that number; NULL when there is none. */
struct item *hf_item_isolated(haft_server *server, uint64_t number);

/* The item of a definition: checked, compiled and rendered, but not offered yet (tool.c,
 * resource.c, prompt.c).  0, or an error that has been refused. */
int hf_tool_item(haft_server *server, const haft_tool *tool, struct module *module,
                 struct item **ret_item);
int hf_resource_item(haft_server *server, haft_offer kind, const haft_resource *resource,
                     struct module *module, struct item **ret_item);
int hf_prompt_item(haft_server *server, const haft_prompt *prompt, struct module *module,
                   struct item **ret_item);

#endif
