/* expect: bag.sides must be declared as an array of 4 */
/* Another number of items than the array has. */
#include <haft.hpp>

struct bag {
    int sides[3];
};
HAFT_SCHEMA(bag, HAFT_FIXED(sides, 4, HAFT_INTEGER(side, "One side"), "All sides"));
