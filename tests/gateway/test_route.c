/* test_route.c - a request in, a response out: where fields come from, what is refused and how, and
 * the ways in which a handler answers. */
#include "ask.h"

#include <stdlib.h>

/* ---- what is served ---- */

HAFT_ENUMERATION(colour, red, green);
HAFT_STRUCT(find_args, HAFT_STRING(id, "Path"), HAFT_OPTIONAL(HAFT_INTEGER(limit, "Query", .max = 9)),
            HAFT_DEFAULT(HAFT_BOOLEAN(full, "Query"), false),
            HAFT_OPTIONAL(HAFT_NUMBER(near, "Query")), HAFT_OPTIONAL(HAFT_ENUM(hue, colour, "Query")),
            HAFT_OPTIONAL(HAFT_ARRAY(tags, HAFT_STRING(tag, "A tag"), "Query")),
            HAFT_OPTIONAL(HAFT_ARRAY(sizes, HAFT_INTEGER(size, "A size"), "Query")),
            HAFT_OPTIONAL(HAFT_STRING(lang, "Header")));
HAFT_STRUCT(found, HAFT_STRING(text, "What came"));

static int find(haft_call *call, const find_args *in, found *out)
{
    long sum = 0;

    for (size_t i = 0; in->has_sizes && i < in->n_sizes; i++)
        sum += (long)in->sizes[i];
    out->text = haft_call_printf(
        call, "%s limit %lld full %d near %.2f hue %d tags %zu %s sizes %ld lang %s", in->id,
        in->has_limit ? (long long)in->limit : -1, in->full, in->has_near ? in->near : 0,
        in->has_hue ? (int)in->hue : -1, in->has_tags ? in->n_tags : 0,
        in->has_tags ? in->tags[0] : "-", sum, in->has_lang ? in->lang : "-");
    return out->text ? 0 : HAFT_ENOMEM;
}
HAFT_ROUTE(find, "GET", "/find/{id}", find_args, found, "Finds",
           .sources = (const haft_source[]){{"lang", HAFT_FROM_HEADER, "Accept-Language"}},
           .n_sources = 1);

HAFT_STRUCT(order_line, HAFT_STRING(sku, "What"), HAFT_INTEGER(quantity, "How many", .min = 1));
HAFT_STRUCT(order_args, HAFT_STRING(customer, "Path"), HAFT_OPTIONAL(HAFT_BOOLEAN(dry, "Query")),
            HAFT_ARRAY(items, HAFT_OBJECT(item, order_line, "A line"), "Body", .min = 1));
HAFT_STRUCT(order, HAFT_INTEGER(total, "How many in all"));

static int put_order(haft_call *call, const order_args *in, order *out)
{
    out->total = 0;
    for (size_t i = 0; i < in->n_items; i++)
        out->total += in->items[i].quantity;
    if (in->has_dry && in->dry)
        return haft_response_set_status(call, 202);
    return haft_response_set_status(call, 201) ||
           haft_response_set_header(call, "Location", "/orders/1");
}
HAFT_ROUTE(put_order, "POST", "/customers/{customer}/orders", order_args, order, "Orders",
           .sources = (const haft_source[]){{"dry", HAFT_FROM_QUERY, NULL}}, .n_sources = 1);

HAFT_STRUCT(mode_args, HAFT_STRING(mode, "How to answer"));

/* Longer than any header's name is. */
static const char long_name[] =
    "x-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

static int answer(haft_call *call, const mode_args *in)
{
    switch (in->mode[0]) {
    case 't':
        return haft_text(call, "one") || haft_text(call, "two");
    case 'j':
        return haft_json(call, "[1, 2]", 6);
    case 'e':
        return haft_error(call, "It broke.");
    case 's':
        return haft_response_set_status(call, 409) || haft_error(call, "It is taken.");
    case 'p':
        return haft_problem(call, 404, "There is no %s.", in->mode);
    case 'r':
        return haft_respond(call, 418, "text/x-tea", "tea\0pot", 7);
    case 'f':
        return HAFT_EINVAL;
    case 'b':
        return HAFT_EBUSY;
    case 'a':
        return HAFT_AGAIN;
    case 'm': { /* more headers than there is room for at first */
        int status = 0;

        for (int i = 0; i < 20 && !status; i++)
            status = haft_response_set_header(call, haft_call_printf(call, "X-%d", i), "v");
        return status ? status : haft_text(call, "%zu", haft_response_of(call) ? (size_t)1 : 0);
    }
    case 'o': /* in words, or later, with a status of one's own */
        return haft_response_set_status(call, 203) || haft_text(call, "other");
    case 'l':
        return haft_respond(call, 200, "text/plain", "late", 4) ||
               haft_response_set_status(call, 206) || haft_response_of(call)->status != 206;
    case 'w': /* what is refused */
        return haft_text(call, "%d %d %d %d %d", haft_response_set_status(call, 199),
                         haft_response_set_status(call, 600), haft_respond(call, 99, NULL, NULL, 0),
                         haft_problem(call, 700, "no"), haft_response_set_header(call, "", "v"));
    case 'q': /* what is not there */
        return haft_text(call, "%d %d %d", haft_query_value(call, "none") == NULL,
                         haft_path_value(call, "none") == NULL,
                         haft_request_header(call, long_name) == NULL);
    case 'h':
        return haft_response_set_header(call, "X-Split", "a\r\nSet-Cookie: b") == HAFT_EINVAL
                   ? haft_text(call, "refused")
                   : HAFT_EINVAL;
    default:
        return 0;
    }
}
HAFT_ROUTE_IN(answer, "GET", "/answer/{mode}", mode_args, "Answers in one of many ways");

static int misfit(haft_call *call, found *out)
{
    (void)call;
    out->text = NULL;
    return 0;
}
HAFT_ROUTE_OUT(misfit, "GET", "/misfit", found, "Gives what it does not promise");

static int echo(haft_call *call, haft_value *arguments, void *data)
{
    const haft_request *request = haft_request_of(call);
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, 1 << 16);
    haft_json_write(arguments, &text);
    status = haft_respond(call, 200, "text/plain",
                          haft_call_printf(call, "%s %.*s %.*s %s", (const char *)data,
                                           (int)text.size, text.data, (int)request->body_size,
                                           request->body, haft_call_name(call)),
                          strlen((const char *)data) + text.size + request->body_size +
                              strlen(haft_call_name(call)) + 3);
    haft_buffer_finish(&text);
    return status;
}

static haft_gateway *make(void)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));

    assert_non_null(gateway);
    assert_int_equal(haft_route_add(gateway, &find_route), 0);
    assert_int_equal(haft_route_add(gateway, &put_order_route), 0);
    assert_int_equal(haft_route_add(gateway, &answer_route), 0);
    assert_int_equal(haft_route_add(gateway, &misfit_route), 0);
    assert_int_equal(haft_route_add_handler(gateway, "PUT", "/echo/{a}/{b}", NULL, echo, "echo"),
                     0);
    return gateway;
}

/* ---- requests ---- */

static void requests(void **state)
{
#define PROBLEM(status, title, rest)                                                               \
#status " application/problem+json {\"type\":\"about:blank\",\"title\":\"" title               \
            "\",\"status\":" #status rest "}"
/* HAFT_EINVAL, five times. */
#define REFUSED_FIVE "200 text/plain; charset=utf-8 -2 -2 -2 -2 -2"
#define BARE "limit -1 full 0 near 0.00 hue -1 tags 0 - sizes 0 lang -"
    static const struct {
        struct ask_request question;
        const char *answer;
    } rows[] = {
        {{.method = "GET", "/find/x"}, "200 application/json {\"text\":\"x " BARE "\"}"},
        {{.method = "GET", "/find/a%2Fb%20c"},
         "200 application/json {\"text\":\"a/b c " BARE "\"}"},
        {{.method = "GET",
          "/find/7?limit=3&full=true&near=0.5&hue=green&tags=p+q&tags=r&sizes=2&sizes=40"},
         "200 application/json {\"text\":\"7 limit 3 full 1 near 0.50 hue 1 tags 2 p q sizes 42 lang "
         "-\"}"},
        {{.method = "GET", "/find/7?tags=only%26one", "accept-language: de\n"},
         "200 application/json {\"text\":\"7 limit -1 full 0 near 0.00 hue -1 tags 1 only&one sizes 0 "
         "lang de\"}"},
        {{.method = "HEAD", "/find/x"}, "200 application/json {\"text\":\"x " BARE "\"}"},
        {{.method = "POST",
          "/customers/c1/orders",
          NULL,
          "{\"items\":[{\"sku\":\"a\",\"quantity\":2}]}"},
         "201 application/json {\"total\":2}"},
        {{.method = "POST",
          "/customers/c1/orders?dry=true",
          "content-type: application/json; charset=utf-8\n",
          "{\"items\":[{\"sku\":\"a\",\"quantity\":2},{\"sku\":\"b\",\"quantity\":3}]}"},
         "202 application/json {\"total\":5}"},
        {{.method = "PUT", "/echo/1/2%20?c=3&c=4&a=x&d", NULL, "raw"},
         "200 text/plain echo {\"a\":\"1\",\"b\":\"2 \",\"c\":\"3\",\"d\":\"\"} raw PUT_echo_a_b"},
        /* the ways to answer */
        {{.method = "GET", "/answer/text"}, "200 text/plain; charset=utf-8 one\ntwo"},
        {{.method = "GET", "/answer/json"}, "200 application/json [1,2]"},
        {{.method = "GET", "/answer/nothing"}, "204 "},
        {{.method = "GET", "/answer/error"},
         PROBLEM(500, "Internal Server Error", ",\"detail\":\"It broke.\"")},
        {{.method = "GET", "/answer/status"},
         PROBLEM(409, "Conflict", ",\"detail\":\"It is taken.\"")},
        {{.method = "GET", "/answer/p"},
         PROBLEM(404, "Not Found", ",\"detail\":\"There is no p.\"")},
        {{.method = "GET", "/answer/raw"}, "418 text/x-tea tea"},
        {{.method = "GET", "/answer/fail"}, PROBLEM(500, "Internal Server Error", "")},
        {{.method = "GET", "/answer/busy"}, PROBLEM(503, "Service Unavailable", "")},
        {{.method = "GET", "/answer/again"}, PROBLEM(500, "Internal Server Error", "")},
        {{.method = "GET", "/answer/header"}, "200 text/plain; charset=utf-8 refused"},
        {{.method = "GET", "/answer/many"}, "200 text/plain; charset=utf-8 0"},
        {{.method = "GET", "/answer/other"}, "203 text/plain; charset=utf-8 other"},
        {{.method = "GET", "/answer/late"}, "206 text/plain late"},
        {{.method = "GET", "/answer/wrong"}, REFUSED_FIVE},
        {{.method = "GET", "/answer/query"}, "200 text/plain; charset=utf-8 1 1 1"},
        /* hexadecimal digits of both cases, and what is none */
        {{.method = "GET", "/find/%4a%4A"}, "200 application/json {\"text\":\"JJ " BARE "\"}"},
        {{.method = "GET", "/find/x?tags=%g0"},
         PROBLEM(400, "Bad Request", ",\"detail\":\"query: malformed\"")},
        {{.method = "GET", "/find/x?&limit=3&"},
         "200 application/json {\"text\":\"x limit 3 full 0 near 0.00 hue -1 tags 0 - sizes 0 lang "
         "-\"}"},
        {{.method = "GET", "/misfit"}, PROBLEM(500, "Internal Server Error", "")},
        /* no route */
        {{.method = "GET", "/nothing"},
         PROBLEM(404, "Not Found", ",\"detail\":\"No route matches /nothing.\"")},
        {{.method = "GET", "/find/%2e%2e"},
         PROBLEM(400, "Bad Request", ",\"detail\":\"The path is malformed.\"")},
        {{.method = "DELETE", "/find/x"},
         PROBLEM(405, "Method Not Allowed",
                 ",\"detail\":\"The route /find/x does not support DELETE.\"")},
        {{.method = "OPTIONS", "/find/x"}, "204 "},
        /* bad input */
        {{.method = "GET", "/find/x?limit=ten"},
         PROBLEM(
             400, "Bad Request",
             ",\"detail\":\"query.limit: Invalid input: expected number, received string\","
             "\"issues\":[{\"expected\":\"number\",\"code\":\"invalid_type\",\"path\":[\"query\","
             "\"limit\"],\"message\":\"Invalid input: expected number, received string\"}]")},
        {{.method = "GET", "/find/x?limit=1&limit=2"},
         PROBLEM(
             400, "Bad Request",
             ",\"detail\":\"query.limit: Invalid input: expected number, received array\","
             "\"issues\":[{\"expected\":\"number\",\"code\":\"invalid_type\",\"path\":[\"query\","
             "\"limit\"],\"message\":\"Invalid input: expected number, received array\"}]")},
        {{.method = "GET", "/find/x?id=y"},
         PROBLEM(400, "Bad Request", ",\"detail\":\"query.id: this field must be in the path\"")},
        {{.method = "GET", "/find/x?a=%"},
         PROBLEM(400, "Bad Request", ",\"detail\":\"query: malformed\"")},
        {{.method = "GET", "/find/x?a=%00"},
         PROBLEM(400, "Bad Request", ",\"detail\":\"query: malformed\"")},
        {{.method = "POST",
          "/customers/c/orders",
          NULL,
          "{\"items\":[{\"sku\":\"a\",\"quantity\":0}]}"},
         PROBLEM(400, "Bad Request",
                 ",\"detail\":\"body.items.0.quantity: Too small: expected number to be >=1\","
                 "\"issues\":[{\"origin\":\"number\",\"code\":\"too_small\",\"minimum\":1,"
                 "\"inclusive\":true,\"path\":[\"body\",\"items\",0,\"quantity\"],\"message\":"
                 "\"Too small: expected number to be >=1\"}]")},
        {{.method = "POST", "/customers/c/orders", NULL, "{\"items\""}, NULL},
        {{.method = "POST", "/customers/c/orders", NULL, "[]"},
         PROBLEM(400, "Bad Request", ",\"detail\":\"body: Invalid input: expected object\"")},
        {{.method = "POST", "/customers/c/orders", NULL, "{\"customer\":\"d\"}"},
         PROBLEM(400, "Bad Request",
                 ",\"detail\":\"body.customer: this field must be in the path\"")},
        {{.method = "POST",
          "/customers/c/orders",
          "content-type: Application/Vnd.Order+JSON\n",
          "{\"items\":[{\"sku\":\"a\",\"quantity\":2}]}"},
         "201 application/json {\"total\":2}"},
        {{.method = "POST", "/customers/c/orders", "content-type: text/x+json\n", "{}"},
         PROBLEM(415, "Unsupported Media Type",
                 ",\"detail\":\"The Content-Type of the body must be application/json.\"")},
        {{.method = "POST",
          "/customers/c/orders",
          "content-type: application/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa+json\n",
          "{}"},
         PROBLEM(415, "Unsupported Media Type",
                 ",\"detail\":\"The Content-Type of the body must be application/json.\"")},
        {{.method = "POST", "/customers/c/orders", NULL, NULL}, NULL},
        {{.method = "POST", "/customers/c/orders", "content-type: text/plain\n", "{}"},
         PROBLEM(415, "Unsupported Media Type",
                 ",\"detail\":\"The Content-Type of the body must be application/json.\"")},
    };
    haft_gateway *gateway = make();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *got = ask_with(gateway, &rows[i].question);

        if (rows[i].answer ? strcmp(got, rows[i].answer) : strncmp(got, "400 ", 4))
            fail_msg("%s %s:\n%s\nand not\n%s", rows[i].question.method, rows[i].question.target,
                     got, rows[i].answer);
    }
    haft_gateway_free(gateway);
}

/* Everything that is wrong is said at once, whatever it came from. */
static void every_issue(void **state)
{
    haft_gateway *gateway = make();
    const char *got = ask(gateway, "POST", "/customers/c/orders?dry=perhaps&odd=1",
                          "{\"items\":[{\"sku\":1,\"quantity\":1}],\"more\":2}");
    static const char *const parts[] = {"query.dry: ", "body.items.0.sku: ", "\"odd\"", "\"more\"",
                                        "\"path\":[\"query\",\"dry\"]"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!strstr(got, parts[i]))
            fail_msg("%s is not in %s", parts[i], got);
    haft_gateway_free(gateway);
}

static void headers(void **state)
{
    haft_gateway *gateway = make();

    (void)state;
    assert_string_equal(
        ask_for(gateway, &(struct ask_request){.method = "DELETE", "/find/x"}, "allow"),
        "GET, HEAD, OPTIONS");
    assert_string_equal(
        ask_for(gateway, &(struct ask_request){.method = "OPTIONS", "/echo/1/2"}, "allow"),
        "PUT, OPTIONS");
    assert_string_equal(
        ask_for(gateway,
                &(struct ask_request){.method = "POST",
                                      "/customers/c1/orders",
                                      NULL,
                                      "{\"items\":[{\"sku\":\"a\",\"quantity\":2}]}"},
                "location"),
        "/orders/1");
    haft_gateway_free(gateway);
}

/* ---- registration ---- */

static void refusals(void **state)
{
    static const haft_type *const in = &find_args_type;
    static const haft_source unknown[] = {{"nobody", HAFT_FROM_QUERY, NULL}};
    static const haft_source path[] = {{"id", HAFT_FROM_QUERY, NULL}};
    const struct {
        haft_route route;
        int code;
        const char *text;
    } rows[] = {
        {{.id = "a", .method = "GET", .path = "/find/{other}", .call = find_route.call},
         HAFT_EEXISTS,
         "GET /find/{other} is already route find"},
        {{.id = "find", .method = "GET", .path = "/new", .call = find_route.call},
         HAFT_EEXISTS,
         "a route with this id exists already"},
        {{.method = "GET", .path = "/a", .call = find_route.call},
         HAFT_EINVAL,
         "a route needs an id"},
        {{.id = "b", .method = "get", .path = "/a", .call = find_route.call},
         HAFT_EINVAL,
         "the method must consist of capital letters"},
        {{.id = "", .method = "GET", .call = find_route.call}, HAFT_EINVAL, "a route needs an id"},
        {{.id = "b", .path = "/a", .call = find_route.call},
         HAFT_EINVAL,
         "the method must consist of capital letters"},
        {{.id = "b", .method = "", .path = "/a", .call = find_route.call},
         HAFT_EINVAL,
         "the method must consist of capital letters"},
        {{.id = "b",
          .method = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
          .path = "/a",
          .call = find_route.call},
         HAFT_EINVAL,
         "the method must consist of capital letters"},
        {{.id = "b", .method = "GET", .path = "/a"},
         HAFT_EINVAL,
         "a route needs exactly one of call and handler"},
        {{.id = "b", .method = "GET", .call = find_route.call},
         HAFT_EINVAL,
         ": a path must begin with a slash"},
        {{.id = "b",
          .method = "GET",
          .path =
              "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a",
          .call = find_route.call},
         HAFT_EINVAL,
         NULL},
        {{.id = "b", .method = "GET", .path = "a", .call = find_route.call},
         HAFT_EINVAL,
         "a: a path must begin with a slash"},
        {{.id = "b", .method = "GET", .path = "/a/{b}", .call = find_route.call, .input = in},
         HAFT_EINVAL,
         "the path variable {b} is not a field of the input"},
        {{.id = "b", .method = "GET", .path = "/a", .call = find_route.call, .policies = "no-such"},
         HAFT_ENOTFOUND,
         "unknown policy no-such"},
        {{.id = "b",
          .method = "GET",
          .path = "/a",
          .call = find_route.call,
          .input = in,
          .sources = unknown,
          .n_sources = 1},
         HAFT_EINVAL,
         "a source names the unknown field nobody"},
        {{.id = "b",
          .method = "GET",
          .path = "/a/{id}",
          .call = find_route.call,
          .input = in,
          .sources = path,
          .n_sources = 1},
         HAFT_EINVAL,
         "id is a path variable and cannot have a source"},
        {{.id = "not a name", .method = "GET", .path = "/a", .call = find_route.call},
         HAFT_EINVAL,
         NULL},
    };
    haft_gateway *gateway = make();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_route route = rows[i].route; /* which is refused, so nobody keeps it */

        route.struct_size = sizeof route;
        assert_int_equal(haft_route_add(gateway, &route), rows[i].code);
        if (rows[i].text)
            assert_string_equal(haft_gateway_error(gateway)->text, rows[i].text);
    }
    /* What was refused is not there, and what is there still is. */
    assert_int_equal(strncmp(ask(gateway, "GET", "/a", NULL), "404", 3), 0);
    assert_int_equal(strncmp(ask(gateway, "GET", "/find/x", NULL), "200", 3), 0);
    haft_gateway_free(gateway);
}

/* A field that is an object has no place in a query. */
HAFT_STRUCT(nested, HAFT_OBJECT(item, order_line, "An object"));

static int take_nested(haft_call *call, const nested *in)
{
    return haft_text(call, "%s", in->item.sku);
}
HAFT_ROUTE_IN(take_nested, "GET", "/nested", nested, "Takes an object");

static void objects_in_queries(void **state)
{
    haft_gateway *gateway = make();

    (void)state;
    assert_int_equal(haft_route_add(gateway, &take_nested_route), HAFT_EINVAL);
    assert_string_equal(haft_gateway_error(gateway)->text,
                        "item is an object, which can only come from the body");
    haft_gateway_free(gateway);
}

/* What is put together at run time is refused like the rest; so is an input that is no object, in
 * JSON Schema or by a reference. */
static void at_run_time(void **state)
{
    static const struct {
        const char *schema;
        int code;
        const char *text;
    } rows[] = {
        {"{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}}}", 0, NULL},
        {"{\"$ref\":\"#/$defs/o\",\"$defs\":{\"o\":{\"type\":\"object\",\"properties\":{\"id\":{"
         "\"type\":\"string\"}}}}}",
         0, NULL},
        {"{\"type\":\"object\"}", HAFT_EINVAL, NULL},
    };
    static const haft_source body[] = {{"id", HAFT_FROM_BODY, NULL}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_gateway *gateway = make();
        haft_schema *schema;
        haft_route route =
            HAFT_INIT(haft_route, .id = "r", .method = "GET", .path = "/r/{id}", .handler = echo);
        haft_route search =
            HAFT_INIT(haft_route, .id = "s", .method = "DELETE", .path = "/s", .handler = echo,
                      .data = "search", .sources = body, .n_sources = 1);

        assert_int_equal(
            haft_schema_parse(rows[i].schema, strlen(rows[i].schema), NULL, &schema, NULL), 0);
        route.input_schema = search.input_schema = schema;
        assert_int_equal(haft_route_add(gateway, &route), rows[i].code);
        /* A body that a method does not usually have. */
        assert_int_equal(haft_route_add(gateway, &search), rows[i].code);
        if (!rows[i].code)
            assert_string_equal(ask(gateway, "DELETE", "/s", "{\"id\":\"7\"}"),
                                "200 text/plain search {\"id\":\"7\"} {\"id\":\"7\"} s");
        assert_int_equal(haft_route_add_handler(gateway, NULL, "/x", NULL, echo, NULL),
                         HAFT_EINVAL);
        assert_int_equal(haft_route_add_handler(gateway, "GET", NULL, "x", echo, NULL),
                         HAFT_EINVAL);
        assert_int_equal(haft_route_add_handler(gateway, "GET", "/x", "x", echo, "x"), 0);
        haft_gateway_free(gateway);
        haft_schema_free(schema);
    }
}

/* More pairs than a query may have. */
static void long_queries(void **state)
{
    haft_gateway *gateway = make();
    char target[ASK_ROOM] = "/find/x?";

    (void)state;
    for (size_t i = strlen(target); i < 1024; i += 2)
        memcpy(target + i, "a&", 3);
    assert_int_equal(strncmp(ask(gateway, "GET", target, NULL), "400 ", 4), 0);
    haft_gateway_free(gateway);
}

/* ---- statuses ---- */

static void statuses(void **state)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {{200, "OK"},
                {304, "Not Modified"},
                {402, "Payment Required"},
                {406, "Not Acceptable"},
                {422, "Unprocessable Content"},
                {501, "Not Implemented"},
                {502, "Bad Gateway"},
                {100, ""},
                {599, ""}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_response response = {.status = rows[i].status};

        assert_string_equal(haft_status_text(rows[i].status), rows[i].text);
        assert_int_equal(haft_response_ok(&response), rows[i].status == 200);
    }
}

/* ---- the server of the routes ---- */

static void audit(void *context, const char *line, size_t size)
{
    char *text = context;

    snprintf(text + strlen(text), 2048 - strlen(text), "%.*s\n", (int)size, line);
}

static int limited(haft_call *call)
{
    return haft_text(call, "%s", (const char *)haft_server_data(call));
}
HAFT_ROUTE_BARE(limited, "GET", "/limited", "Once a minute", .rate = {1, 60000});

static void stages(void **state)
{
    char lines[2048] = "";
    haft_gateway *gateway = haft_gateway_new(
        HAFT_WITH(haft_gateway_options, .server = HAFT_WITH(haft_server_options, .data = "mine")));
    struct ask_request question = {.method = "GET", "/limited", .principal = "ann"};

    (void)state;
    assert_int_equal(haft_audit_add(haft_gateway_server(gateway), audit, lines), 0);
    assert_int_equal(haft_route_add(gateway, &limited_route), 0);
    assert_string_equal(ask_with(gateway, &question), "200 text/plain; charset=utf-8 mine");
    assert_int_equal(strncmp(ask_with(gateway, &question), "429 ", 4), 0);
    assert_string_equal(ask_for(gateway, &question, "retry-after"), "60");
    question.principal = "bob";
    assert_int_equal(strncmp(ask_with(gateway, &question), "200 ", 4), 0);
    /* who is not known is told apart by address */
    question.principal = NULL;
    question.peer = "192.0.2.1";
    assert_int_equal(strncmp(ask_with(gateway, &question), "200 ", 4), 0);
    assert_int_equal(strncmp(ask_with(gateway, &question), "429 ", 4), 0);
    question.peer = "192.0.2.2";
    assert_int_equal(strncmp(ask_with(gateway, &question), "200 ", 4), 0);
    assert_non_null(strstr(lines, "\"principal\":\"ann\""));
    assert_non_null(strstr(lines, "\"tool\":\"limited\",\"outcome\":\"rate_limited\""));
    haft_gateway_free(gateway);
}

/* What could not be made is said by haft_gateway_main; nothing crashes before. */
static void no_gateway(void **state)
{
    static const haft_policy policy = HAFT_INIT(haft_policy, .name = "x");
    static const haft_route route = HAFT_INIT(haft_route, .id = "x", .method = "GET", .path = "/x");
    haft_gateway *gateway = haft_gateway_new(NULL);

    (void)state;
    assert_int_equal(haft_route_add(NULL, &route), HAFT_EINVAL);
    assert_int_equal(haft_route_add(gateway, NULL), HAFT_EINVAL);
    assert_int_equal(haft_route_add_handler(NULL, "GET", "/x", NULL, NULL, NULL), HAFT_EINVAL);
    assert_int_equal(haft_policy_add(NULL, &policy), HAFT_EINVAL);
    assert_int_equal(haft_policy_add(gateway, NULL), HAFT_EINVAL);
    assert_int_equal(haft_policy_make(NULL, "x", "sleep", "{}"), HAFT_EINVAL);
    assert_int_equal(haft_policy_make(gateway, "x", NULL, "{}"), HAFT_EINVAL);
    assert_null(haft_mcp_add(NULL, NULL));
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),     cmocka_unit_test(every_issue),
        cmocka_unit_test(headers),      cmocka_unit_test(refusals),
        cmocka_unit_test(stages),       cmocka_unit_test(objects_in_queries),
        cmocka_unit_test(statuses),     cmocka_unit_test(at_run_time),
        cmocka_unit_test(long_queries), cmocka_unit_test(no_gateway),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
