/* expect: bag.mark must be declared as int64_t, int, size_t or another integer */
/* A char is a text or a number: nobody can tell. */
#include <haft.h>

typedef struct bag {
    char mark;
} bag;

HAFT_SCHEMA(bag,
    HAFT_INTEGER(mark, "What is on it"));
