/* test_subscribe.c - subscriptions: what servers of both kinds are asked, what is reported, and what
 * happens after a connection was lost. */
#include <haft/testing.h>

#include "client/client.h"
#include "client/script.h"

#define RESULT(json) "{\"jsonrpc\":\"2.0\",\"id\":$,\"result\":" json "}"
#define ERROR(code)                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":$,\"error\":{\"code\":" #code ",\"message\":\"no\"}}"
#define GREETING                                                                                   \
    RESULT(                                                                                        \
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":true},"  \
        "\"resources\":{\"subscribe\":true}},\"serverInfo\":{}}")
#define NOTICE(method, members)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" method "\",\"params\":{" members            \
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$}}}"
#define ACKNOWLEDGED NOTICE("subscriptions/acknowledged", "\"notifications\":{},")
#define PLAIN(method, members)                                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" method "\",\"params\":{" members "}}"

static const char *const uris[] = {"a:b", "a:c", NULL};
static const struct script_row nothing[] = {{NULL, 0, NULL, 0}};

struct changes {
    char text[512];
    haft_subscription *frees; /* in the callback */
    bool closes;
};

static void on_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    static const char *const names[] = {"tools", "resources", "templates", "prompts"};
    struct changes *changes = context;
    size_t used = strlen(changes->text);

    snprintf(changes->text + used, sizeof changes->text - used, "%s ", uri ? uri : names[kind]);
    haft_subscription_free(changes->frees);
    changes->frees = NULL;
    if (changes->closes)
        haft_client_free(client);
}

static haft_client *open_script(struct script *script, const struct script_row *rows,
                                const char *revision, bool http)
{
    haft_transport transport;

    script_init(script, rows, http, false);
    transport = script_transport(script);
    return haft_client_open(&transport, HAFT_WITH(haft_client_options, .revision = revision),
                            &script->receiver);
}

static const haft_topics all_topics =
    HAFT_INIT(haft_topics, .tools = true, .resources = true, .prompts = true, .uris = uris);
static const haft_topics some_topics = HAFT_INIT(haft_topics, .tools = true, .uris = uris);

static void a_modern_server_is_asked_once(void **state)
{
    static const struct script_row rows[] = {
        {"subscriptions/listen", SCRIPT_PASS, NULL, 1},
        {NULL, SCRIPT_SAY,
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
         "acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
         "subscriptionId\":1}}}",
         0},
        {"subscriptions/listen", SCRIPT_SAY, NOTICE("tools/list_changed", ""), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    struct changes changes = {.text = ""};
    haft_client *client = open_script(&script, rows, NULL, false);
    haft_subscription *subscription =
        haft_client_subscribe(client, &all_topics, on_changed, &changes);

    (void)state;
    assert_non_null(subscription);
    assert_non_null(strstr(script.log, "\"params\":{\"notifications\":{\"toolsListChanged\":true,"
                                       "\"resourcesListChanged\":true,\"promptsListChanged\":true,"
                                       "\"resourceSubscriptions\":[\"a:b\",\"a:c\"]}"));
    script_run(&script);
    assert_string_equal(changes.text, "tools ");
    script_say(&script, NOTICE("resources/updated", "\"uri\":\"a:b\","), script.sent[0].text, NULL);
    script_say(&script, NOTICE("resources/updated", "\"uri\":\"a:b/part\","), script.sent[0].text,
               NULL);
    script_say(&script, NOTICE("resources/updated", "\"uri\":\"a:bc\","), script.sent[0].text,
               NULL);
    script_say(&script, NOTICE("resources/updated", ""), script.sent[0].text, NULL);
    script_say(&script, NOTICE("prompts/list_changed", ""), script.sent[0].text, NULL);
    script_say(&script, NOTICE("resources/list_changed", ""), script.sent[0].text, NULL);
    script_say(&script, NOTICE("tools/list_changed", ""), "\"id\":77", NULL); /* another's */
    assert_string_equal(changes.text, "tools a:b a:b/part prompts resources ");
    script.now += 10000000; /* it has no deadline */
    script_run(&script);
    haft_subscription_free(subscription);
    assert_non_null(strstr(script.log, "notifications/cancelled\",\"params\":{\"requestId\":1}"));
    script_say(&script, NOTICE("tools/list_changed", ""), script.sent[0].text, NULL);
    assert_string_equal(changes.text, "tools a:b a:b/part prompts resources ");
    haft_client_free(client);
    script_finish(&script);
}

/* After an interruption it is asked for again, later and later, and everything is reported. */
static void a_lost_subscription_is_renewed(void **state)
{
    static struct script script;
    struct changes changes = {.text = ""};
    haft_client *client = open_script(&script, nothing, NULL, true);
    haft_receiver *to = &script.receiver;

    (void)state;
    assert_non_null(haft_client_subscribe(client, &some_topics, on_changed, &changes));
    for (unsigned i = 0, pause = 1000; i < 7; i++) {
        assert_int_equal(script.n_sent, i + 1);
        if (i % 2)
            to->closed(to->context, script.sent[i].tag);
        else
            script_say(&script, RESULT("{}"), script.sent[i].text, script.sent[i].tag);
        script.now += pause - 1;
        script_run(&script);
        assert_int_equal(script.n_sent, i + 1);
        script.now += 1;
        script_run(&script);
        pause = pause * 2 < 30000 ? pause * 2 : 30000;
    }
    assert_string_equal(changes.text, "");
    script_say(&script, ACKNOWLEDGED, script.sent[7].text, script.sent[7].tag);
    assert_string_equal(changes.text, "tools a:b a:c ");
    script_say(&script, ACKNOWLEDGED, script.sent[7].text, script.sent[7].tag);
    assert_string_equal(changes.text, "tools a:b a:c ");
    /* and then soon again */
    to->closed(to->context, script.sent[7].tag);
    script.now += 1000;
    script_run(&script);
    assert_int_equal(script.n_sent, 9);
    haft_client_free(client);
    script_finish(&script);
}

static void a_server_may_not_offer_it(void **state)
{
    static const struct script_row rows[] = {{"subscriptions/listen", SCRIPT_SAY, ERROR(-32601), 0},
                                             {NULL, SCRIPT_PASS, NULL, 100000},
                                             {NULL, 0, NULL, 0}};
    static const struct script_row old[] = {{"\"initialize\"", SCRIPT_SAY, GREETING, 0},
                                            {NULL, 0, NULL, 0}};
    static struct script script;
    struct changes changes = {.text = ""};
    haft_client *client = open_script(&script, rows, NULL, true);

    (void)state;
    assert_non_null(haft_client_subscribe(client, &some_topics, on_changed, &changes));
    script_run(&script);
    assert_int_equal(script.n_sent, 1);
    haft_client_free(client);
    script_finish(&script);

    client = open_script(&script, old, "2025-11-25", true);
    script_run(&script);
    assert_null(haft_client_subscribe(client, HAFT_WITH(haft_topics, .prompts = true), on_changed,
                                      &changes));
    assert_null(haft_client_subscribe(client, HAFT_WITH(haft_topics, .resources = true), on_changed,
                                      &changes));
    assert_null(haft_client_subscribe(client, &(haft_topics){.tools = true}, on_changed, &changes));
    assert_null(haft_client_subscribe(client, &some_topics, NULL, NULL));
    assert_null(haft_client_subscribe(NULL, &some_topics, on_changed, NULL));
    haft_subscription_free(NULL);
    haft_client_free(client);
    script_finish(&script);
}

static void an_old_server_is_asked_for_each(void **state)
{
    static const struct script_row rows[] = {
        {"\"initialize\"", SCRIPT_SAY, GREETING, 0},
        {"subscribe\",\"params\":{\"uri\":\"a:b\"}", SCRIPT_SAY, RESULT("{}"), 0},
        {"subscribe\",\"params\":{\"uri\":\"a:c\"}", SCRIPT_SAY, ERROR(-32002), 0},
        {NULL, SCRIPT_SAY, PLAIN("tools/list_changed", ""), 0},
        {NULL, SCRIPT_SAY, PLAIN("prompts/list_changed", ""), 0},
        {NULL, SCRIPT_SAY, PLAIN("resources/updated", "\"uri\":\"a:b\""), 0},
        {NULL, 0, NULL, 0}};
    static const struct script_row again[] = {
        {"x/call", SCRIPT_GONE, "gone", 0},
        {"\"initialize\"", SCRIPT_SAY, GREETING, 0},
        {"subscribe\",\"params\":{\"uri\":\"a:b\"}", SCRIPT_SAY, RESULT("{}"), 0},
        {"subscribe\",\"params\":{\"uri\":\"a:c\"}", SCRIPT_SAY, RESULT("{}"), 0},
        {NULL, 0, NULL, 0}};
    static struct script script;
    struct changes changes = {.text = ""}, others = {.text = ""};
    haft_client *client = open_script(&script, rows, "2025-11-25", true);
    haft_subscription *first = haft_client_subscribe(client, &some_topics, on_changed, &changes);
    haft_subscription *second;

    (void)state;
    assert_non_null(first); /* while the negotiation goes on */
    assert_int_equal(script.n_sent, 1);
    script_run(&script);
    assert_int_equal(script.listens, 1);
    assert_string_equal(changes.text, "tools a:b ");
    /* a new session: everything is subscribed to again, and reported */
    changes.text[0] = '\0';
    script.rows = again;
    assert_true(haft_client_send(client, "x/call", NULL) > 0);
    script_run(&script);
    assert_string_equal(changes.text, "tools a:b a:c ");
    assert_int_equal(script.listens, 2);
    /* what two want is not given up by one */
    second = haft_client_subscribe(
        client, HAFT_WITH(haft_topics, .uris = (const char *const[]){"a:b", NULL}), on_changed,
        &others);
    haft_subscription_free(first);
    assert_null(strstr(script.log, "resources/unsubscribe\",\"params\":{\"uri\":\"a:b\""));
    assert_non_null(strstr(script.log, "resources/unsubscribe\",\"params\":{\"uri\":\"a:c\""));
    assert_true(script.listens < 100);
    haft_subscription_free(second);
    assert_non_null(strstr(script.log, "resources/unsubscribe\",\"params\":{\"uri\":\"a:b\""));
    assert_true(script.listens >= 100);
    haft_client_free(client);
    script_finish(&script);
}

static void on_answered(void *context, haft_client *client, int status, const haft_result *result)
{
    struct changes *changes = context;
    size_t used = strlen(changes->text);

    if (status || result->error_code)
        snprintf(changes->text + used, sizeof changes->text - used, "refused %d ",
                 status ? status : result->error_code);
    else
        snprintf(changes->text + used, sizeof changes->text - used, "accepted%s ",
                 yyjson_obj_get(result->value, "notifications") ? " some" : "");
    haft_subscription_free(changes->frees);
    changes->frees = NULL;
    if (changes->closes)
        haft_client_free(client);
}

static const haft_topics told_topics =
    HAFT_INIT(haft_topics, .tools = true, .uris = uris, .answered = on_answered);
static const haft_topics told_lists =
    HAFT_INIT(haft_topics, .tools = true, .answered = on_answered);

#define LISTENS(text)                                                                              \
    {                                                                                              \
        {                                                                                          \
            "subscriptions/listen", SCRIPT_SAY, text, 0                                            \
        }                                                                                          \
    }
#define SUBSCRIBES(b, c)                                                                           \
    {                                                                                              \
        {"\"initialize\"", SCRIPT_SAY, GREETING, 0},                                               \
            {"subscribe\",\"params\":{\"uri\":\"a:b\"}", SCRIPT_SAY, b, 0},                        \
            {"subscribe\",\"params\":{\"uri\":\"a:c\"}", SCRIPT_SAY, c, 0},                        \
    }

/* What a server has answered, the program is told once. */
static void the_answer_is_reported(void **state)
{
    enum { ROWS = 4 };
    static const struct {
        const char *revision;
        const haft_topics *topics;
        struct script_row rows[ROWS];
        const char *told;
    } cases[] = {
        {NULL, &told_topics, LISTENS(ACKNOWLEDGED), "accepted some "},
        {NULL, &told_topics, LISTENS(ERROR(-32601)), "refused -32601 "},
        {NULL, &told_topics, LISTENS(ERROR(-32602)), "refused -32602 "},
        {NULL, &told_topics, LISTENS(ERROR(-32603)), ""}, /* the client asks again */
        {"2025-11-25", &told_topics, SUBSCRIBES(RESULT("{}"), RESULT("{}")), "accepted "},
        {"2025-11-25", &told_topics, SUBSCRIBES(ERROR(-32002), RESULT("{}")), "refused -32002 "},
        {"2025-11-25", &told_topics, SUBSCRIBES(ERROR(-32002), ERROR(-32003)), "refused -32002 "},
        {"2025-11-25", &told_lists, {{"\"initialize\"", SCRIPT_SAY, GREETING, 0}}, "accepted "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int ends = 0; ends < 3; ends++) { /* not, the subscription, the client */
            static struct script script;
            struct changes changes = {.closes = ends == 2};
            haft_client *client = open_script(&script, cases[i].rows, cases[i].revision, true);
            haft_subscription *made =
                haft_client_subscribe(client, cases[i].topics, on_changed, &changes);

            assert_non_null(made);
            changes.frees = ends == 1 ? made : NULL;
            script_run(&script);
            assert_string_equal(changes.text, cases[i].told);
            if (!ends && !cases[i].revision)
                script_say(&script, ACKNOWLEDGED, script.sent[0].text, script.sent[0].tag);
            assert_string_equal(changes.text, cases[i].told);
            if (ends != 2 || !*cases[i].told)
                haft_client_free(client);
            script_finish(&script);
        }
}

/* An answer to a subscription that was freed meanwhile. */
static void a_late_answer_is_ignored(void **state)
{
    static const struct script_row greets[] = {{"\"initialize\"", SCRIPT_SAY, GREETING, 0},
                                               {NULL, 0, NULL, 0}};
    static struct script script;
    struct changes changes = {.text = ""};
    haft_client *client = open_script(&script, greets, "2025-11-25", true);
    size_t n;

    (void)state;
    script_run(&script);
    n = script.n_sent;
    haft_subscription_free(haft_client_subscribe(client, &told_topics, on_changed, &changes));
    for (size_t i = n; i < script.n_sent; i++)
        script_say(&script, RESULT("{}"), script.sent[i].text, script.sent[i].tag);
    assert_true(script.n_sent >= n + 2);
    assert_string_equal(changes.text, "");
    haft_client_free(client);
    script_finish(&script);
}

/* A callback may free its subscription, or the client. */
static void callbacks_may_end_it(void **state)
{
    (void)state;
    for (int closes = 0; closes < 2; closes++) {
        static struct script script;
        struct changes first = {.closes = closes}, second = {.text = ""};
        haft_client *client = open_script(&script, nothing, NULL, false);

        first.frees = haft_client_subscribe(client, &all_topics, on_changed, &first);
        assert_non_null(haft_client_subscribe(client, &all_topics, on_changed, &second));
        script_say(&script, PLAIN("tools/list_changed", ""), "", NULL);
        assert_string_equal(first.text, "tools ");
        if (!closes) {
            assert_string_equal(second.text, "tools ");
            script_say(&script, PLAIN("tools/list_changed", ""), "", NULL);
            assert_string_equal(second.text, "tools tools ");
            assert_string_equal(first.text, "tools ");
            haft_client_free(client);
        }
        script_finish(&script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_modern_server_is_asked_once),
        cmocka_unit_test(a_lost_subscription_is_renewed),
        cmocka_unit_test(a_server_may_not_offer_it),
        cmocka_unit_test(an_old_server_is_asked_for_each),
        cmocka_unit_test(the_answer_is_reported),
        cmocka_unit_test(a_late_answer_is_ignored),
        cmocka_unit_test(callbacks_may_end_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
