/* fuzz_search.c - any query among any tools.
 *
 * The first line is the query. Each other line is a tool: a definition, if it begins with {, or else a
 * description. Whatever the bytes are, words are short and not empty, hits are sorted, distinct and
 * allowed, a second search finds the same, and the name of a tool finds that tool first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/offer/search.h"
#include "engine/offer/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 5, FUZZ_TOOLS = 40, FUZZ_ARENA = 16 << 20 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static int nothing(haft_call *call, haft_value *arguments, void *context)
{
    (void)call;
    (void)arguments;
    (void)context;
    return 0;
}

static void add(haft_server *server, const char *line, size_t size, size_t number)
{
    char name[32];
    haft_tool_builder *builder;

    if (*line == '{') {
        builder = haft_tool_parse(server, line, size);
    } else {
        snprintf(name, sizeof name, "tool_%zu", number);
        builder = haft_tool_new(name);
        if (haft_utf8_valid(line, size) == size)
            haft_tool_describe(builder, line);
    }
    haft_tool_handler(builder, nothing, NULL);
    haft_tool_build(builder, server); /* or it is refused */
}

/* Every third entry is hidden. */
static bool allows(const void *context, size_t entry)
{
    (void)context;
    return entry % 3 != 2;
}

static size_t rank(struct catalogue *catalogue, const char *text, size_t size,
                   struct search_hit hits[ROOM])
{
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];
    const struct entry *named = hf_offer_list_find(tools, text, size);
    haft_arena *arena = haft_arena_new(NULL, FUZZ_ARENA);
    struct search_query query = {
        text, size, allows, NULL, named ? (size_t)(named - tools->entries) : SIZE_MAX, arena};
    size_t n, total;

    require(!hf_search_rank(hf_search_index(catalogue), &query, hits, ROOM, &n, &total));
    require(n <= ROOM && n <= total && total <= tools->n);
    haft_arena_free(arena);
    return n;
}

static void search(struct catalogue *catalogue, const char *text, size_t size)
{
    struct search_hit hits[ROOM], again[ROOM];
    size_t n = rank(catalogue, text, size, hits);

    require(rank(catalogue, text, size, again) == n);
    for (size_t i = 0; i < n; i++) {
        require(hits[i].entry == again[i].entry && hits[i].score > 0 &&
                allows(NULL, hits[i].entry));
        require(!i || hits[i - 1].score >= hits[i].score);
        for (size_t k = 0; k < i; k++)
            require(hits[k].entry != hits[i].entry);
    }
}

static void split(const char *text, size_t size)
{
    struct search_words words = hf_search_words(text, size);
    struct search_word word;
    size_t n = 0;

    for (; hf_search_next(&words, &word); n++) {
        require(word.size && word.size <= SEARCH_WORD_SIZE);
        require(haft_utf8_valid(word.text, word.size) == word.size);
        hf_search_shorten(&word);
        require(word.size);
    }
    require(n <= 2 * size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_server *server = haft_server_new("fuzz", "1");
    char *text = malloc(size + 1), *query = text, *line, *next;
    struct catalogue *catalogue;
    size_t query_size;

    require(server && text);
    memcpy(text, data, size);
    text[size] = '\0';
    split(text, size);
    next = memchr(text, '\n', size);
    query_size = next ? (size_t)(next - text) : size;
    for (size_t i = 0; next && i < FUZZ_TOOLS; i++) {
        *next = '\0';
        line = next + 1;
        next = memchr(line, '\n', size - (size_t)(line - text));
        add(server, line, next ? (size_t)(next - line) : size - (size_t)(line - text), i);
        if (next)
            *next = '\0';
    }
    catalogue = hf_catalogue_take(server);
    search(catalogue, query, query_size);
    for (size_t i = 0; i < catalogue->lists[HAFT_OFFER_TOOL].n; i++) {
        const struct item *item = catalogue->lists[HAFT_OFFER_TOOL].entries[i].item;
        struct search_hit hits[ROOM];

        if (allows(NULL, i))
            require(rank(catalogue, item->name, item->name_size, hits) && hits[0].entry == i);
    }
    hf_catalogue_drop(catalogue);
    haft_server_free(server);
    free(text);
    return 0;
}
