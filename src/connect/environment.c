/* environment.c - what a child process may know of the program's environment. */
#define _GNU_SOURCE /* environ */
#include "connect/environment.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool environment_has(const char *name, size_t size, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= size; i++)
        if (!strncasecmp(name + i, word, n))
            return true;
    return false;
}

/* Whether a part of the name, between underscores, ends with it: API_KEY and APIKEY, not KEYBOARD. */
static bool environment_has_end(const char *name, size_t size, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= size; i++)
        if (!strncasecmp(name + i, word, n) && (i + n == size || name[i + n] == '_'))
            return true;
    return false;
}

bool hf_environment_is_secret(const char *name, size_t size)
{
    static const char *const anywhere[] = {"TOKEN",  "SECRET",     "PASSWORD",
                                           "PASSWD", "PASSPHRASE", "CREDENTIAL"};
    static const char *const at_end[] = {"KEY", "KEYS"};

    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        if (environment_has(name, size, anywhere[i]))
            return true;
    for (size_t i = 0; i < sizeof at_end / sizeof *at_end; i++)
        if (environment_has_end(name, size, at_end[i]))
            return true;
    return false;
}

char **hf_environment_public(haft_arena *arena)
{
    size_t n = 0, kept = 0;
    char **list;

    while (environ && environ[n])
        n++;
    list = haft_arena_zalloc(arena, n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        if (!hf_environment_is_secret(environ[i], strcspn(environ[i], "=")))
            list[kept++] = environ[i];
    return list;
}
