/* expect: bag.parts must be declared as a pointer to the values */
/* A map whose values are inside the struct. */
#include <haft.h>

typedef struct bag {
    size_t n_parts;
    const char **parts_keys;
    int parts[3];
} bag;

HAFT_SCHEMA(bag,
    HAFT_MAP(parts, HAFT_INTEGER(part, "One part"), "All parts"));
