/* expect: haft: what a tool takes must be a type declared by HAFT_STRUCT */
/* The struct is not declared. */
#include <haft.hpp>

struct lamp {
    std::string room;
};

static std::string dim(const lamp &in)
{
    return in.room;
}

void serve(haft::server &server)
{
    server.tool("dim", "Dims a lamp", dim);
}
