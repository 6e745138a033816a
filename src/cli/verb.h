/* cli/verb.h - what every server's command line can be told to do, as text. */
#ifndef HAFT_SRC_VERB_H
#define HAFT_SRC_VERB_H

#include "base/base.h"

struct verb_text {
    const char *name, *takes, *help; /* "--call", "TOOL [JSON]" or NULL */
};

/* The i-th; false past the last. */
bool hf_verb_at(size_t i, struct verb_text *ret_text);

/* All of it for a terminal: what can be done, and the options. */
void hf_verb_put_help(haft_buffer *page);

#endif
