/* expect: lamp: this is not a field: HAFT_FILD(int */
/* A kind of field that there is not. */
#include <haft.hpp>

HAFT_STRUCT(lamp, HAFT_FILD(int, level, "Percent"), HAFT_FIELD(std::string, room, "Where it hangs"));
