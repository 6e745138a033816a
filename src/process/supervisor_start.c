/* supervisor_start.c - from a request to a program.
 *
 * The new process shares this one's memory until it executes the program, as with vfork: a copy would
 * cost more than the rest.  clone has no handlers for forks, of which libuv's closes descriptors by numbers
 * that mean others here.  Why the program could not be started comes back over a pipe that a program which
 * is started closes. */
#define _GNU_SOURCE /* clone, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/forked.h"
#include "process/supervisor_wire.h"

/* ThreadSanitizer takes every clone for a fork, and cannot share memory with it. */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define START_COPIES 1
#endif
#endif
#if defined __SANITIZE_THREAD__ || defined START_COPIES
enum { START_FLAGS = CLONE_VFORK | SIGCHLD };
#else
enum { START_FLAGS = CLONE_VM | CLONE_VFORK | SIGCHLD };
#endif

static const char start_default_path[] = "/usr/local/bin:/usr/bin:/bin";

struct start_failure {
    int32_t step, error;
};

/* ---- in the new process ---- */

/* A limit that is in force already cannot be raised. */
static bool start_set_limit(__rlimit_resource_t resource, uint64_t value)
{
    struct rlimit limit;

    if (!value)
        return true;
    if (getrlimit(resource, &limit))
        return false;
    if (value < limit.rlim_max)
        limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    return !setrlimit(resource, &limit);
}

static bool start_set_limits(const struct supervised_limits *limits)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    return start_set_limit(RLIMIT_AS, limits->memory) &&
           start_set_limit(RLIMIT_CPU, limits->cpu_seconds) &&
           start_set_limit(RLIMIT_NOFILE, limits->open_files) &&
           start_set_limit(RLIMIT_NPROC, limits->processes) &&
           start_set_limit(RLIMIT_FSIZE, limits->file_size);
}

/* Descriptors that came with a packet have numbers above the standard ones.  The supervisor's
 * standard input is /dev/null. */
static bool start_set_fds(const int fds[3])
{
    int null = STDIN_FILENO;

    for (int i = 1; i < 3; i++)
        if (dup2(fds[i] >= 0 ? fds[i] : null, i) < 0)
            return false;
    return fds[0] < 0 || dup2(fds[0], STDIN_FILENO) == STDIN_FILENO;
}

static const char *start_path(char *const *environment)
{
    for (; *environment; environment++)
        if (!strncmp(*environment, "PATH=", 5))
            return *environment + 5;
    return start_default_path;
}

/* Like execvpe, for the PATH of the new environment.  Returns errno. */
static int start_execute(const struct supervise_request *request)
{
    const char *name = request->arguments[0], *path = start_path(request->environment);
    size_t size = strlen(name);
    bool forbidden = false;
    char file[PATH_MAX];

    if (strchr(name, '/')) {
        execve(name, request->arguments, request->environment);
        return errno;
    }
    for (const char *end; *name; path = end + 1) {
        size_t n;

        end = strchrnul(path, ':');
        n = (size_t)(end - path);
        /* An empty part would be the current directory, which nobody means. */
        if (n && n + size + 2 <= sizeof file) {
            memcpy(file, path, n);
            file[n] = '/';
            memcpy(file + n + 1, name, size + 1);
            execve(file, request->arguments, request->environment);
            forbidden = forbidden || errno == EACCES;
            if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP)
                return errno;
        }
        if (!*end)
            break;
    }
    return forbidden ? EACCES : ENOENT;
}

static struct start_failure start_become(const struct supervise_request *request, pid_t parent)
{
    int error;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    setsid();
    hf_forked_default_signals();
    hf_forked_block_nothing();
    if (!start_set_fds(request->fds))
        return (struct start_failure){SUPERVISE_STEP_DESCRIPTORS, errno};
    if (request->directory && chdir(request->directory))
        return (struct start_failure){SUPERVISE_STEP_DIRECTORY, errno};
    if (!start_set_limits(&request->start.limits))
        return (struct start_failure){SUPERVISE_STEP_LIMITS, errno};
    if (request->start.sandboxed && (error = hf_sandbox_apply(&request->sandbox)))
        return (struct start_failure){SUPERVISE_STEP_SANDBOX, error};
    return (struct start_failure){SUPERVISE_STEP_EXECUTE, start_execute(request)};
}

struct start_job {
    const struct supervise_request *request;
    pid_t parent;
    int fd; /* for a failure */
};

static int start_run(void *context)
{
    const struct start_job *job = context;
    struct start_failure failure = start_become(job->request, job->parent);

    if (write(job->fd, &failure, sizeof failure) < 0)
        _exit(126);
    _exit(127);
}

/* ---- in the supervisor ---- */

/* Waits until the program has started or has failed to.  Returns whether it failed. */
static bool start_await(int fd, struct start_failure *ret_failure)
{
    ssize_t n;

    do
        n = read(fd, ret_failure, sizeof *ret_failure);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *ret_failure;
}

pid_t hf_supervise_start(struct supervise_request *request, enum supervise_step *reterr_step,
                         int *reterr_errno)
{
    struct start_failure failure = {SUPERVISE_STEP_FORK, 0};
    struct start_job job = {.request = request, .parent = getpid()};
    pid_t pid = -1;
    int ends[2];
    bool failed;

    if (!pipe2(ends, O_CLOEXEC)) {
        job.fd = ends[1];
        pid = clone(start_run, request->stack + sizeof request->stack, START_FLAGS, &job);
        failure = (struct start_failure){SUPERVISE_STEP_FORK, errno};
        close(ends[1]);
        failed = pid < 0 || start_await(ends[0], &failure);
        close(ends[0]);
    } else {
        failure.error = errno;
        failed = true;
    }
    if (!failed)
        return pid;
    if (pid > 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    *reterr_step = (enum supervise_step)failure.step;
    *reterr_errno = failure.error;
    return -1;
}
