/* test_rebinding.c - a name that resolves to other addresses than it did, or to several.
 *
 * This program has its own getaddrinfo(), which decides what the name means, and its own connect(), which takes the
 * place of a public host.  Both are found before those of the C library, also by libcurl. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>

#include "sender.h"

#define REBINDING_NAME "rebinding.test"
#define REBINDING_PUBLIC 0x5db8d822u /* 93.184.216.34 */

/* What the name means at each lookup, the last one for all others; in a row: P for the public host, L for 127.0.0.1, M
 * for ::ffff:127.0.0.1. */
static const char *const *rebinding_answers;
static atomic_int rebinding_lookups;
static atomic_int rebinding_port; /* on which the public host listens here */

/* As the C library makes them: in one piece each, so that its freeaddrinfo() frees them. */
static struct addrinfo *rebinding_make(char kind, unsigned short port)
{
    struct {
        struct addrinfo info;
        union {
            struct sockaddr any;
            struct sockaddr_in four;
            struct sockaddr_in6 six;
        } address;
    } *one = calloc(1, sizeof *one);

    assert_non_null(one);
    one->info = (struct addrinfo){.ai_family = kind == 'M' ? AF_INET6 : AF_INET,
                                  .ai_socktype = SOCK_STREAM,
                                  .ai_protocol = IPPROTO_TCP,
                                  .ai_addrlen = kind == 'M' ? sizeof one->address.six
                                                            : sizeof one->address.four,
                                  .ai_addr = &one->address.any};
    if (kind == 'M') {
        one->address.six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
        memcpy(one->address.six.sin6_addr.s6_addr, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\x01", 16);
    } else {
        one->address.four = (struct sockaddr_in){
            .sin_family = AF_INET,
            .sin_port = htons(port),
            .sin_addr.s_addr = htonl(kind == 'P' ? REBINDING_PUBLIC : INADDR_LOOPBACK)};
    }
    return &one->info;
}

__attribute__((visibility("default"))) int getaddrinfo(const char *restrict name,
                                                       const char *restrict service,
                                                       const struct addrinfo *restrict hints,
                                                       struct addrinfo **restrict ret)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    const char *const *answer = rebinding_answers;

    if (!name || strcmp(name, REBINDING_NAME) != 0) {
        *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
        return real(name, service, hints, ret);
    }
    for (int n = atomic_fetch_add(&rebinding_lookups, 1); n && answer[1]; n--)
        answer++;
    for (const char *kind = *answer; *kind; kind++, ret = &(*ret)->ai_next)
        *ret = rebinding_make(*kind, (unsigned short)(service ? strtol(service, NULL, 10) : 0));
    return 0;
}

/* Its declaration in the C library has another type. */
int rebinding_connect(int fd, const struct sockaddr *address, socklen_t size) __asm__("connect");

__attribute__((visibility("default"))) int rebinding_connect(int fd, const struct sockaddr *address,
                                                             socklen_t size)
{
    int (*real)(int, const struct sockaddr *, socklen_t);
    struct sockaddr_in four = {.sin_family = AF_UNSPEC};

    *(void **)&real = dlsym(RTLD_NEXT, "connect");
    if (address->sa_family == AF_INET)
        memcpy(&four, address, sizeof four);
    if (four.sin_family != AF_INET || four.sin_addr.s_addr != htonl(REBINDING_PUBLIC))
        return real(fd, address, size);
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    four.sin_port = htons((unsigned short)atomic_load(&rebinding_port));
    return real(fd, (const struct sockaddr *)&four, sizeof four);
}

/* ---- servers ---- */

/* Leads from /x to its context; everything else is what nobody outside may read. */
static void serve_inside(struct rogue *rogue, int fd, int number)
{
    const char *const *location = rogue->context;

    (void)number;
    while (rogue_read(rogue, fd)) {
        char head[256];

        snprintf(head, sizeof head,
                 rogue_saw(rogue, " /x HTTP")
                     ? "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n"
                     : "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret%.0s",
                 *location);
        rogue_puts(fd, head);
    }
}

static void serve_outside(struct rogue *rogue, int fd, int number)
{
    (void)number;
    while (rogue_read(rogue, fd))
        rogue_puts(fd, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npublic");
}

/* ---- tests ---- */

/* What two redirected calls of one upstream end with: the text of the answer, "refused", or "either" of "public" and "refused". */
static const struct row {
    const char *answers[3];
    const char *first, *second;
} rows[] = {
    {{"P"}, "public", "public"},
    {{"L"}, "refused", "refused"},
    {{"M"}, "refused", "refused"},
    {{"P", "L"}, "public", "refused"},
    {{"P", "M"}, "public", "refused"},
    {{"L", "P"}, "refused", "public"},
    /* several addresses: none but the public one is connected to */
    {{"PL"}, "public", "public"},
    {{"LP"}, "either", "either"},
    {{"ML"}, "refused", "refused"},
    {{"MP"}, "either", "either"},
};

static void check_end(const struct row *row, const struct sent *sent, const char *expected)
{
    const char *got = sent->fault == HTTP_FAULT_ADDRESS ? "refused" : sent->body;
    bool fits = !strcmp(expected, "either") ? !strcmp(got, "public") || !strcmp(got, "refused")
                                            : !strcmp(got, expected);

    if (!fits)
        fail_msg("%s, %s: %s %s, not %s", row->answers[0], row->answers[1] ? row->answers[1] : "-",
                 got, sent->text, expected);
}

static void answers_that_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char urls[2][64], room[2048];
        const char *location = urls[0];
        struct rogue *outside = rogue_open(serve_outside, NULL);
        struct rogue *inside = rogue_open(serve_inside, &location);
        struct rogue *deeper = rogue_open(serve_inside, &location);
        struct sender sender;
        struct sent sent;

        atomic_store(&rebinding_port, outside->port);
        atomic_store(&rebinding_lookups, 0);
        rebinding_answers = rows[i].answers;
        /* Another port, so that libcurl looks the name up again. */
        snprintf(urls[0], sizeof urls[0], "http://" REBINDING_NAME ":%d/a", inside->port);
        snprintf(urls[1], sizeof urls[1], "http://" REBINDING_NAME ":%d/b", deeper->port);
        sender_init(&sender, options_of(room, inside, "\"redirects\":{\"elsewhere\":true}"));
        send_one(&sender, &sent, (struct http_message){.method = NULL});
        check_end(&rows[i], &sent, rows[i].first);
        __atomic_store_n(&location, urls[1], __ATOMIC_SEQ_CST);
        send_one(&sender, &sent, (struct http_message){.method = NULL});
        check_end(&rows[i], &sent, rows[i].second);
        assert_true(atomic_load(&rebinding_lookups) >= 2);
        assert_int_equal(atomic_load(&inside->requests), 2); /* the redirects */
        assert_int_equal(atomic_load(&deeper->connections), 0);
        sender_finish(&sender);
        rogue_close(outside);
        rogue_close(inside);
        rogue_close(deeper);
    }
}

/* The configuration names the host, so it means what it means. */
static void names_of_the_configuration(void **state)
{
    static const char *const answers[] = {"L", NULL};
    const char *location = "/";
    struct rogue *inside = rogue_open(serve_inside, &location);
    char room[256];
    struct sender sender;
    struct sent sent;

    (void)state;
    rebinding_answers = answers;
    snprintf(room, sizeof room, "{\"url\":\"http://" REBINDING_NAME ":%d\"}", inside->port);
    sender_init(&sender, room);
    send_one(&sender, &sent, (struct http_message){.target = "/y"});
    assert_string_equal(sent.body, "secret");
    sender_finish(&sender);
    rogue_close(inside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_that_change),
        cmocka_unit_test(names_of_the_configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
