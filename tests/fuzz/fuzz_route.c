/* fuzz_route.c - paths, queries and bodies: there is a response to each, and only declared routes
 * are reached.  The input is a line with a method and a target, lines of headers, an empty line,
 * and the body. */
#include <haft/gateway.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

HAFT_STRUCT(line, HAFT_STRING(sku, "What"), HAFT_INTEGER(quantity, "How many", .min = 1));
HAFT_STRUCT(args, HAFT_STRING(id, "Path", .max = 64), HAFT_OPTIONAL(HAFT_INTEGER(limit, "Query")),
            HAFT_OPTIONAL(HAFT_NUMBER(near, "Query")), HAFT_OPTIONAL(HAFT_BOOLEAN(full, "Query")),
            HAFT_OPTIONAL(HAFT_ARRAY(tags, HAFT_STRING(tag, "A tag"), "Query")),
            HAFT_OPTIONAL(HAFT_ARRAY(items, HAFT_OBJECT(item, line, "A line"), "Body")));
HAFT_STRUCT(result, HAFT_STRING(id, "What came"));

/* What leads upwards never gets here, nor does an empty value. */
static void check(const char *id)
{
    for (const char *part = id; part;) {
        size_t size = strcspn(part, "/\\");

        if ((size == 1 && part[0] == '.') || (size == 2 && !memcmp(part, "..", 2)))
            __builtin_trap();
        part = part[size] ? part + size + 1 : NULL;
    }
    if (!*id || haft_utf8_valid(id, strlen(id)) != strlen(id))
        __builtin_trap();
}

static int get(haft_call *call, const args *in, result *out)
{
    check(in->id);
    out->id = in->id;
    return haft_response_set_header(call, "X-Id", "1");
}
HAFT_ROUTE(get, "GET", "/get/{id}", args, result, "Gets",
           .sources = (const haft_source[]){{"items", HAFT_FROM_BODY, NULL}}, .n_sources = 1);

static int put(haft_call *call, const args *in, result *out)
{
    haft_response response;

    check(in->id);
    out->id = in->id;
    return haft_invoke(call, "GET",
                       haft_call_printf(call, "/get/%s", haft_url_encode(call, in->id)), NULL,
                       &response);
}
HAFT_ROUTE(put, "PUT", "/put/{id}/it", args, result, "Puts");

static int any(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    check(haft_path_value(call, "a"));
    check(haft_path_value(call, "b"));
    return haft_text(call, "any");
}

static haft_gateway *make(void)
{
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .one_thread = true));

    if (!gateway || haft_route_add(gateway, &get_route) || haft_route_add(gateway, &put_route) ||
        haft_route_add_handler(gateway, "GET", "/{a}/static/{b}", NULL, any, NULL))
        exit(1);
    return gateway;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static haft_gateway *gateway;
    char *text = malloc(size + 1), *line, *body, *target, *query;
    haft_request request = {.query = ""};
    haft_gateway_request *req;

    gateway = gateway ? gateway : make();
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    line = strchr(text, '\n');
    if (!line)
        goto done;
    *line++ = '\0';
    target = strchr(text, ' ');
    if (!target)
        goto done;
    *target++ = '\0';
    body = strchr(line, '\n');
    if (body)
        *body++ = '\0';
    else
        body = line + strlen(line);
    query = strchr(target, '?');
    if (query) {
        *query++ = '\0';
        request.query = query;
    }
    request.method = text;
    request.path = target;
    request.body = body;
    request.body_size = size - (size_t)(body - text);
    request.headers = &(haft_header){"content-type", line};
    request.n_headers = 1;
    req = haft_gateway_request_new(gateway, &request, 1000);
    if (req) {
        haft_gateway_request_run(req);
        if (haft_gateway_request_response(req)->status < 200 ||
            haft_gateway_request_response(req)->status > 599)
            __builtin_trap();
        haft_gateway_request_free(req);
    }
done:
    free(text);
    return 0;
}
