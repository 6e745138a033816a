/* expect gcc: two or more data types in declaration of 'type name' */
/* expect clang: cannot combine with previous 'type-name' declaration specifier */
/* A type with a comma needs parentheses. */
#include <haft.hpp>
#include <map>

HAFT_STRUCT(lamp, HAFT_FIELD(std::map<std::string, int>, levels, "Percent, by room"));
