/* tools.h - the server for the tests of the runtime. */
#ifndef HAFT_TESTS_TOOLS_H
#define HAFT_TESTS_TOOLS_H

#include <haft.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/child.h"
#include "support/test.h"

HAFT_STRUCT(text_args, HAFT_STRING(text, "What to say"));
HAFT_STRUCT(count_args, HAFT_INTEGER(n, "How many", .min = 0));

/* Runs on the loop's thread. */
static int echo(haft_call *call, const text_args *in)
{
    return haft_text(call, "%s", in->text);
}
HAFT_TOOL_IN(echo, text_args, "Says it back", .quick = true);

/* The number of handlers of the next two tools that have started. A test whose server is another
 * process points it to shared memory. */
static atomic_uint begun_here, *begun = &begun_here;

static inline void wait_until_begun(unsigned n)
{
    for (int64_t late = milliseconds() + 20000; atomic_load(begun) < n; sleep_ms(1))
        assert_true(milliseconds() < late);
}

/* Runs on a worker; stops when the call is cancelled. */
static int slow(haft_call *call, const count_args *in)
{
    atomic_fetch_add(begun, 1);
    for (int64_t end = milliseconds() + in->n; milliseconds() < end && !haft_call_cancelled(call);)
        sleep_ms(1);
    return haft_text(call, "slept %d", (int)in->n);
}
HAFT_TOOL_IN(slow, count_args, "Sleeps so many milliseconds");

static int stubborn(haft_call *call, const count_args *in)
{
    atomic_fetch_add(begun, 1);
    sleep_ms(in->n);
    return haft_text(call, "slept %d", (int)in->n);
}
HAFT_TOOL_IN(stubborn, count_args, "Sleeps and does not listen");

static int brief(haft_call *call)
{
    while (!haft_call_cancelled(call))
        sleep_ms(1);
    return 0;
}
HAFT_TOOL_BARE(brief, "Is too slow for its deadline", .timeout_ms = 50);

static int print(haft_call *call)
{
    printf("{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":\"stray\"}\n");
    fflush(stdout);
    if (write(STDOUT_FILENO, "more\n", 5) != 5)
        return HAFT_ECLOSED;
    printf("unflushed\n");
    return haft_text(call, "printed");
}
HAFT_TOOL_BARE(print, "Prints to standard output");

/* Reports the standard input of a child process, and which signals it ignores. */
static int spawn(haft_call *call)
{
    int status = 0;
    pid_t pid = fork();

    if (!pid) {
        char byte;
        struct sigaction action;

        sigaction(SIGPIPE, NULL, &action);
        _exit((read(STDIN_FILENO, &byte, 1) > 0) * 2 + (action.sa_handler == SIG_IGN));
    }
    waitpid(pid, &status, 0);
    return haft_text(call, "the child found %d", WEXITSTATUS(status));
}
HAFT_TOOL_BARE(spawn, "Starts a process");

static int steps(haft_call *call, const count_args *in)
{
    for (int i = 1; i <= in->n; i++)
        haft_progress(call, i, (double)in->n, "step %d", i);
    return haft_text(call, "%d steps", (int)in->n);
}
HAFT_TOOL_IN(steps, count_args, "Reports progress");

static int big(haft_call *call, const count_args *in)
{
    char *text = haft_call_alloc(call, (size_t)in->n + 1);

    if (!text)
        return HAFT_ENOMEM;
    memset(text, 'x', (size_t)in->n);
    return haft_text_bytes(call, text, (size_t)in->n);
}
HAFT_TOOL_IN(big, count_args, "Answers with so many bytes", .quick = true);

/* Two tools that are finished by a separate thread: one starts on the loop, one on a worker. */
static void *finish_later(void *context)
{
    haft_call *call = context;

    haft_progress(call, 1, 2, "on its way");
    haft_text(call, "finished elsewhere");
    haft_finish(call, 0);
    return NULL;
}

static int start_later(haft_call *call)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, finish_later, call))
        return HAFT_EBUSY;
    pthread_detach(thread);
    return HAFT_PENDING;
}

static int later(haft_call *call)
{
    return start_later(call);
}
HAFT_TOOL_BARE(later, "Is finished by another thread");

static int later_quick(haft_call *call)
{
    return start_later(call);
}
HAFT_TOOL_BARE(later_quick, "Is begun on the loop and finished by another thread", .quick = true);

static int never(haft_call *call)
{
    (void)call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(never, "Is never finished");

/* Adds a tool while nothing else happens. */
static haft_server *the_server;

static void *add_later(void *context)
{
    (void)context;
    sleep_ms(50);
    haft_add(the_server, &brief_tool);
    return NULL;
}

static int grow(haft_call *call)
{
    pthread_t thread;

    haft_offer_remove(the_server, HAFT_OFFER_TOOL, "brief");
    if (pthread_create(&thread, NULL, add_later, NULL))
        return HAFT_EBUSY;
    pthread_detach(thread);
    return haft_text(call, "soon");
}
HAFT_TOOL_BARE(grow, "Takes a tool away and adds it again later");

HAFT_MAYBE_UNUSED_ static haft_server *make_server(void)
{
    static const haft_tool *const tools[] = {
        &echo_tool,  &slow_tool, &stubborn_tool, &brief_tool,       &print_tool, &spawn_tool,
        &steps_tool, &big_tool,  &later_tool,    &later_quick_tool, &never_tool, &grow_tool};
    haft_server *server = haft_server_new("test", "1.0.0");

    for (size_t i = 0; server && i < sizeof tools / sizeof *tools; i++)
        if (haft_add(server, tools[i]))
            return NULL;
    the_server = server;
    return server;
}

#endif
