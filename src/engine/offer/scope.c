/* scope.c - OAuth scopes: words that a client has been granted and an item requires. */
#include <stdlib.h>
#include <string.h>

#include "engine/offer/log.h"
#include "engine/offer/scope.h"

bool hf_scope_next(const char **at, struct text *ret_word)
{
    const char *start = *at + strspn(*at, " ");
    size_t size = strcspn(start, " ");

    *at = start + size;
    *ret_word = (struct text){start, size};
    return size;
}

bool hf_scope_is_valid(const char *word, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (word[i] < 0x21 || word[i] > 0x7e || word[i] == '"' || word[i] == '\\')
            return false;
    return size && size <= SCOPE_SIZE;
}

bool hf_scopes_have(const char *scopes, const char *word, size_t size)
{
    struct text own;

    while (scopes && hf_scope_next(&scopes, &own))
        if (own.size == size && !memcmp(own.data, word, size))
            return true;
    return false;
}

static int scope_order(const void *left, const void *right)
{
    const struct text *a = left, *b = right;
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);

    return order ? order : (a->size > b->size) - (a->size < b->size);
}

const char *hf_scopes_sorted(const char *scopes, haft_arena *arena)
{
    size_t room = scopes ? strlen(scopes) : 0, n = 0, size = 0;
    struct text *words = haft_arena_zalloc(arena, room / 2 + 1, sizeof *words);
    char *text = haft_arena_alloc(arena, room + 1);

    if (!words || !text)
        return NULL;
    while (scopes && hf_scope_next(&scopes, &words[n]))
        n++;
    qsort(words, n, sizeof *words, scope_order);
    for (size_t i = 0; i < n; i++) {
        if (i && !scope_order(&words[i - 1], &words[i]))
            continue;
        if (size)
            text[size++] = ' ';
        memcpy(text + size, words[i].data, words[i].size);
        size += words[i].size;
    }
    text[size] = '\0';
    return text;
}

/* ---- what an item requires ---- */

/* Refuses a word that is not a scope, or that means all scopes. */
static int scope_refuse(haft_server *server, const struct item *item, const struct text *word)
{
    if (word->size > SCOPE_SIZE)
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "scopes: a scope is longer than %d bytes", SCOPE_SIZE);
    if (word->size == 1 && *word->data == '*')
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "scopes: \"*\" cannot be required; it means all scopes of a "
                                "client");
    return hf_server_refuse(server, HAFT_EINVAL, item->name,
                            "scopes: \"%.*s\" is not a scope; scopes consist of printable ASCII "
                            "without spaces, quotes and backslashes, and are separated by spaces",
                            (int)haft_utf8_valid(word->data, word->size), word->data);
}

int hf_item_set_scopes(haft_server *server, struct item *item, const char *scopes)
{
    size_t room = scopes ? strlen(scopes) : 0, size = 0, n = 0;
    char *text = room ? haft_arena_alloc(item->arena, room + 1) : NULL;
    struct text word;

    item->scopes = NULL;
    if (room && !text)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "out of memory");
    while (room && hf_scope_next(&scopes, &word)) {
        if (!hf_scope_is_valid(word.data, word.size) || (word.size == 1 && *word.data == '*'))
            return scope_refuse(server, item, &word);
        if (n++ == SCOPES_MAX)
            return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                    "scopes: an item can require at most %d", SCOPES_MAX);
        text[size] = '\0';
        if (hf_scopes_have(text, word.data, word.size))
            return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                    "scopes: \"%.*s\" appears twice", (int)word.size, word.data);
        if (size)
            text[size++] = ' ';
        memcpy(text + size, word.data, word.size);
        size += word.size;
        text[size] = '\0';
    }
    item->scopes = n ? text : NULL;
    return 0;
}
