/* config/expand.h - variables of the environment in the strings of a configuration. */
#ifndef HAFT_SRC_CONFIG_EXPAND_H
#define HAFT_SRC_CONFIG_EXPAND_H

#include <haft/json.h>

/* Replaces ${NAME} in the strings of a value by the variable, ${NAME:-TEXT} by the text if the variable is not set or
 * empty, and $${ by ${.  Names of members remain as they are.  Returns the value itself if there is nothing to replace, a copy in
 * the arena, or NULL with the reason, whose path is that of the string; it never contains a
 * variable's value. */
haft_value *hf_expand_variables(haft_value *value, haft_arena *arena, haft_reason *reterr_reason);

/* The names of the variables in the strings of a value, each between two "=", in the arena: "=A=B=".  NULL without
 * memory, or if they are too many. */
const char *hf_expand_names(haft_value *value, haft_arena *arena);

#endif
