/* test_starved.c - what `haft dev`, `haft install` and the file of tasks do when an allocation fails: each in
 * turn. */
#include "dev_session.h"
#include "install_edit.h"
#include "task_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

/* ---- allocations ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

/* How many succeed before one fails; negative: all do. */
static long left = -1;

static bool fails(void)
{
    return left >= 0 && !left--;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}

/* ---- a conversation ---- */

/* What happened to the calls with the ids 7 and 8. */
static struct {
    unsigned sent[2], answered[2], notes;
} seen;

/* 0 or 1 for a message with one of these ids, else -1. */
static int call_of(const char *text, size_t size)
{
    static const char start[] = "{\"jsonrpc\":\"2.0\",\"id\":";

    if (size < sizeof start || strncmp(text, start, sizeof start - 1) != 0)
        return -1;
    return text[sizeof start - 1] == '7' ? 0 : text[sizeof start - 1] == '8' ? 1 : -1;
}

static void to_client(void *context, const char *text, size_t size)
{
    (void)context;
    if (call_of(text, size) >= 0)
        seen.answered[call_of(text, size)]++;
}

static void to_server(void *context, const char *text, size_t size)
{
    (void)context;
    if (call_of(text, size) >= 0)
        seen.sent[call_of(text, size)]++;
}

static void ended(void *context, const struct dev_request *request, enum dev_outcome outcome,
                  const char *text, size_t size)
{
    (void)context;
    (void)request;
    (void)outcome;
    (void)text;
    (void)size;
}

static void note(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
    seen.notes++;
}

/* Lines of the client, and what follows > of the server. */
#define LISTEN                                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"subscriptions/listen\",\"params\":{\"notifications\":{" \
    "\"toolsListChanged\":true}}}"

static const char *const lines[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}",
    ">{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"capabilities\":{\"tools\":{}}}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"a:1\"}}",
    ">{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
    LISTEN,
    ">{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}",
};

static const char *const answer[] = {">{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}"};

static const char *const later_lines[] = {
    ">{\"jsonrpc\":\"2.0\",\"id\":\"haft-dev-own-handshake\",\"result\":{}}",
    ">{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"haft-dev-1-3\",\"result\":{}}",
};

static void say(struct dev_session *session, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (*texts[i] == '>')
            dev_session_server(session, texts[i] + 1, strlen(texts[i]) - 1, 0);
        else
            dev_session_client(session, texts[i], strlen(texts[i]), 0, NULL);
}

/* A call is sent at most once, and answered once, unless the person is told that memory ran out. */
static void talk(void)
{
    const struct dev_output out = {to_client, to_server, ended, note, NULL};
    struct dev_session session;

    memset(&seen, 0, sizeof seen);
    if (dev_session_init(&session, &out)) {
        say(&session, lines, COUNT_OF(lines));
        if (seen.sent[1])
            say(&session, answer, COUNT_OF(answer));
        dev_session_lost(&session, "gone", true);
        dev_session_replaced(&session);
        say(&session, later_lines, COUNT_OF(later_lines));
        for (int i = 0; i < 2; i++) {
            assert_true(seen.sent[i] <= 1);
            assert_true(seen.answered[i] == 1 || seen.notes);
        }
    }
    dev_session_finish(&session);
}

static void a_conversation_starves(void **state)
{
    long n = 0;

    (void)state;
    do {
        left = n++;
        talk();
    } while (left < 0);
    assert_true(n > 15);
    left = -1;
    talk();
    assert_int_equal(seen.sent[0] + seen.sent[1], 2);
    assert_int_equal(seen.answered[0] + seen.answered[1], 2);
    assert_int_equal(seen.notes, 0);
}

/* ---- an edit ---- */

static void an_edit_starves(void **state)
{
    static char *const no_args[] = {NULL};
    const struct install_entry entry = {"mcpServers", "s", NULL, NULL, "/bin/s", no_args};
    static const char text[] = "{\"a\": 1}";
    int status;
    long n = 0;

    (void)state;
    do {
        haft_reason reason = {.text = ""};
        haft_buffer out;

        left = n++;
        haft_buffer_init(&out, NULL, INSTALL_FILE_LIMIT);
        status = install_set(text, sizeof text - 1, &entry, &out, &reason);
        left = -1;
        assert_true(status == 1 || status == HAFT_ENOMEM);
        if (status == HAFT_ENOMEM)
            assert_string_equal(reason.text, "out of memory");
        else
            assert_memory_equal(out.data, "{\"a\": 1, \"mcpServers\": {\"s\": {", 30);
        haft_buffer_finish(&out);
    } while (status != 1);
    assert_true(n > 3);
}

/* ---- the file of tasks ---- */

/* The tasks that the file has, by the first letters of their IDs. */
static void tasks_in_file(char ret_ids[8])
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct task_entries all;

    assert_int_equal(task_file_read(arena, &all), EXIT_DONE);
    assert_in_range(all.n, 0, 7);
    for (size_t i = 0; i < all.n; i++)
        ret_ids[i] = *all.list[i].id;
    ret_ids[all.n] = '\0';
    haft_arena_free(arena);
}

/* A task that cannot be added or removed for want of memory does not cost the others. */
static void a_file_of_tasks_starves(void **state)
{
    static const char *words[] = {"server", "--quiet", NULL};
    const struct task_entry first = {
        .id = "a", .command = words, .directory = "/", .tool = "t", .access = "", .begun = 1};
    const struct task_entry second = {.id = "b", .url = "http://x/mcp", .access = "", .begun = 2};
    const struct task_entry third = {
        .id = "c", .command = words, .directory = "/", .access = "", .begun = 3};
    char directory[] = "/tmp/haft-starved-XXXXXX", path[64], ids[8];
    int status;

    (void)state;
    assert_non_null(mkdtemp(directory));
    setenv("XDG_STATE_HOME", directory, 1);
    assert_int_equal(task_file_add(&first), EXIT_DONE);
    assert_int_equal(task_file_add(&second), EXIT_DONE);
    for (int removes = 0; removes <= 1; removes++) {
        long n = 0;

        do {
            left = n++;
            status = removes ? task_file_remove(&third) : task_file_add(&third);
            left = -1;
            tasks_in_file(ids);
            assert_true(status == EXIT_DONE || status == EXIT_LOCAL);
            assert_string_equal(ids, (status == EXIT_DONE) != removes ? "abc" : "ab");
        } while (status);
        assert_true(n > 3);
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/haft/tasks.json%s", directory, i ? ".lock" : "");
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/haft", directory);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_conversation_starves),
                                       cmocka_unit_test(an_edit_starves),
                                       cmocka_unit_test(a_file_of_tasks_starves)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
