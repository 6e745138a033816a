/* test_hash.c - the hash of names spreads: short keys that differ little land apart. */
#define _DEFAULT_SOURCE
#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static void is_of_the_bytes_and_the_size(void **state)
{
    (void)state;
    assert_true(hf_hash_bytes(TEXT("abc")) == hf_hash_bytes("abcd", 3));
    assert_true(hf_hash_bytes(TEXT("abc")) != hf_hash_bytes(TEXT("abd")));
    assert_true(hf_hash_bytes(TEXT("")) != hf_hash_bytes(TEXT("\0")));
    assert_true(hf_hash_bytes(TEXT("\0")) != hf_hash_bytes(TEXT("\0\0")));
    assert_true(hf_hash_bytes(TEXT("ab")) != hf_hash_bytes(TEXT("ba")));
}

/* Whatever the size, a change of one byte makes another name of it. */
static void every_byte_counts(void **state)
{
    (void)state;
    for (size_t size = 1; size < 40; size++) {
        char name[40] = "", other[40] = "";

        assert_true(same_bytes(name, other, size));
        for (size_t i = 0; i < size; i++) {
            other[i] = 1;
            assert_false(same_bytes(name, other, size));
            assert_true(hf_hash_bytes(name, size) != hf_hash_bytes(other, size));
            other[i] = 0;
        }
    }
}

/* 4096 names in 4096 slots, by the low bits and by the high ones: no slot gets a crowd. */
static void spreads(void **state)
{
    static const char *const shapes[] = {"%d", "field_%d", "%d_name", "x%05d", "a.b.c[%d].d"};

    (void)state;
    for (size_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        unsigned char low[4096] = {0}, high[4096] = {0};
        int empty = 0;

        for (int i = 0; i < 4096; i++) {
            char name[64];
            int size = snprintf(name, sizeof name, shapes[shape], i);
            uint64_t hash = hf_hash_bytes(name, (size_t)size);

            low[hash & 4095]++;
            high[hash >> 52]++;
        }
        for (int i = 0; i < 4096; i++) {
            assert_true(low[i] < 12);
            assert_true(high[i] < 12);
            empty += !low[i];
        }
        assert_in_range(empty, 1000, 2000); /* 4096 / e, give or take */
    }
}

/* The hash of a name in a process that was just started: this program, with an argument. */
static uint64_t elsewhere(void)
{
    uint64_t hash = 0;
    int pipes[2], status;
    pid_t child;

    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        dup2(pipes[1], 1);
        execl("/proc/self/exe", "hash", "tell", (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &hash, sizeof hash), sizeof hash);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return hash;
}

/* Who does not know where the loader has put a process cannot choose names that meet. */
static void differs_between_processes(void **state)
{
    char how[8] = "0";
    FILE *file = fopen("/proc/sys/kernel/randomize_va_space", "r");
    bool moved = file && fgets(how, sizeof how, file) && how[0] != '0';

    (void)state;
    if (file)
        fclose(file);
    if (!moved)
        skip();
    assert_true(hf_hash_bytes(TEXT("name")) == hf_hash_bytes(TEXT("name")));
    assert_true(hf_hash_bytes(TEXT("name")) != elsewhere() ||
                hf_hash_bytes(TEXT("name")) != elsewhere());
}

int main(int argc, char **argv)
{
    const uint64_t hash = hf_hash_bytes(TEXT("name"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_of_the_bytes_and_the_size),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(spreads),
        cmocka_unit_test(differs_between_processes),
    };

    (void)argv;
    if (argc > 1)
        return write(1, &hash, sizeof hash) != sizeof hash;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
