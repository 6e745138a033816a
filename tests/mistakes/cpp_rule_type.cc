/* expect gcc: invalid conversion from 'const char\*' to 'int64_t' */
/* expect clang: assigning to 'int64_t' .* from incompatible type */
/* A bound of another type. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(int, level, "Percent", .max = "100"));
