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

/* Whether a part of the name, between underscores, ends with it, or is only followed by a number or
 * "FILE": API_KEY, APIKEY2 and KEYFILE, not KEYBOARD. `whole`: the part is nothing else. */
static bool environment_has_part(const char *name, size_t size, const char *word, bool whole)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= size; i++) {
        size_t end = i + n;

        if (strncasecmp(name + i, word, n) || (whole && i && name[i - 1] != '_'))
            continue;
        if (end + 4 <= size && !strncasecmp(name + end, "FILE", 4))
            end += 4;
        while (end < size && name[end] >= '0' && name[end] <= '9')
            end++;
        if (end == size || name[end] == '_')
            return true;
    }
    return false;
}

bool hf_environment_is_secret(const char *name, size_t size)
{
    static const char *const anywhere[] = {"TOKEN",  "SECRET",     "PASSWORD",
                                           "PASSWD", "PASSPHRASE", "CREDENTIAL"};
    static const char *const at_end[] = {"KEY", "KEYS", "PWD"};
    static const char *const whole[] = {"PASS", "AUTH", "PAT"};
    static const char *const plain[] = {"PWD", "OLDPWD", "SSH_AUTH_SOCK"}; /* paths */

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (size == strlen(plain[i]) && !memcmp(name, plain[i], size))
            return false;

    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        if (environment_has(name, size, anywhere[i]))
            return true;
    for (size_t i = 0; i < sizeof at_end / sizeof *at_end; i++)
        if (environment_has_part(name, size, at_end[i], false))
            return true;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (environment_has_part(name, size, whole[i], true))
            return true;
    return false;
}

/* Variables that nobody keeps secrets in, although a configuration names them: "${HOME}/notes". */
static bool environment_is_ordinary(const char *name, size_t size)
{
    static const char *const ordinary[] = {"HOME",   "HOSTNAME", "LANG", "LANGUAGE", "LOGNAME",
                                           "OLDPWD", "PATH",     "PWD",  "SHELL",    "TERM",
                                           "TMPDIR", "TZ",       "USER"};

    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        if (size == strlen(ordinary[i]) && !memcmp(name, ordinary[i], size))
            return true;
    return (size > 3 && !memcmp(name, "LC_", 3)) || (size > 4 && !memcmp(name, "XDG_", 4));
}

static bool environment_is_named(const char *named, const char *name, size_t size)
{
    for (; named && (named = strchr(named, '=')) && named[1]; named++)
        if (!strncmp(named + 1, name, size) && named[1 + size] == '=')
            return !environment_is_ordinary(name, size);
    return false;
}

char **hf_environment_public(haft_arena *arena, const char *named)
{
    size_t n = 0, kept = 0;
    char **list;

    while (environ && environ[n])
        n++;
    list = haft_arena_zalloc(arena, n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++) {
        size_t size = strcspn(environ[i], "=");

        if (!hf_environment_is_secret(environ[i], size) &&
            !environment_is_named(named, environ[i], size))
            list[kept++] = environ[i];
    }
    return list;
}
