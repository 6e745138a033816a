/* idna.c - rules for labels: Punycode, contexts, direction.
 *
 * The table (idna_table.c) gives the properties of a code point; these are the rules for
 * combinations. */
#include "schema/text/idna.h"

/* ---- Punycode (RFC 3492) ---- */

enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, BIAS = 72, FIRST = 128 };

static uint32_t adapt(uint32_t delta, uint32_t count, bool first)
{
    uint32_t k = 0;

    delta = first ? delta / DAMP : delta / 2;
    delta += delta / count;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias)
{
    if (k <= bias + T_MIN)
        return T_MIN;
    return k >= bias + T_MAX ? T_MAX : k - bias;
}

static uint32_t digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 26;
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
        return (uint32_t)((c | 0x20) - 'a');
    return BASE;
}

/* Reads one variable-length number; returns false if it is truncated or too large. */
static bool read_delta(const char **at, const char *end, uint32_t bias, uint32_t *ret_delta)
{
    uint64_t delta = 0, weight = 1;

    for (uint32_t k = BASE;; k += BASE) {
        uint32_t digit = *at < end ? digit_of(*(*at)++) : BASE, t = threshold(k, bias);

        if (digit >= BASE)
            return false;
        delta += digit * weight;
        if (delta > UINT32_MAX)
            return false;
        if (digit < t)
            break;
        weight *= BASE - t;
        if (weight > UINT32_MAX)
            return false;
    }
    *ret_delta = (uint32_t)delta;
    return true;
}

size_t hf_idna_decode(const char *text, size_t size, uint32_t ret_points[IDNA_MAX_LABEL])
{
    const char *end = text + size, *at = text;
    uint32_t bias = BIAS, point = FIRST;
    uint64_t position = 0;
    size_t count = 0, basic = size;

    while (basic && text[basic - 1] != '-')
        basic--;
    if (basic > IDNA_MAX_LABEL)
        return 0;
    for (; basic && at < text + basic - 1; at++) {
        if (*at & 0x80)
            return 0;
        ret_points[count++] = (uint32_t)*at;
    }
    at = text + basic;
    while (at < end) {
        uint32_t delta;
        uint64_t before = position;

        if (count == IDNA_MAX_LABEL || !read_delta(&at, end, bias, &delta))
            return 0;
        position += delta;
        if (position / (count + 1) > 0x10FFFF)
            return 0;
        bias = adapt((uint32_t)(position - before), (uint32_t)count + 1, before == 0);
        point += (uint32_t)(position / (count + 1));
        position %= count + 1;
        if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
            return 0;
        for (size_t i = count; i > position; i--)
            ret_points[i] = ret_points[i - 1];
        ret_points[position++] = point;
        count++;
    }
    return count;
}

/* The number of digits of a delta. */
static size_t delta_size(uint32_t delta, uint32_t bias)
{
    size_t size = 1;

    for (uint32_t k = BASE;; k += BASE, size++) {
        uint32_t t = threshold(k, bias);

        if (delta < t)
            return size;
        delta = (delta - t) / (BASE - t);
    }
}

size_t hf_idna_encoded_size(const uint32_t *points, size_t count)
{
    uint32_t bias = BIAS, reached = FIRST, delta = 0;
    size_t done = 0, size;
    bool first = true;

    for (size_t i = 0; i < count; i++)
        done += points[i] < FIRST;
    size = done ? done + 1 : 0;
    while (done < count) {
        uint32_t next = UINT32_MAX;

        for (size_t i = 0; i < count; i++)
            if (points[i] >= reached && points[i] < next)
                next = points[i];
        if ((next - reached) > (UINT32_MAX - delta) / (done + 1))
            return SIZE_MAX;
        delta += (next - reached) * (uint32_t)(done + 1);
        reached = next;
        for (size_t i = 0; i < count; i++) {
            delta += points[i] < reached;
            if (points[i] != reached)
                continue;
            size += delta_size(delta, bias);
            bias = adapt(delta, (uint32_t)++done, first);
            first = false;
            delta = 0;
        }
        delta++;
        reached++;
    }
    return size;
}

/* ---- contexts (RFC 5892, appendix A) ---- */

static bool is_virama(uint32_t point)
{
    enum idna_role role = hf_idna_of(point).role;

    return role == ROLE_VIRAMA || role == ROLE_VIRAMA_TRANSPARENT;
}

static bool is_transparent(enum idna_role role)
{
    return role == ROLE_TRANSPARENT || role == ROLE_MARK_TRANSPARENT ||
           role == ROLE_VIRAMA_TRANSPARENT;
}

/* Whether a non-joiner is between two letters that would join, ignoring marks. */
static bool breaks_join(const uint32_t *points, size_t count, size_t at)
{
    enum idna_role role = ROLE_NONE;
    size_t i;

    for (i = at; i > 0; i--) {
        role = hf_idna_of(points[i - 1]).role;
        if (!is_transparent(role))
            break;
    }
    if (i == 0 || (role != ROLE_LEFT && role != ROLE_DUAL))
        return false;
    for (i = at + 1; i < count; i++) {
        role = hf_idna_of(points[i]).role;
        if (!is_transparent(role))
            break;
    }
    return i < count && (role == ROLE_RIGHT || role == ROLE_DUAL);
}

bool hf_idna_joins(const uint32_t *points, size_t count)
{
    if (count && hf_idna_of(points[0]).role >= ROLE_MARK_TRANSPARENT)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool joiner = points[i] == 0x200D, non_joiner = points[i] == 0x200C;

        if ((joiner || non_joiner) && !(i && is_virama(points[i - 1])) &&
            !(non_joiner && breaks_join(points, count, i)))
            return false;
    }
    return true;
}

static bool any_between(const uint32_t *points, size_t count, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < count; i++)
        if (points[i] >= first && points[i] <= last)
            return true;
    return false;
}

static bool any_japanese(const uint32_t *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (points[i] != 0x30FB && hf_idna_of(points[i]).script == SCRIPT_JAPANESE)
            return true;
    return false;
}

/* Whether the code point at `at` is allowed in its context. */
static bool fits_context(const uint32_t *points, size_t count, size_t at)
{
    uint32_t before = at ? points[at - 1] : 0, after = at + 1 < count ? points[at + 1] : 0;

    switch (points[at]) {
    case 0xB7:
        return before == 'l' && after == 'l';
    case 0x375:
        return hf_idna_of(after).script == SCRIPT_GREEK;
    case 0x5F3:
    case 0x5F4:
        return hf_idna_of(before).script == SCRIPT_HEBREW;
    case 0x30FB:
        return any_japanese(points, count);
    default:
        return true;
    }
}

bool hf_idna_label(const uint32_t *points, size_t count)
{
    if (!count || points[0] == '-' || points[count - 1] == '-' ||
        (count >= 4 && points[2] == '-' && points[3] == '-') || !hf_idna_joins(points, count))
        return false;
    if (any_between(points, count, 0x660, 0x669) && any_between(points, count, 0x6F0, 0x6F9))
        return false;
    for (size_t i = 0; i < count; i++)
        if (hf_idna_of(points[i]).status != IDNA_VALID || !fits_context(points, count, i))
            return false;
    return true;
}

/* ---- direction (RFC 5893) ---- */

bool hf_idna_has_rtl(const uint32_t *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum idna_bidi bidi = hf_idna_of(points[i]).bidi;

        if (bidi == BIDI_R || bidi == BIDI_AN)
            return true;
    }
    return false;
}

bool hf_idna_bidi_rule(const uint32_t *points, size_t count)
{
    enum idna_bidi first = count ? hf_idna_of(points[0]).bidi : BIDI_OTHER, last = BIDI_OTHER;
    bool rtl = first == BIDI_R, en = false, an = false;

    if (first != BIDI_R && first != BIDI_L)
        return false;
    for (size_t i = 0; i < count; i++) {
        enum idna_bidi bidi = hf_idna_of(points[i]).bidi;

        if (bidi == BIDI_OTHER || (rtl ? bidi == BIDI_L : bidi == BIDI_R || bidi == BIDI_AN))
            return false;
        en |= bidi == BIDI_EN;
        an |= bidi == BIDI_AN;
        if (bidi != BIDI_NSM)
            last = bidi;
    }
    if (rtl)
        return !(en && an) && (last == BIDI_R || last == BIDI_EN || last == BIDI_AN);
    return last == BIDI_L || last == BIDI_EN;
}
