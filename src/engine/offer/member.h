/* engine/offer/member.h - members that the definitions of all offered things have: written, and checked (member.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_MEMBER_H
#define HAFT_SRC_ENGINE_OFFER_MEMBER_H

#include <haft/engine.h>
#include <stdatomic.h>

#include "json/writer.h"

/* A buffer's text in an arena, with the buffer finished; NULL data without memory. */
struct text hf_text_of(haft_arena *arena, haft_buffer *buffer);

/* Valid JSON that a definition brings, on one line, as messages are; its parts are as they came. */
void hf_put_json_line(haft_buffer *buffer, const char *json);
/* The same as a member; nothing if it is NULL. */
void hf_put_json_member(struct json_writer *w, const char *key, const char *json);
/* The member `icons`; nothing if there are none. */
void hf_put_icons(struct json_writer *w, const haft_icon *icons, size_t n);

/* `_meta` and other JSON that a definition brings: an object, or a reason against it. */
int hf_check_json_object(haft_server *server, const char *name, const char *what, const char *json,
                         haft_arena *arena);

/* Icons: each has an address, and is for "light" or "dark" when it says which. */
int hf_check_icons(haft_server *server, const char *name, const haft_icon *icons, size_t n);

#endif
