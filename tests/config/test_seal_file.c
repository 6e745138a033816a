/* test_seal_file.c - the file of a key: what is one, and what is not. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/seal_file.h"
#include "engine/offer/server.h"
#include "support/test.h"

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"

static const struct {
    const char *text;
    bool good;
} rows[] = {
    {DIGITS, true},
    {DIGITS "\n", true},
    {DIGITS "\r\n", true},
    {DIGITS "\n" DIGITS, true},
    {DIGITS "\r\n" DIGITS "\r\n", true},
    {DIGITS "\n" DIGITS "\n" DIGITS "\n", false},
    {DIGITS "\n\n" DIGITS, false},
    {DIGITS DIGITS, false},
    {DIGITS "\r", true},
    {"", false},
    {"\n", false},
    {DIGITS "0", false},
    {DIGITS "00", false},
    {DIGITS " \n", false},
    {DIGITS "\n\n\n", false},
    {" " DIGITS, false},
    {"00", false},
    {"g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", false},
    {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1-", false},
};

static void keys_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_server *server = haft_server_new("test", "1");
        char path[] = "/tmp/haft-seal-XXXXXX";
        int fd = mkstemp(path), status;

        assert_int_equal(write(fd, rows[i].text, strlen(rows[i].text)), strlen(rows[i].text));
        close(fd);
        status = hf_seal_file_read(server, path);
        if (status != (rows[i].good ? 0 : HAFT_EINVAL) || server->keys.has_seal != rows[i].good)
            fail_msg("row %zu gives %d", i, status);
        assert_int_equal(server->keys.has_other, rows[i].good && strlen(rows[i].text) > 2 * 64);
        for (size_t k = 0; rows[i].good && k < sizeof server->keys.seal; k++)
            assert_int_equal(server->keys.seal[k], k);
        if (!rows[i].good)
            assert_string_equal(server->error.text,
                                "a key must be 64 hexadecimal digits; a second line may have "
                                "another key that is accepted");
        unlink(path);
        haft_server_free(server);
    }
}

static char logged[512];

static void on_log(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    assert_int_equal(level, HAFT_WARNING);
    snprintf(logged, sizeof logged, "%.*s", (int)size, text);
}

/* A key that others can read is used, and the log says so. */
static void warns_of_a_key_that_others_can_read(void **state)
{
    static const struct {
        mode_t mode;
        const char *says; /* NULL: nothing */
    } modes[] = {
        {0600, NULL},           {0400, NULL},           {0640, NULL},
        {0440, NULL},           {0644, ": mode 0644 "}, {0604, ": mode 0604 "},
        {0660, ": mode 0660 "}, {0666, ": mode 0666 "},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        haft_server *server =
            haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .log = on_log));
        char path[] = "/tmp/haft-seal-XXXXXX";
        int fd = mkstemp(path);

        assert_int_equal(write(fd, DIGITS, strlen(DIGITS)), strlen(DIGITS));
        assert_int_equal(fchmod(fd, modes[i].mode), 0);
        close(fd);
        logged[0] = '\0';
        assert_int_equal(hf_seal_file_read(server, path), 0);
        assert_true(server->keys.has_seal);
        if (!modes[i].says != !logged[0])
            fail_msg("mode %o: %s", (unsigned)modes[i].mode, logged);
        if (modes[i].says) {
            assert_memory_equal(logged, path, strlen(path));
            assert_non_null(strstr(logged, modes[i].says));
            assert_non_null(strstr(logged, "chmod 600"));
        }
        unlink(path);
        haft_server_free(server);
    }
}

static void no_file_is_a_reason(void **state)
{
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(hf_seal_file_read(server, "/nowhere/at all"), HAFT_EINVAL);
    assert_string_equal(server->error.path, "/nowhere/at all");
    assert_int_equal(hf_seal_file_read(server, "/"), HAFT_EINVAL);
    assert_false(server->keys.has_seal);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_read),
        cmocka_unit_test(warns_of_a_key_that_others_can_read),
        cmocka_unit_test(no_file_is_a_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
