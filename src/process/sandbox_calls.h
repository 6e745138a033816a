/* process/sandbox_calls.h - the table of system calls in the sandbox: what the filter is written
 * from (sandbox_filter.c), and what its tests go through. */
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

/* When a row counts: always, or where something has not been left or is not there. */
enum sandbox_when {
    SANDBOX_ALWAYS,
    SANDBOX_NO_SOCKETS, /* neither of the next two */
    SANDBOX_NO_INTERNET,
    SANDBOX_NO_UNIX,
    SANDBOX_NO_TRUNCATE /* Landlock cannot keep files from being cut short */
};

/* What of an argument makes it refuse. */
enum sandbox_test {
    SANDBOX_ANYHOW,
    SANDBOX_HAS_BITS, /* any of `value` */
    SANDBOX_EQUALS,   /* `value` */
    SANDBOX_DIFFERS,  /* from `value` */
    SANDBOX_OUTSIDE   /* of `value`, a set of numbers below 32; `mask` is what counts of it */
};

struct sandbox_call {
    const char *name;
    long number;
    int error; /* 0: allowed */
    enum sandbox_when when;
    enum sandbox_test test;
    unsigned argument;
    uint32_t mask, value;
};

extern const struct sandbox_call hf_sandbox_calls[];
extern const size_t hf_n_sandbox_calls;

#endif
