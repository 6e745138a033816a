/* verify.h - a signature that OpenSSL alone verifies: what a server that verifies tokens cannot go
 * below. */
#ifndef HAFT_BENCH_VERIFY_H
#define HAFT_BENCH_VERIFY_H

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdbool.h>
#include <stdio.h>

enum { LIMIT = 16 << 10 };

struct bytes {
    unsigned char data[LIMIT];
    size_t size;
};

static void read_all(FILE *file, struct bytes *ret_bytes)
{
    ret_bytes->size = file ? fread(ret_bytes->data, 1, LIMIT, file) : 0;
}

static bool verify(EVP_PKEY *key, const struct bytes *message, const struct bytes *signature)
{
    const EVP_MD *digest = EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 ? NULL : EVP_sha256();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool right = context && EVP_DigestVerifyInit(context, NULL, digest, NULL, key) == 1 &&
                 EVP_DigestVerify(context, signature->data, signature->size, message->data,
                                  message->size) == 1;

    EVP_MD_CTX_free(context);
    return right;
}

/* Reads a public key in PEM; NULL if it cannot be read. */
static EVP_PKEY *read_key(const char *path)
{
    FILE *file = fopen(path, "r");
    EVP_PKEY *key = file ? PEM_read_PUBKEY(file, NULL, NULL, NULL) : NULL;

    if (file)
        fclose(file);
    return key;
}

#endif
