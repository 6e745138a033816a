/* test_reload.c - other configurations of a gateway while it serves: which endpoints keep their servers, what
 * they offer then, and requests on other threads meanwhile. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "configured.h"

#include <stdatomic.h>
#include <uv.h>

/* ---- one after the other ---- */

#define WITH(plugins, endpoints)                                                                   \
    "{\"plugins\":[" plugins "],\"gateway\":{\"endpoints\":[" endpoints "]}}"
#define BOTH SO("routes-1") "," SO("passing")

/* What the endpoints are: "PATH SERVER: TOOLS; ...", with a number for each server that has been there. */
static const char *endpoints_of(const haft_gateway *gateway)
{
    static char text[2048];
    static const haft_server *seen[32];
    static size_t n_seen;
    const haft_server *server;
    const char *path;
    size_t at = 0;

    if (!gateway) {
        n_seen = 0;
        return NULL;
    }
    text[0] = '\0';
    for (size_t i = 0; (server = haft_gateway_endpoint(gateway, i, &path)); i++) {
        size_t k = 0;

        while (k < n_seen && seen[k] != server)
            k++;
        if (k == n_seen)
            seen[n_seen++] = server;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %zu: %s", i ? "; " : "", path, k,
                               tools_of(gateway, i));
    }
    return text;
}

static void changes_endpoints(void **state)
{
    static const struct {
        const char *json;
        const char *refusal; /* NULL when it applies */
        const char *endpoints;
    } rows[] = {
        {WITH(BOTH, "{}"), NULL, "/mcp 0: say passing"},
        {WITH(BOTH, "{\"tools\":\"say\"}"), NULL, "/mcp 0: say"},
        {WITH(BOTH, "{\"tools\":\"-say\",\"routes\":\"*\"}"), NULL,
         "/mcp 0: passing get_word closed"},
        {WITH(BOTH, "{\"routes\":\"closed\"}"), NULL, "/mcp 0: passing closed say"},
        /* one more, in front of it; and one less */
        {WITH(BOTH, "{\"endpoint\":\"/b\"},{}"), NULL, "/b 1: say passing; /mcp 0: passing say"},
        {WITH(BOTH, "{\"endpoint\":\"/b\"}"), NULL, "/b 1: say passing"},
        /* its path, its name, its version: another server, until the old one is wanted again */
        {WITH(BOTH, "{\"endpoint\":\"/c\"}"), NULL, "/c 2: say passing"},
        {WITH(BOTH, "{\"endpoint\":\"/c\",\"name\":\"x\"}"), NULL, "/c 3: say passing"},
        {WITH(BOTH, "{\"endpoint\":\"/c\",\"version\":\"2\"}"), NULL, "/c 4: say passing"},
        {WITH(BOTH, "{\"endpoint\":\"/c\"}"), NULL, "/c 2: say passing"},
        /* the plugin that a tool and a route are of */
        {WITH(SO("routes-2"), "{\"endpoint\":\"/c\",\"routes\":\"get_*\"}"), NULL,
         "/c 2: say get_word"},
        {WITH(SO("passing"), "{\"endpoint\":\"/c\"}"), NULL, "/c 2: passing"},
        {WITH(SO("passing"), "{\"endpoint\":\"/c\"},{\"endpoint\":\"/d\",\"policies\":[\"none\"]}"),
         "endpoints.1: /d: unknown policy none", "/c 2: passing"},
        {WITH(BOTH, "{\"endpoint\":\"/d\"},{\"endpoint\":\"/closed\"}"),
         "endpoints.1: /closed: route closed already has this path", "/c 2: passing"},
        {WITH(SO("greet-1") "," SO("greet-2"), "{\"endpoint\":\"/e\"}"),
         "endpoints.0: greet is already registered", "/c 2: passing"},
        {WITH(SO("passing"), "{}"), NULL, "/mcp 0: passing"},
        {"{\"plugins\":[" SO("passing") "]}", NULL, "/mcp 0: passing"},
    };
    haft_gateway *gateway = gateway_of(NULL, NULL);

    (void)state;
    endpoints_of(NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;
        char said[512] = "";

        if (take(gateway, rows[i].json, &reason))
            snprintf(said, sizeof said, "%s: %s", reason.path, reason.text);
        if (strcmp(said, rows[i].refusal ? rows[i].refusal : "") != 0)
            fail_msg("row %zu: %s", i, said);
        if (strcmp(endpoints_of(gateway), rows[i].endpoints) != 0)
            fail_msg("row %zu: %s", i, endpoints_of(gateway));
    }
    haft_gateway_free(gateway);
}

/* A route of a plugin that stays is the same one, with the calls that it has counted. */
static void keeps_routes(void **state)
{
    static const char *const configurations[] = {
        WITH(BOTH, "{}"), WITH(SO("passing") "," SO("routes-1"), "{\"endpoint\":\"/b\"}"),
        WITH(SO("routes-1"), "{}")};
    haft_gateway *gateway = gateway_of(NULL, NULL);
    const struct item *item = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(configurations); i++) {
        struct catalogue *catalogue;
        const struct entry *entry;
        haft_reason reason;

        assert_int_equal(take(gateway, configurations[i], &reason), 0);
        catalogue = hf_catalogue_take(haft_gateway_server(gateway));
        entry = hf_offer_list_find(&catalogue->lists[HAFT_OFFER_TOOL], "closed", 6);
        assert_non_null(entry);
        assert_true(!item || entry->item == item);
        assert_int_equal(catalogue->lists[HAFT_OFFER_TOOL].n, 2);
        item = entry->item;
        hf_catalogue_drop(catalogue);
    }
    haft_gateway_free(gateway);
}

#define GUARDED(endpoints)                                                                         \
    "{\"plugins\":[" SO(                                                                           \
        "passing") "],\"gateway\":{\"policies\":[{\"name\":\"who\",\"policy\":"                    \
                   "\"basic-auth\",\"options\":{\"file\":\"tests/fault/people\"}}],"               \
                   "\"endpoints\":[" endpoints "]}}"

static void wake_nobody(void *context)
{
    (void)context;
}

/* Off loopback the HTTP server asks what is served to anybody; what it was told stays so. */
static void stays_closed(void **state)
{
    static const struct {
        const char *json, *text; /* of the reason; NULL when it applies */
    } rows[] = {
        {GUARDED("{\"policies\":[\"who\"]},{\"endpoint\":\"/b\",\"policies\":[\"who\"]}"), NULL},
        {GUARDED("{\"policies\":[\"who\"]},{\"endpoint\":\"/c\"}"),
         "endpoint /c is reachable from other machines without authentication; add a policy such as "
         "api-key, or restart with --insecure"},
    };
    static const haft_loop none = HAFT_INIT(haft_loop, .wake = wake_nobody);
    haft_http_loop loop = {.n = 1, .loop = &none};
    haft_gateway *gateway = configured(GUARDED("{\"policies\":[\"who\"]}"));
    haft_reason reason;
    const haft_app *app = haft_gateway_app(gateway);
    void *served = app->open(app->data, &loop, &reason);

    (void)state;
    assert_non_null(served);
    assert_null(app->unauthenticated(served));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(take(gateway, rows[i].json, &reason), rows[i].text ? HAFT_EINVAL : 0);
        assert_string_equal(reason.text, rows[i].text ? rows[i].text : "");
        app->tick(served, ASK_NOW);
        assert_null(app->unauthenticated(served));
    }
    app->close(served);
    haft_gateway_free(gateway);
}

/* ---- at the same time ---- */

enum { ASKERS = 4, RELOADS = 40 };

struct asker {
    uv_thread_t thread;
    haft_gateway *gateway;
    atomic_bool *over;
    size_t n, n_other; /* answers, and those that are neither of both */
};

static void keep_asking(void *context)
{
    struct asker *asker = context;
    haft_request request = {.method = "GET", .path = "/closed", .query = "", .body = ""};

    while (!atomic_load(asker->over) || !asker->n) {
        haft_gateway_request *req = haft_gateway_request_new(asker->gateway, &request, ASK_NOW);
        int status;

        assert_non_null(req);
        haft_gateway_request_run(req);
        status = haft_gateway_request_response(req)->status;
        asker->n++;
        asker->n_other += status != 200 && status != 403 && status != 404;
        haft_gateway_request_free(req);
    }
}

static void answers_meanwhile(void **state)
{
    static const char *const configurations[] = {
        WITH(BOTH, "{\"routes\":\"*\"}"),
        "{\"plugins\":[" SO(
            "routes-2") "],\"gateway\":{\"policies\":[{\"name\":\"p\",\"policy\":\"deny\","
                        "\"options\":{\"why\":\"No.\"}}],\"routes\":{\"GET /closed\":"
                        "{\"policies\":[\"p\"]}}}}",
        WITH(SO("passing"), "{\"endpoint\":\"/b\"}")};
    haft_gateway *gateway = configured(configurations[0]);
    struct asker askers[ASKERS];
    atomic_bool over = false;

    (void)state;
    for (size_t i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){.gateway = gateway, .over = &over};
        assert_int_equal(uv_thread_create(&askers[i].thread, keep_asking, &askers[i]), 0);
    }
    for (size_t i = 1; i <= RELOADS; i++) {
        haft_reason reason;

        assert_int_equal(take(gateway, configurations[i % COUNT_OF(configurations)], &reason), 0);
    }
    atomic_store(&over, true);
    for (size_t i = 0; i < ASKERS; i++) {
        assert_int_equal(uv_thread_join(&askers[i].thread), 0);
        assert_int_equal(askers[i].n_other, 0);
    }
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_endpoints), cmocka_unit_test(keeps_routes),
        cmocka_unit_test(stays_closed), cmocka_unit_test(answers_meanwhile)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
