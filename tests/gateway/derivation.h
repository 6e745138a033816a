/* gateway/derivation.h - counts what a password costs, and can hold every derivation up.
 *
 * The linker puts these functions in the place of the library's (tests/CMakeLists.txt). */
#ifndef HAFT_TESTS_DERIVATION_H
#define HAFT_TESTS_DERIVATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

#include <haft/gateway.h>

#include "base/pbkdf2.h"
#include "support/test.h"

static struct {
    atomic_uint begun, steps, iterations, comparisons;
    atomic_uint cancelled; /* requests */
    atomic_bool held;      /* whoever makes a step waits until it is not */
    atomic_bool held_until_cancelled;
} derivations;

void __real_hf_pbkdf2_begin(struct pbkdf2 *derivation, const void *password, size_t size,
                            const void *salt, size_t salt_size);
void __wrap_hf_pbkdf2_begin(struct pbkdf2 *derivation, const void *password, size_t size,
                            const void *salt, size_t salt_size);
void __real_hf_pbkdf2_step(struct pbkdf2 *derivation, unsigned iterations);
void __wrap_hf_pbkdf2_step(struct pbkdf2 *derivation, unsigned iterations);
int __real_hf_digest_equal(const unsigned char *left, const unsigned char *right);
int __wrap_hf_digest_equal(const unsigned char *left, const unsigned char *right);

void __real_haft_gateway_request_cancel(haft_gateway_request *req);
void __wrap_haft_gateway_request_cancel(haft_gateway_request *req);

void __wrap_hf_pbkdf2_begin(struct pbkdf2 *derivation, const void *password, size_t size,
                            const void *salt, size_t salt_size)
{
    atomic_fetch_add(&derivations.begun, 1);
    __real_hf_pbkdf2_begin(derivation, password, size, salt, salt_size);
}

void __wrap_hf_pbkdf2_step(struct pbkdf2 *derivation, unsigned iterations)
{
    atomic_fetch_add(&derivations.iterations, iterations);
    atomic_fetch_add(&derivations.steps, 1);
    while (atomic_load(&derivations.held))
        uv_sleep(1);
    __real_hf_pbkdf2_step(derivation, iterations);
}

int __wrap_hf_digest_equal(const unsigned char *left, const unsigned char *right)
{
    atomic_fetch_add(&derivations.comparisons, 1);
    return __real_hf_digest_equal(left, right);
}

void __wrap_haft_gateway_request_cancel(haft_gateway_request *req)
{
    __real_haft_gateway_request_cancel(req);
    atomic_fetch_add(&derivations.cancelled, 1);
    if (atomic_load(&derivations.held_until_cancelled))
        atomic_store(&derivations.held, false);
}

static void derivations_reset(void)
{
    atomic_store(&derivations.held, false);
    atomic_store(&derivations.held_until_cancelled, false);
    atomic_store(&derivations.cancelled, 0);
    atomic_store(&derivations.begun, 0);
    atomic_store(&derivations.steps, 0);
    atomic_store(&derivations.iterations, 0);
    atomic_store(&derivations.comparisons, 0);
}

/* Waits until there are so many; fails when they do not come. */
static void derivations_await(atomic_uint *count, unsigned n)
{
    for (int ms = 0; atomic_load(count) < n; ms++) {
        if (ms > 30000)
            fail_msg("there are %u, and not %u", atomic_load(count), n);
        uv_sleep(1);
    }
}

#endif
