/* support/child.h - a server in a process of its own, with pipes to it.
 *
 * Nothing waits for ever: what has not come after thirty seconds fails the running cmocka test. */
#ifndef HAFT_TESTS_CHILD_H
#define HAFT_TESTS_CHILD_H

#include <haft/base.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int in, out, error; /* its standard input, output and error, seen from here */
    haft_buffer seen;   /* of its output, */
    size_t taken;       /* so many bytes of it by child_line */
};

/* Runs the function in a new process and ends it with what it returns. */
void child_start(struct child *child, int (*function)(void *context), void *context);

/* Writes all of it, while reading what comes out. */
void child_write(struct child *child, const void *bytes, size_t size);
void child_puts(struct child *child, const char *text);

/* Waits until the process has read everything that was written. */
void child_wait_read(const struct child *child);

/* The next line of output without its end, until anything else is done with the child; fails the
 * test when there is none. */
const char *child_line(struct child *child);

/* Whether output ends, with no line before that. */
bool child_is_silent(struct child *child);

/* Closes the input. */
void child_end(struct child *child);

/* The exit status, or 256 + the signal that ended it.  Frees everything. */
int child_wait(struct child *child);

/* Sends the process a signal and waits until it has taken it, so that the next one comes second. */
void signal_in_turn(pid_t pid, int number);

/* Milliseconds of a clock that only goes on. */
int64_t milliseconds(void);
void sleep_ms(int64_t ms);

#endif
