/* Work that goes on after its call: which tasks are visited, and which may run together. */
#include "home/client_test.h"

/* A task whose first step waits until it is allowed to end. */
struct tasks_one {
    uv_sem_t begun, allowed;
    int kind;
};

static unsigned tasks_step(struct hass *hass, void *context)
{
    struct tasks_one *one = context;

    (void)hass;
    uv_sem_post(&one->begun);
    uv_sem_wait(&one->allowed);
    return 60000;
}

static void tasks_end(struct hass *hass, void *context)
{
    (void)hass;
    (void)context;
}

static bool tasks_clash(void *context, const void *other)
{
    return ((struct tasks_one *)context)->kind == ((const struct tasks_one *)other)->kind;
}

static void tasks_init(struct tasks_one *one, int kind, unsigned allowed)
{
    one->kind = kind;
    assert_int_equal(uv_sem_init(&one->begun, 0), 0);
    assert_int_equal(uv_sem_init(&one->allowed, allowed), 0);
}

static int tasks_start(haft_call *call, struct tasks_one *one, unsigned *ret_id)
{
    return hass_start_task(call,
                           &(struct hass_task){.step = tasks_step,
                                               .end = tasks_end,
                                               .clashes = one->kind ? tasks_clash : NULL,
                                               .context = one},
                           ret_id);
}

static void tasks_destroy(struct tasks_one *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uv_sem_destroy(&all[i].begun);
        uv_sem_destroy(&all[i].allowed);
    }
}

/* ---- visiting ---- */

struct tasks_visit {
    haft_call *call;
    uv_sem_t first;   /* it has been visited */
    unsigned n, last; /* visits; the id of the latest */
};

static int tasks_see(void *who, unsigned id, const void *context)
{
    struct tasks_visit *visit = who;

    (void)context;
    visit->last = id;
    if (!visit->n++)
        uv_sem_post(&visit->first);
    return 0;
}

static void tasks_visit_all(void *context)
{
    struct tasks_visit *visit = context;

    assert_int_equal(hass_each_task(visit->call, tasks_see, visit), 0);
}

/* The visitor waits for the second task, which takes a step, while others begin. */
static int tasks_list_meanwhile(haft_call *call, void *context)
{
    struct tasks_one *all = context;
    struct tasks_visit visit = {.call = call};
    uv_thread_t thread;
    unsigned id;

    assert_int_equal(uv_sem_init(&visit.first, 0), 0);
    assert_int_equal(tasks_start(call, &all[0], &id), 0);
    uv_sem_wait(&all[0].begun);
    assert_int_equal(tasks_start(call, &all[1], &id), 0);
    uv_sem_wait(&all[1].begun);
    assert_int_equal(uv_thread_create(&thread, tasks_visit_all, &visit), 0);
    uv_sem_wait(&visit.first);
    for (unsigned i = 2; i < HASS_MOST_TASKS; i++)
        assert_int_equal(tasks_start(call, &all[i], &id), 0);
    assert_int_equal(id, HASS_MOST_TASKS);
    assert_int_equal(tasks_start(call, &all[1], &id), HAFT_EBUSY);
    uv_sem_post(&all[1].allowed);
    uv_thread_join(&thread);
    assert_int_equal(visit.n, 2);
    assert_int_equal(visit.last, 2);
    uv_sem_destroy(&visit.first);
    return 0;
}

static void test_visits(void **state)
{
    struct hass *hass = client_begin(NULL);
    struct tasks_one all[HASS_MOST_TASKS];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        tasks_init(&all[i], 0, i != 1);
    assert_string_equal(fake_run(hass, 30000, tasks_list_meanwhile, all), "");
    client_end(hass);
    tasks_destroy(all, COUNT_OF(all));
}

/* ---- together ---- */

static int tasks_start_clashing(haft_call *call, void *context)
{
    static const struct {
        unsigned which;
        int status;
        unsigned id;
    } starts[] = {{0, 0, 1}, {1, 0, 2}, {2, HAFT_EEXISTS, 1}, {3, HAFT_EEXISTS, 2}, {4, 0, 3}};
    struct tasks_one *all = context;

    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        unsigned id = 0;

        assert_int_equal(tasks_start(call, &all[starts[i].which], &id), starts[i].status);
        assert_int_equal(id, starts[i].id);
    }
    assert_true(hass_end_task(call, 1));
    return 0;
}

static void test_clashes(void **state)
{
    struct hass *hass = client_begin(NULL);
    struct tasks_one all[5];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        tasks_init(&all[i], 1 + (int)(i % 2) + (i == 4 ? 2 : 0), 1);
    assert_string_equal(fake_run(hass, 30000, tasks_start_clashing, all), "");
    client_end(hass);
    tasks_destroy(all, COUNT_OF(all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_visits),
        cmocka_unit_test(test_clashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
