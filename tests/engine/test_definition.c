/* Tools whose definition comes as JSON: what becomes of it, and what is refused where. */
#include <haft.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/failing.h"
#include "support/test.h"

static int echo(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    return haft_text(call, "%s", (const char *)data);
}

static char greeting[] = "hello";

/* ' stands for ". */
static int add(haft_server *server, const char *text)
{
    char json[2048];
    haft_tool_builder *builder;

    assert_true(strlen(text) < sizeof json);
    strncpy(json, text, sizeof json);
    for (char *at = json; (at = strchr(at, '\'')); at++)
        *at = '"';
    builder = haft_tool_parse(server, json, strlen(json));
    haft_tool_handler(builder, echo, greeting);
    return haft_tool_build(builder, server);
}

#define WHOLE                                                                                      \
    "{'name':'greet','title':'Greets','description':'Says hello','inputSchema':{'type':'object',"  \
    "'properties':{'who':{'type':'string'}},'required':['who']},'outputSchema':{'type':'object'}," \
    "'annotations':{'title':'T','readOnlyHint':true,'destructiveHint':false,"                      \
    "'idempotentHint':true,'openWorldHint':false,'custom':{'rateLimit':{'windowMs':60000,"         \
    "'max':1}}},'icons':[{'src':'https://x/i.png','mimeType':'image/png','sizes':['48x48','any']," \
    "'theme':'dark'}],'_meta':{'a':[1]}}"

static void a_definition_becomes_a_tool(void **state)
{
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(add(server, WHOLE), 0);
    assert_int_equal(add(server, "{'name':'bare','execution':{'taskSupport':'forbidden'}}"), 0);
    dialogue_alone(
        server,
        LINES("M 1 tools/list",
              "= 1 {'tools':[{'name':'greet','title':'Greets','description':'Says hello',"
              "'inputSchema':{'type':'object','properties':{'who':{'type':'string'}},"
              "'required':['who']},'annotations':{'title':'T','readOnlyHint':true,"
              "'destructiveHint':false,'idempotentHint':true,'openWorldHint':false},"
              "'icons':[{'src':'https://x/i.png','mimeType':'image/png','sizes':['48x48','any'],"
              "'theme':'dark'}],'_meta':{'a':[1]},'outputSchema':{'type':'object'}},"
              "{'name':'bare','inputSchema':{'type':'object','properties':{}}}]*",
              "M 2 tools/call 'name':'bare'", "= 2 {'content':[{'type':'text','text':'hello'}],$T}",
              "M 3 tools/call 'name':'greet','arguments':{}",
              "= 3 {'content':[{'type':'text','text':'Input validation error: *",
              "M 4 tools/call 'name':'greet','arguments':{'who':'x'}",
              "= 4 {'content':[{'type':'text','text':'Rate limited: greet may be called 1 time "
              "in 60 s. Try again in 60 s.'}],'isError':true,*'haft/retryAfterMs':60000*"));
    haft_server_free(server);
}

/* The same by functions, whose texts are gone when it is listed. */
static void a_builder_says_as_much(void **state)
{
    static const char document[] =
        "{\"type\":\"object\",\"properties\":{\"who\":{\"type\":\"string\"}}}";
    char src[] = "https://x/i.png", sizes[] = "48x48 any";
    haft_icon icons[] = {{src, "image/png", sizes, "dark"}, {.src = "data:image/png;base64,AA=="}};
    haft_server *server = haft_server_new("test", "1");
    haft_tool_builder *builder = haft_tool_new("greet");
    haft_schema *schema;

    (void)state;
    assert_int_equal(haft_schema_parse(document, strlen(document), NULL, &schema, NULL), 0);
    haft_tool_title(builder, "Greets");
    haft_tool_describe(builder, "Says hello");
    haft_tool_annotate(builder, (haft_annotations){.title = "T", .read_only = HAFT_YES});
    haft_tool_icons(builder, icons, 2);
    haft_tool_meta(builder, "{\"a\":[1]}");
    haft_tool_input(builder, schema);
    haft_tool_handler(builder, echo, greeting);
    memset(src, 'x', sizeof src - 1);
    memset(sizes, 'x', sizeof sizes - 1);
    assert_int_equal(haft_tool_build(builder, server), 0);
    dialogue_alone(
        server,
        LINES("M 1 tools/list",
              "= 1 {'tools':[{'name':'greet','title':'Greets','description':'Says hello',"
              "'inputSchema':{'type':'object','properties':{'who':{'type':'string'}}},"
              "'annotations':{'title':'T','readOnlyHint':true},'icons':[{'src':'https://x/i.png',"
              "'mimeType':'image/png','sizes':['48x48','any'],'theme':'dark'},"
              "{'src':'data:image/png;base64,AA=='}],'_meta':{'a':[1]}}]*"));
    builder = haft_tool_new("iconless");
    haft_tool_icons(builder, &(haft_icon){.theme = "dark"}, 1);
    haft_tool_handler(builder, echo, greeting);
    assert_int_equal(haft_tool_build(builder, server), HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->text, "icons.0: src is not an absolute URI");
    haft_tool_icons(NULL, icons, 2);
    haft_server_free(server);
}

static void what_is_wrong_is_refused_by_its_path(void **state)
{
    static const struct {
        const char *json;
        int status;
        const char *path, *text;
    } rows[] = {
        {"{", HAFT_EPARSE, "", "*"},
        {"{'name':'t','name':'t'}", HAFT_EPARSE, "", "the key \"name\" occurs more than once"},
        {"[]", HAFT_EINVAL, "", "must be an object"},
        {"{}", HAFT_EINVAL, "name", "is missing"},
        {"{'name':5}", HAFT_EINVAL, "name", "must be a string"},
        {"{'name':'t\\u0000'}", HAFT_EINVAL, "name", "tool t: must not contain U+0000"},
        {"{'name':'a b'}", HAFT_EINVAL, "a b",
         "a name may contain only letters, digits, '_', '-' and '.'"},
        {"{'name':'t','descripton':'x'}", HAFT_EINVAL, "descripton",
         "tool t: unknown member; did you mean \"description\"?"},
        {"{'name':'t','handler':1}", HAFT_EINVAL, "handler", "tool t: unknown member"},
        {"{'name':'t','title':null}", HAFT_EINVAL, "title", "tool t: must be a string"},
        {"{'name':'t','inputSchema':{}}", HAFT_EINVAL, "inputSchema.type",
         "tool t: must be \"object\""},
        {"{'name':'t','inputSchema':{'type':'object','minProperties':-1}}", HAFT_ESCHEMA,
         "inputSchema", "tool t: *"},
        {"{'name':'t','outputSchema':5}", HAFT_ESCHEMA, "outputSchema", "tool t: *"},
        {"{'name':'t','annotations':[]}", HAFT_EINVAL, "annotations", "tool t: must be an object"},
        {"{'name':'t','annotations':{'readOnlyHint':'yes'}}", HAFT_EINVAL,
         "annotations.readOnlyHint", "tool t: must be true or false"},
        {"{'name':'t','annotations':{'readonlyHint':true}}", HAFT_EINVAL,
         "annotations.readonlyHint", "tool t: unknown member; did you mean \"readOnlyHint\"?"},
        {"{'name':'t','annotations':{'custom':{'ratelimit':{}}}}", HAFT_EINVAL,
         "annotations.custom.ratelimit", "tool t: unknown member; did you mean \"rateLimit\"?"},
        {"{'name':'t','annotations':{'custom':{'rateLimit':{'max':5}}}}", HAFT_EINVAL,
         "annotations.custom.rateLimit.windowMs", "tool t: is missing"},
        {"{'name':'t','annotations':{'custom':{'rateLimit':{'max':0,'windowMs':1}}}}", HAFT_EINVAL,
         "annotations.custom.rateLimit.max", "tool t: must be a positive integer"},
        {"{'name':'t','annotations':{'custom':{'rateLimit':{'max':1,'windowMs':1.5}}}}",
         HAFT_EINVAL, "annotations.custom.rateLimit.windowMs",
         "tool t: must be a positive integer"},
        {"{'name':'t','annotations':{'custom':{'rateLimit':{'max':4294967296,'windowMs':1}}}}",
         HAFT_EINVAL, "annotations.custom.rateLimit.max", "tool t: must be a positive integer"},
        {"{'name':'t','annotations':{'custom':{'rateLimit':{'max':1000001,'windowMs':1}}}}",
         HAFT_EINVAL, "t", "a rate must be 1 to 1000000 calls per interval"},
        {"{'name':'t','execution':{'taskSupport':true}}", HAFT_EINVAL, "execution.taskSupport",
         "tool t: must be \"forbidden\", \"optional\" or \"required\""},
        {"{'name':'t','execution':5}", HAFT_EINVAL, "execution", "tool t: must be an object"},
        {"{'name':'t','icons':{}}", HAFT_EINVAL, "icons", "tool t: must be an array"},
        {"{'name':'t','icons':[{'src':'a:b'},{'src':'i.png'}]}", HAFT_EINVAL, "t",
         "icons.1: src is not an absolute URI"},
        {"{'name':'t','icons':[{'src':'a:b','theme':'grey'}]}", HAFT_EINVAL, "t",
         "icons.0: the theme must be \"light\" or \"dark\""},
        {"{'name':'t','icons':[{'src':'x'},{}]}", HAFT_EINVAL, "icons.1.src", "tool t: is missing"},
        {"{'name':'t','icons':[{'src':'x','sizes':'48x48'}]}", HAFT_EINVAL, "icons.0.sizes",
         "tool t: must be an array of strings such as \"48x48\""},
        {"{'name':'t','icons':[{'src':'x','sizes':['a b']}]}", HAFT_EINVAL, "icons.0.sizes",
         "tool t: must be an array of strings such as \"48x48\""},
        {"{'name':'t','_meta':1}", HAFT_EINVAL, "_meta", "tool t: must be an object"},
    };
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const haft_reason *reason = haft_server_error(server);
        const char *star = strchr(rows[i].text, '*');

        if (add(server, rows[i].json) != rows[i].status || strcmp(reason->path, rows[i].path) ||
            strncmp(reason->text, rows[i].text,
                    star ? (size_t)(star - rows[i].text) : strlen(rows[i].text) + 1))
            fail_msg("%s: %d at %s: %s", rows[i].json, reason->code, reason->path, reason->text);
    }
    haft_server_free(server);
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;

        failing_init(&failing, nth);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        if (server) {
            int status = add(server, WHOLE);

            /* What only a line of the log would have needed is no loss. */
            assert_true(status == HAFT_ENOMEM ? failing.failures > 0 : !status);
        }
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_becomes_a_tool),
        cmocka_unit_test(a_builder_says_as_much),
        cmocka_unit_test(what_is_wrong_is_refused_by_its_path),
        cmocka_unit_test(without_memory_nothing_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
