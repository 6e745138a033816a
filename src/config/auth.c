/* auth.c - authentication, access and TLS of settings: checked together, and made. */
#include "config/auth.h"
#include "auth/server/share.h"

#include <string.h>

#include "auth/wiping.h"
#include "config/issuer.h"
#include "config/option.h"
#include "engine/offer/access.h"

enum { AUTH_SECRET_LIMIT = 64 << 10 };

static size_t auth_count(const char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

bool hf_auth_is_wanted(const struct settings *settings)
{
    return auth_count(settings->auth.issuers) || settings->auth.keys;
}

static bool auth_is_said(const struct settings *settings, const struct option *option, int source)
{
    return hf_option_is_set(option, settings) &&
           settings->from[hf_settings_place(settings, option)] >= source;
}

const char *hf_auth_given(const struct settings *settings, int source)
{
    for (size_t i = 0; i < hf_option_count; i++) {
        const struct option *option = &hf_option_table[i];
        const char *key = option->key ? option->key : "";

        if ((!strncmp(key, "auth.", 5) || !strncmp(key, "tls.", 4)) &&
            auth_is_said(settings, option, source))
            return option->flag;
    }
    return NULL;
}

/* ---- checking ---- */

/* Options that need another one. */
static const struct auth_need {
    const char *flag, *needs, * or ; /* the last may be NULL */
} auth_needs[] = {
    {"--oauth-issuer", "--oauth-resource", NULL},
    {"--oauth-resource", "--oauth-issuer", NULL},
    {"--oauth-audience", "--oauth-issuer", NULL},
    {"--oauth-scopes", "--oauth-issuer", "--keys"},
    {"--dpop", "--oauth-issuer", NULL},
    {"--dpop-nonce", "--oauth-issuer", NULL},
    {"--client-cert-header", "--oauth-issuer", NULL},
    {"--client-cert-header", "--trusted-proxy", NULL},
    {"--tls-cert", "--tls-key", NULL},
    {"--tls-key", "--tls-cert", NULL},
    {"--tls-client-ca", "--tls-cert", NULL},
};

static bool auth_has(const struct settings *settings, const char *flag)
{
    return flag && hf_option_is_set(hf_option_by_flag(flag), settings);
}

static void auth_check_needs(const struct settings *settings, struct complaints *complaints)
{
    for (size_t i = 0; i < sizeof auth_needs / sizeof *auth_needs; i++) {
        const struct auth_need *row = &auth_needs[i];

        if (auth_has(settings, row->flag) && !auth_has(settings, row->needs) &&
            !auth_has(settings, row->or))
            hf_complaints_add(complaints, "%s requires %s%s%s", row->flag, row->needs,
                              row->or ? " or " : "", row->or ? row->or : "");
    }
}

static void auth_check_tls(const struct settings *settings, struct complaints *complaints)
{
    size_t certificates = auth_count(settings->http.tls_certificates),
           keys = auth_count(settings->http.tls_keys);

    if (certificates && keys && certificates != keys)
        hf_complaints_add(
            complaints,
            "--tls-cert, --tls-key: %zu certificate%s and %zu private key%s; give one "
            "key for each certificate, in the same order",
            certificates, certificates == 1 ? "" : "s", keys, keys == 1 ? "" : "s");
    if (settings->auth.tls_client == TLS_CLIENT_OPTIONAL && !settings->http.tls_client_ca)
        hf_complaints_add(complaints, "--tls-client requires --tls-client-ca");
}

int hf_auth_check(const struct settings *settings, struct complaints *complaints)
{
    auth_check_needs(settings, complaints);
    auth_check_tls(settings, complaints);
    for (size_t i = 0; i < auth_count(settings->auth.issuers); i++) {
        struct issuer issuer;
        haft_reason reason = {0};
        int status = hf_issuer_read(settings->auth.issuers[i], settings->arena, &issuer, &reason);

        if (status == HAFT_ENOMEM)
            return status;
        if (status)
            hf_complaints_add(complaints, "--oauth-issuer %s: %s", settings->auth.issuers[i],
                              reason.text);
    }
    return complaints->text.status;
}

/* ---- making ---- */

static void auth_log(void *context, haft_level level, const char *text, size_t size)
{
    hf_server_log(context, level, "%.*s", (int)size, text);
}

/* Issuers, and the memory of their secrets, which is wiped when it is freed. */
struct auth_issuers {
    haft_issuer *options;
    haft_buffer *secrets;
    size_t n; /* that have been read */
};

static int auth_read_issuers(const struct settings *settings, haft_server *server,
                             struct auth_issuers *issuers, haft_reason *reterr_reason)
{
    size_t n = auth_count(settings->auth.issuers);

    *issuers = (struct auth_issuers){
        .options = haft_arena_zalloc(settings->arena, n + 1, sizeof *issuers->options),
        .secrets = haft_arena_zalloc(settings->arena, n + 1, sizeof *issuers->secrets)};
    if (!issuers->options || !issuers->secrets)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "--oauth-issuer", "out of memory");
    for (size_t i = 0; i < n; i++) {
        struct issuer issuer;
        int status =
            hf_issuer_read(settings->auth.issuers[i], settings->arena, &issuer, reterr_reason);

        haft_buffer_init(&issuers->secrets[i], &hf_wiping_allocator, AUTH_SECRET_LIMIT);
        issuers->n = i + 1;
        if (!status)
            status = hf_issuer_read_secrets(&issuer, server, &issuers->secrets[i], reterr_reason);
        if (status)
            return status;
        issuers->options[i] = issuer.options;
    }
    return 0;
}

static void auth_finish_issuers(struct auth_issuers *issuers)
{
    for (size_t i = 0; i < issuers->n; i++)
        haft_buffer_finish(&issuers->secrets[i]);
}

/* Whether the conditions of a rule hold for whatever issuer says so. */
static bool auth_rule_trusts_all(const struct access_rule *rule)
{
    bool says = false;

    for (size_t i = 0; i < rule->n_conditions; i++) {
        enum access_about about = rule->conditions[i].about;

        if (about == ACCESS_ISSUER || about == ACCESS_PRINCIPAL)
            return false;
        says = says || about == ACCESS_SUBJECT || about == ACCESS_CLIENT || about == ACCESS_CLAIM;
    }
    return says;
}

/* With several issuers, the same name can mean a different person at each. */
static void auth_note_rules(const struct settings *settings, haft_server *server)
{
    const char *const *rules = settings->auth.rules;

    for (size_t i = 0; rules && rules[i]; i++) {
        struct access_rule rule = {0};
        haft_reason reason = {0};

        if (!hf_access_rule_read(settings->arena, rules[i], i + 1, &rule, &reason) &&
            auth_rule_trusts_all(&rule))
            hf_server_log(
                server, HAFT_NOTICE,
                "rule %zu of --access applies to tokens of all issuers; add the condition "
                "\"issuer URL\" if only one of them may decide",
                i + 1);
    }
}

int hf_auth_make(const struct settings *settings, haft_server *server,
                 haft_authenticator **ret_authenticator, haft_reason *reterr_reason)
{
    const struct auth_settings *auth = &settings->auth;
    struct auth_issuers issuers;
    int status;

    *ret_authenticator = NULL;
    if (!hf_auth_is_wanted(settings))
        return 0;
    status = auth_read_issuers(settings, server, &issuers, reterr_reason);
    if (!status) {
        *ret_authenticator = haft_authenticator_new(
            HAFT_WITH(haft_authenticator_options, .resource = auth->resource,
                      .audiences = auth->audiences, .scopes = auth->scopes,
                      .includes = auth->includes, .issuers = issuers.options,
                      .n_issuers = issuers.n, .key_file = auth->keys, .dpop = (haft_dpop)auth->dpop,
                      .dpop_nonce = auth->dpop_nonce,
                      .certificate_header = auth->certificate_header, .log = auth_log,
                      .log_context = server),
            reterr_reason);
        if (*ret_authenticator)
            hf_authenticator_share(*ret_authenticator, server);
        status = *ret_authenticator ? 0 : reterr_reason->code ? reterr_reason->code : HAFT_EFAIL;
    }
    if (!status && issuers.n > 1)
        auth_note_rules(settings, server);
    auth_finish_issuers(&issuers);
    return status;
}

/* ---- access ---- */

static bool auth_access_differs(const struct settings *settings, const struct settings *before)
{
    static const char *const flags[] = {"--access", "--scope-includes", "--hide-by-scope"};
    bool differs = false;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const struct option *option = hf_option_by_flag(flags[i]);

        differs = differs || (before ? !hf_option_equal(option, settings, before)
                                     : hf_option_is_set(option, settings));
    }
    return differs;
}

int hf_auth_apply_access(haft_server *server, const struct settings *settings,
                         const struct settings *before)
{
    const struct auth_settings *auth = &settings->auth;

    if (!auth_access_differs(settings, before))
        return 0;
    return haft_server_set_access(server,
                                  HAFT_WITH(haft_access, .rules = auth->rules,
                                            .includes = auth->includes, .hide = auth->hide));
}
