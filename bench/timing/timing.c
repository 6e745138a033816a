/* timing.c - whether comparisons of secrets take the same time for every wrong guess.
 *
 * After dudect (Reparaz, Balasch, Verbauwhede, 2017): two classes of inputs are measured in random
 * order, and Welch's t-test asks whether their times differ.  Measurements above a percentile are left
 * out, at several percentiles, for interrupts hide small differences.  A comparison that ends at the
 * first difference is measured as well: if that is not noticed, the measurement is worth nothing.
 *
 * Exit status: 0 if only the control differs, 1 if another comparison does, 2 if the control does
 * not. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sha256.h"

#if __has_include("auth/server/api_keys.h")
#include "auth/wiping.h"
#include "auth/server/api_keys.h"
#define TIMING_API_KEYS 1
#else
#define TIMING_API_KEYS 0
#endif

enum {
    TIMING_REPEATS = 16, /* calls in one measurement */
    TIMING_SAMPLES = 400 * 1000,
    TIMING_CROPS = 8,
    TIMING_KEY = 48,  /* bytes of a key */
    TIMING_LIMIT = 10 /* |t| from which a difference is certain */
};

/* Inputs of both classes lie alike in cache lines, which would make a difference otherwise. */
struct timing_input {
    _Alignas(128) unsigned char digest[SHA256_SIZE];
    char key[TIMING_KEY + 1];
};

struct timing_bench {
    struct timing_input secret;
    void *keys; /* struct api_keys */
};

typedef int timing_function(const struct timing_bench *bench, const struct timing_input *input);

/* ---- what is measured ---- */

static int timing_digest(const struct timing_bench *bench, const struct timing_input *input)
{
    return hf_digest_equal(bench->secret.digest, input->digest);
}

/* As a server treats a key: its hash is compared. */
static int timing_key(const struct timing_bench *bench, const struct timing_input *input)
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, input->key, TIMING_KEY);
    hf_sha256_finish(&hash, digest);
    return hf_digest_equal(bench->secret.digest, digest);
}

#if TIMING_API_KEYS
static int timing_find(const struct timing_bench *bench, const struct timing_input *input)
{
    return hf_api_keys_find(bench->keys, input->key, TIMING_KEY) != NULL;
}
#endif

static int timing_control(const struct timing_bench *bench, const struct timing_input *input)
{
    const volatile unsigned char *left = bench->secret.digest, *right = input->digest;

    for (int i = 0; i < SHA256_SIZE; i++)
        if (left[i] != right[i])
            return 0;
    return 1;
}

/* ---- inputs ---- */

static uint64_t timing_state = 0x9E3779B97F4A7C15;

static uint64_t timing_random(void)
{
    timing_state ^= timing_state << 13;
    timing_state ^= timing_state >> 7;
    timing_state ^= timing_state << 17;
    return timing_state;
}

static void timing_fill(struct timing_input *input)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    for (int i = 0; i < SHA256_SIZE; i++)
        input->digest[i] = (unsigned char)timing_random();
    for (int i = 0; i < TIMING_KEY; i++)
        input->key[i] = letters[timing_random() % 64];
}

static void timing_prepare(struct timing_bench *bench)
{
    struct sha256 hash;

    timing_fill(&bench->secret);
    hf_sha256_init(&hash);
    hf_sha256_add(&hash, bench->secret.key, TIMING_KEY);
    hf_sha256_finish(&hash, bench->secret.digest);
}

/* Class 0 is wrong from the first byte on; class 1 is right except for the last.  Each guess is a new one:
 * a search depends on the hash of a guess, and a few of them would differ by chance. */
static void timing_guess(const struct timing_bench *bench, struct timing_input guesses[2])
{
    struct timing_input *far = &guesses[0], *near = &guesses[1];

    timing_fill(far);
    far->digest[0] = (unsigned char)~bench->secret.digest[0];
    far->key[0] = bench->secret.key[0] == 'x' ? 'y' : 'x';
    *near = bench->secret;
    near->digest[SHA256_SIZE - 1] ^= (unsigned char)(1 + timing_random() % 255);
    memcpy(near->key + TIMING_KEY - 4, far->key + TIMING_KEY - 4, 4);
}

/* ---- measuring ---- */

static uint64_t timing_now(void)
{
#if defined(__x86_64__)
    uint64_t now;

    __builtin_ia32_lfence(); /* what came before has ended */
    now = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return now;
#else
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
#endif
}

struct timing_sample {
    double ticks;
    int class;
};

static void timing_measure(const struct timing_bench *bench, timing_function *function,
                           struct timing_sample *samples)
{
    volatile int sink = 0;

    for (int i = 0; i < TIMING_SAMPLES; i++) {
        int class = (int)(timing_random() >> 40 & 1);
        struct timing_input guesses[2], input;
        uint64_t start;

        timing_guess(bench, guesses);
        input = guesses[class];
        start = timing_now();
        for (int k = 0; k < TIMING_REPEATS; k++)
            sink += function(bench, &input);
        samples[i] = (struct timing_sample){(double)(timing_now() - start), class};
    }
    (void)sink;
}

static int timing_compare(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;

    return (l > r) - (l < r);
}

/* Welch's t of the measurements below a limit. */
static double timing_welch(const struct timing_sample *samples, double limit)
{
    double n[2] = {0}, mean[2] = {0}, square[2] = {0}, variance;

    for (int i = 0; i < TIMING_SAMPLES; i++) {
        int class = samples[i].class;
        double from = samples[i].ticks - mean[class];

        if (samples[i].ticks > limit)
            continue;
        mean[class] += from / ++n[class];
        square[class] += from * (samples[i].ticks - mean[class]);
    }
    variance = square[0] / (n[0] - 1) / n[0] + square[1] / (n[1] - 1) / n[1];
    return variance > 0 ? (mean[0] - mean[1]) / sqrt(variance) : 0;
}

/* The t that is furthest from 0, at several percentiles. */
static double timing_judge(const struct timing_sample *samples, double *sorted)
{
    double worst = 0;

    for (int i = 0; i < TIMING_SAMPLES; i++)
        sorted[i] = samples[i].ticks;
    qsort(sorted, TIMING_SAMPLES, sizeof *sorted, timing_compare);
    for (int i = 0; i < TIMING_CROPS; i++) {
        double part = 1 - pow(0.5, 1 + 10.0 * (TIMING_CROPS - i) / TIMING_CROPS);
        double t = timing_welch(samples, sorted[(int)(part * (TIMING_SAMPLES - 1))]);

        worst = fabs(t) > fabs(worst) ? t : worst;
    }
    return worst;
}

#if TIMING_API_KEYS
static void *timing_read_keys(const struct timing_bench *bench)
{
    char path[] = "/tmp/haft-timing-XXXXXX";
    haft_reason reason = {0};
    FILE *file = fdopen(mkstemp(path), "w");
    struct api_keys *keys;

    for (int i = 0; file && i < SHA256_SIZE; i++)
        fprintf(file, "%02x", bench->secret.digest[i]);
    if (!file || fprintf(file, " ada\n") < 0 || fclose(file)) {
        perror(path);
        exit(2);
    }
    keys = hf_api_keys_read(&hf_wiping_allocator, path, &reason);
    unlink(path);
    if (!keys) {
        fprintf(stderr, "%s\n", reason.text);
        exit(2);
    }
    return keys;
}
#endif

static const struct timing_row {
    const char *name;
    timing_function *function;
} timing_rows[] = {
    {"digests: hf_digest_equal", timing_digest},
    {"API keys: hash and comparison", timing_key},
#if TIMING_API_KEYS
    {"API keys: hf_api_keys_find", timing_find},
#endif
    {"control: ends at the first difference", timing_control},
};

int main(void)
{
    static struct timing_bench bench;
    struct timing_sample *samples = malloc(TIMING_SAMPLES * sizeof *samples);
    double *sorted = malloc(TIMING_SAMPLES * sizeof *sorted);
    int status = 0;

    if (!samples || !sorted)
        return 2;
    timing_state ^= (uint64_t)time(NULL) * 0x2545F4914F6CDD1D;
    timing_prepare(&bench);
#if TIMING_API_KEYS
    bench.keys = timing_read_keys(&bench);
#endif
    printf("%d measurements of %d calls; wrong from the first byte, or in the last only\n",
           TIMING_SAMPLES, TIMING_REPEATS);
    for (size_t i = 0; i < sizeof timing_rows / sizeof *timing_rows; i++) {
        const struct timing_row *row = &timing_rows[i];
        bool control = row->function == timing_control, differs;
        double t;

        timing_measure(&bench, row->function, samples);
        t = timing_judge(samples, sorted);
        differs = fabs(t) > TIMING_LIMIT;
        printf("%-40s t = %8.2f  %s\n", row->name, t, differs ? "differs" : "no difference");
        if (differs != control)
            status = control ? 2 : status ? status : 1;
    }
    free(samples);
    free(sorted);
    return status;
}
