/* demo_test.h - the demo home at a fixed time, and conversations with it as tables.
 *
 * In every text of a table ' stands for ", ` for ', and * in an expectation for anything. */
#ifndef HAFT_TESTS_DEMO_TEST_H
#define HAFT_TESTS_DEMO_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/demo.h"
#include "support/failing.h"
#include "support/test.h"

enum { DEMO_TEST_TEXT = 1 << 20 };

/* 2026-11-16T08:00:00Z, in microseconds. */
#define DEMO_TEST_START INT64_C(1794816000000000)

struct demo_test {
    struct demo *demo;
    int64_t now;
    struct demo_session *session;
    haft_buffer heard; /* messages, a line each */
    size_t taken;
    int ends, next_id;
};

static int64_t demo_test_clock(void *context)
{
    return ((struct demo_test *)context)->now;
}

static inline void demo_test_init(struct demo_test *test, const haft_allocator *allocator)
{
    *test = (struct demo_test){.now = DEMO_TEST_START, .next_id = 1};
    haft_buffer_init(&test->heard, NULL, 64 << 20);
    test->demo = demo_new(&(struct demo_options){
        .allocator = allocator, .now = demo_test_clock, .now_context = test, .seed = 7});
}

static inline void demo_test_send(void *who, const char *text, size_t size)
{
    struct demo_test *test = who;

    haft_buffer_add(&test->heard, text, size);
    haft_buffer_add(&test->heard, "\n", 1);
}

static inline void demo_test_end(void *who)
{
    ((struct demo_test *)who)->ends++;
}

static inline void demo_test_open(struct demo_test *test)
{
    test->session = demo_session_open(test->demo, demo_test_send, demo_test_end, test);
}

static inline void demo_test_close(struct demo_test *test)
{
    demo_session_close(test->session);
    test->session = NULL;
}

static inline void demo_test_finish(struct demo_test *test)
{
    demo_test_close(test);
    demo_free(test->demo);
    haft_buffer_finish(&test->heard);
}

/* The text with " for each ', and ' for each `. */
static inline char *demo_test_quoted(const char *text)
{
    char *copy = strdup(text);

    for (char *at = copy; at && *at; at++)
        *at = *at == '\'' ? '"' : *at == '`' ? '\'' : *at;
    return copy;
}

static inline bool demo_test_like(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static inline void demo_test_expect(const char *what, const char *pattern, const char *text)
{
    char *wanted = demo_test_quoted(pattern);

    if (!demo_test_like(wanted, text))
        fail_msg("%s\n  expected %s\n  got      %.3000s", what, wanted, text);
    free(wanted);
}

/* ---- REST ---- */

/* The status and the body, in memory that the caller frees. */
static inline char *demo_test_request(struct demo_test *test, const char *method, const char *path,
                                      const char *body, const char *token, int *ret_status)
{
    char *sent = demo_test_quoted(body ? body : ""), *only = strdup(path),
         *query = strchr(only, '?');
    struct demo_response response = {0};
    char *text;

    if (query)
        *query++ = '\0';
    haft_buffer_init(&response.body, NULL, 64 << 20);
    demo_handle(test->demo,
                &(struct demo_request){.method = method,
                                       .path = only,
                                       .query = query ? query : "",
                                       .token = token,
                                       .body = sent,
                                       .size = strlen(sent)},
                &response);
    text = malloc(response.body.size + 1);
    memcpy(text, response.body.data ? response.body.data : "", response.body.size);
    text[response.body.size] = '\0';
    *ret_status = response.status;
    haft_buffer_finish(&response.body);
    free(sent);
    free(only);
    return text;
}

/* A request, and all of the answer. */
struct demo_rest_row {
    const char *method, *path, *body;
    int status;
    const char *answer;
};

static inline void demo_test_rest(struct demo_test *test, const struct demo_rest_row *row)
{
    char what[512], *text;
    int status;

    snprintf(what, sizeof what, "%s %s %s", row->method, row->path, row->body ? row->body : "");
    text = demo_test_request(test, row->method, row->path, row->body, "demo", &status);
    if (status != row->status)
        fail_msg("%s: status %d, not %d: %s", what, status, row->status, text);
    demo_test_expect(what, row->answer, text);
    free(text);
}

static inline void demo_test_rest_rows(const struct demo_rest_row *rows, size_t n)
{
    struct demo_test test;

    demo_test_init(&test, NULL);
    assert_non_null(test.demo);
    for (size_t i = 0; i < n; i++)
        demo_test_rest(&test, &rows[i]);
    demo_test_finish(&test);
}

/* ---- WebSocket ---- */

/* The next message; "" if there is none.  Valid until the next is taken. */
static inline const char *demo_test_next(struct demo_test *test)
{
    static char line[DEMO_TEST_TEXT];
    const char *from = test->heard.data + test->taken;
    size_t left = test->heard.size - test->taken, size;
    const char *end = left ? memchr(from, '\n', left) : NULL;

    if (!end)
        return "";
    size = (size_t)(end - from);
    assert_true(size < sizeof line);
    memcpy(line, from, size);
    line[size] = '\0';
    test->taken += size + 1;
    return line;
}

static inline void demo_test_say(struct demo_test *test, const char *text)
{
    char *sent = demo_test_quoted(text);

    demo_session_receive(test->session, sent, strlen(sent));
    free(sent);
}

/* Opens a session and authenticates it. */
static inline void demo_test_connect(struct demo_test *test)
{
    demo_test_open(test);
    assert_non_null(test->session);
    demo_test_expect("open", "{'type':'auth_required','ha_version':'*'}", demo_test_next(test));
    demo_test_say(test, "{'type':'auth','access_token':'demo'}");
    demo_test_expect("auth", "{'type':'auth_ok','ha_version':'*'}", demo_test_next(test));
}

/* A command without id, and the messages that come, separated by newlines; # stands for its id. */
struct demo_ws_row {
    const char *command, *answer;
};

static inline void demo_test_ws(struct demo_test *test, const struct demo_ws_row *row)
{
    char text[8192], number[16], wanted[8192];
    const char *at = row->answer;

    snprintf(number, sizeof number, "%d", test->next_id++);
    snprintf(text, sizeof text, "{'id':%s,'type':%s}", number, row->command);
    demo_test_say(test, text);
    while (*at) {
        size_t size = strcspn(at, "\n"), n = 0;

        for (size_t i = 0; i < size; i++)
            n += (size_t)snprintf(wanted + n, sizeof wanted - n, "%.*s",
                                  at[i] == '#' ? (int)strlen(number) : 1,
                                  at[i] == '#' ? number : at + i);
        wanted[n] = '\0';
        demo_test_expect(row->command, wanted, demo_test_next(test));
        at += size;
        at += *at == '\n';
    }
    if (*row->answer)
        demo_test_expect(row->command, "", demo_test_next(test));
    else
        test->taken = test->heard.size;
}

static inline void demo_test_ws_rows(const struct demo_ws_row *rows, size_t n)
{
    struct demo_test test;

    demo_test_init(&test, NULL);
    assert_non_null(test.demo);
    demo_test_connect(&test);
    for (size_t i = 0; i < n; i++)
        demo_test_ws(&test, &rows[i]);
    demo_test_finish(&test);
}

#define DEMO_OK_NULL "{'id':#,'type':'result','success':true,'result':null}"
#define DEMO_REFUSED(code, message)                                                                \
    "{'id':#,'type':'result','success':false,'error':{'code':'" code "','message':\"" message      \
    "\"*}}"

#endif
