/* upstreams.c - what the servers of endpoints offer of upstreams, and how that follows them.
 *
 * Items are compared by name and definition, so that a reload or a change of an upstream's list
 * replaces only what differs.  A reload holds the set's offers_lock from its preparation to its
 * end, because both mark items that leave. */
#include "gateway/upstreams.h"

#include <string.h>

#include "engine/offer/uri_template.h"
#include "gateway/shape.h"
#include "import/import.h"
#include "json/writer.h"

/* How long the first configuration waits for upstreams to say what they offer. */
enum {
    UPSTREAMS_FIRST_MS = 2000,
    UPSTREAMS_ARENA = 64 << 20,
    UPSTREAMS_URI_ARENA = 1 << 20,
    UPSTREAMS_ITEMS = 10000 /* of one upstream, of each kind; the rest is not offered */
};

/* ---- names ---- */

/* Logs why an item is not offered, once: an upstream may send its lists again and again. */
static void upstreams_warn(haft_server *server, struct upstream *upstream, const struct item *item,
                           const char *why)
{
    struct upstream_warnings *warned = &upstream->warned;
    uint64_t hash = hf_hash_bytes(item->name, item->name_size);

    for (size_t i = 0; i < warned->n; i++)
        if (warned->names[i] == hash)
            return;
    if (warned->n < UPSTREAM_WARNINGS) {
        warned->names[warned->n++] = hash;
        hf_server_log(server, HAFT_WARNING, "upstream %s: %s is not offered, because %s",
                      upstream->name, item->name, why);
    } else if (!warned->full) {
        warned->full = true;
        hf_server_log(server, HAFT_WARNING,
                      "upstream %s: more than %d items are not offered; the others are not logged",
                      upstream->name, UPSTREAM_WARNINGS);
    }
}

/* The position in the configuration: of several upstreams with the same name for an item, the first
 * offers it. */
static size_t upstreams_rank(const struct generation *generation, const struct upstream *upstream)
{
    size_t i = 0;

    while (i < generation->n_upstreams && generation->upstreams[i] != upstream)
        i++;
    return i;
}

/* The size of an upstream's prefix if the name begins with it; otherwise 0. */
static size_t upstream_prefix_of(const struct upstream *upstream, const char *name)
{
    size_t size = upstream->prefix ? strlen(upstream->prefix) : 0;

    return size && !strncmp(name, upstream->prefix, size) && !strncmp(name + size, "__", 2) ? size
                                                                                            : 0;
}

/* Names belong to the upstream with the longest prefix that they begin with, also while that one
 * offers nothing. */
static bool upstreams_reserve(const struct generation *generation, const struct upstream *upstream,
                              const struct item *item)
{
    size_t own = upstream_prefix_of(upstream, item->name);

    if (!item->tool && !item->prompt)
        return false;
    for (size_t i = 0; i < generation->n_upstreams; i++)
        if (upstream_prefix_of(generation->upstreams[i], item->name) > own)
            return true;
    return false;
}

/* ---- comparing ---- */

static bool text_equals(const struct text *left, const struct text *right)
{
    return left->size == right->size &&
           (!left->size || !memcmp(left->data, right->data, left->size));
}

static bool upstream_items_equal(const struct item *left, const struct item *right)
{
    const struct upstream *upstream = hf_upstream_of(right);

    return left->module == right->module &&
           (!upstream || !upstream->kind->same || upstream->kind->same(left, right)) &&
           text_equals(&left->rest[LEGACY], &right->rest[LEGACY]) &&
           text_equals(&left->rest[MODERN], &right->rest[MODERN]) &&
           !strcmp(left->scopes ? left->scopes : "", right->scopes ? right->scopes : "");
}

/* Marks all items of upstreams, or of one, to leave. */
static void upstreams_mark(const struct catalogue *catalogue, const struct upstream *only)
{
    for (int i = 0; i < OFFER_LISTS; i++)
        for (size_t k = 0; k < catalogue->lists[i].n; k++) {
            struct item *item = catalogue->lists[i].entries[k].item;
            const struct upstream *upstream = hf_upstream_of(item);

            if (upstream && (!only || upstream == only))
                item->leaving = true;
        }
}

/* Keeps an item that is offered already instead of an equal one. */
static bool upstreams_keep(const struct catalogue *catalogue, const struct item *item)
{
    const struct entry *entry =
        hf_offer_list_find(&catalogue->lists[hf_item_kind(item)], item->name, item->name_size);

    if (!entry || !upstream_items_equal(entry->item, item))
        return false;
    entry->item->leaving = false;
    return true;
}

static bool upstreams_take(const struct upstream_offer *offer, const struct item *item)
{
    return !item->tool || !offer->tools || hf_glob_list_allows(offer->tools, item->name);
}

/* Drops the items from `first` on that are offered already, or not to be. */
static void upstreams_filter(const struct generation *generation, struct upstream *upstream,
                             const struct upstream_offer *offer, const struct catalogue *catalogue,
                             struct upstream_items *items, size_t first)
{
    size_t n = first, counts[OFFER_LISTS] = {0}, excess = 0;

    for (size_t i = first; i < items->n; i++) {
        struct item *item = items->list[i];
        bool taken = upstreams_take(offer, item);
        bool reserved = taken && upstreams_reserve(generation, upstream, item);
        bool exceeds = taken && counts[hf_item_kind(item)]++ >= UPSTREAMS_ITEMS;

        excess += exceeds;
        if (reserved)
            upstreams_warn(offer->server, upstream, item,
                           "its name begins with the prefix of another upstream");
        if (!taken || reserved || exceeds || upstreams_keep(catalogue, item))
            hf_item_drop(item);
        else
            items->list[n++] = item;
    }
    items->n = n;
    if (excess && !upstream->warned.excess)
        hf_server_log(
            offer->server, HAFT_WARNING,
            "upstream %s: %zu items are not offered, because it has more than %d of a kind",
            upstream->name, excess, UPSTREAMS_ITEMS);
    upstream->warned.excess |= excess > 0;
}

static int upstreams_add(const struct generation *generation, struct upstream *upstream,
                         const struct upstream_offer *offer, const struct catalogue *catalogue,
                         struct upstream_items *items, haft_reason *reterr_reason)
{
    size_t first = items->n;
    haft_reason reason = {.code = 0};
    int status = upstream->kind->items(upstream, offer->server, items, &reason);

    upstreams_filter(generation, upstream, offer, catalogue, items, first);
    return status ? hf_error_set(reterr_reason, status, upstream->name, "%s%s%s", reason.path,
                                 *reason.path ? ": " : "",
                                 reason.code ? reason.text : haft_strerror(status))
                  : 0;
}

/* ---- clashes ---- */

/* Clashes with an upstream whose lists change must not make a configuration invalid; with others they
 * do. */
static bool upstreams_may_settle(const struct upstream *upstream, const struct item *rival,
                                 bool configuring)
{
    const struct upstream *other = hf_upstream_of(rival);

    return !configuring || (other && (upstream->kind->declares || other->kind->declares));
}

static void upstreams_lose(haft_server *server, const struct item *item)
{
    struct upstream *upstream = hf_upstream_of(item);

    upstream->lost = true;
    upstreams_warn(server, upstream, item, "another one has this name");
}

/* Marks what is offered under the name of a new item of an earlier upstream to leave; returns whether
 * there is such an item. */
static bool upstreams_displace(const struct generation *generation, haft_server *server,
                               const struct upstream_items *items, struct item *const *rivals,
                               bool configuring)
{
    bool any = false;

    for (size_t i = 0; i < items->n; i++) {
        const struct upstream *upstream = hf_upstream_of(items->list[i]);
        const struct upstream *other = rivals[i] ? hf_upstream_of(rivals[i]) : NULL;

        if (!other || !upstreams_may_settle(upstream, rivals[i], configuring) ||
            upstreams_rank(generation, upstream) >= upstreams_rank(generation, other))
            continue;
        if (!rivals[i]->leaving)
            upstreams_lose(server, rivals[i]);
        rivals[i]->leaving = true;
        any = true;
    }
    return any;
}

/* Gives names that are offered twice to the first upstream in the configuration.  Drops the new items
 * that lose theirs; the rest remains. */
static int upstreams_settle(const struct generation *generation, haft_server *server,
                            struct upstream_items *items, bool configuring)
{
    struct item **rivals = haft_arena_zalloc(items->arena, items->n + 1, sizeof *rivals);
    size_t n = 0;

    if (!rivals || hf_catalogue_rivals(server, items->list, items->n, rivals))
        return HAFT_ENOMEM;
    if (upstreams_displace(generation, server, items, rivals, configuring) &&
        hf_catalogue_rivals(server, items->list, items->n, rivals))
        return HAFT_ENOMEM;
    for (size_t i = 0; i < items->n; i++) {
        struct item *item = items->list[i];

        if (!rivals[i] || !upstreams_may_settle(hf_upstream_of(item), rivals[i], configuring)) {
            items->list[n++] = item;
            continue;
        }
        upstreams_lose(server, item);
        hf_item_drop(item);
    }
    items->n = n;
    return 0;
}

int hf_upstreams_compare(const struct generation *generation, const struct upstream_offer *offer,
                         const struct upstream *only, struct upstream_items *items,
                         haft_reason *reterr_reason)
{
    struct catalogue *catalogue = hf_catalogue_take(offer->server);
    int status = 0;

    upstreams_mark(catalogue, only);
    for (size_t i = 0; i < generation->n_upstreams && offer->upstreams && !status; i++) {
        struct upstream *upstream = generation->upstreams[i];

        if ((!only || upstream == only) && hf_glob_list_allows(offer->upstreams, upstream->name))
            status = upstreams_add(generation, upstream, offer, catalogue, items, reterr_reason);
    }
    hf_catalogue_drop(catalogue);
    return status || only ? status : upstreams_settle(generation, offer->server, items, true);
}

void hf_upstreams_drop_items(struct upstream_items *items)
{
    for (size_t i = 0; i < items->n; i++)
        hf_item_drop(items->list[i]);
    items->n = 0;
}

/* ---- their states ---- */

void hf_upstreams_put_metrics(void *context, haft_buffer *out)
{
    struct generation *generation = hf_generation_hold(context);

    for (size_t i = 0; i < generation->n_upstreams; i++)
        haft_buffer_printf(out, "mcp_server_upstream_up{upstream=\"%s\"} %d\n",
                           generation->upstreams[i]->name,
                           hf_upstream_state(generation->upstreams[i], NULL) == UPSTREAM_READY);
    hf_generation_drop(generation);
}

void hf_upstreams_put(void *context, struct json_writer *w)
{
    static const char *const words[] = {[UPSTREAM_STARTING] = "starting",
                                        [UPSTREAM_READY] = "ready",
                                        [UPSTREAM_FAILING] = "failing",
                                        [UPSTREAM_STOPPED] = "stopped"};
    struct generation *generation = hf_generation_hold(context);

    if (generation->n_upstreams)
        hf_json_begin_object(json_key(w, "upstreams"));
    for (size_t i = 0; i < generation->n_upstreams; i++) {
        const char *name = generation->upstreams[i]->name;

        hf_json_text(hf_json_name(w, name, strlen(name)),
                     words[hf_upstream_state(generation->upstreams[i], NULL)]);
    }
    if (generation->n_upstreams)
        hf_json_end_object(w);
    hf_generation_drop(generation);
}

/* ---- changes of an upstream ---- */

static int upstreams_swap(const struct generation *generation, haft_server *server,
                          struct upstream_items *items)
{
    int status;

    do {
        const struct item *clash;

        status = upstreams_settle(generation, server, items, false);
        if (!status)
            status = hf_catalogue_swap(server, items->list, items->n, &clash);
    } while (status == HAFT_EEXISTS); /* another thread has added something meanwhile */
    return status;
}

static void upstreams_unmark(haft_server *server)
{
    struct catalogue *catalogue = hf_catalogue_take(server);

    for (int i = 0; i < OFFER_LISTS; i++)
        for (size_t k = 0; k < catalogue->lists[i].n; k++)
            if (hf_upstream_of(catalogue->lists[i].entries[k].item))
                catalogue->lists[i].entries[k].item->leaving = false;
    hf_catalogue_drop(catalogue);
}

static void upstreams_update(const struct generation *generation, const struct served *served,
                             struct upstream *upstream)
{
    const struct upstream_offer offer = {
        .server = served->mcp->server, .upstreams = served->upstreams, .tools = served->tools};
    struct upstream_items items = {.arena = haft_arena_new(NULL, UPSTREAMS_ARENA)};
    haft_reason reason = {.code = 0};
    int status = items.arena ? 0 : HAFT_ENOMEM;

    if (!status)
        status = hf_upstreams_compare(generation, &offer, upstream, &items, &reason);
    if (!status)
        status = upstreams_swap(generation, offer.server, &items);
    if (!status)
        hf_shaping_warn(offer.server);
    if (status) {
        upstreams_unmark(offer.server);
        hf_server_log(offer.server, HAFT_ERROR, "upstream %s: cannot update what it offers: %s",
                      upstream->name, reason.code ? reason.text : haft_strerror(status));
    }
    hf_upstreams_drop_items(&items);
    haft_arena_free(items.arena);
}

static void upstreams_update_all(const struct generation *generation, struct upstream *upstream)
{
    upstream->lost = false;
    for (const struct served *served = generation->endpoints; served; served = served->next)
        upstreams_update(generation, served, upstream);
}

/* Those after it may get names that it no longer has. */
void hf_upstreams_changed(void *context, struct upstream *upstream)
{
    haft_gateway *gateway = context;
    struct generation *generation;

    uv_mutex_lock(&gateway->upstreams->offers_lock);
    generation = hf_generation_hold(gateway);
    upstreams_update_all(generation, upstream);
    for (size_t i = upstreams_rank(generation, upstream) + 1; i < generation->n_upstreams; i++)
        if (generation->upstreams[i]->lost)
            upstreams_update_all(generation, generation->upstreams[i]);
    hf_generation_drop(generation);
    uv_mutex_unlock(&gateway->upstreams->offers_lock);
}

/* The first template that matches a URI, as for reading; NULL if there is none. */
static const struct item *upstreams_find_template(const struct catalogue *catalogue,
                                                  const char *uri)
{
    const struct offer_list *offers = &catalogue->lists[HAFT_OFFER_TEMPLATE];
    haft_arena *arena = haft_arena_new(NULL, UPSTREAMS_URI_ARENA);
    const struct item *found = NULL;
    const struct text *variables;
    struct address address;
    size_t n;

    if (arena && !hf_address_read(arena, uri, strlen(uri), &address))
        for (size_t i = 0; i < offers->n && !found; i++)
            if (!offers->entries[i].disabled &&
                hf_uri_template_match(offers->entries[i].item->uri_template, &address, arena,
                                      &variables, &n) > 0)
                found = offers->entries[i].item;
    haft_arena_free(arena);
    return found;
}

/* Whether a server offers the resource, and offers it of this upstream. */
static bool upstreams_serve(haft_server *server, const struct upstream *upstream, const char *uri)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    const struct entry *entry =
        hf_offer_list_find(&catalogue->lists[HAFT_OFFER_RESOURCE], uri, strlen(uri));
    const struct item *item = entry ? entry->item : upstreams_find_template(catalogue, uri);
    bool serves = item && hf_upstream_of(item) == upstream;

    hf_catalogue_drop(catalogue);
    return serves;
}

void hf_upstreams_updated(void *context, struct upstream *upstream, const char *uri)
{
    haft_gateway *gateway = context;
    struct generation *generation = hf_generation_hold(gateway);

    for (const struct served *served = generation->endpoints; served; served = served->next)
        if (upstreams_serve(served->mcp->server, upstream, uri))
            haft_resource_updated(served->mcp->server, uri);
    hf_generation_drop(generation);
}

/* ---- starting and stopping ---- */

static bool generation_has_upstream(const struct generation *generation,
                                    const struct upstream *upstream)
{
    for (size_t i = 0; i < generation->n_upstreams; i++)
        if (generation->upstreams[i] == upstream)
            return true;
    return false;
}

void hf_upstreams_end(haft_gateway *gateway)
{
    const struct generation *now = gateway->now;

    if (!gateway->upstreams)
        return;
    gateway->upstreams->ending = true;
    for (size_t i = 0; now && i < now->n_upstreams; i++)
        hf_upstream_stop(now->upstreams[i]);
    hf_upstream_set_finish(gateway->upstreams);
}

/* A client may come before the upstreams have said what they offer, and must not take the lists for
 * absent. */
static void upstreams_declare(const struct generation *generation, const struct served *served)
{
    unsigned lists = 0;

    for (size_t i = 0; i < generation->n_upstreams && served->upstreams; i++) {
        const struct upstream *upstream = generation->upstreams[i];

        if (hf_glob_list_allows(served->upstreams, upstream->name))
            lists |= upstream->kind->declares;
    }
    atomic_fetch_or(&served->mcp->server->changes.offered, lists);
}

void hf_upstreams_turn_over(const haft_gateway *gateway, const struct generation *before,
                            const struct generation *generation)
{
    haft_reason reason;

    for (const struct served *served = generation->endpoints; served; served = served->next)
        upstreams_declare(generation, served);
    for (size_t i = 0; i < generation->n_upstreams; i++)
        if (!generation_has_upstream(before, generation->upstreams[i]) &&
            hf_upstream_start(generation->upstreams[i], &reason))
            hf_server_log(gateway->server, HAFT_ERROR, "upstream %s: %s",
                          generation->upstreams[i]->name, reason.text);
    for (size_t i = 0; i < before->n_upstreams; i++)
        if (!generation_has_upstream(generation, before->upstreams[i]))
            hf_upstream_stop(before->upstreams[i]);
}

void hf_upstreams_start(haft_gateway *gateway)
{
    const struct generation *now = gateway->now;

    hf_upstreams_turn_over(gateway, gateway->own, now);
    hf_upstream_set_wait(gateway->upstreams, now->upstreams, now->n_upstreams, UPSTREAMS_FIRST_MS);
}

int hf_upstreams_begin(haft_gateway *gateway, bool confined, haft_reason *reterr_reason)
{
    struct configuration *configuration = gateway->configuration;

    if (!configuration)
        return 0;
    if (confined && gateway->now->n_upstreams)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "gateway.upstreams", UPSTREAMS_CONFINED);
    configuration->confined = confined;
    configuration->upstreams_wait = false;
    hf_upstreams_start(gateway);
    return 0;
}
