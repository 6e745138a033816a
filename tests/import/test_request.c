/* test_request.c - requests and memory: every allocation fails once, and none happens after warm-up. */
#include "import/planning.h"
#include "support/failing.h"

#define DOCUMENT                                                                                   \
    "{'openapi':'3.0.0','info':{'title':'t','version':'1'},'paths':{'/x/{id}/{label}':{"           \
    "'parameters':[{'$ref':'#/components/parameters/id'}],'post':{'parameters':[{'name':'label',"  \
    "'in':'path','required':true,'style':'label','explode':true,'schema':{}},{'name':'deep','in':" \
    "'query','style':'deepObject','schema':{}},{'name':'id','in':'query','schema':{}},{'name':"    \
    "'X-A','in':'header','schema':{}},{'name':'c','in':'cookie','content':{'application/json':{}}" \
    "}],'requestBody':{'$ref':'#/components/requestBodies/b'},'responses':{'200':{'content':{"     \
    "'application/json':{'schema':{'$ref':'#/components/schemas/s'}}}},'201':{'content':{"         \
    "'application/json':{'schema':{'type':'string'}}}}}}}},'components':{'parameters':{'id':{"     \
    "'name':'id','in':'path','required':true,'description':'Id','schema':{'$ref':"                 \
    "'#/components/schemas/s'}}},'requestBodies':{'b':{'required':true,'content':{'multipart/"     \
    "form-data':{'schema':{'$ref':'#/components/schemas/form'}}}}},'schemas':{'s':{'type':"        \
    "'string'},'form':{'type':'object','required':['f'],'properties':{'f':{'$ref':"                \
    "'#/components/schemas/file'},'n':{'type':'number'}}},'file':{'type':'string','format':"       \
    "'binary'}}}}"
#define OLD_DOCUMENT                                                                               \
    "{'swagger':'2.0','info':{'title':'t','version':'1'},'basePath':'/v1','paths':{'/x':{'post':{" \
    "'parameters':[{'name':'a','in':'formData','type':'array','items':{'type':'string'}},{'name':" \
    "'$q','in':'query','type':'string','default':'d','required':true}],'responses':{'200':{"       \
    "'schema':{'type':'object'}}}}}}}"

static const struct {
    const char *document, *arguments, *constants, *request;
} cases[] = {
    {DOCUMENT,
     "{'id__path':'1','label':[1,2.5],'deep':{'a':[1]},'id__query':'q','c':{'d':1},"
     "'f':{'data':'aGk=','name':'n'},'n':0.5}",
     "{'X-A':'x'}",
     "POST /x/1/.1.2.5?deep%5Ba%5D%5B0%5D=1&id=q\nX-A: x\nCookie: c=%7B%22d%22%3A1%7D\n"
     "Content-Type: multipart/form-data; boundary=\n\n--B\r\nContent-Disposition: form-data; "
     "name=\"f\"; filename=\"n\"\r\nContent-Type: application/octet-stream\r\n\r\nhi\r\n--B\r\n"
     "Content-Disposition: form-data; name=\"n\"\r\n\r\n0.5\r\n--B--\r\n"},
    {OLD_DOCUMENT, "{'a':['1','2']}", "{}",
     "POST /v1/x?%24q=d\nContent-Type: application/x-www-form-urlencoded\n\na=1,2"},
};

/* Imports a case; returns the status. */
static int import_case(struct planning *planning, size_t i, const haft_allocator *allocator)
{
    const char *place = i ? "POST /x" : "POST /x/{id}/{label}";
    struct import_change change = {.operation = place,
                                   .arguments = reading_value(planning->arena, cases[i].constants)};
    haft_reason reason;

    planning->options =
        (struct import_options){.allocator = allocator, .changes = &change, .n_changes = 1};
    return hf_import_document(reading_value(planning->arena, cases[i].document), &planning->options,
                              &planning->import, &reason);
}

/* An allocation that fails ends the import, or nothing depends on it. */
static void test_import(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planning whole;

        planning_init(&whole);
        assert_int_equal(import_case(&whole, i, NULL), 0);
        assert_int_equal(whole.import->n_operations, 1);
        for (size_t nth = 1;; nth++) {
            struct planning planning;
            struct failing failing;
            int status;

            planning_init(&planning);
            failing_init(&failing, nth);
            status = import_case(&planning, i, &failing.allocator);
            if (status) {
                assert_int_equal(status, HAFT_ENOMEM);
                planning.import = NULL;
            } else {
                haft_reason reason;

                assert_int_equal(planning.import->n_operations, 1);
                assert_string_equal(planning.import->operations->input,
                                    whole.import->operations->input);
                assert_string_equal(planning_request(&planning, planning.import->operations,
                                                     cases[i].arguments, &reason),
                                    cases[i].request);
            }
            planning_finish(&planning);
            failing_check(&failing);
            if (!failing.failures)
                break;
        }
        planning_finish(&whole);
    }
}

/* Makes a request in an arena; returns the status. */
static int request_case(const struct planning *planning, size_t i, haft_arena *arena,
                        struct import_request *ret_request)
{
    haft_reason reason;
    int status = hf_import_request(planning->import->operations,
                                   reading_value(planning->arena, cases[i].arguments), arena,
                                   ret_request, &reason);

    assert_true(!status || reason.code == status);
    return status;
}

static void test_request(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planning planning;

        planning_init(&planning);
        assert_int_equal(import_case(&planning, i, NULL), 0);
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            struct import_request request;
            haft_arena *arena;
            int status = HAFT_ENOMEM;

            failing_init(&failing, nth);
            arena = haft_arena_new(&failing.allocator, 1 << 20);
            if (arena)
                status = request_case(&planning, i, arena, &request);
            assert_true(failing.failures ? status == HAFT_ENOMEM : !status);
            haft_arena_free(arena);
            failing_check(&failing);
            if (!failing.failures)
                break;
        }
        planning_finish(&planning);
    }
}

/* A limit of the arena is reached anywhere. */
static void test_limits(void **state)
{
    struct planning planning;
    struct import_request request;

    (void)state;
    planning_init(&planning);
    assert_int_equal(import_case(&planning, 0, NULL), 0);
    for (size_t limit = 64; limit < 8192; limit += 32) {
        haft_arena *arena = haft_arena_new(NULL, limit);
        int status = arena ? request_case(&planning, 0, arena, &request) : HAFT_ENOMEM;

        assert_true(!status || status == HAFT_ENOMEM);
        assert_true(limit < 8000 || !status);
        haft_arena_free(arena);
    }
    planning_finish(&planning);
}

/* A call that is like the one before it allocates nothing. */
static void test_warm(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planning planning;
        struct import_request request;
        struct failing failing;
        haft_arena *arena;
        size_t calls = 0;

        planning_init(&planning);
        assert_int_equal(import_case(&planning, i, NULL), 0);
        failing_init(&failing, 0);
        arena = haft_arena_new(&failing.allocator, 1 << 20);
        for (unsigned n = 0; n < 3; n++) {
            calls = failing.calls;
            haft_arena_reset(arena);
            assert_int_equal(request_case(&planning, i, arena, &request), 0);
        }
        assert_int_equal(failing.calls, calls);
        haft_arena_free(arena);
        failing_check(&failing);
        planning_finish(&planning);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_warm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
