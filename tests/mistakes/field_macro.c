/* expect: the field name errno is a macro: name it otherwise, in HAFT_NAMED */
/* A field whose name is a macro: x.errno would be something else. */
#include <errno.h>
#include <haft.h>

HAFT_STRUCT(problem,
    HAFT_STRING(text, "What happened"),
    HAFT_INTEGER(errno, "Its number"));
