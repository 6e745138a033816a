/* Memory of the Home Assistant client: flat in a flood of changes, and given back when any allocation
 * fails. */
#include "home/fake_home.h"
#include "support/counting.h"
#include "support/failing.h"

static struct fake_home fake;

static int memory_read(haft_call *call, void *context)
{
    struct hass_states states;
    int status = hass_states(call, &states);

    if (!status)
        *(size_t *)context = states.n;
    return status;
}

/* ---- a flood ---- */

enum { FLOOD_ENTITIES = 5000, FLOOD_EVENTS = 100000 };

static void memory_flood(size_t from, size_t to)
{
    char id[32], state[32];

    for (size_t i = from; i < to; i++) {
        snprintf(id, sizeof id, "sensor.extra_%05zu", i * 7919 % FLOOD_ENTITIES);
        snprintf(state, sizeof state, "%05zu", i % 100000);
        fake_change(&fake, id, state,
                    "{'friendly_name':'Extra','unit_of_measurement':'W','device_class':'power'}",
                    "01JABCDEFGHJKMNPQRSTVWXYZ0");
    }
}

static _Atomic(bool) memory_flooding;

static void memory_flood_more(void *context)
{
    (void)context;
    memory_flood(FLOOD_ENTITIES, FLOOD_EVENTS);
    memory_flooding = false;
}

static void test_flood(void **state)
{
    struct counting counting;
    struct home_options options = {.allocator = &counting.allocator};
    struct hass *hass;
    haft_reason reason;
    uv_thread_t thread;
    int64_t before;
    size_t n, reads = 0;

    (void)state;
    counting_init(&counting, NULL);
    fake_init(&fake);
    fake.extra = FLOOD_ENTITIES;
    hass = hass_new_timed(&options, fake_link(&fake), &fake_times, &reason);
    assert_non_null(hass);
    assert_string_equal(fake_run(hass, 20000, memory_read, &n), "");
    assert_int_equal(n, FLOOD_ENTITIES + 22);
    memory_flood(0, FLOOD_ENTITIES);
    assert_string_equal(fake_run(hass, 20000, memory_read, &n), "");
    before = counting.counts->bytes;
    memory_flooding = true;
    assert_int_equal(uv_thread_create(&thread, memory_flood_more, NULL), 0);
    while (memory_flooding) { /* which is answered meanwhile */
        assert_string_equal(fake_run(hass, 20000, memory_read, &n), "");
        assert_int_equal(n, FLOOD_ENTITIES + 22);
        reads++;
    }
    uv_thread_join(&thread);
    assert_true(reads > 0);
    assert_int_equal(counting.counts->bytes, before);
    assert_true(before < 8 << 20); /* 1 KiB an entity, and the arena of messages */
    assert_int_equal(fake.n_opened, 1);
    hass_free(hass);
    assert_int_equal(counting.counts->bytes, 0);
    fake_finish(&fake);
}

/* Entities come and go, each with another id. */
static void test_turnover(void **state)
{
    struct counting counting;
    struct home_options options = {.allocator = &counting.allocator};
    struct hass *hass;
    haft_reason reason;
    int64_t before = 0;
    char id[32];
    size_t n;

    (void)state;
    counting_init(&counting, NULL);
    fake_init(&fake);
    hass = hass_new_timed(&options, fake_link(&fake), &fake_times, &reason);
    assert_string_equal(fake_run(hass, 5000, memory_read, &n), "");
    for (size_t i = 0; i < 20000; i++) {
        snprintf(id, sizeof id, "sensor.t_%05zu", i);
        fake_change(&fake, id, "1", "{}", "c");
        if (i >= 10) {
            snprintf(id, sizeof id, "sensor.t_%05zu", i - 10);
            fake_change(&fake, id, NULL, "", "");
        }
        if (i == 1000)
            before = counting.counts->bytes;
    }
    assert_in_range(counting.counts->bytes, before - 1024, before + 1024);
    assert_string_equal(fake_run(hass, 5000, memory_read, &n), "");
    assert_int_equal(n, 22 + 10);
    hass_free(hass);
    assert_int_equal(counting.counts->bytes, 0);
    fake_finish(&fake);
}

/* A long state is given back when a short one follows. */
static void test_shrinks(void **state)
{
    struct counting counting;
    struct home_options options = {.allocator = &counting.allocator};
    struct hass *hass;
    haft_reason reason;
    char *text = malloc(600001);
    int64_t before;
    size_t n;

    (void)state;
    assert_non_null(text);
    counting_init(&counting, NULL);
    fake_init(&fake);
    hass = hass_new_timed(&options, fake_link(&fake), &fake_times, &reason);
    assert_string_equal(fake_run(hass, 5000, memory_read, &n), "");
    before = counting.counts->bytes;
    memset(text, 'x', 600000);
    memcpy(text, "{'x':'", 6);
    memcpy(text + 600000 - 2, "'}", 3);
    fake_change(&fake, "light.hall", "on", text, "c");
    assert_true(counting.counts->bytes > before + 600000);
    fake_change(&fake, "light.hall", "on", "{}", "c");
    /* What is kept for the next: the arena of messages, and the room to write attributes. */
    assert_true(counting.counts->bytes < before + (3 << 20));
    assert_true(hass->states.bytes < 100000);
    hass_free(hass);
    fake_finish(&fake);
    free(text);
}

/* ---- failures ---- */

/* The allocator of a test, for several threads. */
static uv_mutex_t memory_lock;

static void *memory_alloc(void *context, size_t size)
{
    struct failing *failing = context;
    void *memory;

    uv_mutex_lock(&memory_lock);
    memory = failing->allocator.alloc(failing->allocator.context, size);
    uv_mutex_unlock(&memory_lock);
    return memory;
}

static void *memory_resize(void *context, void *memory, size_t old_size, size_t size)
{
    struct failing *failing = context;

    uv_mutex_lock(&memory_lock);
    memory = failing->allocator.resize(failing->allocator.context, memory, old_size, size);
    uv_mutex_unlock(&memory_lock);
    return memory;
}

static void memory_release(void *context, void *memory, size_t size)
{
    struct failing *failing = context;

    uv_mutex_lock(&memory_lock);
    failing->allocator.release(failing->allocator.context, memory, size);
    uv_mutex_unlock(&memory_lock);
}

HAFT_STRUCT(memory_data,
    HAFT_OPTIONAL(HAFT_INTEGER(brightness, "Brightness")));

/* Some of everything; each may fail. */
static int memory_everything(haft_call *call, void *context)
{
    memory_data data = {.has_brightness = true, .brightness = 7};
    struct hass_states states;
    struct hass_answer answer;
    haft_value *value;
    const char *text;
    entity light;

    (void)context;
    if (hass_states(call, &states) || hass_require(call, "light.kitchen", NULL, &light))
        return HAFT_EFAIL;
    text = hass_data(call, &memory_data_type, &data);
    if (!text || hass_act(call, &light, "turn_on", text, &light))
        return HAFT_EFAIL;
    assert_string_equal(light.state, "on");
    text = fake_json(call, "{'actions':[{'scene':'scene.day'}]}");
    if (hass_command(call, "validate_config", text, NULL, &value) ||
        hass_request(call, "GET", "/api/config/automation/config/a1", NULL, NULL, &answer))
        return HAFT_EFAIL;
    fake_change(&fake, "sensor.new", "1", "{}", "x");
    return hass_state(call, "sensor.new", &light);
}

static void test_failures(void **state)
{
    static const char *const filters[] = {NULL,
                                          "light.*,sensor.*,automation.*,scene.*,-light.secret"};

    (void)state;
    assert_int_equal(uv_mutex_init(&memory_lock), 0);
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        bool succeeded = false;

        for (size_t nth = 1; !succeeded; nth++) {
            struct failing failing;
            haft_allocator allocator = {memory_alloc, memory_resize, memory_release, &failing};
            struct home_options options = {.allocator = &allocator, .entities = filters[i]};
            struct hass *hass;
            haft_reason reason;

            failing_init(&failing, nth);
            fake_init(&fake);
            fake.answers[0] = (struct fake_answer){
                "/api/config/",
                "{'a':['lock.front',1],'alias':'x','actions':[{'scene':'scene.day'}]}", 200, NULL};
            hass = hass_new_timed(&options, fake_link(&fake), &fake_times, &reason);
            if (hass) {
                const char *error = fake_run(hass, 2000, memory_everything, NULL);

                succeeded = !*error && !failing.failures;
                assert_true(fake_count(&fake, "call_service") <= 1);
                hass_free(hass);
            }
            failing_check(&failing);
            fake_finish(&fake);
            assert_true(nth < 5000);
        }
    }
    uv_mutex_destroy(&memory_lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_turnover),
        cmocka_unit_test(test_shrinks),
        cmocka_unit_test(test_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
