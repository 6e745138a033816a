/* animation_control - animations of lights that go on after the call, until they are stopped or the server
 * ends; the lights then get their looks back. */
#include <limits.h>
#include <string.h>

#include "tools/lights.h"

HAFT_ENUMERATION(animation_action, list, start, stop);
HAFT_STRUCT(animation_control_args,
    HAFT_DEFAULT(HAFT_ENUM(action, animation_action, "What to do"), animation_action_list),
    HAFT_OPTIONAL(HAFT_ARRAY(lights, HAFT_STRING(id, NULL), "Lights or groups", .min = 1, .max = 20)),
    HAFT_DEFAULT(HAFT_ENUM(pattern, home_pattern, "Pattern"), home_pattern_rainbow),
    HAFT_DEFAULT(HAFT_NUMBER(speed, "Steps a second", .min = 0.1, .max = 10), 1),
    HAFT_OPTIONAL(HAFT_INTEGER(id, "To stop")));

static void animation_check(haft_refinement *refinement, const animation_control_args *in)
{
    if (in->action == animation_action_start && !in->has_lights)
        haft_refinement_add_issue(refinement, "lights", "start needs lights");
}
HAFT_REFINE(animation_control_args, animation_check);

HAFT_STRUCT(animation_item,
    HAFT_INTEGER(id, NULL),
    HAFT_ARRAY(lights, HAFT_STRING(id, NULL), NULL),
    HAFT_STRING(pattern, NULL),
    HAFT_NUMBER(speed, NULL),
    HAFT_INTEGER(steps, NULL));
HAFT_STRUCT(animation_control_result,
    HAFT_ARRAY(animations, HAFT_OBJECT(item, animation_item, NULL), NULL));

/* ---- an animation ---- */

/* It has its own memory, since it outlives its call: the arena that it is in. */
struct animation {
    haft_arena *arena;
    home_pattern pattern;
    double speed;
    unsigned k;
    const char *taken; /* light that another animation changes */
    size_t n;
    struct animated {
        entity light; /* with the attributes that looks are made of */
        struct home_look before, shown;
    } * lights;
};

static unsigned animation_step(struct hass *hass, void *context)
{
    struct animation *animation = context;

    for (size_t i = 0; i < animation->n; i++) {
        struct animated *one = &animation->lights[i];
        struct home_look look = home_look_for(
            &one->light, home_pattern_look(animation->pattern, i, animation->n, animation->k));

        if (animation->k && home_same_look(&look, &one->shown))
            continue;
        home_tell_look(hass, one->light.entity_id, &look);
        one->shown = look;
    }
    animation->k++;
    return (unsigned)(1000 / animation->speed);
}

static void animation_end(struct hass *hass, void *context)
{
    struct animation *animation = context;

    for (size_t i = 0; i < animation->n; i++)
        home_tell_look(hass, animation->lights[i].light.entity_id, &animation->lights[i].before);
    haft_arena_free(animation->arena);
}

/* The entity in memory of the animation; false without memory.  Its attributes are copied as JSON. */
static bool animation_keep(haft_arena *arena, const entity *light, struct animated *ret)
{
    size_t n = light->n_attributes;
    const char **keys = haft_arena_alloc(arena, (n + 1) * sizeof *keys);
    haft_value **values = haft_arena_alloc(arena, (n + 1) * sizeof *values);
    haft_buffer text;
    bool kept = keys && values;

    haft_buffer_init(&text, NULL, 1 << 20);
    for (size_t i = 0; i < n && kept; i++) {
        haft_buffer_clear(&text);
        haft_json_write(light->attributes[i], &text);
        keys[i] =
            haft_arena_copy(arena, light->attributes_keys[i], strlen(light->attributes_keys[i]));
        values[i] = text.status ? NULL : haft_json_read(text.data, text.size, 0, arena, NULL);
        kept = keys[i] && values[i];
    }
    haft_buffer_finish(&text);
    if (!kept)
        return false;
    *ret = (struct animated){
        .light = {.n_attributes = n, .attributes_keys = keys, .attributes = values}};
    ret->light.entity_id = haft_arena_copy(arena, light->entity_id, strlen(light->entity_id));
    ret->light.state = haft_arena_copy(arena, light->state, strlen(light->state));
    if (!ret->light.entity_id || !ret->light.state)
        return false;
    ret->before = home_look_of(&ret->light);
    return true;
}

/* NULL without memory. */
static struct animation *animation_new(const animation_control_args *in, const entity *lights,
                                       size_t n)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 22);
    struct animation *animation = arena ? haft_arena_alloc(arena, sizeof *animation) : NULL;
    bool kept = animation;

    if (kept) {
        *animation =
            (struct animation){.arena = arena, .pattern = in->pattern, .speed = in->speed, .n = n};
        animation->lights = haft_arena_alloc(arena, n * sizeof *animation->lights);
        kept = animation->lights;
    }
    for (size_t i = 0; kept && i < n; i++)
        kept = animation_keep(arena, &lights[i], &animation->lights[i]);
    if (!kept)
        haft_arena_free(arena);
    return kept ? animation : NULL;
}

/* ---- those that run ---- */

struct animation_view {
    haft_call *call;
    animation_control_result *out;
};

/* A task of the client that is not an animation does not exist: animations are the only ones. */
static int animation_see(void *who, unsigned id, const void *context)
{
    struct animation_view *view = who;
    const struct animation *animation = context;
    animation_item *item = &view->out->animations[view->out->n_animations];

    *item = (animation_item){.id = id,
                             .pattern = HOME_NAME(home_pattern, animation->pattern),
                             .speed = animation->speed,
                             .steps = animation->k,
                             .n_lights = animation->n};
    item->lights = haft_call_alloc(view->call, animation->n * sizeof *item->lights);
    if (!item->lights)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < animation->n; i++) {
        item->lights[i] = haft_call_printf(view->call, "%s", animation->lights[i].light.entity_id);
        if (!item->lights[i])
            return HAFT_ENOMEM;
    }
    view->out->n_animations++;
    return 0;
}

static int animation_list(haft_call *call, animation_control_result *out)
{
    struct animation_view view = {call, out};

    out->n_animations = 0;
    out->animations = haft_call_alloc(call, HASS_MOST_TASKS * sizeof *out->animations);
    return out->animations ? hass_each_task(call, animation_see, &view) : HAFT_ENOMEM;
}

static int animation_stop(haft_call *call, const animation_control_args *in,
                          const animation_control_result *running)
{
    if (in->has_id && (in->id < 1 || in->id > UINT_MAX || !hass_end_task(call, (unsigned)in->id)))
        return home_fail(call, "There is no animation %lld.", (long long)in->id);
    for (size_t i = 0; !in->has_id && i < running->n_animations; i++)
        hass_end_task(call, (unsigned)running->animations[i].id);
    return 0;
}

/* A light that two animations change would not get its look back. */
static bool animation_clashes(void *context, const void *other)
{
    struct animation *animation = context;
    const struct animation *running = other;

    for (size_t i = 0; i < animation->n; i++)
        for (size_t k = 0; k < running->n; k++)
            if (!strcmp(animation->lights[i].light.entity_id, running->lights[k].light.entity_id)) {
                animation->taken = animation->lights[i].light.entity_id;
                return true;
            }
    return false;
}

static int animation_start(haft_call *call, const animation_control_args *in)
{
    struct hass_task task = {
        .step = animation_step, .end = animation_end, .clashes = animation_clashes};
    struct animation *animation;
    entity *lights;
    unsigned id;
    size_t n;
    int status = home_lights(call, in->lights, in->n_lights, &lights, &n);

    for (size_t i = 0; !status && i < n; i++)
        status = hass_reaches(call, "turn_on", &lights[i]);
    if (status)
        return status;
    animation = task.context = animation_new(in, lights, n);
    if (!animation)
        return HAFT_ENOMEM;
    status = hass_start_task(call, &task, &id);
    if (status == HAFT_EEXISTS)
        status = home_fail(call, "%s is in animation %u. Stop that first.", animation->taken, id);
    else if (status == HAFT_EBUSY)
        status = home_fail(call, "%d animations run already. Stop one first.", HASS_MOST_TASKS);
    else if (!status)
        return 0;
    haft_arena_free(animation->arena);
    return status;
}

static int animation_control(haft_call *call, const animation_control_args *in,
                             animation_control_result *out)
{
    int status = animation_list(call, out);

    if (status || in->action == animation_action_list)
        return status;
    status = in->action == animation_action_start ? animation_start(call, in)
                                                  : animation_stop(call, in, out);
    return status ? status : animation_list(call, out);
}
HAFT_TOOL(animation_control, animation_control_args, animation_control_result,
          "Start, stop or list animations of lights, which run until they are stopped.",
          HOME_WRITES);
HOME_EXPORT(animation_control);
