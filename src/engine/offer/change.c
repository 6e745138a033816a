/* change.c - changes of lists and resources, made here or in another process.
 *
 * Clients of this process learn of them from counters that their sessions compare (server.h). A relay
 * passes those of this process on; those of others arrive through hf_server_note_lists and the
 * functions beside it, and go no further, so that nothing travels in circles. */
#include <string.h>

#include "engine/offer/server.h"

/* ---- the relay ---- */

struct change_relay *hf_server_take_relay(haft_server *server)
{
    struct change_relay *relay;

    hf_server_lock(server);
    relay = server->changes.relay;
    if (relay)
        atomic_fetch_add(&relay->refs, 1);
    hf_server_unlock(server);
    return relay;
}

void hf_relay_drop(struct change_relay *relay)
{
    if (relay && atomic_fetch_sub(&relay->refs, 1) == 1)
        relay->release(relay);
}

void hf_server_tell_lists(haft_server *server, unsigned lists)
{
    struct change_relay *relay = lists ? hf_server_take_relay(server) : NULL;

    if (!relay)
        return;
    relay->lists(relay, lists);
    hf_relay_drop(relay);
}

/* ---- lists ---- */

static void change_count_lists(haft_server *server, unsigned lists)
{
    for (int i = 0; i < OFFER_LISTS; i++)
        if (lists & 1u << i)
            atomic_fetch_add(&server->changes.lists[i], 1);
    atomic_fetch_add(&server->changes.version_number, 1);
}

void hf_server_note_lists(haft_server *server, unsigned lists)
{
    hf_server_lock(server);
    change_count_lists(server, lists);
    hf_server_unlock(server);
    hf_server_wake(server);
}

/* ---- resources ---- */

void hf_server_note_resource(haft_server *server, const char *uri)
{
    const haft_allocator *allocator = server->allocator;
    size_t size = strlen(uri) + 1;
    char *copy = allocator->alloc(allocator->context, size), *old;
    unsigned number;

    if (!copy) {
        hf_server_log(server, HAFT_ERROR, "%s: out of memory: subscribers were not notified", uri);
        return;
    }
    memcpy(copy, uri, size);
    hf_server_lock(server);
    number = atomic_load(&server->changes.n_updates);
    old = server->changes.updates[number % UPDATES];
    server->changes.updates[number % UPDATES] = copy;
    atomic_store(&server->changes.n_updates, number + 1);
    hf_server_unlock(server);
    if (old)
        allocator->release(allocator->context, old, strlen(old) + 1);
    hf_server_wake(server);
}

void haft_resource_updated(haft_server *server, const char *uri)
{
    struct change_relay *relay = hf_server_take_relay(server);

    hf_server_note_resource(server, uri);
    if (!relay)
        return;
    relay->resource(relay, uri);
    hf_relay_drop(relay);
}

/* More updates than the ring has: sessions then announce every resource that has a subscriber. */
void hf_server_note_all(haft_server *server)
{
    hf_server_lock(server);
    change_count_lists(server, ~0u);
    atomic_fetch_add(&server->changes.n_updates, UPDATES + 1);
    hf_server_unlock(server);
    hf_server_wake(server);
}
