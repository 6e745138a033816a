/* sandbox_filter.c - seccomp: which system calls are refused.
 *
 * The rows name what a server that runs has no use for and what it would use against the machine:
 * starting programs, looking into other processes, changing what is mounted, loading code into the
 * kernel, making sockets.  Everything else is as it was.  A call of another machine's kind is the
 * end of the process, since its numbers mean something else. */
#include "runtime/sandbox.h"

#if defined __linux__
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
#elif defined __riscv && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#endif
#endif

#if defined MACHINE

enum { ALWAYS, NO_NETWORK, NO_TRUNCATE }; /* when a row holds */

/* Of clone: a new namespace, of any of seven kinds.  Of ioctl: typing at somebody's terminal. */
enum { ANY_NAMESPACE = 0x7e020000, TYPE_AT = 0x5412, TYPE_AT_CONSOLE = 0x541c };

enum test { ANYHOW, HAS_BITS, EQUALS };

/* clang-format off */
#define REFUSE(name) {SYS_##name, EPERM, ALWAYS, ANYHOW, 0, 0}
/* clang-format on */

static const struct row {
    long number;
    int error;
    int when;
    enum test test; /* of an argument */
    unsigned argument;
    uint32_t value;
} rows[] = {
    /* clang-format off */
    /* Other programs, other processes. */
    REFUSE(execve), REFUSE(execveat), REFUSE(ptrace), REFUSE(process_vm_readv),
    REFUSE(process_vm_writev), REFUSE(kcmp), REFUSE(pidfd_getfd), REFUSE(process_madvise),
    {SYS_ioctl, EPERM, ALWAYS, EQUALS, 1, TYPE_AT},
    {SYS_ioctl, EPERM, ALWAYS, EQUALS, 1, TYPE_AT_CONSOLE},
    /* What is mounted, and views of the machine.  The arguments of clone3 cannot be looked at:
     * without it the C library takes clone. */
    REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root), REFUSE(chroot), REFUSE(open_tree),
    REFUSE(move_mount), REFUSE(fsopen), REFUSE(fsconfig), REFUSE(fsmount), REFUSE(fspick),
    REFUSE(mount_setattr), REFUSE(setns), REFUSE(unshare),
    {SYS_clone, EPERM, ALWAYS, HAS_BITS, 0, ANY_NAMESPACE},
    {SYS_clone3, ENOSYS, ALWAYS, ANYHOW, 0, 0},
    /* The kernel itself. */
    REFUSE(bpf), REFUSE(perf_event_open), REFUSE(init_module), REFUSE(finit_module),
    REFUSE(delete_module), REFUSE(kexec_load), REFUSE(kexec_file_load), REFUSE(reboot),
    REFUSE(swapon), REFUSE(swapoff), REFUSE(acct), REFUSE(quotactl), REFUSE(syslog),
    REFUSE(settimeofday), REFUSE(clock_settime), REFUSE(sethostname), REFUSE(setdomainname),
    REFUSE(personality), REFUSE(userfaultfd), REFUSE(add_key), REFUSE(request_key), REFUSE(keyctl),
#if defined __x86_64__
    REFUSE(iopl), REFUSE(ioperm), REFUSE(modify_ldt),
#endif
    /* Ways around what is above and what Landlock has. */
    REFUSE(open_by_handle_at),
    {SYS_io_uring_setup, ENOSYS, ALWAYS, ANYHOW, 0, 0},
    {SYS_truncate, EPERM, NO_TRUNCATE, ANYHOW, 0, 0},
    /* The network. */
    REFUSE(listen),
    {SYS_socket, EPERM, NO_NETWORK, ANYHOW, 0, 0},
    {SYS_connect, EPERM, NO_NETWORK, ANYHOW, 0, 0},
    {SYS_bind, EPERM, NO_NETWORK, ANYHOW, 0, 0},
    /* clang-format on */
};
enum { ROWS = sizeof rows / sizeof *rows, PER_ROW = 5, AROUND = 7, TRUNCATE_SINCE = 3 };

_Static_assert(AROUND + PER_ROW * (int)ROWS <= SANDBOX_INSTRUCTIONS, "the program holds every row");
_Static_assert(sizeof(struct sandbox_instruction) == sizeof(struct sock_filter),
               "as the kernel has it");

static void put(struct sandbox *sandbox, unsigned code, uint32_t operand, unsigned if_so,
                unsigned if_not)
{
    sandbox->program[sandbox->n_instructions++] =
        (struct sandbox_instruction){(uint16_t)code, (uint8_t)if_so, (uint8_t)if_not, operand};
}

static void put_load(struct sandbox *sandbox, size_t offset)
{
    put(sandbox, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Goes over the next `n` unless the accumulator is that number. */
static void put_unless(struct sandbox *sandbox, uint32_t number, unsigned n)
{
    put(sandbox, BPF_JMP | BPF_JEQ | BPF_K, number, 0, n);
}

static void put_answer(struct sandbox *sandbox, uint32_t answer)
{
    put(sandbox, BPF_RET | BPF_K, answer, 0, 0);
}

/* The lower half of an argument is all that the kernel looks at of those that are tested.  The
 * number is loaded again for the next row. */
static void put_row(struct sandbox *sandbox, const struct row *row)
{
    uint32_t answer = SECCOMP_RET_ERRNO | (uint32_t)row->error;

    if (row->test == ANYHOW) {
        put_unless(sandbox, (uint32_t)row->number, 1);
        put_answer(sandbox, answer);
        return;
    }
    put_unless(sandbox, (uint32_t)row->number, 4);
    put_load(sandbox, offsetof(struct seccomp_data, args) + row->argument * sizeof(uint64_t));
    put(sandbox, BPF_JMP | BPF_K | (row->test == EQUALS ? BPF_JEQ : BPF_JSET), row->value, 0, 1);
    put_answer(sandbox, answer);
    put_load(sandbox, offsetof(struct seccomp_data, nr));
}

bool sandbox_write_filter(struct sandbox *sandbox, bool connect, int landlock)
{
    uint32_t needed = SECCOMP_RET_ERRNO;

    sandbox->n_instructions = 0;
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &needed))
        return false;
    put_load(sandbox, offsetof(struct seccomp_data, arch));
    put(sandbox, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    put_answer(sandbox, SECCOMP_RET_KILL_PROCESS);
    put_load(sandbox, offsetof(struct seccomp_data, nr));
#if defined __x86_64__
    /* The same machine by its other set of numbers. */
    put(sandbox, BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1);
    put_answer(sandbox, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].when == ALWAYS || (rows[i].when == NO_NETWORK && !connect) ||
            (rows[i].when == NO_TRUNCATE && landlock < TRUNCATE_SINCE))
            put_row(sandbox, &rows[i]);
    put_answer(sandbox, SECCOMP_RET_ALLOW);
    return true;
}

#else

bool sandbox_write_filter(struct sandbox *sandbox, bool connect, int landlock)
{
    (void)connect;
    (void)landlock;
    sandbox->n_instructions = 0;
    return false;
}

#endif
