/* http_server.c - the server for HTTP benchmarks: a sum, an order, and a configurable number of
 * other tools.
 *
 *     http-server TOOLS [OPTION ...]
 *
 * There are at least two tools; the options are those of every server. */
#include <stdio.h>
#include <stdlib.h>

#include "add.h"

HAFT_STRUCT(order_item, HAFT_STRING(productId, "Which", .format = HAFT_FORMAT_UUID),
            HAFT_INTEGER(quantity, "How many", .min = 1));
HAFT_STRUCT(order_args, HAFT_STRING(customerId, "Whose"),
            HAFT_ARRAY(items, HAFT_OBJECT(item, order_item, "A line"), "What", .min = 1));
HAFT_STRUCT(order_total, HAFT_INTEGER(lines, "How many lines"), HAFT_INTEGER(pieces, "And pieces"));

static int order(haft_call *call, const order_args *in, order_total *out)
{
    (void)call;
    out->lines = (int64_t)in->n_items;
    out->pieces = 0;
    for (size_t i = 0; i < in->n_items; i++)
        out->pieces += in->items[i].quantity;
    return 0;
}
HAFT_TOOL(order, order_args, order_total, "Takes an order", .quick = true);

static int nothing(haft_call *call, haft_value *arguments, void *data)
{
    (void)arguments;
    (void)data;
    return haft_text(call, "nothing");
}

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("bench", "1.0.0");

    haft_add(server, &add_tool);
    haft_add(server, &order_tool);
    for (long i = 2; argc > 1 && i < strtol(argv[1], NULL, 10); i++) {
        char name[32];
        haft_tool_builder *tool;

        snprintf(name, sizeof name, "tool_%ld", i);
        tool = haft_tool_new(name);
        haft_tool_describe(tool, "One of many tools, which does nothing in particular");
        haft_tool_handler(tool, nothing, NULL);
        haft_tool_build(tool, server);
    }
    return haft_main(server, argc - 1, argv + 1);
}
