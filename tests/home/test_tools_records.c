/* test_tools_records.c - runs the table rows_records.h, and reads logs that are cut off or damaged. */
#include <string.h>

#include "home/rows_records.h"
#include "support/test.h"

/* Every beginning of a log, and every byte of it changed, gives entries. */
static void any_log_can_be_read(void **state)
{
    static char
        log[sizeof "\033[31m2026-06-01 11:00:00.4 ERROR (Main) [a.b] one\nTraceback\n x\n"] =
            "\033[31m2026-06-01 11:00:00.4 ERROR (Main) [a.b] one\nTraceback\n x\n";
    static const struct fault_answer answers[] = {{"GET /api/error_log", log, 200, NULL},
                                                  {NULL, NULL, 0, NULL}};
    static const char others[] = {'\n', ' ', '[', ')', '\033', '\377'};
    struct house *house;

    (void)state;
    fault_answers = answers;
    house = house_open(&(struct house_options){.timeout_ms = 0});
    fault_answers = NULL;
    for (size_t size = sizeof log - 1; size; size--)
        for (size_t i = 0; i < sizeof others; i++) {
            char before = log[size - 1];
            haft_result result;

            log[size - 1] = others[i];
            result = house_call(house, "error_log", "{'level':'debug'}");
            assert_false(result.is_error);
            log[size - 1] = i + 1 == sizeof others ? '\0' : before;
        }
    house_close(house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_log_can_be_read)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    return failed + tools_run("home/tools_records", rows_records, COUNT_OF(rows_records));
}
