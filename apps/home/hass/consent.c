/* consent.c - the table of what people have agreed to. */
#include <stdio.h>

#include "hass/client.h"

static uint64_t consent_now(const struct consents *consents)
{
    return consents->now ? consents->now() : uv_hrtime();
}

/* The kind comes first: it is the program's and has no space, so that no client can name itself into the
 * entry of another kind.  A key that is too long is not kept. */
static bool consent_key(const char *who, const char *kind, char ret_text[CONSENT_TEXT])
{
    int size = snprintf(ret_text, CONSENT_TEXT, "%s %s", kind, who);

    return size > 0 && size < CONSENT_TEXT;
}

bool hass_has_consent(haft_call *call, const char *who, const char *kind)
{
    struct hass *hass = home_hass(call);
    char text[CONSENT_TEXT];
    bool found = false;

    if (!consent_key(who, kind, text))
        return false;
    uv_mutex_lock(&hass->lock);
    for (size_t i = 0; i < CONSENT_MOST && !found; i++)
        found = !strcmp(hass->consents.list[i].text, text) &&
                hass->consents.list[i].until > consent_now(&hass->consents);
    uv_mutex_unlock(&hass->lock);
    return found;
}

void hass_add_consent(haft_call *call, const char *who, const char *kind)
{
    struct hass *hass = home_hass(call);
    struct consent *list = hass->consents.list, *place = list;
    char text[CONSENT_TEXT];

    if (!consent_key(who, kind, text))
        return;
    uv_mutex_lock(&hass->lock);
    for (size_t i = 1; i < CONSENT_MOST; i++)
        if (list[i].until < place->until)
            place = &list[i];
    for (size_t i = 0; i < CONSENT_MOST; i++)
        if (!strcmp(list[i].text, text))
            place = &list[i];
    memcpy(place->text, text, sizeof text);
    place->until = consent_now(&hass->consents) + (uint64_t)CONSENT_MINUTES * 60000000000;
    uv_mutex_unlock(&hass->lock);
}
