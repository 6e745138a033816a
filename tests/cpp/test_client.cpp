/* test_client.cpp - haft::connect: a server in this process and one in another, which is this program again;
 * functions that answer, and what becomes of their exceptions. */
#include <haft.hpp>

#include <cstring>
#include <iostream>
#include <stdexcept>

#include "test.hpp"

namespace
{

HAFT_STRUCT(pair_args, HAFT_FIELD(double, a, "One"), HAFT_FIELD(double, b, "Another"));
HAFT_STRUCT(sum, HAFT_FIELD(double, total, "Both"));
HAFT_STRUCT(confirm, HAFT_DEFAULT(HAFT_FIELD(bool, sure, "Whether to go on"), true),
            HAFT_DEFAULT(HAFT_FIELD(int, times, "How often"), 3));
HAFT_STRUCT(greet_args, HAFT_FIELD(std::string, name, "Whom"));

void add_offers(haft::server &server)
{
    server.tool("add", "Adds", [](const pair_args &in) { return sum{in.a + in.b}; });
    server.tool("fail", "Fails", []() -> int { throw haft::tool_error("it failed"); });
    server.tool("count", "Reports progress", [](haft::call &call) {
        for (int i = 1; i <= 3; i++)
            call.progress(i, 3);
        call.text("counted");
    });
    server.tool("ask", "Asks", [](haft::call &call) -> std::string {
        std::optional<confirm> answer = call.ask<confirm>("sure", "Sure?");

        return answer ? (answer->sure ? "yes " : "no ") + std::to_string(answer->times)
                      : "declined";
    });
    server.resource("memo://one", "one", "A memo", "text/plain", [] { return "first"; });
    server.prompt("greet", "Greets", [](const greet_args &in) { return "Greet " + in.name; });
}

/* A server and how to connect to it, for each kind of target. */
struct place {
    const char *name;
    haft::client (*connect)(haft::server &server, haft::connect_options options);
};
const place places[] = {
    {"in this process",
     [](haft::server &server, haft::connect_options options) {
         return haft::connect(server, std::move(options));
     }},
    {"in another process",
     [](haft::server &, haft::connect_options options) {
         return haft::connect(haft::command{"/proc/self/exe", "--serve"}, std::move(options));
     }},
};

void test_requests()
{
    haft::server server("test", "1.0.0");

    add_offers(server);
    for (const place &at : places) {
        haft::client client = at.connect(server, {});
        haft::client moved = std::move(client);

        equal_text(moved.revision(), "2026-07-28");
        assert_true(moved.call<sum>("add", pair_args{2, 40}).total == 42);
        equal_text(moved.call("add", R"({"a":1,"b":2})").structured, R"({"total":3})");
        equal_text(text_of<haft::tool_error>([&] { moved.call<sum>("fail", pair_args{}); }),
                   "it failed");
        equal_text(moved.read("memo://one").text, "first");
        equal_text(moved.prompt("greet", R"({"name":"Ada"})").text, "Greet Ada");
        assert_int_equal(moved.request("nothing/like/this").error_code, -32601);
    }
}

void test_lists()
{
    haft::server server("test", "1.0.0");

    add_offers(server);
    for (const place &at : places) {
        haft::client client = at.connect(server, {});
        std::vector<haft::offered> tools = client.tools();

        assert_int_equal(tools.size(), 4);
        equal_text(tools[0].name, "add");
        equal_text(tools[0].description.value(), "Adds");
        assert_true(tools[0].input_schema.has_value());
        equal_text(client.list(HAFT_OFFER_RESOURCE).at(0).uri.value(), "memo://one");
        equal_text(client.list(HAFT_OFFER_PROMPT).at(0).name, "greet");
    }
}

void test_progress()
{
    haft::server server("test", "1.0.0");

    add_offers(server);
    for (const place &at : places) {
        haft::client client = at.connect(server, {});
        std::string seen;

        equal_text(client
                       .call("count", "{}",
                             [&](double progress, double total, const std::string &) {
                                 seen += std::to_string(int(progress)) + "/" +
                                         std::to_string(int(total)) + " ";
                             })
                       .text,
                   "counted");
        equal_text(seen, "1/3 2/3 3/3 ");
        equal_text(text_of<std::logic_error>([&] {
                       client.call("count", "{}", [](double, double, const std::string &) {
                           throw std::logic_error("mine");
                       });
                   }),
                   "mine");
        assert_true(client.call<sum>("add", pair_args{1, 1}).total == 2);
    }
}

void test_questions()
{
    haft::server server("test", "1.0.0");

    add_offers(server);
    for (const place &at : places) {
        haft::connect_options options;
        int asked = 0;

        options.ask = [&](haft::question question) {
            equal_text(question.method(), "elicitation/create");
            assert_true(question.params().find("Sure?") != std::string::npos);
            switch (asked++) {
            case 0:
                return question.accept();
            case 1:
                return question.accept(confirm{false, 7});
            case 2:
                return question.decline();
            default:
                throw std::logic_error("no answer");
            }
        };
        haft::client client = at.connect(server, options);
        equal_text(client.call("ask").text, "yes 3");
        equal_text(client.call("ask").text, "no 7");
        equal_text(client.call("ask").text, "declined");
        equal_text(text_of<std::logic_error>([&] { client.call("ask"); }), "no answer");
        assert_int_equal(asked, 4);
        assert_true(client.call<sum>("add", pair_args{1, 1}).total == 2);
    }
}

/* A server of lines, whose only call becomes a task. */
int serve_tasks()
{
    static const char *const answers[][2] = {
        {"server/discover",
         R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}})"},
        {"tools/call", R"({"resultType":"task","taskId":"T1","status":"working","ttlMs":null})"},
        {"tasks/get",
         R"({"taskId":"T1","status":"completed","result":{"content":[{"type":"text","text":"done"}]}})"},
        {"tasks/", R"({"resultType":"complete"})"},
    };

    for (std::string line; std::getline(std::cin, line);) {
        std::size_t id = line.find("\"id\":");

        for (const auto &answer : answers)
            if (id != std::string::npos && line.find(answer[0]) != std::string::npos) {
                std::cout << R"({"jsonrpc":"2.0","id":)" << std::stoi(line.substr(id + 5))
                          << R"(,"result":)" << answer[1] << "}" << std::endl;
                break;
            }
    }
    return 0;
}

void test_tasks()
{
    haft::connect_options options;

    options.client.revision = "2026-07-28";
    haft::client client = haft::connect(haft::command{"/proc/self/exe", "--tasks"}, options);
    equal_text(client.call("slow").text, "done");
    options.client.manual_tasks = true;
    haft::client manual = haft::connect(haft::command{"/proc/self/exe", "--tasks"}, options);
    haft::result begun = manual.call("slow");
    equal_text(begun.task, "T1");
    equal_text(begun.task_status, "working");
    equal_text(manual.task_get(begun.task).task_status, "completed");
    manual.task_update(begun.task, R"({"k":{"action":"decline"}})");
    manual.task_cancel(begun.task);
    equal_text(manual.task_wait(begun.task).text, "done");
    equal_text(manual.task_wait(begun.task).task, "");
    assert_true(text_of<haft::error>([&] { manual.task_wait(""); }) != "nothing was thrown");
}

void test_refused()
{
    haft::connect_options options;

    assert_true(text_of<haft::error>([] {
                    haft::connect(haft::command{"/nowhere/at/all"});
                }).find("/nowhere/at/all") != std::string::npos);
    equal_text(text_of<haft::error>([] { haft::bearer("two\nlines"); }),
               "the token cannot be sent in a header");
    options.client.revision = "1999-01-01";
    assert_true(text_of<haft::error>([&] {
                    haft::connect(haft::command{"/proc/self/exe", "--serve"}, options);
                }) != "nothing was thrown");
}

} /* namespace */

int main(int argc, char **argv)
{
    const CMUnitTest tests[] = {
        CPP_TEST(test_requests),  CPP_TEST(test_lists), CPP_TEST(test_progress),
        CPP_TEST(test_questions), CPP_TEST(test_tasks), CPP_TEST(test_refused),
    };

    if (argc > 1 && !std::strcmp(argv[1], "--tasks"))
        return serve_tasks();

    if (argc > 1 && !std::strcmp(argv[1], "--serve")) {
        haft::server server("test", "1.0.0");

        add_offers(server);
        return server.main(1, argv);
    }
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
