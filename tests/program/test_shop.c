/* test_shop.c - the shop's store: orders take all or nothing, lists end where they must, and
 * threads at once lose nothing. */
#include "shop.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "support/test.h"

enum { THREADS = 4, ROUNDS = 200 };

static struct shop_order order_of(const char *product, int64_t quantity)
{
    struct shop_order order = {.customer = "cust-1", .n_items = 1};

    snprintf(order.items[0].product, sizeof order.items[0].product, "%s", product);
    order.items[0].quantity = quantity;
    return order;
}

static int64_t stock_of(struct shop *shop, const char *product)
{
    struct shop_product found;

    assert_true(shop_product_of(shop, product, &found));
    return found.stock;
}

static void orders(void **state)
{
    static const struct {
        const char *first, *second; /* products; NULL for one only */
        int64_t n_first, n_second;
        const char *lacking; /* NULL when it is placed */
        int64_t total;
    } rows[] = {
        {"sku-1", NULL, 2, 0, NULL, 2900},
        {"sku-1", "sku-2", 1, 3, NULL, 3520},
        {"sku-1", "sku-5", 1, 1, "sku-5", 0},
        {"sku-3", "sku-3", 3, 2, "sku-3", 0}, /* each is there, both are not */
        {"sku-9", NULL, 1, 0, "sku-9", 0},
        {"sku-1", NULL, 23, 0, "sku-1", 0},
        {"sku-1", NULL, 22, 0, NULL, 31900},
    };
    struct shop *shop = shop_new();
    uint64_t number = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct shop_order order = order_of(rows[i].first, rows[i].n_first), found;
        int64_t before = rows[i].lacking ? stock_of(shop, "sku-3") + stock_of(shop, "sku-1") : 0;
        const char *lacking = NULL;
        int status;

        if (rows[i].second) {
            order.items[order.n_items].quantity = rows[i].n_second;
            snprintf(order.items[order.n_items++].product, SHOP_ID, "%s", rows[i].second);
        }
        status = shop_order_place(shop, &order, &lacking);
        assert_int_equal(status, rows[i].lacking ? HAFT_EBUSY : 0);
        if (rows[i].lacking) {
            assert_string_equal(lacking, rows[i].lacking);
            assert_int_equal(stock_of(shop, "sku-3") + stock_of(shop, "sku-1"), before);
            continue;
        }
        assert_int_equal(order.number, ++number);
        assert_int_equal(order.total, rows[i].total);
        assert_int_equal(strlen(order.delivery), 10);
        assert_true(shop_order_of(shop, number, &found));
        assert_memory_equal(&found, &order, sizeof order);
    }
    assert_false(shop_order_of(shop, 0, &(struct shop_order){0}));
    assert_false(shop_order_of(shop, number + 1, &(struct shop_order){0}));
    shop_free(shop);
}

/* An order of nothing costs nothing and can be placed as often as one likes. */
static void old_orders(void **state)
{
    struct shop *shop = shop_new();
    struct shop_order found;
    const char *lacking;

    (void)state;
    for (int i = 0; i < SHOP_ORDERS + 1; i++) {
        struct shop_order order = {.customer = "cust-1"};

        assert_int_equal(shop_order_place(shop, &order, &lacking), 0);
    }
    assert_false(shop_order_of(shop, 1, &found));
    assert_true(shop_order_of(shop, 2, &found));
    assert_true(shop_order_of(shop, SHOP_ORDERS + 1, &found));
    shop_free(shop);
}

static void todos(void **state)
{
    struct shop *shop = shop_new();
    struct shop_todo todo;
    char title[SHOP_NAME + 1];

    (void)state;
    memset(title, 'x', sizeof title);
    title[SHOP_NAME] = '\0';
    assert_int_equal(shop_todo_add(shop, title, &todo), HAFT_ETOOBIG);
    title[SHOP_NAME - 1] = '\0';
    for (uint64_t i = 1; i <= SHOP_TODOS; i++) {
        assert_int_equal(shop_todo_add(shop, title, &todo), 0);
        assert_int_equal(todo.number, i);
        assert_string_equal(todo.title, title);
    }
    assert_int_equal(shop_todo_add(shop, "one too many", &todo), HAFT_ETOOBIG);
    assert_true(shop_todo_set(shop, 500, true, &todo));
    assert_true(todo.done);
    assert_true(shop_todo_remove(shop, 1));
    assert_false(shop_todo_remove(shop, 1));
    assert_true(shop_todo_remove(shop, SHOP_TODOS));
    assert_true(shop_todo_at(shop, 0, &todo));
    assert_int_equal(todo.number, 2);
    assert_true(shop_todo_at(shop, 498, &todo));
    assert_true(todo.number == 500 && todo.done);
    assert_false(shop_todo_at(shop, SHOP_TODOS - 2, &todo));
    assert_int_equal(shop_todo_add(shop, "again", &todo), 0);
    assert_int_equal(todo.number, SHOP_TODOS + 1);
    shop_free(shop);
}

static void keep_buying(void *context)
{
    struct shop *shop = context;
    struct shop_todo todo;
    const char *lacking;

    for (int i = 0; i < ROUNDS; i++) {
        struct shop_order order = order_of("sku-2", 1);

        if (!shop_order_place(shop, &order, &lacking))
            assert_int_equal(shop_todo_add(shop, "Send it", &todo), 0);
    }
}

/* Every thread wants all there is; together they get just that. */
static void threads(void **state)
{
    struct shop *shop = shop_new();
    uv_thread_t thread[THREADS];
    int64_t stock = stock_of(shop, "sku-2");

    (void)state;
    assert_true(stock < ROUNDS);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(uv_thread_create(&thread[i], keep_buying, shop), 0);
    for (size_t i = 0; i < THREADS; i++)
        uv_thread_join(&thread[i]);
    assert_int_equal(stock_of(shop, "sku-2"), 0);
    assert_int_equal(shop->n_orders, stock);
    assert_int_equal(shop->n_todos, stock);
    shop_free(shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(old_orders),
                                       cmocka_unit_test(todos), cmocka_unit_test(threads)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
