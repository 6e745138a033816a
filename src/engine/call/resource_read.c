/* resource_read.c - resources/read.
 *
 * A URI is first looked up among the resources and then matched against the templates in the order
 * in which they were added; the first match answers. */
#include "base/percent.h"
#include "engine/call/guard.h"
#include "engine/call/plain_call.h"
#include "engine/call/respond.h"
#include "engine/offer/uri_template.h"

/* ---- lookup ---- */

/* Whether rules permit a resource of a template. Clients must not pass them by other spellings. */
static int resource_read_permits(haft_call *call, const struct item *item, yyjson_val *uri)
{
    const char *forms[ACCESS_URI_FORMS];
    int status;

    if (!call_is_guarded(call))
        return 1;
    status = hf_access_uri_forms(call->arena, yyjson_get_str(uri), yyjson_get_len(uri), forms);
    if (status)
        return status;
    status = hf_guard_permits(call, item, forms[0]);
    return status > 0 ? hf_guard_permits(call, item, forms[1]) : status;
}

/* Searches the templates, and sets the variables of the first match. Returns 1, 0 or
 * HAFT_ENOMEM. */
static int resource_read_find_template(haft_call *call, yyjson_val *uri)
{
    const struct offer_list *offers = &call->catalogue->lists[HAFT_OFFER_TEMPLATE];
    struct address address;
    int status;

    if (!offers->n_enabled)
        return 0;
    status = hf_address_read(call->arena, yyjson_get_str(uri), yyjson_get_len(uri), &address);
    if (status)
        return status == HAFT_ENOMEM ? status : 0;
    for (size_t i = 0; i < offers->n; i++) {
        if (offers->entries[i].disabled)
            continue;
        status = hf_uri_template_match(offers->entries[i].item->uri_template, &address, call->arena,
                                       &call->handler.variables, &call->handler.n_variables);
        if (status > 0)
            status = resource_read_permits(call, offers->entries[i].item, uri);
        if (status > 0)
            call->item = offers->entries[i].item;
        if (status)
            return status;
    }
    return 0;
}

int hf_resource_look_up(haft_call *call, yyjson_val *uri)
{
    struct entry *entry = hf_offer_list_find(&call->catalogue->lists[HAFT_OFFER_RESOURCE],
                                             yyjson_get_str(uri), yyjson_get_len(uri));
    int status = entry && !entry->disabled ? hf_guard_permits(call, entry->item, NULL) : 0;

    if (!status)
        return resource_read_find_template(call, uri);
    if (status > 0)
        call->item = entry->item;
    return status;
}

/* ---- reading ---- */

static void resource_put_hints(struct json_writer *w, int64_t ttl, bool shared)
{
    hf_json_integer(json_key(w, "ttlMs"), ttl);
    hf_json_text(json_key(w, "cacheScope"), shared ? "public" : "private");
}

void hf_put_cache_hints(haft_call *call, struct json_writer *w)
{
    const haft_server_options *options = &call->server->options;
    const haft_resource *resource = call->item ? call->item->resource : NULL;
    int64_t ttl = resource && resource->ttl_ms ? resource->ttl_ms : options->ttl_ms;
    bool shared = resource && resource->cache_public ? resource->cache_public == HAFT_YES
                                                     : options->cache_public;

    if (!hf_revision_rows[call->revision].modern)
        return;
    /* What one client gets is not for others. */
    resource_put_hints(w, ttl > 0 ? ttl : 0, shared && !call_is_guarded(call));
}

/* The message is the handler's, or NULL. */
static void refuse_uri(haft_call *call, const char *message)
{
    yyjson_val *uri = rpc_string(call->request.params, "uri");
    const char *text = yyjson_get_str(uri);
    size_t size = yyjson_get_len(uri);

    if (!message)
        message = haft_arena_printf(call->arena, "Resource not found: %.*s",
                                    hf_quotable_size(text, size), text);
    hf_respond_error(call, hf_revision_rows[call->revision].not_found_code,
                     message ? message : "Resource not found",
                     hf_plain_call_data(call, "uri", text, size));
}

bool hf_resource_find(haft_call *call, yyjson_val *uri)
{
    int status = hf_resource_look_up(call, uri);

    if (status < 0)
        hf_respond_error(call, RPC_INTERNAL_ERROR, NULL, NULL);
    else if (!status)
        refuse_uri(call, NULL);
    return status > 0 && hf_guard_admits(call, "resource");
}

static int resource_read_execute(haft_call *call)
{
    return call->item->resource->read(call, call->handler.in);
}

/* Hosts take what an app needs from its contents. A handler that has set the block's `_meta` decides. */
static void resource_read_mark(haft_call *call)
{
    int status = haft_block_meta(call, call->item->resource->meta);

    if (status && status != HAFT_EINVAL)
        haft_log(call, HAFT_ERROR, "_meta.ui is missing: %s", haft_strerror(status));
}

static void resource_read_complete(haft_call *call)
{
    struct json_writer w;

    if (call->status == HAFT_ENOTFOUND) {
        refuse_uri(call, hf_call_error_text(call));
        return;
    }
    if (hf_plain_call_failed(call))
        return;
    if (call->item->resource->page)
        resource_read_mark(call);
    w = json_members(hf_respond_begin(call), false);
    hf_json_begin_array(json_key(&w, "contents"));
    hf_content_write(call, w.out);
    hf_json_end_array(&w);
    /* A result based on a user's answers must not be cached. */
    if (call->asking.questions && hf_revision_rows[call->revision].modern)
        resource_put_hints(&w, 0, false);
    else
        hf_put_cache_hints(call, &w);
    hf_respond_end(call, true, NULL);
}

void hf_handle_resource_read(haft_call *call)
{
    yyjson_val *uri = rpc_string(call->request.params, "uri");

    if (!uri) {
        hf_respond_error(call, RPC_INVALID_PARAMS, "Invalid params: \"uri\" must be a string",
                         NULL);
        return;
    }
    if (!hf_resource_find(call, uri))
        return;
    call->handler.in = yyjson_get_str(uri);
    if (hf_input_restore(call))
        hf_plain_call_start(call, resource_read_execute, resource_read_complete);
}
