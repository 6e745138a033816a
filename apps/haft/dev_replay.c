/* dev_replay.c - one server goes, and another takes its place. */
#include <string.h>

#include "dev_request.h"
#include "json/writer.h"
#include "protocol/meta.h"

/* Ids of requests that the client did not send. */
static const char dev_own_prefix[] = "haft-dev-own-";
static const char dev_handshake_id[] = "haft-dev-own-handshake";

enum { DEV_NOTICE_LIMIT = 2 << 20 };

/* Lists that a server may have, and how a change of one is announced. */
static const struct {
    const char *capability, *method, *filter;
} dev_lists[] = {
    {"tools", "notifications/tools/list_changed", "toolsListChanged"},
    {"resources", "notifications/resources/list_changed", "resourcesListChanged"},
    {"prompts", "notifications/prompts/list_changed", "promptsListChanged"},
};

enum { DEV_LISTS = sizeof dev_lists / sizeof *dev_lists };

unsigned dev_lists_of(yyjson_val *result)
{
    yyjson_val *capabilities = rpc_object(result, "capabilities");
    unsigned lists = 0;

    for (unsigned i = 0; i < DEV_LISTS; i++)
        if (rpc_object(capabilities, dev_lists[i].capability))
            lists |= 1u << i;
    return lists;
}

bool dev_session_is_own(yyjson_val *id, bool *ret_handshake)
{
    const char *text = yyjson_get_str(id);

    *ret_handshake = text && !strcmp(text, dev_handshake_id);
    return text && !strncmp(text, dev_own_prefix, sizeof dev_own_prefix - 1);
}

/* ---- the end of a server ---- */

static void dev_fail_requests(struct dev_session *session, const char *reason, bool restarting)
{
    struct dev_request *all = session->requests;

    session->requests = NULL;
    session->n_requests = 0;
    while (all) {
        struct dev_request *request = all;
        bool listens = request->kind && request->kind->role == DEV_LISTEN;
        bool greets = request->kind && request->kind->role == DEV_INITIALIZE;

        all = request->next;
        if (listens || (greets && restarting)) {
            request->next = session->requests;
            session->requests = request;
            session->n_requests++;
        } else {
            dev_request_fail(session, request, reason);
        }
    }
}

/* Cancels the requests to the client: the server that sent them is gone. */
static void dev_cancel_asked(struct dev_session *session)
{
    haft_buffer text;
    struct json_writer w;

    while (session->asked) {
        struct dev_request *asked = session->asked;

        session->asked = asked->next;
        haft_buffer_init(&text, NULL, DEV_NOTICE_LIMIT);
        w = (struct json_writer){.out = &text};
        hf_rpc_begin_notification(&w, "notifications/cancelled");
        hf_json_begin_object(json_key(&w, "params"));
        hf_json_raw(json_key(&w, "requestId"), dev_request_shown(asked),
                    strlen(dev_request_shown(asked)));
        hf_json_text(json_key(&w, "reason"), "the server ended");
        hf_json_end_object(&w);
        hf_json_end_object(&w);
        if (!text.status)
            session->out.to_client(session->out.context, text.data, text.size);
        haft_buffer_finish(&text);
        dev_request_free(asked);
    }
    session->n_asked = 0;
}

void dev_session_lost(struct dev_session *session, const char *reason, bool restarting)
{
    dev_fail_requests(session, reason, restarting);
    dev_cancel_asked(session);
}

/* ---- the start of another ---- */

/* Sends the server a request of the client's again, with an id whose answer stays here. */
static void dev_repeat(struct dev_session *session, const struct dev_request *request,
                       const char *id)
{
    char quoted[64];
    struct scan_member member;
    haft_buffer text;

    snprintf(quoted, sizeof quoted, "\"%s\"", id);
    haft_buffer_init(&text, NULL, DEV_MAX_LINE + sizeof quoted);
    if (scan_find(request->line, request->line_size, 0, "id", &member))
        scan_replace(&text, request->line, request->line_size, member.value, quoted,
                     strlen(quoted));
    if (text.status)
        session->out.note(session->out.context, "out of memory; %s was not repeated",
                          request->method);
    else
        session->out.to_server(session->out.context, text.data, text.size);
    haft_buffer_finish(&text);
}

static void dev_repeat_counted(struct dev_session *session, const struct dev_request *request)
{
    char id[48];

    snprintf(id, sizeof id, "%s%u", dev_own_prefix, ++session->n_repeated);
    dev_repeat(session, request, id);
}

/* Announces to a client with a handshake that every list may have changed. */
static void dev_announce(struct dev_session *session)
{
    haft_buffer text;

    for (unsigned i = 0; i < DEV_LISTS; i++) {
        struct json_writer w = {.out = &text};

        if (!(session->lists & 1u << i))
            continue;
        haft_buffer_init(&text, NULL, DEV_NOTICE_LIMIT);
        hf_rpc_begin_notification(&w, dev_lists[i].method);
        hf_json_end_object(&w);
        if (!text.status)
            session->out.to_client(session->out.context, text.data, text.size);
        haft_buffer_finish(&text);
    }
}

/* The same to a subscription of a client without one. */
static void dev_announce_to(struct dev_session *session, const struct dev_request *listen)
{
    yyjson_val *root = NULL, *filter;
    const char *reason;
    size_t offset;
    haft_buffer text;

    hf_arena_trim(session->arena, 0);
    if (hf_json_parse(listen->line, listen->line_size, session->arena, &root, &offset, &reason))
        return;
    filter = rpc_object(rpc_object(root, "params"), "notifications");
    for (unsigned i = 0; i < DEV_LISTS; i++) {
        struct json_writer w = {.out = &text};

        if (!yyjson_is_true(yyjson_obj_get(filter, dev_lists[i].filter)))
            continue;
        haft_buffer_init(&text, NULL, DEV_NOTICE_LIMIT);
        hf_rpc_begin_notification(&w, dev_lists[i].method);
        hf_json_begin_object(json_key(&w, "params"));
        hf_json_begin_object(json_key(&w, "_meta"));
        hf_json_raw(json_key(&w, META_SUBSCRIPTION), listen->id, strlen(listen->id));
        hf_json_end_object(&w);
        hf_json_end_object(&w);
        hf_json_end_object(&w);
        if (!text.status)
            session->out.to_client(session->out.context, text.data, text.size);
        haft_buffer_finish(&text);
    }
}

/* Requests that outlive a server, as the client sent them. */
static void dev_resend(struct dev_session *session)
{
    for (struct dev_request *request = session->requests; request; request = request->next) {
        request->resent = true;
        session->out.to_server(session->out.context, request->line, request->line_size);
        if (request->kind->role == DEV_LISTEN)
            dev_announce_to(session, request);
    }
}

void dev_session_replaced(struct dev_session *session)
{
    session->generation++;
    session->refused = false;
    session->ready = !session->initialize;
    dev_resend(session);
    if (session->initialize)
        dev_repeat(session, session->initialize, dev_handshake_id);
}

void dev_session_greeted(struct dev_session *session, const struct rpc_message *rpc)
{
    if (session->ready)
        return;
    if (!rpc->result) {
        session->refused = true;
        return;
    }
    session->ready = true;
    session->lists |= dev_lists_of(rpc->result);
    if (!session->initialized.size)
        return;
    session->out.to_server(session->out.context, session->initialized.data,
                           session->initialized.size);
    if (session->level)
        dev_repeat_counted(session, session->level);
    for (const struct dev_request *each = session->subscriptions; each; each = each->next)
        dev_repeat_counted(session, each);
    dev_announce(session);
}
