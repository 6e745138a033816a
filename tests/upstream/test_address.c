/* test_address.c - addresses of hosts that the configuration does not name: only public ones. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <string.h>

#include "support/test.h"
#include "upstream/http.h"

static const struct {
    const char *address;
    bool allowed;
} rows[] = {
    /* public */
    {"93.184.216.34", true},
    {"8.8.8.8", true},
    {"172.15.255.255", true},
    {"172.32.0.1", true},
    {"100.63.255.255", true},
    {"100.128.0.1", true},
    {"169.253.255.255", true},
    {"192.167.255.255", true},
    {"223.255.255.255", true},
    {"2606:2800:220:1::1", true},
    {"2a00:1450:4001:831::200e", true},
    /* loopback, and what reaches this machine */
    {"127.0.0.1", false},
    {"127.255.255.254", false},
    {"0.0.0.0", false},
    {"0.1.2.3", false},
    {"::", false},
    {"::1", false},
    /* private and shared */
    {"10.0.0.1", false},
    {"172.16.0.1", false},
    {"172.31.255.255", false},
    {"192.168.1.1", false},
    {"100.64.0.1", false},
    {"100.127.255.255", false},
    {"198.18.0.1", false},
    {"198.19.255.255", false},
    {"fc00::1", false},
    {"fd12:3456:789a::1", false},
    {"fec0::1", false},
    {"192.0.0.8", false},
    {"192.0.2.1", false},
    {"198.51.100.7", false},
    {"203.0.113.9", false},
    {"2001:db8::1", false},
    /* link-local, metadata, multicast, broadcast */
    {"169.254.169.254", false},
    {"169.254.0.1", false},
    {"fe80::1", false},
    {"febf::1", false},
    {"fd00:ec2::254", false},
    {"224.0.0.1", false},
    {"239.255.255.250", false},
    {"240.0.0.1", false},
    {"255.255.255.255", false},
    {"ff02::1", false},
    {"ff0e::1", false},
    {"100::1", false},
    /* IPv4 in IPv6: mapped, compatible, NAT64, 6to4, Teredo */
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.0.0.1", false},
    {"::ffff:169.254.169.254", false},
    {"::ffff:8.8.8.8", true},
    {"::127.0.0.1", false},
    {"::10.1.2.3", false},
    {"64:ff9b::7f00:1", false},
    {"64:ff9b::a9fe:a9fe", false},
    {"64:ff9b::808:808", true},
    {"64:ff9b:1::808:808", false},
    {"2002:7f00:1::", false},
    {"2002:c0a8:101::1", false},
    {"2002:a9fe:a9fe::1", false},
    {"2001:0:4136:e378:8000:63bf:80ff:fffe", false}, /* Teredo of 127.0.0.1 */
    {"2001:0:4136:e378:8000:63bf:f5ff:fffe", false}, /* Teredo of 10.0.0.1 */
    {"2001:470:1f0b::5efe:7f00:1", false},           /* ISATAP of 127.0.0.1 */
    {"2001:470:1f0b:0:200:5efe:a00:1", false},       /* ISATAP of 10.0.0.1 */
};

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sockaddr_in four = {.sin_family = AF_INET};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        bool is_six = strchr(rows[i].address, ':');
        bool allowed;

        assert_int_equal(inet_pton(is_six ? AF_INET6 : AF_INET, rows[i].address,
                                   is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr),
                         1);
        allowed = hf_http_allow_address(
            NULL, is_six ? (const struct sockaddr *)&six : (const struct sockaddr *)&four,
            is_six ? sizeof six : sizeof four);
        if (allowed != rows[i].allowed)
            fail_msg("%s: %s", rows[i].address, allowed ? "allowed" : "refused");
    }
}

static void other_families(void **state)
{
    const struct sockaddr local = {.sa_family = AF_UNIX};

    (void)state;
    assert_false(hf_http_allow_address(NULL, &local, sizeof local));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table), cmocka_unit_test(other_families)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
