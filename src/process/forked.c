/* forked.c - what a process does first that was forked without starting a program. */
#define _GNU_SOURCE /* close_range; the alternative is a loop over all numbers */
#include "process/forked.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

void hf_forked_set_signal(int number, void (*handler)(int))
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(number, &action, NULL);
}

void hf_forked_default_signals(void)
{
    for (int i = 1; i < NSIG; i++)
        hf_forked_set_signal(i, SIG_DFL);
}

void hf_forked_set_ends(void (*handler)(int))
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        hf_forked_set_signal(ends[i], handler);
}

void hf_forked_block_nothing(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void hf_forked_set_standard(void)
{
    int null = open("/dev/null", O_RDWR);

    if (null > 0)
        dup2(null, STDIN_FILENO);
    if (fcntl(STDERR_FILENO, F_GETFD) < 0 && null >= 0)
        dup2(null, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

void hf_forked_close_others(int fd)
{
    if (fd != FORKED_SOCKET) {
        dup2(fd, FORKED_SOCKET);
        fcntl(FORKED_SOCKET, F_SETFD, FD_CLOEXEC);
    }
    if (close_range(FORKED_SOCKET + 1, ~0U, 0))
        for (int i = FORKED_SOCKET + 1; i < sysconf(_SC_OPEN_MAX); i++)
            close(i);
}
