/* shop_tools.c - tools of the shop: one that only computes, one that fails on request, and two that
 * call the shop's routes. */
#include "shop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

/* ---- computing ---- */

HAFT_STRUCT(add_args, HAFT_NUMBER(a, "First number to add"), HAFT_NUMBER(b, "Second number to add"));

enum { NUMBER = 32 };

/* The shortest text that reads back as the same number. */
static void write_number(double value, char ret_text[NUMBER])
{
    int precision = 15;

    if (value == trunc(value) && fabs(value) < 1e15) {
        snprintf(ret_text, NUMBER, "%.0f", value);
        return;
    }
    do
        snprintf(ret_text, NUMBER, "%.*g", precision, value);
    while (strtod(ret_text, NULL) != value && ++precision <= 17);
}

static int add_numbers(haft_call *call, const add_args *in)
{
    char a[NUMBER], b[NUMBER], sum[NUMBER];

    write_number(in->a, a);
    write_number(in->b, b);
    write_number(in->a + in->b, sum);
    haft_log(call, HAFT_INFO, "Adding %s + %s", a, b);
    return haft_text(call, "%s + %s = %s", a, b, sum);
}
HAFT_TOOL_IN(add_numbers, add_args, "Adds two numbers together and returns the result",
             .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}, .quick = true);

/* ---- failing ---- */

HAFT_STRUCT(safe_args,
    HAFT_DEFAULT(HAFT_NAMED("shouldFail", HAFT_BOOLEAN(should_fail, "Whether it is to fail")), false));

static int safe_operation(haft_call *call, const safe_args *in)
{
    if (!in->should_fail)
        return haft_text(call, "Operation succeeded");
    haft_log(call, HAFT_ERROR, "Tool failed: Intentional failure");
    return haft_error(call, "Intentional failure");
}
HAFT_TOOL_IN(safe_operation, safe_args, "Demonstrates error handling",
             .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}, .quick = true);

/* ---- one route ---- */

HAFT_STRUCT(weather_args, HAFT_STRING(location, "City name or coordinates", .min = 1, .max = 100));
HAFT_STRUCT(weather,
    HAFT_NUMBER(temperature, "In degrees Celsius"),
    HAFT_STRING(condition, "What it looks like"),
    HAFT_NUMBER(humidity, "In percent"));

static int get_weather(haft_call *call, const weather_args *in, weather *out)
{
    const char *place = haft_url_encode(call, in->location);
    haft_response response;
    haft_value *body;
    int status;

    if (!place)
        return HAFT_ENOMEM;
    status = haft_invoke(call, "GET", haft_call_printf(call, "/weather?location=%s", place), NULL,
                         &response);
    if (status)
        return status;
    body = haft_response_json(call, &response);
    if (!haft_response_ok(&response) || !body)
        return haft_error(call, "There is no weather for %s", in->location);
    out->temperature = yyjson_get_num(yyjson_obj_get(body, "temp"));
    out->condition = yyjson_get_str(yyjson_obj_get(body, "conditions"));
    out->humidity = yyjson_get_num(yyjson_obj_get(body, "humidity"));
    return 0;
}
HAFT_TOOL(get_weather, weather_args, weather, "Get current weather for a location",
          .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO});

/* ---- several routes ---- */

HAFT_STRUCT(order_item,
    HAFT_NAMED("productId",
               HAFT_STRING(product, "The product's number: sku-1", .min = 1, .max = SHOP_ID - 1)),
    HAFT_INTEGER(quantity, "How many", .min = 1, .max = SHOP_LARGEST));
HAFT_STRUCT(order_args,
    HAFT_NAMED("customerId", HAFT_STRING(customer, "The customer's number: cust-1", .min = 1)),
    HAFT_ARRAY(items, HAFT_OBJECT(item, order_item, "One product"), "What is ordered",
               .min = 1, .max = SHOP_ITEMS));
HAFT_STRUCT(order,
    HAFT_NAMED("orderId", HAFT_STRING(id, "The order's number")),
    HAFT_STRING(status, "What has become of it"),
    HAFT_INTEGER(total, "What it costs, in cents"),
    HAFT_NAMED("estimatedDelivery", HAFT_STRING(delivery, "The day")));

/* Whether all items are available; otherwise *ret_lacking lists those that are not. */
static int check_items(haft_call *call, const order_args *in, const char **ret_lacking)
{
    haft_invocation checks[SHOP_ITEMS] = {{.method = NULL}};
    const char *lacking = "";
    int status;

    for (size_t i = 0; i < in->n_items; i++) {
        const char *product = haft_url_encode(call, in->items[i].product);

        checks[i].method = "GET";
        checks[i].target =
            haft_call_printf(call, "/inventory/%s/check?quantity=%lld", product ? product : "",
                             (long long)in->items[i].quantity);
        if (!product || !checks[i].target)
            return HAFT_ENOMEM;
    }
    status = haft_invoke_all(call, checks, in->n_items);
    for (size_t i = 0; i < in->n_items && !status && lacking; i++)
        if (!haft_response_ok(&checks[i].response))
            lacking = haft_call_printf(call, "%s%s%s", lacking, *lacking ? ", " : "",
                                       in->items[i].product);
    *ret_lacking = lacking;
    return !status && !lacking ? HAFT_ENOMEM : status;
}

/* Returns the order from the route; if the route refuses it, *ret_order is NULL and there is a text
 * for the model. */
static int create(haft_call *call, haft_value **ret_order)
{
    haft_buffer body;
    haft_response response;
    int status;

    haft_buffer_init(&body, NULL, 1 << 20);
    haft_json_write(haft_call_arguments(call),
                    &body); /* the route takes the same arguments as the tool */
    status = body.status;
    if (!status)
        status = haft_invoke(call, "POST", "/orders",
                             &(haft_invoke_options){.body = body.data, .body_size = body.size},
                             &response);
    haft_buffer_finish(&body);
    *ret_order = NULL;
    if (status)
        return status;
    if (!haft_response_ok(&response))
        return haft_error(call, "The order was not taken: %d %s", response.status,
                          haft_status_text(response.status));
    *ret_order = haft_response_json(call, &response);
    return *ret_order ? 0 : HAFT_ENOMEM;
}

static int process_order(haft_call *call, const order_args *in, order *out)
{
    const char *customer = haft_url_encode(call, in->customer), *lacking;
    haft_response response;
    haft_value *made;
    int status;

    if (!customer)
        return HAFT_ENOMEM;
    status = haft_invoke(call, "GET", haft_call_printf(call, "/customers/%s", customer), NULL,
                         &response);
    if (status)
        return status;
    if (!haft_response_ok(&response))
        return haft_error(call, "Customer not found");
    status = check_items(call, in, &lacking);
    if (status)
        return status;
    if (*lacking)
        return haft_error(call, "Items not available: %s", lacking);
    status = create(call, &made);
    if (status || !made)
        return status;
    out->id = yyjson_get_str(yyjson_obj_get(made, "id"));
    out->status = "created";
    out->total = yyjson_get_sint(yyjson_obj_get(made, "total"));
    out->delivery = yyjson_get_str(yyjson_obj_get(made, "estimatedDelivery"));
    return 0;
}
HAFT_TOOL(process_order, order_args, order, "Process a customer order through multiple steps",
          .annotations = {.destructive = HAFT_NO, .open_world = HAFT_NO});

const haft_tool *const shop_tools[] = {
    &add_numbers_tool, &get_weather_tool, &safe_operation_tool, &process_order_tool, NULL,
};
