/* test_name.c - names of tools: clients' characters, 60 of them at most, the same at every run. */
#include <string.h>

#include "import/name.h"
#include "support/failing.h"
#include "support/test.h"

static void makes_names(void **state)
{
    static const struct {
        const char *prefix, *name, *expected;
    } rows[] = {
        {NULL, "listPets", "listPets"},
        {"pets", "listPets", "pets__listPets"},
        {"my pets", "list.pets", "my_pets__list_pets"},
        {NULL, "repos/list-for-org", "repos_list-for-org"},
        {NULL, "get /pets/{petId}/photos", "get_pets_petId_photos"},
        {NULL, "__a//b!!", "__a_b"},
        {"!", "a", "a"},
        {NULL, "", "_e3b0c4"},
        {"pets", "\xE5\x8F\x96", "pets_d5231b"},
        {NULL, "123456789012345678901234567890123456789012345678901234567890",
         "123456789012345678901234567890123456789012345678901234567890"},
        {NULL, "1234567890123456789012345678901234567890123456789012345678901",
         "12345678901234567890123456789012345678901234567890123_e94cdc"},
        {"github", "enterprise-teams/add-organization-to-enterprise-team-assignments",
         "github__enterprise-teams_add-organization-to_e7437e"},
        {NULL, "replaceAdmissionregistrationV1MutatingAdmissionPolicyBindingStatus",
         "replaceAdmissionregistrationV1MutatingAdmissionPolicy_ef48bb"},
    };
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *name = hf_import_name(arena, rows[i].prefix, rows[i].name);

        assert_true(strlen(name) <= IMPORT_NAME_MAX);
        assert_string_equal(name, rows[i].expected);
    }
    haft_arena_free(arena);
}

static void tells_names_apart(void **state)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    const char *one = hf_import_name_apart(arena, "p", "a", "GET /a");
    const char *other = hf_import_name_apart(arena, "p", "a", "GET /b");

    (void)state;
    assert_memory_equal(one, "p__a_", 5);
    assert_int_equal(strlen(one), strlen("p__a_") + 6);
    assert_string_not_equal(one, other);
    assert_false(hf_import_name_has_words("_-\xE5\x8F\x96"));
    assert_true(hf_import_name_has_words("/9"));
    haft_arena_free(arena);
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct failing failing;
        haft_arena *arena;

        failing_init(&failing, nth);
        arena = haft_arena_new(&failing.allocator, 1 << 20);
        if (arena)
            hf_import_name(arena, "prefix",
                           "a name / that is much too long to be the name of a tool");
        haft_arena_free(arena);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_names),
        cmocka_unit_test(tells_names_apart),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
