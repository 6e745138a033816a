/* expect: an item of bag.sides must be declared as double or float */
/* Items of another type. */
#include <haft.h>

typedef struct bag {
    int sides[3];
} bag;

HAFT_SCHEMA(bag,
    HAFT_FIXED(sides, 3, HAFT_NUMBER(side, "One side"), "All sides"));
