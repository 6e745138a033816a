/* process/sandbox_calls.h - the table of system calls in the sandbox, from which the filter is
 * generated (sandbox_filter.c), and which its tests iterate over. */
#ifndef HAFT_SRC_SANDBOX_CALLS_H
#define HAFT_SRC_SANDBOX_CALLS_H

#include <stddef.h>
#include <stdint.h>

#if defined __linux__ &&                                                                           \
    (defined __x86_64__ || defined __aarch64__ || (defined __riscv && __riscv_xlen == 64))
#define SANDBOX_FILTERS 1
#else
#define SANDBOX_FILTERS 0
#endif

/* When a row applies: always, or if something is not permitted or not available. */
enum sandbox_when {
    SANDBOX_ALWAYS,
    SANDBOX_NO_SOCKETS, /* neither of the next two */
    SANDBOX_NO_INTERNET,
    SANDBOX_NO_UNIX,
    SANDBOX_NO_PROGRAMS,
    SANDBOX_NO_TRUNCATE /* Landlock cannot prevent truncation */
};

/* The condition on an argument under which a row refuses. */
enum sandbox_test {
    SANDBOX_ANYHOW,
    SANDBOX_HAS_BITS, /* has any bit of `value` */
    SANDBOX_EQUALS,   /* equals `value` */
    SANDBOX_DIFFERS,  /* differs from `value` */
    SANDBOX_OUTSIDE   /* masked with `mask`, is outside `value`, a set of numbers below 32 */
};

struct sandbox_call {
    const char *name;
    long number;
    int error; /* 0: permitted */
    enum sandbox_when when;
    enum sandbox_test test;
    unsigned argument;
    uint32_t mask, value;
};

extern const struct sandbox_call hf_sandbox_calls[];
extern const size_t hf_n_sandbox_calls;

#endif
