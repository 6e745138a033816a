/* test_ui.c - user interfaces of tools: what clients see of them, and what is refused. */
#include <haft/client.h>
#include <haft/json.h>
#include <haft/ui.h>
#include <stdio.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

static int nothing(haft_call *call)
{
    return haft_text(call, "done");
}

HAFT_TOOL_BARE(nothing, "Does nothing");

static int answer_json(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "done");
}

static int read_page(haft_call *call, const char *uri)
{
    (void)uri;
    return haft_text(call, "<!doctype html>");
}

static int read_with_meta(haft_call *call, const char *uri)
{
    int status = read_page(call, uri);

    return status ? status : haft_block_meta(call, "{\"own\":1}");
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- pages ---- */

static const struct {
    const char *uri, *type, *meta;
    haft_ui_page page;
    const char *expected; /* `_meta`, or a part of the reason */
    int status;
} pages[] = {
    {"ui://a/b", HAFT_UI_TYPE, NULL, HAFT_INIT(haft_ui_page, .camera = false), "{\"ui\":{}}", 0},
    {"ui://a/b", HAFT_UI_TYPE, "{\"x\": [1]}", HAFT_INIT(haft_ui_page, .prefers_border = HAFT_NO),
     "{\"x\":[1],\"ui\":{\"prefersBorder\":false}}", 0},
    {"ui://a/b", HAFT_UI_TYPE, NULL,
     HAFT_INIT(haft_ui_page, .connect = LIST("https://api.example.com", "wss://x.example:8443"),
               .resources = LIST("https://*.example.com"), .frames = LIST("http://localhost:3000"),
               .base_uris = LIST("https://a-b.c"), .camera = true, .microphone = true,
               .geolocation = true, .clipboard_write = true, .domain = "a.example.com",
               .prefers_border = HAFT_YES),
     "{\"ui\":{\"csp\":{\"connectDomains\":[\"https://api.example.com\",\"wss://x.example:8443\"],"
     "\"resourceDomains\":[\"https://*.example.com\"],\"frameDomains\":[\"http://localhost:3000\"],"
     "\"baseUriDomains\":[\"https://a-b.c\"]},\"permissions\":{\"camera\":{},\"microphone\":{},"
     "\"geolocation\":{},\"clipboardWrite\":{}},\"domain\":\"a.example.com\",\"prefersBorder\":true}}",
     0},
    {"https://a/b", HAFT_UI_TYPE, NULL, HAFT_INIT(haft_ui_page, .camera = true), "begin with ui://",
     HAFT_EINVAL},
    {"ui://a/b", "text/html", NULL, HAFT_INIT(haft_ui_page, .camera = true), HAFT_UI_TYPE,
     HAFT_EINVAL},
    {"ui://a/b", NULL, NULL, HAFT_INIT(haft_ui_page, .camera = true), HAFT_UI_TYPE, HAFT_EINVAL},
    {"ui://a/b", HAFT_UI_TYPE, "{\"ui\":{}}", HAFT_INIT(haft_ui_page, .camera = true),
     "_meta has a member ui", HAFT_EINVAL},
    {"ui://a/b", HAFT_UI_TYPE, NULL, HAFT_INIT(haft_ui_page, .domain = "a b"), "domain",
     HAFT_EINVAL},
    {"ui://a/b", HAFT_UI_TYPE, NULL, {.struct_size = 0}, "struct_size", HAFT_EINVAL},
};

static void describes_pages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(pages); i++) {
        haft_server *server = haft_server_new("test", "1.0.0");
        const haft_resource resource =
            HAFT_INIT(haft_resource, .uri = pages[i].uri, .name = "page", .meta = pages[i].meta,
                      .mime_type = pages[i].type, .page = &pages[i].page, .read = read_page);
        int status = haft_resource_add(server, &resource);

        if (status != pages[i].status)
            print_error("row %zu: %s\n", i, haft_server_error(server)->text);
        assert_int_equal(status, pages[i].status);
        if (status) {
            assert_non_null(strstr(haft_server_error(server)->text, pages[i].expected));
        } else {
            haft_client *client = haft_client_new(server, NULL);
            haft_result result;
            haft_buffer text;

            /* In the list, and with the contents. */
            haft_buffer_init(&text, NULL, 1 << 16);
            assert_int_equal(haft_client_list(client, HAFT_OFFER_RESOURCE, &result), 0);
            haft_json_write(result.content, &text);
            assert_int_equal(haft_client_read(client, pages[i].uri, &result), 0);
            haft_json_write(result.content, &text);
            haft_buffer_add(&text, "", 1);
            assert_non_null(strstr(text.data, pages[i].expected));
            assert_non_null(strstr(strstr(text.data, "doctype"), pages[i].expected));
            haft_buffer_finish(&text);
            haft_client_free(client);
        }
        haft_server_free(server);
    }
}

/* ---- origins ---- */

static const struct {
    const char *origin;
    bool valid;
} origins[] = {
    {"https://a", true},
    {"https://A.B-c.example:65535", true},
    {"ws://127.0.0.1:1", true},
    {"https://*.example.com:443", true},
    {"", false},
    {"a.example.com", false},
    {"*", false},
    {"https://", false},
    {"https://*", false},
    {"https://*.", false},
    {"https://a.*.example", false},
    {"https://a/", false},
    {"https://a/path", false},
    {"https://a?b", false},
    {"https://a:", false},
    {"https://a:0", false},
    {"https://a:65536", false},
    {"https://a:x", false},
    {"https://a:1:2", false},
    {"https://a..b", false},
    {"https://.a", false},
    {"https://a.", false},
    {"https://-a", false},
    {"https://a-.b", false},
    {"https://user@a", false},
    {"https://a b", false},
    {"https://a; script-src *", false},
    {"https://a'", false},
    {"javascript:alert(1)", false},
    {"data:", false},
    {"file:///etc", false},
    {"'unsafe-eval'", false},
    {"https://caf\xc3\xa9.example", false},
};

static void checks_origins(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(origins); i++) {
        haft_server *server = haft_server_new("test", "1.0.0");
        const char *const list[] = {"https://first.example", origins[i].origin, NULL};
        const haft_ui_page page = HAFT_INIT(haft_ui_page, .frames = list);
        const haft_resource resource =
            HAFT_INIT(haft_resource, .uri = "ui://a", .name = "page", .mime_type = HAFT_UI_TYPE,
                      .page = &page, .read = read_page);
        int status = haft_resource_add(server, &resource);

        if (!status != origins[i].valid)
            print_error("row %zu: %s\n", i, origins[i].origin);
        assert_int_equal(!status, origins[i].valid);
        if (status)
            assert_non_null(strstr(haft_server_error(server)->text, "frames"));
        haft_server_free(server);
    }
}

/* ---- tools ---- */

static const struct {
    haft_ui ui;
    const char *meta;
    const char *expected; /* `_meta`, or a part of the reason */
    int status;
} tools[] = {
    {HAFT_INIT(haft_ui, .resource = "ui://page"), NULL, "{\"ui\":{\"resourceUri\":\"ui://page\"}}",
     0},
    {HAFT_INIT(haft_ui, .resource = "ui://page", .visibility = "app"), "{\"a\":1}",
     "{\"a\":1,\"ui\":{\"resourceUri\":\"ui://page\",\"visibility\":[\"app\"]}}", 0},
    {HAFT_INIT(haft_ui, .visibility = "model"), NULL, "{\"ui\":{\"visibility\":[\"model\"]}}", 0},
    {HAFT_INIT(haft_ui, .visibility = "model app"), NULL,
     "{\"ui\":{\"visibility\":[\"model\",\"app\"]}}", 0},
    {HAFT_INIT(haft_ui, .resource = "ui://none"), NULL, "no resource ui://none", HAFT_ENOTFOUND},
    {HAFT_INIT(haft_ui, .resource = "ui://text"), NULL, "the type of the resource", HAFT_EINVAL},
    {HAFT_INIT(haft_ui, .resource = "https://page"), NULL, "begins with ui://", HAFT_EINVAL},
    {HAFT_INIT(haft_ui, .visibility = "everybody"), NULL, "visibility", HAFT_EINVAL},
    {HAFT_INIT(haft_ui, .visibility = ""), NULL, "visibility", HAFT_EINVAL},
    {HAFT_INIT(haft_ui, .resource = "ui://page"), "{\"ui\":1}", "_meta has a member ui",
     HAFT_EINVAL},
    {{.struct_size = 0}, NULL, "struct_size", HAFT_EINVAL},
};

static const haft_resource page_resource =
    HAFT_INIT(haft_resource, .uri = "ui://page", .name = "page", .mime_type = HAFT_UI_TYPE,
              .read = read_page);
static const haft_resource text_resource = HAFT_INIT(
    haft_resource, .uri = "ui://text", .name = "text", .mime_type = "text/html", .read = read_page);

static void describes_tools(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        haft_server *server = haft_server_new("test", "1.0.0");
        haft_tool tool = nothing_tool;
        int status;

        tool.ui = &tools[i].ui;
        tool.meta = tools[i].meta;
        assert_int_equal(haft_resource_add(server, &page_resource), 0);
        assert_int_equal(haft_resource_add(server, &text_resource), 0);
        status = haft_add(server, &tool);
        if (status != tools[i].status)
            print_error("row %zu: %s\n", i, haft_server_error(server)->text);
        assert_int_equal(status, tools[i].status);
        if (status) {
            assert_non_null(strstr(haft_server_error(server)->text, tools[i].expected));
            if (tools[i].ui.struct_size)
                assert_string_equal(haft_server_error(server)->path, "nothing");
        } else {
            haft_client *client = haft_client_new(server, NULL);
            haft_result result;
            haft_buffer text;

            haft_buffer_init(&text, NULL, 1 << 16);
            assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
            haft_json_write(result.content, &text);
            haft_buffer_add(&text, "", 1);
            assert_non_null(strstr(text.data, tools[i].expected));
            assert_int_equal(haft_client_call(client, "nothing", NULL, &result), 0);
            assert_string_equal(result.text, "done");
            haft_buffer_finish(&text);
            haft_client_free(client);
        }
        haft_server_free(server);
    }
}

/* ---- tools built at run time ---- */

static int build_tool(haft_server *server, const haft_ui *ui)
{
    haft_tool_builder *builder = haft_tool_new("built");

    haft_tool_describe(builder, "Built at run time");
    haft_tool_handler(builder, answer_json, NULL);
    haft_tool_ui(builder, ui);
    return haft_tool_build(builder, server);
}

static void builds_tools(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        haft_server *server = haft_server_new("test", "1.0.0");
        char resource[32] = "", visibility[32] = "";
        haft_ui ui = tools[i].ui;
        int status;

        if (tools[i].meta) { /* the rows above are about these */
            haft_server_free(server);
            continue;
        }
        if (ui.resource) {
            snprintf(resource, sizeof resource, "%s", ui.resource);
            ui.resource = resource;
        }
        if (ui.visibility) {
            snprintf(visibility, sizeof visibility, "%s", ui.visibility);
            ui.visibility = visibility;
        }
        assert_int_equal(haft_resource_add(server, &page_resource), 0);
        assert_int_equal(haft_resource_add(server, &text_resource), 0);
        status = build_tool(server, &ui);
        memset(resource, 'x', sizeof resource - 1); /* it has a copy */
        memset(visibility, 'x', sizeof visibility - 1);
        assert_int_equal(status, tools[i].status);
        if (status) {
            assert_non_null(strstr(haft_server_error(server)->text, tools[i].expected));
        } else {
            haft_client *client = haft_client_new(server, NULL);
            haft_result result;
            haft_buffer text;

            haft_buffer_init(&text, NULL, 1 << 16);
            assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
            haft_json_write(result.content, &text);
            haft_buffer_add(&text, "", 1);
            assert_non_null(strstr(text.data, tools[i].expected));
            haft_buffer_finish(&text);
            haft_client_free(client);
        }
        haft_server_free(server);
    }
}

static void builds_tools_without(void **state)
{
    haft_server *server = haft_server_new("test", "1.0.0");
    haft_tool_builder *builder = haft_tool_new("built");

    (void)state;
    haft_tool_handler(builder, answer_json, NULL);
    haft_tool_ui(builder, HAFT_WITH(haft_ui, .resource = "ui://none"));
    haft_tool_ui(builder, NULL);
    assert_int_equal(haft_tool_build(builder, server), 0);
    haft_tool_ui(NULL, HAFT_WITH(haft_ui, .resource = "ui://none"));
    haft_server_free(server);
}

/* ---- apps that go ---- */

struct ui_log {
    char text[512];
    int n;
};

static void ui_take_line(void *context, haft_level level, const char *text, size_t size)
{
    struct ui_log *log = context;

    char line[512];

    snprintf(line, sizeof line, "%.*s", (int)size, text);
    if (level != HAFT_WARNING || !strstr(line, "ui: "))
        return;
    log->n++;
    memcpy(log->text, line, sizeof line);
}

static void warns_about_lost_apps(void **state)
{
    static const char lost[] =
        "nothing: ui: no app ui://page is offered; hosts show results without it";
    struct ui_log log = {.n = 0};
    haft_server *server = haft_server_new_with(
        "test", "1.0.0", HAFT_WITH(haft_server_options, .log = ui_take_line, .log_context = &log));
    haft_tool tool = nothing_tool;

    (void)state;
    tool.ui = &tools[0].ui;
    assert_int_equal(haft_resource_add(server, &page_resource), 0);
    assert_int_equal(haft_resource_add(server, &text_resource), 0);
    assert_int_equal(haft_add(server, &tool), 0);
    assert_int_equal(log.n, 0);
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_RESOURCE, "ui://text"), 0);
    assert_int_equal(log.n, 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_RESOURCE, "ui://page"), 0);
    assert_int_equal(log.n, 1);
    assert_string_equal(log.text, lost);
    assert_int_equal(haft_offer_enable(server, HAFT_OFFER_RESOURCE, "ui://page"), 0);
    assert_int_equal(log.n, 1);
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_RESOURCE, "ui://page"), 0);
    assert_int_equal(log.n, 2);
    /* Once for each time that it goes. */
    assert_int_equal(haft_resource_add(server, &text_resource), 0);
    assert_int_equal(log.n, 2);
    assert_int_equal(haft_resource_add(server, &page_resource), 0);
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "nothing"), 0);
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_RESOURCE, "ui://page"), 0);
    assert_int_equal(log.n, 2);
    haft_server_free(server);
}

/* A handler that sets `_meta` of its block decides. */
static void leaves_the_handler_its_meta(void **state)
{
    static const haft_ui_page page = HAFT_INIT(haft_ui_page, .camera = true);
    static const haft_resource resource =
        HAFT_INIT(haft_resource, .uri = "ui://own", .name = "own", .mime_type = HAFT_UI_TYPE,
                  .page = &page, .read = read_with_meta);
    haft_server *server = haft_server_new("test", "1.0.0");
    haft_client *client;
    haft_result result;
    haft_buffer text;

    (void)state;
    assert_int_equal(haft_resource_add(server, &resource), 0);
    client = haft_client_new(server, NULL);
    haft_buffer_init(&text, NULL, 1 << 16);
    assert_int_equal(haft_client_read(client, "ui://own", &result), 0);
    haft_json_write(result.content, &text);
    haft_buffer_add(&text, "", 1);
    assert_non_null(strstr(text.data, "\"_meta\":{\"own\":1}"));
    haft_buffer_finish(&text);
    haft_client_free(client);
    haft_server_free(server);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        haft_resource resource = page_resource;
        haft_tool tool = nothing_tool;

        failing_init(&failing, nth);
        server = haft_server_new_with(
            "test", "1.0.0", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        resource.page = &pages[2].page;
        tool.ui = &tools[1].ui;
        tool.meta = tools[1].meta;
        if (server && !haft_resource_add(server, &resource)) {
            haft_add(server, &tool);
            haft_offer_remove(server, HAFT_OFFER_RESOURCE, resource.uri);
        }
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests_[] = {
        cmocka_unit_test(describes_pages),
        cmocka_unit_test(checks_origins),
        cmocka_unit_test(describes_tools),
        cmocka_unit_test(builds_tools),
        cmocka_unit_test(builds_tools_without),
        cmocka_unit_test(warns_about_lost_apps),
        cmocka_unit_test(leaves_the_handler_its_meta),
        cmocka_unit_test(survives_failing_allocations),
    };

    return cmocka_run_group_tests(tests_, NULL, NULL);
}
