/* sandbox.c - Landlock: restricts the files that a process can access.
 *
 * All rights that the kernel supports are removed, and some are granted for the listed paths.
 * Rights are rows with the version of Landlock that introduced them, so that older kernels are
 * asked for fewer. The constants are defined here because the system's headers may be older than
 * its kernel. */
#if defined __linux__
#define _GNU_SOURCE /* O_PATH */
#endif
#include "process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { ASK_VERSION = 1, RULE_PATH = 1 };

enum use { SANDBOX_NEVER = 0, READ = 1, WRITE = 2, OF_FILE = 4, EXECUTE = 8 };

static const struct right {
    int since; /* version of Landlock */
    int use;   /* options that grant it, and whether it applies to files */
} rights[] = {
    {1, EXECUTE | OF_FILE},      /* execute */
    {1, WRITE | OF_FILE},        /* write a file */
    {1, READ | WRITE | OF_FILE}, /* read a file */
    {1, READ | WRITE},           /* list a directory */
    {1, WRITE},                  /* remove a directory */
    {1, WRITE},                  /* remove a file */
    {1, SANDBOX_NEVER},          /* make a character device */
    {1, WRITE},                  /* make a directory */
    {1, WRITE},                  /* make a file */
    {1, SANDBOX_NEVER},          /* make a socket */
    {1, SANDBOX_NEVER},          /* make a pipe */
    {1, SANDBOX_NEVER},          /* make a block device */
    {1, SANDBOX_NEVER},          /* make a symbolic link, which could lead outside */
    {2, WRITE},                  /* move between directories */
    {3, WRITE | OF_FILE},        /* truncate a file */
    {5, SANDBOX_NEVER},          /* control a device */
};
enum { RIGHTS = sizeof rights / sizeof *rights };

/* Versions that introduced more than file rights, and those features. */
enum {
    TCP_SINCE = 4,
    TCP_BIND = 1,
    TCP_CONNECT = 2,
    SCOPE_SINCE = 6,
    SCOPE_SOCKETS = 1, /* abstract sockets */
    SCOPE_SIGNALS = 2
};

/* Files that every program needs, files for name resolution, and what programs are made of. */
enum sandbox_need { SANDBOX_EVERYTHING, SANDBOX_CONNECTIONS, SANDBOX_PROGRAMS };

static const struct always {
    const char *path;
    int use;
    enum sandbox_need need;
} always[] = {
    {"/dev/null", READ | WRITE, SANDBOX_EVERYTHING},
    {"/etc/hosts", READ, SANDBOX_CONNECTIONS},
    {"/etc/host.conf", READ, SANDBOX_CONNECTIONS},
    {"/etc/resolv.conf", READ, SANDBOX_CONNECTIONS},
    {"/etc/nsswitch.conf", READ, SANDBOX_CONNECTIONS},
    {"/etc/gai.conf", READ, SANDBOX_CONNECTIONS},
    {"/etc/services", READ, SANDBOX_CONNECTIONS},
    {"/bin", READ | EXECUTE, SANDBOX_PROGRAMS},
    {"/sbin", READ | EXECUTE, SANDBOX_PROGRAMS},
    {"/lib", READ | EXECUTE, SANDBOX_PROGRAMS},
    {"/lib32", READ | EXECUTE, SANDBOX_PROGRAMS},
    {"/lib64", READ | EXECUTE, SANDBOX_PROGRAMS},
    {"/usr", READ | EXECUTE, SANDBOX_PROGRAMS},
    {"/etc/ld.so.cache", READ, SANDBOX_PROGRAMS},
    {"/etc/ld.so.conf", READ, SANDBOX_PROGRAMS},
    {"/etc/ld.so.conf.d", READ, SANDBOX_PROGRAMS},
    {"/etc/alternatives", READ | EXECUTE, SANDBOX_PROGRAMS},
    {"/etc/localtime", READ, SANDBOX_PROGRAMS},
    {"/etc/passwd", READ, SANDBOX_PROGRAMS},
    {"/etc/group", READ, SANDBOX_PROGRAMS},
    {"/etc/ssl/certs", READ, SANDBOX_PROGRAMS},
    {"/etc/ssl/openssl.cnf", READ, SANDBOX_PROGRAMS},
    {"/dev/zero", READ, SANDBOX_PROGRAMS},
    {"/dev/urandom", READ, SANDBOX_PROGRAMS},
};

static bool sandbox_needs(const struct sandbox_wish *wish, enum sandbox_need need)
{
    return need == SANDBOX_EVERYTHING ||
           (need == SANDBOX_PROGRAMS ? wish->programs : wish->connect);
}

struct ruleset_attributes {
    uint64_t files, tcp, scope;
};

/* Packed, like the kernel's struct. */
struct path_rule {
    uint64_t rights;
    int32_t fd;
} __attribute__((packed));

static int version(void)
{
    long found = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);

    return found < 0 ? 0 : (int)found;
}

/* The rights of this version of Landlock that a use grants. */
static uint64_t rights_for(int landlock, int use, bool is_file)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < RIGHTS; i++)
        if (rights[i].since <= landlock && (!use || rights[i].use & use) &&
            (!is_file || rights[i].use & OF_FILE))
            sum |= (uint64_t)1 << i;
    return sum;
}

static int create_ruleset(int landlock, const struct sandbox_wish *wish)
{
    struct ruleset_attributes attributes = {.files = rights_for(landlock, 0, false),
                                            .tcp =
                                                wish->connect ? TCP_BIND : TCP_BIND | TCP_CONNECT,
                                            .scope = SCOPE_SOCKETS | SCOPE_SIGNALS};
    size_t size = landlock < TCP_SINCE     ? offsetof(struct ruleset_attributes, tcp)
                  : landlock < SCOPE_SINCE ? offsetof(struct ruleset_attributes, scope)
                                           : sizeof attributes;

    return (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
}

static int allow(int ruleset, int landlock, const char *path, int use, haft_reason *reason)
{
    struct path_rule rule = {.fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat about;
    int status = 0;

    if (rule.fd < 0 || fstat(rule.fd, &about))
        status = errno;
    else
        rule.rights = rights_for(landlock, use, !S_ISDIR(about.st_mode));
    if (!status && syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0))
        status = errno;
    if (rule.fd >= 0)
        close(rule.fd);
    return status ? hf_error_set(reason, HAFT_EINVAL, path, "%s", strerror(status)) : 0;
}

static int allow_all(int ruleset, int landlock, const char *const *paths, int use,
                     haft_reason *reason)
{
    int status = 0;

    for (size_t i = 0; !status && paths && paths[i]; i++)
        status = allow(ruleset, landlock, paths[i], use, reason);
    return status;
}

static int open_ruleset(struct sandbox *sandbox, const struct sandbox_wish *wish, int landlock,
                        haft_reason *reason)
{
    int status;

    sandbox->ruleset = create_ruleset(landlock, wish);
    if (sandbox->ruleset < 0)
        return hf_error_set(reason, HAFT_EINVAL, "sandbox", "%s", strerror(errno));
    /* Missing files need not be permitted. */
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (sandbox_needs(wish, always[i].need))
            allow(sandbox->ruleset, landlock, always[i].path, always[i].use, NULL);
    status = allow_all(sandbox->ruleset, landlock, wish->read,
                       wish->programs ? READ | EXECUTE : READ, reason);
    if (!status)
        status = allow_all(sandbox->ruleset, landlock, wish->write, WRITE, reason);
    return status;
}

int hf_sandbox_open(struct sandbox *sandbox, const struct sandbox_wish *wish,
                    haft_reason *reterr_reason)
{
    int landlock = version(), status = 0;
    bool filters;

    /* The process that kills those of isolated tools must be able to. */
    *sandbox = (struct sandbox){.ruleset = -1,
                                .best_effort = wish->best_effort,
                                .signals = landlock < SCOPE_SINCE && !wish->isolates,
                                .threads = wish->threads};
    filters = hf_sandbox_write_filter(&sandbox->program, wish, landlock);
    snprintf(sandbox->lacks, sizeof sandbox->lacks, "%s%s%s", landlock ? "" : "Landlock",
             landlock || filters ? "" : " and ", filters ? "" : "system call filters");
    if (*sandbox->lacks && !wish->best_effort)
        status = hf_error_set(reterr_reason, HAFT_EINVAL, "sandbox",
                              "the kernel does not support %s", sandbox->lacks);
    if (!status && landlock)
        status = open_ruleset(sandbox, wish, landlock, reterr_reason);
    if (status)
        hf_sandbox_close(sandbox);
    return status;
}

/* Landlock applies to the calling thread and threads it creates later, so there must be no others.
 * The number of threads is the link count of /proc/self/task, minus the two of every directory. */
static bool has_more_threads(unsigned than)
{
    struct stat about;

    return !stat("/proc/self/task", &about) && about.st_nlink > 2 + than;
}

int hf_sandbox_apply(const struct sandbox *sandbox)
{
    struct sandbox_program signals = {.size = 0};
    int error;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return errno;
    if (sandbox->ruleset >= 0 && syscall(SYS_landlock_restrict_self, sandbox->ruleset, 0))
        return errno;
    if (sandbox->signals && sandbox->program.size)
        hf_sandbox_write_signals(&signals, getpid(), false);
    error = hf_sandbox_enter_filter(&sandbox->program);
    return error ? error : hf_sandbox_enter_filter(&signals);
}

int hf_sandbox_enter(const struct sandbox *sandbox, haft_reason *reterr_reason)
{
    int error;

    if (!sandbox->best_effort && has_more_threads(1 + sandbox->threads))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "sandbox",
                            "threads that are already running would not be sandboxed");
    error = hf_sandbox_apply(sandbox);
    return error ? hf_error_set(reterr_reason, HAFT_EINVAL, "sandbox", "%s", strerror(error)) : 0;
}

void hf_sandbox_close(struct sandbox *sandbox)
{
    if (sandbox->ruleset >= 0)
        close(sandbox->ruleset);
    sandbox->ruleset = -1;
}

#else

int hf_sandbox_open(struct sandbox *sandbox, const struct sandbox_wish *wish,
                    haft_reason *reterr_reason)
{
    *sandbox = (struct sandbox){.ruleset = -1, .best_effort = wish->best_effort};
    snprintf(sandbox->lacks, sizeof sandbox->lacks, "sandbox");
    return wish->best_effort ? 0
                             : hf_error_set(reterr_reason, HAFT_EINVAL, "sandbox",
                                            "sandboxing is available on Linux only");
}

int hf_sandbox_enter(const struct sandbox *sandbox, haft_reason *reterr_reason)
{
    (void)sandbox;
    (void)reterr_reason;
    return 0;
}

int hf_sandbox_apply(const struct sandbox *sandbox)
{
    (void)sandbox;
    return 0;
}

void hf_sandbox_close(struct sandbox *sandbox)
{
    (void)sandbox;
}

#endif
