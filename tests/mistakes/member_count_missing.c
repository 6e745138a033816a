/* expect gcc: 'shelf' has no member named 'n_boards' */
/* expect clang: no member named 'n_boards' in 'struct shelf' */
/* An array needs a member that says how many there are. */
#include <haft.h>

typedef struct shelf {
    int64_t *boards;
} shelf;

HAFT_SCHEMA(shelf,
    HAFT_ARRAY(boards, HAFT_INTEGER(board, "One"), "All of them"));
