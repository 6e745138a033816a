/* test_queue.c - a call that waits for a thread: cancelled there, its handler does not run. */
#define _DEFAULT_SOURCE
#include <haft.h>
#include <stdatomic.h>
#include <string.h>

#include "support/child.h"
#include "support/test.h"

/* ---- in the server's process ---- */

static atomic_bool waits, may_go;
static atomic_uint marks;

/* Has the only thread for as long as the test wants. */
static int wait_for_it(haft_call *call)
{
    atomic_store(&waits, true);
    while (!atomic_load(&may_go) && !haft_call_cancelled(call))
        sleep_ms(1);
    return haft_text(call, "waited");
}
HAFT_TOOL_BARE(wait_for_it, "Waits");

static int mark(haft_call *call)
{
    atomic_fetch_add(&marks, 1);
    return haft_text(call, "marked");
}
HAFT_TOOL_BARE(mark, "Leaves a mark");

static int is_waiting(haft_call *call)
{
    return haft_text(call, "%s", atomic_load(&waits) ? "yes" : "no");
}
HAFT_TOOL_BARE(is_waiting, "Tells whether the thread is taken", .quick = true);

static int go(haft_call *call)
{
    atomic_store(&may_go, true);
    return haft_text(call, "%u", atomic_load(&marks));
}
HAFT_TOOL_BARE(go, "Ends the wait, and tells the marks so far", .quick = true);

static int serve(void *context)
{
    haft_server *server = haft_server_new("test", "1");
    int status;

    haft_add(server, &wait_for_it_tool);
    haft_add(server, &mark_tool);
    haft_add(server, &is_waiting_tool);
    haft_add(server, &go_tool);
    status = haft_stdio_serve(server, context);
    haft_server_free(server);
    return status < 0 ? 98 : status;
}

/* ---- in the test's ---- */

#define CALL(id, tool)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool   \
    "\"}}\n"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" #id   \
    "}}\n"
#define SAID(id, text)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id                                                             \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"

static void cancelled_in_the_queue_it_does_not_run(void **state)
{
    struct child child;
    bool taken = false;

    (void)state;
    child_start(&child, serve, HAFT_WITH(haft_stdio_options, .workers = 1));
    child_puts(&child, CALL(1, "wait_for_it"));
    while (!taken) {
        child_puts(&child, CALL(2, "is_waiting"));
        taken = strstr(child_line(&child), "\"yes\"");
    }
    /* Both wait for the thread; the one that is left shows that the other has had its turn. */
    child_puts(&child, CALL(3, "mark") CALL(4, "mark") CANCEL(3) CALL(5, "go"));
    assert_string_equal(child_line(&child), SAID(5, "0"));
    assert_string_equal(child_line(&child), SAID(1, "waited"));
    assert_string_equal(child_line(&child), SAID(4, "marked"));
    child_puts(&child, CALL(6, "go"));
    assert_string_equal(child_line(&child), SAID(6, "1"));
    child_end(&child);
    assert_true(child_is_silent(&child));
    assert_int_equal(child_wait(&child), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelled_in_the_queue_it_does_not_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
