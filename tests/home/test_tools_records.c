/* test_tools_records.c - runs the table rows_records.h. */
#include "home/rows_records.h"
#include "support/test.h"

int main(void)
{
    return tools_run("home/tools_records", rows_records, COUNT_OF(rows_records));
}
