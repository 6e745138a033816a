/* test_addresses.c - URLs that belong together, and networks that a server may send a client to. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "auth/form.h"
#include "auth/web_url.h"
#include "support/test.h"

static void reads_urls(void **state)
{
    static const struct {
        const char *url, *origin; /* NULL: invalid */
        bool loopback;
    } rows[] = {
        {"https://Example.ORG/mcp?a#b", "https://example.org", false},
        {"HTTP://localhost:80/", "http://localhost", true},
        {"https://a:443", "https://a", false},
        {"https://a:80", "https://a:80", false},
        {"http://127.1.2.3:8080/x", "http://127.1.2.3:8080", true},
        {"http://[::1]:9/", "http://[::1]:9", true},
        {"http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]", false},
        {"http://0.0.0.0/", "http://0.0.0.0", false},
        {"http://[::]/", "http://[::]", false},
        {"http://[2001:DB8::1]/", "http://[2001:db8::1]", false},
        {"http://localhost.evil.example/", "http://localhost.evil.example", false},
        {"http://127.0.0.1.evil.example/", "http://127.0.0.1.evil.example", false},
        {"http://a:0/", "http://a:0", false},
        {"http://user@a/", NULL, false},
        {"http://a:b@c/", NULL, false},
        {"http://a:/", NULL, false},
        {"http://a:65536/", NULL, false},
        {"http://a:99999999999999999999/", NULL, false},
        {"http://a:8x/", NULL, false},
        {"http:///x", NULL, false},
        {"http://[]/", NULL, false},
        {"http://[::1/", NULL, false},
        {"http://[::1]x/", NULL, false},
        {"http://a\\b/", NULL, false},
        {"http://a b/", NULL, false},
        {"http://a/\xC3\xA9", NULL, false},
        {"http://\xC3\xA9/", NULL, false},
        {"http://a%2eb/", NULL, false},
        {"ftp://a/", NULL, false},
        {"javascript:alert(1)", NULL, false},
        {"file:///etc/passwd", NULL, false},
        {"//a/b", NULL, false},
        {"/mcp", NULL, false},
        {"", NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct web_url url;
        haft_buffer text;

        if (hf_web_url_read(rows[i].url, &url) != (rows[i].origin ? 0 : HAFT_EINVAL))
            fail_msg("%s", rows[i].url);
        if (!rows[i].origin)
            continue;
        haft_buffer_init(&text, NULL, 256);
        hf_web_url_put_origin(&url, &text);
        haft_buffer_add(&text, "", 1);
        assert_string_equal(text.data, rows[i].origin);
        assert_int_equal(url.loopback, rows[i].loopback);
        haft_buffer_finish(&text);
    }
}

static void knows_what_is_within(void **state)
{
    static const struct {
        const char *url, *resource;
        bool within;
    } rows[] = {
        {"https://a/mcp", "https://a/mcp", true},
        {"https://a/mcp", "https://a", true},
        {"https://a/mcp", "https://a/", true},
        {"https://a/mcp/x", "https://a/mcp", true},
        {"https://a/mcp", "https://a/mcp/", true},
        {"https://A:443/mcp?x", "HTTPS://a/mcp", true},
        {"https://a/mcpx", "https://a/mcp", false},
        {"https://a/MCP", "https://a/mcp", false},
        {"https://a/", "https://a/mcp", false},
        {"http://a/mcp", "https://a/mcp", false},
        {"https://a:444/mcp", "https://a/mcp", false},
        {"https://b/mcp", "https://a/mcp", false},
        {"https://a.b/mcp", "https://a/mcp", false},
        {"https://a/mcp", "https://a/mcp#x", false},
        {"https://a/mcp?t=1", "https://a/mcp?t=1", true},
        {"https://a/mcp?t=2", "https://a/mcp?t=1", false},
        {"https://a/mcp", "https://a/mcp?t=1", false},
        {"https://a/mcp/../admin", "https://a/mcp", false},
        {"https://a/mcp/%2e%2E/admin", "https://a/mcp", false},
        {"https://a/mcp/.%2e", "https://a/mcp", false},
        {"https://a/mcp/.hidden", "https://a/mcp", true},
        {"https://a/mcp/...", "https://a/mcp", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct web_url url, resource;

        assert_int_equal(hf_web_url_read(rows[i].url, &url), 0);
        assert_int_equal(hf_web_url_read(rows[i].resource, &resource), 0);
        if (hf_web_url_is_within(&url, &resource) != rows[i].within)
            fail_msg("%s in %s", rows[i].url, rows[i].resource);
    }
}

static void follows_secure_urls_only(void **state)
{
    static const struct {
        const char *url, *server;
        bool follows;
    } rows[] = {
        {"https://b/", "https://a/", true},         {"https://b/", "http://127.0.0.1/", true},
        {"http://b/", "https://a/", false},         {"http://a/", "http://a/", false},
        {"http://127.0.0.1/", "https://a/", false}, {"http://localhost/", "http://[::1]/", true},
        {"http://b/", "http://localhost/", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct web_url url, server;

        assert_int_equal(hf_web_url_read(rows[i].url, &url), 0);
        assert_int_equal(hf_web_url_read(rows[i].server, &server), 0);
        assert_int_equal(hf_web_url_may_follow(&url, &server), rows[i].follows);
    }
}

static void knows_networks(void **state)
{
    static const struct {
        const char *address;
        enum network network;
    } rows[] = {
        {"8.8.8.8", NETWORK_PUBLIC},
        {"172.15.0.1", NETWORK_PUBLIC},
        {"172.16.0.1", NETWORK_PRIVATE},
        {"172.31.255.255", NETWORK_PRIVATE},
        {"172.32.0.0", NETWORK_PUBLIC},
        {"10.0.0.1", NETWORK_PRIVATE},
        {"192.168.1.1", NETWORK_PRIVATE},
        {"192.169.0.1", NETWORK_PUBLIC},
        {"100.64.0.1", NETWORK_PRIVATE},
        {"100.128.0.1", NETWORK_PUBLIC},
        {"169.254.169.254", NETWORK_LINK},
        {"224.0.0.1", NETWORK_LINK},
        {"255.255.255.255", NETWORK_LINK},
        {"127.0.0.1", NETWORK_LOOPBACK},
        {"0.0.0.0", NETWORK_LOOPBACK},
        {"::1", NETWORK_LOOPBACK},
        {"::", NETWORK_LOOPBACK},
        {"::ffff:10.0.0.1", NETWORK_PRIVATE},
        {"::ffff:8.8.8.8", NETWORK_PUBLIC},
        {"64:ff9b::169.254.169.254", NETWORK_LINK},
        {"fe80::1", NETWORK_LINK},
        {"fd00:ec2::254", NETWORK_PRIVATE},
        {"fec0::1", NETWORK_PRIVATE},
        {"2002:7f00:1::", NETWORK_LOOPBACK},
        {"ff02::1", NETWORK_LINK},
        {"2600::1", NETWORK_PUBLIC},
        {"64:ff9b:1::1", NETWORK_PRIVATE},
        {"64:ff9b:1:a9fe:a9:fe00::", NETWORK_PRIVATE},
        {"64:ff9b:2::1", NETWORK_PUBLIC},
        {"::10.0.0.1", NETWORK_PRIVATE},
        {"2001::80ff:fffe", NETWORK_LOOPBACK},
        {"2001:0:1:2:3:4:f7f7:f7f7", NETWORK_PUBLIC},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sockaddr_in four = {.sin_family = AF_INET};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        const struct sockaddr *address = (struct sockaddr *)&four;

        if (inet_pton(AF_INET, rows[i].address, &four.sin_addr) != 1) {
            assert_int_equal(inet_pton(AF_INET6, rows[i].address, &six.sin6_addr), 1);
            address = (struct sockaddr *)&six;
        }
        if (hf_network_of(address) != rows[i].network)
            fail_msg("%s", rows[i].address);
    }
}

static void writes_forms(void **state)
{
    haft_buffer form;

    (void)state;
    haft_buffer_init(&form, NULL, 1024);
    hf_form_add(&form, "a", "x y+z&=%/:~é");
    hf_form_add(&form, "none", NULL);
    hf_form_add(&form, "b", "");
    haft_buffer_add(&form, "", 1);
    assert_string_equal(form.data, "a=x+y%2Bz%26%3D%25%2F%3A~%C3%A9&b=");
    haft_buffer_clear(&form);
    hf_form_basic(&form, NULL, "my id:", "p%w d");
    haft_buffer_add(&form, "", 1);
    assert_string_equal(form.data, "Basic bXkraWQlM0E6cCUyNXcrZA=="); /* my+id%3A:p%25w+d */
    haft_buffer_finish(&form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_urls),
        cmocka_unit_test(knows_what_is_within),
        cmocka_unit_test(follows_secure_urls_only),
        cmocka_unit_test(knows_networks),
        cmocka_unit_test(writes_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
