/* dev.c - the command dev: rebuilds and restarts a server when its sources change, while the client
 * stays connected. */
#include "dev.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    DEV_DEBOUNCE = 150,      /* milliseconds without further changes */
    DEV_LONGEST_WAIT = 2000, /* maximum for that */
    DEV_SETTLE = 100,        /* for the last events of a build */
    DEV_HANDSHAKE = 10000,   /* for the response of a new server */
    DEV_RESTART_WAIT = 300,  /* for calls to end before a restart */
    DEV_END_WAIT = 5000      /* for calls to end at the end */
};

static const char dev_restarted[] =
    "haft dev restarted the server before it answered; the call may have run, and was not repeated";

/* ---- messages of the session ---- */

static void dev_to_client(void *context, const char *text, size_t size)
{
    struct dev *dev = context;

    dev_client_write(&dev->client, text, size);
}

static void dev_to_server(void *context, const char *text, size_t size)
{
    struct dev *dev = context;

    if (dev->server)
        dev_server_write(dev->server, text, size);
}

static void dev_request_ended(void *context, const struct dev_request *request,
                              enum dev_outcome outcome, const char *text, size_t size)
{
    struct dev *dev = context;

    dev_log_request(uv_now(&dev->loop), request, outcome, text, size);
}

bool dev_takes_lines(const struct dev *dev)
{
    if (dev->stage != DEV_SERVING || !dev->started)
        return false;
    return !dev->server || (dev->session.ready && !dev_server_is_full(dev->server));
}

/* ---- shutdown ---- */

static void dev_close_one(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* Ends when neither a server nor a build is running. */
static void dev_check_end(struct dev *dev)
{
    if (dev->stage != DEV_ENDING || dev->server || dev->build.running)
        return;
    dev_client_close(&dev->client);
    dev_watch_stop(&dev->watch);
    uv_stop(&dev->loop);
}

static void dev_end(struct dev *dev, int status, unsigned patience)
{
    if (dev->stage == DEV_ENDING)
        return;
    dev->stage = DEV_ENDING;
    dev->status = status;
    dev_build_kill(&dev->build);
    if (dev->server)
        dev_server_stop(dev->server, patience);
    dev_check_end(dev);
}

void dev_input_ended(struct dev *dev)
{
    dev_end(dev, EXIT_DONE, DEV_END_WAIT);
}

void dev_input_stalled(struct dev *dev)
{
    dev_note(dev, "the client is gone, and the server does not take its messages");
    dev_end(dev, EXIT_CONNECTION, 0);
}

void dev_output_broken(struct dev *dev)
{
    dev_end(dev, EXIT_CONNECTION, 0);
}

static void dev_on_signal(uv_signal_t *handle, int number)
{
    struct dev *dev = handle->data;

    if (dev->server)
        dev_server_signal(dev->server, dev->stage == DEV_ENDING ? SIGKILL : number);
    if (number == SIGINT || number == SIGTERM)
        dev_end(dev, EXIT_INTERRUPTED, DEV_RESTART_WAIT);
}

/* ---- servers ---- */

static void dev_on_handshake(uv_timer_t *timer)
{
    struct dev *dev = timer->data;

    if (dev->session.ready || !dev->server)
        return;
    dev_note(dev, "the new server did not answer the client's handshake");
    dev->session.ready = true;
    dev_server_stop(dev->server, 0);
}

static void dev_start(struct dev *dev)
{
    bool replaced = dev->started;
    int status = dev_server_start(dev);

    dev->stage = DEV_SERVING;
    dev->started = true;
    if (status) {
        snprintf(dev->down, sizeof dev->down,
                 "the server cannot be started: %s; haft dev tries again when a file changes",
                 uv_strerror(status));
        dev_note(dev, "cannot start %s: %s", dev->call->child[0], uv_strerror(status));
        dev_session_lost(&dev->session, dev->down, false);
    } else if (replaced) {
        dev_session_replaced(&dev->session);
        uv_timer_start(&dev->handshake, dev_on_handshake, DEV_HANDSHAKE, 0);
        dev_note(dev, "started the server again");
    }
    dev_client_pump(&dev->client);
}

static void dev_restart(struct dev *dev)
{
    if (!dev->server) {
        dev_start(dev);
        return;
    }
    dev->stage = DEV_RESTARTING;
    dev_server_stop(dev->server, DEV_RESTART_WAIT);
}

/* Reports why there is no server, from how the last one ended. */
static void dev_explain(struct dev *dev, const struct dev_server *server)
{
    char how[96];

    if (server->signal)
        snprintf(how, sizeof how, "the server was terminated by signal %d (%s)", server->signal,
                 strsignal(server->signal));
    else
        snprintf(how, sizeof how, "the server exited with status %lld", (long long)server->status);
    dev_note(dev, "%s; it is started again when a file changes", how);
    snprintf(dev->down, sizeof dev->down, "%s; haft dev starts it again when a file changes", how);
}

void dev_server_ended(struct dev *dev, struct dev_server *server)
{
    if (dev->server != server)
        return;
    dev->server = NULL;
    dev->session.ready = true;
    uv_timer_stop(&dev->handshake);
    switch (dev->stage) {
    case DEV_RESTARTING:
        dev_session_lost(&dev->session, dev_restarted, true);
        if (dev->stage == DEV_RESTARTING)
            dev_start(dev);
        return;
    case DEV_ENDING:
        dev_session_lost(&dev->session, "haft dev is ending", false);
        dev_check_end(dev);
        return;
    case DEV_SERVING:
        dev_explain(dev, server);
        dev_session_lost(&dev->session, dev->down, false);
        dev_client_pump(&dev->client);
    }
}

void dev_server_spoke(struct dev *dev)
{
    if (dev->session.refused) {
        dev_note(dev, "the new server rejected the client's handshake");
        dev->session.refused = false;
        dev->session.ready = true;
        dev_server_stop(dev->server, 0);
    }
    dev_client_pump(&dev->client);
}

/* ---- builds ---- */

static void dev_build(struct dev *dev)
{
    dev->building = true;
    if (dev_build_start(&dev->build) && !dev->build.running) {
        dev->building = false;
        dev_note(dev, "cannot start the build");
    }
}

static void dev_report_build(struct dev *dev)
{
    const struct dev_build *build = &dev->build;

    fwrite(build->text.data, 1, build->text.size, stderr);
    if (build->text.status)
        fputs("...\n", stderr);
    if (build->signal)
        dev_note(dev, "the build was terminated by signal %d", build->signal);
    else
        dev_note(dev, "the build failed with status %lld%s", (long long)build->status,
                 dev->server ? "; the server keeps running as it is" : "");
}

/* The events of its last files have arrived as well. */
static void dev_on_settled(uv_timer_t *timer)
{
    struct dev *dev = timer->data;
    bool failed = dev->build.status || dev->build.signal;

    if (dev->stage == DEV_ENDING)
        return;
    if (dev_outputs_built(&dev->outputs)) {
        dev_build(dev);
        return;
    }
    dev->building = false;
    if (failed)
        dev_report_build(dev);
    if (!failed)
        dev_restart(dev);
    else if (!dev->started)
        dev_start(dev);
}

void dev_built(struct dev *dev)
{
    if (dev->stage == DEV_ENDING)
        dev_check_end(dev);
    else
        uv_timer_start(&dev->settle, dev_on_settled, DEV_SETTLE, 0);
}

static void dev_on_quiet(uv_timer_t *timer)
{
    struct dev *dev = timer->data;

    /* One step at a time: this is called again when the starting server has started. */
    if (dev->building || dev->stage == DEV_RESTARTING) {
        uv_timer_start(timer, dev_on_quiet, DEV_DEBOUNCE, 0);
        return;
    }
    dev->change = 0;
    if (dev->stage == DEV_ENDING)
        return;
    dev_note(dev, "%s changed; %s", dev->path, dev->call->dev.build ? "building" : "restarting");
    if (dev->call->dev.build)
        dev_build(dev);
    else
        dev_restart(dev);
}

static void dev_changed(void *context, const char *path)
{
    struct dev *dev = context;
    uint64_t now = uv_now(&dev->loop);
    bool cut;

    if (dev->stage == DEV_ENDING || !dev_outputs_change(&dev->outputs, path, dev->building))
        return;
    if (!dev->change) {
        dev->change = now;
        dev->path[hf_text_escape(path, strlen(path), false, dev->path, sizeof dev->path - 1,
                                 &cut)] = '\0';
    }
    if (now - dev->change < DEV_LONGEST_WAIT)
        uv_timer_start(&dev->debounce, dev_on_quiet, DEV_DEBOUNCE, 0);
}

/* ---- the command ---- */

static void dev_open_handles(struct dev *dev)
{
    static const int numbers[DEV_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

    uv_timer_init(&dev->loop, &dev->debounce);
    uv_timer_init(&dev->loop, &dev->settle);
    uv_timer_init(&dev->loop, &dev->handshake);
    dev->debounce.data = dev->settle.data = dev->handshake.data = dev;
    for (size_t i = 0; i < DEV_SIGNALS; i++) {
        uv_signal_init(&dev->loop, &dev->signals[i]);
        dev->signals[i].data = dev;
        uv_signal_start(&dev->signals[i], dev_on_signal, numbers[i]);
    }
}

/* Watches a directory and, without a build command, the program itself. */
static int dev_open_watch(struct dev *dev, char ret_program[PATH_MAX])
{
    const char *directory = dev->call->dev.watch ? dev->call->dev.watch : ".";
    int status;

    dev->watch.changed = dev_changed;
    dev->watch.context = dev;
    status = dev_watch_start(&dev->watch, &dev->loop, directory);
    if (status)
        return complain(EXIT_LOCAL, "cannot watch %s: %s", directory, uv_strerror(status));
    if (!dev->call->dev.build && strchr(dev->call->child[0], '/') &&
        realpath(dev->call->child[0], ret_program))
        dev_watch_file(&dev->watch, ret_program);
    return EXIT_DONE;
}

static int dev_begin(struct dev *dev)
{
    int status;

    if (dev->call->dev.build) {
        dev_build(dev);
        return dev->building ? EXIT_DONE : EXIT_LOCAL;
    }
    status = dev_server_start(dev);
    if (status)
        return complain(EXIT_CONNECTION, "cannot start %s: %s", dev->call->child[0],
                        uv_strerror(status));
    dev->started = true;
    return EXIT_DONE;
}

static int dev_run(struct dev *dev)
{
    char program[PATH_MAX];
    int status;

    signal(SIGPIPE, SIG_IGN);
    dev_open_handles(dev);
    status = dev_open_watch(dev, program);
    if (!status)
        status = dev_client_open(&dev->client, dev);
    if (!status) {
        status = dev_begin(dev);
        if (status)
            dev_client_close(&dev->client);
        else
            uv_run(&dev->loop, UV_RUN_DEFAULT);
        dev_client_finish(&dev->client);
    }
    dev_watch_stop(&dev->watch);
    uv_walk(&dev->loop, dev_close_one, NULL);
    uv_run(&dev->loop, UV_RUN_DEFAULT);
    return status ? status : dev->status;
}

int act_dev(struct invocation *call)
{
    const struct dev_output out = {.to_client = dev_to_client,
                                   .to_server = dev_to_server,
                                   .ended = dev_request_ended,
                                   .note = dev_note};
    struct dev *dev;
    int status;

    if (!call->child)
        return complain(EXIT_USAGE, "dev needs -- and the command that starts the server");
    if (call->n_operands)
        return complain(EXIT_USAGE, "unexpected argument %s for dev", call->operands[0]);
    dev = calloc(1, sizeof *dev);
    if (!dev || !dev_session_init(&dev->session, &out) || uv_loop_init(&dev->loop)) {
        free(dev);
        return complain(EXIT_LOCAL, "out of memory");
    }
    dev->call = call;
    dev->session.out.context = dev;
    dev->build.dev = dev;
    status = dev_run(dev);
    uv_loop_close(&dev->loop);
    haft_buffer_finish(&dev->build.text);
    dev_outputs_finish(&dev->outputs);
    dev_session_finish(&dev->session);
    free(dev);
    return status;
}
