/* adder.cpp - the smallest server in C++: one type, one function. */
#include <haft.hpp>

HAFT_STRUCT(add_args,
    HAFT_FIELD(double, a, "First number"),
    HAFT_FIELD(double, b, "Second number"));

HAFT_STRUCT(add_sum, HAFT_FIELD(double, sum, "Both together"));

static add_sum add(const add_args &in)
{
    return {in.a + in.b};
}

int main(int argc, char **argv)
{
    haft::server server("adder", "1.0.0");

    server.tool("add", "Adds two numbers", add, haft::read_only());
    return server.main(argc, argv);
}
