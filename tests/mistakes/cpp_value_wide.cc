/* expect: level cannot hold 300 */
/* A number that the type does not have. */
#include <haft.hpp>

typedef unsigned char level;
HAFT_ENUM_NAMES(level, HAFT_VALUE(3, "low"), HAFT_VALUE(300, "high"));
