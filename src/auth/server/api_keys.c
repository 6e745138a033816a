/* api_keys.c - API keys, of which only hashes are kept.
 *
 * The hashes are sorted. How long a search takes depends on the hash of what a client sends, which
 * says nothing about the keys; the comparison that decides takes the same time wherever it
 * fails. */
#include "auth/server/api_keys.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "auth/lines.h"
#include "auth/scope.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "endpoint/authenticator.h"

enum { API_KEYS_ARENA = 16 << 20, API_KEYS_FIRST = 16 };

struct api_key {
    unsigned char digest[SHA256_SIZE];
    unsigned line;
    uint64_t owner;
    haft_identity identity;
};

struct api_keys {
    const haft_allocator *allocator;
    atomic_uint references;
    haft_arena *arena;
    struct api_key *keys;
    size_t n, room;
};

static int api_key_compare(const void *left, const void *right)
{
    const struct api_key *l = left, *r = right;
    int order = memcmp(l->digest, r->digest, SHA256_SIZE);

    return order ? order : (l->line > r->line) - (l->line < r->line);
}

static struct api_key *api_keys_add(struct api_keys *keys)
{
    if (keys->n == keys->room) {
        size_t room = keys->room ? 2 * keys->room : API_KEYS_FIRST;
        struct api_key *moved = hf_arena_resize(keys->arena, keys->keys, keys->room * sizeof *moved,
                                                room * sizeof *moved);

        if (!moved)
            return NULL;
        keys->keys = moved;
        keys->room = room;
    }
    memset(&keys->keys[keys->n], 0, sizeof *keys->keys);
    return &keys->keys[keys->n++];
}

/* Reads "SHA256HEX NAME", in which NAME may contain spaces, and the columns after it. */
static bool api_key_read(struct api_key *key, char *line)
{
    size_t size = strcspn(line, " \t");
    char *name = line + size + strspn(line + size, " \t"), *scopes, *created;

    if (size != 2 * SHA256_SIZE || !*name || !hf_hex_read_lower(line, size, key->digest))
        return false;
    scopes = strchr(name, '\t');
    if (scopes) {
        *scopes++ = '\0';
        created = strchr(scopes, '\t');
        if (created)
            *created = '\0';
    }
    if (scopes && !hf_scope_list_is_valid(scopes))
        return false;
    key->identity = (haft_identity)HAFT_INIT(haft_identity, .principal = name, .method = "api-key",
                                             .scopes = scopes ? scopes : "*", .fixed = true);
    key->owner = authenticator_owner(&key->identity);
    return true;
}

static int api_keys_fill(struct api_keys *keys, const char *file, haft_reason *reterr_reason)
{
    char *text = hf_auth_read_file(keys->arena, file, reterr_reason), *line;
    unsigned number = 0;

    if (!text)
        return HAFT_EFAIL;
    /* A TAB at the end of a line begins an empty column: a key without scopes. */
    while ((line = hf_auth_next_line(&text, &number, " \r"))) {
        struct api_key *key = api_keys_add(keys);

        if (!key)
            return hf_error_set(reterr_reason, HAFT_ENOMEM, file, "%s", haft_strerror(HAFT_ENOMEM));
        key->line = number;
        if (!api_key_read(key, line))
            return hf_error_set(reterr_reason, HAFT_EINVAL, file,
                                "%s, line %u: expected 64 hexadecimal digits and a name", file,
                                number);
    }
    if (keys->n)
        qsort(keys->keys, keys->n, sizeof *keys->keys, api_key_compare);
    return 0;
}

struct api_keys *hf_api_keys_read(const haft_allocator *allocator, const char *file,
                                  haft_reason *reterr_reason)
{
    struct api_keys *keys = allocator->alloc(allocator->context, sizeof *keys);
    haft_reason reason = {0};

    if (keys) {
        *keys = (struct api_keys){.allocator = allocator};
        atomic_init(&keys->references, 1);
        keys->arena = haft_arena_new(allocator, API_KEYS_ARENA);
        if (keys->arena && !api_keys_fill(keys, file, &reason))
            return keys;
        hf_api_keys_drop(keys);
    }
    if (!reason.code)
        hf_error_set(&reason, HAFT_ENOMEM, file, "%s", haft_strerror(HAFT_ENOMEM));
    if (reterr_reason)
        *reterr_reason = reason;
    return NULL;
}

void hf_api_keys_hold(struct api_keys *keys)
{
    atomic_fetch_add(&keys->references, 1);
}

void hf_api_keys_drop(struct api_keys *keys)
{
    if (!keys || atomic_fetch_sub(&keys->references, 1) > 1)
        return;
    haft_arena_free(keys->arena);
    keys->allocator->release(keys->allocator->context, keys, sizeof *keys);
}

const haft_identity *hf_api_keys_find(const struct api_keys *keys, const char *key, size_t size)
{
    struct api_key wanted = {.line = 0};
    size_t low = 0, high = keys->n;
    struct sha256 hash;

    if (!size || size > API_KEY_LIMIT)
        return NULL;
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, key, size);
    hf_sha256_finish(&hash, wanted.digest);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (api_key_compare(&keys->keys[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == keys->n || !hf_digest_equal(keys->keys[low].digest, wanted.digest))
        return NULL;
    return &keys->keys[low].identity;
}

bool hf_api_keys_have(const struct api_keys *keys, uint64_t owner)
{
    for (size_t i = 0; i < keys->n; i++)
        if (keys->keys[i].owner == owner)
            return true;
    return false;
}
