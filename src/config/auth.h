/* config/auth.h - who may use a server over HTTP, as an operator says it: issuers of tokens, API
 * keys, rules and TLS. */
#ifndef HAFT_SRC_CONFIG_AUTH_H
#define HAFT_SRC_CONFIG_AUTH_H

#include <haft/access.h>
#include <haft/authenticate.h>

struct settings;
struct complaints;

/* Values of the options; NULL for those that are not set. */
struct auth_settings {
    const char *const *issuers; /* "URL [KEY=VALUE ...]" (issuer.h) */
    const char *resource;
    const char *const *audiences;
    const char *scopes;
    int dpop; /* haft_dpop */
    bool dpop_nonce;
    const char *certificate_header;
    const char *keys; /* a file */
    const char *const *rules, *const *includes;
    bool hide;
    int tls_client; /* enum tls_client */
};

enum tls_client { TLS_CLIENT_REQUIRED, TLS_CLIENT_OPTIONAL };

/* Complains of issuers that cannot be read, and of options that do not fit together. Returns 0 or
 * HAFT_ENOMEM. */
int hf_auth_check(const struct settings *settings, struct complaints *complaints);

/* Whether the settings require authentication. */
bool hf_auth_is_wanted(const struct settings *settings);

/* The flag of an option of this file that is on the command line, and needs HTTP; NULL if there is
 * none. From `source` on, others are found as well. */
const char *hf_auth_given(const struct settings *settings, int source);

/* Makes the authenticator of the settings, which logs through the server; *ret_authenticator is NULL
 * if the settings do not require authentication. Returns 0, or an error with the reason. */
int hf_auth_make(const struct settings *settings, haft_server *server,
                 haft_authenticator **ret_authenticator, haft_reason *reterr_reason);

/* Sets what clients may use, if that differs from the settings `before`; NULL: from nothing. Returns 0,
 * or an error that the server keeps. */
int hf_auth_apply_access(haft_server *server, const struct settings *settings,
                         const struct settings *before);

#endif
