/* process.c - a server that is started for its client: one message a line. */
#include "connect/child.h"

struct process_link {
    struct connect_link link;
    struct connect_child *child; /* NULL if it could not be started again */
};

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

static void process_send(struct connect_link *link, const haft_outgoing *message)
{
    struct process_link *process = (struct process_link *)link;
    int status = process->child
                     ? hf_connect_child_send(process->child, message->text, message->size)
                     : HAFT_ECLOSED;

    if (status == HAFT_ENOMEM)
        hf_connect_link_fail_later(link, message->tag, status, haft_strerror(status));
    else if (status && (!process->child || process->child->reported))
        hf_connect_link_fail_later(link, message->tag, status, "the server has ended");
}

static int process_restart(struct connect_link *link)
{
    struct process_link *process = (struct process_link *)link;
    haft_reason reason = {0};

    if (process->child)
        hf_connect_child_end(process->child);
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
    process->child = hf_connect_child_start(&process->link, process_on_end, reterr_reason);
    if (process->child)
        return &process->link;
    hf_connect_link_close(&process->link);
    return NULL;
}
