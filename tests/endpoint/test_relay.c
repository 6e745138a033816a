/* test_relay.c - replicas on one store hear of each other's changes. */
#include "endpoint/relay.h"
#include "stage/store_state.h"

#include "endpoint/asking.h" /* whose macros have names that are also in there */
#include "support/late_store.h"

enum { REPLICAS = 3 };

#define LISTEN                                                                                     \
    "{'jsonrpc':'2.0','id':8,'method':'subscriptions/listen','params':{'notifications':{"          \
    "'toolsListChanged':true,'promptsListChanged':true,'resourceSubscriptions':['x://a','x://b']}" \
    "," META "}}"
#define SUBSCRIBE(uri)                                                                             \
    "{'jsonrpc':'2.0','id':2,'method':'resources/subscribe','params':{'uri':'" uri "'}}"
#define TOOLS "tools/list_changed"
#define UPDATED(uri) "\"uri\":\"" uri "\""

static int nothing(haft_call *call, const char *uri)
{
    (void)uri;
    return haft_text(call, "x");
}

struct replica {
    struct bench *bench;
    struct reply listen, stream; /* of a modern and of a legacy client */
};

struct group {
    haft_store *memory;
    struct late_store *late;
    struct replica *replicas;
};

static struct bench *replica_open(haft_store *store, unsigned seed, const char *name)
{
    struct bench *bench = calloc(1, sizeof *bench);
    static const haft_resource resource =
        HAFT_INIT(haft_resource, .uri = "x://a", .name = "a", .read = nothing);

    assert_non_null(bench);
    bench->now = START;
    bench->random = seed;
    bench->server = haft_server_new_with(
        name, "1", HAFT_WITH(haft_server_options, .resource_subscriptions = true, .store = store));
    assert_non_null(bench->server);
    assert_int_equal(haft_add(bench->server, &say_tool), 0);
    assert_int_equal(haft_resource_add(bench->server, &resource), 0);
    bench->endpoint = haft_endpoint_new(
        bench->server,
        HAFT_WITH(haft_endpoint_options,
                  .loop = HAFT_WITH(haft_loop, .random = next_random, .context = &bench->random)));
    assert_non_null(bench->endpoint);
    return bench;
}

static void replica_connect(struct replica *replica)
{
    struct bench *bench = replica->bench;

    ask_into(bench, &replica->listen, "POST", "/mcp", MODERN("subscriptions/listen"), LISTEN);
    assert_true(replica->listen.streams);
    assert_int_equal(ask(bench, "POST", "/mcp", LEGACY, HELLO)->status, 200);
    ask(bench, "POST", "/mcp", SESSION, "{'jsonrpc':'2.0','method':'notifications/initialized'}");
    assert_int_equal(ask(bench, "POST", "/mcp", SESSION, SUBSCRIBE("x://a"))->status, 200);
    ask_into(bench, &replica->stream, "GET", "/mcp", SESSION, "");
    assert_true(replica->stream.streams);
}

static void group_open(struct group *group)
{
    group->memory = haft_store_memory_new(NULL);
    group->late = late_store_new(group->memory, LATE_AT_ONCE, 0);
    group->replicas = calloc(REPLICAS, sizeof *group->replicas);
    assert_true(group->memory && group->late && group->replicas);
    for (unsigned i = 0; i < REPLICAS; i++) {
        group->replicas[i].bench = replica_open(late_store_of(group->late), 1 + 50 * i, "test");
        replica_connect(&group->replicas[i]);
    }
}

static void group_close(struct group *group)
{
    for (size_t i = 0; i < REPLICAS; i++)
        bench_close(group->replicas[i].bench);
    late_store_free(group->late);
    haft_store_free(group->memory);
    free(group->replicas);
}

static void tick(struct group *group, int ms)
{
    for (size_t i = 0; i < REPLICAS; i++) {
        struct bench *bench = group->replicas[i].bench;

        haft_endpoint_tick(bench->endpoint, bench->now += ms);
    }
}

static size_t occurrences(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

/* What every stream has had, of each kind. */
static void check_heard(struct group *group, size_t lists, size_t a, size_t b)
{
    for (size_t i = 0; i < REPLICAS; i++) {
        struct reply *listen = &group->replicas[i].listen, *stream = &group->replicas[i].stream;

        if (occurrences(listen->body, TOOLS) != lists ||
            occurrences(stream->body, TOOLS) != lists ||
            occurrences(listen->body, UPDATED("x://a")) != a ||
            occurrences(stream->body, UPDATED("x://a")) != a ||
            occurrences(listen->body, UPDATED("x://b")) != b)
            fail_msg("replica %zu: %s\n%s", i, listen->body, stream->body);
        listen->size = stream->size = 0;
        listen->body[0] = stream->body[0] = '\0';
    }
}

/* ---- */

static void tells_all_replicas_once(void **state)
{
    struct group group;

    (void)state;
    group_open(&group);
    tick(&group, 10);
    check_heard(&group, 0, 0, 0);
    assert_int_equal(haft_add(group.replicas[1].bench->server, &count_tool), 0);
    tick(&group, 10);
    check_heard(&group, 1, 0, 0);
    haft_resource_updated(group.replicas[0].bench->server, "x://a");
    haft_resource_updated(group.replicas[2].bench->server, "x://b");
    haft_resource_updated(group.replicas[2].bench->server, "x://nobody");
    tick(&group, 10);
    check_heard(&group, 0, 1, 1);
    tick(&group, 10);
    check_heard(&group, 0, 0, 0);
    group_close(&group);
}

static void collects_while_it_waits(void **state)
{
    struct group group;
    size_t requests;

    (void)state;
    group_open(&group);
    late_store_set(group.late, LATE_HELD);
    requests = late_store_requests(group.late);
    for (int i = 0; i < 10; i++) {
        haft_resource_updated(group.replicas[0].bench->server, "x://b");
        assert_int_equal((i & 1 ? haft_offer_enable : haft_offer_disable)(
                             group.replicas[0].bench->server, HAFT_OFFER_TOOL, "say"),
                         0);
    }
    assert_int_equal(late_store_requests(group.late) - requests, 1);
    for (int i = 0; i < 4; i++) {
        late_store_release(group.late, 0);
        tick(&group, 10);
    }
    assert_non_null(strstr(group.replicas[1].listen.body, TOOLS));
    assert_int_equal(occurrences(group.replicas[1].listen.body, UPDATED("x://b")), 10);
    late_store_set(group.late, LATE_AT_ONCE);
    group_close(&group);
}

static void tells_everything_after_a_gap(void **state)
{
    struct group group;

    (void)state;
    group_open(&group);
    late_store_gap(group.late);
    tick(&group, 10);
    check_heard(&group, 1, 1, 1);
    group_close(&group);
}

/* What could not be published is published as "everything" when the store works again. */
static void publishes_after_a_failure(void **state)
{
    struct group group;
    haft_server *server;

    (void)state;
    group_open(&group);
    server = group.replicas[0].bench->server;
    late_store_set(group.late, LATE_FAILS);
    haft_resource_updated(server, "x://b");
    tick(&group, 10);
    assert_true(hf_store_is_degraded(server));
    assert_int_equal(occurrences(group.replicas[0].listen.body, UPDATED("x://b")), 1);
    assert_int_equal(occurrences(group.replicas[1].listen.body, UPDATED("x://b")), 0);
    late_store_set(group.late, LATE_AT_ONCE);
    tick(&group, 2000);
    tick(&group, 10);
    assert_false(hf_store_is_degraded(server));
    assert_int_equal(occurrences(group.replicas[0].listen.body, UPDATED("x://b")), 2);
    assert_int_equal(occurrences(group.replicas[1].listen.body, UPDATED("x://b")), 1);
    assert_int_equal(occurrences(group.replicas[1].listen.body, TOOLS), 1);
    group_close(&group);
}

/* Nothing but a probe has told that the store has failed, and that it works again. */
static void probes_the_store(void **state)
{
    static const struct {
        enum late_mode mode;
        bool needs_store;
        int status;
        const char *body;
    } rows[] = {
        {LATE_AT_ONCE, true, 200, "{\"status\":\"ok\"}"},
        {LATE_FAILS, false, 200,
         "{\"status\":\"degraded\",\"store\":{\"degraded\":{\"changes\":{\"seconds\":0}}}}"},
        {LATE_FAILS, true, 503,
         "{\"status\":\"degraded\",\"store\":{\"degraded\":{\"changes\":{\"seconds\":0}}}}"},
        {LATE_AT_ONCE, true, 200, "{\"status\":\"ok\"}"},
    };
    struct group group;
    struct bench *bench;

    (void)state;
    group_open(&group);
    bench = group.replicas[2].bench;
    tick(&group, 10);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        late_store_set(group.late, rows[i].mode);
        for (int k = 0; k < 6; k++)
            tick(&group, 1000);
        bench->endpoint->guard.needs_store = rows[i].needs_store;
        ask(bench, "GET", "/readyz", "", "");
        if (bench->reply.status != rows[i].status || strcmp(bench->reply.body, rows[i].body))
            fail_msg("row %zu: %d %s", i, bench->reply.status, bench->reply.body);
        ask(bench, "GET", "/readyz", "x-forwarded-for: 192.0.2.1\n", "");
        assert_null(strstr(bench->reply.body, "changes"));
    }
    assert_int_equal(occurrences(group.replicas[0].listen.body, TOOLS), 1); /* everything, once */
    group_close(&group);
}

static void reads_messages(void **state)
{
    static const struct {
        const char *text;
        unsigned lists, updates;
    } rows[] = {
        {"{'format':1,'from':'me','lists':['tools'],'uris':['x']}", 0, 0},
        {"{'format':1,'from':'me','all':true}", 0, 0},
        {"{'format':1,'from':'b','lists':['tools','prompts','new'],'uris':[]}",
         1u << HAFT_OFFER_TOOL | 1u << HAFT_OFFER_PROMPT, 0},
        {"{'format':1,'from':'b','lists':[],'uris':['x','y',3]}", 0, 2},
        {"{'format':1,'from':'b','all':true}", 15, 65},
        {"{'format':1,'from':'b'}", 0, 0},
        {"{'format':1,'from':'','lists':['tools'],'uris':[]}", 1u << HAFT_OFFER_TOOL, 0},
        {"{'format':2,'from':'b','novelties':{}}", 15, 65}, /* of a later version */
        {"", 15, 65},
        {"{'format':1,'from':'b','lists':7,'uris':'x'}", 0, 0},
        {"[1,2", 15, 65},
    };
    struct bench *bench = replica_open(NULL, 1, "test");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct server_changes *changes = &bench->server->changes;
        unsigned before[OFFER_LISTS], updates = atomic_load(&changes->n_updates), lists = 0;
        char *text = expand(bench, rows[i].text);

        for (int k = 0; k < OFFER_LISTS; k++)
            before[k] = atomic_load(&changes->lists[k]);
        hf_relay_receive(bench->server, "me", HAFT_SLICE(text));
        for (int k = 0; k < OFFER_LISTS; k++)
            lists |= atomic_load(&changes->lists[k]) != before[k] ? 1u << k : 0;
        if (lists != rows[i].lists || atomic_load(&changes->n_updates) - updates != rows[i].updates)
            fail_msg("row %zu: %u %u", i, lists, atomic_load(&changes->n_updates) - updates);
        free(text);
    }
    bench_close(bench);
}

/* Servers of other names, and those without a common store, hear nothing. */
static void stays_among_replicas(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    struct bench *a = replica_open(store, 1, "a"), *b = replica_open(store, 51, "b"),
                 *c = replica_open(NULL, 101, "a");
    unsigned before_b = atomic_load(&b->server->changes.n_updates),
             before_c = atomic_load(&c->server->changes.n_updates);

    (void)state;
    haft_resource_updated(a->server, "x://a");
    assert_int_equal(atomic_load(&b->server->changes.n_updates), before_b);
    assert_int_equal(atomic_load(&c->server->changes.n_updates), before_c);
    assert_null(c->server->changes.relay);
    bench_close(a);
    bench_close(b);
    bench_close(c);
    haft_store_free(store);
}

/* Without random numbers, replicas cannot tell their own messages from those of others, and hear them all. */
static void hears_others_without_an_id(void **state)
{
    haft_store *store = haft_store_memory_new(NULL);
    haft_server *servers[2];
    haft_endpoint *endpoints[2];
    unsigned before[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        servers[i] =
            haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .store = store));
        assert_non_null(servers[i]);
        endpoints[i] = haft_endpoint_new(servers[i], NULL);
        assert_non_null(endpoints[i]);
        before[i] = atomic_load(&servers[i]->changes.n_updates);
    }
    haft_resource_updated(servers[0], "x://a");
    assert_int_equal(atomic_load(&servers[0]->changes.n_updates) - before[0], 2);
    assert_int_equal(atomic_load(&servers[1]->changes.n_updates) - before[1], 1);
    for (int i = 0; i < 2; i++) {
        haft_endpoint_free(endpoints[i]);
        haft_server_free(servers[i]);
    }
    haft_store_free(store);
}

/* The relay ends with the last endpoint, also while a message is on its way. */
static void ends_with_its_endpoints(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        haft_store *memory = haft_store_memory_new(NULL);
        struct late_store *late = late_store_new(memory, LATE_AT_ONCE, 0);
        struct bench *bench = replica_open(late_store_of(late), 1, "test");
        haft_endpoint *second = haft_endpoint_new(bench->server, NULL);

        if (mode == 2)
            late_store_hold_on(late);
        late_store_set(late, mode ? LATE_HELD : LATE_AT_ONCE);
        haft_resource_updated(bench->server, "x://a");
        haft_endpoint_free(second);
        assert_non_null(bench->server->changes.relay);
        haft_endpoint_free(bench->endpoint);
        bench->endpoint = NULL;
        assert_null(bench->server->changes.relay);
        haft_resource_updated(bench->server, "x://a");
        bench_close(bench);
        late_store_release(late, 0);
        late_store_free(late);
        haft_store_free(memory);
    }
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        haft_store *memory = haft_store_memory_new(NULL);
        struct failing failing;
        struct bench *bench;
        bool failed;

        failing_init(&failing, nth);
        bench =
            bench_open(&failing.allocator,
                       (haft_endpoint_options)HAFT_INIT(haft_endpoint_options, .store = memory));
        if (bench->endpoint) {
            haft_resource_updated(bench->server, "x://a");
            hf_server_tell_lists(bench->server, 1);
            hf_relay_receive(bench->server, "me",
                             HAFT_SLICE("{\"format\":1,\"uris\":[\"a\",\"b\"]}"));
            haft_endpoint_tick(bench->endpoint, bench->now += 2000);
        }
        failed = failing.failures;
        bench_close(bench);
        failing_check(&failing);
        haft_store_free(memory);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_all_replicas_once),
        cmocka_unit_test(collects_while_it_waits),
        cmocka_unit_test(tells_everything_after_a_gap),
        cmocka_unit_test(publishes_after_a_failure),
        cmocka_unit_test(probes_the_store),
        cmocka_unit_test(reads_messages),
        cmocka_unit_test(stays_among_replicas),
        cmocka_unit_test(hears_others_without_an_id),
        cmocka_unit_test(ends_with_its_endpoints),
        cmocka_unit_test(survives_failing_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
