/* search_index.c - ranks the tools of a catalogue by a query.
 *
 * Each word of the query adds to the score of the tools that contain it. If none does, words that begin
 * like it count instead, the best of each tool, so that "repo" finds "repository" and "merging"
 * "merge". */
#include "engine/offer/search.h"

/* How much a word that only starts like that of the query counts, and from how many bytes on. */
#define RANK_PREFIX 0.5F
enum { RANK_PREFIX_SIZE = 3 };
/* The tool that the query is the name of comes first. */
#define RANK_NAMED 1e6F

const struct search_index *hf_search_index(struct catalogue *catalogue)
{
    struct search_index *index = atomic_load(&catalogue->index), *first = NULL;

    if (index)
        return index;
    index = hf_search_build(catalogue);
    if (!index || atomic_compare_exchange_strong(&catalogue->index, &first, index))
        return index;
    haft_arena_free(index->arena); /* another thread was faster */
    return first;
}

/* ---- terms ---- */

/* Compares a term with a word; 0 also if the word is only the start of the term. */
static int rank_compare(const struct search_term *term, const struct search_word *word)
{
    int order = memcmp(term->text, word->text, term->size < word->size ? term->size : word->size);

    return order ? order : -(term->size < word->size);
}

/* The first term that is not before the word. */
static size_t rank_find(const struct search_index *index, const struct search_word *word)
{
    size_t low = 0, high = index->n_terms;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rank_compare(&index->terms[middle], word) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- scores ---- */

struct ranking {
    const struct search_index *index;
    struct search_word words[SEARCH_QUERY_WORDS]; /* those that have been counted */
    size_t n_words;
    float *total; /* of each tool, */
    float *best;  /* and of the current word alone */
    uint32_t *touched;
    size_t n_touched;
};

static void rank_term(struct ranking *ranking, const struct search_term *term, float factor)
{
    for (size_t i = 0; i < term->n; i++) {
        uint32_t entry = term->postings[i].entry;
        float score = term->postings[i].weight * term->rarity * factor;

        if (ranking->best[entry] <= 0)
            ranking->touched[ranking->n_touched++] = entry;
        if (ranking->best[entry] < score)
            ranking->best[entry] = score;
    }
}

static bool rank_is_new(struct ranking *ranking, const struct search_word *word)
{
    for (size_t i = 0; i < ranking->n_words; i++)
        if (ranking->words[i].size == word->size &&
            !memcmp(ranking->words[i].text, word->text, word->size))
            return false;
    ranking->words[ranking->n_words++] = *word;
    return true;
}

/* Adds the terms that begin like the word. */
static void rank_start(struct ranking *ranking, const struct search_word *word)
{
    const struct search_index *index = ranking->index;
    struct search_word start = *word;
    size_t i;

    hf_search_shorten(&start);
    i = rank_find(index, &start);
    for (size_t n = 0; n < SEARCH_EXPANSIONS && i < index->n_terms; n++, i++) {
        if (rank_compare(&index->terms[i], &start))
            break;
        rank_term(ranking, &index->terms[i], RANK_PREFIX);
    }
}

static void rank_word(struct ranking *ranking, const struct search_word *word)
{
    const struct search_index *index = ranking->index;
    size_t i = rank_find(index, word);

    if (i < index->n_terms && index->terms[i].size == word->size &&
        !rank_compare(&index->terms[i], word))
        rank_term(ranking, &index->terms[i], 1);
    else if (word->size >= RANK_PREFIX_SIZE)
        rank_start(ranking, word);
    while (ranking->n_touched) {
        uint32_t entry = ranking->touched[--ranking->n_touched];

        ranking->total[entry] += ranking->best[entry];
        ranking->best[entry] = 0;
    }
}

/* ---- the best ---- */

/* Puts a hit in its place among the best so far. */
static void rank_keep(struct search_hit *hits, size_t *n, size_t room, struct search_hit hit)
{
    size_t i = *n;

    if (i == room && (!room || hits[i - 1].score >= hit.score))
        return;
    i -= i == room;
    for (; i && hits[i - 1].score < hit.score; i--)
        hits[i] = hits[i - 1];
    hits[i] = hit;
    *n += *n < room;
}

static void rank_select(const struct ranking *ranking, const struct search_query *query,
                        struct search_hit *hits, size_t room, size_t *ret_n, size_t *ret_total)
{
    *ret_n = *ret_total = 0;
    for (size_t i = 0; i < ranking->index->n_entries; i++) {
        if (ranking->total[i] <= 0 || !query->allows(query->context, i))
            continue;
        ++*ret_total;
        rank_keep(hits, ret_n, room, (struct search_hit){i, ranking->total[i]});
    }
}

int hf_search_rank(const struct search_index *index, const struct search_query *query,
                   struct search_hit *ret_hits, size_t room, size_t *ret_n, size_t *ret_total)
{
    struct search_words words = hf_search_words(query->text, query->size);
    struct ranking *ranking = haft_arena_zalloc(query->arena, 1, sizeof *ranking);
    size_t n = index->n_entries + 1;
    struct search_word word;

    if (!ranking)
        return HAFT_ENOMEM;
    ranking->index = index;
    ranking->total = haft_arena_zalloc(query->arena, n, sizeof *ranking->total);
    ranking->best = haft_arena_zalloc(query->arena, n, sizeof *ranking->best);
    ranking->touched = haft_arena_zalloc(query->arena, n, sizeof *ranking->touched);
    if (!ranking->total || !ranking->best || !ranking->touched)
        return HAFT_ENOMEM;
    while (ranking->n_words < SEARCH_QUERY_WORDS && hf_search_next(&words, &word))
        if (rank_is_new(ranking, &word))
            rank_word(ranking, &word);
    if (query->named < index->n_entries)
        ranking->total[query->named] += RANK_NAMED;
    rank_select(ranking, query, ret_hits, room, ret_n, ret_total);
    return 0;
}
