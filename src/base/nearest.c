/* nearest.c - the search for the most similar name, for "did you mean". */
#include "base/base.h"

#include <string.h>

struct nearest hf_nearest_begin(const char *given)
{
    size_t size = strlen(given);

    /* Names of one or two letters are all near each other, so they allow no edits. */
    return (struct nearest){.given = given, .edits = size < 3 ? 1 : size / 3 + 2};
}

void hf_nearest_offer(struct nearest *search, const char *name)
{
    hf_nearest_offer_at(search, name, hf_edit_distance(search->given, name));
}

void hf_nearest_offer_at(struct nearest *search, const char *name, size_t edits)
{
    if (edits >= search->edits)
        return;
    search->edits = edits;
    search->name = name;
}
