/* emit_checks.c - writes checks as JSON Schema keywords.
 *
 * Of several checks of a kind, the strictest is written. Patterns and divisors cannot be ordered:
 * the first becomes a keyword and the others an allOf. */
#include <string.h>

#include "schema/emit/emit.h"

bool hf_emits_integer(const struct node *node)
{
    for (size_t i = 0; i < node->n_checks; i++)
        if (node->checks[i].op == CHECK_INT_FORMAT)
            return true;
    return false;
}

static bool is_max(enum check_op op)
{
    return op == CHECK_MAX_LENGTH || op == CHECK_MAX_ITEMS || op == CHECK_MAX_PROPERTIES;
}

/* The strictest size among checks `op` and `exact`. */
static bool emit_checks_size_of(const struct node *node, enum check_op op, enum check_op exact,
                                size_t *ret_size)
{
    bool found = false;

    for (size_t i = 0; i < node->n_checks; i++) {
        const struct check *check = &node->checks[i];

        if (check->op != op && check->op != exact)
            continue;
        if (!found || (is_max(op) ? check->size < *ret_size : check->size > *ret_size))
            *ret_size = check->size;
        found = true;
    }
    return found;
}

static void emit_sizes(struct emit *e, const struct node *node)
{
    static const struct {
        enum check_op op, exact;
        const char *key;
    } keys[] = {
        {CHECK_MIN_LENGTH, CHECK_LENGTH, "minLength"},
        {CHECK_MAX_LENGTH, CHECK_LENGTH, "maxLength"},
        {CHECK_MIN_ITEMS, CHECK_ITEMS, "minItems"},
        {CHECK_MAX_ITEMS, CHECK_ITEMS, "maxItems"},
        {CHECK_MIN_PROPERTIES, CHECK_MIN_PROPERTIES, "minProperties"},
        {CHECK_MAX_PROPERTIES, CHECK_MAX_PROPERTIES, "maxProperties"},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t size = 0;

        if (emit_checks_size_of(node, keys[i].op, keys[i].exact, &size))
            hf_emit_size(e, keys[i].key, size);
    }
    for (size_t i = 0; i < node->n_checks; i++)
        if (node->checks[i].op == CHECK_UNIQUE) {
            hf_emit_flag(e, "uniqueItems", true);
            break;
        }
}

/* ---- bounds ---- */

struct bound {
    const yyjson_val *value;
    bool exclusive;
};

static void tighten(struct bound *bound, const yyjson_val *value, bool exclusive, int sign)
{
    int order = bound->value ? hf_json_compare(value, bound->value) * sign : 1;

    if (order > 0 || (order == 0 && exclusive))
        *bound = (struct bound){value, exclusive};
}

static void emit_bound(struct emit *e, const struct bound *bound, const char *key,
                       const char *exclusive_key)
{
    if (bound->value)
        hf_emit_json(e, bound->exclusive ? exclusive_key : key, bound->value);
}

static void emit_bounds(struct emit *e, const struct node *node)
{
    struct bound low = {NULL, false}, high = {NULL, false};

    for (size_t i = 0; i < node->n_checks; i++) {
        const struct check *check = &node->checks[i];

        if (check->op == CHECK_MIN)
            tighten(&low, &check->bound, check->exclusive, 1);
        else if (check->op == CHECK_MAX)
            tighten(&high, &check->bound, check->exclusive, -1);
        if (check->op == CHECK_INT_FORMAT || check->op == CHECK_FLOAT_FORMAT) {
            tighten(&low, &check->bound, false, 1);
            tighten(&high, &check->bound2, false, -1);
        }
    }
    emit_bound(e, &low, "minimum", "exclusiveMinimum");
    emit_bound(e, &high, "maximum", "exclusiveMaximum");
}

/* ---- patterns ---- */

static void put_pattern(haft_buffer *pattern, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (strchr("\\^$.*+?()[]{}|/", text[i]) && text[i])
            haft_buffer_add(pattern, "\\", 1);
        haft_buffer_add(pattern, text + i, 1);
    }
}

/* Writes a letter in both cases, which replaces the flag for ignoring case. */
static void put_letter(haft_buffer *pattern, char c, bool in_class)
{
    char other = (char)(c ^ 0x20);

    haft_buffer_printf(pattern, in_class ? "%c%c" : "[%c%c]", c, other);
}

static bool emit_checks_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Writes the pattern without its flags; returns false if that is impossible. */
static bool put_flagless(haft_buffer *pattern, const struct pattern *from)
{
    const char *p = from->source;
    bool in_class = false;

    if (strspn(from->flags, "uv") == strlen(from->flags)) {
        haft_buffer_puts(pattern, p);
        return true;
    }
    if (strspn(from->flags, "iuv") != strlen(from->flags))
        return false;
    for (; *p; p++) {
        if (*p == '\\') {
            if (!p[1] || strchr("uxpPkc", p[1]) || (p[1] >= '1' && p[1] <= '9'))
                return false;
            haft_buffer_add(pattern, p++, 2);
        } else if (in_class && emit_checks_is_letter(*p) && p[1] == '-' &&
                   emit_checks_is_letter(p[2])) {
            haft_buffer_printf(pattern, "%c-%c%c-%c", *p, p[2], *p ^ 0x20, p[2] ^ 0x20);
            p += 2;
        } else if (*p == '(' && p[1] == '?') {
            if (p[2] == '<' && emit_checks_is_letter(p[3]))
                return false;
            haft_buffer_add(pattern, p, p[2] == '<' ? 4 : 3);
            p += p[2] == '<' ? 3 : 2;
        } else if (emit_checks_is_letter(*p)) {
            put_letter(pattern, *p, in_class);
        } else {
            in_class = *p == '[' || (in_class && *p != ']');
            haft_buffer_add(pattern, p, 1);
        }
    }
    return true;
}

/* Writes the pattern equivalent to a check; returns false if there is none. */
static bool pattern_of(const struct check *check, haft_buffer *pattern)
{
    switch ((enum check_op)check->op) {
    case CHECK_PATTERN:
        return put_flagless(pattern, check->pattern);
    case CHECK_FORMAT:
        if (check->format->pattern)
            haft_buffer_puts(pattern, check->format->pattern);
        return check->format->pattern != NULL;
    case CHECK_STARTS:
        haft_buffer_add(pattern, "^", 1);
        put_pattern(pattern, check->text, check->text_size);
        return true;
    case CHECK_ENDS:
        put_pattern(pattern, check->text, check->text_size);
        haft_buffer_add(pattern, "$", 1);
        return true;
    case CHECK_INCLUDES:
        if (check->size)
            haft_buffer_printf(pattern, "^[\\s\\S]{%zu,}", check->size);
        put_pattern(pattern, check->text, check->text_size);
        return true;
    default:
        return false;
    }
}

/* Writes a check that may occur more than once (patterns, then divisors). */
static bool emit_nth(struct emit *e, const struct check *check)
{
    haft_buffer pattern;
    bool emitted = false;

    if (check->op == CHECK_MULTIPLE_OF) {
        hf_emit_json(e, "multipleOf", &check->bound);
        return true;
    }
    haft_buffer_init(&pattern, e->json.out->allocator, 1 << 20);
    if (pattern_of(check, &pattern)) {
        haft_buffer_add(&pattern, "", 1);
        if (pattern.status && !e->json.out->status)
            e->json.out->status = pattern.status;
        if (!pattern.status)
            hf_emit_text(e, "pattern", pattern.data);
        emitted = true;
    }
    haft_buffer_finish(&pattern);
    return emitted;
}

static bool may_repeat(const struct check *check)
{
    if (check->op == CHECK_FORMAT)
        return check->format->pattern != NULL;
    return check->op == CHECK_MULTIPLE_OF ||
           (check->op >= CHECK_PATTERN && check->op <= CHECK_INCLUDES);
}

/* The index of a check among those of its kind. */
static size_t nth_of(const struct node *node, size_t i)
{
    bool divides = node->checks[i].op == CHECK_MULTIPLE_OF;
    size_t n = 0;

    for (size_t k = 0; k < i; k++)
        n += may_repeat(&node->checks[k]) && (node->checks[k].op == CHECK_MULTIPLE_OF) == divides;
    return n;
}

static void emit_format(struct emit *e, const struct node *node)
{
    const struct check *found = NULL;

    for (size_t i = 0; i < node->n_checks; i++)
        if (node->checks[i].op == CHECK_FORMAT && node->checks[i].format->json_name)
            found = &node->checks[i];
    if (!found)
        return;
    hf_emit_text(e, "format", found->format->json_name);
    if (!strcmp(found->format->json_name, "base64") ||
        !strcmp(found->format->json_name, "base64url"))
        hf_emit_text(e, "contentEncoding", found->format->json_name);
}

size_t hf_emit_checks(struct emit *e, const struct node *node)
{
    size_t parts = 0;

    emit_sizes(e, node);
    emit_bounds(e, node);
    emit_format(e, node);
    for (size_t i = 0; i < node->n_checks; i++) {
        if (!may_repeat(&node->checks[i]))
            continue;
        if (nth_of(node, i))
            parts++;
        else
            emit_nth(e, &node->checks[i]);
    }
    return parts;
}

void hf_emit_check_parts(struct emit *e, const struct node *node)
{
    for (size_t i = 0; i < node->n_checks; i++) {
        if (!may_repeat(&node->checks[i]) || !nth_of(node, i))
            continue;
        hf_json_begin_object(&e->json);
        emit_nth(e, &node->checks[i]);
        hf_json_end_object(&e->json);
    }
}
