/* store/redis_liar.h - a server that greets as Redis does, and then answers every command with the same, or in turn. */
#ifndef HAFT_TESTS_REDIS_LIAR_H
#define HAFT_TESTS_REDIS_LIAR_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/test.h"

struct liar {
    int fd, port;
    pthread_t thread;
    const char *lie; /* one or several of the same size; NULL: closes the connection */
    size_t size, n;
    atomic_int connections;
};

#define LIAR_SHA "$40\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"

/* Greets as a server does, and answers with a lie for each command. */
static inline void liar_serve(struct liar *liar, int client)
{
    static const char greeting[] = LIAR_SHA LIAR_SHA LIAR_SHA "+PONG\r\n";
    char bytes[1 << 16];
    size_t n = 0;
    ssize_t got;

    while ((got = recv(client, bytes + n, sizeof bytes - n, 0)) > 0) {
        n += (size_t)got;
        if (memmem(bytes, n, "PING\r\n", 6))
            break;
    }
    send(client, greeting, sizeof greeting - 1, MSG_NOSIGNAL);
    for (size_t i = 0; recv(client, bytes, sizeof bytes, 0) > 0 && liar->lie; i++)
        send(client, liar->lie + i % liar->n * liar->size, liar->size, MSG_NOSIGNAL);
    close(client);
}

static inline void *liar_run(void *argument)
{
    struct liar *liar = argument;
    int client;

    while ((client = accept(liar->fd, NULL, NULL)) >= 0) {
        struct timeval limit = {.tv_sec = 20};

        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        liar->connections++;
        liar_serve(liar, client);
    }
    return NULL;
}

static inline void liar_begin_with(struct liar *liar, const char *lie, size_t size, size_t n)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t room = sizeof address;

    *liar = (struct liar){.lie = lie, .size = size, .n = n};
    liar->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(liar->fd, (struct sockaddr *)&address, room), 0);
    assert_int_equal(listen(liar->fd, 8), 0);
    assert_int_equal(getsockname(liar->fd, (struct sockaddr *)&address, &room), 0);
    liar->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&liar->thread, NULL, liar_run, liar), 0);
}

static inline void liar_begin(struct liar *liar, const char *lie, size_t size)
{
    liar_begin_with(liar, lie, size, 1);
}

static inline void liar_end(struct liar *liar)
{
    shutdown(liar->fd, SHUT_RDWR);
    pthread_join(liar->thread, NULL);
    close(liar->fd);
}

#endif
