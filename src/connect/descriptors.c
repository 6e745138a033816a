/* descriptors.c - a server at the other end of two descriptors. */
#include <fcntl.h>
#include <unistd.h>

#include "connect/pipe.h"

struct descriptors_link {
    struct connect_link link;
    struct connect_pipe pipe;
    bool reported; /* the end */
};

static void descriptors_report_end(struct descriptors_link *descriptors, const char *text)
{
    struct connect_link *link = &descriptors->link;

    if (descriptors->reported)
        return;
    descriptors->reported = true;
    hf_connect_link_failed(
        link, NULL,
        &(haft_failure){.status = HAFT_ECLOSED,
                        .text = text,
                        .maybe_handled = !hf_connect_pipe_is_unread(&descriptors->pipe)});
    hf_connect_link_closed(link);
}

static void descriptors_on_line(struct connect_pipe *pipe, int status, const char *line,
                                size_t size)
{
    struct descriptors_link *descriptors = (struct descriptors_link *)pipe->link;

    if (status > 0)
        hf_connect_link_message(pipe->link, line, size, NULL);
    else if (status == HAFT_ETOOBIG)
        hf_connect_link_too_long(pipe->link, size);
    else
        descriptors_report_end(descriptors, haft_strerror(status));
}

static void descriptors_on_end(struct connect_pipe *pipe)
{
    descriptors_report_end((struct descriptors_link *)pipe->link,
                           "the server closed the connection");
}

static void descriptors_on_broken(struct connect_pipe *pipe)
{
    descriptors_report_end((struct descriptors_link *)pipe->link,
                           "the server no longer reads from the connection");
}

static void descriptors_send(struct connect_link *link, const haft_outgoing *message)
{
    struct descriptors_link *descriptors = (struct descriptors_link *)link;
    int status = hf_connect_pipe_send(&descriptors->pipe, message->text, message->size);

    if (status)
        hf_connect_link_fail_later(link, message->tag, status,
                                   status == HAFT_ECLOSED
                                       ? "the server no longer reads from the connection"
                                       : haft_strerror(status));
}

static void descriptors_end(struct connect_link *link)
{
    hf_connect_pipe_close(&((struct descriptors_link *)link)->pipe);
}

static void descriptors_release(struct connect_link *link)
{
    hf_connect_pipe_finish(&((struct descriptors_link *)link)->pipe);
    link->allocator->release(link->allocator->context, link, sizeof(struct descriptors_link));
}

static const struct connect_class descriptors_class = {
    .send = descriptors_send, .end = descriptors_end, .release = descriptors_release};

struct connect_link *hf_connect_descriptors_open(uv_loop_t *loop, const haft_allocator *allocator,
                                                 const haft_target *target,
                                                 const struct connect_limits *limits,
                                                 haft_reason *reterr_reason)
{
    int in = target->descriptors[0], out = target->descriptors[1];
    struct descriptors_link *own = allocator->alloc(allocator->context, sizeof *own);
    int status =
        own ? hf_connect_link_init(&own->link, &descriptors_class, allocator, loop, target, limits)
            : HAFT_ENOMEM;

    if (out == in) /* libuv watches a descriptor once */
        out = fcntl(in, F_DUPFD_CLOEXEC, 3);
    if (status) {
        close(in);
        close(out);
        if (own)
            allocator->release(allocator->context, own, sizeof *own);
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
        return NULL;
    }
    own->pipe = (struct connect_pipe){.on_line = descriptors_on_line,
                                      .on_end = descriptors_on_end,
                                      .on_broken = descriptors_on_broken};
    own->reported = false;
    status = out < 0 ? UV_EBADF : hf_connect_pipe_open(&own->pipe, &own->link, in, out);
    if (!status)
        return &own->link;
    if (out < 0)
        own->pipe.in.fd = in, own->pipe.out.fd = -1;
    hf_connect_link_close(&own->link);
    hf_error_set(reterr_reason, HAFT_EINVAL, "descriptors",
                 "the descriptors are not pipes or sockets: %s", uv_strerror(status));
    return NULL;
}
