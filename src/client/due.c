/* due.c - points in time, as a binary heap.
 *
 * The transport has one timer, which is set when the earliest point becomes earlier than what it is
 * set to; a call that comes too early does no harm. */
#include "client/client.h"

enum { DUES_FIRST = 16 };

int hf_due_reserve(haft_client *client)
{
    struct dues *dues = &client->dues;
    const haft_allocator *allocator = client->allocator;

    if (dues->reserved == dues->capacity) {
        size_t capacity = dues->capacity ? dues->capacity * 2 : DUES_FIRST;
        struct due **heap = allocator->resize(
            allocator->context, dues->heap, dues->capacity * sizeof *heap, capacity * sizeof *heap);

        if (!heap)
            return HAFT_ENOMEM;
        dues->heap = heap;
        dues->capacity = capacity;
    }
    dues->reserved++;
    return 0;
}

void hf_due_release(haft_client *client, struct due *due)
{
    hf_due_remove(client, due);
    client->dues.reserved--;
}

bool hf_due_has_time(const haft_client *client)
{
    return client->transport.now;
}

haft_time hf_due_now(haft_client *client)
{
    return client->transport.now ? client->transport.now(client->transport.context) : 0;
}

/* ---- the heap ---- */

static void due_place(struct dues *dues, struct due *due, size_t index)
{
    dues->heap[index - 1] = due;
    due->index = index;
}

static void due_rise(struct dues *dues, struct due *due)
{
    size_t index = due->index;

    for (; index > 1 && dues->heap[index / 2 - 1]->at > due->at; index /= 2)
        due_place(dues, dues->heap[index / 2 - 1], index);
    due_place(dues, due, index);
}

static void due_sink(struct dues *dues, struct due *due)
{
    size_t index = due->index;

    while (index * 2 <= dues->n) {
        size_t child = index * 2;

        if (child < dues->n && dues->heap[child]->at < dues->heap[child - 1]->at)
            child++;
        if (dues->heap[child - 1]->at >= due->at)
            break;
        due_place(dues, dues->heap[child - 1], index);
        index = child;
    }
    due_place(dues, due, index);
}

static void due_arm(haft_client *client)
{
    struct dues *dues = &client->dues;

    if (!client->transport.set_timer || !dues->n || client->ending)
        return;
    if (dues->armed && dues->armed <= dues->heap[0]->at)
        return;
    dues->armed = dues->heap[0]->at;
    client->transport.set_timer(client->transport.context, dues->armed);
}

void hf_due_set(haft_client *client, struct due *due, haft_time at)
{
    struct dues *dues = &client->dues;

    due->at = at;
    if (!due->index)
        due_place(dues, due, ++dues->n);
    due_rise(dues, due);
    due_sink(dues, due);
    due_arm(client);
}

void hf_due_remove(haft_client *client, struct due *due)
{
    struct dues *dues = &client->dues;
    size_t index = due->index;
    struct due *last;

    if (!index)
        return;
    due->index = 0;
    last = dues->heap[--dues->n];
    if (last == due)
        return;
    due_place(dues, last, index);
    due_rise(dues, last);
    due_sink(dues, last);
}

/* ---- time passes ---- */

void hf_due_run(haft_client *client, haft_time now)
{
    struct dues *dues = &client->dues;

    if (dues->armed && dues->armed <= now)
        dues->armed = 0;
    while (dues->n && dues->heap[0]->at <= now) {
        struct due *due = dues->heap[0];

        hf_due_remove(client, due);
        due->expire(client, due, now);
    }
    due_arm(client);
}

bool hf_due_next(const haft_client *client, haft_time *ret_at)
{
    if (!client->dues.n)
        return false;
    *ret_at = client->dues.heap[0]->at;
    return true;
}

void hf_due_wake(haft_client *client)
{
    if (!client->transport.set_timer || !client->transport.now || client->ending)
        return;
    client->dues.armed = hf_due_now(client);
    client->transport.set_timer(client->transport.context, client->dues.armed);
}

void hf_due_finish(haft_client *client)
{
    struct dues *dues = &client->dues;

    if (dues->heap)
        client->allocator->release(client->allocator->context, dues->heap,
                                   dues->capacity * sizeof *dues->heap);
    dues->heap = NULL;
}
