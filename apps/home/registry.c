/* registry.c - the tools of the home.  A tool is a file in tools/ and a line here. */
#include "registry.h"

/*  name             offered when */
#define HOME_TOOLS(X)                                                                              \
    X(list_devices, OFFER_ALWAYS)                                                                  \
    X(control_light, OFFER_ALWAYS)                                                                 \
    X(set_climate, OFFER_ALWAYS)                                                                   \
    X(control_cover, OFFER_ALWAYS)                                                                 \
    X(set_fan_speed, OFFER_ALWAYS)                                                                 \
    X(lock_control, OFFER_ALWAYS)                                                                  \
    X(set_switch, OFFER_ALWAYS)                                                                    \
    X(vacuum_command, OFFER_ALWAYS)                                                                \
    X(set_alarm_mode, OFFER_ALWAYS)                                                                \
    X(media_player_command, OFFER_ALWAYS)                                                          \
    X(activate_scene, OFFER_ALWAYS)                                                                \
    X(trigger_automation, OFFER_ALWAYS)                                                            \
    X(control_automation, OFFER_ALWAYS)                                                            \
    X(send_notification, OFFER_ALWAYS)                                                             \
    X(maintenance_report, OFFER_ALWAYS)                                                            \
    X(smart_scenarios, OFFER_ALWAYS)                                                               \
    X(light_scenario, OFFER_ALWAYS)                                                                \
    X(light_showcase, OFFER_ALWAYS)                                                                \
    X(animation_control, OFFER_ALWAYS)                                                             \
    X(text_to_speech, OFFER_SPEECH)                                                                \
    X(voice_command_parser, OFFER_SPEECH)                                                          \
    X(voice_command_executor, OFFER_SPEECH)                                                        \
    X(voice_command_ai_parser, OFFER_SPEECH)                                                       \
    X(trace_entity, OFFER_ALWAYS)                                                                  \
    X(todo, OFFER_ALWAYS)                                                                          \
    X(search_entities, OFFER_ALWAYS)                                                               \
    X(entity_state, OFFER_ALWAYS)                                                                  \
    X(history, OFFER_ALWAYS)                                                                       \
    X(error_log, OFFER_ALWAYS)                                                                     \
    X(sse_stats, OFFER_ALWAYS)                                                                     \
    X(dashboard, OFFER_ALWAYS)                                                                     \
    X(subscribe_events, OFFER_ALWAYS)                                                              \
    X(control, OFFER_ALWAYS)                                                                       \
    X(template, OFFER_ALWAYS)                                                                      \
    X(automation_config, OFFER_ALWAYS)                                                             \
    X(addon, OFFER_ALWAYS)                                                                         \
    X(package, OFFER_ALWAYS)                                                                       \
    X(example, OFFER_ALWAYS)                                                                       \
    X(analyze_audio, OFFER_ALWAYS)                                                                 \
    X(profile_devices, OFFER_ALWAYS)                                                               \
    X(render_template, OFFER_TEMPLATE)

#define TOOL_DECLARED(name, offer) extern const haft_tool *const home_tool_##name;
HOME_TOOLS(TOOL_DECLARED)
#undef TOOL_DECLARED

const struct tool_row home_tools[] = {
#define TOOL_ROW(name, offer) {&home_tool_##name, offer},
    HOME_TOOLS(TOOL_ROW)
#undef TOOL_ROW
        {NULL, OFFER_ALWAYS},
};

bool home_registry_offers(const struct home_options *options, enum tool_offer offer)
{
    switch (offer) {
    case OFFER_SPEECH:
        return options->speech;
    case OFFER_TEMPLATE:
        return options->render_template && !options->entities;
    case OFFER_ALWAYS:
        break;
    }
    return true;
}

int home_add_tools(haft_server *server, const struct home_options *options)
{
    int status = haft_metrics_enable(server); /* for sse_stats */

    for (size_t i = 0; home_tools[i].tool && !status; i++)
        if (home_registry_offers(options, home_tools[i].offer))
            status = haft_add(server, *home_tools[i].tool);
    return status;
}
