/* channel.c - moves standard input and output out of reach of the rest of the program. */
#include "stdio/channel.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST_PRIVATE = 3 };

/* A terminal is opened again, because flags set on a duplicate of its descriptor would also apply
 * to the shell. */
static int reopen(int fd, int mode)
{
    char name[256];

    if (!isatty(fd) || ttyname_r(fd, name, sizeof name))
        return -1;
    return open(name, mode | O_NOCTTY | O_CLOEXEC);
}

static int channel_take_over(int fd, int mode)
{
    int fresh = reopen(fd, mode);

    return fresh >= 0 ? fresh : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_PRIVATE);
}

/* Makes `fd` a duplicate of `target`, or of /dev/null if there is none. Returns -1 on failure. `fd`
 * is never closed, because the next opened file would get its number. */
static int point_at(int fd, int target)
{
    int null, done;

    if (target >= 0 && dup2(target, fd) >= 0)
        return 0;
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return -1;
    done = dup2(null, fd);
    if (null != fd)
        close(null);
    return done < 0 ? -1 : 0;
}

int hf_channel_open(struct channel *channel, int in, int out)
{
    channel->in = channel_take_over(in, O_RDONLY);
    if (channel->in < 0)
        return HAFT_ECLOSED;
    channel->out = channel_take_over(out, O_WRONLY);
    if (channel->out < 0)
        goto no_out;
    channel->in_flags = fcntl(channel->in, F_GETFL);
    channel->out_flags = fcntl(channel->out, F_GETFL);
    if (in == STDIN_FILENO && point_at(STDIN_FILENO, -1))
        goto no_null;
    if (out == STDOUT_FILENO) {
        if (point_at(STDOUT_FILENO, STDERR_FILENO))
            goto no_null;
        /* Writes what the program has printed so far. */
        fflush(stdout);
    }
    return 0;

no_null:
    close(channel->out);
no_out:
    close(channel->in);
    return HAFT_ECLOSED;
}

void hf_channel_restore_flags(const struct channel *channel)
{
    if (channel->in_flags >= 0)
        fcntl(channel->in, F_SETFL, channel->in_flags);
    if (channel->out_flags >= 0)
        fcntl(channel->out, F_SETFL, channel->out_flags);
}

void hf_channel_close(struct channel *channel)
{
    hf_channel_restore_flags(channel);
    close(channel->in);
    close(channel->out);
}

int hf_stdout_divert(void)
{
    int diverted;

    fflush(stdout);
    diverted = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_PRIVATE);
    if (diverted >= 0 && point_at(STDOUT_FILENO, STDERR_FILENO)) {
        close(diverted);
        diverted = -1;
    }
    return diverted;
}

void hf_stdout_restore(int diverted)
{
    if (diverted < 0)
        return;
    fflush(stdout);
    dup2(diverted, STDOUT_FILENO);
    close(diverted);
}
