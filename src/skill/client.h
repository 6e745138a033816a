/* skill/client.h - skills that a client has listed (client.c). */
#ifndef HAFT_SRC_SKILL_CLIENT_H
#define HAFT_SRC_SKILL_CLIENT_H

#include <haft/skill.h>

#include "base/base.h"

enum {
    CLIENT_SKILLS = 10000,     /* of a server */
    CLIENT_SKILLS_FIRST = 16,  /* room at first */
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

/* For a program that sends the requests itself: an empty list, and the skills of a result of skills/list. */
haft_skills *hf_skills_new(const haft_allocator *allocator, haft_reason *reterr_reason);
int hf_skills_add_page(haft_skills *skills, haft_value *result, haft_reason *reterr_reason);

/* Appends the contents of a result of resources/read to an empty buffer, and compares them with what the skill says of the
 * file. Returns 0, or an error with the reason. */
int hf_skill_verify(const haft_allocator *allocator, const haft_skill *skill, const char *path,
                    haft_value *result, haft_buffer *ret_bytes, haft_reason *reterr_reason);

#endif
