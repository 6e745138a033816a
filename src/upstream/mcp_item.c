/* mcp_item.c - items of what an MCP upstream offers.
 *
 * Definitions are passed on as they came, with names and descriptions of the configuration; only what
 * the engine itself needs is read.  One that cannot be offered is left out, with a line in the log. */
#include <string.h>

#include "import/import.h"
#include "upstream/mcp.h"

enum { MCP_SCHEMA_PARTS = 5000, MCP_SCHEMA_MEMORY = 16 << 20, MCP_SCHEMA_STEPS = 1000000 };

/* What the functions below share. */
struct mcp_offer {
    struct mcp *mcp;
    haft_server *server;
    struct upstream_items *items;
    uint32_t *slots; /* hash index of the items by kind and name, value + 1 */
    size_t n_slots;  /* a power of two */
};

static const char *mcp_item_text(haft_value *definition, const char *key)
{
    yyjson_val *text = yyjson_obj_get(definition, key);

    return yyjson_is_str(text) && strlen(yyjson_get_str(text)) == yyjson_get_len(text)
               ? yyjson_get_str(text)
               : NULL;
}

static void mcp_item_refused(const struct mcp_offer *offer, const char *kind, const char *name,
                             const char *why)
{
    hf_server_log(offer->server, HAFT_WARNING, "upstream %s: the %s \"%.100s\" is not offered: %s",
                  offer->mcp->upstream->name, kind, name ? name : "", why);
}

static const char *mcp_item_of_map(size_t n, const char *const *keys, const char *const *values,
                                   const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(keys[i], key))
            return values[i];
    return NULL;
}

/* Its name for clients; NULL without memory. */
static const char *mcp_item_name(const struct mcp_offer *offer, const char *name)
{
    const mcp_entry *entry = offer->mcp->entry;
    const char *other = mcp_item_of_map(entry->n_rename, (const char *const *)entry->rename_keys,
                                        (const char *const *)entry->rename, name);

    return hf_import_name(offer->items->arena, offer->mcp->upstream->prefix, other ? other : name);
}

/* Its description for clients, at most MCP_DESCRIPTION bytes; NULL for none. */
static const char *mcp_item_description(const struct mcp_offer *offer, haft_value *definition)
{
    const mcp_entry *entry = offer->mcp->entry;
    const char *name = mcp_item_text(definition, "name"),
               *text = mcp_item_of_map(entry->n_describe, (const char *const *)entry->describe_keys,
                                       (const char *const *)entry->describe, name ? name : "");
    size_t size;

    if (!text)
        text = mcp_item_text(definition, "description");
    size = text ? strlen(text) : 0;
    return size <= MCP_DESCRIPTION
               ? text
               : haft_arena_printf(offer->items->arena, "%.*s...",
                                   (int)haft_utf8_valid(text, MCP_DESCRIPTION), text);
}

/* ---- listing ---- */

/* Whether legacy clients would reject a member: structured content that is not an object. */
static bool mcp_item_is_modern(const char *member, haft_value *value)
{
    return !strcmp(member, "outputSchema") &&
           !yyjson_equals_str(yyjson_obj_get(value, "type"), "object");
}

/* Lists the members as they came, for an era. */
static int mcp_item_render_for(const struct mcp_offer *offer, struct item *item, int era,
                               haft_value *definition, const char *const *members)
{
    const char *description = mcp_item_description(offer, definition);
    haft_buffer text;
    struct json_writer w;
    int status;

    haft_buffer_init(&text, offer->server->allocator, offer->server->options.max_message);
    w = json_members(&text, true);
    json_text_member(&w, "description", description);
    for (; *members; members++) {
        yyjson_val *value = yyjson_obj_get(definition, *members);

        if (value && !yyjson_is_null(value) &&
            !(era == LEGACY && mcp_item_is_modern(*members, value)))
            hf_json_value(hf_json_name(&w, *members, strlen(*members)), value);
    }
    hf_json_end_object(&w);
    status = text.status;
    item->rest[era] = hf_text_of(item->arena, &text);
    return status ? status : item->rest[era].data ? 0 : HAFT_ENOMEM;
}

static int mcp_item_render(const struct mcp_offer *offer, struct item *item, haft_value *definition,
                           const char *const *members)
{
    int status = mcp_item_render_for(offer, item, LEGACY, definition, members);

    return status ? status : mcp_item_render_for(offer, item, MODERN, definition, members);
}

/* What the item's handlers need; in its arena. */
static struct mcp_item *mcp_item_data(const struct mcp_offer *offer, struct item *item,
                                      haft_offer kind, const char *name)
{
    struct mcp_item *data = haft_arena_zalloc(item->arena, 1, sizeof *data);

    if (!data)
        return NULL;
    data->upstream = offer->mcp->upstream;
    data->kind = kind;
    data->name = haft_arena_copy(item->arena, name, strlen(name));
    item->data = data;
    item->quick = true;
    return data->name ? data : NULL;
}

/* ---- tools ---- */

static haft_hint mcp_item_hint(haft_value *annotations, const char *key)
{
    yyjson_val *hint = yyjson_obj_get(annotations, key);

    return yyjson_is_true(hint) ? HAFT_YES : yyjson_is_false(hint) ? HAFT_NO : HAFT_UNSET;
}

/* Compiles the schema that arguments are checked against.  One that is refused is listed, and the
 * upstream checks the arguments. */
static void mcp_item_compile(const struct mcp_offer *offer, struct item *item, haft_value *schema)
{
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = offer->server->allocator,
                  .max_subschemas = MCP_SCHEMA_PARTS, .max_memory = MCP_SCHEMA_MEMORY,
                  .max_steps = MCP_SCHEMA_STEPS, .defaults = HAFT_DEFAULTS_ANNOTATE);
    haft_reason reason = {.code = 0};

    if (haft_schema_parse_json(schema, &options, &item->owned[0], &reason))
        hf_server_log(offer->server, HAFT_WARNING,
                      "upstream %s: arguments of %s are not checked, because of its schema: %s: %s",
                      offer->mcp->upstream->name, item->name, reason.path, reason.text);
    else
        item->input = item->owned[0];
}

/* Moves what the item has of the definition to its arena. */
static int mcp_item_keep_tool(struct item *item, const haft_tool *tool)
{
    haft_tool *own = haft_arena_zalloc(item->arena, 1, sizeof *own);

    if (!own)
        return HAFT_ENOMEM;
    *own = *tool;
    own->name = item->name;
    own->title =
        tool->title ? haft_arena_copy(item->arena, tool->title, strlen(tool->title)) : NULL;
    own->description = tool->description ? haft_arena_copy(item->arena, tool->description,
                                                           strlen(tool->description))
                                         : NULL;
    item->tool = own;
    return !own->title == !tool->title && !own->description == !tool->description ? 0 : HAFT_ENOMEM;
}

static int mcp_item_fill_tool(const struct mcp_offer *offer, struct item *item,
                              const haft_tool *tool, haft_value *definition)
{
    static const char *const members[] = {
        "title", "inputSchema", "outputSchema", "annotations", "icons", "_meta", NULL};
    int status = mcp_item_keep_tool(item, tool);

    if (!status && !mcp_item_data(offer, item, HAFT_OFFER_TOOL, mcp_item_text(definition, "name")))
        status = HAFT_ENOMEM;
    if (!status)
        status = mcp_item_render(offer, item, definition, members);
    if (!status)
        mcp_item_compile(offer, item, yyjson_obj_get(definition, "inputSchema"));
    return status;
}

static int mcp_item_tool(const struct mcp_offer *offer, haft_value *definition,
                         struct item **ret_item)
{
    haft_value *annotations = yyjson_obj_get(definition, "annotations");
    haft_tool tool = HAFT_INIT(haft_tool, .call = hf_mcp_call_tool, .quick = true);
    int status;

    tool.name = mcp_item_name(offer, mcp_item_text(definition, "name"));
    tool.title = mcp_item_text(definition, "title");
    tool.description = mcp_item_description(offer, definition);
    tool.annotations =
        (haft_annotations){.read_only = mcp_item_hint(annotations, "readOnlyHint"),
                           .destructive = mcp_item_hint(annotations, "destructiveHint"),
                           .idempotent = mcp_item_hint(annotations, "idempotentHint"),
                           .open_world = mcp_item_hint(annotations, "openWorldHint")};
    tool.timeout_ms =
        offer->mcp->entry->has_timeout_ms ? (unsigned)offer->mcp->entry->timeout_ms : 0;
    if (!tool.name)
        return HAFT_ENOMEM;
    status = hf_tool_item(offer->server, &tool, &offer->mcp->upstream->module, ret_item);
    return status ? status : mcp_item_fill_tool(offer, *ret_item, &tool, definition);
}

/* ---- resources and prompts ---- */

static int mcp_item_resource_of(const struct mcp_offer *offer, haft_offer kind, const char *key,
                                haft_value *definition, struct item **ret_item)
{
    static const char *const members[] = {"name",        "title", "mimeType", "size",
                                          "annotations", "icons", "_meta",    NULL};
    const char *uri = mcp_item_text(definition, key), *name = mcp_item_text(definition, "name");
    haft_resource resource =
        HAFT_INIT(haft_resource, .uri = uri, .name = name && *name ? name : uri,
                  .read = hf_mcp_read, .quick = true);
    haft_resource *own;
    int status;

    if (kind == HAFT_OFFER_TEMPLATE)
        resource.complete = hf_mcp_complete;
    status =
        hf_resource_item(offer->server, kind, &resource, &offer->mcp->upstream->module, ret_item);
    if (status)
        return status;
    own = haft_arena_zalloc((*ret_item)->arena, 1, sizeof *own);
    if (!own)
        return HAFT_ENOMEM;
    *own = resource;
    own->uri = own->name = (*ret_item)->name;
    (*ret_item)->resource = own;
    if (!mcp_item_data(offer, *ret_item, kind, uri))
        return HAFT_ENOMEM;
    return mcp_item_render(offer, *ret_item, definition, members);
}

static int mcp_item_resource(const struct mcp_offer *offer, haft_value *definition,
                             struct item **ret_item)
{
    return mcp_item_resource_of(offer, HAFT_OFFER_RESOURCE, "uri", definition, ret_item);
}

static int mcp_item_template(const struct mcp_offer *offer, haft_value *definition,
                             struct item **ret_item)
{
    return mcp_item_resource_of(offer, HAFT_OFFER_TEMPLATE, "uriTemplate", definition, ret_item);
}

static int mcp_item_prompt(const struct mcp_offer *offer, haft_value *definition,
                           struct item **ret_item)
{
    static const char *const members[] = {"title", "arguments", "icons", "_meta", NULL};
    const char *name = mcp_item_text(definition, "name");
    haft_prompt prompt =
        HAFT_INIT(haft_prompt, .get = hf_mcp_get, .complete = hf_mcp_complete, .quick = true);
    haft_prompt *own;
    int status;

    prompt.name = mcp_item_name(offer, name);
    if (!prompt.name)
        return HAFT_ENOMEM;
    status = hf_prompt_item(offer->server, &prompt, &offer->mcp->upstream->module, ret_item);
    if (status)
        return status;
    own = haft_arena_zalloc((*ret_item)->arena, 1, sizeof *own);
    if (!own || !mcp_item_data(offer, *ret_item, HAFT_OFFER_PROMPT, name))
        return HAFT_ENOMEM;
    *own = prompt;
    own->name = (*ret_item)->name;
    (*ret_item)->prompt = own;
    return mcp_item_render(offer, *ret_item, definition, members);
}

/* ---- all ---- */

static const struct mcp_item_row {
    haft_offer kind;
    const char *what, *key, *pins; /* pins: list of approved definitions; NULL if there is none */
    int (*make)(const struct mcp_offer *offer, haft_value *definition, struct item **ret_item);
} mcp_item_rows[] = {
    {HAFT_OFFER_TOOL, "tool", "name", "tools", mcp_item_tool},
    {HAFT_OFFER_RESOURCE, "resource", "uri", NULL, mcp_item_resource},
    {HAFT_OFFER_TEMPLATE, "resource template", "uriTemplate", NULL, mcp_item_template},
    {HAFT_OFFER_PROMPT, "prompt", "name", "prompts", mcp_item_prompt},
};

/* Makes room for all definitions.  Returns false without memory. */
static bool mcp_item_make_slots(struct mcp_offer *offer)
{
    size_t n = 0;

    for (int i = 0; offer->mcp->lists && i < MCP_KINDS; i++)
        n += yyjson_arr_size(offer->mcp->lists->kinds[i]);
    offer->n_slots = 16;
    while (offer->n_slots < n * 2)
        offer->n_slots *= 2;
    offer->slots = haft_arena_zalloc(offer->items->arena, offer->n_slots, sizeof *offer->slots);
    return offer->slots;
}

/* Returns whether another item has the kind and the name; otherwise remembers it as the next. */
static bool mcp_item_is_twice(const struct mcp_offer *offer, const struct item *item)
{
    const struct upstream_items *items = offer->items;
    size_t at = (size_t)hf_hash_bytes(item->name, item->name_size);

    for (;; at++) {
        uint32_t *slot = &offer->slots[at & (offer->n_slots - 1)];

        if (!*slot) {
            *slot = (uint32_t)items->n + 1;
            return false;
        }
        if (hf_item_kind(items->list[*slot - 1]) == hf_item_kind(item) &&
            !strcmp(items->list[*slot - 1]->name, item->name))
            return true;
    }
}

/* Adds the item of a definition, unless it cannot be offered.  Returns 0 or HAFT_ENOMEM. */
static int mcp_item_add(const struct mcp_offer *offer, const struct mcp_item_row *row,
                        haft_value *definition)
{
    const char *name = mcp_item_text(definition, row->key);
    struct item *item = NULL;
    int status;

    if (!name ||
        (row->kind == HAFT_OFFER_TOOL && !hf_upstream_offers(offer->mcp->upstream, name)) ||
        (row->pins && hf_pin_check(&offer->mcp->pins, row->pins, definition) != PIN_APPROVED))
        return 0;
    status = row->make(offer, definition, &item);
    if (!status && mcp_item_is_twice(offer, item)) {
        mcp_item_refused(offer, row->what, name, "another one has the same name");
        hf_item_drop(item);
        return 0;
    }
    if (!status)
        return hf_upstream_items_add(offer->items, item);
    hf_item_drop(item);
    if (status == HAFT_ENOMEM)
        return status;
    mcp_item_refused(offer, row->what, name, haft_server_error(offer->server)->text);
    return 0;
}

int hf_mcp_items(struct upstream *upstream, haft_server *server, struct upstream_items *items,
                 haft_reason *reterr_reason)
{
    struct mcp_offer offer = {.mcp = mcp_of(upstream), .server = server, .items = items};
    size_t i, max;
    yyjson_val *one;
    int status;

    uv_mutex_lock(&upstream->lock);
    status = mcp_item_make_slots(&offer) ? 0 : HAFT_ENOMEM;
    for (size_t k = 0; k < sizeof mcp_item_rows / sizeof *mcp_item_rows; k++) {
        const struct mcp_item_row *row = &mcp_item_rows[k];
        haft_value *list = offer.mcp->lists ? offer.mcp->lists->kinds[row->kind] : NULL;

        if (list)
            yyjson_arr_foreach(list, i, max, one)
                if (!status)
                    status = mcp_item_add(&offer, row, one);
    }
    uv_mutex_unlock(&upstream->lock);
    return status ? hf_error_set(reterr_reason, status, "", "out of memory") : 0;
}

bool hf_mcp_items_same(const struct item *left, const struct item *right)
{
    const struct mcp_item *one = left->data, *other = right->data;

    return !strcmp(one->name, other->name);
}
