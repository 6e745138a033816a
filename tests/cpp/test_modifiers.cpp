/* test_modifiers.cpp - modifiers of tools whose effect clients see: user interfaces and tasks. */
#include <haft.hpp>
#include <haft/testing.h>

#include <algorithm>
#include <string>

#include "test.hpp"

namespace
{

/* The tool of that name, as tools/list has it. */
std::string listed(const haft::server &server, const char *name, const char *revision)
{
    haft::client_options options;
    haft_client *client;
    haft_result result;
    haft_buffer text;
    std::string got;

    options.revision = revision;
    client = haft_client_new(server.get(), &options);
    haft_buffer_init(&text, nullptr, 1 << 16);
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    haft_json_write(result.content, &text);
    got.assign(text.data ? text.data : "", text.size);
    got.erase(0, got.find("{\"name\":\"" + std::string(name) + "\""));
    got.erase(std::min(got.size(), got.find(",{\"name\":")));
    haft_buffer_finish(&text);
    haft_client_free(client);
    return got;
}

bool has(const std::string &text, const std::string &part)
{
    bool found = text.find(part) != text.npos;

    if (!found)
        print_error("%s has no %s\n", text.c_str(), part.c_str());
    return found;
}

haft::server with_page()
{
    haft::server server("test", "1.0.0");

    server.resource("ui://clock/page", "clock", "A clock", HAFT_UI_TYPE,
                    [] { return "<!doctype html>"; });
    return server;
}

void test_ui()
{
    haft::server server = with_page();

    /* The strings of a modifier are copied. */
    server
        .tool(
            "both", "For both", [] { return 1; }, haft::ui(std::string("ui://clock/") + "page"))
        .tool(
            "button", "For the page", [] { return 1; }, haft::ui("ui://clock/page", "app"),
            haft::meta("{\"own\":1}"))
        .tool(
            "model", "For the model", [] { return 1; }, haft::ui("", "model"))
        .tool("plain", "Without a page", [] { return 1; });
    assert_true(has(listed(server, "both", nullptr),
                    "\"_meta\":{\"ui\":{\"resourceUri\":\"ui://clock/page\"}}"));
    assert_true(has(listed(server, "button", nullptr),
                    "\"_meta\":{\"own\":1,\"ui\":{\"resourceUri\":\"ui://clock/page\","
                    "\"visibility\":[\"app\"]}}"));
    assert_true(
        has(listed(server, "model", nullptr), "\"_meta\":{\"ui\":{\"visibility\":[\"model\"]}}"));
    assert_true(listed(server, "plain", nullptr).find("_meta") == std::string::npos);
}

void test_ui_refused()
{
    static const struct {
        const char *resource, *visibility, *text;
    } rows[] = {
        {"ui://none", "", "no resource ui://none"},
        {"https://clock", "", "begins with ui://"},
        {"ui://clock/page", "nobody", "visibility"},
    };

    for (const auto &row : rows) {
        std::string text = text_of<haft::error>([&row] {
            haft::server server = with_page();

            server.tool(
                "clock", "Shows the time", [] { return 1; },
                haft::ui(row.resource, row.visibility));
            server.get();
            haft::client client(server);
        });

        assert_true(has(text, row.text));
    }
}

void test_task()
{
    static const struct {
        const char *tool, *support; /* NULL: none */
    } rows[] = {{"may", "optional"}, {"must", "required"}, {"plain", nullptr}};
    haft::server server("test", "1.0.0");

    server
        .tool(
            "may", "May be a task", [] { return 1; }, haft::task())
        .tool(
            "must", "Must be a task", [] { return 1; },
            haft::task(HAFT_TASK_REQUIRED, HAFT_TASK_RESUME))
        .tool("plain", "Is not a task", [] { return 1; });
    assert_int_equal(haft_server_set_tasks(server.get(), nullptr), 0);
    for (const auto &row : rows) {
        std::string tool = listed(server, row.tool, "2025-11-25");
        std::string support = "\"execution\":{\"taskSupport\":\"";

        if (row.support)
            assert_true(has(tool, support + row.support + "\"}"));
        else
            assert_true(tool.find("execution") == tool.npos);
    }
}

} /* namespace */

int main()
{
    const CMUnitTest tests[] = {
        CPP_TEST(test_ui),
        CPP_TEST(test_ui_refused),
        CPP_TEST(test_task),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
