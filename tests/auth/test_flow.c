/* test_flow.c - authorizations against a scripted server: what it may do wrong, and what is sent. */
#define _GNU_SOURCE
#include "auth/script.h"

static void logs_in(void **state)
{
    struct script script = {.changed = NULL};
    struct subject subject;
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    char other[160];

    (void)state;
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){.scopes = "mine"}, NULL),
                     0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer scope=\"a b\"", NULL), 0);
    assert_string_equal(subject_header(&subject, arena, subject.url), "Bearer good");
    /* Nowhere else. */
    snprintf(other, sizeof other, "%s/other", subject.rogue->url);
    assert_string_equal(subject_header(&subject, arena, other), "");
    assert_string_equal(subject_header(&subject, arena, "http://127.0.0.1:1/mcp"), "");
    snprintf(other, sizeof other, "%s/mcp/../other", subject.rogue->url);
    assert_string_equal(subject_header(&subject, arena, other), "");
    assert_non_null(strstr(subject.opened, "&scope=a+b+mine+offline_access&prompt=consent"));
    assert_non_null(strstr(subject.opened, "%2Fmcp&scope")); /* the resource as it is */
    assert_non_null(strstr(script.form,
                           "grant_type=authorization_code&code=one&redirect_uri=http%3A%2F%2F"
                           "127.0.0.1%3A1%2Fcallback&code_verifier="));
    assert_non_null(strstr(script.form, "%2Fmcp&client_id=c1"));
    assert_null(strstr(script.form, "never-sent"));
    assert_string_equal(script.basic, "");
    haft_arena_free(arena);
    subject_finish(&subject);
}

/* Each row is a server with one fault; none of them gets further than it says. */
static void stops_at_faults(void **state)
{
    static const struct {
        struct answer changed;
        const char *redirect;
        int status, logins, tokens;
        const char *text;
        const char *header;
    } rows[] = {
        {{"/.well-known/oauth-protected-resource/mcp", "404 Not Found", ""},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "does not say where",
         NULL},
        {{"/.well-known/oauth-protected-resource/mcp", "500 Oops", ""},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "status 500",
         NULL},
        {{"/.well-known/oauth-protected-resource/mcp", "200 OK", "<html>"},
         NULL,
         HAFT_EPROTOCOL,
         0,
         0,
         "not a valid JSON object",
         NULL},
        {{"/.well-known/oauth-protected-resource/mcp", "200 OK",
          "{'resource':'@/mcp/deeper','authorization_servers':['@']}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "about another server",
         NULL},
        {{"/.well-known/oauth-protected-resource/mcp", "200 OK",
          "{'resource':'@/mcp','authorization_servers':['http://10.0.0.1/as']}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "neither https",
         NULL},
        {{"/.well-known/oauth-protected-resource/mcp", "200 OK",
          "{'resource':'@/mcp','authorization_servers':['@?x']}"},
         NULL,
         HAFT_EPROTOCOL,
         0,
         0,
         "invalid issuer",
         NULL},
        {{"/.well-known/oauth-protected-resource/mcp", "200 OK",
          "{'resource':'@/mcp','authorization_servers':['file:///etc/passwd']}"},
         NULL,
         HAFT_EPROTOCOL,
         0,
         0,
         "invalid issuer",
         NULL},
        {{"/.well-known/oauth-authorization-server", "404 Not Found", ""},
         NULL,
         HAFT_EPROTOCOL,
         0,
         0,
         "has no metadata",
         NULL},
        {{"/.well-known/oauth-authorization-server", "200 OK", "{'issuer':'@/'}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "names another issuer",
         NULL},
        {{"/.well-known/oauth-authorization-server", "200 OK", "{'issuer':'@'}"},
         NULL,
         HAFT_EPROTOCOL,
         0,
         0,
         "no token endpoint",
         NULL},
        {{"/.well-known/oauth-authorization-server", "200 OK",
          "{'issuer':'@','authorization_endpoint':'@/a','token_endpoint':'http://as.example/t'}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "not https",
         NULL},
        {{"/.well-known/oauth-authorization-server", "200 OK",
          "{'issuer':'@','authorization_endpoint':'javascript:alert(1)','token_endpoint':'@/token'}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "not https",
         NULL},
        {{"/.well-known/oauth-authorization-server", "200 OK",
          "{'issuer':'@','authorization_endpoint':'@/authorize','token_endpoint':'@/token'}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "does not support PKCE",
         NULL},
        {{"/.well-known/oauth-authorization-server", "200 OK",
          "{'issuer':'@','authorization_endpoint':'@/authorize','token_endpoint':'@/token',"
          "'code_challenge_methods_supported':['S256']}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "does not know this client",
         NULL},
        {{"/.well-known/oauth-authorization-server", "302 Found\r\nLocation: https://evil.example/",
          ""},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "redirect",
         NULL},
        {{"/register", "400 Bad Request", "{'error':'invalid_redirect_uri'}"},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "register the client: invalid_redirect_uri",
         NULL},
        {{"/register", "201 Created", "{}"}, NULL, HAFT_EPROTOCOL, 0, 0, "no client_id", NULL},
        {{"/register", "307 Temporary\r\nLocation: /token", ""},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "no reason (status 307)",
         NULL},
        {{0},
         "state=$&iss=@&error=access_denied",
         HAFT_EDENIED,
         1,
         0,
         "refused: access_denied",
         NULL},
        {{0}, "state=$&iss=@&error=%1b[2J", HAFT_EDENIED, 1, 0, "refused: no reason", NULL},
        {{0}, "state=$&iss=@", HAFT_EPROTOCOL, 1, 0, "has no code", NULL},
        {{0}, "state=$&code=one", HAFT_EDENIED, 1, 0, "not from the authorization server", NULL},
        {{0},
         "state=$&code=one&iss=@/",
         HAFT_EDENIED,
         1,
         0,
         "not from the authorization server",
         NULL},
        {{0},
         "state=$&error=secret&iss=https://evil.example",
         HAFT_EDENIED,
         1,
         0,
         "not from the authorization server",
         NULL},
        {{0}, "state=x&code=one&iss=@", HAFT_EINVAL, 1, 0, "a login at", NULL},
        {{0}, "code=one&iss=@", HAFT_EINVAL, 1, 0, "a login at", NULL},
        {{"/token", "400 Bad Request", "{'error':'invalid_grant'}"},
         NULL,
         HAFT_EDENIED,
         1,
         1,
         "issue a token: invalid_grant",
         NULL},
        {{"/token", "200 OK", "{'access_token':'good','token_type':'DPoP'}"},
         NULL,
         HAFT_EDENIED,
         1,
         1,
         "another type than Bearer",
         NULL},
        {{"/token", "200 OK", "{'access_token':'good secret','token_type':'Bearer'}"},
         NULL,
         HAFT_EPROTOCOL,
         1,
         1,
         "no header",
         NULL},
        {{"/token", "302 Found\r\nLocation: https://evil.example/", ""},
         NULL,
         HAFT_EDENIED,
         1,
         1,
         "no reason (status 302)",
         NULL},
        /* The registration is repeated once. */
        {{"/token", "401 Unauthorized", "{'error':'invalid_client'}"},
         NULL,
         HAFT_EDENIED,
         2,
         2,
         "invalid_client",
         NULL},
        {{0},
         NULL,
         HAFT_EDENIED,
         0,
         0,
         "neither https",
         "Bearer resource_metadata=\"http://169.254.169.254/latest\""},
        {{0}, NULL, HAFT_EDENIED, 0, 0, "neither https", "Bearer resource_metadata=\"/relative\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct answer changed[2] = {rows[i].changed};
        struct script script = {.changed = changed, .redirect = rows[i].redirect};
        struct subject subject;
        int status;

        assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
        status = subject_challenge(&subject, 401, rows[i].header ? rows[i].header : "Bearer", NULL);
        if (status != rows[i].status || subject.logins != rows[i].logins ||
            script.tokens != rows[i].tokens || !strstr(subject.reason.text, rows[i].text) ||
            strstr(subject.reason.text, "secret"))
            fail_msg("row %zu: %d, %d logins, %d tokens: %s", i, status, subject.logins,
                     script.tokens, subject.reason.text);
        subject_finish(&subject);
    }
}

static void authenticates_as_the_server_wants(void **state)
{
#define ISSUER(methods)                                                                            \
    "{'issuer':'@','authorization_endpoint':'@/authorize','token_endpoint':'@/token',"             \
    "'registration_endpoint':'@/register'," methods                                                \
    "'code_challenge_methods_supported':['S256'],'client_id_metadata_document_supported':true}"
    static const struct {
        const char *issuer, *registered, *id, *secret, *url;
        const char *basic, *form;
        int registrations;
    } rows[] = {
        {ISSUER(""), "{'client_id':'c','client_secret':'s'}", NULL, NULL, NULL, "Basic Yzpz", NULL,
         1},
        {ISSUER(""),
         "{'client_id':'c','client_secret':'s','token_endpoint_auth_method':"
         "'client_secret_post'}",
         NULL, NULL, NULL, "", "&client_id=c&client_secret=s", 1},
        {ISSUER("'token_endpoint_auth_methods_supported':['client_secret_post'],"),
         "{'client_id':'c','client_secret':'s'}", NULL, NULL, NULL, "",
         "&client_id=c&client_secret=s", 1},
        {ISSUER("'token_endpoint_auth_methods_supported':['none'],"),
         "{'client_id':'c','client_secret':'s'}", NULL, NULL, NULL, "", "&client_id=c", 1},
        {ISSUER(""), "{}", "mine", "p w", NULL, "Basic bWluZTpwK3c=", NULL, 0},
        {ISSUER(""), "{}", "mine", NULL, NULL, "", "&client_id=mine", 0},
        {ISSUER(""), "{}", NULL, NULL, "https://c.example/id", "",
         "&client_id=https%3A%2F%2Fc.example%2Fid", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct answer changed[] = {{usual[1].path, "200 OK", rows[i].issuer},
                                   {"/register", "201 Created", rows[i].registered},
                                   {0}};
        struct script script = {.changed = changed};
        struct subject subject;
        haft_oauth_options options = {.client_id = rows[i].id,
                                      .client_secret = rows[i].secret,
                                      .client_metadata_url = rows[i].url};
        const char *form;

        assert_int_equal(subject_init(&subject, &script, options, NULL), 0);
        assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
        assert_string_equal(script.basic, rows[i].basic);
        form = strstr(script.form, "&client_id");
        assert_string_equal(form ? form : "", rows[i].form ? rows[i].form : "");
        assert_int_equal(script.registrations, rows[i].registrations);
        subject_finish(&subject);
    }
}

static void steps_up_and_gives_up(void **state)
{
    struct script script = {.changed = NULL};
    struct subject subject;

    (void)state;
    assert_int_equal(
        subject_init(&subject, &script, (haft_oauth_options){.max_attempts = 10}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 403, "Bearer scope=\"a\"", NULL), HAFT_EDENIED);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer scope=\"a\"", NULL), 0);
    assert_int_equal(subject_challenge(&subject, 403,
                                       "Bearer error=\"insufficient_scope\", scope=\"b\"",
                                       "Bearer good"),
                     0);
    assert_non_null(strstr(subject.opened, "&scope=a+offline_access+b&"));
    assert_int_equal(script.registrations, 1);
    /* Once more with the same scopes, and no further. */
    assert_int_equal(subject_challenge(&subject, 403,
                                       "Bearer error=\"insufficient_scope\", scope=\"b\"",
                                       "Bearer good"),
                     0);
    assert_int_equal(subject_challenge(&subject, 403,
                                       "Bearer error=\"insufficient_scope\", scope=\"b\"",
                                       "Bearer good"),
                     HAFT_EDENIED);
    assert_non_null(strstr(subject.reason.text, "after 3 authorizations"));
    assert_int_equal(subject.logins, 3);
    subject_finish(&subject);
}

/* A server that refuses every token. */
static void gives_up_after_three(void **state)
{
    struct script script = {.changed = NULL};
    struct subject subject;

    (void)state;
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), 0); /* renewed */
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), HAFT_EDENIED);
    assert_int_equal(subject.logins, 2);
    assert_int_equal(script.tokens, 3);
    subject_finish(&subject);
}

/* A refused token is renewed first; a renewed one that is refused needs a login. */
static void renews_before_it_logs_in(void **state)
{
    struct answer changed[] = {
        {"/token", "200 OK", "{'access_token':'next','token_type':'Bearer','refresh_token':'r2'}"},
        {0}};
    struct script script = {.changed = NULL};
    struct subject subject;
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);

    (void)state;
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    script.changed = changed;
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), 0);
    assert_non_null(
        strstr(script.form, "grant_type=refresh_token&refresh_token=refresh-one&resource="));
    assert_string_equal(subject_header(&subject, arena, subject.url), "Bearer next");
    /* Meanwhile there is a newer token: it is used. */
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), 0);
    assert_int_equal(script.tokens, 2);
    assert_int_equal(subject.logins, 1);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer next"), 0);
    assert_int_equal(subject.logins, 2);
    haft_arena_free(arena);
    subject_finish(&subject);
}

static void logs_in_when_renewal_is_refused(void **state)
{
    struct answer changed[] = {{"/token", "400 Bad Request", "{'error':'invalid_grant'}"}, {0}};
    struct script script = {.changed = NULL};
    struct subject subject;

    (void)state;
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    script.changed = changed;
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), HAFT_EDENIED);
    assert_int_equal(script.tokens, 3); /* code, refresh, code */
    assert_int_equal(subject.logins, 2);
    subject_finish(&subject);
}

/* The server moves to another authorization server: nothing of the first is shown there. */
static void registers_at_another_issuer(void **state)
{
    struct script first = {.changed = NULL}, second = {.changed = NULL};
    struct rogue *other = rogue_open(serve_script, &second);
    char text[256], redirect[256];
    struct answer moved[] = {{usual[0].path, "200 OK", text}, {0}};
    struct answer named[] = {{"/register", "201 Created", "{'client_id':'c2'}"}, {0}};
    struct subject subject;

    (void)state;
    second.changed = named;
    snprintf(text, sizeof text, "{'resource':'@/mcp','authorization_servers':['%s']}", other->url);
    assert_int_equal(subject_init(&subject, &first, (haft_oauth_options){0}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    first.changed = moved;
    snprintf(redirect, sizeof redirect, "code=two&state=$&iss=%s", other->url);
    first.redirect = redirect;
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), 0);
    assert_int_equal(first.tokens, 1);
    assert_int_equal(second.registrations, 1);
    assert_non_null(strstr(second.form, "client_id=c2"));
    assert_null(strstr(second.form, "refresh-one"));
    subject_finish(&subject);
    rogue_close(other);
}

static void keeps_static_credentials_at_one_issuer(void **state)
{
    static const struct {
        const char *issuer;
        int status;
    } rows[] = {{NULL, 0}, {"https://other.example", HAFT_EDENIED}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct script script = {.changed = NULL};
        struct subject subject;
        haft_oauth_options options = {
            .client_id = "mine", .client_secret = "s", .issuer = rows[i].issuer};

        assert_int_equal(subject_init(&subject, &script, options, NULL), 0);
        assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), rows[i].status);
        assert_int_equal(script.registrations, 0);
        subject_finish(&subject);
    }
}

/* What a program's store has of a server: an expired token, and how to renew it. */
struct stored {
    const char *issuer;
    int network;
};

static int load_stored(void *context, const char *key, haft_buffer *ret_value)
{
    const struct stored *stored = context;

    if (!strncmp(key, "server ", 7))
        haft_buffer_printf(ret_value,
                           "{\"issuer\":\"%s\",\"resource\":\"https://mcp.example/mcp\","
                           "\"network\":%d}",
                           stored->issuer, stored->network);
    else if (!strncmp(key, "token ", 6))
        haft_buffer_puts(ret_value, "{\"client_id\":\"c\",\"access_token\":\"old\",\"token_type\":"
                                    "\"Bearer\",\"refresh_token\":\"r\",\"expires_at\":1}");
    else
        return HAFT_ENOTFOUND;
    return 0;
}

static int save_stored(void *context, const char *key, const char *value, size_t size)
{
    (void)context, (void)key, (void)value, (void)size;
    return 0;
}

/* A public server must not send the client to this machine. */
static void connects_to_no_narrower_network(void **state)
{
    static const struct {
        enum network network;
        int status;
    } rows[] = {{NETWORK_PUBLIC, HAFT_EDENIED},
                {NETWORK_PRIVATE, HAFT_EDENIED},
                {NETWORK_LINK, HAFT_EDENIED},
                {NETWORK_LOOPBACK, HAFT_PENDING}}; /* it never answers */

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct script script = {.changed = NULL};
        struct http_field fields[AUTHORIZER_FIELDS];
        haft_arena *arena = haft_arena_new(NULL, 1 << 16);
        struct subject subject;
        char issuer[64];
        struct stored stored = {issuer, (int)rows[i].network};
        size_t n;

        assert_int_equal(
            subject_init(
                &subject, &script,
                (haft_oauth_options){.load = load_stored, .save = save_stored, .context = &stored},
                NULL),
            0);
        snprintf(issuer, sizeof issuer, "https://127.0.0.1:%d", subject.rogue->port);
        assert_int_equal(subject.authorizer->class->headers(
                             subject.authorizer, "POST", "https://mcp.example/mcp",
                             "https://mcp.example/mcp", arena, fields, &n, &subject.wait),
                         HAFT_PENDING);
        subject.status = HAFT_PENDING;
        while (!subject.dones && !subject.rogue->connections)
            uv_run(&subject.loop, UV_RUN_ONCE);
        assert_int_equal(subject.status, rows[i].status);
        assert_int_equal(subject.rogue->connections, rows[i].network == NETWORK_LOOPBACK);
        subject.authorizer->class->cancel(subject.authorizer, &subject.wait);
        haft_arena_free(arena);
        subject_finish(&subject);
    }
}

static void falls_back_to_2025_03_26(void **state)
{
    const struct answer changed[] = {
        {usual[0].path, "404 Not Found", ""}, {usual[1].path, "404 Not Found", ""}, {0}};
    struct script script = {.changed = changed, .redirect = "code=one&state=$"};
    struct subject subject;

    (void)state;
    assert_int_equal(
        subject_init(&subject, &script, (haft_oauth_options){.trust_origin = true}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    assert_int_equal(script.resources, 2);
    assert_int_equal(script.issuers, 2);
    assert_int_equal(script.tokens, 1);
    subject_finish(&subject);
}

static void exchanges_assertions(void **state)
{
    static const struct answer changed[] = {
        {"/idp", "200 OK",
         "{'access_token':'jag','token_type':'N_A','issued_token_type':"
         "'urn:ietf:params:oauth:token-type:id-jag'}"},
        {0}};
    static const struct answer wrong[] = {
        {"/idp", "200 OK", "{'access_token':'jag','token_type':'N_A','issued_token_type':'x'}"},
        {0}};
    static const struct {
        haft_grant grant;
        const struct answer *changed;
        int status;
        const char *form;
    } rows[] = {
        {HAFT_GRANT_JWT_BEARER, NULL, 0, "jwt-bearer&assertion=id-token&resource="},
        {HAFT_GRANT_ID_JAG, changed, 0, "jwt-bearer&assertion=jag&resource="},
        {HAFT_GRANT_ID_JAG, wrong, HAFT_EPROTOCOL, ""},
        {HAFT_GRANT_ID_JAG, NULL, HAFT_EDENIED, ""},
        {HAFT_GRANT_CREDENTIALS, NULL, 0, "grant_type=client_credentials&resource="},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct script script = {.changed = rows[i].changed};
        struct subject subject;
        char idp[80];
        haft_oauth_options options = {.grant = rows[i].grant,
                                      .client_id = "mine",
                                      .client_secret = "s",
                                      .assertion = "id-token",
                                      .idp_client_id = "at-idp",
                                      .idp_token_endpoint = "http://127.0.0.1:1/"};

        /* The port of the server is not known before it listens. */
        assert_int_equal(subject_init(&subject, &script, options, NULL), 0);
        snprintf(idp, sizeof idp, "%s/idp", subject.rogue->url);
        ((struct oauth *)subject.authorizer)->options.idp_token_endpoint = idp;
        assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), rows[i].status);
        assert_non_null(strstr(script.form, rows[i].form));
        assert_int_equal(subject.logins, 0);
        subject_finish(&subject);
    }
}

/* Its tokens have expired, and there is nothing to renew them with. */
static int load_expired(void *context, const char *key, haft_buffer *ret_value)
{
    const char *issuer = context;

    if (!strncmp(key, "server ", 7))
        haft_buffer_printf(ret_value, "{\"issuer\":\"%s\",\"resource\":\"http://127.0.0.1:1/mcp\"}",
                           issuer);
    else if (!strncmp(key, "token ", 6))
        haft_buffer_puts(ret_value, "{\"client_id\":\"mine\",\"access_token\":\"old\","
                                    "\"token_type\":\"Bearer\",\"expires_at\":1}");
    else
        return HAFT_ENOTFOUND;
    return 0;
}

/* What the program names is trusted, also after an exchange at an identity provider. */
static void reaches_its_issuer_after_an_exchange(void **state)
{
    char metadata[256];
    struct answer changed[] = {{"/idp", "200 OK",
                                "{'access_token':'jag','token_type':'N_A','issued_token_type':"
                                "'urn:ietf:params:oauth:token-type:id-jag'}"},
                               {usual[1].path, "200 OK", metadata},
                               {0}};
    struct script script = {.changed = changed}, granting = {.changed = NULL};
    struct rogue *other = rogue_open(serve_script, &granting); /* a connection of its own */
    struct http_field fields[AUTHORIZER_FIELDS];
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    struct subject subject;
    char issuer[64] = "", idp[80];
    haft_oauth_options *own;
    size_t n;

    (void)state;
    assert_int_equal(subject_init(&subject, &script,
                                  (haft_oauth_options){.grant = HAFT_GRANT_ID_JAG,
                                                       .client_id = "mine",
                                                       .client_secret = "s",
                                                       .issuer = "https://later.example",
                                                       .assertion = "id-token",
                                                       .idp_client_id = "at-idp",
                                                       .idp_token_endpoint = "http://127.0.0.1:1/",
                                                       .load = load_expired,
                                                       .save = save_stored,
                                                       .context = issuer},
                                  NULL),
                     0);
    /* The port of the server is not known before it listens. */
    snprintf(issuer, sizeof issuer, "%s", subject.rogue->url);
    snprintf(idp, sizeof idp, "%s/idp", subject.rogue->url);
    own = &((struct oauth *)subject.authorizer)->options;
    own->issuer = issuer;
    own->idp_token_endpoint = idp;
    snprintf(metadata, sizeof metadata, "{'issuer':'@','token_endpoint':'%s/token'}", other->url);
    assert_int_equal(subject.authorizer->class->headers(
                         subject.authorizer, "POST", "http://127.0.0.1:1/mcp",
                         "http://127.0.0.1:1/mcp", arena, fields, &n, &subject.wait),
                     HAFT_PENDING);
    ((struct oauth *)subject.authorizer)->accesses->network = NETWORK_PUBLIC;
    while (!subject.dones)
        uv_run(&subject.loop, UV_RUN_ONCE);
    if (subject.status)
        fail_msg("%s", subject.reason.text);
    assert_non_null(strstr(granting.form, "assertion=jag"));
    haft_arena_free(arena);
    subject_finish(&subject);
    rogue_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_in),
        cmocka_unit_test(stops_at_faults),
        cmocka_unit_test(authenticates_as_the_server_wants),
        cmocka_unit_test(steps_up_and_gives_up),
        cmocka_unit_test(gives_up_after_three),
        cmocka_unit_test(renews_before_it_logs_in),
        cmocka_unit_test(logs_in_when_renewal_is_refused),
        cmocka_unit_test(registers_at_another_issuer),
        cmocka_unit_test(keeps_static_credentials_at_one_issuer),
        cmocka_unit_test(connects_to_no_narrower_network),
        cmocka_unit_test(falls_back_to_2025_03_26),
        cmocka_unit_test(exchanges_assertions),
        cmocka_unit_test(reaches_its_issuer_after_an_exchange),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
