/* test_seal_file.c - the file of a key: what is one, and what is not. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/seal_file.h"
#include "server/server.h"
#include "support/test.h"

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"

static const struct {
    const char *text;
    bool good;
} rows[] = {
    {DIGITS, true},
    {DIGITS "\n", true},
    {DIGITS "\r\n", true},
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
        status = seal_file_read(server, path);
        if (status != (rows[i].good ? 0 : HAFT_EINVAL) || server->has_seal_key != rows[i].good)
            fail_msg("row %zu gives %d", i, status);
        for (size_t k = 0; rows[i].good && k < sizeof server->seal_key; k++)
            assert_int_equal(server->seal_key[k], k);
        if (!rows[i].good)
            assert_string_equal(server->error.text, "a key is 64 hexadecimal digits");
        unlink(path);
        haft_server_free(server);
    }
}

static void no_file_is_a_reason(void **state)
{
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(seal_file_read(server, "/nowhere/at all"), HAFT_EINVAL);
    assert_string_equal(server->error.path, "/nowhere/at all");
    assert_int_equal(seal_file_read(server, "/"), HAFT_EINVAL);
    assert_false(server->has_seal_key);
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_read),
        cmocka_unit_test(no_file_is_a_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
