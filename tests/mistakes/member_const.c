/* expect: bag.size must be declared as int64_t, int, size_t or another integer */
/* A member that cannot be filled in. */
#include <haft.h>

typedef struct bag {
    const int size;
} bag;

HAFT_SCHEMA(bag,
    HAFT_INTEGER(size, "How much fits"));
