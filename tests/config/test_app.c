/* test_app.c - settings for several servers: what each of them keeps, and what they have in common. */
#define _DEFAULT_SOURCE
#include "config/app.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/option.h"
#include "stage/metrics.h"
#include "support/file.h"
#include "support/test.h"

struct house {
    haft_server *servers[2];
    haft_server *own;
};

static haft_server *endpoint(void *context, size_t i, const char **ret_path)
{
    const struct house *house = context;

    *ret_path = "/mcp";
    return i < 2 ? house->servers[i] : NULL;
}

/* Two servers, the first with limits of its own, prepared with these options. */
static void prepare(struct house *house, const struct given *given, size_t n_given)
{
    const struct app app = {.endpoint = endpoint, .context = house};
    struct program_settings program;
    struct complaints complaints;
    struct settings settings;
    struct audit_file audit = {0};
    haft_reason reason = {0};

    house->own = haft_server_new("own", "1");
    house->servers[0] =
        haft_server_new_with("first", "1",
                             HAFT_WITH(haft_server_options, .timeout_ms = 5000, .max_in_flight = 7,
                                       .client_rate = {3, 1000}));
    house->servers[1] = haft_server_new("second", "1");
    assert_int_equal(hf_program_settings_init(&program, house->own), 0);
    hf_complaints_init(&complaints, NULL);
    assert_int_equal(hf_settings_load(&settings, &program, given, n_given, &complaints), 0);
    assert_int_equal(hf_app_prepare(&app, house->own, &settings, NULL, &audit, &reason), 0);
    hf_complaints_finish(&complaints);
    hf_settings_finish(&settings);
}

static void house_free(struct house *house)
{
    for (size_t i = 0; i < 2; i++)
        haft_server_free(house->servers[i]);
    haft_server_free(house->own);
}

/* What nobody says leaves an endpoint as its program has made it. */
static void endpoints_keep_their_own(void **state)
{
    struct house house;

    (void)state;
    prepare(&house, NULL, 0);
    assert_int_equal(house.servers[0]->options.max_in_flight, 7);
    assert_int_equal(atomic_load(&house.servers[0]->limits.timeout_ms), 5000);
    assert_int_equal(atomic_load(&house.servers[0]->limits.client_calls), 3);
    house_free(&house);
}

static void the_operator_has_the_last_word(void **state)
{
    const struct given given[] = {{hf_option_by_flag("--max-in-flight"), "9"},
                                  {hf_option_by_flag("--timeout"), "8s"},
                                  {hf_option_by_flag("--client-rate"), "4/1s"}};
    struct house house;

    (void)state;
    prepare(&house, given, COUNT_OF(given));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(house.servers[i]->options.max_in_flight, 9);
        assert_int_equal(atomic_load(&house.servers[i]->limits.timeout_ms), 8000);
        assert_int_equal(atomic_load(&house.servers[i]->limits.client_calls), 4);
    }
    house_free(&house);
}

/* One key for all of them, so that each can go on with what another began; and one page of counts. */
static void they_share_key_and_counts(void **state)
{
    static const char digits[] =
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
    char path[FILE_PATH];
    const struct given given[] = {{hf_option_by_flag("--seal-key-file"), path},
                                  {hf_option_by_flag("--metrics"), NULL}};
    struct house house;
    haft_buffer text;

    (void)state;
    file_make(path, digits);
    prepare(&house, given, COUNT_OF(given));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(house.servers[i]->keys.seal[31], 0x1f);
        assert_memory_equal(house.servers[i]->keys.seal, house.own->keys.seal,
                            sizeof house.own->keys.seal);
        assert_ptr_equal(house.servers[i]->metering.metrics, house.own->metering.metrics);
        atomic_store(&house.servers[i]->metering.received, 20 + i);
    }
    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(house.own, &text), 0);
    haft_buffer_add(&text, "", 1);
    assert_non_null(strstr(text.data, "mcp_server_received_bytes_total 41\n"));
    haft_buffer_finish(&text);
    house_free(&house);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoints_keep_their_own),
        cmocka_unit_test(the_operator_has_the_last_word),
        cmocka_unit_test(they_share_key_and_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
