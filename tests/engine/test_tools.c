/* test_tools.c - tools/call: arguments in, results out, in every revision. */
#include <haft/pipeline.h>
#include <stdio.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

HAFT_STRUCT(search_args, HAFT_STRING(query, "What to look for", .min = 1),
            HAFT_OPTIONAL(HAFT_INTEGER(limit, "How many", .min = 1, .max = 50)));

static int search(haft_call *call, const search_args *in)
{
    return haft_text(call, "%s %d", in->query, in->has_limit ? (int)in->limit : -1);
}
HAFT_TOOL_IN(search, search_args, "Searches");

static int bare(haft_call *call)
{
    return haft_text(call, "bare");
}
HAFT_TOOL_BARE(bare, "Takes nothing");

HAFT_STRUCT(item, HAFT_STRING(name, "Its name"),
            HAFT_OPTIONAL(HAFT_NUMBER(price, "What it costs", .min = 0)),
            HAFT_NULLABLE(HAFT_STRING(note, "What else")));
HAFT_LIST(items, HAFT_INTEGER(number, "A number"), "Numbers");

static int give_item(haft_call *call, item *out)
{
    (void)call;
    *out = (item){.name = "mug", .has_price = true, .price = 2.5, .null_note = true};
    return 0;
}
HAFT_TOOL_OUT(give_item, item, "Gives an object");

static int give_bad(haft_call *call, item *out)
{
    (void)call;
    *out = (item){.name = "mug", .has_price = true, .price = -1, .note = "n"};
    return 0;
}
HAFT_TOOL_OUT(give_bad, item, "Gives what it should not");

static int give_list(haft_call *call, items *out)
{
    int64_t *numbers = haft_call_alloc(call, 2 * sizeof *numbers);

    if (!numbers)
        return HAFT_ENOMEM;
    numbers[0] = 1;
    numbers[1] = 2;
    out->n_items = 2;
    out->items = numbers;
    return 0;
}
HAFT_TOOL_OUT(give_list, items, "Gives an array");

static int give_both(haft_call *call, item *out)
{
    *out = (item){.name = "mug", .note = "n"};
    return haft_text(call, "as text");
}
HAFT_TOOL_OUT(give_both, item, "Gives an object and blocks of its own");

static int give_error(haft_call *call, item *out)
{
    out->name = "mug";
    return haft_error(call, "No product named %s", "nope");
}
HAFT_TOOL_OUT(give_error, item, "Fails aloud");

static int fail_quietly(haft_call *call)
{
    haft_text(call, "a secret");
    return HAFT_ENOTFOUND;
}
HAFT_TOOL_BARE(fail_quietly, "Fails without a word");

static int fail_with_text(haft_call *call)
{
    haft_error(call, "because");
    return HAFT_EINVAL;
}
HAFT_TOOL_BARE(fail_with_text, "Fails with a word");

static int say_nothing(haft_call *call)
{
    (void)call;
    return 0;
}
HAFT_TOOL_BARE(say_nothing, "Says nothing");

static int bad_text(haft_call *call)
{
    return haft_text_bytes(call, "\xff", 1);
}
HAFT_TOOL_BARE(bad_text, "Says what is no text");

static int free_json(haft_call *call)
{
    return haft_json(call, "[1, {\"a\" : null}]", 17);
}
HAFT_TOOL_BARE(free_json, "Gives JSON without a schema");

static int meta(haft_call *call)
{
    int status = haft_result_meta(call, "acme/a", "{\n  \"b\": [1, 2]\n}");

    if (!status)
        status = haft_result_meta(call, "acme/c", "\"d\"");
    if (haft_result_meta(call, "acme/e", "{") >= 0)
        return HAFT_EINVAL;
    return status ? status : haft_text(call, "m");
}
HAFT_TOOL_BARE(meta, "Has more to say",
               .meta = "{\n \"acme/x\": \"a \\\" \\n b\",\t\"y\": [ 1 ]\n}");

/* Echoes its arguments as they came: they are no struct. */
static int raw(haft_call *call, haft_value *arguments, void *data)
{
    haft_buffer text;
    int status;

    (void)data;
    haft_buffer_init(&text, NULL, 1 << 20);
    haft_json_write(arguments, &text);
    status = haft_json(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}

#define RAW_SCHEMA                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"description\":\"A\"}}}"

static void add_raw(haft_server *server)
{
    haft_tool_builder *builder = haft_tool_new("raw");
    haft_schema *in, *out;

    assert_int_equal(haft_schema_parse(RAW_SCHEMA, strlen(RAW_SCHEMA), NULL, &in, NULL), 0);
    assert_int_equal(
        haft_schema_parse("{\"required\":[\"a\"],\"type\":\"object\"}", 34, NULL, &out, NULL), 0);
    haft_tool_describe(builder, "Echoes");
    haft_tool_input(builder, in);
    haft_tool_output(builder, out);
    haft_tool_handler(builder, raw, NULL);
    assert_int_equal(haft_tool_build(builder, server), 0);
}

static haft_server *serve(void)
{
    static const haft_tool *const tools[] = {
        &search_tool,         &bare_tool,        &give_item_tool,  &give_bad_tool,
        &give_list_tool,      &give_both_tool,   &give_error_tool, &fail_quietly_tool,
        &fail_with_text_tool, &say_nothing_tool, &bad_text_tool,   &free_json_tool,
        &meta_tool,
    };
    haft_server *server = haft_server_new("test", "1");

    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        assert_int_equal(haft_add(server, tools[i]), 0);
    add_raw(server);
    return server;
}

/* ---- calls ---- */

#define TEXT_BLOCK(text) "'content':[{'type':'text','text':'" text "'}]"
#define STRUCTURED(text, value) TEXT_BLOCK(text) ",'structuredContent':" value
#define FAILED(text) TEXT_BLOCK(text) ",'isError':true"
#define ISSUE(text) FAILED("Input validation error: Invalid arguments for tool " text)

/* Params of tools/call, and the members of the result for legacy clients and for modern ones; NULL
 * for the same. */
static const struct row {
    const char *params, *legacy, *modern;
} rows[] = {
    {"'name':'search','arguments':{'query':'mug'}", TEXT_BLOCK("mug -1"), NULL},
    {"'name':'search','arguments':{'query':'mug','limit':3}", TEXT_BLOCK("mug 3"), NULL},
    {"'name':'search','arguments':{'query':'m\\u00fcg \\n \\'x\\''}",
     TEXT_BLOCK("m\xc3\xbcg \\n \\'x\\' -1"), NULL},
    /* no arguments at all, null, or none: the same */
    {"'name':'bare'", TEXT_BLOCK("bare"), NULL},
    {"'name':'bare','arguments':null", TEXT_BLOCK("bare"), NULL},
    {"'name':'bare','arguments':{}", TEXT_BLOCK("bare"), NULL},
    {"'name':'bare','arguments':{'any':[1]}", TEXT_BLOCK("bare"), NULL},
    /* structured content */
    {"'name':'give_item'",
     STRUCTURED("{\\'name\\':\\'mug\\',\\'price\\':2.5,\\'note\\':null}",
                "{'name':'mug','price':2.5,'note':null}"),
     NULL},
    {"'name':'give_list'", STRUCTURED("[1,2]", "{'result':[1,2]}"), STRUCTURED("[1,2]", "[1,2]")},
    {"'name':'give_both'", STRUCTURED("as text", "{'name':'mug','note':'n'}"), NULL},
    {"'name':'free_json'", STRUCTURED("[1,{\\'a\\':null}]", "{'result':[1,{'a':null}]}"),
     STRUCTURED("[1,{\\'a\\':null}]", "[1,{'a':null}]")},
    {"'name':'raw','arguments':{'a':1,'b':2}", STRUCTURED("{\\'a\\':1,\\'b\\':2}", "{'a':1,'b':2}"),
     NULL},
    /* failures: never structured content, never what the model must not read */
    {"'name':'give_error'", FAILED("No product named nope"), NULL},
    {"'name':'give_bad'",
     FAILED("The tool returned a result that does not match its output schema."), NULL},
    {"'name':'raw'", FAILED("The tool returned a result that does not match its output schema."),
     NULL},
    {"'name':'fail_quietly'", FAILED("The tool failed."), NULL},
    {"'name':'fail_with_text'", FAILED("because"), NULL},
    {"'name':'bad_text'", FAILED("The tool failed."), NULL},
    {"'name':'say_nothing'", "'content':[]", NULL},
};

static void check_call(struct wire *wire, const struct row *row, bool modern)
{
    const char *members = modern && row->modern ? row->modern : row->legacy;
    char ask[512], expect[1024];

    snprintf(ask, sizeof ask, modern ? "M 1 tools/call %s" : "R 1 tools/call {%s}", row->params);
    snprintf(expect, sizeof expect, "= 1 {%s%s}", members, modern ? ",$T" : "");
    dialogue(wire, LINES(ask, expect));
}

static void checks_calls(void **state)
{
    static const char *const revisions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                            "2026-07-28"};
    haft_server *server = serve();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions); i++) {
        struct wire *wire = wire_open(server);

        wire_greet(wire, revisions[i]);
        for (size_t k = 0; k < COUNT_OF(rows); k++)
            check_call(wire, &rows[k], i == 4);
        wire_close(wire);
    }
    haft_server_free(server);
}

/* Bad arguments: every issue, as text and as data. */
#define UNDEFINED "Invalid input: expected string, received undefined"
#define NUMBER "Invalid input: expected string, received number"
#define MISSING                                                                                    \
    "{'expected':'string','code':'invalid_type','path':['query'],'message':'" UNDEFINED "'}"
#define THREE                                                                                      \
    "search: query: Too small: expected string to have >=1 characters, limit: Too big: "           \
    "expected number to be <=50, Unrecognized key: \\'x\\'*"
#define SERVER "'io.modelcontextprotocol/serverInfo':{'name':'test','version':'1'}"
#define ONE_ISSUE "'_meta':{" SERVER ",'haft/issues':[{*}]}"

static void checks_issues(void **state)
{
    haft_server *server = serve();

    (void)state;
    dialogue_alone(
        server,
        LINES("R 1 tools/call {'name':'search'}",
              "= 1 {" ISSUE("search: query: " UNDEFINED) ",'_meta':{'haft/issues':[" MISSING "]}}",
              "R 2 tools/call {'name':'search','arguments':{'query':'','limit':99,'x':1}}",
              "= 2 {" ISSUE(THREE) ",'_meta':{'haft/issues':[{*},{*},{*'unrecognized_keys'*}]}}",
              "M 3 tools/call 'name':'search','arguments':{'query':5}",
              "= 3 {" ISSUE("search: query: " NUMBER) ",'resultType':'complete'," ONE_ISSUE "}",
              "R 4 tools/call {'name':'raw','arguments':{'a':'b'}}",
              "= 4 {" ISSUE("raw: a: Invalid input: expected *, received string") ",'_meta':*"));
    haft_server_free(server);
}

static void refused(void **state)
{
    haft_server *server = serve();

    (void)state;
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "bare"), 0);
    dialogue_alone(
        server, LINES("R 1 tools/call {'name':'nope'}", "! 1 -32602 Tool nope not found",
                      "R 2 tools/call {'name':'bare'}", "! 2 -32602 Tool bare disabled",
                      "M 3 tools/call 'name':'bare'", "! 3 -32602 Tool bare disabled",
                      "R 4 tools/call {'name':'toString'}", "! 4 -32602 Tool toString not found",
                      "R 5 tools/call {'name':'__proto__'}", "! 5 -32602 Tool __proto__ not found",
                      "R 6 tools/call {'name':''}", "! 6 -32602 Tool  not found",
                      "R 7 tools/call {'name':'search\\u0000'}", "! 7 -32602 Tool search not found",
                      "R 8 tools/call {'name':'Search'}", "! 8 -32602 Tool Search not found",
                      "R 9 tools/call", "! 9 -32602 Invalid params: \\'name\\' must be a string",
                      "R 10 tools/call {'name':5}",
                      "! 10 -32602 Invalid params: \\'name\\' must be a string",
                      "R 11 tools/call {'name':'search','arguments':[]}",
                      "! 11 -32602 Invalid params: \\'arguments\\' must be an object",
                      "R 12 tools/call {'name':'search','arguments':'{}'}",
                      "! 12 -32602 Invalid params: \\'arguments\\' must be an object",
                      "R 13 tools/call {'name':'say_nothing','arguments':7}",
                      "! 13 -32602 Invalid params: \\'arguments\\' must be an object",
                      "R 14 tools/call {'name':'\xc3\xa9"
                      "\\u0001'}",
                      "! 14 -32602 Tool \xc3\xa9\\u0001 not found"));
    haft_server_free(server);
}

/* A name that is long is quoted in part, and never in the middle of a letter. */
static void long_name(void **state)
{
    haft_server *server = serve();
    struct wire *wire = wire_open(server);
    char name[402] = "x", ask[512], expect[512];

    (void)state;
    for (size_t i = 1; i + 1 < sizeof name - 1; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[401] = '\0';
    snprintf(ask, sizeof ask, "R 1 tools/call {'name':'%s'}", name);
    snprintf(expect, sizeof expect, "! 1 -32602 Tool %.199s not found", name);
    dialogue(wire, LINES(ask, expect));
    wire_close(wire);
    haft_server_free(server);
}

/* JSON of the program's own stays on one line. */
static void checks_meta(void **state)
{
    haft_server *server = serve();

    (void)state;
    dialogue_alone(server,
                   LINES("R 1 tools/call {'name':'meta'}",
                         "= 1 {" TEXT_BLOCK("m") ",'_meta':{'acme/a':{'b':[1,2]},'acme/c':'d'}}",
                         "R 2 tools/list", "< *'_meta':{'acme/x':'a \\' \\n b','y':[1]}*"));
    haft_server_free(server);
}

/* Members that one call puts into `_meta`, and what is there in the end. */
static const struct meta_row {
    struct {
        const char *key, *json;
        int status;
    } puts[4];
    const char *meta;
} meta_rows[] = {
    {{{"a", "1", 0}, {"a", "2", 0}}, "{'a':2}"},
    {{{"a", "1", 0}, {"b", "2", 0}, {"a", "3", 0}}, "{'b':2,'a':3}"},
    {{{"a", "1", 0}, {"b", "2", 0}, {"c", "3", 0}, {"b", "4", 0}}, "{'a':1,'c':3,'b':4}"},
    {{{"a", "1", 0}, {"b", "2", 0}, {"b", "3", 0}}, "{'a':1,'b':3}"},
    {{{"a", "1", 0}, {"ab", "2", 0}, {"a", "3", 0}}, "{'ab':2,'a':3}"},
    /* what looks like the end of a member, or like another, within one */
    {{{"a", "[1,{\"b\":2},\"]\"]", 0}, {"b", "2", 0}, {"a", "3", 0}}, "{'b':2,'a':3}"},
    {{{"a", "\"\\\",\\\"b\\\":1,\"", 0}, {"b", "2", 0}, {"b", "3", 0}},
     "{'a':'\\',\\'b\\':1,','b':3}"},
    /* what can be no key */
    {{{"x,\"}", "1", HAFT_EINVAL}, {"acme.co/", "1", 0}, {"/x", "[]", HAFT_EINVAL}},
     "{'acme.co/':1}"},
    /* the later one is no JSON, or no text: the former stays */
    {{{"a", "1", 0}, {"a", "{", HAFT_EPARSE}, {"\xff", "1", HAFT_EUTF8}}, "{'a':1}"},
    {{{"io.modelcontextprotocol/serverInfo", "{}", HAFT_EINVAL}, {"a", "1", 0}}, "{'a':1}"},
};

static int put_meta(haft_call *call, haft_value *arguments, void *data)
{
    const struct meta_row *row = *(const struct meta_row **)data;

    (void)arguments;
    for (size_t i = 0; i < COUNT_OF(row->puts) && row->puts[i].key; i++)
        assert_int_equal(haft_result_meta(call, row->puts[i].key, row->puts[i].json),
                         row->puts[i].status);
    return haft_text(call, "m");
}

static void meta_of_one_key(void **state)
{
    const struct meta_row *row = NULL;
    haft_server *server = serve();
    haft_tool_builder *builder = haft_tool_new("put_meta");

    (void)state;
    haft_tool_handler(builder, put_meta, (void *)(uintptr_t)&row);
    assert_int_equal(haft_tool_build(builder, server), 0);
    for (size_t i = 0; i < COUNT_OF(meta_rows); i++) {
        char expected[256];

        row = &meta_rows[i];
        snprintf(expected, sizeof expected, "= 1 {" TEXT_BLOCK("m") ",'_meta':%s}", row->meta);
        dialogue_alone(server, LINES("R 1 tools/call {'name':'put_meta'}", expected));
    }
    haft_server_free(server);
}

/* A stage has said something before the arguments turn out to be wrong. */
static int say_first(haft_call *call, void *data)
{
    (void)data;
    assert_int_equal(haft_result_meta(call, "haft/issues", "0"), 0);
    return haft_result_meta(call, "acme/a", "1");
}

static void meta_and_issues(void **state)
{
    static const haft_stage stage = HAFT_INIT(haft_stage, .name = "first", .before = say_first);
    haft_server *server = serve();

    (void)state;
    assert_int_equal(haft_stage_add(server, &stage), 0);
    dialogue_alone(server, LINES("R 1 tools/call {'name':'search','arguments':{'query':5}}",
                                 "< *,'isError':true,'_meta':{'acme/a':1,'haft/issues':[{*}]}}}"));
    haft_server_free(server);
}

/* ---- blocks ---- */

static int blocks(haft_call *call)
{
    static const haft_link link = {.uri = "file:///a",
                                   .name = "a",
                                   .title = "A",
                                   .description = "An A",
                                   .mime_type = "text/plain",
                                   .size = 9};
    int status = haft_block_meta(call, "{}") == HAFT_EINVAL ? haft_text(call, "t") : HAFT_EINVAL;

    status =
        status ? status : haft_block_annotate(call, "user assistant", 0.5, "2026-01-01T00:00:00Z");
    status = status ? status : haft_image(call, "image/png", "\0\1\2", 3);
    status = status ? status : haft_block_annotate(call, "user", -1, NULL);
    status = status ? status : haft_audio(call, "audio/wav", "\3", 1);
    status = status ? status : haft_block_annotate(call, NULL, 1, NULL);
    status = status ? status : haft_resource_link(call, &link);
    status = status ? status : haft_block_annotate(call, NULL, 0, NULL);
    status =
        status ? status
               : haft_embed(call, &(haft_contents){.uri = "a:b", .mime_type = "m/t", .text = "c"});
    status =
        status ? status : haft_embed(call, &(haft_contents){.uri = "a:c", .bytes = "", .size = 0});
    /* What is wrong is refused and leaves the blocks as they were. */
    if (haft_embed(call, &(haft_contents){.uri = "/a", .text = "c"}) != HAFT_EINVAL ||
        haft_embed(call, &(haft_contents){.uri = "a:{b}", .text = "c"}) != HAFT_EINVAL ||
        haft_embed(call, &(haft_contents){.text = "c"}) != HAFT_EINVAL ||
        haft_resource_link(call, &(haft_link){.uri = "a.txt", .name = "a"}) != HAFT_EINVAL ||
        haft_resource_link(call,
                           &(haft_link){.uri = "a:b", .icons = &(haft_icon){0}, .n_icons = 1}) !=
            HAFT_EINVAL ||
        haft_image(call, NULL, "a", 1) != HAFT_EINVAL ||
        haft_audio(call, "audio/wav", NULL, 1) != HAFT_EINVAL)
        return HAFT_EINVAL;
    if (haft_block_annotate(call, "everybody", -1, NULL) != HAFT_EINVAL ||
        haft_block_annotate(call, NULL, 1.5, NULL) != HAFT_EINVAL ||
        haft_block_annotate(call, NULL, -1, "yesterday") != HAFT_EINVAL)
        return HAFT_EINVAL;
    status = status ? status : haft_block_annotate(call, "assistant", -1, NULL);
    return status                                                       ? status
           : haft_block_annotate(call, "user", -1, NULL) == HAFT_EINVAL ? 0
                                                                        : HAFT_EINVAL;
}
HAFT_TOOL_BARE(blocks, "Blocks of every kind");

#define FIRST                                                                                      \
    "{'type':'text','text':'t','annotations':{'audience':['user','assistant'],'priority':0.5,"     \
    "'lastModified':'2026-01-01T00:00:00Z'}},{'type':'image','data':'AAEC',"                       \
    "'mimeType':'image/png',"                                                                      \
    "'annotations':{'audience':['user']}},"
#define AUDIO "{'type':'audio','data':'Aw==','mimeType':'audio/wav','annotations':{'priority':1}},"
#define AUDIO_EMBEDDED                                                                             \
    "{'type':'resource','resource':{'uri':'audio:2','mimeType':'audio/wav','blob':'Aw=='},"        \
    "'annotations':{'priority':1}},"
#define LINK                                                                                       \
    "{'type':'resource_link','uri':'file:///a','name':'a','title':'A','description':'An A',"       \
    "'mimeType':'text/plain','size':9,'annotations':{'priority':0}},"
#define LINK_TEXT "{'type':'text','text':'a: file:///a','annotations':{'priority':0}},"
#define LAST                                                                                       \
    "{'type':'resource','resource':{'uri':'a:b','mimeType':'m/t','text':'c'}},"                    \
    "{'type':'resource','resource':{'uri':'a:c','blob':''},"                                       \
    "'annotations':{'audience':['assistant']}}"

static void checks_blocks(void **state)
{
    haft_server *server = serve();

    (void)state;
    assert_int_equal(haft_add(server, &blocks_tool), 0);
    dialogue_alone(server, LINES(GREETING("2024-11-05", "{}"), "R 1 tools/call {'name':'blocks'}",
                                 "= 1 {'content':[" FIRST AUDIO_EMBEDDED LINK_TEXT LAST "]}"));
    dialogue_alone(server, LINES(GREETING("2025-03-26", "{}"), "R 1 tools/call {'name':'blocks'}",
                                 "= 1 {'content':[" FIRST AUDIO LINK_TEXT LAST "]}"));
    dialogue_alone(server, LINES(GREETING("2025-06-18", "{}"), "R 1 tools/call {'name':'blocks'}",
                                 "= 1 {'content':[" FIRST AUDIO LINK LAST "]}"));
    dialogue_alone(server, LINES("M 1 tools/call 'name':'blocks'",
                                 "= 1 {'content':[" FIRST AUDIO LINK LAST "],$T}"));
    haft_server_free(server);
}

/* ---- `_meta` of blocks, and links that say little ---- */

static int marked(haft_call *call)
{
    static const haft_icon icon = {.src = "https://x/i.png", .theme = "dark"};
    static const char *const uris[] = {"file:///var/log/all.txt", "https://x.example/a/b/?c=d/e",
                                       "log:today#x", "urn:a:b", "https://x.example"};
    int status = haft_text(call, "t");

    status = status ? status : haft_block_meta(call, "{\"a/b\": [1, \"}\"]}");
    if (haft_block_meta(call, "{}") != HAFT_EINVAL)
        return HAFT_EINVAL;
    status = status ? status : haft_block_annotate(call, "user", -1, NULL);
    status = status ? status : haft_embed(call, &(haft_contents){.uri = "a:b", .text = "c"});
    if (haft_block_meta(call, "[]") != HAFT_EINVAL || haft_block_meta(call, "{") != HAFT_EPARSE)
        return HAFT_EINVAL;
    status = status ? status : haft_block_annotate(call, "user", -1, NULL);
    status = status ? status : haft_block_meta(call, "{}");
    for (size_t i = 0; i < COUNT_OF(uris) && !status; i++)
        status =
            haft_resource_link(call, &(haft_link){.uri = uris[i], .icons = &icon, .n_icons = !i});
    return status;
}
HAFT_TOOL_BARE(marked, "Blocks with more to them");

static void checks_marked(void **state)
{
    haft_server *server = serve();

    (void)state;
    assert_int_equal(haft_add(server, &marked_tool), 0);
    dialogue_alone(
        server,
        LINES("M 1 tools/call 'name':'marked'",
              "= 1 {'content':[{'type':'text','text':'t','annotations':{'audience':['user']},"
              "'_meta':{'a/b':[1,'}']}},{'type':'resource','resource':{'uri':'a:b',"
              "'text':'c'},'annotations':{'audience':['user']},'_meta':{}},"
              "{'type':'resource_link','uri':'file:///var/log/all.txt','name':'all.txt',"
              "'icons':[{'src':'https://x/i.png','theme':'dark'}]},"
              "{'type':'resource_link','uri':'https://x.example/a/b/?c=d/e','name':'b'},"
              "{'type':'resource_link','uri':'log:today#x','name':'today'},"
              "{'type':'resource_link','uri':'urn:a:b','name':'b'},"
              "{'type':'resource_link','uri':'https://x.example','name':'x.example'}],$T}"));
    haft_server_free(server);
}

/* A result that is too large is an answer too. */
static int flood(haft_call *call)
{
    static char much[4096];
    int status = 0;

    memset(much, 'x', sizeof much);
    for (int i = 0; i < 64 && !status; i++)
        status = haft_text_bytes(call, much, sizeof much);
    return status;
}
HAFT_TOOL_BARE(flood, "Says too much");

static void checks_flood(void **state)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .max_message = 1 << 16));

    (void)state;
    assert_int_equal(haft_add(server, &flood_tool), 0);
    dialogue_alone(server, LINES("R 1 tools/call {'name':'flood'}",
                                 "= 1 {" FAILED("The tool*s result is too large.") "}", "R 2 ping",
                                 "= 2 {}"));
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_calls),    cmocka_unit_test(checks_issues),
        cmocka_unit_test(refused),         cmocka_unit_test(long_name),
        cmocka_unit_test(checks_meta),     cmocka_unit_test(checks_blocks),
        cmocka_unit_test(meta_of_one_key), cmocka_unit_test(meta_and_issues),
        cmocka_unit_test(checks_flood),    cmocka_unit_test(checks_marked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
