/* uri_match.c - matches a URI against a template; the rules are in uri_template.h.
 *
 * Parts are processed from last to first. For each part and each position in the URI, this records
 * where the part would end if it starts there and the rest still matches. One pass from the start
 * then reads off the result. Nothing is tried twice, so no URI takes exponential time. */
#include <string.h>

#include "engine/offer/uri_template.h"

enum { NOWHERE = 0xFFFF };

_Static_assert((int)ADDRESS_LIMIT < (int)NOWHERE, "places are kept as 16 bits");

struct value {
    char *data; /* NULL if unset */
    size_t size;
};

struct uri_match {
    const struct uri_template *made;
    const uint32_t *units;
    size_t n;
    haft_arena *arena;
    uint16_t *ends; /* [part][position]: where the part that starts there ends, or NOWHERE */
    struct value values[MAX_PARTS];
};

static bool holds(const struct part *part, uint32_t unit)
{
    const char *stops = part->expression->stops;
    uint32_t c = unit & ~ADDRESS_ENCODED;

    if (c >= 0x80)
        return true;
    if (unit == '/' && part->segments)
        return true;
    if (c == '/' && *stops == '/')
        return false;
    return (unit & ADDRESS_ENCODED) || !strchr(stops, (char)c);
}

static void end_literals(const struct uri_match *match, const struct address *literal,
                         const uint16_t *next, uint16_t *ends)
{
    for (size_t at = 0; at + literal->n <= match->n; at++)
        if (next[at + literal->n] != NOWHERE &&
            !memcmp(match->units + at, literal->units, literal->n * sizeof *literal->units))
            ends[at] = (uint16_t)(at + literal->n);
}

static void end_values(const struct uri_match *match, const struct part *part, const uint16_t *next,
                       uint16_t *ends)
{
    bool named = part->expression->named;
    size_t longest = named ? 0 : match->made->variables[part->first].longest;
    size_t near = NOWHERE;      /* first position after this one at which a value can end */
    size_t value_end = NOWHERE; /* where a value that starts at the next position ends */

    for (size_t at = match->n + 1; at-- > 0;) {
        size_t end = at < match->n && holds(part, match->units[at]) ? near : NOWHERE;
        size_t after = named ? near : value_end; /* a query may be empty */

        near = next[at] != NOWHERE ? at : end;
        value_end = longest && end != NOWHERE && end - at > longest ? NOWHERE : end;
        if (!part->before)
            ends[at] = (uint16_t)value_end;
        else if (after != NOWHERE && match->units[at] == (unsigned char)part->before)
            ends[at] = (uint16_t)after;
        else if (next[at] != NOWHERE)
            ends[at] = (uint16_t)at;
    }
}

static void find_ends(const struct uri_match *match)
{
    size_t stride = match->n + 1;
    uint16_t *next = match->ends + match->made->n_parts * stride;

    for (size_t i = 0; i < (match->made->n_parts + 1) * stride; i++)
        match->ends[i] = NOWHERE;
    next[match->n] = (uint16_t)match->n;
    for (size_t i = match->made->n_parts; i-- > 0; next -= stride) {
        const struct part *part = &match->made->parts[i];

        if (part->expression)
            end_values(match, part, next, next - stride);
        else
            end_literals(match, &part->literal, next, next - stride);
    }
}

/* ---- reading the result ---- */

static size_t until(const uint32_t *units, size_t from, size_t to, char stop)
{
    while (from < to && units[from] != (unsigned char)stop)
        from++;
    return from;
}

static ptrdiff_t variable_named(const struct uri_match *match, const struct part *part, size_t from,
                                size_t to)
{
    for (size_t i = part->first; i < part->first + part->n; i++) {
        const struct address *name = &match->made->variables[i].units;

        if (name->n == to - from &&
            !memcmp(name->units, match->units + from, name->n * sizeof *name->units))
            return (ptrdiff_t)i;
    }
    return -1;
}

/* Sets a variable, or appends to an exploded one. Returns 1, 0 if that is impossible, or
 * HAFT_ENOMEM. */
static int set(struct uri_match *match, size_t index, size_t from, size_t to)
{
    const struct variable *variable = &match->made->variables[index];
    struct value *value = &match->values[index];

    if (variable->longest && to - from > variable->longest)
        return 0;
    if (value->data && !variable->exploded)
        return 0;
    if (value->data) {
        value->data[value->size++] = ',';
    } else {
        /* Room for everything that may still be appended. */
        size_t most = (variable->exploded ? match->n : to) - from;

        value->data = haft_arena_alloc(match->arena, most * 4 + 1);
        if (!value->data)
            return HAFT_ENOMEM;
    }
    for (; from < to; from++)
        value->size +=
            hf_utf8_put(match->units[from] & ~ADDRESS_ENCODED, value->data + value->size);
    value->data[value->size] = '\0';
    return 1;
}

static int set_named(struct uri_match *match, const struct part *part, size_t from, size_t to)
{
    int status = 1;

    for (size_t end; status > 0 && from < to; from = end + 1) {
        size_t equals;
        ptrdiff_t index;

        end = until(match->units, from, to, part->expression->next);
        equals = until(match->units, from, end, '=');
        index = variable_named(match, part, from, equals);
        if (index >= 0)
            status = set(match, (size_t)index, equals < end ? equals + 1 : end, end);
    }
    return status;
}

static int set_all(struct uri_match *match)
{
    size_t at = 0, stride = match->n + 1;
    int status = 1;

    for (size_t i = 0; status > 0 && i < match->made->n_parts; i++) {
        const struct part *part = &match->made->parts[i];
        size_t end = match->ends[i * stride + at], from = at + (part->before != 0);

        if (part->expression && end > at)
            status = part->expression->named ? set_named(match, part, from, end)
                                             : set(match, part->first, from, end);
        at = end;
    }
    return status;
}

static int put_pairs(const struct uri_match *match, const struct text **ret_pairs, size_t *ret_n)
{
    const struct uri_template *made = match->made;
    struct text *pairs =
        haft_arena_alloc(match->arena, (made->n_variables * 2 + 1) * sizeof *pairs);
    size_t n = 0;

    if (!pairs)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < made->n_variables; i++) {
        if (!match->values[i].data)
            continue;
        pairs[n * 2] = made->variables[i].name;
        pairs[n * 2 + 1] = (struct text){match->values[i].data, match->values[i].size};
        n++;
    }
    *ret_pairs = pairs;
    *ret_n = n;
    return 1;
}

/* Fast rejection by the literal prefix, which distinguishes most URIs. */
static bool uri_match_begins(const struct uri_template *made, const struct address *address)
{
    const struct address *literal = &made->parts[0].literal;

    return made->parts[0].expression ||
           (address->n >= literal->n &&
            !memcmp(address->units, literal->units, literal->n * sizeof *literal->units));
}

int hf_uri_template_match(const struct uri_template *uri_template, const struct address *address,
                          haft_arena *arena, const struct text **ret_pairs, size_t *ret_n)
{
    struct uri_match match = {
        .made = uri_template, .units = address->units, .n = address->n, .arena = arena};
    arena_mark mark = hf_arena_save(arena);
    int status = 0;

    if (!uri_match_begins(uri_template, address))
        return 0;
    match.ends = haft_arena_alloc(arena, (uri_template->n_parts + 1) * (address->n + 1) *
                                             sizeof *match.ends);
    if (!match.ends)
        return HAFT_ENOMEM;
    find_ends(&match);
    if (match.ends[0] != NOWHERE)
        status = set_all(&match);
    if (status > 0)
        status = put_pairs(&match, ret_pairs, ret_n);
    if (status <= 0)
        hf_arena_rewind(arena, mark);
    return status;
}
