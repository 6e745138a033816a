/* ecma.c - translates ECMA-262 regular expressions for PCRE2.
 *
 * The two languages share most of their syntax with different meanings, so nothing is copied: every
 * term is parsed by ECMA-262's grammar (with the u flag) and rewritten in an unambiguous subset of
 * PCRE2's. Invalid terms are rejected, with their position. Forms that are valid only without the u
 * flag are accepted if they have a single meaning: a lone bracket or brace, an escaped punctuation
 * mark, [\w-.].
 *
 * One difference remains: in a loop, a group keeps what it captured in an earlier iteration, where
 * ECMA-262 resets it; a back reference in the same loop can observe that. */
#include "schema/text/ecma.h"

#include <string.h>

#define LINE_END "\\n\\r\\x{2028}\\x{2029}"

bool hf_ecma_fail(struct ecma *ecma, size_t offset, const char *error)
{
    if (!ecma->error) {
        ecma->error = error;
        ecma->error_offset = offset;
    }
    return false;
}

char hf_ecma_peek(const struct ecma *ecma, size_t ahead)
{
    return ahead < ecma->size - ecma->pos ? ecma->source[ecma->pos + ahead] : '\0';
}

uint32_t hf_ecma_next(struct ecma *ecma)
{
    const char *text = ecma->source + ecma->pos;
    uint32_t point = hf_utf8_next(&text);

    ecma->pos = (size_t)(text - ecma->source);
    return point;
}

static void ecma_put(struct ecma *ecma, const char *text)
{
    haft_buffer_puts(&ecma->out, text);
}

/* ---- names and numbers of groups ---- */

static bool is_name_byte(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80) ||
           (!first && c >= '0' && c <= '9');
}

/* The size of the group name at `offset`, which `>` must follow; 0 if there is none. */
static size_t ecma_name_size(const struct ecma *ecma, size_t offset)
{
    size_t end = offset;

    while (end < ecma->size && is_name_byte(ecma->source[end], end == offset))
        end++;
    return end < ecma->size && ecma->source[end] == '>' ? end - offset : 0;
}

static const struct ecma_name *find_name(const struct ecma *ecma, size_t offset, size_t size)
{
    for (size_t i = 0; i < ecma->n_names; i++)
        if (ecma->names[i].size == size &&
            !memcmp(ecma->source + ecma->names[i].offset, ecma->source + offset, size))
            return &ecma->names[i];
    return NULL;
}

static bool add_name(struct ecma *ecma, size_t offset)
{
    size_t size = ecma_name_size(ecma, offset);

    if (!size)
        return hf_ecma_fail(ecma, offset, "invalid group name");
    if (find_name(ecma, offset, size))
        return hf_ecma_fail(ecma, offset, "duplicate group name");
    if (ecma->n_names == ECMA_MAX_NAMES)
        return hf_ecma_fail(ecma, offset, "too many named groups");
    ecma->names[ecma->n_names++] = (struct ecma_name){offset, size, ecma->n_groups};
    return true;
}

/* A back reference may precede its group, so groups are counted before translation. */
static bool count_groups(struct ecma *ecma)
{
    bool in_class = false;

    for (size_t i = 0; i < ecma->size; i++) {
        const char *at = ecma->source + i;
        size_t left = ecma->size - i;

        if (*at == '\\') {
            i++;
        } else if (in_class || *at == '[') {
            in_class = *at != ']';
        } else if (*at == '(' && (left < 2 || at[1] != '?')) {
            ecma->n_groups++;
        } else if (*at == '(' && left > 3 && at[2] == '<' && at[3] != '=' && at[3] != '!') {
            ecma->n_groups++;
            if (!add_name(ecma, i + 3))
                return false;
        }
    }
    return true;
}

/* ---- groups ---- */

enum { KIND_GROUP, KIND_LOOK };

/* The openings of groups, their translation, and whether the group may be repeated. */
static const struct opening {
    char source[5], target[5];
    unsigned char kind;
} openings[] = {
    {"(?:", "(?:", KIND_GROUP},  {"(?=", "(?=", KIND_LOOK},   {"(?!", "(?!", KIND_LOOK},
    {"(?<=", "(?<=", KIND_LOOK}, {"(?<!", "(?<!", KIND_LOOK},
};

static bool open_group(struct ecma *ecma)
{
    const struct opening *opening = NULL;
    size_t start = ecma->pos, left = ecma->size - ecma->pos;

    if (ecma->depth == ECMA_MAX_DEPTH)
        return hf_ecma_fail(ecma, start, "groups are nested too deeply");
    for (size_t i = 0; i < sizeof openings / sizeof *openings && !opening; i++) {
        size_t size = strlen(openings[i].source);

        if (left >= size && !memcmp(ecma->source + start, openings[i].source, size))
            opening = &openings[i];
    }
    if (opening) {
        ecma->pos += strlen(opening->source);
        ecma_put(ecma, opening->target);
    } else if (hf_ecma_peek(ecma, 1) != '?') {
        ecma->pos++;
        ecma_put(ecma, "(");
    } else if (hf_ecma_peek(ecma, 2) == '<') {
        ecma->pos += 3 + ecma_name_size(ecma, start + 3) + 1;
        ecma_put(ecma, "(");
    } else {
        return hf_ecma_fail(ecma, start, "invalid group");
    }
    ecma->kinds[ecma->depth++] = opening ? opening->kind : KIND_GROUP;
    return true;
}

/* ---- quantifiers ---- */

enum { MOST_REPEATS = 65535 }; /* PCRE2's limit */

/* Reads a number at *ahead, saturating above MOST_REPEATS; returns false if there is no digit. */
static bool ecma_read_count(const struct ecma *ecma, size_t *ahead, unsigned *ret_count)
{
    size_t first = *ahead;
    unsigned count = 0;
    char c;

    while ((c = hf_ecma_peek(ecma, *ahead)) >= '0' && c <= '9') {
        count = count * 10 + (unsigned)(c - '0');
        if (count > MOST_REPEATS)
            count = MOST_REPEATS + 1;
        ++*ahead;
    }
    *ret_count = count;
    return *ahead > first;
}

/* The size of `{n}`, `{n,}` or `{n,m}` here; 0 if the brace is a literal. */
static size_t braces(const struct ecma *ecma, unsigned *ret_low, unsigned *ret_high)
{
    size_t ahead = 1;

    if (!ecma_read_count(ecma, &ahead, ret_low))
        return 0;
    *ret_high = *ret_low;
    if (hf_ecma_peek(ecma, ahead) == ',') {
        ahead++;
        if (!ecma_read_count(ecma, &ahead, ret_high))
            *ret_high = MOST_REPEATS;
    }
    return hf_ecma_peek(ecma, ahead) == '}' ? ahead + 1 : 0;
}

static bool quantifier(struct ecma *ecma, bool *repeatable)
{
    size_t start = ecma->pos, size = 1;
    unsigned low = 0, high = 0;

    if (ecma->source[start] == '{')
        size = braces(ecma, &low, &high);
    if (!*repeatable)
        return hf_ecma_fail(ecma, start, "nothing to repeat");
    if (low > MOST_REPEATS || high > MOST_REPEATS)
        return hf_ecma_fail(ecma, start, "the repeat count is too large");
    if (low > high)
        return hf_ecma_fail(ecma, start, "the repeat counts are out of order");
    haft_buffer_add(&ecma->out, ecma->source + start, size);
    ecma->pos += size;
    if (hf_ecma_peek(ecma, 0) == '?') {
        ecma->pos++;
        ecma_put(ecma, "?");
    }
    *repeatable = false;
    return true;
}

/* ---- terms ---- */

static void put_character(struct ecma *ecma, uint32_t point)
{
    char text[5] = {'\\'};

    if (point >= 0xD800 && point <= 0xDFFF) {
        ecma_put(ecma, ECMA_NEVER); /* valid UTF-8 does not contain this code point */
    } else if (point < 0x20 || point == 0x7F) {
        haft_buffer_printf(&ecma->out, "\\x{%x}", (unsigned)point);
    } else {
        size_t size = hf_utf8_put(point, text + 1);
        bool plain = point > 0x7F || is_name_byte(text[1], false) || point == ' ';

        if (point == '$')
            plain = false;
        haft_buffer_add(&ecma->out, text + plain, size + !plain);
    }
}

static bool back_reference(struct ecma *ecma)
{
    size_t start = ecma->pos, ahead = 1;
    unsigned number = 0;

    if (hf_ecma_peek(ecma, 1) == 'k') {
        size_t size = hf_ecma_peek(ecma, 2) == '<' ? ecma_name_size(ecma, start + 3) : 0;
        const struct ecma_name *name = size ? find_name(ecma, start + 3, size) : NULL;

        if (!name)
            return hf_ecma_fail(ecma, start, "reference to an unknown group");
        number = name->group;
        ahead = 3 + size + 1;
    } else {
        ecma_read_count(ecma, &ahead, &number);
        if (number == 0 || number > ecma->n_groups)
            return hf_ecma_fail(ecma, start, "reference to an unknown group");
    }
    ecma->pos += ahead;
    ecma->back_references = true;
    /* Wrapped in a group: PCRE2 repeats a bare unset reference incorrectly. */
    haft_buffer_printf(&ecma->out, "(?:\\g{%u})", number);
    return true;
}

static bool escape(struct ecma *ecma, bool *repeatable)
{
    enum ecma_escape kind;
    uint32_t point = 0;
    char c = hf_ecma_peek(ecma, 1);

    if (!hf_ecma_escape(ecma, false, &kind, &point))
        return false;
    *repeatable = true;
    if (kind == ECMA_CHARACTER) {
        put_character(ecma, point);
    } else if (kind == ECMA_OTHER && (c == 'b' || c == 'B')) {
        ecma_put(ecma, c == 'b' ? "\\b" : "\\B");
        ecma->pos += 2;
        *repeatable = false;
    } else if (kind == ECMA_OTHER) {
        return back_reference(ecma);
    }
    return true;
}

/* Translates ^ and $; PCRE2's own `$` also matches before a final \n. */
static void anchor(struct ecma *ecma, char c)
{
    if (c == '^')
        ecma_put(ecma, ecma->multiline ? "(?<![^" LINE_END "])" : "^");
    else
        ecma_put(ecma, ecma->multiline ? "(?![^" LINE_END "])" : "\\z");
    ecma->pos++;
}

static bool term(struct ecma *ecma, bool *repeatable)
{
    char c = ecma->source[ecma->pos];
    unsigned low, high;

    if (c == '*' || c == '+' || c == '?' || (c == '{' && braces(ecma, &low, &high)))
        return quantifier(ecma, repeatable);
    *repeatable = c != '(' && c != '|' && c != '^' && c != '$';
    switch (c) {
    case '(':
        return open_group(ecma);
    case ')':
        if (!ecma->depth)
            return hf_ecma_fail(ecma, ecma->pos, "unmatched )");
        *repeatable = ecma->kinds[--ecma->depth] == KIND_GROUP;
        ecma->pos++;
        ecma_put(ecma, ")");
        return true;
    case '|':
        ecma->pos++;
        ecma_put(ecma, "|");
        return true;
    case '^':
    case '$':
        anchor(ecma, c);
        return true;
    case '.':
        ecma->pos++;
        ecma_put(ecma, ecma->dot_all ? "." : "[^" LINE_END "]");
        return true;
    case '[':
        ecma->pos++;
        return hf_ecma_class(ecma);
    case '\\':
        return escape(ecma, repeatable);
    default:
        put_character(ecma, hf_ecma_next(ecma));
        return true;
    }
}

static bool read_flags(struct ecma *ecma, const char *flags)
{
    bool unicode = false;

    for (; flags && *flags; flags++) {
        bool *flag = *flags == 'i'   ? &ecma->ignore_case
                     : *flags == 'm' ? &ecma->multiline
                     : *flags == 's' ? &ecma->dot_all
                     : *flags == 'v' ? &ecma->sets
                     : *flags == 'u' ? &unicode
                                     : NULL;

        if (!flag || *flag)
            return hf_ecma_fail(ecma, 0, "invalid flags");
        *flag = true;
    }
    return !(unicode && ecma->sets) || hf_ecma_fail(ecma, 0, "invalid flags");
}

static bool translate(struct ecma *ecma, const char *flags)
{
    size_t valid = haft_utf8_valid(ecma->source, ecma->size);
    bool repeatable = false;

    if (!read_flags(ecma, flags))
        return false;
    if (ecma->size > ECMA_MAX_SIZE)
        return hf_ecma_fail(ecma, ECMA_MAX_SIZE, "the pattern is too long");
    if (valid < ecma->size)
        return hf_ecma_fail(ecma, valid, "the pattern is not valid UTF-8");
    if (!count_groups(ecma))
        return false;
    while (ecma->pos < ecma->size && !ecma->out.status) {
        if (ecma->out.size <= ecma->locate)
            ecma->located = ecma->pos;
        if (!term(ecma, &repeatable))
            return false;
    }
    return !ecma->depth || hf_ecma_fail(ecma, ecma->size, "missing )");
}

int hf_ecma_translate(struct ecma *ecma, const haft_allocator *allocator, const char *source,
                      size_t size, const char *flags, size_t locate)
{
    memset(ecma, 0, sizeof *ecma);
    ecma->source = source;
    ecma->size = size;
    ecma->locate = locate;
    haft_buffer_init(&ecma->out, allocator, (size_t)ECMA_MAX_SIZE * 16);
    if (!translate(ecma, flags))
        return ecma->out.status == HAFT_ENOMEM ? HAFT_ENOMEM : HAFT_EPATTERN;
    if (ecma->out.status == HAFT_ETOOBIG) {
        hf_ecma_fail(ecma, ecma->pos, "the pattern is too long");
        return HAFT_EPATTERN;
    }
    return ecma->out.status;
}
