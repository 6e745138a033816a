/* expect: lamp.levels: haft has no JSON for this type; docs/cpp.md has those it has */
/* Items that may be absent. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::vector<std::optional<int>>, levels, "Percent"));
