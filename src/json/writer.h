/* json/writer.h - JSON text, written token by token into a buffer.
 *
 * Callers say what they open, name, write and close; the writer puts commas and colons between.  It
 * is a small value on the caller's stack, `{.out = buffer}` at the start, and allocates nothing: a
 * failure is one of the buffer, which keeps the first (haft_buffer.status) and ignores the rest.
 *
 * A caller's mistake fails the buffer with HAFT_EINVAL, so that no test passes on wrong JSON: a
 * value without a key in an object, a key elsewhere, a second value at the top, an end of what is
 * not open.  Opening more than JSON_WRITER_DEPTH levels fails it with HAFT_EDEPTH. */
#ifndef HAFT_SRC_JSON_WRITER_H
#define HAFT_SRC_JSON_WRITER_H

#include "json/json.h"

/* A schema nests 512 deep, and its JSON more. */
enum { JSON_WRITER_DEPTH = 2048 };

struct json_writer {
    haft_buffer *out;
    uint64_t objects; /* of the first 64 levels that are open, those that are objects */
    unsigned depth;   /* levels that are open */
    bool comma;       /* a value stands before the next */
    bool named;       /* a key does */
};

/* For a part of an object that is opened elsewhere, or closed: `comma` says whether members stand
 * before it. */
static inline struct json_writer json_members(haft_buffer *out, bool comma)
{
    return (struct json_writer){.out = out, .objects = 1, .depth = 1, .comma = comma};
}

void hf_json_begin_object(struct json_writer *w);
void hf_json_end_object(struct json_writer *w);
void hf_json_empty_object(struct json_writer *w);
void hf_json_begin_array(struct json_writer *w);
void hf_json_end_array(struct json_writer *w);

/* A key that is a literal and needs no escape; returns the writer, for the value:
 *     hf_json_text(json_key(&w, "name"), name); */
#define JSON_KEY(name) "," JSON_FIRST_KEY(name)
#define JSON_FIRST_KEY(name) "\"" name "\":"
#define json_key(w, name) hf_json_key(w, JSON_KEY(name), sizeof JSON_KEY(name) - 1)
/* An object as an item of an array, up to its first value, with the comma before it. */
#define JSON_ITEM(name) ",{" JSON_FIRST_KEY(name)
struct json_writer *hf_json_key(struct json_writer *w, const char *key, size_t size);
/* Any other key. */
struct json_writer *hf_json_name(struct json_writer *w, const char *text, size_t size);

/* Scalars.  Text is UTF-8, or the buffer fails with HAFT_EUTF8; a number that is not finite is null. */
void hf_json_string(struct json_writer *w, const char *text, size_t size);
void hf_json_text(struct json_writer *w, const char *text);
void hf_json_integer(struct json_writer *w, int64_t value);
void hf_json_unsigned(struct json_writer *w, uint64_t value);
void hf_json_number(struct json_writer *w, double value);
void hf_json_bool(struct json_writer *w, bool value);
void hf_json_null(struct json_writer *w);

/* Writes a member with a text; nothing if it is NULL. */
#define json_text_member(w, name, text)                                                            \
    hf_json_text_member(w, JSON_KEY(name), sizeof JSON_KEY(name) - 1, text)
void hf_json_text_member(struct json_writer *w, const char *key, size_t size, const char *text);

/* A value that was read; NULL fails the buffer with HAFT_EINVAL. */
void hf_json_value(struct json_writer *w, const yyjson_val *value);
/* A value that is JSON already, unchecked. */
void hf_json_raw(struct json_writer *w, const char *json, size_t size);
/* Members that are JSON already (`"a":1,"b":2`), unchecked; there may be none. */
void hf_json_raw_members(struct json_writer *w, const char *json, size_t size);

/* The buffer, into which the caller itself writes the one value that is next. */
haft_buffer *hf_json_slot(struct json_writer *w);
/* The same for the inside of a string that needs no escape. */
haft_buffer *hf_json_begin_string(struct json_writer *w);
void hf_json_end_string(struct json_writer *w);

#endif
