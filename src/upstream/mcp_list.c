/* mcp_list.c - what an MCP upstream offers, fetched when it is connected, when it reports a change, and
 * from time to time; the gateway hears of it only if it differs.
 *
 * A list that the upstream refuses is empty; if the connection fails, what was known remains. */
#include "upstream/mcp.h"

#include <stdio.h>
#include <string.h>

static const struct {
    haft_offer kind;
    const char *capability;
} mcp_list_rows[MCP_KINDS] = {
    {HAFT_OFFER_TOOL, "tools"},
    {HAFT_OFFER_RESOURCE, "resources"},
    {HAFT_OFFER_TEMPLATE, "resources"},
    {HAFT_OFFER_PROMPT, "prompts"},
};

/* ---- lists ---- */

void hf_mcp_lists_free(struct mcp_lists *lists)
{
    if (lists)
        haft_arena_free(lists->arena);
}

/* Reads one of the lists, as deep as the client does. */
static int mcp_lists_read(struct mcp_lists *lists, haft_arena *arena, int kind,
                          const haft_buffer *text, haft_reason *reterr_reason)
{
    if (!text->size)
        return 0;
    lists->json[kind].data = haft_arena_copy(arena, text->data, text->size);
    lists->json[kind].size = text->size;
    if (!lists->json[kind].data)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
    lists->kinds[kind] =
        haft_json_read(text->data, text->size, JSON_MAX_DEPTH, arena, reterr_reason);
    return lists->kinds[kind] ? 0 : reterr_reason->code;
}

struct mcp_lists *hf_mcp_lists_new(const struct mcp *mcp, haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(mcp->upstream->set->allocator, (size_t)512 << 20);
    struct mcp_lists *lists = arena ? haft_arena_zalloc(arena, 1, sizeof *lists) : NULL;
    int status = lists ? 0 : HAFT_ENOMEM;

    if (status)
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
    for (int i = 0; i < MCP_KINDS && !status; i++)
        status = mcp_lists_read(lists, arena, i, &mcp->fetch.json[i], reterr_reason);
    if (status) {
        haft_arena_free(arena);
        return NULL;
    }
    lists->arena = arena;
    return lists;
}

static bool mcp_lists_equal(const struct mcp_lists *left, const struct mcp_lists *right)
{
    for (int i = 0; i < MCP_KINDS; i++)
        if (left->json[i].size != right->json[i].size ||
            (left->json[i].size &&
             memcmp(left->json[i].data, right->json[i].data, left->json[i].size) != 0))
            return false;
    return true;
}

/* Replaces the lists.  Only this thread changes them. */
static void mcp_lists_use(struct mcp *mcp, struct mcp_lists *lists)
{
    struct upstream *upstream = mcp->upstream;
    struct mcp_lists *before = mcp->lists;

    uv_mutex_lock(&upstream->lock);
    mcp->lists = lists;
    mcp->inherited = false;
    if (lists)
        hf_pins_learn(&mcp->pins, upstream, lists->kinds[HAFT_OFFER_TOOL],
                      lists->kinds[HAFT_OFFER_PROMPT]);
    uv_mutex_unlock(&upstream->lock);
    hf_mcp_lists_free(before);
    if (upstream->set->changed)
        upstream->set->changed(upstream->set->context, upstream);
}

void hf_mcp_forget(struct mcp *mcp)
{
    if (mcp->lists)
        mcp_lists_use(mcp, NULL);
}

/* ---- fetching ---- */

static void mcp_fetch_fail(struct mcp_fetch *fetch, int status, const char *why)
{
    if (fetch->status)
        return;
    fetch->status = status;
    snprintf(fetch->error, sizeof fetch->error, "%s", why);
}

static void mcp_fetch_end(struct mcp *mcp)
{
    struct mcp_fetch *fetch = &mcp->fetch;
    struct mcp_lists *lists;
    haft_reason reason = {.code = 0};

    fetch->running = false;
    if (fetch->status && (!mcp->lists || mcp->inherited)) {
        hf_mcp_link_lost(&mcp->main, fetch->error);
        return;
    }
    if (fetch->status) {
        hf_mcp_link_failed(&mcp->main, HAFT_ECLOSED, fetch->error);
        return;
    }
    hf_mcp_link_worked(&mcp->main);
    lists = hf_mcp_lists_new(mcp, &reason);
    if (!lists)
        hf_server_log(mcp->upstream->set->server, HAFT_ERROR,
                      "upstream %s: its lists cannot be read: %s", mcp->upstream->name,
                      reason.text);
    else if (mcp->lists && !mcp->inherited && mcp_lists_equal(mcp->lists, lists))
        hf_mcp_lists_free(lists);
    else
        mcp_lists_use(mcp, lists);
    hf_mcp_subscribe(mcp);
    hf_upstream_set_state(mcp->upstream, UPSTREAM_READY, NULL);
    if (fetch->again)
        hf_mcp_fetch(mcp);
}

/* Tools that the client has left out because they are malformed or cannot be called. */
static void mcp_fetch_log_skipped(const struct mcp *mcp, const haft_client *client)
{
    const char *tool, *why;

    for (size_t i = 0; (why = haft_client_skipped(client, i, &tool)); i++)
        hf_server_log(mcp->upstream->set->server, HAFT_WARNING,
                      "upstream %s: the tool \"%.100s\" is not offered: %s", mcp->upstream->name,
                      tool, why);
}

/* Whether the first list of this kind may become what is approved, so that it must be the server's own. */
static bool mcp_fetch_is_pinned(const struct mcp *mcp, haft_offer kind)
{
    return mcp->pins.path && (kind == HAFT_OFFER_TOOL || kind == HAFT_OFFER_PROMPT);
}

static void mcp_fetch_take(struct mcp *mcp, haft_offer kind, haft_client *client, int status,
                           const haft_result *result)
{
    struct mcp_fetch *fetch = &mcp->fetch;
    bool known = mcp->lists && !mcp->inherited;

    if (client != mcp->main.client || !fetch->running)
        return;
    haft_buffer_clear(&fetch->json[kind]);
    if (status) {
        hf_server_log(mcp->upstream->set->server, HAFT_WARNING, "upstream %s: %s",
                      mcp->upstream->name, haft_client_error(client, NULL));
        if (status == HAFT_ECLOSED || status == HAFT_ETIMEOUT || status == HAFT_EDENIED ||
            (!known && mcp_fetch_is_pinned(mcp, kind)))
            mcp_fetch_fail(fetch, status, haft_client_error(client, NULL));
        else if (known) /* it remains */
            haft_buffer_add(&fetch->json[kind], mcp->lists->json[kind].data,
                            mcp->lists->json[kind].size);
    } else if (result->error_code) {
        hf_server_log(mcp->upstream->set->server, HAFT_DEBUG, "upstream %s: %.200s",
                      mcp->upstream->name, result->error_message);
    } else if (result->content) {
        haft_json_write(result->content, &fetch->json[kind]);
        if (fetch->json[kind].status)
            haft_buffer_clear(&fetch->json[kind]);
    }
    if (kind == HAFT_OFFER_TOOL && !status)
        mcp_fetch_log_skipped(mcp, client);
    if (!--fetch->waiting)
        mcp_fetch_end(mcp);
}

#define MCP_FETCHED(name, kind)                                                                    \
    static void name(void *context, haft_client *client, int status, const haft_result *result)    \
    {                                                                                              \
        mcp_fetch_take(context, kind, client, status, result);                                     \
    }
MCP_FETCHED(mcp_fetched_tools, HAFT_OFFER_TOOL)
MCP_FETCHED(mcp_fetched_resources, HAFT_OFFER_RESOURCE)
MCP_FETCHED(mcp_fetched_templates, HAFT_OFFER_TEMPLATE)
MCP_FETCHED(mcp_fetched_prompts, HAFT_OFFER_PROMPT)

static bool mcp_fetch_wants(const struct mcp *mcp, haft_offer kind)
{
    return kind == HAFT_OFFER_TOOL     ? true
           : kind == HAFT_OFFER_PROMPT ? mcp->entry->prompts
                                       : mcp->entry->resources;
}

static bool mcp_is_same_server(const mcp_entry *left, const mcp_entry *right)
{
    if (left->n_command != right->n_command || !left->has_url != !right->has_url)
        return false;
    for (size_t i = 0; i < left->n_command; i++)
        if (strcmp(left->command[i], right->command[i]) != 0)
            return false;
    return !left->has_url || !strcmp(left->url, right->url);
}

void hf_mcp_lists_inherit(struct upstream *upstream, struct upstream *before)
{
    struct mcp *mcp = mcp_of(upstream);
    const struct mcp *from = mcp_of(before);
    haft_reason reason;

    if (!mcp_is_same_server(mcp->entry, from->entry))
        return;
    uv_mutex_lock(&before->lock);
    mcp->inherited = from->lists;
    for (int i = 0; mcp->inherited && i < MCP_KINDS; i++)
        if (mcp_fetch_wants(mcp, (haft_offer)i))
            haft_buffer_add(&mcp->fetch.json[i], from->lists->json[i].data,
                            from->lists->json[i].size);
    uv_mutex_unlock(&before->lock);
    if (mcp->inherited)
        mcp->lists = hf_mcp_lists_new(mcp, &reason);
    mcp->inherited = mcp->lists;
}

void hf_mcp_fetch(struct mcp *mcp)
{
    static haft_client_done *const done[MCP_KINDS] = {[HAFT_OFFER_TOOL] = mcp_fetched_tools,
                                                      [HAFT_OFFER_RESOURCE] = mcp_fetched_resources,
                                                      [HAFT_OFFER_TEMPLATE] = mcp_fetched_templates,
                                                      [HAFT_OFFER_PROMPT] = mcp_fetched_prompts};
    struct mcp_fetch *fetch = &mcp->fetch;
    haft_client *client = mcp->main.client;
    haft_value *capabilities;

    if (fetch->running) {
        fetch->again = true;
        return;
    }
    if (!client || mcp->main.state != MCP_READY || mcp->upstream->stopped)
        return;
    capabilities = haft_client_capabilities(client);
    fetch->running = true;
    fetch->again = false;
    fetch->status = 0;
    fetch->waiting = 1; /* until all have begun */
    for (int i = 0; i < MCP_KINDS; i++) {
        haft_offer kind = mcp_list_rows[i].kind;

        haft_buffer_clear(&fetch->json[kind]);
        /* A modern server whose revision the configuration names has not been asked what it can. */
        if (!mcp_fetch_wants(mcp, kind) ||
            (capabilities && !yyjson_obj_get(capabilities, mcp_list_rows[i].capability)))
            continue;
        if (haft_client_list_begin(client, kind, done[kind], mcp))
            mcp_fetch_fail(fetch, HAFT_ECLOSED, haft_client_error(client, NULL));
        else
            fetch->waiting++;
    }
    if (!--fetch->waiting)
        mcp_fetch_end(mcp);
}

/* ---- changes ---- */

static void mcp_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    struct mcp *mcp = context;
    struct upstream_set *set = mcp->upstream->set;

    (void)kind;
    if (client != mcp->main.client)
        return;
    if (!uri)
        hf_mcp_fetch(mcp);
    else if (set->updated)
        set->updated(set->context, mcp->upstream, uri);
}

/* URIs of resources, with a NULL at the end. */
static const char **mcp_uris(const struct mcp *mcp, haft_arena *arena)
{
    haft_value *list = mcp->lists ? mcp->lists->kinds[HAFT_OFFER_RESOURCE] : NULL;
    size_t n = 0, i, max;
    const char **uris = haft_arena_zalloc(arena, MCP_URIS + 1, sizeof *uris);
    yyjson_val *one;

    if (uris && list)
        yyjson_arr_foreach(list, i, max, one)
            if (n < MCP_URIS)
                uris[n++] = yyjson_get_str(yyjson_obj_get(one, "uri"));
    return uris;
}

void hf_mcp_subscribe(struct mcp *mcp)
{
    struct mcp_link *link = &mcp->main;
    haft_value *resources = yyjson_obj_get(haft_client_capabilities(link->client), "resources");
    bool updates = !haft_client_capabilities(link->client) ||
                   yyjson_is_true(yyjson_obj_get(resources, "subscribe"));
    uint64_t lists = updates && mcp->lists
                         ? hf_hash_bytes(mcp->lists->json[HAFT_OFFER_RESOURCE].data,
                                         mcp->lists->json[HAFT_OFFER_RESOURCE].size)
                         : 0;
    haft_arena *arena;
    const char **uris;

    if (link->subscription && link->subscribed == lists)
        return;
    arena = haft_arena_new(mcp->upstream->set->allocator, 1 << 20);
    uris = arena && updates && mcp->entry->resources ? mcp_uris(mcp, arena) : NULL;
    haft_subscription_free(link->subscription);
    link->subscribed = lists;
    link->subscription = haft_client_subscribe(
        link->client,
        HAFT_WITH(haft_topics, .tools = true, .resources = mcp->entry->resources,
                  .prompts = mcp->entry->prompts, .uris = uris),
        mcp_changed, mcp);
    haft_arena_free(arena);
}
