/* voice_command_parser - what a spoken command means, by rules and without a network. */
#include "tools/common.h"
#include "voice/voice.h"

HAFT_STRUCT(voice_parser_args,
    HAFT_STRING(command, "In English", .min = 1, .max = 500));

static int voice_command_parser(haft_call *call, const voice_parser_args *in, voice_intent *out)
{
    return voice_parse(in->command, haft_call_arena(call), out);
}
HAFT_TOOL(voice_command_parser, voice_parser_args, voice_intent,
          "Parse a spoken command into an intent for voice_command_executor.", HOME_READS_HERE);
HOME_EXPORT(voice_command_parser);
