/* shop_routes.c - customers, the inventory and orders as routes. */
#include "shop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- customers ---- */

HAFT_STRUCT(customer_key, HAFT_STRING(id, "The customer's number: cust-1"));
HAFT_STRUCT(customer,
    HAFT_STRING(id, "Its number"),
    HAFT_STRING(name, "Its name"),
    HAFT_STRING(city, "Where it lives"));

static int get_customer(haft_call *call, const customer_key *in, customer *out)
{
    const struct shop_customer *found = shop_customer_of(in->id);

    if (!found)
        return haft_problem(call, 404, "There is no customer %s.", in->id);
    *out = (customer){.id = found->id, .name = found->name, .city = found->city};
    return 0;
}
HAFT_ROUTE(get_customer, "GET", "/customers/{id}", customer_key, customer, "Read a customer",
           .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}, .quick = true);

HAFT_STRUCT(customer_list,
    HAFT_ARRAY(customers, HAFT_OBJECT(one, customer, "One of them"), "All of them"));

static int list_customers(haft_call *call, customer_list *out)
{
    size_t n = 0;

    while (shop_customers[n].id)
        n++;
    out->customers = haft_call_alloc(call, n * sizeof *out->customers);
    if (!out->customers)
        return HAFT_ENOMEM;
    for (; out->n_customers < n; out->n_customers++)
        out->customers[out->n_customers] =
            (customer){.id = shop_customers[out->n_customers].id,
                       .name = shop_customers[out->n_customers].name,
                       .city = shop_customers[out->n_customers].city};
    return 0;
}
HAFT_ROUTE_OUT(list_customers, "GET", "/customers", customer_list, "List the customers",
               .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}, .quick = true);

/* ---- the inventory ---- */

HAFT_STRUCT(product,
    HAFT_STRING(id, "Its number"),
    HAFT_STRING(name, "What it is"),
    HAFT_INTEGER(price, "In cents"),
    HAFT_INTEGER(stock, "How many there are"));
HAFT_STRUCT(product_list,
    HAFT_ARRAY(products, HAFT_OBJECT(one, product, "One of them"), "All of them"));

static product show_product(const struct shop_product *found)
{
    return (product){
        .id = found->id, .name = found->name, .price = found->price, .stock = found->stock};
}

static int list_products(haft_call *call, product_list *out)
{
    struct shop_product found;

    out->products = haft_call_alloc(call, SHOP_PRODUCTS * sizeof *out->products);
    if (!out->products)
        return HAFT_ENOMEM;
    while (shop_product_at(shop_here(), out->n_products, &found))
        out->products[out->n_products++] = show_product(&found);
    return 0;
}
HAFT_ROUTE_OUT(list_products, "GET", "/inventory", product_list, "List what the shop sells",
               .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}, .quick = true);

HAFT_STRUCT(stock_args,
    HAFT_NAMED("productId", HAFT_STRING(id, "The product's number: sku-1")),
    HAFT_DEFAULT(HAFT_INTEGER(quantity, "How many are wanted", .min = 1, .max = SHOP_LARGEST), 1));

static int check_stock(haft_call *call, const stock_args *in, product *out)
{
    struct shop_product found;

    if (!shop_product_of(shop_here(), in->id, &found))
        return haft_problem(call, 404, "There is no product %s.", in->id);
    if (found.stock < in->quantity)
        return haft_problem(call, 409, "There are %lld of %s, not %lld.", (long long)found.stock,
                            in->id, (long long)in->quantity);
    *out = show_product(&found);
    return 0;
}
HAFT_ROUTE(check_stock, "GET", "/inventory/{productId}/check", stock_args, product,
           "Look whether there is enough of a product; 409 when there is not",
           .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}, .quick = true);

/* ---- orders ---- */

HAFT_STRUCT(order_item,
    HAFT_NAMED("productId", HAFT_STRING(id, "The product's number", .min = 1, .max = SHOP_ID - 1)),
    HAFT_INTEGER(quantity, "How many", .min = 1, .max = SHOP_LARGEST));
HAFT_STRUCT(order_args,
    HAFT_NAMED("customerId", HAFT_STRING(customer, "The customer's number")),
    HAFT_ARRAY(items, HAFT_OBJECT(item, order_item, "One product"), "What is ordered",
               .min = 1, .max = SHOP_ITEMS));
HAFT_STRUCT(order,
    HAFT_STRING(id, "Its number: order-1"),
    HAFT_NAMED("customerId", HAFT_STRING(customer, "Whose it is")),
    HAFT_ARRAY(items, HAFT_OBJECT(item, order_item, "One product"), "What is ordered"),
    HAFT_INTEGER(total, "What it costs, in cents"),
    HAFT_NAMED("estimatedDelivery", HAFT_STRING(delivery, "The day", .format = HAFT_FORMAT_DATE)));

static const char order_prefix[] = "order-";

/* `found` must be in the call's memory. */
static int show_order(haft_call *call, struct shop_order *found, order *out)
{
    out->id = haft_call_printf(call, "%s%llu", order_prefix, (unsigned long long)found->number);
    out->customer = found->customer;
    out->items = haft_call_alloc(call, found->n_items * sizeof *out->items);
    if (!out->id || !out->items)
        return HAFT_ENOMEM;
    for (; out->n_items < found->n_items; out->n_items++)
        out->items[out->n_items] = (order_item){.id = found->items[out->n_items].product,
                                                .quantity = found->items[out->n_items].quantity};
    out->total = found->total;
    out->delivery = found->delivery;
    return 0;
}

static int create_order(haft_call *call, const order_args *in, order *out)
{
    struct shop_order *made = haft_call_alloc(call, sizeof *made);
    const struct shop_customer *buyer = shop_customer_of(in->customer);
    const char *lacking;

    if (!made)
        return HAFT_ENOMEM;
    if (!buyer)
        return haft_problem(call, 404, "There is no customer %s.", in->customer);
    memset(made, 0, sizeof *made);
    snprintf(made->customer, sizeof made->customer, "%s", buyer->id);
    for (; made->n_items < in->n_items; made->n_items++) {
        struct shop_item *item = &made->items[made->n_items];

        snprintf(item->product, sizeof item->product, "%s", in->items[made->n_items].id);
        item->quantity = in->items[made->n_items].quantity;
    }
    if (shop_order_place(shop_here(), made, &lacking))
        return haft_problem(call, 409, "There is not enough of %s.", lacking);
    haft_response_set_status(call, 201);
    return show_order(call, made, out);
}
HAFT_ROUTE(create_order, "POST", "/orders", order_args, order,
           "Place an order; 409 when there is not enough of a product", .quick = true);

HAFT_STRUCT(order_key, HAFT_STRING(id, "The order's number: order-1"));

/* Accepts only the canonical form: "order-1" is valid, "order-01" and "order-1x" are not. */
static uint64_t order_number(haft_call *call, const char *id)
{
    size_t size = sizeof order_prefix - 1;
    unsigned long long number = strncmp(id, order_prefix, size) ? 0 : strtoull(id + size, NULL, 10);
    const char *again = haft_call_printf(call, "%s%llu", order_prefix, number);

    return again && !strcmp(again, id) ? number : 0;
}

static int get_order(haft_call *call, const order_key *in, order *out)
{
    struct shop_order *found = haft_call_alloc(call, sizeof *found);

    if (!found)
        return HAFT_ENOMEM;
    if (!shop_order_of(shop_here(), order_number(call, in->id), found))
        return haft_problem(call, 404, "There is no order %s.", in->id);
    return show_order(call, found, out);
}
HAFT_ROUTE(get_order, "GET", "/orders/{id}", order_key, order, "Read an order",
           .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO}, .quick = true);

const haft_route *const shop_routes[] = {
    &list_customers_route,
    &get_customer_route,
    &list_products_route,
    &check_stock_route,
    &create_order_route,
    &get_order_route,
    NULL,
};
