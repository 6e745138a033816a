/* test_busy.c - plugins come, change and go while many connections call: no call fails but
 * those of a tool that is gone, everybody is told, and nothing stays loaded. */
#define _DEFAULT_SOURCE
#include "plugin/plugin_files.h"
#include "http/site.h"
#include "support/forkable.h"
#include "support/wire.h"

enum { CALLERS = 8, CONNECTIONS = 8, ROUNDS = 50, ANSWER = 4096 };

struct caller {
    const struct site *site;
    uv_thread_t thread;
    atomic_bool *over;
    /* Answers of greet, of alone, which is isolated, of passing, and that there is no passing. */
    size_t greeted, alone, passed, missed;
    char wrong[ANSWER]; /* the first other answer */
};

static void ask(int fd, const char *tool)
{
    char body[256], request[512];

    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"arguments\":{\"name\":\"Ada\"}}}",
             tool);
    snprintf(request, sizeof request, HEAD "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    say(fd, request, strlen(request));
}

/* An answer is small: it ends with the message. */
static void take(struct caller *caller, int fd)
{
    char text[ANSWER - 1];
    size_t size = 0;
    ssize_t n = 1;

    text[0] = '\0';
    while (n > 0 && size + 1 < sizeof text && !strstr(text, "}]}}") && !strstr(text, "\"}}")) {
        n = is_readable(fd, 60000) ? read(fd, text + size, sizeof text - 1 - size) : 0;
        size += n > 0 ? (size_t)n : 0;
        text[size] = '\0';
    }
    if (strstr(text, "Hello, Ada: 1\"") || strstr(text, "Hello, Ada: 2\""))
        caller->greeted++;
    else if (strstr(text, " in a process of its own"))
        caller->alone++;
    else if (strstr(text, "passing by"))
        caller->passed++;
    else if (strstr(text, "Tool passing not found"))
        caller->missed++;
    else if (!*caller->wrong)
        snprintf(caller->wrong, sizeof caller->wrong, "%s.", text);
}

/* Each connection has a call at any time. */
static void call_on_and_on(void *context)
{
    struct caller *caller = context;
    int fds[CONNECTIONS];

    for (size_t i = 0; i < CONNECTIONS; i++) {
        fds[i] = dial(caller->site);
        ask(fds[i], "greet");
    }
    for (unsigned round = 0; !atomic_load(caller->over) && !*caller->wrong; round++)
        for (size_t i = 0; i < CONNECTIONS; i++) {
            take(caller, fds[i]);
            ask(fds[i], (round + i) % 16 == 1  ? "alone"
                        : (round + i) % 3 == 0 ? "passing"
                                               : "greet");
        }
    for (size_t i = 0; i < CONNECTIONS; i++) {
        take(caller, fds[i]);
        close(fds[i]);
    }
}

/* The client has heard that the list of tools has changed, once. */
static void expect_change(struct wire *wire)
{
    const char *text;
    size_t heard = 0;

    haft_session_tick(wire->session, ++wire->now);
    while ((text = wire_next(wire)))
        heard += strstr(text, "notifications/tools/list_changed") != NULL;
    assert_int_equal(heard, 1);
}

static void change_plugins(haft_plugins *plugins, const char *greet, struct wire *wire)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        const char *version = round % 2 ? "greet-1" : "greet-2";

        assert_int_equal(haft_plugins_load(plugins, PLUGINS "passing.so", NULL), 0);
        expect_change(wire);
        if (round % 3)
            put_plugin(greet, version);
        else
            swap_plugin(greet, version);
        assert_int_equal(haft_plugins_load(plugins, greet, NULL), 0);
        expect_change(wire);
        sleep_ms(2);
        assert_int_equal(haft_plugins_set(plugins, &greet, 1, NULL), 0);
        expect_change(wire);
    }
}

static void while_many_call(void **state)
{
    struct site *site = site_open_with(
        (haft_http_options){.struct_size = sizeof(haft_http_options)}, &forkable_allocator);
    haft_plugins *plugins = haft_plugins_new(site->server);
    struct wire *wire = wire_open(site->server);
    struct caller callers[CALLERS] = {0};
    size_t greeted = 0, alone = 0, passed = 0, missed = 0;
    atomic_bool over = false;
    struct folder folder;
    const char *greet;

    (void)state;
    assert_true(site->http && site->port);
    folder_open(&folder);
    greet = folder_file(&folder, "greet.so");
    put_plugin(greet, "greet-1");
    assert_int_equal(haft_plugins_load(plugins, greet, NULL), 0);
    wire_greet(wire, "2025-11-25");
    while (wire_next(wire))
        ;
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i].site = site;
        callers[i].over = &over;
        uv_thread_create(&callers[i].thread, call_on_and_on, &callers[i]);
    }
    change_plugins(plugins, greet, wire);
    atomic_store(&over, true);
    for (size_t i = 0; i < CALLERS; i++) {
        uv_thread_join(&callers[i].thread);
        assert_string_equal(callers[i].wrong, "");
        greeted += callers[i].greeted;
        alone += callers[i].alone;
        passed += callers[i].passed;
        missed += callers[i].missed;
    }
    print_message("%zu greeted, %zu alone, %zu passed, %zu missed\n", greeted, alone, passed,
                  missed);
    assert_true(greeted > CALLERS * CONNECTIONS && alone && missed);
    for (int i = 0; mapped() > 1 && i < PATIENCE_MS; i++)
        sleep_ms(1);
    assert_int_equal(mapped(), 1);
    wire_close(wire);
    site_close(site);
    haft_plugins_free(plugins);
    assert_int_equal(mapped(), 0);
    folder_close(&folder, (const char *const[]){"greet.so", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(while_many_call)};

    /* The tool that is isolated is forked while all the others are called. */
    forkable_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
