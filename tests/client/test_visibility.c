/* What whoever runs a server lets clients see: listed or not, called or "disabled", announced. */
#include <haft.h>
#include <haft/testing.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/failing.h"
#include "support/test.h"

static int answer(haft_call *call)
{
    return haft_text(call, "%s", haft_call_name(call));
}
HAFT_TOOL_BARE(answer, "Says its name", .name = "list_users",
               .annotations = {.read_only = HAFT_YES});

static const haft_tool list_delete =
    HAFT_INIT(haft_tool, .name = "list_delete", .description = "Deletes", .call = answer_call_);
static const haft_tool get_user =
    HAFT_INIT(haft_tool, .name = "get_user", .description = "Gets", .call = answer_call_,
              .annotations = {.read_only = HAFT_YES});

static bool hides_get(void *context, const char *tool)
{
    *(int *)context += 1;
    return !strcmp(tool, "get_user");
}

static void names_of(haft_client *client, char names[128])
{
    haft_result result;

    names[0] = '\0';
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    for (size_t i = 0; i < yyjson_arr_size(result.content); i++) {
        const char *name =
            yyjson_get_str(yyjson_obj_get(yyjson_arr_get(result.content, i), "name"));

        snprintf(names + strlen(names), 128 - strlen(names), "%s%s", i ? " " : "", name);
    }
}

static void tools_are_seen_or_not(void **state)
{
    int asked = 0;
    const struct {
        haft_visibility visibility;
        const char *seen;
    } rows[] = {
        {{0}, "list_users list_delete get_user"},
        {{.tools = "list_*,-*_delete"}, "list_users"},
        {{.tools = "-list_*"}, "get_user"},
        {{.tools = "nothing"}, ""},
        {{.read_only = true}, "list_users get_user"},
        {{.read_only = true, .tools = "get_*"}, "get_user"},
        {{.hides = hides_get, .context = &asked}, "list_users list_delete"},
        {{0}, "list_users list_delete get_user"},
    };
    haft_server *server = haft_server_new("hiding", "1");
    haft_client *client;
    char names[128];

    (void)state;
    assert_int_equal(haft_add(server, &answer_tool), 0);
    assert_int_equal(haft_add(server, &list_delete), 0);
    assert_int_equal(haft_add(server, &get_user), 0);
    client = haft_client_new(server, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        haft_visibility visibility = rows[i].visibility;

        visibility.struct_size = sizeof visibility;
        assert_int_equal(haft_server_set_visibility(server, &visibility), 0);
        names_of(client, names);
        assert_string_equal(names, rows[i].seen);
    }
    assert_true(asked >= 3);
    haft_client_free(client);
    haft_server_free(server);
}

static void on_notification(void *context, const char *method, haft_value *params)
{
    (void)params;
    *(int *)context += !strcmp(method, "notifications/tools/list_changed");
}

static void what_is_hidden_is_disabled_and_announced(void **state)
{
    haft_server *server = haft_server_new("hiding", "1");
    int announced = 0;
    haft_client *client;
    haft_result result;

    (void)state;
    assert_int_equal(haft_add(server, &answer_tool), 0);
    client = haft_client_new(server, HAFT_WITH(haft_client_options, .revision = "2025-11-25",
                                               .notify = on_notification, .context = &announced));
    assert_int_equal(
        haft_server_set_visibility(server, HAFT_WITH(haft_visibility, .tools = "get_*")), 0);
    haft_client_advance(client, 1);
    assert_int_equal(announced, 1);
    assert_int_equal(haft_client_call(client, "list_users", NULL, &result), 0);
    assert_int_equal(result.error_code, -32602);
    assert_string_equal(result.error_message, "Tool list_users disabled");
    /* what comes later is looked at too, and the program cannot show what is hidden */
    assert_int_equal(haft_add(server, &get_user), 0);
    assert_int_equal(haft_add(server, &list_delete), 0);
    assert_int_equal(haft_offer_enable(server, HAFT_OFFER_TOOL, "list_delete"), 0);
    assert_int_equal(haft_client_call(client, "list_delete", NULL, &result), 0);
    assert_string_equal(result.error_message, "Tool list_delete disabled");
    assert_int_equal(haft_client_call(client, "get_user", NULL, &result), 0);
    assert_string_equal(result.text, "get_user");
    /* what the program has switched off stays off when it is shown again */
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "list_users"), 0);
    assert_int_equal(haft_server_set_visibility(
                         server, &(haft_visibility){.struct_size = sizeof(haft_visibility)}),
                     0);
    assert_int_equal(haft_client_call(client, "list_users", NULL, &result), 0);
    assert_string_equal(result.error_message, "Tool list_users disabled");
    assert_int_equal(haft_client_call(client, "list_delete", NULL, &result), 0);
    assert_string_equal(result.text, "list_delete");
    haft_client_free(client);
    haft_server_free(server);
}

/* Tools that are added after a failure are hidden by the visibility before it. */
static void a_failure_changes_nothing(void **state)
{
    bool failed = true;

    (void)state;
    for (size_t nth = 1; failed; nth++) {
        struct failing failing;
        haft_server *server;
        haft_client *client;
        char names[128];

        failing_init(&failing, 0);
        server = haft_server_new_with(
            "hiding", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        assert_int_equal(haft_add(server, &answer_tool), 0);
        failing.fail_at = failing.calls + nth;
        failed = haft_server_set_visibility(server, HAFT_WITH(haft_visibility, .tools = "get_*"));
        assert_int_equal(failed, failing.failures > 0);
        failing.fail_at = 0;
        assert_int_equal(haft_add(server, &list_delete), 0);
        assert_int_equal(haft_add(server, &get_user), 0);
        client = haft_client_new(server, NULL);
        names_of(client, names);
        assert_string_equal(names, failed ? "list_users list_delete get_user" : "get_user");
        haft_client_free(client);
        haft_server_free(server);
        failing_check(&failing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_are_seen_or_not),
        cmocka_unit_test(what_is_hidden_is_disabled_and_announced),
        cmocka_unit_test(a_failure_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
