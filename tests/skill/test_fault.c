/* test_fault.c - every allocation fails once while skills are offered, listed, read and read again. */
#define _POSIX_C_SOURCE 200809L
#include <haft/skill.h>

#include "skill_tree.h"
#include "support/failing.h"

/* Uses all of it as far as it goes. */
static void use(const haft_allocator *allocator, const struct tree *tree)
{
    haft_server *server = haft_server_new_with(
        "test", "1.0.0", HAFT_WITH(haft_server_options, .allocator = allocator));
    haft_client *client;
    haft_skills *skills;
    haft_reason reason = {0};
    haft_buffer text;

    if (!server)
        return;
    if (!haft_server_add_skills(server, tree->root, NULL)) {
        tree_write(tree, "one/data.bin", "changed");
        haft_server_reload_skills(server);
        tree_write_bytes(tree, "one/data.bin", "\xff\x00\x01", 3);
        haft_server_reload_skills(server);
        client = haft_client_new(server, HAFT_WITH(haft_client_options, .allocator = allocator));
        skills = client ? haft_client_skills(client, &reason) : NULL;
        haft_buffer_init(&text, allocator, 1 << 20);
        for (size_t i = 0; i < haft_skills_count(skills); i++) {
            const haft_skill *skill = haft_skills_at(skills, i);

            for (size_t k = 0; k < skill->n_files; k++)
                haft_client_read_skill(client, skill, skill->files[k].path, &text, &reason);
        }
        haft_buffer_finish(&text);
        haft_skills_free(skills);
        haft_client_free(client);
    }
    haft_server_free(server);
}

static void survives_failing_allocations(void **state)
{
    struct tree tree;

    (void)state;
    tree_make(&tree);
    tree_skill(&tree, "one");
    tree_write_bytes(&tree, "one/data.bin", "\xff\x00\x01", 3);
    for (size_t nth = 1;; nth++) {
        struct failing failing;

        failing_init(&failing, nth);
        use(&failing.allocator, &tree);
        failing_check(&failing);
        if (!failing.failures)
            break;
    }
    tree_remove(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(survives_failing_allocations)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
