/* The connection of the Home Assistant client over a scripted link: losing it, deadlines and cancellation. */
#define _GNU_SOURCE /* memmem */
#include "home/client_test.h"

/* ---- the connection ---- */

/* Cut by each message in turn, also in the middle of the handshake: a service is called at most once, and
 * the client recovers. */
static void test_cut_everywhere(void **state)
{
    (void)state;
    for (unsigned nth = 1;; nth++) {
        struct hass *hass = client_begin(NULL);
        char got[32] = "";
        const char *error;
        bool was_cut;
        size_t n = 0;

        fake.cut_at = nth;
        error = fake_run(hass, 5000, client_turn_on, got);
        was_cut = fake.n_closed > 0;
        assert_true(fake_count(&fake, "call_service") <= 1);
        if (*error)
            client_matches(
                error, "The connection to Home Assistant was lost before it answered; it may have "
                       "carried the command out.");
        else
            assert_string_equal(got, "on");
        assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
        assert_int_equal(n, 22);
        /* Each connection has subscribed. */
        if (was_cut && nth > 3)
            assert_true(fake_count(&fake, "'event_type':'state_changed'") >= 2);
        client_end(hass);
        if (!was_cut)
            break;
        assert_true(nth < 100);
    }
}

static void test_unreachable(void **state)
{
    struct hass *hass = client_begin(NULL);
    int64_t start = milliseconds();
    char got[32];
    size_t n;

    (void)state;
    fake.never_opens = true;
    assert_string_equal(
        fake_run(hass, 30000, client_read, &n),
        "Home Assistant at http://home.test:8123 cannot be reached: connection refused.");
    assert_true(milliseconds() - start < 20000);
    assert_string_equal(
        fake_run(hass, 300, client_turn_on, got),
        "Home Assistant at http://home.test:8123 cannot be reached: connection refused.");
    assert_true(fake.n_opened > 3);
    fake.never_opens = false;
    assert_string_equal(fake_run(hass, 5000, client_turn_on, got), "");
    assert_string_equal(got, "on");
    client_end(hass);
}

/* What the cache had is not served while there is no connection. */
static void test_stale(void **state)
{
    struct hass *hass = client_begin(NULL);
    size_t n;

    (void)state;
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    fake.never_opens = true;
    fake_cut(&fake, "it went away");
    client_matches(fake_run(hass, 5000, client_read, &n), "* cannot be reached: *");
    fake.never_opens = false;
    fake.states = "[{'entity_id':'sun.sun','state':'up'}]";
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_int_equal(n, 1); /* entities that are gone are gone */
    client_end(hass);
}

static void test_refused_token(void **state)
{
    struct hass *hass = client_begin(NULL);
    size_t n;

    (void)state;
    fake.refuses_token = true;
    for (int i = 0; i < 3; i++)
        assert_string_equal(
            fake_run(hass, 5000, client_read, &n),
            "Home Assistant at http://home.test:8123 refused the access token: Invalid access token or "
            "password. Check HASS_TOKEN.");
    sleep_ms(50);
    assert_int_equal(fake.n_opened, 1); /* not in a loop */
    client_end(hass);
}

static int client_wait_a_bit(haft_call *call, void *context)
{
    unsigned *n = context;
    int64_t end = milliseconds() + 5000;

    for (;;) {
        unsigned opened;

        uv_mutex_lock(&fake.lock);
        opened = fake.n_opened;
        uv_mutex_unlock(&fake.lock);
        if (opened >= *n || milliseconds() > end)
            return opened >= *n ? 0 : haft_error(call, "not opened again");
        if (hass_sleep(call, 5))
            return HAFT_EFAIL;
    }
}

/* Lets a state change every 100 ms, for longer than the client is patient. Returns the number of pings meanwhile, and
 * the longest time between two changes. */
static unsigned client_hear_changes(unsigned idle, int64_t *ret_longest)
{
    int64_t begun = milliseconds(), last = begun;
    unsigned before;

    *ret_longest = 0;
    fake_change(&fake, "light.hall", "on", "{}", "x");
    before = fake_count(&fake, "'type':'ping'");
    while (last - begun < (int64_t)idle * 3 / 2) {
        int64_t next, pause;

        sleep_ms(100);
        next = milliseconds();
        fake_change(&fake, "light.hall", "on", "{}", "x");
        pause = milliseconds() - last;
        *ret_longest = pause > *ret_longest ? pause : *ret_longest;
        last = next;
    }
    return fake_count(&fake, "'type':'ping'") - before;
}

static void test_pings(void **state)
{
    static const struct hass_times times = {.idle = 20,
                                            .pong = 20,
                                            .handshake = 5000,
                                            .retry = 5,
                                            .max_retry = 40,
                                            .refused = 60000,
                                            .patience = 1500,
                                            .read_back = 100,
                                            .no_news = 20};
    struct hass_times slow = times;
    struct home_options options = {.url = "http://home.test:8123/"};
    struct hass *hass;
    haft_reason reason;
    unsigned opened = 2, pings = 0;
    int64_t longest = INT64_MAX;
    size_t n;

    (void)state;
    slow.idle = 1000;
    fake_init(&fake);
    hass = hass_new_timed(&options, fake_link(&fake), &times, &reason);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    for (int i = 0; i < 10000 && fake_count(&fake, "'type':'ping'") < 2; i++)
        sleep_ms(1);
    assert_true(fake_count(&fake, "'type':'ping'") >= 2); /* answered */
    assert_int_equal(fake.n_opened, 1);
    hass_free(hass);
    fake_finish(&fake);

    fake_init(&fake); /* not while there is something else to hear */
    hass = hass_new_timed(&options, fake_link(&fake), &slow, &reason);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    for (int i = 0; i < 20 && longest >= slow.idle; i++) /* again if the machine was too busy */
        pings = client_hear_changes(slow.idle, &longest);
    assert_true(longest < slow.idle);
    assert_int_equal(pings, 0);
    hass_free(hass);
    fake_finish(&fake);

    fake_init(&fake);
    fake.answers[0] = (struct fake_answer){"\"ping\"", NULL, 0, NULL};
    hass = hass_new_timed(&options, fake_link(&fake), &times, &reason);
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    assert_string_equal(fake_run(hass, 10000, client_wait_a_bit, &opened), "");
    assert_true(fake_count(&fake, "'type':'ping'") >= 3);
    hass_free(hass);
    fake_finish(&fake);
}

/* ---- sending ---- */

static struct hass_link drain_inner;
static struct hass *drain_hass;
static uv_thread_t drain_first, drain_second; /* threads that sent these messages */

static void drain_post(void *context)
{
    (void)context;
    uv_mutex_lock(&drain_hass->lock);
    assert_true(hass_post(drain_hass, "second", NULL) > 0);
    uv_mutex_unlock(&drain_hass->lock);
    hass_drain(drain_hass);
}

static void drain_send(void *context, const char *text, size_t size)
{
    uv_thread_t thread;

    if (memmem(text, size, "\"first\"", 7)) {
        drain_first = uv_thread_self();
        assert_int_equal(uv_thread_create(&thread, drain_post, NULL), 0);
        uv_thread_join(&thread);
    } else if (memmem(text, size, "\"second\"", 8)) {
        drain_second = uv_thread_self();
    }
    drain_inner.send(context, text, size);
}

/* A call sends its own message; what others post meanwhile is not its business. */
static void test_drain(void **state)
{
    struct home_options options = {.url = "http://home.test:8123/"};
    struct hass_link link;
    haft_reason reason;
    uv_thread_t self = uv_thread_self();
    unsigned turn = 0;
    size_t n;

    (void)state;
    fake_init(&fake);
    fake.answers[0] =
        (struct fake_answer){"first", "{'id':#,'type':'result','success':true}", 0, NULL};
    drain_inner = link = fake_link(&fake);
    link.send = drain_send;
    drain_hass = hass_new_timed(&options, link, &fake_times, &reason);
    assert_string_equal(fake_run(drain_hass, 5000, client_read, &n), "");
    do { /* the keeper may be awake, and send the first one, too */
        assert_string_equal(fake_run(drain_hass, 5000, client_command, "first"), "");
        turn++;
        for (int i = 0; i < 10000 && fake_count(&fake, "'second'") < turn; i++)
            sleep_ms(1);
        assert_int_equal(fake_count(&fake, "'second'"), turn);
    } while (!uv_thread_equal(&drain_first, &self) && turn < 1000);
    assert_true(uv_thread_equal(&drain_first, &self));
    assert_false(uv_thread_equal(&drain_second, &self));
    client_end(drain_hass);
}

/* A registry that changes is listed again. */
static int client_see_area(haft_call *call, void *context)
{
    int64_t end = milliseconds() + 5000;
    struct hass_areas areas;

    (void)context;
    do {
        if (hass_areas(call, &areas))
            return HAFT_EFAIL;
        if (areas.n == 1 && !strcmp(areas.at[0].name, "Cellar"))
            return 0;
        hass_sleep(call, 5);
    } while (milliseconds() < end);
    return haft_error(call, "no cellar");
}

/* Says that areas have changed. */
static void client_areas_changed(struct hass *hass)
{
    char text[256];
    uint64_t id;

    uv_mutex_lock(&hass->lock);
    id = hass->conn.jobs[JOB_WATCH_LISTS + HASS_AREAS];
    uv_mutex_unlock(&hass->lock);
    snprintf(text, sizeof text,
             "{'id':%u,'type':'event','event':{'event_type':'area_registry_updated'}}",
             (unsigned)id);
    fake_say(&fake, text);
}

static void test_registry_changes(void **state)
{
    struct hass *hass = client_begin(NULL);
    char text[128];
    uint64_t id;
    size_t n;

    (void)state;
    assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    fake.lists[HASS_AREAS] = "[{'area_id':'cellar','name':'Cellar'},{'name':'no id'},7]";
    client_areas_changed(hass);
    assert_string_equal(fake_run(hass, 5000, client_see_area, NULL), "");
    /* They change twice, the second time while they are being listed. */
    fake.answers[0] = (struct fake_answer){"config/area_registry/list", NULL, 0, NULL};
    client_areas_changed(hass);
    client_areas_changed(hass);
    fake.answers[0].when = NULL;
    uv_mutex_lock(&hass->lock);
    id = hass->conn.jobs[JOB_LISTS + HASS_AREAS];
    uv_mutex_unlock(&hass->lock);
    snprintf(text, sizeof text, "{'id':%u,'type':'result','success':true,'result':[]}",
             (unsigned)id);
    fake_say(&fake, text);
    assert_string_equal(fake_run(hass, 5000, client_see_area, NULL), "");
    assert_int_equal(fake_count(&fake, "config/area_registry/list"), 4);
    client_end(hass);
}

/* ---- waiting ---- */

/* A client of a home that answers one request like that. It is connected, unless that request is part of
 * connecting. */
static struct hass *client_begin_waiting(const struct fake_answer *answer)
{
    struct hass *hass = client_begin(NULL);
    size_t n;

    fake.answers[0] = *answer;
    if (!answer->when || strcmp(answer->when, "get_states"))
        assert_string_equal(fake_run(hass, 5000, client_read, &n), "");
    return hass;
}

static void test_deadlines(void **state)
{
    static const struct {
        fake_handler *handler;
        const char *what;
        struct fake_answer answer;
        const char *expect;
    } waits[] = {
        {client_read,
         NULL,
         {"get_states", NULL, 0, NULL},
         "* cannot be reached: it has not answered yet."},
        {client_command,
         "get_config",
         {"get_config", NULL, 0, NULL},
         "* did not answer within 0.* s."},
        {client_get_json,
         "/api/x",
         {"GET /api/x", NULL, 1, NULL},
         "* did not answer within 0.* s."},
        {client_command,
         "config/area_registry/delete",
         {"config/area_registry/delete", NULL, 0, NULL},
         "* did not answer within 0.* s; it may have carried the command out."},
        {client_post,
         "/api/events/x",
         {"POST /api/events/x", NULL, 1, NULL},
         "* did not answer within 0.* s; it may have carried the request out."},
        {client_post,
         "/api/template",
         {"POST /api/template", NULL, 1, NULL},
         "* did not answer within 0.* s."},
        {client_turn_on,
         NULL,
         {"call_service", NULL, 0, NULL},
         "* did not answer within 0.* s; it may have carried the command out."},
    };
    char room[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        struct hass *hass = client_begin_waiting(&waits[i].answer);
        int64_t start = milliseconds();
        void *what = waits[i].what ? (void *)(uintptr_t)waits[i].what : room;

        client_matches(fake_run(hass, 300, waits[i].handler, what), waits[i].expect);
        assert_true(milliseconds() - start < 20000);
        assert_true(milliseconds() - start >= 200);
        client_end(hass);
    }
}

/* Another thread cancels the call, as a session would. */
struct client_cancel {
    fake_handler *handler;
    void *what;
    const char *request; /* whose answer the call waits for; NULL: none */
    haft_call *call;
    uv_sem_t begun;
};

static int client_cancelled(haft_call *call, void *context)
{
    struct client_cancel *cancel = context;
    int status;

    cancel->call = call;
    uv_sem_post(&cancel->begun);
    status = cancel->handler(call, cancel->what);
    assert_int_not_equal(status, 0);
    assert_true(haft_call_cancelled(call));
    atomic_store(&call->cancelled, false); /* so that the answer comes here */
    return status;
}

static void client_cancel(void *context)
{
    struct client_cancel *cancel = context;

    uv_sem_wait(&cancel->begun);
    if (!cancel->request)
        sleep_ms(60); /* it most likely waits then; if not, it sees that when it begins to wait */
    for (int ms = 0; cancel->request && ms < 20000; ms++) {
        if (fake_was_asked(&fake, cancel->request))
            break;
        sleep_ms(1);
    }
    atomic_store(&cancel->call->cancelled, true);
}

static int client_long_sleep(haft_call *call, void *context)
{
    (void)context;
    return hass_sleep(call, 20000);
}

static int client_long_wait(haft_call *call, void *context)
{
    (void)context;
    return hass_wait_change(call, "light.kitchen", hass_changes(call, "light.kitchen"), 0);
}

static void test_cancel(void **state)
{
    static const struct {
        fake_handler *handler;
        const char *what;
        struct fake_answer answer;
        const char *may; /* have been carried out */
    } waits[] = {
        {client_read, NULL, {"get_states", NULL, 0, NULL}, NULL},
        {client_command, "get_config", {"get_config", NULL, 0, NULL}, NULL},
        {client_get_json, "/api/x", {"GET /api/x", NULL, 1, NULL}, NULL},
        {client_post, "/api/events/x", {"POST /api/events/x", NULL, 1, NULL}, "request"},
        {client_turn_on, NULL, {"call_service", NULL, 0, NULL}, "command"},
        {client_long_sleep, NULL, {NULL, NULL, 0, NULL}, NULL},
        {client_long_wait, NULL, {NULL, NULL, 0, NULL}, NULL},
    };
    char expect[128];
    char room[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(waits); i++) {
        struct hass *hass = client_begin_waiting(&waits[i].answer);
        struct client_cancel cancel = {.handler = waits[i].handler,
                                       .what =
                                           waits[i].what ? (void *)(uintptr_t)waits[i].what : room,
                                       .request = waits[i].answer.when};
        int64_t start = milliseconds();
        uv_thread_t thread;

        assert_int_equal(uv_sem_init(&cancel.begun, 0), 0);
        assert_int_equal(uv_thread_create(&thread, client_cancel, &cancel), 0);
        snprintf(expect, sizeof expect, "The call was cancelled%s%s%s.",
                 waits[i].may ? "; Home Assistant may have carried the " : "",
                 waits[i].may ? waits[i].may : "", waits[i].may ? " out" : "");
        assert_string_equal(fake_run(hass, 30000, client_cancelled, &cancel), expect);
        uv_thread_join(&thread);
        assert_true(milliseconds() - start < 20000);
        uv_sem_destroy(&cancel.begun);
        client_end(hass);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_everywhere), cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_stale),          cmocka_unit_test(test_refused_token),
        cmocka_unit_test(test_pings),          cmocka_unit_test(test_registry_changes),
        cmocka_unit_test(test_drain),          cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
