/* c_types.c - the tables that C makes of c_structs.h. */
#include "c_types.h"

#include "c_structs.h"

const struct c_type c_types[] = {
    {"scalars", &scalars_type},
    {"presences", &presences_type},
    {"containers", &containers_type},
    {"drawing", &drawing_type},
    {"tree", &tree_type},
    {"relaxed", &relaxed_type},
    {"extended", &extended_type},
    {"written", &written_type},
    {"member_all", &member_all_type},
    {NULL, NULL},
};
