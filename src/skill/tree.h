/* skill/tree.h - reads directories that may change at any time, and never leaves them (tree.c). */
#ifndef HAFT_SRC_SKILL_TREE_H
#define HAFT_SRC_SKILL_TREE_H

#include "base/base.h"

/* Opens the directory that skills are in, which may be a symbolic link. Returns a descriptor, or an error with the
 * reason. */
int hf_tree_open(const char *directory, haft_reason *reterr_reason);

/* A directory entry. */
struct tree_name {
    struct tree_name *next;
    const char *name;
    bool directory;      /* or a regular file */
    const char *problem; /* why it cannot be offered; NULL if it can */
};

/* Lists a directory, by its path below the root ("" for that), without names that begin with a dot. No
 * component of the path may be a symbolic link. At most *budget names are read, and subtracted. Returns 0, or an
 * error with the reason. */
int hf_tree_list(int root, const char *path, size_t *budget, haft_arena *arena,
                 struct tree_name **ret_names, haft_reason *reterr_reason);

/* Reads a regular file of at most `limit` bytes into the arena, with a NUL at the end. Returns 0, or an error with the
 * reason: HAFT_ETOOBIG, or HAFT_EINVAL if it is not a regular file or changes meanwhile. */
int hf_tree_read(int root, const char *path, size_t limit, haft_arena *arena,
                 struct text *ret_contents, haft_reason *reterr_reason);

#endif
