/* template/token.c - cuts a template into text and tags, and trims whitespace as Handlebars does. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "template/token.h"

struct token_list {
    haft_arena *arena;
    struct template_token *at;
    size_t n, capacity;
};

int template_fault(haft_reason *reason, unsigned line, const char *format, ...)
{
    va_list args;
    int n;

    if (!reason)
        return HAFT_EINVAL;
    *reason = (haft_reason){.code = HAFT_EINVAL};
    n = snprintf(reason->text, sizeof reason->text, "line %u: ", line);
    va_start(args, format);
    vsnprintf(reason->text + n, sizeof reason->text - (size_t)n, format, args);
    va_end(args);
    return HAFT_EINVAL;
}

static struct template_token *token_add(struct token_list *list, enum token_kind kind,
                                        const char *text, size_t size, unsigned line)
{
    struct template_token *token;

    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        struct template_token *more = haft_arena_zalloc(list->arena, capacity, sizeof *more);

        if (!more)
            return NULL;
        if (list->n)
            memcpy(more, list->at, list->n * sizeof *more);
        list->at = more;
        list->capacity = capacity;
    }
    token = &list->at[list->n++];
    *token = (struct template_token){
        .kind = kind, .text = text, .size = size, .line = line, .whole = text, .whole_size = size};
    return token;
}

static bool token_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static void token_strip(struct template_token *token)
{
    while (token->size && token_is_space(token->text[0]))
        token->text++, token->size--;
    while (token->size && token_is_space(token->text[token->size - 1]))
        token->size--;
}

static bool token_is_word(const struct template_token *token, const char *word)
{
    size_t n = strlen(word);

    return token->size >= n && !memcmp(token->text, word, n) &&
           (token->size == n || token_is_space(token->text[n]));
}

/* Finds out which tag it is by its first characters; `token` has what is between the braces. */
static int token_classify(struct template_token *token, haft_reason *reason)
{
    static const struct {
        char sign;
        enum token_kind kind;
    } signs[] = {
        {'#', TOKEN_OPEN}, {'^', TOKEN_INVERTED}, {'/', TOKEN_CLOSE}, {'&', TOKEN_UNESCAPED}};

    token_strip(token);
    for (size_t i = 0; token->size && i < sizeof signs / sizeof signs[0]; i++)
        if (token->text[0] == signs[i].sign) {
            token->kind = signs[i].kind;
            token->text++, token->size--;
            token_strip(token);
            if (token->kind == TOKEN_INVERTED && !token->size)
                token->kind = TOKEN_ELSE;
            if (token->size && strchr("*>", token->text[0]))
                return template_fault(reason, token->line,
                                      "decorators and partials are not supported");
            return 0;
        }
    if (token->size && strchr(">*", token->text[0]))
        return template_fault(reason, token->line, "partials and decorators are not supported");
    if (token_is_word(token, "else")) {
        token->kind = TOKEN_ELSE;
        token->text += 4, token->size -= 4;
        token_strip(token);
    }
    return 0;
}

/* The end of a tag's inside: a closing `ends` outside of quotes; NULL if it is not there. */
static const char *token_find_end(const char *from, const char *end, const char *ends)
{
    size_t n = strlen(ends);
    char quote = 0;

    for (const char *p = from; p < end; p++) {
        if (quote) {
            quote = *p == quote ? 0 : quote;
        } else if ((size_t)(end - p) >= n && !memcmp(p, ends, n)) {
            return p;
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
        }
    }
    return NULL;
}

/* A comment ends with "}}", or with "--}}" if it begins with "--". */
static const char *token_find_comment_end(const char *from, const char *end)
{
    size_t least = (size_t)(end - from) >= 2 && !memcmp(from, "--", 2) ? 2 : 0;

    for (const char *p = from + least; end - p >= 2; p++)
        if (!memcmp(p, "}}", 2)) {
            const char *dashes = p[-1] == '~' ? p - 1 : p;

            if (!least || (dashes - from >= 4 && !memcmp(dashes - 2, "--", 2)))
                return p;
        }
    return NULL;
}

/* Reads a tag that begins at `from` ("{{..."); returns where it ends, or NULL with the reason. */
static const char *token_read_tag(struct token_list *list, const char *from, const char *end,
                                  unsigned line, haft_reason *reason)
{
    bool triple = end - from >= 3 && from[2] == '{';
    const char *inside = from + (triple ? 3 : 2), *stop;
    bool before = !triple && inside < end && *inside == '~', comment;
    struct template_token *token;

    if (triple && end - from >= 4 && from[3] == '{') {
        template_fault(reason, line, "raw blocks are not supported");
        return NULL;
    }
    inside += before;
    /* {{~{x}~}} */
    if (before && inside < end && *inside == '{')
        triple = true, inside++;
    comment = !triple && inside < end && *inside == '!';
    stop = comment ? token_find_comment_end(inside + 1, end)
                   : token_find_end(inside, end, triple ? "}" : "}}");
    if (stop && !triple && !comment && end - stop > 2 && stop[2] == '}') {
        template_fault(reason, line, "a tag that begins with \"{{\" ends with \"}}}\"");
        return NULL;
    }
    if (!stop || (triple && !comment && (end - stop < 3))) {
        template_fault(reason, line, "a tag is not closed: \"%.*s\"",
                       (int)(end - from > 30 ? 30 : end - from), from);
        return NULL;
    }
    token = token_add(list,
                      comment  ? TOKEN_COMMENT
                      : triple ? TOKEN_UNESCAPED
                               : TOKEN_VALUE,
                      inside, (size_t)(stop - inside), line);
    if (!token) {
        if (reason)
            *reason = (haft_reason){.code = HAFT_ENOMEM, .text = "out of memory"};
        return NULL;
    }
    token->trims_before = before;
    if (triple) {
        stop++;
        token->trims_after = *stop == '~';
        stop += token->trims_after;
        if (end - stop < 2 || memcmp(stop, "}}", 2)) {
            template_fault(reason, line, "expected \"}}}\"");
            return NULL;
        }
        token_strip(token);
        return stop + 2;
    }
    if (token->size && token->text[token->size - 1] == '~')
        token->size--, token->trims_after = true;
    if (!comment && token_classify(token, reason))
        return NULL;
    return stop + 2;
}

/* ---- whitespace ---- */

/* Whether the text ends with a line that has only whitespace; `alone` also allows no line end at all. */
static bool token_ends_line(const struct template_token *text, bool alone)
{
    for (size_t i = text->whole_size; i--;)
        if (text->whole[i] == '\n')
            return true;
        else if (!token_is_space(text->whole[i]))
            return false;
    return alone;
}

static bool token_begins_line(const struct template_token *text, bool alone)
{
    for (size_t i = 0; i < text->whole_size; i++)
        if (text->whole[i] == '\n')
            return true;
        else if (!token_is_space(text->whole[i]))
            return false;
    return alone;
}

static void token_trim_all(struct template_token *text, bool end)
{
    if (end)
        while (text->size && token_is_space(text->text[text->size - 1]))
            text->size--;
    else
        while (text->size && token_is_space(text->text[0]))
            text->text++, text->size--;
}

/* The rest of the line of a tag without other text on it. */
static void token_trim_line(struct template_token *text, bool end)
{
    if (end) {
        while (text->size &&
               (text->text[text->size - 1] == ' ' || text->text[text->size - 1] == '\t'))
            text->size--;
        return;
    }
    /* What an earlier tag has trimmed already is not trimmed again. */
    if (text->text != text->whole)
        return;
    while (text->size && (text->text[0] == ' ' || text->text[0] == '\t'))
        text->text++, text->size--;
    if (text->size > 1 && text->text[0] == '\r' && text->text[1] == '\n')
        text->text++, text->size--;
    if (text->size && text->text[0] == '\n')
        text->text++, text->size--;
}

static void token_trim(struct token_list *list, size_t i)
{
    const struct template_token *tag = &list->at[i];
    struct template_token *before = i ? &list->at[i - 1] : NULL;
    struct template_token *after = i + 1 < list->n ? &list->at[i + 1] : NULL;
    bool alone = tag->kind >= TOKEN_OPEN;

    if (before && before->kind != TOKEN_TEXT)
        alone = false;
    if (after && after->kind != TOKEN_TEXT)
        alone = false;
    alone = alone && (!before || token_ends_line(before, i == 1));
    alone = alone && (!after || token_begins_line(after, i + 2 == list->n));
    if (before && before->kind == TOKEN_TEXT) {
        if (tag->trims_before)
            token_trim_all(before, true);
        else if (alone)
            token_trim_line(before, true);
    }
    if (after && after->kind == TOKEN_TEXT) {
        if (tag->trims_after)
            token_trim_all(after, false);
        else if (alone)
            token_trim_line(after, false);
    }
}

/* ---- text ---- */

/* The next "{{", or the end.  *ret_escaped: it is behind a backslash, and text. */
static const char *token_find_tag(const char *from, const char *end, bool *ret_escaped)
{
    *ret_escaped = false;
    for (const char *p = from; end - p >= 2; p++)
        if (p[0] == '{' && p[1] == '{') {
            *ret_escaped = p > from && p[-1] == '\\';
            return p;
        }
    return end;
}

static unsigned token_count_lines(const char *from, const char *end)
{
    unsigned n = 0;

    for (; from < end; from++)
        n += *from == '\n';
    return n;
}

/* Adds the text up to a tag, and the escaped tag itself, which is text up to the next one.  Returns where the
 * next tag begins, or NULL without memory. */
static const char *token_read_text(struct token_list *list, const char *from, const char *end,
                                   unsigned line)
{
    bool escaped, twice;
    const char *tag = token_find_tag(from, end, &escaped), *next;

    twice = escaped && tag - from >= 2 && tag[-2] == '\\';
    if (tag > from + (escaped ? 1 : 0) &&
        !token_add(list, TOKEN_TEXT, from, (size_t)(tag - from) - (escaped ? 1 : 0), line))
        return NULL;
    if (!escaped || twice)
        return tag;
    next = token_find_tag(tag + 2, end, &escaped);
    next -= escaped;
    if (!token_add(list, TOKEN_TEXT, tag, (size_t)(next - tag), line))
        return NULL;
    return next;
}

int template_tokens(const char *text, size_t size, haft_arena *arena,
                    struct template_token **ret_tokens, size_t *ret_n, haft_reason *reterr_reason)
{
    struct token_list list = {.arena = arena};
    const char *end = text + size, *p = text;
    unsigned line = 1;

    while (p < end) {
        const char *next;

        if (end - p >= 2 && p[0] == '{' && p[1] == '{') {
            next = token_read_tag(&list, p, end, line, reterr_reason);
            if (!next)
                return reterr_reason && reterr_reason->code ? reterr_reason->code : HAFT_EINVAL;
        } else {
            next = token_read_text(&list, p, end, line);
            if (!next)
                return HAFT_ENOMEM;
        }
        line += token_count_lines(p, next);
        p = next;
    }
    for (size_t i = 0; i < list.n; i++)
        if (list.at[i].kind != TOKEN_TEXT)
            token_trim(&list, i);
    *ret_tokens = list.at;
    *ret_n = list.n;
    return 0;
}
