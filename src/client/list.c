/* list.c - lists of what a server offers.
 *
 * All pages of a list are fetched one after the other, up to a maximum, and combined.  The list is
 * kept for as long as the server permits, and until it reports a change. */
#include "client/client.h"

#include <stdio.h>
#include <string.h>

#include "client/shape.h"

static const struct {
    const char *method, *member;
    const struct shape *page, *entry;
} list_rows[LIST_KINDS] = {
    [HAFT_OFFER_TOOL] = {"tools/list", "tools", &hf_shape_tool_page, &hf_shape_tool},
    [HAFT_OFFER_RESOURCE] = {"resources/list", "resources", &hf_shape_resource_page,
                             &hf_shape_resource},
    [HAFT_OFFER_TEMPLATE] = {"resources/templates/list", "resourceTemplates",
                             &hf_shape_template_page, &hf_shape_template},
    [HAFT_OFFER_PROMPT] = {"prompts/list", "prompts", &hf_shape_prompt_page, &hf_shape_prompt},
};

const struct shape *hf_list_shape(const char *method)
{
    for (int i = 0; i < LIST_KINDS; i++)
        if (!strcmp(list_rows[i].method, method))
            return list_rows[i].page;
    return NULL;
}

static int list_next_page(haft_client *client, haft_offer kind, yyjson_val *cursor);

/* ---- the life of a list ---- */

void hf_lists_init(haft_client *client)
{
    for (int i = 0; i < LIST_KINDS; i++) {
        struct list *list = &client->lists.kinds[i];

        haft_buffer_init(&list->items, client->allocator, client->out.limit);
        haft_buffer_init(&list->cursors, client->allocator, client->out.limit);
        haft_buffer_init(&list->skipped, client->allocator, client->out.limit);
        haft_buffer_init(&list->places, client->allocator, client->out.limit);
    }
}

static void list_clear(haft_client *client, struct list *list)
{
    hf_document_drop(client, list->document);
    hf_document_drop(client, list->last);
    list->document = list->last = NULL;
    list->entries = list->message = NULL;
    list->fresh = list->unfetched = false;
}

void hf_list_changed(haft_client *client, haft_offer kind)
{
    struct list *list = &client->lists.kinds[kind];

    list->fresh = list->asked = list->unfetched = false;
    if (kind == HAFT_OFFER_TOOL)
        hf_tools_forget(client);
}

void hf_lists_finish(haft_client *client)
{
    hf_tools_forget(client);
    for (int i = 0; i < LIST_KINDS; i++) {
        struct list *list = &client->lists.kinds[i];

        list_clear(client, list);
        haft_buffer_finish(&list->items);
        haft_buffer_finish(&list->cursors);
        haft_buffer_finish(&list->skipped);
        haft_buffer_finish(&list->places);
        hf_list_waits_finish(client, list);
    }
}

/* ---- pages ---- */

static haft_offer list_kind(const haft_client *client, const struct list *list)
{
    return (haft_offer)(list - client->lists.kinds);
}

static void list_end(struct list *list)
{
    list->running = false;
    list->unfetched = list->wanted;
    list->wanted = false;
}

static void list_fail(haft_client *client, struct list *list, int status, const char *text)
{
    list_end(list);
    list->status = status;
    list->http_status = client->http_status;
    snprintf(list->error, sizeof list->error, "%s", text);
    if (list_kind(client, list) == HAFT_OFFER_TOOL)
        hf_request_tools_known(client);
}

/* How long the list may be kept: the shortest time of its pages. */
static void list_keep(haft_client *client, struct list *list, yyjson_val *value)
{
    yyjson_val *ttl = yyjson_obj_get(value, "ttlMs");
    haft_time until;

    if (client->options.no_cache || !yyjson_is_uint(ttl) || !yyjson_get_uint(ttl) ||
        !hf_due_has_time(client)) {
        list->fresh = false;
        return;
    }
    until = hf_due_now(client) + (haft_time)(yyjson_get_uint(ttl) & INT64_MAX >> 1);
    if (list->pages == 1 || until < list->until)
        list->until = until;
}

/* Why an entry is left out; NULL if it is not. */
static const char *list_fault(const haft_client *client, haft_offer kind, yyjson_val *entry,
                              haft_reason *reason)
{
    if (client->lists.lenient && hf_shape_check(list_rows[kind].entry, entry, "", reason)) {
        if (*reason->path)
            snprintf(reason->text, sizeof reason->text, "malformed member %.100s", reason->path);
        return reason->text;
    }
    return kind == HAFT_OFFER_TOOL ? hf_tool_fault(client, entry) : NULL;
}

/* Adds the entries of a page; tools that cannot be called are left out. */
static void list_add(haft_client *client, struct list *list, yyjson_val *entries)
{
    haft_offer kind = list_kind(client, list);
    struct json_writer w = {.out = &list->items, .depth = 1, .comma = list->items.size > 1};
    size_t i, n;
    yyjson_val *one;

    yyjson_arr_foreach(entries, i, n, one) {
        haft_reason reason;
        const char *fault = list_fault(client, kind, one, &reason);
        yyjson_val *name = rpc_string(one, "name");

        if (!fault) {
            hf_json_value(&w, one);
            continue;
        }
        haft_buffer_add(&list->places, &list->skipped.size, sizeof list->skipped.size);
        haft_buffer_puts(&list->skipped, name ? yyjson_get_str(name) : "");
        haft_buffer_add(&list->skipped, "", 1);
        haft_buffer_puts(&list->skipped, fault);
        haft_buffer_add(&list->skipped, "", 1);
    }
}

static int list_complete(haft_client *client, struct list *list)
{
    struct document *document;

    haft_buffer_add(&list->items, "]", 1);
    if (list->items.status || list->skipped.status || list->places.status)
        return list->items.status     ? list->items.status
               : list->skipped.status ? list->skipped.status
                                      : list->places.status;
    document = hf_document_read(client, list->items.data, list->items.size);
    hf_buffer_trim(&list->items, 0);
    if (!document || !document->root) {
        hf_document_drop(client, document);
        return HAFT_ENOMEM;
    }
    list->document = document;
    list->entries = document->root;
    return 0;
}

static void list_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct list *list = context;
    haft_offer kind = list_kind(client, list);
    yyjson_val *cursor;

    if (client->ending)
        return;
    if (status) {
        char text[sizeof list->error];

        snprintf(text, sizeof text, "%.250s", client->error);
        list_fail(client, list, status, text);
        return;
    }
    hf_document_drop(client, list->last);
    list->last = hf_document_keep(client->documents.current);
    list->value = result->value;
    if (!result->value) {
        list->message = client->documents.message;
        list_fail(client, list, 0, result->text);
        return;
    }
    list->pages++;
    list_keep(client, list, result->value);
    list_add(client, list, yyjson_obj_get(result->value, list_rows[kind].member));
    cursor = rpc_string(result->value, "nextCursor");
    if (cursor)
        status = list_next_page(client, kind, cursor);
    else
        status = list_complete(client, list);
    if (!status && !cursor && kind == HAFT_OFFER_TOOL)
        status = hf_tools_learn(client, list->document, list->entries);
    if (status)
        list_fail(client, list, status,
                  status == HAFT_EPROTOCOL ? client->error : haft_strerror(status));
    else if (!cursor) {
        list_end(list);
        list->status = 0;
        if (kind == HAFT_OFFER_TOOL)
            hf_request_tools_known(client);
    }
}

/* Whether the cursor has been used before; remembers it. */
static bool list_repeats(struct list *list, yyjson_val *cursor)
{
    uint64_t hash = hf_hash_bytes(yyjson_get_str(cursor), yyjson_get_len(cursor)), old;

    for (size_t at = 0; at < list->cursors.size; at += sizeof old) {
        memcpy(&old, list->cursors.data + at, sizeof old);
        if (old == hash)
            return true;
    }
    haft_buffer_add(&list->cursors, &hash, sizeof hash);
    return false;
}

static int list_next_page(haft_client *client, haft_offer kind, yyjson_val *cursor)
{
    struct list *list = &client->lists.kinds[kind];
    haft_buffer *params = &client->params;
    struct json_writer w = {.out = params};
    int64_t id;

    if (cursor && (list->pages >= client->options.max_pages || list_repeats(list, cursor))) {
        bool many = list->pages >= client->options.max_pages;

        hf_client_explain(client, 0,
                          many ? "%s: the list has more than %u pages"
                               : "%s: the server repeats a cursor after %u pages",
                          list_rows[kind].method, list->pages);
        return HAFT_EPROTOCOL;
    }
    haft_buffer_clear(params);
    hf_json_begin_object(&w);
    if (cursor)
        hf_json_value(json_key(&w, "cursor"), cursor);
    hf_json_end_object(&w);
    haft_buffer_add(params, "", 1);
    if (params->status || list->cursors.status)
        return params->status ? params->status : list->cursors.status;
    id = hf_request_begin(client,
                          HAFT_WITH(haft_client_exchange, .method = list_rows[kind].method,
                                    .params = params->data, .done = list_done, .context = list),
                          REQUEST_URGENT);
    return id > 0 ? 0 : (int)id;
}

int hf_list_begin(haft_client *client, haft_offer kind)
{
    struct list *list = &client->lists.kinds[kind];
    int status;

    if (list->running)
        return 0;
    list_clear(client, list);
    list->pages = 0;
    list->status = 0;
    list->fresh = true; /* unless a page or the server says otherwise */
    haft_buffer_clear(&list->cursors);
    haft_buffer_clear(&list->skipped);
    haft_buffer_clear(&list->places);
    haft_buffer_clear(&list->items);
    haft_buffer_add(&list->items, "[", 1);
    list->running = true;
    status = list_next_page(client, kind, NULL);
    if (status)
        list->running = false;
    return status;
}

/* ---- the program's functions ---- */

const char *hf_list_skipped(const haft_client *client, yyjson_val *name)
{
    const haft_buffer *skipped = &client->lists.kinds[HAFT_OFFER_TOOL].skipped;
    size_t at = 0;

    while (at < skipped->size) {
        const char *one = skipped->data + at, *why = one + strlen(one) + 1;

        if (yyjson_equals_str(name, one))
            return why;
        at += strlen(one) + strlen(why) + 2;
    }
    return NULL;
}

const char *haft_client_skipped(const haft_client *client, size_t index, const char **ret_tool)
{
    const struct list *list;
    const char *name;
    size_t at;

    if (!client)
        return NULL;
    list = &client->lists.kinds[HAFT_OFFER_TOOL];
    if (index >= list->places.size / sizeof at)
        return NULL;
    memcpy(&at, list->places.data + index * sizeof at, sizeof at);
    name = list->skipped.data + at;
    if (ret_tool)
        *ret_tool = name;
    return name + strlen(name) + 1;
}

bool hf_list_is_fresh(haft_client *client, const struct list *list)
{
    return list->fresh && list->entries && hf_due_now(client) < list->until;
}

int hf_list_check_kind(haft_client *client, const char *function, haft_offer kind)
{
    if ((unsigned)kind < LIST_KINDS)
        return 0;
    hf_client_explain(client, 0, "%s: unknown kind %d", function, (int)kind);
    return HAFT_EINVAL;
}

int hf_list_read(haft_client *client, struct list *list, haft_result *ret_result,
                 struct document **ret_document)
{
    struct document *document = list->message ? list->last : list->document;
    int status = 0;

    *ret_document = NULL;
    if (list->status) {
        hf_client_explain(client, list->http_status, "%s", list->error);
        return list->status;
    }
    if (list->message) {
        status = hf_result_read(document, list->message, ret_result);
        hf_client_explain(client, 0, "%s (%d)", ret_result->text, ret_result->error_code);
    } else {
        *ret_result = (haft_result){.error_message = "", .text = ""};
        ret_result->content = list->entries;
        ret_result->value = list->value;
    }
    *ret_document = hf_document_keep(document);
    return status;
}

int hf_list_result(haft_client *client, struct list *list, haft_result *ret_result)
{
    struct document *document;
    int status = hf_list_read(client, list, ret_result, &document);

    list->unfetched = false;
    if (!document)
        return status;
    hf_document_drop(client, client->results);
    client->results = document;
    return status;
}

/* ---- callbacks: those that wait for the same list share it ---- */

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
