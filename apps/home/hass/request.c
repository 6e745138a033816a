/* request.c - requests to the REST API, for tools. */
#include <stdio.h>
#include <stdlib.h>

#include "hass/command.h"
#include "hass/reach.h"

/* ---- one request ---- */

/* A request and its answer: a thread waits for it, and the link has it; the last of the two frees it. */
struct exchange {
    struct hass *hass;
    unsigned users;
    bool done, maybe_done;
    int status;
    char *body, text[256], type[128];
    size_t size;
};

/* With the lock held. */
static void exchange_let_go(struct exchange *exchange)
{
    const haft_allocator *allocator = exchange->hass->allocator;

    if (--exchange->users)
        return;
    hass_release(allocator, exchange->body, exchange->size + 1);
    hass_release(allocator, exchange, sizeof *exchange);
}

static void exchange_done(void *who, const struct link_response *response)
{
    struct exchange *exchange = who;
    struct hass *hass = exchange->hass;
    char *body = hass_alloc(hass->allocator, response->size + 1);

    if (body && response->size)
        memcpy(body, response->body, response->size);
    if (body)
        body[response->size] = '\0';
    uv_mutex_lock(&hass->lock);
    exchange->status = body ? response->status : 0;
    exchange->body = body;
    exchange->size = response->size;
    exchange->maybe_done = body ? response->maybe_done : true;
    snprintf(exchange->text, sizeof exchange->text, "%s",
             !body            ? "out of memory"
             : response->text ? response->text
                              : "there was no answer");
    snprintf(exchange->type, sizeof exchange->type, "%s", response->type ? response->type : "");
    exchange->done = true;
    uv_cond_broadcast(&hass->moved);
    exchange_let_go(exchange);
    uv_mutex_unlock(&hass->lock);
}

/* Waits for it; the lock is held afterwards. */
static enum hass_woken exchange_wait(const struct hass_wait *wait, const struct exchange *exchange,
                                     void *handle)
{
    struct hass *hass = wait->hass;
    enum hass_woken woken = WOKEN_AGAIN;

    uv_mutex_lock(&hass->lock);
    while (!exchange->done && woken == WOKEN_AGAIN)
        woken = hass_wait_moment(wait, &hass->moved, UINT64_MAX);
    if (exchange->done)
        return WOKEN_AGAIN;
    if (handle) {
        uv_mutex_unlock(&hass->lock);
        hass->link.cancel(hass->link.context, handle);
        uv_mutex_lock(&hass->lock);
    }
    return woken;
}

/* Whether a request changes nothing. */
static bool exchange_reads(const char *method, const char *path)
{
    return !strcmp(method, "GET") || !strcmp(path, "/api/template") ||
           !strcmp(path, "/api/config/core/check_config");
}

/* With the lock held, which it gives up; copies the answer into the call's memory. */
static int exchange_take(const struct hass_wait *wait, struct exchange *exchange, bool reads,
                         enum hass_woken woken, struct hass_answer *ret_answer)
{
    haft_call *call = wait->call;
    bool done = exchange->done, maybe = exchange->maybe_done && !reads;
    char text[sizeof exchange->text];
    struct hass_answer answer = {.status = exchange->status, .size = exchange->size};

    snprintf(text, sizeof text, "%s", exchange->text);
    if (done && answer.status) {
        answer.type =
            haft_arena_copy(haft_call_arena(call), exchange->type, strlen(exchange->type));
        answer.body = haft_arena_copy(haft_call_arena(call), exchange->body, exchange->size);
    }
    exchange_let_go(exchange);
    uv_mutex_unlock(&wait->hass->lock);
    if (!done || (!answer.status && woken != WOKEN_AGAIN))
        return hass_fail_sent(wait, woken, reads ? NULL : "request");
    if (!answer.status)
        return hass_fail(call, "%s cannot be reached: %s%s.", wait->hass->name, text,
                         maybe ? " (it may have carried the request out)" : "");
    if (!answer.type || !answer.body)
        return hass_no_memory(call);
    *ret_answer = answer;
    return 0;
}

int hass_exchange(const struct hass_wait *wait, const char *method, const char *path,
                  const char *body, struct hass_answer *ret_answer)
{
    struct hass *hass = wait->hass;
    const haft_trace *trace = haft_call_trace(wait->call);
    struct link_request request = {.method = method,
                                   .path = path,
                                   .body = body,
                                   .traceparent = trace ? trace->traceparent : NULL};
    struct exchange *exchange = hass_alloc(hass->allocator, sizeof *exchange);
    enum hass_woken woken;
    uint64_t now = uv_hrtime();
    void *handle;

    if (!exchange)
        return hass_no_memory(wait->call);
    if (haft_call_cancelled(wait->call) || now >= wait->ends) {
        hass_release(hass->allocator, exchange, sizeof *exchange);
        return hass_fail_woken(wait, now >= wait->ends ? WOKEN_LATE : WOKEN_CANCELLED);
    }
    *exchange = (struct exchange){.hass = hass, .users = 2};
    request.within_ms = (int64_t)((wait->ends - now) / 1000000 + 1);
    handle = hass->link.request(hass->link.context, &request, exchange_done, exchange);
    woken = exchange_wait(wait, exchange, handle);
    return exchange_take(wait, exchange, exchange_reads(method, path), woken, ret_answer);
}

/* ---- for tools ---- */

int hass_fail_words(haft_call *call, const char *code, const char *message)
{
    const char *clean = hass_redact_text(call, message, strlen(message));

    if (!clean)
        return HAFT_EFAIL;
    return code && *code ? hass_fail(call, "%s: %s", code, clean) : hass_fail(call, "%s", clean);
}

/* The message of an error: that of JSON, or a short text. */
static int request_fail(haft_call *call, const struct hass_answer *answer, const char *method,
                        const char *path)
{
    enum { REQUEST_WORDS = 512 };
    yyjson_val *value = haft_json_read(answer->body, answer->size, 0, haft_call_arena(call), NULL);
    const char *message = yyjson_get_str(yyjson_obj_get(value, "message"));
    const char *text;

    if (!message)
        message = answer->size && answer->size <= REQUEST_WORDS && !value ? answer->body
                                                                          : "no reason was given";
    if (haft_utf8_valid(message, strlen(message)) != strlen(message))
        message = "no reason was given";
    text = haft_arena_printf(haft_call_arena(call), "Home Assistant answered %s %.*s with %d: %s",
                             method, (int)strcspn(path, "?"), path, answer->status, message);
    return text ? hass_fail_words(call, NULL, text) : hass_no_memory(call);
}

static bool request_accepts(const char *accepts, int status)
{
    while (accepts && *accepts) {
        char *end;

        if (strtol(accepts, &end, 10) == status)
            return true;
        accepts = end == accepts ? end + 1 : end;
    }
    return false;
}

/* Takes hidden entities out of the body, JSON or text. */
static int request_redact(const struct hass_wait *wait, const char *path,
                          struct hass_answer *answer)
{
    bool is_config = hass_is_config_path(path);
    haft_call *call = wait->call;
    haft_arena *arena = haft_call_arena(call);
    haft_buffer out;
    yyjson_val *value;
    const char *body;

    if (!wait->hass->entities || !strncmp(answer->type, "image/", 6))
        return 0;
    value = is_config || strstr(answer->type, "json")
                ? haft_json_read(answer->body, answer->size, 128, arena, NULL)
                : NULL;
    if (is_config && answer->status == 200 && !yyjson_is_obj(value))
        return hass_fail(call, "Home Assistant did not send a configuration.");
    if (!value) {
        body = hass_redact_text(call, answer->body, answer->size);
        answer->body = body;
        answer->size = body ? strlen(body) : 0;
        return body ? 0 : HAFT_EFAIL;
    }
    haft_buffer_init(&out, wait->hass->allocator, 64 << 20);
    if ((is_config && hass_redact_config(wait->hass, arena, value, &value)) ||
        hass_redact_value(wait->hass, arena, value, &value))
        out.status = HAFT_ENOMEM;
    haft_json_write(value, &out);
    answer->body = out.status ? NULL : haft_arena_copy(arena, out.data, out.size);
    answer->size = out.size;
    haft_buffer_finish(&out);
    return answer->body ? 0 : hass_no_memory(call);
}

int hass_request(haft_call *call, const char *method, const char *path, const char *body,
                 const char *accepts, struct hass_answer *ret_answer)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass_answer answer;
    int status = hass_reach_request(&wait, method, path, body);

    if (!status)
        status = hass_exchange(&wait, method, path, body, &answer);
    if (status)
        return status;
    if (answer.status == 401 && !request_accepts(accepts, 401) &&
        strncmp(path, "/api/hassio/", 12) != 0)
        return hass_fail(call, "%s refused the access token: 401: Unauthorized. Check HASS_TOKEN.",
                         wait.hass->name);
    if (answer.status >= 400 && !request_accepts(accepts, answer.status))
        return request_fail(call, &answer, method, path);
    status = request_redact(&wait, path, &answer);
    if (!status)
        *ret_answer = answer;
    return status;
}

int hass_json(haft_call *call, const struct hass_answer *answer, haft_value **ret_value)
{
    haft_reason reason;
    haft_value *value =
        haft_json_read(answer->body, answer->size, 128, haft_call_arena(call), &reason);

    if (!value)
        return hass_fail(call, "Home Assistant sent JSON that is not valid: %s.", reason.text);
    *ret_value = value;
    return 0;
}
