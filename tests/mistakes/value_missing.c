/* expect: region: this is not a HAFT_VALUE(enumerator, .*"name.*"): WEST */
/* An enumerator without its name. */
#include <haft.h>

typedef enum region { EAST, WEST } region;

HAFT_ENUM_NAMES(region, HAFT_VALUE(EAST, "us-east-1"), WEST);
