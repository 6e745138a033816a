/* item.c - offered items with reference counts, and modules.
 *
 * The definition and the handler of an item belong to the program, or to a shared object that can
 * be unloaded. An item holds that object, a catalogue holds its items, and a call holds its
 * catalogue, so the object is unloaded only after the last call that could use it. */
#include "engine/offer/form.h"
#include "engine/offer/item.h"
#include "engine/offer/server.h"

#include <string.h>

/* ---- modules ---- */

void hf_module_init(struct module *module, void (*release)(struct module *module))
{
    *module = (struct module){.release = release};
    atomic_init(&module->refs, 1);
}

struct module *hf_module_take(struct module *module)
{
    if (module)
        atomic_fetch_add(&module->refs, 1);
    return module;
}

void hf_module_drop(struct module *module)
{
    if (!module || atomic_fetch_sub(&module->refs, 1) != 1)
        return;
    hf_forms_free(module->forms);
    module->release(module);
}

/* ---- items ---- */

enum { ITEM_LIMIT = 16 << 20 };

struct item *hf_item_new(haft_server *server, struct module *module)
{
    haft_arena *arena = haft_arena_new(server->allocator, ITEM_LIMIT);
    struct item *item = arena ? haft_arena_zalloc(arena, 1, sizeof *item) : NULL;

    if (!item) {
        haft_arena_free(arena);
        return NULL;
    }
    item->arena = arena;
    item->module = hf_module_take(module);
    atomic_init(&item->refs, 1);
    return item;
}

bool hf_item_set_name(struct item *item, const char *name)
{
    size_t size = strlen(name);
    haft_buffer quoted;

    haft_buffer_init(&quoted, hf_arena_allocator(item->arena), size * 6 + 2);
    haft_buffer_json_string(&quoted, name, size);
    item->quoted = hf_text_of(item->arena, &quoted);
    item->name = haft_arena_copy(item->arena, name, size);
    item->name_size = size;
    /* A name that is not UTF-8 is rejected later, with a message. */
    return item->name && (item->quoted.data || haft_utf8_valid(name, size) != size);
}

/* ---- isolated tools ---- */

void hf_item_list_isolated(haft_server *server, struct item *item)
{
    hf_server_lock(server);
    item->isolated.in = server;
    item->isolated.next = server->isolation.items;
    server->isolation.items = item;
    hf_server_unlock(server);
}

static void unlist_isolated(struct item *item)
{
    haft_server *server = item->isolated.in;
    struct item **link;

    if (!server)
        return;
    hf_server_lock(server);
    for (link = &server->isolation.items; *link != item;)
        link = &(*link)->isolated.next;
    *link = item->isolated.next;
    hf_server_unlock(server);
}

struct item *hf_item_isolated(haft_server *server, uint64_t number)
{
    struct item *item;

    hf_server_lock(server);
    item = server->isolation.items;
    while (item && item->isolate != number)
        item = item->isolated.next;
    hf_server_unlock(server);
    return item;
}

/* ---- the end ---- */

void hf_item_drop(struct item *item)
{
    struct module *module;

    if (!item || atomic_fetch_sub(&item->refs, 1) != 1)
        return;
    module = item->module;
    unlist_isolated(item);
    haft_schema_free(item->owned[0]);
    haft_schema_free(item->owned[1]);
    hf_item_drop(item->base);
    haft_arena_free(item->arena);
    hf_module_drop(module);
}

haft_offer hf_item_kind(const struct item *item)
{
    return item->tool           ? HAFT_OFFER_TOOL
           : item->prompt       ? HAFT_OFFER_PROMPT
           : item->uri_template ? HAFT_OFFER_TEMPLATE
                                : HAFT_OFFER_RESOURCE;
}

/* ---- resources and prompts ---- */

struct item *hf_item_new_named(haft_server *server, const char *name, struct module *module)
{
    struct item *item = hf_item_new(server, module);

    if (item && hf_item_set_name(item, name))
        return item;
    hf_item_drop(item);
    hf_server_refuse(server, HAFT_ENOMEM, name, "out of memory");
    return NULL;
}

int hf_item_render(haft_server *server, struct item *item,
                   void (*put_rest)(haft_buffer *buffer, const struct item *item))
{
    haft_buffer buffer;
    int status;

    haft_buffer_init(&buffer, server->allocator, server->options.max_message);
    put_rest(&buffer, item);
    status = buffer.status;
    item->rest[LEGACY] = item->rest[MODERN] = hf_text_of(item->arena, &buffer);
    if (!status && !item->rest[LEGACY].data)
        status = HAFT_ENOMEM;
    return status ? hf_server_refuse(server, status, item->name, "cannot be listed: %s",
                                     haft_strerror(status))
                  : 0;
}
