/* skill_tree.h - directories of skills for tests, which are removed afterwards. */
#ifndef HAFT_TESTS_SKILL_TREE_H
#define HAFT_TESTS_SKILL_TREE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

struct tree {
    char root[64];
};

static inline void tree_make(struct tree *tree)
{
    snprintf(tree->root, sizeof tree->root, "/tmp/haft-skill-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
}

static inline void tree_remove(const struct tree *tree)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", tree->root);
    assert_int_equal(system(command), 0); /* NOLINT */
}

static inline void tree_path(const struct tree *tree, const char *path, char ret_path[4096])
{
    int size = snprintf(ret_path, 4096, "%s/%s", tree->root, path);

    assert_in_range(size, 1, 4095);
}

/* Makes the directories of a path. */
static inline void tree_directories(const struct tree *tree, const char *path)
{
    char full[4096];

    tree_path(tree, path, full);
    for (char *slash = strchr(full + strlen(tree->root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
}

static inline void tree_write_bytes(const struct tree *tree, const char *path, const char *bytes,
                                    size_t size)
{
    char full[4096];
    FILE *file;

    tree_directories(tree, path);
    tree_path(tree, path, full);
    file = fopen(full, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void tree_write(const struct tree *tree, const char *path, const char *text)
{
    tree_write_bytes(tree, path, text, strlen(text));
}

/* Writes a SKILL.md with the name of its directory. */
static inline void tree_skill(const struct tree *tree, const char *path)
{
    char file[4096], text[256];
    const char *slash = strrchr(path, '/');

    snprintf(file, sizeof file, "%s/SKILL.md", path);
    snprintf(text, sizeof text, "---\nname: %s\ndescription: What it is for\n---\nDo it.\n",
             slash ? slash + 1 : path);
    tree_write(tree, file, text);
}

#endif
