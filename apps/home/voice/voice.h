/* voice/voice.h - what a spoken command means.
 *
 * English only, by a table of verbs and nouns: no network, and the same answer for the same words. */
#ifndef HOME_VOICE_H
#define HOME_VOICE_H

#include <haft.h>

HAFT_STRUCT(voice_parameters,
    HAFT_OPTIONAL(HAFT_INTEGER(percent, "Percent", .min = 0, .max = 100)), /* brightness, position, speed or volume */
    HAFT_OPTIONAL(HAFT_NUMBER(temperature, "Degrees")),
    HAFT_OPTIONAL(HAFT_STRING(color, "Color"))); /* name */

/* It is in the schemas of three tools: so there are few descriptions. */
HAFT_STRUCT(voice_intent,
    HAFT_STRING(intent, "Domain"),     /* light, cover, ... */
    HAFT_STRING(action, "turn_on, set, ..."),
    HAFT_STRING(target, "Name, or all"),
    HAFT_OBJECT(parameters, voice_parameters, "Values"),
    HAFT_NUMBER(confidence, "0 to 1", .min = 0, .max = 1));

/* Parses a command; the strings are constants or belong to the arena.  Returns 0 or HAFT_ENOMEM. */
int voice_parse(const char *command, haft_arena *arena, voice_intent *ret_intent);

#endif
