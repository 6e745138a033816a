/* test_tools_read.c - runs the table rows_read.h. */
#include "home/rows_read.h"
#include "support/test.h"

int main(void)
{
    return tools_run("home/tools_read", rows_read, COUNT_OF(rows_read));
}
