/* test_prompt.c - prompts: what is refused, how they are listed, what they say and how they fail. */
#include <haft/engine.h>
#include <stdio.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"
#include "support/wire.h"

/* ---- what is served ---- */

HAFT_ENUMERATION(tone, kind, stern);

HAFT_STRUCT(review_args, HAFT_STRING(code, "What to look at", .min = 1, .title = "Code"),
            HAFT_OPTIONAL(HAFT_STRING(focus, "What matters")),
            HAFT_DEFAULT(HAFT_ENUM(manner, tone, "How to say it"), tone_kind));

HAFT_STRUCT(wrong_args, HAFT_STRING(code, "Fine"), HAFT_INTEGER(depth, "Not a text"));
HAFT_STRUCT(null_args, HAFT_NULLABLE(HAFT_STRING(code, "Not always a text")));
HAFT_LIST(list_args, HAFT_STRING(item, "One"), "No struct");

static int review(haft_call *call, const void *arguments)
{
    const review_args *in = arguments;
    int status = haft_prompt_say(call, "user");

    if (!status)
        status = haft_text(call, "Look at %s (%s, %d)", in->code, in->has_focus ? in->focus : "all",
                           (int)in->manner);
    if (!status)
        status = haft_prompt_say(call, "assistant");
    return status ? status : haft_text(call, "I will.");
}

static int embed(haft_call *call, const void *arguments)
{
    int status;

    (void)arguments;
    status = haft_embed(call, &(haft_contents){.uri = "a:b", .text = "c"});
    if (!status)
        status = haft_image(call, "image/png", "\0\1\2", 3);
    return status ? status : haft_prompt_description(call, "Made of \"parts\"");
}

static int fail_quietly(haft_call *call, const void *arguments)
{
    (void)call;
    (void)arguments;
    return HAFT_EINVAL;
}

static int fail_aloud(haft_call *call, const void *arguments)
{
    (void)arguments;
    return haft_error(call, "not today");
}

static int no_such_shelf(haft_call *call, const void *arguments)
{
    (void)arguments;
    haft_error(call, "There is no shelf 7.");
    return HAFT_ENOTFOUND;
}

static int say_wrong(haft_call *call, const void *arguments)
{
    (void)arguments;
    return haft_prompt_say(call, "system");
}

static int ask(haft_call *call, const void *arguments)
{
    haft_value *roots;
    int status = haft_roots(call, "roots", &roots);

    (void)arguments;
    return status ? status : haft_text(call, "asked");
}

static const haft_prompt prompts[] = {
    HAFT_INIT(haft_prompt, .name = "review", .description = "Reviews",
              .arguments = &review_args_type, .get = review),
    HAFT_INIT(haft_prompt, .name = "embed", .get = embed),
    HAFT_INIT(haft_prompt, .name = "quiet", .get = fail_quietly),
    HAFT_INIT(haft_prompt, .name = "aloud", .get = fail_aloud),
    HAFT_INIT(haft_prompt, .name = "shelf", .get = no_such_shelf),
    HAFT_INIT(haft_prompt, .name = "wrong", .get = say_wrong),
    HAFT_INIT(haft_prompt, .name = "ask", .get = ask),
    HAFT_INIT(haft_prompt, .name = "off", .get = embed),
};

static haft_server *serve(const haft_server_options *options)
{
    haft_server *server = haft_server_new_with("test", "1", options);

    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(prompts); i++)
        assert_int_equal(haft_prompt_add(server, &prompts[i]), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_PROMPT, "off"), 0);
    return server;
}

/* ---- getting ---- */

#define MESSAGE(role, text)                                                                        \
    "{\"role\":\"" role "\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}"
#define REVIEW(text)                                                                               \
    "\"result\":{\"description\":\"Reviews\",\"messages\":[" MESSAGE("user", text) "," MESSAGE(    \
        "assistant", "I will.") "]}}"
#define ERROR(code, text) "\"error\":{\"code\":" code ",\"message\":\"" text "\"}}"
#define ISSUES(text, issues)                                                                       \
    "\"error\":{\"code\":-32602,\"message\":\"Invalid arguments for prompt review: " text          \
    "\",\"data\":{\"issues\":[" issues "]}}}"

static const struct wire_row rows[] = {
    {"\"name\":\"review\",\"arguments\":{\"code\":\"x\"}", REVIEW("Look at x (all, 0)"), NULL},
    {"\"name\":\"review\",\"arguments\":{\"code\":\"x\",\"focus\":\"y\",\"manner\":\"stern\"}",
     REVIEW("Look at x (y, 1)"), NULL},
    {"\"name\":\"embed\"",
     "\"result\":{\"description\":\"Made of \\\"parts\\\"\",\"messages\":[{\"role\":\"user\","
     "\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"c\"}}},"
     "{\"role\":\"user\",\"content\":{\"type\":\"image\",\"data\":\"AAEC\","
     "\"mimeType\":\"image/png\"}}]}}",
     NULL},
    {"\"name\":\"review\"",
     ISSUES("code: Invalid input: expected string, received undefined",
            "{\"expected\":\"string\",\"code\":\"invalid_type\",\"path\":[\"code\"],"
            "\"message\":\"Invalid input: expected string, received undefined\"}"),
     NULL},
    {"\"name\":\"review\",\"arguments\":null",
     ISSUES("code: Invalid input: expected string, received undefined",
            "{\"expected\":\"string\",\"code\":\"invalid_type\",\"path\":[\"code\"],"
            "\"message\":\"Invalid input: expected string, received undefined\"}"),
     NULL},
    {"\"name\":\"review\",\"arguments\":{\"code\":7}",
     ISSUES("code: Invalid input: expected string, received number",
            "{\"expected\":\"string\",\"code\":\"invalid_type\",\"path\":[\"code\"],"
            "\"message\":\"Invalid input: expected string, received number\"}"),
     NULL},
    {"\"name\":\"quiet\"", ERROR("-32603", "Internal error"), NULL},
    {"\"name\":\"wrong\"", ERROR("-32603", "Internal error"), NULL},
    {"\"name\":\"aloud\"", ERROR("-32603", "not today"), NULL},
    {"\"name\":\"shelf\"", ERROR("-32602", "There is no shelf 7."), NULL},
    {"\"name\":\"none\"", ERROR("-32602", "Prompt none not found"), NULL},
    {"\"name\":\"off\"", ERROR("-32602", "Prompt off disabled"), NULL},
    {"\"name\":7", ERROR("-32602", "Invalid params: \\\"name\\\" must be a string"), NULL},
    {"\"arguments\":{}", ERROR("-32602", "Invalid params: \\\"name\\\" must be a string"), NULL},
};

static void legacy(void **state)
{
    (void)state;
    wire_check_legacy(serve, "prompts/get", rows, COUNT_OF(rows));
}

static void modern(void **state)
{
    (void)state;
    wire_check_rows(serve, "2026-07-28", "prompts/get", rows, COUNT_OF(rows), "," WIRE_TAIL);
}

static void several_issues(void **state)
{
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);
    const char *answer;

    (void)state;
    wire_greet(wire, "2025-11-25");
    answer = wire_call(wire, "prompts/get",
                       "\"name\":\"review\",\"arguments\":{\"code\":\"\",\"manner\":\"odd\","
                       "\"more\":1}");
    assert_int_equal(wire->error_code, -32602);
    assert_non_null(strstr(answer, "\"code\":\"too_small\""));
    assert_non_null(strstr(answer, "\"code\":\"invalid_value\""));
    assert_non_null(strstr(answer, "\"code\":\"unrecognized_keys\""));
    answer = wire_call(wire, "prompts/get", "\"name\":\"review\",\"arguments\":[]");
    assert_int_equal(wire->error_code, -32602);
    assert_non_null(strstr(answer, "expected object, received array"));
    wire_close(wire);
    haft_server_free(server);
}

static void asking(void **state)
{
    static const unsigned char key[32] = "a key that seals what is kept";
    haft_server *server = serve(HAFT_WITH(haft_server_options, .seal_key = key));
    struct wire *wire = wire_open(server);
    char params[4096];
    const char *answer, *sealed;

    (void)state;
    wire_greet(wire, "2025-11-25");
    assert_string_equal(wire_call(wire, "prompts/get", "\"name\":\"ask\""),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
    wire_send(wire, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}");
    assert_string_equal(
        wire_next(wire),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"messages\":[" MESSAGE("user", "asked") "]}}");
    wire_greet(wire, "2026-07-28");
    answer = wire_call(wire, "prompts/get", "\"name\":\"ask\"");
    assert_non_null(strstr(answer, "\"resultType\":\"input_required\""));
    sealed = strstr(answer, "\"requestState\":");
    assert_non_null(sealed);
    snprintf(params, sizeof params,
             "\"name\":\"ask\",\"inputResponses\":{\"roots\":{\"roots\":[]}},%.*s",
             (int)(strstr(sealed, ",\"_meta\"") - sealed), sealed);
    assert_string_equal(wire_call(wire, "prompts/get", params),
                        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"messages\":[" MESSAGE(
                            "user", "asked") "]," WIRE_TAIL);
    assert_non_null(wire_call(wire, "prompts/get", "\"name\":\"ask\",\"requestState\":\"x\""));
    assert_int_equal(wire->error_code, -32602);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- listing and adding ---- */

static void listing(void **state)
{
    static const haft_prompt plain =
        HAFT_INIT(haft_prompt, .name = "plain", .title = "T", .meta = "{}", .get = embed);
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire = wire_open(server);

    (void)state;
    assert_int_equal(haft_prompt_add(server, &prompts[0]), 0);
    assert_int_equal(haft_prompt_add(server, &plain), 0);
    wire_greet(wire, "2025-11-25");
    assert_string_equal(
        wire_call(wire, "prompts/list", NULL),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"prompts\":[{\"name\":\"review\","
        "\"description\":\"Reviews\",\"arguments\":[{\"name\":\"code\",\"title\":\"Code\","
        "\"description\":\"What to look at\",\"required\":true},{\"name\":\"focus\","
        "\"description\":\"What matters\",\"required\":false},{\"name\":\"manner\","
        "\"description\":\"How to say it\",\"required\":false}]},"
        "{\"name\":\"plain\",\"title\":\"T\",\"_meta\":{}}]}}");
    wire_close(wire);
    haft_server_free(server);
}

static void refused(void **state)
{
    static const struct {
        haft_prompt prompt;
        int status;
        const char *reason;
    } table[] = {
        {{.get = embed}, HAFT_EINVAL, "a name must not be empty"},
        {{.name = "a"}, HAFT_EINVAL, "the handler is missing"},
        {{.name = "a", .get = embed, .meta = "7"}, HAFT_EINVAL, "_meta must be a JSON object"},
        {{.name = "a", .get = embed, .arguments = &wrong_args_type},
         HAFT_ESCHEMA,
         "arguments: depth: an argument of a prompt must be a string"},
        {{.name = "a", .get = embed, .arguments = &null_args_type},
         HAFT_ESCHEMA,
         "arguments: code: an argument of a prompt must be a string"},
        {{.name = "a", .get = embed, .arguments = &list_args_type},
         HAFT_ESCHEMA,
         "arguments must be a struct"},
        {{.name = "a", .get = embed, .description = "\xFF"},
         HAFT_EUTF8,
         "cannot be listed: invalid UTF-8"},
        {{.name = "embed", .get = embed}, HAFT_EEXISTS, "Prompt embed is already registered"},
    };
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        haft_prompt prompt = table[i].prompt; /* which is refused, so nobody keeps it */
        int status = haft_prompt_add(server, (prompt.struct_size = sizeof prompt, &prompt));

        assert_string_equal(haft_server_error(server)->text, table[i].reason);
        assert_int_equal(status, table[i].status);
    }
    haft_server_free(server);
}

/* A renamed prompt answers, and complains, under its new name. */
static void renamed(void **state)
{
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);

    (void)state;
    assert_int_equal(haft_offer_rename(server, HAFT_OFFER_PROMPT, "review", "look"), 0);
    wire_greet(wire, "2025-11-25");
    assert_non_null(strstr(wire_call(wire, "prompts/get", "\"name\":\"look\""),
                           "Invalid arguments for prompt look: "));
    assert_non_null(strstr(wire_call(wire, "prompts/get", "\"name\":\"review\""), "not found"));
    wire_close(wire);
    haft_server_free(server);
}

/* ---- memory ---- */

static void no_memory(void **state)
{
    static const char *const requests[] = {"\"name\":\"review\",\"arguments\":{\"code\":\"x\"}",
                                           "\"name\":\"review\"", "\"name\":\"embed\"",
                                           "\"name\":\"aloud\"", "\"name\":\"none\""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(requests); i++)
        wire_check_memory(serve, "prompts/get", requests[i], "\"name\":\"embed\"");
}

static void no_memory_adding(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        int status;

        failing_init(&failing, 0);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        assert_non_null(server);
        failing.fail_at = failing.calls + nth;
        status = haft_prompt_add(server, &prompts[0]);
        assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legacy),           cmocka_unit_test(modern),
        cmocka_unit_test(asking),           cmocka_unit_test(several_issues),
        cmocka_unit_test(listing),          cmocka_unit_test(refused),
        cmocka_unit_test(renamed),          cmocka_unit_test(no_memory),
        cmocka_unit_test(no_memory_adding),
    };

    return cmocka_run_group_tests_name("prompt", tests, NULL, NULL);
}
