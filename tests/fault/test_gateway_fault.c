/* test_gateway_fault.c - memory runs out in a gateway, at every place in turn: while it is put
 * together, in every kind of request, in routes that are tools, and on the way through a loop.
 * What comes out is what comes out with memory, headers and all, or an error; nothing is left
 * behind. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <haft/gateway.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yyjson.h>

#include "support/failing.h"
#include "support/file.h"
#include "support/headers.h"
#include "support/starving.h"
#include "support/test.h"

enum { TOO_MANY = 20000, TEXT = 8192 };

/* ---- shortages ---- */

/* The nth block of the allocator is not there, or the nth piece of an arena; or none from there
 * on. */
enum way { BLOCKS, PIECES, BLOCKS_ON, PIECES_ON, WAYS };

struct shortage {
    struct failing failing; /* its allocator is the gateway's */
    enum way way;
    size_t nth;
};

static void shortage_begins(struct shortage *shortage)
{
    bool goes_on = shortage->way == BLOCKS_ON || shortage->way == PIECES_ON;

    shortage->failing.keep_failing = goes_on;
    if (shortage->way == BLOCKS || shortage->way == BLOCKS_ON)
        shortage->failing.fail_at = shortage->failing.calls + shortage->nth;
    else
        starve_at(shortage->nth, goes_on);
}

/* Whether anything was not there.  From now on everything is. */
static bool shortage_ends(struct shortage *shortage)
{
    bool failed = shortage->failing.failures || starved();

    shortage->failing.fail_at = shortage->failing.failures = 0;
    starve_at(0, false);
    return failed;
}

/* Runs `subject` short of the first, the second, ... until it has what it wants.  It returns
 * whether anything was not there. */
static void run_short(bool (*subject)(struct shortage *shortage, const void *row), const void *row)
{
    for (int way = 0; way < WAYS; way++)
        for (size_t nth = 1;; nth++) {
            struct shortage shortage = {.way = (enum way)way, .nth = nth};
            bool failed;

            assert_true(nth < TOO_MANY);
            failing_init(&shortage.failing, 0);
            failed = subject(&shortage, row);
            failing_check(&shortage.failing);
            if (!failed)
                break;
        }
}

/* ---- what is served ---- */

HAFT_STRUCT(args, HAFT_STRING(id, "Path"), HAFT_OPTIONAL(HAFT_INTEGER(n, "Query")),
            HAFT_OPTIONAL(HAFT_ARRAY(tags, HAFT_STRING(tag, "A tag"), "Query")),
            HAFT_OPTIONAL(HAFT_STRING(lang, "Header")), HAFT_OPTIONAL(HAFT_INTEGER(page, "Header")));
HAFT_STRUCT(leaf_out, HAFT_STRING(text, "Text"));

static int leaf(haft_call *call, const args *in, leaf_out *out)
{
    if (!strcmp(in->id, "none"))
        return haft_problem(call, 404, "There is no %s.", in->id);
    out->text =
        haft_call_printf(call, "%s of %zu %s %s", in->id, in->n_tags, in->has_lang ? in->lang : "-",
                         haft_call_principal(call) ? haft_call_principal(call) : "nobody");
    return out->text ? haft_response_set_header(call, "X-Id", in->id) : HAFT_ENOMEM;
}
HAFT_ROUTE(leaf, "GET", "/leaf/{id}", args, leaf_out, "A leaf",
           .policies = "head, size, bare, pages",
           .sources = (const haft_source[]){{"lang", HAFT_FROM_HEADER, "Accept-Language"},
                                            {"page", HAFT_FROM_HEADER, "X-Page"}},
           .n_sources = 2);

HAFT_STRUCT(body_args, HAFT_ARRAY(items, HAFT_INTEGER(item, "An item"), "Items"));

static int sum(haft_call *call, const body_args *in)
{
    haft_invocation all[3] = {{.method = "GET", .target = "/leaf/a?tags=x&tags=y"},
                              {.method = "GET", .target = "/leaf/none"},
                              {.method = "GET", .target = "/nothing"}};
    const char *id = haft_url_encode(call, "a b/c"),
               *target = id ? haft_call_printf(call, "/leaf/%s", id) : NULL;
    haft_response one;
    int status = target ? haft_invoke(call, "GET", target, NULL, &one) : HAFT_ENOMEM;

    if (!status)
        status = haft_invoke_all(call, all, 3);
    for (int i = 0; !status && i < 3; i++)
        status = all[i].response.status == 500 ? HAFT_ENOMEM : 0;
    if (status || one.status == 500)
        return status ? status : HAFT_ENOMEM;
    return haft_text(call, "%zu %d %d %d %d", in->n_items, one.status, all[0].response.status,
                     all[1].response.status, all[2].response.status);
}
HAFT_ROUTE_IN(sum, "POST", "/sum", body_args, "Sums up", .policies = "check");

static int fails(haft_call *call)
{
    return haft_error(call, "It is broken.");
}
HAFT_ROUTE_BARE(fails, "GET", "/fails", "Fails", .rate = {1000, 1000});

static int once(haft_call *call)
{
    return haft_text(call, "once");
}
HAFT_ROUTE_BARE(once, "GET", "/once", "Is asked too often", .rate = {1, 60000});

static int never(haft_call *call)
{
    return haft_text(call, "never");
}
HAFT_ROUTE_BARE(never, "GET", "/mocked", "Is answered by a policy", .policies = "mock");

static int secret(haft_call *call)
{
    return haft_text(call, "for %s", haft_call_principal(call));
}
HAFT_ROUTE_BARE(secret, "GET", "/keyed", "Is for who has a key", .policies = "key");

static int relay(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(
        call, "GET", "/leaf/r",
        &(haft_invoke_options){.headers = &(haft_header){"Accept-Language", "la"}, .n_headers = 1},
        &response);

    return status ? status : haft_respond_with(call, &response);
}
HAFT_ROUTE_BARE(relay, "GET", "/relay", "Asks another", .quick = true);

static int echo(haft_call *call, haft_value *arguments, void *data)
{
    (void)data;
    return haft_text(call, "%s", yyjson_get_str(yyjson_obj_get(arguments, "word")));
}

static int work(haft_call *call)
{
    haft_response response;
    int status = haft_invoke(call, "GET", "/leaf/x", NULL, &response);

    if (!status && !haft_response_ok(&response))
        status = haft_error(call, "HTTP %d", response.status);
    return status ? status : haft_text(call, "%s", response.body);
}
HAFT_TOOL_BARE(work, "Works");

/* "open sesame", and RFC 7914's passwd with one round. */
static const char key_file[] =
    "41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb ann\n";
static const char people_file[] =
    "ann:1:73616c74:55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\n";
static char key_path[FILE_PATH], people_path[FILE_PATH], guards[512];

static const char policies[] =
    "[{\"name\":\"head\",\"policy\":\"set-headers\",\"options\":{\"request\":{\"a\":\"b\"},"
    "\"response\":{\"c\":\"d\"}}},"
    "{\"name\":\"bare\",\"policy\":\"remove-headers\",\"options\":{\"request\":[\"cookie\"],"
    "\"response\":[\"server\"]}},"
    "{\"name\":\"size\",\"policy\":\"size-limit\",\"options\":{\"bytes\":100}},"
    "{\"name\":\"rate\",\"policy\":\"rate-limit\",\"options\":{\"calls\":1}},"
    "{\"name\":\"check\",\"policy\":\"validate\",\"options\":{\"body\":{\"type\":\"object\"}}},"
    "{\"name\":\"pages\",\"policy\":\"cors\",\"options\":{\"origins\":[\"https://a.example\"],"
    "\"credentials\":true,\"expose\":\"x-id\"}},"
    "{\"name\":\"nap\",\"policy\":\"sleep\",\"scope\":\"edge\",\"options\":{\"ms\":0}},"
    "{\"name\":\"mock\",\"policy\":\"mock\",\"options\":{\"json\":{\"a\":1},\"headers\":{"
    "\"x\":\"y\"}}}]";

static int set_up(void **state)
{
    (void)state;
    file_make(key_path, key_file);
    file_make(people_path, people_file);
    snprintf(guards, sizeof guards,
             "[{\"name\":\"key\",\"policy\":\"api-key\",\"options\":{\"file\":\"%s\"}},"
             "{\"name\":\"people\",\"policy\":\"basic-auth\",\"options\":{\"file\":\"%s\"}}]",
             key_path, people_path);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    return unlink(key_path) || unlink(people_path);
}

struct request {
    const char *method, *path, *query;
    const char *headers; /* "name: value" lines, names in lower case */
    const char *body;
    int status;
    int before; /* so many times it is asked first, with memory */
    const char *principal;
};

/* What takes files to be made, and so the most time: only for who asks for it. */
static bool add_guarded(haft_gateway *gateway)
{
    static haft_route peopled;

    peopled = secret_route;
    peopled.id = "peopled", peopled.path = "/peopled", peopled.policies = "people";
    return !haft_policies_json(gateway, guards, strlen(guards)) &&
           !haft_route_add(gateway, &secret_route) && !haft_route_add(gateway, &peopled) &&
           haft_mcp_add(gateway,
                        HAFT_WITH(haft_mcp_options, .endpoint = "/around", .policies = "head,key"));
}

static bool is_guarded(const struct request *row)
{
    return !strcmp(row->path, "/keyed") || !strcmp(row->path, "/peopled") ||
           !strcmp(row->path, "/around");
}

/* A gateway with everything; NULL when there was not the memory for it. */
static haft_gateway *make(const haft_allocator *allocator, bool guarded)
{
    static const haft_tool *const tools[] = {&work_tool, NULL};
    static haft_route limited;
    haft_gateway *gateway = haft_gateway_new(
        HAFT_WITH(haft_gateway_options, .one_thread = true,
                  .server = HAFT_WITH(haft_server_options, .allocator = allocator)));

    limited = never_route;
    limited.id = "limited", limited.path = "/limited", limited.policies = "rate";
    if (gateway && !haft_policies_json(gateway, policies, strlen(policies)) &&
        !haft_route_add(gateway, &leaf_route) && !haft_route_add(gateway, &sum_route) &&
        !haft_route_add(gateway, &fails_route) && !haft_route_add(gateway, &once_route) &&
        !haft_route_add(gateway, &never_route) && !haft_route_add(gateway, &limited) &&
        !haft_route_add(gateway, &relay_route) &&
        !haft_route_add_handler(gateway, "GET", "/echo/{word}", NULL, echo, NULL) &&
        haft_mcp_add(gateway,
                     HAFT_WITH(haft_mcp_options, .tools = tools, .routes = "leaf,sum,fails")) &&
        haft_mcp_add(gateway,
                     HAFT_WITH(haft_mcp_options, .endpoint = "/napping", .policies = "nap,head")) &&
        (!guarded || add_guarded(gateway)))
        return gateway;
    haft_gateway_free(gateway);
    return NULL;
}

static bool make_short(struct shortage *shortage, const void *row)
{
    haft_gateway *gateway;
    bool failed;

    (void)row;
    shortage_begins(shortage);
    gateway = make(&shortage->failing.allocator, true);
    failed = shortage_ends(shortage);
    assert_true(gateway || failed);
    haft_gateway_free(gateway);
    return failed;
}

/* With threads of its own. */
static bool make_threads_short(struct shortage *shortage, const void *row)
{
    haft_gateway *gateway;
    bool failed;

    (void)row;
    shortage_begins(shortage);
    gateway = haft_gateway_new(HAFT_WITH(
        haft_gateway_options,
        .server = HAFT_WITH(haft_server_options, .allocator = &shortage->failing.allocator)));
    failed = shortage_ends(shortage);
    assert_true(gateway || failed);
    haft_gateway_free(gateway);
    return failed;
}

static void making(void **state)
{
    (void)state;
    run_short(make_short, NULL);
    run_short(make_threads_short, NULL);
}

/* ---- requests ---- */

/* The right answer, as an untouched run has it. */
struct answer {
    int status, n;
    char text[TEXT];
};

static bool is_error(const struct answer *answer)
{
    return answer->status >= 400 || strstr(answer->text, "\"error\":{");
}

/* What came is the right answer, or an error when something was not there. */
static void check_answer(const struct request *row, size_t nth, const struct answer *right,
                         const struct answer *got, bool failed)
{
    if (got->n != 1 || (strcmp(got->text, right->text) && !(failed && is_error(got))))
        fail_msg("%s %s, %zu: %d of %s, and not %s", row->method, row->path, nth, got->n, got->text,
                 right->text);
}

static haft_gateway_request *gateway_request_of(haft_gateway *gateway, const struct request *row)
{
    haft_request request = {.method = row->method,
                            .path = row->path,
                            .query = row->query,
                            .body = row->body,
                            .body_size = strlen(row->body),
                            .principal = "ann"};
    static struct header_lines lines;

    headers_read(&lines, row->headers, &request.headers, &request.n_headers);
    return haft_gateway_request_new(gateway, &request, 1000);
}

static void ask(haft_gateway *gateway, const struct request *row, struct answer *ret_answer)
{
    haft_gateway_request *req = gateway_request_of(gateway, row);
    const haft_response *response;
    size_t size = 0;

    *ret_answer = (struct answer){.status = 503, .n = 1};
    if (!req)
        return;
    haft_gateway_request_run(req);
    response = haft_gateway_request_response(req);
    ret_answer->status = response->status;
    for (size_t i = 0; i < response->n_headers; i++)
        size += (size_t)snprintf(ret_answer->text + size, TEXT - size, "%s: %s\n",
                                 response->headers[i].name, response->headers[i].value);
    snprintf(ret_answer->text + size, TEXT - size, "%d %.*s", response->status, (int)response->size,
             response->body);
    haft_gateway_request_free(req);
}

static bool ask_short(struct shortage *shortage, const void *context)
{
    static struct answer right, got;
    const struct request *row = context;
    haft_gateway *gateway = make(&shortage->failing.allocator, is_guarded(row));
    bool failed;

    assert_non_null(gateway);
    for (int i = 0; i < row->before; i++)
        ask(gateway, row, &got);
    if (shortage->nth == 1) {
        haft_gateway *other = make(NULL, is_guarded(row));

        for (int i = 0; i <= row->before; i++)
            ask(other, row, &right);
        haft_gateway_free(other);
        if (right.status != row->status)
            fail_msg("%s %s: %s", row->method, row->path, right.text);
    }
    shortage_begins(shortage);
    ask(gateway, row, &got);
    failed = shortage_ends(shortage);
    check_answer(row, shortage->nth, &right, &got, failed);
    haft_gateway_free(gateway);
    return failed;
}

#define FROM_PAGE "origin: https://a.example\n"

static void requests(void **state)
{
    static const struct request rows[] = {
        {"GET", "/leaf/x", "n=1&tags=a&tags=b", FROM_PAGE "accept-language: de\n", "", 200, 0,
         NULL},
        {"GET", "/leaf/none", "", NULL, "", 404, 0, NULL},
        {"GET", "/leaf/x", "n=one&what=1", NULL, "", 400, 0, NULL},
        {"GET", "/leaf/x", "id=1", NULL, "", 400, 0, NULL},
        {"GET", "/leaf/x", "n=%", NULL, "", 400, 0, NULL},
        {"GET", "/leaf/%2e", "", NULL, "", 400, 0, NULL},
        {"POST", "/sum", "", NULL, "{\"items\":[1,2,3]}", 200, 0, NULL},
        {"POST", "/sum", "", "content-type: text/plain\n", "{\"items\":[1,2,3]}", 415, 0, NULL},
        {"POST", "/sum", "", NULL, "{\"items\":[\"a\"]}", 400, 0, NULL},
        {"POST", "/sum", "", NULL, "nonsense", 400, 0, NULL},
        {"GET", "/fails", "", NULL, "", 500, 0, NULL},
        {"GET", "/once", "", NULL, "", 429, 1, NULL},
        {"GET", "/limited", "", NULL, "", 429, 1, NULL},
        {"GET", "/mocked", "", NULL, "", 200, 0, NULL},
        {"GET", "/keyed", "", "x-api-key: open sesame\n", "", 200, 0, NULL},
        {"GET", "/keyed", "", NULL, "", 401, 0, NULL},
        {"GET", "/peopled", "", "authorization: Basic YW5uOnBhc3N3ZA==\n", "", 200, 0, NULL},
        {"GET", "/peopled", "", NULL, "", 401, 0, NULL},
        {"GET", "/relay", "", NULL, "", 200, 0, NULL},
        {"GET", "/echo/hello", "a=b", NULL, "", 200, 0, NULL},
        {"PUT", "/leaf/x", "", NULL, "", 405, 0, NULL},
        {"OPTIONS", "/leaf/x", "", NULL, "", 204, 0, NULL},
        {"OPTIONS", "/leaf/x", "", FROM_PAGE "access-control-request-method: GET\n", "", 204, 0,
         NULL},
        {"GET", "/nothing", "", NULL, "", 404, 0, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        run_short(ask_short, &rows[i]);
}

/* ---- tools ---- */

struct tool_call {
    const char *tool, *arguments, *text;
};

static bool call_short(struct shortage *shortage, const void *context)
{
    const struct tool_call *row = context;
    haft_gateway *gateway = make(&shortage->failing.allocator, false);
    const char *path;
    haft_client *client;
    haft_result result;
    bool failed;
    int status;

    assert_non_null(gateway);
    client = haft_client_new(haft_gateway_endpoint(gateway, 0, &path), NULL);
    assert_non_null(client);
    shortage_begins(shortage);
    status = haft_client_call(client, row->tool, row->arguments, &result);
    failed = shortage_ends(shortage);
    if (!failed)
        assert_int_equal(status, 0);
    if (!status && strcmp(result.text, row->text) && !(failed && result.is_error))
        fail_msg("%s, %zu: %s, and not %s", row->tool, shortage->nth, result.text, row->text);
    haft_client_free(client);
    haft_gateway_free(gateway);
    return failed;
}

static void tools(void **state)
{
    static const struct tool_call rows[] = {
        {"leaf", "{\"id\":\"a/b\",\"n\":3,\"tags\":[\"x\",\"y z\"],\"lang\":\"en\",\"page\":7}",
         "{\"text\":\"a/b of 2 en nobody\"}"},
        {"leaf", "{\"id\":\"none\"}",
         "HTTP 404 Not Found\n{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
         "\"detail\":\"There is no none.\"}"},
        {"sum", "{\"items\":[1,2]}", "2 200 200 404 404"},
        {"work", "{}", "{\"text\":\"x of 0 - nobody\"}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        run_short(call_short, &rows[i]);
}

/* ---- on a loop ---- */

static haft_call *sent_away;

static int run_later(void *context, haft_call *call)
{
    (void)context;
    assert_null(sent_away);
    sent_away = call;
    return 0;
}

static int refuse_to_run(void *context, haft_call *call)
{
    (void)context;
    (void)call;
    return HAFT_EBUSY;
}

static void post_nothing(void *context, haft_posted *posted)
{
    (void)context;
    (void)posted;
}

static void wake_nobody(void *context)
{
    (void)context;
}

/* The same for everybody, so that answers can be compared. */
static int same_bytes(void *context, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, 7, size);
    return 0;
}

static void respond(void *context, const haft_response *response)
{
    struct answer *answer = context;
    char headers[1024];

    headers_write(response->headers, response->n_headers, headers, sizeof headers);
    answer->status = response->status;
    answer->n++;
    snprintf(answer->text, TEXT, "%d %s%.*s", response->status, headers, (int)response->size,
             response->size ? response->body : "");
}

static void stream(void *context, const haft_response *head)
{
    respond(context, head);
}

static void write_some(void *context, const char *bytes, size_t size)
{
    struct answer *answer = context;
    size_t used = strlen(answer->text);

    snprintf(answer->text + used, TEXT - used, "%.*s", (int)size, bytes);
}

static void end(void *context)
{
    (void)context;
}

static const haft_responder responder = {respond, stream, write_some, end};
static const haft_loop callbacks = HAFT_INIT(haft_loop, .run = run_later, .post = post_nothing,
                                             .wake = wake_nobody, .random = same_bytes);
static const haft_http_loop loop = {.n = 1, .loop = &callbacks};

/* One request on the loop, to its end. */
static void pass(const haft_app *app, void *site, const struct request *row,
                 struct answer *ret_answer)
{
    haft_request request = {.method = row->method,
                            .path = row->path,
                            .target = row->path,
                            .query = row->query,
                            .body = row->body,
                            .body_size = strlen(row->body),
                            .peer = "192.0.2.7",
                            .principal = row->principal};

    struct header_lines lines;

    headers_read(&lines, row->headers, &request.headers, &request.n_headers);
    *ret_answer = (struct answer){.n = 0};
    app->handle(site, &request, &responder, ret_answer, 1000);
    while (sent_away) {
        haft_call *call = sent_away;

        sent_away = NULL;
        haft_call_run(call);
        haft_call_done(call);
    }
}

static bool pass_short(struct shortage *shortage, const void *context)
{
    static struct answer right, got;
    const struct request *row = context;
    haft_gateway *gateway = make(&shortage->failing.allocator, is_guarded(row));
    haft_app app = *haft_gateway_app(gateway);
    void *site = app.open(app.data, &loop, NULL);
    bool failed;

    assert_non_null(site);
    if (shortage->nth == 1) {
        pass(&app, site, row, &right);
        if (right.status != row->status)
            fail_msg("%s %s: %s", row->method, row->path, right.text);
    }
    shortage_begins(shortage);
    pass(&app, site, row, &got);
    failed = shortage_ends(shortage);
    check_answer(row, shortage->nth, &right, &got, failed);
    assert_true(app.idle(site));
    app.shut_down(site);
    app.close(site);
    haft_gateway_free(gateway);
    return failed;
}

#define JSON "host: localhost\ncontent-type: application/json\naccept: application/json\n"
#define HELLO                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"

static void passages(void **state)
{
    static const struct request rows[] = {
        {"GET", "/leaf/x", "n=1", FROM_PAGE "accept-language: de\n", "", 200, 0, "ann"},
        {"GET", "/relay", "", NULL, "", 200, 0, NULL},
        {"GET", "/nothing", "", NULL, "", 404, 0, NULL},
        {"POST", "/around", "", JSON "x-api-key: open sesame\n", HELLO, 200, 0, NULL},
        {"POST", "/around", "", JSON, HELLO, 401, 0, NULL},
        {"POST", "/napping", "", JSON, HELLO, 200, 0, "bob"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        run_short(pass_short, &rows[i]);
}

static bool open_short(struct shortage *shortage, const void *context)
{
    haft_gateway *gateway = make(&shortage->failing.allocator, false);
    haft_app app = *haft_gateway_app(gateway);
    haft_reason reason = {.code = 0};
    bool failed;
    void *site;

    (void)context;
    shortage_begins(shortage);
    site = app.open(app.data, &loop, &reason);
    failed = shortage_ends(shortage);
    assert_true(site || (failed && reason.code == HAFT_ENOMEM));
    if (site)
        app.close(site);
    haft_gateway_free(gateway);
    return failed;
}

static void opening(void **state)
{
    (void)state;
    run_short(open_short, NULL);
}

/* Nobody has time for it. */
static void busy(void **state)
{
    static const struct request row = {"GET", "/leaf/x", "", NULL, "", 503, 0, NULL};
    haft_gateway *gateway = make(NULL, false);
    haft_app app = *haft_gateway_app(gateway);
    haft_loop busy_loop = callbacks;
    haft_http_loop full = {.n = 1, .loop = &busy_loop};
    struct answer got;
    void *site;

    (void)state;
    busy_loop.run = refuse_to_run;
    site = app.open(app.data, &full, NULL);
    pass(&app, site, &row, &got);
    assert_string_equal(got.text, "503 Retry-After: 1\r\n");
    app.close(site);
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(making),   cmocka_unit_test(requests), cmocka_unit_test(tools),
        cmocka_unit_test(passages), cmocka_unit_test(opening),  cmocka_unit_test(busy),
    };

    return cmocka_run_group_tests(tests, set_up, clean_up);
}
