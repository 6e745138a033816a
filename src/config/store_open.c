/* store_open.c - finds the part that has a store by the scheme of its URL. */
#include "config/store_open.h"

#include <haft/redis.h>
#include <string.h>

#include "base/base.h"

/* Opens a store; NULL with the reason. */
typedef haft_store *store_opener(const char *url, const char *password_file,
                                 haft_reason *reterr_reason);

static haft_store *store_open_redis(const char *url, const char *password_file,
                                    haft_reason *reterr_reason)
{
    return haft_redis_store_new(url, HAFT_WITH(haft_redis_options, .password_file = password_file),
                                reterr_reason);
}

static const struct store_scheme {
    const char *name; /* with the colon */
    store_opener *open;
} store_schemes[] = {
    {"redis:", store_open_redis},
    {"rediss:", store_open_redis},
    {"redis+unix:", store_open_redis},
    {"redis+sentinel:", store_open_redis},
};

haft_store *hf_store_open(const char *url, const char *password_file, haft_reason *reterr_reason)
{
    for (size_t i = 0; i < sizeof store_schemes / sizeof *store_schemes; i++) {
        const struct store_scheme *scheme = &store_schemes[i];

        if (!strncmp(url, scheme->name, strlen(scheme->name)))
            return scheme->open(url, password_file, reterr_reason);
    }
    /* The URL may contain a password. */
    hf_error_set(reterr_reason, HAFT_EINVAL, "--store",
                 "unknown kind of store; write a URL such as redis://127.0.0.1:6379/0");
    return NULL;
}
