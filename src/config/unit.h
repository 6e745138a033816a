/* config/unit.h - numbers with units: "64KiB", "30s". */
#ifndef HAFT_SRC_UNIT_H
#define HAFT_SRC_UNIT_H

#include "base/base.h"

enum { UNIT_MINUTE = 60000 }; /* milliseconds */

struct unit {
    const char *name;
    uint64_t worth;
};

/* The smallest, which may be left out, comes first; a name that is NULL ends them. */
extern const struct unit hf_unit_none[], hf_unit_sizes[], hf_unit_times[];

/* Takes digits off the front of *text; false when there are none, or too many. */
bool hf_unit_read_digits(const char **text, uint64_t *ret_number);
/* Multiplies by what the unit is worth that is all of the text; false when there is no such unit. */
bool hf_unit_read(const struct unit *units, const char *text, uint64_t *number);
/* Appends the number in the largest unit that leaves nothing over. */
void hf_unit_put(const struct unit *units, uint64_t number, haft_buffer *buffer);

#endif
