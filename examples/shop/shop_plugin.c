/* shop_plugin.c - the shop as a plugin: a store for as long as it is loaded, routes, and tools. */
#include "shop.h"

#include <haft/plugin.h>

enum { ROUTES_MAX = 16 };

static struct shop *shop;
static const haft_route *routes[ROUTES_MAX + 1];

struct shop *shop_here(void)
{
    return shop;
}

/* Joins the routes of all files into one list. */
static int gather_routes(void)
{
    static const haft_route *const *const lists[] = {shop_routes, shop_weather_list,
                                                     shop_todo_list};
    size_t n = 0;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; lists[i][k]; k++) {
            if (n == ROUTES_MAX)
                return HAFT_ETOOBIG;
            routes[n++] = lists[i][k];
        }
    return 0;
}

static int open_shop(haft_server *server)
{
    (void)server;
    shop = shop_new();
    return shop ? gather_routes() : HAFT_ENOMEM;
}

static void close_shop(void)
{
    shop_free(shop);
    shop = NULL;
}

HAFT_PLUGIN_WITH(.name = "shop", .version = "1.0.0", .tools = shop_tools,
                 .gateway = HAFT_GATEWAY_PART(.routes = routes), .start = open_shop,
                 .stop = close_shop);
