/* expect gcc: lamp.room needs a description */
/* expect clang: \(lamp.room needs a description\|at least one argument\|passing no argument\) */
/* A field without a description. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string, room));
