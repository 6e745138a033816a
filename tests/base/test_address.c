/* test_address.c - which addresses are one client. */
#include "support/test.h"

#include "base/base.h"

static const struct row {
    const char *address, *key;
} rows[] = {
    {NULL, "a"},
    {"", "a"},
    {"192.0.2.7", "a192.0.2.7"},
    /* The network of an address of IPv6, however it is written. */
    {"2001:db8:1:2:3:4:5:6", "620010db800010002"},
    {"2001:db8:1:2:ffff::", "620010db800010002"},
    {"2001:DB8:1:2::9", "620010db800010002"},
    {"2001:db8:1:3::9", "620010db800010003"},
    {"2001:db8::1", "620010db800000000"},
    {"::1", "60000000000000000"},
    {"::", "60000000000000000"},
    {"1::", "60001000000000000"},
    {"fe80::1%eth0", "6fe80000000000000"},
    {"2001:db8::192.0.2.7", "620010db800000000"},
    {"64:ff9b:1:2:3:4:192.0.2.7", "60064ff9b00010002"},
    /* One of IPv4 that is written as one of IPv6. */
    {"::ffff:192.0.2.7", "a192.0.2.7"},
    {"::ffff:c000:0207", "a192.0.2.7"},
    {"0:0:0:0:0:ffff:c000:207", "a192.0.2.7"},
    {"::fffe:c000:207", "60000000000000000"},
    /* What is not an address is itself. */
    {"1:2:3", "a1:2:3"},
    {"1:2:3:4:5:6:7:8:9", "a1:2:3:4:5:6:7:8:9"},
    {"1:2:3:4:5:6:7:8::", "a1:2:3:4:5:6:7:8::"},
    {"1::2::3", "a1::2::3"},
    {"12345::", "a12345::"},
    {"1:2:3:4:5:6:7:", "a1:2:3:4:5:6:7:"},
    {"2001:db8::g", "a2001:db8::g"},
};

static void names_a_client_by_its_network(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[ADDRESS_KEY];
        size_t size = hf_address_put_key(rows[i].address, key, sizeof key);

        assert_string_equal(key, rows[i].key);
        assert_int_equal(size, strlen(key));
    }
}

static void cuts_what_does_not_fit(void **state)
{
    static const char longest[] =
        "a name that is much longer than any address could ever be written";
    char key[ADDRESS_KEY];

    (void)state;
    assert_int_equal(hf_address_put_key(longest, key, sizeof key), sizeof key - 1);
    assert_int_equal(key[sizeof key - 1], '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_a_client_by_its_network),
        cmocka_unit_test(cuts_what_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
