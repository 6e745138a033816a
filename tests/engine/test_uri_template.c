/* test_uri_template.c - what templates compile to, and what they make of addresses. */
#include "engine/offer/uri_template.h"

#include <stdlib.h>
#include <string.h>

#include "support/failing.h"
#include "support/test.h"

enum { LIMIT = 16 << 20 };

/* ---- matching ---- */

/* The variables as "name=value;name=value", "-" for no match. */
struct row {
    const char *text, *address, *expected;
};

static void describe(const struct row *row, haft_arena *arena, haft_buffer *out)
{
    const struct uri_template *made = NULL;
    const struct text *pairs = NULL;
    struct address address;
    haft_reason reason = {0};
    size_t n = 0;
    int status;

    status = hf_uri_template_compile(arena, row->text, strlen(row->text), &made, &reason);
    if (status)
        fail_msg("%s: %s", row->text, reason.text);
    status = hf_address_read(arena, row->address, strlen(row->address), &address);
    status = status ? 0 : hf_uri_template_match(made, &address, arena, &pairs, &n);
    if (!status)
        haft_buffer_puts(out, "-");
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(strlen(pairs[i * 2 + 1].data), pairs[i * 2 + 1].size);
        haft_buffer_printf(out, "%s%s=%s", i ? ";" : "", pairs[i * 2].data, pairs[i * 2 + 1].data);
    }
    haft_buffer_add(out, "", 1);
}

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        haft_arena *arena = haft_arena_new(NULL, LIMIT);
        haft_buffer out;

        haft_buffer_init(&out, NULL, LIMIT);
        describe(&rows[i], arena, &out);
        if (strcmp(out.data, rows[i].expected))
            fail_msg("%s on %s: %s, not %s", rows[i].text, rows[i].address, out.data,
                     rows[i].expected);
        haft_buffer_finish(&out);
        haft_arena_free(arena);
    }
}

static void simple(void **state)
{
    static const struct row rows[] = {
        {"test://template/{id}/data", "test://template/123/data", "id=123"},
        {"test://template/{id}/data", "test://template//data", "-"},
        {"test://template/{id}/data", "test://template/1/2/data", "-"},
        {"test://template/{id}/data", "test://template/1?x/data", "-"},
        {"test://template/{id}/data", "test://template/1#x/data", "-"},
        {"test://template/{id}/data", "test://template/123/dat", "-"},
        {"test://template/{id}/data", "test://template/123/data/", "-"},
        {"test://template/{id}/data", "TEST://template/123/data", "-"},
        {"a:b", "a:b", ""},
        {"a:b", "a:c", "-"},
        {"{all}", "a:b", "all=a:b"},
        {"x://{a}-{b}", "x://1-2-3", "a=1;b=2-3"},
        {"x://{a}{b}", "x://\xC3\xA9z", "a=\xC3\xA9;b=z"},
        {"x://{name}.json", "x://a.json.json", "name=a.json"},
        {"x://{a,b}", "x://1,2,3", "a=1;b=2,3"},
        {"x://{a,b}", "x://1", "a=1"},
        {"x://{list*}", "x://1,2,3", "list=1,2,3"},
        {"x://{a:3}{b}", "x://wxyz", "a=w;b=xyz"},
        {"x://{a:3}/", "x://wxyz/", "-"},
        {"x://{a:3}/", "x://wxy/", "a=wxy"},
        {"x://{a:1}/{b}", "x://%C3%A9/f", "a=\xC3\xA9;b=f"},
        {"x://{user.name}/{_2}", "x://a/b", "user.name=a;_2=b"},
        {"x://{%41b}", "x://1", "%41b=1"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void reserved(void **state)
{
    static const struct row rows[] = {
        {"file:///{+path}", "file:///a/b.txt", "path=a/b.txt"},
        {"file:///{+path}", "file:///", "-"},
        {"file:///{+path}", "file:///a?b#c", "path=a?b#c"},
        {"file:///{+path}/x{b}", "file:///p/xq/xr", "path=p/xq;b=r"},
        {"x://{+path}{?q}", "x://a/b?q=1", "path=a/b;q=1"},
        {"x://{+path}{?q}", "x://a/b", "path=a/b"},
        {"x://{+a,b}", "x://1/2,3/4", "a=1/2;b=3/4"},
        {"x://y{#part}", "x://y#a/b?c", "part=a/b?c"},
        {"x://y{#part}", "x://y", ""},
        {"x://y{#part}", "x://y#", "-"},
        {"x://y{#a,b}", "x://y#1,2", "a=1;b=2"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void prefixed(void **state)
{
    static const struct row rows[] = {
        {"x://{name}{.format}", "x://report.pdf", "name=report;format=pdf"},
        {"x://{name}{.format}", "x://report", "name=report"},
        {"x://{name}{.format}", "x://report.tar.gz", "name=report;format=tar.gz"},
        {"x://y{.a,b}", "x://y.1.2", "a=1;b=2"},
        {"x://y{.a,b}", "x://y.1", "a=1"},
        {"x://y{/a}", "x://y/1", "a=1"},
        {"x://y{/a}", "x://y/1/2", "-"},
        {"x://y{/a,b}", "x://y/1/2", "a=1;b=2"},
        {"x://y{/a,b}", "x://y/1", "a=1"},
        {"x://y{/a,b}", "x://y", ""},
        {"x://y{/a,b}", "x://y/1/2/3", "-"},
        {"x://y{/path*}", "x://y/1/2/3", "path=1/2/3"},
        {"x://y{/path*}/end", "x://y/1/2/end", "path=1/2"},
        {"x://y{/path*}{?q}", "x://y/1/2?q=3", "path=1/2;q=3"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void named(void **state)
{
    static const struct row rows[] = {
        {"x://y{?a,b}", "x://y?a=1&b=2", "a=1;b=2"},
        {"x://y{?a,b}", "x://y?b=2&a=1", "a=1;b=2"},
        {"x://y{?a,b}", "x://y?b=2", "b=2"},
        {"x://y{?a,b}", "x://y", ""},
        {"x://y{?a,b}", "x://y?", ""},
        {"x://y{?a,b}", "x://y?a=&b", "a=;b="},
        {"x://y{?a,b}", "x://y?a=1&c=3&b=2", "a=1;b=2"},
        {"x://y{?a,b}", "x://y?a=1&a=2", "-"},
        {"x://y{?a,b}", "x://y?a=/p/q?r=s", "a=/p/q?r=s"},
        {"x://y{?a,b}", "x://y?a=1%262%3D3", "a=1&2=3"},
        {"x://y{?a,b}", "x://y?a=1+2", "a=1+2"},
        {"x://y{?a,b}", "x://y?a=1#f", "-"},
        {"x://y{?a*}", "x://y?a=1&a=2&a=3", "a=1,2,3"},
        {"x://y{?a:2}", "x://y?a=123", "-"},
        {"x://y{?a:2}", "x://y?a=12", "a=12"},
        {"x://y{?a}{&b}", "x://y?b=2&a=1", "a=1;b=2"},
        {"x://y?z=0{&a,b}", "x://y?z=0&b=2&a=1", "a=1;b=2"},
        {"x://y?z=0{&a,b}", "x://y?z=0", ""},
        {"x://y{?a}{#f}", "x://y?a=1#2", "a=1;f=2"},
        {"x://y{;a,b}/z", "x://y;b=2;a=1/z", "a=1;b=2"},
        {"x://y{;a,b}/z", "x://y;b/z", "b="},
        {"x://y{;a,b}/z", "x://y/z", ""},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

static void encodings(void **state)
{
    static const struct row rows[] = {
        {"x://{a}", "x://%C3%A9", "a=\xC3\xA9"},
        {"x://{a}", "x://\xC3\xA9", "a=\xC3\xA9"},
        {"x://{a}", "x://%20%25", "a= %"},
        {"x://{a}", "x://%252F", "a=%2F"},
        {"x://{a}", "x://a%3Fb%23c", "a=a?b#c"},
        {"x://{a}", "x://..%2F..", "-"},
        {"x://{a}", "x://..%2f..", "-"},
        {"x://y{/a}", "x://y/..%2F..", "-"},
        {"x://y{/a*}", "x://y/1%2F2/3", "-"},
        {"x://y{.a}", "x://y.1%2F2", "-"},
        {"x://y{;a}", "x://y;a=1%2F2", "-"},
        {"x://{+a}", "x://1%2F2", "a=1/2"},
        {"x://y{?a}", "x://y?a=1%2F2", "a=1/2"},
        {"x://{a}", "x://%2E%2E", "a=.."},
        {"x://{a}", "x://a%00b", "-"},
        {"x://{a}", "x://%FF", "-"},
        {"x://{a}", "x://%C3", "-"},
        {"x://{a}", "x://%ED%A0%80", "-"},
        {"x://{a}", "x://%C0%AF", "-"},
        {"x://{a}", "x://%4", "-"},
        {"x://{a}", "x://%zz", "-"},
        {"x://\xC3\xA9/{a}", "x://%c3%a9/1", "a=1"},
        {"x://%C3%A9/{a}", "x://\xC3\xA9/1", "a=1"},
        {"x://%7E/{a}", "x://~/1", "a=1"},
        {"x://%2F/{a}", "x://%2f/1", "a=1"},
        {"x://%2F/{a}", "x:////1", "-"},
    };

    (void)state;
    check_rows(rows, COUNT_OF(rows));
}

/* ---- compiling ---- */

static void refused(void **state)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"", "it is empty"},
        {"\xFF", "it is not valid UTF-8"},
        {"x://{a", "unmatched { at offset 4"},
        {"x://{", "expected a variable name of letters, digits, _ and . at offset 5"},
        {"x://{}", "expected a variable name of letters, digits, _ and . at offset 5"},
        {"x://{a,}", "expected a variable name of letters, digits, _ and . at offset 7"},
        {"x://{.}", "expected a variable name of letters, digits, _ and . at offset 6"},
        {"x://{a..b}", "expected a variable name of letters, digits, _ and . at offset 5"},
        {"x://{user-id}", "invalid character in a variable name at offset 9"},
        {"x://{{a}}", "expected a variable name of letters, digits, _ and . at offset 5"},
        {"x://a}", "unmatched } at offset 5"},
        {"x://a b", "invalid character in a URI at offset 5"},
        {"x://<a>", "invalid character in a URI at offset 4"},
        {"x://{a:0}", "a prefix length must be from 1 to 9999 at offset 6"},
        {"x://{a:}", "a prefix length must be from 1 to 9999 at offset 6"},
        {"x://{a:012}", "a prefix length must be from 1 to 9999 at offset 6"},
        {"x://{a:10000}", "a prefix length must be from 1 to 9999 at offset 6"},
        {"x://{a:99999999999999999999999}", "a prefix length must be from 1 to 9999 at offset 6"},
        {"x://{a:3*}", "invalid character in a variable name at offset 8"},
        {"x://{a*:3}", "invalid character in a variable name at offset 7"},
        {"x://{=a}", "reserved operator at offset 5"},
        {"x://{@a}", "reserved operator at offset 5"},
        {"x://{a}/{a}", "duplicate variable at offset 9"},
        {"x://%zz", "percent-encoding of invalid UTF-8 at offset 0"},
        {"x://{%zz}", "percent-encoding of invalid UTF-8 at offset 5"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, LIMIT);
        const struct uri_template *made = NULL;
        haft_reason reason = {0};
        int status =
            hf_uri_template_compile(arena, rows[i].text, strlen(rows[i].text), &made, &reason);

        assert_int_equal(status, HAFT_EINVAL);
        assert_null(made);
        assert_string_equal(reason.text, rows[i].reason);
        haft_arena_free(arena);
    }
}

static char *repeated(const char *first, const char *text, size_t n)
{
    size_t start = strlen(first), size = strlen(text);
    char *whole = malloc(start + n * size + 1);

    assert_non_null(whole);
    memcpy(whole, first, start);
    for (size_t i = 0; i < n; i++)
        memcpy(whole + start + i * size, text, size);
    whole[start + n * size] = '\0';
    return whole;
}

static void limits(void **state)
{
    static const struct {
        const char *first, *text;
        size_t n;
        int status;
    } rows[] = {
        {"x://", "/", 4092, 0},
        {"x://", "/", 4093, HAFT_ETOOBIG},
        {"{a}", "{/_}", 100, HAFT_EINVAL}, /* twice the same */
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_arena *arena = haft_arena_new(NULL, LIMIT);
        char *text = repeated(rows[i].first, rows[i].text, rows[i].n);
        const struct uri_template *made;
        haft_reason reason;

        assert_int_equal(hf_uri_template_compile(arena, text, strlen(text), &made, &reason),
                         rows[i].status);
        free(text);
        haft_arena_free(arena);
    }
}

static void too_many_variables(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    const struct uri_template *made;
    haft_reason reason;
    haft_buffer text;

    (void)state;
    haft_buffer_init(&text, NULL, LIMIT);
    for (int i = 0; i < 65; i++) {
        assert_int_equal(
            i ? hf_uri_template_compile(arena, text.data, text.size, &made, &reason) : 0, 0);
        haft_buffer_printf(&text, "{a%d}", i);
    }
    assert_int_equal(hf_uri_template_compile(arena, text.data, text.size, &made, &reason),
                     HAFT_EINVAL);
    assert_string_equal(reason.text, "too many variables at offset 311");
    haft_buffer_finish(&text);
    haft_arena_free(arena);
}

/* What makes a backtracking matcher explode is read in one go. */
static void long_addresses(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    char *text = repeated("x:", "a", ADDRESS_LIMIT - 2),
         *longer = repeated("x:", "a", ADDRESS_LIMIT);
    static const char source[] = "x:{+a}a{+b}a{+c}a{+d}a{+e}a{+f}a{+g}a{+h}b";
    const struct uri_template *made;
    const struct text *pairs;
    struct address address;
    haft_reason reason;
    size_t n;

    (void)state;
    assert_int_equal(hf_uri_template_compile(arena, source, strlen(source), &made, &reason), 0);
    assert_int_equal(hf_address_read(arena, text, strlen(text), &address), 0);
    assert_int_equal(hf_uri_template_match(made, &address, arena, &pairs, &n), 0);
    text[strlen(text) - 1] = 'b';
    assert_int_equal(hf_address_read(arena, text, strlen(text), &address), 0);
    assert_int_equal(hf_uri_template_match(made, &address, arena, &pairs, &n), 1);
    assert_int_equal(n, 8);
    assert_string_equal(pairs[1].data, "a");
    assert_int_equal(hf_address_read(arena, longer, strlen(longer), &address), HAFT_ETOOBIG);
    free(text);
    free(longer);
    haft_arena_free(arena);
}

static void variables(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    const struct uri_template *made;
    haft_reason reason;

    (void)state;
    assert_int_equal(hf_uri_template_compile(arena, TEXT("x://{a}{?b,c*}"), &made, &reason), 0);
    assert_true(hf_uri_template_has(made, "a"));
    assert_true(hf_uri_template_has(made, "c"));
    assert_false(hf_uri_template_has(made, "d"));
    assert_false(hf_uri_template_has(made, ""));
    haft_arena_free(arena);
}

static void no_memory(void **state)
{
    static const struct row row = {"x://{a}/%41{/b*}{?c*,d}", "x://1/A/2/3?c=4&c=5",
                                   "a=1;b=2/3;c=4,5"};

    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_arena *arena;
        const struct uri_template *made;
        const struct text *pairs;
        struct address address;
        haft_reason reason;
        size_t n;
        int status = HAFT_ENOMEM;

        failing_init(&failing, nth);
        arena = haft_arena_new(&failing.allocator, LIMIT);
        if (arena)
            status = hf_uri_template_compile(arena, row.text, strlen(row.text), &made, &reason);
        if (!status)
            status = hf_address_read(arena, row.address, strlen(row.address), &address);
        if (!status) {
            status = hf_uri_template_match(made, &address, arena, &pairs, &n);
            status = status == 1 ? 0 : status;
        }
        assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
        haft_arena_free(arena);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple),         cmocka_unit_test(reserved),
        cmocka_unit_test(prefixed),       cmocka_unit_test(named),
        cmocka_unit_test(encodings),      cmocka_unit_test(refused),
        cmocka_unit_test(limits),         cmocka_unit_test(too_many_variables),
        cmocka_unit_test(long_addresses), cmocka_unit_test(variables),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests_name("uri_template", tests, NULL, NULL);
}
