/* engine/call/arguments.h - the arguments of a call, as JSON or decoded directly from text
 * (arguments.c). */
#ifndef HAFT_SRC_ENGINE_CALL_ARGUMENTS_H
#define HAFT_SRC_ENGINE_CALL_ARGUMENTS_H

#include "engine/offer/item.h"

/* Arguments decoded directly from their text (direct.c). */
struct direct {
    const struct item *of; /* tool that they are for; NULL once the tool or the arguments have
                            * changed */
    const void *in;        /* input of the tool's handler */
    const char *text;      /* their text; closing quotes are overwritten with NUL; NULL if they were
                            * parsed as JSON */
    size_t size;
};

/* Returns the arguments as JSON, on any thread; NULL if there are none, or without memory. */
yyjson_val *hf_call_arguments(haft_call *call);

/* Returns directly decoded arguments as JSON, as the client sent them; NULL without memory. */
yyjson_val *hf_direct_sent(haft_call *call);

/* Replaces directly decoded arguments by JSON. Returns false without memory. */
bool hf_direct_undo(haft_call *call);

/* Frees the JSON of directly decoded arguments; only if call->args.materialized is set. */
void hf_direct_release(haft_call *call);

#endif
