/* sandbox_filter.c - seccomp: the program that the kernel runs before each system call.
 *
 * It compares the number with ranges in ascending order; consecutive numbers with the same result
 * are one range. Numbers above the last one fail with ENOSYS, and so does the alternative set of
 * numbers (x32), which is above all of them. A call of another architecture kills the process,
 * since its numbers have other meanings. */
#include "process/sandbox.h"

#include "process/sandbox_calls.h"

#if SANDBOX_FILTERS
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE AUDIT_ARCH_RISCV64
#endif

enum { TRUNCATE_SINCE = 3, SET_SIZE = 32, TESTED = -1 };

_Static_assert(sizeof(struct sandbox_instruction) == sizeof(struct sock_filter),
               "as the kernel has it");

/* ---- instructions ---- */

static void filter_put(struct sandbox_program *program, unsigned code, uint32_t operand,
                       unsigned if_so, unsigned if_not)
{
    if (program->size < SANDBOX_INSTRUCTIONS)
        program->at[program->size] =
            (struct sandbox_instruction){(uint16_t)code, (uint8_t)if_so, (uint8_t)if_not, operand};
    program->size++;
}

static void put_load(struct sandbox_program *program, size_t offset)
{
    filter_put(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Loads the lower half of an argument, which is all that the kernel uses of the tested ones. */
static void put_load_argument(struct sandbox_program *program, unsigned argument)
{
    put_load(program, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
}

static void filter_put_answer(struct sandbox_program *program, int error)
{
    filter_put(program, BPF_RET | BPF_K,
               error ? SECCOMP_RET_ERRNO | (uint32_t)error : SECCOMP_RET_ALLOW, 0, 0);
}

static void put_machine(struct sandbox_program *program)
{
    program->size = 0;
    put_load(program, offsetof(struct seccomp_data, arch));
    filter_put(program, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    filter_put(program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put_load(program, offsetof(struct seccomp_data, nr));
}

/* Skips the refusal, unless the row refuses. */
static void put_test(struct sandbox_program *program, const struct sandbox_call *row)
{
    static const unsigned jumps[] = {
        [SANDBOX_HAS_BITS] = BPF_JSET, [SANDBOX_EQUALS] = BPF_JEQ, [SANDBOX_DIFFERS] = BPF_JEQ};
    bool refuses = row->test != SANDBOX_DIFFERS;

    put_load_argument(program, row->argument);
    if (row->test == SANDBOX_OUTSIDE) {
        filter_put(program, BPF_ALU | BPF_AND | BPF_K, row->mask, 0, 0);
        filter_put(program, BPF_JMP | BPF_JGE | BPF_K, SET_SIZE, 4, 0);
        filter_put(program, BPF_MISC | BPF_TAX, 0, 0, 0);
        filter_put(program, BPF_LD | BPF_IMM, 1, 0, 0);
        filter_put(program, BPF_ALU | BPF_LSH | BPF_X, 0, 0, 0);
        filter_put(program, BPF_JMP | BPF_JSET | BPF_K, row->value, 1, 0);
    } else {
        filter_put(program, BPF_JMP | BPF_K | jumps[row->test], row->value, !refuses, refuses);
    }
    filter_put_answer(program, row->error);
}

/* ---- calls ---- */

static bool applies(const struct sandbox_call *row, const struct sandbox_wish *wish, int landlock)
{
    switch (row->when) {
    case SANDBOX_NO_SOCKETS:
        return !wish->connect && !wish->connect_unix;
    case SANDBOX_NO_INTERNET:
        return !wish->connect;
    case SANDBOX_NO_UNIX:
        return !wish->connect_unix;
    case SANDBOX_NO_PROGRAMS:
        return !wish->programs;
    case SANDBOX_NO_TRUNCATE:
        return landlock < TRUNCATE_SINCE;
    default:
        return true;
    }
}

/* Returns 0, an error, or TESTED. */
static int answer_to(long number, const struct sandbox_wish *wish, int landlock)
{
    int answer = ENOSYS;

    for (size_t i = 0; i < hf_n_sandbox_calls; i++) {
        const struct sandbox_call *row = &hf_sandbox_calls[i];

        if (row->number != number)
            continue;
        if (answer == ENOSYS)
            answer = 0;
        if (!applies(row, wish, landlock))
            continue;
        if (row->test == SANDBOX_ANYHOW)
            return row->error;
        answer = TESTED;
    }
    return answer;
}

static void put_tests(struct sandbox_program *program, long number, const struct sandbox_wish *wish,
                      int landlock)
{
    for (size_t i = 0; i < hf_n_sandbox_calls; i++)
        if (hf_sandbox_calls[i].number == number && applies(&hf_sandbox_calls[i], wish, landlock))
            put_test(program, &hf_sandbox_calls[i]);
    filter_put_answer(program, 0);
}

static long last_number(void)
{
    long last = 0;

    for (size_t i = 0; i < hf_n_sandbox_calls; i++)
        if (hf_sandbox_calls[i].number > last)
            last = hf_sandbox_calls[i].number;
    return last;
}

/* Gives all remaining numbers below `end` this result. */
static void put_step(struct sandbox_program *program, long number, long end, int answer,
                     const struct sandbox_wish *wish, int landlock)
{
    size_t jump = program->size;

    filter_put(program, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)end, 0, 0);
    if (answer == TESTED)
        put_tests(program, number, wish, landlock);
    else
        filter_put_answer(program, answer);
    if (jump < SANDBOX_INSTRUCTIONS)
        program->at[jump].if_so = (uint8_t)(program->size - jump - 1);
}

static bool can_filter(void)
{
    uint32_t needed = SECCOMP_RET_ERRNO;

    return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &needed);
}

bool hf_sandbox_write_filter(struct sandbox_program *program, const struct sandbox_wish *wish,
                             int landlock)
{
    long last = last_number(), end;

    program->size = 0;
    if (!can_filter())
        return false;
    put_machine(program);
    for (long number = 0; number <= last; number = end) {
        int answer = answer_to(number, wish, landlock);

        end = number + 1;
        while (answer != TESTED && end <= last && answer_to(end, wish, landlock) == answer)
            end++;
        put_step(program, number, end, answer, wish, landlock);
    }
    filter_put_answer(program, ENOSYS);
    return program->size <= SANDBOX_INSTRUCTIONS;
}

/* ---- signals ---- */

/* Restricts a call that sends signals: its first argument is the target. */
static void put_signal(struct sandbox_program *program, long number, pid_t pid, bool group)
{
    filter_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, group ? 6 : 4);
    put_load_argument(program, 0);
    filter_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)pid, group ? 2 : 1, 0);
    if (group) {
        filter_put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
        filter_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)-pid, 0, 1);
    }
    filter_put_answer(program, group ? 0 : EPERM);
    filter_put_answer(program, group ? EPERM : 0);
}

void hf_sandbox_write_signals(struct sandbox_program *program, pid_t pid, bool stays)
{
    static const long leaving[] = {SYS_setsid, SYS_setpgid};
    static const long calls[] = {SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo};

    put_machine(program);
    for (size_t i = 0; stays && i < sizeof leaving / sizeof *leaving; i++) {
        filter_put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)leaving[i], 0, 1);
        filter_put_answer(program, EPERM);
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        put_signal(program, calls[i], pid, false);
    put_signal(program, SYS_kill, pid, true);
    filter_put_answer(program, 0);
}

/* ---- entering ---- */

int hf_sandbox_enter_filter(const struct sandbox_program *program)
{
    struct {
        unsigned short size;
        const struct sandbox_instruction *at;
    } filter = {program->size, program->at};

    return program->size &&
                   syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter)
               ? errno
               : 0;
}

int hf_sandbox_enter_call(void)
{
    struct sandbox_program program;

    if (!can_filter())
        return 0;
    hf_sandbox_write_signals(&program, getpid(), true);
    return hf_sandbox_enter_filter(&program);
}

#else

bool hf_sandbox_write_filter(struct sandbox_program *program, const struct sandbox_wish *wish,
                             int landlock)
{
    (void)wish;
    (void)landlock;
    program->size = 0;
    return false;
}

void hf_sandbox_write_signals(struct sandbox_program *program, pid_t pid, bool stays)
{
    (void)pid;
    (void)stays;
    program->size = 0;
}

int hf_sandbox_enter_filter(const struct sandbox_program *program)
{
    (void)program;
    return 0;
}

int hf_sandbox_enter_call(void)
{
    return 0;
}

#endif
