/* peer_task.c - a request that has become a task: what the user sees of it, and how the user leaves it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/writer.h"
#include "peer_state.h"
#include "show.h"

enum {
    PEER_LEAVE_WAIT = 1000,  /* milliseconds for a second interrupt, which cancels a task */
    PEER_CANCEL_WAIT = 5000, /* for the server to acknowledge that */
    PEER_TICK = 1000         /* between two lines about a task */
};

/* ---- following ---- */

bool peer_keep_question(struct peer *peer, haft_question *question)
{
    if (!peer->task.id || !peer->interrupted || peer->n_questions == PROGRAM_MAX_QUESTIONS)
        return false;
    peer->questions[peer->n_questions++] = question;
    return true;
}

void peer_task_show(const struct peer *peer, bool verbose)
{
    if (!peer->prompting)
        show_task(peer->task.message, (uv_now(&peer->loop) - peer->task.begun) / 1000, verbose);
}

static void on_task_tick(uv_timer_t *timer)
{
    peer_task_show(timer->data, false);
}

void peer_task_follow(struct peer *peer, const char *task)
{
    free(peer->task.id);
    peer->task.id = strdup(task);
    peer->task.begun = uv_now(&peer->loop);
    peer->task.message[0] = '\0';
    if (isatty(STDERR_FILENO))
        uv_timer_start(&peer->task.timer, on_task_tick, PEER_TICK, PEER_TICK);
}

void peer_task_begun(void *context, haft_client *client, const char *task, haft_value *value)
{
    struct peer *peer = context;

    (void)client;
    peer_task_follow(peer, task);
    if (peer->request->begun)
        peer->request->begun(peer->request->context, task, value);
}

/* ---- leaving a task ---- */

static void on_waited(uv_timer_t *timer)
{
    struct peer *peer = timer->data;

    peer->task.waited = true;
    uv_stop(timer->loop);
}

static void on_task_cancelled(void *context, haft_client *client, int status,
                              const haft_result *result)
{
    struct peer *peer = context;

    (void)client;
    peer->task.waited = true;
    peer->status = status ? status : result->error_code ? HAFT_EPROTOCOL : 0;
    uv_stop(&peer->loop);
}

/* Waits until the request has ended, the wait is over, or there are so many interrupts. */
static void peer_linger(struct peer *peer, unsigned milliseconds, unsigned interrupts)
{
    peer->task.waited = false;
    uv_timer_start(&peer->task.timer, on_waited, milliseconds, 0);
    while (!peer->done && !peer->task.waited && peer->interrupted < interrupts)
        uv_run(&peer->loop, UV_RUN_ONCE);
    uv_timer_stop(&peer->task.timer);
}

static int peer_cancel_task(struct peer *peer)
{
    haft_buffer params;
    struct json_writer w = {.out = &params};
    int64_t id;

    haft_buffer_init(&params, NULL, PEER_LONGEST_LINE);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "taskId"), peer->task.id);
    hf_json_end_object(&w);
    haft_buffer_add(&params, "", 1);
    peer->status = HAFT_ETIMEOUT;
    id = params.status ? params.status
                       : haft_client_begin(peer->client,
                                           HAFT_WITH(haft_client_exchange, .method = "tasks/cancel",
                                                     .params = params.data,
                                                     .done = on_task_cancelled, .context = peer));
    haft_buffer_finish(&params);
    if (id > 0)
        peer_linger(peer, PEER_CANCEL_WAIT, UINT_MAX);
    return peer->status
               ? peer_fail(peer, EXIT_INTERRUPTED,
                           "interrupted; the server did not confirm that it cancels %s",
                           peer->task.id)
               : peer_fail(peer, EXIT_CANCELLED, "the task %s was cancelled", peer->task.id);
}

int peer_task_leave(struct peer *peer)
{
    const struct peer_request *request = peer->request;

    uv_timer_stop(&peer->task.timer);
    clear_progress();
    if (request->left)
        request->left(request->context, peer->task.id);
    if (!peer->terminated)
        peer_linger(peer, PEER_LEAVE_WAIT, 2);
    if (peer->done)
        return EXIT_DONE;
    return peer->interrupted < 2 || peer->terminated ? -EXIT_DETACHED : peer_cancel_task(peer);
}
