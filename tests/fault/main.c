/* main.c - the driver: every scenario with every call of every kind failing, one at a time.
 *
 * A row is a scenario and a failure; its points are the 1st, 2nd, ... call of that kind until the
 * scenario passes untouched.  Each point has a server of its own, so that nothing is warm and a
 * leak is that point's.  A point fails when the server crashes, leaks, says something wrong, hangs,
 * or does not serve the next request.
 *
 *     fault-driver [--sample N] [--scenario TEXT] [--call NAME] [--nth N] [--jobs N] [--patience MS]
 *                  [--verbose]
 *
 * --sample N takes every Nth row, for a look instead of a proof; the other options look at a part,
 * to find out more about it. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/props.h"
#include "fault/scenario.h"

enum { MOST = 6000, MOST_ROWS = 8192, SITES = 1 << 16, MOST_SHOWN = 400, GIVE_UP_MS = 400 };

/* Errors that the call can really give.  Once, unless it is said that it goes on. */
static const struct failure {
    enum shim_call call;
    int error;
    bool forever;
} failures[] = {
    {CALL_ALLOCATE, ENOMEM, false},
    {CALL_ALLOCATE, ENOMEM, true},
    {CALL_READ, EINTR, false},
    {CALL_READ, EAGAIN, false},
    {CALL_READ, EIO, false},
    {CALL_READ, ECONNRESET, false},
    {CALL_READ, SHORT_COUNT, false},
    {CALL_READ, SHORT_COUNT, true},
    {CALL_WRITE, EINTR, false},
    {CALL_WRITE, EAGAIN, false},
    {CALL_WRITE, EPIPE, false},
    {CALL_WRITE, EIO, false},
    {CALL_WRITE, ENOSPC, false},
    {CALL_WRITE, SHORT_COUNT, false},
    {CALL_SENDMSG, EINTR, false},
    {CALL_SENDMSG, EPIPE, false},
    {CALL_SENDMSG, ENOMEM, false},
    {CALL_ACCEPT, EMFILE, false},
    {CALL_ACCEPT, ENFILE, false},
    {CALL_ACCEPT, ENOMEM, false},
    {CALL_ACCEPT, EINTR, false},
    {CALL_ACCEPT, EAGAIN, false},
    {CALL_ACCEPT, ECONNABORTED, false},
    {CALL_OPEN, EMFILE, false},
    {CALL_OPEN, EACCES, false},
    {CALL_CLOSE, EINTR, false},
    {CALL_DESCRIPTOR, EMFILE, false},
    {CALL_DESCRIPTOR, EMFILE, true},
    {CALL_BIND, EADDRINUSE, false},
    {CALL_LISTEN, EADDRINUSE, false},
    {CALL_OPTION, ENOMEM, false},
    {CALL_NAME, ENOTCONN, false},
    {CALL_EPOLL_CTL, ENOSPC, false},
    {CALL_EPOLL_WAIT, EINTR, false},
    {CALL_POLL, EINTR, false},
    {CALL_POLL, ENOMEM, false},
    {CALL_FORK, EAGAIN, false},
    {CALL_THREAD, EAGAIN, false},
    {CALL_THREAD, EAGAIN, true},
    {CALL_RANDOM, EAGAIN, false},
    {CALL_RANDOM, EINTR, false},
    {CALL_CONFINE, EPERM, false},
    {CALL_CONFINE, ENOSYS, true},
};
enum { FAILURES = sizeof failures / sizeof *failures };

static struct options {
    size_t sample, nth;
    int patience_ms;
    const char *scenario, *call;
    unsigned jobs;
    bool verbose;
} options = {.sample = 1, .jobs = 2, .patience_ms = 30000};

/* What the workers share. */
static struct results {
    atomic_size_t next, passed, failed, shown;
    atomic_size_t of_failure[FAILURES];
    atomic_size_t n_sites;
    _Atomic uint64_t sites[SITES]; /* the stacks that failed, as hashes */
} * results;

static const char *error_text(const struct failure *failure)
{
    return failure->error == SHORT_COUNT ? "one byte" : strerrorname_np(failure->error);
}

/* The place that failed: its stack, without the frames of the shim. */
static void count_site(const struct order *order)
{
    uint64_t hash = 14695981039346656037u;
    int depth = atomic_load(&order->depth);

    for (int i = 0; i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)order->stack[i]) * 1099511628211u;
    hash += !hash;
    for (size_t i = hash % SITES, k = 0; k < SITES; i = (i + 1) % SITES, k++) {
        uint64_t found = 0;

        if (atomic_compare_exchange_strong(&results->sites[i], &found, hash)) {
            atomic_fetch_add(&results->n_sites, 1);
            return;
        }
        if (found == hash)
            return;
    }
}

static void show(const struct scenario *scenario, const struct failure *failure, size_t nth,
                 const struct peer *peer)
{
    const struct order *order = peer->order;

    if (atomic_fetch_add(&results->shown, 1) >= MOST_SHOWN)
        return;
    printf("FAILED %s: %s %zu%s with %s: %s\n", scenario->name, shim_call_name(failure->call), nth,
           failure->forever ? " and on" : "", error_text(failure), peer->why);
    fflush(stdout);
    if (options.verbose)
        backtrace_symbols_fd(order->stack, atomic_load(&order->depth), STDOUT_FILENO);
}

/* ---- one point ---- */

/* On stdio a server may end for what failed, with its client told by that. */
static int check_after(struct peer *peer, int status)
{
    bool fired = atomic_load(&peer->order->fired) > 0;
    int after;

    if (status == WRONG)
        return WRONG;
    after = peer_check(peer);
    if (after == RIGHT)
        return status;
    if (after == WRONG || peer->http || !fired)
        return WRONG;
    /* It has closed the connection: then it has to end by itself. */
    peer->why[0] = '\0';
    after = peer_wait(peer);
    return after == WRONG ? WRONG : REFUSED;
}

static int run_steps(struct peer *peer, const struct scenario *scenario)
{
    int status = peer_start(peer, scenario->at_start);

    if (status != RIGHT)
        return status;
    if (!scenario->at_start) {
        status = peer_greet(peer);
        if (status != RIGHT) {
            peer_say_why(peer, "no greeting: %.100s", peer->heard);
            return WRONG;
        }
        atomic_store(&peer->order->armed, true);
    }
    status = scenario->run(peer, scenario);
    if (scenario->ends)
        return status;
    return check_after(peer, status);
}

/* RIGHT, REFUSED or WRONG. */
static int run_point(struct peer *peer, const struct scenario *scenario,
                     const struct failure *failure, size_t nth)
{
    struct order *order = peer->order;
    int status, end = RIGHT;

    *order = (struct order){
        .call = failure->call, .error = failure->error, .forever = failure->forever, .nth = nth};
    peer->patience_ms = options.patience_ms;
    peer->verbose = options.verbose;
    /* While there is no memory at all, a connection waits until there is some. */
    peer->give_up_ms = failure->forever ? GIVE_UP_MS : 0;
    peer->http = scenario->http;
    peer->era = scenario->era;
    peer->site = scenario->site ? scenario->site : "plain";
    peer->arguments = scenario->arguments;
    peer->address = scenario->address ? scenario->address : "127.0.0.1:0";
    peer->credentials = scenario->credentials ? scenario->credentials : "";
    peer->in_place = scenario->prepare != NULL;
    peer->why[0] = '\0';
    if (scenario->prepare && !scenario->prepare(peer))
        return WRONG;
    status = run_steps(peer, scenario);
    atomic_store(&order->armed, false);
    if (peer->log >= 0) {
        if (status == WRONG && !peer->ended && options.verbose)
            kill(peer->pid, SIGTERM);
        end = peer->ended ? peer_wait(peer) : peer_stop(peer);
    }
    if (end == WRONG)
        return WRONG;
    if (end == REFUSED && scenario->http && !scenario->at_start && !scenario->ends) {
        peer_say_why(peer, "ended with %d", WEXITSTATUS(peer->status));
        return WRONG;
    }
    if (status == REFUSED && !atomic_load(&order->fired)) {
        peer_say_why(peer, "refused, and nothing had failed: %.150s", peer->heard);
        return WRONG;
    }
    return status;
}

/* ---- rows ---- */

static void run_row(struct peer *peer, const struct scenario *scenario, size_t row)
{
    const struct failure *failure = &failures[row];
    size_t nth = options.nth ? options.nth : 1, points = 0;

    for (; nth < MOST; nth++) {
        int status = run_point(peer, scenario, failure, nth);
        bool fired = atomic_load(&peer->order->fired) > 0;

        if (status == WRONG) {
            atomic_fetch_add(&results->failed, 1);
            show(scenario, failure, nth, peer);
        }
        if (!fired || options.nth)
            break;
        points++;
        count_site(peer->order);
        if (status != WRONG)
            atomic_fetch_add(&results->passed, 1);
    }
    if (nth >= MOST) {
        printf("FAILED %s: %s does not come to an end\n", scenario->name,
               shim_call_name(failure->call));
        atomic_fetch_add(&results->failed, 1);
    }
    atomic_fetch_add(&results->of_failure[row], points);
    if (options.verbose && points) {
        printf("%s: %s with %s%s: %zu points\n", scenario->name, shim_call_name(failure->call),
               error_text(failure), failure->forever ? " and on" : "", points);
        fflush(stdout);
    }
}

static void *shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("fault");
        exit(2);
    }
    return memory;
}

static int work(void)
{
    struct peer *peer = calloc(1, sizeof *peer);

    if (!peer || !props_init(peer))
        return 2;
    peer->order = shared(sizeof *peer->order);
    for (;;) {
        size_t row = atomic_fetch_add(&results->next, 1);
        struct scenario room;
        const struct scenario *scenario = scenario_at(row / FAILURES, &room);
        const struct failure *failure = &failures[row % FAILURES];

        if (!scenario) {
            props_finish(peer);
            return 0;
        }
        if (!scenario->run || row % options.sample ||
            (options.scenario && !strstr(scenario->name, options.scenario)) ||
            (options.call && strcmp(options.call, shim_call_name(failure->call))))
            continue;
        run_row(peer, scenario, row % FAILURES);
    }
}

/* ---- all of it ---- */

static bool read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (!strcmp(argv[i], "--verbose")) {
            options.verbose = true;
            continue;
        }
        if (!value)
            return false;
        if (!strcmp(argv[i], "--sample"))
            options.sample = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--jobs"))
            options.jobs = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--nth"))
            options.nth = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--patience"))
            options.patience_ms = (int)strtol(value, NULL, 10);
        else if (!strcmp(argv[i], "--scenario"))
            options.scenario = value;
        else if (!strcmp(argv[i], "--call"))
            options.call = value;
        else
            return false;
        i++;
    }
    return options.sample && options.jobs;
}

static bool is_whole(void)
{
    return options.sample == 1 && !options.scenario && !options.call && !options.nth;
}

/* A failure that never came about proves nothing. */
static void print_table(void)
{
    size_t scenarios = 0;
    struct scenario room;

    for (const struct scenario *scenario; (scenario = scenario_at(scenarios, &room));)
        scenarios++;
    printf("%-16s %-14s %8s\n", "call", "fails with", "points");
    for (size_t i = 0; i < FAILURES; i++) {
        size_t points = atomic_load(&results->of_failure[i]);

        printf("%-16s %-14s %8zu%s\n", shim_call_name(failures[i].call), error_text(&failures[i]),
               points, failures[i].forever ? "  and all after it" : "");
        if (!points && is_whole()) {
            printf("FAILED it never came about\n");
            atomic_fetch_add(&results->failed, 1);
        }
    }
    printf("%zu points at %zu places in %zu scenarios\n",
           atomic_load(&results->passed) + atomic_load(&results->failed),
           atomic_load(&results->n_sites), scenarios);
}

int main(int argc, char **argv)
{
    size_t lost = 0;

    if (!read_options(argc, argv)) {
        fprintf(stderr,
                "usage: %s [--sample N] [--scenario TEXT] [--call NAME] [--jobs N] "
                "[--nth N] [--patience MS] [--verbose]\n",
                argv[0]);
        return 2;
    }
    results = shared(sizeof *results);
    for (unsigned i = 0; i < options.jobs; i++) {
        pid_t pid = fork();

        if (!pid)
            _exit(work());
        if (pid < 0)
            lost++;
    }
    for (int status; wait(&status) > 0;)
        lost += !WIFEXITED(status) || WEXITSTATUS(status);
    atomic_fetch_add(&results->failed, lost);
    unlink(AUDIT_FILE);
    print_table();
    printf("%zu passed, %zu failed\n", atomic_load(&results->passed),
           atomic_load(&results->failed));
    return atomic_load(&results->failed) ? 1 : 0;
}

/* libcrypto loses what it has when it cannot be initialized to the end. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcrypto.so";
}

/* What the sanitizers are told in the servers: their own exit status, and NULL for what cannot be
 * had. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "exitcode=99:allocator_may_return_null=1:handle_abort=0";
}
