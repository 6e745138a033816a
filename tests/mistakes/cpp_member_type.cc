/* expect: lamp.handle: haft has no JSON for this type; docs/cpp.md has those it has */
/* A pointer as a member. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(void *, handle, "What to turn"));
