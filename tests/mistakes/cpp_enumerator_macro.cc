/* expect: the name of an enumerator of sig is a macro: name it otherwise, (name, .*"text.*") */
/* An enumerator of an enum class has no prefix: sig::SIGTERM would be sig::15. */
#include <csignal>
#include <haft.hpp>

HAFT_ENUM_CLASS(sig, hangup, (SIGTERM, "SIGTERM"));
