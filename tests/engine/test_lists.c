/* test_lists.c - tools/list: what is listed, in which order, in pages, while tools come and go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/dialogue.h"
#include "support/test.h"

/* ---- what is served ---- */

static int nothing(haft_call *call)
{
    (void)call;
    return 0;
}
HAFT_TOOL_BARE(nothing, "Does nothing");

/* Tools that differ in their names alone. */
static haft_tool named[8];

static haft_server *serve(size_t n, size_t page_size)
{
    static const char *const names[8] = {"d", "a", "c", "b", "e", "h", "g", "f"};
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .page_size = page_size));

    assert_non_null(server);
    for (size_t i = 0; i < n; i++) {
        named[i] = nothing_tool;
        named[i].name = names[i];
        assert_int_equal(haft_add(server, &named[i]), 0);
    }
    return server;
}

#define TOOL(name)                                                                                 \
    "{'name':'" name                                                                               \
    "','description':'Does nothing','inputSchema':{'type':'object','properties':{}}}"

/* The names in a list, in its order; "+" when there is more. */
static void list(struct wire *wire, const char *cursor, char ret_names[64], char ret_cursor[64])
{
    char params[160];
    const char *answer, *at;
    size_t n = 0;

    snprintf(params, sizeof params, "\"cursor\":\"%s\"", cursor ? cursor : "");
    answer = wire_call(wire, "tools/list", cursor ? params : NULL);
    assert_non_null(answer);
    assert_int_equal(wire->error_code, 0);
    for (at = strstr(answer, "\"name\":\""); at; at = strstr(at + 8, "\"name\":\"")) {
        if (!strncmp(at + 8, "test", 4))
            continue; /* the server's own, in a modern result */
        ret_names[n++] = at[8];
    }
    at = strstr(answer, "\"nextCursor\":\"");
    if (at) {
        size_t size = strcspn(at + 14, "\"");

        ret_names[n++] = '+';
        assert_true(size < 64);
        memcpy(ret_cursor, at + 14, size);
        ret_cursor[size] = '\0';
    } else {
        ret_cursor[0] = '\0';
    }
    ret_names[n] = '\0';
}

/* ---- rendering ---- */

static const haft_icon icons[] = {
    {.src = "https://example.com/i.png", .mime_type = "image/png", .sizes = "48x48 96x96"},
    {.src = "data:,x", .theme = "dark"},
};
HAFT_STRUCT(city_args, HAFT_STRING(city, "Which city"),
            HAFT_DEFAULT(HAFT_BOOLEAN(brief, "Shortly"), true));
HAFT_LIST(numbers, HAFT_NUMBER(number, "A number"), "Numbers");

static int full(haft_call *call, const city_args *in, numbers *out)
{
    (void)call;
    (void)in;
    (void)out;
    return 0;
}
HAFT_TOOL(full, city_args, numbers, "Has it all", .title = "Full", .icons = icons, .n_icons = 2,
          .annotations = {.title = "F",
                          .read_only = HAFT_YES,
                          .destructive = HAFT_NO,
                          .idempotent = HAFT_YES,
                          .open_world = HAFT_NO});

#define FULL                                                                                       \
    "{'name':'full','title':'Full','description':'Has it all','inputSchema':{'type':'object',"     \
    "'properties':{'city':{'type':'string','description':'Which city'},'brief':{'type':"           \
    "'boolean','default':true,'description':'Shortly'}},'required':['city'],"                      \
    "'additionalProperties':false},'annotations':{'title':'F','readOnlyHint':true,"                \
    "'destructiveHint':false,'idempotentHint':true,'openWorldHint':false},'icons':[{'src':"        \
    "'https://example.com/i.png','mimeType':'image/png','sizes':['48x48','96x96']},{'src':"        \
    "'data:,x','theme':'dark'}],'outputSchema':"
#define ARRAY                                                                                      \
    "{'type':'array','items':{'type':'number','description':'A number'},'description':'Numbers'}"

static void rendering(void **state)
{
    haft_server *server = serve(1, 0);

    (void)state;
    assert_int_equal(haft_add(server, &full_tool), 0);
    dialogue_alone(
        server,
        LINES("R 1 tools/list",
              "= 1 {'tools':[" TOOL("d") "," FULL "{'type':'object','properties':{"
                                         "'result':" ARRAY
                                         "},'required':['result'],'additionalProperties':false}}]}",
              "M 2 tools/list",
              "= 2 {'tools':[" TOOL("d") "," FULL ARRAY "}],'ttlMs':0,"
                                         "'cacheScope':'private',$T}"));
    haft_server_free(server);
}

static void cache_hints(void **state)
{
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .ttl_ms = 60000, .cache_public = true));

    (void)state;
    named[0] = nothing_tool;
    assert_int_equal(haft_add(server, &named[0]), 0);
    dialogue_alone(server, LINES("M 1 tools/list",
                                 "= 1 {'tools':[*],'ttlMs':60000,'cacheScope':'public',$T}",
                                 "R 2 tools/list", "= 2 {'tools':[*]}", "M 3 server/discover",
                                 "= 3 {'supportedVersions':['2026-07-28'],*,'ttlMs':60000,"
                                 "'cacheScope':'public',$T}"));
    haft_server_free(server);
}

/* A server without tools has no such list for those who would rely on its capabilities. */
static void nothing_offered(void **state)
{
    haft_server *server = serve(0, 0);

    (void)state;
    dialogue_alone(server, LINES("R 1 tools/list", "= 1 {'tools':[]}", "R 2 prompts/list",
                                 "= 2 {'prompts':[]}", "R 3 resources/list", "= 3 {'resources':[]}",
                                 "R 4 resources/templates/list", "= 4 {'resourceTemplates':[]}",
                                 "M 5 tools/list", "! 5 -32601 Method not found",
                                 "M 6 prompts/list", "! 6 -32601 Method not found"));
    haft_server_free(server);
}

/* ---- order and pages ---- */

static void checks_pages(void **state)
{
    static const struct {
        size_t n, page_size;
        const char *pages[6];
    } rows[] = {
        {0, 2, {""}},
        {1, 2, {"d"}},
        {2, 2, {"da"}},
        {3, 2, {"da+", "c"}},
        {5, 2, {"da+", "cb+", "e"}},
        {4, 1, {"d+", "a+", "c+", "b"}},
        {8, 0, {"dacbehgf"}},
        {8, 100, {"dacbehgf"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve(rows[i].n, rows[i].page_size);

        for (int modern = 0; modern <= (rows[i].n > 0); modern++) {
            struct wire *wire = wire_open(server);
            char names[64], cursor[64] = "";

            wire_greet(wire, modern ? "2026-07-28" : "2025-11-25");
            for (size_t k = 0; rows[i].pages[k]; k++) {
                list(wire, k ? cursor : NULL, names, cursor);
                assert_string_equal(names, rows[i].pages[k]);
            }
            /* again: the same, on any session */
            list(wire, NULL, names, cursor);
            assert_string_equal(names, rows[i].pages[0]);
            wire_close(wire);
        }
        haft_server_free(server);
    }
}

/* What happens between the first page, which ends with a, and the second. */
static void changes_between_pages(void **state)
{
    static const struct {
        const char *what, *name, *second;
    } rows[] = {
        {"remove", "a", "cb+"}, {"remove", "d", "cb+"},  {"remove", "c", "be"},
        {"remove", "e", "cb"},  {"disable", "a", "cb+"}, {"disable", "c", "be"},
        {"disable", "e", "cb"}, {"rename", "c", "zb+"},  {"add", "h", "cb+"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = serve(5, 2);
        struct wire *wire = wire_open(server);
        char names[64], cursor[64];
        int status;

        list(wire, NULL, names, cursor);
        assert_string_equal(names, "da+");
        named[5] = nothing_tool;
        named[5].name = "h";
        status = !strcmp(rows[i].what, "remove")
                     ? haft_offer_remove(server, HAFT_OFFER_TOOL, rows[i].name)
                 : !strcmp(rows[i].what, "disable")
                     ? haft_offer_disable(server, HAFT_OFFER_TOOL, rows[i].name)
                 : !strcmp(rows[i].what, "rename")
                     ? haft_offer_rename(server, HAFT_OFFER_TOOL, rows[i].name, "z")
                     : haft_add(server, &named[5]);
        assert_int_equal(status, 0);
        list(wire, cursor, names, cursor);
        assert_string_equal(names, rows[i].second);
        wire_close(wire);
        haft_server_free(server);
    }
}

static void all_removed(void **state)
{
    haft_server *server = serve(3, 2);
    struct wire *wire = wire_open(server);
    char names[64], cursor[64];

    (void)state;
    list(wire, NULL, names, cursor);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(haft_offer_remove(server, HAFT_OFFER_TOOL, named[i].name), 0);
    list(wire, cursor, names, cursor);
    assert_string_equal(names, "");
    wire_close(wire);
    haft_server_free(server);
}

static void bad_cursors(void **state)
{
    static const char *const bad[] = {
        "''",   "'x'", "'AAAA'", "'AQAAAAA='", "'MTpk'",      "'!!!!'",     "5",
        "null", "{}",  "[]",     "true",       "'AQAAAABk '", "'AgAAAABk'",
    };
    haft_server *server = serve(5, 2);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        char ask[128], modern[128];

        snprintf(ask, sizeof ask, "R 1 tools/list {'cursor':%s}", bad[i]);
        snprintf(modern, sizeof modern, "M 2 tools/list 'cursor':%s", bad[i]);
        dialogue_alone(server, LINES(ask, "! 1 -32602 Invalid params: the cursor is not valid",
                                     modern, "! 2 -32602 Invalid params: the cursor is not valid"));
    }
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rendering),
        cmocka_unit_test(cache_hints),
        cmocka_unit_test(nothing_offered),
        cmocka_unit_test(checks_pages),
        cmocka_unit_test(changes_between_pages),
        cmocka_unit_test(all_removed),
        cmocka_unit_test(bad_cursors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
