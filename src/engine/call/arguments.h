/* engine/call/arguments.h - the arguments of a call, as JSON or straight from their text (arguments.c). */
#ifndef HAFT_SRC_ENGINE_CALL_ARGUMENTS_H
#define HAFT_SRC_ENGINE_CALL_ARGUMENTS_H

#include "engine/offer/item.h"

/* Arguments that were decoded from their text (direct.c). */
struct direct {
    const struct item *of; /* the tool they are for; NULL once that is another, or they are */
    const void *in;        /* what its handler gets */
    const char *text;      /* they, with a NUL for the quote at the end of a string; NULL: not so */
    size_t size;
};

/* The arguments as JSON, on any thread; NULL when there are none, or no memory for it. */
yyjson_val *hf_call_arguments(haft_call *call);

/* Those that came straight, as the client sent them; NULL without memory. */
yyjson_val *hf_direct_sent(haft_call *call);

/* From here on they are JSON, as they mostly are.  False when there is none. */
bool hf_direct_undo(haft_call *call);

/* Gives back what they have taken as JSON; only where call->args.materialized is set. */
void hf_direct_release(haft_call *call);

#endif
