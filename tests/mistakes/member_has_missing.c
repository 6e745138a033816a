/* expect gcc: 'shelf' has no member named 'has_boards' */
/* expect clang: no member named 'has_boards' in 'struct shelf' */
/* An optional field needs a member that says whether it is there. */
#include <haft.h>

typedef struct shelf {
    int64_t boards;
} shelf;

HAFT_SCHEMA(shelf,
    HAFT_OPTIONAL(HAFT_INTEGER(boards, "How many")));
