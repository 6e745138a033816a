/* scope.c - sets of scopes as text. */
#include "auth/scope.h"

/* Takes the next word off the list. */
static struct text scope_next(const char **list)
{
    const char *start;

    while (**list == ' ')
        ++*list;
    start = *list;
    while (**list && **list != ' ')
        ++*list;
    return (struct text){start, (size_t)(*list - start)};
}

static bool scope_is_valid(struct text word)
{
    for (size_t i = 0; i < word.size; i++)
        if (word.data[i] <= ' ' || word.data[i] >= 0x7F || strchr("\"\\", word.data[i]))
            return false;
    return word.size;
}

bool hf_scope_has(const char *list, const char *scope, size_t size)
{
    struct text word;

    if (!list)
        return false;
    do {
        word = scope_next(&list);
        if (word.size == size && size && !memcmp(word.data, scope, size))
            return true;
    } while (word.size);
    return false;
}

bool hf_scope_covers(const char *list, const char *other)
{
    struct text word;

    for (; other;) {
        word = scope_next(&other);
        if (!word.size)
            break;
        if (!hf_scope_has(list, word.data, word.size))
            return false;
    }
    return true;
}

static size_t scope_append(char *text, size_t size, const char *list)
{
    struct text word;

    for (; list;) {
        word = scope_next(&list);
        if (!word.size)
            break;
        text[size] = '\0';
        if (!scope_is_valid(word) || hf_scope_has(text, word.data, word.size))
            continue;
        if (size)
            text[size++] = ' ';
        memcpy(text + size, word.data, word.size);
        size += word.size;
    }
    text[size] = '\0';
    return size;
}

const char *hf_scope_union(haft_arena *arena, const char *left, const char *right)
{
    size_t room = (left ? strlen(left) : 0) + (right ? strlen(right) : 0) + 2;
    char *text = room <= SCOPE_LIMIT ? haft_arena_alloc(arena, room) : NULL;
    size_t size;

    if (!text)
        return NULL;
    size = scope_append(text, 0, left);
    scope_append(text, size, right);
    return text;
}
