/* expect: the case name errno is a macro */
/* A case whose name is a macro: as.errno would be something else. */
#include <errno.h>
#include <haft.h>

HAFT_STRUCT(problem, HAFT_INTEGER(number, "Its number"));
HAFT_CHOICE(outcome, "kind", HAFT_CASE(errno, problem));
