/* complete.c - suggestions for entity ids and areas. */
#include <string.h>

#include "resources.h"

static char complete_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Whether the text has the value at that place, ignoring case in ASCII. */
static bool complete_begins(const char *text, const char *value)
{
    while (*value && complete_lower(*text) == complete_lower(*value)) {
        text++;
        value++;
    }
    return !*value;
}

/* Whether the text is one of this pass: 0, the value is at its start; 1, it is behind that. */
static bool complete_matches(const char *text, const char *value, int pass)
{
    bool begins = complete_begins(text, value);

    if (!pass || begins)
        return !pass && begins;
    while (*text)
        if (complete_begins(++text, value))
            return true;
    return false;
}

int home_complete_entity(haft_call *call, const char *domain, const char *value)
{
    struct hass_states states;
    int status = hass_states(call, &states);

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; !status && i < states.n; i++)
            if ((!domain || !strcmp(states.at[i].domain, domain)) &&
                complete_matches(states.at[i].entity_id, value, pass))
                status = haft_completion_add(call, states.at[i].entity_id);
    return status;
}

int home_complete_area(haft_call *call, const char *value)
{
    struct hass_areas areas;
    int status = hass_areas(call, &areas);

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; !status && i < areas.n; i++)
            if (complete_matches(areas.at[i].name, value, pass))
                status = haft_completion_add(call, areas.at[i].name);
    return status;
}
