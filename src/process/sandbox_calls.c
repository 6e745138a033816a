/* sandbox_calls.c - which system calls the sandbox permits.
 *
 * A call without a row fails with ENOSYS, as in a kernel without it: calls newer than this table,
 * and old ones that programs no longer use. The C library has a fallback for each of these. A row
 * permits a call, or refuses it with EPERM, always or for certain arguments. The rows of a call are
 * evaluated in order; if none refuses, the call is permitted. docs/sandbox.md gives the reasons. */
#include "process/sandbox_calls.h"

#if SANDBOX_FILTERS
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* clang-format off */
#define ALLOW(name) {#name, SYS_##name, 0, SANDBOX_ALWAYS, SANDBOX_ANYHOW, 0, 0, 0}
#define REFUSE(name) {#name, SYS_##name, EPERM, SANDBOX_ALWAYS, SANDBOX_ANYHOW, 0, 0, 0}
#define REFUSE_WHEN(name, when) {#name, SYS_##name, EPERM, when, SANDBOX_ANYHOW, 0, 0, 0}
#define HIDE(name) {#name, SYS_##name, ENOSYS, SANDBOX_ALWAYS, SANDBOX_ANYHOW, 0, 0, 0}
#define REFUSE_BITS(name, argument, bits) \
    {#name, SYS_##name, EPERM, SANDBOX_ALWAYS, SANDBOX_HAS_BITS, argument, 0, bits}
#define REFUSE_VALUE(name, argument, value) \
    {#name, SYS_##name, EPERM, SANDBOX_ALWAYS, SANDBOX_EQUALS, argument, 0, value}
#define REFUSE_UNLESS(name, argument, value) \
    {#name, SYS_##name, EPERM, SANDBOX_ALWAYS, SANDBOX_DIFFERS, argument, 0, value}
/* Refuses unless the argument, masked with `mask`, is in a set of numbers below 32. */
#define REFUSE_OUTSIDE(name, when, argument, mask, set) \
    {#name, SYS_##name, EPERM, when, SANDBOX_OUTSIDE, argument, mask, set}
#define NUMBER(n) (1u << (n))
/* clang-format on */

#define WHOLE 0xffffffffu
enum { TYPE_OF_SOCKET = 0xf };

/* clone: a new namespace, of any of seven kinds. */
enum { ANY_NAMESPACE = 0x7e020000 };

/* prctl: changing the memory map; sharing a core with other processes. */
enum { MEMORY_MAP = 35, CORE_SCHEDULING = 62 };

/* ioctl. Terminals: simulated input, functions of the console, redirection of console output,
 * another line discipline. Files: flags and attributes, freezing a file system. The last ones are
 * other names for F_SETOWN. */
enum {
    TERMINAL_TYPE = 0x5412,
    TERMINAL_CONSOLE = 0x541c,
    TERMINAL_REDIRECT = 0x541d,
    TERMINAL_PROTOCOL = 0x5423,
    FILE_FLAGS = 0x40086602,
    FILE_ATTRIBUTES = 0x401c5820,
    SOCKET_OWNER = 0x8901,
    SOCKET_GROUP = 0x8902
};
#define FILES_FREEZE 0xc0045877u
#define FILES_THAW 0xc0045878u

/* fcntl: the process or thread to which a descriptor sends signals; leases, which make others wait
 * for a file. */
enum { OWNER = 8, OWNER_BY_KIND = 15, LEASE = 1024 };

const struct sandbox_call hf_sandbox_calls[] = {
    /* clang-format off */
    /* Open descriptors. */
    ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64),
    ALLOW(preadv), ALLOW(pwritev), ALLOW(preadv2), ALLOW(pwritev2), ALLOW(lseek), ALLOW(close),
    ALLOW(close_range), ALLOW(dup), ALLOW(dup3), ALLOW(pipe2), ALLOW(sendfile), ALLOW(splice),
    ALLOW(tee), ALLOW(vmsplice), ALLOW(copy_file_range), ALLOW(fsync), ALLOW(fdatasync),
    ALLOW(sync), ALLOW(syncfs), ALLOW(sync_file_range), ALLOW(fadvise64), ALLOW(readahead),
    ALLOW(fallocate), ALLOW(ftruncate), ALLOW(flock), ALLOW(getdents64), ALLOW(fstat),
    ALLOW(fstatfs), ALLOW(fchdir),
    REFUSE_VALUE(fcntl, 1, OWNER), REFUSE_VALUE(fcntl, 1, OWNER_BY_KIND),
    REFUSE_VALUE(fcntl, 1, LEASE),
    REFUSE_VALUE(ioctl, 1, TERMINAL_TYPE), REFUSE_VALUE(ioctl, 1, TERMINAL_CONSOLE),
    REFUSE_VALUE(ioctl, 1, TERMINAL_REDIRECT), REFUSE_VALUE(ioctl, 1, TERMINAL_PROTOCOL),
    REFUSE_VALUE(ioctl, 1, FILE_FLAGS), REFUSE_VALUE(ioctl, 1, FILE_ATTRIBUTES),
    REFUSE_VALUE(ioctl, 1, FILES_FREEZE), REFUSE_VALUE(ioctl, 1, FILES_THAW),
    REFUSE_VALUE(ioctl, 1, SOCKET_OWNER), REFUSE_VALUE(ioctl, 1, SOCKET_GROUP),

    /* Waiting for descriptors. */
    ALLOW(ppoll), ALLOW(pselect6), ALLOW(epoll_create1), ALLOW(epoll_ctl), ALLOW(epoll_pwait),
    ALLOW(epoll_pwait2), ALLOW(eventfd2), ALLOW(signalfd4), ALLOW(timerfd_create),
    ALLOW(timerfd_settime), ALLOW(timerfd_gettime), ALLOW(inotify_init1),
    ALLOW(inotify_add_watch), ALLOW(inotify_rm_watch), ALLOW(io_setup), ALLOW(io_destroy),
    ALLOW(io_submit), ALLOW(io_cancel), ALLOW(io_getevents), ALLOW(io_pgetevents),
    ALLOW(io_uring_enter), HIDE(io_uring_setup), HIDE(io_uring_register),
    REFUSE(fanotify_init), REFUSE(fanotify_mark),

    /* Files by name: restricted by Landlock. */
    ALLOW(openat), ALLOW(openat2), ALLOW(mkdirat), ALLOW(unlinkat), ALLOW(renameat2),
    ALLOW(linkat), ALLOW(symlinkat), ALLOW(chdir), ALLOW(getcwd), ALLOW(umask),
    REFUSE_WHEN(truncate, SANDBOX_NO_TRUNCATE),
    REFUSE(mknodat), REFUSE(name_to_handle_at), REFUSE(open_by_handle_at),

    /* File metadata, which Landlock does not restrict. */
    ALLOW(newfstatat), ALLOW(statx), ALLOW(statfs), ALLOW(faccessat), ALLOW(faccessat2),
    ALLOW(readlinkat), ALLOW(getxattr), ALLOW(lgetxattr), ALLOW(fgetxattr), ALLOW(listxattr),
    ALLOW(llistxattr), ALLOW(flistxattr),
    REFUSE(fchmod), REFUSE(fchmodat), REFUSE(fchown), REFUSE(fchownat), REFUSE(utimensat),
    REFUSE(setxattr), REFUSE(lsetxattr), REFUSE(fsetxattr), REFUSE(removexattr),
    REFUSE(lremovexattr), REFUSE(fremovexattr), REFUSE(quotactl), REFUSE(quotactl_fd),

    /* Its own memory. */
    ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(pkey_mprotect),
    ALLOW(pkey_alloc), ALLOW(pkey_free), ALLOW(madvise), ALLOW(mincore), ALLOW(msync),
    ALLOW(mlock), ALLOW(mlock2), ALLOW(munlock), ALLOW(mlockall), ALLOW(munlockall), ALLOW(brk),
    ALLOW(remap_file_pages), ALLOW(memfd_create), ALLOW(membarrier), ALLOW(mbind),
    ALLOW(get_mempolicy), ALLOW(set_mempolicy), ALLOW(set_mempolicy_home_node),
    REFUSE_UNLESS(move_pages, 0, 0), REFUSE_UNLESS(migrate_pages, 0, 0),
    REFUSE(userfaultfd), REFUSE(memfd_secret),

    /* Its own threads and processes. The arguments of clone3 cannot be examined: without it, the C
     * library uses clone. */
    REFUSE_BITS(clone, 0, ANY_NAMESPACE), HIDE(clone3),
    ALLOW(exit), ALLOW(exit_group), ALLOW(wait4), ALLOW(waitid), ALLOW(set_tid_address),
    ALLOW(set_robust_list), ALLOW(rseq), ALLOW(futex), ALLOW(futex_waitv), ALLOW(sched_yield),
    ALLOW(restart_syscall), ALLOW(getpid), ALLOW(getppid), ALLOW(gettid), ALLOW(getpgid),
    ALLOW(getsid), ALLOW(setpgid), ALLOW(setsid), ALLOW(seccomp), ALLOW(landlock_create_ruleset),
    ALLOW(landlock_add_rule), ALLOW(landlock_restrict_self),
    REFUSE_VALUE(prctl, 0, MEMORY_MAP), REFUSE_VALUE(prctl, 0, CORE_SCHEDULING),
    REFUSE_WHEN(execve, SANDBOX_NO_PROGRAMS), REFUSE_WHEN(execveat, SANDBOX_NO_PROGRAMS),

    /* Signals: hf_sandbox_write_signals restricts their targets. */
    ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigpending), ALLOW(rt_sigtimedwait),
    ALLOW(rt_sigsuspend), ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(kill), ALLOW(tkill),
    ALLOW(tgkill), ALLOW(rt_sigqueueinfo), ALLOW(rt_tgsigqueueinfo),
    REFUSE(pidfd_send_signal),

    /* Other processes. */
    REFUSE(ptrace), REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(process_madvise),
    REFUSE(process_mrelease), REFUSE(kcmp), REFUSE(pidfd_open), REFUSE(pidfd_getfd),
    REFUSE(get_robust_list),
    REFUSE(shmget), REFUSE(shmat), REFUSE(shmctl), ALLOW(shmdt), REFUSE(semget), REFUSE(semctl),
    REFUSE(semop), REFUSE(semtimedop), REFUSE(msgget), REFUSE(msgctl), REFUSE(msgsnd),
    REFUSE(msgrcv), REFUSE(mq_open), REFUSE(mq_unlink), ALLOW(mq_timedsend),
    ALLOW(mq_timedreceive), ALLOW(mq_notify), ALLOW(mq_getsetattr),

    /* Priorities and limits: its own, as process 0. */
    ALLOW(getpriority), ALLOW(sched_getparam), ALLOW(sched_getscheduler), ALLOW(sched_getattr),
    ALLOW(sched_getaffinity), ALLOW(sched_get_priority_max), ALLOW(sched_get_priority_min),
    ALLOW(sched_rr_get_interval), ALLOW(ioprio_get), ALLOW(getrusage), ALLOW(times),
    REFUSE_UNLESS(prlimit64, 0, 0),
    REFUSE_UNLESS(setpriority, 0, 0), REFUSE_UNLESS(setpriority, 1, 0),
    REFUSE_UNLESS(ioprio_set, 0, 1), REFUSE_UNLESS(ioprio_set, 1, 0),
    REFUSE_UNLESS(sched_setparam, 0, 0), REFUSE_UNLESS(sched_setscheduler, 0, 0),
    REFUSE_UNLESS(sched_setattr, 0, 0), REFUSE_UNLESS(sched_setaffinity, 0, 0),

    /* Identity. */
    ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid), ALLOW(getresuid),
    ALLOW(getresgid), ALLOW(getgroups), ALLOW(setuid), ALLOW(setgid), ALLOW(setreuid),
    ALLOW(setregid), ALLOW(setresuid), ALLOW(setresgid), ALLOW(setfsuid), ALLOW(setfsgid),
    ALLOW(setgroups), ALLOW(capget), ALLOW(capset),

    /* Time. */
    ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(gettimeofday),
    ALLOW(nanosleep), ALLOW(getitimer), ALLOW(setitimer), ALLOW(timer_create),
    ALLOW(timer_settime), ALLOW(timer_gettime), ALLOW(timer_getoverrun), ALLOW(timer_delete),
    REFUSE(settimeofday), REFUSE(clock_settime), REFUSE(adjtimex), REFUSE(clock_adjtime),

    /* The network. A datagram socket of a pair could send to any Unix socket. */
    ALLOW(accept), ALLOW(accept4), ALLOW(getsockname), ALLOW(getpeername), ALLOW(getsockopt),
    ALLOW(setsockopt), ALLOW(sendto), ALLOW(sendmsg), ALLOW(sendmmsg), ALLOW(recvfrom),
    ALLOW(recvmsg), ALLOW(recvmmsg), ALLOW(shutdown),
    REFUSE_OUTSIDE(socketpair, SANDBOX_ALWAYS, 1, TYPE_OF_SOCKET,
                   NUMBER(SOCK_STREAM) | NUMBER(SOCK_SEQPACKET)),
    REFUSE(listen), REFUSE(bind),
    REFUSE_WHEN(connect, SANDBOX_NO_SOCKETS), REFUSE_WHEN(socket, SANDBOX_NO_SOCKETS),
    REFUSE_OUTSIDE(socket, SANDBOX_NO_INTERNET, 0, WHOLE, NUMBER(AF_UNIX)),
    REFUSE_OUTSIDE(socket, SANDBOX_NO_UNIX, 0, WHOLE, NUMBER(AF_INET) | NUMBER(AF_INET6)),
    REFUSE_OUTSIDE(socket, SANDBOX_ALWAYS, 0, WHOLE,
                   NUMBER(AF_UNIX) | NUMBER(AF_INET) | NUMBER(AF_INET6)),
    REFUSE_OUTSIDE(socket, SANDBOX_ALWAYS, 1, TYPE_OF_SOCKET,
                   NUMBER(SOCK_STREAM) | NUMBER(SOCK_DGRAM)),
    REFUSE_OUTSIDE(socket, SANDBOX_ALWAYS, 2, WHOLE, NUMBER(0) | NUMBER(6) | NUMBER(17)),

    /* The system. */
    ALLOW(uname), ALLOW(sysinfo), ALLOW(getcpu), ALLOW(getrandom),
    REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root), REFUSE(chroot), REFUSE(open_tree),
    REFUSE(move_mount), REFUSE(fsopen), REFUSE(fsconfig), REFUSE(fsmount), REFUSE(fspick),
    REFUSE(mount_setattr), REFUSE(setns), REFUSE(unshare), REFUSE(sethostname),
    REFUSE(setdomainname), REFUSE(vhangup), REFUSE(swapon), REFUSE(swapoff), REFUSE(acct),
    REFUSE(syslog), REFUSE(reboot), REFUSE(kexec_load), REFUSE(init_module),
    REFUSE(finit_module), REFUSE(delete_module), REFUSE(bpf), REFUSE(perf_event_open),
    REFUSE(add_key), REFUSE(request_key), REFUSE(keyctl), REFUSE(personality),

    /* Calls that exist only on some architectures. */
#if defined SYS_open
    ALLOW(open), ALLOW(creat), ALLOW(mkdir), ALLOW(rmdir), ALLOW(unlink), ALLOW(rename),
    ALLOW(link), ALLOW(symlink), ALLOW(stat), ALLOW(lstat), ALLOW(access), ALLOW(readlink),
    ALLOW(getdents), ALLOW(dup2), ALLOW(pipe), ALLOW(poll), ALLOW(select), ALLOW(epoll_create),
    ALLOW(epoll_wait), ALLOW(eventfd), ALLOW(signalfd), ALLOW(inotify_init), ALLOW(fork),
    ALLOW(vfork), ALLOW(pause), ALLOW(alarm), ALLOW(time), ALLOW(getpgrp), ALLOW(arch_prctl),
    REFUSE(mknod), REFUSE(chmod), REFUSE(chown), REFUSE(lchown), REFUSE(utime), REFUSE(utimes),
    REFUSE(futimesat), REFUSE(iopl), REFUSE(ioperm), REFUSE(modify_ldt),
#endif
#if defined SYS_renameat
    ALLOW(renameat),
#endif
#if defined SYS_getrlimit
    ALLOW(getrlimit), ALLOW(setrlimit),
#endif
#if defined SYS_kexec_file_load
    REFUSE(kexec_file_load),
#endif
#if defined SYS_riscv_flush_icache
    ALLOW(riscv_flush_icache),
#endif
#if defined SYS_riscv_hwprobe
    ALLOW(riscv_hwprobe),
#endif
    /* clang-format on */
};
const size_t hf_n_sandbox_calls = sizeof hf_sandbox_calls / sizeof *hf_sandbox_calls;

#endif
