/* shop.c - a gateway: routes, tools that call them, and a route that is also a tool.
 *
 *     shop                     serves the tools over standard input and output
 *     shop --http HOST:PORT    serves the routes, and the tools at /mcp */
#include <haft.h>
#include <string.h>
#include <yyjson.h>

enum { MOST_ITEMS = 16 };

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

HAFT_STRUCT(stock_args,
    HAFT_STRING(sku, "The product's number"),
    HAFT_NUMBER(quantity, "How many are wanted", .above = 0));
HAFT_STRUCT(stock, HAFT_BOOLEAN(available, "Whether there are that many"));

static int check_stock(haft_call *call, const stock_args *in, stock *out)
{
    out->available = in->quantity <= 10;
    return out->available ? 0 : haft_problem(call, 409, "There are only 10 of %s.", in->sku);
}
HAFT_ROUTE(check_stock, "GET", "/inventory/{sku}/check", stock_args, stock,
           "Looks whether there is enough of a product", .quick = true);

HAFT_STRUCT(item,
    HAFT_NAMED("productId", HAFT_STRING(product, "The product's number")),
    HAFT_NUMBER(quantity, "How many"));
HAFT_STRUCT(order_args,
    HAFT_NAMED("customerId", HAFT_STRING(customer, "The customer's number")),
    HAFT_ARRAY(items, HAFT_OBJECT(item, item, "One product"), "What is ordered", .max = MOST_ITEMS));
HAFT_STRUCT(order,
    HAFT_STRING(id, "Its number"),
    HAFT_NUMBER(total, "What it costs"),
    HAFT_NAMED("estimatedDelivery", HAFT_STRING(delivery, "When it comes")));

static int create_order(haft_call *call, const order_args *in, order *out)
{
    for (size_t i = 0; i < in->n_items; i++)
        out->total += 5 * in->items[i].quantity;
    out->id = haft_call_printf(call, "%s-%zu", in->customer, in->n_items);
    out->delivery = "in three days";
    haft_response_set_status(call, 201);
    return out->id ? 0 : HAFT_ENOMEM;
}
HAFT_ROUTE(create_order, "POST", "/orders", order_args, order, "Places an order", .quick = true);

HAFT_STRUCT(weather_args, HAFT_STRING(location, "City name or coordinates"));
HAFT_STRUCT(conditions,
    HAFT_NUMBER(temp, "In degrees"),
    HAFT_STRING(conditions, "What it looks like"),
    HAFT_NUMBER(humidity, "In percent"));

static int look_outside(haft_call *call, const weather_args *in, conditions *out)
{
    (void)call;
    *out = (conditions){
        .temp = 21, .conditions = "sunny", .humidity = 40 + (double)strlen(in->location)};
    return 0;
}
HAFT_ROUTE(look_outside, "GET", "/weather", weather_args, conditions, "Looks outside",
           .quick = true);

/* ---- a tool that reformats a route's response ---- */

HAFT_STRUCT(weather,
    HAFT_NUMBER(temperature, "In degrees"),
    HAFT_STRING(condition, "What it looks like"),
    HAFT_NUMBER(humidity, "In percent"));

static int get_weather(haft_call *call, const weather_args *in, weather *out)
{
    haft_response response;
    haft_value *found;
    int status = haft_invoke(
        call, "GET",
        haft_call_printf(call, "/weather?location=%s", haft_url_encode(call, in->location)), NULL,
        &response);

    if (status)
        return status;
    found = haft_response_json(call, &response);
    out->temperature = yyjson_get_num(yyjson_obj_get(found, "temp"));
    out->condition = yyjson_get_str(yyjson_obj_get(found, "conditions"));
    out->humidity = yyjson_get_num(yyjson_obj_get(found, "humidity"));
    return 0;
}
HAFT_TOOL(get_weather, weather_args, weather, "Get current weather for a location");

/* ---- a tool with three steps ---- */

HAFT_STRUCT(receipt,
    HAFT_NAMED("orderId", HAFT_STRING(id, "The order's number")),
    HAFT_STRING(status, "What has become of it"),
    HAFT_NUMBER(total, "What it costs"),
    HAFT_NAMED("estimatedDelivery", HAFT_STRING(delivery, "When it comes")));

static int customer_exists(haft_call *call, const char *id, bool *ret_exists)
{
    haft_response response;
    int status =
        haft_invoke(call, "GET", haft_call_printf(call, "/customers/%s", haft_url_encode(call, id)),
                    NULL, &response);

    *ret_exists = !status && haft_response_ok(&response);
    return status;
}

/* Checks all at once; lists the names of unavailable items, "" if there are none. */
static int check_items(haft_call *call, const order_args *in, const char **ret_lacking)
{
    haft_invocation checks[MOST_ITEMS] = {{.method = NULL}};
    int status;

    for (size_t i = 0; i < in->n_items; i++) {
        checks[i].method = "GET";
        checks[i].target =
            haft_call_printf(call, "/inventory/%s/check?quantity=%g",
                             haft_url_encode(call, in->items[i].product), in->items[i].quantity);
    }
    status = haft_invoke_all(call, checks, in->n_items);
    *ret_lacking = "";
    for (size_t i = 0; i < in->n_items && !status; i++)
        if (!haft_response_ok(&checks[i].response))
            *ret_lacking = haft_call_printf(call, "%s%s%s", *ret_lacking, **ret_lacking ? ", " : "",
                                            in->items[i].product);
    return status;
}

static int place_order(haft_call *call, haft_response *ret_response)
{
    haft_buffer body;
    int status;

    haft_buffer_init(&body, NULL, 1 << 20);
    haft_json_write(haft_call_arguments(call), &body);
    status = body.status
                 ? body.status
                 : haft_invoke(call, "POST", "/orders",
                               &(haft_invoke_options){.body = body.data, .body_size = body.size},
                               ret_response);
    haft_buffer_finish(&body);
    return status;
}

static int process_order(haft_call *call, const order_args *in, receipt *out)
{
    const char *lacking;
    haft_response response;
    haft_value *made;
    bool exists;
    int status = customer_exists(call, in->customer, &exists);

    if (status)
        return status;
    if (!exists)
        return haft_error(call, "Customer not found");
    status = check_items(call, in, &lacking);
    if (status)
        return status;
    if (*lacking)
        return haft_error(call, "Items not available: %s", lacking);
    status = place_order(call, &response);
    if (status)
        return status;
    made = haft_response_json(call, &response);
    *out = (receipt){.id = yyjson_get_str(yyjson_obj_get(made, "id")),
                     .status = "created",
                     .total = yyjson_get_num(yyjson_obj_get(made, "total")),
                     .delivery = yyjson_get_str(yyjson_obj_get(made, "estimatedDelivery"))};
    return 0;
}
HAFT_TOOL(process_order, order_args, receipt, "Process a customer order through multiple steps");

int main(int argc, char **argv)
{
    static const haft_route *const routes[] = {&get_customer_route, &check_stock_route,
                                               &create_order_route, &look_outside_route};
    static const haft_tool *const tools[] = {&get_weather_tool, &process_order_tool, NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);

    if (gateway) {
        haft_policy_make_for(gateway, HAFT_EDGE, "limit", "rate-limit", "{\"calls\": 600}");
        for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
            haft_route_add(gateway, routes[i]);
        haft_mcp_add(gateway, HAFT_WITH(haft_mcp_options, .name = "shop", .version = "1.0.0",
                                        .tools = tools, .routes = "get_*", .policies = "limit"));
    }
    return haft_gateway_main(gateway, argc, argv);
}
