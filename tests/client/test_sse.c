/* test_sse.c - server-sent events, whole and a byte at a time. */
#include "client/sse.h"

#include <string.h>

#include "support/failing.h"
#include "support/test.h"

enum { LIMIT = 32 };

/* What came, each event between brackets. */
struct heard {
    char text[512];
    size_t size;
};

static void on_event(void *context, const char *data, size_t size)
{
    struct heard *heard = context;

    assert_true(heard->size + size + 3 < sizeof heard->text);
    heard->text[heard->size++] = '[';
    memcpy(heard->text + heard->size, data, size);
    heard->size += size;
    heard->text[heard->size++] = ']';
    heard->text[heard->size] = '\0';
}

static const struct {
    const char *stream;
    size_t size;
    const char *expected;
    int status;
} cases[] = {
    {TEXT(""), "", 0},
    {TEXT("data: {}\n\n"), "[{}]", 0},
    {TEXT("data:{}\n\n"), "[{}]", 0},
    {TEXT("data:  {}\n\n"), "[ {}]", 0},
    {TEXT("data: a\r\n\r\n"), "[a]", 0},
    {TEXT("data: a\r\rdata: b\n\n"), "[a][b]", 0},
    {TEXT("data: a\r\n\ndata: b\r\n\r\n"), "[a][b]", 0},
    {TEXT("data: a\ndata: b\n\n"), "[a\nb]", 0},
    {TEXT("data: a\r\ndata: b\r\n\r\n"), "[a\nb]", 0},
    {TEXT("data\ndata\n\n"), "[\n]", 0},
    {TEXT("data: a\n"), "", 0},
    {TEXT("data: a"), "", 0},
    {TEXT("data: a\n\ndata: b"), "[a]", 0},
    {TEXT("\xEF\xBB\xBF"
          "data: a\n\n"),
     "[a]", 0},
    {TEXT("\n\xEF\xBB\xBF"
          "data: a\n\n"),
     "", 0},
    {TEXT(": note\ndata: a\n: note\n\n"), "[a]", 0},
    {TEXT("event: message\ndata: a\n\n"), "[a]", 0},
    {TEXT("event: endpoint\ndata: a\n\ndata: b\n\n"), "[b]", 0},
    {TEXT("event: endpoint\n\ndata: b\n\n"), "[b]", 0},
    {TEXT("id: 7\nretry: 5\ndata:\n\n"), "", 0},
    {TEXT("id: 7\ndata: a\n\n"), "[a]", 0},
    {TEXT("database: a\ndata: b\n\n"), "[b]", 0},
    {TEXT("data: a\0b\n\n"), "[a", 0},
    {TEXT("data: 0123456789012345678901234\n\n"), "[0123456789012345678901234]", 0},
    {TEXT("data: 01234567890123456789012345678901\n\n"), "", HAFT_ETOOBIG},
    {TEXT("data: 0123456789012345\ndata: 0123456789012345\n\n"), "", HAFT_ETOOBIG},
    {TEXT("data: a\n\n01234567890123456789012345678901234"), "[a]", HAFT_ETOOBIG},
};

static void feed(const char *stream, size_t size, size_t step, const char *expected, int status)
{
    struct heard heard = {0};
    struct sse sse;
    int got = 0;

    hf_sse_init(&sse, NULL, LIMIT);
    for (size_t at = 0; !got && at < size; at += step)
        got = hf_sse_feed(&sse, stream + at, step < size - at ? step : size - at, on_event, &heard);
    hf_sse_finish(&sse);
    assert_string_equal(heard.text, expected);
    assert_int_equal(got, status);
}

static void streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t step = 1; step < 8; step++)
            feed(cases[i].stream, cases[i].size, step, cases[i].expected, cases[i].status);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        feed(cases[i].stream, cases[i].size, 1000, cases[i].expected, cases[i].status);
}

/* A stream in two reads, the first of which ends with a CR.  An LF at the start of the second belongs
 * to that line's end; anything else, and a second LF, does not. */
static void takes_a_line_end_that_two_reads_share(void **state)
{
    static const struct {
        const char *first, *second;
        const char *after_first, *after_second; /* what has been heard */
    } rows[] = {
        {"data: a\r", "\ndata: b\n\n", "", "[a\nb]"},
        {"data: a\r", "data: b\n\n", "", "[a\nb]"},
        {"data: a\r", "\n", "", ""},
        {"data: a\r", "\n\n", "", "[a]"},
        {"data: a\r", "\r", "", "[a]"},
        {"data: a\r", "\n\r\n", "", "[a]"},
        {"data: a\r\n\r", "\ndata: b\n\n", "[a]", "[a][b]"},
        {"id: 7\r", "\ndata: a\r\n\r\n", "", "[a]"},
        {"\r", "\ndata: a\n\n", "", "[a]"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (int empty = 0; empty < 2; empty++) { /* whether a read of nothing comes between */
            struct heard heard = {0};
            struct sse sse;

            hf_sse_init(&sse, NULL, LIMIT);
            assert_int_equal(
                hf_sse_feed(&sse, rows[i].first, strlen(rows[i].first), on_event, &heard), 0);
            assert_string_equal(heard.text, rows[i].after_first);
            if (empty)
                assert_int_equal(hf_sse_feed(&sse, "", 0, on_event, &heard), 0);
            assert_int_equal(
                hf_sse_feed(&sse, rows[i].second, strlen(rows[i].second), on_event, &heard), 0);
            assert_string_equal(heard.text, rows[i].after_second);
            hf_sse_finish(&sse);
        }
}

/* What a client needs to take a stream up again. */
static void ids(void **state)
{
    static const struct {
        const char *stream;
        size_t size;
        const char *id;
        int retry; /* -1 for none */
    } rows[] = {
        {TEXT("data: a\n\n"), "", -1},
        {TEXT("id: 7\ndata: a\n\n"), "7", -1},
        {TEXT("id: 7\nretry: 500\ndata:\n\n"), "7", 500},
        {TEXT("id:7\n\ndata: b\n\n"), "7", -1},
        {TEXT("id: 7\n\nid: 8\ndata: b\n"), "7", -1},
        {TEXT("id: 7\n\nid: 8\n\n"), "8", -1},
        {TEXT("id: 7\n\nid\n\n"), "", -1},
        {TEXT("id: 7\n\nid: 8\0\n\n"), "7", -1},
        {TEXT("retry: 0\n"), "", 0},
        {TEXT("retry: 5x\nretry: -1\nretry:\nretry: 9999999999\n"), "", -1},
        {TEXT("retry: 5\nretry: 6\n"), "", 6},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct heard heard = {0};
        struct sse sse;

        hf_sse_init(&sse, NULL, LIMIT);
        assert_int_equal(hf_sse_feed(&sse, rows[i].stream, rows[i].size, on_event, &heard), 0);
        assert_int_equal(sse.last_id.size, strlen(rows[i].id));
        assert_true(!sse.last_id.size || !memcmp(sse.last_id.data, rows[i].id, sse.last_id.size));
        assert_int_equal(sse.has_retry ? (int)sse.retry : -1, rows[i].retry);
        hf_sse_finish(&sse);
    }
}

static void without_memory(void **state)
{
    static const char stream[] = "event: message\nid: 1\ndata: a\n\ndata: b\n\n";

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        struct heard heard = {0};
        struct sse sse;
        int status, id_status;

        failing_init(&failing, nth);
        hf_sse_init(&sse, &failing.allocator, LIMIT);
        status = hf_sse_feed(&sse, stream, sizeof stream - 1, on_event, &heard);
        id_status = sse.last_id.status;
        hf_sse_finish(&sse);
        failing_check(&failing);
        if (!failing.failures) {
            assert_string_equal(heard.text, "[a][b]");
            break;
        }
        /* Without memory for the name of an event, it is passed over. */
        assert_true(status == HAFT_ENOMEM || !strcmp(heard.text, "[b]") ||
                    id_status == HAFT_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams),
                                       cmocka_unit_test(takes_a_line_end_that_two_reads_share),
                                       cmocka_unit_test(ids), cmocka_unit_test(without_memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
