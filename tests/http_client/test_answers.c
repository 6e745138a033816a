/* test_answers.c - what servers answer, well and badly: one table, and answers that are cut at every
 * byte. */
#define _GNU_SOURCE
#include "http_client/rogue.h"

enum after { CLOSES, RESETS, HOLDS, HALF_CLOSES };

struct answer {
    const char *name;
    const char *text;
    enum after after;
    enum http_error error;
    int status;       /* of the head; 0: none comes */
    const char *body; /* NULL: whatever */
    struct http_request_options options;
    unsigned drip_ms;   /* between bytes */
    const char *repeat; /* sent until the client has had enough */
};

static void serve_answer(struct rogue *rogue, int fd, int number)
{
    const struct answer *answer = rogue->context;
    size_t size = strlen(answer->text), step = answer->drip_ms ? 1 : size, at = 0;

    (void)number;
    if (!rogue_read(rogue, fd))
        return;
    /* Whatever should arrive of the head arrives at once. */
    if (answer->drip_ms && answer->error && answer->status)
        at = (size_t)(strstr(answer->text, "\r\n\r\n") + 4 - answer->text);
    rogue_write(fd, answer->text, at);
    for (; at < size; at += step) {
        if (!rogue_write(fd, answer->text + at, step))
            return;
        if (answer->drip_ms)
            poll(NULL, 0, (int)answer->drip_ms);
    }
    while (answer->repeat && !atomic_load(&rogue->ends))
        if (!rogue_puts(fd, answer->repeat))
            return;
    if (answer->after == RESETS)
        rogue_reset(fd);
    if (answer->after == HALF_CLOSES)
        shutdown(fd, SHUT_WR);
    while (answer->after == HOLDS && rogue_read(rogue, fd))
        rogue_write(fd, answer->text, size);
    if (answer->after == HALF_CLOSES)
        rogue_hold(rogue, fd);
}

#define H "HTTP/1.1 200 OK\r\n"
#define X8 "xxxxxxxx"
#define X64 X8 X8 X8 X8 X8 X8 X8 X8
#define X512 X64 X64 X64 X64 X64 X64 X64 X64

/* clang-format off */
static const struct answer answers[] = {
    /* What is right. */
    {"a length", H "Content-Length: 2\r\n\r\nhi", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"no body", H "Content-Length: 0\r\n\r\n", HOLDS, HTTP_OK, 200, "", {0}, 0, NULL},
    {"204 has no body", "HTTP/1.1 204 No Content\r\n\r\n", HOLDS, HTTP_OK, 204, "", {0}, 0, NULL},
    {"304 has no body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", HOLDS, HTTP_OK, 304, "", {0}, 0, NULL},
    {"until it closes", H "\r\nhi", CLOSES, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"until it half-closes", H "\r\nhi", HALF_CLOSES, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhi", CLOSES, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"chunks", H "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;a=b\r\ni\r\n0\r\n\r\n", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"trailers are dropped", H "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"a failure is an answer", "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno", HOLDS, HTTP_OK, 500, "no", {0}, 0, NULL},
    {"a status nobody knows", "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n", HOLDS, HTTP_OK, 299, "", {0}, 0, NULL},
    {"without a reason phrase", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", HOLDS, HTTP_OK, 200, "", {0}, 0, NULL},
    {"an empty value", H "X:\r\nContent-Length: 0\r\n\r\n", HOLDS, HTTP_OK, 200, "", {0}, 0, NULL},
    {"HEAD has a length and no body", H "Content-Length: 5\r\n\r\n", HOLDS, HTTP_OK, 200, "", {.method = "HEAD", .max_answer = 2}, 0, NULL},
    {"100 first", "HTTP/1.1 100 Continue\r\n\r\n" H "Content-Length: 2\r\n\r\nhi", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"103 with headers first", "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n" H "Content-Length: 2\r\n\r\nhi", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"slow, byte by byte", H "Content-Length: 2\r\n\r\nhi", HOLDS, HTTP_OK, 200, "hi", {0}, 1, NULL},
    {"more than the length is not read", H "Content-Length: 2\r\n\r\nhi, and more", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"the same length twice", H "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},
    {"a redirect is an answer", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", HOLDS, HTTP_OK, 302, "", {0}, 0, NULL},
    {"coded, as it is", H "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi", HOLDS, HTTP_OK, 200, "hi", {0}, 0, NULL},

    /* Closed. */
    {"at once", "", CLOSES, HTTP_CLOSED, 0, NULL, {0}, 0, NULL},
    {"by a reset", "", RESETS, HTTP_CLOSED, 0, NULL, {0}, 0, NULL},
    {"half-closed at once", "", HALF_CLOSES, HTTP_CLOSED, 0, NULL, {0}, 0, NULL},
    {"after 100", "HTTP/1.1 100 Continue\r\n\r\n", CLOSES, HTTP_CLOSED, 0, NULL, {0}, 0, NULL},
    {"in the head", H "Content-Le", CLOSES, HTTP_TRUNCATED, 0, NULL, {0}, 0, NULL},
    {"reset in the body", H "Content-Length: 9\r\n\r\nhi", RESETS, HTTP_TRUNCATED, 200, NULL, {0}, 0, NULL},
    {"closed in the body", H "Content-Length: 9\r\n\r\nhi", CLOSES, HTTP_TRUNCATED, 200, "hi", {0}, 0, NULL},
    {"half-closed in the body", H "Content-Length: 9\r\n\r\nhi", HALF_CLOSES, HTTP_TRUNCATED, 200, "hi", {0}, 0, NULL},
    {"closed in a chunk", H "Transfer-Encoding: chunked\r\n\r\n9\r\nhi", CLOSES, HTTP_TRUNCATED, 200, "hi", {0}, 0, NULL},
    {"closed before the last chunk", H "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", CLOSES, HTTP_TRUNCATED, 200, "hi", {0}, 0, NULL},

    /* Not HTTP, or HTTP that can be read in two ways. */
    {"HTTP/0.9", "hi", CLOSES, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"another protocol", "SSH-2.0-x\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a line before the status line", "\r\n" H "Content-Length: 2\r\n\r\nhi", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a line before the status line, after 100", "HTTP/1.1 100 Continue\r\n\r\n\r\n" H "Content-Length: 2\r\n\r\nhi", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a status that is none", "HTTP/1.1 abc OK\r\n\r\n", CLOSES, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"status 101, unasked", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhi", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"two lengths", H "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a length and a coding", H "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a coding and a length", H "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a length with a sign", H "Content-Length: +2\r\n\r\nhi", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a negative length", H "Content-Length: -2\r\n\r\nhi", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a list of lengths", H "Content-Length: 2, 2\r\n\r\nhi", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a length beyond numbers", H "Content-Length: 99999999999999999999999\r\n\r\nhi", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"no colon", H "nonsense\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a space before the colon", H "X : y\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a blank before the first header", H " X: y\r\nContent-Length: 0\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a folded line", H "X: y\r\n z\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a control character", H "X: a\x01z\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a bare CR in a value", H "X: a\rY: b\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},
    {"a chunk size that is none", H "Transfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n", HOLDS, HTTP_BAD_ANSWER, 200, NULL, {0}, 0, NULL},
    {"a chunk size that is none of HTTP", H "Transfer-Encoding: chunked\r\n\r\n0x2\r\nhi\r\n0\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 200, NULL, {0}, 0, NULL},
    {"a trailer without a colon", H "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nnonsense\r\n\r\n", HOLDS, HTTP_BAD_ANSWER, 200, "hi", {0}, 0, NULL},
    {"a chunk size beyond numbers", H "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffffff\r\nhi\r\n", HOLDS, HTTP_BAD_ANSWER, 200, NULL, {0}, 0, NULL},
    {"a chunk longer than it says", H "Transfer-Encoding: chunked\r\n\r\n1\r\nhi\r\n", HOLDS, HTTP_BAD_ANSWER, 200, NULL, {0}, 0, NULL},
    {"a coding nobody knows", H "Transfer-Encoding: x\r\n\r\nhi", CLOSES, HTTP_BAD_ANSWER, 0, NULL, {0}, 0, NULL},

    /* Too large. */
    {"a length over the limit", H "Content-Length: 3\r\n\r\n", HOLDS, HTTP_BODY_TOO_BIG, 0, NULL, {.max_answer = 2}, 0, NULL},
    {"chunks over the limit", H "Transfer-Encoding: chunked\r\n\r\n3\r\nhi!\r\n0\r\n\r\n", HOLDS, HTTP_BODY_TOO_BIG, 200, NULL, {.max_answer = 2}, 0, NULL},
    {"a body without end", H "\r\n", HOLDS, HTTP_BODY_TOO_BIG, 200, NULL, {.max_answer = 100000}, 0, X512},
    {"headers without end", H, HOLDS, HTTP_HEAD_TOO_BIG, 0, NULL, {0}, 0, "X: " X512 "\r\n"},
    {"too many headers", H, HOLDS, HTTP_HEAD_TOO_BIG, 0, NULL, {.max_fields = 10}, 0, "X: y\r\n"},
    {"a header without end", H "X: ", HOLDS, HTTP_HEAD_TOO_BIG, 0, NULL, {0}, 0, X512},
    {"a status line without end", "HTTP/1.1 200 ", HOLDS, HTTP_HEAD_TOO_BIG, 0, NULL, {0}, 0, X512},
    {"1xx without end", "", HOLDS, HTTP_HEAD_TOO_BIG, 0, NULL, {0}, 0, "HTTP/1.1 100 Continue\r\n\r\n"},
    {"trailers without end", H "Transfer-Encoding: chunked\r\n\r\n0\r\n", HOLDS, HTTP_HEAD_TOO_BIG, 200, NULL, {0}, 0, "X: " X512 "\r\n"},

    /* Too slow. */
    {"silence", "", HOLDS, HTTP_ANSWER_TIMEOUT, 0, NULL, {.answer_ms = 100}, 0, NULL},
    {"silence after 100", "HTTP/1.1 100 Continue\r\n\r\n", HOLDS, HTTP_ANSWER_TIMEOUT, 0, NULL, {.answer_ms = 100}, 0, NULL},
    {"a head that drips", H "X: " X512 "\r\n\r\n", HOLDS, HTTP_ANSWER_TIMEOUT, 0, NULL, {.answer_ms = 200, .idle_ms = 60}, 5, NULL},
    {"silence in the body", H "Content-Length: 9\r\n\r\nhi", HOLDS, HTTP_IDLE_TIMEOUT, 200, "hi", {.idle_ms = 100}, 0, NULL},
    {"silence in chunks", H "Transfer-Encoding: chunked\r\n\r\n9\r\nhi", HOLDS, HTTP_IDLE_TIMEOUT, 200, "hi", {.idle_ms = 100}, 0, NULL},
    {"a body that drips", H "Content-Length: 512\r\n\r\n" X512, HOLDS, HTTP_TOTAL_TIMEOUT, 200, NULL, {.total_ms = 1000}, 4, NULL},
    {"an extension of a chunk without end", H "Transfer-Encoding: chunked\r\n\r\n2;", HOLDS, HTTP_IDLE_TIMEOUT, 200, "", {.idle_ms = 200}, 0, X512},
};
/* clang-format on */

static bool is_as_expected(const struct answer *answer, const struct outcome *outcome)
{
    return outcome->ends == 1 && outcome->error == answer->error &&
           outcome->heads == (answer->status != 0) && outcome->status == answer->status &&
           (!answer->body || !strcmp(outcome->body, answer->body)) && outcome->maybe_handled;
}

static void judges_answers(void **state)
{
    static struct outcome outcome;
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        struct rogue *rogue = rogue_open(serve_answer, &answers[i]);
        struct http_request_options options = answers[i].options;

        options.url = rogue->url;
        ask(&asker, options, &outcome);
        if (!is_as_expected(&answers[i], &outcome))
            fail_msg("%s: \"%s\", status %d, body \"%.20s\", %d heads, %d ends", answers[i].name,
                     outcome.text, outcome.status, outcome.body, outcome.heads, outcome.ends);
        rogue_close(rogue);
    }
    asker_finish(&asker);
}

/* ---- cut at every byte ---- */

struct cut {
    const char *text;
    atomic_size_t size;
    bool reset;
};

static void serve_cut(struct rogue *rogue, int fd, int number)
{
    const struct cut *cut = rogue->context;

    (void)number;
    if (!rogue_read(rogue, fd))
        return;
    rogue_write(fd, cut->text, atomic_load(&cut->size));
    if (cut->reset)
        rogue_reset(fd);
}

/* Never taken for whole, whatever is missing; but for the very last byte of an answer in chunks, of
 * which libcurl has then seen the last. */
static void notices_what_is_missing(void **state)
{
    static const char *const texts[] = {
        "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    };
    static struct outcome outcome;
    struct asker asker;

    (void)state;
    asker_init(&asker);
    for (size_t i = 0; i < COUNT_OF(texts) * 2; i++) {
        struct cut cut = {.text = texts[i / 2], .reset = i % 2};
        struct rogue *rogue = rogue_open(serve_cut, &cut);
        size_t whole = strlen(cut.text), enough = whole - (strstr(cut.text, "chunked") ? 1 : 0);

        for (size_t size = 0; size <= whole; size++) {
            bool fine;

            atomic_store(&cut.size, size);
            ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
            fine = size == whole && !cut.reset ? outcome.error == HTTP_OK
                   : size >= enough            ? outcome.ends == 1
                                               : outcome.error != HTTP_OK;
            if (!fine || outcome.ends != 1 || outcome.error == HTTP_NO_MEMORY)
                fail_msg("text %zu cut at %zu of %zu: %s", i, size, whole, outcome.text);
        }
        rogue_close(rogue);
    }
    asker_finish(&asker);
}

/* ---- headers ---- */

static void keeps_headers_of_one_name(void **state)
{
    static const struct answer answer = {
        "headers",
        H
        "Set-Cookie: a=1\r\nx-Two:  spaced out \t\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n",
        HOLDS,
        HTTP_OK,
        200,
        "",
        {0},
        0,
        NULL};
    static struct outcome outcome;
    struct rogue *rogue = rogue_open(serve_answer, &answer);
    struct asker asker;

    (void)state;
    asker_init(&asker);
    ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
    assert_string_equal(outcome.fields,
                        "Set-Cookie=a=1;x-Two=spaced out;set-cookie=b=2;Content-Length=0;");
    /* Cookies are not kept. */
    ask(&asker, (struct http_request_options){.url = rogue->url}, &outcome);
    assert_false(rogue_saw(rogue, "ookie"));
    asker_finish(&asker);
    rogue_close(rogue);
}

/* ---- compression ---- */

struct coded {
    char *bytes;
    size_t size;
};

static void serve_coded(struct rogue *rogue, int fd, int number)
{
    const struct coded *coded = rogue->context;
    char head[128];

    (void)number;
    while (rogue_read(rogue, fd)) {
        snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
                 coded->size);
        rogue_puts(fd, head);
        rogue_write(fd, coded->bytes, coded->size);
    }
}

static void coded_read(struct coded *coded, const char *command)
{
    FILE *pipe = popen(command, "r");

    coded->bytes = malloc(1 << 20);
    coded->size = fread(coded->bytes, 1, 1 << 20, pipe);
    assert_int_equal(pclose(pipe), 0);
}

/* What counts is how large it becomes. */
static void decodes_within_the_limit(void **state)
{
    static struct outcome outcome;
    struct coded coded;
    struct rogue *rogue;
    struct asker asker;

    (void)state;
    coded_read(&coded, "head -c 50000000 /dev/zero | gzip -9");
    assert_true(coded.size < 100000);
    asker_init(&asker);
    rogue = rogue_open(serve_coded, &coded);
    ask(&asker, (struct http_request_options){.url = rogue->url, .decode = true}, &outcome);
    assert_int_equal(outcome.error, HTTP_BODY_TOO_BIG);
    ask(&asker, (struct http_request_options){.url = rogue->url, .max_answer = 100000}, &outcome);
    assert_string_equal(outcome.text, "no error");
    assert_memory_equal(outcome.body, coded.bytes, coded.size);
    rogue_close(rogue);
    free(coded.bytes);

    coded_read(&coded, "printf hello | gzip");
    rogue = rogue_open(serve_coded, &coded);
    ask(&asker, (struct http_request_options){.url = rogue->url, .decode = true}, &outcome);
    assert_string_equal(outcome.text, "no error");
    assert_string_equal(outcome.body, "hello");
    rogue_close(rogue);
    coded.bytes[12] ^= 0x55;
    rogue = rogue_open(serve_coded, &coded);
    ask(&asker, (struct http_request_options){.url = rogue->url, .decode = true}, &outcome);
    assert_int_equal(outcome.error, HTTP_BAD_ANSWER);
    rogue_close(rogue);
    free(coded.bytes);
    asker_finish(&asker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_both_ways(judges_answers),
        cmocka_unit_test_both_ways(notices_what_is_missing),
        cmocka_unit_test_both_ways(keeps_headers_of_one_name),
        cmocka_unit_test_both_ways(decodes_within_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
