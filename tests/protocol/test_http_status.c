/* test_http_status.c - HTTP statuses as text. */
#include "protocol/http_status.h"

#include "support/test.h"

static void names_statuses(void **state)
{
    static const struct {
        int status;
        const char *reason, *line;
    } rows[] = {
        {200, "OK", "HTTP/1.1 200 OK\r\n"},
        {206, "Partial Content", "HTTP/1.1 206 Partial Content\r\n"},
        {404, "Not Found", "HTTP/1.1 404 Not Found\r\n"},
        {418, "I'm a teapot", "HTTP/1.1 418 I'm a teapot\r\n"},
        {431, "Request Header Fields Too Large",
         "HTTP/1.1 431 Request Header Fields Too Large\r\n"},
        {499, "Client Closed Request", "HTTP/1.1 499 Client Closed Request\r\n"},
        {508, "Loop Detected", "HTTP/1.1 508 Loop Detected\r\n"},
        {511, "Network Authentication Required",
         "HTTP/1.1 511 Network Authentication Required\r\n"},
        /* not in the table */
        {0, "", "HTTP/1.1 000 Other\r\n"},
        {42, "", "HTTP/1.1 042 Other\r\n"},
        {306, "", "HTTP/1.1 306 Other\r\n"},
        {599, "", "HTTP/1.1 599 Other\r\n"},
        {1404, "", "HTTP/1.1 404 Other\r\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char line[HTTP_STATUS_LINE + 1];
        size_t size = hf_http_status_put_line(rows[i].status, line);

        assert_true(size <= HTTP_STATUS_LINE);
        line[size] = '\0';
        assert_string_equal(line, rows[i].line);
        assert_string_equal(hf_http_status_reason(rows[i].status), rows[i].reason);
    }
}

/* In order, so that a status that is there twice is seen (and does not compile). */
static void lists_statuses_in_order(void **state)
{
    static const int codes[] = {
#define CODE(code, reason) code,
        HTTP_STATUSES(CODE)
#undef CODE
    };

    (void)state;
    for (size_t i = 1; i < COUNT_OF(codes); i++)
        assert_true(codes[i - 1] < codes[i]);
}

static void knows_which_have_a_body(void **state)
{
    (void)state;
    assert_true(http_status_has_body(200));
    assert_false(http_status_has_body(204));
    assert_false(http_status_has_body(304));
    assert_true(http_status_has_body(500));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_statuses),
        cmocka_unit_test(lists_statuses_in_order),
        cmocka_unit_test(knows_which_have_a_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
