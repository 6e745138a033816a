/* test_proxies.c - whom a trusted proxy asks for, and everybody else who says so. */
#define _DEFAULT_SOURCE
#include "http/site.h"

#include "http/proxy.h"
#include "support/headers.h"

static const char *const trusted[] = {"10.0.0.0/8", "192.0.2.1", "2001:db8:a::/48", "172.16.0.0/12",
                                      NULL};

#define X(text) "x-forwarded-for: " text "\n"
#define F(text) "forwarded: " text "\n"
#define PROXY "10.0.0.1"
#define TEN X("10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5, 10.0.0.6, 10.0.0.7, 10.0.0.8, 10.0.0.9")

static void finds_the_client(void **state)
{
    static const struct {
        const char *peer, *headers, *client;
    } rows[] = {
        /* nobody says anything */
        {PROXY, "", PROXY},
        {PROXY, "x-real-ip: 9.9.9.9\n", PROXY},
        /* one proxy */
        {PROXY, X("198.51.100.7"), "198.51.100.7"},
        {PROXY, X("  198.51.100.7\t"), "198.51.100.7"},
        {PROXY, X("198.51.100.7:4711"), "198.51.100.7"},
        {PROXY, X("2001:db8::7"), "2001:db8::7"},
        {PROXY, X("[2001:db8::7]"), "2001:db8::7"},
        {PROXY, X("[2001:db8::7]:4711"), "2001:db8::7"},
        {PROXY, X("2001:DB8:0:0::7"), "2001:db8::7"},
        {PROXY, X("::ffff:198.51.100.7"), "198.51.100.7"},
        {"2001:db8:a::1", X("198.51.100.7"), "198.51.100.7"},
        {"", X("198.51.100.7"), "198.51.100.7"},
        /* what the client itself has written is on the left */
        {PROXY, X("203.0.113.9, 198.51.100.7"), "198.51.100.7"},
        {PROXY, X("10.9.9.9,198.51.100.7"), "198.51.100.7"},
        {PROXY, X("garbage, 198.51.100.7"), "198.51.100.7"},
        {PROXY, X(",, ,198.51.100.7, ,"), "198.51.100.7"},
        /* several proxies */
        {PROXY, X("198.51.100.7, 10.0.0.3, 192.0.2.1"), "198.51.100.7"},
        {PROXY, X("203.0.113.9, 198.51.100.7, 2001:db8:a::9"), "198.51.100.7"},
        {PROXY, X("203.0.113.9, 192.0.2.2, 10.0.0.3"), "192.0.2.2"},
        {PROXY, X("172.31.255.255, 172.32.0.0, 172.16.0.0"), "172.32.0.0"},
        {PROXY, X("10.0.0.2, 10.0.0.3"), "10.0.0.2"}, /* there are no others */
        /* several lines are one list */
        {PROXY, X("203.0.113.9") X("198.51.100.7"), "198.51.100.7"},
        {PROXY, X("203.0.113.9, 198.51.100.7") X("10.0.0.3"), "198.51.100.7"},
        {PROXY, X("198.51.100.7") "X-FORWARDED-FOR: 10.0.0.3\n", "198.51.100.7"},
        {PROXY, X("198.51.100.7") X(""), "198.51.100.7"},
        /* what cannot be read ends it */
        {PROXY, X("198.51.100.7, unknown"), PROXY},
        {PROXY, X("198.51.100.7, _hidden, 10.0.0.3"), "10.0.0.3"},
        {PROXY, X("198.51.100.7, 10.0.0.300, 10.0.0.3"), "10.0.0.3"},
        {PROXY, X("198.51.100.7, 010.0.0.2"), PROXY},
        {PROXY, X("198.51.100.7, 10.0.0.2:"), PROXY},
        {PROXY, X("198.51.100.7, 10.0.0.2:123456"), PROXY},
        {PROXY, X("198.51.100.7, 10.0.0.2:8o"), PROXY},
        {PROXY, X("198.51.100.7, [10.0.0.2]"), PROXY},
        {PROXY, X("198.51.100.7, [2001:db8:a::2"), PROXY},
        {PROXY, X("198.51.100.7, [2001:db8:a::2]x"), PROXY},
        {PROXY, X("198.51.100.7, fe80::1%eth0"), PROXY},
        {PROXY, X("198.51.100.7, 10.0.0.2 10.0.0.3"), PROXY},
        {PROXY, X("198.51.100.7, \"10.0.0.2\""), PROXY},
        {PROXY, X("localhost"), PROXY},
        {PROXY, X("10"), PROXY},
        /* too many: the last 32 are looked at */
        {PROXY, X("198.51.100.7") TEN TEN TEN X("10.0.0.10, 10.0.0.11"), "198.51.100.7"},
        {PROXY, X("198.51.100.7") TEN TEN TEN TEN, "10.0.0.2"},
        /* RFC 7239 */
        {PROXY, F("for=198.51.100.7"), "198.51.100.7"},
        {PROXY, F("For=\"198.51.100.7:4711\""), "198.51.100.7"},
        {PROXY, F("for=\"[2001:db8:cafe::17]:4711\""), "2001:db8:cafe::17"},
        {PROXY, F("for=\"[2001:db8:cafe::17]\";proto=https"), "2001:db8:cafe::17"},
        {PROXY, F("proto=http; by=203.0.113.43 ;for=198.51.100.7"), "198.51.100.7"},
        {PROXY, F("for=\"198.51.100.7:_port\""), "198.51.100.7"},
        {PROXY, F("for=203.0.113.9, for=198.51.100.7, for=10.0.0.3;by=10.0.0.4"), "198.51.100.7"},
        {PROXY, F("for=198.51.100.7") F("for=10.0.0.3"), "198.51.100.7"},
        {PROXY, F("for=198.51.100.7;host=\"a, for=9.9.9.9\""), "198.51.100.7"},
        {PROXY, F("for=198.51.100.7;host=\"a\\\", for=9.9.9.9\""), "198.51.100.7"},
        {PROXY, F("for=203.0.113.9, for=unknown"), PROXY},
        {PROXY, F("for=203.0.113.9, for=_hidden"), PROXY},
        {PROXY, F("for=203.0.113.9, for=\"_gazonk\", for=10.0.0.3"), "10.0.0.3"},
        {PROXY, F("for=203.0.113.9, by=10.0.0.3"), PROXY},
        {PROXY, F("for=203.0.113.9, for"), PROXY},
        {PROXY, F("for=203.0.113.9, for="), PROXY},
        {PROXY, F("for=203.0.113.9, for=198.51.100.7;for=9.9.9.9"), PROXY},
        {PROXY, F("for=203.0.113.9, for=\"198.51.100.7"), PROXY},
        {PROXY, F("for=203.0.113.9, for=198.51.100.7\""), PROXY},
        {PROXY, F("for=203.0.113.9, for=\"198.51\\.100.7\""), PROXY},
        {PROXY, F("for=\"203.0.113.9, for=198.51.100.7"), PROXY},
        {PROXY, F("for=203.0.113.9, fort=198.51.100.7"), PROXY},
        {PROXY, F("for =198.51.100.7"), PROXY},
        /* both: a proxy may let one through as the client has sent it */
        {PROXY, F("for=198.51.100.7") X("198.51.100.7"), "198.51.100.7"},
        {PROXY, F("for=203.0.113.9") X("198.51.100.7"), PROXY},
        {PROXY, X("203.0.113.9") F("for=198.51.100.7"), PROXY},
    };
    struct proxies proxies;

    (void)state;
    assert_int_equal(hf_proxies_init(&proxies, trusted, hf_allocator_or_default(NULL), NULL), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct header_lines lines;
        const haft_header *headers;
        size_t n;
        char client[ADDRESS_TEXT];

        headers_read(&lines, rows[i].headers, &headers, &n);
        hf_proxies_find_client(&proxies, rows[i].peer, headers, n, client);
        if (strcmp(client, rows[i].client))
            fail_msg("row %zu: %s is %s, and not %s", i, rows[i].headers, client, rows[i].client);
    }
    hf_proxies_finish(&proxies);
}

static void knows_whom_to_trust(void **state)
{
    static const struct {
        const char *proxies[3];
        const char *peer;
        int trusts; /* -1: it is refused */
    } rows[] = {
        {{"10.0.0.0/8"}, "10.255.255.255", 1},
        {{"10.0.0.0/8"}, "11.0.0.0", 0},
        {{"10.0.0.0/9"}, "10.128.0.0", 0},
        {{"10.1.2.3/8"}, "10.9.9.9", 1}, /* what is behind the bits does not matter */
        {{"10.0.0.7"}, "10.0.0.7", 1},
        {{"10.0.0.7"}, "10.0.0.6", 0},
        {{"10.0.0.7/32"}, "10.0.0.7", 1},
        {{"0.0.0.0/0"}, "9.9.9.9", 1},
        {{"0.0.0.0/0"}, "2001:db8::1", 0},
        {{"::/0"}, "2001:db8::1", 1},
        {{"2001:db8::/33"}, "2001:db8:7fff::", 1},
        {{"2001:db8::/33"}, "2001:db8:8000::", 0},
        {{"::1", "127.0.0.1"}, "127.0.0.1", 1},
        {{"::1"}, "127.0.0.1", 0},
        {{"::ffff:10.0.0.0/104"}, "10.0.0.7", 1},
        {{"192.0.2.1, 10.0.0.0/8 ,::1"}, "10.0.0.7", 1},
        {{"192.0.2.1,10.0.0.0/8", "unix,::1"}, "::1", 1},
        {{"192.0.2.1,unix"}, "", 1},
        {{"unix"}, "", 1},
        {{"unix"}, "127.0.0.1", 0},
        {{"unix"}, "::", 0},
        {{"10.0.0.0/8"}, "", 0},
        {{NULL}, "127.0.0.1", 0},
        {{NULL}, "", 0},
        {{"10.0.0.0/33"}, "", -1},
        {{"::/129"}, "", -1},
        {{"10.0.0.0/"}, "", -1},
        {{"10.0.0.0/-1"}, "", -1},
        {{"10.0.0.0/8x"}, "", -1},
        {{"10.0.0.0/0008"}, "", -1},
        {{"10.0.0/8"}, "", -1},
        {{"[::1]"}, "", -1},
        {{"10.0.0.1:80"}, "", -1},
        {{"fe80::1%eth0"}, "", -1},
        {{"localhost"}, "", -1},
        {{""}, "", -1},
        {{"10.0.0.0/8,"}, "", -1},
        {{",10.0.0.0/8"}, "", -1},
        {{"10.0.0.0/8 192.0.2.1"}, "", -1},
        {{"10.0.0.0/8", "nonsense"}, "", -1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct proxies proxies;
        haft_reason reason = {0};
        int status =
            hf_proxies_init(&proxies, rows[i].proxies, hf_allocator_or_default(NULL), &reason);
        int trusts = status ? -1 : hf_proxies_trust(&proxies, rows[i].peer);

        if (trusts != rows[i].trusts || (status && status != HAFT_EINVAL))
            fail_msg("row %zu: %d %s", i, trusts, reason.text);
        if (status)
            assert_string_equal(reason.path, "http.trusted_proxies");
        hf_proxies_finish(&proxies);
    }
}

/* ---- over a socket ---- */

static void *mirror_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

static void *mirror_handle(void *app, const haft_request *request, const haft_responder *responder,
                           void *context, haft_time now)
{
    char text[64];
    int size = snprintf(text, sizeof text, "from %s.", request->peer);

    (void)app;
    (void)now;
    responder->respond(context,
                       &(haft_response){.status = 200, .body = text, .size = (size_t)size});
    return NULL;
}

static void says_so_for_each_request(void **state)
{
    static const struct {
        const char *proxy, *headers, *from;
    } rows[] = {
        {"127.0.0.0/8", "X-Forwarded-For: 198.51.100.7\r\n", "from 198.51.100.7."},
        {"127.0.0.0/8", "Forwarded: for=\"[2001:db8::1]:1\"\r\n", "from 2001:db8::1."},
        {"127.0.0.0/8", "", "from 127.0.0.1."},
        {"10.0.0.0/8", "X-Forwarded-For: 198.51.100.7\r\n", "from 127.0.0.1."},
        {NULL, "X-Forwarded-For: 198.51.100.7\r\n", "from 127.0.0.1."},
    };
    static char anything[] = "";
    static const haft_app app =
        HAFT_INIT(haft_app, .open = mirror_open, .handle = mirror_handle, .data = anything);
    haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *proxies[] = {rows[i].proxy, NULL};
        struct site *site =
            site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "", .mounts = &mount,
                                                   .n_mounts = 1, .trusted_proxies = proxies));
        char request[256], text[ROOM];
        int fd = dial(site),
            n = snprintf(request, sizeof request,
                         "GET / HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
                         "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                         rows[i].headers);

        say(fd, request, (size_t)n);
        assert_true(hear_all(fd, text, sizeof text));
        close(fd);
        if (!strstr(text, rows[i].from) || !strstr(text, "from 127.0.0.1."))
            fail_msg("row %zu: %s", i, text);
        site_close(site);
    }
}

static void counts_clients_of_a_proxy_apart(void **state)
{
    static const char *const proxies[] = {"127.0.0.1", NULL};
    static const struct {
        const char *client;
        int status;
    } rows[] = {{"198.51.100.7", 202}, {"198.51.100.7", 202}, {"198.51.100.7", 429},
                {"198.51.100.8", 202}, {"198.51.100.7", 429}, {"unknown", 202}};
    struct site *site = site_open((haft_http_options)HAFT_INIT(
        haft_http_options, .rate = {2, 60000}, .trusted_proxies = proxies));

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static const char body[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";
        char request[512], text[ROOM];
        int fd = dial(site),
            n = snprintf(request, sizeof request,
                         "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                         "Content-Type: application/json\r\nContent-Length: %zu\r\n"
                         "X-Forwarded-For: 203.0.113.%zu, %s\r\n\r\n%s",
                         sizeof body - 1, i, rows[i].client, body);

        say(fd, request, (size_t)n);
        assert_true(hear_all(fd, text, sizeof text));
        close(fd);
        if (atoi(text + 9) != rows[i].status)
            fail_msg("row %zu: %s", i, text);
    }
    site_close(site);
}

static void refuses_to_begin(void **state)
{
    static const char *const proxies[] = {"10.0.0.0/99", NULL};
    struct site *site = site_open_with(
        (haft_http_options)HAFT_INIT(haft_http_options, .trusted_proxies = proxies), NULL);

    (void)state;
    assert_null(site->http);
    assert_non_null(strstr(site->reason.text, "\"10.0.0.0/99\" is not an address"));
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_client), cmocka_unit_test(knows_whom_to_trust),
        cmocka_unit_test(says_so_for_each_request),
        cmocka_unit_test(counts_clients_of_a_proxy_apart), cmocka_unit_test(refuses_to_begin)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
