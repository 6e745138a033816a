/* add.h - the tool that most benchmarks call. */
#ifndef HAFT_BENCH_ADD_H
#define HAFT_BENCH_ADD_H

#include <haft.h>

HAFT_STRUCT(add_args, HAFT_NUMBER(a, "The one"), HAFT_NUMBER(b, "The other"));
HAFT_STRUCT(add_sum, HAFT_NUMBER(sum, "Both together"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers", .quick = true);

#endif
