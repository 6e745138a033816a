/* stock.c - the five tools of examples/stock.cpp in C. */
#include <haft.h>
#include <string.h>

HAFT_ENUMERATION(category, kitchen, office, garden);

HAFT_STRUCT(product,
    HAFT_STRING(name, "Its name"),
    HAFT_ENUM(kind, category, "Where it belongs"),
    HAFT_NUMBER(price, "In euros"));

static const product stock[] = {{"Mug", category_kitchen, 7.5},
                                {"Mug rack", category_kitchen, 36},
                                {"Stapler", category_office, 12.25},
                                {"Watering can", category_garden, 19}};
enum { N_STOCK = sizeof stock / sizeof *stock };

static const product *find(const char *name)
{
    for (size_t i = 0; i < N_STOCK; i++)
        if (!strcmp(stock[i].name, name))
            return &stock[i];
    return NULL;
}

/* ---- add ---- */

HAFT_STRUCT(add_args,
    HAFT_NUMBER(a, "First number"),
    HAFT_NUMBER(b, "Second number"));

HAFT_STRUCT(add_sum, HAFT_NUMBER(sum, "Both together"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers", .annotations = {.read_only = HAFT_YES});

/* ---- search ---- */

HAFT_STRUCT(search_args,
    HAFT_STRING(query, "Part of a name, as it is written", .min = 1),
    HAFT_OPTIONAL(HAFT_ENUM(kind, category, "Only of this category")),
    HAFT_DEFAULT(HAFT_INTEGER(limit, "At most so many", .min = 1, .max = 50), 10));

HAFT_STRUCT(found, HAFT_ARRAY(products, HAFT_OBJECT(one, product, ""), "What was found"));

static int search(haft_call *call, const search_args *in, found *out)
{
    out->products = haft_call_alloc(call, sizeof stock);
    if (!out->products)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < N_STOCK; i++)
        if (strstr(stock[i].name, in->query) && (!in->has_kind || stock[i].kind == in->kind) &&
            out->n_products < (size_t)in->limit)
            out->products[out->n_products++] = stock[i];
    return 0;
}
HAFT_TOOL(search, search_args, found, "Finds products by their name",
          .annotations = {.read_only = HAFT_YES});

/* ---- names ---- */

HAFT_STRUCT(name_list, HAFT_ARRAY(names, HAFT_STRING(name, ""), "Of every product"));

static int names(haft_call *call, name_list *out)
{
    out->names = haft_call_alloc(call, N_STOCK * sizeof *out->names);
    if (!out->names)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < N_STOCK; i++)
        out->names[out->n_names++] = stock[i].name;
    return 0;
}
HAFT_TOOL_OUT(names, name_list, "Lists the names of all products",
              .annotations = {.read_only = HAFT_YES});

/* ---- order ---- */

HAFT_STRUCT(customer,
    HAFT_STRING(name, "Who orders", .min = 1),
    HAFT_STRING(email, "Where the bill goes", .format = HAFT_FORMAT_EMAIL));

HAFT_STRUCT(line,
    HAFT_STRING(product, "A product's name"),
    HAFT_INTEGER(count, "How many of it", .min = 1, .max = 100));

HAFT_STRUCT(order_args,
    HAFT_OBJECT(buyer, customer, "Who it is for"),
    HAFT_ARRAY(lines, HAFT_OBJECT(one, line, ""), "What is ordered", .min = 1),
    HAFT_OPTIONAL(HAFT_STRING(note, "For whoever packs it")));

HAFT_STRUCT(receipt,
    HAFT_STRING(buyer, "Who it is for"),
    HAFT_INTEGER(pieces, "How many there are"),
    HAFT_NUMBER(total, "In euros"));

static int order(haft_call *call, const order_args *in, receipt *out)
{
    out->buyer = in->buyer.name;
    for (size_t i = 0; i < in->n_lines; i++) {
        const product *p = find(in->lines[i].product);

        if (!p)
            return haft_error(call, "There is no product named %s", in->lines[i].product);
        out->pieces += in->lines[i].count;
        out->total += (double)in->lines[i].count * p->price;
    }
    return 0;
}
HAFT_TOOL(order, order_args, receipt, "Orders products");

/* ---- remove ---- */

HAFT_STRUCT(remove_args, HAFT_STRING(name, "The product's name"));

static int remove_product(haft_call *call, const remove_args *in)
{
    if (!find(in->name))
        return haft_error(call, "There is no product named %s", in->name);
    return haft_error(call, "The stock is read-only");
}
HAFT_TOOL_IN(remove_product, remove_args, "Removes a product", .name = "remove",
             .annotations = {.destructive = HAFT_YES});

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("stock", "1.0.0");

    haft_add(server, &add_tool);
    haft_add(server, &search_tool);
    haft_add(server, &names_tool);
    haft_add(server, &order_tool);
    haft_add(server, &remove_product_tool);
    return haft_main(server, argc, argv);
}
