/* http_token.c - access tokens of OAuth client credentials (RFC 6749, 4.4): fetched when they are needed,
 * kept until shortly before they expire. */
#include "auth/client/token_answer.h"
#include "auth/form.h"
#include "auth/wiping.h"
#include "upstream/http.h"

enum {
    TOKEN_FORM = 16 << 10,
    TOKEN_ARENA = 64 << 10,
    TOKEN_MARGIN_MS = 30000, /* it is renewed so long before its end, or a tenth of its life */
    TOKEN_AGAIN_MS = 1000,   /* after a failure, calls fail at once for so long */
    TOKEN_LEAST_MS = 1000,
    TOKEN_TOTAL_MS = 30000
};

static void token_drop(struct http_token *token)
{
    haft_arena_free(token->arena);
    token->arena = NULL;
    token->header = NULL;
}

/* Lets those go on that wait. */
static void token_settle(struct http_token *token)
{
    bool failed = !token->header;

    token->settling = token->waiting;
    token->waiting = NULL;
    while (token->settling) {
        struct http_sending *sending = token->settling;

        token->settling = sending->next_waiting;
        hf_http_sending_granted(sending, failed ? &token->failure : NULL);
    }
}

static int token_keep(struct http_token *token)
{
    struct token_answer answer;
    haft_arena *arena = haft_arena_new(&hf_wiping_allocator, TOKEN_ARENA * 2);
    uint64_t now = hf_http_now(token->http), life, margin;
    int status = arena ? hf_token_answer_read(token->answer.data, token->answer.size, arena,
                                              &answer, &token->failure)
                       : HAFT_ENOMEM;

    if (!status && !hf_text_same_ignoring_case(answer.token_type, "Bearer"))
        status = hf_error_set(&token->failure, HAFT_EDENIED, "",
                              "the token endpoint issued a token of another type than Bearer");
    token_drop(token);
    if (!status) {
        token->header = haft_arena_printf(arena, "Bearer %s", answer.access_token);
        status = token->header ? 0 : HAFT_ENOMEM;
    }
    if (status) {
        haft_arena_free(arena);
        return status;
    }
    life = answer.lifetime < 0 ? 0 : (uint64_t)answer.lifetime * 1000;
    margin = life / 10 < TOKEN_MARGIN_MS ? life / 10 : TOKEN_MARGIN_MS;
    token->arena = arena;
    token->since = now;
    token->until = answer.lifetime < 0 ? UINT64_MAX : now + life - margin;
    if (token->until < now + TOKEN_LEAST_MS) /* so that there is an end to renewing it */
        token->until = now + TOKEN_LEAST_MS;
    return 0;
}

static void token_fail(struct http_token *token, int status)
{
    if (!token->failure.code)
        hf_error_set(&token->failure, status, "", "%s", haft_strerror(status));
    token->again = hf_http_now(token->http) + TOKEN_AGAIN_MS;
    token_drop(token);
    hf_server_log(token->http->upstream->set->server, HAFT_WARNING,
                  "upstream %s: no access token: %s", token->http->upstream->name,
                  token->failure.text);
}

static void token_refuse(struct http_token *token, int http_status)
{
    haft_arena *arena = haft_arena_new(&hf_wiping_allocator, TOKEN_ARENA);
    const char *error =
        arena ? hf_token_error_read(token->answer.data, token->answer.size, arena) : "";

    hf_error_set(&token->failure, HAFT_EDENIED, "",
                 "the token endpoint refused to issue a token%s%.100s (status %d)",
                 *error ? ": " : "", error, http_status);
    haft_arena_free(arena);
}

static void token_on_body(void *context, const char *bytes, size_t size)
{
    struct http_token *token = context;

    haft_buffer_add(&token->answer, bytes, size);
}

static void token_on_end(void *context, const struct http_end *end)
{
    struct http_token *token = context;
    int status = HAFT_EFAIL;

    token->request = NULL;
    token->failure = (haft_reason){.code = 0};
    if (end->error)
        hf_error_set(&token->failure, HAFT_EFAIL, "", "the token endpoint: %s", end->text);
    else if (end->status != 200)
        token_refuse(token, end->status);
    else
        status = token->answer.status ? token->answer.status : token_keep(token);
    haft_buffer_finish(&token->answer);
    haft_buffer_init(&token->answer, &hf_wiping_allocator, TOKEN_ANSWER_LIMIT);
    if (!token->http->open)
        return;
    if (status || !token->header)
        token_fail(token, status);
    token_settle(token);
}

static int token_write(const struct http_token *token, haft_buffer *form, haft_buffer *basic)
{
    const http_oauth_entry *options = token->options;

    hf_form_add(form, "grant_type", "client_credentials");
    hf_form_add(form, "scope", options->has_scopes ? options->scopes : NULL);
    hf_form_add(form, "audience", options->has_audience ? options->audience : NULL);
    hf_form_add(form, "resource", options->has_resource ? options->resource : NULL);
    if (options->method == http_oauth_method_post) {
        hf_form_add(form, "client_id", options->client_id);
        hf_form_add(form, "client_secret", token->secret);
    } else {
        hf_form_basic(basic, &hf_wiping_allocator, options->client_id, token->secret);
        haft_buffer_add(basic, "", 1);
    }
    return form->status ? form->status : basic->status;
}

/* The form is kept until the request has ended. */
static int token_fetch(struct http_token *token)
{
    struct http_upstream *http = token->http;
    struct http_field fields[3] = {{"Content-Type", "application/x-www-form-urlencoded"},
                                   {"Accept", "application/json"}};
    haft_reason reason = {0};
    http_client *client = token->guarded ? hf_http_guarded(http, &reason) : http->client;
    haft_buffer basic;
    int status;

    haft_buffer_finish(&token->form);
    haft_buffer_init(&token->form, &hf_wiping_allocator, TOKEN_FORM);
    haft_buffer_init(&basic, &hf_wiping_allocator, TOKEN_FORM);
    haft_buffer_clear(&token->answer);
    status = client ? token_write(token, &token->form, &basic) : reason.code;
    fields[2] = (struct http_field){"Authorization", basic.data};
    if (!status)
        token->request =
            http->functions->start(client,
                                   &(struct http_request_options){.method = "POST",
                                                                  .url = token->url,
                                                                  .headers = fields,
                                                                  .n_headers = basic.size ? 3 : 2,
                                                                  .body = token->form.data,
                                                                  .body_size = token->form.size,
                                                                  .max_answer = TOKEN_ANSWER_LIMIT,
                                                                  .total_ms = TOKEN_TOTAL_MS,
                                                                  .on_body = token_on_body,
                                                                  .on_end = token_on_end,
                                                                  .context = token},
                                   &reason);
    haft_buffer_finish(&basic);
    if (token->request)
        return 0;
    token->failure = (haft_reason){.code = 0};
    token_fail(token, status ? status : reason.code);
    return HAFT_EDENIED;
}

int hf_http_token_ready(struct http_token *token, struct http_sending *sending)
{
    uint64_t now = hf_http_now(token->http);

    if (token->header && now < token->until)
        return 0;
    if (!token->request && now < token->again)
        return HAFT_EDENIED;
    if (!token->request && token_fetch(token))
        return HAFT_EDENIED;
    sending->next_waiting = token->waiting;
    token->waiting = sending;
    return HAFT_PENDING;
}

void hf_http_token_refused(struct http_token *token, uint64_t sent_at)
{
    if (!token->request && token->since <= sent_at)
        token_drop(token);
}

static void token_unlist(struct http_sending **place, const struct http_sending *sending)
{
    while (*place && *place != sending)
        place = &(*place)->next_waiting;
    if (*place)
        *place = sending->next_waiting;
}

void hf_http_token_leave(struct http_token *token, struct http_sending *sending)
{
    token_unlist(&token->waiting, sending);
    token_unlist(&token->settling, sending);
}

void hf_http_token_finish(struct http_token *token)
{
    token_drop(token);
    haft_buffer_finish(&token->form);
    haft_buffer_finish(&token->answer);
}
