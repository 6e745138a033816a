/* upstream/pin.h - definitions that a person has approved, by their hashes.
 *
 * A model reads the descriptions of tools, so a server that changes one may instruct it.  The file
 * has the hash of each approved definition; others are not offered until it has theirs.
 *
 *     {"tools": {"search": "sha256:4f53..."}, "prompts": {}} */
#ifndef HAFT_SRC_UPSTREAM_PIN_H
#define HAFT_SRC_UPSTREAM_PIN_H

#include "upstream/upstream.h"

struct pins {
    const char *path;  /* NULL: everything is approved */
    bool first;        /* without a file, the first definitions are approved */
    bool recorded;     /* there is a file */
    haft_arena *arena; /* of `approved`; under the lock */
    haft_value *approved;
};

enum pin_state { PIN_APPROVED, PIN_NEW, PIN_CHANGED };

/* Reads the file, in `make`. */
int hf_pins_read(struct pins *pins, struct upstream *upstream, const char *file, bool first,
                 haft_reason *reterr_reason);
/* Whether a definition of a list ("tools", "prompts") may be offered. */
enum pin_state hf_pin_check(const struct pins *pins, const char *list, haft_value *definition);
/* Takes lists that came from the upstream: records the first ones, or logs which are held back and
 * writes what would approve them all to FILE.pending.  Outbound thread. */
void hf_pins_learn(struct pins *pins, struct upstream *upstream, haft_value *tools,
                   haft_value *prompts);

#endif
