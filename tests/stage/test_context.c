/* What handlers reach through their call by its own type, and what is counted on their behalf. */
#include <haft.h>
#include <string.h>

#include "engine/call/call.h"
#include "support/test.h"

struct ledger {
    int entries;
};

struct user {
    const char *name;
};

HAFT_SERVER_CONTEXT(ledger, struct ledger)
HAFT_CALL_CONTEXT(user, struct user)

static int note(haft_call *call)
{
    if (call->server->metering.observer)
        call->server->metering.observer->repaired(call, 2);
    return haft_text(call, "%s wrote entry %d", user(call)->name, ++ledger(call)->entries);
}
HAFT_TOOL_BARE(note, "Writes down");

static struct user alice = {"alice"};

static int recognise(haft_call *call, void *data)
{
    (void)data;
    return user(call) ? HAFT_EINVAL : user_set(call, &alice);
}
static const haft_stage recognising =
    HAFT_INIT(haft_stage, .name = "recognise", .before = recognise);

static void handlers_reach_what_is_theirs(void **state)
{
    struct ledger book = {6};
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .data = ledger_data(&book)));
    haft_client *client;
    haft_result result;
    haft_buffer text;

    (void)state;
    assert_int_equal(haft_add(server, &note_tool), 0);
    assert_int_equal(haft_stage_add(server, &recognising), 0);
    client = haft_client_new(server, NULL);
    assert_int_equal(haft_client_call(client, "note", NULL, &result), 0);
    assert_string_equal(result.text, "alice wrote entry 7");
    assert_int_equal(haft_metrics_enable(server), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(haft_client_call(client, "note", NULL, &result), 0);
    haft_buffer_init(&text, NULL, 1 << 20);
    assert_int_equal(haft_metrics_write(server, &text), 0);
    haft_buffer_add(&text, "", 1);
    assert_non_null(strstr(text.data, "\nmcp_server_repairs_total{gen_ai_tool_name=\"note\"} 4\n"));
    haft_buffer_finish(&text);
    haft_client_free(client);
    haft_server_free(server);
}

/* ---- what a client can do ---- */

static const struct {
    const char *capability;
    bool can;
} capabilities[] = {
    {"elicitation", true},
    {"elicitation.url", true},
    {"elicitation.form", false},
    {"elicitation.url.more", false},
    {"sampling", false}, /* null is none */
    {"roots", true},
    {"roots.listChanged", false},
    {"extensions", true},
    {"extensions.io.modelcontextprotocol/ui", true},
    {"extensions.io.modelcontextprotocol", false},
    {"extensions.acme/plain", true},
    {"", true},
    {"extensions.", true},
    {".", false},
};

static int can(haft_call *call)
{
    for (size_t i = 0; i < COUNT_OF(capabilities); i++)
        if (haft_client_can(call, capabilities[i].capability) != capabilities[i].can)
            return haft_error(call, "%s", capabilities[i].capability);
    return haft_text(call, "as told");
}
HAFT_TOOL_BARE(can, "Looks what the client can do");

static void clients_say_what_they_can(void **state)
{
    static const char *const revisions[] = {"2025-11-25", "2026-07-28"};
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(haft_add(server, &can_tool), 0);
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        haft_client *client = haft_client_new(
            server,
            HAFT_WITH(
                haft_client_options, .revision = revisions[i],
                .capabilities =
                    "{\"elicitation\":{\"url\":{}},\"sampling\":null,\"roots\":{\"listChanged\":"
                    "false},\"extensions\":{\"io.modelcontextprotocol/ui\":{},\"acme/plain\":{}}}"));
        haft_result result;

        assert_int_equal(haft_client_call(client, "can", NULL, &result), 0);
        assert_string_equal(result.text, "as told");
        haft_client_free(client);
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(handlers_reach_what_is_theirs),
                                       cmocka_unit_test(clients_say_what_they_can)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
