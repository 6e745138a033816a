/* home/rows_local.h - the tools that do not use Home Assistant, in every situation. */
#ifndef HAFT_TESTS_HOME_ROWS_LOCAL_H
#define HAFT_TESTS_HOME_ROWS_LOCAL_H

#include "home/tools.h"

#define BAD(tool) "!Input validation error: Invalid arguments for tool " tool ": "
/* They work while Home Assistant cannot be reached, and have no entity. */
#define ROWS_WITHOUT_HASS(tool, arguments, expected)                                               \
    {tool, UNKNOWN_ENTITY, .why_not = "it takes no entity"},                                       \
        {tool, UNAVAILABLE, .why_not = "it takes no entity"},                                      \
        {tool, WRONG_DOMAIN, .why_not = "it takes no entity"},                                     \
        {tool, HASS_ERROR, arguments, .expect = expected},                                         \
        {tool, LOST, arguments, .expect = expected},                                               \
        {tool, DEADLINE, arguments, .expect = expected},                                           \
        {tool, CANCELLED, .why_not = "it does not wait"},

static const struct tool_case rows_local[] = {
    {"voice_command_parser", NORMAL, "{'command':'turn on the kitchen light'}",
     .expect = "action='turn_on'"},
    {"voice_command_parser", BAD_ARGUMENT, "{'command':''}",
     .expect = BAD("voice_command_parser") "command: Too small*"},
    ROWS_WITHOUT_HASS("voice_command_parser", "{'command':'turn on the kitchen light'}",
                      "action='turn_on'")

        {"example", NORMAL, "{'message':'hello'}", .expect = "message='hello'"},
    {"example", BAD_ARGUMENT, "{}", .expect = BAD("example") "message: *"},
    ROWS_WITHOUT_HASS("example", "{'message':'hello'}", "message='hello'")

        {"analyze_audio", NORMAL, "{'audio_file':'beat.wav'}",
         .expect = "duration=4; bands.0.name~*"},
    {"analyze_audio", BAD_ARGUMENT, "{'audio_file':'beat.wav','fft_size':1000}",
     .expect = BAD("analyze_audio") "fft_size: must be a power of two"},
    {"analyze_audio", BAD_ARGUMENT, "{'audio_file':'../beat.wav'}",
     .expect = "!\"../beat.wav\" cannot be opened: Permission denied."},
    {"analyze_audio", BAD_ARGUMENT, "{'audio_file':'none.wav'}",
     .expect = "!\"none.wav\" cannot be opened: No such file or directory."},
    ROWS_WITHOUT_HASS("analyze_audio", "{'audio_file':'none.wav'}",
                      "!*No such file or directory.")};

#undef ROWS_WITHOUT_HASS
#undef BAD

#endif
