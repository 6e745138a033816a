/* test_print.c - schemas as tables for people. */
#include "reading.h"
#include "shapes.h"

static void prints_one_row_a_field(void **state)
{
    static const struct {
        const haft_type *type;
        const char *expected;
    } rows[] = {
        {&ruled_type, "FIELD       TYPE              RULES                            DESCRIPTION\n"
                      "whole?      integer           >= 2, <= 10, multiple of 2       An integer\n"
                      "between?    integer           > 2, < 10                        Another\n"
                      "real?       number            >= 0.5, <= 2.5, multiple of 0.5  A number\n"
                      "within?     number            > 0, < 1                         Another\n"
                      "sized?      string            size >= 2, size <= 3             A short one\n"
                      "patterned?  string            /^[a-z]+$/                       Letters\n"
                      "mail?       string            email                            An address\n"
                      "parted?     string            starts \"a\", ends \"z\", has \"-\"    Parts\n"
                      "list?       array of integer  size >= 1, size <= 2             Some\n"
                      "set?        array of integer  unique                           Some\n"
                      "map?        map of integer    size >= 1, size <= 2             Some\n"},
        {&maybe_type,
         "FIELD     TYPE                       RULES                 DESCRIPTION\n"
         "flag?     boolean                                          Yes or no\n"
         "count?    integer                                          How many\n"
         "ratio?    number                                           How much\n"
         "name?     string                                           What it is called\n"
         "blob?     string                     base64                Some bytes\n"
         "paint?    \"red\" | \"green\" | \"blue\"                         Its colour\n"
         "at?       object                                           Where it is\n"
         "  x       number                     >= -100, <= 100       To the right\n"
         "  y       number                                           Upwards\n"
         "shape?    object by kind                                   What it looks like\n"
         "  kind    \"circle\"\n"
         "  radius  number                     > 0                   In metres\n"
         "  kind    \"label\"\n"
         "  text    string                     size >= 1, size <= 5  What it says\n"
         "link?     object                                           Where it points\n"
         "  x       number                     >= -100, <= 100       To the right\n"
         "  y       number                                           Upwards\n"
         "names?    array of string                                  Other names\n"
         "limits?   map of integer                                   Limits by name\n"
         "table?    array of array of integer                        A table\n"
         "any?      any                                              Anything\n"},
        {&blank_type,
         "FIELD     TYPE                              RULES                 DESCRIPTION\n"
         "flag      boolean | null                                          Yes or no\n"
         "count     integer | null                                          How many\n"
         "ratio     number | null                                           How much\n"
         "name      string | null                                           What it is called\n"
         "blob      string | null                     base64                Some bytes\n"
         "paint     \"red\" | \"green\" | \"blue\" | null                         Its colour\n"
         "at        object | null                                           Where it is\n"
         "  x       number                            >= -100, <= 100       To the right\n"
         "  y       number                                                  Upwards\n"
         "shape     object by kind | null                                   What it looks like\n"
         "  kind    \"circle\"\n"
         "  radius  number                            > 0                   In metres\n"
         "  kind    \"label\"\n"
         "  text    string                            size >= 1, size <= 5  What it says\n"
         "link      object | null                                           Where it points\n"
         "  x       number                            >= -100, <= 100       To the right\n"
         "  y       number                                                  Upwards\n"
         "names     array of string | null                                  Other names\n"
         "limits    map of integer | null                                   Limits by name\n"
         "table     array of array of integer | null                        A table\n"
         "any       any | null                                              Anything\n"},
        {&settled_type,
         "FIELD     TYPE                       RULES                                 DESCRIPTION"
         "\n"
         "flag      boolean                    default true                          Yes or no\n"
         "count     integer                    >= 1, default 7                       How many\n"
         "ratio     number                     default 0.25                          How much\n"
         "name      string                     default \"none\"                        What it is"
         " called\n"
         "blob      string                     base64, default \"aGk=\"                Some bytes"
         "\n"
         "paint     \"red\" | \"green\" | \"blue\"   default \"blue\"                        Its "
         "colour\n"
         "at        object                     default {\"x\":1,\"y\":2}                 Where it"
         " is\n"
         "  x       number                     >= -100, <= 100                       To the right"
         "\n"
         "  y       number                                                           Upwards\n"
         "shape     object by kind             default {\"kind\":\"label\",\"text\":\"hi\"}  What"
         " it looks like\n"
         "  kind    \"circle\"\n"
         "  radius  number                     > 0                                   In metres\n"
         "  kind    \"label\"\n"
         "  text    string                     size >= 1, size <= 5                  What it says"
         "\n"
         "link      object                     default {\"x\":3,\"y\":4}                 Where it"
         " points\n"
         "  x       number                     >= -100, <= 100                       To the right"
         "\n"
         "  y       number                                                           Upwards\n"
         "names     array of string            default [\"a\",\"b\"]                     Other na"
         "mes\n"
         "limits    map of integer             default {\"k\":1}                       Limits by "
         "name\n"
         "table     array of array of integer  default [[1],[]]                      A table\n"
         "any       any                        default [null]                        Anything\n"},
        {&tree_type, "FIELD      TYPE           RULES  DESCRIPTION\n"
                     "name       string                Its name\n"
                     "next?      tree                  The one after it\n"
                     "children?  array of tree         Those below it\n"},
        {&person_type, "FIELD     TYPE    RULES  DESCRIPTION\n"
                       "name      string         Their name\n"
                       "firm?     object         Where they work\n"
                       "  name    string         Its name\n"
                       "  owner?  person         Whose it is\n"},
        {&nest_type, "FIELD    TYPE           RULES  DESCRIPTION\n"
                     "(value)  array of nest         Nests\n"},
        {&expression_type, "FIELD    TYPE          RULES  DESCRIPTION\n"
                           "(value)  object by op\n"
                           "op       \"literal\"\n"
                           "value    number               The number\n"
                           "op       \"sum\"\n"
                           "left     expression           What is added to\n"
                           "right    expression           What is added\n"},
        {&cat_type, "FIELD  TYPE     RULES         DESCRIPTION\n"
                    "id     integer  >= 1          Its number\n"
                    "sound  string                 What it says\n"
                    "tame   boolean  default true  Used to people\n"},
        {&grid_type, "FIELD    TYPE                       RULES  DESCRIPTION\n"
                     "(value)  array of array of integer         Rows of numbers\n"},
        {&colour_type, "FIELD    TYPE                      RULES  DESCRIPTION\n"
                       "(value)  \"red\" | \"green\" | \"blue\"\n"},
        {&wordy_type,
         "FIELD   TYPE        RULES                                            DESCRIPTION\n"
         "s       string                                                       A \"text\" of two "
         "lines\n"
         "a-b?    string                                                       Named\n"
         "i?      integer     >= -9223372036854775807, <= 9223372036854775806  Exact\n"
         "extra?  map of any                                                   More\n"},
        {&journey_type, "FIELD  TYPE             RULES                  DESCRIPTION\n"
                        "a      object                                  First\n"
                        "  x    number           >= -100, <= 100        To the right\n"
                        "  y    number                                  Upwards\n"
                        "b      object | null                           Second\n"
                        "  x    number           >= -100, <= 100        To the right\n"
                        "  y    number                                  Upwards\n"
                        "c      object           default {\"x\":1,\"y\":2}  Third\n"
                        "  x    number           >= -100, <= 100        To the right\n"
                        "  y    number                                  Upwards\n"
                        "more   array of object                         Others\n"
                        "  x    number           >= -100, <= 100        To the right\n"
                        "  y    number                                  Upwards\n"},
        {&holder_type, "FIELD  TYPE           RULES  DESCRIPTION\n"
                       "t      tree                  A tree\n"
                       "p      person | null         A person\n"},
        {&range_type, "FIELD  TYPE     RULES  DESCRIPTION\n"
                      "low    integer  >= 0   From\n"
                      "high   integer         To\n"},
    };
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct reading r;

        reading_open(&r, rows[i].type, NULL);
        assert_int_equal(haft_schema_print(r.schema, &r.text), 0);
        if (strcmp(reading_text(&r), rows[i].expected)) {
            print_message("expected\n%sfound\n%s", rows[i].expected, r.text.data);
            wrong++;
        }
        reading_close(&r);
    }
    assert_int_equal(wrong, 0);
}

static void prints_documents_too(void **state)
{
    static const struct {
        const char *document, *expected;
    } rows[] = {
        {"true", "FIELD    TYPE  RULES  DESCRIPTION\n"
                 "(value)  any\n"},
        {"false", "FIELD    TYPE   RULES  DESCRIPTION\n"
                  "(value)  never\n"},
        {"{\"type\":[\"string\",\"null\"],\"maxLength\":3,\"description\":\"D\"}",
         "FIELD    TYPE           RULES      DESCRIPTION\n"
         "(value)  string | null  size <= 3  D\n"},
        {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}",
         "FIELD    TYPE              RULES  DESCRIPTION\n"
         "(value)  string | integer\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_schema *schema = NULL;
        haft_buffer buffer;

        haft_buffer_init(&buffer, NULL, 1000);
        assert_int_equal(
            haft_schema_parse(rows[i].document, strlen(rows[i].document), NULL, &schema, NULL), 0);
        assert_int_equal(haft_schema_print(schema, &buffer), 0);
        haft_buffer_add(&buffer, "", 1);
        assert_string_equal(buffer.data, rows[i].expected);
        haft_buffer_finish(&buffer);
        haft_schema_free(schema);
    }
}

static void stops_at_the_limit(void **state)
{
    struct reading r;
    haft_buffer small;

    (void)state;
    reading_open(&r, &everything_type, NULL);
    haft_buffer_init(&small, NULL, 100);
    assert_int_equal(haft_schema_print(r.schema, &small), HAFT_ETOOBIG);
    assert_int_equal(haft_schema_print(r.schema, &small), HAFT_ETOOBIG);
    haft_buffer_finish(&small);
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_one_row_a_field),
        cmocka_unit_test(prints_documents_too),
        cmocka_unit_test(stops_at_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
