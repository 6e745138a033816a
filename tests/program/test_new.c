/* test_new.c - names of projects, and texts with words to replace. */
#include "program.h"
#include "template.h"

#include "support/test.h"

static const struct {
    const char *name, *fault; /* part of it; NULL for none */
} name_rows[] = {
    {"adder", NULL},
    {"Adder_2-b", NULL},
    {"x", NULL},
    {"tests", NULL},
    {"a234567890123456789012345678901234567890123456789012345678901234", NULL},
    {"a2345678901234567890123456789012345678901234567890123456789012345", "at most 64"},
    {"", "begin with a letter"},
    {"2nd", "begin with a letter"},
    {"-x", "begin with a letter"},
    {".hidden", "begin with a letter"},
    {"..", "begin with a letter"},
    {"a/b", "only letters"},
    {"a b", "only letters"},
    {"caf\xc3\xa9", "only letters"},
    {"a.b", "only letters"},
    {"test", "CMake"},
    {"Install", "CMake"},
    {"CMakeFiles", "CMake"},
};

static void names_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(name_rows); i++) {
        const char *fault = new_name_fault(name_rows[i].name);

        if (!fault != !name_rows[i].fault || (fault && !strstr(fault, name_rows[i].fault)))
            fail_msg("%s: %s", name_rows[i].name, fault ? fault : "no fault");
    }
}

static const struct template_word words[] = {{"NAME", "adder"}, {"N", "@NAME@"}, {NULL, NULL}};

static const struct {
    const char *text, *filled;
} fill_rows[] = {
    {"", ""},
    {"nothing", "nothing"},
    {"@NAME@", "adder"},
    {"a @NAME@-test: @NAME@", "a adder-test: adder"},
    {"@N@", "@NAME@"}, /* what is put in is not looked at again */
    {"@@NAME@@", "@adder@"},
    {"$@ @NAM @OTHER@ @", "$@ @NAM @OTHER@ @"},
};

static void words_are_replaced(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fill_rows); i++) {
        haft_buffer out;

        haft_buffer_init(&out, NULL, 1000);
        template_fill(fill_rows[i].text, words, &out);
        haft_buffer_add(&out, "", 1);
        assert_int_equal(out.status, 0);
        assert_string_equal(out.data, fill_rows[i].filled);
        haft_buffer_finish(&out);
    }
}

/* Every kind has what builds it in both ways, a README and no word that nobody replaces. */
static void kinds_are_whole(void **state)
{
    static const char *const kinds[] = {"c", "cpp", "plugin", "gateway"};
    static const char *const needed[] = {"CMakeLists.txt", "Makefile", "README.md", "gitignore"};

    (void)state;
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t n = 0; n < COUNT_OF(needed); n++) {
            size_t found = 0;

            for (const struct template *row = template_rows; row->path; row++) {
                const char *name = template_name(row, kinds[k]);

                found += name && !strcmp(name, needed[n]);
            }
            if (found != 1)
                fail_msg("%s has %zu of %s", kinds[k], found, needed[n]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_judged),
                                       cmocka_unit_test(words_are_replaced),
                                       cmocka_unit_test(kinds_are_whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
