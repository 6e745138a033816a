/* expect gcc: 'struct haft_integer_rules' has no member named 'maximum' */
/* expect clang: 'maximum' does not refer to any field in type 'struct haft_integer_rules' */
/* A rule that no kind has. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs", .min = 1),
    HAFT_INTEGER(level, "Percent", .maximum = 100));
