/* test_question.c - questions of the server: put to the program in every revision, answered at once
 * or later, or not at all. */
#include <haft/testing.h>

#include "client/client.h"
#include "client/script.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define SAID(text) RESULT("{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}")
#define GREETING                                                                                   \
    RESULT("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{}}")
#define FORM(schema)                                                                               \
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":" schema \
    "}}"
#define NAME                                                                                       \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}"
#define ASKS(questions)                                                                            \
    RESULT("{\"resultType\":\"input_required\",\"inputRequests\":{" questions                      \
           "},\"requestState\":\"s \\\"1\\\"\"}")
#define OLD(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define OLD_FORM                                                                                   \
    OLD("\"q\"", "elicitation/create", "{\"message\":\"m\",\"requestedSchema\":" NAME "}")

enum handling { ACCEPTS, DEFAULTS, DECLINES, CANCELS, ANSWERS, REFUSES, RETURNS, KEEPS, CLOSES };

struct handler {
    enum handling handling;
    unsigned asked;
    haft_question *kept[4];
    haft_client *client;
    int status;
};

static int answer_by(haft_question *question, enum handling handling)
{
    switch (handling) {
    case ACCEPTS:
        return haft_question_accept(question, "{\"name\":\"Ann\"}");
    case DEFAULTS:
        return haft_question_accept(question, NULL);
    case DECLINES:
        return haft_question_decline(question);
    case CANCELS:
        return haft_question_cancel(question);
    case ANSWERS:
        return haft_question_answer(question, "{\"roots\":[]}");
    case REFUSES:
        return haft_question_refuse(question, -1, "not now");
    case RETURNS:
    case KEEPS:
    case CLOSES:
        break;
    }
    return 0;
}

static int ask(void *context, haft_question *question)
{
    struct handler *handler = context;

    assert_true(handler->asked < COUNT_OF(handler->kept));
    handler->kept[handler->asked++] = question;
    assert_non_null(haft_question_method(question));
    if (handler->handling == RETURNS)
        return 1;
    if (handler->handling == CLOSES) {
        haft_client_free(handler->client);
        handler->client = NULL;
        return 0;
    }
    handler->status = answer_by(question, handler->handling);
    return 0;
}

static haft_client *open_script(struct script *script, const struct script_row *rows,
                                const char *revision, struct handler *handler, bool has_wait)
{
    haft_transport transport;

    script_init(script, rows, false, has_wait);
    transport = script_transport(script);
    handler->client =
        hf_client_start(&transport,
                        HAFT_WITH(haft_client_options, .revision = revision, .ask = ask,
                                  .context = handler, .max_rounds = 3),
                        &(struct client_start){.probe = false}, &script->receiver, NULL);
    if (has_wait)
        assert_int_equal(hf_client_settle(handler->client), 0);
    return handler->client;
}

/* ---- both kinds of servers ---- */

static const struct ask_row {
    enum handling handling;
    const char *question; /* its key and the question, of a modern server */
    const char *modern;   /* a part of what is sent; NULL: the caller gets the question */
    const char *old;
} asks[] = {
    {ACCEPTS, "\"k\":" FORM(NAME),
     "\"inputResponses\":{\"k\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}},"
     "\"requestState\":\"s \\\"1\\\"\"",
     "\"id\":\"q\",\"result\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}}"},
    {DEFAULTS, "\"k\":" FORM(NAME), "\"content\":{\"name\":\"\"}", "\"content\":{\"name\":\"\"}"},
    {DECLINES, "\"k\":" FORM(NAME), "{\"k\":{\"action\":\"decline\"}}",
     "\"result\":{\"action\":\"decline\"}"},
    {CANCELS, "\"k\":" FORM(NAME), "{\"k\":{\"action\":\"cancel\"}}",
     "\"result\":{\"action\":\"cancel\"}"},
    {ANSWERS, "\"k\":{\"method\":\"roots/list\"}", "{\"k\":{\"roots\":[]}}",
     "\"result\":{\"roots\":[]}"},
    {REFUSES, "\"k\":" FORM(NAME), NULL, "\"error\":{\"code\":-1,\"message\":\"not now\"}"},
    {RETURNS, "\"k\":" FORM(NAME), NULL, "\"error\":{\"code\":-32601,"},
};

static void a_modern_server_gets_the_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(asks); i++) {
        static struct script script;
        struct handler handler = {.handling = asks[i].handling};
        char first[2048];
        const struct script_row rows[] = {
            {"tools/call", SCRIPT_SAY, first, 0},
            {asks[i].modern, SCRIPT_SAY, SAID("thanks"), 0},
            {NULL, 0, NULL, 0},
        };
        haft_client *client = open_script(&script, rows, "2026-07-28", &handler, true);
        haft_result result;

        snprintf(first, sizeof first,
                 RESULT("{\"resultType\":\"input_required\",\"inputRequests\":{%s},"
                        "\"requestState\":\"s \\\"1\\\"\"}"),
                 asks[i].question);
        if (!asks[i].modern)
            script.rows = (const struct script_row[]){rows[0], rows[2]};
        assert_int_equal(haft_client_call(client, "t", NULL, &result), 0);
        assert_int_equal(handler.asked, 1);
        if (asks[i].modern)
            assert_string_equal(result.text, "thanks");
        else
            assert_non_null(yyjson_obj_get(result.value, "inputRequests"));
        haft_client_free(client);
        script_finish(&script);
    }
}

static void an_old_server_gets_the_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(asks); i++) {
        static struct script script;
        struct handler handler = {.handling = asks[i].handling};
        const struct script_row rows[] = {
            {"\"initialize\"", SCRIPT_SAY, GREETING, 0},
            {NULL, SCRIPT_SAY,
             asks[i].handling == ANSWERS ? OLD("\"q\"", "roots/list", "{}") : OLD_FORM, 0},
            {"tools/call", SCRIPT_SAY, SAID("thanks"), 0},
            {NULL, 0, NULL, 0},
        };
        haft_client *client = open_script(&script, rows, "2025-11-25", &handler, true);
        haft_result result;

        assert_int_equal(haft_client_call(client, "t", NULL, &result), 0);
        assert_int_equal(handler.asked, 1);
        assert_non_null(strstr(script.log, asks[i].old));
        haft_client_free(client);
        script_finish(&script);
    }
}

/* ---- later ---- */

static void questions_are_answered_later(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY,
         ASKS("\"a\":" FORM(NAME) ",\"b\":" FORM(NAME) ",\"c\":{\"method\":\"roots/list\"}"), 0},
        {NULL, SCRIPT_PASS, NULL, 500000}, /* a person takes their time */
        {"inputResponses", SCRIPT_SAY, SAID("thanks"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    struct handler handler = {.handling = KEEPS};
    haft_client *client = open_script(&script, rows, "2026-07-28", &handler, false);
    haft_result result;
    int64_t id = haft_client_send(client, "tools/call", "{\"name\":\"t\"}");

    (void)state;
    script_run(&script);
    assert_int_equal(handler.asked, 3);
    assert_int_equal(haft_client_wait(client, id, 0, &result), HAFT_PENDING);
    /* the same answer once more means nothing */
    script_say(&script, ASKS("\"d\":" FORM(NAME)), script.sent[0].text, NULL);
    assert_int_equal(handler.asked, 3);
    assert_int_equal(haft_client_strays(client), 1);
    assert_int_equal(haft_question_accept(handler.kept[0], "{\"name\":5}"), HAFT_EINVAL);
    assert_non_null(strstr(haft_client_error(client, NULL), "name: "));
    assert_int_equal(haft_question_accept(handler.kept[0], "{"), HAFT_EINVAL);
    assert_int_equal(haft_question_accept(handler.kept[0], "[]"), HAFT_EINVAL);
    assert_int_equal(haft_question_accept(handler.kept[2], NULL), HAFT_EINVAL); /* not a form */
    assert_int_equal(haft_question_answer(handler.kept[2], "5"), HAFT_EINVAL);
    assert_int_equal(haft_question_answer(handler.kept[2], NULL), HAFT_EINVAL);
    assert_int_equal(haft_question_accept(handler.kept[0], "{\"name\":\"Ann\"}"), 0);
    assert_int_equal(haft_question_answer(handler.kept[2], "{\"roots\":[]}"), 0);
    assert_null(strstr(script.log, "inputResponses"));
    assert_int_equal(haft_question_decline(handler.kept[1]), 0);
    assert_non_null(strstr(script.log,
                           "\"inputResponses\":{\"a\":{\"action\":\"accept\",\"content\":{\"name\":"
                           "\"Ann\"}},\"b\":{\"action\":\"decline\"},\"c\":{\"roots\":[]}}"));
    script_run(&script);
    assert_int_equal(haft_client_wait(client, id, 0, &result), 0);
    assert_string_equal(result.text, "thanks");
    haft_client_free(client);
    script_finish(&script);
}

/* What ends a request ends its questions, which the program still has. */
static void questions_outlive_their_request(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY, ASKS("\"a\":" FORM(NAME) ",\"b\":" FORM(NAME)), 0},
        {NULL, 0, NULL, 0}};
    static const struct script_row old[] = {
        {"\"initialize\"", SCRIPT_SAY, GREETING, 0},
        {NULL, SCRIPT_SAY, OLD_FORM, 0},
        {NULL, SCRIPT_SAY,
         OLD("7", "elicitation/create", "{\"message\":\"m\",\"requestedSchema\":" NAME "}"), 0},
        {NULL, SCRIPT_SAY,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
         "\"q\"}}",
         0},
        {NULL, 0, NULL, 0}};

    (void)state;
    for (int way = 0; way < 4; way++) {
        static struct script script;
        struct handler handler = {.handling = KEEPS};
        haft_client *client = open_script(&script, way == 3 ? old : rows,
                                          way == 3 ? "2025-11-25" : "2026-07-28", &handler, false);
        int64_t id = haft_client_send(client, "tools/call", "{\"name\":\"t\"}");

        script_run(&script);
        assert_int_equal(handler.asked, 2);
        if (way == 0)
            assert_int_equal(haft_client_cancel(client, id), 0);
        else if (way == 1)
            script.receiver.closed(script.receiver.context, NULL);
        else if (way == 2)
            haft_client_free(client);
        assert_int_equal(haft_question_accept(handler.kept[0], NULL), HAFT_ECLOSED);
        if (way == 3)
            haft_client_free(client);
        assert_int_equal(haft_question_refuse(handler.kept[1], -1, NULL), HAFT_ECLOSED);
        if (way < 2)
            haft_client_free(client);
        script_finish(&script);
    }
}

static void a_question_may_close_the_client(void **state)
{
    static const struct script_row modern[] = {
        {"tools/call", SCRIPT_SAY, ASKS("\"a\":" FORM(NAME) ",\"b\":" FORM(NAME)), 0},
        {NULL, 0, NULL, 0}};
    static const struct script_row old[] = {{"\"initialize\"", SCRIPT_SAY, GREETING, 0},
                                            {"tools/call", SCRIPT_SAY, OLD_FORM, 0},
                                            {NULL, 0, NULL, 0}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        static struct script script;
        struct handler handler = {.handling = CLOSES};
        haft_client *client = open_script(&script, i % 2 ? old : modern,
                                          i % 2 ? "2025-11-25" : "2026-07-28", &handler, i > 1);
        haft_result result;

        if (i > 1) {
            assert_int_equal(haft_client_call(client, "t", NULL, &result), HAFT_ECLOSED);
        } else {
            haft_client_send(client, "tools/call", "{\"name\":\"t\"}");
            script_run(&script);
        }
        assert_int_equal(handler.asked, 1);
        assert_null(handler.client);
        assert_int_equal(haft_question_cancel(handler.kept[0]), HAFT_ECLOSED);
        script_finish(&script);
    }
}

/* ---- what cannot be asked ---- */

static void other_requests_of_a_server(void **state)
{
    static const struct {
        const char *request, *response;
    } table[] = {
        {OLD("4", "elicitation/create", "{\"mode\":\"url\",\"url\":\"a:b\"}"),
         "\"message\":\"params.message is missing\""},
        {OLD("3", "ping", "{}"), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}"},
        {OLD("\"x\"", "no/such", "{}"), "\"id\":\"x\",\"error\":{\"code\":-32601,"},
        {OLD("4", "elicitation/create", "{}"), "\"id\":4,\"error\":{\"code\":-32602,"},
        {OLD("4", "elicitation/create", "{\"mode\":\"url\"}"),
         "\"id\":4,\"error\":{\"code\":-32602,"},
        {OLD("4", "elicitation/create", "{\"mode\":\"odd\"}"),
         "\"id\":4,\"error\":{\"code\":-32602,"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        static struct script script;
        struct handler handler = {.handling = ACCEPTS};
        const struct script_row rows[] = {{"\"initialize\"", SCRIPT_SAY, GREETING, 0},
                                          {NULL, SCRIPT_SAY, table[i].request, 0},
                                          {NULL, 0, NULL, 0}};
        haft_client *client = open_script(&script, rows, "2025-11-25", &handler, false);

        script_run(&script);
        assert_int_equal(handler.asked, 0);
        assert_non_null(strstr(script.log, table[i].response));
        haft_client_free(client);
        script_finish(&script);
    }
}

static void a_modern_server_has_no_requests(void **state)
{
    static const struct script_row rows[] = {{NULL, SCRIPT_SAY, OLD_FORM, 0},
                                             {NULL, SCRIPT_SAY, OLD("1", "ping", "{}"), 0},
                                             {NULL, 0, NULL, 0}};
    static struct script script;
    struct handler handler = {.handling = ACCEPTS};
    haft_client *client = open_script(&script, rows, "2026-07-28", &handler, false);

    (void)state;
    script_run(&script);
    assert_int_equal(handler.asked, 0);
    assert_int_equal(script.n_sent, 0);
    assert_int_equal(haft_client_strays(client), 2);
    haft_client_free(client);
    script_finish(&script);
}

static void rounds_have_an_end(void **state)
{
    static const struct {
        struct script_row rows[6];
        int status;
        const char *error;
    } table[] = {
        {{{"tools/call", SCRIPT_SAY, ASKS(""), 0},
          {"requestState", SCRIPT_SAY, ASKS(""), 0},
          {"requestState", SCRIPT_SAY, ASKS(""), 0},
          {"requestState", SCRIPT_SAY, ASKS(""), 0}},
         HAFT_EPROTOCOL,
         "the server asked for input too many times"},
        {{{"tools/call", SCRIPT_SAY,
           RESULT("{\"resultType\":\"input_required\",\"inputRequests\":[]}"), 0}},
         HAFT_EPROTOCOL,
         "malformed: inputRequests must be an object, not an array"},
        {{{"tools/call", SCRIPT_SAY,
           RESULT("{\"resultType\":\"input_required\",\"requestState\":5}"), 0}},
         HAFT_EPROTOCOL,
         "malformed: requestState must be a string"},
        {{{"tools/call", SCRIPT_SAY, ASKS("\"k\":{\"method\":\"no/such\"}"), 0}}, 0, ""},
        {{{"tools/call", SCRIPT_SAY,
           ASKS("\"k\":{\"method\":\"elicitation/create\",\"params\":{}}"), 0}},
         HAFT_EPROTOCOL,
         "the server's request for input is malformed: inputRequests.k.params.message is missing"},
        {{{"tools/call", SCRIPT_SAY, RESULT("{\"resultType\":\"input_required\"}"), 0},
          {"tools/call", SCRIPT_SAY, SAID("x"), 0}},
         0,
         ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        static struct script script;
        struct handler handler = {.handling = ACCEPTS};
        haft_client *client = open_script(&script, table[i].rows, "2026-07-28", &handler, true);
        haft_result result;

        assert_int_equal(haft_client_call(client, "t", NULL, &result), table[i].status);
        assert_non_null(strstr(haft_client_error(client, NULL), table[i].error));
        assert_int_equal(handler.asked, 0);
        haft_client_free(client);
        script_finish(&script);
    }
}

/* In 2025-11-25 the member means nothing; with manual rounds the program sees it. */
static void a_result_that_asks_may_be_the_callers(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY, ASKS("\"k\":" FORM(NAME)), 0}, {NULL, 0, NULL, 0}};
    static struct script script;
    haft_transport transport;
    haft_client *client;
    haft_result result;

    (void)state;
    script_init(&script, rows, false, true);
    transport = script_transport(&script);
    client = haft_client_open(&transport,
                              HAFT_WITH(haft_client_options, .ask = ask, .manual_rounds = true),
                              &script.receiver);
    assert_int_equal(haft_client_call(client, "t", NULL, &result), 0);
    assert_non_null(yyjson_obj_get(result.value, "inputRequests"));
    haft_client_free(client);
    script_finish(&script);
}

/* ---- forms ---- */

static void forms_have_defaults(void **state)
{
    static const struct {
        const char *properties, *required, *content; /* NULL: it cannot be accepted */
    } table[] = {
        {"", "", "{}"},
        {"\"a\":{\"type\":\"string\",\"default\":\"x\"},\"b\":{\"type\":\"string\"}", "",
         "{\"a\":\"x\"}"},
        {"\"a\":{\"type\":\"string\",\"minLength\":3}", "\"a\"", "{\"a\":\"xxx\"}"},
        {"\"a\":{\"type\":\"string\",\"format\":\"email\"},\"b\":{\"type\":\"string\",\"format\":"
         "\"uri\"},\"c\":{\"type\":\"string\",\"format\":\"date\"},\"d\":{\"type\":\"string\","
         "\"format\":\"date-time\"}",
         "\"a\",\"b\",\"c\",\"d\"",
         "{\"a\":\"user@example.com\",\"b\":\"https://example.com/\",\"c\":\"1970-01-01\",\"d\":"
         "\"1970-01-01T00:00:00Z\"}"},
        {"\"a\":{\"type\":\"integer\",\"minimum\":3},\"b\":{\"type\":\"number\",\"maximum\":-1.5},"
         "\"c\":{\"type\":\"integer\"},\"d\":{\"type\":\"boolean\"}",
         "\"a\",\"b\",\"c\",\"d\"", "{\"a\":3,\"b\":-1.5,\"c\":0,\"d\":false}"},
        {"\"a\":{\"enum\":[\"p\",\"q\"]},\"b\":{\"oneOf\":[{\"const\":\"r\",\"title\":\"R\"}]}",
         "\"a\",\"b\"", "{\"a\":\"p\",\"b\":\"r\"}"},
        {"\"a\":{\"type\":\"array\",\"minItems\":2,\"items\":{\"enum\":[\"p\",\"q\",\"r\"]}},\"b\":{"
         "\"type\":\"array\",\"minItems\":1,\"items\":{\"anyOf\":[{\"const\":\"s\"}]}}",
         "\"a\",\"b\"", "{\"a\":[\"p\",\"q\"],\"b\":[\"s\"]}"},
        {"\"a\":{\"type\":\"string\",\"minLength\":100000000000}", "\"a\"", NULL},
        {"\"a\":{\"type\":\"string\",\"pattern\":\"^y\"}", "\"a\"", NULL},
        {"\"a\":{\"type\":\"wrong\"}", "", NULL},
        {"\"a\":{\"type\":\"string\",\"pattern\":\"(\"}", "", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        static struct script script;
        struct handler handler = {.handling = KEEPS};
        char first[2048];
        const struct script_row rows[] = {{"tools/call", SCRIPT_SAY, first, 0}, {NULL, 0, NULL, 0}};
        haft_client *client = open_script(&script, rows, "2026-07-28", &handler, false);
        int status;

        snprintf(first, sizeof first,
                 ASKS("\"k\":" FORM("{\"type\":\"object\",\"properties\":{%s},\"required\":[%s]}")),
                 table[i].properties, table[i].required);
        haft_client_send(client, "tools/call", "{\"name\":\"t\"}");
        script_run(&script);
        assert_int_equal(handler.asked, 1);
        status = haft_question_accept(handler.kept[0], NULL);
        if (table[i].content) {
            assert_int_equal(status, 0);
            assert_non_null(strstr(script.log, table[i].content));
        } else {
            assert_true(status == HAFT_EINVAL || status == HAFT_ETOOBIG);
            assert_int_equal(haft_question_decline(handler.kept[0]), 0);
        }
        haft_client_free(client);
        script_finish(&script);
    }
}

static void a_url_is_accepted_without_content(void **state)
{
    static const struct script_row rows[] = {
        {"tools/call", SCRIPT_SAY,
         ASKS("\"k\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":"
              "\"m\",\"url\":\"https://example.com/\"}}"),
         0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    struct handler handler = {.handling = KEEPS};
    haft_client *client = open_script(&script, rows, "2026-07-28", &handler, false);

    (void)state;
    haft_client_send(client, "tools/call", "{\"name\":\"t\"}");
    script_run(&script);
    assert_int_equal(haft_question_accept(handler.kept[0], "{}"), HAFT_EINVAL);
    assert_int_equal(haft_question_accept(handler.kept[0], NULL), 0);
    assert_non_null(strstr(script.log, "{\"k\":{\"action\":\"accept\"}}"));
    haft_client_free(client);
    script_finish(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_modern_server_gets_the_answers),
        cmocka_unit_test(an_old_server_gets_the_answers),
        cmocka_unit_test(questions_are_answered_later),
        cmocka_unit_test(questions_outlive_their_request),
        cmocka_unit_test(a_question_may_close_the_client),
        cmocka_unit_test(other_requests_of_a_server),
        cmocka_unit_test(a_modern_server_has_no_requests),
        cmocka_unit_test(rounds_have_an_end),
        cmocka_unit_test(a_result_that_asks_may_be_the_callers),
        cmocka_unit_test(forms_have_defaults),
        cmocka_unit_test(a_url_is_accepted_without_content),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
