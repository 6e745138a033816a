/* expect: the default of lamp.level must be of its type, or JSON in a string */
/* A default of another type. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_DEFAULT(HAFT_FIELD(int, level, "Percent"), "10"));
