/* search.c - how long a search among many tools takes, and how good its ranking is.
 *
 *     tool-search                     10,000 generated tools: the index, and a linear scan in the same run
 *     tool-search TOOLS QUERIES       the same with tools from a file (a definition per line), and the
 *                                     quality of the ranking: a query per line, a tab, and the names of
 *                                     the tools that it should find, separated by spaces
 *
 * Exit status: 1 if a search takes more than a millisecond, or not less than the scan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/offer/search.h"
#include "engine/offer/server.h"

enum { TOOLS = 10000, ROUNDS = 20, LINE = 1 << 20, ROOM = 10, ARENA = 64 << 20, QUERIES = 4096 };

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* others may use the machine */
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static bool allows_all(const void *context, size_t entry)
{
    (void)context;
    (void)entry;
    return true;
}

static int nothing(haft_call *call, haft_value *arguments, void *data)
{
    (void)call;
    (void)arguments;
    (void)data;
    return 0;
}

/* ---- tools ---- */

static void add(haft_server *server, const char *json)
{
    haft_tool_builder *builder = haft_tool_parse(server, json, strlen(json));

    haft_tool_handler(builder, nothing, NULL);
    if (haft_tool_build(builder, server)) {
        fprintf(stderr, "%s\n", haft_server_error(server)->text);
        exit(2);
    }
}

static const char *const verbs[] = {"list",   "get",  "create", "update", "delete",  "search",
                                    "export", "copy", "move",   "lock",   "archive", "merge"};
static const char *const nouns[] = {"invoice", "customer", "order",    "ticket",   "branch",
                                    "release", "payment",  "shipment", "folder",   "message",
                                    "device",  "policy",   "account",  "calendar", "event",
                                    "report",  "budget",   "contract"};
static const char *const places[] = {"project", "team",  "organization", "repository", "tenant",
                                     "region",  "store", "warehouse",    "workspace",  "cluster"};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PICK(array, n) ((array)[(n) % COUNT(array)])

static void generate(haft_server *server)
{
    char json[2048];

    for (size_t i = 0; i < TOOLS; i++) {
        const char *verb = PICK(verbs, i), *noun = PICK(nouns, i / COUNT(verbs));
        const char *place = PICK(places, i / COUNT(verbs) / COUNT(nouns));

        snprintf(
            json, sizeof json,
            "{\"name\":\"%s_%s_%s_%zu\",\"description\":\"Can %s a %s that belongs to a %s, and "
            "returns it with its history. Requires access to the %s of group %zu.\","
            "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
            "\"%s_id\":{\"type\":\"string\",\"description\":\"The identifier of the %s\"},"
            "\"per_page\":{\"type\":\"integer\",\"description\":\"Results per page (max 100)\"},"
            "\"filter%zu\":{\"type\":\"string\",\"enum\":[\"open\",\"closed\",\"all\"]}}}}",
            verb, noun, place, i, verb, noun, place, place, i % 97, noun, noun, i % 53);
        add(server, json);
    }
}

static void read_tools(haft_server *server, const char *path)
{
    static char line[LINE];
    FILE *file = fopen(path, "r");

    if (!file) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file))
        add(server, line);
    fclose(file);
}

/* ---- queries ---- */

struct query {
    char text[256], expected[512];
};

static struct query queries[QUERIES];
static size_t n_queries;

static void generate_queries(void)
{
    for (size_t i = 0; i < 500; i++)
        snprintf(queries[n_queries++].text, sizeof queries->text, "%s the %ss of a %s",
                 PICK(verbs, i), PICK(nouns, i * 7), PICK(places, i * 3));
}

static void read_queries(const char *path)
{
    static char line[LINE];
    FILE *file = fopen(path, "r");

    if (!file) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) && n_queries < QUERIES) {
        char *tab = strchr(line, '\t');

        line[strcspn(line, "\n")] = '\0';
        if (!tab)
            continue;
        *tab = '\0';
        snprintf(queries[n_queries].text, sizeof queries->text, "%.200s", line);
        snprintf(queries[n_queries++].expected, sizeof queries->expected, " %.500s ", tab + 1);
    }
    fclose(file);
}

/* ---- searches ---- */

static size_t rank(const struct search_index *index, const char *text, haft_arena *arena,
                   struct search_hit hits[ROOM])
{
    struct search_query query = {text, strlen(text), allows_all, NULL, SIZE_MAX, arena};
    size_t n, total;

    if (hf_search_rank(index, &query, hits, ROOM, &n, &total))
        exit(2);
    haft_arena_reset(arena);
    return n;
}

/* The alternative: every text of every tool, for each word. */
static size_t scan(const struct offer_list *tools, const char *text)
{
    size_t found = 0;

    for (size_t i = 0; i < tools->n; i++) {
        char words[256], *at = words, *word;

        snprintf(words, sizeof words, "%s", text);
        while ((word = strsep(&at, " ")))
            found += strcasestr(tools->entries[i].item->name, word) ||
                     strcasestr(tools->entries[i].item->rest[0].data, word);
    }
    return found;
}

static int compare(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;

    return (l > r) - (l < r);
}

static void quality(const struct offer_list *tools, const struct search_index *index,
                    haft_arena *arena)
{
    double reciprocal = 0;
    size_t first = 0, third = 0, any = 0;

    for (size_t i = 0; i < n_queries; i++) {
        struct search_hit hits[ROOM];
        size_t n = rank(index, queries[i].text, arena, hits), at = 0;
        char name[256];

        for (; at < n; at++) {
            snprintf(name, sizeof name, " %s ", tools->entries[hits[at].entry].item->name);
            if (strstr(queries[i].expected, name))
                break;
        }
        reciprocal += at < n ? 1.0 / (double)(at + 1) : 0;
        first += at < n && at == 0;
        third += at < n && at < 3;
        any += at < n;
        if (at >= 3 && getenv("VERBOSE"))
            printf("  %zu %s -> %s\n", at + 1, queries[i].text,
                   n ? tools->entries[hits[0].entry].item->name : "nothing");
    }
    printf("of %zu queries: first %zu, among 3 %zu, among %d %zu; mean reciprocal rank %.3f\n",
           n_queries, first, third, ROOM, any, reciprocal / (double)n_queries);
}

static int measure(const struct offer_list *tools, const struct search_index *index,
                   haft_arena *arena)
{
    size_t n = n_queries * ROUNDS;
    double *times = calloc(n, sizeof *times), start, linear;
    struct search_hit hits[ROOM];
    size_t found = 0;

    if (!times)
        return 2;
    for (size_t i = 0; i < n; i++) {
        start = now_us();
        found += rank(index, queries[i % n_queries].text, arena, hits);
        times[i] = now_us() - start;
    }
    qsort(times, n, sizeof *times, compare);
    start = now_us();
    for (size_t i = 0; i < 20; i++)
        found += scan(tools, queries[i % n_queries].text);
    linear = (now_us() - start) / 20;
    printf("a search: median %.1f us, 99th percentile %.1f us; linear scan %.1f us, %.0f times as "
           "long\n",
           times[n / 2], times[n * 99 / 100], linear, linear / times[n / 2]);
    start = times[n * 99 / 100];
    if (!found)
        fprintf(stderr, "nothing was found\n");
    free(times);
    return start > 1000 || start > linear;
}

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("search", "1");
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    struct catalogue *catalogue;
    const struct search_index *index;
    double start;
    int status;

    if (argc == 3) {
        read_tools(server, argv[1]);
        read_queries(argv[2]);
    } else {
        generate(server);
        generate_queries();
    }
    catalogue = hf_catalogue_take(server);
    start = now_us();
    index = hf_search_index(catalogue);
    if (!index || !arena)
        return 2;
    printf("%zu tools: the index was built in %.1f ms; %zu words, %zu KB\n", index->n_entries,
           (now_us() - start) / 1e3, index->n_terms, hf_arena_held(index->arena) / 1024);
    if (argc == 3)
        quality(&catalogue->lists[HAFT_OFFER_TOOL], index, arena);
    status = measure(&catalogue->lists[HAFT_OFFER_TOOL], index, arena);
    hf_catalogue_drop(catalogue);
    haft_arena_free(arena);
    haft_server_free(server);
    return status;
}
