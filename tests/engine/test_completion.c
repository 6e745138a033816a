/* test_completion.c - completion of a prompt's arguments and a template's variables. */
#include <haft/engine.h>
#include <stdio.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"
#include "support/wire.h"

/* ---- what is served ---- */

HAFT_STRUCT(greet_args, HAFT_STRING(language, "Of the greeting"),
            HAFT_OPTIONAL(HAFT_STRING(name, "Of the person")));

static int get(haft_call *call, const void *arguments)
{
    (void)arguments;
    return haft_text(call, "hello");
}

static int read_it(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = ""});
}

/* Languages that begin with the value; for a name, what the context says about the language. */
static int complete_greeting(haft_call *call, const char *argument, const char *value)
{
    static const char *const languages[] = {"en", "eo", "fr", "\"q\""};
    const char *language = haft_completion_context(call, "language");
    int status = 0;

    if (!strcmp(argument, "name"))
        return haft_completion_add(call, language ? language : "nobody");
    for (size_t i = 0; !status && i < COUNT_OF(languages); i++)
        if (!strncmp(languages[i], value, strlen(value)))
            status = haft_completion_add(call, languages[i]);
    return status;
}

/* As many as the value says. */
static int complete_many(haft_call *call, const char *argument, const char *value)
{
    int n = 0, status = 0;

    (void)argument;
    sscanf(value, "%d", &n);
    for (int i = 0; !status && i < n; i++)
        status = haft_completion_add(call, "v");
    return status;
}

static int complete_badly(haft_call *call, const char *argument, const char *value)
{
    (void)argument;
    if (!strcmp(value, "again"))
        return HAFT_AGAIN;
    if (!strcmp(value, "utf8"))
        return haft_completion_add(call, "\xFF");
    if (!strcmp(value, "text"))
        haft_text(call, "is not looked at");
    if (!strcmp(value, "aloud"))
        return haft_error(call, "no idea");
    return strcmp(value, "text") ? HAFT_EINVAL : haft_completion_add(call, "ok");
}

static const haft_prompt prompts[] = {
    HAFT_INIT(haft_prompt, .name = "greet", .arguments = &greet_args_type, .get = get,
              .complete = complete_greeting),
    HAFT_INIT(haft_prompt, .name = "mute", .arguments = &greet_args_type, .get = get),
    HAFT_INIT(haft_prompt, .name = "bad", .arguments = &greet_args_type, .get = get,
              .complete = complete_badly),
    HAFT_INIT(haft_prompt, .name = "off", .arguments = &greet_args_type, .get = get,
              .complete = complete_greeting),
};
static const haft_resource many = HAFT_INIT(haft_resource, .uri = "many://{n}{?m}", .name = "many",
                                            .read = read_it, .complete = complete_many);
static const haft_resource fixed = HAFT_INIT(haft_resource, .uri = "many://fixed", .name = "fixed",
                                             .read = read_it, .complete = complete_many);

static haft_server *serve(const haft_server_options *options)
{
    haft_server *server = haft_server_new_with("test", "1", options);

    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(prompts); i++)
        assert_int_equal(haft_prompt_add(server, &prompts[i]), 0);
    assert_int_equal(haft_template_add(server, &many), 0);
    assert_int_equal(haft_resource_add(server, &fixed), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_PROMPT, "off"), 0);
    return server;
}

/* ---- completing ---- */

#define PROMPT(name) "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"" name "\"},"
#define RESOURCE(uri) "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"" uri "\"},"
#define ARGUMENT(name, value) "\"argument\":{\"name\":\"" name "\",\"value\":\"" value "\"}"
#define VALUES(values, total)                                                                      \
    "\"result\":{\"completion\":{\"values\":[" values "],\"total\":" total ",\"hasMore\":false}}}"
#define REFUSED(text) "\"error\":{\"code\":-32602,\"message\":\"" text "\"}}"
#define FAILED(text) "\"error\":{\"code\":-32603,\"message\":\"" text "\"}}"

static const struct wire_row rows[] = {
    {PROMPT("greet") ARGUMENT("language", "e"), VALUES("\"en\",\"eo\"", "2"), NULL},
    {PROMPT("greet") ARGUMENT("language", ""), VALUES("\"en\",\"eo\",\"fr\",\"\\\"q\\\"\"", "4"),
     NULL},
    {PROMPT("greet") ARGUMENT("language", "x"), VALUES("", "0"), NULL},
    {PROMPT("greet") ARGUMENT("name", ""), VALUES("\"nobody\"", "1"), NULL},
    {PROMPT("greet") ARGUMENT("name", "") ",\"context\":{\"arguments\":{\"language\":\"fr\"}}",
     VALUES("\"fr\"", "1"), NULL},
    {PROMPT("greet") ARGUMENT("name", "") ",\"context\":{\"arguments\":{\"language\":7}}",
     VALUES("\"nobody\"", "1"), NULL},
    {PROMPT("greet") ARGUMENT("name", "") ",\"context\":[]", VALUES("\"nobody\"", "1"), NULL},
    {PROMPT("greet") ARGUMENT("other", "e"), VALUES("", "0"), NULL},
    {PROMPT("mute") ARGUMENT("language", "e"), VALUES("", "0"), NULL},
    {RESOURCE("many://{n}{?m}") ARGUMENT("n", "2"), VALUES("\"v\",\"v\"", "2"), NULL},
    {RESOURCE("many://{n}{?m}") ARGUMENT("m", "1"), VALUES("\"v\"", "1"), NULL},
    {RESOURCE("many://{n}{?m}") ARGUMENT("x", "1"), VALUES("", "0"), NULL},
    {RESOURCE("many://fixed") ARGUMENT("n", "1"), VALUES("", "0"), NULL},
    {PROMPT("bad") ARGUMENT("name", ""), FAILED("Internal error"), NULL},
    {PROMPT("bad") ARGUMENT("name", "again"), FAILED("Internal error"), NULL},
    {PROMPT("bad") ARGUMENT("name", "utf8"), FAILED("Internal error"), NULL},
    {PROMPT("bad") ARGUMENT("name", "aloud"), FAILED("no idea"), NULL},
    {PROMPT("bad") ARGUMENT("name", "text"), VALUES("\"ok\"", "1"), NULL},
    {PROMPT("none") ARGUMENT("name", ""), REFUSED("Prompt none not found"), NULL},
    {PROMPT("off") ARGUMENT("name", ""), REFUSED("Prompt off disabled"), NULL},
    {RESOURCE("many://{x}") ARGUMENT("x", ""), REFUSED("Resource template many://{x} not found"),
     NULL},
    {"\"ref\":{\"type\":\"ref/tool\",\"name\":\"x\"}," ARGUMENT("x", ""),
     REFUSED("Invalid params: \\\"ref.type\\\" must be ref/prompt or ref/resource"), NULL},
    {"\"ref\":{\"type\":\"ref/prompt\"}," ARGUMENT("x", ""),
     REFUSED("Invalid params: \\\"ref.name\\\" must be a string"), NULL},
    {"\"ref\":{\"type\":\"ref/resource\",\"name\":\"x\"}," ARGUMENT("x", ""),
     REFUSED("Invalid params: \\\"ref.uri\\\" must be a string"), NULL},
    {ARGUMENT("x", ""),
     REFUSED("Invalid params: \\\"ref.type\\\" must be ref/prompt or ref/resource"), NULL},
    {PROMPT("greet") "\"argument\":{\"name\":\"language\"}",
     REFUSED("Invalid params: \\\"argument.value\\\" must be a string"), NULL},
    {PROMPT("greet") "\"argument\":{\"name\":7,\"value\":\"\"}",
     REFUSED("Invalid params: \\\"argument.name\\\" must be a string"), NULL},
    {PROMPT("greet") ARGUMENT("language", "e\\u0000"),
     REFUSED("Invalid params: \\\"argument.value\\\" must be a string"), NULL},
    {PROMPT("greet") "\"argument\":null",
     REFUSED("Invalid params: \\\"argument.name\\\" must be a string"), NULL},
};

static void legacy(void **state)
{
    (void)state;
    wire_check_legacy(serve, "completion/complete", rows, COUNT_OF(rows));
}

static void modern(void **state)
{
    (void)state;
    wire_check_rows(serve, "2026-07-28", "completion/complete", rows, COUNT_OF(rows),
                    "," WIRE_TAIL);
}

/* A hundred are sent, the others counted. */
static void too_many(void **state)
{
    static const struct {
        const char *value, *end;
        size_t sent;
    } table[] = {
        {"99", "],\"total\":99,\"hasMore\":false}}}", 99},
        {"100", "],\"total\":100,\"hasMore\":false}}}", 100},
        {"101", "],\"total\":101,\"hasMore\":true}}}", 100},
        {"5000", "],\"total\":5000,\"hasMore\":true}}}", 100},
    };
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);

    (void)state;
    wire_greet(wire, "2025-11-25");
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        char params[256];
        const char *answer;
        size_t sent = 0;

        snprintf(params, sizeof params,
                 RESOURCE("many://{n}{?m}") "\"argument\":{\"name\":\"n\",\"value\":\"%s\"}",
                 table[i].value);
        answer = wire_call(wire, "completion/complete", params);
        for (const char *p = answer; (p = strstr(p, "\"v\"")); p++)
            sent++;
        assert_int_equal(sent, table[i].sent);
        assert_string_equal(answer + strlen(answer) - strlen(table[i].end), table[i].end);
    }
    wire_close(wire);
    haft_server_free(server);
}

/* haft_completion_add has no place in a result of another kind. */
static int complete_out_of_place(haft_call *call, const void *arguments)
{
    (void)arguments;
    assert_int_equal(haft_completion_add(call, "x"), HAFT_EINVAL);
    assert_null(haft_completion_context(call, "x"));
    return haft_text(call, "hello");
}

static void out_of_place(void **state)
{
    static const haft_prompt prompt =
        HAFT_INIT(haft_prompt, .name = "p", .get = complete_out_of_place);
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire = wire_open(server);

    (void)state;
    assert_int_equal(haft_prompt_add(server, &prompt), 0);
    wire_greet(wire, "2025-11-25");
    assert_non_null(wire_call(wire, "prompts/get", "\"name\":\"p\""));
    assert_int_equal(wire->error_code, 0);
    wire_close(wire);
    haft_server_free(server);
}

static void no_memory(void **state)
{
    (void)state;
    wire_check_memory(serve, "completion/complete", RESOURCE("many://{n}{?m}") ARGUMENT("n", "200"),
                      PROMPT("greet") ARGUMENT("language", "e"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legacy),       cmocka_unit_test(modern),    cmocka_unit_test(too_many),
        cmocka_unit_test(out_of_place), cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
