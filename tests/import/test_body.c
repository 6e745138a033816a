/* test_body.c - bodies of requests: JSON, forms, multipart, text and bytes, of 2.0 and 3.x. */
#include "import/planning.h"

#define BODY(type, schema)                                                                         \
    "'requestBody':{'required':true,'content':{'" type "':{'schema':" schema "}}},'responses':{}"
#define BODY_WITH(type, schema, encoding)                                                          \
    "'requestBody':{'required':true,'content':{'" type "':{'schema':" schema                       \
    ",'encoding':" encoding "}}},'responses':{}"
#define PET                                                                                        \
    "{'type':'object','required':['name'],'properties':{'name':{'type':'string'},'age':{'type':'integer'}}}"
#define FORM_OF "application/x-www-form-urlencoded"
#define SENT_JSON(body) "POST /x\nContent-Type: application/json\n\n" body
#define SENT_FORM(body) "POST /x\nContent-Type: application/x-www-form-urlencoded\n\n" body
#define SENT_PARTS(body)                                                                           \
    "POST /x\nContent-Type: multipart/form-data; boundary=\n\n" body "--B--\r\n"
#define PART(name, more, content)                                                                  \
    "--B\r\nContent-Disposition: form-data; name=\"" name "\"" more "\r\n\r\n" content "\r\n"

static const struct planning_row rows[] = {
    /* JSON */
    {"3.0.0 post /x", BODY("application/json", PET), NULL, "{'name':'Bo','age':3}",
     SENT_JSON("{\"name\":\"Bo\",\"age\":3}")},
    {"3.0.0 post /x", BODY("application/json", PET), NULL, "{'name':null}",
     SENT_JSON("{\"name\":null}")},
    {"3.0.0 post /x", BODY("application/json", PET), NULL, "{}", SENT_JSON("{}")},
    {"3.0.0 post /x", BODY("application/json", "{'type':'array','items':{}}"), NULL,
     "{'body':[1,'a']}", SENT_JSON("[1,\"a\"]")},
    {"3.0.0 post /x", BODY("application/json", "{'type':'array','items':{}}"), NULL, "{}",
     "!body: is required"},
    {"3.0.0 post /x", BODY("application/json", "{'type':'string'}"), NULL, "{'body':'a'}",
     SENT_JSON("\"a\"")},
    {"3.0.0 post /x", BODY("application/json", "{'$ref':'#/components/schemas/P'}"),
     "'components':{'schemas':{'P':" PET "}}", "{'name':'Bo'}", SENT_JSON("{\"name\":\"Bo\"}")},
    {"3.0.0 post /x",
     BODY("application/json", "{'allOf':[{'$ref':'#/components/schemas/P'},"
                              "{'type':'object','properties':{'tag':{}}}]}"),
     "'components':{'schemas':{'P':" PET "}}", "{'name':'Bo','tag':1}",
     SENT_JSON("{\"name\":\"Bo\",\"tag\":1}")},
    {"3.0.0 post /x", BODY("application/json", "{'oneOf':[" PET ",{'type':'object'}]}"), NULL,
     "{'body':{'name':'Bo'}}", SENT_JSON("{\"name\":\"Bo\"}")},
    {"3.0.0 post /x",
     BODY("application/json", "{'type':'object','additionalProperties':{'type':'string'}}"), NULL,
     "{'body':{'a':'b'}}", SENT_JSON("{\"a\":\"b\"}")},
    {"3.0.0 post /x", BODY("application/vnd.api+json", PET), NULL, "{'name':'Bo'}",
     "POST /x\nContent-Type: application/vnd.api+json\n\n{\"name\":\"Bo\"}"},
    {"3.0.0 post /x", BODY("application/json; charset=utf-8", PET), NULL, "{'name':'Bo'}",
     "POST /x\nContent-Type: application/json; charset=utf-8\n\n{\"name\":\"Bo\"}"},
    {"3.0.0 post /x", BODY("*/*", PET), NULL, "{'name':'Bo'}", SENT_JSON("{\"name\":\"Bo\"}")},
    {"3.0.0 post /x",
     "'requestBody':{'required':true,'content':{'application/xml':{'schema':" PET
     "},'application/json':{'schema':" PET "}}},'responses':{}",
     NULL, "{'name':'Bo'}", SENT_JSON("{\"name\":\"Bo\"}")},
    {"3.0.0 post /x", BODY("application/json", "{'type':'object','properties':{'a-b':{},'$c':{}}}"),
     NULL, "{'a-b':1,'c':2}", SENT_JSON("{\"a-b\":1,\"$c\":2}")},
    {"3.0.0 post /x", BODY("application/json", PET), NULL, "{'name':9223372036854775807}",
     SENT_JSON("{\"name\":9223372036854775807}")},
    /* names that meet: one argument */
    {"3.0.0 post /x",
     "'parameters':[{'name':'name','in':'query','schema':{}}]," BODY("application/json", PET), NULL,
     "{'name':'q','body':{'name':'Bo'}}",
     "POST /x?name=q\nContent-Type: application/json\n\n{\"name\":\"Bo\"}"},
    {"3.0.0 post /x",
     "'parameters':[{'name':'name','in':'query','schema':{}},{'name':'body','in':'query',"
     "'schema':{}}]," BODY("application/json", PET),
     NULL, "{'body':'q','body__body':{'name':'Bo'}}",
     "POST /x?body=q\nContent-Type: application/json\n\n{\"name\":\"Bo\"}"},
    /* an optional body: members are arguments only if none is required */
    {"3.0.0 post /x",
     "'requestBody':{'content':{'application/json':{'schema':{'type':'object','properties':{'a':{}}"
     "}}}},'responses':{}",
     NULL, "{}", "POST /x"},
    {"3.0.0 post /x",
     "'requestBody':{'content':{'application/json':{'schema':{'type':'object','properties':{'a':{}}"
     "}}}},'responses':{}",
     NULL, "{'a':1}", SENT_JSON("{\"a\":1}")},
    {"3.0.0 post /x",
     "'requestBody':{'content':{'application/json':{'schema':" PET "}}},'responses':{}", NULL, "{}",
     "POST /x"},
    {"3.0.0 post /x",
     "'requestBody':{'content':{'application/json':{'schema':" PET "}}},'responses':{}", NULL,
     "{'body':{'name':'Bo'}}", SENT_JSON("{\"name\":\"Bo\"}")},
    {"3.0.0 delete /x", BODY("application/json", PET), NULL, "{'name':'Bo'}",
     "DELETE /x\nContent-Type: application/json\n\n{\"name\":\"Bo\"}"},
    {"3.0.0 get /x", BODY("application/json", PET), NULL, "{'name':'Bo'}", "GET /x"},
    /* forms */
    {"3.0.0 post /x", BODY(FORM_OF, PET), NULL, "{'name':'B o&','age':3}",
     SENT_FORM("name=B%20o%26&age=3")},
    {"3.0.0 post /x", BODY(FORM_OF, "{'type':'object','properties':{'a':{},'b':{}}}"), NULL,
     "{'a':[1,2],'b':{'c':[3]}}", SENT_FORM("a=1&a=2&b=%7B%22c%22%3A%5B3%5D%7D")},
    {"3.0.0 post /x", BODY(FORM_OF, "{'type':'object','properties':{'a':{},'b':{}}}"), NULL,
     "{'a':null,'b':''}", SENT_FORM("b=")},
    {"3.0.0 post /x",
     BODY_WITH(FORM_OF, "{'type':'object','properties':{'a':{},'b':{},'c':{},'d':{}}}",
               "{'a':{'style':'deepObject','explode':true},'b':{'explode':false},"
               "'c':{'style':'pipeDelimited'},'d':{'contentType':'application/json'}}"),
     NULL, "{'a':{'x':[{'y':1}]},'b':[1,2],'c':[3,4],'d':'e'}",
     SENT_FORM("a%5Bx%5D%5B0%5D%5By%5D=1&b=1,2&c=3%7C4&d=%22e%22")},
    {"3.0.0 post /x",
     BODY_WITH(FORM_OF, "{'type':'object','properties':{'a':{}}}", "{'a':{'allowReserved':true}}"),
     NULL, "{'a':'x/y&z'}", SENT_FORM("a=x/y%26z")},
    {"3.0.0 post /x",
     "'parameters':[{'name':'a','in':'query','schema':{}}]," BODY_WITH(
         FORM_OF, "{'type':'object','properties':{'a':{}}}", "{'a':{'style':'deepObject'}}"),
     NULL, "{'a':1,'body':{'a':{'b':2},'c':[3,4]}}",
     "POST /x?a=1\nContent-Type: application/x-www-form-urlencoded\n\na%5Bb%5D=2&c=3&c=4"},
    /* multipart */
    {"3.0.0 post /x",
     BODY(
         "multipart/form-data",
         "{'type':'object','properties':{'a':{},'b':{},'c':{},'f':{'type':'string','format':'binary'}}}"),
     NULL, "{'a':'x','b':{'y':[1]},'c':[1,'z'],'f':'aGk='}",
     SENT_PARTS(PART("a", "", "x") PART("b", "\r\nContent-Type: application/json",
                                        "{\"y\":[1]}") PART("c", "", "1") PART("c", "", "z")
                    PART("f", "; filename=\"f\"\r\nContent-Type: application/octet-stream", "hi"))},
    {"3.0.0 post /x",
     BODY("multipart/form-data",
          "{'type':'object','properties':{'f':{'type':'string','format':'binary'}}}"),
     NULL, "{'f':{'data':'aGk=','type':'image/png','name':'a\\'b.png'}}",
     SENT_PARTS(PART("f", "; filename=\"a%22b.png\"\r\nContent-Type: image/png", "hi"))},
    {"3.0.0 post /x",
     BODY("multipart/form-data",
          "{'type':'object','properties':{'f':{'type':'string','format':'binary'}}}"),
     NULL, "{'f':'data:image/gif;base64,aGk='}",
     SENT_PARTS(PART("f", "; filename=\"f\"\r\nContent-Type: image/gif", "hi"))},
    {"3.1.0 post /x",
     BODY("multipart/form-data", "{'type':'object','properties':{'f':{'type':'array','items':{"
                                 "'type':'string','contentMediaType':'image/png'}}}}"),
     NULL, "{'f':['aGk=',{'data':'eW8=','name':'n'}]}",
     SENT_PARTS(PART("f", "; filename=\"f\"\r\nContent-Type: application/octet-stream", "hi")
                    PART("f", "; filename=\"n\"\r\nContent-Type: application/octet-stream", "yo"))},
    {"3.1.0 post /x",
     BODY_WITH("multipart/form-data", "{'type':'object','properties':{'a':{},'b':{},'c':{}}}",
               "{'a':{'style':'form','explode':false},'b':{'style':'form','explode':true},"
               "'c':{'style':'deepObject','explode':true}}"),
     NULL, "{'a':{'R':1,'G':2},'b':{'R':1,'G':[2]},'c':{'R':[1],'G':{'H':'i'}}}",
     SENT_PARTS(PART("a", "", "R,1,G,2") PART("R", "", "1")
                    PART("G", "\r\nContent-Type: application/json", "[2]") PART("c[R][0]", "", "1")
                        PART("c[G][H]", "", "i"))},
    {"3.0.0 post /x",
     BODY_WITH("multipart/form-data",
               "{'type':'object','properties':{'a':{},'f':{'type':'string','format':'binary'}}}",
               "{'a':{'contentType':'application/json'},'f':{'contentType':'image/png'}}"),
     NULL, "{'a':'x','f':'aGk='}",
     SENT_PARTS(PART("a", "\r\nContent-Type: application/json", "\"x\"")
                    PART("f", "; filename=\"f\"\r\nContent-Type: image/png", "hi"))},
    {"3.0.0 post /x",
     BODY("multipart/form-data",
          "{'type':'object','properties':{'f':{'type':'string','format':'binary'}}}"),
     NULL, "{'f':'a'}", "!f: is not valid base64"},
    {"3.0.0 post /x",
     BODY("multipart/form-data",
          "{'type':'object','properties':{'f':{'type':'string','format':'binary'}}}"),
     NULL, "{'f':7}", "!f: must be bytes in base64"},
    {"3.0.0 post /x",
     BODY("multipart/form-data",
          "{'type':'object','properties':{'f':{'type':'string','format':'binary'}}}"),
     NULL, "{'f':{'data':'','type':'a/b\\r\\nX: y'}}",
     "!f: type and name must not contain control characters"},
    {"3.0.0 post /x",
     BODY("multipart/form-data", "{'type':'object','properties':{'a\\'\\r\\nb':{}}}"), NULL,
     "{'a_b':'x'}", SENT_PARTS(PART("a%22%0D%0Ab", "", "x"))},
    {"3.0.0 post /x", BODY("multipart/form-data", "{'type':'object','properties':{'a':{}}}"), NULL,
     "{'a':null}", SENT_PARTS("")},
    /* text and bytes */
    {"3.0.0 post /x", BODY("text/plain", "{'type':'string'}"), NULL, "{'body':'a\\r\\nb'}",
     "POST /x\nContent-Type: text/plain\n\na\r\nb"},
    {"3.0.0 post /x", BODY("text/plain", "{'type':'integer'}"), NULL, "{'body':'7'}",
     "POST /x\nContent-Type: text/plain\n\n7"},
    {"3.0.0 post /x", BODY("application/xml", PET), NULL, "{'body':'<a/>'}",
     "POST /x\nContent-Type: application/xml\n\n<a/>"},
    {"3.0.0 post /x", BODY("application/octet-stream", "{'type':'string','format':'binary'}"), NULL,
     "{'body':'aGk='}", "POST /x\nContent-Type: application/octet-stream\n\nhi"},
    {"3.0.0 post /x", BODY("image/*", "{'type':'string','format':'binary'}"), NULL,
     "{'body':'aGk='}", "POST /x\nContent-Type: application/octet-stream\n\nhi"},
    {"3.0.0 post /x", BODY("image/png", "{}"), NULL, "{'body':'?'}", "!body: is not valid base64"},
    /* 2.0 */
    {"2.0 post /x",
     "'parameters':[{'name':'pet','in':'body','required':true,'schema':" PET "}],'responses':{}",
     NULL, "{'name':'Bo'}", SENT_JSON("{\"name\":\"Bo\"}")},
    {"2.0 post /x",
     "'consumes':['application/xml','application/json'],'parameters':[{'name':'pet',"
     "'in':'body','required':true,'schema':" PET "}],'responses':{}",
     NULL, "{'name':'Bo'}", SENT_JSON("{\"name\":\"Bo\"}")},
    {"2.0 post /x",
     "'parameters':[{'name':'a','in':'formData','type':'string'},{'name':'b','in':"
     "'formData','type':'array','items':{'type':'string'},'collectionFormat':'multi'"
     "}],'responses':{}",
     NULL, "{'a':'x y','b':['1','2']}", SENT_FORM("a=x%20y&b=1&b=2")},
    {"2.0 post /x",
     "'parameters':[{'name':'a','in':'formData','type':'array','items':{'type':"
     "'string'}},{'name':'a','in':'query','type':'string'}],'responses':{}",
     NULL, "{'a__formData':['1','2'],'a__query':'q'}",
     "POST /x?a=q\nContent-Type: application/x-www-form-urlencoded\n\na=1,2"},
    {"2.0 post /x", "'parameters':[{'name':'a','in':'formData','type':'string'}],'responses':{}",
     NULL, "{}", "POST /x"},
    {"2.0 post /x",
     "'consumes':['multipart/form-data'],'parameters':[{'name':'f','in':'formData',"
     "'type':'file'},{'name':'a','in':'formData','type':'array','items':{'type':"
     "'string'},'collectionFormat':'ssv'}],'responses':{}",
     NULL, "{'f':'aGk=','a':['1','2']}",
     SENT_PARTS(PART("f", "; filename=\"f\"\r\nContent-Type: application/octet-stream", "hi")
                    PART("a", "", "1 2"))},
    {"2.0 post /x",
     "'parameters':[{'name':'f','in':'formData','type':'file','required':true}],"
     "'responses':{}",
     NULL, "{'f':'aGk='}",
     SENT_PARTS(PART("f", "; filename=\"f\"\r\nContent-Type: application/octet-stream", "hi"))},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        planning_check(&rows[i]);
}

/* The boundary of a body is not in its content, also when that quotes the boundary of an earlier one. */
static void test_boundary(void **state)
{
    struct planning planning;
    const struct import_operation *operation;
    struct import_request first, second;
    haft_reason reason;
    const char *boundary;

    (void)state;
    planning_init(&planning);
    operation = planning_make(
        &planning, "3.0.0 post /x",
        BODY("multipart/form-data", "{'type':'object','properties':{'a':{},'b':{}}}"), "");
    assert_non_null(operation);
    for (unsigned i = 0; i < 50; i++) {
        char *arguments;
        size_t n = 0;

        assert_int_equal(hf_import_request(operation, reading_value(planning.arena, "{'a':'x'}"),
                                           planning.arena, &first, &reason),
                         0);
        boundary =
            strstr(haft_header_find(first.headers, first.n_headers, "Content-Type"), "haft-");
        assert_non_null(boundary);
        arguments =
            haft_arena_printf(planning.arena, "{'a':'\\r\\n--%s--','b':'%s'}", boundary, boundary);
        assert_int_equal(hf_import_request(operation, reading_value(planning.arena, arguments),
                                           planning.arena, &second, &reason),
                         0);
        boundary =
            strstr(haft_header_find(second.headers, second.n_headers, "Content-Type"), "haft-");
        for (const char *at = second.body; (at = strstr(at, boundary)); at++)
            n++;
        assert_int_equal(n, 3); /* two parts and the end */
    }
    planning_finish(&planning);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_boundary),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
