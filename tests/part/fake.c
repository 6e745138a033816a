/* fake.c - shared objects that are parts of haft, or not quite: WRONG says how. */
#include <haft/part.h>

#if WRONG == NAMELESS
extern const haft_part some_other_name;
#define haft_http_client_part some_other_name
#endif

#if WRONG == UNRESOLVED
extern int haft_no_such_function(void);
static int (*const needs)(void) = haft_no_such_function;
#define FUNCTIONS &needs
#elif WRONG == EMPTY
#define FUNCTIONS NULL
#else
static const int functions = 42;
#define FUNCTIONS &functions
#endif

const haft_part haft_http_client_part = {
    .magic = HAFT_PART_MAGIC + (WRONG == MAGIC),
    .abi = HAFT_PART_ABI + (WRONG == ABI),
    .name = WRONG == OTHER ? "sqlite" : "http-client",
    .version = WRONG == VERSION ? "9.8.7" : HAFT_VERSION,
    .functions = FUNCTIONS,
};
