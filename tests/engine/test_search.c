/* test_search.c - the search for tools: how texts are split, and what is found in which order. */
#include <haft.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "engine/offer/search.h"
#include "engine/offer/server.h"
#include "support/failing.h"
#include "support/test.h"

/* ---- words ---- */

static const char *words_of(const char *text)
{
    static char all[512];
    struct search_words words = hf_search_words(text, strlen(text));
    struct search_word word;
    size_t n = 0;

    all[0] = '\0';
    while (hf_search_next(&words, &word))
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%.*s", n ? " " : "", (int)word.size,
                              word.text);
    return all;
}

static void splits(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", ""},
        {"  -- _ ", ""},
        {"list_pets", "list pet"},
        {"list-pets/by.owner", "list pet by owner"},
        {"listPets", "list pet listpet"},
        {"HTTPServer", "http server httpserver"},
        {"parseURL", "parse url parseurl"},
        {"URLs of APIs", "url of api"},
        {"IDs2", "id 2 ids2"},
        {"ipv6", "ipv 6 ipv6"},
        {"s3", "s 3 s3"},
        {"GitHub", "git hub github"},
        /* the singular */
        {"issues policies branches boxes classes", "issue policy branch box class"},
        {"status class wikis is as bus", "status class wiki is as bus"},
        {"ties does", "tie doe"},
        /* beyond ASCII: the case of letters, and scripts without spaces */
        {"\xC3\x9C"
         "bersicht \xC3\x89T\xC3\x89",
         "\xC3\xBC"
         "bersicht \xC3\xA9t\xC3\xA9"},
        {"\xD0\x9C\xD0\x98\xD0\xA0", "\xD0\xBC\xD0\xB8\xD1\x80"},
        {"\xE5\xA4\xA9\xE6\xB0\x97 ok", "\xE5\xA4\xA9 \xE6\xB0\x97 ok"},
        {"a\xC3\x97"
         "b \xF0\x9F\x98\x80",
         "a b"},
        /* invalid UTF-8 separates */
        {"a\xFF"
         "b\xE5\xA4",
         "a b"},
        /* a long word is cut, not its neighbours */
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(words_of(rows[i].text), rows[i].words);
}

static void shortens(void **state)
{
    static const struct {
        const char *word, *start;
    } rows[] = {
        {"merging", "merg"}, {"merged", "merg"}, {"merge", "merg"}, {"stopped", "stop"},
        {"list", "list"},    {"ring", "ring"},   {"red", "red"},    {"the", "the"},
        {"agreed", "agre"},  {"ipv6e", "ipv6e"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct search_word word = {.size = strlen(rows[i].word)};

        memcpy(word.text, rows[i].word, word.size);
        hf_search_shorten(&word);
        assert_int_equal(word.size, strlen(rows[i].start));
        assert_memory_equal(word.text, rows[i].start, word.size);
    }
}

/* ---- ranking ---- */

static int nothing(haft_call *call, haft_value *arguments, void *data)
{
    (void)call;
    (void)arguments;
    (void)data;
    return 0;
}

static int add_json(haft_server *server, const char *json)
{
    haft_tool_builder *builder = haft_tool_parse(server, json, strlen(json));

    haft_tool_handler(builder, nothing, NULL);
    return haft_tool_build(builder, server);
}

#define TOOL(name, rest) "{\"name\":\"" name "\"," rest "}"
#define ABOUT(text) "\"description\":\"" text "\""
#define INPUT(members) "\"inputSchema\":{\"type\":\"object\",\"properties\":{" members "}}"

static const char *const catalogue_tools[] = {
    TOOL("issues_create", ABOUT("Create an issue. Any user with read access can create one.")),
    TOOL("issues_list", ABOUT("List issues of a repository")),
    TOOL("issues_create_comment", ABOUT("Create a comment on an issue")),
    TOOL("pulls_merge", ABOUT("Merge a pull request into its base branch")),
    TOOL("repos_get_readme", ABOUT("Get the README of a repository")),
    TOOL("repos_delete", "\"title\":\"Delete a repository\""),
    TOOL("actionsCancelWorkflowRun", ABOUT("Stops it")),
    TOOL("send_mail",
         ABOUT("Sends a message") "," INPUT("\"recipient\":{\"type\":\"string\",\"description\":"
                                            "\"An address, such as that of a colleague\"},"
                                            "\"priority\":{\"enum\":[\"urgent\",\"normal\"]}")),
    TOOL("weather", ABOUT("Forecast for a place. Not about an issue, an issue or an issue.")),
    TOOL("nested",
         ABOUT("Deep") "," INPUT(
             "\"a\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"object\",\"properties\":"
             "{\"zebra\":{\"type\":\"string\",\"default\":\"ocelot\"}}}]}}")),
};

static haft_server *search_server(const haft_allocator *allocator)
{
    haft_server *server =
        haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .allocator = allocator));

    for (size_t i = 0; server && i < COUNT_OF(catalogue_tools); i++)
        add_json(server, catalogue_tools[i]);
    return server;
}

static bool allows_unless(const void *context, size_t entry)
{
    return !context || *(const size_t *)context != entry;
}

/* The names that a query finds, best first, and their number. */
static const char *found_by(struct catalogue *catalogue, const char *text, size_t room,
                            const size_t *hidden)
{
    static char names[512];
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];
    const struct entry *named = hf_offer_list_find(tools, text, strlen(text));
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    const struct search_index *index = hf_search_index(catalogue);
    struct search_query query = {text,
                                 strlen(text),
                                 allows_unless,
                                 hidden,
                                 named ? (size_t)(named - tools->entries) : SIZE_MAX,
                                 arena};
    struct search_hit hits[SEARCH_MOST_RESULTS];
    size_t n, total, at;

    assert_non_null(index);
    assert_int_equal(hf_search_rank(index, &query, hits, room, &n, &total), 0);
    assert_true(n <= room && n <= total);
    at = (size_t)snprintf(names, sizeof names, "%zu", total);
    for (size_t i = 0; i < n; i++) {
        assert_true(!i || hits[i - 1].score >= hits[i].score);
        at += (size_t)snprintf(names + at, sizeof names - at, " %s",
                               tools->entries[hits[i].entry].item->name);
    }
    haft_arena_free(arena);
    return names;
}

static void ranks(void **state)
{
    static const struct {
        const char *query;
        size_t room;
        const char *found;
    } rows[] = {
        {"", 10, "0"},
        {"?!", 10, "0"},
        {"xylophone", 10, "0"},
        /* a name counts more than a description, the first sentence more than the others */
        {"create an issue", 1, "5 issues_create"},
        {"issue", 4, "4 issues_create issues_list issues_create_comment weather"},
        {"comment on issues", 1, "4 issues_create_comment"},
        /* names are split, in queries too */
        {"cancel a run", 1, "9 actionsCancelWorkflowRun"},
        {"cancelWorkflow", 1, "1 actionsCancelWorkflowRun"},
        {"getReadme", 1, "1 repos_get_readme"},
        /* titles; the name of a tool is that tool */
        {"delete repository", 1, "3 repos_delete"},
        {"issues_create_comment", 1, "4 issues_create_comment"},
        {"weather", 10, "1 weather"},
        /* names and descriptions of arguments, and values that they may have */
        {"recipient", 10, "1 send_mail"},
        {"colleague", 10, "1 send_mail"},
        {"urgent", 10, "1 send_mail"},
        {"zebras", 10, "1 nested"},
        {"ocelot", 10, "0"},
        /* the start of a word, and other forms of it, if nothing is called so */
        {"reposi", 10, "3 repos_delete issues_list repos_get_readme"},
        {"merging", 10, "1 pulls_merge"},
        {"mer", 10, "1 pulls_merge"},
        {"me", 10, "0"},
        {"forecasts", 10, "1 weather"},
        /* room for none, or one */
        {"issue", 0, "4"},
        {"issue", 1, "4 issues_create"},
    };
    haft_server *server = search_server(NULL);
    struct catalogue *catalogue = hf_catalogue_take(server);

    (void)state;
    assert_int_equal(catalogue->lists[HAFT_OFFER_TOOL].n, COUNT_OF(catalogue_tools));
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(found_by(catalogue, rows[i].query, rows[i].room, NULL), rows[i].found);
    hf_catalogue_drop(catalogue);
    haft_server_free(server);
}

static void finds_only_what_it_may(void **state)
{
    haft_server *server = search_server(NULL);
    struct catalogue *catalogue = hf_catalogue_take(server);
    size_t hidden = 1;

    (void)state;
    assert_string_equal(found_by(catalogue, "issues_list", 1, &hidden), "3 issues_create");
    hf_catalogue_drop(catalogue);
    haft_server_free(server);
}

/* A huge description, schema or query is cut, not refused. */
static void bounds_texts(void **state)
{
    static char json[1 << 16], query[1 << 14];
    haft_server *server = search_server(NULL);
    struct catalogue *catalogue;
    size_t n = (size_t)snprintf(json, sizeof json, "{\"name\":\"huge\",\"description\":\"first");

    (void)state;
    for (int i = 0; i < 5000; i++)
        n += (size_t)snprintf(json + n, sizeof json - n, " w%dx", i);
    snprintf(json + n, sizeof json - n, " last\"}");
    assert_int_equal(add_json(server, json), 0);
    catalogue = hf_catalogue_take(server);
    assert_string_equal(found_by(catalogue, "first", 10, NULL), "1 huge");
    assert_string_equal(found_by(catalogue, "last", 10, NULL), "0");
    for (n = 0; n + 8 < sizeof query; n += 6)
        memcpy(query + n, "issue ", 7);
    assert_string_equal(found_by(catalogue, query, 1, NULL), "4 issues_create");
    hf_catalogue_drop(catalogue);
    haft_server_free(server);
}

/* ---- the index ---- */

static void *index_in_thread(void *context)
{
    return (void *)(uintptr_t)hf_search_index(context);
}

/* Threads share one index; a change of the catalogue makes another. */
static void builds_once(void **state)
{
    enum { THREADS = 8 };
    haft_server *server = search_server(NULL);
    struct catalogue *catalogue = hf_catalogue_take(server), *next;
    pthread_t threads[THREADS];
    void *index;

    (void)state;
    assert_null(catalogue->index);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, index_in_thread, catalogue), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &index), 0);
        assert_ptr_equal(index, catalogue->index);
    }
    assert_int_equal(add_json(server, TOOL("xylophone", ABOUT("Plays"))), 0);
    next = hf_catalogue_take(server);
    assert_string_equal(found_by(next, "xylophone", 10, NULL), "1 xylophone");
    assert_string_equal(found_by(catalogue, "xylophone", 10, NULL), "0");
    hf_catalogue_drop(next);
    hf_catalogue_drop(catalogue);
    haft_server_free(server);
}

static void survives_without_memory(void **state)
{
    size_t failed = 0;

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_server *server;
        struct catalogue *catalogue;
        const struct search_index *index;

        failing_init(&failing, 0);
        server = search_server(&failing.allocator);
        catalogue = hf_catalogue_take(server);
        failing.fail_at = failing.calls + nth;
        index = hf_search_index(catalogue);
        assert_true(!index == (failing.failures > 0));
        failed += !index;
        failing.fail_at = 0;
        assert_string_equal(found_by(catalogue, "recipient", 10, NULL), "1 send_mail");
        hf_catalogue_drop(catalogue);
        haft_server_free(server);
        failing_check(&failing);
        if (index)
            break;
    }
    assert_true(failed >= 3);
}

static void ranks_without_memory(void **state)
{
    haft_server *server = search_server(NULL);
    struct catalogue *catalogue = hf_catalogue_take(server);
    struct search_query query = {"issue", 5, allows_unless, NULL, SIZE_MAX, NULL};
    struct search_hit hits[1];
    size_t n, total;
    int status;

    (void)state;
    for (size_t limit = 64;; limit *= 2) {
        query.arena = haft_arena_new(NULL, limit);
        status = hf_search_rank(hf_search_index(catalogue), &query, hits, 1, &n, &total);
        haft_arena_free(query.arena);
        if (!status)
            break;
        assert_int_equal(status, HAFT_ENOMEM);
    }
    assert_int_equal(total, 4);
    hf_catalogue_drop(catalogue);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits),
        cmocka_unit_test(shortens),
        cmocka_unit_test(ranks),
        cmocka_unit_test(finds_only_what_it_may),
        cmocka_unit_test(bounds_texts),
        cmocka_unit_test(builds_once),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(ranks_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
