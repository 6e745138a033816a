/* shop.h - a plugin with routes and tools, which `haft serve --demo` serves: a shop with customers,
 * an inventory, orders, weather and a to-do list.
 *
 * The store is memory of fixed size behind one lock. Routes use the store; tools call the
 * routes. */
#ifndef HAFT_SHOP_H
#define HAFT_SHOP_H

#include <haft/gateway.h>
#include <pthread.h>

enum {
    SHOP_ID = 32,       /* size of an id, with its NUL */
    SHOP_NAME = 201,    /* size of a name or title */
    SHOP_ORDERS = 1000, /* number of orders kept; older ones are dropped */
    SHOP_ITEMS = 32,    /* items in one order */
    SHOP_TODOS = 1000,
    SHOP_PRODUCTS = 8,
    SHOP_LARGEST = 1000 /* maximum quantity of one product in an order */
};

struct shop_customer {
    const char *id, *name, *city;
};

struct shop_product {
    const char *id, *name;
    int64_t price; /* in cents */
    int64_t stock;
};

struct shop_item {
    char product[SHOP_ID];
    int64_t quantity;
};

struct shop_order {
    uint64_t number; /* from 1; 0 if unused */
    char customer[SHOP_ID];
    struct shop_item items[SHOP_ITEMS];
    size_t n_items;
    int64_t total;
    char delivery[11]; /* YYYY-MM-DD */
};

struct shop_todo {
    uint64_t number;
    char title[SHOP_NAME];
    bool done;
};

struct shop {
    pthread_mutex_t lock; /* for the members below */
    struct shop_product products[SHOP_PRODUCTS];
    size_t n_products;
    struct shop_order orders[SHOP_ORDERS]; /* a ring, by number */
    uint64_t n_orders;                     /* number of orders so far */
    struct shop_todo todos[SHOP_TODOS];    /* oldest first */
    size_t n_todos;
    uint64_t n_todos_ever;
};

/* Creates a shop with an initial inventory; NULL without memory. */
struct shop *shop_new(void);
void shop_free(struct shop *shop);

/* The customers; ends with an entry without an id. */
extern const struct shop_customer shop_customers[];
const struct shop_customer *shop_customer_of(const char *id);

/* Copies a product; returns false if there is none with that id, or at that position. */
bool shop_product_of(struct shop *shop, const char *id, struct shop_product *ret_product);
bool shop_product_at(struct shop *shop, size_t i, struct shop_product *ret_product);

/* Takes all items of an order from the inventory, or none, and fills in its number, total and
 * delivery. Returns 0, or HAFT_EBUSY with the product that is out of stock. */
int shop_order_place(struct shop *shop, struct shop_order *order, const char **reterr_product);
bool shop_order_of(struct shop *shop, uint64_t number, struct shop_order *ret_order);

/* Returns 0, or HAFT_ETOOBIG if the list is full. */
int shop_todo_add(struct shop *shop, const char *title, struct shop_todo *ret_todo);
bool shop_todo_at(struct shop *shop, size_t i, struct shop_todo *ret_todo);
/* Returns false if there is no such number. */
bool shop_todo_set(struct shop *shop, uint64_t number, bool done, struct shop_todo *ret_todo);
bool shop_todo_remove(struct shop *shop, uint64_t number);

/* The shop that the plugin has opened. */
struct shop *shop_here(void);

/* Routes and tools; each list is NULL-terminated. */
extern const haft_route *const shop_routes[];       /* shop_routes.c */
extern const haft_route *const shop_todo_list[];    /* shop_todo.c */
extern const haft_route *const shop_weather_list[]; /* shop_weather.c */
extern const haft_tool *const shop_tools[];         /* shop_tools.c */

#endif
