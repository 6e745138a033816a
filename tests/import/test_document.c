/* test_document.c - documents as operations: which there are, what they are called, and what is refused. */
#include <haft/schema.h>

#include "import/reading.h"
#include "support/failing.h"

#define OK "'responses':{'200':{'description':''}}"
#define PETS "'openapi':'3.0.3','info':{'title':'Pets','version':'1'}"

static struct import *document_import(haft_arena *arena, const char *json,
                                      const struct import_options *options, haft_reason *reason)
{
    struct import *import = NULL;
    int status = hf_import_document(reading_value(arena, json), options, &import, reason);

    assert_int_equal(!status, !!import);
    if (import)
        assert_int_equal(import->n_found, import->n_operations + import->n_refusals);
    return import;
}

/* The tools and the refusals of an import, one on each line. */
static const char *document_list(haft_arena *arena, const struct import *import)
{
    const char *list = "";

    for (size_t i = 0; i < import->n_operations; i++)
        list = haft_arena_printf(arena, "%s%s: %s %s\n", list, import->operations[i].name,
                                 import->operations[i].method, import->operations[i].path);
    for (size_t i = 0; i < import->n_refusals; i++)
        list = haft_arena_printf(arena, "%s- %s: %s%s\n", list, import->refusals[i].place,
                                 import->refusals[i].reason,
                                 import->refusals[i].selected ? "" : " (left out)");
    return list;
}

/* ---- what is found ---- */

static void finds_operations(void **state)
{
    static const struct {
        const char *json, *list;
    } rows[] = {
        {"{" PETS ",'paths':{}}", ""},
        {"{'openapi':'3.1.0','webhooks':{'a':{'post':{}}}}", ""},
        {"{" PETS ",'paths':{'/pets':{'get':{" OK "},'post':{'operationId':'makePet'," OK "},"
         "'parameters':[],'x-a':1},'x-b':{'get':{}},'/pets/{id}':{'get':{" OK "}}}}",
         "get_pets: GET /pets\nmakePet: POST /pets\nget_pets_id: GET /pets/{id}\n"},
        /* 2.0 has a base path */
        {"{'swagger':'2.0','basePath':'/v1/','paths':{'/a':{'head':{'operationId':'a.b/c'}}}}",
         "a_b_c: HEAD /v1/a\n"},
        {"{'swagger':2.0,'basePath':'/','paths':{'/a':{'get':{}}}}", "get_a: GET /a\n"},
        /* names that meet, also after they are cleaned */
        {"{" PETS ",'paths':{'/a':{'get':{'operationId':'x'}},'/b':{'get':{'operationId':'x'}},"
         "'/c':{'get':{'operationId':'y.z'}},'/d':{'get':{'operationId':'y/z'}}}}",
         "x: GET /a\nx_8dd2b2: GET /b\ny_z: GET /c\ny_z_0c8339: GET /d\n"},
        /* an id without letters that clients accept */
        {"{" PETS ",'paths':{'/a':{'get':{'operationId':'\xE5\x8F\x96'}},'/b':{'get':"
         "{'operationId':''}},'/c':{'get':{'operationId':7}}}}",
         "get_a: GET /a\nget_b: GET /b\nget_c: GET /c\n"},
        /* one that is bad costs only itself */
        {"{" PETS ",'paths':{'/a':{'get':1,'put':{" OK "},'post':{'$ref':'a.yml'},"
         "'head':{'$ref':'#/components/pathItems/E/trace'}},'/b':7,'c':{'get':{}},"
         "'/d':{'$ref':'d.yaml'},'/e':{'$ref':'#/components/pathItems/E'},"
         "'/f':{'get':{'parameters':[{'name':'q','in':'query','schema':{'$ref':'x.json#/Q'}}]}},"
         "'/g':{'get':{'responses':{'200':{'description':'','content':{'application/json':"
         "{'schema':{'$ref':'#/components/schemas/None'}}}}}}}},"
         "'components':{'pathItems':{'E':{'trace':{'operationId':'e'}}}}}",
         "put_a: PUT /a\ne: HEAD /a\ne_3362d0: TRACE /e\n"
         "- GET /a: the operation is not an object\n- POST /a: external reference a.yml\n- /b: the path item is not an object\n"
         "- GET c: the path does not begin with /\n- /d: external reference d.yaml\n"
         "- GET /f: external reference x.json#/Q\n"
         "- GET /g: missing reference #/components/schemas/None\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 22);
        haft_reason reason = {0};
        struct import *import = document_import(arena, rows[i].json, NULL, &reason);

        if (!import)
            fail_msg("%s: %s", rows[i].json, reason.text);
        assert_string_equal(document_list(arena, import), rows[i].list);
        hf_import_free(import);
        haft_arena_free(arena);
    }
}

static void refuses_documents(void **state)
{
    static const struct {
        const char *json, *reason;
    } rows[] = {
        {"[]", "not an OpenAPI document: it is not an object"},
        {"{'asyncapi':'3.0.0'}",
         "not an OpenAPI document: the member openapi or swagger is missing"},
        {"{'openapi':'3.2.0'}",
         "OpenAPI version 3.2.0 is not supported; supported are 2.0, 3.0 and 3.1"},
        {"{'openapi':'2.0'}",
         "OpenAPI version 2.0 is not supported; supported are 2.0, 3.0 and 3.1"},
        {"{'swagger':'1.2'}",
         "OpenAPI version 1.2 is not supported; supported are 2.0, 3.0 and 3.1"},
        {"{'openapi':'3.01'}",
         "OpenAPI version 3.01 is not supported; supported are 2.0, 3.0 and 3.1"},
        {"{'openapi':'3.0.0','paths':[]}", "the member paths is not an object"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_reason reason = {0};

        assert_null(document_import(arena, rows[i].json, NULL, &reason));
        assert_string_equal(reason.text, rows[i].reason);
        haft_arena_free(arena);
    }
}

/* ---- what is chosen ---- */

static const char document_pets[] =
    "{" PETS ",'paths':{'/pets':{'get':{'operationId':'list','tags':['pets','read']," OK "},"
    "'post':{'operationId':'make','tags':['pets']," OK "}},"
    "'/admin/{id}':{'delete':{'operationId':'purge','tags':['admin area']," OK "},"
    "'get':{'operationId':'look'," OK "}}}}";

static void selects_operations(void **state)
{
    const struct {
        struct import_options options;
        const char *list;
    } rows[] = {
        {{.read_only = true},
         "list: GET /pets\nlook: GET /admin/{id}\n- POST /pets: not read-only (left out)\n"
         "- DELETE /admin/{id}: not read-only (left out)\n"},
        {{.rules = (const struct import_rule[]){{.tag = "pet*"}}, .n_rules = 1},
         "list: GET /pets\nmake: POST /pets\n- DELETE /admin/{id}: not selected (left out)\n"
         "- GET /admin/{id}: not selected (left out)\n"},
        {{.rules = (const struct import_rule[]){{.tag = "admin area"}}, .n_rules = 1},
         "purge: DELETE /admin/{id}\n- GET /pets: not selected (left out)\n"
         "- POST /pets: not selected (left out)\n- GET /admin/{id}: not selected (left out)\n"},
        /* the first rule that matches decides */
        {{.rules =
              (const struct import_rule[]){{.id = "look"}, {.path = "/admin/*", .exclude = true}},
          .n_rules = 2},
         "list: GET /pets\nmake: POST /pets\nlook: GET /admin/{id}\n"
         "- DELETE /admin/{id}: excluded by rule 2 (left out)\n"},
        {{.rules =
              (const struct import_rule[]){{.method = "post", .path = "/p*"}, {.method = "DELETE"}},
          .n_rules = 2},
         "make: POST /pets\npurge: DELETE /admin/{id}\n- GET /pets: not selected (left out)\n"
         "- GET /admin/{id}: not selected (left out)\n"},
        {{.prefix = "p", .max_operations = 1},
         "p__list: GET /pets\n- POST /pets: over the limit of operations\n"
         "- DELETE /admin/{id}: over the limit of operations\n"
         "- GET /admin/{id}: over the limit of operations\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_reason reason = {0};
        struct import *import = document_import(arena, document_pets, &rows[i].options, &reason);

        assert_string_equal(document_list(arena, import), rows[i].list);
        hf_import_free(import);
        haft_arena_free(arena);
    }
}

/* ---- texts and annotations ---- */

static const struct import_operation *document_one(haft_arena *arena, const char *operation,
                                                   const struct import_options *options,
                                                   struct import **ret_import)
{
    const char *json = haft_arena_printf(arena, "{" PETS ",'paths':{'/a':{%s}}}", operation);
    haft_reason reason = {0};

    *ret_import = document_import(arena, json, options, &reason);
    if (!*ret_import || (*ret_import)->n_operations != 1)
        fail_msg("%s: %s", operation,
                 *ret_import ? (*ret_import)->refusals[0].reason : reason.text);
    return &(*ret_import)->operations[0];
}

static void describes_operations(void **state)
{
    static const struct {
        const char *operation, *title, *description;
    } rows[] = {
        {"'get':{}", NULL, "GET /a"},
        {"'get':{'summary':'List pets'}", "List pets", "List pets"},
        {"'get':{'description':'All of them.\\n'}", NULL, "All of them."},
        {"'get':{'summary':'List pets','description':'All of them.'}", "List pets",
         "List pets\n\nAll of them."},
        {"'get':{'summary':'List pets.','description':'List pets that are sold'}", "List pets.",
         "List pets that are sold"},
        {"'get':{'summary':'Old','deprecated':true}", "Old", "Deprecated. Old"},
        {"'get':{'summary':1,'description':'a\\u200bb'}", NULL, "ab"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct import *import;
        const struct import_operation *one = document_one(arena, rows[i].operation, NULL, &import);

        assert_string_equal(one->description, rows[i].description);
        assert_string_equal(one->title ? one->title : "-", rows[i].title ? rows[i].title : "-");
        hf_import_free(import);
        haft_arena_free(arena);
    }
}

static void annotates_operations(void **state)
{
    static const struct {
        const char *operation;
        haft_hint read_only, destructive, idempotent;
    } rows[] = {
        {"'get':{}", HAFT_YES, HAFT_NO, HAFT_YES},
        {"'head':{}", HAFT_YES, HAFT_NO, HAFT_YES},
        {"'put':{}", HAFT_NO, HAFT_YES, HAFT_YES},
        {"'delete':{}", HAFT_NO, HAFT_YES, HAFT_YES},
        {"'post':{}", HAFT_NO, HAFT_UNSET, HAFT_UNSET},
        {"'patch':{}", HAFT_NO, HAFT_YES, HAFT_UNSET},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        struct import *import;
        haft_annotations found = document_one(arena, rows[i].operation, NULL, &import)->annotations;

        assert_int_equal(found.read_only, rows[i].read_only);
        assert_int_equal(found.destructive, rows[i].destructive);
        assert_int_equal(found.idempotent, rows[i].idempotent);
        assert_int_equal(found.open_world, HAFT_YES);
        hf_import_free(import);
        haft_arena_free(arena);
    }
}

static void applies_changes(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct import_change change = {.operation = "GET /a",
                                   .name = "look around",
                                   .title = "Look",
                                   .description = "What is there?",
                                   .annotations = {.title = "L", .open_world = HAFT_NO},
                                   .arguments = reading_value(arena, "{'key':'v'}")};
    const struct import_options options = {.prefix = "p", .changes = &change, .n_changes = 1};
    struct import *import;
    const struct import_operation *one =
        document_one(arena,
                     "'get':{'operationId':'x','summary':'s','parameters':[{'name':'key','in':"
                     "'query','required':true,'schema':{'type':'string'}},{'name':'q','in':'query',"
                     "'schema':{'type':'string'}}]}",
                     &options, &import);
    haft_reason reason = {0};

    (void)state;
    assert_string_equal(one->name, "p__look_around");
    assert_string_equal(one->title, "Look");
    assert_string_equal(one->description, "What is there?");
    assert_string_equal(one->annotations.title, "L");
    assert_int_equal(one->annotations.open_world, HAFT_NO);
    assert_int_equal(one->annotations.read_only, HAFT_YES);
    assert_string_equal(one->input,
                        "{\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"string\"}},"
                        "\"additionalProperties\":false}");
    hf_import_free(import);
    change.operation = "lisst";
    assert_null(document_import(arena, document_pets, &options, &reason));
    assert_string_equal(reason.text, "the document has no operation lisst; did you mean list?");
    haft_arena_free(arena);
}

/* ---- outputs ---- */

static void writes_outputs(void **state)
{
    static const struct {
        const char *schema, *output;
    } rows[] = {
        {"{'type':'object'}", "{'type':'object'}"},
        {"{'$ref':'#/paths/~1a/get/x-o'}",
         "{'type':'object','properties':{'a':{'$ref':'#/$defs/A'}},"
         "'$defs':{'A':{'type':'object','properties':{'a':"
         "{'$ref':'#/$defs/A'}}}}}"},
        {"{'$ref':'#/components/schemas/A'}",
         "{'type':'object','properties':{'a':{'$ref':'#/$defs/A'}},'$defs':{'A':{'type':'object',"
         "'properties':{'a':{'$ref':'#/$defs/A'}}}}}"},
        {"{'properties':{'a':{}}}", "{'properties':{'a':{}},'type':'object'}"},
        {"{'allOf':[{'type':'object'}]}", "{'allOf':[{'type':'object'}],'type':'object'}"},
        {"{'type':'array','items':{'type':'string'}}",
         "{'type':'object','properties':{'result':{'type':'array','items':{'type':'string'}}},"
         "'required':['result']}"},
        {"{'type':'object','nullable':true}",
         "{'type':'object','properties':{'result':{'type':['object','null']}},"
         "'required':['result']}"},
        {"{'type':'object','oneOf':[{'title':'a'}]}",
         "{'type':'object','properties':{'result':{'oneOf':[{'title':'a'}],'type':'object'}},"
         "'required':['result']}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *json = haft_arena_printf(
            arena,
            "{" PETS ",'paths':{'/a':{'get':{'responses':{'200':{'description':'','content':"
            "{'application/json':{'schema':%s}}}},'x-o':{'type':'object','properties':{'a':{'$ref':"
            "'#/components/schemas/A'}}}}}},'components':{'schemas':{'A':{'type':'object',"
            "'properties':{'a':{'$ref':'#/components/schemas/A'}}}}}}",
            rows[i].schema);
        haft_reason reason = {0};
        struct import *import = document_import(arena, json, NULL, &reason);

        assert_int_equal(import->n_operations, 1);
        assert_string_equal(import->operations[0].output, reading_text(arena, rows[i].output));
        assert_int_equal(import->operations[0].wrapped, !!strstr(rows[i].output, "'result'"));
        hf_import_free(import);
        haft_arena_free(arena);
    }
}

/* A schema of many kilobytes that two definitions double twelve times. */
static void leaves_out_large_outputs(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    haft_buffer json;
    haft_reason reason = {0};
    struct import *import;

    (void)state;
    haft_buffer_init(&json, NULL, 16 << 20);
    haft_buffer_puts(&json, "{" PETS ",'paths':{'/a':{'get':{'responses':{'200':{'description':'',"
                            "'content':{'application/json':{'schema':{'type':'object','properties':"
                            "{'a':{'$ref':'#/components/schemas/S0'}}}}}}}}}},'components':"
                            "{'schemas':{");
    for (int i = 0; i < 2000; i++)
        haft_buffer_printf(&json,
                           "'S%d':{'title':'%0600d','not':{'$ref':'#/components/schemas/S%d'}},", i,
                           i, i + 1);
    haft_buffer_puts(&json, "'S2000':{}}}}");
    haft_buffer_add(&json, "", 1);
    import = document_import(arena, json.data, NULL, &reason);
    assert_int_equal(import->n_operations, 1);
    assert_null(import->operations[0].output);
    assert_non_null(import->operations[0].note);
    hf_import_free(import);
    haft_buffer_finish(&json);
    haft_arena_free(arena);
}

/* ---- servers and security ---- */

static void finds_servers(void **state)
{
    static const struct {
        const char *json, *server, *own;
    } rows[] = {
        {"{" PETS ",'paths':{'/a':{'get':{}}}}", NULL, NULL},
        {"{" PETS ",'servers':[{'url':'https://a.example/v1/'}],'paths':{'/a':{'get':{}}}}",
         "https://a.example/v1", NULL},
        {"{" PETS
         ",'servers':[{'url':'https://{h}.example/{p}/{q}','variables':{'h':{'default':'x'},"
         "'p':{'default':'v2'}}}],'paths':{'/a':{'get':{'servers':[{'url':'/o'}]},'servers':[{'url':"
         "'/i'}]}}}",
         "https://x.example/v2/{q}", "/o"},
        {"{" PETS ",'paths':{'/a':{'get':{},'servers':[{'url':'/i'}]}}}", NULL, "/i"},
        {"{'swagger':'2.0','host':'h.example','schemes':['http','https'],'basePath':'/v1',"
         "'paths':{'/a':{'get':{}}}}",
         "https://h.example", NULL},
        {"{'swagger':'2.0','host':'h.example','schemes':['http'],'paths':{'/a':{'get':{}}}}",
         "http://h.example", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_reason reason = {0};
        struct import *import = document_import(arena, rows[i].json, NULL, &reason);
        const char *own = import->operations[0].server;

        assert_string_equal(import->server ? import->server : "-",
                            rows[i].server ? rows[i].server : "-");
        assert_string_equal(own ? own : "-", rows[i].own ? rows[i].own : "-");
        hf_import_free(import);
        haft_arena_free(arena);
    }
}

/* "key:0(X-Key)+basic:3" and so on, with "|" between alternatives. */
static const char *document_requirements(haft_arena *arena, const struct import_operation *one)
{
    const char *text = "";

    for (size_t i = 0; i < one->n_requirements; i++) {
        text = haft_arena_printf(arena, "%s%s", text, i ? "|" : "");
        for (size_t j = 0; j < one->requirements[i].n; j++) {
            const struct import_scheme *scheme = one->requirements[i].schemes[j];

            text = haft_arena_printf(arena, "%s%s%s:%d(%s)%s", text, j ? "+" : "", scheme->name,
                                     (int)scheme->kind, scheme->parameter ? scheme->parameter : "",
                                     scheme->token_url ? scheme->token_url : "");
        }
    }
    return text;
}

static void reads_requirements(void **state)
{
    static const struct {
        const char *security, *expected;
    } rows[] = {
        {"", "key:0(X-Key)"}, /* the document's */
        {",'security':[]", ""},
        {",'security':[{}]", ""},
        {",'security':[{'query':[]},{'cookie':[],'basic':[]},{}]",
         "query:1(k)|cookie:2(c)+basic:3()|"},
        {",'security':[{'token':[]},{'oauth':['a']},{'oidc':[]}]",
         "token:4()|oauth:4()https://t.example|oidc:4()"},
        {",'security':[{'tls':[]},{'digest':[]},{'none':[]}]", "tls:5()|digest:5()|none:5()"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        const char *json = haft_arena_printf(
            arena,
            "{" PETS ",'security':[{'key':[]}],'paths':{'/a':{'get':{'x':1%s}}},'components':"
            "{'securitySchemes':{'key':{'type':'apiKey','in':'header','name':'X-Key'},"
            "'query':{'type':'apiKey','in':'query','name':'k'},"
            "'cookie':{'type':'apiKey','in':'cookie','name':'c'},"
            "'basic':{'type':'http','scheme':'Basic'},'token':{'$ref':'#/components/x'},"
            "'oauth':{'type':'oauth2','flows':{'clientCredentials':{'tokenUrl':"
            "'https://t.example'}}},'oidc':{'type':'openIdConnect'},'tls':{'type':'mutualTLS'},"
            "'digest':{'type':'http','scheme':'digest'}},'x':{'type':'http','scheme':'bearer'}}}",
            rows[i].security);
        haft_reason reason = {0};
        struct import *import = document_import(arena, json, NULL, &reason);

        assert_string_equal(document_requirements(arena, &import->operations[0]), rows[i].expected);
        hf_import_free(import);
        haft_arena_free(arena);
    }
}

/* ---- memory ---- */

static const char document_all[] =
    "{'openapi':'3.0.0','servers':[{'url':'https://{h}.example/','variables':{'h':{'default':'a'}}}],"
    "'security':[{'key':[]},{'none':[]}],'paths':{'/a/{id}':{'parameters':[{'$ref':"
    "'#/components/parameters/id'}],'get':{'operationId':'x','summary':'a\\u200b','responses':"
    "{'200':{'description':'','content':{'application/json':{'schema':{'$ref':"
    "'#/components/schemas/A'}}}}}},'put':{'operationId':'x','requestBody':{'content':"
    "{'application/json':{'schema':{'$ref':'#/components/schemas/A'}}}}},'post':{'requestBody':"
    "{'content':{'application/json':{'schema':{'$ref':'far.json'}}}}}}},'components':{'parameters':"
    "{'id':{'name':'id','in':'path','required':true,'schema':{'type':'string','pattern':'^a+$'}}},"
    "'schemas':{'A':{'type':'object','nullable':true,'properties':{'a':{'$ref':"
    "'#/components/schemas/A'},'b':{'enum':['x','x']},'c':{'$ref':'#/components/schemas/B'}},"
    "'required':['a']},'B':{'type':'array','items':{'oneOf':[{'$ref':'#/components/schemas/C'},"
    "{'$ref':'#/components/schemas/D'}]}},'C':{'allOf':[{'$ref':'#/components/schemas/E'}]},"
    "'D':{'allOf':[{'$ref':'#/components/schemas/E'}]},'E':{'type':'object','discriminator':"
    "{'propertyName':'p','mapping':{'c':'C','d':'#/components/schemas/D'}}}},'securitySchemes':{'key':{'type':'apiKey',"
    "'in':'query','name':'k'}}}}";

/* Everything of an import as text. */
static const char *document_whole(haft_arena *arena, const struct import *import)
{
    const char *text = document_list(arena, import);

    for (size_t i = 0; i < import->n_operations; i++)
        text = haft_arena_printf(arena, "%s%s %s %s\n", text, import->operations[i].input,
                                 import->operations[i].output ? import->operations[i].output : "",
                                 document_requirements(arena, &import->operations[i]));
    return text;
}

/* A run may succeed, because the just-in-time compiler of patterns can do without memory; its result is then
 * the same. */
static void survives_without_memory(void **state)
{
    static const struct import_rule rules[] = {{.method = "HEAD", .exclude = true}};
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);
    yyjson_val *value = reading_value(arena, document_all);
    const char *whole = NULL;

    (void)state;
    for (size_t nth = 0;; nth++) { /* first without a failure */
        struct failing failing;
        struct import_options options = {
            .prefix = "p", .rules = rules, .n_rules = 1, .allocator = &failing.allocator};
        struct import *import = NULL;
        haft_reason reason = {0};
        int status;

        failing_init(&failing, nth);
        status = hf_import_document(value, &options, &import, &reason);
        if (status)
            assert_int_equal(status, HAFT_ENOMEM);
        else if (!whole)
            whole = document_whole(arena, import);
        else
            assert_string_equal(document_whole(arena, import), whole);
        hf_import_free(import);
        failing_check(&failing);
        if (nth && !failing.failures)
            break;
    }
    haft_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_operations),        cmocka_unit_test(refuses_documents),
        cmocka_unit_test(selects_operations),      cmocka_unit_test(describes_operations),
        cmocka_unit_test(annotates_operations),    cmocka_unit_test(applies_changes),
        cmocka_unit_test(writes_outputs),          cmocka_unit_test(leaves_out_large_outputs),
        cmocka_unit_test(finds_servers),           cmocka_unit_test(reads_requirements),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
