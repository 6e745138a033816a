/* test_keys.c - the file of API keys: how lines are read, what stays as it is, and what a key is. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "key_file.h"
#include "program.h"
#include "support/file.h"
#include "support/test.h"

#define HASH_A "00000000000000000000000000000000000000000000000000000000000000aa"
#define HASH_B "11111111111111111111111111111111111111111111111111111111111111bb"

/* ---- lines ---- */

static const struct {
    const char *text;
    const char *read; /* a line for each: k, the name, the scopes, the time; or "bad" or "-" */
} line_rows[] = {
    {"", ""},
    {"\n", "-;"},
    {"# a\n\n  # b\n", "-;-;-;"},
    {HASH_A " ada\n", "k[ada][all][];"},
    {HASH_A " ada", "k[ada][all][];"},
    {HASH_A "\t ada lovelace \r\n", "k[ada lovelace][all][];"},
    {"  " HASH_A " ada\ta b\n", "k[ada][a b][];"},
    {HASH_A " ada\ta b\t2026-01-01T00:00:00Z\n", "k[ada][a b][2026-01-01T00:00:00Z];"},
    {HASH_A " ada\t\t2026-01-01T00:00:00Z\n", "k[ada][][2026-01-01T00:00:00Z];"},
    {HASH_A " ada\t\n", "k[ada][][];"},
    {HASH_A " ada\t \r\n", "k[ada][][];"},
    {HASH_A " ada\t\t", "k[ada][][];"},
    {HASH_A " ada\ta *\t\n", "k[ada][a *][];"},
    {HASH_A " ada \r\n\t\n", "k[ada][all][];-;"},
    {HASH_A " ada\t*\t2026\tmore\n" HASH_B " bob\n", "k[ada][*][2026];k[bob][all][];"},
    {HASH_A "\n", "bad;"},
    {HASH_A " \n", "bad;"},
    {HASH_A "0 ada\n", "bad;"},
    {"0000 ada\n", "bad;"},
    {"A0000000000000000000000000000000000000000000000000000000000000aa ada\n", "bad;"},
    {"ada\n" HASH_A " ada\n", "bad;k[ada][all][];"},
};

static void lines_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(line_rows); i++) {
        char path[FILE_PATH], got[512] = "";
        struct key_file file;
        struct key_line line = {0};
        size_t at = 0, n = 0, sum = 0;

        file_make(path, line_rows[i].text);
        assert_int_equal(key_file_open(&file, path, KEY_LOOK), EXIT_DONE);
        while (key_file_next(&file, &at, &line)) {
            sum += line.line.size;
            if (line.is_key)
                n += (size_t)snprintf(got + n, sizeof got - n, "k[%.*s][%.*s][%.*s];",
                                      (int)line.name.size, line.name.text,
                                      line.scopes.text ? (int)line.scopes.size : 3,
                                      line.scopes.text ? line.scopes.text : "all",
                                      (int)line.created.size, line.created.text);
            else
                n += (size_t)snprintf(got + n, sizeof got - n, line.is_bad ? "bad;" : "-;");
        }
        assert_string_equal(got, line_rows[i].read);
        assert_int_equal(sum, strlen(line_rows[i].text));
        key_file_close(&file);
        unlink(path);
    }
}

static void names_and_ids_are_told_apart(void **state)
{
    struct key_line line = {.hash = {HASH_A, 64}, .name = {"ada\trest", 3}};

    (void)state;
    assert_true(key_has_name(&line, "ada"));
    assert_false(key_has_name(&line, "ad"));
    assert_false(key_has_name(&line, "adam"));
    assert_true(key_has_id(&line, "000000000000"));
    assert_true(key_has_id(&line, HASH_A));
    assert_false(key_has_id(&line, HASH_B));
    assert_false(key_has_id(&line, "00000000000"));
    assert_false(key_has_id(&line, "0000000000000"));
    assert_false(key_has_id(&line, ""));
}

/* ---- keys ---- */

static void a_key_is_random_and_hashed(void **state)
{
    char hash[2][2 * SHA256_SIZE + 1];
    haft_buffer key[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(key_make(&key[i], hash[i]));
        assert_int_equal(key[i].size, 48);
        assert_memory_equal(key[i].data, "haft_", 5);
        for (size_t k = 5; k < key[i].size; k++)
            assert_non_null(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789-_",
                                   key[i].data[k]));
        assert_int_equal(strspn(hash[i], "0123456789abcdef"), 64);
    }
    assert_memory_not_equal(key[0].data, key[1].data, 48);
    assert_string_not_equal(hash[0], hash[1]);
    haft_buffer_finish(&key[0]);
    haft_buffer_finish(&key[1]);
}

static void names_and_scopes_are_judged(void **state)
{
    static const struct {
        const char *text;
        bool name, scopes; /* whether it can be one */
    } rows[] = {
        {"a", true, true},
        {"Ada Lovelace", true, true},
        {"\xc3\xa9", true, false},
        {"a\tb", false, false},
        {"a\nb", false, false},
        {"a\x7f", false, false},
        {"a\x1b[1m", false, false},
        {"\xe2\x80\xae", false, false},
        {"\xff", false, false},
        {" a", false, false},
        {"a ", false, false},
        {"a  b", true, false},
        {"", false, true},
        {"files:read files:write", true, true},
        {"a\"b", true, false},
        {"a\\b", true, false},
        {"0123456789ab", false, true},
        {"0123456789abc", true, true},
        {HASH_A, false, true},
    };
    char longest[KEY_NAME_LIMIT + 2];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!key_name_fault(rows[i].text) != rows[i].name ||
            !key_scopes_fault(rows[i].text) != rows[i].scopes)
            fail_msg("row %zu", i);
    memset(longest, 'x', sizeof longest);
    longest[KEY_NAME_LIMIT] = '\0';
    assert_null(key_name_fault(longest));
    longest[KEY_NAME_LIMIT] = 'x';
    longest[KEY_NAME_LIMIT + 1] = '\0';
    assert_non_null(key_name_fault(longest));
}

/* ---- writing ---- */

static void file_is(const char *path, const char *text)
{
    char got[256];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, got, sizeof got - 1);

    assert_true(n >= 0);
    got[n] = '\0';
    assert_string_equal(got, text);
    close(fd);
}

/* A file that cannot be written stays as it was, and nothing is left beside it. */
static void a_full_disk_loses_nothing(void **state)
{
    char directory[] = "/tmp/haft-keys-XXXXXX", path[64], command[128];
    struct rlimit limit, none;
    struct key_file file;
    haft_buffer text;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/keys", directory);
    haft_buffer_init(&text, NULL, 1 << 10);
    haft_buffer_puts(&text, "old\n");
    assert_int_equal(key_file_open(&file, path, KEY_CREATE), EXIT_DONE);
    assert_int_equal(key_file_write(&file, &text), EXIT_DONE);
    key_file_close(&file);
    assert_int_equal(chmod(path, 0640), 0);
    if (!geteuid()) /* others must not have a file taken away from them */
        assert_int_equal(chown(path, 4711, 4712), 0);

    assert_int_equal(key_file_open(&file, path, KEY_EDIT), EXIT_DONE);
    haft_buffer_puts(&text, "new\n");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    none = limit;
    none.rlim_cur = 6;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(key_file_write(&file, &text), EXIT_LOCAL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    file_is(path, "old\n");
    snprintf(command, sizeof command, "%s/keys.lock", directory);
    assert_int_equal(key_file_write(&file, &text), EXIT_DONE);
    file_is(path, "old\nnew\n");
    key_file_close(&file);

    /* It has the mode and the owner that somebody has given it. */
    assert_int_equal(stat(path, &file.status), 0);
    if (!geteuid())
        assert_true(file.status.st_uid == 4711 && file.status.st_gid == 4712);
    assert_int_equal(file.status.st_mode & 07777, 0640);
    assert_int_equal(unlink(command), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0); /* so there was nothing else */
    haft_buffer_finish(&text);
}

static void a_link_is_followed(void **state)
{
    char directory[] = "/tmp/haft-keys-XXXXXX", path[64], link[64], lock[64];
    struct stat status;
    struct key_file file;
    haft_buffer text;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/real", directory);
    snprintf(link, sizeof link, "%s/link", directory);
    snprintf(lock, sizeof lock, "%s/real.lock", directory);
    haft_buffer_init(&text, NULL, 1 << 10);
    haft_buffer_puts(&text, "x\n");
    assert_int_equal(symlink("real", link), 0);
    assert_int_equal(key_file_open(&file, link, KEY_CREATE), EXIT_LOCAL);
    key_file_close(&file);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(key_file_open(&file, link, KEY_EDIT), EXIT_DONE);
    assert_int_equal(key_file_write(&file, &text), EXIT_DONE);
    key_file_close(&file);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    file_is(path, "x\n");
    unlink(link);
    unlink(lock);
    unlink(path);
    assert_int_equal(rmdir(directory), 0);
    haft_buffer_finish(&text);
}

static void what_is_no_file_is_refused(void **state)
{
    static const char *const rows[] = {"/dev/null", "/tmp", "/dev/null/keys", "/proc/haft/keys"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct key_file file;

        assert_int_equal(key_file_open(&file, rows[i], KEY_CREATE), EXIT_LOCAL);
        key_file_close(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(names_and_ids_are_told_apart),
        cmocka_unit_test(a_key_is_random_and_hashed),
        cmocka_unit_test(names_and_scopes_are_judged),
        cmocka_unit_test(a_full_disk_loses_nothing),
        cmocka_unit_test(a_link_is_followed),
        cmocka_unit_test(what_is_no_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
