/* test_tools_config.c - runs the table rows_config.h. */
#include "home/rows_config.h"
#include "support/test.h"

int main(void)
{
    return tools_run("home/tools_config", rows_config, COUNT_OF(rows_config));
}
