/* support/child.h - a server in a separate process, with pipes to it.
 *
 * Every wait has a limit: after thirty seconds it fails the running cmocka test. */
#ifndef HAFT_TESTS_CHILD_H
#define HAFT_TESTS_CHILD_H

#include <haft/base.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int in, out, error; /* pipes to its standard input, output and error */
    haft_buffer seen;   /* output so far */
    size_t taken;       /* part of it that child_line has returned */
};

/* Runs the function in a new process, whose exit status is its return value. */
void child_start(struct child *child, int (*function)(void *context), void *context);

/* Writes everything, while reading output. */
void child_write(struct child *child, const void *bytes, size_t size);
void child_puts(struct child *child, const char *text);

/* Waits until the process has read all input. */
void child_wait_read(const struct child *child);

/* The next line of output without its end, valid until the next operation on the child; fails the
 * test if there is none. */
const char *child_line(struct child *child);

/* Whether the output ends without another line. */
bool child_is_silent(struct child *child);

/* Closes the input. */
void child_end(struct child *child);

/* Returns the exit status, or 256 + the signal that killed it. Frees everything. */
int child_wait(struct child *child);

/* Sends a signal and waits until the process has received it, so that a later signal arrives
 * later. */
void signal_in_turn(pid_t pid, int number);

/* Milliseconds of a monotonic clock. */
int64_t milliseconds(void);
void sleep_ms(int64_t ms);

#endif
