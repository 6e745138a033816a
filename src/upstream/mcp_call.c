/* mcp_call.c - passes requests of clients to an MCP upstream, and its answers back.
 *
 * A handler posts its call to the outbound thread.  A call that has been sent is never sent again: if
 * the connection ends, the client learns that the call may have been executed. */
#include "upstream/mcp.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "client/client.h"
#include "engine/call/notify.h"
#include "engine/call/pass.h"

enum { MCP_SPARE = 64, MCP_EMPTY_ROUNDS = 16, MCP_LATE_MS = 1000 };

/* ---- memory ---- */

static struct mcp_call *mcp_call_new(struct mcp *mcp)
{
    const haft_allocator *allocator = mcp->upstream->set->allocator;
    struct mcp_call *one;

    uv_mutex_lock(&mcp->spare_lock);
    one = mcp->spare;
    if (one) {
        mcp->spare = one->next;
        mcp->n_spare--;
    }
    uv_mutex_unlock(&mcp->spare_lock);
    if (!one)
        one = allocator->alloc(allocator->context, sizeof *one);
    if (!one)
        return NULL;
    *one = (struct mcp_call){.mcp = mcp};
    atomic_init(&one->refs, 1);
    atomic_init(&one->cancelling, MCP_WANTED);
    mcp_hold(mcp);
    return one;
}

void hf_mcp_call_drop(struct mcp_call *one)
{
    struct mcp *mcp = one->mcp;
    const haft_allocator *allocator = mcp->upstream->set->allocator;
    bool kept;

    if (atomic_fetch_sub(&one->refs, 1) != 1)
        return;
    haft_buffer_finish(&one->outcome);
    uv_mutex_lock(&mcp->spare_lock);
    kept = mcp->n_spare < MCP_SPARE;
    if (kept) {
        one->next = mcp->spare;
        mcp->spare = one;
        mcp->n_spare++;
    }
    uv_mutex_unlock(&mcp->spare_lock);
    if (!kept)
        allocator->release(allocator->context, one, sizeof *one);
    mcp_let_go(mcp);
}

void hf_mcp_calls_free(struct mcp *mcp)
{
    const haft_allocator *allocator = mcp->upstream->set->allocator;

    while (mcp->spare) {
        struct mcp_call *one = mcp->spare;

        mcp->spare = one->next;
        allocator->release(allocator->context, one, sizeof *one);
    }
}

static void mcp_call_link(struct mcp_call *one, struct mcp_link *link)
{
    one->link = link;
    one->waits = true;
    LIST_APPEND(link->first, link->last, one, previous, next);
}

void hf_mcp_call_unlink(struct mcp_call *one)
{
    struct mcp_link *link = one->link;

    if (!link)
        return;
    LIST_REMOVE(link->first, link->last, one, previous, next);
    one->link = NULL;
    one->waits = false;
    if (link->draining && !link->first)
        hf_mcp_link_drained(link);
}

struct mcp_call *hf_mcp_call_of(const struct mcp_link *link, int64_t id)
{
    struct mcp_call *one = link->first;

    while (one && (!id || one->id != id))
        one = one->next;
    return one;
}

/* ---- ending ---- */

void hf_mcp_call_finish(struct mcp_call *one, int status)
{
    haft_call *call = one->call;

    one->call = NULL;
    hf_mcp_call_unlink(one);
    hf_mcp_question_drop(one);
    haft_finish(call, status);
    hf_mcp_call_drop(one);
}

/* Keeps the outcome for a client that is being asked. */
static void mcp_call_keep(struct mcp_call *one, int status, haft_value *result, const char *why)
{
    haft_buffer_init(&one->outcome, one->mcp->upstream->set->allocator,
                     (size_t)one->mcp->entry->max_message * 2);
    if (result)
        haft_json_write(result, &one->outcome);
    else
        haft_buffer_puts(&one->outcome, why);
    haft_buffer_add(&one->outcome, "", 1);
    one->ended = true;
    one->status = one->outcome.status ? one->outcome.status : status;
}

void hf_mcp_call_fail(struct mcp_call *one, int status, const char *why)
{
    haft_call *call = one->call;

    hf_mcp_call_unlink(one);
    if (!call) {
        mcp_call_keep(one, status, NULL, why);
        return;
    }
    if (status == HAFT_ECANCELLED || status == HAFT_ENOMEM) {
        hf_mcp_call_finish(one, status);
        return;
    }
    haft_log(call, HAFT_WARNING, "upstream %s: %s", one->mcp->upstream->name, why);
    if (status == HAFT_ETIMEOUT)
        haft_error(call, "The server \"%s\" did not answer in time.", one->mcp->upstream->name);
    else
        haft_error(call, "The server \"%s\" is not available: %s", one->mcp->upstream->name, why);
    hf_mcp_call_finish(one, one->method == MCP_TOOL ? 0 : HAFT_EFAIL);
}

/* A modern upstream that only wants the request again, with its state. */
static bool mcp_call_goes_on(struct mcp_call *one, haft_value *result)
{
    yyjson_val *state = yyjson_obj_get(result, "requestState");

    if (yyjson_obj_size(yyjson_obj_get(result, "inputRequests")) || !yyjson_is_str(state) ||
        ++one->n_asked > MCP_EMPTY_ROUNDS || hf_mcp_question_keep(one, result))
        return false;
    hf_mcp_call_send(one);
    return true;
}

/* Whether the request can end with questions: a call that was parked has no connection any more, and
 * was at a legacy upstream, whose results do not ask. */
static bool mcp_call_has_rounds(const struct mcp_call *one)
{
    return one->link && one->link->client && client_is_modern(one->link->client);
}

void hf_mcp_call_answer(struct mcp_call *one, haft_value *result)
{
    if (!one->call) {
        hf_mcp_call_unlink(one);
        mcp_call_keep(one, 0, result, NULL);
        return;
    }
    if (yyjson_equals_str(yyjson_obj_get(result, "resultType"), "input_required")) {
        if (!mcp_call_has_rounds(one))
            hf_mcp_call_fail(one, HAFT_EPROTOCOL,
                             "its result asks in a way that its revision does not have");
        else if (!mcp_call_goes_on(one, result))
            hf_mcp_call_finish(one, hf_mcp_question_round(one, result));
        return;
    }
    hf_mcp_call_finish(one, hf_pass_result(one->call, result));
}

static void mcp_call_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct mcp_call *one = context;
    struct mcp_link *link = one->link;
    char text[CLIENT_ERROR_TEXT];
    bool late;

    one->id = 0;
    if (status == HAFT_ECANCELLED || status == HAFT_ETIMEOUT)
        hf_mcp_question_left(one);
    if (one->abandoned) {
        hf_mcp_call_unlink(one);
        hf_mcp_question_drop(one);
        hf_mcp_call_drop(one);
        return;
    }
    if (!status && result->error_code) {
        hf_mcp_link_worked(link);
        if (one->call)
            hf_mcp_call_finish(one, hf_pass_error(one->call, result->error_code,
                                                  result->error_message, result->error_data));
        else
            hf_mcp_call_fail(one, HAFT_EFAIL, result->error_message);
        return;
    }
    if (!status) {
        hf_mcp_link_worked(link);
        hf_mcp_call_answer(one, result->value);
        return;
    }
    snprintf(text, sizeof text, "%s", haft_client_error(client, NULL));
    if (status == HAFT_ECANCELLED && !one->cancelled) { /* the connection is being closed */
        hf_mcp_call_fail(one, HAFT_ECLOSED, "the connection has ended");
        return;
    }
    if (one->late)
        snprintf(text, sizeof text, "calls have not been answered in time");
    late = one->late;
    hf_mcp_call_fail(one, status, text);
    hf_mcp_link_failed(link, late ? HAFT_ETIMEOUT : status, text);
}

/* ---- the request ---- */

/* What the client can be asked, for a modern upstream.  A legacy one has been told everything. */
static void mcp_call_put_capabilities(const haft_call *call, struct json_writer *w)
{
    static const char *const names[] = {"elicitation", "sampling", "roots"};

    hf_json_begin_object(json_key(w, META_CLIENT_CAPABILITIES));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        yyjson_val *value = yyjson_obj_get(call->client.capabilities, names[i]);

        if (value && (i || hf_revision_rows[call->revision].elicitation))
            hf_json_value(hf_json_name(w, names[i], strlen(names[i])), value);
    }
    hf_json_end_object(w);
}

/* The client's own `_meta` without members of the protocol, and its trace. Returns where its members
 * begin. */
static size_t mcp_call_put_meta(const haft_call *call, bool modern, struct json_writer *w)
{
    haft_value *meta = haft_request_meta(call);
    const haft_trace *trace = haft_call_trace(call);
    const char *level = hf_level_text(call->client.log_level);
    yyjson_val *key, *value;
    size_t i, n, begin;

    hf_json_begin_object(json_key(w, "_meta"));
    begin = w->out->size;
    if (meta)
        yyjson_obj_foreach(meta, i, n, key, value) {
            if (hf_meta_is_own(yyjson_get_str(key)))
                hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), value);
        }
    if (trace) {
        hf_json_text(json_key(w, META_TRACEPARENT), trace->traceparent);
        if (*trace->tracestate)
            hf_json_text(json_key(w, "tracestate"), trace->tracestate);
    }
    if (modern) {
        mcp_call_put_capabilities(call, w);
        if (level)
            hf_json_text(json_key(w, META_LOG_LEVEL), level);
    }
    hf_json_end_object(w);
    return begin;
}

static void mcp_call_put_completion(const struct mcp_call *one, struct json_writer *w)
{
    bool prompt = one->item->kind == HAFT_OFFER_PROMPT;
    yyjson_val *context = yyjson_obj_get(one->call->request.params, "context");

    hf_json_begin_object(json_key(w, "ref"));
    hf_json_text(json_key(w, "type"), prompt ? "ref/prompt" : "ref/resource");
    hf_json_text(prompt ? json_key(w, "name") : json_key(w, "uri"), one->item->name);
    hf_json_end_object(w);
    hf_json_begin_object(json_key(w, "argument"));
    hf_json_text(json_key(w, "name"), one->argument);
    hf_json_text(json_key(w, "value"), one->value);
    hf_json_end_object(w);
    if (context)
        hf_json_value(json_key(w, "context"), context);
}

/* Before the negotiation has ended nobody knows; older servers ignore what they do not know. */
static bool mcp_call_may_be_modern(const haft_client *client)
{
    return client->negotiation.phase != NEGOTIATE_READY || client_is_modern(client);
}

static int mcp_call_put_params(const struct mcp_call *one, haft_buffer *out,
                               struct client_written *ret_written)
{
    struct json_writer w = {.out = out};
    haft_value *arguments;

    haft_buffer_clear(out);
    hf_json_begin_object(&w);
    switch (one->method) {
    case MCP_TOOL:
    case MCP_PROMPT:
        arguments = haft_call_arguments(one->call);
        hf_json_text(json_key(&w, "name"), one->item->name);
        if (arguments && !yyjson_is_null(arguments))
            hf_json_value(json_key(&w, "arguments"), arguments);
        break;
    case MCP_READ:
        hf_json_text(json_key(&w, "uri"), one->argument);
        break;
    case MCP_COMPLETE:
        mcp_call_put_completion(one, &w);
        break;
    }
    hf_mcp_question_put(one, &w);
    ret_written->members = out->size;
    ret_written->meta = mcp_call_put_meta(one->call, mcp_call_may_be_modern(one->link->client), &w);
    hf_json_end_object(&w);
    haft_buffer_add(out, "", 1);
    return out->status;
}

static void mcp_call_progress(void *context, double progress, double total, const char *message)
{
    struct mcp_call *one = context;

    if (one->call)
        haft_progress(one->call, progress, total, *message ? "%s" : NULL, message);
}

void hf_mcp_call_send(struct mcp_call *one)
{
    static const char *const methods[] = {[MCP_TOOL] = "tools/call",
                                          [MCP_READ] = "resources/read",
                                          [MCP_PROMPT] = "prompts/get",
                                          [MCP_COMPLETE] = "completion/complete"};
    struct mcp *mcp = one->mcp;
    haft_client *client = one->link->client;
    int64_t left = haft_call_time_left(one->call), id;
    struct client_written written;
    int status = mcp_call_put_params(one, &mcp->params, &written);

    one->waits = false;
    if (status) {
        hf_mcp_call_fail(one, status, haft_strerror(status));
        return;
    }
    id = hf_client_begin_written(
        client,
        HAFT_WITH(haft_client_exchange, .method = methods[one->method], .params = mcp->params.data,
                  .timeout_ms = left < 0 ? 0 : (unsigned)left + MCP_LATE_MS, .done = mcp_call_done,
                  .progress = one->call->progress.token ? mcp_call_progress : NULL, .context = one),
        written);
    if (id > 0)
        one->id = id;
    else
        hf_mcp_call_fail(one, (int)id, haft_client_error(client, NULL));
}

/* ---- beginning and cancelling ---- */

static void mcp_call_begin(struct outbound_task *task)
{
    struct mcp_call *one = task->owner;
    struct mcp *mcp = one->mcp;
    struct mcp_link *link;

    /* After a reload, a call that was admitted before still gets a connection, which ends with it. */
    if (!mcp->upstream->started || (mcp->upstream->stopped && mcp->upstream->set->ending)) {
        hf_mcp_call_fail(one, HAFT_ECLOSED, "the upstream has been stopped");
        return;
    }
    if (haft_call_cancelled(one->call)) {
        hf_mcp_call_finish(one, HAFT_ECANCELLED);
        return;
    }
    if (hf_mcp_question_resume(one))
        return;
    link = hf_mcp_link_for(mcp, haft_call_principal(one->call));
    if (!link) {
        hf_mcp_call_fail(one, HAFT_EBUSY, "too many connections");
        return;
    }
    if (hf_mcp_link_is_open_circuit(link)) {
        hf_mcp_call_fail(one, HAFT_ECLOSED, link->failure.text);
        return;
    }
    mcp_call_link(one, link);
    if (link->client)
        hf_mcp_call_send(one);
    else if (link->state == MCP_IDLE)
        hf_mcp_link_open(link);
}

static void mcp_call_cancel(struct outbound_task *task)
{
    struct mcp_call *one = task->owner;

    one->cancelled = true;
    one->late = atomic_load(&one->cancelling) == MCP_LATE;
    if (one->parked)
        hf_mcp_parked_leave(one);
    else if (one->call && one->waits)
        hf_mcp_call_finish(one, HAFT_ECANCELLED);
    else if (one->id && one->link && one->link->client)
        haft_client_cancel(one->link->client, one->id);
    hf_mcp_call_drop(one);
}

void hf_mcp_call_cancelled(haft_call *call, void *context)
{
    struct mcp_call *one = context;
    int wanted = MCP_WANTED;
    bool late = call->stages.outcome == HAFT_OUTCOME_TIMED_OUT;

    if (!atomic_compare_exchange_strong(&one->cancelling, &wanted, late ? MCP_LATE : MCP_CANCELLED))
        return;
    atomic_fetch_add(&one->refs, 1);
    one->cancel = (struct outbound_task){.run = mcp_call_cancel, .owner = one};
    hf_outbound_post(&one->mcp->upstream->set->outbound, &one->cancel);
}

static int mcp_call_pass(haft_call *call, enum mcp_method method, const char *argument,
                         const char *value)
{
    const struct mcp_item *item = haft_tool_data(call);
    struct mcp_call *one = mcp_call_new(mcp_of(item->upstream));

    if (!one)
        return HAFT_ENOMEM;
    one->call = call;
    one->item = item;
    one->method = method;
    one->argument = argument;
    one->value = value;
    one->begin = (struct outbound_task){.run = mcp_call_begin, .owner = one};
    haft_call_on_cancel(call, hf_mcp_call_cancelled, one);
    hf_outbound_post(&item->upstream->set->outbound, &one->begin);
    return HAFT_PENDING;
}

int hf_mcp_call_tool(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return mcp_call_pass(call, MCP_TOOL, NULL, NULL);
}

int hf_mcp_read(haft_call *call, const char *uri)
{
    return mcp_call_pass(call, MCP_READ, uri, NULL);
}

int hf_mcp_get(haft_call *call, const void *arguments)
{
    (void)arguments;
    return mcp_call_pass(call, MCP_PROMPT, NULL, NULL);
}

int hf_mcp_complete(haft_call *call, const char *argument, const char *value)
{
    return mcp_call_pass(call, MCP_COMPLETE, argument, value);
}
