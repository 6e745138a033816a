/* expect: haft: the variable of an option is a bool, an integer, a double, an enum, a */
/* An option whose variable has a type that no text can fill in. */
#include <haft.hpp>

void serve(haft::server &server, std::vector<int> &numbers)
{
    server.option("--numbers", numbers, "some numbers");
}
