/* test_directory.c - directories of skills: what is offered, what is refused, and what others put there. */
#define _POSIX_C_SOURCE 200809L
#include <haft/skill.h>

#include "base/base.h"
#include "skill/set.h"
#include "skill_tree.h"

static int read_set(const struct tree *tree, const haft_skill_options *options,
                    struct skill_set **ret_set, haft_reason *ret_reason)
{
    struct skill_source source = {.directory = tree->root,
                                  .options = {.max_bytes = 64 << 20, .max_skills = 100}};

    if (options)
        source.options = *options;
    *ret_reason = (haft_reason){0};
    return hf_skill_set_read(hf_allocator_or_default(NULL), &source, 4 << 20, ret_set, ret_reason);
}

static void finds_skills_and_files(void **state)
{
    static const char *const uris[] = {
        "skill://acme/nested",
        "skill://acme/nested/SKILL.md",
        "skill://acme/nested/empty",
        "skill://acme/nested/inner",
        "skill://acme/nested/inner/SKILL.md",
        "skill://plain",
        "skill://plain/SKILL.md",
        "skill://plain/a%20b%2B%C3%A9.bin",
    };
    struct skill_set *set;
    haft_reason reason;
    struct tree tree;

    (void)state;
    tree_make(&tree);
    tree_skill(&tree, "plain");
    tree_skill(&tree, "acme/nested");
    tree_skill(&tree, "acme/nested/inner");
    tree_directories(&tree, "acme/nested/empty/");
    tree_write_bytes(&tree, "plain/a b+\xc3\xa9.bin", "\xff\0x", 3);
    tree_write(&tree, "README.md", "not in a skill");
    tree_write(&tree, "acme/NOTES.txt", "nor is this");
    tree_write(&tree, "plain/.git/config", "hidden");
    tree_write(&tree, ".hidden/SKILL.md", "hidden, and not valid");
    assert_int_equal(read_set(&tree, NULL, &set, &reason), 0);
    assert_int_equal(set->n_skills, 3);
    assert_int_equal(set->n_entries, COUNT_OF(uris));
    for (size_t i = 0; i < COUNT_OF(uris); i++)
        assert_string_equal(set->entries[i]->uri, uris[i]);
    assert_string_equal(hf_skill_set_entry(set, uris[7])->digest,
                        "sha256:b56ed79fd4921608ee3cc257a4bb1a7b726bf67c84a26f3e3ca41aa42c6e9737");
    hf_skill_set_drop(set);
    tree_remove(&tree);
}

/* ---- what is refused ---- */

static void make_link(const struct tree *tree)
{
    char path[4096];

    tree_skill(tree, "a");
    tree_path(tree, "a/passwd", path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
}

static void make_directory_link(const struct tree *tree)
{
    char path[4096];

    tree_skill(tree, "a");
    tree_path(tree, "a/etc", path);
    assert_int_equal(symlink("/etc", path), 0);
}

static void make_linked_skill(const struct tree *tree)
{
    char path[4096];

    tree_skill(tree, "real");
    tree_directories(tree, "a/");
    tree_path(tree, "a/SKILL.md", path);
    assert_int_equal(symlink("../real/SKILL.md", path), 0);
}

static void make_pipe(const struct tree *tree)
{
    char path[4096];

    tree_skill(tree, "a");
    tree_path(tree, "a/pipe", path);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_bad_name(const struct tree *tree)
{
    tree_skill(tree, "a");
    tree_write(tree, "a/\xff\xfe", "x");
}

static void make_control_name(const struct tree *tree)
{
    tree_skill(tree, "a");
    tree_write(tree, "a/x\ny", "x");
}

static void make_other_name(const struct tree *tree)
{
    tree_write(tree, "a/SKILL.md", "---\nname: b\ndescription: c\n---\n");
}

static void make_bare(const struct tree *tree)
{
    tree_write(tree, "a/SKILL.md", "# No front matter\n");
}

static void make_binary(const struct tree *tree)
{
    tree_write(tree, "a/SKILL.md", "---\nname: a\ndescription: \xff\n---\n");
}

static void make_root(const struct tree *tree)
{
    tree_write(tree, "SKILL.md", "---\nname: a\ndescription: b\n---\n");
}

static void make_large(const struct tree *tree)
{
    char path[4096];

    tree_skill(tree, "a");
    tree_write(tree, "a/large", "");
    tree_path(tree, "a/large", path);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
}

/* Fits in a skill, but not in a message. */
static void make_unsendable(const struct tree *tree)
{
    char path[4096];

    tree_skill(tree, "a");
    tree_write(tree, "a/zeros", "");
    tree_path(tree, "a/zeros", path);
    assert_int_equal(truncate(path, 5 << 20), 0);
}

static void make_heavy(const struct tree *tree)
{
    char path[4096], name[32];

    tree_skill(tree, "a");
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "a/%d", i);
        tree_write(tree, name, "");
        tree_path(tree, name, path);
        assert_int_equal(truncate(path, 2 << 20), 0);
    }
}

static void make_many(const struct tree *tree)
{
    char name[32];

    tree_skill(tree, "a");
    for (int i = 0; i < SKILL_FILES; i++) {
        snprintf(name, sizeof name, "a/%d", i);
        tree_write(tree, name, "");
    }
}

static void make_deep(const struct tree *tree)
{
    tree_skill(tree, "a");
    tree_directories(tree, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/");
}

static void make_nothing(const struct tree *tree)
{
    rmdir(tree->root);
}

static const struct {
    void (*make)(const struct tree *tree);
    int status;
    const char *path, *text; /* parts of the reason */
} refused[] = {
    {make_link, HAFT_EINVAL, "a/passwd", "symbolic link"},
    {make_directory_link, HAFT_EINVAL, "a/etc", "symbolic link"},
    {make_linked_skill, HAFT_EINVAL, "a/SKILL.md", "symbolic link"},
    {make_pipe, HAFT_EINVAL, "a/pipe", "not a regular file"},
    {make_bad_name, HAFT_EINVAL, "a/", "not valid UTF-8"},
    {make_control_name, HAFT_EINVAL, "a/", "control character"},
    {make_other_name, HAFT_EINVAL, "a/SKILL.md", "that of the directory"},
    {make_bare, HAFT_EINVAL, "a/SKILL.md", "must begin with front matter"},
    {make_binary, HAFT_EINVAL, "a/SKILL.md", "not valid UTF-8"},
    {make_root, HAFT_EINVAL, "SKILL.md", "name the directory that contains it"},
    {make_large, HAFT_ETOOBIG, "a/large", "1099511627776 bytes"},
    {make_unsendable, HAFT_ETOOBIG, "a/zeros", "limits.message"},
    {make_heavy, HAFT_ETOOBIG, "skill://a/SKILL.md", "16 MiB"},
    {make_many, HAFT_ETOOBIG, "skill://a/SKILL.md", "512 files"},
    {make_deep, HAFT_EDEPTH, "a/b/c/d", "nested"},
    {make_nothing, HAFT_ENOTFOUND, "/tmp/haft-skill-", "No such file"},
};

static void refuses_hostile_directories(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct skill_set *set = NULL;
        haft_reason reason;
        struct tree tree;
        int status;

        tree_make(&tree);
        refused[i].make(&tree);
        status = read_set(&tree, NULL, &set, &reason);
        if (status != refused[i].status || !strstr(reason.text, refused[i].text))
            print_error("row %zu: %d %s: %s\n", i, status, reason.path, reason.text);
        assert_int_equal(status, refused[i].status);
        assert_non_null(strstr(reason.path, refused[i].path));
        assert_non_null(strstr(reason.text, refused[i].text));
        tree_remove(&tree);
    }
}

/* Makes names for one empty file: a link costs less than a file. */
static void make_links(const struct tree *tree, int from, int to)
{
    char first[4096], path[4096], name[32];
    int folder;

    tree_write(tree, "many/0", "");
    tree_path(tree, "many/0", first);
    tree_path(tree, "many", path);
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(folder >= 0);
    for (int i = from; i < to; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(linkat(AT_FDCWD, first, folder, name, 0), 0);
    }
    close(folder);
}

/* The names of all files count, also outside of skills, and the walk ends. */
static void bounds_the_number_of_names(void **state)
{
    enum { FITTING = SKILL_NAMES - 3 }; /* beside a, its SKILL.md and many */
    struct skill_set *set;
    haft_reason reason;
    struct tree tree;

    (void)state;
    tree_make(&tree);
    tree_skill(&tree, "a");
    make_links(&tree, 1, FITTING);
    assert_int_equal(read_set(&tree, NULL, &set, &reason), 0);
    assert_int_equal(set->n_skills, 1);
    assert_int_equal(set->n_entries, 2);
    hf_skill_set_drop(set);
    make_links(&tree, FITTING, FITTING + 1);
    assert_int_equal(read_set(&tree, NULL, &set, &reason), HAFT_ETOOBIG);
    assert_non_null(strstr(reason.text, "too many files"));
    tree_remove(&tree);
}

static void applies_the_options(void **state)
{
    struct skill_set *set;
    haft_reason reason;
    struct tree tree;

    (void)state;
    tree_make(&tree);
    tree_skill(&tree, "a");
    tree_skill(&tree, "b");
    assert_int_equal(read_set(&tree,
                              HAFT_WITH(haft_skill_options, .max_bytes = 1 << 20, .max_skills = 2,
                                        .prefix = "acme/x y"),
                              &set, &reason),
                     0);
    assert_string_equal(set->skills[1]->uri, "skill://acme/x%20y/b/SKILL.md");
    hf_skill_set_drop(set);
    assert_int_equal(read_set(&tree,
                              HAFT_WITH(haft_skill_options, .max_bytes = 1 << 20, .max_skills = 1),
                              &set, &reason),
                     HAFT_ETOOBIG);
    assert_int_equal(read_set(&tree,
                              HAFT_WITH(haft_skill_options, .max_bytes = 60, .max_skills = 2), &set,
                              &reason),
                     HAFT_ETOOBIG);
    tree_remove(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_skills_and_files),
        cmocka_unit_test(refuses_hostile_directories),
        cmocka_unit_test(bounds_the_number_of_names),
        cmocka_unit_test(applies_the_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
