/* engine/offer/member_rows.h - the members of an object as rows of a table (member_rows.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_MEMBER_ROWS_H
#define HAFT_SRC_ENGINE_OFFER_MEMBER_ROWS_H

#include <stddef.h>

#include "engine/offer/member.h"

struct annotations {
    const char *audience; /* words; NULL for none */
    double priority;      /* from 0 to 1; below 0 for none */
    const char *last_modified;
};

struct icons {
    const haft_icon *list;
    size_t n;
};

enum member_kind {
    MEMBER_TEXT,    /* struct text */
    MEMBER_BYTES,   /* struct text, as base64 */
    MEMBER_STRING,  /* const char *; omitted when it is NULL */
    MEMBER_WORDS,   /* const char *, separated by spaces, as an array */
    MEMBER_INTEGER, /* int64_t; omitted when it is 0 */
    MEMBER_SHARE,   /* double; omitted when it is below 0 */
    MEMBER_ICONS    /* struct icons; omitted when there are none */
};

/* A member of an object: how it is written, and where its value is in a struct. */
struct member_row {
    const char *key; /* JSON_KEY; NULL ends a list */
    unsigned short key_size, at;
    enum member_kind kind;
};

#define MEMBER_ROW(kind, name, type, field)                                                        \
    {                                                                                              \
        JSON_KEY(name), sizeof JSON_KEY(name) - 1, offsetof(type, field), kind                     \
    }

/* Whether it is written: see enum member_kind. */
bool hf_member_is_there(const struct member_row *member, const void *of);
/* The bytes of its value. */
size_t hf_member_size(const struct member_row *member, const void *of);

/* Writes the members that are there; `first`: nothing is in front of them. */
void hf_members_write(const struct member_row *member, const void *of, bool first,
                      haft_buffer *out);
/* How many bytes those are. */
size_t hf_members_size(const struct member_row *member, const void *of, bool first);
/* Whether their strings are UTF-8; `text_fits`: text has been checked. */
bool hf_members_are_utf8(const struct member_row *member, const void *of, bool text_fits);
/* Moves what they point to into the arena, but for text that is `in_arena`.  False without memory. */
bool hf_members_copy(const struct member_row *member, void *of, bool in_arena, haft_arena *arena);

/* `,"annotations":{...}`, and how long that is. */
void hf_annotations_write(const struct annotations *annotations, haft_buffer *out);
size_t hf_annotations_size(const struct annotations *annotations);
/* 0 or HAFT_ENOMEM. */
int hf_annotations_copy(struct annotations *annotations, haft_arena *arena);
/* The audience is "user", "assistant" or both, the priority at most 1, the time as in
 * 2026-01-31T12:00:00Z. */
bool hf_annotations_are_valid(const struct annotations *annotations);

#endif
