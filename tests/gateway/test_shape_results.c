/* test_shape_results.c - what clients get of results that a gateway shapes, and how the tools are listed. */
#include "shaped.h"

#include "support/failing.h"

/* ---- tools ---- */

HAFT_STRUCT(given_args, HAFT_STRING(value, "What to return"),
            HAFT_DEFAULT(HAFT_INTEGER(limit, "Maximum number of items"), 10));

static int as_text(haft_call *call, const given_args *in)
{
    return haft_text_bytes(call, in->value, strlen(in->value));
}
HAFT_TOOL_IN(as_text, given_args, "Returns text");

static int as_json(haft_call *call, const given_args *in)
{
    return haft_json(call, in->value, strlen(in->value));
}
HAFT_TOOL_IN(as_json, given_args, "Returns structured content");

HAFT_STRUCT(plain_args, HAFT_STRING(value, "What to return"));

/* Text before structured content, and a resource after it. */
static int as_all(haft_call *call, const plain_args *in)
{
    int status = haft_text(call, "about it");

    if (!status)
        status = haft_json(call, in->value, strlen(in->value));
    if (!status)
        status = haft_embed(call, &(haft_contents){.uri = "a:b", .text = in->value});
    return status ? status : haft_image(call, "image/png", "1234", 4);
}
HAFT_TOOL_IN(as_all, plain_args, "Returns several blocks");

static int as_error(haft_call *call, const plain_args *in)
{
    return haft_error(call, "%s", in->value);
}
HAFT_TOOL_IN(as_error, plain_args, "Fails");

HAFT_STRUCT(pet, HAFT_STRING(name, "Its name"), HAFT_INTEGER(age, "Its age"));
HAFT_STRUCT(pet_list, HAFT_ARRAY(pets, HAFT_OBJECT(pet, pet, "A pet"), "Pets"),
            HAFT_INTEGER(total, "How many"));

static int list_pets(haft_call *call, pet_list *out)
{
    static pet pets[] = {{.name = "a", .age = 1}, {.name = "b", .age = 2}, {.name = "c", .age = 3}};

    (void)call;
    out->pets = pets;
    out->n_pets = 3;
    out->total = 3;
    return 0;
}
HAFT_TOOL_OUT(list_pets, pet_list, "Lists pets");

static const haft_tool *const tools[] = {&as_text_tool,  &as_json_tool,   &as_all_tool,
                                         &as_error_tool, &list_pets_tool, NULL};

/* ---- results ---- */

#define LESS " To get what is missing, call the tool again and ask for less"
#define WITH_LIMIT LESS ", with its arguments: limit.]"
#define WITHOUT LESS ", if its arguments allow that.]"
#define TEXT_BLOCK(text) "{'type':'text','text':'" text "'}"

static void shapes_results(void **state)
{
    static const struct {
        const char *rules, *call, *result;
    } rows[] = {
        /* JSON as text, structured or both; a block that repeats it follows it */
        {"{'tools':'*','keep':['/a']}",
         "{'name':'as_text','arguments':{'value':'{\\'a\\':1,\\'b\\':2}'}}",
         "{'content':[" TEXT_BLOCK("{\\'a\\':1}") "]}"},
        {"{'tools':'*','keep':['/a']}",
         "{'name':'as_json','arguments':{'value':'{\\'a\\':1,\\'b\\':2}'}}",
         "{'content':[" TEXT_BLOCK("{\\'a\\':1}") "],'structuredContent':{'a':1}}"},
        {"{'tools':'*','drop':['/0']}", "{'name':'as_json','arguments':{'value':'[1,2]'}}",
         "{'content':[" TEXT_BLOCK("[2]") "],'structuredContent':{'result':[2]}}"},
        {"{'tools':'*','drop':['/a']}",
         "{'name':'as_all','arguments':{'value':'{\\'a\\':1,\\'b\\':2}'}}",
         "{'content':[" TEXT_BLOCK(
             "about it") ",{'type':'resource','resource':{'uri':'a:b','text':'{\\'b\\':2}'}},"
                         "{'type':'image','data':'MTIzNA==','mimeType':'image/png'}],'structuredContent':{'b':2}}"},
        {"{'tools':'*','keep':['/pets/*/name']}", "{'name':'list_pets'}",
         "{'content':[" TEXT_BLOCK(
             "{\\'pets\\':[{\\'name\\':\\'a\\'},{\\'name\\':\\'b\\'},{\\'name\\':\\'c\\'}]}") "],"
                                                                                              "'structuredContent':{'pets':[{'name':'a'},{'name':'b'},{'name':'c'}]}}"},
        /* other text, other tools and errors stay */
        {"{'tools':'*','keep':['/a']}", "{'name':'as_text','arguments':{'value':'{ not JSON'}}",
         "{'content':[" TEXT_BLOCK("{ not JSON") "]}"},
        {"{'tools':'*','keep':['/a']}", "{'name':'as_text','arguments':{'value':'42'}}",
         "{'content':[" TEXT_BLOCK("42") "]}"},
        {"{'tools':'-as_text','keep':['/a']}",
         "{'name':'as_text','arguments':{'value':'{\\'b\\':2}'}}",
         "{'content':[" TEXT_BLOCK("{\\'b\\':2}") "]}"},
        {"{'tools':'*','keep':['/a']}", "{'name':'as_error','arguments':{'value':'{\\'b\\':2}'}}",
         "{'content':[" TEXT_BLOCK("{\\'b\\':2}") "],'isError':true}"},
        /* the first rule for a tool applies */
        {"{'tools':'as_*,-as_text','keep':['/a']},{'tools':'*','keep':['/b']},{'tools':'as_text','keep':['/c']}",
         "{'name':'as_text','arguments':{'value':'{\\'a\\':1,\\'b\\':2,\\'c\\':3}'}}",
         "{'content':[" TEXT_BLOCK("{\\'b\\':2}") "]}"},
        /* lists */
        {"{'tools':'*','max_items':2}",
         "{'name':'as_json','arguments':{'value':'{\\'l\\':[1,2,3]}'}}",
         "{'content':[" TEXT_BLOCK("{\\'l\\':[1,2]}") "," TEXT_BLOCK(
             "[Shortened by the gateway: /l has 2 of 3 items." WITH_LIMIT) "],'structuredContent':{'l':[1,2]}}"},
        {"{'tools':'*','max_items':1}", "{'name':'as_text','arguments':{'value':'[1,2,3]'}}",
         "{'content':[" TEXT_BLOCK("[1]") "," TEXT_BLOCK(
             "[Shortened by the gateway: the list has 1 of 3 items." WITH_LIMIT) "]}"},
        {"{'tools':'*','max_items':1}", "{'name':'as_text','arguments':{'value':'[[1,2],[3]]'}}",
         "{'content':[" TEXT_BLOCK("[[1]]") "," TEXT_BLOCK(
             "[Shortened by the gateway: /0 has 1 of 2 items; the list has 1 of 2 items." WITH_LIMIT) "]}"},
        {"{'tools':'*','max_items':1}",
         "{'name':'as_text','arguments':{'value':'{\\'a\\':[1,2],\\'b\\':[1,2],\\'c\\':[1,2],\\'d\\':[1,2],\\'e\\':[1,2]}'}}",
         "{'content':[" TEXT_BLOCK("{\\'a\\':[1],\\'b\\':[1],\\'c\\':[1],\\'d\\':[1],\\'e\\':[1]}") "," TEXT_BLOCK(
             "[Shortened by the gateway: /a has 1 of 2 items; /b has 1 of 2 items; /c has 1 of 2 items; "
             "2 more lists are shortened." WITH_LIMIT) "]}"},
        /* bytes; at the end of a character */
        {"{'tools':'*','max_bytes':5}", "{'name':'as_text','arguments':{'value':'12345'}}",
         "{'content':[" TEXT_BLOCK("12345") "]}"},
        {"{'tools':'*','max_bytes':5}", "{'name':'as_text','arguments':{'value':'1234\xC3\xA4'}}",
         "{'content':[" TEXT_BLOCK("1234") "," TEXT_BLOCK(
             "[Shortened by the gateway: this is 4 of 6 bytes of text." WITH_LIMIT) "]}"},
        {"{'tools':'*','max_bytes':7}", "{'name':'as_json','arguments':{'value':'{\\'a\\':1}'}}",
         "{'content':[" TEXT_BLOCK("{\\'a\\':1}") "],'structuredContent':{'a':1}}"},
        {"{'tools':'*','max_bytes':7}", "{'name':'as_json','arguments':{'value':'{\\'a\\':12}'}}",
         "{'content':[" TEXT_BLOCK("{\\'a\\':12") "," TEXT_BLOCK(
             "[Shortened by the gateway: this is 7 of 8 bytes of text; structured content of 8 bytes is left out." WITH_LIMIT) "]}"},
        {"{'tools':'*','max_bytes':10}", "{'name':'as_all','arguments':{'value':'{\\'a\\':1}'}}",
         "{'content':[" TEXT_BLOCK(
             "about it") ",{'type':'resource','resource':{'uri':'a:b','text':'{\\''}},"
                         "{'type':'image','data':'MTIzNA==','mimeType':'image/png'}," TEXT_BLOCK(
                             "[Shortened by the gateway: this is 10 of 15 bytes of text." WITHOUT) "],'structuredContent':{'a':1}}"},
        {"{'tools':'*','max_bytes':8}", "{'name':'as_all','arguments':{'value':'{\\'abc\\':1}'}}",
         "{'content':[" TEXT_BLOCK("about it") ",{'type':'image','data':'MTIzNA==','mimeType':'image/png'}," TEXT_BLOCK(
             "[Shortened by the gateway: this is 8 of 17 bytes of text; structured content of 9 bytes is left out." WITHOUT) "]}"},
        {"{'tools':'*','max_bytes':3}", "{'name':'as_error','arguments':{'value':'wrong'}}",
         "{'content':[" TEXT_BLOCK("wro") "," TEXT_BLOCK(
             "[Shortened by the gateway: this is 3 of 5 bytes of text." WITHOUT) "],'isError':true}"},
        /* all together: the projection comes first */
        {"{'tools':'*','keep':['/l'],'max_items':2,'max_bytes':11}",
         "{'name':'as_json','arguments':{'value':'{\\'l\\':[1,2,3],\\'x\\':1}'}}",
         "{'content':[" TEXT_BLOCK("{\\'l\\':[1,2]}") "," TEXT_BLOCK(
             "[Shortened by the gateway: /l has 2 of 3 items." WITH_LIMIT) "],'structuredContent':{'l':[1,2]}}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = shaped(tools, rows[i].rules);
        struct wire *wire = wire_open(shaped_server(gateway));
        char call[1024], result[2048];

        snprintf(call, sizeof call, "R 1 tools/call %s", rows[i].call);
        snprintf(result, sizeof result, "= 1 %s", rows[i].result);
        dialogue(wire, LINES(GREETING("2025-11-25", "{}"), call, result));
        wire_close(wire);
        haft_gateway_free(gateway);
    }
}

/* ---- lists ---- */

/* Whether an output schema is listed in each era; a rule that leaves results whole does not hide it. */
static void lists_what_fits(void **state)
{
    static const struct {
        const char *rules;
        bool listed;
    } rows[] = {
        {"{'tools':'*','keep':['/pets']}", false},  {"{'tools':'*','drop':['/total']}", false},
        {"{'tools':'*','max_items':2}", false},     {"{'tools':'*','max_bytes':100}", false},
        {"{'tools':'as_*','max_bytes':100}", true}, {"", true},
    };
    haft_gateway *gateway = shaped(tools, "");
    haft_server *server = shaped_server(gateway);
    struct wire *legacy = wire_open(server), *modern = wire_open(server);

    (void)state;
    wire_greet(legacy, "2025-11-25");
    wire_greet(modern, "2026-07-28");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool changes = rows[i].listed != (i ? rows[i - 1].listed : true);
        haft_reason reason;
        const char *list;

        assert_int_equal(shape(gateway, rows[i].rules, &reason), 0);
        if (changes)
            dialogue(legacy, LINES("+ 1", "~ notifications/tools/list_changed"));
        else
            dialogue(legacy, LINES("+ 1"));
        list = wire_call(legacy, "tools/list", NULL);
        if (!list || (strstr(list, "outputSchema") != NULL) != rows[i].listed)
            fail_msg("row %zu: %s", i, list);
        assert_non_null(strstr(list, "\"name\":\"list_pets\",\"description\":\"Lists pets\","
                                     "\"inputSchema\":{\"type\":\"object\",\"properties\":{}"));
        list = wire_call(modern, "tools/list", NULL);
        if ((strstr(list, "outputSchema") != NULL) != rows[i].listed)
            fail_msg("row %zu: %s", i, list);
    }
    wire_close(legacy);
    wire_close(modern);
    haft_gateway_free(gateway);
}

/* ---- memory ---- */

/* Whatever fails, what the rule drops is not sent. */
static void drops_also_without_memory(void **state)
{
    static const char *const calls[] = {
        "\"name\":\"as_json\",\"arguments\":{\"value\":\"{\\\"l\\\":[1,2,3],\\\"secret\\\":1}\"}",
        "\"name\":\"as_all\",\"arguments\":{\"value\":\"{\\\"l\\\":[1,2,3],\\\"secret\\\":1}\"}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            haft_gateway *gateway;
            struct wire *wire;
            haft_reason reason;
            const char *said;
            size_t failures;

            failing_init(&failing, 0);
            gateway = shaped_gateway(&failing.allocator, tools);
            assert_int_equal(shape(gateway,
                                   "{'tools':'*','drop':['/secret'],'max_items':2,'max_bytes':20}",
                                   &reason),
                             0);
            wire = wire_open(shaped_server(gateway));
            wire_greet(wire, "2025-11-25");
            failing.fail_at = failing.calls + nth;
            said = wire_call(wire, "tools/call", calls[i]);
            failures = failing.failures;
            failing.fail_at = 0;
            if (said && strstr(said, "secret"))
                fail_msg("allocation %zu: %s", nth, said);
            if (!failures)
                assert_non_null(strstr(said, "/l has 2 of 3 items"));
            wire_close(wire);
            haft_gateway_free(gateway);
            failing_check(&failing);
            if (!failures)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests_[] = {
        cmocka_unit_test(shapes_results),
        cmocka_unit_test(lists_what_fits),
        cmocka_unit_test(drops_also_without_memory),
    };

    return cmocka_run_group_tests(tests_, NULL, NULL);
}
