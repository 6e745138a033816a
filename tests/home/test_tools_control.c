/* test_tools_control.c - runs the table rows_control.h. */
#include "home/rows_control.h"
#include "support/test.h"

int main(void)
{
    return tools_run("home/tools_control", rows_control, COUNT_OF(rows_control));
}
