/* skill/client.h - skills that a client has listed (client.c). */
#ifndef HAFT_SRC_SKILL_CLIENT_H
#define HAFT_SRC_SKILL_CLIENT_H

#include <haft/skill.h>

#include "base/base.h"

enum {
    CLIENT_SKILLS = 10000,     /* of a server */
    CLIENT_SKILL_PAGES = 1024, /* of a list */
    CLIENT_SKILL_ARENA = 256 << 20,
    CLIENT_SKILL_FILES = 512,     /* of a skill */
    CLIENT_SKILL_BYTES = 16 << 20 /* of a skill */
};

struct haft_skills {
    haft_arena *arena;
    haft_skill *list;
    size_t n, room;
};

#endif
