/* bound.c - results of bounded size: a large home has thousands of entities, and a model's context ends. */
#include <string.h>

#include "json/json.h"
#include "tools/common.h"

enum {
    BOUND_BRIEF = 120, /* bytes of an attribute in a list of entities */
    BOUND_WHOLE = 2000 /* and in a result about one */
};

/* What an attribute is left out for. */
enum bound_why { BOUND_KEPT, BOUND_IN_LISTS, BOUND_ALWAYS };

static const struct {
    const char *name;
    enum bound_why why;
} bound_rows[] = {
    {"friendly_name", BOUND_IN_LISTS},      /* is `name` */
    {"icon", BOUND_IN_LISTS},               /* for a user interface */
    {"attribution", BOUND_IN_LISTS},        /* so is this */
    {"editable", BOUND_IN_LISTS},           /* and this */
    {"supported_features", BOUND_IN_LISTS}, /* bits */
    {"hs_color", BOUND_IN_LISTS},           /* rgb_color says the same */
    {"xy_color", BOUND_IN_LISTS},           /* so does this */
    {"access_token", BOUND_ALWAYS},         /* lets its reader in */
    {"entity_picture", BOUND_ALWAYS},       /* has that token in its query */
};

static enum bound_why bound_reason(const char *name)
{
    for (size_t i = 0; i < sizeof bound_rows / sizeof *bound_rows; i++)
        if (!strcmp(bound_rows[i].name, name))
            return bound_rows[i].why;
    return BOUND_KEPT;
}

/* "(2345 bytes left out)", as a value. */
static haft_value *bound_note(haft_call *call, size_t size)
{
    haft_buffer text;
    const char *note = haft_call_printf(call, "(%zu bytes left out)", size);
    haft_value *value = NULL;

    if (!note)
        return NULL;
    haft_buffer_init(&text, NULL, 256);
    haft_buffer_json_string(&text, note, strlen(note));
    if (!text.status)
        value = haft_json_read(text.data, text.size, 0, haft_call_arena(call), NULL);
    haft_buffer_finish(&text);
    return value;
}

static int bound_attributes(haft_call *call, entity *change, bool brief)
{
    size_t most = brief ? BOUND_BRIEF : BOUND_WHOLE, n = 0;
    size_t room = change->n_attributes ? change->n_attributes : 1;
    const char **keys = haft_call_alloc(call, room * sizeof *keys);
    haft_value **values = haft_call_alloc(call, room * sizeof *values);

    if (!keys || !values)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < change->n_attributes; i++) {
        enum bound_why why = bound_reason(change->attributes_keys[i]);
        haft_value *value = change->attributes[i];
        size_t size = hf_json_size(value);

        if (why == BOUND_ALWAYS || (brief && (why == BOUND_IN_LISTS || size > most)))
            continue;
        if (size > most)
            value = bound_note(call, size);
        if (!value)
            return HAFT_ENOMEM;
        keys[n] = change->attributes_keys[i];
        values[n++] = value;
    }
    change->n_attributes = n;
    change->attributes_keys = keys;
    change->attributes = values;
    return 0;
}

int home_brief(haft_call *call, entity *change)
{
    return bound_attributes(call, change, true);
}

int home_whole(haft_call *call, entity *change)
{
    return bound_attributes(call, change, false);
}

size_t home_evenly(size_t i, size_t total, size_t most)
{
    return total <= most ? i : i * total / most;
}

int home_result(haft_call *call, const entity *const *list, size_t total, entity **ret_at,
                size_t *ret_n, bool *ret_truncated)
{
    size_t n = total < HOME_MOST_ENTITIES ? total : HOME_MOST_ENTITIES;
    entity *at = haft_call_alloc(call, (n ? n : 1) * sizeof *at);
    int status = at ? 0 : HAFT_ENOMEM;

    for (size_t i = 0; i < n && !status; i++) {
        at[i] = *list[home_evenly(i, total, HOME_MOST_ENTITIES)];
        status = home_brief(call, &at[i]);
    }
    if (status)
        return status;
    *ret_at = at;
    *ret_n = n;
    if (ret_truncated)
        *ret_truncated = n < total;
    return 0;
}

int home_result_of(haft_call *call, const struct hass_states *states, entity **ret_at,
                   size_t *ret_n, bool *ret_truncated)
{
    const entity **list = haft_call_alloc(call, (states->n ? states->n : 1) * sizeof *list);

    if (!list)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < states->n; i++)
        list[i] = &states->at[i];
    return home_result(call, list, states->n, ret_at, ret_n, ret_truncated);
}
