/* c_types.h - the types of c_structs.h, as C sees them. */
#ifndef HAFT_TESTS_C_TYPES_H
#define HAFT_TESTS_C_TYPES_H

#include <haft/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

struct c_type {
    const char *name;
    const haft_type *type;
};

/* Ends with a NULL. */
extern const struct c_type c_types[];

#ifdef __cplusplus
}
#endif
#endif
