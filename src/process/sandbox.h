/* process/sandbox.h - privileges that a server gives up permanently before it runs a handler.
 *
 * The sandbox is prepared while files can still be opened, and entered by every process of the
 * server: by the server once it listens, and by the process that forks those of isolated tools.
 * Files are restricted by Landlock (sandbox.c), system calls by seccomp (sandbox_filter.c,
 * generated from the table in sandbox_calls.c). */
#ifndef HAFT_SRC_SANDBOX_H
#define HAFT_SRC_SANDBOX_H

#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"

enum sandbox_mode { SANDBOX_OFF, SANDBOX_ON, SANDBOX_BEST_EFFORT };

struct sandbox_wish {
    const char *const *read; /* files, and directories with their contents; NULL-terminated, or
                              * NULL */
    const char *const *write;
    bool programs; /* it is a program that is started in it: it may execute files that it can read,
                        * and read those of the system's directories */
    bool connect;  /* TCP and UDP connections are permitted */
    bool connect_unix; /* to Unix sockets; with neither, no socket can be created */
    bool best_effort;  /* omit what this kernel does not support */
    bool isolates;     /* it has isolated tools, and the process that forks them kills them */
    unsigned threads;  /* existing threads, which do not run handlers */
};

enum { SANDBOX_INSTRUCTIONS = 512 };

/* The kernel's struct sock_filter. */
struct sandbox_instruction {
    uint16_t code;
    uint8_t if_so, if_not;
    uint32_t operand;
};

struct sandbox_program {
    uint16_t size; /* 0 if nothing is filtered */
    struct sandbox_instruction at[SANDBOX_INSTRUCTIONS];
};

struct sandbox {
    int ruleset; /* -1 without Landlock */
    bool best_effort;
    bool signals; /* filtered by seccomp, since this Landlock cannot */
    unsigned threads;
    struct sandbox_program program;
    char lacks[160]; /* omitted features; "" if none */
};

/* Returns 0, or HAFT_EINVAL if a path cannot be opened, or the kernel lacks a required feature.
 * After 0 it must be closed. */
int hf_sandbox_open(struct sandbox *sandbox, const struct sandbox_wish *wish,
                    haft_reason *reterr_reason);

/* Enters the sandbox, for this thread, threads it creates, and their processes. Returns 0 or
 * HAFT_EINVAL. */
int hf_sandbox_enter(const struct sandbox *sandbox, haft_reason *reterr_reason);

/* The same for the only thread of a process; async-signal-safe.  Returns 0 or errno. */
int hf_sandbox_apply(const struct sandbox *sandbox);

void hf_sandbox_close(struct sandbox *sandbox);

/* ---- sandbox_filter.c ---- */

/* Writes the filter for a kernel with that version of Landlock, 0 for none. Returns false if system
 * calls cannot be filtered on this machine. */
bool hf_sandbox_write_filter(struct sandbox_program *program, const struct sandbox_wish *wish,
                             int landlock);

/* Writes a filter that restricts signals to the process `pid` and its group; with `stays`, the
 * process cannot leave that group. */
void hf_sandbox_write_signals(struct sandbox_program *program, pid_t pid, bool stays);

/* Applies the filter to all threads. Returns 0 or errno. */
int hf_sandbox_enter_filter(const struct sandbox_program *program);

/* Further restrictions for the process of an isolated call: signals to other processes, and leaving
 * its group. Returns 0 or errno. */
int hf_sandbox_enter_call(void);

#endif
