/* test_reload_upstreams.c - upstreams while configurations replace each other: which stay, start, stop and are
 * freed, what the endpoints offer of them, and where their secrets do not appear. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "configured.h"

#include <unistd.h>
#include <uv.h>

#include "gateway/upstreams.h"
#include "json/writer.h"
#include "support/file.h"
#include "support/wire.h"

/* ---- a kind of upstreams that reports what is done to it ---- */

HAFT_ENUMERATION(probe_mode, fast, slow);
HAFT_STRUCT(probe_entry,
    HAFT_STRING(url, "Where it is", .min = 1, .max = 40),
    HAFT_OPTIONAL(HAFT_ENUM(mode, probe_mode, "How it works")),
    HAFT_OPTIONAL(HAFT_STRING(token, "A secret", .secret = true)));

struct probe {
    const char *url, *token;
    haft_tool tool;
};

enum { PROBE_EVENTS = 4096, PROBE_PATIENCE_MS = 20000 };

static struct {
    uv_mutex_t lock;
    char text[PROBE_EVENTS]; /* "make a1 start a1 ", since it was last looked at */
    haft_call *held;
} probes;

/* Adds an event after the others of the same upstream: they come from several threads. */
static void probe_event(const char *what, const struct upstream *upstream)
{
    const struct probe *probe = upstream->data;
    char who[80], rest[PROBE_EVENTS], *at = NULL;

    snprintf(who, sizeof who, " %s=%s ", upstream->name, probe->url);
    uv_mutex_lock(&probes.lock);
    for (char *next = probes.text; (next = strstr(next, who)); next += strlen(who))
        at = next + strlen(who);
    at = at ? at : probes.text + strlen(probes.text);
    snprintf(rest, sizeof rest, "%s", at);
    snprintf(at, (size_t)(probes.text + sizeof probes.text - at), "%s%s%s", what, who, rest);
    uv_mutex_unlock(&probes.lock);
}

/* Waits until exactly these events have happened, and forgets them. */
static void expect_events(const char *expected)
{
    char text[PROBE_EVENTS];

    for (int ms = 0;; ms++) {
        uv_mutex_lock(&probes.lock);
        memcpy(text, probes.text, sizeof text);
        if (!strcmp(text, expected))
            probes.text[0] = '\0';
        uv_mutex_unlock(&probes.lock);
        if (!strcmp(text, expected))
            return;
        if (ms == PROBE_PATIENCE_MS)
            fail_msg("%s, not %s", text, expected);
        uv_sleep(1);
    }
}

static int probe_call(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    uv_mutex_lock(&probes.lock);
    probes.held = call;
    uv_mutex_unlock(&probes.lock);
    return HAFT_PENDING;
}

static int probe_make(struct upstream *upstream, const void *options, haft_reason *reterr_reason)
{
    const probe_entry *entry = options;
    struct probe *probe = haft_arena_zalloc(upstream->arena, 1, sizeof *probe);
    int status;

    if (!probe)
        return HAFT_ENOMEM;
    status = hf_upstream_secret(upstream, entry->token, &probe->token, reterr_reason);
    if (status) {
        snprintf(reterr_reason->path, sizeof reterr_reason->path, "token");
        return status;
    }
    probe->url = entry->url;
    probe->tool = (haft_tool)HAFT_INIT(haft_tool, .description = "Gets it", .call = probe_call,
                                       .quick = true);
    probe->tool.name =
        haft_arena_printf(upstream->arena, "%s%sget", upstream->prefix ? upstream->prefix : "",
                          upstream->prefix ? "__" : "");
    upstream->data = probe;
    probe_event("make", upstream);
    return probe->tool.name ? 0 : HAFT_ENOMEM;
}

static void probe_start(struct upstream *upstream)
{
    const struct probe *probe = upstream->data;
    haft_reason reason;

    probe_event("start", upstream);
    if (strcmp(probe->url, "down") != 0) {
        hf_upstream_set_state(upstream, UPSTREAM_READY, NULL);
        return;
    }
    hf_error_set(&reason, HAFT_EBUSY, "", "it does not answer");
    hf_upstream_set_state(upstream, UPSTREAM_FAILING, &reason);
}

static void probe_stop(struct upstream *upstream)
{
    probe_event("stop", upstream);
}

static int probe_items(struct upstream *upstream, haft_server *server, struct upstream_items *items,
                       haft_reason *reterr_reason)
{
    const struct probe *probe = upstream->data;
    struct item *item;
    int status = hf_tool_item(server, &probe->tool, &upstream->module, &item);

    (void)reterr_reason;
    return status ? status : hf_upstream_items_add(items, item);
}

static void probe_release(struct upstream *upstream)
{
    if (upstream->data)
        probe_event("free", upstream);
}

static const struct upstream_kind probe_kind = {.name = "http",
                                                .options = &probe_entry_type,
                                                .make = probe_make,
                                                .start = probe_start,
                                                .stop = probe_stop,
                                                .items = probe_items,
                                                .release = probe_release};

/* ---- one configuration after the other ---- */

#define HTTP(name, options) "\"" name "\":{\"http\":{" options "}}"
#define URL(name, url) HTTP(name, "\"url\":\"" url "\"")
#define UPSTREAMS(upstreams) "{\"gateway\":{\"upstreams\":{" upstreams "},\"endpoints\":[{}]}}"

static haft_gateway *gateway_with_probes(void)
{
    haft_gateway *gateway = gateway_of(NULL, NULL);

    assert_non_null(gateway);
    gateway->upstreams->instead = &probe_kind;
    return gateway;
}

static void follows_configurations(void **state)
{
    static const struct {
        const char *json, *variable; /* HAFT_T_URL; NULL for none */
        const char *refusal;         /* NULL: it applies */
        const char *events, *tools;
    } rows[] = {
        {UPSTREAMS(URL("a", "1")), NULL, NULL, "make a=1 start a=1 ", "a__get"},
        /* the same entry keeps its upstream, also next to others */
        {UPSTREAMS(URL("a", "1")), NULL, NULL, "", "a__get"},
        {UPSTREAMS(URL("b", "1") "," URL("a", "1")), NULL, NULL, "make b=1 start b=1 ",
         "a__get b__get"},
        /* another one replaces it */
        {UPSTREAMS(URL("b", "1") "," URL("a", "2")), NULL, NULL,
         "make a=2 start a=2 stop a=1 free a=1 ", "a__get b__get"},
        /* what is wrong changes nothing, whatever else is in it */
        {UPSTREAMS(URL("a", "3") "," URL("b", "")), NULL,
         "upstreams.b.http.url: Too small: expected string to have >=1 characters",
         "make a=3 free a=3 ", "a__get b__get"},
        {UPSTREAMS(HTTP("a", "\"uri\":\"3\"")), NULL,
         "upstreams.a.http.url: Invalid input: expected string, received undefined", "",
         "a__get b__get"},
        {UPSTREAMS(HTTP("a", "\"url\":\"3\",\"token\":\"@/none\"")), NULL,
         "upstreams.a.http.token: cannot read /none: No such file or directory", "",
         "a__get b__get"},
        {UPSTREAMS(URL("a", "${HAFT_T_URL}")), NULL,
         "upstreams.a.http.url: the environment variable HAFT_T_URL is not set", "",
         "a__get b__get"},
        {UPSTREAMS(URL("a b", "1")), NULL,
         "upstreams.a b: the name of an upstream has 1 to 32 letters, digits, _ and -", "",
         "a__get b__get"},
        {UPSTREAMS("\"a\":{\"http\":{\"url\":\"3\"},\"mcp\":{}}"), NULL,
         "upstreams.a: expected exactly one of http, command and mcp", "", "a__get b__get"},
        {UPSTREAMS("\"a\":{\"prefix\":\"x y\",\"http\":{\"url\":\"3\"}}"), NULL,
         "upstreams.a.prefix: expected \"none\", or 1 to 32 letters, digits, _ and -", "",
         "a__get b__get"},
        /* names that two upstreams have */
        {UPSTREAMS("\"c\":{\"prefix\":\"b\",\"http\":{\"url\":\"3\"}}," URL("b", "1")), NULL,
         "endpoints.0: b__get is already registered: the upstreams b and c both offer it; change the prefix of one, or leave it out with \"tools\"",
         "make c=3 free c=3 ", "a__get b__get"},
        /* an endpoint names upstreams */
        {"{\"gateway\":{\"upstreams\":{" URL("a", "2") "," URL(
             "b", "1") "},\"endpoints\":[{\"endpoint\":\"/mcp\",\"upstreams\":\"a, -bb\"}]}}",
         NULL, "endpoints.0.upstreams: unknown upstream bb", "", "a__get b__get"},
        /* variables count with their values */
        {UPSTREAMS(URL("a", "${HAFT_T_URL}")), "v1", NULL,
         "make a=v1 start a=v1 stop b=1 free b=1 stop a=2 free a=2 ", "a__get"},
        {UPSTREAMS(URL("a", "${HAFT_T_URL}")), "v1", NULL, "", "a__get"},
        {UPSTREAMS(URL("a", "${HAFT_T_URL}")), "v2", NULL,
         "make a=v2 start a=v2 stop a=v1 free a=v1 ", "a__get"},
        {UPSTREAMS(URL("a", "v2")), NULL, NULL, "", "a__get"},
        /* one that is down is as good as others */
        {UPSTREAMS(URL("d", "down") "," URL("a", "v2")), NULL, NULL, "make d=down start d=down ",
         "a__get d__get"},
        /* what endpoints offer changes without them */
        {"{\"gateway\":{\"upstreams\":{" URL("d", "down") "," URL(
             "a", "v2") "},"
                        "\"endpoints\":[{\"upstreams\":\"a\"}]}}",
         NULL, NULL, "", "a__get"},
        {"{\"gateway\":{\"endpoints\":[{}]}}", NULL, NULL,
         "stop d=down free d=down stop a=v2 free a=v2 ", ""},
    };
    haft_gateway *gateway = gateway_with_probes();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;
        char said[512] = "";

        if (rows[i].variable)
            setenv("HAFT_T_URL", rows[i].variable, 1);
        else
            unsetenv("HAFT_T_URL");
        if (take(gateway, rows[i].json, &reason))
            snprintf(said, sizeof said, "%s: %s", reason.path, reason.text);
        if (strcmp(said, rows[i].refusal ? rows[i].refusal : "") != 0)
            fail_msg("row %zu: %s", i, said);
        expect_events(rows[i].events);
        assert_string_equal(tools_of(gateway, 0), rows[i].tools);
    }
    haft_gateway_free(gateway);
}

/* The file of a secret is part of what an upstream is made from. */
static void follows_files(void **state)
{
    char path[FILE_PATH], json[512];
    haft_gateway *gateway = gateway_with_probes();
    haft_reason reason;
    FILE *file;

    (void)state;
    file_make(path, "first\n");
    snprintf(json, sizeof json, UPSTREAMS(HTTP("a", "\"url\":\"1\",\"token\":\"@%s\"")), path);
    assert_int_equal(take(gateway, json, &reason), 0);
    expect_events("make a=1 start a=1 ");
    assert_string_equal(((const struct probe *)gateway->now->upstreams[0]->data)->token, "first");
    assert_int_equal(take(gateway, json, &reason), 0);
    expect_events("");
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("the second", file);
    fclose(file);
    assert_int_equal(take(gateway, json, &reason), 0);
    expect_events("make a=1 start a=1 stop a=1 free a=1 ");
    assert_string_equal(((const struct probe *)gateway->now->upstreams[0]->data)->token,
                        "the second");
    /* one that is empty is as wrong as one that is gone */
    file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(take(gateway, json, &reason), HAFT_EINVAL);
    assert_string_equal(reason.path, "upstreams.a.http.token");
    unlink(path);
    assert_int_equal(take(gateway, json, &reason), HAFT_EINVAL);
    assert_string_equal(reason.path, "upstreams.a.http.token");
    expect_events("");
    haft_gateway_free(gateway);
    expect_events("stop a=1 free a=1 ");
}

/* A call that has begun ends on the upstream that it began on, which is freed after that. */
static void lets_calls_end(void **state)
{
    haft_gateway *gateway = gateway_with_probes();
    struct wire *wire;
    haft_reason reason;
    const char *path;

    (void)state;
    assert_int_equal(take(gateway, UPSTREAMS(URL("a", "1")), &reason), 0);
    wire = wire_open(haft_gateway_endpoint(gateway, 0, &path));
    wire_greet(wire, "2025-11-25");
    assert_null(wire_call(wire, "tools/call", "\"name\":\"a__get\",\"arguments\":{}"));
    assert_int_equal(take(gateway, "{\"gateway\":{\"endpoints\":[{}]}}", &reason), 0);
    expect_events("make a=1 start a=1 stop a=1 ");
    haft_text(probes.held, "the old one");
    haft_finish(probes.held, 0);
    assert_non_null(strstr(wire_next(wire), "tools/list_changed"));
    assert_non_null(strstr(wire_next(wire), "[{\"type\":\"text\",\"text\":\"the old one\"}]"));
    wire_close(wire);
    haft_gateway_free(gateway);
    expect_events("free a=1 ");
}

/* ---- behind a command line ---- */

static void waits_for_the_command_line(void **state)
{
    haft_gateway *gateway = gateway_with_probes();
    haft_reason reason;

    (void)state;
    gateway->configuration->upstreams_wait = true;
    assert_int_equal(take(gateway, UPSTREAMS(URL("a", "1")), &reason), 0);
    assert_string_equal(tools_of(gateway, 0), "a__get");
    assert_int_equal(hf_upstream_state(gateway->now->upstreams[0], NULL), UPSTREAM_STARTING);
    expect_events("make a=1 ");
    assert_int_equal(hf_upstreams_begin(gateway, false, &reason), 0);
    expect_events("start a=1 ");
    assert_int_equal(hf_upstream_state(gateway->now->upstreams[0], NULL), UPSTREAM_READY);
    haft_gateway_free(gateway);
    expect_events("stop a=1 free a=1 ");

    /* one that only checks a configuration */
    gateway = gateway_with_probes();
    gateway->configuration->upstreams_wait = true;
    assert_int_equal(take(gateway, UPSTREAMS(URL("a", "1")), &reason), 0);
    haft_gateway_free(gateway);
    expect_events("make a=1 free a=1 ");
}

static void refuses_in_a_sandbox(void **state)
{
    haft_gateway *gateway = gateway_with_probes();
    haft_reason reason;

    (void)state;
    gateway->configuration->upstreams_wait = true;
    assert_int_equal(take(gateway, UPSTREAMS(URL("a", "1")), &reason), 0);
    assert_int_equal(hf_upstreams_begin(gateway, true, &reason), HAFT_EINVAL);
    assert_string_equal(reason.path, "gateway.upstreams");
    assert_string_equal(reason.text, UPSTREAMS_CONFINED);
    haft_gateway_free(gateway);
    expect_events("make a=1 free a=1 ");

    /* nor does one come later */
    gateway = gateway_with_probes();
    gateway->configuration->upstreams_wait = true;
    assert_int_equal(take(gateway, "{\"gateway\":{\"endpoints\":[{}]}}", &reason), 0);
    assert_int_equal(hf_upstreams_begin(gateway, true, &reason), 0);
    assert_int_equal(take(gateway, UPSTREAMS(URL("a", "1")), &reason), HAFT_EINVAL);
    assert_string_equal(reason.path, "upstreams");
    assert_string_equal(reason.text, UPSTREAMS_CONFINED);
    haft_gateway_free(gateway);
    expect_events("");
}

/* ---- their states ---- */

/* Writes them as /readyz and the metrics do. */
static const char *states_of(haft_gateway *gateway)
{
    static char states[PROBE_EVENTS];
    haft_buffer text;
    struct json_writer w = {.out = &text};

    haft_buffer_init(&text, NULL, PROBE_EVENTS);
    hf_json_begin_object(&w);
    hf_upstreams_put(gateway, &w);
    hf_json_end_object(&w);
    haft_buffer_puts(&text, "\n");
    hf_upstreams_put_metrics(gateway, &text);
    haft_buffer_add(&text, "", 1);
    assert_int_equal(text.status, 0);
    snprintf(states, sizeof states, "%s", text.data);
    haft_buffer_finish(&text);
    return states;
}

static void reports_states(void **state)
{
    haft_gateway *gateway = gateway_with_probes();
    haft_reason reason;

    (void)state;
    assert_string_equal(states_of(gateway), "{}\n");
    gateway->configuration->upstreams_wait = true;
    assert_int_equal(take(gateway, UPSTREAMS(URL("a", "1") "," URL("b", "down")), &reason), 0);
    assert_string_equal(states_of(gateway),
                        "{\"upstreams\":{\"a\":\"starting\",\"b\":\"starting\"}}\n"
                        "mcp_server_upstream_up{upstream=\"a\"} 0\n"
                        "mcp_server_upstream_up{upstream=\"b\"} 0\n");
    assert_int_equal(hf_upstreams_begin(gateway, false, &reason), 0);
    assert_string_equal(states_of(gateway), "{\"upstreams\":{\"a\":\"ready\",\"b\":\"failing\"}}\n"
                                            "mcp_server_upstream_up{upstream=\"a\"} 1\n"
                                            "mcp_server_upstream_up{upstream=\"b\"} 0\n");
    haft_gateway_free(gateway);
    probes.text[0] = '\0';
}

/* ---- secrets ---- */

enum { SECRETS_ROOM = 1 << 16 };

/* Everything that is said to anybody. */
static struct {
    uv_mutex_t lock;
    char text[SECRETS_ROOM];
} said;

static void say(const char *text)
{
    size_t size;

    uv_mutex_lock(&said.lock);
    size = strlen(said.text);
    snprintf(said.text + size, sizeof said.text - size, "%s\n", text ? text : "");
    uv_mutex_unlock(&said.lock);
}

static void say_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    (void)size;
    say(text);
}

static void say_what_is_served(haft_gateway *gateway)
{
    const char *path;
    struct wire *wire = wire_open(haft_gateway_endpoint(gateway, 0, &path));
    haft_buffer metrics;

    wire_greet(wire, "2025-11-25");
    say(wire_call(wire, "tools/list", NULL));
    wire_close(wire);
    haft_buffer_init(&metrics, NULL, SECRETS_ROOM);
    assert_int_equal(haft_metrics_write(haft_gateway_server(gateway), &metrics), 0);
    haft_buffer_add(&metrics, "", 1);
    say(metrics.data);
    haft_buffer_finish(&metrics);
}

/* Values of variables appear in no message, definition or metric. */
static void keeps_secrets(void **state)
{
    static const char secret[] = "s3cr3t-that-nobody-sees";
    static const struct {
        const char *json;
        bool refused;
    } rows[] = {
        {UPSTREAMS(HTTP("a", "\"url\":\"1\",\"token\":\"${HAFT_T_SECRET}\"")), false},
        {UPSTREAMS(HTTP("a", "\"url\":\"down\",\"token\":\"Bearer ${HAFT_T_SECRET}\"")), false},
        {UPSTREAMS(HTTP("a", "\"url\":\"1\",\"mode\":\"${HAFT_T_SECRET}\"")), true},
        {UPSTREAMS(HTTP("a", "\"url\":\"${HAFT_T_SECRET}${HAFT_T_SECRET}\"")), true},
        {UPSTREAMS(HTTP("a", "\"url\":\"1\",\"token\":[\"${HAFT_T_SECRET}\"]")), true},
        {UPSTREAMS(HTTP("a", "\"url\":\"1\",\"other\":\"${HAFT_T_SECRET}\"")), true},
        {UPSTREAMS("\"a\":{\"prefix\":\"${HAFT_T_SECRET}!\",\"http\":{\"url\":\"1\"}}"), true},
        {UPSTREAMS("\"a\":{\"http\":\"${HAFT_T_SECRET}\"}"), true},
        {"{\"gateway\":{\"upstreams\":\"${HAFT_T_SECRET}\"}}", true},
    };
    const haft_server_options options = HAFT_INIT(haft_server_options, .log = say_log);
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .server = &options));

    (void)state;
    assert_int_equal(haft_gateway_configure(gateway, NULL), 0);
    assert_int_equal(haft_metrics_enable(haft_gateway_server(gateway)), 0);
    gateway->upstreams->instead = &probe_kind;
    setenv("HAFT_T_SECRET", secret, 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason;

        assert_int_equal(take(gateway, rows[i].json, &reason), rows[i].refused ? HAFT_EINVAL : 0);
        say(reason.path);
        say(reason.text);
        say_what_is_served(gateway);
    }
    haft_gateway_free(gateway);
    assert_non_null(strstr(said.text, "upstream a: it does not answer"));
    assert_non_null(strstr(said.text, "a__get"));
    assert_non_null(strstr(said.text, "mcp_server_upstream_up{upstream=\"a\"} 0"));
    if (strstr(said.text, secret))
        fail_msg("%s", said.text);
    probes.text[0] = '\0';
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_configurations), cmocka_unit_test(follows_files),
        cmocka_unit_test(lets_calls_end),         cmocka_unit_test(waits_for_the_command_line),
        cmocka_unit_test(refuses_in_a_sandbox),   cmocka_unit_test(reports_states),
        cmocka_unit_test(keeps_secrets),
    };

    uv_mutex_init(&probes.lock);
    uv_mutex_init(&said.lock);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
