/* call.c - the life of a call: taken from the spare ones, run here or elsewhere, answered once, put
 * back.
 *
 * A call that nobody waits for any more is never answered, but it lives until its handler is done
 * with it. */
#include "engine/event.h"

#include <stddef.h>
#include <string.h>

enum {
    SPARE_CALLS = 16,         /* of a session, */
    SPARE_ALL_BYTES = 1 << 20 /* and what they hold together */
};

/* ---- memory ---- */

static void call_free(haft_call *call)
{
    const haft_allocator *allocator = call->session->allocator;

    haft_buffer_finish(&call->content);
    haft_buffer_finish(&call->structured);
    haft_buffer_finish(&call->result_meta);
    haft_arena_free(call->arena);
    allocator->release(allocator->context, call, sizeof *call);
}

static haft_call *call_make(haft_session *session)
{
    const haft_allocator *allocator = session->allocator;
    haft_call *call = allocator->alloc(allocator->context, sizeof *call);
    size_t limit = session->server->options.max_message;

    if (!call)
        return NULL;
    memset(call, 0, sizeof *call);
    call->session = session;
    call->server = session->server;
    call->arena = haft_arena_new(allocator, CALL_ARENA);
    if (!call->arena) {
        allocator->release(allocator->context, call, sizeof *call);
        return NULL;
    }
    haft_buffer_init(&call->content, allocator, limit);
    haft_buffer_init(&call->structured, allocator, limit);
    haft_buffer_init(&call->result_meta, allocator, limit);
    return call;
}

void call_clear_result(haft_call *call)
{
    haft_buffer_clear(&call->content);
    haft_buffer_clear(&call->structured);
    haft_buffer_clear(&call->result_meta);
    call->n_blocks = 0;
    call->is_error = false;
    call->checked = false;
    call->error_code = 0;
    call->error_message = call->error_data = NULL;
    call->role = call->description = NULL;
    call->n_values = 0;
}

haft_call *call_new(haft_session *session)
{
    haft_call *call = session->spare;

    if (!call)
        return call_make(session);
    session->spare = call->next;
    session->n_spare--;
    session->spare_bytes -= call->spare_bytes;
    call->next = NULL;
    return call;
}

void call_link(haft_call *call)
{
    haft_session *session = call->session;

    call->next = session->calls;
    call->previous = NULL;
    if (call->next)
        call->next->previous = call;
    session->calls = call;
    session->n_calls++;
    call->linked = true;
}

static void call_unlink(haft_call *call)
{
    haft_session *session = call->session;

    if (!call->linked)
        return;
    if (call->next)
        call->next->previous = call->previous;
    if (call->previous)
        call->previous->next = call->next;
    else
        session->calls = call->next;
    session->n_calls--;
    call->linked = false;
}

/* What is not going to be answered must not keep the others of its array waiting. */
static void leave_batch(haft_call *call)
{
    struct batch *batch = call->batch;

    if (!batch)
        return;
    call->batch = NULL;
    batch->left--;
    batch_send(call->session, batch);
}

/* Makes it one to be used again, with what it holds; false when there are enough of those. */
static bool keep_spare(haft_call *call)
{
    haft_session *session = call->session;
    size_t bytes;

    if (session->closed || session->n_spare >= SPARE_CALLS)
        return false;
    arena_trim(call->arena, SPARE_BYTES);
    buffer_trim(&call->content, SPARE_BYTES);
    buffer_trim(&call->structured, SPARE_BYTES);
    buffer_trim(&call->result_meta, SPARE_BYTES);
    bytes = arena_held(call->arena) + call->content.capacity + call->structured.capacity +
            call->result_meta.capacity;
    if (bytes > SPARE_ALL_BYTES - session->spare_bytes)
        return false;
    memset((char *)call + offsetof(haft_call, previous), 0,
           sizeof *call - offsetof(haft_call, previous));
    call->spare_bytes = bytes;
    call->next = session->spare;
    session->spare = call;
    session->n_spare++;
    session->spare_bytes += bytes;
    return true;
}

void call_release(haft_call *call)
{
    if (call->held) {
        call->let_go = true;
        return;
    }
    leave_batch(call);
    call_unlink(call);
    catalogue_drop(call->catalogue);
    straight_release(call);
    if (!keep_spare(call))
        call_free(call);
}

void call_free_spare(haft_session *session)
{
    while (session->spare) {
        haft_call *call = session->spare;

        session->spare = call->next;
        session->n_spare--;
        session->spare_bytes -= call->spare_bytes;
        call_free(call);
    }
}

/* ---- running ---- */

static int run_isolated(haft_call *call)
{
    struct isolation *isolation = atomic_load(&call->server->isolation);

    if (isolation)
        return isolation->run(isolation, call);
    haft_log(call, HAFT_ERROR, "is isolated, and nothing has been started for that: haft_isolate");
    return HAFT_EINVAL;
}

/* Tells whoever counts that the call waits for a thread or its turn, or no longer. */
static void set_queued(haft_call *call, bool queued)
{
    if (call->queued == queued)
        return;
    call->queued = queued;
    if (call->server->observer)
        call->server->observer->queued(call, queued);
}

void haft_call_run(haft_call *call)
{
    bool isolated = call->item && call->item->isolate;

    set_queued(call, false);
    call->status = isolated ? run_isolated(call) : call->execute(call);
}

/* Gives the call's own answer. */
static void call_answer(haft_call *call)
{
    if (call->error_code)
        respond_error(call, call->error_code, call->error_message, call->error_data);
    else
        call->complete(call);
}

/* How it ended, for the stages that a tool's call has passed. */
static haft_outcome outcome_of(haft_call *call)
{
    if (call->outcome)
        return call->outcome;
    if (atomic_load(&call->cancelled) || call->session->closed)
        return HAFT_OUTCOME_CANCELLED;
    if (!call->status && !call->checked)
        call->status = tool_check(call);
    if (call->status)
        return HAFT_OUTCOME_FAILED;
    return call->is_error ? HAFT_OUTCOME_ERROR : HAFT_OUTCOME_OK;
}

/* The call is over: it is answered unless nobody waits, and gone. */
static void call_end(haft_call *call)
{
    haft_session *session = call->session;

    if (call->item && call->item->tool)
        stages_after(call, outcome_of(call));
    if (!call->answered && !session->closed && !atomic_load(&call->cancelled)) {
        session_announce(session);
        call_answer(call);
    }
    event_of_end(call);
    call_release(call);
    session_collect(session);
}

void call_abandon(haft_call *call)
{
    call_end(call);
}

void call_give_up(haft_call *call)
{
    atomic_store(&call->cancelled, true);
    call->answered = true;
    leave_batch(call);
    if (!call->waiting && !call->lined)
        return;
    if (call->lined)
        cap_withdraw(call);
    set_queued(call, false);
    call->waiting = false;
    call_end(call);
}

void call_time_out(haft_call *call)
{
    bool pending = call->returned && call->status == HAFT_PENDING && !call->finished;

    haft_log(call, HAFT_WARNING, "timed out after %u ms%s", call->allowed_ms,
             pending ? "; its handler returned HAFT_PENDING, and nobody called haft_finish" : "");
    if (call->waiting)
        input_withdraw(call, "timed out");
    call->outcome = HAFT_OUTCOME_TIMED_OUT;
    if (call->item && call->item->tool)
        stages_after(call, call->outcome);
    respond_timeout(call, call->allowed_ms);
    event_of_end(call);
    call_give_up(call);
}

void call_allow(haft_call *call, unsigned milliseconds)
{
    const struct item *item = call->item;

    if (!milliseconds)
        milliseconds =
            item && item->timeout_ms ? item->timeout_ms : atomic_load(&call->server->timeout_ms);
    call->allowed_ms = milliseconds;
    call->deadline = call->session->now + milliseconds;
    call->now = call->session->now;
    if (call->parent && call->parent->deadline && call->parent->deadline < call->deadline)
        call->deadline = call->parent->deadline;
}

void haft_call_done(haft_call *call)
{
    if (call->done) {
        call->done(call);
        return;
    }
    set_queued(call, false);
    call->returned = true;
    if (call->status == HAFT_PENDING) {
        if (!call->finished)
            return;
        call->status = call->finish.status;
    }
    if (call->running)
        cap_leave(call);
    if (!call->answered && !call->session->closed && !atomic_load(&call->cancelled)) {
        if (call->status == HAFT_AGAIN) {
            input_ask(call);
            return;
        }
        if (call->status == CALL_LATE)
            call_time_out(call);
    }
    call_end(call);
}

int call_understand(haft_call *call, int status)
{
    if (!status || status == HAFT_PENDING || status == HAFT_AGAIN || status_is_known(status))
        return status;
    haft_log(call, HAFT_ERROR, "the handler returned %d, which is no status", status);
    return HAFT_EINVAL;
}

void call_finish(haft_call *call, int status)
{
    status = call_understand(call, status);
    call->finish.status = status;
    call->finished = true;
    if (!call->returned)
        return;
    call->status = status;
    haft_call_done(call);
}

void call_launch(haft_call *call)
{
    haft_session *session = call->session;
    bool here = !session->options.run || !call->item || call->item->quick;
    int status;

    call->returned = call->finished = false;
    if (here) {
        haft_call_run(call);
        haft_call_done(call);
        return;
    }
    set_queued(call, true);
    status = session->options.run(session->options.context, call);
    if (!status)
        return;
    call->status = status;
    haft_call_done(call);
}

void call_start(haft_call *call)
{
    int status = call->item && call->item->cap ? cap_enter(call) : 1;

    if (status > 0) {
        call_launch(call);
    } else if (!status) {
        set_queued(call, true);
    } else {
        call->status = status;
        haft_call_done(call);
    }
}

/* ---- for handlers ---- */

bool haft_cancelled(const haft_call *call)
{
    for (; call; call = call->parent)
        if (atomic_load(&((haft_call *)(uintptr_t)call)->cancelled))
            return true;
    return false;
}

haft_call *call_root(const haft_call *call)
{
    while (call->parent)
        call = call->parent;
    return (haft_call *)(uintptr_t)call;
}

int64_t haft_time_left(const haft_call *call)
{
    haft_time now = atomic_load(&call_root(call)->now);

    if (call->ends) {
        uint64_t clock = call->server->options.clock();

        return call->ends > clock ? (int64_t)((call->ends - clock) / 1000000) : 0;
    }
    if (!call->deadline)
        return -1;
    return call->deadline > now ? call->deadline - now : 0;
}

const char *haft_request_id(const haft_call *call)
{
    static const char none[] = "";
    const char *string = yyjson_get_str(call->id);
    size_t size = yyjson_get_len(call->id), room = string ? 6 * size + 1 : RPC_ID_NUMBER;
    char *text;

    if (!call->id || (string && !memchr(string, '\0', size)))
        return string ? string : none;
    text = haft_arena_alloc(call->arena, room);
    if (!text)
        return none;
    rpc_id_to_text(call->id, text, room);
    return text;
}

const char *haft_call_name(const haft_call *call)
{
    return call->item ? call->item->name : call->method;
}

void *haft_tool_data(const haft_call *call)
{
    return call->item ? call->item->data : NULL;
}

void *haft_server_data(const haft_call *call)
{
    return call->server->options.data;
}

void *haft_user_data(const haft_call *call)
{
    return call->user_data;
}

void haft_set_user_data(haft_call *call, void *data)
{
    call->user_data = data;
}

const char *haft_client_name(const haft_call *call)
{
    return call->client_name ? call->client_name : "";
}

const char *haft_client_version(const haft_call *call)
{
    return call->client_version ? call->client_version : "";
}

const char *haft_principal(const haft_call *call)
{
    return call->principal;
}

const char *haft_revision(const haft_call *call)
{
    return revision_row(call->revision)->name;
}

bool haft_client_can(const haft_call *call, const char *capability)
{
    yyjson_val *value = call->client_capabilities, *whole;

    while (value && *capability) {
        size_t size = strcspn(capability, ".");

        /* The names of extensions have dots in them. */
        whole = yyjson_obj_get(value, capability);
        if (whole)
            size = strlen(capability);
        value = whole ? whole : yyjson_obj_getn(value, capability, size);
        capability += size + (capability[size] == '.');
    }
    return value && !yyjson_is_null(value) && !yyjson_is_false(value);
}

haft_value *haft_request_meta(const haft_call *call)
{
    return call->meta;
}

haft_value *haft_arguments(const haft_call *call)
{
    return call_arguments((haft_call *)(uintptr_t)call);
}

void *haft_alloc(haft_call *call, size_t size)
{
    return haft_arena_alloc(call->arena, size);
}

char *haft_printf(haft_call *call, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = haft_arena_vprintf(call->arena, format, args);
    va_end(args);
    return text;
}

haft_arena *haft_call_arena(haft_call *call)
{
    return call->arena;
}

const char *haft_variable(const haft_call *call, const char *name)
{
    for (size_t i = 0; i + 1 < call->n_variables * 2; i += 2)
        if (!strcmp(call->variables[i].data, name))
            return call->variables[i + 1].data;
    return NULL;
}
