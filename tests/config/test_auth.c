/* test_auth.c - authentication, access and TLS as settings: what is read, what is refused, and what
 * is made of it. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/auth.h"
#include "config/issuer.h"
#include "config/option.h"
#include "config/reload.h"
#include "support/file.h"
#include "support/test.h"

/* ---- issuers ---- */

static const struct issuer_row {
    const char *text;
    const char *read;    /* what is read, one after the other; or */
    const char *refused; /* why not */
} issuer_rows[] = {
    {"https://a.example", "https://a.example|-|-|-|-|-|-|-|0", NULL},
    {"  https://a.example \t any-type ", "https://a.example|-|-|-|-|-|-|-|1", NULL},
    {"https://a.example jwks=https://a.example/keys ca=/etc/ca.pem algorithms=ES256,EdDSA",
     "https://a.example|https://a.example/keys|-|-|-|-|ES256 EdDSA|/etc/ca.pem|0", NULL},
    {"https://a.example introspection=auto client=me secret-file=/s",
     "https://a.example|-||me|/s|-|-|-|0", NULL},
    {"http://127.0.0.1:9 introspection=http://127.0.0.1:9/i?a=b client=me key-file=/k=1",
     "http://127.0.0.1:9|-|http://127.0.0.1:9/i?a=b|me|-|/k=1|-|-|0", NULL},
    {"", NULL, "expected the issuer's URL first, such as https://login.example.org"},
    {"   ", NULL, "expected the issuer's URL first, such as https://login.example.org"},
    {"jwks=https://a.example/keys https://a.example", NULL, "unknown word https://a.example"},
    {"ftp://a.example", NULL, "expected the issuer's URL first, such as https://login.example.org"},
    {"https://a.example jwk=x", NULL, "unknown word jwk; did you mean jwks?"},
    {"https://a.example any-typ", NULL, "unknown word any-typ; did you mean any-type?"},
    {"https://a.example any-type=1", NULL, "unknown word any-type; did you mean any-type?"},
    {"https://a.example jwks", NULL, "jwks needs a value: jwks=VALUE"},
    {"https://a.example ca=", NULL, "ca needs a value: ca=VALUE"},
    {"https://a.example ca=/a ca=/b", NULL, "ca is given twice"},
    {"https://a.example secret=hunter2", NULL,
     "secrets are read from files: write secret-file=FILE or key-file=FILE instead of secret="},
    {"https://a.example client=me", NULL,
     "client has no effect without introspection=URL or introspection=auto"},
    {"https://a.example secret-file=/s", NULL,
     "secret-file has no effect without introspection=URL or introspection=auto"},
    {"https://a.example key-file=/s", NULL,
     "key-file has no effect without introspection=URL or introspection=auto"},
    {"https://a.example introspection=auto", NULL,
     "introspection needs client=ID and either secret-file=FILE or key-file=FILE"},
    {"https://a.example introspection=auto client=me", NULL,
     "introspection needs client=ID and either secret-file=FILE or key-file=FILE"},
    {"https://a.example introspection=auto client=me secret-file=/s key-file=/k", NULL,
     "introspection needs client=ID and either secret-file=FILE or key-file=FILE"},
    {"https://a.example introspection=auto secret-file=/s", NULL,
     "introspection needs client=ID and either secret-file=FILE or key-file=FILE"},
};

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void issuers_are_read(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(issuer_rows); i++) {
        const struct issuer_row *row = &issuer_rows[i];
        haft_reason reason = {0};
        struct issuer issuer = {0};
        char got[512] = "";
        int status = hf_issuer_read(row->text, arena, &issuer, &reason);

        if (status != (row->read ? 0 : HAFT_EINVAL))
            fail_msg("%s: %d %s", row->text, status, reason.text);
        if (!row->read) {
            assert_string_equal(reason.text, row->refused);
            continue;
        }
        snprintf(got, sizeof got, "%s|%s|%s|%s|%s|%s|%s|%s|%d", issuer.options.url,
                 or_dash(issuer.options.jwks_uri), or_dash(issuer.options.introspection),
                 or_dash(issuer.options.client_id), or_dash(issuer.secret_file),
                 or_dash(issuer.key_file), or_dash(issuer.options.algorithms),
                 or_dash(issuer.options.ca_file), issuer.options.any_type);
        assert_string_equal(got, row->read);
        assert_int_equal(issuer.options.struct_size, sizeof(haft_issuer));
        assert_null(issuer.options.client_secret);
        assert_null(issuer.options.client_key);
    }
    haft_arena_free(arena);
}

/* ---- settings ---- */

enum { AUTH_LOG = 4096, AUTH_GIVEN = 8 };

/* What the functions that are wrapped have been given. */
static struct {
    char made[1024], accessed[512];
    const char *refuses; /* why nothing can be made; NULL: it can */
    int access_status, reload_status;
    unsigned n_made, n_freed, n_accessed, n_reloaded;
} seen;

struct haft_authenticator *__wrap_haft_authenticator_new(const haft_authenticator_options *options,
                                                         haft_reason *reterr_reason);
void __wrap_haft_authenticator_free(haft_authenticator *authenticator);
int __wrap_haft_authenticator_reload(haft_authenticator *authenticator, haft_reason *reterr_reason);
int __wrap_haft_server_set_access(haft_server *server, const haft_access *access);

struct haft_authenticator *__wrap_haft_authenticator_new(const haft_authenticator_options *options,
                                                         haft_reason *reterr_reason)
{
    size_t n = 0;

    if (seen.refuses) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "keys", "%s", seen.refuses);
        return NULL;
    }
    for (size_t i = 0; i < options->n_issuers; i++) {
        const haft_issuer *issuer = &options->issuers[i];

        n += (size_t)snprintf(seen.made + n, sizeof seen.made - n, "%s,%s,%s;", issuer->url,
                              or_dash(issuer->client_secret), or_dash(issuer->client_key));
    }
    snprintf(seen.made + n, sizeof seen.made - n, "%s %s %s %s %s %d %d %s",
             or_dash(options->resource), options->audiences ? options->audiences[0] : "-",
             or_dash(options->resource_name), or_dash(options->scopes), or_dash(options->key_file),
             (int)options->dpop, options->dpop_nonce, or_dash(options->certificate_header));
    options->log(options->log_context, HAFT_WARNING, "said by it, cut", 10);
    seen.n_made++;
    return (struct haft_authenticator *)(void *)&seen;
}

void __wrap_haft_authenticator_free(haft_authenticator *authenticator)
{
    seen.n_freed += authenticator != NULL;
}

int __wrap_haft_authenticator_reload(haft_authenticator *authenticator, haft_reason *reterr_reason)
{
    assert_ptr_equal(authenticator, &seen);
    seen.n_reloaded++;
    return seen.reload_status
               ? hf_error_set(reterr_reason, seen.reload_status, "/keys", "line 3: expected a hash")
               : 0;
}

int __wrap_haft_server_set_access(haft_server *server, const haft_access *access)
{
    seen.n_accessed++;
    if (seen.access_status) {
        int status = seen.access_status;

        seen.access_status = 0;
        return hf_server_refuse(server, status, "access", "rule 1 is wrong");
    }
    snprintf(seen.accessed, sizeof seen.accessed, "%s %s %d",
             access->rules ? access->rules[0] : "-", access->includes ? access->includes[0] : "-",
             access->hide);
    return 0;
}

struct auth_case {
    haft_server *server;
    struct program_settings program;
    struct settings settings;
    struct complaints complaints;
    char log[AUTH_LOG];
    int status;
};

static void auth_keep_line(void *context, haft_level level, const char *text, size_t size)
{
    struct auth_case *test = context;
    size_t n = strlen(test->log);

    if (level >= HAFT_NOTICE)
        snprintf(test->log + n, sizeof test->log - n, "%.*s\n", (int)size, text);
}

/* Reads words such as "--keys", "/a"; ends with NULL. */
static void auth_begin(struct auth_case *test, const char *const *words)
{
    struct given given[AUTH_GIVEN];
    size_t n = 0;

    memset(&seen, 0, sizeof seen);
    *test = (struct auth_case){
        .server = haft_server_new_with(
            "test", "1",
            HAFT_WITH(haft_server_options, .log = auth_keep_line, .log_context = test))};
    assert_int_equal(hf_program_settings_init(&test->program, test->server), 0);
    hf_complaints_init(&test->complaints, NULL);
    for (; words[2 * n]; n++)
        given[n] = (struct given){hf_option_by_flag(words[2 * n]), words[2 * n + 1]};
    assert_int_equal(hf_settings_load(&test->settings, &test->program, given, n, &test->complaints),
                     0);
    test->status = hf_auth_check(&test->settings, &test->complaints);
    haft_buffer_add(&test->complaints.text, "", 1);
}

static void auth_end(struct auth_case *test)
{
    hf_settings_finish(&test->settings);
    hf_complaints_finish(&test->complaints);
    haft_server_free(test->server);
}

#define ISSUER "--oauth-issuer", "https://a.example"
#define RESOURCE "--oauth-resource", "https://b.example/mcp"

static void options_that_do_not_fit_are_told(void **state)
{
    static const struct {
        const char *words[12], *complaints;
    } rows[] = {
        {{NULL}, ""},
        {{ISSUER, RESOURCE}, ""},
        {{"--keys", "/k"}, ""},
        {{"--keys", "/k", "--oauth-scopes", "a b"}, ""},
        {{"--access", "deny tools x", "--scope-includes", "a=b", "--hide-by-scope", NULL}, ""},
        {{"--tls-cert", "/c", "--tls-key", "/k", "--tls-client-ca", "/ca", "--tls-client",
          "optional"},
         ""},
        {{ISSUER}, "--oauth-issuer requires --oauth-resource\n"},
        {{RESOURCE, "--oauth-audience", "a"},
         "--oauth-resource requires --oauth-issuer\n--oauth-audience requires --oauth-issuer\n"},
        {{"--oauth-scopes", "a"}, "--oauth-scopes requires --oauth-issuer or --keys\n"},
        {{"--keys", "/k", "--dpop", "required", "--dpop-nonce", NULL},
         "--dpop requires --oauth-issuer\n--dpop-nonce requires --oauth-issuer\n"},
        {{ISSUER, RESOURCE, "--client-cert-header", "X"},
         "--client-cert-header requires --trusted-proxy\n"},
        {{"--tls-cert", "/c"}, "--tls-cert requires --tls-key\n"},
        {{"--tls-key", "/k"}, "--tls-key requires --tls-cert\n"},
        {{"--tls-client-ca", "/ca"}, "--tls-client-ca requires --tls-cert\n"},
        {{"--tls-client", "optional"}, "--tls-client requires --tls-client-ca\n"},
        {{"--tls-cert", "/c", "--tls-cert", "/d", "--tls-key", "/k"},
         "--tls-cert, --tls-key: 2 certificates and 1 private key; give one key for each "
         "certificate, in the same order\n"},
        {{"--oauth-issuer", "https://a.example jwk=1", RESOURCE},
         "--oauth-issuer https://a.example jwk=1: unknown word jwk; did you mean jwks?\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct auth_case test;

        auth_begin(&test, rows[i].words);
        assert_int_equal(test.status, 0);
        assert_string_equal(test.complaints.text.data, rows[i].complaints);
        auth_end(&test);
    }
}

static void an_authenticator_is_made(void **state)
{
    char secret[FILE_PATH], key[FILE_PATH], first[256], second[256];
    const char *const words[] = {"--oauth-issuer",
                                 first,
                                 "--oauth-issuer",
                                 second,
                                 RESOURCE,
                                 "--oauth-audience",
                                 "aud",
                                 "--oauth-scopes",
                                 "a b",
                                 "--dpop",
                                 "required",
                                 "--dpop-nonce",
                                 NULL,
                                 NULL};
    haft_authenticator *authenticator = NULL;
    struct auth_case test;
    haft_reason reason = {0};

    (void)state;
    file_make(secret, "hunter2\r\n");
    file_make(key, "-----BEGIN PRIVATE KEY-----\nx\n");
    assert_int_equal(chmod(key, 0644), 0);
    snprintf(first, sizeof first, "https://a.example introspection=auto client=me secret-file=%s",
             secret);
    snprintf(second, sizeof second, "https://c.example introspection=auto client=me key-file=%s",
             key);
    auth_begin(&test, words);
    assert_string_equal(test.complaints.text.data, "");
    assert_int_equal(hf_auth_make(&test.settings, test.server, &authenticator, &reason), 0);
    assert_ptr_equal(authenticator, &seen);
    assert_string_equal(seen.made,
                        "https://a.example,hunter2,-;https://c.example,-,-----BEGIN PRIVATE "
                        "KEY-----\nx\n;https://b.example/mcp aud - a b - 2 1 -");
    assert_non_null(
        strstr(test.log, ": mode 0644 lets other users read the secret; run chmod 600"));
    assert_non_null(strstr(test.log, "said by it\n"));
    assert_null(strstr(test.log, "hunter2"));
    unlink(secret);
    unlink(key);

    /* A file that is gone is a reason, by its name. */
    assert_int_equal(hf_auth_make(&test.settings, test.server, &authenticator, &reason),
                     HAFT_EINVAL);
    assert_null(authenticator);
    assert_string_equal(reason.path, secret);
    assert_string_equal(reason.text, "cannot read the secret: No such file or directory");
    auth_end(&test);
}

static void a_file_without_a_secret_is_refused(void **state)
{
    static const char *const texts[] = {"", "\n", "\r\n\n"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        char path[FILE_PATH], issuer[256];
        const char *const words[] = {"--oauth-issuer", issuer, RESOURCE, NULL};
        haft_authenticator *authenticator = NULL;
        haft_reason reason = {0};
        struct auth_case test;

        file_make(path, texts[i]);
        snprintf(issuer, sizeof issuer,
                 "https://a.example introspection=auto client=me secret-file=%s", path);
        auth_begin(&test, words);
        assert_int_equal(hf_auth_make(&test.settings, test.server, &authenticator, &reason),
                         HAFT_EINVAL);
        assert_string_equal(reason.text, "the file contains no secret");
        unlink(path);
        auth_end(&test);
    }
}

static void nobody_is_authenticated_unless_asked(void **state)
{
    static const char *const none[] = {NULL}, *const keys[] = {"--keys", "/k", NULL};
    haft_authenticator *authenticator = NULL;
    haft_reason reason = {0};
    struct auth_case test;

    (void)state;
    auth_begin(&test, none);
    assert_false(hf_auth_is_wanted(&test.settings));
    assert_int_equal(hf_auth_make(&test.settings, test.server, &authenticator, &reason), 0);
    assert_null(authenticator);
    assert_int_equal(seen.n_made, 0);
    assert_null(hf_auth_given(&test.settings, FROM_FILE));
    auth_end(&test);

    auth_begin(&test, keys);
    assert_true(hf_auth_is_wanted(&test.settings));
    assert_string_equal(hf_auth_given(&test.settings, FROM_COMMAND_LINE), "--keys");
    assert_int_equal(hf_auth_make(&test.settings, test.server, &authenticator, &reason), 0);
    assert_string_equal(seen.made, "- - - - /k 0 0 -");
    seen.refuses = "no such file";
    assert_int_equal(hf_auth_make(&test.settings, test.server, &authenticator, &reason),
                     HAFT_EINVAL);
    assert_string_equal(reason.text, "no such file");
    auth_end(&test);
}

/* ---- again ---- */

static void auth_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void rules_and_keys_change_while_serving(void **state)
{
    char path[FILE_PATH];
    const char *const words[] = {"--config", path, NULL};
    struct given given = {hf_option_by_flag("--config"), path};
    struct auth_case test;
    struct audit_file audit = {0};
    struct reload reload;

    (void)state;
    file_make(path, "{\"auth\": {\"access\": [\"deny tools a\"], \"keys\": \"/keys\"}}");
    auth_begin(&test, words);
    assert_int_equal(hf_app_apply_live(NULL, test.server, &test.settings, NULL), 0);
    assert_string_equal(seen.accessed, "deny tools a - 0");
    reload = (struct reload){.server = test.server,
                             .given = &given,
                             .n_given = 1,
                             .started = &test.settings,
                             .audit = &audit,
                             .authenticator = (haft_authenticator *)(void *)&seen};

    /* The keys are read again although nothing else has changed. */
    hf_reload_now(&reload);
    assert_int_equal(seen.n_reloaded, 1);
    assert_int_equal(seen.n_accessed, 1);
    assert_string_equal(test.log, "read the API keys again\nconfiguration reloaded\n");

    auth_write(path, "{\"auth\": {\"access\": [\"deny tools b\"], \"hide_by_scope\": true, "
                     "\"keys\": \"/others\"}}");
    test.log[0] = '\0';
    hf_reload_now(&reload);
    assert_string_equal(seen.accessed, "deny tools b - 1");
    assert_string_equal(test.log, "read the API keys again\n"
                                  "auth.keys: changing this requires a restart\n"
                                  "auth.access: now deny tools b (file)\n"
                                  "auth.hide_by_scope: now true (file)\n"
                                  "configuration reloaded\n");

    /* Keys that cannot be read do not keep the rest from changing. */
    test.log[0] = '\0';
    seen.reload_status = HAFT_EINVAL;
    hf_reload_now(&reload);
    assert_string_equal(test.log, "cannot read the API keys again; revoked keys remain valid: "
                                  "/keys: line 3: expected a hash\n"
                                  "auth.keys: changing this requires a restart\n"
                                  "configuration reloaded\n");

    /* All or nothing: a rule that is wrong undoes the rest, but not the keys. */
    auth_write(path, "{\"auth\": {\"access\": [\"deny tools c\"], \"keys\": \"/keys\"}, "
                     "\"limits\": {\"timeout\": \"1s\"}}");
    test.log[0] = '\0';
    seen.reload_status = 0;
    seen.access_status = HAFT_EINVAL;
    seen.n_reloaded = 0;
    hf_reload_now(&reload);
    assert_int_equal(seen.n_reloaded, 1);
    assert_string_equal(seen.accessed, "deny tools b - 1");
    assert_int_equal(atomic_load(&test.server->limits.timeout_ms), 30000);
    assert_string_equal(test.log, "read the API keys again\n"
                                  "access: rule 1 is wrong\n"
                                  "the new configuration is invalid; keeping the old one\n");

    /* Nor do options that do not fit, or are unknown. */
    auth_write(path, "{\"auth\": {\"scopes\": \"a\"}}");
    test.log[0] = '\0';
    hf_reload_now(&reload);
    assert_string_equal(test.log, "read the API keys again\n"
                                  "the new configuration is invalid; keeping the old one\n"
                                  "--oauth-scopes requires --oauth-issuer or --keys\n");
    auth_write(path, "{\"unknown\": 1}");
    hf_reload_now(&reload);
    assert_int_equal(seen.n_reloaded, 3);

    /* What is not said any more is allowed. */
    auth_write(path, "{\"auth\": {\"keys\": \"/keys\"}}");
    hf_reload_now(&reload);
    assert_string_equal(seen.accessed, "- - 0");
    hf_reload_finish(&reload);
    unlink(path);
    auth_end(&test);
}

static void rules_about_any_issuer_are_noted(void **state)
{
    static const char notice[] = "of --access applies to tokens of all issuers";
    static const struct {
        const char *rule;
        bool noted; /* with two issuers */
    } rows[] = {
        {"allow if subject admin", true},
        {"allow tools * if not client web", true},
        {"deny if claim a=b and scope c", true},
        {"allow if subject admin and issuer https://a.example", false},
        {"deny if issuer https://c.example and claim a=b", false},
        {"deny if principal ada", false},
        {"deny if scope c", false},
        {"deny tools *_delete", false},
    };

    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        bool two = i % 2;
        const char *const words[] = {ISSUER,
                                     RESOURCE,
                                     "--access",
                                     rows[i / 2].rule,
                                     two ? "--oauth-issuer" : NULL,
                                     "https://c.example",
                                     NULL,
                                     NULL};
        haft_authenticator *authenticator = NULL;
        struct auth_case test;
        haft_reason reason = {0};

        auth_begin(&test, words);
        assert_int_equal(hf_auth_make(&test.settings, test.server, &authenticator, &reason), 0);
        if ((strstr(test.log, notice) != NULL) != (two && rows[i / 2].noted))
            fail_msg("%s: %s", rows[i / 2].rule, test.log);
        auth_end(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(issuers_are_read),
        cmocka_unit_test(options_that_do_not_fit_are_told),
        cmocka_unit_test(an_authenticator_is_made),
        cmocka_unit_test(a_file_without_a_secret_is_refused),
        cmocka_unit_test(nobody_is_authenticated_unless_asked),
        cmocka_unit_test(rules_and_keys_change_while_serving),
        cmocka_unit_test(rules_about_any_issuer_are_noted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
