/* engine/offer/member_rows.h - JSON members described by table rows (member_rows.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_MEMBER_ROWS_H
#define HAFT_SRC_ENGINE_OFFER_MEMBER_ROWS_H

#include <stddef.h>

#include "engine/offer/member.h"

struct annotations {
    const char *audience; /* words; NULL if unset */
    double priority;      /* from 0 to 1; negative if unset */
    const char *last_modified;
};

struct icons {
    const haft_icon *list;
    size_t n;
};

enum member_kind {
    MEMBER_TEXT,    /* struct text */
    MEMBER_BYTES,   /* struct text, as base64 */
    MEMBER_STRING,  /* const char *; omitted if NULL */
    MEMBER_WORDS,   /* const char *, words separated by spaces, written as an array */
    MEMBER_INTEGER, /* int64_t; omitted if 0 */
    MEMBER_SHARE,   /* double; omitted if negative */
    MEMBER_ICONS    /* struct icons; omitted if empty */
};

/* A member of a JSON object: its type, and the offset of its value in a struct. */
struct member_row {
    const char *key; /* JSON_KEY; NULL ends a list */
    unsigned short key_size, at;
    enum member_kind kind;
};

#define MEMBER_ROW(kind, name, type, field)                                                        \
    {                                                                                              \
        JSON_KEY(name), sizeof JSON_KEY(name) - 1, offsetof(type, field), kind                     \
    }

/* Whether the member is written: see enum member_kind. */
bool hf_member_is_there(const struct member_row *member, const void *of);
/* The size of its value as JSON. */
size_t hf_member_size(const struct member_row *member, const void *of);

/* Writes the members that are set; `first`: no member precedes. */
void hf_members_write(const struct member_row *member, const void *of, bool first,
                      haft_buffer *out);
/* The size of that. */
size_t hf_members_size(const struct member_row *member, const void *of, bool first);
/* Whether the strings are valid UTF-8; `text_fits`: text has been checked already. */
bool hf_members_are_utf8(const struct member_row *member, const void *of, bool text_fits);
/* Copies referenced data into the arena, except text that is `in_arena`. Returns false without
 * memory. */
bool hf_members_copy(const struct member_row *member, void *of, bool in_arena, haft_arena *arena);

/* Writes `,"annotations":{...}`; its size. */
void hf_annotations_write(const struct annotations *annotations, haft_buffer *out);
size_t hf_annotations_size(const struct annotations *annotations);
/* 0 or HAFT_ENOMEM. */
int hf_annotations_copy(struct annotations *annotations, haft_arena *arena);
/* The audience must be "user", "assistant" or both, the priority at most 1, the time like
 * 2026-01-31T12:00:00Z. */
bool hf_annotations_are_valid(const struct annotations *annotations);

#endif
