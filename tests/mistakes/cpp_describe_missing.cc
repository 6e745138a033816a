/* expect: lamp.room needs a description */
/* A field whose description is empty. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FIELD(std::string, room, ""));
