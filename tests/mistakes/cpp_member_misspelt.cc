/* expect: 'rom' */
/* A member that the struct does not have. */
#include <haft.hpp>

struct lamp {
    std::string room;
};
HAFT_SCHEMA(lamp, HAFT_MEMBER(rom, "Where it hangs"));
