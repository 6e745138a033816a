/* search_set.c - the settings of a search, and the items of its tools. */
#include "base/struct.h"
#include "engine/call/search_call.h"

static void search_release(struct module *module)
{
    struct search *search = (struct search *)module;
    const haft_allocator *allocator = search->allocator;

    allocator->release(allocator->context, search, search->size);
}

static struct search *search_new(const haft_allocator *allocator, const haft_search *settings,
                                 bool configured)
{
    const char *pinned = settings->pinned ? settings->pinned : "";
    size_t text = strlen(pinned) + 1, size = sizeof(struct search) + text;
    struct search *search = allocator->alloc(allocator->context, size);

    if (!search)
        return NULL;
    *search = (struct search){.allocator = allocator,
                              .size = size,
                              .above = settings->above,
                              .results = settings->results ? settings->results : SEARCH_RESULTS,
                              .configured = configured,
                              .redirect = hf_search_redirect};
    search->pinned = memcpy(search + 1, pinned, text);
    hf_module_init(&search->module, search_release);
    search->module.search = search;
    return search;
}

int hf_search_items(haft_server *server, const haft_search *settings, bool configured,
                    struct item *ret_items[SEARCH_TOOLS])
{
    struct search *search;
    int status = 0, n = 0;

    if (settings->results > SEARCH_MOST_RESULTS)
        return hf_server_refuse(server, HAFT_EINVAL, "haft_search",
                                "a search returns at most %d tools", SEARCH_MOST_RESULTS);
    search = search_new(server->allocator, settings, configured);
    if (!search)
        return hf_server_refuse(server, HAFT_ENOMEM, "haft_search", "out of memory");
    for (; n < SEARCH_TOOLS && !status; n += !status)
        status = hf_tool_item(server, &hf_search_tools[n], &search->module, &ret_items[n]);
    hf_module_drop(&search->module); /* the items hold it now */
    if (!status)                     /* its arguments are needed as JSON, to redirect it */
        ret_items[SEARCH_TOOLS - 1]->direct = NULL;
    while (status && n--)
        hf_item_drop(ret_items[n]);
    return status;
}

/* ---- changes ---- */

/* Marks the tools of the search of a catalogue as leaving, or no longer. */
static void search_mark_leaving(const struct catalogue *catalogue, bool leaving)
{
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];

    for (size_t i = 0; i < tools->n; i++)
        if (tools->entries[i].role)
            tools->entries[i].item->leaving = leaving;
}

static int search_swap(haft_server *server, const struct catalogue *now, struct item *const *items,
                       size_t n)
{
    const struct item *clash = NULL;
    int status;

    search_mark_leaving(now, true);
    status = hf_catalogue_swap(server, items, n, &clash);
    if (status)
        search_mark_leaving(now, false);
    return status == HAFT_EEXISTS
               ? hf_server_refuse(server, status, clash->name,
                                  "tool search needs the name %s, which another tool has",
                                  clash->name)
               : status;
}

int haft_server_set_search(haft_server *server, const haft_search *settings)
{
    struct item *items[SEARCH_TOOLS] = {NULL};
    struct catalogue *now;
    haft_search own;
    int status = 0;

    if (!server) /* creation failed: haft_main reports it */
        return HAFT_EINVAL;
    if (settings && !hf_struct_read(&own, sizeof own, settings))
        return hf_server_refuse(server, HAFT_EINVAL, "haft_search", STRUCT_UNSIZED);
    if (settings)
        status = hf_search_items(server, &own, false, items);
    if (status)
        return status;
    now = hf_catalogue_take(server);
    status = search_swap(server, now, items, settings ? SEARCH_TOOLS : 0);
    hf_catalogue_drop(now);
    for (size_t i = 0; i < SEARCH_TOOLS && settings; i++)
        hf_item_drop(items[i]);
    return status;
}

static bool search_is(const struct search *search, const haft_search *settings)
{
    return settings && search->above == settings->above &&
           search->results == (settings->results ? settings->results : SEARCH_RESULTS) &&
           !strcmp(search->pinned, settings->pinned ? settings->pinned : "");
}

int hf_search_compare(haft_server *server, const haft_search *settings, struct item **items,
                      size_t *n)
{
    struct catalogue *now = hf_catalogue_take(server);
    const struct search *search = now->search && now->search->configured ? now->search : NULL;
    bool stays = search && search_is(search, settings);
    int status = 0;

    if (search)
        search_mark_leaving(now, !stays);
    if (settings && !stays)
        status = hf_search_items(server, settings, true, items + *n);
    if (settings && !stays && !status)
        *n += SEARCH_TOOLS;
    hf_catalogue_drop(now);
    return status;
}
