/* redact.c - see redact.h.
 *
 * A text is searched for words that look like entity ids; `states.lock.door.state` has the two words in the
 * middle.  A reader of the result cannot tell how long a hidden id was. */
#include "hass/redact.h"

#include "hass/filter.h"

static const char redact_mark[] = "[hidden]";

/* ---- text ---- */

/* Home Assistant makes a small k of it: no other character outside ASCII becomes a letter of an id. */
static const char redact_kelvin[] = "\xE2\x84\xAA";

/* The character of an id that stands there, and its size; 0 if there is none. */
static size_t redact_part(const char *text, size_t size, size_t at, char *ret_char)
{
    char c = at < size ? ascii_lower(text[at]) : ' ';

    if (size - at >= 3 && !memcmp(text + at, redact_kelvin, 3)) {
        *ret_char = 'k';
        return 3;
    }
    *ret_char = c;
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Adds a run of such characters, which begins at *at, to an id that has `n` characters.  Returns how many it has
 * then; those beyond the longest id are only counted. */
static size_t redact_run(const char *text, size_t size, size_t *at, char *id, size_t n)
{
    size_t step;
    char c;

    while ((step = redact_part(text, size, *at, &c)) > 0) {
        if (n < ENTITY_ID_MAX)
            id[n] = c;
        n++;
        *at += step;
    }
    return n;
}

bool hass_next_word(const char *text, size_t size, struct hass_word *word)
{
    size_t at = word->next;

    while (at < size) {
        size_t from = at, n = redact_run(text, size, &at, word->id, 0), domain = n;

        at++; /* what ended the run: a dot, if this is to be an id */
        if (!domain || at >= size || text[at - 1] != '.')
            continue;
        word->from = from;
        word->next = word->end = at;
        if (n < ENTITY_ID_MAX)
            word->id[n] = '.';
        n = redact_run(text, size, &word->end, word->id, n + 1);
        if (n == domain + 1 || n > ENTITY_ID_MAX)
            continue;
        word->id[n] = '\0';
        return true;
    }
    return false;
}

bool hass_find_hidden(struct hass *hass, const char *text, size_t size, size_t *from,
                      size_t *ret_end)
{
    struct hass_word word = {.next = *from};

    while (hass_next_word(text, size, &word))
        if (hass_hides_word(hass, word.id, strlen(word.id))) {
            *from = word.from;
            *ret_end = word.end;
            return true;
        }
    return false;
}

/* Whether the whole text is one such word. */
static bool redact_hides(struct hass *hass, const char *text, size_t size)
{
    size_t from = 0, end;

    return hass_find_hidden(hass, text, size, &from, &end) && !from && end == size;
}

static bool redact_is_clean(struct hass *hass, const char *text, size_t size)
{
    size_t from = 0, end;

    return !hass_find_hidden(hass, text, size, &from, &end);
}

static void redact_text(struct hass *hass, const char *text, size_t size, haft_buffer *out)
{
    size_t done = 0, from = 0, end;

    while (hass_find_hidden(hass, text, size, &from, &end)) {
        haft_buffer_add(out, text + done, from - done);
        haft_buffer_puts(out, redact_mark);
        done = from = end;
    }
    haft_buffer_add(out, text + done, size - done);
}

/* ---- JSON ---- */

/* Whether the name of a service stands there, which looks like an entity id. */
static bool redact_is_service(struct hass *hass, const char *key, yyjson_val *value)
{
    const char *text = yyjson_get_str(value);

    return text && key &&
           (!strcmp(key, "service") || !strcmp(key, "action") || !strcmp(key, "perform_action")) &&
           !hass_table_find(&hass->states, text, yyjson_get_len(value)) &&
           !hass_place(&hass->places, HASS_ENTITIES, text);
}

/* Whether an id, or each of several, is hidden. */
static bool redact_hides_ids(struct hass *hass, yyjson_val *ids)
{
    size_t i, n;
    yyjson_val *item;

    if (yyjson_is_str(ids))
        return redact_hides(hass, yyjson_get_str(ids), yyjson_get_len(ids));
    if (!yyjson_is_arr(ids))
        return false;
    yyjson_arr_foreach(ids, i, n, item)
        if (!yyjson_is_str(item) || !redact_hides(hass, yyjson_get_str(item), yyjson_get_len(item)))
            return false;
    return yyjson_arr_size(ids) > 0;
}

/* Whether a value is nothing but a hidden id, or an object about hidden entities.  A group, which has attributes,
 * is not about its members. */
static bool redact_is_about(struct hass *hass, const char *key, yyjson_val *value)
{
    /* Of states, services and logs; of cards; of list_for_display; of what caused an entry of a log. */
    static const char *const keys[] = {"entity_id",    "entity", "entity_ids",
                                       "statistic_id", "ei",     "context_entity_id"};
    bool attributes = key && !strcmp(key, "attributes");

    if (yyjson_is_str(value))
        return redact_hides_ids(hass, value);
    for (size_t i = 0; yyjson_is_obj(value) && i < sizeof keys / sizeof *keys; i++) {
        yyjson_val *ids = yyjson_obj_get(value, keys[i]);

        if (redact_hides_ids(hass, ids) && (yyjson_is_str(ids) || !attributes))
            return true;
    }
    return false;
}

/* A member that may belong to a hidden entity, which the same object mentions. */
static bool redact_is_secret(const char *key)
{
    static const char *const keys[] = {"code", "pin", "password"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

/* Whether anything in the value is hidden; it nests no deeper than a message may. */
static bool redact_is_needed(struct hass *hass, const char *key, yyjson_val *value)
{
    yyjson_val *name, *item;
    size_t i, max;

    if (yyjson_is_str(value))
        return !redact_is_service(hass, key, value) &&
               !redact_is_clean(hass, yyjson_get_str(value), yyjson_get_len(value));
    if (yyjson_is_arr(value))
        yyjson_arr_foreach(value, i, max, item)
            if (redact_is_needed(hass, NULL, item))
                return true;
    if (yyjson_is_obj(value))
        yyjson_obj_foreach(value, i, max, name, item)
            if (!redact_is_clean(hass, yyjson_get_str(name), yyjson_get_len(name)) ||
                redact_is_needed(hass, yyjson_get_str(name), item))
                return true;
    return false;
}

struct redaction {
    struct hass *hass;
    struct json_writer w;
    haft_buffer text; /* of one string */
};

static void redact_write(struct redaction *r, const char *key, yyjson_val *value);

static void redact_write_object(struct redaction *r, const char *of, yyjson_val *value)
{
    yyjson_val *name, *item;
    size_t i, max;

    hf_json_begin_object(&r->w);
    yyjson_obj_foreach(value, i, max, name, item) {
        const char *key = yyjson_get_str(name);

        if (!redact_is_clean(r->hass, key, yyjson_get_len(name)) ||
            (redact_is_about(r->hass, key, item) && !redact_is_service(r->hass, key, item)) ||
            (redact_is_secret(key) && redact_is_needed(r->hass, of, value)))
            continue;
        hf_json_name(&r->w, key, yyjson_get_len(name));
        redact_write(r, key, item);
    }
    hf_json_end_object(&r->w);
}

static void redact_write(struct redaction *r, const char *key, yyjson_val *value)
{
    yyjson_val *item;
    size_t i, max;

    if (yyjson_is_arr(value)) {
        hf_json_begin_array(&r->w);
        yyjson_arr_foreach(value, i, max, item)
            if (!redact_is_about(r->hass, NULL, item))
                redact_write(r, NULL, item);
        hf_json_end_array(&r->w);
    } else if (yyjson_is_obj(value)) {
        redact_write_object(r, key, value);
    } else if (yyjson_is_str(value) && !redact_is_service(r->hass, key, value)) {
        haft_buffer_clear(&r->text);
        redact_text(r->hass, yyjson_get_str(value), yyjson_get_len(value), &r->text);
        hf_json_string(&r->w, r->text.data ? r->text.data : "", r->text.size);
    } else {
        hf_json_value(&r->w, value);
    }
}

int hass_redact_value(struct hass *hass, haft_arena *arena, yyjson_val *value,
                      yyjson_val **ret_value)
{
    struct redaction r = {.hass = hass};
    haft_buffer out;
    const char *why;
    size_t at;
    int status;
    bool needed;

    *ret_value = value;
    if (!hass->entities)
        return 0;
    uv_mutex_lock(&hass->lock);
    needed = redact_is_needed(hass, NULL, value);
    if (!needed) {
        uv_mutex_unlock(&hass->lock);
        return 0;
    }
    haft_buffer_init(&out, hass->allocator, 64 << 20);
    haft_buffer_init(&r.text, hass->allocator, 64 << 20);
    r.w.out = &out;
    if (redact_is_about(hass, "attributes", value))
        hf_json_null(&r.w);
    else
        redact_write(&r, "attributes", value);
    uv_mutex_unlock(&hass->lock);
    status = out.status ? out.status : r.text.status;
    if (!status)
        status = hf_json_parse(out.data, out.size, arena, ret_value, &at, &why);
    haft_buffer_finish(&out);
    haft_buffer_finish(&r.text);
    return status;
}

/* ---- for tools ---- */

haft_value *hass_redact(haft_call *call, haft_value *value)
{
    yyjson_val *clean;

    if (hass_redact_value(home_hass(call), haft_call_arena(call), value, &clean)) {
        hass_no_memory(call);
        return NULL;
    }
    return clean;
}

const char *hass_redact_text(haft_call *call, const char *text, size_t size)
{
    struct hass *hass = home_hass(call);
    haft_buffer out;
    const char *copy;

    if (!hass->entities)
        return haft_arena_copy(haft_call_arena(call), text, size);
    haft_buffer_init(&out, hass->allocator, 64 << 20);
    uv_mutex_lock(&hass->lock);
    redact_text(hass, text, size, &out);
    uv_mutex_unlock(&hass->lock);
    copy = out.status ? NULL
                      : haft_arena_copy(haft_call_arena(call), out.data ? out.data : "", out.size);
    haft_buffer_finish(&out);
    if (!copy)
        hass_no_memory(call);
    return copy;
}
