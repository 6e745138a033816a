/* test_answer.c - responses of an API as results: the output schema that a document promises, and what clients get for
 * whatever the API sends. */
#include <haft/server.h>

#include "import/planning.h"
#include "support/failing.h"
#include "support/wire.h"

#define OK_JSON(schema) "'responses':{'200':{'content':{'application/json':{'schema':" schema "}}}}"

/* ---- what a document promises ---- */

static const struct {
    const char *head, *members, *more, *accept, *output;
    bool wrapped;
} promises[] = {
    {"3.0.0 get /x", "'responses':{}", "", "*/*", NULL, false},
    {"3.0.0 get /x", OK_JSON("{'type':'object'}"), "", "application/json, */*;q=0.1",
     "{'type':'object'}", false},
    {"3.0.0 get /x", OK_JSON("{'type':'object','nullable':true}"), "",
     "application/json, */*;q=0.1",
     "{'type':'object','properties':{'result':{'type':['object','null']}},'required':['result']}",
     true},
    {"3.0.0 get /x", OK_JSON("{'type':'array','items':{'type':'string'}}"), "",
     "application/json, */*;q=0.1",
     "{'type':'object','properties':{'result':{'type':'array','items':{'type':'string'}}},"
     "'required':['result']}",
     true},
    /* the first response that succeeds, also of a class; the default only without one */
    {"3.0.0 get /x",
     "'responses':{'404':{'content':{'application/json':{'schema':{'type':'string'}}}},"
     "'2XX':{'content':{'application/json':{'schema':{'type':'object'}}}},"
     "'default':{'content':{'application/json':{'schema':{'type':'string'}}}}}",
     "", "application/json, */*;q=0.1", "{'type':'object'}", false},
    {"3.0.0 get /x",
     "'responses':{'default':{'content':{'application/json':{'schema':{'type':'object'}}}}}", "",
     "application/json, */*;q=0.1", "{'type':'object'}", false},
    {"3.0.0 get /x", "'responses':{'200':{'$ref':'#/components/responses/r'}}",
     "'components':{'responses':{'r':{'content':{'application/problem+json':{'schema':{'type':"
     "'object'}}}}}}",
     "application/problem+json, */*;q=0.1", "{'type':'object'}", false},
    /* the same schema twice, and different ones */
    {"3.0.0 get /x",
     "'responses':{'200':{'content':{'application/json':{'schema':{'type':'object'}}}},"
     "'201':{'content':{'application/json':{'schema':{'type':'object'}}}}}",
     "", "application/json, */*;q=0.1", "{'type':'object'}", false},
    {"3.0.0 get /x",
     "'responses':{'200':{'content':{'application/json':{'schema':{'type':'string'}}}},"
     "'201':{'content':{'application/json':{'schema':{'type':'integer'}}}}}",
     "", "application/json, */*;q=0.1",
     "{'type':'object','properties':{'result':{'anyOf':[{'type':'string'},{'type':'integer'}]}},"
     "'required':['result']}",
     true},
    /* a client would refuse the result of a response without JSON */
    {"3.0.0 get /x",
     "'responses':{'200':{'content':{'application/json':{'schema':{'type':'object'}}}},'204':{}}",
     "", "application/json, */*;q=0.1", NULL, false},
    {"3.0.0 get /x", "'responses':{'200':{'content':{'image/png':{},'image/webp':{}}}}", "",
     "image/png, image/webp, */*;q=0.1", NULL, false},
    {"3.0.0 get /x",
     "'responses':{'200':{'content':{'application/xml':{'schema':{}},'application/json':{'schema':{"
     "'type':'object'}}}}}",
     "", "application/json, */*;q=0.1", "{'type':'object'}", false},
    {"3.0.0 get /x", "'responses':{'200':{'content':{'a/b\\r\\nX: y':{}}}}", "", "*/*", NULL,
     false},
    {"2.0 get /x", "'responses':{'200':{'schema':{'type':'object'}}}", "", "*/*",
     "{'type':'object'}", false},
    {"2.0 get /x",
     "'produces':['application/xml'],'responses':{'200':{'schema':{'type':'object'}}}",
     "'produces':['application/json']", "application/xml, */*;q=0.1", NULL, false},
    {"2.0 get /x", "'responses':{'200':{'schema':{'type':'file'}}}",
     "'produces':['application/json']", "application/json, */*;q=0.1", NULL, false},
};

static void test_promises(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(promises); i++) {
        struct planning planning;
        const struct import_operation *operation;
        struct import_request request;
        haft_reason reason;
        yyjson_val *output;

        planning_init(&planning);
        operation =
            planning_make(&planning, promises[i].head, promises[i].members, promises[i].more);
        assert_non_null(operation);
        assert_int_equal(hf_import_request(operation, reading_value(planning.arena, "{}"),
                                           planning.arena, &request, &reason),
                         0);
        assert_string_equal(haft_header_find(request.headers, request.n_headers, "accept"),
                            promises[i].accept);
        if (!promises[i].output != !operation->output)
            fail_msg("%s: %s", promises[i].members, operation->output ? operation->output : "none");
        assert_int_equal(operation->wrapped, promises[i].wrapped);
        output = operation->output ? reading_value(planning.arena, operation->output) : NULL;
        if (output && hf_json_equal(output, reading_value(planning.arena, promises[i].output),
                                    planning.arena) != 1)
            fail_msg("%s: %s", promises[i].members, operation->output);
        planning_finish(&planning);
    }
}

/* ---- what clients get ---- */

/* A response: its status, headers as "name: value" lines, its body, and the members of the result. */
struct response_row {
    const char *members; /* of the operation */
    int status;
    const char *headers, *body;
    size_t size;
    const char *result;
    const char *log; /* a part of it; NULL if nothing is logged */
};

#define JSON_TYPE "content-type: application/json"
#define TEXT_BLOCK(text) "{'type':'text','text':'" text "'}"
#define RESULT(blocks) "'content':[" blocks "]"
#define FAILED(text, status)                                                                       \
    RESULT(TEXT_BLOCK(text)) ",'isError':true,'_meta':{'haft/httpStatus':" status "}"
#define NAME_OBJECT "{'type':'object','required':['name'],'properties':{'name':{'type':'string'}}}"
#define MISMATCH "the result does not match the output schema"

static const struct response_row responses[] = {
    /* JSON */
    {OK_JSON(NAME_OBJECT), 200, JSON_TYPE, TEXT("{ \"name\": \"Bo\" }"),
     RESULT(TEXT_BLOCK("{\\'name\\':\\'Bo\\'}")) ",'structuredContent':{'name':'Bo'}", NULL},
    {OK_JSON(NAME_OBJECT), 201, "Content-Type: application/vnd.x+json; charset=UTF-8",
     TEXT("{\"name\":\"Bo\"}"),
     RESULT(TEXT_BLOCK("{\\'name\\':\\'Bo\\'}")) ",'structuredContent':{'name':'Bo'}", NULL},
    {OK_JSON(NAME_OBJECT), 200, "", TEXT("{\"name\":\"Bo\"}"),
     RESULT(TEXT_BLOCK("{\\'name\\':\\'Bo\\'}")) ",'structuredContent':{'name':'Bo'}", NULL},
    {OK_JSON("{'type':'array','items':{'type':'integer'}}"), 200, JSON_TYPE, TEXT("[1,2]"),
     RESULT(TEXT_BLOCK("{\\'result\\':[1,2]}")) ",'structuredContent':{'result':[1,2]}", NULL},
    {"'responses':{}", 200, JSON_TYPE, TEXT("{\"a\":1}"),
     RESULT(TEXT_BLOCK("{\\'a\\':1}")) ",'structuredContent':{'a':1}", NULL},
    {"'responses':{}", 200, JSON_TYPE, TEXT("[1]"),
     RESULT(TEXT_BLOCK("{\\'result\\':[1]}")) ",'structuredContent':{'result':[1]}", NULL},
    {"'responses':{}", 200, JSON_TYPE, TEXT("9007199254740993"),
     RESULT(TEXT_BLOCK("{\\'result\\':9007199254740993}")) ",'structuredContent':{'result':"
                                                           "9007199254740993}",
     NULL},
    {"'responses':{}", 200, "content-type: application/json; charset=utf-16",
     TEXT("\xFF\xFE{\0\"\0a\0\"\0:\0001\0}\0"),
     RESULT(TEXT_BLOCK("{\\'a\\':1}")) ",'structuredContent':{'a':1}", NULL},
    {"'responses':{}", 200, JSON_TYPE, TEXT("\xEF\xBB\xBF{\"a\":1}"),
     RESULT(TEXT_BLOCK("{\\'a\\':1}")) ",'structuredContent':{'a':1}", NULL},
    /* an API that does not keep its own schema */
    {OK_JSON(NAME_OBJECT), 200, JSON_TYPE, TEXT("{\"name\":7}"),
     RESULT(TEXT_BLOCK("{\\'name\\':7}")) ",'structuredContent':{'name':7}", MISMATCH},
    {OK_JSON(NAME_OBJECT), 200, JSON_TYPE, TEXT("[1]"),
     RESULT(TEXT_BLOCK("{\\'result\\':[1]}")) ",'structuredContent':{'result':[1]}", MISMATCH},
    {OK_JSON(NAME_OBJECT), 200, JSON_TYPE, TEXT("{a:1"), RESULT(TEXT_BLOCK("{a:1")),
     "the API's response is not valid JSON"},
    {OK_JSON(NAME_OBJECT), 200, "content-type: text/html", TEXT("<p>"), RESULT(TEXT_BLOCK("<p>")),
     "returned no structured content"},
    {OK_JSON(NAME_OBJECT), 204, "", TEXT(""), RESULT(TEXT_BLOCK("HTTP 204 No Content")),
     "returned no structured content"},
    /* text */
    {"'responses':{}", 200, "content-type: text/plain", TEXT("a\nb"), RESULT(TEXT_BLOCK("a\\nb")),
     NULL},
    {"'responses':{}", 200, "content-type: text/plain; charset=\"ISO-8859-1\"", TEXT("\xE9\x80"),
     RESULT(TEXT_BLOCK("\u00e9\u20ac")), NULL},
    {"'responses':{}", 200, "content-type: text/plain; charset=utf-16be",
     TEXT("\0a\xD8\x3D\xDE\0\xD8\x3D"), RESULT(TEXT_BLOCK("a\U0001F600\uFFFD")), NULL},
    {"'responses':{}", 200, "content-type: text/csv; charset=utf-7", TEXT("a"),
     RESULT(TEXT_BLOCK("a")), NULL},
    {"'responses':{}", 200, "content-type: application/xml", TEXT("<a/>"),
     RESULT(TEXT_BLOCK("<a/>")), NULL},
    {"'responses':{}", 200, "content-type: image/svg+xml", TEXT("<svg/>"),
     RESULT(TEXT_BLOCK("<svg/>")), NULL},
    {"'responses':{}", 200, "", TEXT("a"), RESULT(TEXT_BLOCK("a")), NULL},
    /* pictures, sounds, other bytes */
    {"'responses':{}", 200, "content-type: image/png", TEXT("\x89PNG"),
     RESULT("{'type':'image','data':'iVBORw==','mimeType':'image/png'}"), NULL},
    {"'responses':{}", 200, "content-type: AUDIO/mpeg", TEXT("ID3"),
     RESULT("{'type':'audio','data':'SUQz','mimeType':'audio/mpeg'}"), NULL},
    {"'responses':{}", 200, "content-type: application/pdf", TEXT("%PDF"),
     RESULT("{'type':'resource','resource':{'uri':'response:get_x/body','mimeType':"
            "'application/pdf','blob':'JVBERg=='}}"),
     NULL},
    {"'responses':{}", 200,
     "content-type: application/zip\nContent-Disposition: attachment; filename=\"a b/..zip\"",
     TEXT("PK"),
     RESULT("{'type':'resource','resource':{'uri':'response:get_x/a%20b%2F..zip','mimeType':"
            "'application/zip','blob':'UEs='}}"),
     NULL},
    {"'responses':{}", 200, "content-type: text/plain", TEXT("\xFF"),
     RESULT("{'type':'resource','resource':{'uri':'response:get_x/body','mimeType':'text/plain',"
            "'blob':'/w=='}}"),
     NULL},
    {"'responses':{}", 200, "", TEXT("\xFF"),
     RESULT("{'type':'resource','resource':{'uri':'response:get_x/body','mimeType':"
            "'application/octet-stream','blob':'/w=='}}"),
     NULL},
    /* nothing */
    {"'responses':{}", 200, JSON_TYPE, TEXT(""), RESULT(TEXT_BLOCK("HTTP 200 OK")), NULL},
    {"'responses':{}", 201, "Location: /x/1", TEXT(""),
     RESULT(TEXT_BLOCK("HTTP 201 Created\\nLocation: /x/1")), NULL},
    {"'responses':{}", 299, "", TEXT(""), RESULT(TEXT_BLOCK("HTTP 299")), NULL},
    /* pages */
    {"'responses':{}", 200,
     JSON_TYPE "\nLink: </x?page=0>; rel=\"prev\", </x?page=2>; rel=\"next\"", TEXT("{\"a\":1}"),
     RESULT(TEXT_BLOCK("{\\'a\\':1}") "," TEXT_BLOCK(
         "There are more results. The next page is /x?page=2")) ",'structuredContent':{'a':1}",
     NULL},
    {"'responses':{}", 200,
     "content-type: text/plain\nlink: </a,b;c>; title=\"x, rel=next\"; rel=\"last NEXT\"",
     TEXT("a"),
     RESULT(TEXT_BLOCK("a") "," TEXT_BLOCK("There are more results. The next page is /a,b;c")),
     NULL},
    {"'responses':{}", 200, "content-type: text/plain\nlink: </a>; title=\"rel=next\"; rel=nextish",
     TEXT("a"), RESULT(TEXT_BLOCK("a")), NULL},
    {"'responses':{}", 200, "content-type: text/plain\nlink: </a; rel=next", TEXT("a"),
     RESULT(TEXT_BLOCK("a")), NULL},
    /* errors */
    {OK_JSON(NAME_OBJECT), 404, "", TEXT(""), FAILED("HTTP 404 Not Found", "404"), NULL},
    {"'responses':{}", 302, "Location: http://10.0.0.1/", TEXT(""), FAILED("HTTP 302 Found", "302"),
     NULL},
    {"'responses':{}", 500, "content-type: text/plain", TEXT("%s %n"),
     FAILED("HTTP 500 Internal Server Error\\n%s %n", "500"), NULL},
    {"'responses':{}", 422, "content-type: application/problem+json",
     TEXT("{\"detail\":\"age is negative\",\"title\":\"Invalid\"}"),
     FAILED("HTTP 422 Unprocessable Content: Invalid: age is negative\\n{\\'detail\\':\\'age is "
            "negative\\',\\'title\\':\\'Invalid\\'}",
            "422"),
     NULL},
    {"'responses':{}", 429, "content-type: application/json\nRetry-After: 30",
     TEXT("{\"message\":\"slow down\"}"),
     FAILED("HTTP 429 Too Many Requests: slow down\\nRetry-After: 30\\n{\\'message\\':\\'slow "
            "down\\'}",
            "429"),
     NULL},
    {"'responses':{}", 500, "content-type: image/png", TEXT("\x89PNG"),
     FAILED("HTTP 500 Internal Server Error\\n(4 bytes of image/png)", "500"), NULL},
    {"'responses':{}", 599, "", TEXT("a"), FAILED("HTTP 599\\na", "599"), NULL},
};

enum { RESPONSE_HEADERS = 8, RESPONSE_LOG = 1024 };

/* A server whose tool is an operation, and the API behind it. */
struct answering {
    struct planning planning;
    const struct import_operation *operation;
    struct import_response response;
    haft_header headers[RESPONSE_HEADERS];
    char log[RESPONSE_LOG];
    haft_level level;
};

static void answering_log(void *context, haft_level level, const char *text, size_t size)
{
    struct answering *answering = context;

    if (level < HAFT_WARNING || strstr(text, "description"))
        return;
    snprintf(answering->log + strlen(answering->log),
             sizeof answering->log - strlen(answering->log), "%.*s\n", (int)size, text);
    answering->level = level;
}

static int answering_call(haft_call *call, haft_value *arguments, void *data)
{
    struct answering *answering = data;

    (void)arguments;
    return hf_import_respond(answering->operation, call, &answering->response);
}

static void answering_read_headers(struct answering *answering, const char *lines)
{
    char *at = haft_arena_copy(answering->planning.arena, lines, strlen(lines));

    answering->response.headers = answering->headers;
    while (*at) {
        haft_header *header = &answering->headers[answering->response.n_headers++];
        char *end = at + strcspn(at, "\n"), *colon = strstr(at, ": ");

        assert_true(answering->response.n_headers < RESPONSE_HEADERS && colon && colon < end);
        *colon = '\0';
        *header = (haft_header){at, colon + 2};
        at = *end ? end + 1 : end;
        *end = '\0';
    }
}

static void answering_init(struct answering *answering, const struct response_row *row)
{
    *answering = (struct answering){.response = {.status = row->status}};
    planning_init(&answering->planning);
    answering->operation = planning_make(&answering->planning, "3.0.0 get /x", row->members, "");
    assert_non_null(answering->operation);
    answering_read_headers(answering, row->headers);
    answering->response.body = row->body;
    answering->response.size = row->size;
}

static haft_server *answering_serve(struct answering *answering, const haft_allocator *allocator)
{
    const struct import_operation *operation = answering->operation;
    haft_server *server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .log = answering_log,
                                       .log_context = answering, .allocator = allocator));
    const char *definition = haft_arena_printf(
        answering->planning.arena, "{\"name\":\"%s\",\"description\":\"d\",\"inputSchema\":%s%s%s}",
        operation->name, operation->input, operation->output ? ",\"outputSchema\":" : "",
        operation->output ? operation->output : "");
    haft_tool_builder *builder;

    assert_non_null(server);
    builder = haft_tool_parse(server, definition, strlen(definition));
    haft_tool_handler(builder, answering_call, answering);
    haft_tool_quick(builder);
    assert_int_equal(haft_tool_build(builder, server), 0);
    return server;
}

static void test_responses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(responses); i++) {
        const struct response_row *row = &responses[i];
        struct answering answering;
        haft_server *server;
        struct wire *wire;
        const char *result, *expected;

        answering_init(&answering, row);
        server = answering_serve(&answering, NULL);
        wire = wire_open(server);
        wire_greet(wire, "2025-11-25");
        result = wire_call(wire, "tools/call", "\"name\":\"get_x\",\"arguments\":{}");
        expected = haft_arena_printf(answering.planning.arena,
                                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{%s}}",
                                     reading_text(answering.planning.arena, row->result));
        if (strcmp(result, expected))
            fail_msg("row %zu\nis       %s\nexpected %s\nlog %s", i, result, expected,
                     answering.log);
        if (row->log && (!strstr(answering.log, row->log) || answering.level != HAFT_WARNING))
            fail_msg("row %zu: logged %s", i, answering.log);
        if (!row->log)
            assert_string_equal(answering.log, "");
        wire_close(wire);
        haft_server_free(server);
        planning_finish(&answering.planning);
    }
}

/* ---- long bodies of errors ---- */

static void test_long_error(void **state)
{
    enum { LONG_BODY = 10000 };
    static char body[LONG_BODY];
    struct response_row row = {
        "'responses':{}", 500, "content-type: text/plain", body, LONG_BODY, NULL, NULL};
    struct answering answering;
    haft_server *server;
    struct wire *wire;
    const char *result;
    size_t n = 0;

    (void)state;
    /* Each character has two bytes, and the cut would be between them. */
    body[0] = 'a';
    for (size_t i = 1; i + 1 < LONG_BODY; i += 2)
        memcpy(body + i, "\u00e9", 2);
    body[LONG_BODY - 1] = 'z';
    answering_init(&answering, &row);
    server = answering_serve(&answering, NULL);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    result = wire_call(wire, "tools/call", "\"name\":\"get_x\",\"arguments\":{}");
    for (const char *at = result; (at = strstr(at, "\u00e9")); at++)
        n++;
    assert_int_equal(n, 2047);
    assert_non_null(strstr(result, "\u00e9\\n(5905 more bytes)\"}],\"isError\":true"));
    wire_close(wire);
    haft_server_free(server);
    planning_finish(&answering.planning);
}

/* ---- memory ---- */

/* Whatever allocation fails, there is a result or an error, and everything is freed. */
static void test_memory(void **state)
{
    static const size_t chosen[] = {3, 7, 23, 30, 38};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(chosen); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            struct answering answering;
            haft_server *server;
            struct wire *wire;
            const char *result;
            bool done;

            answering_init(&answering, &responses[chosen[i]]);
            failing_init(&failing, 0);
            server = answering_serve(&answering, &failing.allocator);
            wire = wire_open(server);
            wire_greet(wire, "2025-11-25");
            failing.fail_at = failing.calls + nth;
            result = wire_call(wire, "tools/call", "\"name\":\"get_x\",\"arguments\":{}");
            assert_true(!result || strstr(result, "\"result\"") || strstr(result, "\"error\""));
            done = !failing.failures;
            wire_close(wire);
            haft_server_free(server);
            failing_check(&failing);
            planning_finish(&answering.planning);
            if (done)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_responses),
        cmocka_unit_test(test_long_error),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
