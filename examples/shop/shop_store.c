/* shop_store.c - the shop's data: a few customers and products, orders and to-do items. */
#include "shop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DAYS_TO_DELIVER = 3, SECONDS_A_DAY = 24 * 60 * 60 };

const struct shop_customer shop_customers[] = {
    {"cust-1", "Ada Lovelace", "London"},
    {"cust-2", "Grace Hopper", "New York"},
    {"cust-3", "Konrad Zuse", "Berlin"},
    {NULL, NULL, NULL},
};

static const struct shop_product products[] = {
    {"sku-1", "Travel mug", 1450, 25},   {"sku-2", "Field notebook", 690, 120},
    {"sku-3", "Desk lamp", 5900, 4},     {"sku-4", "Brass compass", 8250, 1},
    {"sku-5", "Wool blanket", 11000, 0},
};
_Static_assert(sizeof products / sizeof *products <= SHOP_PRODUCTS, "the shelves hold them");

struct shop *shop_new(void)
{
    struct shop *shop = calloc(1, sizeof *shop);

    if (!shop)
        return NULL;
    if (pthread_mutex_init(&shop->lock, NULL)) {
        free(shop);
        return NULL;
    }
    memcpy(shop->products, products, sizeof products);
    shop->n_products = sizeof products / sizeof *products;
    return shop;
}

void shop_free(struct shop *shop)
{
    if (!shop)
        return;
    pthread_mutex_destroy(&shop->lock);
    free(shop);
}

const struct shop_customer *shop_customer_of(const char *id)
{
    const struct shop_customer *customer = shop_customers;

    while (customer->id && strcmp(customer->id, id))
        customer++;
    return customer->id ? customer : NULL;
}

/* ---- products ---- */

static struct shop_product *find_product(struct shop *shop, const char *id)
{
    for (size_t i = 0; i < shop->n_products; i++)
        if (!strcmp(shop->products[i].id, id))
            return &shop->products[i];
    return NULL;
}

bool shop_product_of(struct shop *shop, const char *id, struct shop_product *ret_product)
{
    const struct shop_product *product;

    pthread_mutex_lock(&shop->lock);
    product = find_product(shop, id);
    if (product)
        *ret_product = *product;
    pthread_mutex_unlock(&shop->lock);
    return product;
}

bool shop_product_at(struct shop *shop, size_t i, struct shop_product *ret_product)
{
    bool is_there;

    pthread_mutex_lock(&shop->lock);
    is_there = i < shop->n_products;
    if (is_there)
        *ret_product = shop->products[i];
    pthread_mutex_unlock(&shop->lock);
    return is_there;
}

/* ---- orders ---- */

static void set_delivery(struct shop_order *order)
{
    time_t day = time(NULL) + (time_t)DAYS_TO_DELIVER * SECONDS_A_DAY;
    struct tm date = {0};

    gmtime_r(&day, &date);
    strftime(order->delivery, sizeof order->delivery, "%Y-%m-%d", &date);
}

/* Takes items from the inventory until one is out of stock; returns the number of items taken. */
static size_t take_items(struct shop *shop, struct shop_order *order)
{
    size_t i;

    order->total = 0;
    for (i = 0; i < order->n_items; i++) {
        struct shop_product *product = find_product(shop, order->items[i].product);

        if (!product || product->stock < order->items[i].quantity)
            break;
        product->stock -= order->items[i].quantity;
        order->total += product->price * order->items[i].quantity;
    }
    return i;
}

int shop_order_place(struct shop *shop, struct shop_order *order, const char **reterr_product)
{
    size_t taken;

    set_delivery(order);
    pthread_mutex_lock(&shop->lock);
    taken = take_items(shop, order);
    if (taken == order->n_items) {
        order->number = ++shop->n_orders;
        shop->orders[order->number % SHOP_ORDERS] = *order;
    } else {
        *reterr_product = order->items[taken].product;
        while (taken--) /* undo */
            find_product(shop, order->items[taken].product)->stock += order->items[taken].quantity;
    }
    pthread_mutex_unlock(&shop->lock);
    return order->number ? 0 : HAFT_EBUSY;
}

bool shop_order_of(struct shop *shop, uint64_t number, struct shop_order *ret_order)
{
    const struct shop_order *order = &shop->orders[number % SHOP_ORDERS];
    bool is_there;

    pthread_mutex_lock(&shop->lock);
    is_there = number && order->number == number;
    if (is_there)
        *ret_order = *order;
    pthread_mutex_unlock(&shop->lock);
    return is_there;
}

/* ---- to-do items ---- */

static struct shop_todo *find_todo(struct shop *shop, uint64_t number)
{
    for (size_t i = 0; i < shop->n_todos; i++)
        if (shop->todos[i].number == number)
            return &shop->todos[i];
    return NULL;
}

/* `title` fits: the routes validate it. */
int shop_todo_add(struct shop *shop, const char *title, struct shop_todo *ret_todo)
{
    struct shop_todo *todo;
    size_t size = strlen(title);
    int status = HAFT_ETOOBIG;

    pthread_mutex_lock(&shop->lock);
    if (shop->n_todos < SHOP_TODOS && size < sizeof todo->title) {
        todo = &shop->todos[shop->n_todos++];
        *todo = (struct shop_todo){.number = ++shop->n_todos_ever};
        memcpy(todo->title, title, size);
        *ret_todo = *todo;
        status = 0;
    }
    pthread_mutex_unlock(&shop->lock);
    return status;
}

bool shop_todo_at(struct shop *shop, size_t i, struct shop_todo *ret_todo)
{
    bool is_there;

    pthread_mutex_lock(&shop->lock);
    is_there = i < shop->n_todos;
    if (is_there)
        *ret_todo = shop->todos[i];
    pthread_mutex_unlock(&shop->lock);
    return is_there;
}

bool shop_todo_set(struct shop *shop, uint64_t number, bool done, struct shop_todo *ret_todo)
{
    struct shop_todo *todo;

    pthread_mutex_lock(&shop->lock);
    todo = find_todo(shop, number);
    if (todo) {
        todo->done = done;
        *ret_todo = *todo;
    }
    pthread_mutex_unlock(&shop->lock);
    return todo;
}

bool shop_todo_remove(struct shop *shop, uint64_t number)
{
    struct shop_todo *todo;

    pthread_mutex_lock(&shop->lock);
    todo = find_todo(shop, number);
    if (todo) {
        size_t after = (size_t)(shop->todos + --shop->n_todos - todo);

        memmove(todo, todo + 1, after * sizeof *todo);
    }
    pthread_mutex_unlock(&shop->lock);
    return todo;
}
