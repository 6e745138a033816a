/* process/sandbox.h - what a server gives up for good before it runs a handler.
 *
 * It is made while everything may still be opened, and entered by every process of the server on
 * its own: the server once it listens, and whoever forks the processes of isolated tools.  Files
 * are Landlock's (sandbox.c), system calls are seccomp's (sandbox_filter.c, after the table in
 * sandbox_calls.c). */
#ifndef HAFT_SRC_SANDBOX_H
#define HAFT_SRC_SANDBOX_H

#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"

enum sandbox_mode { SANDBOX_OFF, SANDBOX_ON, SANDBOX_BEST_EFFORT };

struct sandbox_wish {
    const char *const *read; /* files, and directories with all below; ends with NULL, or is NULL */
    const char *const *write;
    bool connect;      /* over the internet protocols */
    bool connect_unix; /* to Unix sockets; with neither no socket can be made */
    bool best_effort;  /* what this kernel lacks is left out */
    bool isolates;     /* it has processes of isolated tools, and whoever forks them ends them */
    unsigned threads;  /* that run already, and run no handlers */
};

enum { SANDBOX_INSTRUCTIONS = 512 };

/* As the kernel has them: struct sock_filter. */
struct sandbox_instruction {
    uint16_t code;
    uint8_t if_so, if_not;
    uint32_t operand;
};

struct sandbox_program {
    uint16_t size; /* 0: nothing is filtered */
    struct sandbox_instruction at[SANDBOX_INSTRUCTIONS];
};

struct sandbox {
    int ruleset; /* -1 without Landlock */
    bool best_effort;
    bool signals; /* are the filter's, since Landlock has no say in them */
    unsigned threads;
    struct sandbox_program program;
    char lacks[160]; /* what is left out; "" for nothing */
};

/* 0, or HAFT_EINVAL: a path cannot be opened, or the kernel lacks something and that will not do.
 * After 0 it is to be closed. */
int hf_sandbox_open(struct sandbox *sandbox, const struct sandbox_wish *wish,
                    haft_reason *reterr_reason);

/* From here on, for this thread, those that it starts, and their processes.  0 or HAFT_EINVAL. */
int hf_sandbox_enter(const struct sandbox *sandbox, haft_reason *reterr_reason);

void hf_sandbox_close(struct sandbox *sandbox);

/* ---- sandbox_filter.c ---- */

/* Writes the program for a kernel with that version of Landlock, 0 for none.  False when system
 * calls cannot be filtered on this machine. */
bool hf_sandbox_write_filter(struct sandbox_program *program, const struct sandbox_wish *wish,
                             int landlock);

/* Writes one that keeps signals to the process `pid` and its group; with `stays`, the process in
 * that group, too. */
void hf_sandbox_write_signals(struct sandbox_program *program, pid_t pid, bool stays);

/* 0 or errno.  For all threads. */
int hf_sandbox_enter_filter(const struct sandbox_program *program);

/* What the process of an isolated call gives up besides: signals to others, and leaving its group.
 * 0 or errno. */
int hf_sandbox_enter_call(void);

#endif
