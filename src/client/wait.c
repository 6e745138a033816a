/* wait.c - functions that wait: they begin a request, and let the transport work until it has
 * ended.
 *
 * In a callback they do not wait: the transport is already working.  Nor do they wait without a
 * limit while the program has a question to answer, which it can do only after they have returned. */
#include "client/client.h"

#include "base/struct.h"
#include "client/task.h"

enum { WAIT_SLICE = 1000 };

haft_time hf_client_let_pass(haft_client *client, unsigned milliseconds)
{
    haft_time now;

    client->waiting = true;
    now = client->transport.wait(client->transport.context, milliseconds);
    client->waiting = false;
    if (!client->ending && client->transport.now)
        hf_due_run(client, now);
    if (!client->ending)
        hf_client_pump(client);
    return now;
}

/* How long the transport may wait at once. */
static unsigned wait_slice(const haft_client *client, haft_time now, haft_time end, bool limited)
{
    haft_time slice = limited ? end - now : WAIT_SLICE, next;

    if (hf_due_next(client, &next) && next - now < slice)
        slice = next > now ? next - now : 0;
    return slice > WAIT_SLICE && !client->session ? WAIT_SLICE : (unsigned)slice;
}

static bool wait_can(const haft_client *client)
{
    return client->transport.wait && !client->busy && !client->waiting;
}

bool hf_client_wait_for(haft_client *client, bool (*is_done)(const haft_client *, const void *),
                        const void *context, unsigned milliseconds, bool limited)
{
    unsigned open = client->questions.open;
    haft_time now, end;

    hf_client_pump(client);
    if (client->ending || is_done(client, context) || !wait_can(client))
        return !client->ending && is_done(client, context);
    now = hf_client_let_pass(client, 0);
    end = now + milliseconds;
    while (!client->ending && !is_done(client, context) &&
           (now < end || !(limited || client->questions.open)) &&
           (limited || client->questions.open <= open))
        now = hf_client_let_pass(client, wait_slice(client, now, end, limited));
    return !client->ending && is_done(client, context);
}

/* ---- a request ---- */

static bool wait_is_over(const haft_client *client, const void *context)
{
    const int64_t *id = context;
    const struct client_request *request = hf_request_find(client, *id);

    return !request || (request->state == REQUEST_ENDED && !request->done);
}

static int wait_unknown(haft_client *client, int64_t id)
{
    hf_client_explain(client, 0, "no request with the id %lld is waiting", (long long)id);
    return HAFT_ENOTFOUND;
}

/* Waits for a request.  Without a limit it waits until the request's own deadline. */
static int wait_request(haft_client *client, int64_t id, unsigned milliseconds, bool limited,
                        haft_result *ret_result)
{
    struct client_request *request;
    int status = HAFT_ECLOSED;

    hf_client_enter(client);
    hf_client_wait_for(client, wait_is_over, &id, milliseconds, limited);
    if (!client->ending) {
        request = hf_request_find(client, id);
        if (!request)
            status = client->closed ? HAFT_ECLOSED : wait_unknown(client, id);
        else if (request->state != REQUEST_ENDED || request->done) {
            hf_client_explain(client, 0, "request %lld has not been answered yet", (long long)id);
            status = HAFT_PENDING;
        } else {
            hf_document_drop(client, client->results);
            status = hf_request_take(client, request, ret_result, &client->results);
        }
    }
    hf_client_leave(client);
    return status;
}

int haft_client_wait(haft_client *client, int64_t id, unsigned milliseconds,
                     haft_result *ret_result)
{
    int status = hf_client_needs(client, "haft_client_wait", ret_result ? NULL : "ret_result");

    return status ? status : wait_request(client, id, milliseconds, true, ret_result);
}

/* Explains why a request could not begin, unless that has been done. */
static void wait_explain(haft_client *client, const haft_client_exchange *exchange, int status,
                         unsigned before)
{
    const char *json = exchange->tool ? exchange->arguments : exchange->params;
    const char *subject = exchange->tool     ? exchange->tool
                          : exchange->method ? exchange->method
                                             : "tasks/get";

    if (status == HAFT_EINVAL && json &&
        hf_client_refuse_json(client, subject, exchange->tool ? "arguments" : "parameters", json))
        return;
    if (client->explained == before && !(status == HAFT_ECLOSED && *client->error))
        hf_client_explain(client, 0, "%.100s: %s", subject,
                          status == HAFT_EINVAL ? "its name is not valid UTF-8"
                                                : haft_strerror(status));
}

/* Sends a request of the program, or with parameters that haft has written (request.h). */
static int64_t wait_begin(haft_client *client, const haft_client_exchange *exchange,
                          struct client_written written)
{
    struct document *former = client->results; /* the exchange may point into it */
    unsigned explained = client->explained;
    int64_t id;

    hf_client_enter(client);
    client->results = NULL;
    id = exchange->task ? hf_client_task_await(client, exchange)
                        : hf_request_begin_written(client, exchange, 0, written);
    if (id < 0)
        wait_explain(client, exchange, (int)id, explained);
    hf_document_drop(client, former);
    if (id > 0)
        client->requests.latest = id;
    if (!exchange->done)
        hf_client_pump(client);
    else if (client->requests.first_ended)
        hf_due_wake(client);
    if (!hf_client_leave(client))
        return HAFT_ECLOSED;
    return id;
}

int64_t haft_client_begin(haft_client *client, const haft_client_exchange *exchange)
{
    haft_client_exchange own;
    int status = hf_client_needs(client, "haft_client_begin", exchange ? NULL : "exchange");

    if (status)
        return status;
    if (!hf_struct_read(&own, sizeof own, exchange)) {
        hf_client_explain(client, 0, "haft_client_exchange: %s", STRUCT_UNSIZED);
        return HAFT_EINVAL;
    }
    if (!!own.tool + !!own.method + !!own.task != 1) {
        hf_client_explain(client, 0,
                          "haft_client_begin: exactly one of tool, method and task must be set");
        return HAFT_EINVAL;
    }
    if (own.task && hf_client_task_check(client, "haft_client_begin", own.task))
        return HAFT_EINVAL;
    return wait_begin(client, &own, (struct client_written){0, 0});
}

int64_t hf_client_begin_written(haft_client *client, const haft_client_exchange *exchange,
                                struct client_written written)
{
    return wait_begin(client, exchange, written);
}

int64_t haft_client_send(haft_client *client, const char *method, const char *params)
{
    int status = hf_client_needs(client, "haft_client_send", method ? NULL : "method");

    if (status)
        return status;
    return wait_begin(client, HAFT_WITH(haft_client_exchange, .method = method, .params = params),
                      (struct client_written){0, 0});
}

int64_t haft_client_latest(const haft_client *client)
{
    return client ? client->requests.latest : HAFT_EINVAL;
}

int hf_client_exchange(haft_client *client, const haft_client_exchange *exchange,
                       haft_result *ret_result)
{
    unsigned timeout_ms = client->options.timeout_ms;
    int64_t id = wait_begin(client, exchange, (struct client_written){0, 0});

    if (id < 0)
        return (int)id;
    return wait_request(client, id, timeout_ms, !timeout_ms || !hf_due_has_time(client),
                        ret_result);
}

int haft_client_request(haft_client *client, const char *method, const char *params,
                        haft_result *ret_result)
{
    int status = hf_client_needs(client, "haft_client_request",
                                 !method       ? "method"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    if (status)
        return status;
    return hf_client_exchange(
        client, HAFT_WITH(haft_client_exchange, .method = method, .params = params), ret_result);
}

int haft_client_notify(haft_client *client, const char *method, const char *params)
{
    int status = hf_client_needs(client, "haft_client_notify", method ? NULL : "method");
    yyjson_val *value;
    unsigned explained;

    if (status)
        return status;
    explained = client->explained;
    hf_client_enter(client);
    haft_arena_reset(client->scratch);
    value = hf_outgoing_params(client, params, &status);
    if (!status)
        status = hf_outgoing_notification(client, method, params ? value : NULL);
    if (status)
        wait_explain(client, HAFT_WITH(haft_client_exchange, .method = method, .params = params),
                     status, explained);
    hf_client_pump(client);
    hf_client_leave(client);
    return status;
}

int haft_client_cancel(haft_client *client, int64_t id)
{
    struct client_request *request = client ? hf_request_find(client, id) : NULL;
    int status;

    if (!client)
        return HAFT_EINVAL;
    if (!request || (request->state == REQUEST_ENDED && request->done))
        return wait_unknown(client, id);
    hf_client_enter(client);
    if (request->state == REQUEST_ENDED) {
        status = 0;
        hf_request_forget(client, request);
    } else {
        bool reported = request->done;

        status = hf_request_cancel(client, request, HAFT_ECANCELLED, "cancelled");
        if (!reported)
            hf_request_forget(client, request);
    }
    hf_client_pump(client);
    hf_client_leave(client);
    return status;
}

/* ---- anything ---- */

static bool wait_never(const haft_client *client, const void *context)
{
    (void)context;
    return client->closed;
}

int haft_client_run(haft_client *client, unsigned milliseconds)
{
    int status = 0;

    if (!client)
        return HAFT_EINVAL;
    hf_client_enter(client);
    hf_client_wait_for(client, wait_never, NULL, milliseconds, true);
    status = client->ending || client->closed ? HAFT_ECLOSED : wait_can(client) ? 0 : HAFT_PENDING;
    hf_client_leave(client);
    return status;
}
