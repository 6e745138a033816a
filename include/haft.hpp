/* haft.hpp - all of haft for C++17 and later.
 *
 *     HAFT_STRUCT(add_args, HAFT_FIELD(double, a, "First number"), HAFT_FIELD(double, b, "Second number"));
 *
 *     int main(int argc, char **argv)
 *     {
 *         haft::server server("adder", "1.0.0");
 *
 *         server.tool("add", "Adds two numbers", [](const add_args &in) { return in.a + in.b; });
 *         return server.main(argc, argv);
 *     }
 *
 * It is made of headers alone, on the functions of haft.h, which may be used beside it.  docs/cpp.md has
 * a page about it. */
#ifndef HAFT_HPP
#define HAFT_HPP

#include <haft.h>

#include <haft/cpp/call.hpp>
#include <haft/cpp/client.hpp>
#include <haft/cpp/declare.hpp>
#include <haft/cpp/error.hpp>
#include <haft/cpp/offer.hpp>
#include <haft/cpp/option.hpp>
#include <haft/cpp/schema.hpp>
#include <haft/cpp/server.hpp>
#include <haft/cpp/tool.hpp>

#endif
