/* search.c - what lists show of a catalogue with a tool search. */
#include "engine/offer/search.h"

#include "engine/offer/audience.h"

static unsigned search_hints(const haft_annotations *annotations)
{
    bool read_only = annotations->read_only == HAFT_YES;

    return (read_only ? SEARCH_READ_ONLY : 0u) |
           (read_only || annotations->destructive == HAFT_NO ? SEARCH_NOT_DESTRUCTIVE : 0u) |
           (read_only || annotations->idempotent == HAFT_YES ? SEARCH_IDEMPOTENT : 0u) |
           (annotations->open_world == HAFT_NO ? SEARCH_CLOSED_WORLD : 0u);
}

void hf_search_mark(const struct search *search, struct entry *entry)
{
    const struct item *item = entry->item;

    entry->role = (unsigned char)search_role_of(item);
    entry->hints = (unsigned char)search_hints(&item->tool->annotations);
    entry->pinned = !entry->role && search->pinned && *search->pinned &&
                    hf_glob_list_allows(search->pinned, item->name);
}

struct search_survey hf_search_survey(const struct catalogue *catalogue,
                                      const struct audience *audience)
{
    const struct offer_list *tools = &catalogue->lists[HAFT_OFFER_TOOL];
    struct search_survey survey = {.hints = SEARCH_HINTS};
    size_t n = 0;

    for (size_t i = 0; i < tools->n; i++) {
        const struct entry *entry = &tools->entries[i];
        bool seen = audience ? audience_sees(audience, HAFT_OFFER_TOOL, i) : !entry->disabled;

        if (!seen || entry->role)
            continue;
        n++;
        if (!entry->pinned)
            survey.hints &= entry->hints;
    }
    survey.applies = n > catalogue->search->above;
    return survey;
}
