/* skill/set.h - all skills of a server at one moment, with the contents of their files (set.c).
 *
 * A set is immutable and reference-counted; the resources that are made of it hold it. So the contents that a
 * client reads have the digest that a list says. */
#ifndef HAFT_SRC_SKILL_SET_H
#define HAFT_SRC_SKILL_SET_H

#include <haft/skill.h>

#include "base/sha256.h"
#include "engine/offer/module.h"

enum {
    SKILL_FILES = 512,            /* of a skill */
    SKILL_BYTES = 16 << 20,       /* of a skill */
    SKILL_NAMES = 16384,          /* files and directories of a server */
    SKILL_DEPTH = 16,             /* directories below each other */
    SKILL_ENTRY_SIZE = 512 << 10, /* bytes of a skill in a list */
    SKILL_DIGEST = 7 + 2 * SHA256_SIZE
};

#define SKILL_SCHEME "skill://"
#define SKILL_FILE "SKILL.md"

/* A directory with skills, as the program or the operator names it. */
struct skill_source {
    struct skill_source *next;
    const char *directory;
    haft_skill_options options;
    bool configured; /* a configuration names it, and may name another */
};

/* A file or directory of a skill. */
struct skill_entry {
    struct skill_entry *next;
    const char *uri, *name; /* the name is the last component, decoded */
    const char *mime_type;
    bool directory, text; /* text: valid UTF-8 */
    struct text contents;
    char digest[SKILL_DIGEST + 1];
};

struct skill {
    struct skill *next;
    const char *uri; /* of its SKILL.md */
    size_t root;     /* bytes of the URI up to the / before SKILL.md */
    const char *name, *description;
    struct text json; /* its entry in a list */
};

struct skill_set {
    struct module module; /* its address is that of the set */
    haft_arena *arena;
    const haft_allocator *allocator;
    struct skill_entry **entries; /* sorted by URI */
    size_t n_entries;
    struct skill **skills; /* sorted by URI */
    size_t n_skills;
    struct skill_entry *found_entries; /* in any order, while it is made */
    struct skill *found_skills;
    size_t max_file; /* bytes of a file that a client can read */
};

/* Reads the directories. Returns 0 with a reference, or an error with the reason, whose path is that of the
 * file. */
int hf_skill_set_read(const haft_allocator *allocator, const struct skill_source *sources,
                      size_t max_message, struct skill_set **ret_set, haft_reason *reterr_reason);
void hf_skill_set_drop(struct skill_set *set);

/* Whether both have the same skills with the same files. */
bool hf_skill_set_equal(const struct skill_set *left, const struct skill_set *right);

/* Finds by URI; NULL if there is none. */
const struct skill_entry *hf_skill_set_entry(const struct skill_set *set, const char *uri);
const struct skill *hf_skill_set_skill(const struct skill_set *set, const char *uri);
/* The first of the entries or skills whose URI follows this text. */
size_t hf_skill_set_entry_after(const struct skill_set *set, const char *uri);
size_t hf_skill_set_skill_after(const struct skill_set *set, const char *uri);

/* Adds the skills of a directory to a set that is being made (directory.c). */
int hf_skill_set_add(struct skill_set *set, const struct skill_source *source,
                     haft_reason *reterr_reason);

/* Offers the directory that a configuration names, in place of the one that it named before (serve.c); NULL for
 * none. Returns as haft_server_add_skills. */
int hf_server_set_skills(haft_server *server, const char *directory);
/* Whether that is possible, except for the memory and the directories of others. Returns the same, with the
 * reason. */
int hf_server_try_skills(haft_server *server, const char *directory, haft_reason *reterr_reason);

#endif
