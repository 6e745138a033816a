/* test_sha256.c - the digests that the standards give for their examples. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sha256.h"
#include "support/test.h"

static void to_hex(const unsigned char digest[SHA256_SIZE], char ret_hex[65])
{
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(ret_hex + i * 2, 3, "%02x", digest[i]);
}

static void digests(void **state)
{
    static const struct {
        const char *text;
        size_t repeat;
        const char *digest;
    } rows[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
         "mnopqrstnopqrstu",
         1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned char digest[SHA256_SIZE];
        struct sha256 hash;
        char hex[65];

        hf_sha256_init(&hash);
        for (size_t k = 0; k < rows[i].repeat; k++)
            hf_sha256_add(&hash, rows[i].text, strlen(rows[i].text));
        hf_sha256_finish(&hash, digest);
        to_hex(digest, hex);
        assert_string_equal(hex, rows[i].digest);
    }
}

/* However the bytes are cut, around the size of a block and of the padding. */
static void checks_pieces(void **state)
{
    unsigned char bytes[200], whole[SHA256_SIZE], pieces[SHA256_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        struct sha256 hash;

        hf_sha256_init(&hash);
        hf_sha256_add(&hash, bytes, size);
        hf_sha256_finish(&hash, whole);
        for (size_t cut = 0; cut <= size; cut += 13) {
            hf_sha256_init(&hash);
            hf_sha256_add(&hash, bytes, cut);
            hf_sha256_add(&hash, bytes + cut, size - cut);
            hf_sha256_finish(&hash, pieces);
            assert_memory_equal(whole, pieces, SHA256_SIZE);
        }
    }
}

static void hmac(void **state)
{
    static const unsigned char x0b[20] = {11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
                                          11, 11, 11, 11, 11, 11, 11, 11, 11, 11};
    static unsigned char xaa[131];
    static const struct {
        const void *key;
        size_t key_size;
        const char *text, *digest;
    } rows[] = {
        {x0b, 20, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", 4, "what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {xaa, 131, "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {"", 0, "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},
    };

    (void)state;
    memset(xaa, 0xaa, sizeof xaa);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned char digest[SHA256_SIZE];
        char hex[65];

        hf_hmac_sha256(rows[i].key, rows[i].key_size, rows[i].text, strlen(rows[i].text), digest);
        to_hex(digest, hex);
        assert_string_equal(hex, rows[i].digest);
    }
}

/* One prepared key does for all messages, in pieces or not, and for digests in place. */
static void prepares_a_key_once(void **state)
{
    static const size_t sizes[] = {0, 1, 32, 63, 64, 65, 131};
    unsigned char key[131], text[200];

    (void)state;
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(i * 5 + 1);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * 3);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct hmac_key prepared;

        hf_hmac_prepare(&prepared, key, sizes[i]);
        for (size_t size = 0; size <= sizeof text; size += 8) {
            unsigned char whole[SHA256_SIZE], pieces[SHA256_SIZE];
            struct sha256 hash;

            hf_hmac_sha256(key, sizes[i], text, size, whole);
            hf_hmac_begin(&prepared, &hash);
            hf_sha256_add(&hash, text, size / 3);
            hf_sha256_add(&hash, text + size / 3, size - size / 3);
            hf_hmac_finish(&prepared, &hash, pieces);
            assert_memory_equal(whole, pieces, SHA256_SIZE);

            hf_hmac_sha256(key, sizes[i], pieces, SHA256_SIZE, whole);
            hf_hmac_replace(&prepared, pieces);
            assert_memory_equal(whole, pieces, SHA256_SIZE);
        }
    }
}

static void equal(void **state)
{
    unsigned char left[SHA256_SIZE] = {0}, right[SHA256_SIZE] = {0};

    (void)state;
    assert_true(hf_digest_equal(left, right));
    for (size_t i = 0; i < SHA256_SIZE; i++) {
        right[i] = 0x80;
        assert_false(hf_digest_equal(left, right));
        right[i] = 0;
    }
}

static void on_fault(int number)
{
    (void)number;
    _exit(7);
}

/* Compares in a process of its own; whether a byte that must not be touched was. */
static bool touches_the_rest(const unsigned char *left, const unsigned char *right)
{
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (!child) {
        signal(SIGSEGV, on_fault);
        signal(SIGBUS, on_fault);
        _exit(hf_digest_equal(left, right) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 7;
}

/* Two digests that differ in their first byte, of which one ends behind a wall: a comparison that
 * stopped at the difference would not run into it. */
static void compares_all_bytes(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char other[SHA256_SIZE] = {1};
    unsigned char *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t i = 1; i < SHA256_SIZE; i++) {
        assert_true(touches_the_rest(pages + page - i, other));
        assert_true(touches_the_rest(other, pages + page - i));
    }
    assert_false(touches_the_rest(pages + page - SHA256_SIZE, other));
    munmap(pages, 2 * page);
}

static void wipes_secrets(void **state)
{
    unsigned char secret[5] = "abcd";

    (void)state;
    hf_secret_wipe(secret + 1, 2);
    assert_memory_equal(secret, "a\0\0d", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests),       cmocka_unit_test(checks_pieces),
        cmocka_unit_test(hmac),          cmocka_unit_test(prepares_a_key_once),
        cmocka_unit_test(equal),         cmocka_unit_test(compares_all_bytes),
        cmocka_unit_test(wipes_secrets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
