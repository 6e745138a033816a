/* hass/filter.h - what the option --entities hides. */
#ifndef HOME_HASS_FILTER_H
#define HOME_HASS_FILTER_H

#include "hass/client.h"

/* Whether the model may see an entity of that id, which need not exist. */
bool hass_shows(const struct hass *hass, const char *entity_id);

/* Whether it may see all entities of a domain: the list alone decides, not what the home has. */
bool hass_shows_domain(const struct hass *hass, const char *domain);

/* Whether a word of a text may name an entity that is hidden: it has the form of an entity id, is not
 * allowed, and has a domain of entities.  Whether such an entity exists makes no difference.  With the lock
 * held. */
bool hass_hides_word(struct hass *hass, const char *word, size_t size);

/* Checks a list of --entities: each pattern, with or without a minus, can match an entity id.  Returns 0, or
 * HAFT_EINVAL with the reason. */
int hass_filter_check(const char *list, haft_reason *reterr_reason);

/* A word of a text that Home Assistant would read as an entity id: redact.c. */
struct hass_word {
    size_t from, end, next;     /* where it stands; where the search goes on */
    char id[ENTITY_ID_MAX + 1]; /* as Home Assistant reads it */
};
/* The first such word at or after word->next; false if there is none. */
bool hass_next_word(const char *text, size_t size, struct hass_word *word);
/* The first word of a text at or after *from that may be hidden.  With the lock held. */
bool hass_find_hidden(struct hass *hass, const char *text, size_t size, size_t *from,
                      size_t *ret_end);

/* An entity id as Home Assistant reads it, in small letters and without spaces around it; NULL without
 * memory. */
const char *hass_tidy_id(haft_arena *arena, const char *text, size_t size);

#endif
