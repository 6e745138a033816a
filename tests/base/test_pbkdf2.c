/* test_pbkdf2.c - derived keys that others have published or computed, and the same in steps. */
#include <stdio.h>
#include <string.h>

#include "base/pbkdf2.h"
#include "support/test.h"

static char x[1025]; /* of that letter */

/* RFC 7914 (the first two, cut to one block), RFC 6070's inputs with SHA-256, and Python's hashlib
 * for passwords around and above the size of a block of the hash. */
static const struct {
    const char *password;
    size_t size;
    const char *salt;
    unsigned iterations;
    const char *key;
} rows[] = {
    {"passwd", 6, "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"},
    {"Password", 8, "NaCl", 80000,
     "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"},
    {"password", 8, "salt", 1, "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"},
    {"password", 8, "salt", 2, "ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43"},
    {"password", 8, "salt", 4096,
     "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"},
    {"passwordPASSWORDpassword", 24, "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
     "348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1"},
    {"", 0, "salt", 3, "5ddf839afa2d5fb4be56e1a0f48917617559bef61ec122bfca1c7f75ac8f401d"},
    {x, 64, "salt", 1000, "94efbf499329c0aaa1d5374b3d29083d0f6e423b6ee14c8f29f79342949a3d2f"},
    {x, 65, "salt", 1000, "7a376e3c42d7a023046642e9868ba805fe08a73c53e2c489a4a06279d921a43e"},
    {x, 128, "salt", 1000, "15ff01a5233bddc8a9606dc4fcfec527e09970c9cfe7122b6909508407f62e34"},
    {x, 1024, "salt", 1000, "4553c773df05d1d18ed58660b00c51af1231d17f8afc161b72c4168551b2a2e3"},
};

static void check(size_t row, unsigned step)
{
    struct pbkdf2 derivation;
    char hex[2 * SHA256_SIZE + 1];

    hf_pbkdf2_begin(&derivation, rows[row].password, rows[row].size, rows[row].salt,
                    strlen(rows[row].salt));
    while (derivation.iterations < rows[row].iterations) {
        unsigned left = rows[row].iterations - derivation.iterations;

        hf_pbkdf2_step(&derivation, left < step ? left : step);
    }
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", derivation.sum[i]);
    assert_string_equal(hex, rows[row].key);
}

static void derives_known_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check(i, 1000000);
}

static void derives_the_same_in_steps(void **state)
{
    static const unsigned steps[] = {1, 7, 1000};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t k = 0; k < COUNT_OF(steps) && rows[i].iterations <= 4096; k++)
            check(i, steps[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derives_known_keys),
        cmocka_unit_test(derives_the_same_in_steps),
    };

    memset(x, 'x', sizeof x - 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
