/* remembered.c - a small table that is always scanned completely, so that timing reveals nothing
 * about its contents. */
#include "gateway/remembered.h"

#include <string.h>
#include <uv.h>

struct known {
    unsigned char digest[SHA256_SIZE];
    const void *whose; /* NULL if it is free */
    haft_time until;
    uint64_t used; /* increases with every use */
};

struct remembered {
    const haft_allocator *allocator;
    struct hmac_key key;
    uv_mutex_t lock;
    uint64_t uses;
    struct known all[REMEMBERED];
};

int hf_remembered_new(const haft_allocator *allocator, struct remembered **ret_remembered)
{
    struct remembered *remembered = allocator->alloc(allocator->context, sizeof *remembered);
    unsigned char key[SHA256_SIZE];
    int status = HAFT_ENOMEM;

    if (!remembered)
        return status;
    memset(remembered, 0, sizeof *remembered);
    remembered->allocator = allocator;
    if (uv_mutex_init(&remembered->lock))
        goto no_lock;
    status = HAFT_EBUSY;
    if (uv_random(NULL, NULL, key, sizeof key, 0, NULL))
        goto no_random;
    hf_hmac_prepare(&remembered->key, key, sizeof key);
    hf_secret_wipe(key, sizeof key);
    *ret_remembered = remembered;
    return 0;

no_random:
    uv_mutex_destroy(&remembered->lock);
no_lock:
    allocator->release(allocator->context, remembered, sizeof *remembered);
    return status;
}

void hf_remembered_free(struct remembered *remembered)
{
    const haft_allocator *allocator;

    if (!remembered)
        return;
    allocator = remembered->allocator;
    uv_mutex_destroy(&remembered->lock);
    hf_secret_wipe(remembered, sizeof *remembered);
    allocator->release(allocator->context, remembered, sizeof *remembered);
}

void hf_remembered_digest(const struct remembered *remembered, const char *name,
                          const char *password, unsigned char ret_digest[SHA256_SIZE])
{
    struct sha256 hash;

    hf_hmac_begin(&remembered->key, &hash);
    hf_sha256_add(&hash, name, strlen(name) + 1); /* with its NUL, as a separator */
    hf_sha256_add(&hash, password, strlen(password));
    hf_hmac_finish(&remembered->key, &hash, ret_digest);
    hf_secret_wipe(&hash, sizeof hash);
}

/* Finds the entry of a digest, valid or not. The caller must hold the lock. */
static struct known *gateway_remembered_find(struct remembered *remembered,
                                             const unsigned char digest[SHA256_SIZE])
{
    struct known *found = NULL;

    for (size_t i = 0; i < REMEMBERED; i++) {
        struct known *known = &remembered->all[i];

        if (hf_digest_equal(known->digest, digest) && known->whose)
            found = known;
    }
    return found;
}

const void *hf_remembered_find(struct remembered *remembered,
                               const unsigned char digest[SHA256_SIZE], haft_time now)
{
    const void *whose = NULL;
    struct known *known;

    uv_mutex_lock(&remembered->lock);
    known = gateway_remembered_find(remembered, digest);
    if (known && known->until > now) {
        known->used = ++remembered->uses;
        whose = known->whose;
    }
    uv_mutex_unlock(&remembered->lock);
    return whose;
}

/* Finds a free or expired entry, otherwise the least recently used. The caller must hold the
 * lock. */
static struct known *make_room(struct remembered *remembered, haft_time now)
{
    struct known *oldest = remembered->all;

    for (size_t i = 0; i < REMEMBERED; i++) {
        struct known *known = &remembered->all[i];

        if (!known->whose || known->until <= now)
            return known;
        if (known->used < oldest->used)
            oldest = known;
    }
    return oldest;
}

void hf_remembered_add(struct remembered *remembered, const unsigned char digest[SHA256_SIZE],
                       const void *whose, haft_time now, haft_time until)
{
    struct known *known;

    uv_mutex_lock(&remembered->lock);
    known = gateway_remembered_find(remembered, digest);
    if (!known)
        known = make_room(remembered, now);
    *known = (struct known){.whose = whose, .until = until, .used = ++remembered->uses};
    memcpy(known->digest, digest, SHA256_SIZE);
    uv_mutex_unlock(&remembered->lock);
}
