/* test_api_keys.c - files of API keys. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auth/server/api_keys.h"
#include "support/failing.h"
#include "support/test.h"

/* SHA-256 of "secret", "other" and 1,025 times "a". */
#define SECRET "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
#define OTHER "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"
#define LONG_KEY "4a82297889eb505cf6b5cbdf69977afab4632d6557539782f657bd7dc78091a5"

static char path[] = "/tmp/haft-keys-XXXXXX";

static void put_file(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static const haft_allocator *plain(void)
{
    return hf_allocator_or_default(NULL);
}

static void finds_owners(void **state)
{
    static const struct {
        const char *file, *key, *owner, *scopes;
    } rows[] = {
        {SECRET " alice", "secret", "alice", "*"},
        {SECRET " alice", "Secret", NULL, NULL},
        {SECRET " alice", "secre", NULL, NULL},
        {SECRET " alice", "", NULL, NULL},
        {SECRET "\talice and bob\r\n", "secret", "alice and bob", "*"},
        {SECRET " alice\tfiles:read files:write\t2026-11-16", "secret", "alice",
         "files:read files:write"},
        {SECRET " alice\t\t2026-11-16", "secret", "alice", ""},
        {SECRET " alice\t", "secret", "alice", ""},
        {SECRET " alice\t \r\n", "secret", "alice", ""},
        {SECRET " alice\t\t", "secret", "alice", ""},
        {SECRET " alice\ta *\t", "secret", "alice", "a *"},
        {SECRET " alice \r\n\t\n", "secret", "alice", "*"},
        {"# " OTHER " comment\n\n " SECRET " alice\n" OTHER " bob", "other", "bob", "*"},
        {"#" SECRET " comment\n", "secret", NULL, NULL},
        {SECRET " first\n" OTHER " b\n" SECRET " second", "secret", "first", "*"},
        {"", "secret", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct api_keys *keys;
        const haft_identity *identity;
        haft_reason reason = {0};

        put_file(rows[i].file, strlen(rows[i].file));
        keys = hf_api_keys_read(plain(), path, &reason);
        assert_non_null(keys);
        identity = hf_api_keys_find(keys, rows[i].key, strlen(rows[i].key));
        assert_int_equal(!identity, !rows[i].owner);
        if (identity) {
            assert_string_equal(identity->principal, rows[i].owner);
            assert_string_equal(identity->scopes, rows[i].scopes);
            assert_string_equal(identity->method, "api-key");
            assert_true(identity->fixed);
        }
        hf_api_keys_drop(keys);
    }
}

static void refuses_files(void **state)
{
    static const struct {
        const char *file, *text;
    } rows[] = {
        {SECRET, "line 1: expected 64 hexadecimal digits and a name"},
        {SECRET "0 alice", "line 1: "},
        {"2bb8 alice", "line 1: "},
        {"# one\n" SECRET " alice\nx" SECRET " bob", "line 3: "},
        {"2BB80D537B1DA3E38BD30361AA855686BDE0EACD7162FEF6A25FE97BF527A25B alice", "line 1: "},
        {SECRET " alice\tquoted\"", "line 1: "},
    };
    static char large[(1 << 20) + 1];
    haft_reason reason = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put_file(rows[i].file, strlen(rows[i].file));
        assert_null(hf_api_keys_read(plain(), path, &reason));
        assert_int_equal(reason.code, HAFT_EINVAL);
        assert_non_null(strstr(reason.text, rows[i].text));
        assert_null(strstr(reason.text, "2bb8"));
    }
    put_file("", 0);
    assert_int_equal(chmod(path, 0646), 0);
    assert_null(hf_api_keys_read(plain(), path, &reason));
    assert_non_null(strstr(reason.text, "can be changed by every user; run chmod o-w"));
    assert_int_equal(chmod(path, 0644), 0);
    put_file(SECRET " alice\0\n" OTHER " bob", sizeof(SECRET " alice\0\n" OTHER " bob") - 1);
    assert_null(hf_api_keys_read(plain(), path, &reason));
    assert_non_null(strstr(reason.text, "NUL"));
    assert_null(hf_api_keys_read(plain(), "/nonexistent/keys", &reason));
    assert_int_equal(reason.code, HAFT_ENOTFOUND);
    memset(large, '\n', sizeof large);
    put_file(large, sizeof large);
    assert_null(hf_api_keys_read(plain(), path, &reason));
    assert_int_equal(reason.code, HAFT_ETOOBIG);
}

/* Hashing is work for whoever has no key. */
static void bounds_keys(void **state)
{
    struct api_keys *keys;
    char key[API_KEY_LIMIT + 1];

    (void)state;
    memset(key, 'a', sizeof key);
    put_file(LONG_KEY " alice", strlen(LONG_KEY " alice"));
    keys = hf_api_keys_read(plain(), path, NULL);
    assert_non_null(keys);
    assert_null(hf_api_keys_find(keys, key, sizeof key));
    hf_api_keys_drop(keys);
}

static void survives_without_memory(void **state)
{
    char text[4096] = "";
    size_t size = 0;

    (void)state;
    for (int i = 0; i < 20; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s name%d\n", SECRET, i);
    put_file(text, size);
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_reason reason = {0};
        struct api_keys *keys;

        failing_init(&failing, nth);
        keys = hf_api_keys_read(&failing.allocator, path, &reason);
        assert_int_equal(!keys, !!failing.failures);
        if (!keys)
            assert_int_equal(reason.code, HAFT_ENOMEM);
        hf_api_keys_drop(keys);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_owners),
        cmocka_unit_test(refuses_files),
        cmocka_unit_test(bounds_keys),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
