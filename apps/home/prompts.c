/* prompts.c - prompts for people: a summary of active devices, and preparations for the night. */
#include <string.h>

#include "resources.h"
#include "tools/common.h"

HAFT_STRUCT(place_args,
    HAFT_OPTIONAL(HAFT_STRING(area, "Name of an area; the whole home if absent")));

/* States of a domain that a prompt lists. */
struct prompt_row {
    const char *domain, *states; /* "on", "open,opening" */
};

static bool prompt_lists(const char *list, const char *state)
{
    size_t size = strlen(state);

    for (const char *at = list; (at = strstr(at, state)); at += size)
        if ((at == list || at[-1] == ',') && (!at[size] || at[size] == ','))
            return true;
    return false;
}

static bool prompt_wants(const struct prompt_row *rows, const entity *one)
{
    for (; rows->domain; rows++)
        if (!strcmp(rows->domain, one->domain) && prompt_lists(rows->states, one->state))
            return true;
    return false;
}

/* Lines about the entities that match the rows: "- light.kitchen (Kitchen, in Kitchen): on". */
static int prompt_list(haft_call *call, const struct prompt_row *rows, const place_args *in,
                       const struct hass_area *area, haft_buffer *out)
{
    struct hass_states states;
    size_t n = 0;
    int status = hass_states(call, &states);

    for (size_t i = 0; !status && i < states.n; i++) {
        const entity *one = &states.at[i];

        if (!prompt_wants(rows, one) ||
            (in->has_area && (!one->has_area || strcmp(one->area, area->name) != 0)))
            continue;
        if (n++ < HOME_MOST_ENTITIES)
            haft_buffer_printf(out, "- %s (%s%s%s): %s\n", one->entity_id, one->name,
                               one->has_area ? ", in " : "", one->has_area ? one->area : "",
                               one->state);
    }
    if (n > HOME_MOST_ENTITIES)
        haft_buffer_printf(out, "- and %zu more\n", n - HOME_MOST_ENTITIES);
    if (!n)
        haft_buffer_puts(out, "- nothing\n");
    return status;
}

/* One message of the user: a task, the list, and how to go on. */
static int prompt_say(haft_call *call, const place_args *in, const struct prompt_row *rows,
                      const char *task, const char *rest)
{
    struct hass_area area = {NULL, NULL, NULL};
    haft_buffer out;
    int status = in->has_area ? hass_area(call, in->area, &area) : 0;

    if (status)
        return status;
    haft_buffer_init(&out, NULL, 1 << 20);
    haft_buffer_printf(&out, "%s %s. These entities matter now:\n", task,
                       in->has_area ? area.name : "the whole home");
    status = prompt_list(call, rows, in, &area, &out);
    haft_buffer_puts(&out, rest);
    if (!status)
        status = out.status;
    if (!status)
        status = haft_prompt_say(call, "user");
    if (!status)
        status = haft_text_bytes(call, out.data, out.size);
    haft_buffer_finish(&out);
    return status;
}

static int prompt_whats_on(haft_call *call, const void *arguments)
{
    static const struct prompt_row rows[] = {{"light", "on"},
                                             {"switch", "on"},
                                             {"fan", "on"},
                                             {"media_player", "on,playing"},
                                             {"climate", "heat,cool,heat_cool,auto,dry,fan_only"},
                                             {"cover", "open,opening"},
                                             {"vacuum", "cleaning"},
                                             {NULL, NULL}};

    return prompt_say(call, arguments, rows, "Tell me what is on in",
                      "Summarize it by area in a few sentences. Mention what is probably on by "
                      "mistake. Change nothing unless I ask for it.");
}

static int prompt_good_night(haft_call *call, const void *arguments)
{
    static const struct prompt_row rows[] = {{"light", "on"},
                                             {"media_player", "on,playing"},
                                             {"lock", "unlocked,open"},
                                             {"cover", "open,opening"},
                                             {"binary_sensor", "on"},
                                             {"climate", "heat,cool,heat_cool,auto"},
                                             {"alarm_control_panel", "disarmed"},
                                             {NULL, NULL}};

    return prompt_say(
        call, arguments, rows, "Get everything ready for the night in",
        "Turn off lights and media players, lock the doors and close the garage. Tell me about "
        "doors and windows that are open, which you cannot close. Ask me before you set the alarm "
        "or change the heating. Check the states afterwards and say what you did.");
}

static int prompt_complete(haft_call *call, const char *argument, const char *value)
{
    return strcmp(argument, "area") ? 0 : home_complete_area(call, value);
}

const haft_prompt home_prompts[] = {
    HAFT_INIT(haft_prompt, .name = "whats_on", .title = "What is on?",
              .description = "A summary of what is on, open or playing",
              .arguments = &place_args_type, .get = prompt_whats_on, .complete = prompt_complete),
    HAFT_INIT(haft_prompt, .name = "good_night", .title = "Good night",
              .description = "Gets the home ready for the night", .arguments = &place_args_type,
              .get = prompt_good_night, .complete = prompt_complete),
    {.name = NULL},
};

int home_add_prompts(haft_server *server)
{
    int status = 0;

    for (size_t i = 0; !status && home_prompts[i].name; i++)
        status = haft_prompt_add(server, &home_prompts[i]);
    return status;
}
