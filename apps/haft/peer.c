/* peer.c - one request at a time on the program's loop, with interrupts, prompts and a terminal. */
#include "peer_state.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "form.h"
#include "protocol/rpc.h"
#include "show.h"

enum {
    PEER_ARENA_LIMIT = 1 << 30,
    PEER_TEXT_LIMIT = 128 << 20,
    PEER_MAX_DEPTH = 512,
    FIRST_REFUSAL = 300,      /* status codes of HTTP from here on are not success */
    PEER_CLOSE_WAIT = 2000,   /* milliseconds for a goodbye */
    PEER_CONNECT_WAIT = 10000 /* for a connection */
};

extern char **environ; /* the server gets all of it, as from a shell */

/* ---- errors ---- */

int peer_fail(struct peer *peer, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(peer->why, sizeof peer->why, format, args);
    va_end(args);
    return code;
}

const char *peer_why(const struct peer *peer)
{
    return peer ? peer->why : "out of memory";
}

int peer_error_code(const struct peer *peer)
{
    return peer->error_code;
}

/* The exit code of a failed request. */
static int exit_code_of(const struct peer *peer, int status)
{
    switch (status) {
    case HAFT_EPROTOCOL: /* an HTTP server that is not one of MCP could not be reached */
        return peer->http_status >= FIRST_REFUSAL ? EXIT_CONNECTION : EXIT_PROTOCOL;
    case HAFT_ETIMEOUT:
        return EXIT_TIME;
    case HAFT_ECANCELLED:
        return peer->task.id && !peer->interrupted ? EXIT_CANCELLED : EXIT_INTERRUPTED;
    case HAFT_EDENIED:
        return EXIT_DENIED;
    case HAFT_ENOMEM:
    case HAFT_EFAIL: /* the tokens cannot be kept */
        return EXIT_LOCAL;
    case HAFT_EINVAL:
    case HAFT_EISSUES:
        return EXIT_USAGE;
    case HAFT_ECLOSED:
        return EXIT_CONNECTION;
    default:
        return EXIT_PROTOCOL;
    }
}

/* Keeps why the client failed. */
static void peer_keep_why(struct peer *peer, int status)
{
    const char *why = haft_client_error(peer->client, &peer->http_status);

    snprintf(peer->why, sizeof peer->why, "%s%s", why && *why ? why : haft_strerror(status),
             status == HAFT_EDENIED ? peer_access_hint(peer->call) : "");
}

/* ---- waiting ---- */

static void on_signal(uv_signal_t *handle, int number)
{
    struct peer *peer = handle->data;

    peer->terminated = peer->terminated || number == SIGTERM;
    /* After the third interrupt, the program exits without an orderly shutdown. */
    if (++peer->interrupted > 2)
        _exit(EXIT_INTERRUPTED);
    uv_stop(handle->loop);
}

static void peer_answer_questions(struct peer *peer)
{
    while (peer->n_questions && !peer->interrupted) {
        haft_question *question = peer->questions[0];

        memmove(peer->questions, peer->questions + 1,
                --peer->n_questions * sizeof *peer->questions);
        clear_progress();
        peer->prompting = true;
        form_ask(peer, question, peer->call->accept_defaults);
        peer->prompting = false;
    }
}

/* Runs the loop until `done`, or an interrupt. Returns false after an interrupt. */
static bool peer_wait(struct peer *peer)
{
    while (!peer->done && !peer->interrupted) {
        peer_answer_questions(peer);
        if (!peer->done && !peer->interrupted)
            uv_run(&peer->loop, UV_RUN_ONCE);
    }
    return peer->done;
}

static int on_question(void *context, haft_question *question)
{
    struct peer *peer = context;

    yyjson_val *mode = yyjson_obj_get(haft_question_params(question), "mode");

    if (peer->n_questions == PROGRAM_MAX_QUESTIONS ||
        strcmp(haft_question_method(question), "elicitation/create") != 0)
        return HAFT_ECAPABILITY;
    if (mode && !yyjson_equals_str(mode, "form"))
        return haft_question_refuse(question, RPC_INVALID_PARAMS,
                                    "haft does not open the URL of a server");
    peer->questions[peer->n_questions++] = question;
    uv_stop(&peer->loop);
    return 0;
}

static void on_notified(void *context, const char *method, haft_value *params)
{
    const struct peer *peer = context;

    if (!strcmp(method, "notifications/message") && peer->call->verbose)
        show_log(params);
}

/* ---- requests ---- */

static void on_progress(void *context, double progress, double total, const char *message)
{
    struct peer *peer = context;

    if (peer->interrupted)
        return; /* nobody would clear it */
    if (peer->task.id) {
        snprintf(peer->task.message, sizeof peer->task.message, "%s", message);
        peer_task_show(peer, peer->call->verbose);
    } else if (isatty(STDERR_FILENO)) {
        show_progress(progress, total, message);
    }
}

static void on_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct peer *peer = context;
    haft_buffer text;

    (void)client;
    peer->done = true;
    peer->status = status;
    uv_stop(&peer->loop);
    if (status) {
        peer_keep_why(peer, status);
        return;
    }
    if (result->error_code || !result->value) {
        peer->error_code = result->error_code;
        snprintf(peer->why, sizeof peer->why, "%s (%d)", result->error_message, result->error_code);
        return;
    }
    haft_buffer_init(&text, NULL, PEER_TEXT_LIMIT);
    haft_json_write(result->value, &text);
    peer->result = text.status
                       ? NULL
                       : haft_json_read(text.data, text.size, PEER_MAX_DEPTH, peer->arena, NULL);
    haft_buffer_finish(&text);
    if (!peer->result)
        peer->status = HAFT_ENOMEM;
}

static int peer_cancel(struct peer *peer, int64_t id)
{
    if (!peer->done && id > 0)
        haft_client_cancel(peer->client, id);
    return peer_fail(peer, EXIT_INTERRUPTED, "interrupted");
}

/* Waits for the request that has begun. */
static int peer_await(struct peer *peer, int64_t id)
{
    int status = EXIT_DONE;

    peer->busy = true;
    peer_wait(peer);
    if (!peer->done && peer->task.id)
        status = peer_task_leave(peer);
    else if (!peer->done)
        status = peer_cancel(peer, id);
    peer->busy = false;
    uv_timer_stop(&peer->task.timer);
    return status;
}

int peer_ask(struct peer *peer, const struct peer_request *request, yyjson_val **ret_result)
{
    haft_client_exchange exchange = HAFT_INIT(
        haft_client_exchange, .method = request->method, .params = request->params,
        .tool = request->tool, .arguments = request->arguments, .done = on_done, .context = peer,
        .task = request->task, .as_task = request->as_task, .begun = peer_task_begun);
    int64_t id;
    int status;

    peer->done = false;
    peer->status = peer->error_code = peer->http_status = 0;
    peer->result = NULL;
    peer->request = request;
    free(peer->task.id);
    peer->task.id = NULL;
    exchange.progress = request->with_progress ? on_progress : NULL;
    id = haft_client_begin(peer->client, &exchange);
    if (id < 0) {
        peer_keep_why(peer, (int)id);
        return exit_code_of(peer, (int)id);
    }
    if (request->task)
        peer_task_follow(peer, request->task);
    status = peer_await(peer, id);
    if (status)
        return status;
    *ret_result = peer->result;
    if (peer->status)
        return exit_code_of(peer, peer->status);
    return peer->error_code || !peer->result ? EXIT_PROTOCOL : EXIT_DONE;
}

void peer_stop(struct peer *peer, int code)
{
    peer->done = true;
    peer->stopped = code;
    uv_stop(&peer->loop);
}

int peer_run(struct peer *peer)
{
    peer->done = peer->lost;
    peer_wait(peer);
    if (peer->interrupted)
        return -EXIT_INTERRUPTED;
    return peer->stopped ? -peer->stopped : exit_code_of(peer, peer->status);
}

uv_loop_t *peer_loop(struct peer *peer)
{
    return &peer->loop;
}

haft_client *peer_client(const struct peer *peer)
{
    return peer->client;
}

haft_authorizer *peer_access(const struct peer *peer)
{
    return peer->authorizer;
}

bool peer_is_modern(const struct peer *peer)
{
    const char *name = haft_client_revision(peer->client);

    return name && hf_revision_rows[hf_revision_named(name, strlen(name))].modern;
}

/* ---- the terminal ---- */

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
    (void)handle;
    ret_room->base = malloc(suggested);
    ret_room->len = ret_room->base ? suggested : 0;
}

static void on_typed(uv_stream_t *stream, ssize_t size, const uv_buf_t *room)
{
    struct peer *peer = stream->data;

    if (size > 0)
        haft_buffer_add(&peer->typed, room->base, (size_t)size);
    /* The next line is for the next question. */
    if (size > 0 && memchr(room->base, '\n', (size_t)size))
        uv_read_stop(stream);
    if (size < 0)
        peer->typed_end = true;
    free(room->base);
    uv_stop(stream->loop);
}

static bool is_typed(const struct peer *peer)
{
    return peer->typed_end || peer->typed.status || peer->interrupted ||
           (peer->busy && peer->done) ||
           (peer->typed.size && memchr(peer->typed.data, '\n', peer->typed.size));
}

int peer_read_line(struct peer *peer, haft_buffer *ret_line)
{
    const char *end;

    haft_buffer_init(&peer->typed, NULL, PEER_LONGEST_LINE);
    peer->typed_end = false;
    if (uv_tty_init(&peer->loop, &peer->tty, STDIN_FILENO, 1))
        return 0;
    peer->tty.data = peer;
    uv_read_start((uv_stream_t *)&peer->tty, on_room, on_typed);
    while (!is_typed(peer))
        uv_run(&peer->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&peer->tty, NULL);
    uv_run(&peer->loop, UV_RUN_NOWAIT);
    end = peer->typed.size ? memchr(peer->typed.data, '\n', peer->typed.size) : NULL;
    haft_buffer_add(ret_line, peer->typed.data, end ? (size_t)(end - peer->typed.data) : 0);
    haft_buffer_finish(&peer->typed);
    return peer->interrupted ? -EXIT_INTERRUPTED : end != NULL;
}

/* ---- opening and closing ---- */

static int open_signals(struct peer *peer)
{
    uv_signal_t *handles[] = {&peer->interrupt, &peer->terminate};
    const int numbers[] = {SIGINT, SIGTERM};

    if (uv_loop_init(&peer->loop))
        return EXIT_LOCAL;
    peer->handles = 1;
    for (size_t i = 0; i < 2; i++) {
        if (uv_signal_init(&peer->loop, handles[i]))
            return EXIT_LOCAL;
        peer->handles++;
        handles[i]->data = peer;
        uv_signal_start(handles[i], on_signal, numbers[i]);
    }
    if (uv_timer_init(&peer->loop, &peer->task.timer))
        return EXIT_LOCAL;
    peer->handles++;
    peer->task.timer.data = peer;
    return EXIT_DONE;
}

static void on_ready(void *context, haft_client *client, int status)
{
    struct peer *peer = context;

    (void)client;
    peer->done = true;
    peer->status = status;
    if (status)
        peer_keep_why(peer, status);
    uv_stop(&peer->loop);
}

/* The headers of --header, which the parser of the command line has checked. */
static haft_header *peer_headers(struct peer *peer)
{
    const struct invocation *call = peer->call;
    haft_header *headers = haft_arena_zalloc(peer->arena, call->n_headers + 1, sizeof *headers);

    for (size_t i = 0; headers && i < call->n_headers; i++) {
        const char *line = call->headers[i], *colon = strchr(line, ':');
        const char *value = colon + 1 + strspn(colon + 1, " \t");
        size_t size = strlen(value);

        while (size && (value[size - 1] == ' ' || value[size - 1] == '\t'))
            size--;
        headers[i] = (haft_header){haft_arena_copy(peer->arena, line, (size_t)(colon - line)),
                                   haft_arena_copy(peer->arena, value, size)};
        if (!headers[i].name || !headers[i].value)
            return NULL;
    }
    return headers;
}

/* A request that waits has been reported. */
static void on_lost(void *context, haft_client *client, int status)
{
    struct peer *peer = context;

    (void)client;
    peer->lost = true;
    if (peer->done)
        return;
    peer->done = true;
    peer->status = status;
    peer_keep_why(peer, status);
    uv_stop(&peer->loop);
}

/* The library names the member of the target; a user knows the option. */
static int peer_not_started(struct peer *peer, const haft_reason *reason)
{
    static const char member[] = "ca_file ";
    bool of_file = !strncmp(reason->text, member, sizeof member - 1);

    return peer_fail(peer,
                     reason->code == HAFT_ENOMEM   ? EXIT_LOCAL
                     : reason->code == HAFT_EFAIL  ? EXIT_LOCAL
                     : reason->code == HAFT_EINVAL ? EXIT_USAGE
                                                   : EXIT_CONNECTION,
                     "%s%s", of_file ? "--ca " : "",
                     reason->text + (of_file ? sizeof member - 1 : 0));
}

static int peer_connect(struct peer *peer, const char *url)
{
    const struct invocation *call = peer->call;
    bool asks = call->command->act == act_call || call->command->act == act_prompt ||
                call->command->act == act_tasks;
    haft_reason reason = {0};
    const haft_header *headers = peer_headers(peer);
    haft_target target = HAFT_INIT(
        haft_target, .url = url, .command = (const char *const *)(uintptr_t)call->child,
        .environment = (const char *const *)(uintptr_t)environ, .headers = headers,
        .n_headers = call->n_headers, .ca_file = call->authority, .authorizer = peer->authorizer,
        .listen = asks, .connect_ms = PEER_CONNECT_WAIT, .close_ms = PEER_CLOSE_WAIT);
    haft_client_options options = HAFT_INIT(
        haft_client_options, .name = "haft", .version = HAFT_VERSION,
        .revision = call->revision < REVISIONS ? hf_revision_rows[call->revision].name : NULL,
        .capabilities = asks ? "{\"elicitation\":{}}" : "{}", .ask = asks ? on_question : NULL,
        .log_level = call->verbose ? "info" : NULL, .notify = on_notified, .lost = on_lost,
        .context = peer, .timeout_ms = call->timeout * 1000, .max_ms = call->timeout * 1000,
        .max_message = (size_t)call->limit << 20, .max_pages = PROGRAM_MAX_PAGES,
        .no_tasks = call->task.refused);

    if (!target.headers)
        return peer_fail(peer, EXIT_LOCAL, "out of memory");
    peer->client = haft_client_start(&peer->loop, &target, &options, on_ready, peer, &reason);
    if (!peer->client)
        return peer_not_started(peer, &reason);
    if (!peer_wait(peer))
        return peer_fail(peer, EXIT_INTERRUPTED, "interrupted");
    return peer->status ? exit_code_of(peer, peer->status) : EXIT_DONE;
}

int peer_open(struct peer **ret_peer, const struct invocation *call, const char *url)
{
    struct peer *peer = calloc(1, sizeof *peer);
    haft_reason reason = {0};

    *ret_peer = peer;
    if (!peer)
        return EXIT_LOCAL;
    signal(SIGPIPE, SIG_IGN);
    peer->call = call;
    peer->arena = haft_arena_new(NULL, PEER_ARENA_LIMIT);
    if (!peer->arena || open_signals(peer))
        return peer_fail(peer, EXIT_LOCAL, "out of memory");
    if (url && strncmp(url, "unix:", 5) != 0) {
        peer->authorizer = peer_authorizer(call, call->command->act == act_login, &reason);
        if (!peer->authorizer)
            return peer_fail(peer, EXIT_LOCAL, "%s", reason.text);
    }
    return peer_connect(peer, url);
}

static void on_client_closed(void *context)
{
    struct peer *peer = context;

    peer->closed = true;
}

/* After an interrupt. */
static void peer_cancel_questions(struct peer *peer)
{
    while (peer->n_questions)
        haft_question_cancel(peer->questions[--peer->n_questions]);
}

void peer_close(struct peer *peer)
{
    if (!peer)
        return;
    if (!peer->task.id)
        peer_cancel_questions(peer);
    if (peer->client) {
        haft_client_close(peer->client, on_client_closed, peer);
        while (!peer->closed)
            uv_run(&peer->loop, UV_RUN_ONCE);
    }
    peer_cancel_questions(peer); /* of a task, which hears nothing of it */
    if (peer->handles > 1)
        uv_close((uv_handle_t *)&peer->interrupt, NULL);
    if (peer->handles > 2)
        uv_close((uv_handle_t *)&peer->terminate, NULL);
    if (peer->handles > 3)
        uv_close((uv_handle_t *)&peer->task.timer, NULL);
    if (peer->handles) {
        while (uv_run(&peer->loop, UV_RUN_DEFAULT))
            ;
        uv_loop_close(&peer->loop);
    }
    haft_authorizer_free(peer->authorizer);
    haft_arena_free(peer->arena);
    free(peer->task.id);
    free(peer);
}
