/* stdio.c - serves one client on a pair of descriptors.
 *
 * Input is read while there is room for responses; output is written as fast as the client reads;
 * neither blocks the other on this thread. Shutdown has three stages: calls in flight finish
 * (ending), the remaining ones are cancelled (closing), and the loop stops when nothing is left to
 * run or write, or when waiting longer is pointless. */
#include <haft/run.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#if defined __linux__
#include <sys/prctl.h>
#endif

#include "base/defaults.h"
#include "base/struct.h"
#include "stdio/channel.h"
#include "loop/family_tasks.h"
#include "loop/session_loop.h"
#include "stdio/lines.h"
#include "observe/log.h"
#include "loop/signals.h"
#include "stdio/writer.h"

enum {
    MAX_WORKERS = 1024,
    MAX_UNSENT_MESSAGES = 10000,
    EAGER = 16 << 10,   /* output that is written without waiting for more */
    STALL_CHECK = 1000, /* interval for checking a client that does not read, */
    MAX_STALLS = 5      /* and number of checks before it is given up */
};

/* The signal for the parent's death, one without a default action. It is also sent when only the
 * parent's thread that started this process has ended, which could not be distinguished from a real
 * SIGTERM. */
enum { PARENT_GONE = SIGURG };

enum stdio_stage { SERVING, ENDING, CLOSING };

struct stdio {
    haft_stdio_options options;
    struct session_loop own;
    struct channel channel;
    struct lines lines;
    struct writer writer;
    uv_poll_t in, out;
    bool in_polls, out_polls; /* false for a regular file, which is always ready and cannot be
                               * polled */
    int out_events;           /* polled events */
    uv_idle_t feed;           /* processes lines without waiting */
    uv_timer_t timeout;
    struct signals signals;
    pid_t parent;

    enum stdio_stage stage;
    bool ended;     /* end of input */
    bool broken;    /* nobody reads the output */
    bool abandoned; /* calls that have not ended are no longer waited for */
    unsigned n_signals, n_stalls;
    size_t unsent; /* as of the latest check */
    int status;
};

/* ---- shutdown ---- */

static void stdio_on_timeout(uv_timer_t *handle);
static void on_feed(uv_idle_t *handle);
static void set_reading(struct stdio *stdio, bool on);

static void begin_closing(struct stdio *stdio)
{
    stdio->stage = CLOSING;
    hf_session_loop_close(&stdio->own);
    uv_timer_start(&stdio->timeout, stdio_on_timeout, stdio->options.grace_ms, STALL_CHECK);
}

static void begin_ending(struct stdio *stdio, unsigned ms)
{
    if (stdio->stage != SERVING)
        return;
    stdio->stage = ENDING;
    set_reading(stdio, false);
    uv_idle_stop(&stdio->feed);
    if (!stdio->broken)
        haft_session_shut_down(stdio->own.session);
    uv_timer_start(&stdio->timeout, stdio_on_timeout, ms, 0);
}

static void stdio_on_timeout(uv_timer_t *handle)
{
    struct stdio *stdio = handle->data;

    if (stdio->stage == ENDING) {
        begin_closing(stdio);
        return;
    }
    stdio->abandoned = true;
    stdio->n_stalls = stdio->writer.bytes == stdio->unsent ? stdio->n_stalls + 1 : 0;
    stdio->unsent = stdio->writer.bytes;
    if (stdio->n_stalls > MAX_STALLS)
        stdio->broken = true;
}

/* A response is lost: the client would wait for it forever, so the session ends. */
static void stdio_fail(struct stdio *stdio, int status)
{
    stdio->broken = true;
    stdio->status = status;
    begin_ending(stdio, 0);
}

/* ---- output ---- */

static void on_out(uv_poll_t *handle, int status, int events);

/* Always polls for the reader's disconnection; for room only if there is none. */
static void watch_out(struct stdio *stdio, bool for_room)
{
    int events = UV_PRIORITIZED | (for_room ? UV_WRITABLE : 0);

    if (stdio->out_polls && stdio->out_events != events)
        uv_poll_start(&stdio->out, events, on_out);
    stdio->out_events = events;
}

static void stdio_break_off(struct stdio *stdio)
{
    if (stdio->broken)
        return;
    stdio->broken = true;
    if (stdio->out_polls)
        uv_poll_stop(&stdio->out);
    begin_ending(stdio, 0);
}

static void flush(struct stdio *stdio)
{
    int status;

    if (stdio->broken)
        return;
    status = hf_writer_flush(&stdio->writer);
    if (status == HAFT_EFAIL) { /* such as a full disk; a client may leave */
        hf_server_log(stdio->own.server, HAFT_ERROR, "cannot write to standard output: %s",
                      strerror(errno));
        stdio->status = HAFT_ECLOSED;
    }
    if (status < 0) {
        stdio_break_off(stdio);
        return;
    }
    watch_out(stdio, !status);
    if (stdio->own.loop.paused && !hf_writer_is_full(&stdio->writer)) {
        hf_loop_pause(&stdio->own.loop, false);
        if (stdio->stage == SERVING) {
            set_reading(stdio, true);
            uv_idle_start(&stdio->feed, on_feed);
        }
    }
}

static void on_out(uv_poll_t *handle, int status, int events)
{
    struct stdio *stdio = handle->data;
    struct pollfd fd = {.fd = stdio->channel.out};

    (void)events;
    if (status < 0 || (poll(&fd, 1, 0) == 1 && fd.revents & (POLLERR | POLLHUP | POLLNVAL)))
        stdio_break_off(stdio);
    else
        flush(stdio);
}

/* If the output limit is reached, input waits until the client reads. */
static void stdio_send(void *context, const haft_outgoing *message)
{
    struct stdio *stdio = context;

    if (stdio->broken)
        return;
    if (hf_writer_add(&stdio->writer, message->text, message->size)) {
        stdio_fail(stdio, HAFT_ENOMEM);
        return;
    }
    if (!hf_writer_is_full(&stdio->writer) || stdio->stage == CLOSING)
        return;
    flush(stdio);
    if (!stdio->broken && hf_writer_is_full(&stdio->writer) && !stdio->own.loop.paused) {
        hf_loop_pause(&stdio->own.loop, true);
        set_reading(stdio, false);
    }
}

static void stdio_on_close(void *context)
{
    struct stdio *stdio = context;

    stdio->own.gone = true;
}

static void stdio_before_sleep(void *context)
{
    struct stdio *stdio = context;

    if (stdio->writer.bytes)
        flush(stdio);
    if (stdio->stage == ENDING && !haft_session_in_flight(stdio->own.session))
        begin_closing(stdio);
    if (stdio->stage == CLOSING && stdio->writer.bytes)
        flush(stdio);
    if (stdio->stage == CLOSING && (stdio->own.gone || stdio->abandoned) &&
        (stdio->broken || !stdio->writer.bytes))
        hf_session_loop_stop(&stdio->own);
}

/* ---- input ---- */

/* Writes before all input has been answered, if the client reads. */
static void hurry(struct stdio *stdio)
{
    if (stdio->writer.bytes && !(stdio->out_events & UV_WRITABLE) && hf_lines_left(&stdio->lines))
        flush(stdio);
}

static void take_lines(struct stdio *stdio)
{
    haft_time now = loop_now(&stdio->own.loop); /* arrival time of all of them */
    size_t half = hf_lines_left(&stdio->lines) / 2;
    const char *line;
    size_t size;

    while (stdio->stage == SERVING && !stdio->own.loop.paused) {
        int status = hf_lines_next(&stdio->lines, stdio->ended, &line, &size);

        if (!status && stdio->ended)
            begin_ending(stdio, stdio->options.grace_ms);
        if (!status)
            return;
        if (status < 0) {
            stdio->own.receiver.too_long(stdio->own.receiver.context, size, NULL);
        } else if (session_loop_receive(&stdio->own, line, size, now)) {
            /* Input that could not be read is not answered; earlier responses are still sent. */
            flush(stdio);
            stdio_fail(stdio, HAFT_ENOMEM);
        }
        /* Gives the client work while the second half is processed. */
        if (stdio->writer.bytes >= EAGER || hf_lines_left(&stdio->lines) < half) {
            half = 0;
            hurry(stdio);
        }
    }
}

static void read_once(struct stdio *stdio)
{
    size_t room;
    char *data = hf_lines_room(&stdio->lines, &room);
    ssize_t n = data ? read(stdio->channel.in, data, room) : -1;

    if (!data) {
        stdio_fail(stdio, HAFT_ENOMEM);
        return;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (n > 0) {
        hf_lines_filled(&stdio->lines, (size_t)n);
    } else {
        stdio->ended = true;
        set_reading(stdio, false);
    }
    take_lines(stdio);
}

static void on_in(uv_poll_t *handle, int status, int events)
{
    (void)status; /* read reports the error */
    (void)events;
    read_once(handle->data);
}

static void on_feed(uv_idle_t *handle)
{
    struct stdio *stdio = handle->data;

    take_lines(stdio);
    if (stdio->stage == SERVING && !stdio->own.loop.paused && !stdio->in_polls && !stdio->ended)
        read_once(stdio);
    else
        uv_idle_stop(handle);
}

static void set_reading(struct stdio *stdio, bool on)
{
    if (on && stdio->ended)
        return;
    if (!stdio->in_polls && on)
        uv_idle_start(&stdio->feed, on_feed);
    else if (!stdio->in_polls)
        uv_idle_stop(&stdio->feed);
    else if (on)
        uv_poll_start(&stdio->in, UV_READABLE, on_in);
    else
        uv_poll_stop(&stdio->in);
}

/* ---- signals ---- */

static void stdio_on_signal(uv_signal_t *handle, int number)
{
    struct stdio *stdio = handle->data;

    if (number == PARENT_GONE) {
        if (!stdio->parent || getppid() != stdio->parent)
            begin_ending(stdio, stdio->options.grace_ms);
        return;
    }
    /* During shutdown, a closing terminal does not hasten the end, and nothing is reloaded. */
    if (number == SIGHUP && (stdio->options.reload || stdio->stage != SERVING)) {
        if (stdio->stage == SERVING)
            stdio->options.reload(stdio->options.reload_context);
        return;
    }
    if (++stdio->n_signals > 1) {
        stdio->status = 128 + number;
        flush(stdio);
        if (stdio->stage == ENDING)
            begin_closing(stdio);
        stdio->abandoned = stdio->broken = true;
        hf_session_loop_stop(&stdio->own);
        return;
    }
    begin_ending(stdio, stdio->options.drain_ms);
}

static void stdio_watch_signals(struct stdio *stdio)
{
    const struct {
        int number;
        bool wanted;
    } rows[] = {
        {SIGTERM, false}, {SIGINT, false}, {SIGHUP, stdio->options.reload}, {PARENT_GONE, true}};

    hf_signals_begin(&stdio->signals);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !stdio->options.own_signals; i++)
        hf_signals_watch(&stdio->signals, &stdio->own.uv, rows[i].number, rows[i].wanted,
                         stdio_on_signal, stdio);
#if defined __linux__
    if (!stdio->options.own_signals && stdio->options.in == STDIN_FILENO) {
        stdio->parent = getppid();
        prctl(PR_SET_PDEATHSIG, PARENT_GONE);
    }
#endif
}

/* ---- life ---- */

/* Whether the descriptor can be polled. A regular file cannot, and is always ready; any other
 * reason is a failure, because reading from it would block. */
static bool watch(struct stdio *stdio, uv_poll_t *watcher, int fd)
{
    int status = uv_poll_init(&stdio->own.uv, watcher, fd);

    if (!status || status == UV_EPERM)
        return !status;
    hf_server_log(stdio->own.server, HAFT_CRITICAL, "cannot watch standard input and output: %s",
                  uv_strerror(status));
    stdio_fail(stdio, HAFT_EBUSY);
    return false;
}

static void open_handles(struct stdio *stdio)
{
    uv_loop_t *loop = &stdio->own.uv;

    uv_idle_init(loop, &stdio->feed);
    uv_timer_init(loop, &stdio->timeout);
    stdio->feed.data = stdio->timeout.data = stdio->in.data = stdio->out.data = stdio;
    stdio->in_polls = watch(stdio, &stdio->in, stdio->channel.in);
    stdio->out_polls = watch(stdio, &stdio->out, stdio->channel.out);
    stdio_watch_signals(stdio);
    watch_out(stdio, false);
    if (stdio->stage == SERVING)
        set_reading(stdio, true);
}

static void stdio_close_handles(struct stdio *stdio)
{
#if defined __linux__
    if (stdio->parent)
        prctl(PR_SET_PDEATHSIG, 0);
#endif
    hf_signals_unwatch(&stdio->signals);
    if (stdio->in_polls)
        uv_close((uv_handle_t *)&stdio->in, NULL);
    if (stdio->out_polls)
        uv_close((uv_handle_t *)&stdio->out, NULL);
    uv_close((uv_handle_t *)&stdio->feed, NULL);
    uv_close((uv_handle_t *)&stdio->timeout, NULL);
}

static void stdio_set_defaults(haft_stdio_options *options)
{
    options->out = options->out ? options->out : STDOUT_FILENO;
    options->workers = options->workers ? options->workers : DEFAULT_WORKERS;
    options->workers = options->workers < MAX_WORKERS ? options->workers : MAX_WORKERS;
    options->max_queue = options->max_queue ? options->max_queue : DEFAULT_QUEUE;
    options->max_unsent = options->max_unsent ? options->max_unsent : DEFAULT_STDIO_UNSENT;
    options->grace_ms = options->grace_ms ? options->grace_ms : DEFAULT_GRACE;
    options->drain_ms = options->drain_ms ? options->drain_ms : DEFAULT_DRAIN;
}

static int stdio_serve(haft_server *server, const haft_stdio_options *options)
{
    struct stdio stdio = {.options = *options};
    haft_transport transport =
        HAFT_INIT(haft_transport, .send = stdio_send, .close = stdio_on_close, .context = &stdio);
    int status = hf_channel_open(&stdio.channel, options->in, options->out);

    if (status)
        return status;
    if (server->process.confine)
        status = server->process.confine(server->process.confine_context, NULL);
    if (!status)
        status = hf_session_loop_init(&stdio.own, server, options->workers, options->max_queue,
                                      &transport, stdio_before_sleep, &stdio);
    if (status) {
        hf_channel_close(&stdio.channel);
        return status;
    }
    hf_lines_init(&stdio.lines, server->allocator, server->options.max_message);
    hf_writer_init(&stdio.writer, server->allocator, stdio.channel.out, options->max_unsent,
                   MAX_UNSENT_MESSAGES);
    open_handles(&stdio);
    hf_family_start_tasks(server);
    hf_session_loop_run(&stdio.own);
    hf_family_stop_tasks(server, options->drain_ms);
    if (!stdio.own.gone) {
        hf_channel_restore_flags(&stdio.channel);
        if (server->process.leave)
            server->process.leave(server->process.leave_context);
        _exit(stdio.status < 0 ? 1 : stdio.status);
    }
    hf_loop_join(&stdio.own.loop);
    stdio_close_handles(&stdio);
    hf_session_loop_finish(&stdio.own);
    hf_signals_end(&stdio.signals);
    hf_writer_finish(&stdio.writer);
    hf_lines_finish(&stdio.lines);
    hf_channel_close(&stdio.channel);
    return stdio.status;
}

int haft_stdio_serve(haft_server *server, const haft_stdio_options *options)
{
    haft_stdio_options all;
    struct logger logger;
    int status;

    if (!hf_struct_read(&all, sizeof all, options))
        return hf_server_refuse(server, HAFT_EINVAL, "haft_stdio_options", STRUCT_UNSIZED);
    stdio_set_defaults(&all);
    if (hf_server_has_log(server) || all.log) {
        if (!hf_server_has_log(server))
            hf_server_set_log(server, all.log, all.log_context);
        return stdio_serve(server, &all);
    }
    status = hf_logger_init(&logger, HAFT_WARNING);
    if (status)
        return status;
    hf_server_set_record(server, hf_logger_record, &logger);
    status = stdio_serve(server, &all);
    hf_server_set_log(server, NULL, NULL);
    hf_logger_finish(&logger);
    return status;
}
