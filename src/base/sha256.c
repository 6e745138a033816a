/* sha256.c - SHA-256 and HMAC.
 *
 * Implemented here because libhaft-core must not need OpenSSL: it seals the state of unfinished
 * calls on microcontrollers as well. Tested with the published vectors. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void expand(const unsigned char block[64], uint32_t words[64])
{
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[i * 4] << 24 | (uint32_t)block[i * 4 + 1] << 16 |
                   (uint32_t)block[i * 4 + 2] << 8 | block[i * 4 + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];

        words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

/* A round changes two of eight variables, whose names move on by one: eight rounds, in which each has
 * had every name, need not move their values. */
#define SHA256_ROUND(a, b, c, d, e, f, g, h, i)                                                    \
    h += (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g))) +                    \
         round_constants[i] + words[i];                                                            \
    d += h;                                                                                        \
    h += (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) | (c & (a | b)))

static void compress(uint32_t s[8], const unsigned char block[64])
{
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    uint32_t words[64];

    expand(block, words);
    for (int i = 0; i < 64; i += 8) {
        SHA256_ROUND(a, b, c, d, e, f, g, h, i);
        SHA256_ROUND(h, a, b, c, d, e, f, g, i + 1);
        SHA256_ROUND(g, h, a, b, c, d, e, f, i + 2);
        SHA256_ROUND(f, g, h, a, b, c, d, e, i + 3);
        SHA256_ROUND(e, f, g, h, a, b, c, d, i + 4);
        SHA256_ROUND(d, e, f, g, h, a, b, c, i + 5);
        SHA256_ROUND(c, d, e, f, g, h, a, b, i + 6);
        SHA256_ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
    s[5] += f;
    s[6] += g;
    s[7] += h;
}

void hf_sha256_init(struct sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(hash->state, start, sizeof start);
    hash->total = 0;
}

void hf_sha256_add(struct sha256 *hash, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;

    while (size) {
        size_t held = hash->total % 64, room = 64 - held, n = size < room ? size : room;

        memcpy(hash->block + held, from, n);
        hash->total += n;
        from += n;
        size -= n;
        if (held + n == 64)
            compress(hash->state, hash->block);
    }
}

static void sha256_put_digest(const uint32_t state[8], unsigned char ret_digest[SHA256_SIZE])
{
    for (int i = 0; i < 8; i++) {
        ret_digest[4 * i] = (unsigned char)(state[i] >> 24);
        ret_digest[4 * i + 1] = (unsigned char)(state[i] >> 16);
        ret_digest[4 * i + 2] = (unsigned char)(state[i] >> 8);
        ret_digest[4 * i + 3] = (unsigned char)state[i];
    }
}

void hf_sha256_finish(struct sha256 *hash, unsigned char ret_digest[SHA256_SIZE])
{
    static const unsigned char padding[64] = {0x80};
    uint64_t bits = hash->total * 8;
    unsigned char length[8];

    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - i * 8));
    hf_sha256_add(hash, padding, (hash->total % 64 < 56 ? 56 : 120) - hash->total % 64);
    hf_sha256_add(hash, length, sizeof length);
    sha256_put_digest(hash->state, ret_digest);
}

/* ---- HMAC ---- */

/* The hash state after one pad block: the key with every byte XORed with `mask`. */
static void hash_pad(const unsigned char key[64], unsigned char mask, uint32_t ret_state[8])
{
    struct sha256 hash;
    unsigned char pad[64];

    for (size_t i = 0; i < sizeof pad; i++)
        pad[i] = key[i] ^ mask;
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, pad, sizeof pad);
    memcpy(ret_state, hash.state, sizeof hash.state);
    hf_secret_wipe(&hash, sizeof hash);
    hf_secret_wipe(pad, sizeof pad);
}

void hf_hmac_prepare(struct hmac_key *key, const void *bytes, size_t size)
{
    unsigned char block[64] = {0};

    if (size > sizeof block) {
        struct sha256 hash;

        hf_sha256_init(&hash);
        hf_sha256_add(&hash, bytes, size);
        hf_sha256_finish(&hash, block);
        hf_secret_wipe(&hash, sizeof hash);
    } else if (size) {
        memcpy(block, bytes, size);
    }
    hash_pad(block, 0x36, key->inner);
    hash_pad(block, 0x5c, key->outer);
    hf_secret_wipe(block, sizeof block);
}

static void after_pad(const uint32_t state[8], struct sha256 *hash)
{
    memcpy(hash->state, state, sizeof hash->state);
    hash->total = sizeof hash->block;
}

void hf_hmac_begin(const struct hmac_key *key, struct sha256 *ret_hash)
{
    after_pad(key->inner, ret_hash);
}

void hf_hmac_finish(const struct hmac_key *key, struct sha256 *hash,
                    unsigned char ret_digest[SHA256_SIZE])
{
    hf_sha256_finish(hash, ret_digest);
    after_pad(key->outer, hash);
    hf_sha256_add(hash, ret_digest, SHA256_SIZE);
    hf_sha256_finish(hash, ret_digest);
}

void hf_hmac_replace(const struct hmac_key *key, unsigned char digest[SHA256_SIZE])
{
    const uint32_t *const pads[] = {key->inner, key->outer};
    /* A single block: a digest followed by the padding for a message of one block plus the
     * digest. */
    unsigned char block[64] = {[SHA256_SIZE] = 0x80, [62] = (64 + SHA256_SIZE) * 8 >> 8};
    uint32_t state[8];

    for (int i = 0; i < 2; i++) {
        memcpy(block, digest, SHA256_SIZE);
        memcpy(state, pads[i], sizeof state);
        compress(state, block);
        sha256_put_digest(state, digest);
    }
}

void hf_hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size,
                    unsigned char ret_digest[SHA256_SIZE])
{
    struct hmac_key prepared;
    struct sha256 hash;

    hf_hmac_prepare(&prepared, key, key_size);
    hf_hmac_begin(&prepared, &hash);
    hf_sha256_add(&hash, bytes, size);
    hf_hmac_finish(&prepared, &hash, ret_digest);
    hf_secret_wipe(&prepared, sizeof prepared);
    hf_secret_wipe(&hash, sizeof hash);
}

/* ---- secrets ---- */

int hf_digest_equal(const unsigned char left[SHA256_SIZE], const unsigned char right[SHA256_SIZE])
{
    unsigned different = 0;

    for (int i = 0; i < SHA256_SIZE; i++)
        different |= (unsigned)(left[i] ^ right[i]);
    return !different;
}

void hf_secret_wipe(void *bytes, size_t size)
{
    /* A function that the compiler cannot know, so that it must be called. */
    static void *(*const volatile fill)(void *, int, size_t) = memset;

    if (size)
        fill(bytes, 0, size);
}
