/* test_url.c - the parts of URLs. */
#include "base/url.h"

#include <string.h>

#include "support/test.h"

static void check(const char *url, const char *what, struct url_part part, const char *expected)
{
    if (!expected != !part.text || (expected && (part.size != strlen(expected) ||
                                                 memcmp(part.text, expected, part.size) != 0)))
        fail_msg("%s: %s is %.*s", url, what, (int)part.size, part.text ? part.text : "absent");
}

static void splits(void **state)
{
    static const struct {
        const char *url, *scheme, *authority, *path, *query, *fragment; /* NULL when absent */
    } rows[] = {
        {"", NULL, NULL, "", NULL, NULL},
        {"http://example.org", "http", "example.org", "", NULL, NULL},
        {"http://example.org/", "http", "example.org", "/", NULL, NULL},
        {"https://u@[::1]:80/a/b?c=d&e#f", "https", "u@[::1]:80", "/a/b", "c=d&e", "f"},
        {"http://h?q", "http", "h", "", "q", NULL},
        {"http://h#f", "http", "h", "", NULL, "f"},
        {"http:///p", "http", "", "/p", NULL, NULL},
        {"http:/p", "http", NULL, "/p", NULL, NULL},
        {"urn:a:b", "urn", NULL, "a:b", NULL, NULL},
        {"a+b-c.d9:x", "a+b-c.d9", NULL, "x", NULL, NULL},
        {"9a:x", NULL, NULL, "9a:x", NULL, NULL},
        {":x", NULL, NULL, ":x", NULL, NULL},
        {"a_b:x", NULL, NULL, "a_b:x", NULL, NULL},
        {"//h/p", NULL, "h", "/p", NULL, NULL},
        {"/p//q", NULL, NULL, "/p//q", NULL, NULL},
        {"?", NULL, NULL, "", "", NULL},
        {"#", NULL, NULL, "", NULL, ""},
        {"a?b?c", NULL, NULL, "a", "b?c", NULL},
        {"a#b?c#d", NULL, NULL, "a", NULL, "b?c#d"},
        {"a?b#c", NULL, NULL, "a", "b", "c"},
        {"#a:b", NULL, NULL, "", NULL, "a:b"},
        {"?a:b", NULL, NULL, "", "a:b", NULL},
        {"/", NULL, NULL, "/", NULL, NULL},
        {"//", NULL, "", "", NULL, NULL},
        {"a:", "a", NULL, "", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct url url = hf_url_split(rows[i].url, strlen(rows[i].url));

        check(rows[i].url, "scheme", url.scheme, rows[i].scheme);
        check(rows[i].url, "authority", url.authority, rows[i].authority);
        check(rows[i].url, "path", url.path, rows[i].path);
        check(rows[i].url, "query", url.query, rows[i].query);
        check(rows[i].url, "fragment", url.fragment, rows[i].fragment);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(splits)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
