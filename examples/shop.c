/* A gateway: routes, a tool that calls them, and a route that is a tool itself.
 *
 *     shop                     serves the tools over stdio
 *     shop --http HOST:PORT    serves the routes and /mcp over HTTP */
#include <haft.h>
#include <stdio.h>
#include <string.h>

/* ---- routes ---- */

HAFT_STRUCT(customer_key, HAFT_STRING(id, "The customer's number"));
HAFT_STRUCT(customer, HAFT_STRING(id, "Its number"), HAFT_STRING(name, "Its name"));

static int get_customer(haft_call *call, const customer_key *in, customer *out)
{
    if (strcmp(in->id, "c-1"))
        return haft_problem(call, 404, "There is no customer %s.", in->id);
    out->id = in->id;
    out->name = "Ada";
    return 0;
}
HAFT_ROUTE(get_customer, "GET", "/customers/{id}", customer_key, customer, "Reads a customer",
           .annotations = {.read_only = HAFT_YES}, .quick = true);

HAFT_STRUCT(stock_args, HAFT_STRING(sku, "The product's number"),
            HAFT_INTEGER(quantity, "How many are wanted", .min = 1));
HAFT_STRUCT(stock, HAFT_BOOLEAN(available, "Whether there are that many"));

static int check_stock(haft_call *call, const stock_args *in, stock *out)
{
    out->available = in->quantity <= 10;
    return out->available ? 0 : haft_problem(call, 409, "There are only 10 of %s.", in->sku);
}
HAFT_ROUTE(check_stock, "GET", "/inventory/{sku}/check", stock_args, stock,
           "Looks whether there is enough of a product", .quick = true);

/* ---- a tool of two steps ---- */

HAFT_STRUCT(offer_args, HAFT_STRING(customer, "The customer's number"),
            HAFT_ARRAY(skus, HAFT_STRING(sku, "A product's number"), "What is wanted", .max = 16));

static int make_offer(haft_call *call, const offer_args *in)
{
    haft_invocation checks[16] = {{.method = NULL}};
    haft_response response;
    size_t available = 0;
    int status = haft_invoke(call, "GET",
                             haft_printf(call, "/customers/%s", haft_encoded(call, in->customer)),
                             NULL, &response);

    if (status)
        return status;
    if (!haft_response_ok(&response))
        return haft_error(call, "Customer not found");
    for (size_t i = 0; i < in->n_skus; i++) {
        checks[i].method = "GET";
        checks[i].target =
            haft_printf(call, "/inventory/%s/check?quantity=1", haft_encoded(call, in->skus[i]));
    }
    status = haft_invoke_all(call, checks, in->n_skus);
    if (status)
        return status;
    for (size_t i = 0; i < in->n_skus; i++)
        available += haft_response_ok(&checks[i].response);
    return haft_text(call, "%zu of %zu can be had", available, in->n_skus);
}
HAFT_TOOL_IN(make_offer, offer_args, "Looks what can be offered to a customer");

int main(int argc, char **argv)
{
    static const haft_tool *const tools[] = {&make_offer_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);
    haft_server *server = NULL;
    haft_reason reason;
    int status = 1;

    if (gateway &&
        !haft_policy_make_for(gateway, HAFT_EDGE, "limit", "rate-limit", "{\"calls\": 600}") &&
        !haft_route(gateway, &get_customer_route) && !haft_route(gateway, &check_stock_route))
        server = haft_mcp(gateway, &(haft_mcp_options){.name = "shop",
                                                       .version = "1.0.0",
                                                       .tools = tools,
                                                       .routes = "get_*",
                                                       .policies = "limit"});
    if (server && argc == 3 && !strcmp(argv[1], "--http")) {
        status = haft_gateway_serve(gateway, &(haft_http_options){.address = argv[2]}, &reason);
        if (status)
            fprintf(stderr, "shop: %s\n", reason.text);
    } else if (server) {
        status = haft_serve_stdio(server, NULL);
    }
    haft_gateway_free(gateway);
    return status ? 1 : 0;
}
