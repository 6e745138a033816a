/* test_store.c - tokens in memory, in a file and in functions of the program. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auth/client/store.h"
#include "auth/wiping.h"
#include "support/failing.h"
#include "support/test.h"

static char directory[] = "/tmp/haft-store-XXXXXX", path[64];

static int make_directory(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/tokens", mkdtemp(directory));
    return 0;
}

static int remove_directory(void **state)
{
    char lock[80];

    (void)state;
    snprintf(lock, sizeof lock, "%s.lock", path);
    unlink(path);
    unlink(lock);
    return rmdir(directory); /* fails if anything else is there */
}

static void check_value(struct auth_store *store, const char *key, const char *expected)
{
    haft_reason reason = {0};
    haft_buffer value;
    int status;

    haft_buffer_init(&value, NULL, 1024);
    status = hf_auth_store_load(store, key, &value, &reason);
    assert_int_equal(status, expected ? 0 : HAFT_ENOTFOUND);
    if (expected) {
        assert_int_equal(value.size, strlen(expected));
        assert_memory_equal(value.data, expected, value.size);
    }
    haft_buffer_finish(&value);
}

static void save(struct auth_store *store, const char *key, const char *value)
{
    haft_reason reason = {0};

    if (hf_auth_store_save(store, key, value, value ? strlen(value) : 0, &reason))
        fail_msg("%s", reason.text);
}

static void check_store(struct auth_store *store)
{
    check_value(store, "a", NULL);
    save(store, "a", "{\"x\":1}");
    save(store, "b \"\\", "{\"y\":[]}");
    save(store, "a", "{\"x\":2}");
    check_value(store, "a", "{\"x\":2}");
    check_value(store, "b \"\\", "{\"y\":[]}");
    save(store, "a", NULL);
    save(store, "a", NULL);
    check_value(store, "a", NULL);
    check_value(store, "b \"\\", "{\"y\":[]}");
}

static void keeps_in_memory(void **state)
{
    struct auth_store store = {.allocator = &hf_wiping_allocator};

    (void)state;
    check_store(&store);
    hf_auth_store_finish(&store);
}

static void keeps_in_a_file(void **state)
{
    struct auth_store store = {.allocator = &hf_wiping_allocator, .file = path};
    struct stat file;

    (void)state;
    check_store(&store);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode & 07777, 0600);
}

/* ---- functions ---- */

struct kept {
    char key[64], value[64];
    int fails;
};

static int load_kept(void *context, const char *key, haft_buffer *ret_value)
{
    struct kept *kept = context;

    if (kept->fails)
        return kept->fails;
    if (strcmp(kept->key, key) != 0)
        return HAFT_ENOTFOUND;
    haft_buffer_puts(ret_value, kept->value);
    return 0;
}

static int save_kept(void *context, const char *key, const char *value, size_t size)
{
    struct kept *kept = context;

    if (!value) {
        kept->key[0] = '\0';
        return HAFT_ENOTFOUND; /* as if it had not been there */
    }
    assert_int_equal(strlen(value), size);
    snprintf(kept->key, sizeof kept->key, "%s", key);
    snprintf(kept->value, sizeof kept->value, "%s", value);
    return kept->fails;
}

static void calls_functions(void **state)
{
    struct kept kept = {.fails = 0};
    struct auth_store store = {
        .allocator = &hf_wiping_allocator, .load = load_kept, .save = save_kept, .context = &kept};
    haft_reason reason = {0};
    haft_buffer value;

    (void)state;
    save(&store, "k", "{}");
    check_value(&store, "k", "{}");
    save(&store, "k", NULL);
    check_value(&store, "k", NULL);
    kept.fails = HAFT_EBUSY;
    haft_buffer_init(&value, NULL, 64);
    assert_int_equal(hf_auth_store_load(&store, "k", &value, &reason), HAFT_EBUSY);
    assert_non_null(strstr(reason.text, "busy"));
    assert_int_equal(hf_auth_store_save(&store, "k", "{}", 2, &reason), HAFT_EBUSY);
    haft_buffer_finish(&value);
}

/* ---- files that are refused ---- */

static void write_file(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void refuses_files(void **state)
{
    static const struct {
        const char *text;
        mode_t mode;
        int status;
        const char *reason;
    } rows[] = {
        {"{\"haft-tokens-1\":{}}", 0600, HAFT_ENOTFOUND, ""},
        {"{\"haft-tokens-1\":{}}", 0400, HAFT_ENOTFOUND, ""},
        {"{\"haft-tokens-1\":{}}", 0640, HAFT_EDENIED, "mode 0640"},
        {"{\"haft-tokens-1\":{}}", 0602, HAFT_EDENIED, "mode 0602"},
        {"{\"haft-tokens-1\":{}}", 0604, HAFT_EDENIED, "chmod 600"},
        {"{\"other\":{}}", 0600, HAFT_EPARSE, "not a token file"},
        {"{\"haft-tokens-1\":[]}", 0600, HAFT_EPARSE, "not a token file"},
        {"secret", 0600, HAFT_EPARSE, "not a token file"},
        {"", 0600, HAFT_EPARSE, "not a token file"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};
        haft_buffer value;
        int status;

        unlink(path);
        write_file(rows[i].text, rows[i].mode);
        haft_buffer_init(&value, NULL, 64);
        status = hf_auth_file_load(path, "k", &hf_wiping_allocator, &value, &reason);
        assert_int_equal(status, rows[i].status);
        assert_non_null(strstr(reason.text, rows[i].reason));
        assert_null(strstr(reason.text, "secret"));
        if (status != HAFT_ENOTFOUND) /* and it is not overwritten */
            assert_int_equal(hf_auth_file_save(path, "k", "{}", 2, &hf_wiping_allocator, &reason),
                             status);
        haft_buffer_finish(&value);
    }
    unlink(path);
}

static void refuses_links_and_directories(void **state)
{
    haft_reason reason = {0};
    haft_buffer value;
    char other[96];

    (void)state;
    snprintf(other, sizeof other, "%s/other", directory);
    write_file("{\"haft-tokens-1\":{}}", 0600);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    haft_buffer_init(&value, NULL, 64);
    assert_int_equal(hf_auth_file_load(path, "k", &hf_wiping_allocator, &value, &reason),
                     HAFT_EFAIL);
    unlink(path);
    unlink(other);
    assert_int_equal(hf_auth_file_load(directory, "k", &hf_wiping_allocator, &value, &reason),
                     HAFT_EDENIED);
    assert_non_null(strstr(reason.text, "not a regular file"));
    haft_buffer_finish(&value);
}

/* ---- several programs ---- */

enum { WRITERS = 4, WRITES = 25 };

static void loses_nothing_when_several_write(void **state)
{
    struct auth_store store = {.allocator = &hf_wiping_allocator, .file = path};
    char key[32];

    (void)state;
    for (int i = 0; i < WRITERS; i++)
        if (!fork()) {
            for (int k = 0; k < WRITES; k++) {
                haft_reason reason;

                snprintf(key, sizeof key, "%d-%d", i, k);
                while (hf_auth_store_save(&store, key, "{}", 2, &reason) == HAFT_EBUSY)
                    ;
            }
            _exit(0);
        }
    for (int i = 0; i < WRITERS; i++) {
        int status;

        wait(&status);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < WRITERS; i++)
        for (int k = 0; k < WRITES; k++) {
            snprintf(key, sizeof key, "%d-%d", i, k);
            check_value(&store, key, "{}");
        }
    unlink(path);
}

static void gives_up_on_a_lock(void **state)
{
    haft_reason reason = {0};
    char lock[80];
    int fd;

    (void)state;
    snprintf(lock, sizeof lock, "%s.lock", path);
    fd = open(lock, O_RDWR | O_CREAT, 0600);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(hf_auth_file_save(path, "k", "{}", 2, &hf_wiping_allocator, &reason),
                     HAFT_EBUSY);
    close(fd);
    assert_int_equal(hf_auth_file_save(path, "k", "{}", 2, &hf_wiping_allocator, &reason), 0);
    unlink(path);
}

/* ---- memory ---- */

static void survives_lack_of_memory(void **state)
{
    const char *const files[] = {NULL, path};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++)
        for (size_t nth = 1;; nth++) {
            struct failing failing;
            struct auth_store store = {.allocator = &failing.allocator, .file = files[i]};
            haft_reason reason = {0};
            haft_buffer value;
            int status;

            failing_init(&failing, nth);
            status = hf_auth_store_save(&store, "k", "{\"a\":1}", 7, &reason);
            if (!status) {
                haft_buffer_init(&value, &failing.allocator, 64);
                status = hf_auth_store_load(&store, "k", &value, &reason);
                haft_buffer_finish(&value);
            }
            hf_auth_store_finish(&store);
            failing_check(&failing);
            unlink(path);
            assert_int_equal(status, failing.failures ? HAFT_ENOMEM : 0);
            if (!failing.failures)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_in_memory),
        cmocka_unit_test(keeps_in_a_file),
        cmocka_unit_test(calls_functions),
        cmocka_unit_test(refuses_files),
        cmocka_unit_test(refuses_links_and_directories),
        cmocka_unit_test(loses_nothing_when_several_write),
        cmocka_unit_test(gives_up_on_a_lock),
        cmocka_unit_test(survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
