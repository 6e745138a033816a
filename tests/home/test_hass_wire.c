/* The client, the link over the network and the demo home, with real sockets between them. */
#include <haft/part.h>

#include "home/wire_home.h"

static void test_wire(void **state)
{
    struct wire_test test = {.rogue = NULL};

    (void)state;
    wire_begin(&test, WIRE_TOKEN);
    assert_string_equal(fake_run(test.hass, 10000, wire_use, NULL), "");
    assert_int_equal(test.wire.n_sockets, 1);
    assert_int_equal(test.wire.n_services, 2);
    wire_finish(&test);
}

static void test_wrong_token(void **state)
{
    struct wire_test test = {.rogue = NULL};
    const char *error;

    (void)state;
    wire_begin(&test, "wr0ng-token");
    error = fake_run(test.hass, 10000, wire_read, NULL);
    assert_non_null(strstr(
        error,
        "/house refused the access token: Invalid access token or password. Check HASS_TOKEN."));
    assert_null(strstr(error, "wr0ng"));
    wire_finish(&test);
}

static void test_no_socket(void **state)
{
    struct wire_test test = {.rogue = NULL};
    const char *error;

    (void)state;
    test.wire.refuses = true;
    wire_begin(&test, WIRE_TOKEN);
    error = fake_run(test.hass, 500, wire_read, NULL);
    if (!strstr(error, "cannot be reached: ") || !strstr(error, "502"))
        fail_msg("%s", error);
    test.wire.refuses = false;
    assert_string_equal(fake_run(test.hass, 10000, wire_read, NULL), "");
    wire_finish(&test);
}

/* Cut by each message, before it is answered and in the middle of the answer. */
static void test_cut_everywhere(void **state)
{
    (void)state;
    for (int answers = 0; answers < 2; answers++)
        for (unsigned nth = 1;; nth++) {
            struct wire_test test = {.wire = {.cut_at = nth, .cuts_answers = answers}};
            unsigned sockets;
            const char *error;

            wire_begin(&test, WIRE_TOKEN);
            error = fake_run(test.hass, 10000, wire_use, NULL);
            if (*error && !strstr(error, "lost before it answered"))
                fail_msg("message %u: %s", nth, error);
            assert_true(test.wire.n_services <= 2);
            assert_string_equal(fake_run(test.hass, 10000, wire_read, NULL), "");
            sockets = test.wire.n_sockets;
            wire_finish(&test);
            if (sockets == 1)
                break;
            assert_true(nth < 60);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire),
        cmocka_unit_test(test_wrong_token),
        cmocka_unit_test(test_no_socket),
        cmocka_unit_test(test_cut_everywhere),
    };

    haft_part_register(&haft_http_client_part);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
