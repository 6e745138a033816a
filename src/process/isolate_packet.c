/* isolate_packet.c - messages in packets.
 *
 * A packet socket preserves message boundaries: an incomplete message of a process that dies is
 * recognized, and a message of the fork server is not mistaken for the rest of it. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "process/isolate.h"

int hf_packet_take(struct packet_reader *reader, const void *packet, size_t size)
{
    const unsigned char *bytes = packet;
    bool more;

    if (size < PACKET_HEAD || !bytes[0] || bytes[0] >= PACKET_KINDS || bytes[1] > 1)
        return HAFT_EPARSE;
    more = bytes[1];
    if (bytes[0] == PACKET_END)
        reader->kind = 0;
    if (reader->kind && reader->kind != bytes[0])
        return HAFT_EPARSE;
    if (!reader->kind)
        haft_buffer_clear(&reader->body);
    haft_buffer_add(&reader->body, (const char *)bytes + PACKET_HEAD, size - PACKET_HEAD);
    if (reader->body.status)
        return reader->body.status;
    reader->kind = more ? bytes[0] : 0;
    return more ? 0 : bytes[0];
}

static int wait_for_ever(int fd, short events)
{
    struct pollfd poller = {.fd = fd, .events = events};

    return poll(&poller, 1, -1) < 0 && errno != EINTR ? HAFT_ECLOSED : 0;
}

/* Returns 0 to retry. If the other end was closed with unread data, that error is reported once,
 * before the data it has sent. */
static int recover(int fd, short events, packet_wait *wait, void *context)
{
    if (errno == EINTR || errno == ECONNRESET)
        return 0;
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS)
        return HAFT_ECLOSED;
    return wait ? wait(context, fd, events) : wait_for_ever(fd, events);
}

int hf_packet_send(int fd, enum packet kind, const void *bytes, size_t size, packet_wait *wait,
                   void *context)
{
    const char *from = bytes ? bytes : "";
    int status = 0;

    do {
        size_t n = size < PACKET_SIZE - PACKET_HEAD ? size : PACKET_SIZE - PACKET_HEAD;
        unsigned char head[PACKET_HEAD] = {(unsigned char)kind, n < size};
        struct iovec parts[] = {{head, sizeof head}, {(void *)(uintptr_t)from, n}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

        if (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            status = recover(fd, POLLOUT, wait, context);
            continue;
        }
        from += n;
        size -= n;
        if (!size)
            return 0;
    } while (!status);
    return status;
}

int hf_packet_receive(int fd, struct packet_reader *reader, packet_wait *wait, void *context)
{
    char packet[PACKET_SIZE];
    int status = 0;

    while (!status) {
        ssize_t n = recv(fd, packet, sizeof packet, MSG_DONTWAIT);

        if (n < 0)
            status = recover(fd, POLLIN, wait, context);
        else
            status = n ? hf_packet_take(reader, packet, (size_t)n) : HAFT_ECLOSED;
    }
    return status;
}

/* ---- descriptors ---- */

union isolate_packet_control {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

int hf_packet_send_descriptor(int fd, int descriptor)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    union isolate_packet_control control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *head;

    memset(&control, 0, sizeof control);
    head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    if (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
        return 0;
    return errno == EPIPE || errno == ECONNRESET || errno == EBADF ? HAFT_ECLOSED : HAFT_EBUSY;
}

int hf_packet_receive_descriptor(int fd)
{
    char byte;
    struct iovec part = {&byte, 1};
    union isolate_packet_control control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *head;
    ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    int descriptor;

    if (!n)
        return -2;
    head = n == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof descriptor))
        return n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR ? -2 : -1;
    memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    return descriptor;
}
