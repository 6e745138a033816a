/* middleware.c - custom stages around every call.
 *
 * One measures time, one refuses some callers, and one adds a footnote to every result: three
 * stages, added in the order in which calls pass them. */
#include <haft.h>
#include <string.h>

HAFT_STRUCT(order_args,
    HAFT_STRING(product, "What to order"),
    HAFT_DEFAULT(HAFT_INTEGER(quantity, "How many", .min = 1, .max = 100), 1));

static int order(haft_call *call, const order_args *in)
{
    const char *who = haft_call_get(call, "customer");

    return haft_text(call, "%s gets %d of %s", who, (int)in->quantity, in->product);
}
HAFT_TOOL_IN(order, order_args, "Orders a product", .quick = true,
             .rate = {.calls = 5, .per_ms = 60000});

static int stock(haft_call *call)
{
    return haft_text(call, "42 of everything");
}
HAFT_TOOL_BARE(stock, "Says what there is", .quick = true, .annotations = {.read_only = HAFT_YES});

/* Identifies the caller once, for later stages and handlers. */
static int recognise(haft_call *call, void *data)
{
    const char *name = haft_client_name(call);

    (void)data;
    return haft_call_set(call, "customer", (void *)(uintptr_t)(*name ? name : "somebody"));
}

/* Answers in place of the handler. */
static int keep_out(haft_call *call, void *data)
{
    const char *who = haft_call_get(call, "customer");

    return strcmp(who, data) ? 0 : haft_refuse(call, "%s may look, but not order.", who);
}

/* Adds to the handler's result. */
static void footnote(haft_call *call, haft_outcome outcome, void *data)
{
    (void)data;
    if (outcome == HAFT_OUTCOME_OK)
        haft_text(call, "Prices include tax.");
}

static char banned[] = "window-shopper";
static const haft_stage recognising =
    HAFT_INIT(haft_stage, .name = "recognise", .before = recognise);
static const haft_stage guarding =
    HAFT_INIT(haft_stage, .name = "guard", .tools = "order*", .ready = keep_out, .data = banned);
static const haft_stage noting =
    HAFT_INIT(haft_stage, .name = "footnote", .tools = "order*", .after = footnote);

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("shop", "1.0.0");

    if (server) {
        haft_stage_add(server, &recognising);
        haft_stage_add(server, &guarding);
        haft_stage_add(server, &noting);
        haft_add(server, &order_tool);
        haft_add(server, &stock_tool);
    }
    return haft_main(server, argc, argv);
}
