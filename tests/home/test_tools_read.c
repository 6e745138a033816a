/* test_tools_read.c - runs the table rows_read.h. */
#include "home/rows_read.h"
#include "support/test.h"

static void every_row_is_as_it_says(void **state)
{
    (void)state;
    tools_run(rows_read, COUNT_OF(rows_read));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_as_it_says)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
