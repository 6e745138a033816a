/* expect: shelf.boards must be declared as int64_t, int, size_t or another integer */
/* The member exists and is of another type than the field. */
#include <haft.h>

typedef struct shelf {
    const char *label;
    double boards;
} shelf;

HAFT_SCHEMA(shelf,
    HAFT_STRING(label, "What it says"),
    HAFT_INTEGER(boards, "How many"));
