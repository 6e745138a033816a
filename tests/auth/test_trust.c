/* test_trust.c - where tokens and credentials of an OAuth client may go, and how long they are kept. */
#define _GNU_SOURCE
#include "auth/script.h"

#include <fcntl.h>

#include "auth/client/flow.h"

/* An assertion goes to one authorization server, also if the client has no id there. */
static void shows_assertions_to_one_issuer(void **state)
{
    static const struct {
        haft_grant grant;
        const char *id, *url;
    } rows[] = {{HAFT_GRANT_JWT_BEARER, NULL, NULL},
                {HAFT_GRANT_JWT_BEARER, "mine", "https://c.example/id"},
                {HAFT_GRANT_ID_JAG, "mine", "https://c.example/id"},
                {HAFT_GRANT_CREDENTIALS, "mine", NULL}};
    static const struct answer changed[] = {
        {"/.well-known/oauth-authorization-server", "200 OK",
         "{'issuer':'@','token_endpoint':'@/token','client_id_metadata_document_supported':true}"},
        {0}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct script script = {.changed = changed};
        struct subject subject;
        haft_oauth_options options = {.grant = rows[i].grant,
                                      .issuer = "https://right.example",
                                      .client_id = rows[i].id,
                                      .client_secret = rows[i].id ? "s" : NULL,
                                      .client_metadata_url = rows[i].url,
                                      .assertion = "workload",
                                      .idp_client_id = "at-idp",
                                      .idp_token_endpoint = "http://127.0.0.1:1/"};

        assert_int_equal(subject_init(&subject, &script, options, NULL), 0);
        assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), HAFT_EDENIED);
        assert_non_null(strstr(subject.reason.text, "no credentials"));
        assert_int_equal(script.tokens, 0);
        subject_finish(&subject);
    }
}

/* Without an issuer, it is the first that is seen. */
static void pins_credentials_to_the_first_issuer(void **state)
{
    static const haft_grant grants[] = {HAFT_GRANT_JWT_BEARER, HAFT_GRANT_CREDENTIALS};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(grants); i++) {
        struct script first = {.changed = NULL}, second = {.changed = NULL};
        struct rogue *other = rogue_open(serve_script, &second);
        char text[256];
        struct answer moved[] = {{usual[0].path, "200 OK", text}, {0}};
        bool assertion = grants[i] == HAFT_GRANT_JWT_BEARER;
        haft_oauth_options options = {.grant = grants[i],
                                      .client_id = assertion ? NULL : "mine",
                                      .client_secret = assertion ? NULL : "s",
                                      .assertion = "workload"};
        struct subject subject;

        snprintf(text, sizeof text, "{'resource':'@/mcp','authorization_servers':['%s']}",
                 other->url);
        assert_int_equal(subject_init(&subject, &first, options, NULL), 0);
        assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
        first.changed = moved;
        assert_int_equal(subject_challenge(&subject, 401, "Bearer", "Bearer good"), HAFT_EDENIED);
        assert_int_equal(first.tokens, 1);
        assert_int_equal(second.tokens, 0);
        subject_finish(&subject);
        rogue_close(other);
    }
}

/* However short its life is, a token is used once before it is renewed. */
static void uses_each_token_once(void **state)
{
    static const struct answer changed[] = {
        {"/token", "200 OK", "{'access_token':'good','token_type':'Bearer','expires_in':0}"}, {0}};
    struct script script = {.changed = changed};
    haft_oauth_options options = {
        .grant = HAFT_GRANT_CREDENTIALS, .client_id = "mine", .client_secret = "s"};
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    struct http_field fields[AUTHORIZER_FIELDS];
    struct subject subject;
    size_t n;

    (void)state;
    assert_int_equal(subject_init(&subject, &script, options, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(subject.authorizer->class->headers(subject.authorizer, "POST", subject.url,
                                                            subject.url, arena, fields, &n,
                                                            &subject.wait),
                         0);
        assert_string_equal(fields[0].value, "Bearer good");
        assert_int_equal(script.tokens, i);
        subject.dones = 0;
        assert_int_equal(subject.authorizer->class->headers(subject.authorizer, "POST", subject.url,
                                                            subject.url, arena, fields, &n,
                                                            &subject.wait),
                         HAFT_PENDING);
        while (!subject.dones)
            uv_run(&subject.loop, UV_RUN_ONCE);
        assert_int_equal(subject.status, 0);
    }
    haft_arena_free(arena);
    subject_finish(&subject);
}

/* A token for a whole origin is shown to the server that asked for it, and to what it names. */
static void shows_tokens_to_their_server(void **state)
{
    static const struct answer changed[] = {{"/.well-known/oauth-protected-resource/mcp", "200 OK",
                                             "{'resource':'@','authorization_servers':['@']}"},
                                            {0}};
    struct script script = {.changed = changed};
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    struct http_field fields[AUTHORIZER_FIELDS];
    struct subject subject;
    char other[160], below[160];
    size_t n;

    (void)state;
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    snprintf(other, sizeof other, "%s/other", subject.rogue->url);
    assert_string_equal(subject_header(&subject, arena, other), "");
    assert_false(haft_authorizer_has_token(subject.authorizer, other));
    assert_true(haft_authorizer_has_token(subject.authorizer, subject.url));
    snprintf(below, sizeof below, "%s/below", subject.url);
    assert_string_equal(subject_header(&subject, arena, below), "Bearer good");
    assert_int_equal(subject.authorizer->class->headers(subject.authorizer, "POST", subject.url,
                                                        other, arena, fields, &n, NULL),
                     0);
    assert_int_equal(n, 1);
    haft_arena_free(arena);
    subject_finish(&subject);
}

/* Servers that have no tokens make room for others. */
static void forgets_servers_without_tokens(void **state)
{
    struct script script = {.changed = NULL};
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    struct subject subject;
    char other[160];

    (void)state;
    assert_int_equal(subject_init(&subject, &script, (haft_oauth_options){0}, NULL), 0);
    assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), 0);
    for (int i = 0; i <= OAUTH_ACCESSES; i++) {
        snprintf(other, sizeof other, "%s/%d", subject.rogue->url, i);
        assert_string_equal(subject_header(&subject, arena, other), "");
    }
    assert_string_equal(subject_header(&subject, arena, subject.url), "Bearer good");
    haft_arena_free(arena);
    subject_finish(&subject);
}

static int keep_doubt(void *context, const char *server, const char *issuer, const char *doubt)
{
    struct subject *subject = context;

    assert_string_equal(server, subject->url);
    assert_string_equal(issuer, subject->rogue->url);
    snprintf(subject->opened, sizeof subject->opened, "%s", doubt ? doubt : "none");
    return HAFT_EDENIED;
}

/* The program decides before anything is registered. */
static void asks_before_it_registers(void **state)
{
#define ENDPOINTS(page, more)                                                                      \
    "{'issuer':'@','authorization_endpoint':'" page "','token_endpoint':'@/token',"                \
    "'registration_endpoint':'@/register','code_challenge_methods_supported':['S256']" more "}"
    static const struct {
        const char *issuer, *doubt;
    } rows[] = {
        {ENDPOINTS("@/authorize", ""), "none"},
        {ENDPOINTS("https://honest.example/a", ""), "its login page and its token endpoint"},
        {ENDPOINTS("https://honest.example/a",
                   ",'authorization_response_iss_parameter_supported':true"),
         "none"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct answer changed[] = {{usual[1].path, "200 OK", rows[i].issuer}, {0}};
        struct script script = {.changed = changed};
        struct subject subject;

        assert_int_equal(
            subject_init(&subject, &script, (haft_oauth_options){.allow_login = keep_doubt}, NULL),
            0);
        assert_int_equal(subject_challenge(&subject, 401, "Bearer", NULL), HAFT_EDENIED);
        assert_non_null(strstr(subject.reason.text, "a login at"));
        assert_int_equal(strncmp(subject.opened, rows[i].doubt, strlen(rows[i].doubt)), 0);
        assert_int_equal(script.registrations + subject.logins, 0);
        subject_finish(&subject);
    }
}

/* A program's store, which another program changes. */
struct shelf {
    char issuer[64], resource[80];
    int removed;
};

static int load_shelf(void *context, const char *key, haft_buffer *ret_value)
{
    const struct shelf *shelf = context;

    if (!strncmp(key, "server ", 7))
        haft_buffer_printf(ret_value, "{\"issuer\":\"%s\",\"resource\":\"%s\"}", shelf->issuer,
                           shelf->resource);
    else if (!strncmp(key, "token ", 6))
        haft_buffer_puts(ret_value, "{\"client_id\":\"c\",\"access_token\":\"old\",\"token_type\":"
                                    "\"Bearer\",\"refresh_token\":\"kept\",\"expires_at\":1}");
    else if (!strncmp(key, "client ", 7))
        haft_buffer_puts(ret_value, "{\"client_id\":\"c\",\"redirect_uri\":"
                                    "\"http://127.0.0.1:1/callback\"}");
    else
        return HAFT_ENOTFOUND;
    return 0;
}

static int save_shelf(void *context, const char *key, const char *value, size_t size)
{
    struct shelf *shelf = context;

    (void)key, (void)size;
    shelf->removed += !value;
    return 0;
}

/* Begins to renew the token of the shelf. */
static void begin_renewal(struct subject *subject, struct script *script, struct shelf *shelf,
                          haft_arena *arena)
{
    struct http_field fields[AUTHORIZER_FIELDS];
    haft_oauth_options options = {.load = load_shelf, .save = save_shelf, .context = shelf};
    size_t n;

    assert_int_equal(subject_init(subject, script, options, NULL), 0);
    snprintf(shelf->issuer, sizeof shelf->issuer, "%s", subject->rogue->url);
    snprintf(shelf->resource, sizeof shelf->resource, "%s/mcp", subject->rogue->url);
    assert_int_equal(subject->authorizer->class->headers(subject->authorizer, "POST", subject->url,
                                                         subject->url, arena, fields, &n,
                                                         &subject->wait),
                     HAFT_PENDING);
}

/* Another program logs in at another issuer meanwhile: its refresh token goes there. */
static void renews_at_the_issuer_of_the_token(void **state)
{
    struct script first = {.changed = NULL}, second = {.changed = NULL};
    struct rogue *other = rogue_open(serve_script, &second);
    haft_arena *arena = haft_arena_new(NULL, 1 << 16);
    struct shelf shelf = {.removed = 0};
    struct subject subject;

    (void)state;
    begin_renewal(&subject, &first, &shelf, arena);
    snprintf(shelf.issuer, sizeof shelf.issuer, "%s", other->url);
    while (!subject.dones)
        uv_run(&subject.loop, UV_RUN_ONCE);
    assert_int_equal(subject.status, 0);
    assert_int_equal(first.tokens, 0);
    assert_non_null(strstr(second.form, "refresh_token=kept"));
    assert_int_equal(shelf.removed, 0);
    haft_arena_free(arena);
    subject_finish(&subject);
    rogue_close(other);
}

/* Only an answer about the token itself ends it. */
static void keeps_tokens_when_renewal_fails(void **state)
{
    static const struct {
        const char *status, *body;
        int result, removed;
    } rows[] = {
        {"400 Bad Request", "{'error':'temporarily_unavailable'}", HAFT_EDENIED, 0},
        {"400 Bad Request", "", 0, 0},
        {"503 Later", "", HAFT_EDENIED, 0},
        {"400 Bad Request", "{'error':'invalid_target'}", 0, 0},
        {"400 Bad Request", "{'error':'invalid_grant'}", 0, 2},
        {"401 Unauthorized", "{'error':'invalid_client'}", 0, 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct answer changed[] = {{"/token", rows[i].status, rows[i].body}, {0}};
        struct script script = {.changed = changed};
        haft_arena *arena = haft_arena_new(NULL, 1 << 16);
        struct shelf shelf = {.removed = 0};
        struct subject subject;

        begin_renewal(&subject, &script, &shelf, arena);
        while (!subject.dones)
            uv_run(&subject.loop, UV_RUN_ONCE);
        if (subject.status != rows[i].result || shelf.removed != rows[i].removed)
            fail_msg("row %zu: %d, %d removed", i, subject.status, shelf.removed);
        assert_int_equal(script.tokens, 1);
        haft_arena_free(arena);
        subject_finish(&subject);
    }
}

/* ---- several programs ---- */

/* A token file with an expired token for the server. */
static void write_expired(const char *path, const char *origin)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FILE *file = fdopen(fd, "w");

    assert_non_null(file);
    fprintf(
        file,
        "{\"haft-tokens-1\":{\"server %s/mcp\":{\"issuer\":\"%s\",\"resource\":\"%s/mcp\"},"
        "\"token %s %s/mcp\":{\"client_id\":\"c\",\"access_token\":\"old\",\"token_type\":"
        "\"Bearer\",\"refresh_token\":\"once\",\"expires_at\":1},"
        "\"client %s\":{\"client_id\":\"c\",\"redirect_uri\":\"http://127.0.0.1:1/callback\"}}}",
        origin, origin, origin, origin, origin, origin);
    fclose(file);
}

static int subject_ask(struct subject *subject, haft_arena *arena, struct http_field *fields)
{
    size_t n = 0;

    fields[0].value = "";
    return subject->authorizer->class->headers(subject->authorizer, "POST", subject->url,
                                               subject->url, arena, fields, &n, &subject->wait);
}

static bool subject_waits(const struct subject *subject)
{
    const struct oauth *oauth = (const struct oauth *)subject->authorizer;

    return oauth->accesses->flow && oauth->accesses->flow->renewal.timer;
}

/* Two programs renew at the same instant: the second finds what the first has saved. If the first ends
 * without an answer, the second uses the refresh token. */
static void uses_a_refresh_token_once(void **state)
{
    char path[] = "/tmp/haft-renew-XXXXXX", lock[64];
    int fd = mkstemp(path);

    (void)state;
    close(fd);
    unlink(path);
    for (int dies = 0; dies < 2; dies++) {
        struct script script = {.holds = true}, unused = {.changed = NULL};
        struct subject first, second;
        haft_arena *arena = haft_arena_new(NULL, 1 << 16);
        struct http_field fields[AUTHORIZER_FIELDS];
        haft_oauth_options options = {.token_file = path};

        assert_int_equal(subject_init(&first, &script, options, NULL), 0);
        assert_int_equal(subject_init(&second, &unused, options, NULL), 0);
        memcpy(second.url, first.url, sizeof second.url);
        write_expired(path, first.rogue->url);
        assert_int_equal(subject_ask(&first, arena, fields), HAFT_PENDING);
        while (!script.tokens) {
            uv_run(&first.loop, UV_RUN_NOWAIT);
            uv_sleep(1);
        }
        assert_int_equal(subject_ask(&second, arena, fields), HAFT_PENDING);
        while (!second.dones && !subject_waits(&second))
            uv_run(&second.loop, UV_RUN_ONCE);
        assert_int_equal(script.tokens, 1);
        atomic_store(&script.holds, false);
        if (dies)
            first.authorizer->class->detach(first.authorizer);
        while (!dies && !first.dones)
            uv_run(&first.loop, UV_RUN_ONCE);
        while (!second.dones)
            uv_run(&second.loop, UV_RUN_ONCE);
        assert_int_equal(second.status, 0);
        assert_int_equal(subject_ask(&second, arena, fields), 0);
        assert_string_equal(fields[0].value, "Bearer good");
        assert_int_equal(script.tokens, 1 + dies);
        haft_arena_free(arena);
        subject_finish(&second);
        subject_finish(&first);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(lock, sizeof lock, "%s.%s", path, i ? "lock" : "renew");
        assert_int_equal(unlink(lock), 0);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_assertions_to_one_issuer),
        cmocka_unit_test(pins_credentials_to_the_first_issuer),
        cmocka_unit_test(uses_each_token_once),
        cmocka_unit_test(shows_tokens_to_their_server),
        cmocka_unit_test(forgets_servers_without_tokens),
        cmocka_unit_test(asks_before_it_registers),
        cmocka_unit_test(renews_at_the_issuer_of_the_token),
        cmocka_unit_test(keeps_tokens_when_renewal_fails),
        cmocka_unit_test(uses_a_refresh_token_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
