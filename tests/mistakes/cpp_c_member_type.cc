/* expect: shelf.boards must be declared as int64_t, int, size_t or another integer */
/* A field of C whose member is of another type. */
#include <haft.hpp>

struct shelf {
    const char *label;
    double boards;
};
HAFT_SCHEMA(shelf, HAFT_STRING(label, "What it says"), HAFT_INTEGER(boards, "How many"));
