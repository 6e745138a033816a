/* canned_http.c - the upper limit for an HTTP server on one thread: it sends a fixed response.
 *
 *     canned-http PORT ANSWER-FILE
 *
 * The body of every response is the file. Requests are delimited by the end of their headers and
 * Content-Length; nothing else is parsed. All requests of a read are answered in one write. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN_SIZE = 256 << 10, EVENTS = 256 };

struct connection {
    int fd;
    size_t used;
    char in[IN_SIZE];
};

static char *answer;
static size_t answer_size;

static int load(const char *path)
{
    FILE *file = fopen(path, "r");
    char head[256];
    char *body = NULL;
    size_t room = 0;
    ssize_t size = file ? getdelim(&body, &room, EOF, file) : -1;
    int n;

    if (size < 0)
        return -1;
    fclose(file);
    while (size && body[size - 1] == '\n')
        size--;
    n = snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zd\r\n\r\n",
                 size);
    answer_size = (size_t)n + (size_t)size;
    answer = malloc(answer_size);
    if (!answer)
        return -1;
    memcpy(answer, head, (size_t)n);
    memcpy(answer + n, body, (size_t)size);
    free(body);
    return 0;
}

/* The size of the request at the start; 0 if it is incomplete. */
static size_t request_size(const char *text, size_t size)
{
    const char *end = memmem(text, size, "\r\n\r\n", 4), *length;
    size_t head, body = 0;

    if (!end)
        return 0;
    head = (size_t)(end - text) + 4;
    length = memmem(text, head, "\r\nContent-Length: ", 18);
    if (length)
        body = strtoul(length + 18, NULL, 10);
    return size - head < body ? 0 : head + body;
}

/* Benchmark clients read all responses, so the write may block. */
static int say(int fd, size_t times)
{
    while (times--) {
        const char *at = answer;
        size_t left = answer_size;

        while (left) {
            ssize_t n = send(fd, at, left, MSG_NOSIGNAL | (times ? MSG_MORE : 0));

            if (n < 0 && errno == EAGAIN)
                continue;
            if (n <= 0)
                return -1;
            at += n;
            left -= (size_t)n;
        }
    }
    return 0;
}

static void take(struct connection *connection)
{
    ssize_t n =
        recv(connection->fd, connection->in + connection->used, IN_SIZE - connection->used, 0);
    size_t from = 0, size, times = 0;

    if (n < 0 && errno == EAGAIN)
        return;
    if (n > 0) {
        connection->used += (size_t)n;
        while ((size = request_size(connection->in + from, connection->used - from))) {
            from += size;
            times++;
        }
        connection->used -= from;
        memmove(connection->in, connection->in + from, connection->used);
    }
    if (n <= 0 || say(connection->fd, times)) {
        close(connection->fd);
        free(connection);
    }
}

static void welcome(int poll, int listener)
{
    struct connection *connection = malloc(sizeof *connection);
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), yes = 1;

    if (!connection || fd < 0) {
        free(connection);
        return;
    }
    connection->fd = fd;
    connection->used = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    epoll_ctl(poll, EPOLL_CTL_ADD, fd,
              &(struct epoll_event){.events = EPOLLIN, .data.ptr = connection});
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0), yes = 1;
    struct epoll_event events[EVENTS];

    if (argc != 3 || load(argv[2])) {
        fputs("usage: canned-http PORT ANSWER-FILE\n", stderr);
        return 2;
    }
    address.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) {
        perror("canned-http");
        return 1;
    }
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN});
    for (;;) {
        int n = epoll_wait(poll, events, EVENTS, -1);

        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr)
                take(events[i].data.ptr);
            else
                welcome(poll, listener);
        }
    }
}
