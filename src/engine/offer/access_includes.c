/* access_includes.c - reads which scopes include others, also through others: "files:admin=files:write". */
#include <string.h>

#include "engine/offer/access.h"
#include "engine/offer/scope.h"

/* Finds the inclusion of that scope; NULL if there is none. */
static struct access_inclusion *access_find(const struct access *access, const char *scope,
                                            size_t size)
{
    for (size_t i = 0; i < access->n_inclusions; i++)
        if (strlen(access->inclusions[i].scope) == size &&
            !memcmp(access->inclusions[i].scope, scope, size))
            return &access->inclusions[i];
    return NULL;
}

/* Checks the words of "SCOPE=SCOPE SCOPE..."; returns what is wrong, or NULL. */
static const char *access_check_line(const char *line, size_t size)
{
    const char *at = line[size] ? line + size + 1 : "";
    struct text word = {"", 0};
    size_t n = 0;

    if (!line[size] || !hf_scope_is_valid(line, size))
        return "write SCOPE=SCOPES, such as \"files:admin=files:write files:read\"";
    if ((size == 1 && *line == '*') || hf_scopes_have(at, "*", 1))
        return "\"*\" means all scopes of a client, and takes no part in inclusions";
    for (; hf_scope_next(&at, &word); n++)
        if (!hf_scope_is_valid(word.data, word.size))
            return "a word is not a scope";
    return n ? NULL : "it includes no scope";
}

/* Adds a line to the inclusions; several lines of a scope are one. */
static int access_add_line(struct access *access, const char *line, haft_reason *reterr_reason)
{
    size_t size = strcspn(line, "="), most = ACCESS_INCLUDED * (SCOPE_SIZE + 1);
    const char *wrong = strlen(line) > most ? "it is too long" : access_check_line(line, size);
    struct access_inclusion *found;

    if (wrong)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "includes", "%s: %.80s", wrong, line);
    found = access_find(access, line, size);
    if (!found && access->n_inclusions == ACCESS_INCLUDES)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "includes",
                            "at most %d scopes can include others", ACCESS_INCLUDES);
    if (!found) {
        found = &access->inclusions[access->n_inclusions++];
        *found = (struct access_inclusion){haft_arena_copy(access->arena, line, size), ""};
    }
    found->included = haft_arena_printf(access->arena, "%s %s", found->included, line + size + 1);
    return found->scope && found->included
               ? 0
               : hf_error_set(reterr_reason, HAFT_ENOMEM, "includes", "out of memory");
}

/* The words that a scope includes, while they are collected. */
struct closure {
    struct text words[ACCESS_INCLUDED];
    size_t n, size;
};

static int closure_add(struct closure *closure, const char *scopes)
{
    struct text word = {"", 0};

    while (hf_scope_next(&scopes, &word)) {
        size_t i = 0;

        while (i < closure->n && (closure->words[i].size != word.size ||
                                  memcmp(closure->words[i].data, word.data, word.size) != 0))
            i++;
        if (i < closure->n)
            continue;
        if (i == ACCESS_INCLUDED)
            return HAFT_ETOOBIG;
        closure->words[closure->n++] = word;
        closure->size += word.size + 1;
    }
    return 0;
}

/* Adds what the included scopes include. */
static int access_close(struct access *access, struct access_inclusion *inclusion,
                        struct closure *closure, haft_reason *reterr_reason)
{
    size_t own = strlen(inclusion->scope);
    char *text;
    int status;

    closure->n = closure->size = 0;
    status = closure_add(closure, inclusion->included);
    for (size_t i = 0; !status && i < closure->n; i++) {
        const struct text *word = &closure->words[i];
        const struct access_inclusion *next = access_find(access, word->data, word->size);

        if (word->size == own && !memcmp(word->data, inclusion->scope, own))
            return hf_error_set(reterr_reason, HAFT_EINVAL, "includes",
                                "the scope %.80s includes itself", inclusion->scope);
        if (next)
            status = closure_add(closure, next->included);
    }
    if (status)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "includes",
                            "the scope %.80s includes more than %d others", inclusion->scope,
                            ACCESS_INCLUDED);
    text = haft_arena_alloc(access->arena, closure->size + 1);
    if (!text)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "includes", "out of memory");
    inclusion->included = text;
    for (size_t i = 0; i < closure->n; i++) {
        memcpy(text, closure->words[i].data, closure->words[i].size);
        text += closure->words[i].size;
        *text++ = ' ';
    }
    *text = '\0';
    return 0;
}

int hf_access_read_includes(struct access *access, const char *const *lines,
                            haft_reason *reterr_reason)
{
    struct closure *closure = NULL;
    int status = 0;

    if (!lines || !*lines)
        return 0;
    access->inclusions =
        haft_arena_zalloc(access->arena, ACCESS_INCLUDES, sizeof *access->inclusions);
    closure = haft_arena_alloc(access->arena, sizeof *closure);
    if (!access->inclusions || !closure)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "includes", "out of memory");
    for (; *lines && !status; lines++)
        status = access_add_line(access, *lines, reterr_reason);
    for (size_t i = 0; i < access->n_inclusions && !status; i++)
        status = access_close(access, &access->inclusions[i], closure, reterr_reason);
    return status;
}
