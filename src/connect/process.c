/* process.c - a server that is started for its client: one message a line. */
#include "connect/child.h"

struct process_link {
    struct connect_link link;
    struct connect_child *child; /* NULL if it could not be started again, or not yet */
    bool waits; /* for the end of the former process, with the messages of the next */
    haft_buffer held;
};

enum { PROCESS_PATIENCE = 500, PROCESS_HELD = 64 << 20 };

/* The client may start another from within `failed`: then only this process has ended. */
static void process_on_end(struct connect_child *child, const char *text)
{
    struct process_link *process = (struct process_link *)child->link;
    struct connect_link *link = child->link;

    hf_connect_link_failed(
        link, NULL,
        &(haft_failure){.status = HAFT_ECLOSED, .text = text, .maybe_handled = !child->unread});
    if (process->child == child)
        hf_connect_link_closed(link);
}

static void process_fail_all(struct connect_link *link, int status, const char *text)
{
    hf_connect_link_failed(link, NULL, &(haft_failure){.status = status, .text = text});
    hf_connect_link_closed(link);
}

/* The former process has exited: two at a time might want the same files. */
static void process_on_gone(struct connect_child *child)
{
    struct connect_link *link = child->link;
    struct process_link *process = (struct process_link *)link;
    haft_reason reason = {0};

    process->waits = false;
    if (link->over)
        return;
    process->child = hf_connect_child_start(link, process_on_end, &reason);
    if (!process->child)
        process_fail_all(link, reason.code, reason.text);
    else if (process->held.size && hf_connect_child_send(process->child, process->held.data,
                                                         process->held.size) == HAFT_ENOMEM)
        process_fail_all(link, HAFT_ENOMEM, "out of memory");
    else
        haft_buffer_clear(&process->held);
}

/* Keeps a message for the process that will be started. */
static int process_hold(struct process_link *process, const haft_outgoing *message)
{
    if (process->held.size)
        haft_buffer_puts(&process->held, "\n");
    haft_buffer_add(&process->held, message->text, message->size);
    return process->held.status;
}

static void process_send(struct connect_link *link, const haft_outgoing *message)
{
    struct process_link *process = (struct process_link *)link;
    int status = process->waits ? process_hold(process, message)
                 : process->child
                     ? hf_connect_child_send(process->child, message->text, message->size)
                     : HAFT_ECLOSED;

    if (status == HAFT_ENOMEM || status == HAFT_ETOOBIG)
        hf_connect_link_fail_later(link, message->tag, status, haft_strerror(status));
    else if (status && (!process->child || process->child->reported))
        hf_connect_link_fail_later(link, message->tag, status, "the server has ended");
}

static int process_restart(struct connect_link *link)
{
    struct process_link *process = (struct process_link *)link;
    struct connect_child *former = process->child;
    haft_reason reason = {0};

    haft_buffer_clear(&process->held);
    if (process->waits)
        return 0;
    process->child = NULL;
    if (former && former->running) {
        process->waits = true;
        former->on_gone = process_on_gone;
        former->patience = PROCESS_PATIENCE;
        hf_connect_child_end(former);
        return 0;
    }
    if (former)
        hf_connect_child_end(former);
    process->child = hf_connect_child_start(link, process_on_end, &reason);
    return process->child ? 0 : reason.code;
}

static void process_end(struct connect_link *link)
{
    struct process_link *process = (struct process_link *)link;

    if (process->child)
        hf_connect_child_end(process->child);
}

static void process_release(struct connect_link *link)
{
    haft_buffer_finish(&((struct process_link *)link)->held);
    link->allocator->release(link->allocator->context, link, sizeof(struct process_link));
}

static const struct connect_class process_class = {.send = process_send,
                                                   .restart = process_restart,
                                                   .end = process_end,
                                                   .release = process_release};

struct connect_link *hf_connect_process_open(uv_loop_t *loop, const haft_allocator *allocator,
                                             const haft_target *target,
                                             const struct connect_limits *limits,
                                             haft_reason *reterr_reason)
{
    struct process_link *process = allocator->alloc(allocator->context, sizeof *process);
    int status = process ? hf_connect_link_init(&process->link, &process_class, allocator, loop,
                                                target, limits)
                         : HAFT_ENOMEM;

    if (status) {
        if (process)
            allocator->release(allocator->context, process, sizeof *process);
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
        return NULL;
    }
    process->waits = false;
    haft_buffer_init(&process->held, allocator, PROCESS_HELD);
    process->child = hf_connect_child_start(&process->link, process_on_end, reterr_reason);
    if (process->child)
        return &process->link;
    hf_connect_link_close(&process->link);
    return NULL;
}
