/* login.c - a person logs in: the URL for the browser, and the answer (RFC 6749 with PKCE, RFC
 * 9207).
 *
 * Answers are found by their `state`, a random number. One with another state belongs to another
 * login or was made up, and changes nothing. */
#include <stdio.h>

#include "auth/client/flow.h"
#include "auth/form.h"
#include "auth/client/listener.h"
#include "auth/client/login_answer.h"
#include "auth/scope.h"
#include "engine/offer/scope.h"
#include "base/sha256.h"

enum { LOGIN_URL = 16 << 10, LOGIN_STATE = 16, LOGIN_VERIFIER = 32 };

/* ---- may it be ---- */

/* A hostile server could show the page of an honest one, and get the code that belongs there. */
static const char *login_doubt(const struct oauth_flow *flow)
{
    const char *issuer = flow->oauth->options.issuer;
    struct web_url page, token;

    if (flow->issuer.iss_parameter || (issuer && !strcmp(issuer, flow->issuer.issuer)) ||
        hf_web_url_read(flow->issuer.authorization, &page) ||
        hf_web_url_read(flow->issuer.token, &token) || hf_web_url_same_origin(&page, &token))
        return NULL;
    return "its login page and its token endpoint are on different hosts";
}

/* The program does not let the person log in: says what for, so that they can do it elsewhere. */
static int login_not_allowed(struct oauth_flow *flow, int status)
{
    bool more = flow->step_up && flow->scope;

    return hf_flow_refuse(flow, status, "a login at %.120s%s%.80s is needed", flow->issuer.issuer,
                          more ? " for the scopes " : "", more ? flow->scope : "");
}

int hf_login_allow(struct oauth_flow *flow)
{
    const haft_oauth_options *options = &flow->oauth->options;
    int status = options->allow_login ? options->allow_login(options->context, flow->access->url,
                                                             flow->issuer.issuer, login_doubt(flow))
                                      : 0;

    if (flow->dead)
        return HAFT_PENDING;
    return status < 0 ? login_not_allowed(flow, status) : 0;
}

/* ---- the redirect URI ---- */

static bool login_on_query(void *context, const char *query, size_t size)
{
    return !hf_login_redirected(context, query, size);
}

static unsigned login_preferred_port(const struct oauth_flow *flow)
{
    struct web_url url;

    return flow->client.redirect_uri && !hf_web_url_read(flow->client.redirect_uri, &url) ? url.port
                                                                                          : 0;
}

int hf_login_prepare(struct oauth_flow *flow)
{
    const haft_oauth_options *options = &flow->oauth->options;
    struct web_url url;
    haft_buffer text;

    flow->login.redirect_uri = options->redirect_uri;
    if (options->manual_redirect)
        return 0;
    flow->login.listener =
        hf_listener_new(flow->loop.uv, flow->oauth->memory, options->redirect_uri,
                        login_preferred_port(flow), login_on_query, flow, &flow->reason);
    if (!flow->login.listener)
        return flow->reason.code;
    hf_web_url_read(options->redirect_uri, &url);
    url.port = hf_listener_port(flow->login.listener);
    haft_buffer_init(&text, flow->oauth->memory, WEB_URL_LIMIT);
    hf_web_url_put_origin(&url, &text);
    haft_buffer_add(&text, url.path.text, url.path.size);
    flow->login.redirect_uri =
        text.status ? NULL : haft_arena_copy(flow->arena, text.data, text.size);
    haft_buffer_finish(&text);
    return flow->login.redirect_uri ? 0 : hf_flow_no_memory(flow);
}

/* ---- the answer ---- */

/* The order of the checks matters: nothing of an answer from the wrong server may be used. */
static int login_accept(struct oauth_flow *flow)
{
    const char *query = flow->login.query;
    struct login_answer answer;
    int status;

    hf_login_finish(flow);
    status = hf_login_answer_read(query, strlen(query), flow->arena, &answer);
    if (status)
        return status == HAFT_ENOMEM
                   ? hf_flow_no_memory(flow)
                   : hf_flow_refuse(flow, status, "the answer of the login is malformed");
    if (answer.iss ? strcmp(answer.iss, flow->issuer.issuer) != 0 : flow->issuer.iss_parameter)
        return hf_flow_refuse(flow, HAFT_EDENIED,
                              "the answer of the login is not from the authorization server %.120s",
                              flow->issuer.issuer);
    if (answer.error)
        return hf_flow_refuse(flow, HAFT_EDENIED, "the login was refused: %s",
                              hf_oauth_error_is_plain(answer.error) ? answer.error : "no reason");
    if (!answer.code || !*answer.code)
        return hf_flow_refuse(flow, HAFT_EPROTOCOL, "the answer of the login has no code");
    flow->assertion = answer.code;
    return hf_grant_code(flow);
}

/* Whether the query has the state of this login. */
static bool login_is_expected(const struct oauth_flow *flow, const char *query, size_t size)
{
    unsigned char given[SHA256_SIZE], wanted[SHA256_SIZE];
    haft_arena *arena = haft_arena_new(flow->oauth->memory, LOGIN_ANSWER_LIMIT * 4);
    struct login_answer answer = {.state = NULL};
    struct sha256 hash;
    bool right = false;

    if (arena && !hf_login_answer_read(query, size, arena, &answer) && answer.state) {
        hf_sha256_init(&hash);
        hf_sha256_add(&hash, answer.state, strlen(answer.state));
        hf_sha256_finish(&hash, given);
        hf_sha256_init(&hash);
        hf_sha256_add(&hash, flow->login.state, strlen(flow->login.state));
        hf_sha256_finish(&hash, wanted);
        right = hf_digest_equal(given, wanted);
    }
    haft_arena_free(arena);
    return right;
}

int hf_login_redirected(struct oauth_flow *flow, const char *query, size_t size)
{
    if (!flow->login.waiting || flow->login.query || !login_is_expected(flow, query, size))
        return HAFT_EINVAL;
    flow->login.query = haft_arena_copy(flow->arena, query, size);
    if (!flow->login.query)
        return HAFT_ENOMEM;
    if (!flow->login.opening)
        hf_flow_run(flow, login_accept);
    return 0;
}

/* ---- the login ---- */

static int login_expire(struct oauth_flow *flow)
{
    return hf_flow_refuse(flow, HAFT_ETIMEOUT, "nobody logged in within %u seconds",
                          flow->oauth->options.login_ms / 1000);
}

struct login_timer {
    uv_timer_t handle; /* the first member */
    struct oauth_flow *flow;
    const haft_allocator *allocator;
};

static void login_timer_closed(uv_handle_t *handle)
{
    struct login_timer *timer = (struct login_timer *)handle;

    timer->allocator->release(timer->allocator->context, timer, sizeof *timer);
}

static void login_timer_fired(uv_timer_t *handle)
{
    hf_flow_run(((struct login_timer *)handle)->flow, login_expire);
}

static int login_start_timer(struct oauth_flow *flow)
{
    const haft_allocator *allocator = flow->oauth->memory;
    struct login_timer *timer = allocator->alloc(allocator->context, sizeof *timer);

    if (!timer)
        return hf_flow_no_memory(flow);
    timer->flow = flow;
    timer->allocator = allocator;
    if (uv_timer_init(flow->loop.uv, &timer->handle)) {
        allocator->release(allocator->context, timer, sizeof *timer);
        return hf_flow_no_memory(flow);
    }
    flow->login.timer = &timer->handle;
    uv_timer_start(&timer->handle, login_timer_fired, flow->oauth->options.login_ms, 0);
    return 0;
}

void hf_login_finish(struct oauth_flow *flow)
{
    if (flow->login.timer)
        uv_close((uv_handle_t *)flow->login.timer, login_timer_closed);
    hf_listener_close(flow->login.listener);
    flow->login.timer = NULL;
    flow->login.listener = NULL;
    flow->login.waiting = false;
}

static void login_put_url(struct oauth_flow *flow, haft_buffer *url)
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;
    haft_buffer challenge;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, flow->login.verifier, strlen(flow->login.verifier));
    hf_sha256_finish(&hash, digest);
    haft_buffer_init(&challenge, flow->oauth->memory, HAFT_BASE64_SIZE(SHA256_SIZE));
    hf_base64url_put(&challenge, digest, sizeof digest);
    haft_buffer_add(&challenge, "", 1);
    haft_buffer_puts(url, flow->issuer.authorization);
    if (!strchr(flow->issuer.authorization, '?'))
        haft_buffer_add(url, "?", 1);
    hf_form_add(url, "response_type", "code");
    hf_form_add(url, "client_id", flow->client.id);
    hf_form_add(url, "redirect_uri", flow->login.redirect_uri);
    hf_form_add(url, "state", flow->login.state);
    hf_form_add(url, "code_challenge", challenge.data);
    hf_form_add(url, "code_challenge_method", "S256");
    hf_form_add(url, "resource", flow->resource.resource);
    if (*flow->asked)
        hf_form_add(url, "scope", flow->asked);
    /* Without it, OpenID Connect does not grant offline access. */
    if (hf_scopes_have(flow->asked, "offline_access", strlen("offline_access")))
        hf_form_add(url, "prompt", "consent");
    haft_buffer_add(url, "", 1);
    if (challenge.status)
        url->status = challenge.status;
    haft_buffer_finish(&challenge);
}

static int login_show(struct oauth_flow *flow, const char *url)
{
    const haft_oauth_options *options = &flow->oauth->options;
    int status;

    if (!options->open_url) {
        fprintf(stderr, "Open this URL in a browser to log in:\n%s\n", url);
        return 0;
    }
    flow->login.opening = true;
    status = options->open_url(options->context, url);
    flow->login.opening = false;
    return status < 0 && !flow->dead ? login_not_allowed(flow, status) : 0;
}

int hf_login_begin(struct oauth_flow *flow)
{
    haft_buffer url;
    int status;

    flow->login.query = NULL;
    flow->login.state = hf_random_text(flow->arena, LOGIN_STATE);
    flow->login.verifier = hf_random_text(flow->arena, LOGIN_VERIFIER);
    if (!flow->login.state || !flow->login.verifier)
        return hf_flow_no_memory(flow);
    status = login_start_timer(flow);
    if (status)
        return status;
    haft_buffer_init(&url, flow->oauth->memory, LOGIN_URL);
    login_put_url(flow, &url);
    flow->login.waiting = true;
    status = url.status ? hf_flow_no_memory(flow) : login_show(flow, url.data);
    haft_buffer_finish(&url);
    if (status || flow->dead)
        return status ? status : HAFT_PENDING;
    return flow->login.query ? login_accept(flow) : HAFT_PENDING;
}
