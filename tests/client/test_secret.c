/* test_secret.c - what is marked as secret is in nothing that leaves the server: no line of the
 * audit, no line of the log, no issue; however wrong the arguments are that hold it. */
#include <haft.h>
#include <stdio.h>
#include <string.h>
#include <yyjson.h>

#include "support/test.h"

#define SECRET "hunter2-correct-horse"

HAFT_ENUMERATION(pace, fast, slow);
HAFT_STRUCT(door, HAFT_STRING(pin, "Opens it", .secret = true, .pattern = "^[0-9]+$"),
            HAFT_STRING(name, "Which"));
HAFT_STRUCT(login_args,
    HAFT_STRING(user, "Who"),
    HAFT_OPTIONAL(HAFT_STRING(token, "Proof", .secret = true, .min = 30, .starts = "tok_")),
    HAFT_OPTIONAL(HAFT_INTEGER(code, "A number", .secret = true, .max = 3)),
    HAFT_OPTIONAL(HAFT_ENUM(mode, pace, "How", .secret = true)),
    HAFT_OPTIONAL(HAFT_ARRAY(doors, HAFT_OBJECT(one, door, "A door"), "Doors")),
    HAFT_OPTIONAL(HAFT_MAP(keys, HAFT_STRING(key, "A key", .secret = true), "Keys")),
    HAFT_OPTIONAL(HAFT_NUMBER(size, "How big")));

static int login(haft_call *call, const login_args *in)
{
    return haft_text(call, "hello %s", in->user);
}
HAFT_TOOL_IN(login, login_args, "Lets somebody in", .lenient = HAFT_YES);

static int answer(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "ok");
}

/* All that leaves. */
static char audit[4096], everything[1 << 16];

static void keep(const char *text, size_t size)
{
    snprintf(everything + strlen(everything), sizeof everything - strlen(everything), "%.*s\n",
             (int)size, text);
}

static void keep_audit(void *context, const char *line, size_t size)
{
    (void)context;
    snprintf(audit, sizeof audit, "%.*s", (int)size, line);
    keep(line, size);
}

static void keep_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    keep(text, size);
}

static void watch(void *context, bool sent, const char *text, size_t size)
{
    (void)context;
    if (!sent)
        keep(text, size);
}

static haft_server *make(haft_audit_mode mode)
{
    static const char document[] =
        "{\"type\":\"object\",\"properties\":{\"user\":{\"type\":\"string\"},"
        "\"password\":{\"type\":\"string\",\"format\":\"password\",\"maxLength\":5},"
        "\"token\":{\"$ref\":\"#/$defs/token\"},\"either\":{\"anyOf\":[{\"type\":\"integer\"},"
        "{\"$ref\":\"#/$defs/token\"}]},\"kind\":{\"writeOnly\":true,\"enum\":[\"a\",\"b\"]},"
        "\"list\":{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"$ref\":"
        "\"#/$defs/token\"}]},\"any\":{},"
        "\"more\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
        "\"patternProperties\":{\"^x-\":{\"writeOnly\":true}}},"
        "\"rest\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
        "\"additionalProperties\":{\"writeOnly\":true}}},"
        "\"$defs\":{\"token\":{\"type\":\"string\",\"writeOnly\":true,\"maxLength\":5}}}";
    haft_server *server =
        haft_server_new_with("vault", "1.0.0", HAFT_WITH(haft_server_options, .log = keep_log));
    haft_tool_builder *builder = haft_tool_new("document");
    haft_builder *b = haft_builder_new(NULL);
    haft_schema *schema = NULL;

    assert_int_equal(haft_schema_parse(document, sizeof document - 1, NULL, &schema, NULL), 0);
    haft_tool_describe(builder, "Has a document");
    haft_tool_input(builder, schema);
    haft_tool_handler(builder, answer, NULL);
    haft_tool_lenient(builder, HAFT_YES);
    assert_int_equal(haft_add(server, &login_tool), 0);
    assert_int_equal(haft_tool_build(builder, server), 0);
    assert_int_equal(haft_schema_build(b,
                                       haft_def_object(b, "user", haft_def_string(b), "token",
                                                       haft_def_optional(haft_def_max_length(
                                                           haft_def_secret(haft_def_string(b)), 5)),
                                                       NULL),
                                       &schema, NULL),
                     0);
    builder = haft_tool_new("built");
    haft_tool_describe(builder, "Is built");
    haft_tool_input(builder, schema);
    haft_tool_handler(builder, answer, NULL);
    assert_int_equal(haft_tool_build(builder, server), 0);
    assert_int_equal(haft_audit_add(server, keep_audit, NULL), 0);
    haft_audit_set_mode(server, mode);
    return server;
}

static const struct secret_row {
    const char *tool, *arguments, *redacted; /* as the audit has them */
} rows[] = {
    {"login", "{'user':'eve'}", "{'user':'eve'}"},
    {"login", "{'user':'eve','token':'tok_S-long-enough-for-it'}", "{'user':'eve','token':'***'}"},
    {"login", "{'user':'eve','token':'S'}", "{'user':'eve','token':'***'}"},
    {"login", "{'user':'eve','token':{'deep':['S']}}", "{'user':'eve','token':'***'}"},
    {"login", "{'user':'eve','tokn':'S'}", "{'user':'eve','tokn':'***'}"},
    {"login", "{'user':'eve','code':'S'}", "{'user':'eve','code':'***'}"},
    {"login", "{'user':'eve','code':4}", "{'user':'eve','code':'***'}"},
    {"login", "{'user':'eve','mode':'S'}", "{'user':'eve','mode':'***'}"},
    {"login", "{'user':'eve','doors':[{'pin':'S','name':'front'},{'pin':'7','name':'back'}]}",
     "{'user':'eve','doors':[{'pin':'***','name':'front'},{'pin':'***','name':'back'}]}"},
    /* repaired, and then redacted */
    {"login", "{'user':'eve','doors':'[{~pin~:~77~,~name~:~front~}]'}",
     "{'user':'eve','doors':[{'pin':'***','name':'front'}]}"},
    /* not to be repaired */
    {"login", "{'user':'eve','doors':'[{~pin~:~S~,~name~:~front~}]'}",
     "{'user':'eve','doors':'***'}"},
    {"login", "{'user':'eve','doors':['S']}", "{'user':'eve','doors':['***']}"},
    {"login", "{'user':'eve','doors':{'0':{'pin':'S'}}}", "{'user':'eve','doors':{'0':'***'}}"},
    {"login", "{'user':'eve','keys':{'a':'S','b':5}}",
     "{'user':'eve','keys':{'a':'***','b':'***'}}"},
    {"login", "{'user':{'name':'S'},'size':'big'}", "{'user':{'name':'***'},'size':'big'}"},
    {"built", "{'user':'eve','token':'S'}", "{'user':'eve','token':'***'}"},
    {"document", "{'user':'eve','password':'S'}", "{'user':'eve','password':'***'}"},
    {"document", "{'user':'eve','token':'S'}", "{'user':'eve','token':'***'}"},
    {"document", "{'user':'eve','either':'S'}", "{'user':'eve','either':'***'}"},
    {"document", "{'user':'eve','kind':'S'}", "{'user':'eve','kind':'***'}"},
    {"document", "{'user':'eve','list':['a','S','S']}", "{'user':'eve','list':['a','***','***']}"},
    {"document", "{'user':'eve','any':{'a':'S'}}", "{'user':'eve','any':{'a':'***'}}"},
    {"document", "{'user':'eve','other':'S'}", "{'user':'eve','other':'***'}"},
    {"document", "{'more':{'x-key':'S','y':'S'}}", "{'more':{'x-key':'***','y':'***'}}"},
    {"document", "{'rest':{'a':'b','c':'S'}}", "{'rest':{'a':'b','c':'***'}}"},
};

/* ' for a quote, ~ for one within a text, S for the secret. */
static const char *spelt(const char *text, char out[1024])
{
    size_t n = 0;

    for (; *text; text++) {
        const char *piece = *text == '\''  ? "\""
                            : *text == '~' ? "\\\""
                            : *text == 'S' ? SECRET
                                           : NULL;

        n += piece ? (size_t)snprintf(out + n, 1024 - n, "%s", piece) : 1;
        if (!piece)
            out[n - 1] = *text;
    }
    out[n] = '\0';
    return out;
}

static void check(haft_audit_mode mode)
{
    haft_server *server = make(mode);
    haft_client *client = haft_client_new(server, HAFT_WITH(haft_client_options, .watch = watch));
    char arguments[1024], redacted[1024];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_result result;

        *everything = '\0';
        assert_int_equal(
            haft_client_call(client, rows[i].tool, spelt(rows[i].arguments, arguments), &result),
            0);
        assert_null(strstr(everything, SECRET));
        assert_null(strstr(everything, "correct"));
        if (mode == HAFT_AUDIT_ARGUMENTS) {
            const char *found = strstr(audit, ",\"arguments\":");

            assert_non_null(found);
            spelt(rows[i].redacted, redacted);
            strncat(redacted, "}", sizeof redacted - strlen(redacted) - 1);
            assert_string_equal(found + strlen(",\"arguments\":"), redacted);
        } else {
            assert_non_null(strstr(audit, ",\"arguments\":\"siphash:"));
        }
    }
    haft_client_free(client);
    haft_server_free(server);
}

static void are_struck_out_of_arguments(void **state)
{
    (void)state;
    check(HAFT_AUDIT_ARGUMENTS);
}

static void are_not_in_the_digest(void **state)
{
    haft_server *server = make(HAFT_AUDIT_DIGEST);
    haft_client *client = haft_client_new(server, NULL);
    char first[sizeof audit];
    haft_result result;

    (void)state;
    check(HAFT_AUDIT_DIGEST);
    haft_client_call(client, "login", "{\"user\":\"eve\",\"code\":1}", &result);
    memcpy(first, strstr(audit, "siphash:"), 25);
    haft_client_call(client, "login", "{\"user\":\"eve\",\"code\":2}", &result);
    assert_memory_equal(first, strstr(audit, "siphash:"), 24);
    haft_client_call(client, "login", "{\"user\":\"bob\",\"code\":2}", &result);
    assert_memory_not_equal(first, strstr(audit, "siphash:"), 24);
    haft_client_free(client);
    haft_server_free(server);
}

static void give_way_to_a_digest_when_long(void **state)
{
    static char arguments[6000] = "{\"user\":\"";
    haft_server *server = make(HAFT_AUDIT_ARGUMENTS);
    haft_client *client = haft_client_new(server, NULL);
    haft_result result;

    (void)state;
    memset(arguments + strlen(arguments), 'x', 5000);
    strncat(arguments, "\"}", sizeof arguments - strlen(arguments) - 1);
    haft_client_call(client, "login", arguments, &result);
    assert_non_null(strstr(audit, "\"tool\":\"login\""));
    assert_non_null(strstr(audit, ",\"arguments\":\"siphash:"));
    haft_client_free(client);
    haft_server_free(server);
}

static void are_advertised_as_write_only(void **state)
{
    haft_server *server = make(HAFT_AUDIT_DIGEST);
    haft_client *client = haft_client_new(server, NULL);
    haft_buffer out;
    haft_result result;

    (void)state;
    assert_int_equal(haft_client_list(client, HAFT_OFFER_TOOL, &result), 0);
    haft_buffer_init(&out, NULL, 1 << 20);
    haft_json_write(result.content, &out);
    haft_buffer_add(&out, "", 1);
    assert_non_null(
        strstr(out.data, "\"token\":{\"type\":\"string\",\"maxLength\":5,\"writeOnly\":true}"));
    assert_non_null(strstr(out.data, "\"description\":\"Proof\",\"writeOnly\":true"));
    assert_non_null(strstr(out.data, "\"description\":\"Who\"}"));
    haft_buffer_finish(&out);
    haft_client_free(client);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_struck_out_of_arguments),
        cmocka_unit_test(are_not_in_the_digest),
        cmocka_unit_test(give_way_to_a_digest_when_long),
        cmocka_unit_test(are_advertised_as_write_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
