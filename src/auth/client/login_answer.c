/* login_answer.c - the query of a redirect. */
#include "auth/client/login_answer.h"

#include "base/percent.h"

enum { LOGIN_ANSWER_ERROR = 64 };

static const char **login_answer_place(struct login_answer *answer, struct text name)
{
    const struct {
        const char *name, **place;
    } known[] = {{"state", &answer->state},
                 {"code", &answer->code},
                 {"iss", &answer->iss},
                 {"error", &answer->error}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == name.size && !memcmp(known[i].name, name.data, name.size))
            return known[i].place;
    return NULL;
}

int hf_login_answer_read(const char *query, size_t size, haft_arena *arena,
                         struct login_answer *ret_answer)
{
    struct login_answer answer = {.state = NULL};

    if (size > LOGIN_ANSWER_LIMIT)
        return HAFT_EPROTOCOL;
    while (size) {
        const char *end = memchr(query, '&', size), *equals;
        size_t part = end ? (size_t)(end - query) : size;
        const char **place;
        int status;

        equals = memchr(query, '=', part);
        place = equals ? login_answer_place(&answer, (struct text){query, (size_t)(equals - query)})
                       : NULL;
        if (place) {
            if (*place)
                return HAFT_EPROTOCOL;
            *place = hf_percent_decode(arena, equals + 1, part - (size_t)(equals + 1 - query), true,
                                       &status);
            if (!*place)
                return status == HAFT_ENOMEM ? status : HAFT_EPROTOCOL;
        }
        query += part + (end != NULL);
        size -= part + (end != NULL);
    }
    *ret_answer = answer;
    return 0;
}

bool hf_oauth_error_is_plain(const char *error)
{
    size_t i;

    for (i = 0; error[i]; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_-.", ascii_lower(error[i])))
            return false;
    return i && i <= LOGIN_ANSWER_ERROR;
}
