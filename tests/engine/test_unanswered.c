/* test_unanswered.c - the module of a tool hears that nobody answers its questions, however a call ends
 * after them. */
#include "engine/call/call.h"
#include "engine/input.h"
#include "support/dialogue.h"
#include "support/test.h"

/* ---- a tool whose module counts ---- */

static struct {
    struct module module;
    struct item *item;
    struct owner *owner; /* whose messages are limited; NULL if they are not */
    size_t limit;        /* former one */
    int unanswered;
} spy;

static void spy_unanswered(haft_call *call)
{
    (void)call;
    spy.unanswered++;
    if (spy.owner)
        spy.owner->out.limit = spy.limit; /* for the answer */
}

static int asks(haft_call *call)
{
    haft_value *roots = NULL;

    spy.item = (struct item *)(uintptr_t)call->item;
    spy.item->module = &spy.module;
    return haft_roots(call, "r", &roots);
}
HAFT_TOOL_BARE(asks, "Asks for roots");

/* The same if there is no memory for the question. */
static int asks_in_vain(haft_call *call)
{
    int status = asks(call);

    spy.owner = call->owner;
    spy.limit = call->owner->out.limit;
    haft_buffer_finish(&call->owner->out);
    call->owner->out.limit = 8;
    return status;
}
HAFT_TOOL_BARE(asks_in_vain, "Asks for roots that no message has room for");

/* ---- ends ---- */

static void modules_hear_of_every_end(void **state)
{
    const char *const *const rows[] = {
        LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'asks'}", "? 1 roots/list",
              "> {'jsonrpc':'2.0','id':1,'error':{'code':-32601,'message':'no'}}",
              "= 1 {*'isError':true}"),
        LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'asks'}", "? 1 roots/list",
              "N notifications/cancelled {'requestId':1}"),
        LINES(GREETING("2025-11-25", ALL), "R 1 tools/call {'name':'asks_in_vain'}",
              "= 1 " FAILED("The server is out of memory.")),
        /* there is no seal key */
        LINES("A 1 tools/call 'name':'asks'", "! 1 -32603 Internal error"),
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = haft_server_new("test", "1");

        assert_non_null(server);
        assert_int_equal(haft_add(server, &asks_tool), 0);
        assert_int_equal(haft_add(server, &asks_in_vain_tool), 0);
        memset(&spy, 0, sizeof spy);
        hf_module_init(&spy.module, NULL);
        spy.module.unanswered = spy_unanswered;
        dialogue_alone(server, rows[i]);
        if (!spy.unanswered)
            fail_msg("row %zu", i);
        spy.item->module = NULL;
        haft_server_free(server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_hear_of_every_end)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
