/* test_access_lists.c - what a client sees: all four lists, with pages, by identity; and that what
 * it sees is computed once for all clients alike. */
#include <haft.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/offer/access.h"
#include "engine/offer/audience.h"
#include "engine/offer/server.h"
#include "support/failing.h"
#include "support/test.h"
#include "support/wire.h"

/* ---- what is served: eight of each, with names a to h ---- */

static int nothing(haft_call *call, const void *in, void *out)
{
    (void)in;
    (void)out;
    return haft_text(call, "ok");
}

static int get(haft_call *call, const void *arguments)
{
    (void)arguments;
    haft_prompt_say(call, "user");
    return haft_text(call, "ok");
}

static int read_it(haft_call *call, const char *uri)
{
    return haft_text(call, "%s", uri);
}

enum { ITEMS = 8 };

static haft_tool tools[ITEMS];
static haft_resource resources[ITEMS], templates[ITEMS];
static haft_prompt prompts[ITEMS];
static char uris[ITEMS][8], addresses[ITEMS][8];

static haft_server *serve(size_t page_size, const haft_allocator *allocator)
{
    static const char *const names[ITEMS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    /* a and d require nothing */
    static const char *const scopes[ITEMS] = {NULL, "x", "y", NULL, "x y", "x", "y", "z"};
    haft_server *server =
        haft_server_new_with("test", "1",
                             HAFT_WITH(haft_server_options, .page_size = page_size,
                                       .cache_public = true, .allocator = allocator));

    assert_non_null(server);
    for (size_t i = 0; i < ITEMS; i++) {
        snprintf(uris[i], sizeof uris[i], "r:%s", names[i]);
        snprintf(addresses[i], sizeof addresses[i], "t:%s{v}", names[i]);
        tools[i] = (haft_tool)HAFT_INIT(haft_tool, .name = names[i], .description = "T",
                                        .call = nothing, .scopes = scopes[i],
                                        .annotations = {.read_only = i % 2 ? HAFT_YES : HAFT_NO});
        resources[i] = (haft_resource)HAFT_INIT(haft_resource, .uri = uris[i], .name = names[i],
                                                .read = read_it, .scopes = scopes[i]);
        templates[i] =
            (haft_resource)HAFT_INIT(haft_resource, .uri = addresses[i], .name = names[i],
                                     .read = read_it, .scopes = scopes[i]);
        prompts[i] =
            (haft_prompt)HAFT_INIT(haft_prompt, .name = names[i], .get = get, .scopes = scopes[i]);
        assert_int_equal(haft_add(server, &tools[i]), 0);
        assert_int_equal(haft_resource_add(server, &resources[i]), 0);
        assert_int_equal(haft_template_add(server, &templates[i]), 0);
        assert_int_equal(haft_prompt_add(server, &prompts[i]), 0);
    }
    return server;
}

static struct wire *open_as(haft_server *server, const haft_identity *identity)
{
    struct wire *wire = wire_open_with(
        server, (haft_session_options)HAFT_INIT(haft_session_options, .identity = identity));

    wire_greet(wire, "2026-07-28");
    return wire;
}

/* Reads a page: the names, with `+` for another page, and `!` if others may cache it. */
static void read_page(struct wire *wire, const char *method, const char *cursor, char ret_names[32],
                      char ret_cursor[64])
{
    char params[96];
    const char *response, *at;
    size_t n = strlen(ret_names);

    snprintf(params, sizeof params, "\"cursor\":\"%s\"", cursor ? cursor : "");
    response = wire_call(wire, method, cursor ? params : NULL);
    assert_non_null(response);
    assert_int_equal(wire->error_code, 0);
    for (at = strstr(response, "\"name\":\""); at; at = strstr(at + 8, "\"name\":\""))
        if (at[9] == '"')
            ret_names[n++] = at[8];
    at = strstr(response, "\"nextCursor\":\"");
    *ret_cursor = '\0';
    if (at) {
        ret_names[n++] = '+';
        snprintf(ret_cursor, 64, "%.*s", (int)strcspn(at + 14, "\""), at + 14);
    }
    if (strstr(response, "\"cacheScope\":\"public\""))
        ret_names[n++] = '!';
    ret_names[n] = '\0';
}

static const char *const methods[] = {"tools/list", "resources/list", "resources/templates/list",
                                      "prompts/list"};

/* ---- who sees what ---- */

#define CLIENT(...) HAFT_INIT(haft_identity, .principal = "p", __VA_ARGS__)

static const struct {
    const char *rules[3];
    bool hide;
    haft_identity identity;
    const char *all;   /* in all four lists, */
    const char *tools; /* but here; NULL: the same */
    const char *pages; /* of all but tools, of three entries */
} view_rows[] = {
    /* one that can obtain scopes sees what requires them */
    {{NULL}, false, CLIENT(.scopes = "x"), "abcdefgh", NULL, "abc+def+gh"},
    {{NULL}, false, CLIENT(.scopes = NULL), "abcdefgh", NULL, "abc+def+gh"},
    /* one that cannot does not, nor does any if the program wants that */
    {{NULL}, false, CLIENT(.scopes = "x", .fixed = true), "abdf", NULL, "abd+f"},
    {{NULL}, true, CLIENT(.scopes = "x"), "abdf", NULL, "abd+f"},
    {{NULL}, true, CLIENT(.scopes = "x y"), "abcdefg", NULL, "abc+def+g"},
    {{NULL}, true, CLIENT(.scopes = "y x x"), "abcdefg", NULL, "abc+def+g"},
    {{NULL}, true, CLIENT(.scopes = "x y z"), "abcdefgh", NULL, "abc+def+gh"},
    {{NULL}, true, CLIENT(.scopes = "*"), "abcdefgh", NULL, "abc+def+gh"},
    {{NULL}, true, CLIENT(.scopes = "all"), "abcdefgh", NULL, "abc+def+gh"},
    {{NULL}, false, CLIENT(.fixed = true), "ad", NULL, "ad"},
    /* what rules deny is not there */
    {{"deny tools b,c"}, false, CLIENT(.scopes = "x"), "abcdefgh", "adefgh", "abc+def+gh"},
    {{"deny if subject s"}, false, CLIENT(.subject = "s"), "", NULL, ""},
    {{"deny if subject s"}, false, CLIENT(.subject = "t"), "abcdefgh", NULL, "abc+def+gh"},
    {{"read-only"}, false, CLIENT(.scopes = "x"), "abcdefgh", "bdfh", "abc+def+gh"},
    {{"allow tools a,d,e", "deny"}, true, CLIENT(.scopes = "x"), "", "ad", ""},
    {{"deny prompts *", "deny resources *"}, false, CLIENT(.scopes = "x"), "", "abcdefgh", ""},
};

static void set_access(haft_server *server, const char *const *rules, bool hide)
{
    static const char *const includes[] = {"all=x y z", NULL};

    assert_int_equal(haft_server_set_access(server, HAFT_WITH(haft_access, .rules = rules,
                                                              .includes = includes, .hide = hide)),
                     0);
}

static void check_pages(struct wire *wire, const char *method, const char *wanted, size_t row)
{
    char names[32] = "", cursor[64];

    read_page(wire, method, NULL, names, cursor);
    while (*cursor)
        read_page(wire, method, cursor, names, cursor);
    if (strcmp(names, wanted) != 0)
        fail_msg("row %zu: %s: %s", row, method, names);
}

static void clients_see_their_part(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(view_rows); i++) {
        haft_server *whole = serve(0, NULL), *paged = serve(3, NULL);
        struct wire *wire = open_as(whole, &view_rows[i].identity);

        set_access(whole, view_rows[i].rules, view_rows[i].hide);
        set_access(paged, view_rows[i].rules, view_rows[i].hide);
        for (size_t k = 0; k < COUNT_OF(methods); k++)
            check_pages(wire, methods[k],
                        !k && view_rows[i].tools ? view_rows[i].tools : view_rows[i].all, i);
        wire_close(wire);
        wire = open_as(paged, &view_rows[i].identity);
        for (size_t k = 1; k < COUNT_OF(methods); k++)
            check_pages(wire, methods[k], view_rows[i].pages, i);
        wire_close(wire);
        haft_server_free(whole);
        haft_server_free(paged);
    }
}

/* A client without a principal sees everything, and others may cache it. */
static void strangers_see_everything(void **state)
{
    static const char *const deny[] = {"deny", NULL};
    haft_server *server = serve(0, NULL);
    struct wire *wire = wire_open(server);

    (void)state;
    wire_greet(wire, "2026-07-28");
    set_access(server, deny, true);
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        check_pages(wire, methods[i], "abcdefgh!", i);
    wire_close(wire);
    haft_server_free(server);
}

/* Without scopes and rules, lists of identified clients may be cached by others. */
static void open_servers_are_public(void **state)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .cache_public = true));
    struct wire *wire = open_as(server, HAFT_WITH(haft_identity, .principal = "p"));

    (void)state;
    tools[0] = (haft_tool)HAFT_INIT(haft_tool, .name = "a", .description = "T", .call = nothing);
    assert_int_equal(haft_add(server, &tools[0]), 0);
    set_access(server, NULL, true);
    check_pages(wire, "tools/list", "a!", 0);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- cursors ---- */

/* A cursor that names a hidden entry says nothing about it, and one of an entry that has gone leads to
 * the one that has taken its position. */
static void cursors_do_not_tell(void **state)
{
    static const char *const deny[] = {"deny tools b,c,f if subject s", NULL};
    haft_server *server = serve(2, NULL);
    struct wire *wire, *other;
    char names[32] = "", cursor[64], first[64];

    (void)state;
    set_access(server, deny, false);
    wire = open_as(server, HAFT_WITH(haft_identity, .principal = "p", .subject = "s"));
    other = open_as(server, HAFT_WITH(haft_identity, .principal = "q", .subject = "t"));
    read_page(wire, "tools/list", NULL, names, cursor);
    assert_string_equal(names, "ad+");
    snprintf(first, sizeof first, "%s", cursor);
    /* The position is that of what the client sees, d: 1. */
    assert_string_equal(first, "AQEAAABk");
    *names = '\0';
    read_page(other, "tools/list", cursor, names, cursor);
    assert_string_equal(names, "ef+");
    /* b is hidden: the position 1 applies, as for a name that is not there. */
    *names = '\0';
    read_page(wire, "tools/list", "AQEAAABi", names, cursor);
    assert_string_equal(names, "de+");
    *names = '\0';
    read_page(wire, "tools/list", "AQEAAABx", names, cursor);
    assert_string_equal(names, "de+");
    /* d has gone: e has its position. */
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "d"), 0);
    *names = '\0';
    read_page(wire, "tools/list", first, names, cursor);
    assert_string_equal(names, "eg+");
    *names = '\0';
    read_page(wire, "tools/list", "AQkAAABx", names, cursor); /* beyond the end */
    assert_string_equal(names, "");
    wire_close(wire);
    wire_close(other);
    haft_server_free(server);
}

/* ---- what is kept ---- */

static size_t n_kept(haft_server *server)
{
    size_t n = 0;

    for (const struct audience *at = server->catalogue->audiences; at; at = at->next)
        n++;
    return n;
}

static void list_as(haft_server *server, const char *scopes)
{
    struct wire *wire = open_as(
        server, HAFT_WITH(haft_identity, .principal = "p", .scopes = scopes, .fixed = true));

    assert_non_null(wire_call(wire, "tools/list", NULL));
    assert_int_equal(wire->error_code, 0);
    wire_close(wire);
}

static bool is_kept(const haft_server *server, const char *scopes)
{
    for (const struct audience *at = server->catalogue->audiences; at; at = at->next)
        if (!strcmp(at->scopes, scopes))
            return true;
    return false;
}

static void alike_clients_share(void **state)
{
    haft_server *server = serve(0, NULL);
    char scopes[16];

    (void)state;
    list_as(server, "x y");
    list_as(server, "y x y");
    assert_int_equal(n_kept(server), 1);
    assert_true(is_kept(server, "x y"));
    for (int i = 1; i < AUDIENCES; i++) {
        snprintf(scopes, sizeof scopes, "s%d", i);
        list_as(server, scopes);
    }
    assert_int_equal(n_kept(server), AUDIENCES);
    list_as(server, "x y"); /* used again: the next one drops another */
    list_as(server, "the 65th");
    assert_int_equal(n_kept(server), AUDIENCES);
    assert_true(is_kept(server, "x y"));
    assert_false(is_kept(server, "s1"));
    assert_true(is_kept(server, "s2"));
    /* All scopes, and no rules: nothing needs to be kept. */
    list_as(server, "*");
    assert_false(is_kept(server, "*"));
    /* A change begins anew. */
    assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, "a"), 0);
    assert_int_equal(n_kept(server), 0);
    haft_server_free(server);
}

/* ---- memory ---- */

static void memory_fails(void **state)
{
    (void)state;
    for (size_t nth = 1, failures = 1; failures; nth++) {
        static const char *const deny[] = {"deny tools b if claim c=d", NULL};
        struct failing failing;
        haft_server *server;
        struct wire *wire;
        const char *response;

        failing_init(&failing, 0);
        server = serve(0, &failing.allocator);
        set_access(server, deny, true);
        wire = open_as(server, HAFT_WITH(haft_identity, .principal = "p", .scopes = "x",
                                         .claims = "{\"c\":\"d\"}"));
        failing.calls = 0;
        failing.fail_at = nth;
        response = wire_call(wire, "tools/list", NULL);
        failures = failing.failures;
        failing.fail_at = 0;
        if (failures && response)
            assert_true(wire->error_code == -32603 || !wire->error_code);
        if (!wire->error_code && response)
            assert_null(strstr(response, "\"name\":\"b\""));
        response = wire_call(wire, "tools/list", NULL);
        assert_non_null(strstr(response, "\"name\":\"a\""));
        assert_null(strstr(response, "\"name\":\"b\""));
        wire_close(wire);
        haft_server_free(server);
        failing_check(&failing);
    }
}

/* ---- threads ---- */

struct run {
    haft_server *server;
    atomic_bool over;
};

/* Lists and calls, while rules and tools change. */
static void *use(void *context)
{
    struct run *run = context;

    for (int i = 0; !atomic_load(&run->over); i++) {
        char scopes[16];
        struct wire *wire;

        snprintf(scopes, sizeof scopes, "x s%d", i % 100);
        wire = open_as(run->server, HAFT_WITH(haft_identity, .principal = "p", .subject = "s",
                                              .scopes = scopes, .fixed = i % 2));
        for (int k = 0; k < 3; k++) {
            wire_call(wire, "tools/list", NULL);
            wire_call(wire, "tools/call", "\"name\":\"b\"");
            while (wire_next(wire))
                ;
        }
        wire_close(wire);
    }
    return NULL;
}

static void everything_changes_meanwhile(void **state)
{
    static const char *const rules[][2] = {{"deny if subject s", NULL},
                                           {"read-only if scope x", NULL},
                                           {"deny tools b if not subject s", NULL}};
    struct run run = {.server = serve(0, NULL)};
    pthread_t threads[3];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, &run), 0);
    for (int i = 0; i < 200; i++) {
        set_access(run.server, rules[i % 3], i % 2);
        assert_int_equal(haft_offer_disable(run.server, HAFT_OFFER_TOOL, "a"), 0);
        assert_int_equal(haft_offer_enable(run.server, HAFT_OFFER_TOOL, "a"), 0);
    }
    atomic_store(&run.over, true);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    haft_server_free(run.server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_see_their_part),       cmocka_unit_test(strangers_see_everything),
        cmocka_unit_test(open_servers_are_public),      cmocka_unit_test(cursors_do_not_tell),
        cmocka_unit_test(alike_clients_share),          cmocka_unit_test(memory_fails),
        cmocka_unit_test(everything_changes_meanwhile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
