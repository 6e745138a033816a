/* expect gcc: 'shelf' has no member named 'boards' */
/* expect clang: no member named 'boards' in 'struct shelf' */
/* The field has no member. */
#include <haft.h>

typedef struct shelf {
    const char *label;
} shelf;

HAFT_SCHEMA(shelf,
    HAFT_STRING(label, "What it says"),
    HAFT_INTEGER(boards, "How many"));
