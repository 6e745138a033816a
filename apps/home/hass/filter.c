/* filter.c - see filter.h. */
#include "hass/filter.h"

#include <stdio.h>
#include <stdlib.h>

/* Domains that have entities in Home Assistant, also where this home has none: an entity that was
 * removed is still in histories and traces. */
static const char filter_domains[] =
    " ai_task air_quality alarm_control_panel alert assist_satellite automation binary_sensor button calendar camera "
    "climate conversation counter cover date datetime device_tracker event fan geo_location group humidifier "
    "image image_processing input_boolean input_button input_datetime input_number input_select input_text "
    "lawn_mower light lock media_player notify number person plant proximity remote scene schedule script select "
    "sensor siren stt sun switch tag text time timer todo tts update vacuum valve wake_word water_heater "
    "weather zone ";

bool hass_shows(const struct hass *hass, const char *entity_id)
{
    return !hass->entities || hf_glob_list_allows(hass->entities, entity_id);
}

/* Whether a pattern can match an id that begins with the prefix ("person."); *ret_all is set if it matches all
 * of them. */
static bool filter_touches(struct text pattern, const char *prefix, bool *ret_all)
{
    size_t size = strlen(prefix), i = 0;

    while (i < size && i < pattern.size && pattern.data[i] != '*' &&
           (pattern.data[i] == '?' || pattern.data[i] == prefix[i]))
        i++;
    *ret_all = (pattern.size == 1 && *pattern.data == '*') ||
               (i == size && pattern.size == size + 1 && pattern.data[size] == '*');
    return i == size || (i < pattern.size && pattern.data[i] == '*');
}

bool hass_shows_domain(const struct hass *hass, const char *domain)
{
    const char *list = hass->entities;
    char prefix[64];
    bool shows = list && list[strspn(list, " ,")] == '-';

    if (!list)
        return true;
    if (snprintf(prefix, sizeof prefix, "%s.", domain) >= (int)sizeof prefix)
        return false;
    while (*list) {
        size_t size = strcspn(list, ",");
        struct text pattern = text_trim(list, size);
        bool minus = pattern.size && *pattern.data == '-', all;

        pattern.data += minus;
        pattern.size -= minus;
        if (pattern.size && filter_touches(pattern, prefix, &all))
            shows = minus ? false : shows || all;
        list += size + (list[size] == ',');
    }
    return shows;
}

int hass_filter_check(const char *list, haft_reason *reterr_reason)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.*?";

    do {
        size_t size = strcspn(list, ",");
        struct text pattern = text_trim(list, size);

        if (pattern.size && *pattern.data == '-') {
            pattern.data++;
            pattern.size--;
        }
        if (strspn(pattern.data, allowed) < pattern.size ||
            (!memchr(pattern.data, '.', pattern.size) && !memchr(pattern.data, '*', pattern.size)))
            return hf_error_set(
                reterr_reason, HAFT_EINVAL, "--entities",
                "the pattern \"%.*s\" matches no entity id; write light.* or -lock.front_door",
                (int)(pattern.size < 80 ? pattern.size : 80), pattern.data);
        list += size;
    } while (*list++);
    return 0;
}

static bool filter_knows_domain(const char *word, size_t size)
{
    char wanted[64];

    if (size + 3 > sizeof wanted)
        return true;
    wanted[0] = ' ';
    memcpy(wanted + 1, word, size);
    wanted[size + 1] = ' ';
    wanted[size + 2] = '\0';
    return strstr(filter_domains, wanted) != NULL;
}

static int filter_compare_state(const void *prefix, const void *item)
{
    const struct text *wanted = prefix;

    return strncmp(wanted->data, state_id(*(struct state *const *)item), wanted->size);
}

static int filter_compare_place(const void *prefix, const void *item)
{
    const struct text *wanted = prefix;

    return strncmp(wanted->data, ((const struct place *)item)->id, wanted->size);
}

/* Whether an entity of the home begins with "domain.".  Also if there is no memory to find out. */
static bool filter_uses_domain(struct hass *hass, struct text prefix)
{
    const struct place_list *rows = &hass->places.lists[HASS_ENTITIES];
    struct state *const *sorted = hass_table_sorted(&hass->states);

    if (!sorted)
        return true;
    return (hass->states.n &&
            bsearch(&prefix, sorted, hass->states.n, sizeof *sorted, filter_compare_state)) ||
           (rows->n && bsearch(&prefix, rows->at, rows->n, sizeof *rows->at, filter_compare_place));
}

bool hass_hides_word(struct hass *hass, const char *word, size_t size)
{
    char id[ENTITY_ID_MAX + 1];
    size_t domain;

    if (!hass->entities || !hass_is_entity_id(word, size))
        return false;
    memcpy(id, word, size);
    id[size] = '\0';
    if (hass_shows(hass, id))
        return false;
    domain = strcspn(id, ".");
    return filter_knows_domain(id, domain) ||
           filter_uses_domain(hass, (struct text){id, domain + 1});
}

const char *hass_tidy_id(haft_arena *arena, const char *text, size_t size)
{
    struct text trimmed = text_trim(text, size);
    char *copy = haft_arena_copy(arena, trimmed.data, trimmed.size);

    for (size_t i = 0; copy && i < trimmed.size; i++)
        copy[i] = ascii_lower(copy[i]);
    return copy;
}

bool hass_sees(haft_call *call, const char *entity_id)
{
    const char *id = hass_tidy_id(haft_call_arena(call), entity_id, strlen(entity_id));

    return id && hass_shows(home_hass(call), id);
}

bool hass_sees_domain(haft_call *call, const char *domain)
{
    return hass_shows_domain(home_hass(call), domain);
}

bool hass_is_filtered(haft_call *call)
{
    return home_hass(call)->entities != NULL;
}
