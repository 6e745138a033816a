/* test_resource.c - resources and templates: what is refused, how they are listed, read and fail. */
#include <haft/engine.h>
#include <stdio.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"
#include "support/wire.h"

/* ---- what is served ---- */

static int read_text(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .mime_type = "text/plain", .text = "hi"});
}

static int read_bytes(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .bytes = "\0\1\2", .size = 3});
}

static int read_both(haft_call *call, const char *uri)
{
    int status = read_text(call, uri);

    return status ? status : read_bytes(call, uri);
}

static int read_nothing(haft_call *call, const char *uri)
{
    (void)call;
    (void)uri;
    return 0;
}

static int read_user(haft_call *call, const char *uri)
{
    const char *text =
        haft_call_printf(call, "%s %s %s %s", haft_call_name(call), haft_variable(call, "id"),
                         haft_variable(call, "view") ? haft_variable(call, "view") : "-",
                         haft_variable(call, "none") ? "?" : "-");

    return text ? haft_embed(call, &(haft_contents){.uri = uri, .text = text}) : HAFT_ENOMEM;
}

static int read_data(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = haft_tool_data(call)});
}

static int fail_quietly(haft_call *call, const char *uri)
{
    (void)call;
    (void)uri;
    return HAFT_EINVAL;
}

static int fail_aloud(haft_call *call, const char *uri)
{
    return haft_error(call, "no \"luck\" with %s", uri);
}

static int fail_later(haft_call *call, const char *uri)
{
    int status = read_text(call, uri);

    return status ? status : HAFT_EINVAL;
}

static int not_there(haft_call *call, const char *uri)
{
    (void)call;
    (void)uri;
    return HAFT_ENOTFOUND;
}

static int not_there_aloud(haft_call *call, const char *uri)
{
    (void)uri;
    haft_error(call, "There is no shelf 7.");
    return HAFT_ENOTFOUND;
}

static int invalid_aloud(haft_call *call, const char *uri)
{
    (void)uri;
    haft_error(call, "A shelf is a number.");
    return HAFT_EINVAL;
}

static int ask(haft_call *call, const char *uri)
{
    haft_value *roots;
    int status = haft_roots(call, "roots", &roots);

    return status ? status : read_text(call, uri);
}

static const haft_icon icon = {.src = "https://x.example/i.png", .sizes = "48x48 96x96"};

static const haft_resource resources[] = {
    HAFT_INIT(haft_resource, .uri = "test://text", .name = "text", .read = read_text),
    HAFT_INIT(haft_resource, .uri = "test://bytes", .name = "bytes", .read = read_bytes),
    HAFT_INIT(haft_resource, .uri = "test://both", .name = "both", .read = read_both),
    HAFT_INIT(haft_resource, .uri = "test://nothing", .name = "nothing", .read = read_nothing),
    HAFT_INIT(haft_resource, .uri = "test://quiet", .name = "quiet", .read = fail_quietly),
    HAFT_INIT(haft_resource, .uri = "test://aloud", .name = "aloud", .read = fail_aloud),
    HAFT_INIT(haft_resource, .uri = "test://later", .name = "later", .read = fail_later),
    HAFT_INIT(haft_resource, .uri = "test://absent", .name = "absent", .read = not_there),
    HAFT_INIT(haft_resource, .uri = "test://shelf", .name = "shelf", .read = not_there_aloud),
    HAFT_INIT(haft_resource, .uri = "test://number", .name = "number", .read = invalid_aloud),
    HAFT_INIT(haft_resource, .uri = "test://ask", .name = "ask", .read = ask),
    HAFT_INIT(haft_resource, .uri = "test://data", .name = "data", .read = read_data,
              .data = (void *)"mine"),
    HAFT_INIT(haft_resource, .uri = "test://off", .name = "off", .read = read_text),
};

static const haft_resource templates[] = {
    HAFT_INIT(haft_resource, .uri = "users://{id}{?view}", .name = "user", .read = read_user),
    HAFT_INIT(haft_resource, .uri = "users://{id}/never", .name = "off", .read = read_text),
    HAFT_INIT(haft_resource, .uri = "users://{+id}", .name = "rest", .read = read_user),
    HAFT_INIT(haft_resource, .uri = "test://o{letters}", .name = "shadow", .read = read_text),
};

static haft_server *serve(const haft_server_options *options)
{
    haft_server *server = haft_server_new_with("test", "1", options);

    assert_non_null(server);
    for (size_t i = 0; i < COUNT_OF(resources); i++)
        assert_int_equal(haft_resource_add(server, &resources[i]), 0);
    for (size_t i = 0; i < COUNT_OF(templates); i++)
        assert_int_equal(haft_template_add(server, &templates[i]), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_RESOURCE, "test://off"), 0);
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TEMPLATE, "users://{id}/never"), 0);
    return server;
}

/* ---- reading ---- */

#define CONTENTS(text) "\"result\":{\"contents\":[" text "]}}"
#define FAILED(text) "\"error\":{\"code\":-32603,\"message\":\"" text "\"}}"
#define NOT_FOUND(code, uri)                                                                       \
    "\"error\":{\"code\":" code ",\"message\":\"Resource not found: " uri                          \
    "\",\"data\":{\"uri\":\"" uri "\"}}}"
#define ABSENT(uri) NOT_FOUND("-32002", uri), NOT_FOUND("-32602", uri)
#define NO_SHELF(code)                                                                             \
    "\"error\":{\"code\":" code ",\"message\":\"There is no shelf 7.\",\"data\":{\"uri\":"         \
    "\"test://shelf\"}}}"
#define NO_URI                                                                                     \
    "\"error\":{\"code\":-32602,\"message\":\"Invalid params: \\\"uri\\\" must be a string\"}}"

static const struct wire_row reads[] = {
    {"\"uri\":\"test://text\"",
     CONTENTS("{\"uri\":\"test://text\",\"mimeType\":\"text/plain\",\"text\":\"hi\"}"), NULL},
    {"\"uri\":\"test://bytes\"", CONTENTS("{\"uri\":\"test://bytes\",\"blob\":\"AAEC\"}"), NULL},
    {"\"uri\":\"test://both\"",
     CONTENTS("{\"uri\":\"test://both\",\"mimeType\":\"text/plain\",\"text\":\"hi\"},"
              "{\"uri\":\"test://both\",\"blob\":\"AAEC\"}"),
     NULL},
    {"\"uri\":\"test://nothing\"", CONTENTS(""), NULL},
    {"\"uri\":\"test://data\"", CONTENTS("{\"uri\":\"test://data\",\"text\":\"mine\"}"), NULL},
    {"\"uri\":\"users://7\"",
     CONTENTS("{\"uri\":\"users://7\",\"text\":\"users://{id}{?view} 7 - -\"}"), NULL},
    {"\"uri\":\"users://a%20b?view=x\"",
     CONTENTS("{\"uri\":\"users://a%20b?view=x\",\"text\":\"users://{id}{?view} a b x -\"}"), NULL},
    {"\"uri\":\"users://7/never\"",
     CONTENTS("{\"uri\":\"users://7/never\",\"text\":\"users://{+id} 7/never - -\"}"), NULL},
    {"\"uri\":\"test://off\"",
     CONTENTS("{\"uri\":\"test://off\",\"mimeType\":\"text/plain\",\"text\":\"hi\"}"), NULL},
    {"\"uri\":\"test://quiet\"", FAILED("Internal error"), NULL},
    {"\"uri\":\"test://later\"", FAILED("Internal error"), NULL},
    {"\"uri\":\"test://aloud\"", FAILED("no \\\"luck\\\" with test://aloud"), NULL},
    {"\"uri\":\"test://absent\"", ABSENT("test://absent")},
    {"\"uri\":\"test://nonexistent\"", ABSENT("test://nonexistent")},
    {"\"uri\":\"test://shelf\"", NO_SHELF("-32002"), NO_SHELF("-32602")},
    {"\"uri\":\"test://number\"",
     "\"error\":{\"code\":-32602,\"message\":\"A shelf is a number.\"}}", NULL},
    {"\"uri\":\"test://text/\"", ABSENT("test://text/")},
    {"\"uri\":\"users://%2\"", ABSENT("users://%2")},
    {"\"uri\":\"\"", ABSENT("")},
    {"\"uri\":\"test://text\\u0000\"",
     "\"error\":{\"code\":-32002,\"message\":\"Resource not found: test://text\","
     "\"data\":{\"uri\":\"test://text\\u0000\"}}}",
     "\"error\":{\"code\":-32602,\"message\":\"Resource not found: test://text\","
     "\"data\":{\"uri\":\"test://text\\u0000\"}}}"},
    {"\"uri\":7", NO_URI, NULL},
    {"\"uri\":null", NO_URI, NULL},
    {"\"name\":\"test://text\"", NO_URI, NULL},
};

static void legacy(void **state)
{
    (void)state;
    wire_check_legacy(serve, "resources/read", reads, COUNT_OF(reads));
}

static void modern(void **state)
{
    (void)state;
    wire_check_rows(serve, "2026-07-28", "resources/read", reads, COUNT_OF(reads),
                    ",\"ttlMs\":0,\"cacheScope\":\"private\"," WIRE_TAIL);
}

static void cache_hints(void **state)
{
    haft_server *server =
        serve(HAFT_WITH(haft_server_options, .ttl_ms = 60000, .cache_public = true));
    struct wire *wire = wire_open(server);

    (void)state;
    wire_greet(wire, "2026-07-28");
    assert_string_equal(wire_call(wire, "resources/read", "\"uri\":\"test://nothing\""),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[],\"ttlMs\":60000,"
                        "\"cacheScope\":\"public\"," WIRE_TAIL);
    wire_close(wire);
    haft_server_free(server);
}

/* One resource may be kept otherwise than the others; what is read has `_meta` of its own. */
static int read_marked(haft_call *call, const char *uri)
{
    int status = haft_embed(call, &(haft_contents){.uri = uri, .text = "x"});

    return status ? status : haft_block_meta(call, "{\"ui\":{}}");
}

static void own_cache_hints(void **state)
{
    static const struct {
        haft_resource info;
        const char *hints;
    } rows[] = {
        {{.uri = "a:b", .name = "a", .read = read_marked},
         "\"ttlMs\":60000,\"cacheScope\":\"public\","},
        {{.uri = "a:b", .name = "a", .read = read_marked, .ttl_ms = 5, .cache_public = HAFT_NO},
         "\"ttlMs\":5,\"cacheScope\":\"private\","},
        {{.uri = "a:b", .name = "a", .read = read_marked, .ttl_ms = -1, .cache_public = HAFT_YES},
         "\"ttlMs\":0,\"cacheScope\":\"public\","},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .ttl_ms = 60000, .cache_public = true));
        struct wire *wire = wire_open(server);
        haft_resource info = rows[i].info;
        char expected[512];

        info.struct_size = sizeof info;
        assert_int_equal(haft_resource_add(server, &info), 0);
        wire_greet(wire, "2026-07-28");
        snprintf(expected, sizeof expected,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[{\"uri\":\"a:b\","
                 "\"text\":\"x\",\"_meta\":{\"ui\":{}}}],%s%s",
                 rows[i].hints, WIRE_TAIL);
        assert_string_equal(wire_call(wire, "resources/read", "\"uri\":\"a:b\""), expected);
        wire_close(wire);
        haft_server_free(server);
    }
}

/* A message that quotes what came in quotes it only so far. */
static void long_address(void **state)
{
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);
    char params[10100] = "\"uri\":\"";
    const char *answer, *message;

    (void)state;
    memset(params + 7, 'x', 10000);
    params[10007] = '"';
    wire_greet(wire, "2025-11-25");
    answer = wire_call(wire, "resources/read", params);
    assert_int_equal(wire->error_code, -32002);
    message = strstr(answer, "not found: ");
    assert_non_null(message);
    assert_int_equal(strcspn(message + 11, "\""), 200);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- asking ---- */

static void asking(void **state)
{
    static const unsigned char key[32] = "a key that seals what is kept";
    haft_server *server = serve(HAFT_WITH(haft_server_options, .seal_key = key, .ttl_ms = 5));
    struct wire *wire = wire_open(server);
    char params[4096];
    const char *answer, *sealed;

    (void)state;
    wire_greet(wire, "2025-11-25");
    assert_string_equal(wire_call(wire, "resources/read", "\"uri\":\"test://ask\""),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
    assert_int_equal(wire_send(wire, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[]}}"),
                     0);
    assert_string_equal(wire_next(wire),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[{\"uri\":"
                        "\"test://ask\",\"mimeType\":\"text/plain\",\"text\":\"hi\"}]}}");

    wire_greet(wire, "2026-07-28");
    answer = wire_call(wire, "resources/read", "\"uri\":\"test://ask\"");
    assert_non_null(strstr(answer, "\"resultType\":\"input_required\""));
    assert_null(strstr(answer, "ttlMs"));
    sealed = strstr(answer, "\"requestState\":");
    assert_non_null(sealed);
    snprintf(params, sizeof params,
             "\"uri\":\"test://ask\",\"inputResponses\":{\"roots\":{\"roots\":[]}},%.*s",
             (int)(strstr(sealed, ",\"_meta\"") - sealed), sealed);
    assert_string_equal(wire_call(wire, "resources/read", params),
                        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"contents\":[{\"uri\":"
                        "\"test://ask\",\"mimeType\":\"text/plain\",\"text\":\"hi\"}],"
                        "\"ttlMs\":0,\"cacheScope\":\"private\"," WIRE_TAIL);
    wire_close(wire);
    haft_server_free(server);
}

static int pend(haft_call *call, const char *uri)
{
    (void)uri;
    *(haft_call **)haft_server_data(call) = call;
    return HAFT_PENDING;
}

/* A read that is answered later, and one that is answered too late. */
static void pending(void **state)
{
    static const haft_resource slow =
        HAFT_INIT(haft_resource, .uri = "test://slow", .name = "slow", .read = pend);
    haft_call *call = NULL;
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .data = &call));
    struct wire *wire;

    (void)state;
    assert_int_equal(haft_resource_add(server, &slow), 0);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    assert_null(wire_call(wire, "resources/read", "\"uri\":\"test://slow\""));
    assert_int_equal(read_text(call, "a:b"), 0);
    haft_finish(call, 0);
    assert_string_equal(wire_next(wire),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":[{\"uri\":"
                        "\"a:b\",\"mimeType\":\"text/plain\",\"text\":\"hi\"}]}}");

    assert_null(wire_call(wire, "resources/read", "\"uri\":\"test://slow\""));
    assert_int_equal(haft_session_tick(wire->session, wire->now), wire->now + 30000);
    assert_null(wire_next(wire));
    haft_session_tick(wire->session, wire->now + 30000);
    assert_non_null(wire_next(wire));
    assert_int_equal(wire->error_code, -32603);
    assert_true(haft_call_cancelled(call));
    haft_finish(call, 0);
    assert_null(wire_next(wire));
    assert_int_equal(haft_session_in_flight(wire->session), 0);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- listing ---- */

static void listing(void **state)
{
    static const haft_resource full =
        HAFT_INIT(haft_resource, .uri = "test://full", .name = "full", .title = "A \"title\"",
                  .description = "All of it", .mime_type = "text/plain", .icons = &icon,
                  .n_icons = 1, .meta = "{\"x/y\":1}", .size = 12, .audience = "user",
                  .priority = 0.5, .last_modified = "2026-01-01T00:00:00Z", .read = read_text);
    static const haft_resource shape = HAFT_INIT(haft_resource, .uri = "test://{a}",
                                                 .name = "shape", .size = 12, .read = read_text);
    haft_server *server = haft_server_new("test", "1");
    struct wire *wire = wire_open(server);

    (void)state;
    assert_int_equal(haft_resource_add(server, &full), 0);
    assert_int_equal(haft_template_add(server, &shape), 0);
    wire_greet(wire, "2025-11-25");
    assert_string_equal(
        wire_call(wire, "resources/list", NULL),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resources\":[{\"uri\":\"test://full\","
        "\"name\":\"full\",\"title\":\"A \\\"title\\\"\",\"description\":\"All of it\","
        "\"mimeType\":\"text/plain\",\"size\":12,"
        "\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5,"
        "\"lastModified\":\"2026-01-01T00:00:00Z\"},\"icons\":[{\"src\":\"https://x.example/i.png\","
        "\"sizes\":[\"48x48\",\"96x96\"]}],\"_meta\":{\"x/y\":1}}]}}");
    assert_string_equal(wire_call(wire, "resources/templates/list", NULL),
                        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resourceTemplates\":[{"
                        "\"uriTemplate\":\"test://{a}\",\"name\":\"shape\"}]}}");
    wire_close(wire);
    haft_server_free(server);
}

/* ---- adding ---- */

#define BAD_ANNOTATIONS                                                                            \
    "the audience must be \"user\" or \"assistant\", the priority 0 to 1, and the time like 2026-01-31T12:00:00Z"
static const haft_icon no_icon = {.theme = "dark"};

static void refused(void **state)
{
    static const struct {
        haft_resource info;
        bool template;
        int status;
        const char *reason;
    } rows[] = {
        {{.name = "a", .read = read_text}, false, HAFT_EINVAL, "the URI is missing"},
        {{.uri = "", .name = "a", .read = read_text}, true, HAFT_EINVAL, "the URI is missing"},
        {{.uri = "a:b", .read = read_text}, false, HAFT_EINVAL, "the name is missing"},
        {{.uri = "a:b", .name = "a", .read = read_text, .audience = "all"},
         false,
         HAFT_EINVAL,
         BAD_ANNOTATIONS},
        {{.uri = "a:b", .name = "a", .read = read_text, .last_modified = "2026-01-31"},
         false,
         HAFT_EINVAL,
         BAD_ANNOTATIONS},
        {{.uri = "a:{b}", .name = "a", .read = read_text, .priority = 2},
         true,
         HAFT_EINVAL,
         BAD_ANNOTATIONS},
        {{.uri = "a:b", .name = "a", .read = read_text, .icons = &no_icon, .n_icons = 1},
         false,
         HAFT_EINVAL,
         "icons.0: src is not an absolute URI"},
        {{.uri = "a:b", .name = "", .read = read_text}, false, HAFT_EINVAL, "the name is missing"},
        {{.uri = "a:b", .name = "a"}, false, HAFT_EINVAL, "the handler is missing"},
        {{.uri = "a b", .name = "a", .read = read_text},
         false,
         HAFT_EINVAL,
         "the URI is not absolute"},
        {{.uri = "a:\xFF", .name = "a", .read = read_text},
         false,
         HAFT_EINVAL,
         "the URI is not absolute"},
        {{.uri = "a:{b}", .name = "a", .read = read_text},
         false,
         HAFT_EINVAL,
         "this is a URI template: add it with haft_template_add"},
        {{.uri = "a:{b", .name = "a", .read = read_text},
         true,
         HAFT_EINVAL,
         "template: unmatched { at offset 2"},
        {{.uri = "a:b", .name = "a", .read = read_text, .meta = "[]"},
         false,
         HAFT_EINVAL,
         "_meta must be a JSON object"},
        {{.uri = "a:b", .name = "\xFF", .read = read_text},
         false,
         HAFT_EUTF8,
         "cannot be listed: invalid UTF-8"},
        {{.uri = "test://text", .name = "a", .read = read_text},
         false,
         HAFT_EEXISTS,
         "Resource test://text is already registered"},
        {{.uri = "users://{+id}", .name = "a", .read = read_text},
         true,
         HAFT_EEXISTS,
         "Resource template users://{+id} is already registered"},
    };
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_resource info = rows[i].info; /* which is refused, so nobody keeps it */
        int status;

        info.struct_size = sizeof info;
        status =
            rows[i].template ? haft_template_add(server, &info) : haft_resource_add(server, &info);
        assert_string_equal(haft_server_error(server)->text, rows[i].reason);
        assert_int_equal(status, rows[i].status);
    }
    haft_server_free(server);
}

/* ---- updates ---- */

static void updates(void **state)
{
    haft_server *server = serve(HAFT_WITH(haft_server_options, .resource_subscriptions = true));
    struct wire *wire = wire_open(server);

    (void)state;
    wire_greet(wire, "2025-11-25");
    assert_non_null(wire_call(wire, "resources/subscribe", "\"uri\":\"test://text\""));
    for (int i = 0; i < 64; i++)
        haft_resource_updated(server, i % 2 ? "test://text" : "test://bytes");
    haft_session_tick(wire->session, wire->now);
    for (int i = 0; i < 32; i++)
        assert_string_equal(wire_next(wire),
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
                            "\"params\":{\"uri\":\"test://text\"}}");
    assert_null(wire_next(wire));
    wire_close(wire);
    haft_server_free(server);
}

/* More updates than the server keeps: every subscribed resource is announced once, because any of them
 * may have changed. */
static void too_many_updates(void **state)
{
    static const struct {
        const char *revision, *method, *params;
    } rows[] = {
        {"2025-11-25", "resources/subscribe", "\"uri\":\"test://text\""},
        {"2026-07-28", "subscriptions/listen",
         "\"notifications\":{\"resourceSubscriptions\":[\"test://text\"]}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve(HAFT_WITH(haft_server_options, .resource_subscriptions = true));
        struct wire *wire = wire_open(server);
        const char *line;

        wire_greet(wire, rows[i].revision);
        assert_non_null(wire_call(wire, rows[i].method, rows[i].params));
        haft_resource_updated(server, "test://text");
        for (int k = 0; k < 64; k++)
            haft_resource_updated(server, "test://bytes");
        haft_session_tick(wire->session, wire->now);
        line = wire_next(wire);
        assert_non_null(line);
        assert_non_null(strstr(line, "notifications/resources/updated"));
        assert_non_null(strstr(line, "\"uri\":\"test://text\""));
        assert_null(wire_next(wire));
        haft_session_tick(wire->session, wire->now);
        assert_null(wire_next(wire));
        wire_close(wire);
        haft_server_free(server);
    }
}

/* ---- memory ---- */

static void no_memory(void **state)
{
    static const char *const reads_of[] = {
        "\"uri\":\"test://both\"",  "\"uri\":\"users://7?view=x\"", "\"uri\":\"users://1/2/3\"",
        "\"uri\":\"test://aloud\"", "\"uri\":\"test://not-there\"", "\"uri\":\"test://quiet\""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(reads_of); i++)
        wire_check_memory(serve, "resources/read", reads_of[i], "\"uri\":\"test://text\"");
}

static void no_memory_adding(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        int first, second;

        failing_init(&failing, 0);
        server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &failing.allocator));
        assert_non_null(server);
        failing.fail_at = failing.calls + nth;
        first = haft_resource_add(server, &resources[0]);
        second = haft_template_add(server, &templates[0]);
        haft_resource_updated(server, "test://text");
        if (failing.failures)
            assert_true((first == HAFT_ENOMEM) + (second == HAFT_ENOMEM) <= 1);
        else
            assert_int_equal(first | second, 0);
        haft_server_free(server);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legacy),           cmocka_unit_test(modern),
        cmocka_unit_test(cache_hints),      cmocka_unit_test(own_cache_hints),
        cmocka_unit_test(long_address),     cmocka_unit_test(asking),
        cmocka_unit_test(pending),          cmocka_unit_test(listing),
        cmocka_unit_test(refused),          cmocka_unit_test(updates),
        cmocka_unit_test(too_many_updates), cmocka_unit_test(no_memory),
        cmocka_unit_test(no_memory_adding),
    };

    return cmocka_run_group_tests_name("resource", tests, NULL, NULL);
}
