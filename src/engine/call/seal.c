/* seal.c - sealing: expiry and binding before the payload, HMAC-SHA-256 over everything. */
#include "engine/call/seal.h"

#include <string.h>

#include "base/sha256.h"

enum { LIFETIME_MS = 10 * 60 * 1000, HEAD = 8 + SHA256_SIZE };

static void seal_add_part(struct sha256 *hash, const char *text, size_t size)
{
    unsigned char length[8];

    /* Length prefixes make the encoding of the parts unambiguous. */
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)size >> (i * 8));
    hf_sha256_add(hash, length, sizeof length);
    hf_sha256_add(hash, text, size);
}

/* The params as the client sent them, without those of the protocol: a state is valid only for the
 * same request. */
static void put_params(haft_call *call, haft_buffer *out)
{
    static const char *const protocol[] = {"_meta", "inputResponses", "requestState"};
    yyjson_val *key, *value;
    size_t i, n;

    yyjson_obj_foreach(call->request.params, i, n, key, value) {
        bool own = true, direct;

        for (size_t k = 0; k < sizeof protocol / sizeof *protocol; k++)
            own &= !yyjson_equals_str(key, protocol[k]);
        if (!own)
            continue;
        /* For directly decoded arguments, the message contains a placeholder. */
        direct = call->args.direct.text && yyjson_equals_str(key, "arguments");
        haft_json_write(key, out);
        haft_json_write(direct ? hf_direct_sent(call) : value, out);
    }
}

static void seal_add_text(struct sha256 *hash, const char *text)
{
    seal_add_part(hash, text ? text : "", text ? strlen(text) : 0);
}

/* A digest of the context of the state: servers that share a key, such as the endpoints of a
 * gateway, do not accept each other's states unless they are replicas. */
static bool bind(haft_call *call, unsigned char digest[SHA256_SIZE])
{
    const haft_server *server = call->server;
    struct sha256 hash;
    haft_buffer params;
    bool ok;

    haft_buffer_init(&params, call->server->allocator, call->server->options.max_message * 2);
    put_params(call, &params);
    ok = !params.status;
    if (ok) {
        hf_sha256_init(&hash);
        seal_add_text(&hash, server->name);
        seal_add_text(&hash, server->endpoint);
        seal_add_text(&hash, call->request.principal);
        seal_add_text(&hash, call->request.method);
        seal_add_text(&hash, haft_call_name(call));
        seal_add_part(&hash, params.data ? params.data : "", params.size);
        hf_sha256_finish(&hash, digest);
    }
    haft_buffer_finish(&params);
    return ok;
}

/* Copies the keys: the first one seals, each of them unseals. Returns their number. A client in this
 * process could read any key, so it needs none. */
static int seal_keys_of(const haft_call *call, unsigned char keys[SEAL_KEYS][SEAL_KEY])
{
    int n = hf_server_copy_seal_keys(call->server, keys);

    if (n || !call->owner->inside)
        return n;
    memset(keys[0], 0, SEAL_KEY);
    return 1;
}

/* Whether the last bytes are a digest of those before them, by one of the keys. */
static bool seal_is_ours(const haft_call *call, const unsigned char *plain, size_t size)
{
    unsigned char keys[SEAL_KEYS][SEAL_KEY], mac[SHA256_SIZE];
    int n = seal_keys_of(call, keys);
    bool ours = false;

    for (int i = 0; i < n; i++) {
        hf_hmac_sha256(keys[i], SEAL_KEY, plain, size, mac);
        ours |= hf_digest_equal(mac, plain + size);
    }
    hf_secret_wipe(keys, sizeof keys);
    return ours;
}

const char *hf_seal(haft_call *call, const char *payload, size_t size)
{
    size_t total = HEAD + size + SHA256_SIZE;
    unsigned char *plain = haft_arena_alloc(call->arena, total);
    char *text = haft_arena_alloc(call->arena, HAFT_BASE64_SIZE(total) + 1);
    uint64_t expiry = (uint64_t)(call->owner->now + LIFETIME_MS);
    unsigned char keys[SEAL_KEYS][SEAL_KEY];

    if (!plain || !text || !bind(call, plain + 8) || !seal_keys_of(call, keys))
        return NULL;
    for (int i = 0; i < 8; i++)
        plain[i] = (unsigned char)(expiry >> (i * 8));
    memcpy(plain + HEAD, payload, size);
    hf_hmac_sha256(keys[0], SEAL_KEY, plain, HEAD + size, plain + HEAD + size);
    hf_secret_wipe(keys, sizeof keys);
    text[haft_base64_encode(plain, total, text)] = '\0';
    return text;
}

yyjson_val *hf_unseal(haft_call *call, const char *text, size_t size)
{
    unsigned char *plain = haft_arena_alloc(call->arena, size / 4 * 3 + 1);
    unsigned char bound[SHA256_SIZE];
    yyjson_val *payload = NULL;
    const char *reason;
    uint64_t expiry = 0;
    size_t n, offset;

    if (!plain || haft_base64_decode(text, size, plain, &n) || n < HEAD + SHA256_SIZE)
        return NULL;
    n -= SHA256_SIZE;
    if (!seal_is_ours(call, plain, n) || !bind(call, bound) || !hf_digest_equal(bound, plain + 8))
        return NULL;
    for (int i = 0; i < 8; i++)
        expiry |= (uint64_t)plain[i] << (i * 8);
    if (expiry < (uint64_t)call->owner->now)
        return NULL;
    if (hf_json_parse((const char *)plain + HEAD, n - HEAD, call->arena, &payload, &offset,
                      &reason))
        return NULL;
    return payload;
}
