/* voice_command_executor - does what a parsed command says: finds the entities that are meant, and calls the
 * service.  It asks before it unlocks or disarms. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "tools/acts.h"
#include "voice/voice.h"

enum { SPOKEN_MOST = 50, SPOKEN_STEP = 51 }; /* a fifth of the brightness */

HAFT_STRUCT(voice_executor_args,
    HAFT_OBJECT(intent, voice_intent, "Of voice_command_parser"));
HAFT_STRUCT(voice_executor_result,
    HAFT_ARRAY(changed, HAFT_OBJECT(item, entity, NULL), NULL));

/* ---- what is meant ---- */

/* Letters and digits of a text are compared; everything else is space. */
static bool spoken_has_word(const char *text, const char *word, size_t size)
{
    for (const char *at = text; *at;) {
        size_t n = 0;

        while (isalnum((unsigned char)at[n]))
            n++;
        if (n == size && !strncasecmp(at, word, size))
            return true;
        at += n ? n : 1;
    }
    return false;
}

/* Whether every word of `words` is in the text. */
static bool spoken_has_words(const char *text, const char *words)
{
    bool any = false;

    for (const char *at = words; *at;) {
        size_t n = 0;

        while (isalnum((unsigned char)at[n]))
            n++;
        if (n && !spoken_has_word(text, at, n))
            return false;
        any = any || n;
        at += n ? n : 1;
    }
    return any;
}

/* How an entity is meant by a target; the first that finds one decides. */
static bool spoken_by_name(const entity *one, const char *target)
{
    return home_same_text(one->name, target) || home_same_text(one->entity_id, target);
}

static bool spoken_by_area(const entity *one, const char *target)
{
    return one->has_area && home_same_text(one->area, target);
}

static bool spoken_by_words(const entity *one, const char *target)
{
    return spoken_has_words(one->name, target);
}

static bool spoken_by_place(const entity *one, const char *target)
{
    return one->has_area && spoken_has_words(target, one->area);
}

static bool spoken_by_all(const entity *one, const char *target)
{
    return one && !strcmp(target, "all");
}

static bool spoken_by_domain(const entity *one, const char *target)
{
    return one && !*target;
}

static const struct {
    bool (*means)(const entity *one, const char *target);
    bool several; /* it may mean several */
} spoken_rules[] = {
    {spoken_by_all, true},    {spoken_by_name, false},  {spoken_by_area, true},
    {spoken_by_words, false}, {spoken_by_place, false}, {spoken_by_domain, false},
};

struct spoken_targets {
    const entity *at[SPOKEN_MOST];
    size_t n;
};

static int spoken_fail_many(haft_call *call, const voice_intent *intent,
                            const struct spoken_targets *targets)
{
    const char *list = targets->at[0]->entity_id;

    for (size_t i = 1; i < targets->n && list; i++)
        list = haft_call_printf(call, "%s, %s", list, targets->at[i]->entity_id);
    return list ? home_fail(call, "\"%s\" may mean several entities of the domain %s: %s.",
                            intent->target, intent->intent, list)
                : HAFT_ENOMEM;
}

/* The entities that are meant.  An unavailable entity that is named is an error later; among several it is
 * left out. */
static int spoken_find(haft_call *call, const voice_intent *intent,
                       const struct hass_states *states, struct spoken_targets *ret)
{
    size_t of_domain = 0;

    for (size_t r = 0; r < sizeof spoken_rules / sizeof *spoken_rules; r++) {
        ret->n = 0;
        for (size_t i = 0; i < states->n && ret->n < SPOKEN_MOST; i++) {
            const entity *one = &states->at[i];

            if (strcmp(one->domain, intent->intent) != 0)
                continue;
            of_domain++;
            if (spoken_rules[r].means(one, intent->target) &&
                !(spoken_rules[r].several && !strcmp(one->state, "unavailable")))
                ret->at[ret->n++] = one;
        }
        if (ret->n > 1 && !spoken_rules[r].several)
            return spoken_fail_many(call, intent, ret);
        if (ret->n)
            return 0;
    }
    if (!of_domain)
        return home_fail(call, "There are no entities of the domain \"%s\".", intent->intent);
    return home_fail(call, "No entity of the domain %s is meant by \"%s\".", intent->intent,
                     intent->target);
}

/* ---- what to do ---- */

static const struct {
    const char *name;
    int kelvin; /* 0: a color */
    int64_t rgb[3];
} spoken_colors[] = {
    {"red", 0, {255, 0, 0}},      {"green", 0, {0, 255, 0}},    {"blue", 0, {0, 0, 255}},
    {"yellow", 0, {255, 255, 0}}, {"orange", 0, {255, 140, 0}}, {"purple", 0, {128, 0, 128}},
    {"pink", 0, {255, 105, 180}}, {"cyan", 0, {0, 255, 255}},   {"magenta", 0, {255, 0, 255}},
    {"white", 4000, {0}},         {"warm white", 2700, {0}},    {"cool white", 5500, {0}},
};

static int spoken_color(haft_call *call, const char *name, control_light_args *light)
{
    for (size_t i = 0; i < sizeof spoken_colors / sizeof *spoken_colors; i++) {
        if (!home_same_text(spoken_colors[i].name, name))
            continue;
        light->has_color_temp_kelvin = spoken_colors[i].kelvin > 0;
        light->color_temp_kelvin = spoken_colors[i].kelvin;
        light->has_rgb_color = !spoken_colors[i].kelvin;
        light->n_rgb_color = 3;
        light->rgb_color = haft_call_alloc(call, 3 * sizeof *light->rgb_color);
        if (!light->rgb_color)
            return HAFT_ENOMEM;
        memcpy(light->rgb_color, spoken_colors[i].rgb, 3 * sizeof *light->rgb_color);
        return 0;
    }
    return home_fail(call, "The color \"%s\" is not known.", name);
}

/* A light: brightness in percent, or a step of it, and a color. */
static int spoken_light(haft_call *call, const voice_intent *intent, const entity *one, entity *out)
{
    const voice_parameters *with = &intent->parameters;
    control_light_args light = {.entity_id = one->entity_id};
    int64_t now = (int64_t)entity_number(one, "brightness", 0);
    bool more = !strcmp(intent->action, "increase"), less = !strcmp(intent->action, "decrease");

    light.action = !strcmp(intent->action, "turn_off") ? home_action_turn_off
                   : !strcmp(intent->action, "toggle") ? home_action_toggle
                                                       : home_action_turn_on;
    if (light.action != home_action_turn_off && with->has_percent)
        light.has_brightness = true, light.brightness = (with->percent * 255 + 50) / 100;
    else if (more || less) {
        now += more ? SPOKEN_STEP : -SPOKEN_STEP;
        light.has_brightness = true;
        light.brightness = now < 1 ? 1 : now > 255 ? 255 : now;
    }
    if (light.action != home_action_turn_off && with->has_color) {
        int status = spoken_color(call, with->color, &light);

        if (status)
            return status;
    }
    return home_tool_control_light->call(call, &light, out);
}

static int spoken_climate(haft_call *call, const voice_intent *intent, const entity *one,
                          entity *out)
{
    double now = entity_number(one, "temperature", 20);
    set_climate_args climate = {.entity_id = one->entity_id, .has_target_temp = true};

    climate.target_temp = intent->parameters.has_temperature    ? intent->parameters.temperature
                          : !strcmp(intent->action, "increase") ? now + 1
                          : !strcmp(intent->action, "decrease") ? now - 1
                                                                : -1;
    if (climate.target_temp < 0)
        return home_fail(call, "A temperature is missing.");
    return home_tool_set_climate->call(call, &climate, out);
}

static int spoken_position(haft_call *call, const voice_intent *intent, const entity *one,
                           entity *out)
{
    control_cover_args cover = {.entity_id = one->entity_id,
                                .action = cover_action_set,
                                .has_position = true,
                                .position = intent->parameters.percent};

    if (!intent->parameters.has_percent)
        return home_fail(call, "A position in percent is missing.");
    return home_tool_control_cover->call(call, &cover, out);
}

static int spoken_cover(haft_call *call, const voice_intent *intent, const entity *one, entity *out)
{
    control_cover_args cover = {.entity_id = one->entity_id};

    if (intent->parameters.has_percent)
        return spoken_position(call, intent, one, out);
    cover.action = !strcmp(intent->action, "close") || !strcmp(intent->action, "turn_off")
                       ? cover_action_close
                   : !strcmp(intent->action, "stop")   ? cover_action_stop
                   : !strcmp(intent->action, "toggle") ? cover_action_toggle
                                                       : cover_action_open;
    return home_tool_control_cover->call(call, &cover, out);
}

static int spoken_fan(haft_call *call, const voice_intent *intent, const entity *one, entity *out)
{
    int64_t now = (int64_t)entity_number(one, "percentage", 0);
    set_fan_speed_args fan = {.entity_id = one->entity_id, .has_percentage = true};

    now += !strcmp(intent->action, "increase") ? 20 : !strcmp(intent->action, "decrease") ? -20 : 0;
    fan.percentage = intent->parameters.has_percent ? intent->parameters.percent
                     : now < 0                      ? 0
                     : now > 100                    ? 100
                                                    : now;
    return home_tool_set_fan_speed->call(call, &fan, out);
}

HAFT_STRUCT(spoken_data,
    HAFT_OPTIONAL(HAFT_NUMBER(volume_level, "0 to 1")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(is_volume_muted, "Muted")));

static int spoken_volume(haft_call *call, const voice_intent *intent, const entity *one,
                         entity *out)
{
    spoken_data data = {.has_volume_level = true,
                        .volume_level = (double)intent->parameters.percent / 100};
    const char *json = hass_data(call, &spoken_data_type, &data);

    if (!json)
        return HAFT_EFAIL;
    if (!intent->parameters.has_percent)
        return home_fail(call, "A volume in percent is missing.");
    return hass_act(call, one, "volume_set", json, out);
}

static int spoken_mute(haft_call *call, const voice_intent *intent, const entity *one, entity *out)
{
    spoken_data data = {.has_is_volume_muted = true,
                        .is_volume_muted = !strcmp(intent->action, "mute")};
    const char *json = hass_data(call, &spoken_data_type, &data);

    return json ? hass_act(call, one, "volume_mute", json, out) : HAFT_EFAIL;
}

/* What an action is for a domain: a service, or a function. */
static const struct spoken_row {
    const char *domain, *action, *service;
    int (*act)(haft_call *call, const voice_intent *intent, const entity *one, entity *out);
    const char *confirm; /* kind of question that comes first; NULL for none */
} spoken_rows[] = {
    {"light", "turn_on", NULL, spoken_light, NULL},
    {"light", "turn_off", NULL, spoken_light, NULL},
    {"light", "toggle", NULL, spoken_light, NULL},
    {"light", "set", NULL, spoken_light, NULL},
    {"light", "increase", NULL, spoken_light, NULL},
    {"light", "decrease", NULL, spoken_light, NULL},
    {"climate", "turn_on", "turn_on", NULL, NULL},
    {"climate", "turn_off", "turn_off", NULL, NULL},
    {"climate", "set", NULL, spoken_climate, NULL},
    {"climate", "increase", NULL, spoken_climate, NULL},
    {"climate", "decrease", NULL, spoken_climate, NULL},
    {"cover", "open", NULL, spoken_cover, NULL},
    {"cover", "close", NULL, spoken_cover, NULL},
    {"cover", "stop", NULL, spoken_cover, NULL},
    {"cover", "toggle", NULL, spoken_cover, NULL},
    {"cover", "turn_on", NULL, spoken_cover, NULL},
    {"cover", "turn_off", NULL, spoken_cover, NULL},
    {"cover", "set", NULL, spoken_position, NULL},
    {"fan", "turn_on", "turn_on", NULL, NULL},
    {"fan", "turn_off", "turn_off", NULL, NULL},
    {"fan", "toggle", "toggle", NULL, NULL},
    {"fan", "set", NULL, spoken_fan, NULL},
    {"fan", "increase", NULL, spoken_fan, NULL},
    {"fan", "decrease", NULL, spoken_fan, NULL},
    {"lock", "lock", "lock", NULL, NULL},
    {"lock", "unlock", "unlock", NULL, "unlock"},
    {"alarm_control_panel", "arm_away", "alarm_arm_away", NULL, NULL},
    {"alarm_control_panel", "disarm", "alarm_disarm", NULL, "disarm"},
    {"media_player", "turn_on", "turn_on", NULL, NULL},
    {"media_player", "turn_off", "turn_off", NULL, NULL},
    {"media_player", "toggle", "toggle", NULL, NULL},
    {"media_player", "play", "media_play", NULL, NULL},
    {"media_player", "pause", "media_pause", NULL, NULL},
    {"media_player", "stop", "media_stop", NULL, NULL},
    {"media_player", "next", "media_next_track", NULL, NULL},
    {"media_player", "previous", "media_previous_track", NULL, NULL},
    {"media_player", "mute", NULL, spoken_mute, NULL},
    {"media_player", "unmute", NULL, spoken_mute, NULL},
    {"media_player", "increase", "volume_up", NULL, NULL},
    {"media_player", "decrease", "volume_down", NULL, NULL},
    {"media_player", "set", NULL, spoken_volume, NULL},
    {"vacuum", "start", "start", NULL, NULL},
    {"vacuum", "turn_on", "start", NULL, NULL},
    {"vacuum", "stop", "stop", NULL, NULL},
    {"vacuum", "pause", "pause", NULL, NULL},
    {"vacuum", "return_to_base", "return_to_base", NULL, NULL},
    {"vacuum", "turn_off", "return_to_base", NULL, NULL},
    {"switch", "turn_on", "turn_on", NULL, NULL},
    {"switch", "turn_off", "turn_off", NULL, NULL},
    {"switch", "toggle", "toggle", NULL, NULL},
    {"automation", "turn_on", "turn_on", NULL, NULL},
    {"automation", "turn_off", "turn_off", NULL, NULL},
    {"scene", "turn_on", "turn_on", NULL, NULL},
    {"script", "turn_on", "turn_on", NULL, NULL},
    {"script", "turn_off", "turn_off", NULL, NULL},
};

static const struct spoken_row *spoken_row_of(const voice_intent *intent)
{
    for (size_t i = 0; i < sizeof spoken_rows / sizeof *spoken_rows; i++)
        if (!strcmp(spoken_rows[i].domain, intent->intent) &&
            !strcmp(spoken_rows[i].action, intent->action))
            return &spoken_rows[i];
    return NULL;
}

/* ---- the tool ---- */

static int spoken_carry_out(haft_call *call, const voice_intent *intent,
                            const struct spoken_row *row, const struct spoken_targets *targets,
                            voice_executor_result *out)
{
    entity one;
    int status = 0;

    for (size_t i = 0; i < targets->n && !status; i++) {
        status = hass_require(call, targets->at[i]->entity_id, intent->intent, &one);
        if (!status)
            status = row->act ? row->act(call, intent, &one, &one)
                              : hass_act(call, &one, row->service, NULL, &one);
        if (status && i)
            return home_fail_after(call, status, "%s and what came before it were changed.",
                                   targets->at[i - 1]->entity_id);
        if (!status)
            status = home_brief(call, &one);
        out->changed[i] = one;
        out->n_changed = i + !status;
    }
    return status;
}

static int voice_command_executor(haft_call *call, const voice_executor_args *in,
                                  voice_executor_result *out)
{
    const voice_intent *intent = &in->intent;
    const struct spoken_row *row = spoken_row_of(intent);
    struct spoken_targets targets;
    struct hass_states states;
    entity first;
    int status;

    if (!row)
        return home_fail(call, "The command was not understood: intent \"%s\", action \"%s\".",
                         intent->intent, intent->action);
    status = hass_states(call, &states);
    if (!status)
        status = spoken_find(call, intent, &states, &targets);
    if (status)
        return status;
    out->changed = haft_call_alloc(call, targets.n * sizeof *out->changed);
    if (!out->changed)
        return HAFT_ENOMEM;
    if (targets.n == 1) /* nobody is asked about what cannot be done */
        status = hass_require(call, targets.at[0]->entity_id, intent->intent, &first);
    if (!status && row->confirm)
        status =
            home_confirm(call, row->confirm, "%c%s %s%s?", toupper((unsigned char)*row->action),
                         row->action + 1, targets.at[0]->name, targets.n > 1 ? " and others" : "");
    return status ? status : spoken_carry_out(call, intent, row, &targets, out);
}
HAFT_TOOL(voice_command_executor, voice_executor_args, voice_executor_result,
          "Carry out a parsed voice command. The user may be asked to confirm.", HOME_WRITES);
HOME_EXPORT(voice_command_executor);
