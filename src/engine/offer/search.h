/* engine/offer/search.h - tool search: what a catalogue of many tools shows instead of all of them.
 *
 * The settings are a module, which the three tools of the search hold. A catalogue with these tools
 * has the settings, so that both change in one step. The index of a catalogue is built when a client
 * searches for the first time, is shared by all threads, and is freed with the catalogue. */
#ifndef HAFT_SRC_ENGINE_OFFER_SEARCH_H
#define HAFT_SRC_ENGINE_OFFER_SEARCH_H

#include "engine/offer/catalogue.h"

enum {
    SEARCH_RESULTS = 10,         /* by default */
    SEARCH_MOST_RESULTS = 100,   /* of a search */
    SEARCH_QUERY = 1000,         /* characters of a query */
    SEARCH_WORD_SIZE = 32,       /* bytes of a word; the rest of a longer one is ignored */
    SEARCH_QUERY_WORDS = 24,     /* distinct words of a query; the others are ignored */
    SEARCH_EXPANSIONS = 64,      /* indexed words that one word of a query can be the start of */
    SEARCH_TOOL_WORDS = 512,     /* indexed words of a tool, distinct or not */
    SEARCH_SCHEMA_DEPTH = 8,     /* nested schemas whose strings are indexed */
    SEARCH_INDEX_LIMIT = 1 << 28 /* bytes of an index */
};

/* The tools of the search. */
enum search_role { SEARCH_NONE, SEARCH_FIND, SEARCH_DESCRIBE, SEARCH_CALL };

struct search {
    struct module module; /* must be first */
    const haft_allocator *allocator;
    size_t size; /* of this and the patterns, in one piece */
    unsigned above, results;
    const char *pinned; /* patterns of names */
    bool configured;    /* by a configuration, not by the program */
    /* Makes a call of call_tool that of the tool which it names, before anything is checked; a
     * call that call_tool refuses remains its own (engine/call/search_call.c). */
    void (*redirect)(haft_call *call);
};

/* What a tool of the search is; its item's `data`. */
struct search_part {
    enum search_role role;
};

/* Hints about a tool that call_tool can have if all the tools that it reaches have them. */
enum search_hint {
    SEARCH_READ_ONLY = 1,
    SEARCH_NOT_DESTRUCTIVE = 2,
    SEARCH_IDEMPOTENT = 4,
    SEARCH_CLOSED_WORLD = 8,
    SEARCH_HINTS = 15
};

/* Sets the role, the hints and whether it is pinned in a tool's entry (search.c). */
void hf_search_mark(const struct search *search, struct entry *entry);

struct search_survey {
    bool applies;   /* the client can use more tools than lists show */
    unsigned hints; /* that all tools have which call_tool reaches */
};

/* Surveys the tools that an audience sees; NULL for all that are not disabled. The catalogue has a
 * search. */
struct search_survey hf_search_survey(const struct catalogue *catalogue,
                                      const struct audience *audience);

/* The settings that the items belong to; NULL if they are not tools of a search. */
static inline const struct search *search_of_item(const struct item *item)
{
    return item->module ? item->module->search : NULL;
}

static inline enum search_role search_role_of(const struct item *item)
{
    return search_of_item(item) ? ((const struct search_part *)item->data)->role : SEARCH_NONE;
}

/* ---- words (search_words.c) ---- */

/* Text that is split into words: at everything but letters and digits, and within these at a change
 * from lower to upper case and between letters and digits. Words are in lower case and in the
 * singular. Of something that is split inside, the whole is a word too: "GitHub" is "git", "hub" and
 * "github". */
struct search_words {
    const char *at, *end;      /* text that is left */
    const char *run, *run_end; /* what is being split; NULL for nothing */
    bool split;                /* more than one word of it was returned */
};

struct search_word {
    char text[SEARCH_WORD_SIZE];
    size_t size;
};

struct search_words hf_search_words(const char *text, size_t size);
bool hf_search_next(struct search_words *words, struct search_word *ret_word);
/* Drops the ending of a verb: "merging" and "merged" become "merg", which "merge" begins with. */
void hf_search_shorten(struct search_word *word);

/* ---- the index (search_index.c, search_build.c) ---- */

/* A posting: a tool, and how much it is about the word: between 0 and 1 plus a constant. */
struct search_posting {
    uint32_t entry;
    float weight;
};

struct search_term {
    const char *text;
    uint32_t size;
    uint32_t n; /* tools */
    const struct search_posting *postings;
    float rarity;
};

struct search_index {
    haft_arena *arena;               /* holds everything */
    const struct search_term *terms; /* sorted */
    size_t n_terms, n_entries;
};

/* The index of the tools of a catalogue; built by the first call, on any thread. NULL without
 * memory. */
const struct search_index *hf_search_index(struct catalogue *catalogue);
/* Builds one; NULL without memory. */
struct search_index *hf_search_build(const struct catalogue *catalogue);

struct search_hit {
    size_t entry; /* in the catalogue's tools */
    float score;
};

/* What a search looks for, and where. */
struct search_query {
    const char *text;
    size_t size;
    /* Whether to consider an entry. */
    bool (*allows)(const void *context, size_t entry);
    const void *context;
    size_t named;      /* the entry whose name the text is; SIZE_MAX if there is none */
    haft_arena *arena; /* for the time of the search */
};

/* Writes the best `room` hits, best first; equal ones in the order of the catalogue. Returns 0 or
 * HAFT_ENOMEM. */
int hf_search_rank(const struct search_index *index, const struct search_query *query,
                   struct search_hit *ret_hits, size_t room, size_t *ret_n, size_t *ret_total);

#endif
