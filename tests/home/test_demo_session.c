/* Sessions of the demo home: authentication, ids, order, ends, threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "demo_test.h"

#define REFUSED(id, code, message)                                                                 \
    "{'id':" id ",'type':'result','success':false,'error':{'code':'" code "','message':'" message  \
    "'}}"
#define INVALID(text) "{'type':'auth_invalid','message':'" text "'}"
#define WRONG INVALID("Invalid access token or password")

/* What is said to a session that was just opened, all that it answers, and whether it ends. */
static void test_authentication(void **state)
{
    static const struct {
        const char *said, *answer;
        bool ends;
    } rows[] = {
        {"{'type':'auth','access_token':'demo'}", "{'type':'auth_ok','ha_version':'2026.8.0'}",
         false},
        {"{'type':'auth','access_token':'wrong'}", WRONG, true},
        {"{'type':'auth'}", WRONG, true},
        {"{'type':'auth','api_password':'demo'}", WRONG, true},
        {"{'type':'ping','id':1}",
         INVALID(
             "Auth message incorrectly formatted: not a valid value for dictionary value @ data[`type`]. Got `ping`"),
         true},
        {"{'access_token':'demo'}",
         INVALID(
             "Auth message incorrectly formatted: required key not provided @ data[`type`]. Got None"),
         true},
        {"{'type':'auth','access_token':'demo','x':1}",
         INVALID("Auth message incorrectly formatted: extra keys not allowed @ data[`x`]. Got 1"),
         true},
        {"{'type':'auth','access_token':[]}",
         INVALID(
             "Auth message incorrectly formatted: value should be a string for dictionary value @ "
             "data[`access_token`]. Got []"),
         true},
        {"[]", INVALID("Auth message incorrectly formatted: expected a dictionary"), true},
        {"nonsense", "", true},
        {"", "", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct demo_test test;

        demo_test_init(&test, NULL);
        demo_test_open(&test);
        demo_test_expect("open", "{'type':'auth_required','ha_version':'2026.8.0'}",
                         demo_test_next(&test));
        demo_test_say(&test, rows[i].said);
        demo_test_expect(rows[i].said, rows[i].answer, demo_test_next(&test));
        assert_int_equal(test.ends, rows[i].ends);
        if (rows[i].ends) { /* nothing more is answered */
            demo_test_say(&test, "{'type':'auth','access_token':'demo'}");
            demo_test_expect(rows[i].said, "", demo_test_next(&test));
            assert_int_equal(test.ends, 1);
        }
        demo_test_finish(&test);
    }
}

/* Ids, and messages that are not commands. */
static void test_ids(void **state)
{
    static const struct {
        const char *said, *answer;
    } rows[] = {
        {"{'id':5,'type':'ping'}", "{'id':5,'type':'pong'}"},
        {"{'id':5,'type':'ping'}", REFUSED("5", "id_reuse", "Identifier values have to increase.")},
        {"{'id':4,'type':'ping'}", REFUSED("4", "id_reuse", "Identifier values have to increase.")},
        {"{'id':6,'type':'nope'}", REFUSED("6", "unknown_command", "Unknown command.")},
        {"{'id':6,'type':'ping'}", "{'id':6,'type':'pong'}"},
        {"{'id':0,'type':'ping'}",
         REFUSED("0", "invalid_format", "Message incorrectly formatted.")},
        {"{'id':-7,'type':'ping'}",
         REFUSED("-7", "invalid_format", "Message incorrectly formatted.")},
        {"{'id':'7','type':'ping'}",
         REFUSED("0", "invalid_format", "Message incorrectly formatted.")},
        {"{'id':7.5,'type':'ping'}",
         REFUSED("0", "invalid_format", "Message incorrectly formatted.")},
        {"{'type':'ping'}", REFUSED("0", "invalid_format", "Message incorrectly formatted.")},
        {"{'id':7}", REFUSED("7", "invalid_format", "Message incorrectly formatted.")},
        {"{'id':7,'type':5}", REFUSED("7", "invalid_format", "Message incorrectly formatted.")},
        {"'text'", REFUSED("0", "invalid_format", "Message incorrectly formatted.")},
        {"[{'id':8,'type':'ping'},{'id':9,'type':'ping'}]",
         "{'id':8,'type':'pong'}\n{'id':9,'type':'pong'}"},
    };
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    demo_test_connect(&test);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *at = rows[i].answer;

        demo_test_say(&test, rows[i].said);
        for (; *at; at += strcspn(at, "\n"), at += *at == '\n') {
            char wanted[512];

            snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(at, "\n"), at);
            demo_test_expect(rows[i].said, wanted, demo_test_next(&test));
        }
        demo_test_expect(rows[i].said, "", demo_test_next(&test));
    }
    demo_test_say(&test, "{not json");
    assert_int_equal(test.ends, 1);
    demo_test_finish(&test);
}

/* A subscription ends by its own id, and only that one. */
static void test_unsubscribe(void **state)
{
    static const struct demo_ws_row rows[] = {
        {"'subscribe_events'", DEMO_OK_NULL},
        {"'fire_event','event_type':'a'", "{'id':1,'type':'event',*}\n{'id':#,'type':'result',*}"},
        {"'subscribe_events','event_type':'a'", DEMO_OK_NULL},
        {"'fire_event','event_type':'a'",
         "{'id':1,'type':'event',*}\n{'id':3,'type':'event',*}\n{'id':#,'type':'result',*}"},
        {"'unsubscribe_events','subscription':1", DEMO_OK_NULL},
        {"'fire_event','event_type':'a'", "{'id':3,'type':'event',*}\n{'id':#,'type':'result',*}"},
        {"'unsubscribe_events','subscription':1",
         DEMO_REFUSED("not_found", "Subscription not found.")},
        {"'unsubscribe_events','subscription':3", DEMO_OK_NULL},
        {"'fire_event','event_type':'a'", "{'id':#,'type':'result',*}"},
        {"'subscribe_events','event_type':'area_registry_updated'", DEMO_OK_NULL},
        {"'config/area_registry/create','name':'Attic'",
         "{*'area_registry_updated','data':{'action':'create','area_id':'attic'}*}\n{'id':#,*}"},
        {"'subscribe_events','event_type':'entity_registry_updated'", DEMO_OK_NULL},
        {"'config/entity_registry/update','entity_id':'light.hallway','labels':['night']",
         "{*'entity_registry_updated','data':{'action':'update','entity_id':'light.hallway','changes':{}}*}\n{'id':#,*}"},
        {"'subscribe_events','event_type':'lovelace_updated'", DEMO_OK_NULL},
        {"'lovelace/config/save','url_path':'wall-tablet','config':{'views':[]}",
         "{*'lovelace_updated','data':{'url_path':'wall-tablet'}*}\n{'id':#,*}"},
        {"'subscribe_events','event_type':'call_service'", DEMO_OK_NULL},
        {"'call_service','domain':'notify','service':'notify','service_data':{'message':'x'}",
         "{*'call_service','data':{'domain':'notify','service':'notify','service_data':{'message':'x'}}*}\n{'id':#,*}"},
        {"'subscribe_events','event_type':'automation_triggered'", DEMO_OK_NULL},
        {"'unsubscribe_events','subscription':16", DEMO_OK_NULL},
        {"'call_service','domain':'automation','service':'trigger','target':{'entity_id':'automation.low_battery_notice'}",
         "{*'automation_triggered','data':{'name':'Low battery notice','entity_id':'automation.low_battery_notice'}*}\n"
         "{'id':#,*}"},
        {"'persistent_notification/get'",
         "{*'message':'The battery of the hallway motion sensor is low'*}"},
    };

    (void)state;
    demo_test_ws_rows(rows, COUNT_OF(rows));
}

/* Entities that come and go, and attributes that do. */
static void test_entities(void **state)
{
    struct demo_test test;
    int status;

    (void)state;
    demo_test_init(&test, NULL);
    demo_test_connect(&test);
    demo_test_ws(&test,
                 &(struct demo_ws_row){"'subscribe_entities','entity_ids':['sensor.x']",
                                       DEMO_OK_NULL "\n{'id':1,'type':'event','event':{'a':{}}}"});
    free(demo_test_request(&test, "POST", "/api/states/sensor.x",
                           "{'state':'1','attributes':{'u':'W','v':1}}", "demo", &status));
    demo_test_expect(
        "added",
        "{'id':1,'type':'event','event':{'a':{'sensor.x':{'s':'1','a':{'u':'W','v':1},'c':*}}}}",
        demo_test_next(&test));
    test.now += 500000;
    free(demo_test_request(&test, "POST", "/api/states/sensor.x",
                           "{'state':'1','attributes':{'v':1,'w':[2]}}", "demo", &status));
    demo_test_expect(
        "changed",
        "{'id':1,'type':'event','event':{'c':{'sensor.x':{'+':{'lu':1794816000.5,'c':'01M7*','a':{'w':[2]}},"
        "'-':{'a':['u']}}}}}",
        demo_test_next(&test));
    free(demo_test_request(&test, "DELETE", "/api/states/sensor.x", NULL, "demo", &status));
    demo_test_expect("removed", "{'id':1,'type':'event','event':{'r':['sensor.x']}}",
                     demo_test_next(&test));
    demo_test_expect("end", "", demo_test_next(&test));
    demo_test_finish(&test);
}

/* A template is rendered again when what it reads changes. */
static void test_template_follows(void **state)
{
    static const struct demo_ws_row rows[] = {
        {"'render_template','template':'{{ is_state(`light.hallway`,`on`) }}'",
         DEMO_OK_NULL "\n{'id':1,'type':'event','event':{'result':false,*}}"},
        {"'call_service','domain':'light','service':'turn_on','target':{'entity_id':'light.hallway'}",
         "{'id':1,'type':'event','event':{'result':true,*}}\n{'id':#,*}"},
        {"'call_service','domain':'light','service':'turn_on','target':{'entity_id':'light.bedroom'}",
         "{'id':#,*}"},
    };

    (void)state;
    demo_test_ws_rows(rows, COUNT_OF(rows));
}

/* ---- a client that calls back, and one that closes while it is told something ---- */

struct nested {
    struct demo_session *session;
    int messages;
    bool closes, asked;
};

static void nested_send(void *who, const char *text, size_t size)
{
    struct nested *nested = who;

    (void)text;
    (void)size;
    nested->messages++;
    if (!nested->session || nested->asked)
        return;
    nested->asked = true;
    if (nested->closes)
        demo_session_close(nested->session);
    else
        demo_session_receive(nested->session, "{\"id\":1,\"type\":\"ping\"}", 22);
}

static void nested_end(void *who)
{
    (void)who;
}

static void test_nested(void **state)
{
    static const char token[] = "{\"type\":\"auth\",\"access_token\":\"demo\"}";

    (void)state;
    for (int closes = 0; closes < 2; closes++) {
        struct demo_test test;
        struct nested nested = {.closes = closes};

        demo_test_init(&test, NULL);
        nested.session = demo_session_open(test.demo, nested_send, nested_end, &nested);
        demo_session_receive(nested.session, token, sizeof token - 1);
        assert_int_equal(nested.messages, closes ? 2 : 3);
        if (!closes)
            demo_session_close(nested.session);
        demo_test_finish(&test);
    }
}

/* ---- a client that does not read ---- */

struct stuck {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool waits, goes_on;
    atomic_int messages, ends;
};

static void stuck_send(void *who, const char *text, size_t size)
{
    struct stuck *stuck = who;

    (void)text;
    (void)size;
    atomic_fetch_add(&stuck->messages, 1);
    pthread_mutex_lock(&stuck->lock);
    stuck->waits = true;
    pthread_cond_broadcast(&stuck->moved);
    while (!stuck->goes_on)
        pthread_cond_wait(&stuck->moved, &stuck->lock);
    pthread_mutex_unlock(&stuck->lock);
}

static void stuck_end(void *who)
{
    atomic_fetch_add(&((struct stuck *)who)->ends, 1);
}

static void *stuck_ping(void *context)
{
    demo_session_receive(context, "{\"id\":2,\"type\":\"ping\"}", 22);
    return NULL;
}

static void stuck_set(struct stuck *stuck, bool goes_on)
{
    pthread_mutex_lock(&stuck->lock);
    stuck->goes_on = goes_on;
    stuck->waits = false;
    pthread_cond_broadcast(&stuck->moved);
    pthread_mutex_unlock(&stuck->lock);
}

/* A session whose reader stands still is ended when too much waits; others are served meanwhile. */
static void test_bounded(void **state)
{
    static const char token[] = "{\"type\":\"auth\",\"access_token\":\"demo\"}";
    static const char subscribe[] = "{\"id\":1,\"type\":\"subscribe_events\"}";
    struct stuck stuck = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    struct demo_session *session;
    struct demo_test test;
    pthread_t thread;
    int status, before;

    (void)state;
    demo_test_init(&test, NULL);
    stuck_set(&stuck, true);
    session = demo_session_open(test.demo, stuck_send, stuck_end, &stuck);
    demo_session_receive(session, token, sizeof token - 1);
    demo_session_receive(session, subscribe, sizeof subscribe - 1);
    stuck_set(&stuck, false);
    assert_int_equal(pthread_create(&thread, NULL, stuck_ping, session), 0);
    pthread_mutex_lock(&stuck.lock);
    while (!stuck.waits)
        pthread_cond_wait(&stuck.moved, &stuck.lock);
    pthread_mutex_unlock(&stuck.lock);
    before = atomic_load(&stuck.messages);
    for (int i = 0; i < 5000; i++)
        free(demo_test_request(&test, "POST", "/api/events/x", "{}", "demo", &status));
    demo_test_connect(&test);
    assert_int_equal(atomic_load(&stuck.ends), 0); /* it is told when its reader comes back */
    stuck_set(&stuck, true);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&stuck.ends), 1);
    assert_int_equal(atomic_load(&stuck.messages), before);
    demo_session_close(session);
    demo_test_finish(&test);
}

/* ---- threads ---- */

enum { CROWD_THREADS = 4, CROWD_CALLS = 200 };

static void crowd_send(void *who, const char *text, size_t size)
{
    (void)text;
    (void)size;
    atomic_fetch_add((atomic_int *)who, 1);
}

static void *crowd_run(void *context)
{
    struct demo *demo = context;
    atomic_int messages = 0;
    struct demo_session *session = demo_session_open(demo, crowd_send, nested_end, &messages);
    static const char token[] = "{\"type\":\"auth\",\"access_token\":\"demo\"}";
    static const char subscribe[] = "{\"id\":1,\"type\":\"subscribe_entities\"}";
    char text[256];

    demo_session_receive(session, token, sizeof token - 1);
    demo_session_receive(session, subscribe, sizeof subscribe - 1);
    for (int i = 2; i < CROWD_CALLS; i++) {
        int size = snprintf(
            text, sizeof text,
            "{\"id\":%d,\"type\":\"call_service\",\"domain\":\"light\",\"service\":\"toggle\","
            "\"target\":{\"entity_id\":\"light.hallway\"}}",
            i);

        demo_session_receive(session, text, (size_t)size);
        if (i % 50 == 0)
            demo_tick(demo);
    }
    demo_session_close(session);
    return atomic_load(&messages) > CROWD_CALLS ? NULL : demo;
}

static void test_threads(void **state)
{
    struct demo *demo = demo_new(&(struct demo_options){.seed = 7});
    pthread_t threads[CROWD_THREADS];
    void *wrong;

    (void)state;
    assert_non_null(demo);
    for (size_t i = 0; i < CROWD_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, crowd_run, demo), 0);
    for (size_t i = 0; i < CROWD_THREADS; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    demo_free(demo);
}

/* ---- limits ---- */

/* The token must come within ten seconds. */
static void test_late_token(void **state)
{
    struct demo_test test;

    (void)state;
    for (int late = 0; late < 2; late++) {
        demo_test_init(&test, NULL);
        demo_test_open(&test);
        assert_in_range(demo_tick(test.demo), 1, 10000000);
        demo_test_next(&test);
        test.now += 9999999;
        demo_tick(test.demo);
        assert_int_equal(test.ends, 0);
        if (!late)
            demo_test_say(&test, "{'type':'auth','access_token':'demo'}");
        test.now += 1;
        demo_tick(test.demo);
        assert_int_equal(test.ends, late);
        demo_test_finish(&test);
    }
}

static void test_many_subscriptions(void **state)
{
    static const struct demo_ws_row one = {"'subscribe_events','event_type':'x'", DEMO_OK_NULL},
                                    more = {"'subscribe_events'",
                                            DEMO_REFUSED("home_assistant_error",
                                                         "Too many subscriptions")},
                                    less = {"'unsubscribe_events','subscription':1024",
                                            DEMO_OK_NULL};
    struct demo_test test;

    (void)state;
    demo_test_init(&test, NULL);
    demo_test_connect(&test);
    for (int i = 0; i < 1024; i++)
        demo_test_ws(&test, &one);
    demo_test_ws(&test, &more);
    demo_test_ws(&test, &less); /* the last one */
    demo_test_ws(&test, &one);
    demo_test_ws(&test, &more);
    demo_test_finish(&test);
}

/* ---- streams ---- */

static void test_stream(void **state)
{
    static const struct {
        const char *query;
        bool hears_x, hears_y;
    } rows[] = {{"", true, true},
                {"restrict=", true, true},
                {"a=b&restrict=event_x", true, false},
                {"restrict=event_xx%2Cevent_y", false, true},
                {"restrict=event", false, false}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct demo_test test;

        demo_test_init(&test, NULL);
        test.session =
            demo_stream_open(test.demo, rows[i].query, demo_test_send, demo_test_end, &test);
        assert_non_null(test.session);
        demo_test_expect("begin", "data: ping", demo_test_next(&test));
        demo_test_rest(&test,
                       &(struct demo_rest_row){"POST", "/api/events/event_x", "{'a':1}", 200, "*"});
        demo_test_rest(&test,
                       &(struct demo_rest_row){"POST", "/api/events/event_y", "{}", 200, "*"});
        for (int k = 0; k < 2; k++)
            demo_test_expect("end of a piece", "", demo_test_next(&test));
        if (rows[i].hears_x)
            demo_test_expect(rows[i].query,
                             "data: {'event_type':'event_x','data':{'a':1},'origin':'REMOTE',*}",
                             demo_test_next(&test));
        for (int k = 0; rows[i].hears_x && k < 2; k++)
            demo_test_expect("end of a piece", "", demo_test_next(&test));
        if (rows[i].hears_y)
            demo_test_expect(rows[i].query, "data: {'event_type':'event_y',*}",
                             demo_test_next(&test));
        test.taken = test.heard.size;
        test.now += 50000000;
        demo_tick(test.demo);
        assert_non_null(strstr(test.heard.data + test.taken, "data: ping\n\n"));
        assert_int_equal(test.ends, 0);
        demo_test_finish(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_authentication),   cmocka_unit_test(test_ids),
        cmocka_unit_test(test_unsubscribe),      cmocka_unit_test(test_entities),
        cmocka_unit_test(test_template_follows), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_bounded),          cmocka_unit_test(test_threads),
        cmocka_unit_test(test_late_token),       cmocka_unit_test(test_many_subscriptions),
        cmocka_unit_test(test_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
