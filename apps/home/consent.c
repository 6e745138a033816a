/* consent.c - the table of what people have agreed to. */
#include "consent.h"

#include <haft.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int home_consents_init(struct consents *consents)
{
    memset(consents, 0, sizeof *consents);
    return pthread_mutex_init(&consents->lock, NULL) ? HAFT_ENOMEM : 0;
}

void home_consents_finish(struct consents *consents)
{
    pthread_mutex_destroy(&consents->lock);
}

static int64_t consents_now(const struct consents *consents)
{
    struct timespec now;

    if (consents->now_ms)
        return consents->now_ms(consents->now_context);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The kind first: it is the program's, and has no space, so that no client can name itself into another's
 * entry. */
static bool consents_key(const char *who, const char *kind, char ret_text[CONSENT_TEXT])
{
    int size = snprintf(ret_text, CONSENT_TEXT, "%s %s", kind, who);

    return size > 0 && size < CONSENT_TEXT;
}

bool home_consents_have(struct consents *consents, const char *who, const char *kind)
{
    char text[CONSENT_TEXT];
    bool found = false;

    if (!consents_key(who, kind, text))
        return false;
    pthread_mutex_lock(&consents->lock);
    for (size_t i = 0; i < CONSENT_MOST && !found; i++)
        found = !strcmp(consents->list[i].text, text) &&
                consents->list[i].until_ms > consents_now(consents);
    pthread_mutex_unlock(&consents->lock);
    return found;
}

void home_consents_add(struct consents *consents, const char *who, const char *kind)
{
    struct consent *place = &consents->list[0];
    char text[CONSENT_TEXT];

    if (!consents_key(who, kind, text))
        return;
    pthread_mutex_lock(&consents->lock);
    for (size_t i = 1; i < CONSENT_MOST; i++)
        if (consents->list[i].until_ms < place->until_ms)
            place = &consents->list[i];
    for (size_t i = 0; i < CONSENT_MOST; i++)
        if (!strcmp(consents->list[i].text, text))
            place = &consents->list[i];
    memcpy(place->text, text, sizeof text);
    place->until_ms = consents_now(consents) + CONSENT_MS;
    pthread_mutex_unlock(&consents->lock);
}
