/* test_server.cpp - functions and lambdas as tools: what they take and give, what becomes of their exceptions,
 * and who owns what. */
#include <haft.hpp>
#include <haft/engine.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include <unistd.h>

#include "test.hpp"

/* ---- an operator new that fails on purpose ---- */

namespace
{
long news_left = -1; /* how many may succeed; below 0: all */
} /* namespace */

void *operator new(std::size_t size)
{
    void *memory = news_left == 0 ? nullptr : std::malloc(size ? size : 1);

    if (news_left > 0)
        news_left--;
    if (!memory)
        throw std::bad_alloc();
    return memory;
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace
{

HAFT_ENUM_CLASS(mood, calm, cross);
HAFT_STRUCT(pair_args, HAFT_FIELD(double, a, "One"), HAFT_FIELD(double, b, "Another"));
HAFT_STRUCT(sum, HAFT_FIELD(double, total, "Both"));
HAFT_STRUCT(word, HAFT_FIELD(std::string, text, "Some text"));
HAFT_STRUCT(view, HAFT_FIELD(std::string_view, text, "Some text"));
HAFT_STRUCT(words, HAFT_FIELD(std::vector<std::string>, list, "Some texts"),
            HAFT_FIELD((std::map<std::string, std::string>), by_name, "More of them"));
HAFT_STRUCT(confirm, HAFT_FIELD(bool, sure, "Whether to go on"));

sum add(const pair_args &in)
{
    return {in.a + in.b};
}

sum add_noexcept(pair_args in) noexcept
{
    return {in.a + in.b};
}

struct counter {
    int step;
    int operator()(const word &)
    {
        return step++;
    }
};

/* ---- what is served ---- */

std::string logged;

void keep_log(void *, haft_level, const char *text, size_t size)
{
    logged.append(text, size).append("\n");
}

haft::server_options with_log()
{
    haft::server_options options;

    options.log = keep_log;
    logged.clear();
    return options;
}

void add_tools(haft::server &server)
{
    server.tool("add", "Adds", add)
        .tool("add_value", "Adds", add_noexcept)
        .tool("add_number", "Adds", [](const pair_args &in) { return in.a + in.b; })
        .tool("same", "Compares", [](const pair_args &in) { return in.a == in.b; })
        .tool("count", "Counts", counter{7})
        .tool("mood", "Tells", [] { return mood::cross; })
        .tool("list", "Lists",
              [](const word &in) {
                  return std::vector<std::string>{in.text, "b"};
              })
        .tool("map", "Maps",
              [](const word &in) {
                  return std::map<std::string, int>{{in.text, 1}};
              })
        .tool("echo", "Says it again", [](const word &in) { return in.text; })
        .tool("view", "Says it again", [](const view &in) { return in.text; })
        .tool("inner_view", "Returns a view of its arguments",
              [](const word &in) -> std::string_view { return in.text; })
        .tool("inner_member", "Returns a struct with a view of its arguments",
              [](const word &in) { return view{in.text}; })
        .tool("inner_reference", "Returns its arguments",
              [](const word &in) -> const word & { return in; })
        .tool("literal", "Says something", [] { return "something"; })
        .tool("nothing", "Says nothing", [] {})
        .tool("whoami", "Looks around",
              [](haft::call &call) {
                  return std::string(call.name()) + " " + std::string(call.client_name()) + " " +
                         (call.cancelled() ? "cancelled" : "not cancelled");
              })
        .tool("blocks", "Says two things",
              [](haft::call &call, const word &in) {
                  call.text(in.text);
                  call.image("image/png", "x", 1);
                  call.log(HAFT_WARNING, "two blocks");
                  call.progress(1, 2, "half");
              })
        .tool("ask", "Asks",
              [](haft::call &call, const word &in) {
                  auto answer = call.ask<confirm>("sure", "Really?");

                  return !answer ? "declined " + in.text : answer->sure ? "yes" : "no";
              })
        .tool("words", "Many allocations", [](const words &in) { return in; })
        .tool("refuses", "Fails",
              [](const word &in) -> sum { throw haft::tool_error("No " + in.text); })
        .tool("throws", "Fails", [] { throw std::runtime_error("the password is 1234"); })
        .tool("throws_int", "Fails", [] { throw 5; })
        .tool("throws_status", "Fails", [] { throw haft::error(HAFT_EBUSY, "no time"); })
        .tool("throws_success", "Fails", [] { throw haft::error(0, "no status of an error"); })
        .tool("misfit", "Gives what does not fit", [] { return mood{9}; })
        .tool("nul", "Gives what JSON of C cannot have", [] { return word{std::string("\0", 1)}; });
}

struct call_row {
    const char *tool, *arguments;
    bool is_error;
    const char *text, *structured;
};

/* Longer than a std::string can hold without an allocation. */
#define LONG_TEXT "a text that a std::string keeps in memory of its own"
#define LONG_WORD "{\"text\":\"" LONG_TEXT "\"}"

const call_row calls[] = {
    {"add", R"({"a":2,"b":40})", false, R"({"total":42})", R"({"total":42})"},
    {"add_value", R"({"a":1,"b":1})", false, R"({"total":2})", R"({"total":2})"},
    {"add_number", R"({"a":1,"b":1.5})", false, R"({"result":2.5})", R"({"result":2.5})"},
    {"same", R"({"a":1,"b":1})", false, R"({"result":true})", R"({"result":true})"},
    {"count", R"({"text":""})", false, R"({"result":7})", R"({"result":7})"},
    {"count", R"({"text":""})", false, R"({"result":8})", R"({"result":8})"},
    {"mood", "{}", false, R"({"result":"cross"})", R"({"result":"cross"})"},
    {"list", R"({"text":"a"})", false, R"(["a","b"])", R"(["a","b"])"},
    {"map", R"({"text":"a"})", false, R"({"result":{"a":1}})", R"({"result":{"a":1}})"},
    {"echo", R"({"text":"a b"})", false, "a b", ""},
    {"view", R"({"text":"a b"})", false, "a b", ""},
    {"inner_view", LONG_WORD, false, LONG_TEXT, ""},
    {"inner_member", LONG_WORD, false, LONG_WORD, LONG_WORD},
    {"inner_reference", LONG_WORD, false, LONG_WORD, LONG_WORD},
    {"literal", "{}", false, "something", ""},
    {"nothing", "{}", false, "", ""},
    {"whoami", "{}", false, "whoami client not cancelled", ""},
    {"blocks", R"({"text":"first"})", false, "first", ""},
    {"words", R"({"list":["a","b"],"by_name":{"k":"v"}})", false,
     R"({"list":["a","b"],"by_name":{"k":"v"}})", R"({"list":["a","b"],"by_name":{"k":"v"}})"},
    {"add", R"({"a":"2"})", true,
     "Input validation error: Invalid arguments for tool add: a: Invalid input: expected number, received string, "
     "b: Invalid input: expected number, received undefined",
     ""},
    {"refuses", R"({"text":"bread"})", true, "No bread", ""},
    {"throws", "{}", true, "The tool failed.", ""},
    {"throws_int", "{}", true, "The tool failed.", ""},
    {"throws_status", "{}", true, "The server is busy. Try again later.", ""},
    {"throws_success", "{}", true, "The tool failed.", ""},
    {"misfit", "{}", true, "The tool returned a result that does not match its output schema.", ""},
    {"nul", "{}", true, "The tool failed.", ""},
    {"echo", R"({"text":"still here"})", false, "still here", ""},
};

void test_calls()
{
    haft::server server("test", "1.0.0", with_log());

    add_tools(server);
    haft::client client(server);
    for (const call_row &row : calls) {
        haft::result got = client.call(row.tool, row.arguments);

        equal_text(got.text, row.text);
        assert_int_equal(got.is_error, row.is_error);
        equal_text(got.structured, row.structured);
    }
}

void test_log()
{
    haft::server server("test", "1.0.0", with_log());

    add_tools(server);
    haft::client client(server);
    client.call("throws");
    assert_true(logged.find("exception: the password is 1234") != logged.npos);
    client.call("throws_int");
    assert_true(logged.find("an exception that is not a std::exception") != logged.npos);
    client.call("throws_status");
    assert_true(logged.find("no time") != logged.npos);
    client.call("blocks", R"({"text":"a"})");
    assert_true(logged.find("two blocks") != logged.npos);
    client.call("nul");
    assert_true(logged.find("a string contains U+0000") != logged.npos);
}

/* Tools with scopes, and what handlers know about the client. */
void test_scopes()
{
    static const struct {
        const char *scopes, *tool, *text;
        int code;
    } rows[] = {
        {"read", "look", "ann at https://as.example may read", 0},
        {"write", "look", "ann at https://as.example may write", 0},
        {"*", "erase", "erased", 0},
        {"read write", "erase", "erased", 0},
        {"read", "erase", "Forbidden: the tool erase requires the scopes write read", -32003},
        {nullptr, "erase", "erased", 0}, /* nobody is known: nothing is enforced */
        {nullptr, "look", "nobody", 0},
    };
    haft::server server("test", "1.0.0", with_log());

    server
        .tool("look", "Looks",
              [](haft::call &call) -> std::string {
                  const haft_identity *who = call.identity();

                  if (!who)
                      return "nobody";
                  return std::string(who->principal) + " at " + who->issuer + " may " +
                         (call.has_scope("read") ? "read" : "") +
                         (call.has_scope("write") ? "write" : "");
              })
        .tool(
            "erase", "Erases", [] { return "erased"; }, haft::scopes("write read"));
    for (const auto &row : rows) {
        haft::options<haft_identity> identity;
        haft::client_options options;

        identity.principal = "ann";
        identity.issuer = "https://as.example";
        identity.scopes = row.scopes;
        options.identity = row.scopes ? &identity : nullptr;
        haft::client client(server, options);
        haft::result got = client.call(row.tool);

        equal_text(got.text, row.text);
        assert_int_equal(got.error_code, row.code);
    }
}

/* The same in a revision in which structured content must be an object. */
void test_legacy()
{
    haft::server server("test", "1.0.0");
    haft::client_options options;

    options.revision = "2025-06-18";
    add_tools(server);
    haft::client client(server, options);
    equal_text(client.call("list", R"({"text":"a"})").structured, R"({"result":["a","b"]})");
    equal_text(client.call("mood").structured, R"({"result":"cross"})");
}

int say_yes(void *, const char *, haft_value *, haft_buffer *result)
{
    haft_buffer_puts(result, R"({"action":"accept","content":{"sure":true}})");
    return 0;
}

int say_no(void *, const char *, haft_value *, haft_buffer *result)
{
    haft_buffer_puts(result, R"({"action":"decline"})");
    return 0;
}

void test_ask()
{
    const struct {
        haft_client_answer *answer;
        const char *revision, *text;
        bool is_error;
    } rows[] = {
        {say_yes, "2026-07-28", "yes", false},
        {say_no, "2026-07-28", "declined x", false},
        {say_yes, "2025-11-25", "yes", false},
        {nullptr, "2025-11-25", "The tool needs input of a kind that the client does not support.",
         true},
    };
    haft::server server("test", "1.0.0");

    add_tools(server);
    for (const auto &row : rows) {
        haft::client_options options;

        options.answer = row.answer;
        options.revision = row.revision;
        haft::client client(server, options);
        haft::result got = client.call("ask", R"({"text":"x"})");

        equal_text(got.text, row.text);
        assert_int_equal(got.is_error, row.is_error);
    }
}

/* ---- the list ---- */

void test_list()
{
    haft::server server("test", "1.0.0");

    server.tool("add", "Adds", add, haft::read_only(), haft::idempotent(), haft::destructive(false),
                haft::open_world(false), haft::title("Sum"), haft::meta(R"({"com.example/x":1})"),
                haft::quick(), haft::timeout(std::chrono::seconds(2)),
                haft::rate(5, std::chrono::seconds(1)), haft::cap(2, 3), haft::lenient());
    haft::client client(server);
    equal_text(
        client.request("tools/list").value,
        R"({"tools":[{"name":"add","title":"Sum","description":"Adds",)"
        R"("inputSchema":{"type":"object","properties":{"a":{"type":"number","description":"One"},)"
        R"("b":{"type":"number","description":"Another"}},"required":["a","b"],"additionalProperties":false},)"
        R"("annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},)"
        R"("_meta":{"com.example/x":1},"outputSchema":{"type":"object","properties":)"
        R"({"total":{"type":"number","description":"Both"}},"required":["total"],"additionalProperties":false}}],)"
        R"("ttlMs":0,"cacheScope":"private","resultType":"complete",)"
        R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1.0.0"}}})");
    equal_text(client.call("add", R"({"a":"2","b":2})").structured, R"({"total":4})");
    server.remove_tool("add");
    assert_true(client.call("add", "{}").is_error);
    equal_text(text_of<haft::error>([&] { server.remove_tool("add"); }), "Tool add: not found");
}

int c_tool(haft_call *call, const void *, void *)
{
    return haft_text(call, "from C");
}

void test_c_tool()
{
    haft::options<haft_tool> tool;
    haft::server server("test", "1.0.0");

    tool.name = "c";
    tool.description = "Says where it is from";
    tool.call = c_tool;
    server.add(tool);
    equal_text(haft::client(server).call("c").text, "from C");
}

/* ---- resources and prompts ---- */

HAFT_STRUCT(review_args, HAFT_FIELD(std::string, code, "What to review"));

void test_offers()
{
    haft::server server("test", "1.0.0");

    server
        .resource("config://app", "settings", "The settings", "application/json",
                  [] { return "{}"; })
        .resource("users://{id}/profile", "profile", "A profile", "text/plain",
                  [](haft::call &call, std::string_view uri) {
                      return std::string(call.variable("id")) + " of " + std::string(uri);
                  })
        .resource("log:today", "log", "Fails", "text/plain",
                  []() -> std::string { throw std::runtime_error("secret"); })
        .prompt("review", "Reviews code",
                [](const review_args &in) { return "Review this: " + in.code; })
        .prompt("quote", "Returns a view of its arguments",
                [](const review_args &in) -> std::string_view { return in.code; })
        .prompt("talk", "Has two messages", [](haft::call &call) {
            call.say("user");
            call.text("Hello");
            call.say("assistant");
            call.text("Yes?");
        });
    haft::client client(server);
    haft_result got;

    assert_int_equal(haft_client_read(client.get(), "config://app", &got), 0);
    assert_string_equal(got.text, "{}");
    assert_int_equal(haft_client_read(client.get(), "users://7/profile", &got), 0);
    assert_string_equal(got.text, "7 of users://7/profile");
    assert_int_equal(haft_client_read(client.get(), "log:today", &got), 0);
    assert_true(got.is_error);
    assert_null(strstr(got.text, "secret"));
    assert_int_equal(haft_client_get(client.get(), "review", R"({"code":"x = 1"})", &got), 0);
    assert_string_equal(got.text, "Review this: x = 1");
    assert_int_equal(haft_client_get(client.get(), "quote", R"({"code":")" LONG_TEXT R"("})", &got),
                     0);
    assert_string_equal(got.text, LONG_TEXT);
    assert_int_equal(haft_client_get(client.get(), "review", "{}", &got), 0);
    assert_true(got.is_error);
    assert_int_equal(haft_client_get(client.get(), "talk", "{}", &got), 0);
    assert_string_equal(got.text, "Hello\nYes?");
    assert_true(text_of<haft::error>([&] { server.prompt("talk", "Again", [] { return ""; }); }) !=
                "nothing was thrown");
}

/* ---- what is refused when it is added ---- */

HAFT_STRUCT(bad, HAFT_FIELD(std::string, x, "X", .pattern = "("));

void test_refused()
{
    haft::server server("test", "1.0.0");

    server.tool("add", "Adds", add);
    equal_text(text_of<haft::error>([&] { server.tool("add", "Adds", add); }),
               "Tool add is already registered");
    equal_text(text_of<haft::error>([&] { server.tool("no name", "Adds", add); }),
               "no name: a name may contain only letters, digits, '_', '-' and '.'");
    equal_text(text_of<haft::error>([&] { server.tool("bad", "Is bad", [](const bad &) {}); }),
               "bad: input: x: pattern \"(\": missing ) at offset 1");
    assert_true(text_of<haft::error>([] { haft::server none("", "1"); }) != "nothing was thrown");
    equal_text(haft::client(server).call("add", R"({"a":1,"b":2})").structured, R"({"total":3})");
}

/* ---- typed calls ---- */

void test_typed()
{
    haft::server server("test", "1.0.0");

    add_tools(server);
    haft::client client(server);
    assert_true(client.call<sum>("add", pair_args{2, 40}).total == 42);
    equal_text(client.call<std::string>("echo", word{"hi"}), "hi");
    equal_text(text_of<haft::tool_error>([&] { client.call<sum>("refuses", word{"tea"}); }),
               "No tea");
}

/* ---- ownership ---- */

std::atomic<int> alive;

struct tracked {
    tracked()
    {
        alive++;
    }
    tracked(const tracked &)
    {
        alive++;
    }
    tracked(tracked &&) noexcept
    {
        alive++;
    }
    ~tracked()
    {
        alive--;
    }
    std::string operator()(const word &in) const
    {
        return in.text;
    }
};

void test_lifetime()
{
    {
        haft::server server("test", "1.0.0");

        server.tool("tracked", "Is counted", tracked());
        assert_int_equal(alive, 1);
        assert_true(text_of<haft::error>([&] { server.tool("tracked", "Twice", tracked()); }) !=
                    "nothing was thrown");

        haft::server moved = std::move(server);
        equal_text(haft::client(moved).call("tracked", R"({"text":"a"})").text, "a");
        assert_true(text_of<std::logic_error>([&] { server.get(); }).find("moved") !=
                    std::string::npos);
        moved.remove_tool("tracked");
    }
    assert_int_equal(alive, 0);
    assert_false(std::is_copy_constructible_v<haft::server>);
    assert_false(std::is_copy_constructible_v<haft::client>);
}

/* What a function prints. */
template <class F> std::string output_of(F &&function)
{
    std::FILE *file = std::tmpfile();
    int own = dup(STDOUT_FILENO);
    std::string text;

    assert_non_null(file);
    std::fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    function();
    std::fflush(stdout);
    dup2(own, STDOUT_FILENO);
    close(own);
    std::rewind(file);
    for (int c; (c = std::fgetc(file)) != EOF;)
        text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

struct arguments {
    std::vector<std::string> words;
    std::vector<char *> pointers;

    arguments(std::initializer_list<const char *> given) : words(given.begin(), given.end())
    {
        for (std::string &one : words)
            pointers.push_back(one.data());
        pointers.push_back(nullptr);
    }
    int n() const
    {
        return static_cast<int>(words.size());
    }
};

HAFT_ENUM_CLASS(pace, slow, (quick, "very-quick"));

struct program {
    std::string root = ".", token, file;
    bool dry = false, loud = true;
    int64_t n = 3, room = 1024;
    double scale = 0.1;
    std::chrono::milliseconds patience{5000};
    std::vector<std::string> ignore = {"a"};
    int small = 7;
    std::uint8_t tiny = 0;
    std::size_t many = 1;
    float share = 0.25f;
    pace speed = pace::quick;
    std::chrono::duration<double> rest{1.5};
    std::optional<int> level;
    std::optional<bool> colour;
    std::optional<std::string> user;
    std::optional<pace> other;
    haft::server server{"program", "1.0"};

    program()
    {
        server
            .option("--root", root, "where", haft::takes("DIR"), haft::kind(HAFT_OPTION_KIND_PATH))
            .option("--dry", dry, "change nothing")
            .option("--loud", loud, "say much")
            .option("--n", n, "how many", haft::bounds(-5, 5), haft::variable("PROGRAM_N"))
            .option("--room", room, "bytes", haft::kind(HAFT_OPTION_KIND_SIZE))
            .option("--scale", scale, "factor")
            .option("--patience", patience, "time")
            .option("--ignore", ignore, "names")
            .option("", token, "secret", haft::variable("PROGRAM_TOKEN"),
                    haft::kind(HAFT_OPTION_KIND_SECRET))
            .option("--small", small, "a number", haft::bounds(0, 100))
            .option("--tiny", tiny, "a byte")
            .option("--many", many, "a count")
            .option("--share", share, "a part", haft::bounds(0, 0.5))
            .option("--speed", speed, "how fast")
            .option("--rest", rest, "pause")
            .option("--level", level, "how much")
            .option("--colour", colour, "whether to use it")
            .option("--user", user, "who")
            .option("--other", other, "how fast else")
            .option("FILE", file, "file to read", haft::required());
    }
};

/* Options are bound to variables, whose values are the defaults. */
void test_options()
{
    program plain, full, wrong, run;
    arguments none{"program", "x"};
    arguments all{"program",     "--root=/r",  "--dry", "--loud=false",
                  "--room=4KiB", "--scale",    "2.5",   "--patience=2s",
                  "--ignore=b",  "--ignore=c", "f"};
    arguments far{"program", "--n=6", "x"}, help{"program", "--help"},
        check{"program", "y", "--check"};

    assert_true(plain.server.read_options(none.n(), none.pointers.data()));
    equal_text(plain.root, ".");
    equal_text(plain.file, "x");
    equal_text(plain.token, "");
    assert_true(plain.loud && !plain.dry && plain.n == 3 && plain.room == 1024);
    assert_true(plain.scale == 0.1 && plain.patience.count() == 5000);
    assert_int_equal(plain.ignore.size(), 1);

    setenv("PROGRAM_N", "-4", 1);
    setenv("PROGRAM_TOKEN", "hush", 1);
    assert_true(full.server.read_options(all.n(), all.pointers.data()));
    unsetenv("PROGRAM_N");
    unsetenv("PROGRAM_TOKEN");
    equal_text(full.root + full.file + full.token, "/rfhush");
    assert_true(full.dry && !full.loud && full.n == -4 && full.room == 4096);
    assert_true(full.scale == 2.5 && full.patience == std::chrono::seconds(2));
    assert_int_equal(full.ignore.size(), 2);
    equal_text(full.ignore[1], "c");
    assert_true(text_of<std::logic_error>([&] {
                    full.server.option("--late", full.dry, "late");
                }).find("before main") != std::string::npos);

    assert_false(wrong.server.read_options(far.n(), far.pointers.data()));
    assert_false(wrong.server.read_options(help.n(), help.pointers.data()));
    assert_int_equal(wrong.n, 3);
    assert_int_equal(wrong.server.main(far.n(), far.pointers.data()), 2);

    assert_int_equal(run.server.main(check.n(), check.pointers.data()), 0);
    equal_text(run.file, "y");
    assert_true(text_of<std::logic_error>([&] {
                    haft::server("a", "1").option("--a", run.n, "a",
                                                  haft::kind(HAFT_OPTION_KIND_PATH));
                }).find("another type") != std::string::npos);
}

haft_call *held_call;

int hold_call(haft_call *call, const void *, void *)
{
    held_call = call;
    return HAFT_PENDING;
}

void send_nothing(void *, const haft_outgoing *)
{
}

/* A function is called when the call is cancelled, unless its object is gone. */
void test_on_cancel()
{
    const std::string cancel =
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
    const std::string begin =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}})";
    haft::server server("test", "1");
    haft::options<haft_tool> tool;
    haft::options<haft_session_options> options;
    haft::options<haft_transport> transport;
    int told = 0;

    tool.name = "hold";
    tool.description = "Holds";
    tool.call = hold_call;
    server.add(tool);
    transport.send = send_nothing;
    options.transport = &transport;
    haft_session *session = haft_session_new(server.get(), &options);
    assert_non_null(session);
    for (bool late : {false, true}) {
        assert_int_equal(haft_session_receive(session, begin.data(), begin.size(), nullptr, 1), 0);
        haft::call call(held_call);
        {
            haft::on_cancel gone(call, [&] { told += 100; });
        }
        {
            std::optional<haft::on_cancel> stop;

            if (!late)
                stop.emplace(call, [&] {
                    told++;
                    throw 5;
                });
            assert_int_equal(
                haft_session_receive(session, cancel.data(), cancel.size(), nullptr, 1), 0);
            if (late)
                stop.emplace(call, [&] { told += 10; });
        }
        assert_int_equal(told, late ? 11 : 1);
        haft_finish(held_call, 0);
    }
    haft_session_free(session);
}

/* Every type that a variable may have; absent values leave it alone. */
void test_option_types()
{
    program plain, full, wrong;
    arguments none{"program", "x"};
    arguments all{"program",     "--small=100",  "--tiny=255",   "--many=9007199254740992",
                  "--share=0.5", "--speed=slow", "--rest=250ms", "--level=-1",
                  "--colour",    "--user=ada",   "--other=slow", "f"};

    assert_true(plain.server.read_options(none.n(), none.pointers.data()));
    assert_true(plain.small == 7 && plain.tiny == 0 && plain.many == 1 && plain.share == 0.25f);
    assert_true(plain.speed == pace::quick && plain.rest.count() == 1.5);
    assert_true(!plain.level && !plain.colour && !plain.user && !plain.other);

    assert_true(full.server.read_options(all.n(), all.pointers.data()));
    assert_true(full.small == 100 && full.tiny == 255 && full.many == 9007199254740992u);
    assert_true(full.share == 0.5f && full.speed == pace::slow && full.rest.count() == 0.25);
    assert_true(full.level == -1 && full.colour == true && full.user == "ada" &&
                full.other == pace::slow);

    for (const char *refused :
         {"--small=101", "--tiny=256", "--tiny=-1", "--many=-1", "--share=0.6", "--speed=quick",
          "--level=2147483648", "--other=2"}) {
        arguments given{"program", refused, "x"};

        assert_false(wrong.server.read_options(given.n(), given.pointers.data()));
    }
    assert_true(text_of<std::logic_error>([&] {
                    haft::server("a", "1").option("--a", wrong.tiny, "a", haft::bounds(0, 256));
                }).find("cannot hold") != std::string::npos);
}

/* What --help and --print-config show of defaults. */
void test_option_pages()
{
    static const char *const parts[] = {
        "--patience TIME           time (5s)\n",
        "--ignore NAME             names (a)\n",
        "--small N                 a number, from 0 to 100 (7)\n",
        "--tiny N                  a byte, from 0 to 255 (0)\n",
        "--share NUMBER            a part, from 0 to 0.5 (0.25)\n",
        "--speed WORD              how fast: slow, very-quick (very-quick)\n",
        "--rest TIME               pause (1500ms)\n",
        "--level N                 how much, from -2147483648 to 2147483647\n",
        "--colour                  whether to use it\n"};
    arguments help{"program", "--help"};
    arguments config{"program", "--print-config", "x"};
    program shown, printed;
    std::string text = output_of([&] { shown.server.main(help.n(), help.pointers.data()); });

    for (const char *part : parts)
        if (text.find(part) == text.npos)
            fail_msg("%s is not in %s", part, text.c_str());
    text = output_of([&] { printed.server.main(config.n(), config.pointers.data()); });
    for (const char *part : {"options.ignore          a                       default\n",
                             "options.colour          false                   default\n",
                             "options.level           -                       default\n"})
        if (text.find(part) == text.npos)
            fail_msg("%s is not in %s", part, text.c_str());
}

/* Every allocation of a handler fails once: the call is answered, and the server goes on. */
void test_memory()
{
    haft::server server("test", "1.0.0");
    const char *arguments =
        R"({"list":["a text that a string cannot keep in itself","b"],"by_name":{"k":"v"}})";
    bool done = false;
    int failures = 0;

    add_tools(server);
    haft::client client(server);
    for (long n = 0; !done && n < 100; n++) {
        haft_result got;
        int status;

        news_left = n;
        status = haft_client_call(client.get(), "words", arguments, &got);
        done = news_left != 0;
        news_left = -1;
        assert_int_equal(status, 0);
        if (got.is_error) {
            assert_string_equal(got.text, "The server is out of memory.");
            failures++;
        }
    }
    assert_true(done);
    assert_true(failures > 5);
    equal_text(client.call("words", arguments).structured, arguments);
}

} /* namespace */

int main()
{
    const CMUnitTest tests[] = {
        CPP_TEST(test_scopes),       CPP_TEST(test_calls),     CPP_TEST(test_log),
        CPP_TEST(test_legacy),       CPP_TEST(test_ask),       CPP_TEST(test_list),
        CPP_TEST(test_offers),       CPP_TEST(test_c_tool),    CPP_TEST(test_refused),
        CPP_TEST(test_typed),        CPP_TEST(test_lifetime),  CPP_TEST(test_memory),
        CPP_TEST(test_options),      CPP_TEST(test_on_cancel), CPP_TEST(test_option_types),
        CPP_TEST(test_option_pages),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
