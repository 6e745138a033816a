/* expect: the default of bag.size must be of its kind, or JSON in a string */
/* A default of another kind than its field. */
#include <haft.hpp>

HAFT_STRUCT(bag, HAFT_DEFAULT(HAFT_INTEGER(size, "How much fits"), "5"));
