/* engine/offer/member.h - writes and checks JSON members that all offered items have (member.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_MEMBER_H
#define HAFT_SRC_ENGINE_OFFER_MEMBER_H

#include <haft/engine.h>
#include <stdatomic.h>

#include "json/writer.h"

/* Moves a buffer's text to an arena and finishes the buffer; NULL data without memory. */
struct text hf_text_of(haft_arena *arena, haft_buffer *buffer);

/* Writes valid JSON from a definition without line breaks, as messages require; otherwise
 * unchanged. */
void hf_put_json_line(haft_buffer *buffer, const char *json);
/* The same as a member; nothing if the JSON is NULL. */
void hf_put_json_member(struct json_writer *w, const char *key, const char *json);
/* The member `icons`; nothing if there are none. */
void hf_put_icons(struct json_writer *w, const haft_icon *icons, size_t n);

/* Checks `_meta` and other JSON of a definition: it must be an object, or is rejected with a
 * reason. */
int hf_check_json_object(haft_server *server, const char *name, const char *what, const char *json,
                         haft_arena *arena);

/* Checks icons: each needs a URI, and its theme, if any, is "light" or "dark". */
int hf_check_icons(haft_server *server, const char *name, const haft_icon *icons, size_t n);

#endif
