/* authorize_driver.c - requests with an authorizer, for tests/e2e/authorize.test.mjs.
 *
 * The options of haft_oauth_new are arguments NAME=VALUE. Lines on standard input are commands:
 *
 *     get ID URL [OPERATION]   sends a request
 *     redirected URL           passes the end of a login
 *     forget URL               revokes and forgets
 *
 * and the answers are lines on standard output: "open URL" for a login, "answer ID STATUS SENT BODY", with
 * how often the request was sent, or "failed ID CODE REASON". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <haft/authorize.h>
#include <haft/tool.h>

#include "auth/authorizer.h"
#include "base/base.h"
#include "part/http_client.h"

enum { LINE = 16 << 10, BODY = 4096, ID = 32, VALUE = 8192, FIELDS = 8 };

struct asker {
    uv_loop_t *uv;
    const struct http_client_functions *http;
    http_client *client;
    haft_authorizer *authorizer;
    uv_pipe_t input;
    char line[LINE];
    size_t size;
    unsigned open;
    bool ended;
};

struct request {
    struct authorizer_wait wait; /* the first member */
    struct asker *asker;
    char id[ID], url[1024], operation[256], sent[VALUE], body[BODY];
    char names[FIELDS][64], values[FIELDS][1024];
    size_t n_fields, size;
    int status;
    unsigned times;
};

static void request_send(struct request *request);

static void asker_stop(struct asker *asker)
{
    if (!asker->ended || asker->open)
        return;
    asker->authorizer->class->detach(asker->authorizer);
    asker->http->destroy(asker->client);
}

static void request_end(struct request *request, int status, const haft_reason *reason)
{
    struct asker *asker = request->asker;

    if (status)
        printf("failed %s %d %s\n", request->id, status, reason ? reason->text : "");
    else
        printf("answer %s %d %u %s\n", request->id, request->status, request->times, request->body);
    fflush(stdout);
    free(request);
    asker->open--;
    asker_stop(asker);
}

static void request_on_head(void *context, const struct http_head *head)
{
    struct request *request = context;

    request->status = head->status;
    request->n_fields = 0;
    for (size_t i = 0; i < head->n_fields && request->n_fields < FIELDS; i++) {
        if (!hf_text_same_ignoring_case(head->fields[i].name, "WWW-Authenticate") &&
            !hf_text_same_ignoring_case(head->fields[i].name, "DPoP-Nonce"))
            continue;
        snprintf(request->names[request->n_fields], 64, "%s", head->fields[i].name);
        snprintf(request->values[request->n_fields++], 1024, "%s", head->fields[i].value);
    }
}

static void request_on_body(void *context, const char *bytes, size_t size)
{
    struct request *request = context;

    if (size >= sizeof request->body - request->size)
        size = sizeof request->body - request->size - 1;
    memcpy(request->body + request->size, bytes, size);
    request->size += size;
    request->body[request->size] = '\0';
}

static void request_on_end(void *context, const struct http_end *end)
{
    struct request *request = context;
    struct http_field fields[FIELDS];
    struct authorizer_challenge challenge = {.url = request->url,
                                             .operation = request->operation,
                                             .status = request->status,
                                             .fields = fields,
                                             .n_fields = request->n_fields,
                                             .sent = *request->sent ? request->sent : NULL};
    haft_reason reason = {.code = HAFT_EFAIL};
    int status;

    if (end->error) {
        snprintf(reason.text, sizeof reason.text, "%s", end->text);
        request_end(request, HAFT_EFAIL, &reason);
        return;
    }
    if (request->status != 401 && request->status != 403) {
        request_end(request, 0, NULL);
        return;
    }
    for (size_t i = 0; i < request->n_fields; i++)
        fields[i] = (struct http_field){request->names[i], request->values[i]};
    status = request->asker->authorizer->class->challenged(request->asker->authorizer, &challenge,
                                                           &request->wait, &reason);
    if (!status)
        request_send(request);
    else if (status != HAFT_PENDING)
        request_end(request, status, &reason);
}

static void request_done(struct authorizer_wait *wait, int status, const haft_reason *reason)
{
    struct request *request = (struct request *)wait;

    if (status)
        request_end(request, status, reason);
    else
        request_send(request);
}

static void request_send(struct request *request)
{
    struct asker *asker = request->asker;
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct http_field fields[AUTHORIZER_FIELDS];
    struct http_request_options options = {.method = "POST",
                                           .url = request->url,
                                           .headers = fields,
                                           .body = "{}",
                                           .body_size = 2,
                                           .on_head = request_on_head,
                                           .on_body = request_on_body,
                                           .on_end = request_on_end,
                                           .context = request};
    haft_reason reason = {0};
    int status =
        asker->authorizer->class->headers(asker->authorizer, "POST", request->url, request->url,
                                          arena, fields, &options.n_headers, &request->wait);

    request->size = 0;
    request->body[0] = '\0';
    if (!status) {
        snprintf(request->sent, sizeof request->sent, "%s",
                 options.n_headers ? fields[0].value : "");
        request->times++;
        if (!asker->http->start(asker->client, &options, &reason))
            status = reason.code;
    }
    haft_arena_free(arena);
    if (status < 0)
        request_end(request, status, &reason);
}

/* ---- commands ---- */

static void asker_get(struct asker *asker, const char *text)
{
    struct request *request = calloc(1, sizeof *request);

    if (!request ||
        sscanf(text, "%31s %1023s %255[^\n]", request->id, request->url, request->operation) < 2)
        exit(2);
    request->asker = asker;
    request->wait.done = request_done;
    asker->open++;
    request_send(request);
}

static void asker_forget(struct asker *asker, const char *url)
{
    haft_reason reason = {0};
    int status = haft_oauth_forget(asker->authorizer, url, &reason);

    printf("forgot %d %s\n", status, status ? reason.text : "");
    fflush(stdout);
}

static void asker_command(struct asker *asker, const char *line)
{
    if (!strncmp(line, "get ", 4))
        asker_get(asker, line + 4);
    else if (!strncmp(line, "redirected ", 11))
        printf("redirected %d\n", haft_oauth_redirected(asker->authorizer, line + 11));
    else if (!strncmp(line, "forget ", 7))
        asker_forget(asker, line + 7);
    else if (!strncmp(line, "has ", 4))
        printf("has %d\n", haft_authorizer_has_token(asker->authorizer, line + 4));
    fflush(stdout);
}

static void asker_on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    struct asker *asker = handle->data;

    (void)size;
    *buffer = uv_buf_init(asker->line + asker->size, (unsigned)(LINE - 1 - asker->size));
}

static void asker_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct asker *asker = stream->data;
    char *end;

    (void)buffer;
    if (n < 0) {
        uv_close((uv_handle_t *)stream, NULL);
        asker->ended = true;
        asker_stop(asker);
        return;
    }
    asker->size += (size_t)n;
    asker->line[asker->size] = '\0';
    while ((end = strchr(asker->line, '\n'))) {
        *end = '\0';
        asker_command(asker, asker->line);
        asker->size -= (size_t)(end + 1 - asker->line);
        memmove(asker->line, end + 1, asker->size + 1);
    }
}

/* ---- options ---- */

static int open_url(void *context, const char *url)
{
    (void)context;
    printf("open %s\n", url);
    fflush(stdout);
    return 0;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, LINE);

    if (!file || !text || !fread(text, 1, LINE - 1, file))
        exit(2);
    fclose(file);
    return text;
}

static void set_option(haft_oauth_options *options, const char *argument)
{
    const char *value = strchr(argument, '=') + 1;
    size_t size = (size_t)(value - argument) - 1;
    const struct {
        const char *name, **place;
    } strings[] = {{"client_id", &options->client_id},
                   {"client_secret", &options->client_secret},
                   {"issuer", &options->issuer},
                   {"client_metadata_url", &options->client_metadata_url},
                   {"client_name", &options->client_name},
                   {"scopes", &options->scopes},
                   {"redirect_uri", &options->redirect_uri},
                   {"assertion", &options->assertion},
                   {"idp_token_endpoint", &options->idp_token_endpoint},
                   {"idp_client_id", &options->idp_client_id},
                   {"token_file", &options->token_file}};
    const struct {
        const char *name;
        bool *place;
    } flags[] = {{"no_registration", &options->no_registration},
                 {"no_refresh", &options->no_refresh},
                 {"dpop", &options->dpop},
                 {"trust_origin", &options->trust_origin},
                 {"manual_redirect", &options->manual_redirect}};

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strlen(strings[i].name) == size && !strncmp(argument, strings[i].name, size))
            *strings[i].place = value;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strlen(flags[i].name) == size && !strncmp(argument, flags[i].name, size))
            *flags[i].place = true;
    if (!strncmp(argument, "grant=", 6))
        options->grant = (haft_grant)strtol(value, NULL, 10);
    if (!strncmp(argument, "login_ms=", 9))
        options->login_ms = (unsigned)strtoul(value, NULL, 10);
    if (!strncmp(argument, "key_file=", 9))
        options->private_key = read_text(value);
}

int main(int argc, char **argv)
{
    haft_oauth_options options = HAFT_INIT(haft_oauth_options, .open_url = open_url);
    static struct asker asker;
    haft_reason reason = {0};
    struct authorizer_loop loop;

    for (int i = 1; i < argc; i++)
        set_option(&options, argv[i]);
    asker.authorizer = haft_oauth_new(&options, &reason);
    if (!asker.authorizer) {
        printf("refused %s: %s\n", reason.path, reason.text);
        return 1;
    }
    asker.uv = uv_default_loop();
    asker.http = hf_http_client_open("authorize-driver", &reason);
    asker.client = asker.http ? hf_http_client_new(asker.http, asker.uv, NULL, &reason) : NULL;
    if (!asker.client) {
        printf("refused %s\n", reason.text);
        return 1;
    }
    loop = (struct authorizer_loop){asker.uv, asker.http};
    asker.authorizer->class->attach(asker.authorizer, &loop, &reason);
    uv_pipe_init(asker.uv, &asker.input, 0);
    uv_pipe_open(&asker.input, 0);
    asker.input.data = &asker;
    uv_read_start((uv_stream_t *)&asker.input, asker_on_alloc, asker_on_read);
    uv_run(asker.uv, UV_RUN_DEFAULT);
    haft_authorizer_free(asker.authorizer);
    uv_loop_close(asker.uv);
    free((void *)options.private_key);
    return 0;
}
