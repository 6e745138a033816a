/* test_upstream_names.c - which upstream has a name that several offer, and what the log says about the
 * others. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "configured.h"

#include <uv.h>

#include "gateway/upstreams.h"

/* ---- a kind of upstreams whose lists the test changes ---- */

HAFT_STRUCT(lister_entry, HAFT_STRING(url, "Not used"));

enum { LISTERS = 4, LISTER_NAME = 64, LISTER_LOG = 1 << 14 };

/* What the upstreams a, b, c and d list: names of tools as clients see them, and URIs, with spaces. */
static const char *listed[LISTERS];

static int lister_call(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return haft_text(call, "done");
}

static int lister_read(haft_call *call, const char *uri)
{
    return haft_text(call, "%s", uri);
}

static int lister_make(struct upstream *upstream, const void *options, haft_reason *reterr_reason)
{
    (void)upstream;
    (void)options;
    (void)reterr_reason;
    return 0;
}

static int lister_item(struct upstream *upstream, haft_server *server, const char *name,
                       struct item **ret_item)
{
    /* items refer to their definitions */
    haft_tool *tool = haft_arena_zalloc(upstream->arena, 1, sizeof *tool);
    haft_resource *resource = haft_arena_zalloc(upstream->arena, 1, sizeof *resource);
    const char *copy = haft_arena_copy(upstream->arena, name, strlen(name));

    if (!tool || !resource || !copy)
        return HAFT_ENOMEM;
    *tool = (haft_tool)HAFT_INIT(haft_tool, .name = copy, .description = upstream->name,
                                 .call = lister_call);
    *resource =
        (haft_resource)HAFT_INIT(haft_resource, .uri = copy, .name = "it", .read = lister_read);
    return strchr(name, ':')
               ? hf_resource_item(server,
                                  strchr(name, '{') ? HAFT_OFFER_TEMPLATE : HAFT_OFFER_RESOURCE,
                                  resource, &upstream->module, ret_item)
               : hf_tool_item(server, tool, &upstream->module, ret_item);
}

static int lister_items(struct upstream *upstream, haft_server *server,
                        struct upstream_items *items, haft_reason *reterr_reason)
{
    const char *at = listed[upstream->name[0] - 'a'];
    int status = 0;

    (void)reterr_reason;
    while (at && *at && !status) {
        char name[LISTER_NAME];
        size_t size = strcspn(at, " ");
        struct item *item;

        snprintf(name, sizeof name, "%.*s", (int)size, at);
        at += size + (at[size] == ' ');
        status = lister_item(upstream, server, name, &item);
        if (!status)
            status = hf_upstream_items_add(items, item);
    }
    return status;
}

/* Whether items with the same definition are the same. */
static bool lister_is_same;

static bool lister_same(const struct item *left, const struct item *right)
{
    assert_string_equal(left->name, right->name);
    return lister_is_same;
}

static const struct upstream_kind lister_kind = {
    .name = "http",
    .options = &lister_entry_type,
    .declares = 1u << HAFT_OFFER_TOOL | 1u << HAFT_OFFER_RESOURCE | 1u << HAFT_OFFER_TEMPLATE,
    .make = lister_make,
    .items = lister_items,
    .same = lister_same};

/* ---- the gateway ---- */

#define NONE(name) "\"" name "\":{\"prefix\":\"none\",\"http\":{\"url\":\"1\"}}"
#define PREFIX(name, prefix) "\"" name "\":{\"prefix\":\"" prefix "\",\"http\":{\"url\":\"1\"}}"
#define NAMES(upstreams) "{\"gateway\":{\"upstreams\":{" upstreams "},\"endpoints\":[{}]}}"

static struct {
    uv_mutex_t lock;
    char text[LISTER_LOG];
} lister_log;

static void lister_say(void *context, haft_level level, const char *text, size_t size)
{
    size_t at;

    (void)context;
    (void)size;
    if (level < HAFT_WARNING)
        return;
    uv_mutex_lock(&lister_log.lock);
    at = strlen(lister_log.text);
    snprintf(lister_log.text + at, sizeof lister_log.text - at, "%s\n", text);
    uv_mutex_unlock(&lister_log.lock);
}

static haft_gateway *gateway_with_listers(void)
{
    static const haft_server_options options = HAFT_INIT(haft_server_options, .log = lister_say);
    haft_gateway *gateway = haft_gateway_new(HAFT_WITH(haft_gateway_options, .server = &options));

    assert_int_equal(haft_gateway_configure(gateway, NULL), 0);
    gateway->upstreams->instead = &lister_kind;
    memset(listed, 0, sizeof listed);
    lister_is_same = true;
    lister_log.text[0] = '\0';
    return gateway;
}

static void configure_listers(haft_gateway *gateway, const char *json)
{
    haft_reason reason;

    if (take(gateway, json, &reason))
        fail_msg("%s: %s", reason.path, reason.text);
}

static struct upstream *lister(const haft_gateway *gateway, char name)
{
    for (size_t i = 0; i < gateway->now->n_upstreams; i++)
        if (gateway->now->upstreams[i]->name[0] == name)
            return gateway->now->upstreams[i];
    fail_msg("no upstream %c", name);
    return NULL;
}

static void list_names(haft_gateway *gateway, char name, const char *names)
{
    listed[name - 'a'] = names;
    hf_upstreams_changed(gateway, lister(gateway, name));
}

/* Items with the upstreams that offer them: "a:x b:y", sorted by kinds and then as they are listed. */
static const char *owners_of(const haft_gateway *gateway)
{
    static char text[1024];
    const char *path;
    struct catalogue *catalogue = hf_catalogue_take(haft_gateway_endpoint(gateway, 0, &path));
    size_t at = 0;

    text[0] = '\0';
    for (int i = 0; i < OFFER_LISTS; i++)
        for (size_t k = 0; k < catalogue->lists[i].n; k++) {
            const struct item *item = catalogue->lists[i].entries[k].item;

            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s=%s", at ? " " : "",
                                   hf_upstream_of(item)->name, item->name);
        }
    hf_catalogue_drop(catalogue);
    return text;
}

/* ---- tests ---- */

/* The first in the configuration has a name, whoever lists it first. */
static void the_configuration_decides(void **state)
{
    static const struct {
        char upstream;
        const char *names, *owners, *log;
    } rows[] = {
        {'b', "x y u:1", "b=x b=y b=u:1", ""},
        {'c', "x z", "b=x b=y c=z b=u:1",
         "upstream c: x is not offered, because another one has this name\n"},
        {'a', "x u:1", "a=x b=y c=z a=u:1",
         "upstream b: x is not offered, because another one has this name\n"
         "upstream b: u:1 is not offered, because another one has this name\n"},
        /* the same again is not logged again */
        {'b', "x y u:1", "a=x b=y c=z a=u:1", ""},
        {'c', "x z", "a=x b=y c=z a=u:1", ""},
        {'c', "z x", "a=x b=y c=z a=u:1", ""},
        /* the next one gets what the first no longer has */
        {'a', "w", "b=y c=z a=w b=x b=u:1", ""},
        {'b', "", "c=z a=w c=x", ""},
    };
    haft_gateway *gateway = gateway_with_listers();

    (void)state;
    configure_listers(gateway, NAMES(NONE("a") "," NONE("b") "," NONE("c")));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        lister_log.text[0] = '\0';
        list_names(gateway, rows[i].upstream, rows[i].names);
        if (strcmp(owners_of(gateway), rows[i].owners) != 0)
            fail_msg("row %zu: %s", i, owners_of(gateway));
        assert_string_equal(lister_log.text, rows[i].log);
    }
    /* a configuration with another order */
    list_names(gateway, 'b', "z");
    assert_string_equal(owners_of(gateway), "b=z a=w c=x");
    configure_listers(gateway, NAMES(NONE("c") "," NONE("b") "," NONE("a")));
    assert_string_equal(owners_of(gateway), "c=z a=w c=x");
    haft_gateway_free(gateway);
}

/* An item is kept if it is the same at the upstream, not only for clients. */
static void items_are_replaced(void **state)
{
    haft_gateway *gateway = gateway_with_listers();
    struct catalogue *catalogues[3];
    const struct item *items[3];
    const char *path;

    (void)state;
    configure_listers(gateway, NAMES(NONE("a")));
    for (size_t i = 0; i < COUNT_OF(items); i++) {
        lister_is_same = i < 2;
        list_names(gateway, 'a', "x");
        catalogues[i] = hf_catalogue_take(haft_gateway_endpoint(gateway, 0, &path));
        assert_int_equal(catalogues[i]->lists[HAFT_OFFER_TOOL].n, 1);
        items[i] = catalogues[i]->lists[HAFT_OFFER_TOOL].entries[0].item;
    }
    assert_ptr_equal(items[1], items[0]);
    assert_ptr_not_equal(items[2], items[0]);
    for (size_t i = 0; i < COUNT_OF(items); i++)
        hf_catalogue_drop(catalogues[i]);
    haft_gateway_free(gateway);
}

/* Names with the prefix of an upstream are its own, whether it offers something or not. */
static void prefixes_are_reserved(void **state)
{
    haft_gateway *gateway = gateway_with_listers();

    (void)state;
    configure_listers(gateway, NAMES(NONE("a") "," PREFIX("b", "shop") "," PREFIX(
                                   "c", "shop__new") "," PREFIX("d", "shop")));
    list_names(gateway, 'a', "shop__echo shop_echo shop");
    assert_string_equal(owners_of(gateway), "a=shop_echo a=shop");
    assert_string_equal(lister_log.text, "upstream a: shop__echo is not offered, because its name "
                                         "begins with the prefix of another upstream\n");
    list_names(gateway, 'b', "shop__echo shop__new__get");
    list_names(gateway, 'c', "shop__new__get");
    list_names(gateway, 'd', "shop__other");
    assert_string_equal(owners_of(gateway), "a=shop_echo a=shop b=shop__echo c=shop__new__get "
                                            "d=shop__other");
    list_names(gateway, 'b', "");
    list_names(gateway, 'a', "shop__echo shop");
    assert_string_equal(owners_of(gateway), "a=shop c=shop__new__get d=shop__other");
    configure_listers(gateway, NAMES(NONE("a") "," PREFIX("b", "shop")));
    assert_string_equal(owners_of(gateway), "a=shop");
    haft_gateway_free(gateway);
}

static size_t count_lines(void)
{
    size_t n = 0;

    for (const char *at = lister_log.text; (at = strchr(at, '\n')); at++)
        n++;
    return n;
}

/* There are limits on what an upstream can list, and on what is logged about it. */
static void lists_are_limited(void **state)
{
    enum { MORE = 10020, ROOM = MORE * 8 };

    haft_gateway *gateway = gateway_with_listers();
    char *names = calloc(ROOM, 1), taken[64 * 8];
    const char *path;
    size_t at = 0;

    (void)state;
    assert_non_null(names);
    for (int i = 0; i < MORE; i++)
        at += (size_t)snprintf(names + at, ROOM - at, "n%05d ", i);
    snprintf(taken, sizeof taken, "%.*s", 50 * 7, names);
    configure_listers(gateway, NAMES(NONE("a") "," NONE("b")));
    for (int i = 0; i < 2; i++) {
        list_names(gateway, 'a', names);
        assert_int_equal(
            haft_gateway_endpoint(gateway, 0, &path)->catalogue->lists[HAFT_OFFER_TOOL].n, 10000);
        assert_string_equal(lister_log.text, "upstream a: 20 items are not offered, because it has "
                                             "more than 10000 of a kind\n");
    }
    for (int i = 0; i < 2; i++) {
        list_names(gateway, 'b', taken);
        assert_int_equal(count_lines(), 1 + UPSTREAM_WARNINGS + 1);
    }
    assert_non_null(strstr(lister_log.text, "upstream b: more than 32 items are not offered; the "
                                            "others are not logged\n"));
    haft_gateway_free(gateway);
    free(names);
}

/* Only the upstream that offers a resource announces its updates. */
static void updates_are_of_the_owner(void **state)
{
    static const struct {
        char upstream;
        const char *uri;
        unsigned n;
    } rows[] = {
        {'a', "u:1", 1}, {'b', "u:1", 0},   {'b', "u:2", 1},   {'a', "u:2", 0}, {'a', "u:3", 0},
        {'b', "", 0},    {'b', "t:x/1", 1}, {'a', "t:x/1", 0}, {'a', "t:y", 0},
    };
    haft_gateway *gateway = gateway_with_listers();
    haft_server *server;
    const char *path;

    (void)state;
    configure_listers(gateway, NAMES(NONE("a") "," NONE("b")));
    list_names(gateway, 'a', "u:1");
    list_names(gateway, 'b', "u:1 u:2 t:x/{id}");
    assert_string_equal(owners_of(gateway), "a=u:1 b=u:2 b=t:x/{id}");
    server = haft_gateway_endpoint(gateway, 0, &path);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned before = atomic_load(&server->changes.n_updates);

        hf_upstreams_updated(gateway, lister(gateway, rows[i].upstream), rows[i].uri);
        if (atomic_load(&server->changes.n_updates) - before != rows[i].n)
            fail_msg("row %zu", i);
    }
    haft_gateway_free(gateway);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_configuration_decides), cmocka_unit_test(items_are_replaced),
        cmocka_unit_test(prefixes_are_reserved),     cmocka_unit_test(lists_are_limited),
        cmocka_unit_test(updates_are_of_the_owner),
    };

    uv_mutex_init(&lister_log.lock);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
