/* cli/verb.h - what every server's command line can be told to do, as text. */
#ifndef HAFT_SRC_VERB_H
#define HAFT_SRC_VERB_H

#include "base/base.h"

struct verb_text {
    const char *name, *brief; /* "--help"; "-h" or NULL */
    const char *takes, *help; /* "TOOL [JSON]" or NULL */
};

/* The i-th; false past the last. */
bool hf_verb_at(size_t i, struct verb_text *ret_text);

/* Whether one had this name in that version. */
bool hf_verb_is_taken(const char *name, int version);

/* Writes the usage for a terminal: the commands, and the options except those whose names the program
 * uses; NULL for no program. */
struct program_options;
void hf_verb_put_help(const struct program_options *own, haft_buffer *page);

#endif
