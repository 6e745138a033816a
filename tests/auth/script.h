/* script.h - a scripted server, which is the MCP server and the authorization server at once, and a
 * client that asks it for access. */
#ifndef HAFT_TESTS_SCRIPT_H
#define HAFT_TESTS_SCRIPT_H

#include "http_client/rogue.h"

#include <haft/tool.h>

#include "auth/client/oauth.h"

/* Answers by path. In bodies ' stands for ", and @ for the origin. */
struct answer {
    const char *path, *status, *body;
};

struct script {
    const struct answer *changed; /* overrides a row of the usual answers, or NULL */
    const char *redirect;         /* query at the end of a login; $ stands for the state */
    const char *granted;          /* body of the token answer, or NULL for the usual */
    atomic_bool holds;            /* tokens are not answered yet */
    atomic_int tokens, registrations, resources, issuers, revocations;
    char form[2048]; /* body of the latest token request */
    char basic[256]; /* its Authorization header */
};

static const struct answer usual[] = {
    {"/.well-known/oauth-protected-resource/mcp", "200 OK",
     "{'resource':'@/mcp','authorization_servers':['@']}"},
    {"/.well-known/oauth-authorization-server", "200 OK",
     "{'issuer':'@','authorization_endpoint':'@/authorize','token_endpoint':'@/token',"
     "'registration_endpoint':'@/register','revocation_endpoint':'@/revoke',"
     "'scopes_supported':['a','offline_access'],'token_endpoint_auth_methods_supported':['none'],"
     "'code_challenge_methods_supported':['S256'],"
     "'authorization_response_iss_parameter_supported':true}"},
    {"/register", "201 Created", "{'client_id':'c1','client_secret':'never-sent'}"},
    {"/token", "200 OK",
     "{'access_token':'good','token_type':'Bearer','expires_in':3600,'refresh_token':'refresh-one'}"},
    {"/revoke", "200 OK", ""},
};

static void put_body(const char *text, const char *origin, char *out, size_t room)
{
    size_t n = 0;

    for (; *text && n + 128 < room; text++)
        if (*text == '@')
            n += (size_t)snprintf(out + n, room - n, "%s", origin);
        else
            out[n++] = *text == '\'' ? '"' : *text;
    out[n] = '\0';
}

static void note(struct rogue *rogue, struct script *script, const char *path)
{
    const char *body = strstr(rogue->seen, "\r\n\r\n"), *basic;

    if (!strcmp(path, "/token")) {
        snprintf(script->form, sizeof script->form, "%s", body + 4);
        basic = strcasestr(rogue->seen, "\r\nAuthorization: ");
        snprintf(script->basic, sizeof script->basic, "%.*s",
                 basic ? (int)strcspn(basic + 17, "\r") : 0, basic ? basic + 17 : "");
        atomic_fetch_add(&script->tokens, 1);
    }
    atomic_fetch_add(&script->registrations, !strcmp(path, "/register"));
    atomic_fetch_add(&script->revocations, !strcmp(path, "/revoke"));
    atomic_fetch_add(&script->resources, !!strstr(path, "oauth-protected-resource"));
    atomic_fetch_add(&script->issuers, strstr(path, "oauth-authorization-server") ||
                                           strstr(path, "openid-configuration"));
}

static void serve_script(struct rogue *rogue, int fd, int number)
{
    union {
        const void *in;
        struct script *out;
    } context = {.in = rogue->context};
    struct script *script = context.out;
    char path[256], body[4096], head[512];

    (void)number;
    while (rogue_read(rogue, fd)) {
        const struct answer *answer = NULL;

        sscanf(rogue->seen, "%*s %255s", path);
        note(rogue, script, path);
        while (!strcmp(path, "/token") && atomic_load(&script->holds))
            uv_sleep(1);
        for (size_t i = 0; i < COUNT_OF(usual); i++)
            if (!strcmp(path, usual[i].path))
                answer = &usual[i];
        for (const struct answer *each = script->changed; each && each->path; each++)
            if (!strcmp(path, each->path))
                answer = each;
        put_body(answer ? answer->body : "", rogue->url, body, sizeof body);
        snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n",
                 answer ? answer->status : "404 Not Found", strlen(body));
        rogue_puts(fd, head);
        rogue_puts(fd, body);
    }
}

/* ---- a client ---- */

struct subject {
    struct authorizer_wait wait; /* the first member */
    struct rogue *rogue;
    struct script *script;
    haft_authorizer *authorizer;
    uv_loop_t loop;
    const struct http_client_functions *http;
    char url[128], opened[4096];
    int logins, dones, status, open_status;
    bool closes; /* detaches and frees in open_url */
    haft_reason reason;
};

static void subject_done(struct authorizer_wait *wait, int status, const haft_reason *reason)
{
    struct subject *subject = (struct subject *)wait;

    subject->dones++;
    subject->status = status;
    if (status)
        subject->reason = *reason;
}

/* The person logs in at once. */
static int subject_open(void *context, const char *url)
{
    struct subject *subject = context;
    const char *redirect =
        subject->script->redirect ? subject->script->redirect : "code=one&state=$&iss=@";
    const char *state = strstr(url, "&state=");
    char query[1024], answer[1200] = "http://127.0.0.1:1/callback?";
    size_t n = strlen(answer);

    subject->logins++;
    snprintf(subject->opened, sizeof subject->opened, "%s", url);
    if (subject->open_status)
        return subject->open_status;
    if (subject->closes) {
        subject->authorizer->class->detach(subject->authorizer);
        subject->authorizer->class->free(subject->authorizer);
        subject->authorizer = NULL;
        return 0;
    }
    put_body(redirect, subject->rogue->url, query, sizeof query);
    for (const char *at = query; *at; at++)
        if (*at == '$')
            n += (size_t)snprintf(answer + n, sizeof answer - n, "%.*s",
                                  (int)strcspn(state + 7, "&"), state + 7);
        else
            answer[n++] = *at;
    answer[n] = '\0';
    return haft_oauth_redirected(subject->authorizer, answer);
}

static const haft_allocator *plain(void)
{
    return hf_allocator_or_default(NULL);
}

HAFT_MAYBE_UNUSED_ static int subject_init(struct subject *subject, struct script *script,
                                           haft_oauth_options options,
                                           const haft_allocator *allocator)
{
    struct authorizer_loop loop;

    memset(subject, 0, sizeof *subject);
    haft_part_register(&haft_http_client_part);
    subject->http = hf_http_client_open("this test", NULL);
    subject->script = script;
    subject->rogue = rogue_open(serve_script, script);
    subject->wait.done = subject_done;
    snprintf(subject->url, sizeof subject->url, "%s/mcp", subject->rogue->url);
    assert_int_equal(uv_loop_init(&subject->loop), 0);
    options.struct_size = sizeof options;
    options.context = options.context ? options.context : subject;
    options.open_url = subject_open;
    options.manual_redirect = true;
    options.redirect_uri = "http://127.0.0.1:1/callback";
    subject->authorizer =
        hf_oauth_create(&options, allocator ? allocator : plain(), &subject->reason);
    if (!subject->authorizer)
        return subject->reason.code;
    loop = (struct authorizer_loop){&subject->loop, subject->http};
    return subject->authorizer->class->attach(subject->authorizer, &loop, &subject->reason);
}

HAFT_MAYBE_UNUSED_ static void subject_finish(struct subject *subject)
{
    if (subject->authorizer) {
        subject->authorizer->class->detach(subject->authorizer);
        subject->authorizer->class->free(subject->authorizer);
    }
    uv_run(&subject->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&subject->loop), 0);
    rogue_close(subject->rogue);
}

/* The server refuses a request. */
HAFT_MAYBE_UNUSED_ static int subject_challenge(struct subject *subject, int status,
                                                const char *header, const char *sent)
{
    struct http_field field = {"WWW-Authenticate", header};
    struct authorizer_challenge challenge = {.url = subject->url,
                                             .operation = "tools/list",
                                             .status = status,
                                             .fields = &field,
                                             .n_fields = 1,
                                             .sent = sent};

    subject->dones = 0;
    subject->status = subject->authorizer->class->challenged(subject->authorizer, &challenge,
                                                             &subject->wait, &subject->reason);
    if (subject->status != HAFT_PENDING)
        return subject->status;
    while (!subject->dones && subject->authorizer)
        uv_run(&subject->loop, UV_RUN_ONCE);
    return subject->status;
}

/* The Authorization header of a request to this URL, or "". */
HAFT_MAYBE_UNUSED_ static const char *subject_header(struct subject *subject, haft_arena *arena,
                                                     const char *url)
{
    struct http_field fields[AUTHORIZER_FIELDS];
    size_t n = 0;

    assert_int_equal(subject->authorizer->class->headers(subject->authorizer, "POST", url, url,
                                                         arena, fields, &n, NULL),
                     0);
    return n ? fields[0].value : "";
}

#endif
