/* options.c - creates an OAuth client: the options are checked and copied when there is still
 * someone to read the reason. */
#include "auth/client/oauth.h"
#include "auth/scope.h"
#include "auth/wiping.h"
#include "base/struct.h"
#include "part/crypto.h"

enum { OPTIONS_ATTEMPTS = 3, OPTIONS_LOGIN_MS = 300000, OPTIONS_ARENA = 256 << 10 };

static const char options_redirect[] = "http://127.0.0.1:0/callback";

static int options_refuse(haft_reason *reason, const char *name, const char *text)
{
    return hf_error_set(reason, HAFT_EINVAL, name, "%s: %s", name, text);
}

static int options_copy(struct oauth *oauth)
{
    haft_oauth_options *options = &oauth->options;
    const char **const strings[] = {&options->client_id,
                                    &options->client_secret,
                                    &options->issuer,
                                    &options->private_key,
                                    &options->client_metadata_url,
                                    &options->client_name,
                                    &options->scopes,
                                    &options->redirect_uri,
                                    &options->assertion,
                                    &options->idp_token_endpoint,
                                    &options->idp_client_id,
                                    &options->token_file,
                                    &options->ca_file};

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        if (!*strings[i])
            continue;
        *strings[i] = haft_arena_copy(oauth->arena, *strings[i], strlen(*strings[i]));
        if (!*strings[i])
            return HAFT_ENOMEM;
    }
    return 0;
}

static void options_complete(haft_oauth_options *options)
{
    options->client_name = options->client_name ? options->client_name : "haft";
    options->max_attempts = options->max_attempts ? options->max_attempts : OPTIONS_ATTEMPTS;
    options->login_ms = options->login_ms ? options->login_ms : OPTIONS_LOGIN_MS;
    if (!options->redirect_uri && !options->manual_redirect)
        options->redirect_uri = options_redirect;
}

/* ---- checks ---- */

static bool options_is_secure(const char *text)
{
    struct web_url url;

    return !hf_web_url_read(text, &url) && !url.has_fragment && (url.tls || url.loopback);
}

static int options_check_urls(const haft_oauth_options *options, haft_reason *reterr_reason)
{
    const char *document = options->client_metadata_url;
    struct web_url url;

    if (document &&
        (hf_web_url_read(document, &url) || !url.tls || url.path.size < 2 || url.has_fragment))
        return options_refuse(reterr_reason, "client_metadata_url",
                              "expected an https URL with a path");
    if (options->issuer && !options_is_secure(options->issuer))
        return options_refuse(reterr_reason, "issuer", "expected an https URL");
    if (options->idp_token_endpoint && !options_is_secure(options->idp_token_endpoint))
        return options_refuse(reterr_reason, "idp_token_endpoint", "expected an https URL");
    return 0;
}

static int options_check_redirect(const haft_oauth_options *options, haft_reason *reterr_reason)
{
    static const char name[] = "redirect_uri";
    struct url parts;
    struct web_url url;

    if (!options->redirect_uri)
        return options_refuse(reterr_reason, name, "must be set with manual_redirect");
    parts = hf_url_split(options->redirect_uri, strlen(options->redirect_uri));
    if (!parts.scheme.text || parts.fragment.text ||
        strlen(options->redirect_uri) > WEB_URL_LIMIT / 2)
        return options_refuse(reterr_reason, name, "expected an absolute URL without a fragment");
    if (!hf_web_url_read(options->redirect_uri, &url)) {
        if (!url.tls && !url.loopback)
            return options_refuse(reterr_reason, name, "http is for loopback addresses only");
        if (options->manual_redirect && !url.port)
            return options_refuse(reterr_reason, name,
                                  "port 0 cannot be used with manual_redirect");
        if (options->manual_redirect || (!url.tls && !url.query.text))
            return 0;
    } else if (options->manual_redirect) {
        return 0; /* a scheme of the program's */
    }
    return options_refuse(reterr_reason, name,
                          "the client can only listen on http://127.0.0.1:PORT/PATH, "
                          "http://[::1]:PORT/PATH or http://localhost:PORT/PATH");
}

static int options_check_grant(const haft_oauth_options *options, haft_reason *reterr_reason)
{
    bool credentials = options->client_id && (options->client_secret || options->private_key);

    switch (options->grant) {
    case HAFT_GRANT_CODE:
        return options_check_redirect(options, reterr_reason);
    case HAFT_GRANT_CREDENTIALS:
        return credentials ? 0
                           : options_refuse(reterr_reason, "grant",
                                            "client credentials need client_id, and client_secret "
                                            "or private_key");
    case HAFT_GRANT_JWT_BEARER:
        return options->assertion
                   ? 0
                   : options_refuse(reterr_reason, "assertion", "must be set for this grant");
    case HAFT_GRANT_ID_JAG:
        return options->assertion && options->idp_token_endpoint && options->idp_client_id &&
                       options->client_id
                   ? 0
                   : options_refuse(reterr_reason, "grant",
                                    "an exchange needs assertion, idp_token_endpoint, "
                                    "idp_client_id and client_id");
    }
    return options_refuse(reterr_reason, "grant", "unknown grant");
}

static int options_check(const haft_oauth_options *options, haft_reason *reterr_reason)
{
    int status = options_check_urls(options, reterr_reason);

    if (!status)
        status = options_check_grant(options, reterr_reason);
    if (status)
        return status;
    if ((options->client_secret || options->private_key) && !options->client_id &&
        !options->client_metadata_url)
        return options_refuse(reterr_reason, "client_id", "must be set with a secret or a key");
    if (!options->load != !options->save)
        return options_refuse(reterr_reason, "load", "load and save must be set together");
    if (options->token_file && options->load)
        return options_refuse(reterr_reason, "token_file", "cannot be used with load and save");
    return 0;
}

/* ---- the client ---- */

static int options_open_crypto(struct oauth *oauth, haft_reason *reterr_reason)
{
    const char *pem = oauth->options.private_key;

    if (!pem && !oauth->options.dpop)
        return 0;
    oauth->crypto = hf_crypto_open(pem ? "private_key" : "dpop", reterr_reason);
    if (!oauth->crypto)
        return HAFT_ENOTFOUND;
    if (pem)
        oauth->key = oauth->crypto->read(pem, reterr_reason);
    return pem && !oauth->key ? HAFT_EINVAL : 0;
}

/* Whether the file of the tokens can be used, before a person logs in. */
static int options_check_file(struct oauth *oauth, haft_reason *reterr_reason)
{
    haft_buffer value;
    int status;

    if (!oauth->store.file)
        return 0;
    haft_buffer_init(&value, oauth->memory, AUTH_STORE_VALUE);
    status = hf_auth_store_load(&oauth->store, "", &value, reterr_reason);
    haft_buffer_finish(&value);
    return status == HAFT_ENOTFOUND ? 0 : status;
}

static int options_fill(struct oauth *oauth, haft_reason *reterr_reason)
{
    const haft_oauth_options *options = &oauth->options;
    int status = options_copy(oauth);

    if (status)
        return hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
    oauth->store = (struct auth_store){.allocator = oauth->memory,
                                       .file = options->token_file,
                                       .load = options->load,
                                       .save = options->save,
                                       .context = options->context};
    status = options_open_crypto(oauth, reterr_reason);
    return status ? status : options_check_file(oauth, reterr_reason);
}

haft_authorizer *hf_oauth_create(const haft_oauth_options *given, const haft_allocator *allocator,
                                 haft_reason *reterr_reason)
{
    haft_oauth_options options;
    struct oauth *oauth;

    if (!hf_struct_read(&options, sizeof options, given)) {
        hf_error_set(reterr_reason, HAFT_EINVAL, "options", STRUCT_UNSIZED);
        return NULL;
    }
    options_complete(&options);
    if (options_check(&options, reterr_reason))
        return NULL;
    oauth = allocator->alloc(allocator->context, sizeof *oauth);
    if (oauth) {
        *oauth = (struct oauth){.base = {&hf_oauth_class}, .memory = allocator, .options = options};
        oauth->arena = haft_arena_new(allocator, OPTIONS_ARENA);
    }
    if (!oauth || !oauth->arena) {
        if (oauth)
            allocator->release(allocator->context, oauth, sizeof *oauth);
        hf_error_set(reterr_reason, HAFT_ENOMEM, "", "%s", haft_strerror(HAFT_ENOMEM));
        return NULL;
    }
    if (options_fill(oauth, reterr_reason)) {
        hf_oauth_class.free(&oauth->base);
        return NULL;
    }
    return &oauth->base;
}

haft_authorizer *haft_oauth_new(const haft_oauth_options *options, haft_reason *reterr_reason)
{
    return hf_oauth_create(options, &hf_wiping_allocator, reterr_reason);
}
