/* direct_send.c - sends the head and the body of a direct request, in one system call if the socket takes them. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "http/client/room.h"

enum { SEND_MOST = 16 }; /* system calls at once, before others have their turn */

size_t hf_http_send_unsent(const http_request *request)
{
    const struct http_exchange *exchange = &request->exchange;

    return exchange->unsendable ? 0
                                : exchange->head_size + request->options.body_size - exchange->sent;
}

/* One system call.  Returns the number of bytes sent, 0 if the socket takes none now, or -1. */
static ssize_t send_once(http_request *request)
{
    struct http_exchange *exchange = &request->exchange;
    size_t head = exchange->sent < exchange->head_size ? exchange->head_size - exchange->sent : 0;
    size_t body = exchange->head_size + request->options.body_size - exchange->sent - head;
    struct iovec parts[] = {{exchange->head + exchange->head_size - head, head}, {NULL, body}};
    struct msghdr message = {.msg_iov = head ? parts : parts + 1,
                             .msg_iovlen = head && body ? 2 : 1};
    ssize_t n;

    if (body)
        parts[1].iov_base = (char *)request->options.body + request->options.body_size - body;
    do
        n = sendmsg(exchange->connection->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    return n;
}

/* Also notes how long to wait for what follows. */
bool hf_http_send(http_request *request)
{
    struct http_exchange *exchange = &request->exchange;
    bool moved = request->phase == PHASE_CONNECT;
    ssize_t n = 1;

    for (int i = 0; i < SEND_MOST && n > 0 && hf_http_send_unsent(request); i++) {
        n = send_once(request);
        if (n > 0) {
            exchange->sent += (size_t)n;
            moved = request->issued = request->was_issued = true;
        }
    }
    if (moved && (n >= 0 || exchange->sent))
        hf_http_request_enter(request, request->phase == PHASE_BODY   ? PHASE_BODY
                                       : hf_http_send_unsent(request) ? PHASE_SEND
                                                                      : PHASE_ANSWER);
    return n >= 0;
}
