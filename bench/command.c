/* command.c - what it costs to run a program and read its output, by posix_spawn alone.
 *
 *     command ROUNDS
 *
 * Runs /bin/true as a command tool would: with pipes for standard output and error, which are read to
 * their ends, and a wait for its status.  Prints the microseconds of the median round. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ROUNDS = 100000 };

static double microseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void read_to_end(int fd)
{
    char text[4096];

    while (read(fd, text, sizeof text) > 0)
        ;
    close(fd);
}

static int run_once(void)
{
    char *arguments[] = {"/bin/true", NULL}, *environment[] = {"PATH=/usr/bin:/bin", NULL};
    posix_spawn_file_actions_t actions;
    int out[2], errors[2], status;
    pid_t pid;

    if (pipe2(out, O_CLOEXEC) || pipe2(errors, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
    status = posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(errors[1]);
    read_to_end(out[0]);
    read_to_end(errors[0]);
    return status || waitpid(pid, &status, 0) != pid ? -1 : status;
}

static int compare_times(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;

    return (l > r) - (l < r);
}

int main(int argc, char **argv)
{
    static double times[MAX_ROUNDS];
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

    if (n < 1 || n > MAX_ROUNDS)
        return 2;
    for (long i = 0; i < n; i++) {
        double begin = microseconds();

        if (run_once())
            return 1;
        times[i] = microseconds() - begin;
    }
    qsort(times, (size_t)n, sizeof *times, compare_times);
    printf("%.1f\n", times[n / 2]);
    return 0;
}
