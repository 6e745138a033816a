/* test_scan.c - where things are in a JSON text. */
#include "scan.h"

#include "support/test.h"

static const struct {
    const char *text, *name, *value; /* NULL: there is none */
} rows[] = {
    {"{}", "id", NULL},
    {"{\"id\":1}", "id", "1"},
    {"{\"id\":1.50e+2,\"x\":0}", "id", "1.50e+2"},
    {"{ \"x\" : [1, {\"id\": 2}], \"id\" : \"a\\\"}\" }", "id", "\"a\\\"}\""},
    {"{\"x\":{\"id\":1}}", "id", NULL},
    {"{\"x\":\"\\\\\",\"id\":null}", "id", "null"},
    {"{\"\\u0069d\":7}", "id", "7"},
    {"{\"\\u0069e\":7}", "id", NULL},
    {"{\r\n\t\"id\"\r\n:\t[ ]\r\n}", "id", "[ ]"},
    {"{\"id\":true,\"id\":false}", "id", "true"},
    {"{\"i\":1,\"idd\":2,\"id\":{\"a\":[[]]}}", "id", "{\"a\":[[]]}"},
};

static void members_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *text = rows[i].text;
        struct scan_member member;
        bool found = scan_find(text, strlen(text), 0, rows[i].name, &member);

        if (found != !!rows[i].value ||
            (found && (strlen(rows[i].value) != member.value.end - member.value.start ||
                       memcmp(text + member.value.start, rows[i].value, strlen(rows[i].value)))))
            fail_msg("%s: %s", text, rows[i].name);
    }
}

static void items_are_found(void **state)
{
    static const char text[] = " [1, \"a,b\" ,{\"c\":[2,3]},[]]";
    static const char *const items[] = {"1", "\"a,b\"", "{\"c\":[2,3]}", "[]"};
    size_t at = 2, n = 0;
    struct scan_range item;

    (void)state;
    for (; scan_next_item(text, sizeof text - 1, &at, &item); n++) {
        assert_true(n < COUNT_OF(items));
        assert_int_equal(item.end - item.start, strlen(items[n]));
        assert_memory_equal(text + item.start, items[n], strlen(items[n]));
    }
    assert_int_equal(n, COUNT_OF(items));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_are_found),
                                       cmocka_unit_test(items_are_found)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
