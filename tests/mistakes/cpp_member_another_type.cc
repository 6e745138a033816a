/* expect: lamp.level must be declared as double */
/* A field that says another type than the member has. */
#include <haft.hpp>

struct lamp {
    int level;
};
HAFT_SCHEMA(lamp, HAFT_FIELD(double, level, "Percent"));
