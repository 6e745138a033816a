/* expect: bag.label must be declared as const char \* or an array of char */
/* Whose the text behind a char * is, is not said. */
#include <haft.h>

typedef struct bag {
    char *label;
} bag;

HAFT_SCHEMA(bag,
    HAFT_STRING(label, "What it says"));
