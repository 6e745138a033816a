/* test_slow_names.c - a collector whose name nobody can look up: calls go on, and so does the end. */
#define _GNU_SOURCE
#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include <haft.h>
#include <haft/part.h>

#include "support/test.h"

static atomic_bool asked, over;

/* In place of the C library's: it comes back when the test is over. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    (void)node, (void)service, (void)hints, (void)result;
    atomic_store(&asked, true);
    for (int i = 0; i < 20000 && !atomic_load(&over); i++)
        poll(NULL, 0, 1);
    return EAI_AGAIN;
}

HAFT_STRUCT(quiet_args, HAFT_INTEGER(n, "Any number"));

static int quiet(haft_call *call, const quiet_args *in)
{
    return haft_text(call, "%lld", (long long)in->n);
}
HAFT_TOOL_IN(quiet, quiet_args, "Says a number", .quick = true);

static char said[1024];

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    snprintf(said, sizeof said, "%.*s", (int)size, text);
}

static void ends_in_time(void **state)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .log = on_log));
    haft_otlp_options options = HAFT_INIT(haft_otlp_options, .url = "http://nowhere.test",
                                          .interval_ms = 1, .flush_ms = 200, .timeout_ms = 60000);
    haft_reason reason = {0};
    haft_result result;
    haft_client *client;
    haft_otlp *otlp;
    uint64_t start, sent, lost;

    (void)state;
    haft_part_register(&haft_http_client_part);
    assert_int_equal(haft_add(server, &quiet_tool), 0);
    otlp = haft_otlp_new(server, &options, &reason);
    assert_non_null(otlp);
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_request(client, "tools/call",
                                         "{\"name\":\"quiet\",\"arguments\":{\"n\":1}}", &result),
                     0);
    start = uv_hrtime();
    while (!atomic_load(&asked)) {
        assert_true(uv_hrtime() - start < 30000000000);
        poll(NULL, 0, 1);
    }
    haft_otlp_counts(otlp, &sent, &lost);
    assert_int_equal(sent + lost, 0);
    haft_client_free(client);
    start = uv_hrtime();
    haft_otlp_free(otlp);
    assert_true(uv_hrtime() - start < 30000000000);
    assert_string_equal(said, "1 spans lost");
    haft_server_free(server);
    atomic_store(&over, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_in_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
