/* possession.c - tokens that are bound to a key (DPoP, RFC 9449) or to a certificate (RFC 8705): a
 * client that has only the token cannot use it.
 *
 * A proof may be used once. Used proofs are remembered in two tables, of which the older one is
 * emptied when the newer one is as old as a proof can be. A nonce is a time under a key of this
 * process, so that none needs to be remembered. */
#include "auth/form.h"
#include "auth/server/server.h"
#include "base/hex.h"
#include "base/sha256.h"

enum {
    POSSESSION_NONCE_S = 300,
    POSSESSION_ARENA = 256 << 10,
    POSSESSION_URL = 4096,
    NONCE_TIME = 8,
    NONCE_MAC = 16,
    REPLAY_FIRST = 256,
    REPLAY_MAX = 1 << 20, /* proofs in a table */
};

/* ---- proofs that have been used ---- */

struct replay_table {
    struct siphash_pair *slots; /* free ones are zero */
    size_t n, size;             /* size is a power of two, or 0 */
};

struct replay {
    const haft_allocator *allocator;
    uv_mutex_t lock;
    struct replay_table now, before;
    int64_t since; /* when `now` was empty, in seconds */
};

struct replay *hf_replay_new(const haft_allocator *allocator)
{
    struct replay *replay = allocator->alloc(allocator->context, sizeof *replay);

    if (!replay)
        return NULL;
    *replay = (struct replay){.allocator = allocator};
    if (!uv_mutex_init(&replay->lock))
        return replay;
    allocator->release(allocator->context, replay, sizeof *replay);
    return NULL;
}

static void replay_empty(struct replay *replay, struct replay_table *table)
{
    if (table->slots)
        replay->allocator->release(replay->allocator->context, table->slots,
                                   table->size * sizeof *table->slots);
    *table = (struct replay_table){.n = 0};
}

void hf_replay_free(struct replay *replay)
{
    const haft_allocator *allocator;

    if (!replay)
        return;
    allocator = replay->allocator;
    replay_empty(replay, &replay->now);
    replay_empty(replay, &replay->before);
    uv_mutex_destroy(&replay->lock);
    allocator->release(allocator->context, replay, sizeof *replay);
}

/* The slot of a digest, or the free one where it belongs. */
static struct siphash_pair *replay_slot(const struct replay_table *table,
                                        struct siphash_pair digest)
{
    size_t at = digest.first & (table->size - 1);

    while ((table->slots[at].first || table->slots[at].second) &&
           (table->slots[at].first != digest.first || table->slots[at].second != digest.second))
        at = (at + 1) & (table->size - 1);
    return &table->slots[at];
}

static bool replay_has(const struct replay_table *table, struct siphash_pair digest)
{
    const struct siphash_pair *slot = table->size ? replay_slot(table, digest) : NULL;

    return slot && (slot->first || slot->second);
}

static int replay_grow(struct replay *replay, struct replay_table *table)
{
    struct replay_table larger = {.n = table->n,
                                  .size = table->size ? 2 * table->size : REPLAY_FIRST};
    size_t bytes = larger.size * sizeof *larger.slots;

    if (table->n >= REPLAY_MAX)
        return HAFT_EBUSY;
    larger.slots = replay->allocator->alloc(replay->allocator->context, bytes);
    if (!larger.slots)
        return HAFT_ENOMEM;
    memset(larger.slots, 0, bytes);
    for (size_t i = 0; i < table->size; i++)
        if (table->slots[i].first || table->slots[i].second)
            *replay_slot(&larger, table->slots[i]) = table->slots[i];
    replay_empty(replay, table);
    *table = larger;
    return 0;
}

/* Remembers a proof. Returns 0; HAFT_EEXISTS if it has been used; HAFT_EBUSY or HAFT_ENOMEM if it
 * cannot be remembered. A store that several servers share is asked afterwards (single_use.c). */
static int replay_use(struct replay *replay, struct siphash_pair digest, int64_t now_s)
{
    int status = 0;

    uv_mutex_lock(&replay->lock);
    /* A proof may be as old as the window, or as far in the future. */
    if (now_s - replay->since >= 2 * POSSESSION_WINDOW_S) {
        bool long_ago = now_s - replay->since >= 4 * POSSESSION_WINDOW_S;

        replay_empty(replay, &replay->before);
        replay->before = replay->now;
        replay->now = (struct replay_table){.n = 0};
        if (long_ago)
            replay_empty(replay, &replay->before);
        replay->since = now_s;
    }
    if (replay_has(&replay->now, digest) || replay_has(&replay->before, digest))
        status = HAFT_EEXISTS;
    else if (replay->now.n * 2 >= replay->now.size)
        status = replay_grow(replay, &replay->now);
    if (!status) {
        *replay_slot(&replay->now, digest) = digest;
        replay->now.n++;
    }
    uv_mutex_unlock(&replay->lock);
    return status;
}

/* ---- nonces ---- */

static void nonce_seal(const struct authenticator *authenticator, int64_t time_s,
                       char ret_text[AUTHENTICATION_ROOM])
{
    unsigned char bytes[NONCE_TIME + SHA256_SIZE];
    size_t size;

    for (int i = 0; i < NONCE_TIME; i++)
        bytes[i] = (unsigned char)((uint64_t)time_s >> (56 - 8 * i));
    hf_hmac_sha256(authenticator->nonce_key, sizeof authenticator->nonce_key, bytes, NONCE_TIME,
                   bytes + NONCE_TIME);
    /* 24 bytes need no padding. */
    size = haft_base64_encode(bytes, NONCE_TIME + NONCE_MAC, ret_text);
    ret_text[size] = '\0';
    for (size_t i = 0; i < size; i++)
        ret_text[i] = ret_text[i] == '+' ? '-' : ret_text[i] == '/' ? '_' : ret_text[i];
}

/* Seconds since the nonce was made; -1 if it was not made here. */
static int64_t nonce_age(const struct authenticator *authenticator, const char *text, int64_t now_s)
{
    char expected[AUTHENTICATION_ROOM];
    unsigned char bytes[AUTHENTICATION_ROOM];
    size_t size = strlen(text), n;
    unsigned char different = 0;
    uint64_t time_s = 0;

    if (size != HAFT_BASE64_SIZE(NONCE_TIME + NONCE_MAC))
        return -1;
    if (hf_base64url_decode(text, size, bytes, &n))
        return -1;
    for (int i = 0; i < NONCE_TIME; i++)
        time_s = time_s << 8 | bytes[i];
    nonce_seal(authenticator, (int64_t)time_s, expected);
    for (size_t i = 0; i < size; i++)
        different |= (unsigned char)(expected[i] ^ text[i]);
    if (different || (int64_t)time_s > now_s)
        return -1;
    return now_s - (int64_t)time_s;
}

/* Writes what a store calls a proof: a hash of its key and its id. */
static void possession_put_name(const char *jkt, const char *jti, char ret_name[SINGLE_USE_NAME])
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, jkt, strlen(jkt) + 1);
    hf_sha256_add(&hash, jti, strlen(jti));
    hf_sha256_finish(&hash, digest);
    hf_hex_put(digest, sizeof digest, ret_name);
    ret_name[2 * sizeof digest] = '\0';
}

/* ---- the decision ---- */

static int possession_refuse(struct possession *possession, const char *error, const char *text)
{
    possession->error = error;
    possession->text = text;
    return 0;
}

/* The URL of the request as the client sees it: that of the resource, and what is below it. */
static const char *possession_url(const struct authenticator *authenticator,
                                  const struct presented *presented, haft_arena *arena)
{
    size_t size = strlen(presented->path);
    haft_buffer url;
    const char *text;

    haft_buffer_init(&url, authenticator->memory, POSSESSION_URL);
    hf_document_put_resource(authenticator, presented->path, &url);
    if (presented->target && !strncmp(presented->target, presented->path, size))
        haft_buffer_add(&url, presented->target + size, strcspn(presented->target + size, "?"));
    text = url.status ? NULL : haft_arena_copy(arena, url.data, url.size);
    haft_buffer_finish(&url);
    return text;
}

static int possession_check_nonce(struct authenticator *authenticator, const char *nonce,
                                  int64_t now_s, struct possession *possession)
{
    int64_t age = nonce ? nonce_age(authenticator, nonce, now_s) : -1;

    possession->renew = age < 0 || age > POSSESSION_NONCE_S / 2;
    if (possession->renew)
        nonce_seal(authenticator, now_s, possession->nonce);
    if (age < 0 || age > POSSESSION_NONCE_S)
        return possession_refuse(possession, "use_dpop_nonce",
                                 "The DPoP proof must contain a nonce of this server");
    return 0;
}

static int possession_check_proof(struct authenticator *authenticator,
                                  const struct presented *presented, const struct known *known,
                                  haft_arena *arena, struct possession *possession)
{
    int64_t now_s = authenticator_now(authenticator, true) / 1000;
    struct dpop_check check = {.method = presented->method,
                               .jkt = known->jkt,
                               .now = now_s,
                               .window_s = POSSESSION_WINDOW_S};
    struct dpop_proof proof;
    struct siphash hash;
    enum token_error error;
    int status;

    check.url = possession_url(authenticator, presented, arena);
    check.token = haft_arena_copy(arena, presented->secret.data, presented->secret.size);
    if (!check.url || !check.token)
        return HAFT_ENOMEM;
    error = hf_dpop_verify(authenticator->crypto, presented->proof.data, presented->proof.size,
                           &check, arena, &proof);
    if (error == TOKEN_NO_MEMORY)
        return HAFT_ENOMEM;
    if (error)
        return possession_refuse(possession, "invalid_dpop_proof", "The DPoP proof is not valid");
    if (authenticator->options.dpop_nonce) {
        status = possession_check_nonce(authenticator, proof.nonce, now_s, possession);
        if (status || possession->error)
            return status;
    }
    siphash_init_pair(&hash, authenticator->digest_key);
    hf_siphash_pair_bytes(&hash, known->jkt, strlen(known->jkt));
    hf_siphash_pair_bytes(&hash, proof.jti, strlen(proof.jti));
    if (authenticator->options.store)
        possession_put_name(known->jkt, proof.jti, possession->name);
    status = replay_use(authenticator->replay, siphash_finish_pair(&hash),
                        authenticator_now(authenticator, false) / 1000);
    return status == HAFT_EEXISTS ? possession_refuse(possession, "invalid_dpop_proof",
                                                      "The DPoP proof has been used before")
                                  : status;
}

static int possession_check_key(struct authenticator *authenticator,
                                const struct presented *presented, const struct known *known,
                                struct possession *possession)
{
    static const char invalid[] = "invalid_token";
    haft_arena *arena;
    int status;

    if (authenticator->options.dpop == HAFT_DPOP_REFUSED &&
        (known->jkt || presented->kind == CREDENTIAL_DPOP))
        return possession_refuse(possession, invalid, "DPoP is not accepted");
    if (!known->jkt && authenticator->options.dpop == HAFT_DPOP_REQUIRED)
        return possession_refuse(possession, invalid, "The access token must be bound to a key");
    if (!known->jkt && presented->kind == CREDENTIAL_DPOP)
        return possession_refuse(possession, invalid, "The access token is not bound to a key");
    if (!known->jkt)
        return 0;
    if (presented->kind != CREDENTIAL_DPOP)
        return possession_refuse(possession, invalid,
                                 "The access token is bound to a key, and needs a DPoP proof");
    if (!presented->proof.data)
        return possession_refuse(possession, "invalid_dpop_proof", "The DPoP proof is missing");
    arena = haft_arena_new(authenticator->memory, POSSESSION_ARENA);
    if (!arena)
        return HAFT_ENOMEM;
    status = possession_check_proof(authenticator, presented, known, arena, possession);
    haft_arena_free(arena);
    return status;
}

/* The certificate of the connection, or that which a trusted proxy names. */
static int possession_check_certificate(struct authenticator *authenticator,
                                        const struct presented *presented,
                                        const struct known *known, struct possession *possession)
{
    char thumbprint[AUTHENTICATION_ROOM] = "";
    const char *certificate = presented->certificate;
    int status;

    if (presented->forwarded.data) {
        status = hf_certificate_thumbprint(authenticator->memory, presented->forwarded, thumbprint);
        if (status == HAFT_ENOMEM)
            return status;
        certificate = thumbprint;
    }
    if (!certificate || strcmp(known->x5t, certificate) != 0)
        possession_refuse(possession, "invalid_token",
                          "The access token is bound to another certificate");
    return 0;
}

int hf_possession_check(struct authenticator *authenticator, const struct presented *presented,
                        const struct known *known, struct possession *ret_possession)
{
    int status;

    ret_possession->error = NULL;
    ret_possession->renew = false;
    ret_possession->name[0] = '\0';
    if (known->x5t) {
        status = possession_check_certificate(authenticator, presented, known, ret_possession);
        if (status || ret_possession->error)
            return status;
    }
    return possession_check_key(authenticator, presented, known, ret_possession);
}
