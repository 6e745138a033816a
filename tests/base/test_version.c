/* test_version.c - the headers, the library and the build agree on the version. */
#include <haft/version.h>

#include <stdio.h>

#include "support/test.h"

static void is_one_in_headers_library_and_build(void **state)
{
    char text[32];

    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", HAFT_VERSION_MAJOR, HAFT_VERSION_MINOR,
             HAFT_VERSION_PATCH);
    assert_string_equal(HAFT_VERSION, text);
    assert_string_equal(haft_version(), HAFT_VERSION);
    assert_string_equal(BUILD_VERSION, HAFT_VERSION);
    assert_int_equal(haft_version_number(), HAFT_VERSION_NUMBER);
}

static void has_a_number_that_compares(void **state)
{
    (void)state;
    assert_int_equal(HAFT_VERSION_NUMBER >> 16, HAFT_VERSION_MAJOR);
    assert_int_equal(HAFT_VERSION_NUMBER >> 8 & 255, HAFT_VERSION_MINOR);
    assert_int_equal(HAFT_VERSION_NUMBER & 255, HAFT_VERSION_PATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_one_in_headers_library_and_build),
        cmocka_unit_test(has_a_number_that_compares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
