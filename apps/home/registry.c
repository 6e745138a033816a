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
    X(voice_command_parser, OFFER_SPEECH)                                                          \
    X(search_entities, OFFER_ALWAYS)                                                               \
    X(entity_state, OFFER_ALWAYS)                                                                  \
    X(dashboard, OFFER_ALWAYS)                                                                     \
    X(control, OFFER_ALWAYS)                                                                       \
    X(template, OFFER_ALWAYS)                                                                      \
    X(example, OFFER_ALWAYS)                                                                       \
    X(analyze_audio, OFFER_ALWAYS)

#define TOOL_DECLARED(name, offer) extern const haft_tool *const home_tool_##name;
HOME_TOOLS(TOOL_DECLARED)
#undef TOOL_DECLARED

const struct tool_row home_tools[] = {
#define TOOL_ROW(name, offer) {&home_tool_##name, offer},
    HOME_TOOLS(TOOL_ROW)
#undef TOOL_ROW
        {NULL, OFFER_ALWAYS},
};
