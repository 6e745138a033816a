/* custom-tools.c - tools on a separate MCP endpoint: declared in a table, built at run time, with
 * each kind of result, and with schemas that tell a model what to send.
 *
 *     custom-tools                     serves the tools over standard input and output
 *     custom-tools --http HOST:PORT    serves them at http://HOST:PORT/mcp-custom */
#include <haft.h>
#include <yyjson.h>

/* ---- a tool and its result ---- */

HAFT_STRUCT(add_args,
    HAFT_NUMBER(a, "First number to add"),
    HAFT_NUMBER(b, "Second number to add"));

static int add_numbers(haft_call *call, const add_args *in)
{
    haft_log(call, HAFT_INFO, "Adding %g + %g", in->a, in->b);
    return haft_text(call, "%g + %g = %g", in->a, in->b, in->a + in->b);
}
HAFT_TOOL_IN(add_numbers, add_args, "Adds two numbers together and returns the result");

/* ---- an error for the model ---- */

HAFT_STRUCT(safe_args,
    HAFT_DEFAULT(HAFT_NAMED("shouldFail", HAFT_BOOLEAN(should_fail, "Whether it is to fail")), false));

static int safe_operation(haft_call *call, const safe_args *in)
{
    if (!in->should_fail)
        return haft_text(call, "Operation succeeded");
    haft_log(call, HAFT_ERROR, "Tool failed: %s", "Intentional failure");
    return haft_error(call, "%s", "Intentional failure");
}
HAFT_TOOL_IN(safe_operation, safe_args, "Demonstrates error handling");

/* ---- every kind of result ---- */

HAFT_ENUMERATION(kind, text, json, error, image, resource);
HAFT_STRUCT(answer_args, HAFT_ENUM(kind, kind, "Which kind of answer"));

/* A transparent GIF of one pixel. */
static const unsigned char dot[] = {
    0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0,    0x80, 0, 0,    0, 0,
    0,    0xff, 0xff, 0xff, 0x21, 0xf9, 4, 1, 0, 0,    0,    0, 0x2c, 0, 0,
    0,    0,    1,    0,    1,    0,    0, 2, 2, 0x44, 1,    0, 0x3b,
};

static int answer(haft_call *call, const answer_args *in)
{
    static const char json[] = "{\"answer\":42}";

    switch (in->kind) {
    case kind_text:
        return haft_text(call, "Hello!");
    case kind_json:
        return haft_json(call, json, sizeof json - 1);
    case kind_image:
        return haft_image(call, "image/gif", dot, sizeof dot);
    case kind_resource:
        return haft_resource_link(call, &(haft_link){.uri = "file:///var/log/app.log",
                                                     .name = "app.log",
                                                     .mime_type = "text/plain"});
    default:
        return haft_error(call, "Something went wrong");
    }
}
HAFT_TOOL_IN(answer, answer_args, "Answers in one of the ways there are");

/* ---- schemas with constraints ---- */

HAFT_STRUCT(charge_args,
    HAFT_NAMED("userId", HAFT_STRING(user, "Valid UUID for user ID", .format = HAFT_FORMAT_UUID)),
    HAFT_NUMBER(amount, "Amount in cents", .above = 0, .max = 10000));

static int charge_user(haft_call *call, const charge_args *in)
{
    return haft_text(call, "Charged %g cents to %s", in->amount, in->user);
}
HAFT_TOOL_IN(charge_user, charge_args, "Charges an amount to a user");

HAFT_ENUMERATION(speed, standard, express, overnight);
HAFT_ENUMERATION(order_status, pending, confirmed, failed);
HAFT_STRUCT(item,
    HAFT_NAMED("productId", HAFT_STRING(product, "Product SKU or ID")),
    HAFT_INTEGER(quantity, "Number of items", .min = 1));
HAFT_STRUCT(order_args,
    HAFT_NAMED("customerId", HAFT_STRING(customer, "UUID of the customer", .format = HAFT_FORMAT_UUID)),
    HAFT_NAMED("orderType", HAFT_ENUM(type, speed, "Delivery speed")),
    HAFT_ARRAY(items, HAFT_OBJECT(item, item, "One product"), "List of items to order", .min = 1));
HAFT_STRUCT(order,
    HAFT_NAMED("orderId", HAFT_STRING(id, "Generated order ID")),
    HAFT_NUMBER(total, "Total amount in cents"),
    HAFT_ENUM(status, order_status, "Order status"));

static int create_order(haft_call *call, const order_args *in, order *out)
{
    enum { EACH = 500, FASTER = 250 };

    out->id = haft_call_printf(call, "%.8s-%zu", in->customer, in->n_items);
    for (size_t i = 0; i < in->n_items; i++)
        out->total += (double)in->items[i].quantity * (EACH + FASTER * (int)in->type);
    out->status = order_status_confirmed;
    return out->id ? 0 : HAFT_ENOMEM;
}
HAFT_TOOL(create_order, order_args, order, "Creates an order");

/* ---- a tool built at run time ---- */

static int shout(haft_call *call, haft_value *arguments, void *data)
{
    const char *input = yyjson_get_str(yyjson_obj_get(arguments, "input"));
    haft_buffer json;
    int status;

    (void)data;
    haft_buffer_init(&json, NULL, 1 << 20);
    haft_buffer_puts(&json, "{\"result\":");
    haft_buffer_json_string(&json, haft_call_printf(call, "%s!", input),
                            yyjson_get_len(yyjson_obj_get(arguments, "input")) + 1);
    haft_buffer_puts(&json, "}");
    status = json.status ? json.status : haft_json(call, json.data, json.size);
    haft_buffer_finish(&json);
    return status;
}

static int add_built(haft_server *server)
{
    static const char input[] =
        "{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"string\",\"description\":\"A word\"}},"
        "\"required\":[\"input\"],\"additionalProperties\":false}";
    static const char output[] =
        "{\"type\":\"object\",\"properties\":{\"result\":{\"type\":\"string\"}},\"required\":[\"result\"]}";
    haft_tool_builder *tool = haft_tool_new("my_tool");
    haft_schema *schema;

    haft_tool_describe(tool, "Does something useful");
    if (!haft_schema_parse(input, sizeof input - 1, NULL, &schema, NULL))
        haft_tool_input(tool, schema);
    if (!haft_schema_parse(output, sizeof output - 1, NULL, &schema, NULL))
        haft_tool_output(tool, schema);
    haft_tool_handler(tool, shout, NULL);
    return haft_tool_build(tool, server);
}

int main(int argc, char **argv)
{
    static const haft_tool *const tools[] = {&add_numbers_tool, &safe_operation_tool, &answer_tool,
                                             &charge_user_tool, &create_order_tool,   NULL};
    haft_gateway *gateway = haft_gateway_new(NULL);

    if (gateway) {
        haft_server *server = haft_mcp_add(
            gateway, HAFT_WITH(haft_mcp_options, .name = "My Custom MCP Server", .version = "1.0.0",
                               .endpoint = "/mcp-custom", .tools = tools));

        if (server)
            add_built(server);
    }
    return haft_gateway_main(gateway, argc, argv);
}
