/* store_open.c - finds the part that has a store by the scheme of its URL. */
#include "config/store_open.h"

#include <string.h>

#include "base/base.h"

/* The header comes with the store. */
#if defined __has_include
#if __has_include(<haft/redis.h>)
#include <haft/redis.h>
#define STORE_HAS_REDIS 1
#endif
#endif

/* Opens a store; NULL with the reason. */
typedef haft_store *store_opener(const char *url, const char *password_file,
                                 haft_reason *reterr_reason);

#if defined STORE_HAS_REDIS
static haft_store *store_open_redis(const char *url, const char *password_file,
                                    haft_reason *reterr_reason)
{
    return haft_redis_store_new(url, HAFT_WITH(haft_redis_options, .password_file = password_file),
                                reterr_reason);
}
#define STORE_REDIS store_open_redis
#else
#define STORE_REDIS NULL
#endif

static const struct store_scheme {
    const char *name;    /* with the colon */
    const char *package; /* that has it */
    store_opener *open;  /* NULL: this build does not have it */
} store_schemes[] = {
    {"redis:", "libhaft-redis", STORE_REDIS},
    {"rediss:", "libhaft-redis", STORE_REDIS},
    {"redis+unix:", "libhaft-redis", STORE_REDIS},
    {"redis+sentinel:", "libhaft-redis", STORE_REDIS},
};

haft_store *hf_store_open(const char *url, const char *password_file, haft_reason *reterr_reason)
{
    for (size_t i = 0; i < sizeof store_schemes / sizeof *store_schemes; i++) {
        const struct store_scheme *scheme = &store_schemes[i];
        size_t size = strlen(scheme->name);

        if (strncmp(url, scheme->name, size))
            continue;
        if (scheme->open)
            return scheme->open(url, password_file, reterr_reason);
        hf_error_set(reterr_reason, HAFT_ENOTFOUND, "--store",
                     "a store at %.*s//... needs the package %s", (int)size, url, scheme->package);
        return NULL;
    }
    /* The URL may contain a password. */
    hf_error_set(reterr_reason, HAFT_EINVAL, "--store",
                 "unknown kind of store; write a URL such as redis://127.0.0.1:6379/0");
    return NULL;
}
