/* sender.h - an HTTP upstream of a test, and requests to it.
 *
 * The upstream is on the outbound thread, as in a gateway; the test's thread waits for results. */
#ifndef HAFT_TESTS_SENDER_H
#define HAFT_TESTS_SENDER_H

#include <haft/server.h>

#include "http_client/rogue.h"
#include "upstream/http.h"

struct sender {
    haft_server *server;
    struct upstream_set set;
    struct upstream *upstream;
    haft_arena *arena;
    haft_reason reason; /* why it could not be made */
    uv_mutex_t lock;
    char log[1 << 14]; /* under the lock */
};

HAFT_MAYBE_UNUSED_ static void sender_on_log(void *context, haft_level level, const char *text,
                                             size_t size)
{
    struct sender *sender = context;
    size_t at;

    (void)level;
    uv_mutex_lock(&sender->lock);
    at = strlen(sender->log);
    snprintf(sender->log + at, sizeof sender->log - at, "%.*s\n", (int)size, text);
    uv_mutex_unlock(&sender->lock);
}

HAFT_MAYBE_UNUSED_ static bool sender_logged(struct sender *sender, const char *text)
{
    bool found;

    uv_mutex_lock(&sender->lock);
    found = strstr(sender->log, text);
    uv_mutex_unlock(&sender->lock);
    return found;
}

/* Makes and starts an upstream; `format` is the JSON of its options.  Returns the status. */
HAFT_MAYBE_UNUSED_ static int sender_try(struct sender *sender, const haft_allocator *allocator,
                                         const char *options)
{
    struct upstream_definition definition = {
        .name = "api", .prefix = "api", .text = options, .kind = &hf_upstream_http};
    int status;

    memset(sender, 0, sizeof *sender);
    haft_part_register(&haft_http_client_part);
    assert_int_equal(uv_mutex_init(&sender->lock), 0);
    sender->server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .log = sender_on_log, .log_context = sender));
    assert_non_null(sender->server);
    assert_int_equal(hf_upstream_set_init(&sender->set, sender->server), 0);
    if (allocator)
        sender->set.allocator = allocator;
    sender->arena = haft_arena_new(NULL, 64 << 20);
    definition.options =
        haft_json_read(options, strlen(options), 0, sender->arena, &sender->reason);
    if (!definition.options)
        fail_msg("%s: %s", options, sender->reason.text);
    status = hf_upstream_new(&sender->set, &definition, &sender->upstream, &sender->reason);
    if (!status)
        assert_int_equal(hf_upstream_start(sender->upstream, &sender->reason), 0);
    return status;
}

HAFT_MAYBE_UNUSED_ static void sender_init(struct sender *sender, const char *options)
{
    int status = sender_try(sender, NULL, options);

    if (status)
        fail_msg("%s: %s: %s", options, sender->reason.path, sender->reason.text);
}

HAFT_MAYBE_UNUSED_ static void sender_finish(struct sender *sender)
{
    if (sender->upstream) {
        hf_upstream_stop(sender->upstream);
        hf_module_drop(&sender->upstream->module);
    }
    hf_upstream_set_finish(&sender->set);
    haft_server_free(sender->server);
    haft_arena_free(sender->arena);
    uv_mutex_destroy(&sender->lock);
}

/* ---- a request ---- */

struct sent {
    struct outbound_task start, cancel;
    struct http_sending sending;
    haft_arena *arena;
    uv_sem_t over, cancelled;
    enum http_fault fault;
    int status, ends;
    bool maybe_handled;
    int64_t retry_ms;
    char text[512], body[4096], headers[4096];
};

HAFT_MAYBE_UNUSED_ static void sent_on_end(struct http_sending *sending,
                                           const struct http_result *result)
{
    struct sent *sent = sending->context;
    size_t at = 0;

    sent->ends++;
    sent->fault = result->fault;
    sent->status = result->status;
    sent->maybe_handled = result->maybe_handled;
    sent->retry_ms = result->retry_ms;
    snprintf(sent->text, sizeof sent->text, "%s", result->text);
    snprintf(sent->body, sizeof sent->body, "%s", result->body);
    for (size_t i = 0; i < result->n_headers && at < sizeof sent->headers; i++)
        at += (size_t)snprintf(sent->headers + at, sizeof sent->headers - at, "%s: %s\n",
                               result->headers[i].name, result->headers[i].value);
    uv_sem_post(&sent->over);
}

HAFT_MAYBE_UNUSED_ static void sent_run_start(struct outbound_task *task)
{
    hf_http_upstream_send(&((struct sent *)task->owner)->sending);
}

HAFT_MAYBE_UNUSED_ static void sent_run_cancel(struct outbound_task *task)
{
    struct sent *sent = task->owner;

    hf_http_upstream_cancel(&sent->sending);
    uv_sem_post(&sent->cancelled);
}

HAFT_MAYBE_UNUSED_ static void send_start(struct sender *sender, struct sent *sent,
                                          struct http_message message)
{
    memset(sent, 0, sizeof *sent);
    sent->arena = haft_arena_new(sender->set.allocator, 64 << 20);
    assert_non_null(sent->arena);
    assert_int_equal(uv_sem_init(&sent->over, 0), 0);
    assert_int_equal(uv_sem_init(&sent->cancelled, 0), 0);
    sent->start = (struct outbound_task){.run = sent_run_start, .owner = sent};
    sent->cancel = (struct outbound_task){.run = sent_run_cancel, .owner = sent};
    message.method = message.method ? message.method : "GET";
    message.target = message.target ? message.target : "/x";
    sent->sending = (struct http_sending){.upstream = sender->upstream,
                                          .message = message,
                                          .arena = sent->arena,
                                          .time_left = -1,
                                          .on_end = sent_on_end,
                                          .context = sent};
    hf_outbound_post(&sender->set.outbound, &sent->start);
}

HAFT_MAYBE_UNUSED_ static void send_wait(struct sent *sent)
{
    uv_sem_wait(&sent->over);
    assert_int_equal(sent->ends, 1);
    haft_arena_free(sent->arena);
    uv_sem_destroy(&sent->over);
    uv_sem_destroy(&sent->cancelled);
}

HAFT_MAYBE_UNUSED_ static void send_one(struct sender *sender, struct sent *sent,
                                        struct http_message message)
{
    send_start(sender, sent, message);
    send_wait(sent);
}

HAFT_MAYBE_UNUSED_ static const char *options_of(char room[2048], const struct rogue *rogue,
                                                 const char *more)
{
    snprintf(room, 2048, "{\"url\":\"%s\"%s%s}", rogue->url, *more ? "," : "", more);
    return room;
}

#endif
