/* test_remembered.c - so many credentials, for so long, and the one that was used longest ago makes
 * room. */
#include <stdio.h>

#include "base/base.h"
#include "gateway/remembered.h"
#include "support/failing.h"
#include "support/test.h"

static void put_digest(const struct remembered *remembered, size_t i,
                       unsigned char ret_digest[SHA256_SIZE])
{
    char password[32];

    snprintf(password, sizeof password, "%zu", i);
    hf_remembered_digest(remembered, "ann", password, ret_digest);
}

static bool knows(struct remembered *remembered, size_t i, haft_time now)
{
    unsigned char digest[SHA256_SIZE];

    put_digest(remembered, i, digest);
    return hf_remembered_find(remembered, digest, now);
}

static void learn(struct remembered *remembered, size_t i, haft_time now, haft_time until)
{
    unsigned char digest[SHA256_SIZE];

    put_digest(remembered, i, digest);
    hf_remembered_add(remembered, digest, remembered, now, until);
}

static struct remembered *make(void)
{
    struct remembered *remembered = NULL;

    assert_int_equal(hf_remembered_new(hf_allocator_or_default(NULL), &remembered), 0);
    return remembered;
}

static void forgets_the_one_used_longest_ago(void **state)
{
    struct remembered *remembered = make();

    (void)state;
    for (size_t i = 0; i < REMEMBERED; i++)
        learn(remembered, i, 0, 100);
    for (size_t i = 0; i < REMEMBERED; i++)
        assert_true(knows(remembered, i, 0));
    /* a use and a repetition count */
    assert_true(knows(remembered, 0, 0));
    learn(remembered, 1, 0, 100);
    learn(remembered, REMEMBERED, 0, 100);
    learn(remembered, REMEMBERED + 1, 0, 100);
    for (size_t i = 0; i < REMEMBERED + 2; i++)
        assert_int_equal(knows(remembered, i, 0), i != 2 && i != 3);
    hf_remembered_free(remembered);
    hf_remembered_free(NULL);
}

static void forgets_in_time(void **state)
{
    struct remembered *remembered = make();

    (void)state;
    learn(remembered, 0, 0, 100);
    assert_true(knows(remembered, 0, 99));
    assert_false(knows(remembered, 0, 100));
    /* what is over makes room before what is not */
    for (size_t i = 1; i < REMEMBERED; i++)
        learn(remembered, i, 0, 200);
    learn(remembered, REMEMBERED, 100, 200);
    for (size_t i = 1; i <= REMEMBERED; i++)
        assert_true(knows(remembered, i, 100));
    hf_remembered_free(remembered);
}

static void tells_credentials_apart(void **state)
{
    static const struct {
        const char *name, *password;
    } rows[] = {{"ann", "b"}, {"an", "nb"}, {"annb", ""},
                {"", "annb"}, {"ann", "B"}, {"ann", "bb"}};
    struct remembered *remembered = make(), *other = make();
    unsigned char digests[COUNT_OF(rows)][SHA256_SIZE], elsewhere[SHA256_SIZE];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        hf_remembered_digest(remembered, rows[i].name, rows[i].password, digests[i]);
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(digests[i], digests[j], SHA256_SIZE);
        /* each table has a key of its own */
        hf_remembered_digest(other, rows[i].name, rows[i].password, elsewhere);
        assert_memory_not_equal(digests[i], elsewhere, SHA256_SIZE);
    }
    /* and zeros, which are what a free place holds, are nobody's */
    for (size_t i = 0; i < SHA256_SIZE; i++)
        elsewhere[i] = 0;
    assert_null(hf_remembered_find(remembered, elsewhere, 0));
    hf_remembered_free(remembered);
    hf_remembered_free(other);
}

static void memory_may_fail(void **state)
{
    struct remembered *remembered = NULL;
    struct failing memory;

    (void)state;
    failing_init(&memory, 1);
    assert_int_equal(hf_remembered_new(&memory.allocator, &remembered), HAFT_ENOMEM);
    assert_null(remembered);
    failing_check(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgets_the_one_used_longest_ago),
        cmocka_unit_test(forgets_in_time),
        cmocka_unit_test(tells_credentials_apart),
        cmocka_unit_test(memory_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
