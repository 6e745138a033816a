/* Changes of what is offered: several at the same moment, and what they leave behind. */
#include <haft.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/offer/server.h"
#include "engine/session/method.h"
#include "support/counting.h"
#include "support/test.h"

static int plain_call(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return haft_text(call, "done");
}

static const haft_tool first =
    HAFT_INIT(haft_tool, .name = "work", .description = "First", .call = plain_call);
static const haft_tool second =
    HAFT_INIT(haft_tool, .name = "work", .description = "Second", .call = plain_call);

/* ---- a change in the middle of another ---- */

/* Replaces or removes the tool when the change under test allocates its new catalogue. */
struct meddler {
    haft_allocator allocator; /* its context is the meddler */
    haft_server *server;
    void (*meddle)(haft_server *server); /* NULL: not armed */
};

static void *meddler_alloc(void *context, size_t size)
{
    struct meddler *meddler = context;
    void (*meddle)(haft_server * server) = meddler->meddle;

    meddler->meddle = NULL;
    if (meddle)
        meddle(meddler->server);
    return malloc(size);
}

static void *meddler_resize(void *context, void *memory, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    return realloc(memory, size);
}

static void meddler_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static void replace_work(haft_server *server)
{
    assert_int_equal(haft_tool_replace(server, "work", &second), 0);
}

static void remove_work(haft_server *server)
{
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "work"), 0);
}

static void disable_work(haft_server *server)
{
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "work"), 0);
}

static int disable(haft_server *server)
{
    return haft_offer_disable(server, HAFT_OFFER_TOOL, "work");
}

static int rename_it(haft_server *server)
{
    return haft_offer_rename(server, HAFT_OFFER_TOOL, "work", "labour");
}

static int hide(haft_server *server)
{
    return haft_server_set_visibility(server, HAFT_WITH(haft_visibility, .tools = "-*"));
}

static void a_change_does_not_undo_another(void **state)
{
    static const struct {
        int (*change)(haft_server *server);
        void (*meddle)(haft_server *server);
        int status;
        const char *name; /* of the tool afterwards; NULL if there is none */
        const haft_tool *tool;
        bool off, disabled;
    } rows[] = {
        {disable, replace_work, 0, "work", &second, true, true},
        {disable, remove_work, HAFT_ENOTFOUND, NULL, NULL, false, false},
        {disable, disable_work, 0, "work", &first, true, true},
        {rename_it, replace_work, 0, "labour", &second, false, false},
        {rename_it, disable_work, 0, "labour", &first, true, true},
        {rename_it, remove_work, HAFT_ENOTFOUND, NULL, NULL, false, false},
        {hide, replace_work, 0, "work", &second, false, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct meddler meddler = {
            .allocator = {meddler_alloc, meddler_resize, meddler_release, &meddler}};
        const struct offer_list *tools;

        meddler.server = haft_server_new_with(
            "test", "1", HAFT_WITH(haft_server_options, .allocator = &meddler.allocator));
        assert_int_equal(haft_add(meddler.server, &first), 0);
        meddler.meddle = rows[i].meddle;
        assert_int_equal(rows[i].change(meddler.server), rows[i].status);
        assert_null(meddler.meddle);
        tools = &meddler.server->catalogue->lists[HAFT_OFFER_TOOL];
        assert_int_equal(tools->n, rows[i].name != NULL);
        if (rows[i].name) {
            assert_string_equal(tools->entries[0].item->name, rows[i].name);
            assert_ptr_equal(tools->entries[0].item->tool, rows[i].tool);
            assert_int_equal(tools->entries[0].off, rows[i].off);
            assert_int_equal(tools->entries[0].disabled, rows[i].disabled);
        }
        haft_server_free(meddler.server);
    }
}

static void what_is_so_already_is_no_change(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    unsigned before;

    (void)state;
    assert_int_equal(haft_add(server, &first), 0);
    before = server->changes.version_number;
    assert_int_equal(haft_offer_enable(server, HAFT_OFFER_TOOL, "work"), 0);
    assert_int_equal(server->changes.version_number, before);
    assert_int_equal(disable(server), 0);
    assert_int_equal(server->changes.version_number, before + 1);
    assert_int_equal(disable(server), 0);
    assert_int_equal(server->changes.version_number, before + 1);
    haft_server_free(server);
}

/* ---- memory ---- */

static void patterns_are_freed_with_their_catalogue(void **state)
{
    struct counting counting;
    char pattern[4096];
    int64_t before = 0;
    haft_server *server;

    (void)state;
    counting_init(&counting, NULL);
    server = haft_server_new_with("test", "1",
                                  HAFT_WITH(haft_server_options, .allocator = &counting.allocator));
    assert_int_equal(haft_add(server, &first), 0);
    memset(pattern, 'a', sizeof pattern - 1);
    pattern[sizeof pattern - 1] = '\0';
    for (int i = 0; i < 100; i++) {
        pattern[0] = (char)('a' + i % 26);
        assert_int_equal(
            haft_server_set_visibility(server, HAFT_WITH(haft_visibility, .tools = pattern)), 0);
        assert_string_equal(server->catalogue->visibility.tools, pattern);
        if (!i)
            before = counting.own.bytes;
    }
    assert_int_equal(counting.own.bytes, before);
    /* Another change keeps them. */
    assert_int_equal(haft_offer_disable(server, HAFT_OFFER_TOOL, "work"), 0);
    assert_string_equal(server->catalogue->visibility.tools, pattern);
    haft_server_free(server);
    assert_int_equal(counting.own.bytes, 0);
}

/* ---- several items at once ---- */

enum { MANY = 20000 };

static struct item *item_of(haft_server *server, const char *format, int number)
{
    char name[40];
    haft_tool tool = first;
    struct item *item;

    snprintf(name, sizeof name, format, number);
    tool.name = name;
    assert_int_equal(hf_tool_item(server, &tool, NULL, &item), 0);
    return item;
}

/* Each item is told what has its name; the kinds have names of their own. */
static void rivals_are_found(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct item *items[4], *rivals[COUNT_OF(items)];
    const struct item *clash = NULL;

    (void)state;
    assert_int_equal(haft_add(server, &first), 0);
    items[0] = item_of(server, "a", 0);
    items[1] = item_of(server, "work", 0);
    items[2] = item_of(server, "b", 0);
    items[3] = item_of(server, "a", 0);
    assert_int_equal(hf_catalogue_rivals(server, items, COUNT_OF(items), rivals), 0);
    assert_null(rivals[0]);
    assert_ptr_equal(rivals[1], server->catalogue->lists[HAFT_OFFER_TOOL].entries[0].item);
    assert_null(rivals[2]);
    assert_ptr_equal(rivals[3], items[0]);
    assert_int_equal(hf_catalogue_swap(server, items, COUNT_OF(items), &clash), HAFT_EEXISTS);
    assert_ptr_equal(clash, items[1]);
    /* what leaves is not in the way */
    server->catalogue->lists[HAFT_OFFER_TOOL].entries[0].item->leaving = true;
    assert_int_equal(hf_catalogue_try_swap(server, items, COUNT_OF(items), &clash), HAFT_EEXISTS);
    assert_ptr_equal(clash, items[3]);
    assert_int_equal(hf_catalogue_swap(server, items, 3, &clash), 0);
    assert_ptr_equal(server->catalogue->lists[HAFT_OFFER_TOOL].entries[0].item, items[1]);
    assert_int_equal(server->catalogue->lists[HAFT_OFFER_TOOL].n, 3);
    for (size_t i = 0; i < COUNT_OF(items); i++)
        hf_item_drop(items[i]);
    haft_server_free(server);
}

/* A long list is replaced in time proportional to its length: comparing all pairs of names takes ten
 * times as long as making the items. */
static void many_items_are_replaced(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct item **items = calloc(MANY, sizeof *items);
    const struct item *clash = NULL;
    struct item **rivals = calloc(MANY, sizeof *rivals);
    clock_t begin = clock(), made = 0;

    (void)state;
    assert_non_null(items);
    assert_non_null(rivals);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            items[i] = item_of(server, "a_tool_of_many_%08d", i);
        made = made ? made : clock() - begin;
        begin = clock();
        for (size_t i = 0; i < server->catalogue->lists[HAFT_OFFER_TOOL].n; i++)
            server->catalogue->lists[HAFT_OFFER_TOOL].entries[i].item->leaving = true;
        assert_int_equal(hf_catalogue_rivals(server, items, MANY, rivals), 0);
        assert_int_equal(hf_catalogue_swap(server, items, MANY, &clash), 0);
        assert_true(clock() - begin < made + CLOCKS_PER_SEC / 10);
        assert_int_equal(server->catalogue->lists[HAFT_OFFER_TOOL].n, MANY);
        for (int i = 0; i < MANY; i++)
            hf_item_drop(items[i]);
    }
    free(items);
    free(rivals);
    haft_server_free(server);
}

/* ---- threads ---- */

enum { CHANGERS = 4, CHANGES = 200, CHANGER_STAGES = 4 };

struct changer {
    pthread_t thread;
    haft_server *server;
    int number;
    haft_stage stages[CHANGER_STAGES];
};

static int handle_custom(haft_call *call, haft_value *params, void *data)
{
    (void)params;
    (void)data;
    return haft_text(call, "done");
}

static int pass(haft_call *call, void *data)
{
    (void)call;
    (void)data;
    return 0;
}

static void *change_a_lot(void *context)
{
    struct changer *changer = context;
    char text[64];

    for (int i = 0; i < CHANGES; i++) {
        snprintf(text, sizeof text, "test/%d-%d", changer->number, i);
        assert_int_equal(haft_on(changer->server, text, handle_custom, changer), 0);
        snprintf(text, sizeof text, "*,-hidden_%d_%d", changer->number, i);
        assert_int_equal(
            haft_server_set_visibility(changer->server, HAFT_WITH(haft_visibility, .tools = text)),
            0);
        assert_int_equal((i & 1 ? haft_offer_enable : haft_offer_disable)(changer->server,
                                                                          HAFT_OFFER_TOOL, "work"),
                         0);
        assert_int_equal(haft_add(changer->server, &first), HAFT_EEXISTS);
    }
    /* A stage of a program that was compiled with a shorter struct is copied. */
    for (int i = 0; i < CHANGER_STAGES; i++) {
        changer->stages[i] = (haft_stage)HAFT_INIT(haft_stage, .name = "one", .before = pass);
        changer->stages[i].struct_size = sizeof(haft_stage) - sizeof(void *);
        assert_int_equal(haft_stage_add(changer->server, &changer->stages[i]), 0);
    }
    return NULL;
}

static void any_thread_may_change_the_offer(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct changer changers[CHANGERS];
    char name[64];

    (void)state;
    assert_int_equal(haft_add(server, &first), 0);
    for (int i = 0; i < CHANGERS; i++) {
        changers[i].server = server;
        changers[i].number = i;
        assert_int_equal(pthread_create(&changers[i].thread, NULL, change_a_lot, &changers[i]), 0);
    }
    for (int i = 0; i < CHANGERS; i++)
        pthread_join(changers[i].thread, NULL);
    for (int i = 0; i < CHANGERS; i++) {
        for (int k = 0; k < CHANGES; k++) {
            const struct custom_method *custom;
            int size = snprintf(name, sizeof name, "test/%d-%d", i, k);

            custom = hf_custom_method_find(server, name, (size_t)size);
            assert_non_null(custom);
            assert_ptr_equal(custom->data, &changers[i]);
        }
    }
    assert_int_equal(server->stages.all.n,
                     STAGES_BEFORE + CHANGERS * CHANGER_STAGES + STAGES_BEHIND);
    for (int i = 0; i < CHANGERS * CHANGER_STAGES; i++)
        assert_string_equal(haft_stage_at(server, STAGES_BEFORE + (size_t)i)->name, "one");
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_does_not_undo_another),
        cmocka_unit_test(what_is_so_already_is_no_change),
        cmocka_unit_test(patterns_are_freed_with_their_catalogue),
        cmocka_unit_test(rivals_are_found),
        cmocka_unit_test(many_items_are_replaced),
        cmocka_unit_test(any_thread_may_change_the_offer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
