/* expect: the field name errno is a macro: name it otherwise, in HAFT_NAMED */
/* A field whose name is a macro: x.errno would be something else. */
#include <cerrno>
#include <haft.hpp>

HAFT_STRUCT(problem, HAFT_FIELD(std::string, text, "What happened"), HAFT_FIELD(int, errno, "Its number"));
