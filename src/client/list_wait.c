/* list_wait.c - lists whose result goes to a callback. Those who wait for the same list share it. */
#include "client/client.h"

struct list_wait {
    struct list_wait *next;
    haft_client_done *done;
    void *context;
};

static struct list_wait *list_wait_take(struct list *list)
{
    struct list_wait *wait = list->first_wait;

    if (!wait)
        return NULL;
    list->first_wait = wait->next;
    if (!list->first_wait)
        list->last_wait = NULL;
    return wait;
}

static void list_wait_free(const haft_client *client, struct list_wait *wait)
{
    client->allocator->release(client->allocator->context, wait, sizeof *wait);
}

void hf_list_waits_finish(haft_client *client, struct list *list)
{
    struct list_wait *wait;

    while ((wait = list_wait_take(list)))
        list_wait_free(client, wait);
}

bool hf_list_report(haft_client *client)
{
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        struct list *list = &client->lists.kinds[kind];
        struct list_wait *wait = list->running ? NULL : list_wait_take(list), own;
        struct document *document;
        haft_result result;
        int status;

        if (!wait)
            continue;
        own = *wait;
        list_wait_free(client, wait);
        status = hf_list_read(client, list, &result, &document);
        own.done(own.context, client, status, status ? NULL : &result);
        hf_document_drop(client, document);
        return true;
    }
    return false;
}

int haft_client_list_begin(haft_client *client, haft_offer kind, haft_client_done *done,
                           void *context)
{
    int status = hf_client_needs(client, "haft_client_list_begin", done ? NULL : "done");
    struct list_wait *wait;
    struct list *list;

    if (!status)
        status = hf_list_check_kind(client, "haft_client_list_begin", kind);
    if (status)
        return status;
    list = &client->lists.kinds[kind];
    wait = client->allocator->alloc(client->allocator->context, sizeof *wait);
    hf_client_enter(client);
    status = !wait ? HAFT_ENOMEM : client->closed ? HAFT_ECLOSED : 0;
    if (!status && !list->running && !hf_list_is_fresh(client, list))
        status = hf_list_begin(client, kind);
    if (status) {
        hf_client_explain(client, 0, "haft_client_list_begin: %s", haft_strerror(status));
        if (wait)
            list_wait_free(client, wait);
        hf_client_leave(client);
        return status;
    }
    *wait = (struct list_wait){.done = done, .context = context};
    if (list->last_wait)
        list->last_wait->next = wait;
    else
        list->first_wait = wait;
    list->last_wait = wait;
    if (!list->running) /* it is kept: the loop reports it */
        hf_due_wake(client);
    hf_client_leave(client);
    return 0;
}
