/* test_addresses.c - names with several addresses, and which of them the client connects to. */
#define _GNU_SOURCE
#include <netdb.h>

#include "http_client/rogue.h"

enum { LOCAL = INADDR_LOOPBACK, OTHER = INADDR_LOOPBACK + 1, THIRD = INADDR_LOOPBACK + 2 };

static const uint32_t addresses[] = {OTHER, THIRD, LOCAL};

/* In place of the C library's: every name has these addresses, in this order. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    struct addrinfo **last = result;

    (void)node, (void)hints;
    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        struct sockaddr_in *name = calloc(1, sizeof *name);

        name->sin_family = AF_INET;
        name->sin_addr.s_addr = htonl(addresses[i]);
        name->sin_port = htons((uint16_t)strtol(service ? service : "0", NULL, 10));
        *last = calloc(1, sizeof **last);
        **last = (struct addrinfo){.ai_family = AF_INET,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_addr = (struct sockaddr *)name,
                                   .ai_addrlen = sizeof *name};
        last = &(*last)->ai_next;
    }
    return 0;
}

void freeaddrinfo(struct addrinfo *result)
{
    while (result) {
        struct addrinfo *next = result->ai_next;

        free(result->ai_addr);
        free(result);
        result = next;
    }
}

static void serve_fine(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
}

/* A server at another address, with the port of the first. */
static struct rogue *rogue_open_beside(const struct rogue *first)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr = {htonl(OTHER)},
                               .sin_port = htons((uint16_t)first->port)};
    struct rogue *rogue = rogue_open_at((struct sockaddr *)&name, sizeof name, serve_fine, NULL);

    assert_int_equal(pthread_create(&rogue->thread, NULL, rogue_run, rogue), 0);
    return rogue;
}

static bool allow_one(void *context, const struct sockaddr *address, socklen_t size)
{
    const struct sockaddr_in *name = (const struct sockaddr_in *)(const void *)address;
    const uint32_t *allowed = context;

    assert_int_equal(size, sizeof *name);
    return ntohl(name->sin_addr.s_addr) == *allowed;
}

/* The first address that works and is allowed, and no other. */
static void connects_where_it_may(void **state)
{
    static const struct {
        uint32_t allowed; /* 0: any */
        bool beside;      /* somebody listens at the first address too */
        enum http_error error;
        int here, there; /* connections */
    } rows[] = {
        {0, false, HTTP_OK, 1, 0},
        {0, true, HTTP_OK, 0, 1},
        {LOCAL, true, HTTP_OK, 1, 0},
        {OTHER, true, HTTP_OK, 0, 1},
        {OTHER, false, HTTP_ADDRESS_REFUSED, 0, 0},
        {THIRD, true, HTTP_ADDRESS_REFUSED, 0, 0},
        {INADDR_BROADCAST, true, HTTP_ADDRESS_REFUSED, 0, 0},
    };
    static struct outcome outcome;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rogue *here = rogue_open(serve_fine, NULL);
        struct rogue *there = rows[i].beside ? rogue_open_beside(here) : NULL;
        uint32_t allowed = rows[i].allowed;
        struct asker asker;
        char url[64];

        asker_init_with(&asker,
                        &(struct http_client_options){.allow_address = allowed ? allow_one : NULL,
                                                      .allow_context = &allowed});
        snprintf(url, sizeof url, "http://many.test:%d/", here->port);
        for (int k = 0; k < 2; k++) { /* the second request uses the connection of the first */
            ask(&asker, (struct http_request_options){.url = url}, &outcome);
            if (outcome.error != rows[i].error || outcome.maybe_handled != !rows[i].error)
                fail_msg("row %zu: %s", i, outcome.text);
        }
        asker_finish(&asker);
        if (rows[i].here)
            rogue_wait_closed(here, rows[i].here);
        if (rows[i].there)
            rogue_wait_closed(there, rows[i].there);
        assert_int_equal(atomic_load(&here->connections), rows[i].here);
        rogue_close(here);
        if (there) {
            assert_int_equal(atomic_load(&there->connections), rows[i].there);
            rogue_close(there);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_both_ways(connects_where_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
