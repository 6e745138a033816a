/* test_tools_control.c - runs the table rows_control.h. */
#include "home/rows_control.h"
#include "support/test.h"

static void every_row_is_as_it_says(void **state)
{
    (void)state;
    tools_run(rows_control, COUNT_OF(rows_control));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_as_it_says)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
