/* test_frontmatter.c - the front matter of a SKILL.md: where it is, what it may be, and what is refused. */
#include <haft/json.h>
#include <stdlib.h>
#include <string.h>

#include "skill/frontmatter.h"
#include "support/test.h"

#define OK "name: a\ndescription: b\n"

static const struct {
    const char *text;
    const char *expected; /* JSON, or what the reason contains */
    int status;
} rows[] = {
    {"---\n" OK "---\nbody", "{\"name\":\"a\",\"description\":\"b\"}", 0},
    {"---\r\nname: a\r\ndescription: b\r\n---\r\n", "{\"name\":\"a\",\"description\":\"b\"}", 0},
    {"\xef\xbb\xbf---\n" OK "---", "{\"name\":\"a\",\"description\":\"b\"}", 0},
    {"---\n" OK "--- \t\n---\n", "{\"name\":\"a\",\"description\":\"b\"}", 0},
    {"---\nname: a\ndescription: >-\n  b\n  c\nmetadata:\n  n: 1\n  list: [x, 2.5, true]\n---\n",
     "{\"name\":\"a\",\"description\":\"b c\",\"metadata\":{\"n\":1,\"list\":[\"x\",2.5,true]}}",
     0},
    {"", "must begin with front matter", HAFT_EINVAL},
    {"---", "must begin with front matter", HAFT_EINVAL},
    {"---\n", "must begin with front matter", HAFT_EINVAL},
    {"---\n" OK, "must begin with front matter", HAFT_EINVAL},
    {" ---\n" OK "---\n", "must begin with front matter", HAFT_EINVAL},
    {"----\n" OK "---\n", "must begin with front matter", HAFT_EINVAL},
    {"---\n" OK "----\n", "must begin with front matter", HAFT_EINVAL},
    {"# Title\n---\n" OK "---\n", "must begin with front matter", HAFT_EINVAL},
    {"---\n---\n", "the document is empty", HAFT_EPARSE},
    {"---\n- a\n---\n", "it must be a mapping", HAFT_EINVAL},
    {"---\ntext\n---\n", "it must be a mapping", HAFT_EINVAL},
    {"---\na: [\n---\n", "front matter: line", HAFT_EPARSE},
    {"---\n" OK "name: c\n---\n", "name", HAFT_EPARSE},
    {"---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n---\n",
     "the document is too large", HAFT_ETOOBIG},
    {"---\na: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n---\n",
     "", HAFT_EDEPTH},
};

static void reads_what_it_should(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, 64 << 20);
        haft_reason reason = {0};
        struct text json = {0};
        haft_value *value = NULL;
        int status = hf_frontmatter_read(rows[i].text, strlen(rows[i].text), NULL, "a test", arena,
                                         &value, &json, &reason);

        if (status != rows[i].status)
            print_error("row %zu: %d %s\n", i, status, reason.text);
        assert_int_equal(status, rows[i].status);
        if (status) {
            assert_int_equal(reason.code, status);
            assert_non_null(strstr(reason.text, rows[i].expected));
            assert_null(value);
        } else {
            assert_int_equal(json.size, strlen(rows[i].expected));
            assert_memory_equal(json.data, rows[i].expected, json.size);
        }
        haft_arena_free(arena);
    }
}

static void has_a_limit(void **state)
{
    size_t size = FRONTMATTER_SIZE + 100;
    char *text = malloc(size + 1);
    const char *yaml;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, "---\n", 4);
    memcpy(text + size - 5, "\n---\n", 5);
    assert_false(hf_frontmatter_find(text, size, &yaml, &size));
    memcpy(text + FRONTMATTER_SIZE - 5, "\n---\n", 5);
    assert_true(hf_frontmatter_find(text, FRONTMATTER_SIZE, &yaml, &size));
    free(text);
}

static const struct {
    const char *json, *directory;
    int status;
} checks[] = {
    {"{\"name\":\"a\",\"description\":\"b\"}", "a", 0},
    {"{\"name\":\"a-b-3\",\"description\":\"b\"}", NULL, 0},
    {"{\"name\":\"a\",\"description\":\"b\"}", "b", HAFT_EINVAL},
    {"{\"name\":\"a\",\"description\":\"b\"}", "aa", HAFT_EINVAL},
    {"{\"name\":\"A\",\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"-a\",\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"a-\",\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"a--b\",\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"a/b\",\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"..\",\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"\",\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":7,\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"description\":\"b\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"a\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"a\",\"description\":\"\"}", NULL, HAFT_EINVAL},
    {"{\"name\":\"a\",\"description\":[\"b\"]}", NULL, HAFT_EINVAL},
    {"{\"name\":\"a12345678901234567890123456789012345678901234567890123456789012\","
     "\"description\":\"b\"}",
     NULL, 0},
    {"{\"name\":\"a1234567890123456789012345678901234567890123456789012345678901234\","
     "\"description\":\"b\"}",
     NULL, HAFT_EINVAL},
};

static void checks_names_and_descriptions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 20);
        haft_reason reason = {0};
        haft_value *value =
            haft_json_read(checks[i].json, strlen(checks[i].json), 0, arena, &reason);
        const char *directory = checks[i].directory;

        assert_non_null(value);
        assert_int_equal(
            hf_frontmatter_check(value, directory, directory ? strlen(directory) : 0, &reason),
            checks[i].status);
        haft_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_should),
        cmocka_unit_test(has_a_limit),
        cmocka_unit_test(checks_names_and_descriptions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
