/* verify_time.c - the time that OpenSSL alone needs to verify a signature: what a server that
 * verifies tokens cannot go below.
 *
 *     verify-time KEY.pem SIGNATURE.bin COUNT < MESSAGE
 *
 * The key is public, the signature is in OpenSSL's form.  Prints microseconds of processor time
 * for each. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "verify.h"

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    static struct bytes message, signature;
    EVP_PKEY *key = argc == 4 ? read_key(argv[1]) : NULL;
    FILE *file = key ? fopen(argv[2], "r") : NULL;
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
