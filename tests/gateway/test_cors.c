/* test_cors.c - whose pages the policy `cors` lets in, and what it tells caches about that. */
#include "ask.h"

/* Depends on what it is told. */
static int hello(haft_call *call)
{
    const char *vary = haft_request_header(call, "x-vary");

    return (vary ? haft_response_set_header(call, "vary", vary) : 0) || haft_text(call, "hello");
}
HAFT_ROUTE_BARE(hello, "POST", "/hello", "Says hello", .policies = "cors", .quick = true);

static haft_gateway *make(void)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));

    assert_non_null(gateway);
    assert_int_equal(
        haft_policy_make(gateway, "cors", "cors", "{\"origins\":[\"https://a.example\"]}"), 0);
    assert_int_equal(haft_route_add(gateway, &hello_route), 0);
    return gateway;
}

/* An origin is let in as a whole, and what is answered depends on it, also when it is absent. */
static void lets_whole_origins_in(void **state)
{
    static const struct {
        const char *origin;
        bool allowed;
    } rows[] = {
        {"https://a.example", true},
        {"https://a.example.evil", false},
        {"https://a.exampl", false},
        {"https://", false},
        {"", false},
        {"https://a.example:444", false},
        {"http://a.example", false},
        {"https://evil.a.example", false},
        {"https://a.example, null", false},
        {"null", false},
        {NULL, false},
    };
    haft_gateway *gateway = make();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char headers[256];
        struct ask_request asks[] = {
            {.method = "POST", .target = "/hello", .headers = headers},
            {.method = "OPTIONS", .target = "/hello", .headers = headers},
        };

        snprintf(headers, sizeof headers, "%s%s%saccess-control-request-method: POST\n",
                 rows[i].origin ? "origin: " : "", rows[i].origin ? rows[i].origin : "",
                 rows[i].origin ? "\n" : "");
        for (size_t j = 0; j < COUNT_OF(asks); j++) {
            assert_string_equal(ask_for(gateway, &asks[j], "access-control-allow-origin"),
                                rows[i].allowed ? rows[i].origin : "");
            assert_string_equal(ask_for(gateway, &asks[j], "vary"), "Origin");
        }
        assert_int_equal(*ask_for(gateway, &asks[1], "access-control-allow-methods") != '\0',
                         rows[i].allowed);
    }
    haft_gateway_free(gateway);
}

static void adds_to_what_an_answer_depends_on(void **state)
{
    static const char *const rows[][2] = {
        {"Accept-Language", "Accept-Language, Origin"},
        {"accept, Origin", "accept, Origin"},
        {"ORIGIN", "ORIGIN"},
        {"X-Origin,origins", "X-Origin,origins, Origin"},
        {"*", "*"},
    };
    haft_gateway *gateway = make();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char headers[128];

        snprintf(headers, sizeof headers, "origin: https://a.example\nx-vary: %s\n", rows[i][0]);
        assert_string_equal(
            ask_for(gateway,
                    &(struct ask_request){.method = "POST", .target = "/hello", .headers = headers},
                    "vary"),
            rows[i][1]);
    }
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_whole_origins_in),
        cmocka_unit_test(adds_to_what_an_answer_depends_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
