/* sha1.c - SHA-1 of bytes that are all there.
 *
 * By hand, as SHA-256 is: the one user is a handshake that hashes 60 bytes, which is not worth loading
 * OpenSSL for.  Checked against the published vectors. */
#include "base/sha1.h"

#include <stdint.h>
#include <string.h>

enum { SHA1_BLOCK = 64, SHA1_LENGTH = 8 };

static uint32_t sha1_rotate(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void sha1_expand(const unsigned char block[SHA1_BLOCK], uint32_t words[80])
{
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[i * 4] << 24 | (uint32_t)block[i * 4 + 1] << 16 |
                   (uint32_t)block[i * 4 + 2] << 8 | block[i * 4 + 3];
    for (int i = 16; i < 80; i++)
        words[i] = sha1_rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
}

static uint32_t sha1_mix(int round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20)
        return ((b & c) | (~b & d)) + 0x5a827999;
    if (round < 40)
        return (b ^ c ^ d) + 0x6ed9eba1;
    if (round < 60)
        return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    return (b ^ c ^ d) + 0xca62c1d6;
}

static void sha1_compress(uint32_t s[5], const unsigned char block[SHA1_BLOCK])
{
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], words[80];

    sha1_expand(block, words);
    for (int i = 0; i < 80; i++) {
        uint32_t next = sha1_rotate(a, 5) + sha1_mix(i, b, c, d) + e + words[i];

        e = d;
        d = c;
        c = sha1_rotate(b, 30);
        b = a;
        a = next;
    }
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
}

void hf_sha1(const void *bytes, size_t size, unsigned char ret_digest[SHA1_SIZE])
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const unsigned char *from = bytes;
    unsigned char last[2 * SHA1_BLOCK] = {0};
    size_t left = size % SHA1_BLOCK, end;

    for (size_t i = 0; i < size / SHA1_BLOCK; i++)
        sha1_compress(state, from + i * SHA1_BLOCK);
    if (left)
        memcpy(last, from + size - left, left);
    last[left] = 0x80;
    end = left < SHA1_BLOCK - SHA1_LENGTH ? SHA1_BLOCK : 2 * SHA1_BLOCK;
    for (unsigned i = 0; i < SHA1_LENGTH; i++)
        last[end - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < end; at += SHA1_BLOCK)
        sha1_compress(state, last + at);
    for (unsigned i = 0; i < SHA1_SIZE; i++)
        ret_digest[i] = (unsigned char)(state[i / 4] >> (24 - i % 4 * 8));
}
