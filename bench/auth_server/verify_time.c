/* verify_time.c - the time that OpenSSL alone needs to verify a signature: what a server that
 * verifies tokens cannot go below.
 *
 *     verify-time KEY.pem SIGNATURE.bin COUNT < MESSAGE
 *
 * The key is public, the signature is in OpenSSL's form.  Prints microseconds of processor time
 * for each. */
#define _POSIX_C_SOURCE 200809L
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    static struct bytes message, signature;
    FILE *pem = argc == 4 ? fopen(argv[1], "r") : NULL, *file = pem ? fopen(argv[2], "r") : NULL;
    EVP_PKEY *key = pem ? PEM_read_PUBKEY(pem, NULL, NULL, NULL) : NULL;
    long count = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
    double begun;

    read_all(stdin, &message);
    read_all(file, &signature);
    begun = now();
    for (long i = 0; i < count; i++) {
        if (!key || !verify(key, &message, &signature)) {
            fprintf(stderr, "verify-time: the signature is wrong\n");
            return EXIT_FAILURE;
        }
    }
    printf("%f\n", (now() - begun) / (double)count);
    return EXIT_SUCCESS;
}
