/* common.c - what several tools share: errors, what an entity can do, and text. */
#include "tools/common.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- fields ---- */

const char *home_action_name(home_action action)
{
    return HOME_NAME(home_action, action);
}

static const haft_field texts_item = {.name = "item",
                                      .kind = HAFT_KIND_STRING,
                                      .storage = HAFT_STORAGE_KIND,
                                      .rules.string = {.max = SIZE_MAX}};
static const haft_field texts_cases[] = {
    {.name = "one",
     .kind = HAFT_KIND_STRING,
     .offset = offsetof(home_texts, one),
     .rules.string = {.max = SIZE_MAX}},
    {.name = "many",
     .kind = HAFT_KIND_ARRAY,
     .offset = offsetof(home_texts, many),
     .count = offsetof(home_texts, n_many),
     .item = &texts_item,
     .stride = sizeof(const char *),
     .rules.array = {.min = 1, .max = 50}},
};
const haft_type home_texts_type = {.struct_size = sizeof(haft_type),
                                   .field_size = sizeof(haft_field),
                                   .name = "home_texts",
                                   .shape = HAFT_SHAPE_CHOICE,
                                   .size = sizeof(home_texts),
                                   .fields = texts_cases,
                                   .n_fields = sizeof texts_cases / sizeof *texts_cases};

const char *const *home_texts_list(const home_texts *texts, size_t *ret_n)
{
    *ret_n = texts->kind == home_texts_one ? 1 : texts->n_many;
    return texts->kind == home_texts_one ? &texts->one : texts->many;
}

/* ---- errors ---- */

int home_fail(haft_call *call, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = haft_arena_vprintf(haft_call_arena(call), format, args);
    va_end(args);
    if (!text || haft_error(call, "%s", text))
        return HAFT_ENOMEM;
    return HAFT_EFAIL;
}

int home_fail_after(haft_call *call, int status, const char *format, ...)
{
    va_list args;
    const char *text;

    if (status != HAFT_EFAIL)
        return status;
    va_start(args, format);
    text = haft_arena_vprintf(haft_call_arena(call), format, args);
    va_end(args);
    return text && !haft_error(call, "%s", text) ? status : HAFT_ENOMEM;
}

/* ---- what an entity can do ---- */

int home_needs(haft_call *call, const entity *of, unsigned features, const char *cannot)
{
    for (unsigned bit = 1; bit && bit <= features; bit <<= 1)
        if ((features & bit) && entity_supports(of, bit))
            return 0;
    return home_fail(call, "%s %s.", of->entity_id, cannot);
}

const char *home_listed(haft_call *call, const entity *of, const char *attribute)
{
    haft_value *list = entity_attribute(of, attribute), *item;
    const char *text = NULL;
    size_t i, n;

    if (yyjson_is_arr(list)) {
        yyjson_arr_foreach(list, i, n, item) {
            if (!yyjson_is_str(item))
                continue;
            text = text ? haft_call_printf(call, "%s, %s", text, yyjson_get_str(item))
                        : yyjson_get_str(item);
            if (!text)
                return NULL;
        }
    }
    return text ? text : "none";
}

int home_offers(haft_call *call, const entity *of, const char *attribute, const char *what,
                const char *value)
{
    const char *possible;

    if (entity_lists(of, attribute, value))
        return 0;
    possible = home_listed(call, of, attribute);
    if (!possible)
        return HAFT_ENOMEM;
    return home_fail(call, "%s does not have the %s \"%s\". Possible: %s.", of->entity_id, what,
                     value, possible);
}

int home_within(haft_call *call, const entity *of, const char *low, const char *high,
                const char *what, double value)
{
    double min = entity_number(of, low, value), max = entity_number(of, high, value);

    if (value >= min && value <= max)
        return 0;
    return home_fail(call, "%s accepts a %s from %g to %g, not %g.", of->entity_id, what, min, max,
                     value);
}

int home_act(haft_call *call, const entity *target, const char *service, const char *data,
             entity *ret_after)
{
    int status = hass_act(call, target, service, data, ret_after);

    return status ? status : home_whole(call, ret_after);
}

/* ---- text ---- */

bool home_same_text(const char *left, const char *right)
{
    return !strcasecmp(left, right);
}

/* ---- before something dangerous ---- */

HAFT_STRUCT(confirm_form,
    HAFT_DEFAULT(HAFT_BOOLEAN(confirm, "Go on"), true));

/* The identity of the client: the one that the server has checked, or else the name that the client gives itself. */
static const char *confirm_who(haft_call *call)
{
    const char *principal = haft_call_principal(call);

    return principal ? haft_call_printf(call, "p %s", principal)
                     : haft_call_printf(call, "c %s %s", haft_client_name(call),
                                        haft_client_version(call));
}

static bool confirm_can_ask(const haft_call *call)
{
    return haft_client_can(call, "elicitation.form") ||
           (haft_client_can(call, "elicitation") && !haft_client_can(call, "elicitation.url"));
}

int home_confirm(haft_call *call, const char *kind, const char *format, ...)
{
    const char *who = confirm_who(call), *question;
    confirm_form form;
    va_list args;
    int answer;

    if (!who)
        return HAFT_ENOMEM;
    if (!confirm_can_ask(call) || hass_has_consent(call, who, kind))
        return 0;
    va_start(args, format);
    question = haft_arena_vprintf(haft_call_arena(call), format, args);
    va_end(args);
    if (question)
        question = haft_call_printf(
            call,
            "%s If you agree, you are not asked about actions of this kind (%s) for five minutes.",
            question, kind);
    if (!question)
        return HAFT_ENOMEM;
    answer = haft_elicit(call, kind, question, &confirm_form_type, &form);
    if (answer == HAFT_ECAPABILITY) /* its revision has no elicitation */
        return 0;
    if (answer == HAFT_ACCEPTED && form.confirm) {
        hass_add_consent(call, who, kind);
        return 0;
    }
    if (answer == HAFT_ACCEPTED || answer == HAFT_DECLINED || answer == HAFT_DISMISSED)
        return home_fail(call, "declined: the user did not agree to \"%s\". Nothing was changed.",
                         kind);
    return answer;
}
