/* test_error.c - every status has its sentence, and an error is always printable. */
#include "base/base.h"

#include <string.h>

#include "support/test.h"

static void every_status_has_a_sentence(void **state)
{
    static const int codes[] = {
#define HAFT_ERROR_(name, value, text) name,
        HAFT_ERRORS(HAFT_ERROR_)
#undef HAFT_ERROR_
    };

    (void)state;
    assert_string_equal(haft_strerror(HAFT_OK), "no error");
    assert_string_equal(haft_strerror(1), "unknown error");
    assert_string_equal(haft_strerror(-1000), "unknown error");
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        assert_true(codes[i] < 0);
        assert_string_not_equal(haft_strerror(codes[i]), "unknown error");
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(codes[i], codes[k]);
    }
}

static void fills_an_error_in(void **state)
{
    haft_reason error;

    (void)state;
    assert_int_equal(hf_error_set(NULL, HAFT_EINVAL, "a", "b"), HAFT_EINVAL);
    assert_int_equal(hf_error_set(&error, HAFT_EREF, "a.b", "no %s %d", "such", 5), HAFT_EREF);
    assert_int_equal(error.code, HAFT_EREF);
    assert_string_equal(error.path, "a.b");
    assert_string_equal(error.text, "no such 5");
    hf_error_set(&error, HAFT_EINVAL, NULL, "%s", "");
    assert_string_equal(error.path, "");
    assert_string_equal(error.text, "");
}

/* An error on the way up may be told in the words of the one below. */
static void may_be_made_of_itself(void **state)
{
    haft_reason error;

    (void)state;
    hf_error_set(&error, HAFT_EPATTERN, "pattern", "it ends early");
    hf_error_set(&error, HAFT_ESCHEMA, error.path, "not a schema: %s", error.text);
    assert_string_equal(error.path, "pattern");
    assert_string_equal(error.text, "not a schema: it ends early");
}

static void is_cut_between_characters(void **state)
{
    char text[1001] = "";

    (void)state;
    for (size_t lead = 0; lead < 4; lead++) {
        haft_reason error;

        memset(text, 'x', lead);
        for (size_t i = lead; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xe2\x82\xac", 4);
        hf_error_set(&error, HAFT_EINVAL, text, "%s", text);
        assert_true(strlen(error.path) > sizeof error.path - 4);
        assert_true(strlen(error.text) > sizeof error.text - 4);
        assert_int_equal(haft_utf8_valid(error.path, strlen(error.path)), strlen(error.path));
        assert_int_equal(haft_utf8_valid(error.text, strlen(error.text)), strlen(error.text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_sentence),
        cmocka_unit_test(fills_an_error_in),
        cmocka_unit_test(may_be_made_of_itself),
        cmocka_unit_test(is_cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
