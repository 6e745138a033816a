/* reach.c - decides whether other machines may reach what is served.
 *
 * Credentials that are sent in clear text belong to everybody on the way.  A trusted proxy is where TLS
 * ends, so that clients do not connect to this server directly. */
#include "http/reach.h"

#include "engine/offer/catalogue.h"
#include "http/http.h"

/* ---- listening ---- */

static bool reach_authenticates_at(const haft_http_mount *mount)
{
    return mount->struct_size > offsetof(haft_http_mount, authenticator) && mount->authenticator;
}

/* Whether clients send credentials that an authenticator checks.  Other policies of a gateway may
 * check signatures, for example, which are worth nothing to a listener. */
static bool reach_authenticates(const haft_http *http)
{
    return http->options.authenticator || hf_mux_takes_tokens(&http->mux);
}

static bool reach_is_private(const haft_http_options *options)
{
    return (options->tls_certificates && *options->tls_certificates) ||
           (options->trusted_proxies && *options->trusted_proxies);
}

/* A policy can be added to what an app itself reports; an endpoint needs an authenticator, and anything
 * else a gateway around it. */
static int reach_refuse_open(const char *path, const char *where, size_t size, const char *what,
                             const char *rest, haft_reason *reason)
{
    return hf_error_set(reason, HAFT_EINVAL, path,
                        "refusing to listen on %.*s: %s%s has no authentication; %s, or pass "
                        "--insecure",
                        (int)size, where, what, rest,
                        *rest ? "serve it through a gateway with a policy, or authenticate clients "
                                "with --keys or --oauth-issuer"
                              : "add a policy");
}

int hf_reach_check(const haft_http *http, const char *path, const char *where, size_t size,
                   haft_reason *reterr_reason)
{
    const char *rest, *what;

    if (http->options.insecure)
        return 0;
    what = hf_mux_unauthenticated(&http->mux, &rest);
    if (what)
        return reach_refuse_open(path, where, size, what, rest, reterr_reason);
    if (reach_authenticates(http) && !reach_is_private(&http->options))
        return hf_error_set(reterr_reason, HAFT_EINVAL, path,
                            "refusing to listen on %.*s without TLS: clients would send tokens and "
                            "API keys in clear text; pass --tls-cert and --tls-key, name the proxy "
                            "in front with --trusted-proxy, or pass --insecure",
                            (int)size, where);
    return 0;
}

/* ---- scopes ---- */

void hf_reach_note_scopes(haft_server *log, haft_server *server)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    const struct item *found = NULL;

    for (size_t i = 0; i < OFFER_LISTS && !found; i++)
        for (size_t j = 0; j < catalogue->lists[i].n && !found; j++) {
            const struct entry *entry = &catalogue->lists[i].entries[j];

            if (!entry->disabled && entry->item->scopes)
                found = entry->item;
        }
    if (found)
        hf_server_log(log, HAFT_NOTICE,
                      "%s requires scopes, but clients are not authenticated: everybody may use it",
                      found->name);
    hf_catalogue_drop(catalogue);
}

void hf_reach_note(const haft_http *http)
{
    const haft_http_options *options = &http->options;
    const haft_http_mount *one = options->mounts;

    if (options->admit || options->authenticator)
        return;
    if (*options->path)
        hf_reach_note_scopes(http->server, http->server);
    for (size_t i = 0; i < options->n_mounts; i++, one = mount_next(one))
        if (one->server && !reach_authenticates_at(one))
            hf_reach_note_scopes(http->server, one->server);
}
