/* request_table.c - requests by their ids, and the memory of requests.
 *
 * A request is in a table by the id that the program has, until it has been reported, and in another
 * one by the id of its latest round, while the server may answer.  That second id is also the tag by
 * which the transport knows it, so a late report finds nothing. */
#include "client/client.h"

#include <string.h>

#include "base/list.h"

enum { REQUEST_BUCKETS = 64, REQUEST_SPARE = 64, REQUEST_KEEP = 4 << 10 };

/* ---- the tables ---- */

static size_t request_bucket(const haft_client *client, int64_t id)
{
    return (size_t)id & (client->requests.buckets - 1);
}

static void request_link_id(haft_client *client, struct client_request *request)
{
    struct client_request **chain = &client->requests.by_id[request_bucket(client, request->id)];

    request->by_id = *chain;
    *chain = request;
}

static void request_link_wire(haft_client *client, struct client_request *request)
{
    struct client_request **chain =
        &client->requests.by_wire[request_bucket(client, request->wire_id)];

    request->by_wire = *chain;
    *chain = request;
}

static void request_unlink_wire(haft_client *client, struct client_request *request)
{
    struct client_request **link;

    if (!request->wire_id)
        return;
    link = &client->requests.by_wire[request_bucket(client, request->wire_id)];
    while (*link && *link != request)
        link = &(*link)->by_wire;
    if (*link)
        *link = request->by_wire;
}

void hf_request_set_wire(haft_client *client, struct client_request *request, int64_t wire_id)
{
    request_unlink_wire(client, request);
    request->wire_id = wire_id;
    if (wire_id)
        request_link_wire(client, request);
}

/* Makes the tables, or larger ones.  Without memory for larger ones the chains grow. */
static int request_grow(haft_client *client)
{
    struct client_requests *all = &client->requests;
    const haft_allocator *allocator = client->allocator;
    size_t old = all->buckets, buckets = old ? old * 2 : REQUEST_BUCKETS;
    struct client_request **tables, **ids = all->by_id, **wires = all->by_wire;

    if (all->n < old)
        return 0;
    tables = allocator->alloc(allocator->context, buckets * 2 * sizeof *tables);
    if (!tables)
        return old ? 0 : HAFT_ENOMEM;
    memset(tables, 0, buckets * 2 * sizeof *tables);
    all->by_id = tables;
    all->by_wire = tables + buckets;
    all->buckets = buckets;
    for (size_t i = 0; i < old; i++) {
        while (ids[i]) {
            struct client_request *request = ids[i];

            ids[i] = request->by_id;
            request_link_id(client, request);
        }
        while (wires[i]) {
            struct client_request *request = wires[i];

            wires[i] = request->by_wire;
            request_link_wire(client, request);
        }
    }
    if (ids)
        allocator->release(allocator->context, ids, old * 2 * sizeof *ids);
    return 0;
}

struct client_request *hf_request_find(const haft_client *client, int64_t id)
{
    struct client_request *request =
        client->requests.buckets ? client->requests.by_id[request_bucket(client, id)] : NULL;

    while (request && request->id != id)
        request = request->by_id;
    return request;
}

struct client_request *hf_request_on_wire(const haft_client *client, int64_t wire_id)
{
    struct client_request *request = client->requests.buckets && wire_id > 0
                                         ? client->requests.by_wire[request_bucket(client, wire_id)]
                                         : NULL;

    while (request && request->wire_id != wire_id)
        request = request->by_wire;
    return request;
}

/* ---- making and forgetting ---- */

struct client_request *hf_request_new(haft_client *client)
{
    struct client_requests *all = &client->requests;
    const haft_allocator *allocator = client->allocator;
    struct client_request *request = all->spare;
    haft_buffer text;

    if (request_grow(client) || hf_due_reserve(client))
        return NULL;
    if (request) {
        all->spare = request->next;
        all->n_spare--;
        text = request->text;
        haft_buffer_clear(&text);
    } else {
        request = allocator->alloc(allocator->context, sizeof *request);
        if (!request) {
            client->dues.reserved--;
            return NULL;
        }
        haft_buffer_init(&text, allocator, client->out.limit);
    }
    *request = (struct client_request){.id = all->next_id++, .text = text};
    all->n++;
    request_link_id(client, request);
    return request;
}

static void request_leave_list(haft_client *client, struct client_request *request)
{
    struct client_requests *all = &client->requests;

    if (request->state == REQUEST_QUEUED)
        LIST_REMOVE(all->first, all->last, request, previous, next);
    else if (request->state == REQUEST_TOOLS)
        LIST_REMOVE(all->first_tools, all->last_tools, request, previous, next);
    else if (request->state == REQUEST_ENDED && request->done)
        LIST_REMOVE(all->first_ended, all->last_ended, request, previous, next);
}

static void request_release(haft_client *client, struct client_request *request)
{
    const haft_allocator *allocator = client->allocator;
    struct client_requests *all = &client->requests;

    hf_document_drop(client, request->answer);
    hf_document_drop(client, request->round);
    if (all->n_spare < REQUEST_SPARE && !client->ending) {
        hf_buffer_trim(&request->text, REQUEST_KEEP);
        request->next = all->spare;
        all->spare = request;
        all->n_spare++;
        return;
    }
    haft_buffer_finish(&request->text);
    allocator->release(allocator->context, request, sizeof *request);
}

void hf_request_detach(haft_client *client, struct client_request *request)
{
    request_leave_list(client, request);
    hf_request_set_wire(client, request, 0);
    hf_due_remove(client, &request->due);
    if (request->counted)
        client->requests.in_flight--;
    request->counted = false;
}

void hf_request_forget(haft_client *client, struct client_request *request)
{
    struct client_request **link = &client->requests.by_id[request_bucket(client, request->id)];

    hf_request_detach(client, request);
    while (*link != request)
        link = &(*link)->by_id;
    *link = request->by_id;
    client->requests.n--;
    hf_due_release(client, &request->due);
    request_release(client, request);
}

void hf_requests_finish(haft_client *client)
{
    struct client_requests *all = &client->requests;
    const haft_allocator *allocator = client->allocator;

    for (size_t i = 0; i < all->buckets; i++)
        while (all->by_id[i])
            hf_request_forget(client, all->by_id[i]);
    while (all->spare) {
        struct client_request *request = all->spare;

        all->spare = request->next;
        haft_buffer_finish(&request->text);
        allocator->release(allocator->context, request, sizeof *request);
    }
    if (all->by_id)
        allocator->release(allocator->context, all->by_id, all->buckets * 2 * sizeof *all->by_id);
}
