/* expect gcc: 'struct haft_plain_rules' has no member named 'max' */
/* expect clang: 'max' does not refer to any field in type 'struct haft_plain_rules' */
/* A rule that this kind does not have. */
#include <haft.h>

HAFT_STRUCT(lamp,
    HAFT_STRING(room, "Where it hangs", .min = 1),
    HAFT_BOOLEAN(on, "Whether it shines", .max = 1));
