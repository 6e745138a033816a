/* store_open.c - finds the part that has a store by the scheme of its URL. */
#include "config/store_open.h"

#include <haft/redis.h>
#include <string.h>

#include "base/base.h"

/* Opens a store; NULL with the reason. */
typedef haft_store *store_opener(const struct store_settings *settings, haft_reason *reterr_reason);

static haft_store *store_open_redis(const struct store_settings *settings,
                                    haft_reason *reterr_reason)
{
    return haft_redis_store_new(
        settings->url,
        HAFT_WITH(haft_redis_options, .password_file = settings->password_file,
                  .ca_file = settings->ca, .certificate = settings->certificate,
                  .key = settings->key),
        reterr_reason);
}

static const struct store_scheme {
    const char *name; /* with the colon */
    store_opener *open;
    bool has_tls;
} store_schemes[] = {
    {"redis:", store_open_redis, false},
    {"rediss:", store_open_redis, true},
    {"redis+unix:", store_open_redis, false},
    {"redis+sentinel:", store_open_redis, false},
};

haft_store *hf_store_open(const struct store_settings *settings, haft_reason *reterr_reason)
{
    bool wants_tls = settings->ca || settings->certificate || settings->key;

    for (size_t i = 0; i < sizeof store_schemes / sizeof *store_schemes; i++) {
        const struct store_scheme *scheme = &store_schemes[i];

        if (strncmp(settings->url, scheme->name, strlen(scheme->name)) != 0)
            continue;
        if (!wants_tls || scheme->has_tls)
            return scheme->open(settings, reterr_reason);
        hf_error_set(reterr_reason, HAFT_EINVAL, "--store",
                     "--store-ca, --store-cert and --store-key need TLS: a URL that begins with "
                     "rediss://");
        return NULL;
    }
    /* The URL may contain a password. */
    hf_error_set(reterr_reason, HAFT_EINVAL, "--store",
                 "unknown kind of store; write a URL such as redis://127.0.0.1:6379/0");
    return NULL;
}
