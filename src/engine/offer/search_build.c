/* search_build.c - builds the index of a catalogue's tools.
 *
 * The strings of a tool are read from its listing, so that what a client can find is what it would have
 * seen in the list. A word in a name has more weight than one in a sentence. The weight of a word for a tool is
 * that of BM25 with these counts, computed here once. */
#include <stdlib.h>

#include "engine/offer/search.h"
#include "json/json.h"

enum { BUILD_CHUNK = 4096, BUILD_ROOM = 256, BUILD_LISTING = 1 << 20 };

/* How much a word counts in a field, and the usual number of words there: in a longer text each
 * word counts less. Found with queries for the operations of GitHub's API (bench/tool_search). */
struct build_field {
    float weight, usual;
};

static const struct build_field build_name = {4, 5};
static const struct build_field build_title = {3, 6};
static const struct build_field build_summary = {3.5F, 6}; /* the first sentence of a description */
static const struct build_field build_description = {0.3F, 30}; /* the others */
#define BUILD_PROPERTY 0.2F
#define BUILD_TEXT 0.1F
/* The parameters of BM25: how soon repetitions stop to count, and how much long strings are discounted: fields, and
 * everything about a tool together. */
#define BUILD_K1 1.2F
#define BUILD_FIELD_B 0.75F
#define BUILD_B 0.3F

struct build_posting {
    uint32_t term, entry;
    float count;
};

struct build_chunk {
    struct build_chunk *next;
    size_t n;
    struct build_posting list[BUILD_CHUNK];
};

struct build_term {
    const char *text;
    uint32_t size, number;
    uint32_t n;                 /* tools */
    struct build_posting *last; /* of the latest tool */
    struct search_posting *placed;
};

struct build {
    haft_arena *kept; /* of the index */
    haft_arena *work; /* what follows */
    haft_arena *page; /* listing of one tool */
    struct build_term **terms;
    size_t n_terms, room;
    uint32_t *slots; /* hash index of the terms, number + 1 */
    size_t n_slots;
    struct build_chunk *first, *last;
    float *lengths; /* of each tool */
    uint32_t entry; /* the current tool, */
    size_t n_words; /* and its words so far */
    bool failed;    /* out of memory */
};

/* ---- terms ---- */

static uint32_t *build_slot(const struct build *build, const char *text, size_t size)
{
    size_t at = hf_hash_bytes(text, size);

    for (;; at++) {
        uint32_t *slot = &build->slots[at & (build->n_slots - 1)];
        const struct build_term *term = *slot ? build->terms[*slot - 1] : NULL;

        if (!term || (term->size == size && !memcmp(term->text, text, size)))
            return slot;
    }
}

/* Doubles the tables; the old ones remain until the work is done. */
static bool build_grow(struct build *build)
{
    size_t room = build->room ? build->room * 2 : BUILD_ROOM;
    struct build_term **terms = haft_arena_zalloc(build->work, room, sizeof *terms);
    uint32_t *slots = haft_arena_zalloc(build->work, room * 2, sizeof *slots);

    if (!terms || !slots)
        return false;
    if (build->n_terms)
        memcpy(terms, build->terms, build->n_terms * sizeof *terms);
    build->terms = terms;
    build->room = room;
    build->slots = slots;
    build->n_slots = room * 2;
    for (size_t i = 0; i < build->n_terms; i++)
        *build_slot(build, terms[i]->text, terms[i]->size) = (uint32_t)i + 1;
    return true;
}

static struct build_term *build_term_of(struct build *build, const struct search_word *word)
{
    struct build_term *term;
    uint32_t *slot;

    if (build->n_terms == build->room && !build_grow(build))
        return NULL;
    slot = build_slot(build, word->text, word->size);
    if (*slot)
        return build->terms[*slot - 1];
    term = haft_arena_zalloc(build->work, 1, sizeof *term);
    if (!term)
        return NULL;
    term->text = haft_arena_copy(build->kept, word->text, word->size);
    if (!term->text)
        return NULL;
    term->size = (uint32_t)word->size;
    term->number = (uint32_t)build->n_terms;
    build->terms[build->n_terms++] = term;
    *slot = (uint32_t)build->n_terms;
    return term;
}

static struct build_posting *build_posting_new(struct build *build)
{
    struct build_chunk *chunk = build->last;

    if (!chunk || chunk->n == BUILD_CHUNK) {
        chunk = haft_arena_alloc(build->work, sizeof *chunk);
        if (!chunk)
            return NULL;
        chunk->next = NULL;
        chunk->n = 0;
        if (build->last)
            build->last->next = chunk;
        else
            build->first = chunk;
        build->last = chunk;
    }
    return &chunk->list[chunk->n++];
}

static void build_word(struct build *build, const struct search_word *word, float weight)
{
    struct build_term *term = build_term_of(build, word);

    build->failed |= !term;
    if (!term)
        return;
    build->lengths[build->entry] += weight;
    if (!term->last || term->last->entry != build->entry) {
        struct build_posting *posting = build_posting_new(build);

        build->failed |= !posting;
        if (!posting)
            return;
        *posting = (struct build_posting){term->number, build->entry, 0};
        term->last = posting;
        term->n++;
    }
    term->last->count += weight;
}

/* ---- strings ---- */

static void build_text(struct build *build, const char *text, size_t size, float weight)
{
    struct search_words words = hf_search_words(text, size);
    struct search_word word;

    while (!build->failed && build->n_words < SEARCH_TOOL_WORDS && hf_search_next(&words, &word)) {
        build->n_words++;
        build_word(build, &word, weight);
    }
}

static void build_field_add(struct build *build, const char *text, size_t size,
                            const struct build_field *field)
{
    struct search_words words = hf_search_words(text, size);
    struct search_word word;
    size_t n = 0;

    while (n < SEARCH_TOOL_WORDS && hf_search_next(&words, &word))
        n++;
    build_text(build, text, size,
               field->weight / (1 - BUILD_FIELD_B + BUILD_FIELD_B * (float)n / field->usual));
}

/* Where the first sentence or line ends. */
static size_t build_sentence(const char *text)
{
    size_t n = 0;

    while (text[n] && text[n] != '\n' &&
           !(text[n] == '.' && (!text[n + 1] || text[n + 1] == ' ' || text[n + 1] == '\n')))
        n++;
    return n;
}

static void build_string(struct build *build, yyjson_val *value, float weight)
{
    if (yyjson_is_str(value))
        build_text(build, yyjson_get_str(value), yyjson_get_len(value), weight);
}

static bool build_is_one_of(yyjson_val *key, const char *const *names)
{
    while (*names && !yyjson_equals_str(key, *names))
        names++;
    return *names;
}

static void build_schema(struct build *build, yyjson_val *schema, size_t depth);

/* The values of an object of schemas; its keys are names of properties or definitions. */
static void build_named(struct build *build, yyjson_val *schemas, float weight, size_t depth)
{
    yyjson_val *key, *schema;
    size_t i, n;

    yyjson_obj_foreach(schemas, i, n, key, schema) {
        if (weight > 0)
            build_string(build, key, weight);
        build_schema(build, schema, depth);
    }
}

static void build_member(struct build *build, yyjson_val *key, yyjson_val *value, size_t depth)
{
    static const char *const strings[] = {"description", "title", NULL};
    static const char *const maps[] = {"$defs", "definitions", "patternProperties",
                                       "dependentSchemas", NULL};
    static const char *const data[] = {"const", "default", "examples", "required", NULL};
    yyjson_val *item;
    size_t i, n;

    if (build_is_one_of(key, strings)) {
        build_string(build, value, BUILD_TEXT);
    } else if (yyjson_equals_str(key, "properties")) {
        build_named(build, value, BUILD_PROPERTY, depth);
    } else if (build_is_one_of(key, maps)) {
        build_named(build, value, 0, depth);
    } else if (yyjson_equals_str(key, "enum")) {
        yyjson_arr_foreach(value, i, n, item)
            build_string(build, item, BUILD_TEXT);
    } else if (!build_is_one_of(key, data)) {
        build_schema(build, value, depth);
        yyjson_arr_foreach(value, i, n, item)
            build_schema(build, item, depth);
    }
}

/* The strings of a schema and those below it, as deep as `depth` says. */
static void build_schema(struct build *build, yyjson_val *schema, size_t depth)
{
    yyjson_val *key, *value;
    size_t i, n;

    if (!depth || build->n_words >= SEARCH_TOOL_WORDS)
        return;
    yyjson_obj_foreach(schema, i, n, key, value)
        build_member(build, key, value, depth - 1);
}

/* The listing of a tool as JSON, without its name; NULL without memory. */
static yyjson_val *build_listing(struct build *build, const struct item *item)
{
    const struct text *rest = &item->rest[LEGACY];
    char *text = haft_arena_alloc(build->page, rest->size);
    yyjson_val *listing;
    const char *reason;
    size_t offset;

    if (!text)
        return NULL;
    memcpy(text, rest->data, rest->size);
    text[0] = '{'; /* in place of the comma */
    return hf_json_parse(text, rest->size, build->page, &listing, &offset, &reason) ? NULL
                                                                                    : listing;
}

/* A tool with a larger listing is found by its name, title and description only. */
static void build_input(struct build *build, const struct item *item)
{
    yyjson_val *listing;

    if (item->rest[LEGACY].size > BUILD_LISTING)
        return;
    listing = build_listing(build, item);
    build->failed |= !listing;
    if (listing)
        build_schema(build, yyjson_obj_get(listing, "inputSchema"), SEARCH_SCHEMA_DEPTH);
    haft_arena_reset(build->page);
}

static void build_tool(struct build *build, const struct item *item)
{
    const haft_tool *tool = item->tool;
    const char *title = tool->title ? tool->title : tool->annotations.title;
    const char *description = tool->description;

    build->n_words = 0;
    build_field_add(build, item->name, item->name_size, &build_name);
    if (title)
        build_field_add(build, title, strlen(title), &build_title);
    if (description) {
        size_t summary = build_sentence(description);

        build_field_add(build, description, summary, &build_summary);
        build_field_add(build, description + summary, strlen(description + summary),
                        &build_description);
    }
    build_input(build, item);
}

/* ---- the index ---- */

static int build_compare(const void *left, const void *right)
{
    const struct build_term *l = *(struct build_term *const *)left;
    const struct build_term *r = *(struct build_term *const *)right;
    int order = memcmp(l->text, r->text, l->size < r->size ? l->size : r->size);

    return order ? order : (l->size > r->size) - (l->size < r->size);
}

/* The logarithm to the base of 2 of a number of at least 1, to about 1 %: it only orders. */
static float build_log(float value)
{
    float log = 0;

    for (; value >= 2; log++)
        value /= 2;
    return log + (value - 1) * (1.345F - 0.345F * (value - 1));
}

static float build_rarity(size_t n, size_t of)
{
    return build_log(1 + ((float)(of - n) + 0.5F) / ((float)n + 0.5F));
}

/* Sorts the terms, and gives each its place among the postings. */
static bool build_place(struct build *build, struct search_index *index)
{
    struct build_term **sorted = haft_arena_zalloc(build->work, build->n_terms + 1, sizeof *sorted);
    struct search_term *terms = haft_arena_zalloc(build->kept, build->n_terms + 1, sizeof *terms);
    struct search_posting *postings;
    size_t n = 0;

    if (!sorted || !terms)
        return false;
    if (build->n_terms)
        memcpy(sorted, build->terms, build->n_terms * sizeof *sorted);
    qsort(sorted, build->n_terms, sizeof *sorted, build_compare);
    for (size_t i = 0; i < build->n_terms; i++)
        n += sorted[i]->n;
    postings = haft_arena_zalloc(build->kept, n + 1, sizeof *postings);
    if (!postings)
        return false;
    for (size_t i = 0; i < build->n_terms; i++) {
        const struct build_term *term = sorted[i];

        terms[i] = (struct search_term){term->text, term->size, term->n, postings,
                                        build_rarity(term->n, index->n_entries)};
        sorted[i]->placed = postings;
        postings += term->n;
    }
    index->terms = terms;
    index->n_terms = build->n_terms;
    return true;
}

static void build_weigh(const struct build *build, size_t n_entries)
{
    float all = 0, mean;

    for (size_t i = 0; i < n_entries; i++)
        all += build->lengths[i];
    mean = all > 0 ? all / (float)n_entries : 1;
    for (const struct build_chunk *chunk = build->first; chunk; chunk = chunk->next)
        for (size_t i = 0; i < chunk->n; i++) {
            const struct build_posting *posting = &chunk->list[i];
            float length = 1 - BUILD_B + BUILD_B * build->lengths[posting->entry] / mean;
            float weight = posting->count * (BUILD_K1 + 1) / (posting->count + BUILD_K1 * length);

            *build->terms[posting->term]->placed++ =
                (struct search_posting){posting->entry, weight};
        }
}

static struct search_index *build_index(struct build *build, const struct offer_list *tools)
{
    struct search_index *index = haft_arena_zalloc(build->kept, 1, sizeof *index);

    build->lengths = haft_arena_zalloc(build->work, tools->n + 1, sizeof *build->lengths);
    if (!index || !build->lengths)
        return NULL;
    index->arena = build->kept;
    index->n_entries = tools->n;
    for (size_t i = 0; i < tools->n && !build->failed; i++) {
        build->entry = (uint32_t)i;
        if (!tools->entries[i].role)
            build_tool(build, tools->entries[i].item);
    }
    if (build->failed || !build_place(build, index))
        return NULL;
    build_weigh(build, tools->n);
    return index;
}

struct search_index *hf_search_build(const struct catalogue *catalogue)
{
    struct build build = {
        .kept = haft_arena_new(catalogue->allocator, SEARCH_INDEX_LIMIT),
        .work = haft_arena_new(catalogue->allocator, SEARCH_INDEX_LIMIT),
        .page = haft_arena_new(catalogue->allocator, SEARCH_INDEX_LIMIT),
    };
    struct search_index *index = NULL;

    if (build.kept && build.work && build.page)
        index = build_index(&build, &catalogue->lists[HAFT_OFFER_TOOL]);
    haft_arena_free(build.page);
    haft_arena_free(build.work);
    if (!index)
        haft_arena_free(build.kept);
    return index;
}
