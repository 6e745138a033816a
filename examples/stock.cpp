/* stock.cpp - five tools over a stock of products: numbers, optional arguments with limits, a list, nested
 * records, and one that fails.  examples/compare has the same server in other languages. */
#include <haft.hpp>

#include <algorithm>
#include <string>
#include <vector>

HAFT_ENUM_CLASS(category, kitchen, office, garden);

HAFT_STRUCT(product,
    HAFT_FIELD(std::string, name, "Its name"),
    HAFT_FIELD(category, kind, "Where it belongs"),
    HAFT_FIELD(double, price, "In euros"));

static const std::vector<product> stock = {{"Mug", category::kitchen, 7.5},
                                           {"Mug rack", category::kitchen, 36},
                                           {"Stapler", category::office, 12.25},
                                           {"Watering can", category::garden, 19}};

static const product *find(const std::string &name)
{
    auto at = std::find_if(stock.begin(), stock.end(), [&](auto &p) { return p.name == name; });

    return at == stock.end() ? nullptr : &*at;
}

/* ---- add ---- */

HAFT_STRUCT(add_args,
    HAFT_FIELD(double, a, "First number"),
    HAFT_FIELD(double, b, "Second number"));

HAFT_STRUCT(add_sum, HAFT_FIELD(double, sum, "Both together"));

static add_sum add(const add_args &in)
{
    return {in.a + in.b};
}

/* ---- search ---- */

HAFT_STRUCT(search_args,
    HAFT_FIELD(std::string, query, "Part of a name, as it is written", .min = 1),
    HAFT_FIELD(std::optional<category>, kind, "Only of this category"),
    HAFT_DEFAULT(HAFT_FIELD(int, limit, "At most so many", .min = 1, .max = 50), 10));

HAFT_STRUCT(found, HAFT_FIELD(std::vector<product>, products, "What was found"));

static found search(const search_args &in)
{
    found out;

    for (const product &p : stock)
        if (p.name.find(in.query) != p.name.npos && (!in.kind || p.kind == *in.kind) &&
            out.products.size() < static_cast<std::size_t>(in.limit))
            out.products.push_back(p);
    return out;
}

/* ---- names ---- */

HAFT_STRUCT(name_list, HAFT_FIELD(std::vector<std::string>, names, "Of every product"));

static name_list names()
{
    name_list out;

    for (const product &p : stock)
        out.names.push_back(p.name);
    return out;
}

/* ---- order ---- */

HAFT_STRUCT(customer,
    HAFT_FIELD(std::string, name, "Who orders", .min = 1),
    HAFT_FIELD(std::string, email, "Where the bill goes", .format = HAFT_FORMAT_EMAIL));

HAFT_STRUCT(line,
    HAFT_FIELD(std::string, product, "A product's name"),
    HAFT_FIELD(int, count, "How many of it", .min = 1, .max = 100));

HAFT_STRUCT(order_args,
    HAFT_FIELD(customer, buyer, "Who it is for"),
    HAFT_FIELD(std::vector<line>, lines, "What is ordered", .min = 1),
    HAFT_FIELD(std::optional<std::string>, note, "For whoever packs it"));

HAFT_STRUCT(receipt,
    HAFT_FIELD(std::string, buyer, "Who it is for"),
    HAFT_FIELD(int, pieces, "How many there are"),
    HAFT_FIELD(double, total, "In euros"));

static receipt order(const order_args &in)
{
    receipt out = {in.buyer.name, 0, 0};

    for (const line &l : in.lines) {
        const product *p = find(l.product);

        if (!p)
            throw haft::tool_error("There is no product named " + l.product);
        out.pieces += l.count;
        out.total += l.count * p->price;
    }
    return out;
}

/* ---- remove ---- */

HAFT_STRUCT(remove_args, HAFT_FIELD(std::string, name, "The product's name"));

static std::string remove_product(const remove_args &in)
{
    if (!find(in.name))
        throw haft::tool_error("There is no product named " + in.name);
    throw haft::tool_error("The stock is read-only");
}

int main(int argc, char **argv)
{
    haft::server server("stock", "1.0.0");

    server.tool("add", "Adds two numbers", add, haft::read_only());
    server.tool("search", "Finds products by their name", search, haft::read_only());
    server.tool("names", "Lists the names of all products", names, haft::read_only());
    server.tool("order", "Orders products", order);
    server.tool("remove", "Removes a product", remove_product, haft::destructive());
    return server.main(argc, argv);
}
