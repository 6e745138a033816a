/* test_values.c - a route that is called as a tool gets its input as values, and policies see the
 * request that would have brought it. */
#include <haft/gateway.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "support/wire.h"

HAFT_STRUCT(edit_args, HAFT_STRING(id, "Path"), HAFT_OPTIONAL(HAFT_INTEGER(limit, "Query")),
            HAFT_OPTIONAL(HAFT_ARRAY(tags, HAFT_STRING(tag, "A tag"), "Query")),
            HAFT_OPTIONAL(HAFT_STRING(lang, "Header")),
            HAFT_OPTIONAL(HAFT_NULLABLE(HAFT_INTEGER(size, "Header"))),
            HAFT_OPTIONAL(HAFT_STRING(note, "Body")));

static int edit(haft_call *call, const edit_args *in)
{
    return haft_text(call, "%s %d %zu %s %s", in->id, in->has_limit ? (int)in->limit : -1,
                     in->n_tags, in->lang ? in->lang : "-", in->note ? in->note : "-");
}

#define SOURCES                                                                                    \
    .sources = (const haft_source[]){{"limit", HAFT_FROM_QUERY, NULL},                             \
                                     {"tags", HAFT_FROM_QUERY, NULL},                              \
                                     {"lang", HAFT_FROM_HEADER, "X-Lang"},                         \
                                     {"size", HAFT_FROM_HEADER, "X-Size"}},                        \
    .n_sources = 4
HAFT_ROUTE_IN(edit, "PUT", "/items/{id}", edit_args, "Edits", SOURCES);

static int edit_seen(haft_call *call, const edit_args *in)
{
    return edit(call, in);
}
HAFT_ROUTE_IN(edit_seen, "PUT", "/seen/{id}", edit_args, "Edits", SOURCES, .policies = "look");

static int edit_changed(haft_call *call, const edit_args *in)
{
    return edit(call, in);
}
HAFT_ROUTE_IN(edit_changed, "PUT", "/changed/{id}", edit_args, "Edits", SOURCES,
              .policies = "body, lang, look");

/* At the place of one item; it is not the tool that is called. */
static int special(haft_call *call)
{
    return haft_text(call, "special");
}
HAFT_ROUTE_BARE(special, "PUT", "/items/special", "Is another route");

static char seen[512];

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

static int look_in(haft_call *call, void *data)
{
    const haft_request *request = haft_request_of(call);

    (void)data;
    snprintf(seen, sizeof seen, "%s %s %s ?%s %s %s %s %s %s %s", request->method, request->target,
             request->path, request->query, or_none(haft_path_value(call, "id")),
             or_none(haft_query_value(call, "limit")), or_none(haft_request_header(call, "x-lang")),
             or_none(haft_request_header(call, "X-Size")),
             or_none(haft_request_header(call, "content-type")), request->body);
    return strlen(request->body) == request->body_size ? 0 : HAFT_EINVAL;
}
static const haft_policy look = HAFT_INIT(haft_policy, .name = "look", .inbound = look_in);

static int body_in(haft_call *call, void *data)
{
    static const char text[] = "{\"note\":\"other\"}";

    (void)data;
    return haft_request_set_body(call, text, sizeof text - 1);
}
static const haft_policy body = HAFT_INIT(haft_policy, .name = "body", .inbound = body_in);

static int lang_in(haft_call *call, void *data)
{
    (void)data;
    return haft_request_set_header(call, "x-LANG", "fr");
}
static const haft_policy lang = HAFT_INIT(haft_policy, .name = "lang", .inbound = lang_in);

#define ALL                                                                                        \
    "{\"id\":\"a/b\",\"limit\":5,\"tags\":[\"x\",\"y&z\"],\"lang\":\"de\",\"size\":7,"             \
    "\"note\":\"n\\u00e9\"}"

static void passes_the_input_of_a_tool(void **state)
{
    static const struct {
        const char *name, *arguments, *answer, *seen;
    } rows[] = {
        {"edit", ALL, "a/b 5 2 de n\u00e9", ""},
        {"edit_seen", ALL, "a/b 5 2 de n\u00e9",
         "PUT /seen/a%2Fb /seen/a/b ?limit=5&tags=x&tags=y%26z a/b 5 de 7 application/json "
         "{\"note\":\"n\u00e9\"}"},
        {"edit_seen", "{\"id\":\"a\"}", "a -1 0 - -",
         "PUT /seen/a /seen/a ? a - - - application/json {}"},
        {"edit_changed", ALL, "a/b 5 2 fr other",
         "PUT /changed/a%2Fb /changed/a/b ?limit=5&tags=x&tags=y%26z a/b 5 fr 7 application/json "
         "{\"note\":\"other\"}"},
        /* the path would be that of another route */
        {"edit", "{\"id\":\"special\"}", "special -1 0 - -", ""},
        /* and these cannot be written, so nothing gets them */
        {"edit", "{\"id\":\"\"}", "HTTP 404 Not Found", ""},
        {"edit", "{\"id\":\"..\"}", "HTTP 400 Bad Request", ""},
        {"edit", "{\"id\":\"a/../b\"}", "HTTP 400 Bad Request", ""},
        {"edit", "{\"id\":\"a\\\\.\"}", "HTTP 400 Bad Request", ""},
        {"edit", "{\"id\":\"a\\u0000b\"}", "must not contain U+0000", ""},
        {"edit", "{\"id\":\"c\",\"tags\":[\"a\\u0000b\"]}", "must not contain U+0000", ""},
        {"edit", "{\"id\":\"d\",\"tags\":[]}", "d -1 0 - -", ""},
        {"edit", "{\"id\":\"b\",\"size\":null}", "b -1 0 - -", ""},
    };
    haft_gateway *gateway = haft_gateway_new(NULL);
    haft_server *server;
    struct wire *wire;

    (void)state;
    assert_int_equal(haft_policy_add(gateway, &look), 0);
    assert_int_equal(haft_policy_add(gateway, &body), 0);
    assert_int_equal(haft_policy_add(gateway, &lang), 0);
    assert_int_equal(haft_route_add(gateway, &edit_route), 0);
    assert_int_equal(haft_route_add(gateway, &edit_seen_route), 0);
    assert_int_equal(haft_route_add(gateway, &edit_changed_route), 0);
    assert_int_equal(haft_route_add(gateway, &special_route), 0);
    server = haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .routes = "edit*"));
    assert_non_null(server);
    wire = wire_open(server);
    wire_greet(wire, "2025-11-25");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char params[512];
        const char *got;

        seen[0] = '\0';
        snprintf(params, sizeof params, "\"name\":\"%s\",\"arguments\":%s", rows[i].name,
                 rows[i].arguments);
        got = wire_call(wire, "tools/call", params);
        if (!strstr(got, rows[i].answer) || strcmp(seen, rows[i].seen))
            fail_msg("row %zu: %s\n%s", i, got, seen);
    }
    wire_close(wire);
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_the_input_of_a_tool)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
