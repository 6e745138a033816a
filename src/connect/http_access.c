/* http_access.c - the authorizer of a server: headers before a request, a challenge after one. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "connect/http.h"
#include "protocol/http_status.h"

enum { ACCESS_CHALLENGES = 8 /* whatever the authorizer thinks */ };

/* A failure of this machine, such as a full disk, is not reported as a refusal by the server. */
static int access_status(int status)
{
    return status == HAFT_ENOMEM                          ? HAFT_ENOMEM
           : status == HAFT_EFAIL || status == HAFT_EBUSY ? HAFT_EFAIL
                                                          : HAFT_EDENIED;
}

/* The wait is over: the exchange is sent, or fails. */
static void access_on_done(struct authorizer_wait *wait, int status, const haft_reason *reason)
{
    struct http_exchange *exchange = wait->context;
    struct http_link *http = exchange->http;
    bool held = exchange->held;

    exchange->state = EXCHANGE_WAITING;
    exchange->due = 0;
    exchange->held = false;
    if (held && exchange->tag) {
        exchange->busy = true;
        hf_connect_link_held(&http->link, exchange->tag, false);
        exchange->busy = false;
    }
    if (exchange->dropped)
        hf_http_exchange_free(exchange);
    else if (status)
        hf_http_answer_fail(exchange, &(haft_failure){.status = access_status(status),
                                                      .http_status = exchange->answer.status,
                                                      .text = reason && *reason->text
                                                                  ? reason->text
                                                                  : haft_strerror(status)});
    else
        hf_http_exchange_again(exchange);
    hf_http_link_go_on(http);
}

/* The client learns from the loop that its request waits. */
static void access_wait(struct http_exchange *exchange)
{
    hf_http_exchange_wait(exchange, EXCHANGE_ACCESS, 0);
}

static void access_prepare(struct http_exchange *exchange)
{
    exchange->wait = (struct authorizer_wait){.done = access_on_done, .context = exchange};
}

int hf_http_access_headers(struct http_exchange *exchange)
{
    haft_authorizer *authorizer = exchange->http->authorizer;
    int status;

    exchange->n_access = 0;
    if (!authorizer)
        return 0;
    access_prepare(exchange);
    status = authorizer->class->headers(authorizer, hf_http_exchange_method(exchange),
                                        exchange->http->place.url, hf_http_exchange_url(exchange),
                                        exchange->arena, exchange->access, &exchange->n_access,
                                        &exchange->wait);
    if (status == HAFT_PENDING)
        access_wait(exchange);
    return status;
}

static const char *access_sent(const struct http_exchange *exchange)
{
    for (size_t i = 0; i < exchange->n_access; i++)
        if (!strcasecmp(exchange->access[i].name, "Authorization"))
            return exchange->access[i].value;
    return NULL;
}

bool hf_http_access_challenged(struct http_exchange *exchange)
{
    struct http_link *http = exchange->http;
    haft_authorizer *authorizer = http->authorizer;
    const struct authorizer_challenge challenge = {
        .url = http->place.url,
        .operation = exchange->operation ? exchange->operation : "",
        .status = exchange->answer.status,
        .fields = exchange->answer.fields,
        .n_fields = exchange->answer.n_fields,
        .sent = access_sent(exchange)};
    haft_reason reason = {0};
    int status;

    if (!authorizer || exchange->kind == EXCHANGE_DELETE || http->ending)
        return false;
    if (exchange->challenges++ == ACCESS_CHALLENGES) {
        status = hf_error_set(&reason, HAFT_EDENIED, "", "the server keeps asking for access");
    } else {
        access_prepare(exchange);
        status = authorizer->class->challenged(authorizer, &challenge, &exchange->wait, &reason);
    }
    if (!status)
        hf_http_exchange_again(exchange);
    else if (status == HAFT_PENDING)
        access_wait(exchange);
    else
        hf_http_answer_fail(
            exchange, &(haft_failure){.status = access_status(status),
                                      .http_status = challenge.status,
                                      .text = *reason.text ? reason.text : haft_strerror(status)});
    return true;
}

void hf_http_access_cancel(struct http_exchange *exchange)
{
    haft_authorizer *authorizer = exchange->http->authorizer;

    authorizer->class->cancel(authorizer, &exchange->wait);
}
