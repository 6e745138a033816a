/* expect: a macro in the enumeration paint stands for several names */
/* A macro for several enumerators: names are taken as they are written. */
#include <haft.h>

#define WARM red, orange
HAFT_ENUMERATION(paint, WARM, blue);
