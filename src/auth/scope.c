/* scope.c - sets of scopes as text. */
#include "auth/scope.h"

#include "engine/offer/scope.h"

bool hf_scope_list_is_valid(const char *list)
{
    struct text word;

    while (list && hf_scope_next(&list, &word))
        if (!hf_scope_is_valid(word.data, word.size))
            return false;
    return true;
}

bool hf_scope_covers(const char *list, const char *other)
{
    struct text word;

    while (other && hf_scope_next(&other, &word))
        if (!hf_scopes_have(list, word.data, word.size))
            return false;
    return true;
}

static size_t scope_append(char *text, size_t size, const char *list)
{
    struct text word;

    while (list && hf_scope_next(&list, &word)) {
        text[size] = '\0';
        if (!hf_scope_is_valid(word.data, word.size) || hf_scopes_have(text, word.data, word.size))
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
