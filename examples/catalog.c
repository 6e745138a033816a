/* catalog.c - three tools over shared state.
 *
 * They are quick: they run one after the other on the thread that reads, so the state needs no
 * lock. */
#include <ctype.h>
#include <haft.h>
#include <string.h>

HAFT_STRUCT(product,
    HAFT_STRING(name, "As it is printed on the box"),
    HAFT_NUMBER(price, "In whole currency"));

struct catalog {
    product products[3];
    size_t n_products;
};

HAFT_STRUCT(search_args,
    HAFT_STRING(query, "Substring to match against product names"),
    HAFT_OPTIONAL(HAFT_INTEGER(limit, "How many names to return", .max = 50)));

static bool contains(const char *text, const char *part)
{
    for (; *text || !*part; text++) {
        size_t n = 0;

        while (part[n] && tolower((unsigned char)text[n]) == tolower((unsigned char)part[n]))
            n++;
        if (!part[n])
            return true;
    }
    return false;
}

static int search(haft_call *call, const search_args *in)
{
    const struct catalog *catalog = haft_server_data(call);
    int64_t limit = in->has_limit ? in->limit : 10, found = 0;
    const char *names = "";

    for (size_t i = 0; i < catalog->n_products; i++)
        found += contains(catalog->products[i].name, in->query);
    /* A negative limit omits that many at the end. */
    limit = limit < 0 ? found + limit : limit;
    for (size_t i = 0; i < catalog->n_products && limit > 0; i++) {
        if (!contains(catalog->products[i].name, in->query))
            continue;
        names =
            haft_call_printf(call, "%s%s%s", names, *names ? "\n" : "", catalog->products[i].name);
        if (!names)
            return HAFT_ENOMEM;
        limit--;
    }
    return haft_text(call, "%s", names);
}
HAFT_TOOL_IN(search, search_args, "Search the product catalog", .quick = true);

HAFT_STRUCT(details_args,
    HAFT_STRING(name, "The exact name"));

static int product_details(haft_call *call, const details_args *in, product *out)
{
    const struct catalog *catalog = haft_server_data(call);

    for (size_t i = 0; i < catalog->n_products; i++) {
        if (!strcmp(catalog->products[i].name, in->name)) {
            *out = catalog->products[i];
            return 0;
        }
    }
    return haft_error(call, "No product named %s", in->name);
}
HAFT_TOOL(product_details, details_args, product, "Look up one product by its exact name",
          .name = "product-details", .quick = true);

static int clear_catalog(haft_call *call)
{
    struct catalog *catalog = haft_server_data(call);

    catalog->n_products = 0;
    return haft_text(call, "Catalog cleared");
}
HAFT_TOOL_BARE(clear_catalog, "Remove every product from the catalog", .name = "clear-catalog",
               .title = "Clear the catalog", .quick = true,
               .annotations = {
                   .read_only = HAFT_NO, .destructive = HAFT_YES, .idempotent = HAFT_YES});

int main(int argc, char **argv)
{
    struct catalog catalog = {{{"Espresso cup", 12}, {"Travel mug", 24}, {"Mug rack", 36}}, 3};
    haft_server *server =
        haft_server_new_with("catalog", "1.0.0", HAFT_WITH(haft_server_options, .data = &catalog));

    if (server) {
        haft_add(server, &search_tool);
        haft_add(server, &product_details_tool);
        haft_add(server, &clear_catalog_tool);
    }
    return haft_main(server, argc, argv);
}
