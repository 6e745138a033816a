/* test_authenticator.c - options of authenticators, credentials in requests, and every refusal with its
 * headers. */
#define _GNU_SOURCE
#include "auth/issuer.h"
#include "support/file.h"

/* SHA-256 of "secret" and "other". */
#define SECRET "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
#define OTHER "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"
#define THIRD "b1e99324505bd32da0e1f85dcf5e19a09db0481e8a15f62c41eb320304a8e927"

#define METADATA                                                                                   \
    "resource_metadata=\"https://tools.example/.well-known/oauth-protected-resource/mcp\""

/* ---- options ---- */

static void refuses_options(void **state)
{
    static const char good[] = "https://tools.example/mcp", url[] = "https://as.example";
    static const char *const cycle[] = {"a=b", "b=a", NULL};
    static const struct {
        haft_authenticator_options options;
        haft_issuer issuer; /* url NULL: none */
        const char *path, *text;
    } rows[] = {
        {{.resource = good}, {.url = NULL}, "issuers", "either issuers or key_file"},
        {{.resource = NULL}, {.url = url}, "resource", "must be set"},
        {{.resource = "/mcp"}, {.url = url}, "resource", "https"},
        {{.resource = "http://tools.example/mcp"}, {.url = url}, "resource", "https"},
        {{.resource = "https://tools.example/mcp#a"}, {.url = url}, "resource", "fragment"},
        {{.resource = "https://tools.example/mcp?a"}, {.url = url}, "resource", "query"},
        {{.resource = "https://u:p@tools.example/"}, {.url = url}, "resource", "https"},
        {{.resource = good, .scopes = "a \"b\""}, {.url = url}, "scopes", "quotes"},
        {{.resource = good, .includes = cycle}, {.url = url}, "includes", "includes itself"},
        {{.resource = good, .dpop = (haft_dpop)3}, {.url = url}, "dpop", "unknown"},
        {{.resource = good, .dpop = HAFT_DPOP_REFUSED, .dpop_nonce = true},
         {.url = url},
         "dpop_nonce",
         "refused"},
        {{.resource = good, .skew_s = 3601}, {.url = url}, "skew_s", "3,600"},
        {{.dpop = HAFT_DPOP_REQUIRED, .key_file = "/dev/null"}, {.url = NULL}, "dpop", "issuers"},
        {{.key_file = "/nonexistent/keys"}, {.url = NULL}, "/nonexistent/keys", "cannot open"},
        {{.resource = good}, {.url = "as.example"}, "issuer.url", "https"},
        {{.resource = good}, {.url = "http://as.example"}, "issuer.url", "https"},
        {{.resource = good}, {.url = "https://as.example?x"}, "issuer.url", "query"},
        {{.resource = good},
         {.url = url, .jwks_uri = "http://as.example/k"},
         "issuer.jwks_uri",
         ""},
        {{.resource = good}, {.url = url, .algorithms = "HS256"}, "issuer.algorithms", "RS256"},
        {{.resource = good}, {.url = url, .algorithms = "none"}, "issuer.algorithms", "RS256"},
        {{.resource = good}, {.url = url, .client_secret = "s"}, "issuer.introspection", "must be"},
        {{.resource = good},
         {.url = url, .introspection = ""},
         "issuer.introspection",
         "client_id"},
        {{.resource = good},
         {.url = url,
          .introspection = "http://as.example/i",
          .client_id = "c",
          .client_secret = "s"},
         "issuer.introspection",
         "https"},
        {{.resource = good},
         {.url = url,
          .introspection = "",
          .client_id = "c",
          .client_secret = "s",
          .client_key = "k"},
         "issuer.introspection",
         "either"},
        {{.resource = good},
         {.url = url, .introspection = "", .client_id = "c", .client_key = "not PEM"},
         "",
         ""},
    };

    (void)state;
    haft_part_register(&haft_http_client_part);
    haft_part_register(&haft_crypto_part);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_authenticator_options options = rows[i].options;
        haft_issuer issuer = rows[i].issuer;
        haft_reason reason = {0};

        options.struct_size = sizeof options;
        issuer.struct_size = sizeof issuer;
        options.issuers = issuer.url ? &issuer : NULL;
        options.n_issuers = !!issuer.url;
        if (haft_authenticator_new(&options, &reason))
            fail_msg("row %zu was accepted", i);
        if (!reason.code || strcmp(reason.path, rows[i].path) != 0 ||
            !strstr(reason.text, rows[i].text))
            fail_msg("row %zu: %s: %s", i, reason.path, reason.text);
        assert_null(haft_authenticator_new(&options, NULL));
    }
}

static void refuses_unsized_options(void **state)
{
    haft_authenticator_options options = {.resource = "https://tools.example/mcp"};
    haft_issuer issuers[2] = {HAFT_INIT(haft_issuer, .url = "https://as.example"),
                              HAFT_INIT(haft_issuer, .url = "https://as.example")};
    haft_reason reason = {0};

    (void)state;
    assert_null(haft_authenticator_new(NULL, &reason));
    assert_null(haft_authenticator_new(&options, &reason));
    assert_non_null(strstr(reason.text, "struct_size"));
    options.struct_size = sizeof options;
    options.issuers = issuers;
    options.n_issuers = 2;
    assert_null(haft_authenticator_new(&options, &reason));
    assert_non_null(strstr(reason.text, "two issuers have the same URL"));
    issuers[1].struct_size = 0;
    assert_null(haft_authenticator_new(&options, &reason));
    assert_non_null(strstr(reason.text, "struct_size"));
    haft_authenticator_free(NULL);
}

/* ---- credentials ---- */

static void answers_credentials(void **state)
{
    static const struct {
        haft_header headers[3];
        const char *query;
        int status;
        const char *challenge, *body;
    } rows[] = {
        {{{"Accept", "*/*"}},
         "",
         401,
         "Bearer " METADATA ", scope=\"a b\"",
         "{\"error\":\"unauthorized\",\"error_description\":\"An access token is required\"}"},
        {{{"Authorization", "Basic eDp5"}},
         "",
         401,
         "Bearer " METADATA ", scope=\"a b\"",
         "unauth"},
        {{{"authorization", "bearer"}}, "", 400, "", "The Authorization header is malformed"},
        {{{"Authorization", "Bearer a b"}}, "", 400, "", "malformed"},
        {{{"Authorization", "Bearer a,b"}}, "", 400, "", "malformed"},
        {{{"Authorization", "Bearer a"}, {"authorization", "Bearer b"}},
         "",
         400,
         "",
         "{\"error\":\"invalid_request\",\"error_description\":\"A header with credentials is "
         "repeated\"}"},
        {{{"DPoP", "a"}, {"dpop", "b"}}, "", 400, "", "repeated"},
        {{{"Accept", "*/*"}}, "access_token=x", 400, "", "not in the URL"},
        {{{"Accept", "*/*"}}, "a=b&access%5Ftoken=x", 400, "", "not in the URL"},
        {{{"Accept", "*/*"}}, "access_token", 400, "", "not in the URL"},
        {{{"Accept", "*/*"}},
         "access_tokens=x&no_access_token=y",
         401,
         "Bearer " METADATA ", scope=\"a b\"",
         ""},
        {{{"Authorization", "Bearer opaque"}},
         "",
         401,
         "Bearer error=\"invalid_token\", error_description=\"The access token is malformed\", " METADATA
         ", scope=\"a b\"",
         "{\"error\":\"invalid_token\",\"error_description\":\"The access token is malformed\"}"},
        {{{"Authorization", "DPoP opaque"}},
         "",
         401,
         "DPoP algs=\"ES256 RS256 PS256 EdDSA\", error=\"invalid_token\", "
         "error_description=\"The access token is malformed\", " METADATA ", scope=\"a b\"",
         "invalid_token"},
        /* Without a file of keys it is a header like any other. */
        {{{"X-API-Key", "secret"}}, "", 401, "Bearer " METADATA ", scope=\"a b\"", ""},
    };
    struct subject subject;

    (void)state;
    subject_open_with(&subject, (haft_authenticator_options){.scopes = "a b"},
                      (haft_issuer){.url = NULL}, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_request request = {
            .method = "POST", .path = "/mcp", .query = rows[i].query, .headers = rows[i].headers};
        struct visitor visitor;

        while (request.n_headers < 3 && rows[i].headers[request.n_headers].name)
            request.n_headers++;
        assert_int_equal(visit(&visitor, &subject, &request), HAFT_STOP);
        if (visitor.authentication.refusal.status != rows[i].status ||
            strcmp(visitor_header(&visitor, "WWW-Authenticate"), rows[i].challenge) != 0 ||
            !strstr(visitor.authentication.refusal.body, rows[i].body))
            fail_msg("row %zu: %d, %s, %s", i, visitor.authentication.refusal.status,
                     visitor_header(&visitor, "WWW-Authenticate"),
                     visitor.authentication.refusal.body);
        assert_string_equal(visitor_header(&visitor, "Content-Type"), "application/json");
        assert_string_equal(visitor_header(&visitor, "Cache-Control"), "no-store");
        visitor_release(&visitor);
    }
    assert_int_equal(atomic_load(&subject.issuer.rogue->requests), 0);
    subject_close(&subject);
}

/* ---- tokens ---- */

static void accepts_token(void **state)
{
    char token[ISSUER_TEXT], value[ISSUER_TEXT + 16], principal[128];
    haft_header header = {"Authorization", value};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    const haft_identity *identity;
    struct visitor visitor;
    struct subject subject;

    (void)state;
    subject_open_with(&subject, (haft_authenticator_options){.scopes = "a"},
                      (haft_issuer){.url = NULL}, NULL);
    token_make(&subject.issuer, 0, ",'department':'sales'", token);
    snprintf(value, sizeof value, "bEARER  %s", token);
    snprintf(principal, sizeof principal, "%s\nalice", subject.issuer.rogue->url);
    assert_int_equal(visitor_begin(&visitor, &subject, &request), HAFT_PENDING);
    for (int i = 0; i < 3; i++) {
        if (i)
            assert_int_equal(visitor_begin(&visitor, &subject, &request), 0);
        else
            assert_int_equal(visitor_wait(&visitor), 0);
        identity = visitor.authentication.identity;
        assert_string_equal(identity->principal, principal);
        assert_string_equal(identity->method, "oauth");
        assert_string_equal(identity->issuer, subject.issuer.rogue->url);
        assert_string_equal(identity->subject, "alice");
        assert_string_equal(identity->client, "c1");
        assert_string_equal(identity->scopes, "a b");
        assert_non_null(strstr(identity->claims, "\"department\":\"sales\""));
        assert_false(identity->fixed);
        /* As long as it is accepted. */
        assert_int_equal(identity->expires,
                         (strtoll(strstr(identity->claims, "\"exp\":") + 6, NULL, 10) + 60) * 1000);
        assert_null(visitor.authentication.renewal.name);
        visitor_release(&visitor);
    }
    assert_int_equal(atomic_load(&subject.issuer.metadata), 1);
    assert_int_equal(atomic_load(&subject.issuer.jwks), 1);
    subject_close(&subject);
}

/* The token has the scopes a and b. */
static void accepts_scopes_that_include_others(void **state)
{
    static const char *const includes[] = {"b=c d", "c=e", "f=g", NULL};
    static const struct {
        const char *scopes;
        int status;
    } rows[] = {{"c", 0}, {"a e", 0}, {"g", HAFT_STOP}, {"b g", HAFT_STOP}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
        haft_header header = {"Authorization", value};
        haft_request request = {
            .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
        struct visitor visitor;
        struct subject subject;

        subject_open_with(
            &subject, (haft_authenticator_options){.scopes = rows[i].scopes, .includes = includes},
            (haft_issuer){.url = NULL}, NULL);
        token_make(&subject.issuer, 0, "", token);
        snprintf(value, sizeof value, "Bearer %s", token);
        if (visit(&visitor, &subject, &request) != rows[i].status)
            fail_msg("row %zu: %s", i, rows[i].scopes);
        visitor_release(&visitor);
        subject_close(&subject);
    }
}

static void refuses_tokens(void **state)
{
    static const char header[] = "{'alg':'ES256','typ':'at+jwt','kid':'k0'}";
    static const struct {
        const char *header, *claims; /* claims: %T is the time of the test */
        int status;
        const char *challenge;
    } rows[] = {
        {header, "{'iss':'@','aud':'https://tools.example/mcp','sub':'s','exp':1800000600}", 403,
         "Bearer error=\"insufficient_scope\", error_description=\"The access token lacks a "
         "required scope\", " METADATA ", scope=\"a\""},
        {header, "{'iss':'@','aud':'https://tools.example/mcp','sub':'s','exp':1799999940}", 401,
         "Bearer error=\"invalid_token\", error_description=\"The access token has expired\", " METADATA
         ", scope=\"a\""},
        {header, "{'iss':'@','aud':'https://tools.example/','sub':'s','exp':1800000600}", 401,
         "Bearer error=\"invalid_token\", error_description=\"The token was issued for another "
         "resource\", " METADATA ", scope=\"a\""},
        {header, "{'iss':'@/','aud':'https://tools.example/mcp','sub':'s','exp':1800000600}", 401,
         "Bearer error=\"invalid_token\", error_description=\"The token's issuer is not "
         "accepted\", " METADATA ", scope=\"a\""},
        {"{'alg':'ES256','typ':'JWT','kid':'k0'}",
         "{'iss':'@','aud':'https://tools.example/mcp','sub':'s','exp':1800000600}", 401,
         "Bearer error=\"invalid_token\", error_description=\"The token is not an access token\", " METADATA
         ", scope=\"a\""},
        {"{'alg':'ES256','typ':'at+jwt','kid':'other'}",
         "{'iss':'@','aud':'https://tools.example/mcp','sub':'s','exp':1800000600}", 401,
         "Bearer error=\"invalid_token\", error_description=\"The token's key is not known\", " METADATA
         ", scope=\"a\""},
    };
    static const char *const reasons[COUNT_OF(rows)] = {"insufficient_scope", "expired",
                                                        "wrong_audience",     "wrong_issuer",
                                                        "wrong_type",         "unknown_key"};
    struct subject subject;

    (void)state;
    subject_open_with(&subject, (haft_authenticator_options){.scopes = "a"},
                      (haft_issuer){.url = NULL}, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
        haft_header authorization = {"Authorization", value};
        haft_request request = {.method = "POST",
                                .path = "/mcp",
                                .query = "",
                                .headers = &authorization,
                                .n_headers = 1};
        struct visitor visitor;

        token_sign(subject.issuer.keys[0], rows[i].header, rows[i].claims,
                   subject.issuer.rogue->url, token);
        snprintf(value, sizeof value, "Bearer %s", token);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(visit(&visitor, &subject, &request), HAFT_STOP);
            if (visitor.authentication.refusal.status != rows[i].status ||
                strcmp(visitor_header(&visitor, "WWW-Authenticate"), rows[i].challenge) != 0)
                fail_msg("row %zu: %d, %s", i, visitor.authentication.refusal.status,
                         visitor_header(&visitor, "WWW-Authenticate"));
            assert_null(visitor.authentication.identity);
            assert_string_equal(visitor.authentication.reason, reasons[i]);
            visitor_release(&visitor);
        }
    }
    subject_close(&subject);
}

/* ---- API keys ---- */

static void checks_keys(void **state)
{
    static const struct {
        haft_header headers[2];
        int status;
        const char *owner, *challenge;
    } rows[] = {
        {{{"X-API-Key", "secret"}}, 200, "alice", ""},
        {{{"Authorization", "Bearer secret"}}, 200, "alice", ""},
        {{{"Authorization", "Bearer secret"}, {"X-API-Key", "secret"}}, 400, NULL, ""},
        {{{"X-API-Key", "wrong"}},
         401,
         NULL,
         "Bearer realm=\"haft\", error=\"invalid_token\", error_description=\"The API key is not "
         "known\""},
        {{{"Authorization", "Bearer wrong"}},
         401,
         NULL,
         "Bearer realm=\"haft\", error=\"invalid_token\", error_description=\"The API key is not "
         "known\""},
        {{{"Accept", "*/*"}}, 401, NULL, "Bearer realm=\"haft\", scope=\"a\""},
        {{{"X-API-Key", " "}}, 400, NULL, ""},
        {{{"X-API-Key", "third"}}, 200, "carol", ""},
        {{{"X-API-Key", "other"}},
         403,
         NULL,
         "Bearer realm=\"haft\", error=\"insufficient_scope\", error_description=\"The API key "
         "lacks a required scope\", scope=\"a\""},
    };
    char path[FILE_PATH];
    struct subject subject;
    haft_buffer text;

    (void)state;
    memset(&subject, 0, sizeof subject);
    file_make(path, SECRET " alice\n" OTHER " bob\tb c\t2026-11-16\n" THIRD " carol\tb *\n");
    subject.authenticator = haft_authenticator_new(
        HAFT_WITH(haft_authenticator_options, .key_file = path, .scopes = "a"), NULL);
    assert_non_null(subject.authenticator);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_request request = {.method = "POST",
                                .path = "/mcp",
                                .query = "",
                                .headers = rows[i].headers,
                                .n_headers = rows[i].headers[1].name ? 2 : 1};
        struct visitor visitor;
        int status = visit(&visitor, &subject, &request);

        assert_int_equal(status ? visitor.authentication.refusal.status : 200, rows[i].status);
        if (!status)
            assert_string_equal(visitor.authentication.identity->principal, rows[i].owner);
        else if (rows[i].status != 400 &&
                 !strstr(visitor_header(&visitor, "WWW-Authenticate"), rows[i].challenge))
            fail_msg("row %zu: %s", i, visitor_header(&visitor, "WWW-Authenticate"));
        visitor_release(&visitor);
    }
    haft_buffer_init(&text, NULL, 1000);
    assert_int_equal(
        subject.authenticator->class->describe(subject.authenticator, "/mcp", NULL, NULL, &text),
        HAFT_ENOTFOUND);
    haft_buffer_finish(&text);
    haft_authenticator_free(subject.authenticator);
    unlink(path);
}

static void reloads_keys(void **state)
{
    haft_header header = {"X-API-Key", "secret"};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    char path[FILE_PATH];
    struct subject subject;
    struct visitor visitor, later;
    haft_reason reason = {0};
    unsigned version;
    uint64_t owner;
    FILE *file;

    (void)state;
    memset(&subject, 0, sizeof subject);
    file_make(path, SECRET " alice\n");
    subject.authenticator =
        haft_authenticator_new(HAFT_WITH(haft_authenticator_options, .key_file = path), NULL);
    assert_int_equal(visit(&visitor, &subject, &request), 0);
    owner = authenticator_owner(visitor.authentication.identity);
    assert_int_not_equal(owner, 0);
    file = fopen(path, "w");
    fputs("broken\n", file);
    fclose(file);
    assert_int_equal(haft_authenticator_reload(subject.authenticator, &reason), HAFT_EINVAL);
    assert_non_null(strstr(reason.text, "line 1"));
    assert_int_equal(visit(&later, &subject, &request), 0);
    visitor_release(&later);
    file = fopen(path, "w");
    fputs(OTHER " bob\n", file);
    fclose(file);
    version = subject.authenticator->class->version(subject.authenticator);
    assert_true(subject.authenticator->class->knows(subject.authenticator, owner));
    assert_int_equal(haft_authenticator_reload(subject.authenticator, &reason), 0);
    assert_int_not_equal(subject.authenticator->class->version(subject.authenticator), version);
    assert_false(subject.authenticator->class->knows(subject.authenticator, owner));
    assert_int_equal(visit(&later, &subject, &request), HAFT_STOP);
    visitor_release(&later);
    /* An identity outlives the keys that it came with. */
    assert_string_equal(visitor.authentication.identity->principal, "alice");
    visitor_release(&visitor);
    haft_authenticator_free(subject.authenticator);
    unlink(path);
}

/* ---- documents ---- */

static void describes_resources(void **state)
{
    static const struct {
        const char *resource, *path, *document, *challenge;
    } rows[] = {
        {"https://tools.example/mcp", "/mcp",
         "{\"resource\":\"https://tools.example/mcp\",\"authorization_servers\":[\"@\"],"
         "\"scopes_supported\":[\"a\",\"c\"],\"bearer_methods_supported\":[\"header\"],"
         "\"resource_name\":\"Tools\",\"dpop_signing_alg_values_supported\":[\"ES256\",\"RS256\","
         "\"PS256\",\"EdDSA\"]}",
         "Bearer error=\"insufficient_scope\", " METADATA ", scope=\"a c\""},
        {"https://Tools.example:443", "/two", "{\"resource\":\"https://tools.example/two\",",
         "Bearer error=\"insufficient_scope\", resource_metadata=\"https://"
         "tools.example/.well-known/oauth-protected-resource/two\", scope=\"a c\""},
        {"https://tools.example/", "/",
         "{\"resource\":\"https://tools.example/\",\"authorization_servers\":[\"@\"],"
         "\"scopes_supported\":[\"a\",\"c\"],\"bearer_methods_supported\":[\"header\"],"
         "\"resource_name\":\"notes\",",
         "Bearer error=\"insufficient_scope\", resource_metadata=\"https://"
         "tools.example/.well-known/oauth-protected-resource\", scope=\"a c\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char wanted[1024], found[1024];
        struct subject subject;
        haft_buffer text;

        subject_open_with(&subject,
                          (haft_authenticator_options){.resource = rows[i].resource,
                                                       .resource_name = i ? NULL : "Tools",
                                                       .scopes = "a"},
                          (haft_issuer){.url = NULL}, NULL);
        issuer_put_text(rows[i].document, subject.issuer.rogue->url, wanted, sizeof wanted);
        haft_buffer_init(&text, NULL, sizeof found - 1);
        assert_int_equal(subject.authenticator->class->describe(subject.authenticator, rows[i].path,
                                                                "notes", "c offline_access a",
                                                                &text),
                         0);
        snprintf(found, sizeof found, "%.*s", (int)text.size, text.data);
        if (strncmp(found, wanted, strlen(wanted)) != 0)
            fail_msg("row %zu: %s", i, found);
        haft_buffer_clear(&text);
        assert_int_equal(subject.authenticator->class->challenge(subject.authenticator,
                                                                 rows[i].path, "c a", &text),
                         0);
        snprintf(found, sizeof found, "%.*s", (int)text.size, text.data);
        assert_string_equal(found, rows[i].challenge);
        haft_buffer_finish(&text);
        subject_close(&subject);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_options),
        cmocka_unit_test(refuses_unsized_options),
        cmocka_unit_test(answers_credentials),
        cmocka_unit_test(accepts_token),
        cmocka_unit_test(refuses_tokens),
        cmocka_unit_test(checks_keys),
        cmocka_unit_test(reloads_keys),
        cmocka_unit_test(describes_resources),
        cmocka_unit_test(accepts_scopes_that_include_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
