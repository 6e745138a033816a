/* walk_seen.c - sets of evaluated members, as bits in the walk's arena. Only schemas with
 * unevaluated* use them. */
#include "schema/walk/walk.h"

#include <string.h>

static size_t words(size_t n)
{
    return n / 64 + 1;
}

bool hf_seen_init(struct walk *w, struct seen *seen, const yyjson_val *value)
{
    seen->n = unsafe_yyjson_get_len((void *)(uintptr_t)value);
    seen->bits = haft_arena_zalloc(w->arena, words(seen->n), sizeof *seen->bits);
    return seen->bits;
}

bool hf_seen_copy(struct walk *w, struct seen *to, const struct seen *from)
{
    to->n = from->n;
    to->bits = haft_arena_alloc(w->arena, words(from->n) * sizeof *to->bits);
    if (to->bits)
        memcpy(to->bits, from->bits, words(from->n) * sizeof *to->bits);
    return to->bits;
}

void hf_seen_merge(struct seen *to, const struct seen *from)
{
    for (size_t i = 0; i < words(from->n); i++)
        to->bits[i] |= from->bits[i];
}
